/* SPDX-License-Identifier: GPL-2.0-only */
/* Trace points of what both transports share: properties that change. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rpcrdma_core

#if !defined(_TRACE_RPCRDMA_CORE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_RPCRDMA_CORE_H

#include <linux/tracepoint.h>
#include <rpcrdma/exchange.h>
#include <rpcrdma/trace.h>

DECLARE_EVENT_CLASS(rpcrdma_exchange_message,
	TP_PROTO(const struct rpcrdma_exchange *x, __be32 xid, u32 type,
		 u32 value),
	TP_ARGS(x, xid, type, value),
	TP_STRUCT__entry(
		__string(peer, x->name)
		__field(u32, xid)
		__field(u32, type)
		__field(u32, value)
	),
	TP_fast_assign(
		rpcrdma_assign_str(peer, x->name);
		__entry->xid = be32_to_cpu(xid);
		__entry->type = type;
		__entry->value = value;
	),
	TP_printk("peer=%s xid=0x%08x type=%u value=%u", __get_str(peer),
		  __entry->xid, __entry->type, __entry->value)
);

#define DEFINE_RPCRDMA_EXCHANGE_EVENT(name)				\
	DEFINE_EVENT(rpcrdma_exchange_message, rpcrdma_exchange_##name,	\
		TP_PROTO(const struct rpcrdma_exchange *x, __be32 xid,	\
			 u32 type, u32 value),				\
		TP_ARGS(x, xid, type, value))

DEFINE_RPCRDMA_EXCHANGE_EVENT(received);
DEFINE_RPCRDMA_EXCHANGE_EVENT(sent);

TRACE_EVENT(rpcrdma_exchange_state,
	TP_PROTO(const struct rpcrdma_exchange *x, unsigned int to),
	TP_ARGS(x, to),
	TP_STRUCT__entry(
		__string(peer, x->name)
		__field(unsigned int, from)
		__field(unsigned int, to)
		__field(u32, told)
		__field(u32, size)
	),
	TP_fast_assign(
		rpcrdma_assign_str(peer, x->name);
		__entry->from = x->state;
		__entry->to = to;
		__entry->told = x->own.recv_size;
		__entry->size = x->size;
	),
	TP_printk("peer=%s %u -> %u told=%u size=%u", __get_str(peer),
		  __entry->from, __entry->to, __entry->told, __entry->size)
);

#endif /* _TRACE_RPCRDMA_CORE_H */

#include <trace/define_trace.h>
