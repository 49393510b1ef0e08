/* SPDX-License-Identifier: GPL-2.0-only */
/* A request: the transport's state of one RPC. */
#ifndef _XPRTRDMA_REQ_H
#define _XPRTRDMA_REQ_H

#include <linux/kref.h>
#include <linux/sunrpc/xprt.h>

#include <rdma/ib_verbs.h>

#include <rpcrdma/codec.h>

#include "limits.h"
#include "regbuf.h"

struct xprt_rdma;
struct xprt_rdma_recv_ctx;

/* How a call is sent (rtype) */
enum xprt_rdma_rtype {
	XPRT_RDMA_CALL_INLINE,
	XPRT_RDMA_CALL_DDP,  /* payload in a Read chunk, the rest inline */
	XPRT_RDMA_CALL_LONG, /* all in a position-zero Read chunk: RDMA_NOMSG */
};

/* How the reply may be returned (wtype) */
enum xprt_rdma_wtype {
	XPRT_RDMA_REPLY_INLINE,
	XPRT_RDMA_REPLY_WRITE, /* payload in a Write chunk */
	XPRT_RDMA_REPLY_LONG,  /* whole reply in a Reply chunk */
	XPRT_RDMA_REPLY_READ,  /* inline, or in the peer's Read chunks */
};

/**
 * struct xprt_rdma_limits - restrictions of an RPC that follow from the peer's
 * errors
 * @segments: limit of segments per chunk, or 0
 * @no_reads: the call may use no Read chunk other than a position-zero one
 * @reply_chunk: the call must provide a Reply chunk, even for a short reply
 */
struct xprt_rdma_limits {
	u32	segments;
	bool	no_reads;
	bool	reply_chunk;
};

/**
 * struct xprt_rdma_callback - the parts of a callback that its reply needs
 * @serial: number of the connection that the call arrived on
 * @inv_handle: the peer's handle that the reply invalidates, or 0
 * @chunks: header of the call; only its Write list and Reply chunk are still
 *	valid
 * @lists: copy of the Write list and the Reply chunk
 * @npages: number of @pages in use
 * @pages: rest of a call that is longer than the request's buffer
 */
struct xprt_rdma_callback {
	u32			serial;
	u32			inv_handle;
	struct rpcrdma_hdr	chunks;
	u8			lists[XPRT_RDMA_BC_LISTS];
	u32			npages;
	struct page		*pages[XPRT_RDMA_BC_CALL_MAX / PAGE_SIZE];
};

/**
 * struct xprt_rdma_req - a request: the transport's state of one RPC
 * @rqst: sunrpc's part; the first member
 * @ref: references: one held by the RPC layer, one by each Send in flight
 * @r_xprt: transport
 * @list: entry of the transport's list of free requests
 * @all: entry of the transport's list of all requests
 * @hdr: transport header, and room for a call that is pulled up
 * @snd: the call's XDR buffer (rq_buffer)
 * @rcv: the reply's XDR buffer (rq_rbuffer), never mapped as a whole
 * @mrs: regions that the peer may access, in the order of the chunk lists
 * @nr_mrs: number of regions that marshaling the call added to @mrs
 * @rtype: how the call is sent
 * @wtype: how the reply may be returned
 * @tail: the part of the call's tail that is sent inline
 * @tail_len: bytes of @tail
 * @page_len: bytes of the page list that are sent inline
 * @inline_len: bytes that are sent inline, after the transport header
 * @data_at: bytes from the start of the transport header to the data of an
 *	RDMA_MSGP; 0 for other types
 * @offered: bytes; length of each segment of the Write or Reply chunk
 * @nr_offered: number of entries in @offered
 * @limits: restrictions that follow from the peer's errors
 * @recv: Receive of the reply, while the reply is processed
 * @unanswered: the call was posted on this connection, and is not answered yet:
 *	only such a call matches a reply. Set with release semantics, after the
 *	sender's other stores.
 * @invalidation: entry of the connection's list of invalidations in flight
 * @inv_cqe: completion of the invalidation of all @mrs
 * @send_nr: number of the last Send, which selects its entry in the
 *	connection's ring of Sends in flight
 * @send_cqe: completion of the Send
 * @send_wr: Work Request of the Send
 * @sges: gather list of @send_wr
 * @first_mapped: index in @sges of the first page of @pages
 * @mapped: number of @pages
 * @pages: pages that @sges refers to, each mapped for DMA and referenced
 * @writes: RDMA Writes that precede the Send: a list of struct rpcrdma_rw
 * @write_wrs: Work Requests that @writes need
 * @release: called instead of adding the request to the free list, or NULL
 * @cb: the parts of a callback that its reply needs; NULL for other requests
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
	void			*tail;
	u32			tail_len;
	u32			page_len;
	u32			inline_len;
	u32			data_at;
	u32			offered[XPRT_RDMA_MAX_SEGS];
	u32			nr_offered;
	struct xprt_rdma_limits	limits;

	struct xprt_rdma_recv_ctx *recv;
	bool			unanswered;
	struct list_head	invalidation;
	struct ib_cqe		inv_cqe;

	u32			send_nr;
	struct ib_cqe		send_cqe;
	struct ib_send_wr	send_wr;
	struct ib_sge		sges[XPRT_RDMA_MAX_SGES];
	u32			first_mapped;
	u32			mapped;
	struct page		*pages[XPRT_RDMA_MAX_SGES];
	struct list_head	writes;
	u32			write_wrs;
	void (*release)(struct xprt_rdma_req *req);
	struct xprt_rdma_callback *cb;
};

#define rqst_to_req(r) container_of(r, struct xprt_rdma_req, rqst)

/*
 * Is the Send in flight? It holds a reference until its completion was handled.
 * kref_put() makes the handler's stores visible.
 */
static inline bool xprt_rdma_send_in_flight(const struct xprt_rdma_req *req)
{
	return atomic_read_acquire(&req->ref.refcount.refs) > 1;
}

/* Did errors of the peer restrict this RPC? */
static inline bool xprt_rdma_limited(const struct xprt_rdma_req *req)
{
	return req->limits.segments || req->limits.no_reads ||
	       req->limits.reply_chunk;
}

#endif /* _XPRTRDMA_REQ_H */
