// SPDX-License-Identifier: GPL-2.0-only
/* Loading and unloading of the NFS/RDMA client transport. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "control.h"
#include "../verbs/verbs.h"

/* What the trace points look into */
#include "../conn.h"
#include "../fetch/fetch.h"
#include "../req.h"
#include "../xprt.h"

#define CREATE_TRACE_POINTS
#include <trace/events/xprtrdma.h>

MODULE_DESCRIPTION("RPC-over-RDMA client transport");
MODULE_LICENSE("GPL");
MODULE_VERSION(RPCRDMA_VERSION);
MODULE_ALIAS("rpcrdma");
MODULE_ALIAS("rpcrdma6");

static int __init xprt_rdma_module_init(void)
{
	int rc;

	rc = xprt_rdma_completion_init();
	if (rc)
		return rc;
	rc = xprt_rdma_tuning_init();
	if (rc)
		goto out_deferred_ids;
	rc = xprt_rdma_connect_init();
	if (rc)
		goto out_tuning;
	rc = xprt_register_transport(&xprt_rdma_class);
	if (rc) {
		pr_err("another NFS/RDMA client transport is loaded: run 'rmmod rpcrdma', and keep it from coming back with 'blacklist rpcrdma' in modprobe.d\n");
		rc = -EBUSY;
		goto out_connect;
	}
	rc = xprt_rdma_tunables_register();
	if (rc)
		goto out_class;
	rc = xprt_rdma_netlink_init();
	if (rc)
		goto out_tunables;
	xprt_rdma_stats_init();
	return 0;

out_tunables:
	xprt_rdma_tunables_unregister();
out_class:
	xprt_unregister_transport(&xprt_rdma_class);
out_connect:
	xprt_rdma_connect_exit();
out_tuning:
	xprt_rdma_tuning_exit();
out_deferred_ids:
	rpcrdma_deferred_ids_check(THIS_MODULE);
	xprt_rdma_completion_exit();
	return rc;
}

static void __exit xprt_rdma_module_exit(void)
{
	xprt_rdma_stats_exit();
	xprt_rdma_netlink_exit();
	xprt_rdma_tunables_unregister();
	xprt_unregister_transport(&xprt_rdma_class);
	xprt_rdma_connect_exit();
	xprt_rdma_tuning_exit();
	rpcrdma_deferred_ids_check(THIS_MODULE);
	xprt_rdma_completion_exit();
}

module_init(xprt_rdma_module_init);
module_exit(xprt_rdma_module_exit);
