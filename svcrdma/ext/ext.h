/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Extensions: what the core path calls of each. All that is specific to an
 * extension is in its file, which can be left out of a build.
 */
#ifndef _SVC_RDMA_EXT_H
#define _SVC_RDMA_EXT_H

#include <rpcrdma/extensions.h>

#include "../conn.h"
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

#endif /* _SVC_RDMA_EXT_H */
