/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * RDMA Reads and Writes. Each moves data between one segment of the peer's
 * memory and one range of local memory without gaps. Both sides keep lists of
 * Reads and Writes, and post each list as one chain of Work Requests.
 *
 * Ownership: until its owner releases it, a Read or Write holds a DMA mapping
 * and, if the device needs one, a memory region of the Queue Pair. While it is
 * mapped, it is also in the set of its connection. When the Queue Pair has been
 * drained, everything in the set is unmapped, including Reads and Writes whose
 * completion the provider never reported.
 *
 * Regions: each Read or Write needs at most one memory region. A region is
 * created if none is free, and lives as long as the Queue Pair. So the limit on
 * a connection's Reads and Writes also limits its regions, and nothing waits
 * for a region.
 *
 * Lengths: drivers limit the pages of a region, rdma_rw the entries of a
 * scatterlist. So a Read or Write covers no more pages than a region can, even
 * in few entries. Entries are short enough for every device and for swiotlb.
 */
#ifndef _RPCRDMA_RW_H
#define _RPCRDMA_RW_H

#include <linux/dma-direction.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <rdma/rw.h>

#include <rpcrdma/wire.h>

struct xdr_buf;

/* Scatterlist entries without an extra allocation: enough for 64 KiB at any offset */
#define RPCRDMA_RW_FIRST	17

/**
 * struct rpcrdma_rw_set - the Reads and Writes of one connection
 * @qp: Queue Pair
 * @port: port of the device
 * @lock: protects @all
 * @all: list of struct rpcrdma_rw that are mapped
 * @regions: the device may need memory regions, which are created on demand
 * @pages: maximum pages of one Read or Write
 * @merge: adjacent pages share an entry
 *
 * All members but @all are set before Reads and Writes are added.
 */
struct rpcrdma_rw_set {
	struct ib_qp *qp;
	u32 port;
	spinlock_t lock;
	struct list_head all;
	bool regions;
	u32 pages;
	bool merge;
};

/**
 * struct rpcrdma_rw - one RDMA Read or Write
 * @list: entry in the list of its owner
 * @all: entry in the connection's set while it is mapped
 * @ctx: Work Requests
 * @sgt: local memory
 * @nents: entries of @sgt in use, one or more pages each
 * @dir: DMA_FROM_DEVICE for a Read
 * @first: the first entries of @sgt
 */
struct rpcrdma_rw {
	struct list_head list;
	struct list_head all;
	struct rdma_rw_ctx ctx;
	struct sg_table sgt;
	unsigned int nents;
	enum dma_data_direction dir;
	struct scatterlist first[RPCRDMA_RW_FIRST];
};

/**
 * struct rpcrdma_rw_memory - local memory
 * @base: address in the kernel's direct mapping, or NULL
 * @pages: pages, if @base is NULL
 * @offset: offset in the first page, in bytes
 */
struct rpcrdma_rw_memory {
	void *base;
	struct page **pages;
	u32 offset;
};

void rpcrdma_rw_set_init(struct rpcrdma_rw_set *set);
void rpcrdma_rw_set_device(struct rpcrdma_rw_set *set, struct ib_device *device,
			   u32 port);
u32 rpcrdma_rw_xdr(const struct xdr_buf *xdr, u32 offset, u32 length,
		   struct rpcrdma_rw_memory *mem);
int rpcrdma_rw_add(struct rpcrdma_rw_set *set, struct list_head *rws,
		   const struct rpcrdma_rw_memory *mem,
		   const struct rpcrdma_segment *seg,
		   enum dma_data_direction dir, gfp_t gfp);
u32 rpcrdma_rw_release(struct rpcrdma_rw_set *set, struct list_head *rws);
void rpcrdma_rw_end(struct rpcrdma_rw_set *set);
struct ib_send_wr *rpcrdma_rw_chain(const struct rpcrdma_rw_set *set,
				    struct list_head *rws, struct ib_cqe *cqe,
				    struct ib_send_wr *wr);

/**
 * rpcrdma_rw_room - get the maximum length of one Read or Write
 * @set: Reads and Writes of the connection
 * @mem: local memory
 *
 * Context: any.
 * Return: bytes.
 */
static inline u32 rpcrdma_rw_room(const struct rpcrdma_rw_set *set,
				  const struct rpcrdma_rw_memory *mem)
{
	u32 offset = mem->base ? offset_in_page(mem->base) : mem->offset;

	return set->pages * PAGE_SIZE - offset;
}

/* Skip the first @length bytes. */
static inline void rpcrdma_rw_advance(struct rpcrdma_rw_memory *mem, u32 length)
{
	if (mem->base) {
		mem->base += length;
		return;
	}
	mem->offset += length;
	mem->pages += mem->offset >> PAGE_SHIFT;
	mem->offset = offset_in_page(mem->offset);
}

#endif /* _RPCRDMA_RW_H */
