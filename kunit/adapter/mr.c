// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of an adapter. A memory region takes no more pages than the driver
 * accepts, even in few scatterlist entries. With dma=1, users map memory
 * through the DMA API for a device on a bus. Bounce buffers (swiotlb=force), an
 * IOMMU (intel_iommu=on) or the DMA API checker (CONFIG_DMA_API_DEBUG) then
 * detect mistakes that software devices hide: memory that is read before it is
 * synchronized, used while it is not mapped, or unmapped twice. The software
 * device still gets kernel addresses, which it needs.
 */

#include <linux/dma-direct.h>
#include <linux/iommu.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "adapter.h"

/* Returns the address in the linear mapping of memory that is mapped for a device. */
u64 adapter_virtual(const struct ib_device *dev, u64 addr)
{
	struct iommu_domain *domain = iommu_get_domain_for_dev(dev->dma_device);

	if (domain)
		return (uintptr_t)phys_to_virt(iommu_iova_to_phys(domain, addr));
	return (uintptr_t)phys_to_virt(dma_to_phys(dev->dma_device, addr));
}

static unsigned int adapter_sg_pages(const struct scatterlist *sg, u32 page_size, u32 offset)
{
	u64 start = round_down(sg_dma_address(sg) + offset, page_size);

	return DIV_ROUND_UP_ULL(sg_dma_address(sg) + sg_dma_len(sg) - start, page_size);
}

/* Returns how many entries fit into a region, counting pages like ib_sg_to_pages(). */
static int adapter_count_fitting(const struct ib_mr *mr, struct scatterlist *sgl, int nents,
				 unsigned int first)
{
	unsigned int pages = 0;
	struct scatterlist *sg;
	int i;

	for_each_sg(sgl, sg, nents, i) {
		pages += adapter_sg_pages(sg, mr->page_size, i ? 0 : first);
		if (adapter_is.mr_pages && pages > adapter_is.mr_pages)
			break;
	}
	return i;
}

/*
 * List each page as one entry, for the software device: an IOMMU joins pages
 * that are not adjacent in memory. Returns the number of pages; @to may be
 * NULL.
 */
static unsigned int adapter_list_pages(struct scatterlist *to, const struct ib_device *dev,
				       struct scatterlist *sgl, int nents, u32 offset)
{
	unsigned int count = 0;
	struct scatterlist *sg;
	u32 bytes, done;
	u64 addr;
	int i;

	for_each_sg(sgl, sg, nents, i) {
		for (done = i ? 0 : offset; done < sg_dma_len(sg); done += bytes, count++) {
			addr = sg_dma_address(sg) + done;
			bytes = min_t(u32, sg_dma_len(sg) - done,
				      PAGE_SIZE - offset_in_page(addr));
			if (!to)
				continue;
			sg_dma_address(&to[count]) = adapter_virtual(dev, addr);
			sg_dma_len(&to[count]) = bytes;
		}
	}
	return count;
}

/* Map all entries, or none. */
static int adapter_map_pages(struct ib_mr *mr, struct scatterlist *sgl, int nents, u32 offset)
{
	unsigned int count = adapter_list_pages(NULL, mr->device, sgl, nents, offset);
	struct scatterlist *pages = kcalloc(count, sizeof(*pages), GFP_ATOMIC);
	int ret;

	if (!pages)
		return -ENOMEM;
	sg_init_table(pages, count);
	adapter_list_pages(pages, mr->device, sgl, nents, offset);
	ret = adapter_driver(mr->device)->map_mr_sg(mr, pages, count, NULL);
	kfree(pages);
	if (ret < 0)
		return ret;
	return ret == count ? nents : -EINVAL;
}

static int adapter_map_mr_sg(struct ib_mr *mr, struct scatterlist *sgl, int nents,
			     unsigned int *offset)
{
	int n = adapter_count_fitting(mr, sgl, nents, offset ? *offset : 0);

	adapter_step(mr->device);
	if (!n)
		return -ENOMEM;
	if (adapter_dma)
		return adapter_map_pages(mr, sgl, n, offset ? *offset : 0);
	return adapter_driver(mr->device)->map_mr_sg(mr, sgl, n, offset);
}

/* Number of regions in use by kernel users */
static atomic_t adapter_mrs_used = ATOMIC_INIT(0);

static struct ib_mr *adapter_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg)
{
	uint most = READ_ONCE(adapter_mrs);
	struct ib_mr *mr;

	adapter_step(pd->device);
	if (adapter_is.mr_pages && max_num_sg > adapter_is.mr_pages)
		return ERR_PTR(-EINVAL);
	if (atomic_inc_return(&adapter_mrs_used) > most && most)
		mr = ERR_PTR(-ENOMEM);
	else
		mr = adapter_driver(pd->device)->alloc_mr(pd, type, max_num_sg);
	if (IS_ERR(mr))
		atomic_dec(&adapter_mrs_used);
	return mr;
}

static int adapter_dereg_mr(struct ib_mr *mr, struct ib_udata *udata)
{
	const struct ib_device_ops *driver = adapter_driver(mr->device);
	int counted = mr->type == IB_MR_TYPE_MEM_REG && !udata;
	int ret = driver->dereg_mr(mr, udata);

	if (!ret && counted)
		atomic_dec(&adapter_mrs_used);
	return ret;
}

void adapter_change_mrs(struct ib_device_ops *ops)
{
	ops->alloc_mr = adapter_alloc_mr;
	ops->dereg_mr = adapter_dereg_mr;
	ops->map_mr_sg = adapter_map_mr_sg;
}
