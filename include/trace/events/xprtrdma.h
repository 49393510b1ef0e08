/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints of the client transport. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM xprtrdma

#if !defined(_TRACE_XPRTRDMA_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_XPRTRDMA_H

#include <linux/tracepoint.h>
#include <rpcrdma/cid.h>
#include <rpcrdma/extensions.h>
#ifdef RPCRDMA_EXT_CONF
#include <rpcrdma/conf.h>
#endif
#include <rpcrdma/trace.h>

struct xprt_rdma_conn;
struct xprt_rdma_req;
struct xprt_rdma_recv_ctx;
struct xprt_rdma_read_ctx;
struct rpcrdma_hdr;
struct rpcrdma_props;
struct ib_wc;

/*
 * Attempts at illegal transitions, by events that come too late, are not
 * traced.
 */
TRACE_EVENT_CONDITION(xprtrdma_state,
	TP_PROTO(const struct xprt_rdma_conn *conn, unsigned int from,
		 unsigned int to, int error, bool legal),
	TP_ARGS(conn, from, to, error, legal),
	TP_CONDITION(legal),
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(unsigned int, from)
		__field(unsigned int, to)
		__field(int, error)
		__string(addr, conn->r_xprt->xprt.address_strings[RPC_DISPLAY_ADDR])
		__string(port, conn->r_xprt->xprt.address_strings[RPC_DISPLAY_PORT])
	),
	TP_fast_assign(
		__entry->xprt = conn->r_xprt->xprt.id;
		__entry->from = from;
		__entry->to = to;
		__entry->error = error;
		rpcrdma_assign_str(addr, conn->r_xprt->xprt.address_strings[RPC_DISPLAY_ADDR]);
		rpcrdma_assign_str(port, conn->r_xprt->xprt.address_strings[RPC_DISPLAY_PORT]);
	),
	TP_printk("xprt=%u peer=[%s]:%s %u -> %u error=%d", __entry->xprt,
		  __get_str(addr), __get_str(port), __entry->from, __entry->to,
		  __entry->error)
);

TRACE_EVENT(xprtrdma_credits,
	TP_PROTO(const struct xprt_rdma_conn *conn, u32 grant),
	TP_ARGS(conn, grant),
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(u32, before)
		__field(u32, grant)
	),
	TP_fast_assign(
		__entry->xprt = conn->r_xprt->xprt.id;
		__entry->before = conn->credits.granted;
		__entry->grant = grant;
	),
	TP_printk("xprt=%u credits %u -> %u", __entry->xprt, __entry->before,
		  __entry->grant)
);

/* Flushed Work Requests are not traced: an earlier one has failed. */
TRACE_EVENT_CONDITION(xprtrdma_wc_error,
	TP_PROTO(const struct xprt_rdma_conn *conn, const char *what,
		 const struct ib_wc *wc),
	TP_ARGS(conn, what, wc),
	TP_CONDITION(wc->status != IB_WC_WR_FLUSH_ERR),
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(const char *, what)
		__field(u32, cq_id)
		__field(u32, completion_id)
		__field(unsigned int, status)
		__field(u32, vendor_err)
	),
	TP_fast_assign(
		__entry->xprt = conn->r_xprt->xprt.id;
		__entry->cq_id = conn->cq->res.id;
		__entry->completion_id = rpcrdma_cid(wc->wr_cqe);
		__entry->what = what;
		__entry->status = wc->status;
		__entry->vendor_err = wc->status ? wc->vendor_err : 0;
	),
	TP_printk("xprt=%u %s cq.id=%u cid=%u status=%u vendor_err=0x%x",
		  __entry->xprt, __entry->what, __entry->cq_id,
		  __entry->completion_id, __entry->status,
		  __entry->vendor_err)
);

TRACE_EVENT(xprtrdma_wc_send,
	TP_PROTO(const struct xprt_rdma_conn *conn, const struct ib_wc *wc),
	TP_ARGS(conn, wc),
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(u32, cq_id)
		__field(u32, completion_id)
		__field(unsigned int, status)
	),
	TP_fast_assign(
		__entry->xprt = conn->r_xprt->xprt.id;
		__entry->cq_id = conn->cq->res.id;
		__entry->completion_id = rpcrdma_cid(wc->wr_cqe);
		__entry->status = wc->status;
	),
	TP_printk("xprt=%u cq.id=%u cid=%u status=%u", __entry->xprt,
		  __entry->cq_id, __entry->completion_id, __entry->status)
);

DECLARE_EVENT_CLASS(xprtrdma_req,
	TP_PROTO(const struct xprt_rdma_req *req),
	TP_ARGS(req),
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(u32, xid)
		__field(unsigned int, call_len)
		__field(unsigned int, reply_max)
		__field(unsigned int, rtype)
		__field(unsigned int, wtype)
		__field(u32, mrs)
	),
	TP_fast_assign(
		__entry->xprt = req->r_xprt->xprt.id;
		__entry->xid = be32_to_cpu(req->rqst.rq_xid);
		__entry->call_len = req->rqst.rq_snd_buf.len;
		__entry->reply_max = req->rqst.rq_rcv_buf.buflen;
		__entry->rtype = req->rtype;
		__entry->wtype = req->wtype;
		__entry->mrs = req->nr_mrs;
	),
	TP_printk("xprt=%u xid=0x%08x call=%u reply<=%u rtype=%s wtype=%s mrs=%u",
		  __entry->xprt, __entry->xid, __entry->call_len,
		  __entry->reply_max,
		  __print_symbolic(__entry->rtype, { 0, "inline" },
				   { 1, "read" }, { 2, "long" },
				   { 3, "long+read" }),
		  __print_symbolic(__entry->wtype, { 0, "inline" },
				   { 1, "write" }, { 2, "reply" },
				   { 3, "read" }),
		  __entry->mrs)
);

#define DEFINE_XPRTRDMA_REQ_EVENT(name)				\
	DEFINE_EVENT(xprtrdma_req, xprtrdma_##name,		\
		TP_PROTO(const struct xprt_rdma_req *req),	\
		TP_ARGS(req))

DEFINE_XPRTRDMA_REQ_EVENT(marshal);
DEFINE_XPRTRDMA_REQ_EVENT(bc_call);

/* The caller holds XPRT_LOCKED, so the connection stays. */
DECLARE_EVENT_CLASS(xprtrdma_post,
	TP_PROTO(const struct xprt_rdma_req *req),
	TP_ARGS(req),
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(u32, xid)
		__field(u32, cq_id)
		__field(u32, completion_id)
		__field(unsigned int, call_len)
		__field(u32, mrs)
	),
	TP_fast_assign(
		__entry->xprt = req->r_xprt->xprt.id;
		__entry->xid = be32_to_cpu(req->rqst.rq_xid);
		__entry->cq_id = req->r_xprt->conn->cq->res.id;
		__entry->completion_id = rpcrdma_cid(&req->send_cqe);
		__entry->call_len = req->rqst.rq_snd_buf.len;
		__entry->mrs = req->nr_mrs;
	),
	TP_printk("xprt=%u xid=0x%08x cq.id=%u cid=%u len=%u mrs=%u",
		  __entry->xprt, __entry->xid, __entry->cq_id,
		  __entry->completion_id, __entry->call_len, __entry->mrs)
);

#define DEFINE_XPRTRDMA_POST_EVENT(name)			\
	DEFINE_EVENT(xprtrdma_post, xprtrdma_##name,		\
		TP_PROTO(const struct xprt_rdma_req *req),	\
		TP_ARGS(req))

DEFINE_XPRTRDMA_POST_EVENT(send);
DEFINE_XPRTRDMA_POST_EVENT(bc_reply);

DECLARE_EVENT_CLASS(xprtrdma_req_status,
	TP_PROTO(const struct xprt_rdma_req *req, int status),
	TP_ARGS(req, status),
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(u32, xid)
		__field(int, status)
	),
	TP_fast_assign(
		__entry->xprt = req->r_xprt->xprt.id;
		__entry->xid = be32_to_cpu(req->rqst.rq_xid);
		__entry->status = status;
	),
	TP_printk("xprt=%u xid=0x%08x status=%d", __entry->xprt, __entry->xid,
		  __entry->status)
);

#define DEFINE_XPRTRDMA_REQ_STATUS_EVENT(name)				\
	DEFINE_EVENT(xprtrdma_req_status, xprtrdma_##name,		\
		TP_PROTO(const struct xprt_rdma_req *req, int status),	\
		TP_ARGS(req, status))

DEFINE_XPRTRDMA_REQ_STATUS_EVENT(marshal_failed);
DEFINE_XPRTRDMA_REQ_STATUS_EVENT(reply_complete);

TRACE_EVENT(xprtrdma_reply,
	TP_PROTO(const struct xprt_rdma_req *req,
		 const struct xprt_rdma_recv_ctx *recv),
	TP_ARGS(req, recv),
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(u32, xid)
		__field(u32, cq_id)
		__field(u32, completion_id)
		__field(u32, type)
		__field(u32, credits)
		__field(u32, len)
		__field(u64, written)
		__field(int, error)
	),
	TP_fast_assign(
		__entry->xprt = req->r_xprt->xprt.id;
		__entry->xid = be32_to_cpu(recv->hdr.xid);
		__entry->cq_id = recv->conn->cq->res.id;
		__entry->completion_id = rpcrdma_cid(&recv->cqe);
		__entry->type = recv->hdr.type;
		__entry->credits = recv->hdr.credits;
		__entry->len = recv->hdr.len;
		__entry->written = recv->hdr.writes.bytes + recv->hdr.reply.bytes;
		__entry->error = recv->error;
	),
	TP_printk("xprt=%u xid=0x%08x cq.id=%u cid=%u type=%u credits=%u len=%u written=%llu error=%d",
		  __entry->xprt, __entry->xid, __entry->cq_id,
		  __entry->completion_id, __entry->type, __entry->credits,
		  __entry->len, __entry->written, __entry->error)
);

TRACE_DEFINE_ENUM(RPCRDMA_HINT_NONE);
TRACE_DEFINE_ENUM(RPCRDMA_HINT_V1);
TRACE_DEFINE_ENUM(RPCRDMA_HINT_V2);
TRACE_DEFINE_ENUM(RPCRDMA_HINT_V2_OTHER);

TRACE_EVENT(xprtrdma_hint,
	TP_PROTO(const struct xprt_rdma_conn *conn, bool offer),
	TP_ARGS(conn, offer),
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(u32, hint)
		__field(bool, offer)
	),
	TP_fast_assign(
		__entry->xprt = conn->r_xprt->xprt.id;
		__entry->hint = conn->peer.hint;
		__entry->offer = offer;
	),
	TP_printk("xprt=%u hint=%s offer=%u", __entry->xprt,
		  __print_symbolic(__entry->hint,
				   { RPCRDMA_HINT_NONE, "none" },
				   { RPCRDMA_HINT_V1, "version-1" },
				   { RPCRDMA_HINT_V2, "version-2" },
				   { RPCRDMA_HINT_V2_OTHER, "other" }),
		  __entry->offer)
);

TRACE_EVENT(xprtrdma_version,
	TP_PROTO(const struct xprt_rdma_conn *conn, u32 version),
	TP_ARGS(conn, version),
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(u32, version)
	),
	TP_fast_assign(
		__entry->xprt = conn->r_xprt->xprt.id;
		__entry->version = version;
	),
	TP_printk("xprt=%u version=%u", __entry->xprt, __entry->version)
);

DECLARE_EVENT_CLASS(xprtrdma_props,
	TP_PROTO(const struct xprt_rdma_conn *conn,
		 const struct rpcrdma_props *props),
	TP_ARGS(conn, props),
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(u32, recv_size)
		__field(u32, reverse)
		__field(bool, remote_inv)
		__field(bool, read_replies)
		__field(u32, htypes)
	),
	TP_fast_assign(
		__entry->xprt = conn->r_xprt->xprt.id;
		__entry->recv_size = props->recv_size;
		__entry->reverse = props->reverse;
		__entry->remote_inv = props->remote_inv;
		__entry->read_replies = props->read_replies;
		__entry->htypes = props->htypes;
	),
	TP_printk("xprt=%u recv_size=%u reverse=%u remote_inv=%d read_replies=%d htypes=0x%x",
		  __entry->xprt, __entry->recv_size, __entry->reverse,
		  __entry->remote_inv, __entry->read_replies, __entry->htypes)
);

#define DEFINE_XPRTRDMA_PROPS_EVENT(name)			\
	DEFINE_EVENT(xprtrdma_props, xprtrdma_##name,		\
		TP_PROTO(const struct xprt_rdma_conn *conn,	\
			 const struct rpcrdma_props *props),	\
		TP_ARGS(conn, props))

DEFINE_XPRTRDMA_PROPS_EVENT(props_sent);
DEFINE_XPRTRDMA_PROPS_EVENT(props_received);

#ifdef RPCRDMA_EXT_CONF
TRACE_EVENT(xprtrdma_conf_sent,
	TP_PROTO(const struct xprt_rdma_conn *conn,
		 const struct rpcrdma_conf_req *ours),
	TP_ARGS(conn, ours),
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(u32, xid)
		__field(u32, maxcall)
		__field(u32, maxreply)
		__field(u32, maxread)
	),
	TP_fast_assign(
		__entry->xprt = conn->r_xprt->xprt.id;
		__entry->xid = be32_to_cpu(conn->conf.xid);
		__entry->maxcall = ours->maxcall_sendsize;
		__entry->maxreply = ours->maxreply_sendsize;
		__entry->maxread = ours->maxrdmaread;
	),
	TP_printk("xprt=%u xid=0x%08x maxcall=%u maxreply=%u maxrdmaread=%u",
		  __entry->xprt, __entry->xid, __entry->maxcall,
		  __entry->maxreply, __entry->maxread)
);

TRACE_EVENT(xprtrdma_conf_received,
	TP_PROTO(const struct xprt_rdma_conn *conn,
		 const struct rpcrdma_conf_res *res),
	TP_ARGS(conn, res),
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(u32, xid)
		__field(bool, refused)
		__field(u32, maxcall)
		__field(u32, align)
		__field(u32, maxread)
	),
	TP_fast_assign(
		__entry->xprt = conn->r_xprt->xprt.id;
		__entry->xid = be32_to_cpu(conn->conf.xid);
		__entry->refused = !res;
		__entry->maxcall = res ? res->maxcall_sendsize : 0;
		__entry->align = res ? res->align : 0;
		__entry->maxread = res ? res->maxrdmaread : 0;
	),
	TP_printk("xprt=%u xid=0x%08x refused=%d maxcall=%u align=%u maxrdmaread=%u",
		  __entry->xprt, __entry->xid, __entry->refused,
		  __entry->maxcall, __entry->align, __entry->maxread)
);
#endif

TRACE_EVENT(xprtrdma_error,
	TP_PROTO(const struct xprt_rdma_req *req, const struct rpcrdma_hdr *hdr,
		 bool again),
	TP_ARGS(req, hdr, again),
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(u32, xid)
		__field(u32, version)
		__field(u32, err)
		__field(u32, index)
		__field(u32, value)
		__field(bool, again)
	),
	TP_fast_assign(
		__entry->xprt = req->r_xprt->xprt.id;
		__entry->xid = be32_to_cpu(hdr->xid);
		__entry->version = hdr->version;
		__entry->err = hdr->err;
		__entry->index = hdr->err_index;
		__entry->value = hdr->err_value;
		__entry->again = again;
	),
	TP_printk("xprt=%u xid=0x%08x version=%u err=%u index=%u value=%u again=%d",
		  __entry->xprt, __entry->xid, __entry->version, __entry->err,
		  __entry->index, __entry->value, __entry->again)
);

TRACE_EVENT(xprtrdma_read,
	TP_PROTO(const struct xprt_rdma_conn *conn, __be32 xid,
		 const struct rpcrdma_list *reads, bool notify),
	TP_ARGS(conn, xid, reads, notify),
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(u32, xid)
		__field(u32, segments)
		__field(u64, bytes)
		__field(bool, notify)
	),
	TP_fast_assign(
		__entry->xprt = conn->r_xprt->xprt.id;
		__entry->xid = be32_to_cpu(xid);
		__entry->segments = reads ? reads->segments : 0;
		__entry->bytes = reads ? reads->bytes : 0;
		__entry->notify = notify;
	),
	TP_printk("xprt=%u xid=0x%08x segments=%u bytes=%llu notify=%d",
		  __entry->xprt, __entry->xid, __entry->segments,
		  __entry->bytes, __entry->notify)
);

TRACE_EVENT(xprtrdma_read_end,
	TP_PROTO(const struct xprt_rdma_conn *conn, __be32 xid, int status),
	TP_ARGS(conn, xid, status),
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(u32, xid)
		__field(int, status)
	),
	TP_fast_assign(
		__entry->xprt = conn->r_xprt->xprt.id;
		__entry->xid = be32_to_cpu(xid);
		__entry->status = status;
	),
	TP_printk("xprt=%u xid=0x%08x status=%d", __entry->xprt, __entry->xid,
		  __entry->status)
);

TRACE_EVENT(xprtrdma_done,
	TP_PROTO(const struct xprt_rdma_conn *conn, __be32 xid, u32 handle),
	TP_ARGS(conn, xid, handle),
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(u32, xid)
		__field(u32, handle)
	),
	TP_fast_assign(
		__entry->xprt = conn->r_xprt->xprt.id;
		__entry->xid = be32_to_cpu(xid);
		__entry->handle = handle;
	),
	TP_printk("xprt=%u xid=0x%08x invalidate=0x%08x", __entry->xprt,
		  __entry->xid, __entry->handle)
);

TRACE_EVENT(xprtrdma_error_sent,
	TP_PROTO(const struct xprt_rdma_conn *conn, __be32 xid, u32 err),
	TP_ARGS(conn, xid, err),
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(u32, xid)
		__field(u32, err)
	),
	TP_fast_assign(
		__entry->xprt = conn->r_xprt->xprt.id;
		__entry->xid = be32_to_cpu(xid);
		__entry->err = err;
	),
	TP_printk("xprt=%u xid=0x%08x err=%u", __entry->xprt, __entry->xid,
		  __entry->err)
);

#endif /* _TRACE_XPRTRDMA_H */

#include <trace/define_trace.h>
