/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints of the server transport. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM svcrdma

#if !defined(_TRACE_SVCRDMA_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_SVCRDMA_H

#include <linux/tracepoint.h>
#include <rpcrdma/cid.h>
#include <rpcrdma/trace.h>
#include <rdma/ib_verbs.h>
#include <rdma/ib_cm.h>
#include <rdma/rdma_cm.h>

#include <linux/sunrpc/svc_xprt.h>
#include <rpcrdma/codec.h>

#include <trace/misc/rdma.h>

struct svc_rdma_conn;
struct svc_rdma_recv_ctx;

TRACE_EVENT(svc_rdma_state,
	TP_PROTO(const struct svc_xprt *xprt, int from, int to),
	TP_ARGS(xprt, from, to),
	TP_STRUCT__entry(
		__string(addr, xprt->xpt_remotebuf)
		__field(int, from)
		__field(int, to)
	),
	TP_fast_assign(
		rpcrdma_assign_str(addr, xprt->xpt_remotebuf);
		__entry->from = from;
		__entry->to = to;
	),
	TP_printk("addr=%s from=%d to=%d", __get_str(addr), __entry->from,
		  __entry->to)
);

#define WC_PROTO							\
	TP_PROTO(const struct svc_xprt *xprt, const struct ib_cq *cq,	\
		 const struct ib_wc *wc)
#define WC_ARGS		TP_ARGS(xprt, cq, wc)

DECLARE_EVENT_CLASS(svc_rdma_wc, WC_PROTO, WC_ARGS,
	TP_STRUCT__entry(
		__string(addr, xprt->xpt_remotebuf)
		__field(u32, cq_id)
		__field(u32, completion_id)
		__field(unsigned long, status)
		__field(u32, vendor_err)
	),
	TP_fast_assign(
		rpcrdma_assign_str(addr, xprt->xpt_remotebuf);
		__entry->cq_id = cq->res.id;
		__entry->completion_id = rpcrdma_cid(wc->wr_cqe);
		__entry->status = wc->status;
		__entry->vendor_err = wc->status ? wc->vendor_err : 0;
	),
	TP_printk("addr=%s cq.id=%u cid=%u status=%s vendor_err=0x%x",
		  __get_str(addr), __entry->cq_id, __entry->completion_id,
		  rdma_show_wc_status(__entry->status), __entry->vendor_err)
);

DEFINE_EVENT(svc_rdma_wc, svc_rdma_wc_error, WC_PROTO, WC_ARGS);
DEFINE_EVENT(svc_rdma_wc, svc_rdma_wc_read, WC_PROTO, WC_ARGS);
DEFINE_EVENT(svc_rdma_wc, svc_rdma_wc_send, WC_PROTO, WC_ARGS);

TRACE_EVENT(svc_rdma_received,
	TP_PROTO(const struct svc_rdma_conn *conn,
		 const struct svc_rdma_recv_ctx *recv, int status),
	TP_ARGS(conn, recv, status),
	TP_STRUCT__entry(
		__string(addr, conn->xprt.xpt_remotebuf)
		__field(u32, cq_id)
		__field(u32, completion_id)
		__field(u32, xid)
		__field(u32, version)
		__field(u32, credits)
		__field(u32, type)
		__field(u32, flags)
		__field(u32, reads)
		__field(u32, writes)
		__field(u32, reply)
		__field(u32, len)
		__field(int, status)
	),
	TP_fast_assign(
		const struct rpcrdma_hdr *hdr = &recv->hdr;

		rpcrdma_assign_str(addr, conn->xprt.xpt_remotebuf);
		__entry->cq_id = conn->recv_cq.cq->res.id;
		__entry->completion_id = rpcrdma_cid(&recv->cqe);
		__entry->xid = be32_to_cpu(hdr->xid);
		__entry->version = hdr->version;
		__entry->credits = hdr->credits;
		__entry->type = hdr->type;
		__entry->flags = hdr->flags;
		__entry->reads = hdr->reads.segments;
		__entry->writes = hdr->writes.chunks;
		__entry->reply = hdr->reply.chunks;
		__entry->len = hdr->len;
		__entry->status = status;
	),
	TP_printk("addr=%s xid=0x%08x cq.id=%u cid=%u version=%u credits=%u type=%u flags=0x%x read_segments=%u write_chunks=%u reply_chunks=%u len=%u status=%d",
		  __get_str(addr), __entry->xid, __entry->cq_id,
		  __entry->completion_id, __entry->version,
		  __entry->credits, __entry->type, __entry->flags,
		  __entry->reads, __entry->writes, __entry->reply,
		  __entry->len, __entry->status)
);

/* The Send may have been released, so only the address of @cqe is used. */
TRACE_EVENT(svc_rdma_sent,
	TP_PROTO(const struct svc_rdma_conn *conn, const struct ib_cqe *cqe,
		 u32 xid, u32 len, u32 wrs, int status),
	TP_ARGS(conn, cqe, xid, len, wrs, status),
	TP_STRUCT__entry(
		__string(addr, conn->xprt.xpt_remotebuf)
		__field(u32, cq_id)
		__field(u32, completion_id)
		__field(u32, xid)
		__field(u32, len)
		__field(u32, wrs)
		__field(int, status)
	),
	TP_fast_assign(
		rpcrdma_assign_str(addr, conn->xprt.xpt_remotebuf);
		__entry->cq_id = conn->sq.cq->res.id;
		__entry->completion_id = rpcrdma_cid(cqe);
		__entry->xid = xid;
		__entry->len = len;
		__entry->wrs = wrs;
		__entry->status = status;
	),
	TP_printk("addr=%s xid=0x%08x cq.id=%u cid=%u len=%u wrs=%u status=%d",
		  __get_str(addr), __entry->xid, __entry->cq_id,
		  __entry->completion_id, __entry->len, __entry->wrs,
		  __entry->status)
);

TRACE_EVENT(svc_rdma_error,
	TP_PROTO(const struct svc_xprt *xprt, __be32 xid, u32 code, u32 index,
		 u32 value),
	TP_ARGS(xprt, xid, code, index, value),
	TP_STRUCT__entry(
		__string(addr, xprt->xpt_remotebuf)
		__field(u32, xid)
		__field(u32, code)
		__field(u32, index)
		__field(u32, value)
	),
	TP_fast_assign(
		rpcrdma_assign_str(addr, xprt->xpt_remotebuf);
		__entry->xid = be32_to_cpu(xid);
		__entry->code = code;
		__entry->index = index;
		__entry->value = value;
	),
	TP_printk("addr=%s xid=0x%08x code=%u index=%u value=%u",
		  __get_str(addr), __entry->xid, __entry->code, __entry->index,
		  __entry->value)
);

#endif /* _TRACE_SVCRDMA_H */

#include <trace/define_trace.h>
