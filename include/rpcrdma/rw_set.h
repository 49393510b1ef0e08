/* SPDX-License-Identifier: GPL-2.0-only */
/* The set of RDMA Reads and Writes of a connection (rw.h). */
#ifndef _RPCRDMA_RW_SET_H
#define _RPCRDMA_RW_SET_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

/**
 * struct rpcrdma_rw_set - the Reads and Writes of one connection
 * @qp: Queue Pair; set before Reads and Writes are added
 * @port: its port; the same
 * @lock: protects @all
 * @all: list of struct rpcrdma_rw that are mapped
 * @regions: the device may need memory regions, which are created on demand;
 *	set before the Queue Pair is used
 * @pages: pages that one Read or Write covers at most; the same
 * @merge: adjacent pages share an entry; the same
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

void rpcrdma_rw_set_init(struct rpcrdma_rw_set *set);
void rpcrdma_rw_set_device(struct rpcrdma_rw_set *set, struct ib_device *device,
			   u32 port);

#endif /* _RPCRDMA_RW_SET_H */
