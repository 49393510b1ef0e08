/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DMA mappings without a device. Memory must be synchronized, posted and
 * unmapped with the direction and length with which it was mapped. Otherwise
 * the kernel warns, which fails the run. fake_memory.h includes this file.
 */
#ifndef _RPCRDMA_FAKE_DMA_H
#define _RPCRDMA_FAKE_DMA_H

#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

/* Difference between bus address and virtual address */
#ifndef FAKE_DMA_OFFSET
#define FAKE_DMA_OFFSET		0
#endif
#define FAKE_DMA(p)		((u64)(uintptr_t)(p) + FAKE_DMA_OFFSET)

static struct fake_dma {
	raw_spinlock_t lock;	/* protects the other fields */
	u32 n;	/* number of mappings */
	struct {
		u64 addr;
		u64 len;
		enum dma_data_direction dir;
	} maps[1024];	/* bus address, length and direction of each mapping */
} fake_dma = { .lock = __RAW_SPIN_LOCK_UNLOCKED(fake_dma.lock) };

static u64 fake_dma_map(u64 addr, size_t len, enum dma_data_direction dir)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&fake_dma.lock, flags);
	if (!WARN_ON(!len || fake_dma.n == ARRAY_SIZE(fake_dma.maps))) {
		fake_dma.maps[fake_dma.n].addr = addr;
		fake_dma.maps[fake_dma.n].len = len;
		fake_dma.maps[fake_dma.n++].dir = dir;
	}
	raw_spin_unlock_irqrestore(&fake_dma.lock, flags);
	return addr;
}

/* Remove the newest mapping at @addr; if @len is 0, any length and direction match. */
static bool fake_dma_forget(u64 addr, size_t len, enum dma_data_direction dir)
{
	unsigned long flags;
	bool found = false;
	u32 i;

	raw_spin_lock_irqsave(&fake_dma.lock, flags);
	for (i = fake_dma.n; i-- && !found; ) {
		if (fake_dma.maps[i].addr != addr ||
		    (len && (fake_dma.maps[i].len != len ||
			     fake_dma.maps[i].dir != dir)))
			continue;
		fake_dma.maps[i] = fake_dma.maps[--fake_dma.n];
		found = true;
	}
	raw_spin_unlock_irqrestore(&fake_dma.lock, flags);
	return found;
}

static __maybe_unused void fake_dma_unmap(u64 addr, size_t len,
					  enum dma_data_direction dir)
{
	WARN(!len || !fake_dma_forget(addr, len, dir),
	     "not mapped: %zu bytes, direction %d\n", len, dir);
}

/* Check that the range is mapped in this direction. */
static __maybe_unused void fake_dma_use(u64 addr, size_t len,
					enum dma_data_direction dir)
{
	unsigned long flags;
	bool found = false;
	u32 i;

	raw_spin_lock_irqsave(&fake_dma.lock, flags);
	for (i = 0; i < fake_dma.n && !found; i++)
		found = fake_dma.maps[i].dir == dir &&
			addr >= fake_dma.maps[i].addr &&
			len <= fake_dma.maps[i].len &&
			addr - fake_dma.maps[i].addr <=
				fake_dma.maps[i].len - len;
	raw_spin_unlock_irqrestore(&fake_dma.lock, flags);
	WARN(!found, "not mapped: %zu bytes used, direction %d\n", len, dir);
}

/* Check that the memory of a Send or Receive is mapped. */
static __maybe_unused void fake_dma_posted(const struct ib_sge *sge, int n,
					   enum dma_data_direction dir)
{
	for (; n--; sge++)
		fake_dma_use(sge->addr, sge->length, dir);
}

static __maybe_unused int fake_dma_map_sg(struct scatterlist *sg, int n,
					  enum dma_data_direction dir)
{
	struct scatterlist *entry;
	int i;

	for_each_sg(sg, entry, n, i) {
		sg_dma_address(entry) = FAKE_DMA(sg_virt(entry));
		sg_dma_len(entry) = entry->length;
		fake_dma_map(sg_dma_address(entry), sg_dma_len(entry), dir);
	}
	return n;
}

static __maybe_unused void fake_dma_unmap_sg(struct scatterlist *sg, int n,
					     enum dma_data_direction dir)
{
	struct scatterlist *entry;
	int i;

	for_each_sg(sg, entry, n, i)
		fake_dma_unmap(sg_dma_address(entry), sg_dma_len(entry), dir);
}

#define ib_dma_map_single(device, p, len, dir) \
	((void)(device), fake_dma_map(FAKE_DMA(p), len, dir))
#define ib_dma_map_page(device, page, at, len, dir) \
	((void)(device), \
	 fake_dma_map(FAKE_DMA(page_address(page)) + (at), len, dir))
#define ib_dma_unmap_single(device, addr, len, dir) \
	((void)(device), fake_dma_unmap(addr, len, dir))
#define ib_dma_unmap_page(device, addr, len, dir) \
	((void)(device), fake_dma_unmap(addr, len, dir))
#define ib_dma_sync_single_for_cpu(device, addr, len, dir) \
	((void)(device), fake_dma_use(addr, len, dir))
#define ib_dma_sync_single_for_device(device, addr, len, dir) \
	((void)(device), fake_dma_use(addr, len, dir))
#define ib_dma_map_sg(device, sg, n, dir) \
	((void)(device), fake_dma_map_sg(sg, n, dir))
#define ib_dma_unmap_sg(device, sg, n, dir) \
	((void)(device), fake_dma_unmap_sg(sg, n, dir))

#endif /* _RPCRDMA_FAKE_DMA_H */
