/* SPDX-License-Identifier: GPL-2.0-only */
/* What is queued for Send Queue entries. */
#ifndef _SVC_RDMA_SQ_WAIT_H
#define _SVC_RDMA_SQ_WAIT_H

#include <linux/list.h>

/**
 * struct svc_rdma_sq_wait - what is queued for Send Queue entries
 * @list: entry of the connection's @sq_waiters
 * @entries: how many are wanted
 * @ready: called once, in softirq or process context and without locks, with
 *	0 when the entries were taken for it, so that it posts, or -ENOTCONN on
 *	close. It does not sleep, and may close the connection.
 */
struct svc_rdma_sq_wait {
	struct list_head list;
	unsigned int entries;
	void (*ready)(struct svc_rdma_sq_wait *wait, int status);
};

#endif /* _SVC_RDMA_SQ_WAIT_H */
