// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes software RDMA devices behave like RDMA adapters.
 *
 * Operation: this module changes the operations and attributes of each
 * soft-RoCE or siw device that is added after the module was loaded, before
 * other clients of the RDMA core see the device. One RDMA device must exist
 * already: the module finds the device class of the RDMA core through it.
 *
 * Requests that an adapter's driver refuses are refused here, too: more entries
 * or larger regions than the adapter supports, and fuller queues than were
 * asked for (a software device rounds sizes up). cq.c decides how completions
 * arrive, mr.c how the device sees memory.
 *
 * Ownership: each changed device holds a reference to this module until its
 * users and their queues are gone.
 */

#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/iommu.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "adapter.h"

#define ADAPTER_PCI_VENDOR	0x1234
#define ADAPTER_PCI_EDU		0x11e8

static char *profile = "default";
module_param(profile, charp, 0444);
MODULE_PARM_DESC(profile, "driver of the adapter, or \"worst\" for the smallest of each limit");

static int mr_pages = -1;
module_param(mr_pages, int, 0444);
MODULE_PARM_DESC(mr_pages, "pages per memory region (0: the device's limit)");

uint adapter_delay_us;
module_param_named(delay_us, adapter_delay_us, uint, 0644);
MODULE_PARM_DESC(delay_us, "maximum delay of one in 16 completion events, in microseconds");

uint adapter_post_fails;
module_param_named(post_fails, adapter_post_fails, uint, 0644);
MODULE_PARM_DESC(post_fails, "one in this many posts to a Send Queue fails (0: none)");

uint adapter_mrs;
module_param_named(mrs, adapter_mrs, uint, 0644);
MODULE_PARM_DESC(mrs, "maximum number of memory regions (0: the device's limit)");

static uint remove_after;
module_param(remove_after, uint, 0644);
MODULE_PARM_DESC(remove_after, "remove the device after this many verbs and completions (0: never)");

bool adapter_dma;
module_param_named(dma, adapter_dma, bool, 0444);
MODULE_PARM_DESC(dma, "map memory with the DMA API, as for a device on a bus");

struct adapter_profile adapter_is;

/* Indexed by the address of a struct ib_device; entries are copies of the driver's operations */
static DEFINE_XARRAY(adapters);
static struct platform_device *adapter_platform;
static struct pci_dev *adapter_pci;
static bool adapter_ready;

/* Returns the original operations of a changed device. */
const struct ib_device_ops *adapter_driver(const struct ib_device *dev)
{
	return xa_load(&adapters, (unsigned long)dev);
}

/**
 * adapter_step - count a verb that a user calls, or a completion that it gets
 * @dev: the device, which is removed if remove_after selects this step
 *
 * Context: any.
 */
void adapter_step(struct ib_device *dev)
{
	uint left = READ_ONCE(remove_after);

	if (unlikely(left) && cmpxchg(&remove_after, left, left - 1) == left && left == 1)
		ib_unregister_device_queued(dev);
}

/* The device for DMA mappings. QEMU's "edu" device has no driver, and can be behind an IOMMU. */
static struct device *adapter_bus(void)
{
	return adapter_pci ? &adapter_pci->dev : &adapter_platform->dev;
}

static void adapter_limit(u32 *attr, u32 limit)
{
	if (limit)
		*attr = min(*attr, limit);
}

static void adapter_change_attrs(struct ib_device_attr *attrs)
{
	adapter_limit(&attrs->max_send_sge, adapter_is.send_sge);
	adapter_limit(&attrs->max_recv_sge, adapter_is.recv_sge);
	adapter_limit(&attrs->max_sge_rd, adapter_is.read_sge);
	adapter_limit(&attrs->max_fast_reg_page_list_len, adapter_is.mr_pages);
	adapter_limit(&attrs->max_qp_wr, adapter_is.qp_wr);
	adapter_limit(&attrs->max_qp_rd_atom, adapter_is.reads);
	adapter_limit(&attrs->max_qp_init_rd_atom, adapter_is.reads);
	attrs->max_sgl_rd = adapter_is.sgl_rd;
	if (adapter_is.no_lkey)
		attrs->kernel_cap_flags &= ~IBK_LOCAL_DMA_LKEY;
	if (adapter_is.no_regions)
		attrs->device_cap_flags &= ~IB_DEVICE_MEM_MGT_EXTENSIONS;
}

static void adapter_change(struct ib_device *dev)
{
	adapter_change_cqs(&dev->ops);
	adapter_change_mrs(&dev->ops);
	adapter_change_qps(&dev->ops);
	adapter_change_attrs(&dev->attrs);
	if (adapter_dma)
		dev->dma_device = adapter_bus();
	pr_info("rpcrdma_adapter: %s has the habits of %s%s\n", dev_name(&dev->dev),
		adapter_is.name,
		adapter_dma && iommu_get_domain_for_dev(adapter_bus()) ? ", and an IOMMU" : "");
}

/* Returns NULL if @device is only the view of a device in another network namespace. */
static struct ib_device *adapter_device(struct device *device)
{
	struct ib_device *dev = container_of(device, struct ib_core_device, dev)->owner;

	return device == &dev->dev ? dev : NULL;
}

static int adapter_add(struct device *device)
{
	struct ib_device *dev = adapter_device(device);
	struct ib_device_ops *driver;
	int ret;

	/* Devices that exist already are in use. */
	if (!adapter_ready || !dev || (dev->ops.driver_id != RDMA_DRIVER_RXE &&
				       dev->ops.driver_id != RDMA_DRIVER_SIW))
		return 0;
	driver = kmemdup(&dev->ops, sizeof(dev->ops), GFP_KERNEL);
	if (!driver)
		return -ENOMEM;
	ret = xa_insert(&adapters, (unsigned long)dev, driver, GFP_KERNEL);
	if (ret) {
		kfree(driver);
		return ret;
	}
	__module_get(THIS_MODULE);
	adapter_change(dev);
	return 0;
}

/* The device has no users any more. */
static void adapter_remove(struct device *device)
{
	struct ib_device *dev = adapter_device(device);
	struct ib_device_ops *driver = dev ? xa_erase(&adapters, (unsigned long)dev) : NULL;

	if (!driver)
		return;
	dev->ops = *driver;
	kfree(driver);
	module_put(THIS_MODULE);
}

/* The first parameter has the same type in all kernels; others differ. */
static struct class_interface adapter_interface = {
	.add_dev	= (void *)adapter_add,
	.remove_dev	= (void *)adapter_remove,
};

static int adapter_find_class(struct ib_device *dev)
{
	adapter_interface.class = dev->dev.class;
	return -EOPNOTSUPP;
}

static struct ib_client adapter_client = {
	.name	= "rpcrdma_adapter",
	.add	= adapter_find_class,
};

static int adapter_choose(void)
{
	const struct adapter_profile *found = adapter_find_profile(profile);

	if (!found) {
		pr_err("rpcrdma_adapter: no profile \"%s\"\n", profile);
		return -EINVAL;
	}
	adapter_is = *found;
	if (mr_pages >= 0)
		adapter_is.mr_pages = mr_pages;
	return 0;
}

static int adapter_bus_init(void)
{
	adapter_platform = platform_device_register_simple("rpcrdma_adapter",
							   PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(adapter_platform))
		return PTR_ERR(adapter_platform);
	adapter_pci = pci_get_device(ADAPTER_PCI_VENDOR, ADAPTER_PCI_EDU, NULL);
	/* Bounce buffers keep page offsets, so a region has no gaps between entries. */
	dma_set_min_align_mask(adapter_bus(), PAGE_SIZE - 1);
	return dma_coerce_mask_and_coherent(adapter_bus(), DMA_BIT_MASK(64));
}

static void adapter_bus_exit(void)
{
	pci_dev_put(adapter_pci);
	platform_device_unregister(adapter_platform);
}

static int adapter_watch(void)
{
	int ret = ib_register_client(&adapter_client);

	if (ret)
		return ret;
	ib_unregister_client(&adapter_client);
	if (!adapter_interface.class) {
		pr_err("rpcrdma_adapter: there is no RDMA device\n");
		return -ENODEV;
	}
	ret = class_interface_register(&adapter_interface);
	adapter_ready = !ret;
	return ret;
}

static int __init adapter_init(void)
{
	int ret = adapter_choose();

	if (ret)
		return ret;
	ret = adapter_bus_init();
	if (!ret)
		ret = adapter_watch();
	if (ret && !IS_ERR(adapter_platform))
		adapter_bus_exit();
	return ret;
}

static void __exit adapter_exit(void)
{
	class_interface_unregister(&adapter_interface);
	adapter_bus_exit();
}

module_init(adapter_init);
module_exit(adapter_exit);

MODULE_DESCRIPTION("Habits of RDMA adapters, for software RDMA devices");
MODULE_VERSION(RPCRDMA_VERSION);
MODULE_LICENSE("GPL");
