/* SPDX-License-Identifier: GPL-2.0-only */
/* The account of a Send Queue's entries. */
#ifndef _SVC_RDMA_SQ_H
#define _SVC_RDMA_SQ_H

#include <linux/list.h>

struct svc_rdma_conn;

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

void svc_rdma_sq_init(struct svc_rdma_conn *conn, u32 depth);
bool svc_rdma_sq_try(struct svc_rdma_conn *conn, u32 entries);
int svc_rdma_sq_queue(struct svc_rdma_conn *conn,
		      struct svc_rdma_sq_wait *wait);
void svc_rdma_sq_give(struct svc_rdma_conn *conn, u32 entries);
void svc_rdma_sq_close(struct svc_rdma_conn *conn);
void svc_rdma_sq_drain(struct svc_rdma_conn *conn);
bool svc_rdma_sq_busy(struct svc_rdma_conn *conn, u32 *returned);
bool svc_rdma_sq_contended(struct svc_rdma_conn *conn);

#endif /* _SVC_RDMA_SQ_H */
