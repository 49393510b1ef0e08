// SPDX-License-Identifier: GPL-2.0-only
/* rpcrdma_core.ko: what both transports share. */

#include <linux/module.h>

#include "core.h"

MODULE_DESCRIPTION("RPC-over-RDMA: headers, and what both transports share");
MODULE_LICENSE("GPL");
MODULE_VERSION(RPCRDMA_VERSION);

static int __init rpcrdma_core_init(void)
{
	int ret;

	ret = rpcrdma_rw_init();
	if (ret)
		return ret;
	ret = rpcrdma_deferred_ids_init();
	if (ret)
		rpcrdma_rw_exit();
	return ret;
}

static void __exit rpcrdma_core_exit(void)
{
	rpcrdma_deferred_ids_exit();
	rpcrdma_rw_exit();
}

module_init(rpcrdma_core_init);
module_exit(rpcrdma_core_exit);
