// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.7: callbacks are queued without a lock, and threads of a pool are woken. */
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/xprt.h>

void probe(struct svc_serv *serv, struct rpc_rqst *rqst);
void probe(struct svc_serv *serv, struct rpc_rqst *rqst)
{
	lwq_enqueue(&rqst->rq_bc_list, &serv->sv_cb_list);
	svc_pool_wake_idle_thread(&serv->sv_pools[0]);
}
