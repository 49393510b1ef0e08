/* SPDX-License-Identifier: GPL-2.0-only */
/* The version layer: which version a connection speaks, and what differs. */
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

/* version.c */
u32 svc_rdma_version_highest(const struct svc_rdma_conn *conn);
const struct svc_rdma_version *
svc_rdma_version_choose(struct svc_rdma_conn *conn,
			const struct svc_rdma_recv_ctx *recv);
void svc_rdma_version_fault(const struct svc_rdma_conn *conn,
			    struct svc_rdma_recv_ctx *recv, int status);

/* conf.c */
bool svc_rdma_conf_receive(struct svc_rdma_conn *conn,
			   const struct svc_rdma_recv_ctx *recv);

/* props.c */
int svc_rdma_props_receive(struct svc_rdma_conn *conn,
			   struct svc_rdma_recv_ctx *recv);
void svc_rdma_props_send(struct svc_rdma_conn *conn, __be32 xid);

#endif /* _SVC_RDMA_VERSION_H */
