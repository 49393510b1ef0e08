/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Extensions: what the specifications add to the transport, and can be left out
 * of a build. Each hooks itself into a connection that begins.
 */
#ifndef _XPRTRDMA_EXT_H
#define _XPRTRDMA_EXT_H

#include "../conn.h"

/* conf.c */
#ifdef RPCRDMA_EXT_CONF
void xprt_rdma_conf_begin(struct xprt_rdma_conn *conn);
#else
static inline void xprt_rdma_conf_begin(struct xprt_rdma_conn *conn)
{
}
#endif

#endif /* _XPRTRDMA_EXT_H */
