// SPDX-License-Identifier: GPL-2.0-only
/* Counters of the module and the state of its connections, in debugfs. */

#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "../version/version.h"
#include "control.h"

DEFINE_PER_CPU(struct svc_rdma_counters, svc_rdma_counters);

#define SVC_RDMA_COUNTER_NAME(name) #name,
static const char * const svc_rdma_counter_names[] = {
	SVC_RDMA_COUNTERS(SVC_RDMA_COUNTER_NAME)
};

static const char * const svc_rdma_state_names[] = {
	[SVC_RDMA_NEW]		= "new",
	[SVC_RDMA_ACCEPTED]	= "accepted",
	[SVC_RDMA_OPEN]		= "open",
	[SVC_RDMA_CLOSING]	= "closing",
};

static struct dentry *svc_rdma_dir;
static DEFINE_MUTEX(svc_rdma_conns_mutex);
static LIST_HEAD(svc_rdma_conns);
static u32 svc_rdma_conns_last;

/**
 * svc_rdma_counter_sum - get the value of a counter
 * @counter: counter
 *
 * Context: any.
 * Return: the sum over all CPUs; exact if the counter does not change
 * meanwhile.
 */
u64 svc_rdma_counter_sum(enum svc_rdma_counter counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(svc_rdma_counters, cpu).value[counter];
	return sum;
}

static int svc_rdma_stats_show(struct seq_file *m, void *v)
{
	int i;

	for (i = 0; i < SVC_RDMA_STATS; i++)
		seq_printf(m, "%s %llu\n", svc_rdma_counter_names[i],
			   svc_rdma_counter_sum(i));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(svc_rdma_stats);

static const char * const svc_rdma_reverse_names[] = {
	[RPCRDMA2_RVREQSUP_NONE]	= "none",
	[RPCRDMA2_RVREQSUP_INLINE]	= "inline",
	[RPCRDMA2_RVREQSUP_GENL]	= "general",
};

/* The requester's properties, or the defaults */
static void svc_rdma_props_show(struct seq_file *m, struct svc_rdma_conn *conn)
{
	const struct rpcrdma_props *peer = &conn->peer.props;

	if (READ_ONCE(conn->ver) != &svc_rdma_v2)
		return;
	seq_printf(m, " props %s peer_recv_size %u peer_reverse %s peer_remote_inv %d peer_read_replies %d peer_htypes 0x%x",
		   conn->peer.known ?
		   "received" : "default", peer->recv_size,
		   svc_rdma_reverse_names[peer->reverse], peer->remote_inv,
		   peer->read_replies, peer->htypes);
}

static void svc_rdma_conn_show(struct seq_file *m, struct svc_rdma_conn *conn)
{
	const struct svc_rdma_version *ver = READ_ONCE(conn->ver);

	seq_printf(m, "%s %s %pISpc version %u %s", conn->xprt.xpt_remotebuf,
		   conn->dev->name, (struct sockaddr *)&conn->xprt.xpt_local,
		   ver->number,
		   svc_rdma_state_names[atomic_read(&conn->life.state)]);
	seq_printf(m, " peer_hint %s", rpcrdma_hint_name(conn->peer.hint));
	seq_printf(m, " credits %u/%u recv_size %u send_size %u remote_inv %d",
		   conn->credits.grant, conn->credits.max, conn->recvs.size,
		   conn->sizes.send, conn->peer.remote_inv);
	seq_printf(m, " recvs %u sends %u+%u reply_pages %d sq %u/%u",
		   conn->recvs.total, atomic_read(&conn->sends.busy),
		   conn->sends.nidle, atomic_read(&conn->sends.pages),
		   conn->sq.avail, conn->sq.depth);
	seq_printf(m, " read_pages %u reads %u/%u", conn->reads.pages,
		   conn->read_queue.out, conn->read_queue.ord);
	seq_printf(m, " recv_told %u recv_changing %u recv_charge %llu",
		   conn->change.told, conn->recvs.unfit, conn->tuning.charge);
	seq_printf(m, " read_replies %d advertised %u awaiting_done %u advertised_bytes %llu",
		   conn->peer.read_replies, conn->adverts.count,
		   conn->adverts.awaiting_done, conn->adverts.bytes);
	seq_printf(m, " callbacks %d", !!conn->xprt.xpt_bc_xprt);
	svc_rdma_props_show(m, conn);
	seq_puts(m, "\n");
}

static int svc_rdma_connections_show(struct seq_file *m, void *v)
{
	struct svc_rdma_conn *conn;

	mutex_lock(&svc_rdma_conns_mutex);
	list_for_each_entry(conn, &svc_rdma_conns, life.entry)
		svc_rdma_conn_show(m, conn);
	mutex_unlock(&svc_rdma_conns_mutex);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(svc_rdma_connections);

/**
 * svc_rdma_stats_each_conn - call a function for each connection
 * @each: function; a return value other than 0 ends the loop
 * @data: passed to @each
 *
 * Connections come in the order of their numbers. None is released meanwhile.
 *
 * Context: process.
 * Return: what the last call of @each has returned, or 0.
 */
int svc_rdma_stats_each_conn(int (*each)(struct svc_rdma_conn *conn,
					 void *data),
			     void *data)
{
	struct svc_rdma_conn *conn;
	int ret = 0;

	mutex_lock(&svc_rdma_conns_mutex);
	list_for_each_entry(conn, &svc_rdma_conns, life.entry) {
		ret = each(conn, data);
		if (ret)
			break;
	}
	mutex_unlock(&svc_rdma_conns_mutex);
	return ret;
}

/**
 * svc_rdma_stats_add_conn - show a connection in debugfs and by netlink
 * @conn: connection, with its resources
 *
 * Context: process.
 */
void svc_rdma_stats_add_conn(struct svc_rdma_conn *conn)
{
	mutex_lock(&svc_rdma_conns_mutex);
	conn->life.since = ktime_get_seconds();
	conn->life.id = ++svc_rdma_conns_last;
	list_add_tail(&conn->life.entry, &svc_rdma_conns);
	mutex_unlock(&svc_rdma_conns_mutex);
}

/**
 * svc_rdma_stats_del_conn - stop showing a connection
 * @conn: connection, shown or not
 *
 * Context: process.
 */
void svc_rdma_stats_del_conn(struct svc_rdma_conn *conn)
{
	mutex_lock(&svc_rdma_conns_mutex);
	list_del_init(&conn->life.entry);
	mutex_unlock(&svc_rdma_conns_mutex);
}

/**
 * svc_rdma_stats_init - create the debugfs directory svcrdma and its files
 *
 * Context: module initialization.
 * Return: 0; without debugfs, nothing is created.
 */
int svc_rdma_stats_init(void)
{
	svc_rdma_dir = debugfs_create_dir("svcrdma", NULL);
	debugfs_create_file("stats", 0444, svc_rdma_dir, NULL,
			    &svc_rdma_stats_fops);
	debugfs_create_file("connections", 0444, svc_rdma_dir, NULL,
			    &svc_rdma_connections_fops);
	return 0;
}

/**
 * svc_rdma_stats_exit - remove the debugfs directory
 *
 * Context: module exit.
 */
void svc_rdma_stats_exit(void)
{
	debugfs_remove_recursive(svc_rdma_dir);
}
