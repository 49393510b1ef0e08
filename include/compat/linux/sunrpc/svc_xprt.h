/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A method of server transports that older kernels call without looking whether there is one, and
 * where transports may be enqueued.
 */
#ifndef RPCRDMA_COMPAT_SVC_XPRT_H
#define RPCRDMA_COMPAT_SVC_XPRT_H

#include_next <linux/sunrpc/svc_xprt.h>
#include <rpcrdma_probes.h>

/*
 * RPCRDMA_XPO_SECURE_PORT: in the initializer of struct svc_xprt_ops, without a comma after it
 * rpcrdma_may_enqueue(): may svc_xprt_enqueue() be called here? Where it takes a lock, that is
 *	held elsewhere with softirqs disabled only, so an interrupt on the same processor would
 *	wait for it for ever.
 */
#if RPCRDMA_HAVE_SV_PROGRAMS
#define RPCRDMA_XPO_SECURE_PORT
#define rpcrdma_may_enqueue()	true
#else

/* Called for each call, also for one that was deferred and that the transport does not see. */
static inline void rpcrdma_secure_port(struct svc_rqst *rqstp)
{
	set_bit(RQ_SECURE, &rqstp->rq_flags);
}

#define RPCRDMA_XPO_SECURE_PORT	.xpo_secure_port = rpcrdma_secure_port,
#define rpcrdma_may_enqueue()	(!irqs_disabled())
#endif

#endif /* RPCRDMA_COMPAT_SVC_XPRT_H */
