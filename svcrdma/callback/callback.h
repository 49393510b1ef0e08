/* SPDX-License-Identifier: GPL-2.0-only */
/* The callback layer: reverse-direction calls and their replies. */
#ifndef _SVC_RDMA_CALLBACK_H
#define _SVC_RDMA_CALLBACK_H

#include "../conn.h"
#include "../recv_ctx.h"
#include "../send_ctx.h"

struct rpc_rqst;
struct svc_rdma_advert;

/* backchannel.c */
extern const struct svc_rdma_callback_ops svc_rdma_callback_ops;

int svc_rdma_bc_init(void);
void svc_rdma_bc_exit(void);

/* callback_chunks.c */
int svc_rdma_callback_chunks_build(struct svc_rdma_send_ctx *send,
				   struct rpc_rqst *rqst);
struct svc_rdma_advert *
svc_rdma_callback_chunks_take(struct svc_rdma_conn *conn, u32 xid,
			      struct svc_rdma_recv_ctx *recv);
void svc_rdma_callback_chunks_forget(struct svc_rdma_conn *conn, u32 xid);
int svc_rdma_callback_chunks_length(const struct svc_rdma_advert *advert,
				    const struct rpcrdma_hdr *hdr);

#endif /* _SVC_RDMA_CALLBACK_H */
