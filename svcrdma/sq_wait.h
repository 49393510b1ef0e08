/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for Send Queue entries (verbs/sq.c). */
#ifndef _SVC_RDMA_SQ_WAIT_H
#define _SVC_RDMA_SQ_WAIT_H

#include <linux/list.h>

/**
 * struct svc_rdma_sq_wait - a waiter for Send Queue entries
 * @list: entry of the connection's @sq_waiters
 * @entries: number of entries wanted
 * @ready: called once, in softirq or process context and without locks: with 0
 *	when the entries have been taken for this waiter, and it is to post; or
 *	with -ENOTCONN when the connection is closed. Must not sleep; may close
 *	the connection.
 */
struct svc_rdma_sq_wait {
	struct list_head list;
	unsigned int entries;
	void (*ready)(struct svc_rdma_sq_wait *wait, int status);
};

#endif /* _SVC_RDMA_SQ_WAIT_H */
