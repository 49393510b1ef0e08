// SPDX-License-Identifier: GPL-2.0-only
/* A module's counters, one line each, in the file "stats" of its debugfs folder. */

#include <linux/debugfs.h>
#include <linux/export.h>
#include <linux/seq_file.h>

#include <rpcrdma/counters.h>

/**
 * rpcrdma_counters_sum - get the value of a counter
 * @counters: counters of a module
 * @i: index of the counter
 *
 * Context: any.
 * Return: the sum over all processors; exact if the counter does not change
 * meanwhile.
 */
u64 rpcrdma_counters_sum(const struct rpcrdma_counters *counters, u32 i)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(counters->values, cpu)[i]);
	return sum;
}
EXPORT_SYMBOL_GPL(rpcrdma_counters_sum);

static int rpcrdma_counters_show(struct seq_file *seq, void *v)
{
	const struct rpcrdma_counters *counters = seq->private;
	u32 i;

	for (i = 0; i < counters->n; i++)
		seq_printf(seq, "%s %llu\n", counters->names[i],
			   rpcrdma_counters_sum(counters, i));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(rpcrdma_counters);

/**
 * rpcrdma_counters_add - show counters in debugfs
 * @counters: counters of a module
 *
 * Without debugfs, nothing is created.
 *
 * Context: process.
 */
void rpcrdma_counters_add(struct rpcrdma_counters *counters)
{
	counters->dir = debugfs_create_dir(counters->folder, NULL);
	debugfs_create_file("stats", 0444, counters->dir, counters,
			    &rpcrdma_counters_fops);
}
EXPORT_SYMBOL_GPL(rpcrdma_counters_add);

/**
 * rpcrdma_counters_remove - undo rpcrdma_counters_add()
 * @counters: counters of a module
 *
 * Context: process; waits for readers.
 */
void rpcrdma_counters_remove(struct rpcrdma_counters *counters)
{
	debugfs_remove_recursive(counters->dir);
}
EXPORT_SYMBOL_GPL(rpcrdma_counters_remove);
