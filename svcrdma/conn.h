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
#include <rpcrdma/netlink.h>
#include <rpcrdma/rw_set.h>

#include "advertised.h"
#include "cause.h"
#include "prop_change.h"
#include "stash.h"
#include "traffic.h"
#include "tuning.h"
#include "watch.h"

struct svc_rdma_conn;
struct svc_rdma_ended;
struct svc_rdma_recv_ctx;
struct svc_rdma_version;

/* control/module.c */
extern struct svc_xprt_class svc_rdma_xprt_class;
extern struct workqueue_struct *svc_rdma_wq;

/**
 * enum svc_rdma_state - states of a connection
 * @SVC_RDMA_NEW: resources are being created
 * @SVC_RDMA_ACCEPTED: the CM reply has been sent, or is about to be
 * @SVC_RDMA_OPEN: established
 * @SVC_RDMA_CLOSING: being closed; no Work Request may be posted any more
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
 * enum svc_rdma_flag - bits of @flags of a connection; never cleared
 * @SVC_RDMA_PROPS_KNOWN: the requester has sent its properties
 */
enum svc_rdma_flag {
	SVC_RDMA_PROPS_KNOWN,
};

/**
 * struct svc_rdma_callback_ops - functions of callback/ that version/ calls
 * @reply: handle a message that is, or claims to be, the reply to a callback
 * @error: handle an RDMA_ERROR, which may answer a callback
 *
 * Context: process. The caller keeps the message.
 */
struct svc_rdma_callback_ops {
	void (*reply)(struct svc_rdma_conn *conn,
		      struct svc_rdma_recv_ctx *recv);
	void (*error)(struct svc_rdma_conn *conn,
		      struct svc_rdma_recv_ctx *recv);
};

/**
 * struct svc_rdma_conn - a connection
 * @xprt: transport, as sunrpc sees it
 * @cm_id: CM identifier; destroyed last
 * @dev: device
 * @port: port of @dev
 * @pd: protection domain, used by this connection alone
 * @qp: Queue Pair; NULL until created
 * @send_cq: completions of Sends, Reads and Writes, polled in softirq
 * @recv_cq: completions of Receives, polled by the nfsd thread that takes the
 *	next message (verbs/recv_cq.c)
 * @recv_event: @recv_cq may hold completions, and is not armed
 * @recv_draining: @recv_work polls @recv_cq
 * @recv_work: polls @recv_cq when no nfsd thread does any more; enqueues the
 *	transport when a completion handler must not
 * @ver: version of RPC-over-RDMA; svc_rdma_undecided before the first message
 * @callbacks: handles replies and errors that answer callbacks
 * @sizes: decides about the size of Receives
 * @flags: bits of enum svc_rdma_flag
 * @hint: the requester's version hint
 * @reason: an enum rpcrdma_nl_reason: why @ver was chosen
 * @peer: the requester's transport properties; version 2 only
 * @can_invalidate: the device and the administrator allow Send With Invalidate
 * @remote_inv: replies may invalidate a handle: @can_invalidate and, in version
 *	1, the requester's private message allow it; in version 2, each call
 *	names the handle
 * @can_register: the device can register memory, and the requester may have
 *	RDMA Reads outstanding
 * @can_advertise: @can_register, and the administrator allows replies in Read
 *	chunks in version 2
 * @v1_advertise: @can_register, and the administrator allows replies in Read
 *	chunks in version 1
 * @read_replies: replies may be sent in Read chunks on this connection
 * @v1_recv_size: bytes; size of Receive buffers of version 1
 * @align_offer: alignment to recommend by CONF_RDMA; 0 if none
 * @align: bytes of the first of two buffers of a Receive; 0 if there is one
 * @send_size: bytes; the longest message that the requester can receive
 * @send_buf_max: bytes; initial size limit of Send buffers. One grows beyond it
 *	if a longer message has to be copied.
 * @ord: limit of our RDMA Reads outstanding; may be lowered (under @sq_lock)
 * @no_reads: the requester has said that it does not let us read its memory
 * @ird: limit of the requester's RDMA Reads outstanding
 * @send_sges: gather entries that a Send may use
 * @state: enum svc_rdma_state; changed by svc_rdma_conn_change() only
 * @cause: why the connection has ended, as by svc_rdma_cause(); 0 until that is
 *	known; set once, by svc_rdma_conn_blame()
 * @active: a message has been received since the last check by @watch
 * @accepted: rdma_accept() has succeeded; until then only Receives are posted
 * @gone: the device is being removed
 * @read_cqe: completion of unsignaled RDMA Reads, reported only on failure
 * @write_cqe: completion of unsignaled RDMA Writes, reported only on failure
 * @watch: closes the connection if it is not established in time, its Send
 *	Queue stalls, or the requester has vanished
 * @fault_work: closes the connection after an event of its Queue Pair
 * @free_work: releases everything; no other work item may do that
 * @change: changes of properties while the connection exists
 * @tuning: decides when the sizes of Receives change
 *
 * @recv_done: received messages that have not been taken by a thread yet;
 *	belongs to the thread that holds XPT_BUSY
 *
 * @recv_lock: protects the members up to @growing
 * @read_done: calls whose Reads have completed
 * @read_waiting: calls that wait for pages or regions for their Reads, oldest
 *	first
 * @read_pages: pages charged to this connection for calls with Read chunks
 * @read_reads: RDMA Reads charged for them, if the device needs memory regions
 * @recv_idle: Receive contexts to be reposted
 * @recv_all: all Receive contexts
 * @recv_nidle: entries of @recv_idle
 * @recv_total: entries of @recv_all
 * @recv_size: bytes; size of Receive buffers allocated from now on. Until the
 *	version is known, the largest size that any version uses. Changes later
 *	(message/recv_size.c).
 * @recv_base: bytes; @recv_size when the version became known, and its minimum
 * @recv_floor: bytes; no smaller Receive is posted
 * @recv_fresh: Receive contexts of @recv_size that others will be exchanged for
 * @recv_unfit: entries of @recv_fresh, once @recv_size has changed: as many
 *	entries of @recv_all have another size
 * @grant: credits granted
 * @grant_max: limit of @grant
 * @grant_calls: calls received in the current period
 * @grant_start: jiffies when the period began
 * @growing: a thread is adding Receive contexts; also set before the first
 *	message
 *
 * @send_lock: protects @send_idle, @send_nidle and @send_all
 * @send_idle: Send contexts not in use
 * @send_nidle: entries of @send_idle
 * @send_all: all Send contexts
 * @send_busy: number of Send contexts in use
 * @reply_pages: number of pages that Send contexts hold
 * @throttled: no calls are taken until svc_rdma_conn_unthrottle() finds room
 * @unsignaled: Sends that were posted unsignaled, and behind which nothing
 *	signaled has been posted
 * @nunsignaled: entries of @unsignaled, and Sends that are about to be added
 * @reap: completed Send contexts that hold too much to be released in softirq
 * @reap_work: releases @reap
 *
 * @sq_lock: protects the members up to @reads_round
 * @sq_waiters: struct svc_rdma_sq_wait in FIFO order
 * @sq_depth: Send Queue entries
 * @sq_avail: Send Queue entries not in use
 * @sq_returned: entries that were returned since the connection was created,
 *	modulo 2^32
 * @sq_serving: a context is calling @ready methods, and checks @sq_waiters
 *	again before it stops
 * @sq_closed: nothing may be queued any more
 * @reads_waiting: struct svc_rdma_reads with Reads that are not outstanding
 *	yet, oldest first
 * @reads_out: RDMA Reads outstanding, including those that wait for Send Queue
 *	entries
 * @reads_round: Reads that are posted as one chain at most
 *
 * @stash: pages for the next RDMA Reads and replies
 * @rws: all RDMA Reads and Writes that are mapped
 *
 * @adverts: memory advertised to the requester
 *
 * @traffic: what has been carried
 * @since: seconds since boot; when the connection was accepted
 * @nl_id: number of this connection, for netlink
 * @ended: where the end of this connection is noted
 * @entry: entry of the list of all connections
 * @deferred_id: keeps @cm_id when everything else has been released
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
	bool recv_event;
	bool recv_draining;
	struct work_struct recv_work;

	const struct svc_rdma_version *ver;
	const struct svc_rdma_callback_ops *callbacks;
	const struct svc_rdma_size_ops *sizes;
	unsigned long flags;
	enum rpcrdma_hint hint;
	u32 reason;
	struct rpcrdma_props peer;
	bool can_invalidate;
	bool remote_inv;
	bool can_register;
	bool can_advertise;
	bool v1_advertise;
	bool read_replies;
	u32 v1_recv_size;
	u32 align_offer;
	u32 align;
	u32 send_size;
	u32 send_buf_max;
	u32 ord;
	bool no_reads;
	u32 ird;
	u32 send_sges;

	atomic_t state;
	u32 cause;
	bool active;
	bool accepted;
	bool gone;
	struct ib_cqe read_cqe;
	struct ib_cqe write_cqe;
	struct svc_rdma_watch watch;
	struct work_struct fault_work;
	struct work_struct free_work;
	struct svc_rdma_prop_change change;
	struct svc_rdma_tuning tuning;

	struct list_head recv_done;

	spinlock_t recv_lock ____cacheline_aligned_in_smp;
	struct list_head read_done;
	struct list_head read_waiting;
	u32 read_pages;
	u32 read_reads;
	struct list_head recv_idle;
	struct list_head recv_all;
	u32 recv_nidle;
	u32 recv_total;
	u32 recv_size;
	u32 recv_base;
	u32 recv_floor;
	struct list_head recv_fresh;
	u32 recv_unfit;
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
	struct llist_head unsignaled;
	atomic_t nunsignaled;
	struct llist_head reap;
	struct work_struct reap_work;

	spinlock_t sq_lock ____cacheline_aligned_in_smp;
	struct list_head sq_waiters;
	u32 sq_depth;
	u32 sq_avail;
	u32 sq_returned;
	bool sq_serving;
	bool sq_closed;
	struct list_head reads_waiting;
	u32 reads_out;
	u32 reads_round;

	struct svc_rdma_stash stash;
	struct rpcrdma_rw_set rws;

	struct svc_rdma_adverts adverts;

	struct svc_rdma_traffic traffic;
	time64_t since;
	u32 nl_id;
	struct svc_rdma_ended *ended;
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
 * Note why a connection ends: the first cause that is found counts. Others
 * follow from it.
 */
static inline void svc_rdma_conn_blame(struct svc_rdma_conn *conn, u32 cause)
{
	if (cause && !READ_ONCE(conn->cause))
		cmpxchg(&conn->cause, SVC_RDMA_CAUSE_UNKNOWN, cause);
}

/*
 * The version in which to send. Until it is decided, only errors are sent, in
 * version 1: every requester can decode ERR_VERS in that version.
 */
static inline const struct svc_rdma_version *
svc_rdma_version_of(const struct svc_rdma_conn *conn)
{
	return READ_ONCE(conn->ver);
}

#endif /* _SVC_RDMA_CONN_H */
