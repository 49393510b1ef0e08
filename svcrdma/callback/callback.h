/* SPDX-License-Identifier: GPL-2.0-only */
/* The callback layer: reverse-direction calls and their replies. */
#ifndef _SVC_RDMA_CALLBACK_H
#define _SVC_RDMA_CALLBACK_H

#include <linux/sunrpc/xprt.h>

#include "../conn.h"
#include "../recv_ctx.h"
#include "../send_ctx.h"

/* backchannel.c */
void svc_rdma_bc_answered(struct svc_rdma_conn *conn,
			  struct svc_rdma_recv_ctx *recv,
			  struct svc_rdma_advert *advert);
void svc_rdma_bc_complete(struct rpc_xprt *xprt, __be32 xid,
			  int (*take)(struct rpc_rqst *req, const void *reply),
			  const void *reply);
int svc_rdma_bc_init(void);
void svc_rdma_bc_exit(void);

#endif /* _SVC_RDMA_CALLBACK_H */
