/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints of the client transport. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM xprtrdma

#if !defined(_TRACE_XPRTRDMA_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_XPRTRDMA_H

#include <linux/tracepoint.h>
#include <rpcrdma/cid.h>
#include <rpcrdma/trace.h>

struct xprt_rdma;
struct xprt_rdma_conn;
struct xprt_rdma_req;
struct xprt_rdma_recv_ctx;
struct rpcrdma_hdr;
struct ib_wc;

TRACE_EVENT(xprtrdma_state,
	TP_PROTO(const struct xprt_rdma_conn *conn, unsigned int from,
		 unsigned int to, int error),
	TP_ARGS(conn, from, to, error),
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

#define WC_PROTO							\
	TP_PROTO(const struct xprt_rdma_conn *conn, const char *what,	\
		 const struct ib_wc *wc)
#define WC_ARGS		TP_ARGS(conn, what, wc)

DECLARE_EVENT_CLASS(xprtrdma_wc, WC_PROTO, WC_ARGS,
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

DEFINE_EVENT(xprtrdma_wc, xprtrdma_wc_send, WC_PROTO, WC_ARGS);
/* Flushed Work Requests are not traced: an earlier failure explains them. */
DEFINE_EVENT_CONDITION(xprtrdma_wc, xprtrdma_wc_error, WC_PROTO, WC_ARGS,
		       TP_CONDITION(wc->status != IB_WC_WR_FLUSH_ERR));

/* The connection cannot end: the caller holds XPRT_LOCKED or handles a completion. */
#define REQ_PROTO	TP_PROTO(const struct xprt_rdma_req *req)
#define REQ_ARGS	TP_ARGS(req)

DECLARE_EVENT_CLASS(xprtrdma_req, REQ_PROTO, REQ_ARGS,
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(u32, xid)
		__field(u32, cq_id)
		__field(u32, completion_id)
		__field(unsigned int, call_len)
		__field(unsigned int, reply_max)
		__field(unsigned int, rtype)
		__field(unsigned int, wtype)
		__field(u32, mrs)
	),
	TP_fast_assign(
		__entry->xprt = req->r_xprt->xprt.id;
		__entry->xid = be32_to_cpu(req->rqst.rq_xid);
		__entry->cq_id = req->r_xprt->conn->cq->res.id;
		__entry->completion_id = rpcrdma_cid(&req->send_cqe);
		__entry->call_len = req->rqst.rq_snd_buf.len;
		__entry->reply_max = req->rqst.rq_rcv_buf.buflen;
		__entry->rtype = req->rtype;
		__entry->wtype = req->wtype;
		__entry->mrs = req->nr_mrs;
	),
	TP_printk("xprt=%u xid=0x%08x cq.id=%u cid=%u call=%u reply<=%u rtype=%s wtype=%s mrs=%u",
		  __entry->xprt, __entry->xid, __entry->cq_id,
		  __entry->completion_id, __entry->call_len,
		  __entry->reply_max,
		  __print_symbolic(__entry->rtype, { 0, "inline" },
				   { 1, "read" }, { 2, "long" },
				   { 3, "long+read" }),
		  __print_symbolic(__entry->wtype, { 0, "inline" },
				   { 1, "write" }, { 2, "reply" },
				   { 3, "read" }),
		  __entry->mrs)
);

DEFINE_EVENT(xprtrdma_req, xprtrdma_marshal, REQ_PROTO, REQ_ARGS);
DEFINE_EVENT(xprtrdma_req, xprtrdma_send, REQ_PROTO, REQ_ARGS);
DEFINE_EVENT(xprtrdma_req, xprtrdma_bc_call, REQ_PROTO, REQ_ARGS);
DEFINE_EVENT(xprtrdma_req, xprtrdma_bc_reply, REQ_PROTO, REQ_ARGS);

#define MESSAGE_PROTO							\
	TP_PROTO(const struct xprt_rdma *r_xprt, __be32 xid, int status)
#define MESSAGE_ARGS	TP_ARGS(r_xprt, xid, status)

DECLARE_EVENT_CLASS(xprtrdma_message, MESSAGE_PROTO, MESSAGE_ARGS,
	TP_STRUCT__entry(
		__field(unsigned int, xprt)
		__field(u32, xid)
		__field(int, status)
	),
	TP_fast_assign(
		__entry->xprt = r_xprt->xprt.id;
		__entry->xid = be32_to_cpu(xid);
		__entry->status = status;
	),
	TP_printk("xprt=%u xid=0x%08x status=%d", __entry->xprt, __entry->xid,
		  __entry->status)
);

DEFINE_EVENT(xprtrdma_message, xprtrdma_marshal_failed, MESSAGE_PROTO,
	     MESSAGE_ARGS);
DEFINE_EVENT(xprtrdma_message, xprtrdma_reply_complete, MESSAGE_PROTO,
	     MESSAGE_ARGS);
DEFINE_EVENT_PRINT(xprtrdma_message, xprtrdma_read, MESSAGE_PROTO, MESSAGE_ARGS,
	TP_printk("xprt=%u xid=0x%08x segments=%u", __entry->xprt, __entry->xid,
		  __entry->status));
DEFINE_EVENT(xprtrdma_message, xprtrdma_read_end, MESSAGE_PROTO, MESSAGE_ARGS);
DEFINE_EVENT_PRINT(xprtrdma_message, xprtrdma_done, MESSAGE_PROTO, MESSAGE_ARGS,
	TP_printk("xprt=%u xid=0x%08x invalidate=0x%08x", __entry->xprt,
		  __entry->xid, __entry->status));
DEFINE_EVENT_PRINT(xprtrdma_message, xprtrdma_error_sent, MESSAGE_PROTO,
	MESSAGE_ARGS,
	TP_printk("xprt=%u xid=0x%08x err=%u", __entry->xprt, __entry->xid,
		  __entry->status));

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

#endif /* _TRACE_XPRTRDMA_H */

#include <trace/define_trace.h>
