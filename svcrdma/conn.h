/* SPDX-License-Identifier: GPL-2.0-only */
/* A connection. */
#ifndef _SVC_RDMA_CONN_H
#define _SVC_RDMA_CONN_H

#include <linux/llist.h>
#include <linux/sunrpc/svc_xprt.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include <rpcrdma/codec.h>
#include <rpcrdma/deferred_id.h>
#include <rpcrdma/rw_set.h>

#include "advertised.h"
#include "watch.h"

struct svc_rdma_conn;
struct svc_rdma_recv_ctx;
struct svc_rdma_version;

/* control/module.c */
extern struct svc_xprt_class svc_rdma_xprt_class;
extern struct workqueue_struct *svc_rdma_wq;

/**
 * enum svc_rdma_state - life of a connection
 * @SVC_RDMA_NEW: resources are being set up
 * @SVC_RDMA_ACCEPTED: the CM reply is on its way to the requester
 * @SVC_RDMA_OPEN: established
 * @SVC_RDMA_CLOSING: no Work Request may be posted any more
 * @SVC_RDMA_STATES: number of states
 */
enum svc_rdma_state {
	SVC_RDMA_NEW,
	SVC_RDMA_ACCEPTED,
	SVC_RDMA_OPEN,
	SVC_RDMA_CLOSING,
	SVC_RDMA_STATES,
};

/**
 * enum svc_rdma_flag - what happens once in the life of a connection
 * @SVC_RDMA_PROPS_KNOWN: the requester has sent its properties
 * @SVC_RDMA_PROPS_SENT: it has been sent ours
 */
enum svc_rdma_flag {
	SVC_RDMA_PROPS_KNOWN,
	SVC_RDMA_PROPS_SENT,
};

/**
 * struct svc_rdma_callback_ops - what received messages have callbacks do
 * @reply: a message is the reply to a callback, or claims to be one
 * @error: a message is an RDMA_ERROR, which may answer a callback
 *
 * The message stays the caller's. Callbacks are sent like other messages, so
 * they are above the versions, which find out what a message is.
 */
struct svc_rdma_callback_ops {
	void (*reply)(struct svc_rdma_conn *conn,
		      struct svc_rdma_recv_ctx *recv);
	void (*error)(struct svc_rdma_conn *conn,
		      struct svc_rdma_recv_ctx *recv);
};

/**
 * struct svc_rdma_conn - a connection
 * @xprt: what sunrpc sees
 * @cm_id: CM identifier; destroyed last
 * @dev: device
 * @port: of @dev
 * @pd: protection domain
 * @qp: Queue Pair; NULL until created
 * @send_cq: completions of Sends, Reads and Writes, polled in softirq
 * @recv_cq: completions of Receives, polled in softirq
 * @ver: of RPC-over-RDMA, what this connection speaks; svc_rdma_undecided
 *	before the first message
 * @callbacks: what to do with answers to callbacks
 * @flags: bits of enum svc_rdma_flag
 * @peer: version 2, the requester's properties
 * @can_invalidate: the device and the administrator allow Send With Invalidate
 * @remote_inv: so does the requester; in version 2, each call says for itself
 * @can_register: memory of ours can be advertised: by the device, and to the
 *	requester
 * @can_advertise: version 2, we may send replies in Read chunks: the device, the
 *	requester's Reads and the administrator allow it
 * @v1_advertise: the same of version 1
 * @read_replies: the requester wants them, too
 * @v1_recv_size: bytes; what @recv_size is in version 1
 * @recv_size: bytes; Receive buffers that are allocated from now on. Until the
 *	version is known, the larger one of what the versions want.
 * @send_size: bytes; the most the requester can receive
 * @send_buf_max: bytes; a Send buffer is larger only if a message was copied
 *	that is
 * @ord: Reads that may be outstanding
 * @ird: Reads that the requester may have outstanding
 * @send_sges: gather entries that a Send may use
 * @state: only svc_rdma_conn_change() writes it
 * @active: a message was received since the last look
 * @accepted: the CM reply was sent; until then nothing is posted but Receives
 * @gone: the device is being removed
 * @read_cqe: completion of RDMA Reads of which only the failure is reported
 * @write_cqe: the same of RDMA Writes
 * @watch: closes it if it is not established, stands still, or has vanished
 * @free_work: releases everything; no other work item may do that
 *
 * @recv_lock: protects what follows
 * @recv_done: received messages not yet looked at
 * @read_done: calls whose Reads have finished
 * @read_waiting: calls whose Reads wait for pages, oldest first
 * @read_pages: pages that calls with Read chunks are charged for
 * @recv_idle: Receive contexts that wait to be reposted
 * @recv_all: all Receive contexts
 * @recv_nidle: entries of @recv_idle
 * @recv_total: Receive contexts
 * @grant: credits granted
 * @grant_max: most we will grant
 * @grant_calls: calls received in the current period
 * @grant_start: jiffies when the period began
 * @growing: somebody is adding Receive contexts; also before the first message
 *
 * @send_lock: protects what follows
 * @send_idle: Send contexts not in use
 * @send_nidle: entries of @send_idle
 * @send_all: all Send contexts
 * @send_busy: Send contexts in use
 * @reply_pages: pages these hold
 * @throttled: calls were left waiting because of the two above
 * @reap: Send contexts that have completed and hold much
 * @reap_work: releases @reap
 *
 * @sq_lock: protects what follows
 * @sq_waiters: struct svc_rdma_sq_wait, first come first served
 * @sq_depth: Send Queue entries
 * @sq_avail: of these, not in use
 * @sq_returned: entries that were returned since the connection began
 * @sq_serving: a context calls @ready methods; it looks at @sq_waiters again
 * @sq_closed: nothing may be queued any more
 *
 * @rws: all RDMA Reads and Writes
 *
 * @adverts: replies that the requester may read
 *
 * @entry: in the list of all connections
 * @deferred_id: stands for @cm_id once everything else was released
 */
struct svc_rdma_conn {
	struct svc_xprt xprt;
	struct rdma_cm_id *cm_id;
	struct ib_device *dev;
	u32 port;
	struct ib_pd *pd;
	struct ib_qp *qp;
	struct ib_cq *send_cq;
	struct ib_cq *recv_cq;

	const struct svc_rdma_version *ver;
	const struct svc_rdma_callback_ops *callbacks;
	unsigned long flags;
	struct rpcrdma_props peer;
	bool can_invalidate;
	bool remote_inv;
	bool can_register;
	bool can_advertise;
	bool v1_advertise;
	bool read_replies;
	u32 v1_recv_size;
	u32 recv_size;
	u32 send_size;
	u32 send_buf_max;
	u32 ord;
	u32 ird;
	u32 send_sges;

	atomic_t state;
	bool active;
	bool accepted;
	bool gone;
	struct ib_cqe read_cqe;
	struct ib_cqe write_cqe;
	struct svc_rdma_watch watch;
	struct work_struct free_work;

	spinlock_t recv_lock ____cacheline_aligned_in_smp;
	struct list_head recv_done;
	struct list_head read_done;
	struct list_head read_waiting;
	u32 read_pages;
	struct list_head recv_idle;
	struct list_head recv_all;
	u32 recv_nidle;
	u32 recv_total;
	u32 grant;
	u32 grant_max;
	u32 grant_calls;
	unsigned long grant_start;
	bool growing;

	spinlock_t send_lock ____cacheline_aligned_in_smp;
	struct list_head send_idle;
	u32 send_nidle;
	struct list_head send_all;
	atomic_t send_busy;
	atomic_t reply_pages;
	bool throttled;
	struct llist_head reap;
	struct work_struct reap_work;

	spinlock_t sq_lock ____cacheline_aligned_in_smp;
	struct list_head sq_waiters;
	u32 sq_depth;
	u32 sq_avail;
	u32 sq_returned;
	bool sq_serving;
	bool sq_closed;

	struct rpcrdma_rw_set rws;

	struct svc_rdma_adverts adverts;

	struct list_head entry;
	struct rpcrdma_deferred_id deferred_id;
};

static inline struct svc_rdma_conn *svc_rdma_conn_of(struct svc_xprt *xprt)
{
	return container_of(xprt, struct svc_rdma_conn, xprt);
}

static inline bool svc_rdma_conn_closing(const struct svc_rdma_conn *conn)
{
	return atomic_read(&conn->state) == SVC_RDMA_CLOSING;
}

/*
 * The version that messages to the requester are in. Before the first message
 * that can be served it is version 1, in which every requester can read that
 * its own version is none of ours.
 */
static inline const struct svc_rdma_version *
svc_rdma_version_of(const struct svc_rdma_conn *conn)
{
	return READ_ONCE(conn->ver);
}

#endif /* _SVC_RDMA_CONN_H */
