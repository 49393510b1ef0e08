/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of a transport, and of the module. */
#ifndef _XPRTRDMA_STATS_H
#define _XPRTRDMA_STATS_H

#include <linux/percpu.h>
#include <linux/types.h>

/**
 * struct xprt_rdma_stats - counters of one transport, for mountstats
 * @read_chunk_count: Read list entries sent
 * @write_chunk_count: segments of Write chunks sent
 * @reply_chunk_count: segments of Reply chunks sent
 * @total_rdma_request: bytes offered for results in Write and Reply chunks
 * @total_rdma_reply: bytes received through chunks
 * @pullup_copy_count: bytes of calls that were copied
 * @fixup_copy_count: bytes of replies that were copied to pages
 * @hardway_register_count: bytes of buffers that had to be enlarged
 * @failed_marshal_count: calls that could not be marshaled
 * @bad_reply_count: replies that could not be used
 * @nomsg_call_count: long calls
 * @mrs_recycled: regions given up because their state was unknown
 * @mrs_orphaned: regions invalidated because their RPC ended without a reply
 * @mrs_allocated: regions created
 * @local_inv_needed: local invalidations
 * @empty_sendctx_q: calls that had to wait for Send Queue entries
 * @lost_count: connections lost
 * @read_call_count: calls with Read chunks
 * @write_call_count: calls with Write chunks
 * @reply_call_count: calls with a Reply chunk
 * @read_reply_count: replies that the server provided in Read chunks
 *
 * Each counter has one writer at a time: the holder of XPRT_LOCKED, of
 * reserve_lock (@hardway_register_count), of conn_lock (@mrs_orphaned) or of the
 * connection's mrs.lock (@local_inv_needed, @mrs_recycled), or the completion
 * handlers. The counters from @read_call_count on are for netlink; inline calls
 * and replies do not change them.
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
	unsigned long		lost_count;
	unsigned long		read_call_count;
	unsigned long		write_call_count;
	unsigned long		reply_call_count;
	unsigned long		read_reply_count;
};

/*
 * Counters of the module, by their names in debugfs. A counter whose name ends
 * in _now is the number of objects that exist.
 */
#define XPRT_RDMA_COUNTERS(_)			\
	_(xprts_now)				\
	_(conns_now)				\
	_(offers_unanswered)			\
	_(deferred_ids_now)			\
	_(reach_reqs_now)			\
	_(qps_now)				\
	_(reqs_now)				\
	_(regbufs_now)				\
	_(mrs_now)				\
	_(recvs_now)				\
	_(sends_now)				\
	_(read_ctxs_now)			\
	_(connects_v1)				\
	_(connects_v2)				\
	_(fallbacks_remembered)			\
	_(conf_answered)			\
	_(conf_refused)				\
	_(props_bad)				\
	_(recvs_grown)				\
	_(connects_failed)			\
	_(connects_repeated)			\
	_(disconnects)				\
	_(stalls)				\
	_(probes_sent)				\
	_(conns_vanished)			\
	_(calls_padded)				\
	_(reply_chunks_avoided)			\
	_(replies_read)				\
	_(dones_sent)				\
	_(replies_unknown_xid)			\
	_(calls_abandoned)			\
	_(replies_early)			\
	_(errors_received)			\
	_(calls_resent)				\
	_(remote_invalidations)			\
	_(bc_calls)				\
	_(bc_calls_read)			\
	_(bc_replies_written)			\
	_(bc_invalidations)			\
	_(bc_dropped)				\
	_(errors_sent)				\
	_(messages_ignored)

#define XPRT_RDMA_COUNTER_ID(name)	XPRT_RDMA_COUNTER_##name,
enum xprt_rdma_counter {
	XPRT_RDMA_COUNTERS(XPRT_RDMA_COUNTER_ID)
	XPRT_RDMA_COUNTER_NR
};

DECLARE_PER_CPU(u64[XPRT_RDMA_COUNTER_NR], xprt_rdma_counters);
#define xprt_rdma_count_add(name, n) \
	this_cpu_add(xprt_rdma_counters[XPRT_RDMA_COUNTER_##name], (n))
#define xprt_rdma_count(name)	xprt_rdma_count_add(name, 1)

#endif /* _XPRTRDMA_STATS_H */
