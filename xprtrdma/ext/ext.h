/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Extensions: what the core path calls of each. All that is specific to an
 * extension is in its file, which can be left out of a build.
 */
#ifndef _XPRTRDMA_EXT_H
#define _XPRTRDMA_EXT_H

#include <rpcrdma/extensions.h>

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
