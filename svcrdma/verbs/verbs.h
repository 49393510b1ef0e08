/* SPDX-License-Identifier: GPL-2.0-only */
/* The verbs layer: connection, Send Queue, RDMA Reads and Writes. */
#ifndef _SVC_RDMA_VERBS_H
#define _SVC_RDMA_VERBS_H

#include <linux/dma-direction.h>
#include <rdma/ib_verbs.h>

#include <rpcrdma/codec.h>
#include <rpcrdma/cm.h>

#include "../conn.h"
#include "../reads.h"
#include "../sq.h"

struct rpcrdma_rw_memory;

/* conn.c */
bool svc_rdma_conn_change(struct svc_rdma_conn *conn, enum svc_rdma_state to);
void svc_rdma_conn_enqueue(struct svc_rdma_conn *conn);
void svc_rdma_conn_settle(struct svc_rdma_conn *conn);
void svc_rdma_conn_close(struct svc_rdma_conn *conn, u32 cause);

/* throttle.c */
void svc_rdma_replies_share(int change);
int svc_rdma_conn_has_wspace(struct svc_xprt *xprt);
void svc_rdma_conn_unthrottle(struct svc_rdma_conn *conn);

/* recv_cq.c */
int svc_rdma_recv_cq_create(struct svc_rdma_conn *conn, u32 depth);
void svc_rdma_recv_cq_poll(struct svc_rdma_conn *conn);
void svc_rdma_recv_cq_idle_locked(struct svc_rdma_conn *conn);
void svc_rdma_recv_cq_destroy(struct svc_rdma_conn *conn);

/* sq.c */
void svc_rdma_sq_init(struct svc_rdma_conn *conn);
int svc_rdma_sq_create(struct svc_rdma_conn *conn, u32 wrs);
void svc_rdma_sq_destroy(struct svc_rdma_conn *conn);
int svc_rdma_sq_queue(struct svc_rdma_conn *conn,
		      struct svc_rdma_sq_wait *wait);
void svc_rdma_sq_give(struct svc_rdma_conn *conn, u32 entries);
void svc_rdma_sq_close(struct svc_rdma_conn *conn);
void svc_rdma_sq_drain(struct svc_rdma_conn *conn);
bool svc_rdma_sq_busy(struct svc_rdma_conn *conn, u32 *returned);

/*
 * Can a message be posted immediately? Only if everything that the caller has
 * queued was posted, and the connection is not closing.
 */
static inline bool svc_rdma_sq_is_quiet(struct svc_rdma_conn *conn)
{
	if (svc_rdma_conn_closing(conn) || !list_empty(&conn->sq.waiters))
		return false;
	/* Pairs with smp_wmb(): serving is set before a waiter is dequeued. */
	smp_rmb();
	/* Served waiters have posted: pairs with smp_store_release() */
	return !smp_load_acquire(&conn->sq.serving);
}

/* reads.c */
void svc_rdma_reads_init(struct svc_rdma_conn *conn);
void svc_rdma_reads_limit(struct svc_rdma_conn *conn, u32 max);
void svc_rdma_reads_start(struct svc_rdma_conn *conn,
			  struct svc_rdma_reads *reads, struct ib_send_wr *first,
			  void (*done)(struct svc_rdma_reads *reads));

/* rw.c */
int svc_rdma_rw_add(struct svc_rdma_conn *conn, struct list_head *rws,
		    const struct rpcrdma_segment *seg,
		    const struct rpcrdma_rw_memory *mem,
		    enum dma_data_direction dir);
struct ib_send_wr *svc_rdma_rw_chain(struct svc_rdma_conn *conn,
				     struct list_head *rws,
				     struct ib_send_wr *end);
void svc_rdma_rw_failed(struct svc_rdma_conn *conn, const struct ib_wc *wc,
			enum dma_data_direction dir);
void svc_rdma_rw_release(struct svc_rdma_conn *conn, struct list_head *rws);

/* rw_length.c */
void svc_rdma_rw_lost(const struct svc_rdma_conn *conn);
void svc_rdma_limit_rw(struct svc_rdma_conn *conn);

#endif /* _SVC_RDMA_VERBS_H */
