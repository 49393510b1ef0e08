// SPDX-License-Identifier: GPL-2.0-only
/* Counters: a transport's line in mountstats, and the module's in debugfs. */

#include <linux/sunrpc/metrics.h>

#include <rpcrdma/counters.h>

#include "../stats.h"
#include "../xprt.h"
#include "control.h"

RPCRDMA_COUNTERS(xprt_rdma, "xprtrdma", XPRT_RDMA_COUNTERS);

/**
 * xprt_rdma_op_print_stats - print a transport's line of /proc/self/mountstats
 * @xprt: transport
 * @seq: output
 *
 * 27 fields in the order that nfs-utils' mountstats expects.
 *
 * Context: process.
 */
void xprt_rdma_op_print_stats(struct rpc_xprt *xprt, struct seq_file *seq)
{
	const struct xprt_rdma_stats *s = &to_r_xprt(xprt)->stats;
	long idle = 0;

	if (xprt_connected(xprt))
		idle = (long)(jiffies - xprt->last_used) / HZ;

	/* The first field is the local port, which has no meaning here. */
	seq_printf(seq,
		   "\txprt:\trdma %u %lu %lu %lu %ld %lu %lu %lu %llu %llu ", 0,
		   xprt->stat.bind_count, xprt->stat.connect_count,
		   xprt->stat.connect_time / HZ, idle, xprt->stat.sends,
		   xprt->stat.recvs, xprt->stat.bad_xids, xprt->stat.req_u,
		   xprt->stat.bklog_u);
	seq_printf(seq, "%lu %lu %lu %llu %llu %llu %llu %lu %lu %lu %lu ",
		   s->read_chunk_count, s->write_chunk_count,
		   s->reply_chunk_count, s->total_rdma_request,
		   s->total_rdma_reply, s->pullup_copy_count,
		   s->fixup_copy_count, s->hardway_register_count,
		   s->failed_marshal_count, s->bad_reply_count,
		   s->nomsg_call_count);
	/* The last field counts replies that wait for a Send: there are none. */
	seq_printf(seq, "%lu %lu %lu %lu %lu %lu\n",
		   s->mrs_recycled, s->mrs_orphaned, s->mrs_allocated,
		   s->local_inv_needed, s->empty_sendctx_q, 0UL);
}
