/* SPDX-License-Identifier: GPL-2.0-only */
/* String fields of tracepoints: in older kernels, __assign_str() takes the string again. */
#ifndef RPCRDMA_COMPAT_TRACE_H
#define RPCRDMA_COMPAT_TRACE_H

#include <rpcrdma_probes.h>

#if RPCRDMA_HAVE_ASSIGN_STR_ONE
#define rpcrdma_assign_str(_name, ...)		__assign_str(_name)
#else
#define rpcrdma_assign_str(_name, _string)	__assign_str(_name, _string)
#endif

#endif /* RPCRDMA_COMPAT_TRACE_H */
