/* SPDX-License-Identifier: GPL-2.0-only */
/* The client transport's objects, and its functions grouped by file. */
#ifndef _XPRTRDMA_XPRTRDMA_H
#define _XPRTRDMA_XPRTRDMA_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/percpu.h>
#include <linux/scatterlist.h>
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
 * @XPRT_RDMA_SPARE_RECVS: Receives posted beyond what credits require
 * @XPRT_RDMA_SEND_BATCH: unsignaled Sends between two signaled ones
 * @XPRT_RDMA_CONTROLS: messages without an RPC in flight
 * @XPRT_RDMA_INLINE_MAX: bytes; no inline message is longer, either way
 */
#define XPRT_RDMA_MAX_SEGS	20u
#define XPRT_RDMA_MAX_PAYLOAD	(1024u * 1024u)
#define XPRT_RDMA_HDR_SIZE	544u
#define XPRT_RDMA_PULLUP	1024u
#define XPRT_RDMA_MAX_SGES	20u
#define XPRT_RDMA_BC_SLOTS	16u
#define XPRT_RDMA_BC_REQS	(2u * XPRT_RDMA_BC_SLOTS)
#define XPRT_RDMA_SPARE_RECVS	8u
#define XPRT_RDMA_SEND_BATCH	7u
#define XPRT_RDMA_CONTROLS	4
#define XPRT_RDMA_INLINE_MAX	65536u

/* Allocations on which I/O waits: never recurse into I/O, never warn. */
#define XPRT_RDMA_GFP	(GFP_NOIO | __GFP_NOWARN)

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

/**
 * enum xprt_rdma_use - what a registered region is for
 * @XPRT_RDMA_USE_READ: an entry of the Read list
 * @XPRT_RDMA_USE_WRITE: a segment of the Write chunk
 * @XPRT_RDMA_USE_REPLY: a segment of the Reply chunk
 */
enum xprt_rdma_use {
	XPRT_RDMA_USE_READ,
	XPRT_RDMA_USE_WRITE,
	XPRT_RDMA_USE_REPLY,
};

/* Regions come in two sizes, so that small ones do not cost much memory. */
enum xprt_rdma_mr_class {
	XPRT_RDMA_MR_SMALL,
	XPRT_RDMA_MR_LARGE,
	XPRT_RDMA_MR_CLASSES,
};

/**
 * struct xprt_rdma_mr - a memory region and what it is used for
 * @list: place in a request's list, or in a free list of the connection
 * @all: place in the connection's list of all regions
 * @ibmr: the verbs object
 * @sg: scatter list of @depth entries
 * @depth: pages it can cover
 * @nents: entries of @sg that are mapped for DMA; 0 if none is
 * @dir: direction of that mapping
 * @class: which free list it belongs to
 * @use: which chunk list it is part of
 * @position: XDR position, for an entry of the Read list
 * @seg: as announced to the peer
 * @reg_cqe: completion of the registration (only when it fails)
 * @inv_cqe: completion of the local invalidation
 * @req: request that is waiting for the local invalidation
 * @reg_wr: Work Request that registers
 * @inv_wr: Work Request that invalidates
 */
struct xprt_rdma_mr {
	struct list_head	list;
	struct list_head	all;
	struct ib_mr		*ibmr;
	struct scatterlist	*sg;
	u32			depth;
	u32			nents;
	enum dma_data_direction	dir;
	enum xprt_rdma_mr_class	class;
	enum xprt_rdma_use	use;
	u32			position;
	struct rpcrdma_segment	seg;
	struct ib_cqe		reg_cqe;
	struct ib_cqe		inv_cqe;
	struct xprt_rdma_req	*req;
	struct ib_reg_wr	reg_wr;
	struct ib_send_wr	inv_wr;
};

/**
 * struct xprt_rdma_rep - a Receive and the message that arrived in it
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
struct xprt_rdma_rep {
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
};

/**
 * struct xprt_rdma_avoid - what the peer has refused to do for an RPC
 * @segments: most segments per chunk; 0: no limit
 * @reads: no Read chunk but at position zero
 * @writes: no Write chunk
 * @inline_reply: a Reply chunk even if the reply should be short
 */
struct xprt_rdma_avoid {
	u32	segments;
	bool	reads;
	bool	writes;
	bool	inline_reply;
};

/**
 * struct xprt_rdma_req - everything that one RPC needs of the transport
 * @rqst: what sunrpc sees; the first member
 * @ref: one reference of the RPC layer, one of a Send in flight
 * @rx: transport it belongs to
 * @list: place in the transport's free list
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
 * @avoid: how the call must not be sent
 * @rep: the reply, while it is being processed
 * @fenced: completed when a synchronous fence is done
 * @send_list: place in the connection's list of Sends in flight
 * @send_cqe: completion of the Send
 * @send_wr: the Send
 * @sges: its gather list
 * @first_mapped: index in @sges of the first page mapped for this Send
 * @mapped: how many there are
 * @pages: these pages, referenced
 * @send_wrs: Work Requests that the Send's completion retires
 * @posted: the Send is in flight
 * @prealloc: belongs to the backchannel
 */
struct xprt_rdma_req {
	struct rpc_rqst		rqst;
	struct kref		ref;
	struct xprt_rdma	*rx;
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
	struct xprt_rdma_avoid	avoid;

	struct xprt_rdma_rep	*rep;
	struct completion	fenced;

	struct list_head	send_list;
	struct ib_cqe		send_cqe;
	struct ib_send_wr	send_wr;
	struct ib_sge		sges[XPRT_RDMA_MAX_SGES];
	u32			first_mapped;
	u32			mapped;
	struct page		*pages[XPRT_RDMA_MAX_SGES];
	u32			send_wrs;
	bool			posted;
	bool			prealloc;
};

#define rqst_to_req(r) container_of(r, struct xprt_rdma_req, rqst)

/* Has the peer refused this RPC in some form? */
static inline bool xprt_rdma_avoids(const struct xprt_rdma_req *req)
{
	return req->avoid.segments || req->avoid.reads || req->avoid.writes;
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
 * struct xprt_rdma_conn - one connection, from address resolution to its end
 * @rx: transport it belongs to
 * @id: CM identifier
 * @device: device it is bound to
 * @pd: protection domain
 * @cq: completion queue of Sends and Receives
 * @qp: Queue Pair
 * @wait: where the connect worker waits for @state to change
 * @lock: protects @state, @error, the region lists and @sends
 * @state: see there
 * @error: negative errno once @state is XPRT_RDMA_FAILED
 * @closing: no fence may be posted any more (under the transport's conn_lock)
 * @fencers: tasks waiting for a fence (under the transport's conn_lock)
 * @version: RPC-over-RDMA version; 0 until it is settled
 * @hdr_min: bytes; a header of that version without chunks
 * @offer_v2: begin with an offer of version 2
 * @fell_back: the peer has answered that with version 1
 * @answered: a call was answered
 * @device_gone: the device is being removed
 * @negotiate_xid: XID of the offer
 * @peer: what the peer says of itself; version 2 only
 * @avoid_writes: the peer has no use for Write chunks
 * @controls: messages without an RPC in flight
 * @max_reqs: most requests in flight; what is asked for as credits
 * @credits: the peer's most recent grant
 * @inline_send: bytes; largest message that we may Send
 * @inline_recv: bytes; largest message that the peer may Send
 * @recv_size: bytes; size of a Receive's buffer
 * @peer_remote_inv: the peer announced Remote Invalidation
 * @mr_depth: pages per large region
 * @mrs_free: unused regions, by class
 * @mrs_all: all regions
 * @mrs_count: regions in @mrs_all
 * @mrs_busy: regions attached to requests
 * @mrs_max: most regions
 * @pad_mr: registered memory for XDR roundup that a peer may write
 * @pad: that memory
 * @sq_size: Work Requests that the Send Queue takes
 * @sq_avail: of these, not in use
 * @unsignaled: Sends since the last signaled one (XPRT_LOCKED)
 * @carried: Work Requests of Sends that are no longer in @sends, to be
 *	retired by the next one (under XPRT_LOCKED)
 * @sends: Sends in flight, oldest first
 * @max_sges: gather entries per Send
 * @reps_free: Receives not posted; this and what follows belongs to the
 *	completion handlers once the connection is up
 * @reps_all: all Receives
 * @reps_count: Receives in @reps_all
 * @reps_posted: Receives in the Receive Queue
 * @reps_max: most Receives
 */
struct xprt_rdma_conn {
	struct xprt_rdma	*rx;
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
	u32			fencers;

	u32			version;
	u32			hdr_min;
	bool			offer_v2;
	bool			fell_back;
	bool			answered;
	bool			device_gone;
	__be32			negotiate_xid;
	struct rpcrdma_props	peer;
	bool			avoid_writes;
	atomic_t		controls;

	u32			max_reqs;
	u32			credits;
	u32			inline_send;
	u32			inline_recv;
	u32			recv_size;
	bool			peer_remote_inv;

	u32			mr_depth;
	struct list_head	mrs_free[XPRT_RDMA_MR_CLASSES];
	struct list_head	mrs_all;
	u32			mrs_count;
	u32			mrs_busy;
	u32			mrs_max;
	struct xprt_rdma_mr	*pad_mr;
	void			*pad;

	u32			sq_size;
	atomic_t		sq_avail;
	u32			unsignaled;
	u32			carried;
	struct list_head	sends;
	u32			max_sges;

	struct list_head	reps_free;
	struct list_head	reps_all;
	u32			reps_count;
	u32			reps_posted;
	u32			reps_max;
};

/**
 * struct xprt_rdma_stats - what one transport has done (mountstats)
 * @read_chunk_count: Read list entries sent
 * @write_chunk_count: segments of Write chunks sent
 * @reply_chunk_count: segments of Reply chunks sent
 * @total_rdma_request: bytes offered for results
 * @total_rdma_reply: bytes that came through chunks
 * @pullup_copy_count: bytes of calls that were copied
 * @fixup_copy_count: bytes of replies that were copied to pages
 * @hardway_register_count: bytes of buffers that had to be enlarged
 * @failed_marshal_count: calls that could not be marshaled
 * @bad_reply_count: replies that could not be used
 * @nomsg_call_count: long calls
 * @mrs_recycled: regions given up because their state was unknown
 * @mrs_orphaned: regions fenced because their RPC went away without a reply
 * @mrs_allocated: regions created
 * @local_inv_needed: local invalidations
 * @empty_sendctx_q: times that a call waited for Send Queue space
 * @bcall_count: backchannel calls received
 * @lost_count: connections lost
 */
struct xprt_rdma_stats {
	unsigned long		read_chunk_count;
	unsigned long		write_chunk_count;
	unsigned long		reply_chunk_count;
	unsigned long long	total_rdma_request;
	unsigned long long	total_rdma_reply;
	unsigned long long	pullup_copy_count;
	unsigned long long	fixup_copy_count;
	unsigned long		hardway_register_count;
	unsigned long		failed_marshal_count;
	unsigned long		bad_reply_count;
	unsigned long		nomsg_call_count;
	unsigned long		mrs_recycled;
	unsigned long		mrs_orphaned;
	unsigned long		mrs_allocated;
	unsigned long		local_inv_needed;
	unsigned long		empty_sendctx_q;
	unsigned long		bcall_count;
	unsigned long		lost_count;
};

/**
 * struct xprt_rdma - one transport, from mount to unmount
 * @xprt: what sunrpc sees; the first member
 * @conn: the current connection. Changed by the holder of XPRT_LOCKED, under
 *	@conn_lock; whoever holds neither must take a reference as a fencer
 * @conn_lock: protects @conn and its closing and fencers
 * @fence_wait: where fencers and the end of a connection wait for each other
 * @connect_work: establishes a connection
 * @connect_due: jiffies; not to be attempted before
 * @backoff: jiffies; delay of the next attempt but one
 * @timeout: timeouts changed by set_connect_timeout
 * @reqs_free: requests not in use (under reserve_lock)
 * @reqs_all: all requests (under reserve_lock)
 * @reqs_count: requests of the forward channel in @reqs_all
 * @bc_reqs: requests of the backchannel that exist (under bc_pa_lock)
 * @bc_slots: backchannel calls to be expected; 0 without backchannel
 * @stats: see there
 * @debugfs: this transport's file
 */
struct xprt_rdma {
	struct rpc_xprt		xprt;
	struct xprt_rdma_conn	*conn;
	spinlock_t		conn_lock;
	wait_queue_head_t	fence_wait;

	struct delayed_work	connect_work;
	unsigned long		connect_due;
	unsigned long		backoff;
	struct rpc_timeout	timeout;

	struct list_head	reqs_free;
	struct list_head	reqs_all;
	u32			reqs_count;
	u32			bc_reqs;
	u32			bc_slots;

	struct xprt_rdma_stats	stats;
	struct dentry		*debugfs;
};

#define xprt_to_rx(x) container_of(x, struct xprt_rdma, xprt)

/* tunables.c */
extern unsigned int xprt_rdma_slot_table_entries;
extern unsigned int xprt_rdma_max_inline_read;
extern unsigned int xprt_rdma_max_inline_write;
extern unsigned int xprt_rdma_pad_optimize;
extern bool xprt_rdma_remote_invalidation;
extern unsigned int xprt_rdma_max_version;
extern unsigned int xprt_rdma_receive_buffer_size;
int xprt_rdma_tunables_register(void);
void xprt_rdma_tunables_unregister(void);

/* transport.c */
extern struct xprt_class xprt_rdma_class;

/* connect.c */
int xprt_rdma_connect_init(void);
void xprt_rdma_connect_exit(void);
void xprt_rdma_connect_work(struct work_struct *work);
void xprt_rdma_connect(struct rpc_xprt *xprt, struct rpc_task *task);
void xprt_rdma_conn_lost(struct xprt_rdma_conn *conn);
void xprt_rdma_conn_negotiated(struct xprt_rdma_conn *conn, int error);
void xprt_rdma_disconnect(struct xprt_rdma *rx);
const char *xprt_rdma_state_name(enum xprt_rdma_state state);

/* negotiate.c */
bool xprt_rdma_negotiate_wanted(const struct xprt_rdma *rx);
int xprt_rdma_negotiate_send(struct xprt_rdma_conn *conn);
int xprt_rdma_negotiate_reply(struct xprt_rdma_conn *conn,
			      struct rpcrdma_hdr *hdr, const void *buf,
			      u32 len);
void xprt_rdma_version_settle(struct xprt_rdma_conn *conn, u32 version);
int xprt_rdma_decode(const struct xprt_rdma_conn *conn, struct rpcrdma_hdr *hdr,
		     const void *buf, u32 len);

/* fallback.c */
void xprt_rdma_fallback_remember(const struct rpc_xprt *xprt);
bool xprt_rdma_fallback_known(const struct rpc_xprt *xprt);

/* control.c */
int xprt_rdma_control_send(struct xprt_rdma_conn *conn, const void *msg,
			   u32 len);

/* error.c */
int xprt_rdma_error(struct xprt_rdma_req *req, const struct rpcrdma_hdr *hdr);

/* retire.c */
int xprt_rdma_retire_init(void);
void xprt_rdma_retire_exit(void);
bool xprt_rdma_port_active(struct rdma_cm_id *id);
void xprt_rdma_id_retire(struct rdma_cm_id *id);

/* endpoint.c */
int xprt_rdma_endpoint_create(struct xprt_rdma_conn *conn);
void xprt_rdma_endpoint_drain(struct xprt_rdma_conn *conn);
void xprt_rdma_endpoint_destroy(struct xprt_rdma_conn *conn);
void xprt_rdma_endpoint_error(struct xprt_rdma_conn *conn);

/* credit.c */
void xprt_rdma_credit_reset(struct xprt_rdma *rx);
void xprt_rdma_credit_grant(struct xprt_rdma_conn *conn, u32 grant);
void xprt_rdma_credit_exempt(struct xprt_rdma *rx, struct rpc_rqst *rqst);

/* req.c */
struct xprt_rdma_req *xprt_rdma_req_create(struct xprt_rdma *rx, gfp_t gfp);
void xprt_rdma_req_destroy(struct xprt_rdma_req *req);
void xprt_rdma_req_put(struct xprt_rdma_req *req);
void xprt_rdma_alloc_slot(struct rpc_xprt *xprt, struct rpc_task *task);
void xprt_rdma_free_slot(struct rpc_xprt *xprt, struct rpc_rqst *rqst);
int xprt_rdma_buf_alloc(struct rpc_task *task);
void xprt_rdma_buf_free(struct rpc_task *task);
void xprt_rdma_reqs_unmap(struct xprt_rdma *rx);
void xprt_rdma_reqs_trim(struct xprt_rdma *rx);

/* regbuf.c */
int xprt_rdma_regbuf_alloc(struct xprt_rdma_regbuf *rb, size_t size, gfp_t gfp,
			   enum dma_data_direction dir);
void xprt_rdma_regbuf_free(struct xprt_rdma_regbuf *rb);
int xprt_rdma_regbuf_map(struct xprt_rdma_regbuf *rb, struct ib_device *device);
void xprt_rdma_regbuf_unmap(struct xprt_rdma_regbuf *rb);

/* mr.c */
struct xprt_rdma_mr *xprt_rdma_mr_get(struct xprt_rdma_conn *conn, u32 pages);
int xprt_rdma_mr_wait(struct xprt_rdma_conn *conn);
void xprt_rdma_mr_keep(struct xprt_rdma_conn *conn, struct xprt_rdma_mr *mr);
void xprt_rdma_mr_put(struct xprt_rdma_conn *conn, struct xprt_rdma_mr *mr);
void xprt_rdma_mr_discard(struct xprt_rdma_conn *conn, struct xprt_rdma_mr *mr);
void xprt_rdma_mrs_destroy(struct xprt_rdma_conn *conn);

/* frwr.c */
int xprt_rdma_frwr_query(struct xprt_rdma_conn *conn);
int xprt_rdma_map_pages(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req,
			const struct xdr_buf *xdr, enum xprt_rdma_use use,
			u32 position);
int xprt_rdma_map_kvec(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req,
		       void *base, size_t len, enum xprt_rdma_use use,
		       u32 position);
int xprt_rdma_map_pad(struct xprt_rdma_conn *conn);
void xprt_rdma_map_undo(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req);
bool xprt_rdma_fence_remote(struct xprt_rdma_conn *conn,
			    struct xprt_rdma_req *req, u32 rkey);
void xprt_rdma_fence_async(struct xprt_rdma_conn *conn,
			   struct xprt_rdma_req *req);
void xprt_rdma_fence_sync(struct xprt_rdma *rx, struct xprt_rdma_req *req);

/* marshal.c */
int xprt_rdma_marshal(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req);

/* send.c */
int xprt_rdma_send_request(struct rpc_rqst *rqst);
int xprt_rdma_send_fits(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req,
			bool payload);
int xprt_rdma_send_prepare(struct xprt_rdma_conn *conn,
			   struct xprt_rdma_req *req, u32 hdrlen);
int xprt_rdma_send_post(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req);
void xprt_rdma_send_release(struct xprt_rdma_conn *conn,
			    struct xprt_rdma_req *req);
void xprt_rdma_sends_flush(struct xprt_rdma_conn *conn);
bool xprt_rdma_sq_reserve(struct xprt_rdma_conn *conn, u32 wrs);
int xprt_rdma_sq_wait(struct xprt_rdma_conn *conn);
void xprt_rdma_sq_release(struct xprt_rdma_conn *conn, u32 wrs);

/* recv.c */
int xprt_rdma_recvs_post(struct xprt_rdma_conn *conn);
void xprt_rdma_rep_put(struct xprt_rdma_rep *rep);
void xprt_rdma_reps_destroy(struct xprt_rdma_conn *conn);

/* reply.c */
void xprt_rdma_reply(struct xprt_rdma_rep *rep, u32 len, bool invalidated,
		     u32 rkey);
void xprt_rdma_reply_complete(struct xprt_rdma_req *req);

/* backchannel.c */
bool xprt_rdma_bc_is_call(const struct xprt_rdma_rep *rep);
void xprt_rdma_bc_receive(struct xprt_rdma_rep *rep);
int xprt_rdma_bc_send_reply(struct rpc_rqst *rqst);
void xprt_rdma_bc_release(struct xprt_rdma_req *req);
int xprt_rdma_bc_setup(struct rpc_xprt *xprt, unsigned int reqs);
size_t xprt_rdma_bc_maxpayload(struct rpc_xprt *xprt);
unsigned int xprt_rdma_bc_num_slots(struct rpc_xprt *xprt);
void xprt_rdma_bc_free_rqst(struct rpc_rqst *rqst);
void xprt_rdma_bc_destroy(struct rpc_xprt *xprt, unsigned int reqs);

/* stats.c */

/* name in debugfs, one counter each; created and destroyed come in pairs */
#define XPRT_RDMA_COUNTERS(_)			\
	_(xprts_created)			\
	_(xprts_destroyed)			\
	_(conns_created)			\
	_(conns_destroyed)			\
	_(retired_created)			\
	_(retired_destroyed)			\
	_(qps_created)				\
	_(qps_destroyed)			\
	_(reqs_created)				\
	_(reqs_destroyed)			\
	_(regbufs_created)			\
	_(regbufs_destroyed)			\
	_(mrs_created)				\
	_(mrs_destroyed)			\
	_(reps_created)				\
	_(reps_destroyed)			\
	_(sends_created)			\
	_(sends_destroyed)			\
	_(controls_created)			\
	_(controls_destroyed)			\
	_(controls_dropped)			\
	_(connects)				\
	_(connects_v1)				\
	_(connects_v2)				\
	_(offers_refused)			\
	_(fallbacks_remembered)			\
	_(props_bad)				\
	_(connects_failed)			\
	_(disconnects)				\
	_(calls_inline)				\
	_(calls_pulled_up)			\
	_(calls_gathered)			\
	_(calls_read_chunk)			\
	_(calls_position_zero)			\
	_(calls_position_zero_ddp)		\
	_(read_segments)			\
	_(write_chunks)				\
	_(write_segments)			\
	_(write_pads)				\
	_(reply_chunks)				\
	_(reply_segments)			\
	_(multi_segment_chunks)			\
	_(sparse_pages)				\
	_(waits_mr)				\
	_(waits_sq)				\
	_(recvs_posted)				\
	_(replies)				\
	_(replies_inline)			\
	_(replies_write_chunk)			\
	_(replies_reply_chunk)			\
	_(replies_unknown_xid)			\
	_(replies_duplicate)			\
	_(replies_bad)				\
	_(replies_short)			\
	_(replies_bad_version)			\
	_(replies_bad_type)			\
	_(replies_bad_chunks)			\
	_(replies_overlong)			\
	_(replies_read_list)			\
	_(errors_received_vers)			\
	_(errors_received_chunk)		\
	_(errors_received_htype)		\
	_(errors_received_xdr)			\
	_(errors_received_resource)		\
	_(errors_received_system)		\
	_(errors_received_unknown)		\
	_(calls_resent)				\
	_(remote_invalidations)			\
	_(remote_invalidations_bad)		\
	_(local_invalidations)			\
	_(fences_sync)				\
	_(fences_failed)			\
	_(credits_zero)				\
	_(credits_clamped)			\
	_(bc_calls)				\
	_(bc_replies)				\
	_(bc_dropped)				\
	_(errors_sent)				\
	_(messages_ignored)

#define XPRT_RDMA_COUNTER_ID(name)	XPRT_RDMA_COUNTER_##name,
enum xprt_rdma_counter {
	XPRT_RDMA_COUNTERS(XPRT_RDMA_COUNTER_ID)
	XPRT_RDMA_COUNTER_NR
};

#undef XPRT_RDMA_COUNTER_ID

struct xprt_rdma_counters {
	u64	value[XPRT_RDMA_COUNTER_NR];
};

DECLARE_PER_CPU(struct xprt_rdma_counters, xprt_rdma_counters);
#define xprt_rdma_count_add(name, n) \
	this_cpu_add(xprt_rdma_counters.value[XPRT_RDMA_COUNTER_##name], (n))
#define xprt_rdma_count(name)	xprt_rdma_count_add(name, 1)

void xprt_rdma_print_stats(struct rpc_xprt *xprt, struct seq_file *seq);
void xprt_rdma_debugfs_add(struct xprt_rdma *rx);
void xprt_rdma_debugfs_remove(struct xprt_rdma *rx);
void xprt_rdma_stats_init(void);
void xprt_rdma_stats_exit(void);

#endif /* _XPRTRDMA_XPRTRDMA_H */
