/* SPDX-License-Identifier: GPL-2.0-only */
/* The client transport's objects, and its functions grouped by file. */
#ifndef _XPRTRDMA_XPRTRDMA_H
#define _XPRTRDMA_XPRTRDMA_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/scatterlist.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/xprt.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include <rpcrdma/cm.h>
#include <rpcrdma/codec.h>
#include <rpcrdma/deferred_id.h>
#include <rpcrdma/rw_set.h>

#include "stats.h"

/*
 * Limits.
 *
 * @XPRT_RDMA_MAX_SEGS: segments in all chunk lists of one call
 * @XPRT_RDMA_MAX_PAYLOAD: bytes; largest data payload of one RPC
 * @XPRT_RDMA_HDR_SIZE: bytes set aside for a call's transport header
 * @XPRT_RDMA_PULLUP: bytes; a call up to this size is copied behind its
 *	transport header instead of being gathered
 * @XPRT_RDMA_MAX_SGES: gather entries per Send: transport header, head, the
 *	pages of the largest inline message, tail
 * @XPRT_RDMA_BC_SLOTS: backchannel calls that a peer may have outstanding
 * @XPRT_RDMA_BC_REQS: backchannel requests ever allocated for a transport
 * @XPRT_RDMA_BC_CALL_MAX: bytes; a longer backchannel call is not taken
 * @XPRT_RDMA_BC_CHUNKS: Write chunks in a backchannel call
 * @XPRT_RDMA_SPARE_RECVS: Receives posted beyond what credits require
 * @XPRT_RDMA_SEND_BATCH: unsignaled Sends between two signaled ones
 * @XPRT_RDMA_CONTROLS: messages without an RPC in flight
 * @XPRT_RDMA_INLINE_MAX: bytes; no inline message is longer, either way
 * @XPRT_RDMA_READ_OPS: Reads and RDMA_DONEs in flight
 * @XPRT_RDMA_DECLINES: RDMA_DONEs in flight, or waiting, for replies that
 *	nobody waits for
 * @XPRT_RDMA_GAPS: Read chunks of one message that are not at position zero
 * @XPRT_RDMA_EXCESS: bytes that a reply may be longer than its buffer
 * @XPRT_RDMA_PREDICT_BITS: binary logarithm of the number of counters that
 *	predict the length of replies
 * @XPRT_RDMA_RESERVE_REQS: requests that a transport always has: a Send that is
 *	not signaled keeps its request, and one more is needed to signal
 * @XPRT_RDMA_RESERVE_SWAP: the same with a swap file behind it
 * @XPRT_RDMA_RESERVE_RECVS: Receives kept for the next connection
 * @XPRT_RDMA_RESERVE_SMALL: small regions that a connection always has: head,
 *	tail and roundup
 */
#define XPRT_RDMA_MAX_SEGS	20u
#define XPRT_RDMA_MAX_PAYLOAD	(1024u * 1024u)
#define XPRT_RDMA_HDR_SIZE	544u
#define XPRT_RDMA_PULLUP	1024u
#define XPRT_RDMA_MAX_SGES	20u
#define XPRT_RDMA_BC_SLOTS	16u
#define XPRT_RDMA_BC_REQS	(2u * XPRT_RDMA_BC_SLOTS)
#define XPRT_RDMA_BC_CALL_MAX	65536u
#define XPRT_RDMA_BC_CHUNKS	8u
#define XPRT_RDMA_SPARE_RECVS	8u
#define XPRT_RDMA_SEND_BATCH	7u
#define XPRT_RDMA_CONTROLS	4
#define XPRT_RDMA_INLINE_MAX	65536u
#define XPRT_RDMA_READ_OPS	32u
#define XPRT_RDMA_DECLINES	128u
#define XPRT_RDMA_GAPS		8u
#define XPRT_RDMA_EXCESS	65536u
#define XPRT_RDMA_PREDICT_BITS	7u
#define XPRT_RDMA_RESERVE_REQS	(XPRT_RDMA_SEND_BATCH + 2u)
#define XPRT_RDMA_RESERVE_SWAP	(4u * XPRT_RDMA_RESERVE_REQS)
#define XPRT_RDMA_RESERVE_RECVS	XPRT_RDMA_SPARE_RECVS
#define XPRT_RDMA_RESERVE_SMALL	3u

/*
 * Allocations on which I/O waits: never recurse into I/O, never warn, and fail
 * rather than wait for memory that only this transport can make free.
 */
#define XPRT_RDMA_GFP	(GFP_NOIO | __GFP_NORETRY | __GFP_NOWARN)

struct xprt_rdma;
struct xprt_rdma_conn;
struct xprt_rdma_req;

/**
 * struct xprt_rdma_regbuf - a buffer that can be left mapped for DMA
 * @data: its memory, NULL if there is none
 * @size: bytes
 * @addr: DMA address while @device is set
 * @device: the device it is mapped for, or NULL
 * @dir: direction of the mapping
 */
struct xprt_rdma_regbuf {
	void			*data;
	size_t			size;
	u64			addr;
	struct ib_device	*device;
	enum dma_data_direction	dir;
};

#include "mr.h"

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

/* How the call travels, and how the reply is to come back. */
enum xprt_rdma_rtype {
	XPRT_RDMA_CALL_INLINE,		/* RDMA_MSG, no Read list */
	XPRT_RDMA_CALL_DDP,		/* RDMA_MSG, payload in a Read chunk */
	XPRT_RDMA_CALL_LONG,		/* RDMA_NOMSG, position-zero chunk */
	XPRT_RDMA_CALL_LONG_DDP,	/* the same and a data Read chunk */
};

enum xprt_rdma_wtype {
	XPRT_RDMA_REPLY_INLINE,
	XPRT_RDMA_REPLY_WRITE,		/* payload in a Write chunk */
	XPRT_RDMA_REPLY_LONG,		/* whole reply in a Reply chunk */
	XPRT_RDMA_REPLY_READ,		/* inline, or in the peer's Read chunk */
};

/**
 * struct xprt_rdma_limits - what the peer's errors have ruled out for an RPC
 * @segments: most segments per chunk; 0: no limit
 * @no_reads: no Read chunk but at position zero
 * @no_writes: no Write chunk
 * @no_inline_reply: a Reply chunk even if the reply should be short
 */
struct xprt_rdma_limits {
	u32	segments;
	bool	no_reads;
	bool	no_writes;
	bool	no_inline_reply;
};

/**
 * struct xprt_rdma_fault - why a backchannel call cannot be served
 * @code: an enum rpcrdma2_errcode; 0 if nothing is wrong
 * @value: the most chunks or segments, or the bytes needed
 */
struct xprt_rdma_fault {
	u32	code;
	u32	value;
};

/**
 * struct xprt_rdma_callback - what a backchannel request has besides
 * @serial: of the connection that the call came from
 * @inv_handle: the peer's handle that the reply invalidates, or 0
 * @nwrites: entries of @counts: Write chunks of the call
 * @counts: segments of each
 * @nsegs: segments of them all, which come first in @segs
 * @nreply: segments of the Reply chunk, which follow
 * @room: bytes in the Reply chunk
 * @segs: segments
 * @npages: entries of @pages
 * @pages: what of a long call is not in the request's buffer
 */
struct xprt_rdma_callback {
	u32			serial;
	u32			inv_handle;
	u32			nwrites;
	u32			counts[XPRT_RDMA_BC_CHUNKS];
	u32			nsegs;
	u32			nreply;
	u64			room;
	struct rpcrdma_segment	segs[XPRT_RDMA_MAX_SEGS];
	u32			npages;
	struct page		**pages;
};

/**
 * struct xprt_rdma_req - everything that one RPC needs of the transport
 * @rqst: what sunrpc sees; the first member
 * @ref: one reference of the RPC layer, one of a Send in flight
 * @r_xprt: transport it belongs to
 * @list: place in the transport's free list, or among its refused calls
 * @all: place in the transport's list of all requests
 * @hdr: transport header, followed by a small call that was pulled up
 * @snd: the call's XDR buffer (rq_buffer)
 * @rcv: the reply's XDR buffer (rq_rbuffer)
 * @mrs: regions that the peer may access, in the order of the chunk lists
 * @nr_mrs: how many were put into @mrs when the call was marshaled
 * @rtype: how the call was sent
 * @wtype: how the reply is expected
 * @offered: bytes; lengths of the segments of the Write or Reply chunk
 * @nr_offered: segments in @offered
 * @limits: how the call must not be sent
 * @refused_on: connection on which it was refused, sunrpc's number of it
 * @recv: the reply, while it is being processed
 * @unanswered: sent, and not answered on this connection yet
 * @invalidated: completed when a synchronous fence is done
 * @send_list: place in the connection's list of Sends in flight
 * @send_cqe: completion of the Send
 * @send_wr: the Send
 * @sges: its gather list
 * @first_mapped: index in @sges of the first page mapped for this Send
 * @mapped: how many there are
 * @pages: these pages, referenced
 * @writes: struct rpcrdma_rw, RDMA Writes before the Send
 * @write_wrs: Work Requests they need
 * @send_wrs: Work Requests that the Send's completion retires
 * @posted: the Send is in flight
 * @prealloc: belongs to the backchannel
 * @cb: only then
 */
struct xprt_rdma_req {
	struct rpc_rqst		rqst;
	struct kref		ref;
	struct xprt_rdma	*r_xprt;
	struct list_head	list;
	struct list_head	all;

	struct xprt_rdma_regbuf	hdr;
	struct xprt_rdma_regbuf	snd;
	struct xprt_rdma_regbuf	rcv;

	struct list_head	mrs;
	u32			nr_mrs;
	enum xprt_rdma_rtype	rtype;
	enum xprt_rdma_wtype	wtype;
	u32			offered[XPRT_RDMA_MAX_SEGS];
	u32			nr_offered;
	struct xprt_rdma_limits	limits;
	u32			refused_on;

	struct xprt_rdma_recv_ctx	*recv;
	bool			unanswered;
	struct completion	invalidated;

	struct list_head	send_list;
	struct ib_cqe		send_cqe;
	struct ib_send_wr	send_wr;
	struct ib_sge		sges[XPRT_RDMA_MAX_SGES];
	u32			first_mapped;
	u32			mapped;
	struct page		*pages[XPRT_RDMA_MAX_SGES];
	struct list_head	writes;
	u32			write_wrs;
	u32			send_wrs;
	bool			posted;
	bool			prealloc;
	struct xprt_rdma_callback *cb;
};

#include "read.h"

#define rqst_to_req(r) container_of(r, struct xprt_rdma_req, rqst)

/* Has the peer refused this RPC in some form? */
static inline bool xprt_rdma_limited(const struct xprt_rdma_req *req)
{
	return req->limits.segments || req->limits.no_reads ||
	       req->limits.no_writes;
}

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
 * enum xprt_rdma_read_replies - when to rely on Read chunks of the peer's
 * @XPRT_RDMA_READ_REPLIES_OFF: never
 * @XPRT_RDMA_READ_REPLIES_SHORT: if the reply is probably short
 * @XPRT_RDMA_READ_REPLIES_ALL: even if it is probably long
 */
enum xprt_rdma_read_replies {
	XPRT_RDMA_READ_REPLIES_OFF,
	XPRT_RDMA_READ_REPLIES_SHORT,
	XPRT_RDMA_READ_REPLIES_ALL,
};

/**
 * struct xprt_rdma_conn - one connection, from address resolution to its end
 * @r_xprt: transport it belongs to
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
 * struct xprt_rdma_abandoned - calls given up before they were answered
 * @xids: theirs; room for one per slot
 * @count: how many; each of them holds a credit
 * @answered: how many have been answered
 * @rqst: stands for them, and for a callback that is dropped, when a credit is
 *	given back
 * @task: its task
 */
struct xprt_rdma_abandoned {
	__be32			*xids;
	u32			count;
	unsigned long		answered;
	struct rpc_rqst		rqst;
	struct rpc_task		task;
};

#include "watch.h"

/**
 * struct xprt_rdma_resend - calls to be sent again when their senders are done
 * @lock: protects @reqs
 * @reqs: these calls, pinned
 * @work: looks whether they are
 */
struct xprt_rdma_resend {
	spinlock_t		lock;
	struct list_head	reqs;
	struct delayed_work	work;
};

/**
 * struct xprt_rdma - one transport, from mount to unmount
 * @xprt: what sunrpc sees; the first member
 * @conn: the current connection. Changed by the holder of XPRT_LOCKED, under
 *	@conn_lock; whoever holds neither must take a reference as a fencer
 * @conn_lock: protects @conn and its closing and fencers
 * @inv_wait: where fencers and the end of a connection wait for each other
 * @serial: connections made so far (XPRT_LOCKED)
 * @connect_work: establishes a connection
 * @connect_due: jiffies; not to be attempted before
 * @backoff: jiffies; delay of the next attempt but one
 * @has_v2: the server has said so, and was not silent since
 * @timeout: timeouts changed by set_connect_timeout
 * @reqs_free: requests not in use (under reserve_lock)
 * @reqs_all: all requests (under reserve_lock)
 * @reqs_count: requests of the forward channel in @reqs_all
 * @reqs_reserve: of these, how many the end of a connection leaves
 * @recvs_kept: Receives for the next connection; this and the next belong to who
 *	owns @conn's Receives, or without @conn to the holder of XPRT_LOCKED
 * @recvs_kept_count: how many
 * @bc_reqs: requests of the backchannel that exist (under bc_pa_lock)
 * @bc_slots: backchannel calls to be expected; 0 without backchannel
 * @predict: counters that predict the length of replies
 * @abandoned: under the transport_lock
 * @stall: what looks after @conn
 * @probe: what looks after the server, while calls are outstanding
 * @resend: see there
 * @stats: see there
 * @debugfs: this transport's file
 */
struct xprt_rdma {
	struct rpc_xprt		xprt;
	struct xprt_rdma_conn	*conn;
	spinlock_t		conn_lock;
	wait_queue_head_t	inv_wait;

	u32			serial;
	struct delayed_work	connect_work;
	unsigned long		connect_due;
	unsigned long		backoff;
	bool			has_v2;
	struct rpc_timeout	timeout;

	struct list_head	reqs_free;
	struct list_head	reqs_all;
	u32			reqs_count;
	u32			reqs_reserve;
	struct list_head	recvs_kept;
	u32			recvs_kept_count;
	u32			bc_reqs;
	u32			bc_slots;

	u8			predict[1 << XPRT_RDMA_PREDICT_BITS];
	struct xprt_rdma_abandoned abandoned;
	struct xprt_rdma_stall	stall;
	struct xprt_rdma_probe	probe;
	struct xprt_rdma_resend resend;

	struct xprt_rdma_stats	stats;
	struct dentry		*debugfs;
};

#define to_r_xprt(x) container_of(x, struct xprt_rdma, xprt)

/**
 * xprt_rdma_reclaim_save - allocate as who reclaims memory may wait for
 * @r_xprt: transport
 *
 * Until xprt_rdma_reclaim_restore(), nothing that the current task allocates
 * starts I/O, which might need this transport; with a swap file behind it, it may
 * use what the kernel holds back.
 *
 * Context: process.
 * Return: for xprt_rdma_reclaim_restore().
 */
static inline unsigned int
xprt_rdma_reclaim_save(const struct xprt_rdma *r_xprt)
{
	return memalloc_flags_save(atomic_read(&r_xprt->xprt.swapper) ?
				   PF_MEMALLOC_NOIO | PF_MEMALLOC :
				   PF_MEMALLOC_NOIO);
}

static inline void xprt_rdma_reclaim_restore(unsigned int flags)
{
	memalloc_flags_restore(flags);
}

/* Is the current task between these two? */
static inline bool xprt_rdma_reclaim_safe(void)
{
	return current->flags & PF_MEMALLOC_NOIO;
}

/* tunables.c */
extern unsigned int xprt_rdma_slot_table_entries;
extern unsigned int xprt_rdma_max_inline_read;
extern unsigned int xprt_rdma_max_inline_write;
extern unsigned int xprt_rdma_pad_optimize;
extern bool xprt_rdma_remote_invalidation;
extern unsigned int xprt_rdma_max_version;
extern unsigned int xprt_rdma_receive_buffer_size;
extern unsigned int xprt_rdma_read_replies;
extern bool xprt_rdma_read_replies_v1;
int xprt_rdma_tunables_register(void);
void xprt_rdma_tunables_unregister(void);

/* transport.c */
extern struct xprt_class xprt_rdma_class;

/* connect.c */
int xprt_rdma_connect_init(void);
void xprt_rdma_connect_exit(void);
void xprt_rdma_connect_work(struct work_struct *work);
void xprt_rdma_op_connect(struct rpc_xprt *xprt, struct rpc_task *task);
void xprt_rdma_conn_lost(struct xprt_rdma_conn *conn);
void xprt_rdma_conn_negotiated(struct xprt_rdma_conn *conn, int error);
void xprt_rdma_disconnect(struct xprt_rdma *r_xprt);
const char *xprt_rdma_state_name(enum xprt_rdma_state state);

/* abandoned.c */
int xprt_rdma_abandoned_init(struct xprt_rdma *r_xprt);
void xprt_rdma_abandoned_exit(struct xprt_rdma *r_xprt);
void xprt_rdma_abandoned_forget(struct xprt_rdma *r_xprt);
void xprt_rdma_op_release_request(struct rpc_task *task);
bool xprt_rdma_abandoned_answered(struct xprt_rdma *r_xprt, __be32 xid);

/* reclaim.c */
int xprt_rdma_op_enable_swap(struct rpc_xprt *xprt);
void xprt_rdma_op_disable_swap(struct rpc_xprt *xprt);

/* negotiate.c */
bool xprt_rdma_negotiate_wanted(const struct xprt_rdma *r_xprt);
int xprt_rdma_negotiate_send(struct xprt_rdma_conn *conn);
void xprt_rdma_negotiate_wakeup(struct xprt_rdma_conn *conn);
int xprt_rdma_negotiate_reply(struct xprt_rdma_conn *conn,
			      struct rpcrdma_hdr *hdr, const void *buf,
			      u32 len);
void xprt_rdma_version_set(struct xprt_rdma_conn *conn, u32 version);
int xprt_rdma_decode(const struct xprt_rdma_conn *conn, struct rpcrdma_hdr *hdr,
		     const void *buf, u32 len);

/* fallback.c */
void xprt_rdma_fallback_remember(const struct rpc_xprt *xprt);
bool xprt_rdma_fallback_known(const struct rpc_xprt *xprt);

/* control.c */
void xprt_rdma_controls_flush(struct xprt_rdma_conn *conn);
int xprt_rdma_control_send(struct xprt_rdma_conn *conn, const void *msg,
			   u32 len);

/* error.c */
int xprt_rdma_error(struct xprt_rdma_req *req, const struct rpcrdma_hdr *hdr);
void xprt_rdma_resend_work(struct work_struct *work);

/* deferred_id.c */
int xprt_rdma_deferred_ids_init(void);
void xprt_rdma_deferred_ids_exit(void);
bool xprt_rdma_port_active(struct rdma_cm_id *id);
void xprt_rdma_conn_free_deferred(struct xprt_rdma_conn *conn);

/* endpoint.c */
int xprt_rdma_endpoint_create(struct xprt_rdma_conn *conn);
void xprt_rdma_endpoint_drain(struct xprt_rdma_conn *conn);
void xprt_rdma_endpoint_destroy(struct xprt_rdma_conn *conn);
void xprt_rdma_endpoint_error(struct xprt_rdma_conn *conn);

/* credit.c */
void xprt_rdma_credit_reset(struct xprt_rdma *r_xprt);
void xprt_rdma_credit_apply(struct xprt_rdma_conn *conn);
void xprt_rdma_credit_grant(struct xprt_rdma_conn *conn, u32 grant);
void xprt_rdma_credit_exempt(struct xprt_rdma *r_xprt, struct rpc_rqst *rqst);
void xprt_rdma_credit_return(struct xprt_rdma *r_xprt, struct rpc_rqst *rqst);

/* req.c */
struct xprt_rdma_req *xprt_rdma_req_create(struct xprt_rdma *r_xprt, gfp_t gfp);
void xprt_rdma_req_destroy(struct xprt_rdma_req *req);
void xprt_rdma_req_put(struct xprt_rdma_req *req);
void xprt_rdma_op_alloc_slot(struct rpc_xprt *xprt, struct rpc_task *task);
void xprt_rdma_op_free_slot(struct rpc_xprt *xprt, struct rpc_rqst *rqst);
int xprt_rdma_op_buf_alloc(struct rpc_task *task);
void xprt_rdma_op_buf_free(struct rpc_task *task);
void xprt_rdma_reqs_unmap(struct xprt_rdma *r_xprt);
int xprt_rdma_reqs_reserve(struct xprt_rdma *r_xprt, u32 count);
void xprt_rdma_reqs_trim(struct xprt_rdma *r_xprt, u32 keep);

/* regbuf.c */
int xprt_rdma_regbuf_alloc(struct xprt_rdma_regbuf *rb, size_t size, gfp_t gfp,
			   enum dma_data_direction dir);
void xprt_rdma_regbuf_free(struct xprt_rdma_regbuf *rb);
int xprt_rdma_regbuf_map(struct xprt_rdma_regbuf *rb, struct ib_device *device);
void xprt_rdma_regbuf_unmap(struct xprt_rdma_regbuf *rb);

/* marshal.c */
int xprt_rdma_marshal(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req);

/* send.c */
int xprt_rdma_op_send_request(struct rpc_rqst *rqst);
int xprt_rdma_send_fits(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req,
			bool payload);
int xprt_rdma_send_prepare(struct xprt_rdma_conn *conn,
			   struct xprt_rdma_req *req, u32 hdrlen);
int xprt_rdma_send_add_write(struct xprt_rdma_conn *conn,
			     struct xprt_rdma_req *req, void *base,
			     const struct rpcrdma_segment *seg);
void xprt_rdma_send_drop_writes(struct xprt_rdma_conn *conn,
				struct xprt_rdma_req *req);
int xprt_rdma_send_post(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req);
void xprt_rdma_send_release(struct xprt_rdma_conn *conn,
			    struct xprt_rdma_req *req);
void xprt_rdma_sends_flush(struct xprt_rdma_conn *conn);
bool xprt_rdma_sq_reserve(struct xprt_rdma_conn *conn, u32 wrs);
int xprt_rdma_sq_wait(struct xprt_rdma_conn *conn);
void xprt_rdma_sq_release(struct xprt_rdma_conn *conn, u32 wrs);

/* recv.c */
int xprt_rdma_recvs_post(struct xprt_rdma_conn *conn);
void xprt_rdma_recv_put(struct xprt_rdma_recv_ctx *recv);
void xprt_rdma_recvs_destroy(struct xprt_rdma_conn *conn);
void xprt_rdma_recvs_free_kept(struct xprt_rdma *r_xprt);

/* predict.c */
bool xprt_rdma_predict_long(const struct xprt_rdma_req *req);
void xprt_rdma_predict_learn(const struct xprt_rdma_req *req, bool is_long);

/* nfs.c */
bool xprt_rdma_nfs_places_link(const struct rpc_task *task);
bool xprt_rdma_nfs_exceeds(const struct rpc_task *task);
bool xprt_rdma_nfs_ends(const struct rpc_task *task);
int xprt_rdma_rpc_fail(struct rpc_rqst *rqst, bool again);

/* reply.c */
void xprt_rdma_reply(struct xprt_rdma_recv_ctx *recv, u32 len, bool invalidated,
		     u32 rkey);
void xprt_rdma_reply_complete(struct xprt_rdma_req *req);
void xprt_rdma_reply_again(struct xprt_rdma_req *req);

/* backchannel.c */
struct xprt_rdma_req *xprt_rdma_bc_get(struct xprt_rdma *r_xprt);
void xprt_rdma_bc_release(struct xprt_rdma_req *req);
int xprt_rdma_op_bc_setup(struct rpc_xprt *xprt, unsigned int reqs);
size_t xprt_rdma_op_bc_maxpayload(struct rpc_xprt *xprt);
unsigned int xprt_rdma_op_bc_num_slots(struct rpc_xprt *xprt);
void xprt_rdma_op_bc_free_rqst(struct rpc_rqst *rqst);
void xprt_rdma_op_bc_destroy(struct rpc_xprt *xprt, unsigned int reqs);

/* callback.c */
bool xprt_rdma_bc_is_call(const struct xprt_rdma_recv_ctx *recv);
void xprt_rdma_bc_refuse(struct xprt_rdma_conn *conn, __be32 xid,
			 const struct xprt_rdma_fault *fault);
void xprt_rdma_bc_receive(struct xprt_rdma_recv_ctx *recv);
int xprt_rdma_bc_reply_send(struct rpc_rqst *rqst);

/* stats.c */
void xprt_rdma_op_print_stats(struct rpc_xprt *xprt, struct seq_file *seq);
void xprt_rdma_debugfs_add(struct xprt_rdma *r_xprt);
void xprt_rdma_debugfs_remove(struct xprt_rdma *r_xprt);
void xprt_rdma_stats_init(void);
void xprt_rdma_stats_exit(void);

#endif /* _XPRTRDMA_XPRTRDMA_H */
