/* SPDX-License-Identifier: GPL-2.0-only */
/* In userspace, all runs without a seed use the same random sequence. */
#ifndef _USERSPACE_LINUX_RANDOM_H
#define _USERSPACE_LINUX_RANDOM_H

static inline unsigned int get_random_u32(void)
{
	return 5666;
}

#endif /* _USERSPACE_LINUX_RANDOM_H */
