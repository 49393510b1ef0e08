/* SPDX-License-Identifier: GPL-2.0-only */
/* RPC_TASK_NETUNREACH_FATAL, since 6.15: tasks that fail when the network is unreachable. */
#ifndef RPCRDMA_COMPAT_SCHED_H
#define RPCRDMA_COMPAT_SCHED_H

#include_next <linux/sunrpc/sched.h>

#ifndef RPC_TASK_NETUNREACH_FATAL
#define RPC_TASK_NETUNREACH_FATAL	0
#endif

#endif /* RPCRDMA_COMPAT_SCHED_H */
