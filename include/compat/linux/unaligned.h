/* SPDX-License-Identifier: GPL-2.0-only */
/* linux/unaligned.h, which is asm/unaligned.h in older kernels. */
#ifndef RPCRDMA_COMPAT_UNALIGNED_H
#define RPCRDMA_COMPAT_UNALIGNED_H

#include <rpcrdma_probes.h>

#if RPCRDMA_HAVE_LINUX_UNALIGNED
#include_next <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

#endif /* RPCRDMA_COMPAT_UNALIGNED_H */
