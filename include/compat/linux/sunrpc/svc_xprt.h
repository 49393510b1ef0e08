/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xpo_secure_port, which older kernels call without a check for NULL, and the contexts in which
 * transports may be enqueued.
 */
#ifndef RPCRDMA_COMPAT_SVC_XPRT_H
#define RPCRDMA_COMPAT_SVC_XPRT_H

#include_next <linux/sunrpc/svc_xprt.h>
#include <rpcrdma_probes.h>

/*
 * RPCRDMA_XPO_SECURE_PORT: entry of an initializer of struct svc_xprt_ops, used without a comma
 * rpcrdma_may_enqueue(): true if svc_xprt_enqueue() may be called in this context. In older
 *	kernels, svc_xprt_enqueue() takes a lock that is also held with only softirqs disabled, so a
 *	call in hard interrupt could deadlock.
 */
#if RPCRDMA_HAVE_SV_PROGRAMS
#define RPCRDMA_XPO_SECURE_PORT
#define rpcrdma_may_enqueue()	true
#else

/* Called for every call, including deferred ones, which the transport does not see again. */
static inline void rpcrdma_secure_port(struct svc_rqst *rqstp)
{
	set_bit(RQ_SECURE, &rqstp->rq_flags);
}

#define RPCRDMA_XPO_SECURE_PORT	.xpo_secure_port = rpcrdma_secure_port,
#define rpcrdma_may_enqueue()	(!irqs_disabled())
#endif

#endif /* RPCRDMA_COMPAT_SVC_XPRT_H */
