// SPDX-License-Identifier: GPL-2.0-only
/* Loading and unloading of the NFS/RDMA client transport. */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include <rpcrdma/counters.h>
#include <rpcrdma/steps.h>

#include "control.h"
#include "../verbs/verbs.h"

/* Structs that the trace points read */
#include "../conn.h"
#include "../req.h"
#include "../xprt.h"

#define CREATE_TRACE_POINTS
#include <trace/events/xprtrdma.h>

MODULE_DESCRIPTION("RPC-over-RDMA client transport");
MODULE_LICENSE("GPL");
MODULE_VERSION(RPCRDMA_VERSION);
MODULE_ALIAS("rpcrdma");
MODULE_ALIAS("rpcrdma6");

static int xprt_rdma_register(void)
{
	if (!xprt_register_transport(&xprt_rdma_class))
		return 0;
	pr_err("another NFS/RDMA client transport is loaded: stop the NFS server, unmount NFS/RDMA, run \"modprobe -r rpcrdma\" and try again\n");
	return -EBUSY;
}

static void xprt_rdma_unregister(void)
{
	xprt_unregister_transport(&xprt_rdma_class);
}

static const struct rpcrdma_step xprt_rdma_steps[] = {
	{ xprt_rdma_completion_init, xprt_rdma_completion_exit },
	{ xprt_rdma_connect_init, xprt_rdma_connect_exit },
	{ xprt_rdma_register, xprt_rdma_unregister },
	{ xprt_rdma_tunables_register, xprt_rdma_tunables_unregister },
};

static int __init xprt_rdma_module_init(void)
{
	int ret = rpcrdma_steps_init(xprt_rdma_steps,
				     ARRAY_SIZE(xprt_rdma_steps));

	if (!ret)
		rpcrdma_counters_add(&xprt_rdma_counter_table);
	return ret;
}

static void __exit xprt_rdma_module_exit(void)
{
	rpcrdma_counters_remove(&xprt_rdma_counter_table);
	rpcrdma_steps_exit(xprt_rdma_steps, ARRAY_SIZE(xprt_rdma_steps));
}

module_init(xprt_rdma_module_init);
module_exit(xprt_rdma_module_exit);
