// SPDX-License-Identifier: GPL-2.0-only
/* The server's module: registers the transport class and callback transport. */
#define pr_fmt(fmt) "svcrdma: " fmt

#include <linux/module.h>
#include <linux/sunrpc/xprt.h>
#include <linux/sunrpc/svc_xprt.h>

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

/*
 * sunrpc has room for one server transport named "rdma" and one callback
 * transport for it. If either is taken, the kernel's own module is loaded.
 */
static int svc_rdma_register(void)
{
	int ret;

	ret = svc_reg_xprt_class(&svc_rdma_xprt_class);
	if (ret)
		goto err_taken;
	ret = svc_rdma_bc_init();
	if (ret)
		goto err_class;
	return 0;

err_class:
	svc_unreg_xprt_class(&svc_rdma_xprt_class);
err_taken:
	if (ret == -EEXIST)
		pr_err("the kernel's own RDMA transport is loaded: stop the NFS server, unmount NFS/RDMA, run \"modprobe -r rpcrdma\" and try again\n");
	return ret;
}

static void svc_rdma_unregister(void)
{
	svc_rdma_bc_exit();
	svc_unreg_xprt_class(&svc_rdma_xprt_class);
}

/* What the administrator sees */
static int svc_rdma_show(void)
{
	int ret;

	ret = svc_rdma_tunables_init();
	if (ret)
		return ret;
	ret = svc_rdma_netlink_init();
	if (ret) {
		svc_rdma_tunables_exit();
		return ret;
	}
	svc_rdma_stats_init();
	return 0;
}

/* What calls and replies are made of */
static int __init svc_rdma_memory_init(void)
{
	int ret;

	ret = svc_rdma_bufs_init();
	if (ret)
		return ret;
	ret = svc_rdma_caches_init();
	if (ret)
		goto err_bufs;
	ret = svc_rdma_stashes_init();
	if (ret)
		goto err_caches;
	return 0;

err_caches:
	svc_rdma_caches_exit();
err_bufs:
	svc_rdma_bufs_exit();
	return ret;
}

static void svc_rdma_memory_exit(void)
{
	svc_rdma_stashes_exit();
	svc_rdma_caches_exit();
	svc_rdma_bufs_exit();
}

static int __init svc_rdma_module_init(void)
{
	int ret;

	svc_rdma_wq = alloc_workqueue("svcrdma", WQ_UNBOUND, 0);
	if (!svc_rdma_wq)
		return -ENOMEM;
	ret = svc_rdma_conns_init();
	if (ret)
		goto err_deferred_ids;
	svc_rdma_tunables_check();
	ret = svc_rdma_ended_init();
	if (ret)
		goto err_conns;
	ret = svc_rdma_memory_init();
	if (ret)
		goto err_ended;
	ret = svc_rdma_tuning_init();
	if (ret)
		goto err_memory;
	ret = svc_rdma_rpcbind_init();
	if (ret)
		goto err_tuning;
	ret = svc_rdma_register();
	if (ret)
		goto err_rpcbind;
	ret = svc_rdma_show();
	if (ret)
		goto err_register;
	return 0;

err_register:
	svc_rdma_unregister();
err_rpcbind:
	svc_rdma_rpcbind_exit();
err_tuning:
	svc_rdma_tuning_exit();
err_memory:
	svc_rdma_memory_exit();
err_ended:
	svc_rdma_ended_exit();
err_conns:
	svc_rdma_conns_exit();
err_deferred_ids:
	rpcrdma_deferred_ids_check(THIS_MODULE);
	destroy_workqueue(svc_rdma_wq);
	return ret;
}

/*
 * Every transport holds a reference to this module until its xpo_free method
 * has been called. Wait here for the work items that this method has queued.
 */
static void __exit svc_rdma_module_exit(void)
{
	svc_rdma_unregister();
	svc_rdma_rpcbind_exit();
	svc_rdma_conns_exit();
	destroy_workqueue(svc_rdma_wq);
	rpcrdma_deferred_ids_check(THIS_MODULE);
	svc_rdma_stats_exit();
	svc_rdma_netlink_exit();
	svc_rdma_tunables_exit();
	svc_rdma_tuning_exit();
	svc_rdma_memory_exit();
	svc_rdma_ended_exit();
}

module_init(svc_rdma_module_init);
module_exit(svc_rdma_module_exit);
MODULE_DESCRIPTION("RPC-over-RDMA transport of NFS servers");
MODULE_LICENSE("GPL");
MODULE_VERSION(RPCRDMA_VERSION);
