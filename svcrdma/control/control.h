/* SPDX-License-Identifier: GPL-2.0-only */
/* The control layer: the transport as sunrpc and the administrator see it. */
#ifndef _SVC_RDMA_CONTROL_H
#define _SVC_RDMA_CONTROL_H

#include <linux/sunrpc/svc_xprt.h>
#include <rdma/rdma_cm.h>

#include <rpcrdma/counters.h>

#include "../conn.h"
#include "../counters.h"
#include "../listener.h"

/* tunables.c */
void svc_rdma_tunables_check(void);
int svc_rdma_tunables_init(void);
void svc_rdma_tunables_exit(void);

/* stats.c */
extern struct rpcrdma_counters svc_rdma_counter_table;

/* ended.c */
void svc_rdma_ended_conn(struct svc_rdma_conn *conn);
void svc_rdma_ended_refused(const struct rdma_cm_id *cm_id, u32 cause);

/* netlink.c */
int svc_rdma_netlink_put(struct sk_buff *skb, struct rpcrdma_nl_entry *entry);

/* listen.c */
struct svc_xprt *svc_rdma_listen(struct svc_serv *serv, struct net *net,
				 struct sockaddr *sap, int salen, int flags);
struct svc_rdma_conn *svc_rdma_listener_next(struct svc_rdma_listener *listener);
bool svc_rdma_listener_remove(struct svc_rdma_conn *conn);

/* accept.c */
void svc_rdma_conn_set_limits(struct svc_rdma_conn *conn,
			      const struct rdma_conn_param *param);
void svc_rdma_conn_refuse(struct svc_rdma_conn *conn, u32 cause);
struct svc_xprt *svc_rdma_accept_conn(struct svc_xprt *xprt);

/* conn.c */
struct svc_rdma_conn *svc_rdma_conn_alloc(struct svc_serv *serv,
					  struct net *net,
					  struct rdma_cm_id *cm_id);
void svc_rdma_conn_free(struct svc_xprt *xprt);

/* conn_events.c */
int svc_rdma_conn_handler(struct rdma_cm_id *cm_id,
			  struct rdma_cm_event *event);
void svc_rdma_conn_qp_event(struct ib_event *event, void *context);
void svc_rdma_conn_kill(struct svc_xprt *xprt);
void svc_rdma_conn_detach(struct svc_xprt *xprt);

/* watch.c */
void svc_rdma_watch_init(struct svc_rdma_conn *conn);
void svc_rdma_watch_start(struct svc_rdma_conn *conn);
void svc_rdma_watch_stop(struct svc_rdma_conn *conn);

#endif /* _SVC_RDMA_CONTROL_H */
