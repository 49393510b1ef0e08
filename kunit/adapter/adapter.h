/* SPDX-License-Identifier: GPL-2.0-only */
/* Habits of RDMA adapters: what the files of this module share. */
#ifndef _RPCRDMA_ADAPTER_H
#define _RPCRDMA_ADAPTER_H

#include <rdma/ib_verbs.h>

/**
 * struct adapter_profile - what an adapter can do, and how it behaves
 * @name: of its driver
 * @send_sge: gather entries of a Send
 * @recv_sge: scatter entries of a Receive
 * @read_sge: scatter entries of an RDMA Read
 * @sgl_rd: entries of an RDMA Read above which the RDMA core registers memory
 *	instead (0: it never does)
 * @mr_pages: pages of a memory region
 * @qp_wr: entries of a Send Queue or Receive Queue
 * @reads: RDMA Reads in flight on a connection
 * @no_lkey: it has no local_dma_lkey
 * @no_regions: it has no memory regions for the kernel
 * @hard_irq: completion handlers are called in hard interrupt
 * @in_post: completion handlers are also called by whoever posts
 *
 * A limit of 0 is that of the software device.
 */
struct adapter_profile {
	const char	*name;
	u32		send_sge;
	u32		recv_sge;
	u32		read_sge;
	u32		sgl_rd;
	u32		mr_pages;
	u32		qp_wr;
	u32		reads;
	bool		no_lkey;
	bool		no_regions;
	bool		hard_irq;
	bool		in_post;
};

/* adapter.c */
extern struct adapter_profile adapter_is;
extern uint adapter_delay_us, adapter_post_fails, adapter_mrs;
extern bool adapter_dma;
const struct ib_device_ops *adapter_driver(const struct ib_device *dev);
void adapter_step(struct ib_device *dev);

/* cq.c: completion queues */
void adapter_change_cqs(struct ib_device_ops *ops);
void adapter_cq_reserve(struct ib_cq *cq, u32 entries);
void adapter_cq_release(struct ib_cq *cq, u32 entries);
void adapter_cq_posted(struct ib_cq *cq);

/* mr.c: memory regions, and memory as the device sees it */
void adapter_change_mrs(struct ib_device_ops *ops);
u64 adapter_virtual(const struct ib_device *dev, u64 addr);

/* profiles.c */
const struct adapter_profile *adapter_find_profile(const char *name);

/* qp.c: Queue Pairs */
void adapter_change_qps(struct ib_device_ops *ops);
void adapter_qp_completed(const struct ib_wc *wc);

#endif /* _RPCRDMA_ADAPTER_H */
