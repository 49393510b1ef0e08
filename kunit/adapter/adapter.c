// SPDX-License-Identifier: GPL-2.0-only
/*
 * Habits of RDMA adapters, for software RDMA devices.
 *
 * Operation: this module changes the operations and attributes of each soft-RoCE
 * or siw device, so it is loaded before a transport uses one. Completion queues
 * of the kernel that are created from then on call their completion handlers in
 * hard interrupt, as those of mlx4 and mlx5 do: from a timer that expires at
 * once. A memory region takes no more pages than drivers accept, however few
 * entries of a scatterlist they are; a Read of more entries than max_sgl_rd is
 * registered.
 *
 * Ownership: a completion queue with a timer holds a reference to this module. A
 * device keeps the changed operations until this module is unloaded, even while
 * it is being removed.
 */

#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rpcrdma/kunit.h>

static bool hard_irq = true;
module_param(hard_irq, bool, 0444);
MODULE_PARM_DESC(hard_irq, "call completion handlers in hard interrupt");

static uint mr_pages = 256;
module_param(mr_pages, uint, 0444);
MODULE_PARM_DESC(mr_pages, "pages per memory region, 128 for cxgb4 (0: unchanged)");

static uint max_sgl_rd;
module_param(max_sgl_rd, uint, 0444);
MODULE_PARM_DESC(max_sgl_rd, "entries per RDMA Read without registration (0: unchanged)");

struct adapter {
	const struct ib_device_ops	*ops;	/* those of the driver */
	u32				fr_pages;
	u32				sgl_rd;
};

struct adapter_cq {
	struct ib_cq	*cq;
	ib_comp_handler	handler;	/* its user's */
	struct hrtimer	timer;
};

/* Indexed by the address of a struct ib_device, or of a struct ib_cq */
static DEFINE_XARRAY(adapters);
static DEFINE_XARRAY(adapter_cqs);
static bool adapter_unloading;

static const struct ib_device_ops *adapter_driver(const struct ib_device *dev)
{
	const struct adapter *adapter = xa_load(&adapters, (unsigned long)dev);

	return adapter->ops;
}

static enum hrtimer_restart adapter_cq_expire(struct hrtimer *timer)
{
	struct adapter_cq *acq = container_of(timer, struct adapter_cq, timer);

	acq->handler(acq->cq, acq->cq->cq_context);
	return HRTIMER_NORESTART;
}

/* Context: any; the provider may hold locks, which are released before the interrupt. */
static void adapter_cq_event(struct ib_cq *cq, void *context)
{
	struct adapter_cq *acq = xa_load(&adapter_cqs, (unsigned long)cq);

	hrtimer_start(&acq->timer, 0, HRTIMER_MODE_REL_HARD);
}

/* Once armed, a queue may call its handler; before that, its user may replace it. */
static int adapter_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags)
{
	struct adapter_cq *acq = xa_load(&adapter_cqs, (unsigned long)cq);

	if (acq && cq->comp_handler != adapter_cq_event) {
		acq->handler = cq->comp_handler;
		cq->comp_handler = adapter_cq_event;
	}
	return adapter_driver(cq->device)->req_notify_cq(cq, flags);
}

static int adapter_cq_add(struct ib_cq *cq)
{
	struct adapter_cq *acq = kzalloc(sizeof(*acq), GFP_KERNEL);
	int ret;

	if (!acq)
		return -ENOMEM;
	acq->cq = cq;
	hrtimer_setup(&acq->timer, adapter_cq_expire, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	ret = xa_err(xa_store(&adapter_cqs, (unsigned long)cq, acq, GFP_KERNEL));
	if (ret)
		kfree(acq);
	else
		__module_get(THIS_MODULE);
	return ret;
}

/* The type of @udata depends on the kernel; only that it is NULL for kernel users does not. */
static int adapter_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr, void *udata)
{
	const struct ib_device_ops *driver = adapter_driver(cq->device);
	int ret = driver->create_cq(cq, attr, udata);

	if (ret || udata || !hard_irq)
		return ret;
	ret = adapter_cq_add(cq);
	if (ret)
		driver->destroy_cq(cq, NULL);
	return ret;
}

/* An interrupt after ib_free_cq() has cancelled the work item may have queued it again. */
static void adapter_cq_stop(struct adapter_cq *acq)
{
	struct ib_cq *cq = acq->cq;

	hrtimer_cancel(&acq->timer);
	if (cq->poll_ctx == IB_POLL_WORKQUEUE || cq->poll_ctx == IB_POLL_UNBOUND_WORKQUEUE)
		cancel_work_sync(&cq->work);
}

static int adapter_destroy_cq(struct ib_cq *cq, struct ib_udata *udata)
{
	struct adapter_cq *acq = xa_load(&adapter_cqs, (unsigned long)cq);
	int ret;

	if (acq)
		adapter_cq_stop(acq);
	ret = adapter_driver(cq->device)->destroy_cq(cq, udata);
	if (ret || !acq)
		return ret;
	/* No Queue Pair uses @cq, so there was no event meanwhile. */
	WARN_ON_ONCE(hrtimer_cancel(&acq->timer));
	xa_erase(&adapter_cqs, (unsigned long)cq);
	kfree(acq);
	module_put(THIS_MODULE);
	return 0;
}

static unsigned int adapter_sg_pages(const struct scatterlist *sg, u32 page_size, u32 offset)
{
	u64 start = round_down(sg_dma_address(sg) + offset, page_size);

	return DIV_ROUND_UP_ULL(sg_dma_address(sg) + sg_dma_len(sg) - start, page_size);
}

/* Maps those first entries whose pages fit, as ib_sg_to_pages() does for most drivers. */
static int adapter_map_mr_sg(struct ib_mr *mr, struct scatterlist *sgl, int nents,
			     unsigned int *offset)
{
	unsigned int first = offset ? *offset : 0, pages = 0;
	struct scatterlist *sg;
	int i;

	for_each_sg(sgl, sg, nents, i) {
		pages += adapter_sg_pages(sg, mr->page_size, i ? 0 : first);
		if (mr_pages && pages > mr_pages)
			break;
	}
	if (!i)
		return -ENOMEM;
	return adapter_driver(mr->device)->map_mr_sg(mr, sgl, i, offset);
}

static void adapter_change(struct ib_device *dev)
{
	dev->ops.create_cq = (void *)adapter_create_cq;
	dev->ops.destroy_cq = adapter_destroy_cq;
	dev->ops.req_notify_cq = adapter_req_notify_cq;
	dev->ops.map_mr_sg = adapter_map_mr_sg;
	if (mr_pages)
		dev->attrs.max_fast_reg_page_list_len =
			min(dev->attrs.max_fast_reg_page_list_len, mr_pages);
	if (max_sgl_rd)
		dev->attrs.max_sgl_rd = max_sgl_rd;
}

/* If there was a device at this address before, what was kept of it is not needed any more. */
static int adapter_add_device(struct ib_device *dev)
{
	struct adapter *adapter;
	void *old;

	if (dev->ops.driver_id != RDMA_DRIVER_RXE && dev->ops.driver_id != RDMA_DRIVER_SIW)
		return -EOPNOTSUPP;
	adapter = kmalloc(sizeof(*adapter) + sizeof(dev->ops), GFP_KERNEL);
	if (!adapter)
		return -ENOMEM;
	adapter->ops = (void *)(adapter + 1);
	memcpy(adapter + 1, &dev->ops, sizeof(dev->ops));
	adapter->fr_pages = dev->attrs.max_fast_reg_page_list_len;
	adapter->sgl_rd = dev->attrs.max_sgl_rd;
	old = xa_store(&adapters, (unsigned long)dev, adapter, GFP_KERNEL);
	if (xa_err(old)) {
		kfree(adapter);
		return xa_err(old);
	}
	kfree(old);
	adapter_change(dev);
	pr_info("rpcrdma_adapter: %s changed\n", dev_name(&dev->dev));
	return 0;
}

/* A device that is going away still needs the operations, for what its users destroy now. */
static void adapter_remove_device(struct ib_device *dev, void *data)
{
	const struct adapter *adapter = xa_load(&adapters, (unsigned long)dev);

	if (!READ_ONCE(adapter_unloading))
		return;
	dev->ops = *adapter->ops;
	dev->attrs.max_fast_reg_page_list_len = adapter->fr_pages;
	dev->attrs.max_sgl_rd = adapter->sgl_rd;
}

static struct ib_client adapter_client = {
	.name	= "rpcrdma_adapter",
	.add	= adapter_add_device,
	.remove	= adapter_remove_device,
};

static int __init adapter_init(void)
{
	return ib_register_client(&adapter_client);
}

static void __exit adapter_exit(void)
{
	struct adapter *adapter;
	unsigned long index;

	WRITE_ONCE(adapter_unloading, true);
	ib_unregister_client(&adapter_client);
	xa_for_each(&adapters, index, adapter)
		kfree(adapter);
	xa_destroy(&adapters);
}

module_init(adapter_init);
module_exit(adapter_exit);

MODULE_DESCRIPTION("Habits of RDMA adapters, for software RDMA devices");
MODULE_VERSION(RPCRDMA_VERSION);
MODULE_LICENSE("GPL");
