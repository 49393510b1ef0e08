/* SPDX-License-Identifier: GPL-2.0-only */
/* The table that a sysctl handler gets, and the end of a table. */
#ifndef RPCRDMA_COMPAT_SYSCTL_H
#define RPCRDMA_COMPAT_SYSCTL_H

#include_next <linux/sysctl.h>
#include <rpcrdma_probes.h>

#if RPCRDMA_HAVE_CONST_CTL_TABLE
#define RPCRDMA_CTL_TABLE	const struct ctl_table
#else
#define RPCRDMA_CTL_TABLE	struct ctl_table
#endif

/*
 * Last in a table, after a comma. Newer kernels, where register_sysctl() is a macro that takes the
 * size of the table, reject an empty entry; older ones need it.
 */
#ifdef register_sysctl
#define RPCRDMA_CTL_TABLE_END
#else
#define RPCRDMA_CTL_TABLE_END	{}
#endif

#endif /* RPCRDMA_COMPAT_SYSCTL_H */
