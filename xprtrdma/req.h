/* SPDX-License-Identifier: GPL-2.0-only */
/* A request: what one RPC needs of the transport. */
#ifndef _XPRTRDMA_REQ_H
#define _XPRTRDMA_REQ_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/sunrpc/xprt.h>

#include <rdma/ib_verbs.h>

#include <rpcrdma/codec.h>

#include "limits.h"
#include "regbuf.h"

struct xprt_rdma;
struct xprt_rdma_recv_ctx;

/* How the call travels, and how the reply is to come back. */
enum xprt_rdma_rtype {
	XPRT_RDMA_CALL_INLINE,		/* RDMA_MSG, no Read list */
	XPRT_RDMA_CALL_DDP,		/* RDMA_MSG, payload in a Read chunk */
	XPRT_RDMA_CALL_LONG,		/* RDMA_NOMSG, position-zero chunk */
	XPRT_RDMA_CALL_LONG_DDP,	/* the same and a data Read chunk */
};

enum xprt_rdma_wtype {
	XPRT_RDMA_REPLY_INLINE,
	XPRT_RDMA_REPLY_WRITE, /* payload in a Write chunk */
	XPRT_RDMA_REPLY_LONG,  /* whole reply in a Reply chunk */
	XPRT_RDMA_REPLY_READ,  /* inline, or in the peer's Read chunk */
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
 * struct xprt_rdma_callback - what the reply to a callback needs of its call
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
 * @release: called instead of returning it to the free list, or NULL
 * @cb: of a backchannel request, or NULL
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
	void (*release)(struct xprt_rdma_req *req);
	struct xprt_rdma_callback *cb;
};

#define rqst_to_req(r) container_of(r, struct xprt_rdma_req, rqst)

/* Has the peer refused this RPC in some form? */
static inline bool xprt_rdma_limited(const struct xprt_rdma_req *req)
{
	return req->limits.segments || req->limits.no_reads ||
	       req->limits.no_writes;
}

#endif /* _XPRTRDMA_REQ_H */
