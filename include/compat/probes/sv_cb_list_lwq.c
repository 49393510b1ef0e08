// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.7: callbacks and transports are queued without a lock, and threads are woken. */
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/svc_xprt.h>
#include <linux/sunrpc/xprt.h>

void probe(struct svc_serv *serv, struct rpc_rqst *rqst, struct svc_xprt *xprt);
void probe(struct svc_serv *serv, struct rpc_rqst *rqst, struct svc_xprt *xprt)
{
	lwq_enqueue(&xprt->xpt_ready, &serv->sv_pools[0].sp_xprts);
	lwq_enqueue(&rqst->rq_bc_list, &serv->sv_cb_list);
	svc_pool_wake_idle_thread(&serv->sv_pools[0]);
}
