/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Extensions: what the core path calls of each. All that is specific to an
 * extension is in its file, which can be left out of a build.
 */
#ifndef _SVC_RDMA_EXT_H
#define _SVC_RDMA_EXT_H

#include <rpcrdma/extensions.h>

#include "../conn.h"
#include "../listener.h"
#include "../recv_ctx.h"

/* conf.c */
#ifdef RPCRDMA_EXT_CONF
bool svc_rdma_conf_receive(struct svc_rdma_conn *conn,
			   const struct svc_rdma_recv_ctx *recv);
#else
static inline bool svc_rdma_conf_receive(struct svc_rdma_conn *conn,
					 const struct svc_rdma_recv_ctx *recv)
{
	return false;
}
#endif

/* rpcbind.c */
#ifdef RPCRDMA_EXT_RPCBIND
struct svc_rdma_rpcbind *svc_rdma_rpcbind_register(struct svc_serv *serv,
						   struct net *net,
						   const struct sockaddr *sap);
void svc_rdma_rpcbind_unregister(struct svc_rdma_rpcbind *rpcbind);
int svc_rdma_rpcbind_init(void);
void svc_rdma_rpcbind_exit(void);
#else
static inline struct svc_rdma_rpcbind *
svc_rdma_rpcbind_register(struct svc_serv *serv, struct net *net,
			  const struct sockaddr *sap)
{
	return NULL;
}

static inline void svc_rdma_rpcbind_unregister(struct svc_rdma_rpcbind *rpcbind)
{
}

static inline int svc_rdma_rpcbind_init(void)
{
	return 0;
}

static inline void svc_rdma_rpcbind_exit(void)
{
}
#endif

#endif /* _SVC_RDMA_EXT_H */
