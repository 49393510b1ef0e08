/* SPDX-License-Identifier: GPL-2.0-only */
/* The type of the table that sysctl handlers get, and the end of a table. */
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
 * The end of a table, after a comma. Newer kernels, where register_sysctl() is a macro that
 * computes the size of the table, reject an empty entry. Older kernels need one.
 */
#ifdef register_sysctl
#define RPCRDMA_CTL_TABLE_END
#else
#define RPCRDMA_CTL_TABLE_END	{}
#endif

#endif /* RPCRDMA_COMPAT_SYSCTL_H */
