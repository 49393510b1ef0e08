/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of a module, which debugfs shows. */
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

#define RPCRDMA_COUNTER_NAME(_name)	#_name,

/**
 * RPCRDMA_COUNTERS - define the counters of a module, and their table
 * @_side: prefix for the names of the variables
 * @_folder: name of the folder in debugfs
 * @_list: macro that applies its argument to the name of each counter
 */
#define RPCRDMA_COUNTERS(_side, _folder, _list)				\
	static const char * const _side##_counter_names[] = {		\
		_list(RPCRDMA_COUNTER_NAME)				\
	};								\
	DEFINE_PER_CPU(u64[ARRAY_SIZE(_side##_counter_names)],		\
		       _side##_counters);				\
	struct rpcrdma_counters _side##_counter_table = {		\
		.folder	= _folder,					\
		.names	= _side##_counter_names,			\
		.values	= _side##_counters,				\
		.n	= ARRAY_SIZE(_side##_counter_names),		\
	}

u64 rpcrdma_counters_sum(const struct rpcrdma_counters *counters, u32 i);
void rpcrdma_counters_add(struct rpcrdma_counters *counters);
void rpcrdma_counters_remove(struct rpcrdma_counters *counters);

#endif /* _RPCRDMA_COUNTERS_H */
