// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.9: any flag of the task that restricts allocation can be set. */
#include <linux/sched/mm.h>

unsigned int probe(void);
unsigned int probe(void)
{
	return memalloc_flags_save(PF_MEMALLOC);
}
