// SPDX-License-Identifier: GPL-2.0-only
/* The module's counters, and the list of its connections that netlink dumps. */

#include <rpcrdma/counters.h>

#include "control.h"

DEFINE_PER_CPU(struct svc_rdma_counters, svc_rdma_counters);

#define SVC_RDMA_COUNTER_NAME(name) #name,
static const char * const svc_rdma_counter_names[] = {
	SVC_RDMA_COUNTERS(SVC_RDMA_COUNTER_NAME)
};

static struct rpcrdma_counters svc_rdma_counter_table = {
	.folder	= "svcrdma",
	.names	= svc_rdma_counter_names,
	.values	= (u64 __percpu *)&svc_rdma_counters,
	.n	= SVC_RDMA_STATS,
};

static DEFINE_MUTEX(svc_rdma_conns_mutex);
static LIST_HEAD(svc_rdma_conns);
static u32 svc_rdma_conns_last;

/**
 * svc_rdma_counter_sum - get the value of a counter
 * @counter: counter
 *
 * Context: any.
 * Return: the sum over all processors; exact if the counter does not change
 * meanwhile.
 */
u64 svc_rdma_counter_sum(enum svc_rdma_counter counter)
{
	return rpcrdma_counters_sum(&svc_rdma_counter_table, counter);
}

/**
 * svc_rdma_stats_each_conn - call a function for each connection
 * @each: function; a return value other than 0 ends the loop
 * @data: passed to @each
 *
 * Connections come in the order of their numbers. None is released meanwhile.
 *
 * Context: process.
 * Return: return value of the last call of @each, or 0.
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
 * svc_rdma_stats_add_conn - show a connection by netlink
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
 * svc_rdma_stats_init - show the module's counters in debugfs
 *
 * Context: module initialization.
 * Return: 0; without debugfs, nothing is created.
 */
int svc_rdma_stats_init(void)
{
	rpcrdma_counters_add(&svc_rdma_counter_table);
	return 0;
}

/**
 * svc_rdma_stats_exit - undo svc_rdma_stats_init()
 *
 * Context: module exit.
 */
void svc_rdma_stats_exit(void)
{
	rpcrdma_counters_remove(&svc_rdma_counter_table);
}
