/* SPDX-License-Identifier: GPL-2.0-only */
/* A connection and the Receives that belong to it. */
#ifndef _XPRTRDMA_CONN_H
#define _XPRTRDMA_CONN_H

#include <linux/list.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include <rpcrdma/codec.h>
#include <rpcrdma/deferred_id.h>
#include <rpcrdma/rw_set.h>

#include "limits.h"
#include "regbuf.h"

struct xprt_rdma;
struct xprt_rdma_conn;
struct xprt_rdma_recv_ctx;
struct xprt_rdma_req;

/**
 * struct xprt_rdma_conn_ops - what the layers above the verbs are told
 * @receive: a message has arrived: its Receive, which is the callee's now, its
 *	length (bytes), whether it has invalidated one of our handles, and which
 * @invalidated: the peer has no access to a request's memory any more
 * @dones_changed: RDMA_DONEs have been sent, or have arrived
 * @error: a transport error has arrived instead of a reply: -EAGAIN if the call
 *	is to be sent again, -EINPROGRESS if so, but later, or -EREMOTEIO
 *
 * All are called in completion handlers.
 */
struct xprt_rdma_conn_ops {
	void (*receive)(struct xprt_rdma_recv_ctx *recv, u32 len,
			bool invalidated, u32 rkey);
	void (*invalidated)(struct xprt_rdma_req *req);
	void (*dones_changed)(struct xprt_rdma_conn *conn);
	int (*error)(struct xprt_rdma_req *req, const struct rpcrdma_hdr *hdr);
};

/* Regions come in two sizes, so that small ones do not cost much memory. */
enum xprt_rdma_mr_class {
	XPRT_RDMA_MR_SMALL,
	XPRT_RDMA_MR_LARGE,
	XPRT_RDMA_MR_CLASSES,
};

/**
 * enum xprt_rdma_state - life of a connection
 * @XPRT_RDMA_NEW: created, nothing sent
 * @XPRT_RDMA_RESOLVING_ADDR: the peer's address is being resolved
 * @XPRT_RDMA_RESOLVING_ROUTE: the route to it is being resolved
 * @XPRT_RDMA_RESOLVED: bound to a device; Queue Pair may be created
 * @XPRT_RDMA_CONNECTING: connection request sent
 * @XPRT_RDMA_NEGOTIATING: version 2 was offered, no answer yet
 * @XPRT_RDMA_CONNECTED: calls may be sent
 * @XPRT_RDMA_FAILED: lost or refused; @error says why
 * @XPRT_RDMA_CLOSING: being torn down by its owner
 * @XPRT_RDMA_STATES: how many there are
 */
enum xprt_rdma_state {
	XPRT_RDMA_NEW,
	XPRT_RDMA_RESOLVING_ADDR,
	XPRT_RDMA_RESOLVING_ROUTE,
	XPRT_RDMA_RESOLVED,
	XPRT_RDMA_CONNECTING,
	XPRT_RDMA_NEGOTIATING,
	XPRT_RDMA_CONNECTED,
	XPRT_RDMA_FAILED,
	XPRT_RDMA_CLOSING,
	XPRT_RDMA_STATES,
};

/**
 * struct xprt_rdma_conn - one connection, from address resolution to its end
 * @r_xprt: transport it belongs to
 * @ops: see there
 * @id: CM identifier
 * @device: device it is bound to
 * @pd: protection domain
 * @cq: completion queue of Sends and Receives
 * @qp: Queue Pair
 * @wait: where the connect worker waits for @state to change
 * @lock: protects @state, @error, the region lists, @invalidations, @sends and
 *	@controls_all
 * @state: see there
 * @error: negative errno once @state is XPRT_RDMA_FAILED
 * @closing: no fence may be posted any more (under the transport's conn_lock)
 * @inv_waiters: tasks waiting for a fence (under the transport's conn_lock)
 * @version: RPC-over-RDMA version; 0 until it is settled
 * @hdr_min: bytes; a header of that version without chunks
 * @offer_v2: begin with an offer of version 2
 * @established: messages may come and go; before, there is nothing in the Queue
 *	Pair but Receives. @lock protects it, too.
 * @fell_back: the peer has answered that with version 1
 * @answered: a call was answered
 * @device_gone: the device is being removed
 * @serial: number of the connection, of its transport's
 * @requested: jiffies; when the connect request was made
 * @negotiate_xid: XID of the offer
 * @wakeup_cqe: completion of a Write that makes the peer look at the offer (only
 *	when it fails)
 * @peer: what the peer says of itself; version 2 only
 * @no_write_chunks: the peer has no use for Write chunks
 * @controls: messages without an RPC in flight
 * @controls_all: these messages
 * @max_reqs: most requests in flight; what is asked for as credits
 * @credits: the peer's most recent grant
 * @inline_send: bytes; largest message that we may Send
 * @inline_recv: bytes; largest message that the peer may Send
 * @recv_size: bytes; size of a Receive's buffer
 * @peer_remote_inv: the peer announced Remote Invalidation
 * @no_peer_reads: the peer can read nothing of ours
 * @no_own_reads: the peer has nothing read
 * @own_htypes: OPTIONAL header types that we have said we understand
 * @read_replies: an enum xprt_rdma_read_replies
 * @mr_depth: pages per large region
 * @mrs_free: unused regions, by class
 * @mrs_all: all regions
 * @mrs_count: regions in @mrs_all
 * @mrs_busy: regions attached to requests
 * @mrs_max: most regions
 * @invalidations: regions whose invalidation ends a fence
 * @rws: RDMA Reads of pulls, RDMA Writes of replies to callbacks
 * @discard: memory that the peer may write and nobody looks at
 * @sq_size: Work Requests that the Send Queue takes
 * @sq_avail: of these, not in use
 * @unsignaled: Sends since the last signaled one (XPRT_LOCKED)
 * @unreleased_wrs: Work Requests of Sends that are no longer in @sends, to be
 *	retired by the next one (under XPRT_LOCKED)
 * @sends: Sends in flight, oldest first
 * @max_sges: gather entries per Send
 * @recvs_free: Receives not posted; this and what follows belongs to the
 *	completion handlers once the connection is up
 * @recvs_all: all Receives
 * @recvs_count: Receives in @recvs_all
 * @recvs_posted: Receives in the Receive Queue
 * @recvs_max: most Receives
 * @received: messages that have arrived, modulo 2^32
 * @reads: all pulls
 * @reads_waiting: of these, those that wait for @read_ops
 * @read_ops: Reads and RDMA_DONEs that may be posted
 * @read_pages: pages that one Read may cover
 * @read_wrs: Send Queue entries set aside for pulls
 * @dones: RDMA_DONEs in flight
 * @declines: of these, and of those that wait, for replies not wanted
 * @deferred_id: stands for @id once the connection has ended
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

	u32			version;
	u32			hdr_min;
	bool			offer_v2;
	bool			fell_back;
	bool			answered;
	bool			established;
	bool			device_gone;
	u32			serial;
	unsigned long		requested;
	__be32			negotiate_xid;
	struct ib_cqe		wakeup_cqe;
	struct rpcrdma_props	peer;
	bool			no_write_chunks;
	atomic_t		controls;
	struct list_head	controls_all;

	u32			max_reqs;
	u32			credits;
	u32			inline_send;
	u32			inline_recv;
	u32			recv_size;
	bool			peer_remote_inv;
	bool			no_peer_reads;
	bool			no_own_reads;
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
	struct list_head	sends;
	u32			max_sges;

	struct list_head	recvs_free;
	struct list_head	recvs_all;
	u32			recvs_count;
	u32			recvs_posted;
	u32			recvs_max;
	u32			received;

	struct list_head	reads;
	struct list_head	reads_waiting;
	u32			read_ops;
	u32			read_pages;
	u32			read_wrs;
	u32			dones;
	u32			declines;

	struct rpcrdma_deferred_id deferred_id;
};

/**
 * struct xprt_rdma_recv_ctx - a Receive and the message that arrived in it
 * @list: place in the connection's free list
 * @all: place in the connection's list of all Receives
 * @conn: connection it belongs to
 * @cqe: completion of the Receive
 * @wr: the Work Request
 * @sge: its one scatter entry
 * @buf: the buffer, mapped for DMA for as long as the object lives
 * @hdr: view of the decoded transport header
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

#endif /* _XPRTRDMA_CONN_H */
