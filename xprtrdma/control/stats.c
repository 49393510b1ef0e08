// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters: a transport's line in mountstats, the module's counters and each
 * transport's state in debugfs.
 */

#include <linux/debugfs.h>
#include <linux/sunrpc/metrics.h>

#include "../conn.h"
#include "../stats.h"
#include "../xprt.h"
#include "control.h"
#include "../verbs/verbs.h"

DEFINE_PER_CPU(struct xprt_rdma_counters, xprt_rdma_counters);

#define COUNTER_NAME(name)	#name,
static const char * const counter_names[] = {
	XPRT_RDMA_COUNTERS(COUNTER_NAME)
};

static struct dentry *debugfs_dir;

/**
 * xprt_rdma_op_print_stats - a transport's line in /proc/self/mountstats
 * @xprt: transport
 * @seq: where to print it
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
	/* The last field counts replies that wait for a Send: none does. */
	seq_printf(seq, "%lu %lu %lu %lu %lu %lu\n",
		   s->mrs_recycled, s->mrs_orphaned, s->mrs_allocated,
		   s->local_inv_needed, s->empty_sendctx_q, 0UL);
}

static u64 xprt_rdma_counter_sum(enum xprt_rdma_counter counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(xprt_rdma_counters,
					 cpu).value[counter]);
	return sum;
}

static int xprt_rdma_stats_show(struct seq_file *seq, void *v)
{
	int i;

	for (i = 0; i < XPRT_RDMA_COUNTER_NR; i++)
		seq_printf(seq, "%s %llu\n", counter_names[i],
			   xprt_rdma_counter_sum(i));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(xprt_rdma_stats);

static void xprt_rdma_stats_show_peer(struct seq_file *seq,
				      const struct rpcrdma_props *peer)
{
	static const char * const reverse[] = {
		[RPCRDMA2_RVREQSUP_NONE]	= "none",
		[RPCRDMA2_RVREQSUP_INLINE]	= "inline",
		[RPCRDMA2_RVREQSUP_GENL]	= "general",
	};

	seq_printf(seq, "peer_receive_buffer_size %u\n", peer->recv_size);
	seq_printf(seq, "peer_reverse_request_support %s\n",
		   reverse[peer->reverse]);
	seq_printf(seq, "peer_read_replies %u\n", peer->read_replies);
	seq_printf(seq, "peer_header_types 0x%x\n", peer->htypes);
}

static void
xprt_rdma_stats_show_change(struct seq_file *seq,
			    const struct xprt_rdma_prop_change *change)
{
	static const char * const resize[XPRT_RDMA_RESIZE_STATES] = {
		[XPRT_RDMA_RESIZE_NONE]		= "none",
		[XPRT_RDMA_RESIZE_GROW]		= "grow",
		[XPRT_RDMA_RESIZE_POSTING]	= "posting",
		[XPRT_RDMA_RESIZE_QUIESCE]	= "quiesce",
		[XPRT_RDMA_RESIZE_ANNOUNCE]	= "announce",
		[XPRT_RDMA_RESIZE_CONFIRM]	= "confirm",
		[XPRT_RDMA_RESIZE_ANSWERS]	= "answers",
		[XPRT_RDMA_RESIZE_DRAIN]	= "drain",
	};

	seq_printf(seq, "resize %s\n", resize[change->state]);
	seq_printf(seq, "changes %u\n", change->on);
}

static void xprt_rdma_stats_show_conn(struct seq_file *seq,
				      const struct xprt_rdma_conn *conn)
{
	const struct xprt_rdma_version *ver = READ_ONCE(conn->ver);

	seq_printf(seq, "state %s\n", xprt_rdma_state_name(conn->life.state));
	seq_printf(seq, "device %s\n",
		   conn->device ? dev_name(&conn->device->dev) : "none");
	seq_printf(seq, "peer_hint %s\n", rpcrdma_hint_name(conn->peer.hint));
	seq_printf(seq, "version %u\n", ver ? ver->number : 0);
	seq_printf(seq, "credits_asked %u\n", conn->credits.max);
	seq_printf(seq, "credits_granted %u\n", conn->credits.granted);
	seq_printf(seq, "inline_send %u\n", conn->sizes.inline_send);
	seq_printf(seq, "inline_recv %u\n", conn->sizes.inline_recv);
	seq_printf(seq, "receive_buffer_size %u\n",
		   ver && ver->has_props ? conn->change.told : conn->recvs.size);
	if (ver && ver->has_props) {
		xprt_rdma_stats_show_peer(seq, &conn->peer.props);
		xprt_rdma_stats_show_change(seq, &conn->change);
	}
	seq_printf(seq, "peer_align %u\n", conn->peer.align);
	seq_printf(seq, "peer_remote_invalidation %u\n", conn->peer.remote_inv);
	seq_printf(seq, "read_replies %u\n", conn->reads.replies);
	seq_printf(seq, "dones %u\n", conn->reads.dones);
	seq_printf(seq, "mr_depth %u\n", conn->mrs.depth);
	seq_printf(seq, "mrs %u\n", conn->mrs.count);
	seq_printf(seq, "mrs_busy %u\n", conn->mrs.busy);
	seq_printf(seq, "mrs_max %u\n", conn->mrs.max);
	seq_printf(seq, "sq_size %u\n", conn->sq.size);
	seq_printf(seq, "sq_avail %d\n", atomic_read(&conn->sq.avail));
	seq_printf(seq, "receives %u\n", conn->recvs.count);
	seq_printf(seq, "receives_posted %u\n", conn->recvs.posted);
	seq_printf(seq, "receives_bytes %u\n", conn->recvs.bytes);
}

static int xprt_rdma_xprt_show(struct seq_file *seq, void *v)
{
	struct xprt_rdma *r_xprt = seq->private;
	const struct rpc_xprt *xprt = &r_xprt->xprt;

	seq_printf(seq, "address %s\n",
		   xprt->address_strings[RPC_DISPLAY_ADDR]);
	seq_printf(seq, "port %s\n", xprt->address_strings[RPC_DISPLAY_PORT]);
	seq_printf(seq, "requests %u\n", r_xprt->reqs_count);
	seq_printf(seq, "requests_max %u\n", xprt->max_reqs);
	seq_printf(seq, "cwnd %lu\n", xprt->cwnd >> RPC_CWNDSHIFT);
	seq_printf(seq, "cong %lu\n", xprt->cong >> RPC_CWNDSHIFT);
	seq_printf(seq, "backchannel_requests %u\n", r_xprt->bc_reqs);
	seq_printf(seq, "backchannel_calls %lu\n", r_xprt->stats.bcall_count);
	seq_printf(seq, "connections_lost %lu\n", r_xprt->stats.lost_count);
	spin_lock(&r_xprt->conn_lock);
	if (r_xprt->conn)
		xprt_rdma_stats_show_conn(seq, r_xprt->conn);
	else
		seq_puts(seq, "state none\n");
	spin_unlock(&r_xprt->conn_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(xprt_rdma_xprt);

/**
 * xprt_rdma_debugfs_add - create a transport's file in debugfs
 * @r_xprt: transport
 *
 * Context: process.
 */
void xprt_rdma_debugfs_add(struct xprt_rdma *r_xprt)
{
	char name[16];

	snprintf(name, sizeof(name), "xprt-%u", r_xprt->xprt.id);
	r_xprt->debugfs = debugfs_create_file(name, 0400, debugfs_dir, r_xprt,
					      &xprt_rdma_xprt_fops);
}

/**
 * xprt_rdma_debugfs_remove - undo xprt_rdma_debugfs_add()
 * @r_xprt: transport
 *
 * Context: process; waits for readers.
 */
void xprt_rdma_debugfs_remove(struct xprt_rdma *r_xprt)
{
	debugfs_remove(r_xprt->debugfs);
}

/**
 * xprt_rdma_stats_init - create the module's folder and counters in debugfs
 *
 * Context: process.
 * Return: 0; without debugfs, nothing is created.
 */
int xprt_rdma_stats_init(void)
{
	debugfs_dir = debugfs_create_dir("xprtrdma", NULL);
	debugfs_create_file("stats", 0444, debugfs_dir, NULL,
			    &xprt_rdma_stats_fops);
	return 0;
}

/**
 * xprt_rdma_stats_exit - undo xprt_rdma_stats_init()
 *
 * Context: process.
 */
void xprt_rdma_stats_exit(void)
{
	debugfs_remove_recursive(debugfs_dir);
}
