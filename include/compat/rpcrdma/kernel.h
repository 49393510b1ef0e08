/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernels that the modules support.
 *
 * Kbuild and scripts/build preprocess this file before they compile anything, and stop with the
 * text of the #error. Releases before 6.1.170 and 6.12.75 lack rdma_rw_max_send_wr(). scripts/probe
 * detects the differences between supported kernels. Other kernels must not be used by accident:
 * the data structures of sunrpc and the RDMA core change, and not every change causes a compile
 * error. For example, rq_respages of struct svc_rqst is a separate array since 7.1.
 */
#ifndef RPCRDMA_COMPAT_KERNEL_H
#define RPCRDMA_COMPAT_KERNEL_H

#include <linux/version.h>

#ifndef RPCRDMA_ANY_KERNEL
#if KERNEL_VERSION(6, 1, 170) <= LINUX_VERSION_CODE && KERNEL_VERSION(6, 2, 0) > LINUX_VERSION_CODE
/* 6.1 */
#elif KERNEL_VERSION(6, 12, 75) <= LINUX_VERSION_CODE && \
	KERNEL_VERSION(6, 13, 0) > LINUX_VERSION_CODE
/* 6.12 */
#elif KERNEL_VERSION(7, 2, 0) <= LINUX_VERSION_CODE && KERNEL_VERSION(7, 4, 0) > LINUX_VERSION_CODE
/* 7.2 and 7.3 */
#else
#error rpcrdma: for 6.1 from 6.1.170, 6.12 from 6.12.75, 7.2, 7.3 (RPCRDMA_ANY_KERNEL=1 overrides)
#endif
#endif

#endif /* RPCRDMA_COMPAT_KERNEL_H */
