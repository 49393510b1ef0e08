/* SPDX-License-Identifier: GPL-2.0-only */
/* DEFINE_SEMAPHORE() with the initial count, which older kernels set to 1. */
#ifndef RPCRDMA_COMPAT_SEMAPHORE_H
#define RPCRDMA_COMPAT_SEMAPHORE_H

#include_next <linux/semaphore.h>
#include <rpcrdma_probes.h>

#if !RPCRDMA_HAVE_DEFINE_SEMAPHORE_N
#undef DEFINE_SEMAPHORE
#define DEFINE_SEMAPHORE(_name, _n) \
	struct semaphore _name = __SEMAPHORE_INITIALIZER(_name, _n)
#endif

#endif /* RPCRDMA_COMPAT_SEMAPHORE_H */
