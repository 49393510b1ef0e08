/* SPDX-License-Identifier: GPL-2.0-only */
/* memalloc_flags_save() for kernels that have it only for single flags. */
#ifndef RPCRDMA_COMPAT_SCHED_MM_H
#define RPCRDMA_COMPAT_SCHED_MM_H

#include_next <linux/sched/mm.h>
#include <rpcrdma_probes.h>

#if !RPCRDMA_HAVE_MEMALLOC_FLAGS_SAVE

/* Returns those of @flags that were not set yet, for memalloc_flags_restore() to clear. */
static inline unsigned int memalloc_flags_save(unsigned int flags)
{
	unsigned int added = flags & ~current->flags;

	current->flags |= added;
	return added;
}

static inline void memalloc_flags_restore(unsigned int added)
{
	current->flags &= ~added;
}

#endif

#endif /* RPCRDMA_COMPAT_SCHED_MM_H */
