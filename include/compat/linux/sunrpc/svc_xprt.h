/* SPDX-License-Identifier: GPL-2.0-only */
/* A method of server transports that older kernels call without looking whether there is one. */
#ifndef RPCRDMA_COMPAT_SVC_XPRT_H
#define RPCRDMA_COMPAT_SVC_XPRT_H

#include_next <linux/sunrpc/svc_xprt.h>
#include <rpcrdma_probes.h>

/* In the initializer of struct svc_xprt_ops, without a comma after it */
#if RPCRDMA_HAVE_XPO_SECURE_PORT

/* The transport has set RQ_SECURE when it delivered the call. */
static inline void rpcrdma_secure_port(struct svc_rqst *rqstp)
{
}

#define RPCRDMA_XPO_SECURE_PORT	.xpo_secure_port = rpcrdma_secure_port,
#else
#define RPCRDMA_XPO_SECURE_PORT
#endif

#endif /* RPCRDMA_COMPAT_SVC_XPRT_H */
