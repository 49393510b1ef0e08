/* SPDX-License-Identifier: GPL-2.0-only */
/* Types and prototypes of the responder's transport, grouped by file. */
#ifndef _SVC_RDMA_SVCRDMA_H
#define _SVC_RDMA_SVCRDMA_H

#include <linux/llist.h>
#include <linux/scatterlist.h>
#include <linux/sunrpc/svc_xprt.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>
#include <rdma/rw.h>

#include <rpcrdma/cm.h>
#include <rpcrdma/codec.h>
#include <rpcrdma/deferred_id.h>
#include <rpcrdma/rw_set.h>

#include "advert.h"
#include "sq.h"
#include "version.h"
#include "watch.h"

/*
 * Fixed limits.
 *
 * @SVC_RDMA_BACKLOG: connect requests that may wait on one listener
 * @SVC_RDMA_BC_REQUESTS: callbacks in flight on one connection
 * @SVC_RDMA_BC_SIZE: bytes of the longest callback, and of its reply, to a
 *	client that supports chunks in them
 * @SVC_RDMA_BC_INLINE: the same, to any other
 * @SVC_RDMA_GRANT_INITIAL: credits granted by a new connection
 * @SVC_RDMA_RECV_FIRST: Receives posted before the first message has arrived
 * @SVC_RDMA_RECV_BATCH: Receives are reposted in chains of this many
 * @SVC_RDMA_RECV_SPARE: Receives posted beyond what the grant needs, for
 *	messages that no credit covers
 * @SVC_RDMA_SEND_SGES: gather entries of a Work Request
 * @SVC_RDMA_PULLUP: bytes of a reply that are copied rather than mapped
 * @SVC_RDMA_PAYLOADS: results of one reply that can use a Write chunk
 * @SVC_RDMA_CHUNKS: Read chunks (distinct positions) in one call
 * @SVC_RDMA_SEGMENTS: version 2, segments of all Read chunks of a call, and of
 *	all its other chunks
 * @SVC_RDMA_SEND_MAX: version 2, bytes of the longest inline reply
 * @SVC_RDMA_SEND_BUF: version 2, bytes of a Send buffer; a longer message is
 *	gathered from its pages
 * @SVC_RDMA_FEW_PAGES: reply pages that are released without a work item
 * @SVC_RDMA_REPLY_PAGES: reply pages that one connection may hold before it
 *	takes no further calls
 * @SVC_RDMA_SQ_BASE: Send Queue entries for Sends and for long chains
 * @SVC_RDMA_RW_CTXS: Send Queue entries for chunks
 * @SVC_RDMA_RW_SGES: pages that one RDMA Read or Write moves
 * @SVC_RDMA_RW_CTXS: RDMA Reads and Writes that the Send Queue has entries for,
 *	and the Queue Pair regions, if the device needs them
 * @SVC_RDMA_RW_CTXS_MAX: most of them, for iWARP
 */
#define SVC_RDMA_BACKLOG	128
#define SVC_RDMA_BC_REQUESTS	2u
#define SVC_RDMA_BC_SIZE	65536u
#define SVC_RDMA_BC_INLINE	PAGE_SIZE
#define SVC_RDMA_GRANT_INITIAL	8u
#define SVC_RDMA_RECV_FIRST	4u
#define SVC_RDMA_RECV_BATCH	4u
#define SVC_RDMA_RECV_SPARE	4u
#define SVC_RDMA_SEND_SGES	16u
#define SVC_RDMA_PULLUP		1024u
#define SVC_RDMA_PAYLOADS	16u
#define SVC_RDMA_CHUNKS		32u
#define SVC_RDMA_SEGMENTS	128u
#define SVC_RDMA_SEND_MAX	65536u
#define SVC_RDMA_SEND_BUF	8192u
#define SVC_RDMA_FEW_PAGES	8u
#define SVC_RDMA_REPLY_PAGES	2560
#define SVC_RDMA_SQ_BASE	192u
#define SVC_RDMA_RW_CTXS	128u
#define SVC_RDMA_RW_SGES	5u
#define SVC_RDMA_RW_CTXS_MAX	1024u

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
 * struct svc_rdma_listener - an RDMA CM listener
 * @xprt: what sunrpc sees
 * @cm_id: NULL while it does not listen
 * @lock: protects @cm_id, @connreqs, @nconnreqs and @closed
 * @start: held while it starts to listen
 * @relisten_work: listens again when its device has gone or changed
 * @connreqs: connect requests not yet accepted
 * @nconnreqs: entries of @connreqs
 * @closed: no request may be added
 */
struct svc_rdma_listener {
	struct svc_xprt xprt;
	struct rdma_cm_id *cm_id;
	spinlock_t lock;
	struct mutex start;
	struct delayed_work relisten_work;
	struct list_head connreqs;
	unsigned int nconnreqs;
	bool closed;
};

/**
 * struct svc_rdma_connreq - a connect request that waits to be accepted
 * @list: entry of the listener's @connreqs, or empty
 * @listener: where it arrived
 * @cm_id: of the new connection
 * @priv: the requester's private message; zeroes if there was none
 * @ord: Reads the requester can answer at a time
 * @ird: Reads it may have outstanding
 * @dead: the requester went away while the request was being accepted
 * @gone: the device is being removed
 * @deferred_id: stands for @cm_id once the request was rejected
 */
struct svc_rdma_connreq {
	struct list_head list;
	struct svc_rdma_listener *listener;
	struct rdma_cm_id *cm_id;
	struct rpcrdma_private priv;
	u8 ord;
	u8 ird;
	bool dead;
	bool gone;
	struct rpcrdma_deferred_id deferred_id;
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
 * @ver: of RPC-over-RDMA, what this connection speaks; NULL before the first
 *	message
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

/**
 * struct svc_rdma_payload - a result that belongs into a Write chunk
 * @offset: bytes from the start of the reply
 * @length: bytes; 0 if the chunk stays unused
 */
struct svc_rdma_payload {
	u32 offset;
	u32 length;
};

struct svc_rdma_read_ctx;

/**
 * struct svc_rdma_recv_ctx - a Receive buffer and the call that is in it
 * @list: entry of @recv_idle or @recv_done of the connection
 * @all: entry of @recv_all of the connection
 * @cqe: completion of the Receive
 * @wr: Receive
 * @sge: describes @buf
 * @buf: Receive buffer, mapped for as long as this exists
 * @len: bytes received
 * @hdr: the transport header in @buf
 * @invalidated: its Send has invalidated @inv_handle, and nobody has yet found
 *	that to be right
 * @inv_handle: one of ours, or one that was
 * @invalidate: the reply may invalidate @handle
 * @handle: one of the call's
 * @read: pages the call's Read chunks were read into, or NULL
 * @fault: what makes it impossible to serve or to answer the call
 * @npayloads: entries of @payloads
 * @payloads: results that belong into Write chunks, in the chunks' order
 */
struct svc_rdma_recv_ctx {
	struct list_head list;
	struct list_head all;
	struct ib_cqe cqe;
	struct ib_recv_wr wr;
	struct ib_sge sge;
	void *buf;
	u32 len;

	struct rpcrdma_hdr hdr;
	bool invalidated;
	u32 inv_handle;
	bool invalidate;
	u32 handle;
	struct svc_rdma_read_ctx *read;

	struct svc_rdma_fault fault;
	u32 npayloads;
	struct svc_rdma_payload payloads[SVC_RDMA_PAYLOADS];
};

/**
 * struct svc_rdma_read_chunk - a Read chunk: all entries that share a position
 * @position: of its first byte in the call
 * @length: bytes, without XDR round-up
 */
struct svc_rdma_read_chunk {
	u32 position;
	u32 length;
};

/**
 * struct svc_rdma_read_ctx - the Read chunks of one call
 * @list: entry of the connection's @read_done or @read_waiting
 * @conn: where the call arrived
 * @recv: the call
 * @cqe: completion of the last Read
 * @wait: for Send Queue entries
 * @rws: struct rpcrdma_rw
 * @wrs: Send Queue entries they need
 * @failed: one of them has, and that was reported
 * @direct: one chunk in an RDMA_MSG, which goes into pages of its own
 * @nchunks: entries of @chunks
 * @chunks: in ascending order
 * @base_len: bytes of the call that are in no chunk other than position zero
 * @length: bytes of the call (@direct: of the chunk), with XDR round-up
 * @charge: pages that the connection is charged for
 * @mapped: @pages as one range of addresses, or NULL
 * @npages: entries of @pages
 * @pages: where the data goes
 */
struct svc_rdma_read_ctx {
	struct list_head list;
	struct svc_rdma_conn *conn;
	struct svc_rdma_recv_ctx *recv;
	struct ib_cqe cqe;
	struct svc_rdma_sq_wait wait;
	struct list_head rws;
	u32 wrs;
	bool failed;

	bool direct;
	u32 nchunks;
	struct svc_rdma_read_chunk chunks[SVC_RDMA_CHUNKS];
	u32 base_len;
	u32 length;

	u32 charge;
	void *mapped;
	u32 npages;
	struct page *pages[RPCSVC_MAXPAGES];
};

/**
 * struct svc_rdma_send_ctx - a message being sent, with the Writes before it
 * @list: entry of @send_idle of the connection
 * @all: entry of @send_all of the connection
 * @node: entry of @reap of the connection
 * @conn: connection
 * @cqe: completion of the Send
 * @wr: Send
 * @wrs: Send Queue entries of the whole chain
 * @wait: for these entries
 * @rws: struct rpcrdma_rw, in the order in which they are posted
 * @advert: the reply, if the requester is to read it; until it is posted
 * @buf: transport header and what is copied; mapped as long as this exists
 * @size: bytes in @buf
 * @limit: bytes of the longest message that the requester can receive
 * @npages: pages held until the Send completes
 * @pages: these pages; @few or allocated
 * @few: used when there are not many
 * @sges: @sges[0] describes @buf
 */
struct svc_rdma_send_ctx {
	struct list_head list;
	struct list_head all;
	struct llist_node node;
	struct svc_rdma_conn *conn;
	struct ib_cqe cqe;
	struct ib_send_wr wr;
	u32 wrs;
	struct svc_rdma_sq_wait wait;
	struct list_head rws;
	struct svc_rdma_advert *advert;
	void *buf;
	u32 size;
	u32 limit;
	u32 npages;
	struct page **pages;
	struct page *few[SVC_RDMA_FEW_PAGES];
	struct ib_sge sges[SVC_RDMA_SEND_SGES];
};

/* What was found first is what the requester is told. */
static inline void svc_rdma_fault_set(struct svc_rdma_recv_ctx *recv, u32 code,
				      u32 index, u32 value)
{
	if (recv->fault.code)
		return;
	recv->fault.code = code;
	recv->fault.index = index;
	recv->fault.value = value;
}

static inline struct svc_rdma_conn *svc_rdma_conn_of(struct svc_xprt *xprt)
{
	return container_of(xprt, struct svc_rdma_conn, xprt);
}

static inline struct svc_rdma_listener *
svc_rdma_listener_of(struct svc_xprt *xprt)
{
	return container_of(xprt, struct svc_rdma_listener, xprt);
}

/*
 * Credits to tell the requester of: the grant without the RDMA_DONEs that are
 * awaited, as their Receives are among those of the grant. Never 0, which would
 * leave the requester without a message that could raise it (RFC 5666
 * section 11).
 */
static inline u32 svc_rdma_credits(const struct svc_rdma_conn *conn)
{
	u32 awaiting_done = READ_ONCE(conn->adverts.awaiting_done);
	u32 grant = READ_ONCE(conn->grant);

	return awaiting_done < grant ? grant - awaiting_done : 1;
}

/* module.c */
extern struct svc_xprt_class svc_rdma_xprt_class;
extern struct workqueue_struct *svc_rdma_wq;

/* deferred_id.c */
int svc_rdma_deferred_ids_init(void);
void svc_rdma_deferred_ids_exit(void);
void svc_rdma_id_destroy_deferred(struct rpcrdma_deferred_id *deferred,
				  struct rdma_cm_id *id, const bool *gone,
				  void (*done)(struct rpcrdma_deferred_id *id));

/* tunables.c */
extern unsigned int svc_rdma_max_requests;
extern unsigned int svc_rdma_max_req_size;
extern unsigned int svc_rdma_ord;
extern unsigned int svc_rdma_keepalive;
extern bool svc_rdma_remote_invalidation;
extern unsigned int svc_rdma_max_version;
extern unsigned int svc_rdma_receive_buffer_size;
extern bool svc_rdma_read_replies;
extern bool svc_rdma_read_replies_v1;
extern unsigned int svc_rdma_read_replies_max;
extern unsigned int svc_rdma_read_replies_bytes;
extern unsigned int svc_rdma_read_replies_total;
extern unsigned int svc_rdma_read_reply_timeout;
extern unsigned int svc_rdma_read_calls_bytes;
extern unsigned int svc_rdma_read_calls_bytes_total;

void svc_rdma_tunables_check(void);
int svc_rdma_tunables_init(void);
void svc_rdma_tunables_exit(void);

/* stats.c */
#define SVC_RDMA_COUNTERS(X)		\
	X(listeners_created)		\
	X(listeners_destroyed)		\
	X(listeners_moved)		\
	X(connreqs_created)		\
	X(connreqs_destroyed)		\
	X(conns_created)		\
	X(conns_destroyed)		\
	X(recvctxs_created)		\
	X(recvctxs_destroyed)		\
	X(sendctxs_created)		\
	X(sendctxs_destroyed)		\
	X(rwctxs_created)		\
	X(rwctxs_destroyed)		\
	X(readctxs_created)		\
	X(readctxs_destroyed)		\
	X(adverts_created)		\
	X(adverts_destroyed)		\
	X(advert_mrs_created)		\
	X(advert_mrs_destroyed)		\
	X(bc_xprts_created)		\
	X(bc_xprts_destroyed)		\
	X(conns_rejected)		\
	X(conns_vanished)		\
	X(conns_stalled)		\
	X(probes_sent)			\
	X(messages_received)		\
	X(inline_calls)			\
	X(nomsg_calls)			\
	X(msgp_calls)			\
	X(done_received)		\
	X(dones_unknown)		\
	X(bad_invalidations)		\
	X(errors_received)		\
	X(errors_sent)			\
	X(err_vers_sent)		\
	X(err_chunk_sent)		\
	X(err_bad_xdr_sent)		\
	X(err_inval_htype_sent)		\
	X(err_read_chunks_sent)		\
	X(err_write_chunks_sent)	\
	X(err_segments_sent)		\
	X(err_write_resource_sent)	\
	X(err_reply_resource_sent)	\
	X(err_system_sent)		\
	X(connprops_received)		\
	X(connprops_sent)		\
	X(messages_dropped)		\
	X(calls_with_read)		\
	X(reads_deferred)		\
	X(read_chunks)			\
	X(read_segments)		\
	X(position_zero_chunks)		\
	X(multi_segment_chunks)		\
	X(read_bytes)			\
	X(reads_posted)			\
	X(write_chunks)			\
	X(write_chunks_unused)		\
	X(reply_chunks)			\
	X(reply_chunks_unused)		\
	X(write_bytes)			\
	X(reply_bytes)			\
	X(writes_posted)		\
	X(replies_sent)			\
	X(inline_replies)		\
	X(nomsg_replies)		\
	X(pulled_up_replies)		\
	X(mapped_replies)		\
	X(remote_invalidations)		\
	X(replies_advertised)		\
	X(advertised_bytes)		\
	X(adverts_invalidated)		\
	X(adverts_expired)		\
	X(adverts_refused)		\
	X(reply_too_long)		\
	X(callbacks_sent)		\
	X(long_callbacks)		\
	X(callback_replies)		\
	X(callback_bad_replies)		\
	X(callback_late_replies)	\
	X(sq_starve)			\
	X(throttled)			\
	X(credits_grown)		\
	X(completion_errors)		\
	X(reads_failed)			\
	X(reads_unconfirmed)		\
	X(writes_failed)		\
	X(no_memory)

#define SVC_RDMA_COUNTER_ENUM(name) SVC_RDMA_STAT_##name,
enum svc_rdma_counter {
	SVC_RDMA_COUNTERS(SVC_RDMA_COUNTER_ENUM)
	SVC_RDMA_STATS,
};

struct svc_rdma_counters {
	u64 value[SVC_RDMA_STATS];
};

DECLARE_PER_CPU(struct svc_rdma_counters, svc_rdma_counters);

#define svc_rdma_add(name, n)						\
	this_cpu_add(svc_rdma_counters.value[SVC_RDMA_STAT_##name], (n))
#define svc_rdma_count(name)	svc_rdma_add(name, 1)

u64 svc_rdma_counter_sum(enum svc_rdma_counter counter);
void svc_rdma_stats_add_conn(struct svc_rdma_conn *conn);
void svc_rdma_stats_del_conn(struct svc_rdma_conn *conn);
void svc_rdma_stats_init(void);
void svc_rdma_stats_exit(void);

/* listen.c */
struct svc_xprt *svc_rdma_listen(struct svc_serv *serv, struct net *net,
				 struct sockaddr *sap, int salen, int flags);
struct svc_rdma_connreq *
svc_rdma_listener_next(struct svc_rdma_listener *listener);
void svc_rdma_connreq_free(struct svc_rdma_connreq *connreq);
void svc_rdma_connreq_reject(struct svc_rdma_connreq *connreq);

/* accept.c */
struct svc_xprt *svc_rdma_accept_conn(struct svc_xprt *xprt);

/* conn.c */
struct svc_rdma_conn *svc_rdma_conn_alloc(struct svc_serv *serv,
					  struct net *net,
					  struct rdma_cm_id *cm_id);
bool svc_rdma_conn_change(struct svc_rdma_conn *conn, enum svc_rdma_state to);
int svc_rdma_conn_handler(struct rdma_cm_id *cm_id,
			  struct rdma_cm_event *event);
void svc_rdma_conn_qp_event(struct ib_event *event, void *context);
void svc_rdma_conn_close(struct svc_rdma_conn *conn);
int svc_rdma_conn_has_wspace(struct svc_xprt *xprt);
void svc_rdma_conn_unthrottle(struct svc_rdma_conn *conn);
void svc_rdma_conn_kill(struct svc_xprt *xprt);
void svc_rdma_conn_detach(struct svc_xprt *xprt);
void svc_rdma_conn_free(struct svc_xprt *xprt);
int svc_rdma_conns_init(void);
void svc_rdma_conns_exit(void);

static inline bool svc_rdma_conn_closing(const struct svc_rdma_conn *conn)
{
	return atomic_read(&conn->state) == SVC_RDMA_CLOSING;
}

/* buffer.c */
void *svc_rdma_buf_alloc(u32 size, int node);
void svc_rdma_buf_free(void *buf, u32 size);
int svc_rdma_bufs_init(void);
void svc_rdma_bufs_exit(void);

/* recvctx.c */
int svc_rdma_recvs_init(struct svc_rdma_conn *conn);
int svc_rdma_recvs_begin(struct svc_rdma_conn *conn);
u32 svc_rdma_recvs_for(u32 grant);
void svc_rdma_recvs_adapt(struct svc_rdma_conn *conn);
void svc_rdma_recvs_destroy(struct svc_rdma_conn *conn);
void svc_rdma_recv_put(struct svc_rdma_conn *conn,
		       struct svc_rdma_recv_ctx *recv);
void svc_rdma_recv_release(struct svc_xprt *xprt, void *ctxt);

/* recvfrom.c */
int svc_rdma_call_receive(struct svc_rqst *rqstp);

/* read.c */
int svc_rdma_read_start(struct svc_rqst *rqstp, struct svc_rdma_conn *conn,
			struct svc_rdma_recv_ctx *recv);
int svc_rdma_read_resume(struct svc_rqst *rqstp,
			 struct svc_rdma_read_ctx *read);
int svc_rdma_read_finish(struct svc_rqst *rqstp,
			 struct svc_rdma_read_ctx *read);
void svc_rdma_read_free(struct svc_rdma_read_ctx *read);

/* readmem.c */
bool svc_rdma_read_charge(struct svc_rdma_read_ctx *read);
struct svc_rdma_read_ctx *
svc_rdma_read_next_charged(struct svc_rdma_conn *conn);
void svc_rdma_read_uncharge(struct svc_rdma_read_ctx *read);
void svc_rdma_read_defer(struct svc_rdma_read_ctx *read);

/* rw.c */
int svc_rdma_rw_pages(struct svc_rdma_conn *conn, struct list_head *rws,
		      const struct rpcrdma_segment *seg, struct page **pages,
		      u32 offset, enum dma_data_direction dir);
int svc_rdma_rw_kvec(struct svc_rdma_conn *conn, struct list_head *rws,
		     const struct rpcrdma_segment *seg, void *base,
		     enum dma_data_direction dir);
struct ib_send_wr *svc_rdma_rw_chain(struct svc_rdma_conn *conn,
				     struct list_head *rws, struct ib_cqe *cqe,
				     struct ib_send_wr *wr);
void svc_rdma_rw_failed(struct svc_rdma_conn *conn, const struct ib_wc *wc,
			enum dma_data_direction dir);
void svc_rdma_rw_init(struct svc_rdma_conn *conn);
void svc_rdma_rw_release(struct svc_rdma_conn *conn, struct list_head *rws);
void svc_rdma_rw_end(struct svc_rdma_conn *conn);

/* write.c */
int svc_rdma_payload_add(struct svc_rqst *rqstp, unsigned int offset,
			 unsigned int length);
int svc_rdma_payloads_check(struct svc_rdma_recv_ctx *recv,
			    struct svc_rqst *rqstp);
u32 svc_rdma_reduced_length(const struct svc_rdma_recv_ctx *recv,
			    const struct xdr_buf *xdr);
int svc_rdma_write_chunks(struct svc_rdma_send_ctx *send,
			  const struct svc_rdma_recv_ctx *recv,
			  const struct xdr_buf *xdr);
int svc_rdma_write_reply(struct svc_rdma_send_ctx *send,
			 const struct svc_rdma_recv_ctx *recv,
			 const struct xdr_buf *xdr);
typedef int svc_rdma_page_actor(void *data, struct page *page, u32 offset,
				u32 length);
int svc_rdma_each_page(const struct svc_rdma_recv_ctx *recv,
		       const struct xdr_buf *xdr, svc_rdma_page_actor *actor,
		       void *data);
u32 svc_rdma_count_pages(const struct svc_rdma_recv_ctx *recv,
			 const struct xdr_buf *xdr);
int svc_rdma_each_range(const struct svc_rdma_recv_ctx *recv,
			const struct xdr_buf *xdr,
			int (*actor)(void *data, const struct xdr_buf *xdr,
				     u32 offset, u32 length),
			void *data);

/* sendctx.c */
struct svc_rdma_send_ctx *svc_rdma_send_get(struct svc_rdma_conn *conn);
void svc_rdma_send_put(struct svc_rdma_send_ctx *send);
void svc_rdma_send_reset(struct svc_rdma_send_ctx *send);
int svc_rdma_send_post(struct svc_rdma_send_ctx *send, u32 len);
int svc_rdma_send_grow(struct svc_rdma_send_ctx *send, u32 used, u32 size);
int svc_rdma_send_hold_pages(struct svc_rdma_send_ctx *send,
			     struct page **pages, u32 npages);
void svc_rdma_sends_reap(struct work_struct *work);
void svc_rdma_sends_destroy(struct svc_rdma_conn *conn);

/* Bytes of a message that may be in the context's buffer */
static inline u32 svc_rdma_send_room(const struct svc_rdma_send_ctx *send)
{
	return min(send->size, send->limit);
}

/* sendto.c */
int svc_rdma_reply_send(struct svc_rqst *rqstp);

/* error.c */
void svc_rdma_error_reply(struct svc_rdma_conn *conn,
			  const struct svc_rdma_recv_ctx *recv);
int svc_rdma_error_send(struct svc_rdma_send_ctx *send,
			const struct svc_rdma_recv_ctx *recv);

/* backchannel.c */
bool svc_rdma_bc_is_reply(const struct svc_rdma_recv_ctx *recv);
void svc_rdma_bc_reply(struct svc_rdma_conn *conn,
		       struct svc_rdma_recv_ctx *recv);
void svc_rdma_bc_error(struct svc_rdma_conn *conn,
		       struct svc_rdma_recv_ctx *recv);
int svc_rdma_bc_init(void);
void svc_rdma_bc_exit(void);

#endif /* _SVC_RDMA_SVCRDMA_H */
