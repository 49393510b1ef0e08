/* SPDX-License-Identifier: GPL-2.0-only */
/* A connection and its Receives. */
#ifndef _XPRTRDMA_CONN_H
#define _XPRTRDMA_CONN_H

#include <linux/cache.h>
#include <linux/list.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include <rpcrdma/codec.h>
#include <rpcrdma/conf.h>
#include <rpcrdma/deferred_id.h>
#include <rpcrdma/netlink.h>
#include <rpcrdma/rw_set.h>

#include "limits.h"
#include "prop_change.h"
#include "regbuf.h"
#include "tunables.h"
#include "tuning.h"
#include "version_ops.h"

struct xprt_rdma;
struct xprt_rdma_conn;
struct xprt_rdma_recv_ctx;
struct xprt_rdma_req;

/**
 * struct xprt_rdma_conn_ops - what the verbs and fetch layers call above them
 * @receive: a message of @len bytes has arrived in @recv, which the callee now
 *	owns. If @invalidated, it has invalidated our handle @rkey.
 * @invalidated: the peer can no longer access the memory of a request
 * @dones_changed: the number of RDMA_DONEs in flight has changed
 * @recvs_resized: the Receive Queue no longer contains Receives of the former
 *	size, which was replaced by @recv_want. If not @ok, there was no memory
 *	for larger ones: the callee restores @recv_want, to @recv_min.
 * @may_grow: may our Receives become as large as @size bytes, because the peer
 *	asks for it? The caller holds the lock of @change.
 *
 * Context: completion handler. @invalidated and @dones_changed are also called
 * by the task that ends the connection.
 */
struct xprt_rdma_conn_ops {
	void (*receive)(struct xprt_rdma_recv_ctx *recv, u32 len,
			bool invalidated, u32 rkey);
	void (*invalidated)(struct xprt_rdma_req *req);
	void (*dones_changed)(struct xprt_rdma_conn *conn);
	void (*recvs_resized)(struct xprt_rdma_conn *conn, bool ok);
	bool (*may_grow)(struct xprt_rdma_conn *conn, u32 size);
};

/* Two sizes of memory regions, so that small ones cost little memory. */
enum xprt_rdma_mr_class {
	XPRT_RDMA_MR_SMALL,
	XPRT_RDMA_MR_LARGE,
	XPRT_RDMA_MR_CLASSES,
};

/**
 * enum xprt_rdma_state - states of a connection, those of its establishment in
 * the order in which it passes through them
 * @XPRT_RDMA_NEW: created, nothing sent
 * @XPRT_RDMA_RESOLVING_ADDR: resolving the peer's address
 * @XPRT_RDMA_RESOLVING_ROUTE: resolving the route to the peer
 * @XPRT_RDMA_RESOLVED: bound to a device; the Queue Pair may be created
 * @XPRT_RDMA_CONNECTING: connect request sent
 * @XPRT_RDMA_NEGOTIATING: version 2 offered, not answered yet
 * @XPRT_RDMA_CONFIGURING: version 1: the limits of both sides are exchanged
 * @XPRT_RDMA_CONNECTED: calls may be sent
 * @XPRT_RDMA_FAILED: rejected or lost; the connection's @error says why
 * @XPRT_RDMA_CLOSING: being torn down by the holder of XPRT_LOCKED
 * @XPRT_RDMA_STATES: number of states
 */
enum xprt_rdma_state {
	XPRT_RDMA_NEW,
	XPRT_RDMA_RESOLVING_ADDR,
	XPRT_RDMA_RESOLVING_ROUTE,
	XPRT_RDMA_RESOLVED,
	XPRT_RDMA_CONNECTING,
	XPRT_RDMA_NEGOTIATING,
	XPRT_RDMA_CONFIGURING,
	XPRT_RDMA_CONNECTED,
	XPRT_RDMA_FAILED,
	XPRT_RDMA_CLOSING,
	XPRT_RDMA_STATES,
};

/**
 * struct xprt_rdma_conn - one connection, from address resolution to its end
 * @r_xprt: transport that owns it
 * @ops: functions of the layers above
 * @id: CM identifier
 * @device: device that @id is bound to
 * @pd: protection domain, used by this connection alone
 * @cq: completion queue of Sends and Receives
 * @qp: Queue Pair
 * @wait: the connect worker waits here for @state to change
 * @lock: protects @state, @error, @established, the region lists and counts,
 *	@invalidations and @controls_all
 * @state: state; changed by xprt_rdma_conn_change_state() only
 * @error: 0, or the negative errno that the last change of @state gave
 * @closing: a task may no longer begin to invalidate and wait (under the
 *	transport's conn_lock)
 * @inv_waiters: tasks that use the connection to invalidate memory, which its
 *	end waits for (under the transport's conn_lock)
 * @ver: version of RPC-over-RDMA; NULL until it is known
 * @negotiation: how to learn whether the server has version 2
 * @hint: the server's version hint
 * @no_offer: version 2 is not offered without a hint, because an earlier offer
 *	failed
 * @offer_v2: begin with an offer of version 2; valid once the server has
 *	accepted
 * @established: messages may be sent and received. Until this is set, only
 *	Receives have been posted.
 * @fell_back: the peer refused version 2, and version 1 is used instead
 * @answered: at least one call has been answered
 * @device_gone: the device is being removed
 * @lost: an enum rpcrdma_nl_lost: the first cause of its end that was found
 * @since: seconds since boot; when calls could first be sent, or 0
 * @serial: number of this connection; its transport counts them
 * @requested: jiffies; when the connect request was sent; 0: it was not
 * @negotiate_xid: XID of the offer of version 2
 * @wakeup_cqe: completion of a wakeup Write, which makes siw look at the offer;
 *	reported only on failure
 * @configure: ask for the peer's limits by CONF_RDMA, in version 1
 * @conf: our limits: arguments of CONF_RDMA
 * @conf_xid: XID of that call
 * @peer: the peer's transport properties; version 2 only
 * @no_write_chunks: the peer cannot use Write chunks
 * @controls: messages without an RPC in flight
 * @controls_all: list of these messages
 * @max_reqs: limit of calls in flight; as many credits are requested
 * @credits: the peer's most recent credit grant
 * @inline_send: bytes; length limit of messages that we send
 * @inline_recv: bytes; length limit of messages that the peer sends
 * @recv_want: bytes; size that Receives are to have
 * @peer_private: the peer has sent a CM private message
 * @peer_align: bytes; alignment of opaque data that the peer recommends; 0: none
 * @peer_remote_inv: the peer announced Remote Invalidation, or in version 2 has
 *	not withdrawn it
 * @ird: limit of the peer's RDMA Reads outstanding; what we offer, until the
 *	connection is established
 * @ord: limit of our RDMA Reads outstanding; what we ask for, until then. Not 0,
 *	even if @no_own_reads.
 * @no_peer_reads: the peer cannot issue RDMA Reads
 * @no_own_reads: the peer does not accept RDMA Reads
 * @own_remote_inv: we have announced Remote Invalidation; version 2 only
 * @own_htypes: bit mask of OPTIONAL header types that we announced
 * @read_replies: an enum xprt_rdma_read_replies: which replies may come in the
 *	peer's Read chunks
 * @mr_depth: pages that a large region can cover
 * @mrs_free: unused regions, by class
 * @mrs_all: all regions
 * @mrs_count: number of regions in @mrs_all
 * @mrs_busy: number of regions that requests use
 * @mrs_max: limit of @mrs_count
 * @invalidations: for each chain of invalidations in flight, its last region
 * @rws: RDMA Reads of the fetch layer, RDMA Writes of replies to callbacks
 * @discard: page that the peer may write to and nobody reads
 * @sq_size: Send Queue entries that sq.c accounts for
 * @sq_avail: those that are not in use
 * @unsignaled: Sends since the last signaled one (under XPRT_LOCKED)
 * @unreleased_wrs: entries used by Sends that were released before
 *	their completion; the next Send releases them (under XPRT_LOCKED)
 * @posts: Sends of calls and of replies that were posted, modulo 2^32 (under
 *	XPRT_LOCKED)
 * @sends: requests of the Sends in flight, by their numbers modulo the size of
 *	this ring. The thread that replaces an entry by NULL, atomically, must
 *	release that Send.
 * @sends_mask: size of @sends, a power of 2 and at least @sq_size, minus 1
 * @sends_next: number of the next Send, modulo 2^32 (under XPRT_LOCKED)
 * @max_sges: gather entries per Send
 * @sends_done: number of the oldest Send whose entry may not be NULL. Used by
 *	completion handlers only, while there is a Queue Pair. From here on, another
 *	cache line than what senders write.
 * @recvs_free: Receives that are not posted. From here to @declines: used by
 *	completion handlers only, once @established is set.
 * @recvs_all: all Receives
 * @recvs_count: number of Receives in @recvs_all
 * @recvs_posted: number of Receives in the Receive Queue
 * @recvs_old: those of them that were posted before @recv_size has changed
 * @recvs_max: limit of @recvs_count
 * @recvs_bytes: bytes in the buffers of @recvs_all
 * @recv_size: bytes; size of the Receives that are posted from now on
 * @recv_min: bytes; the least that each Receive in the queue has
 * @resizing: @recvs_resized is to be called
 * @received: messages received, modulo 2^32
 * @reads: all struct xprt_rdma_read_ctx
 * @reads_waiting: those that wait for @read_ops, or for others of the @ord
 *	Reads to complete, oldest first
 * @reads_out: RDMA Reads outstanding
 * @read_ops: RDMA Reads and RDMA_DONEs that there are Send Queue entries for
 * @read_pages: pages that one RDMA Read can cover
 * @read_wrs: Send Queue entries set aside for RDMA Reads, with the Work
 *	Requests that register their memory
 * @dones: RDMA_DONEs in flight
 * @declines: RDMA_DONEs, in flight or waiting, for replies that no call waits
 *	for
 * @change: changes of properties
 * @tuning: what the traffic needs
 * @deferred_id: destroys @id, and frees this struct, once the port can send
 */
struct xprt_rdma_conn {
	struct xprt_rdma	*r_xprt;
	const struct xprt_rdma_conn_ops *ops;
	struct rdma_cm_id	*id;
	struct ib_device	*device;
	struct ib_pd		*pd;
	struct ib_cq		*cq;
	struct ib_qp		*qp;
	wait_queue_head_t	wait;

	spinlock_t		lock;
	enum xprt_rdma_state	state;
	int			error;
	bool			closing;
	u32			inv_waiters;

	const struct xprt_rdma_version *ver;
	enum xprt_rdma_negotiation negotiation;
	enum rpcrdma_hint	hint;
	bool			no_offer;
	bool			offer_v2;
	bool			fell_back;
	bool			answered;
	bool			established;
	bool			device_gone;
	u32			lost;
	time64_t		since;
	u32			serial;
	unsigned long		requested;
	__be32			negotiate_xid;
	struct ib_cqe		wakeup_cqe;
	bool			configure;
	struct rpcrdma_conf_req	conf;
	__be32			conf_xid;
	struct rpcrdma_props	peer;
	bool			no_write_chunks;
	atomic_t		controls;
	struct list_head	controls_all;

	u32			max_reqs;
	u32			credits;
	u32			inline_send;
	u32			inline_recv;
	u32			recv_want;
	bool			peer_private;
	u32			peer_align;
	bool			peer_remote_inv;
	u32			ird;
	u32			ord;
	bool			no_peer_reads;
	bool			no_own_reads;
	bool			own_remote_inv;
	u32			own_htypes;
	u32			read_replies;

	u32			mr_depth;
	struct list_head	mrs_free[XPRT_RDMA_MR_CLASSES];
	struct list_head	mrs_all;
	u32			mrs_count;
	u32			mrs_busy;
	u32			mrs_max;
	struct list_head	invalidations;
	struct rpcrdma_rw_set	rws;
	struct xprt_rdma_regbuf	discard;

	u32			sq_size;
	atomic_t		sq_avail;
	u32			unsignaled;
	u32			unreleased_wrs;
	u32			posts;
	struct xprt_rdma_req	**sends;
	u32			sends_mask;
	u32			sends_next;
	u32			max_sges;

	u32			sends_done ____cacheline_aligned_in_smp;
	struct list_head	recvs_free;
	struct list_head	recvs_all;
	u32			recvs_count;
	u32			recvs_posted;
	u32			recvs_old;
	u32			recvs_max;
	u32			recvs_bytes;
	u32			recv_size;
	u32			recv_min;
	bool			resizing;
	u32			received;

	struct list_head	reads;
	struct list_head	reads_waiting;
	u32			reads_out;
	u32			read_ops;
	u32			read_pages;
	u32			read_wrs;
	u32			dones;
	u32			declines;

	struct xprt_rdma_prop_change change;
	struct xprt_rdma_tuning	tuning;

	struct rpcrdma_deferred_id deferred_id;
};

/**
 * struct xprt_rdma_recv_ctx - a Receive and the message that arrived in it
 * @list: entry of the connection's list of free Receives
 * @all: entry of the connection's list of all Receives, or of the transport's
 *	list of kept ones
 * @conn: connection; NULL while the transport keeps the Receive
 * @cqe: completion of the Receive
 * @wr: Work Request
 * @sge: the one scatter entry of @wr
 * @buf: buffer, mapped for DMA while @conn is set
 * @hdr: decoded transport header; refers to @buf
 * @error: 0, or why the header could not be decoded
 */
struct xprt_rdma_recv_ctx {
	struct list_head	list;
	struct list_head	all;
	struct xprt_rdma_conn	*conn;
	struct ib_cqe		cqe;
	struct ib_recv_wr	wr;
	struct ib_sge		sge;
	struct xprt_rdma_regbuf	buf;
	struct rpcrdma_hdr	hdr;
	int			error;
};

/* Note why a connection ends: the first cause that is found counts. */
static inline void xprt_rdma_conn_blame(struct xprt_rdma_conn *conn,
					enum rpcrdma_nl_lost reason)
{
	if (!READ_ONCE(conn->lost))
		WRITE_ONCE(conn->lost, reason);
}

/* The same for a failed Work Request; flushed ones have another cause. */
static inline void xprt_rdma_conn_blame_wc(struct xprt_rdma_conn *conn,
					   const struct ib_wc *wc)
{
	if (wc->status == IB_WC_RETRY_EXC_ERR)
		xprt_rdma_conn_blame(conn, RPCRDMA_NL_LOST_VANISHED);
	else if (wc->status != IB_WC_SUCCESS &&
		 wc->status != IB_WC_WR_FLUSH_ERR)
		xprt_rdma_conn_blame(conn, RPCRDMA_NL_LOST_WORK);
}

#endif /* _XPRTRDMA_CONN_H */
