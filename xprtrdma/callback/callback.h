/* SPDX-License-Identifier: GPL-2.0-only */
/* The callback layer: reverse-direction calls and their replies. */
#ifndef _XPRTRDMA_CALLBACK_H
#define _XPRTRDMA_CALLBACK_H

#include "../conn.h"
#include "../req.h"
#include "../xprt.h"

/* backchannel.c */
struct xprt_rdma_req *xprt_rdma_bc_get(struct xprt_rdma *r_xprt);
void xprt_rdma_bc_release(struct xprt_rdma_req *req);
int xprt_rdma_op_bc_setup(struct rpc_xprt *xprt, unsigned int reqs);
size_t xprt_rdma_op_bc_maxpayload(struct rpc_xprt *xprt);
unsigned int xprt_rdma_op_bc_num_slots(struct rpc_xprt *xprt);
void xprt_rdma_op_bc_free_rqst(struct rpc_rqst *rqst);
void xprt_rdma_op_bc_destroy(struct rpc_xprt *xprt, unsigned int reqs);
void xprt_rdma_bc_trim(struct xprt_rdma *r_xprt, bool keep);

/* callback.c */
void xprt_rdma_error_send(struct xprt_rdma_conn *conn, __be32 xid, u32 code,
			  u32 value);
void xprt_rdma_bc_release_call(struct xprt_rdma_req *req);
void xprt_rdma_bc_deliver_call(struct xprt_rdma_conn *conn,
			       struct xprt_rdma_req *req);
void xprt_rdma_bc_receive(struct xprt_rdma_recv_ctx *recv);
int xprt_rdma_bc_reply_send(struct rpc_rqst *rqst);

#endif /* _XPRTRDMA_CALLBACK_H */
