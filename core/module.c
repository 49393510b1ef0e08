// SPDX-License-Identifier: GPL-2.0-only
/* rpcrdma_core.ko: what both transports share. */

#include <linux/module.h>

MODULE_DESCRIPTION("RPC-over-RDMA: headers, and what both transports share");
MODULE_LICENSE("GPL");
MODULE_VERSION(RPCRDMA_VERSION);
