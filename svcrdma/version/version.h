/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The version layer: choosing a connection's version, and differences between
 * versions.
 */
#ifndef _SVC_RDMA_VERSION_H
#define _SVC_RDMA_VERSION_H

#include "../conn.h"
#include "../recv_ctx.h"
#include "../version_ops.h"

/* v1.c */
extern const struct svc_rdma_version svc_rdma_v1;
extern const struct svc_rdma_version svc_rdma_undecided;

/* v2.c */
extern const struct svc_rdma_version svc_rdma_v2;

/* peer.c */
void svc_rdma_peer_said(struct svc_rdma_conn *conn,
			const struct rpcrdma_private *priv);

/* version.c */
const struct svc_rdma_version *
svc_rdma_version_choose(struct svc_rdma_conn *conn,
			const struct svc_rdma_recv_ctx *recv);
enum svc_rdma_kind svc_rdma_version_fault(const struct svc_rdma_conn *conn,
					  struct svc_rdma_recv_ctx *recv,
					  int status);

/* props.c */
int svc_rdma_props_receive(struct svc_rdma_conn *conn,
			   struct svc_rdma_recv_ctx *recv);
void svc_rdma_props_begin(struct svc_rdma_conn *conn);
void svc_rdma_props_update(struct svc_rdma_conn *conn,
			   const struct rpcrdma_props *now, u32 which);

#endif /* _SVC_RDMA_VERSION_H */
