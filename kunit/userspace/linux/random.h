/* SPDX-License-Identifier: GPL-2.0-only */
/* In userspace, every run without a seed is the same. */
#ifndef _USERSPACE_LINUX_RANDOM_H
#define _USERSPACE_LINUX_RANDOM_H

static inline unsigned int get_random_u32(void)
{
	return 5666;
}

#endif /* _USERSPACE_LINUX_RANDOM_H */
