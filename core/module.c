// SPDX-License-Identifier: GPL-2.0-only
/*
 * Initialization of rpcrdma_core.ko, and functions with which all three modules
 * run their initialization steps.
 */

#include <linux/module.h>

#include <rpcrdma/steps.h>

#include "core.h"

MODULE_DESCRIPTION("RPC-over-RDMA headers and code that client and server share");
MODULE_LICENSE("GPL");
MODULE_VERSION(RPCRDMA_VERSION);

/**
 * rpcrdma_steps_exit - undo the steps of a module's initialization
 * @steps: steps
 * @n: number of steps
 *
 * Steps are undone in reverse order.
 *
 * Context: process.
 */
void rpcrdma_steps_exit(const struct rpcrdma_step *steps, u32 n)
{
	while (n--)
		steps[n].exit();
}
EXPORT_SYMBOL_GPL(rpcrdma_steps_exit);

/**
 * rpcrdma_steps_init - initialize a module
 * @steps: steps
 * @n: number of steps
 *
 * Context: process.
 * Return: 0, or the negative errno of the step that failed; the steps before it
 * have been undone.
 */
int rpcrdma_steps_init(const struct rpcrdma_step *steps, u32 n)
{
	u32 i;
	int ret;

	for (i = 0; i < n; i++) {
		ret = steps[i].init();
		if (ret) {
			rpcrdma_steps_exit(steps, i);
			return ret;
		}
	}
	return 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_steps_init);

static const struct rpcrdma_step rpcrdma_core_steps[] = {
	{ rpcrdma_bufs_init, rpcrdma_bufs_exit },
	{ rpcrdma_rw_init, rpcrdma_rw_exit },
	{ rpcrdma_ended_init, rpcrdma_ended_exit },
	{ rpcrdma_nl_init, rpcrdma_nl_exit },
};

static int __init rpcrdma_core_init(void)
{
	return rpcrdma_steps_init(rpcrdma_core_steps,
				  ARRAY_SIZE(rpcrdma_core_steps));
}

static void __exit rpcrdma_core_exit(void)
{
	rpcrdma_deferred_ids_exit();
	rpcrdma_steps_exit(rpcrdma_core_steps, ARRAY_SIZE(rpcrdma_core_steps));
}

module_init(rpcrdma_core_init);
module_exit(rpcrdma_core_exit);
