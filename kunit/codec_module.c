// SPDX-License-Identifier: GPL-2.0-only
/* rpcrdma_codec_kunit.ko: all suites of the header codec in one module. */

#include <linux/module.h>

MODULE_DESCRIPTION("KUnit suites of the RPC-over-RDMA header codec");
MODULE_LICENSE("GPL");
