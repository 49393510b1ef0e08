/* SPDX-License-Identifier: GPL-2.0-only */
/* The control layer: the transport as sunrpc and the administrator see it. */
#ifndef _XPRTRDMA_CONTROL_H
#define _XPRTRDMA_CONTROL_H

#include "../conn.h"
#include "../xprt.h"

struct seq_file;

/* tunables.c */
int xprt_rdma_tunables_register(void);
void xprt_rdma_tunables_unregister(void);

/* transport.c */
extern struct xprt_class xprt_rdma_class;

/* conn_events.c */
int xprt_rdma_conn_cm_event(struct rdma_cm_id *id, struct rdma_cm_event *event);

/* connect.c; timeouts of address and route resolution, in ms */
#define XPRT_RDMA_ADDR_MS	500
#define XPRT_RDMA_ROUTE_MS	5000
int xprt_rdma_connect_init(void);
void xprt_rdma_connect_exit(void);
void xprt_rdma_connect_work(struct work_struct *work);
void xprt_rdma_op_connect(struct rpc_xprt *xprt, struct rpc_task *task);

/**
 * struct xprt_rdma_reach - periodic requests that check whether the server
 * answers
 * @r_xprt: transport
 * @req: request without an answer so far, or NULL
 * @due: when the next request is sent (jiffies)
 * @interval: time from the last request to the next (jiffies)
 * @missed: a request was not answered
 * @heard: end of the interval in which the last answer arrived (jiffies), or 0
 */
struct xprt_rdma_reach {
	struct xprt_rdma		*r_xprt;
	struct xprt_rdma_reach_req	*req;
	unsigned long			due;
	unsigned long			interval;
	unsigned long			heard;
	bool				missed;
};

/* reach.c */
void xprt_rdma_reach_begin(struct xprt_rdma_reach *reach,
			   struct xprt_rdma *r_xprt, bool first);
bool xprt_rdma_reach_lost(struct xprt_rdma_reach *reach);
bool xprt_rdma_reach_heard(const struct xprt_rdma_reach *reach,
			   unsigned long within);
void xprt_rdma_reach_end(struct xprt_rdma_reach *reach);

/* disconnect.c */
void xprt_rdma_disconnect(struct xprt_rdma *r_xprt);

/* early.c */
extern const struct xprt_rdma_conn_ops xprt_rdma_control_ops;

/* watch.c */
void xprt_rdma_watch_work(struct work_struct *work);
void xprt_rdma_watch_start(struct xprt_rdma *r_xprt);
void xprt_rdma_watch_stop(struct xprt_rdma *r_xprt);
void xprt_rdma_watch_wake(struct xprt_rdma *r_xprt);

/* Have the connection checked, now that something is outstanding. */
static inline void xprt_rdma_watch(struct xprt_rdma *r_xprt)
{
	if (unlikely(!READ_ONCE(r_xprt->watch.running)))
		xprt_rdma_watch_wake(r_xprt);
}

/* history.c */
void xprt_rdma_history_ended(struct xprt_rdma *r_xprt,
			     const struct xprt_rdma_conn *conn, u32 cause);
void xprt_rdma_history_wanted(struct xprt_rdma *r_xprt);
void xprt_rdma_history_failed(struct xprt_rdma *r_xprt, int error);
void xprt_rdma_history_connected(struct xprt_rdma *r_xprt);

/* oldest.c */
enum rpcrdma_nl_stage xprt_rdma_oldest(struct xprt_rdma *r_xprt, u32 *age);

/* probe.c */
void xprt_rdma_probe_check(struct xprt_rdma_conn *conn);
void xprt_rdma_probe_begin(struct xprt_rdma *r_xprt);
void xprt_rdma_probe_first(struct xprt_rdma_conn *conn);
unsigned long xprt_rdma_probe_interval(struct xprt_rdma_conn *conn);

/* stats.c */
void xprt_rdma_op_print_stats(struct rpc_xprt *xprt, struct seq_file *seq);
extern struct rpcrdma_counters xprt_rdma_counter_table;

/* netlink.c */
int xprt_rdma_netlink_put(struct sk_buff *skb, struct rpcrdma_nl_entry *entry);

#endif /* _XPRTRDMA_CONTROL_H */
