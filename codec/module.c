// SPDX-License-Identifier: GPL-2.0-only
/* rpcrdma_codec.ko: the transport header codec that both sides share. */

#include <linux/module.h>

MODULE_DESCRIPTION("RPC-over-RDMA transport header codec");
MODULE_LICENSE("GPL");
MODULE_VERSION(RPCRDMA_VERSION);
