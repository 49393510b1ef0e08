/* SPDX-License-Identifier: GPL-2.0-only */
/* Behavior of RDMA adapters: shared by the files of this module. */
#ifndef _RPCRDMA_ADAPTER_H
#define _RPCRDMA_ADAPTER_H

#include <rdma/ib_verbs.h>

/* Limits and behavior of an adapter. If a limit is 0, that of the software device applies. */
struct adapter_profile {
	const char	*name;		/* name of the driver */
	u32		send_sge;	/* gather entries of a Send */
	u32		recv_sge;	/* scatter entries of a Receive */
	u32		read_sge;	/* scatter entries of an RDMA Read */
	u32		sgl_rd;		/* RDMA Reads of more entries are registered; 0: never */
	u32		mr_pages;	/* pages of a memory region */
	u32		qp_wr;		/* entries of a Send Queue or Receive Queue */
	u32		reads;		/* RDMA Reads in flight on a connection */
	bool		no_lkey;	/* no local_dma_lkey */
	bool		no_regions;	/* no memory regions for kernel users */
	bool		hard_irq;	/* completion handlers are called in hard interrupt */
	bool		in_post;	/* posting also calls completion handlers */
	bool		flush_done;	/* an error also flushes executed Work Requests */
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
bool adapter_qp_flush(const struct ib_wc *wc, struct ib_wc *flushed);

#endif /* _RPCRDMA_ADAPTER_H */
