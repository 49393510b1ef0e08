// SPDX-License-Identifier: GPL-2.0-only
/* The server's module: registers the transport class and callback transport. */
#define pr_fmt(fmt) "svcrdma: " fmt

#include <linux/module.h>
#include <linux/sunrpc/xprt.h>
#include <linux/sunrpc/svc_xprt.h>

#include <rpcrdma/cm.h>
#include <rpcrdma/counters.h>
#include <rpcrdma/steps.h>

#include "../callback/callback.h"
#include "../message/message.h"
#include "../verbs/verbs.h"
#include "control.h"

#define CREATE_TRACE_POINTS
#include <trace/events/svcrdma.h>

struct workqueue_struct *svc_rdma_wq;

static const struct svc_xprt_ops svc_rdma_xprt_ops = {
	.xpo_create		= svc_rdma_listen,
	.xpo_accept		= svc_rdma_accept_conn,
	.xpo_has_wspace		= svc_rdma_conn_has_wspace,
	.xpo_recvfrom		= svc_rdma_call_receive,
	.xpo_sendto		= svc_rdma_reply_send,
	.xpo_result_payload	= svc_rdma_payload_add,
	.xpo_release_ctxt	= svc_rdma_recv_release,
	.xpo_detach		= svc_rdma_conn_detach,
	.xpo_free		= svc_rdma_conn_free,
	.xpo_kill_temp_xprt	= svc_rdma_conn_kill,
	RPCRDMA_XPO_SECURE_PORT
};

struct svc_xprt_class svc_rdma_xprt_class = {
	.xcl_name		= "rdma",
	.xcl_owner		= THIS_MODULE,
	.xcl_ops		= &svc_rdma_xprt_ops,
	.xcl_max_payload	= RPCSVC_MAXPAYLOAD,
	.xcl_ident		= XPRT_TRANSPORT_RDMA,
};

static int svc_rdma_class_init(void)
{
	return svc_reg_xprt_class(&svc_rdma_xprt_class);
}

static void svc_rdma_class_exit(void)
{
	svc_unreg_xprt_class(&svc_rdma_xprt_class);
}

static int svc_rdma_wq_init(void)
{
	svc_rdma_wq = alloc_workqueue("svcrdma", WQ_UNBOUND, 0);
	return svc_rdma_wq ? 0 : -ENOMEM;
}

/*
 * Until all connections have been released, interrupts queue work for them. A
 * workqueue that is being destroyed accepts no work, so flush it first.
 */
static void svc_rdma_wq_exit(void)
{
	flush_workqueue(svc_rdma_wq);
	destroy_workqueue(svc_rdma_wq);
	/* CM identifiers that could not be destroyed yet */
	rpcrdma_deferred_ids_check(THIS_MODULE);
}

/*
 * Every transport holds a reference to this module until its xpo_free method
 * has been called. That method queues work items, and module exit waits for
 * them before it destroys the objects that they use. A listener can be created
 * as soon as the class is registered, so registration is the last step, and
 * nothing can fail after it.
 */
static const struct rpcrdma_step svc_rdma_steps[] = {
	{ svc_rdma_stashes_init, svc_rdma_stashes_exit },
	{ svc_rdma_wq_init, svc_rdma_wq_exit },
	{ svc_rdma_bc_init, svc_rdma_bc_exit },
	{ svc_rdma_tunables_init, svc_rdma_tunables_exit },
	{ svc_rdma_class_init, svc_rdma_class_exit },
};

/*
 * sunrpc has room for one server transport named "rdma", and for one callback
 * transport. If either is already registered, the kernel's own module is
 * loaded.
 */
static int __init svc_rdma_module_init(void)
{
	int ret;

	svc_rdma_tunables_check();
	ret = rpcrdma_steps_init(svc_rdma_steps, ARRAY_SIZE(svc_rdma_steps));
	if (!ret)
		rpcrdma_counters_add(&svc_rdma_counter_table);
	if (ret == -EEXIST)
		pr_err("the kernel's own RDMA transport is loaded: stop the NFS server, unmount NFS/RDMA, run \"modprobe -r rpcrdma\" and try again\n");
	return ret;
}

static void __exit svc_rdma_module_exit(void)
{
	rpcrdma_counters_remove(&svc_rdma_counter_table);
	rpcrdma_steps_exit(svc_rdma_steps, ARRAY_SIZE(svc_rdma_steps));
}

module_init(svc_rdma_module_init);
module_exit(svc_rdma_module_exit);
MODULE_DESCRIPTION("RPC-over-RDMA transport of NFS servers");
MODULE_LICENSE("GPL");
MODULE_VERSION(RPCRDMA_VERSION);
