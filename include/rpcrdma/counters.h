/* SPDX-License-Identifier: GPL-2.0-only */
/* A module's counters, which debugfs shows. */
#ifndef _RPCRDMA_COUNTERS_H
#define _RPCRDMA_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>

struct dentry;

/**
 * struct rpcrdma_counters - the counters of a module
 * @folder: name of its folder in debugfs
 * @names: names of the counters
 * @values: their values
 * @n: number of counters
 * @dir: the folder
 */
struct rpcrdma_counters {
	const char		*folder;
	const char * const	*names;
	u64 __percpu		*values;
	u32			n;
	struct dentry		*dir;
};

u64 rpcrdma_counters_sum(const struct rpcrdma_counters *counters, u32 i);

#endif /* _RPCRDMA_COUNTERS_H */
