/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which kernels the modules are written for.
 *
 * Kbuild and scripts/build preprocess this file before anything is compiled, and stop with the
 * text of the #error. 6.12.75 brought rdma_rw_max_send_wr(). Later kernels must not be tried
 * silently: sunrpc's and the RDMA core's structures change, and some of what changes still
 * compiles. Since 7.1, for one, rq_respages of struct svc_rqst is an array of its own, so that
 * replies would leave in the wrong pages.
 */
#ifndef RPCRDMA_COMPAT_KERNEL_H
#define RPCRDMA_COMPAT_KERNEL_H

#include <linux/version.h>

#ifndef RPCRDMA_ANY_KERNEL
#if KERNEL_VERSION(6, 12, 75) > LINUX_VERSION_CODE
#error rpcrdma: for Linux 6.12, from 6.12.75 on; this is older (RPCRDMA_ANY_KERNEL=1 overrides)
#elif KERNEL_VERSION(6, 13, 0) <= LINUX_VERSION_CODE
#error rpcrdma: for Linux 6.12, from 6.12.75 on; this is newer (RPCRDMA_ANY_KERNEL=1 overrides)
#endif
#endif

#endif /* RPCRDMA_COMPAT_KERNEL_H */
