/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasks of mounts that give up when their network is gone: since 6.15. */
#ifndef RPCRDMA_COMPAT_SCHED_H
#define RPCRDMA_COMPAT_SCHED_H

#include_next <linux/sunrpc/sched.h>

#ifndef RPC_TASK_NETUNREACH_FATAL
#define RPC_TASK_NETUNREACH_FATAL	0
#endif

#endif /* RPCRDMA_COMPAT_SCHED_H */
