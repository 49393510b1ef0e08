/* SPDX-License-Identifier: GPL-2.0-only */
/* Takes module parameters of the suites from environment variables. */
#ifndef _USERSPACE_LINUX_MODULE_H
#define _USERSPACE_LINUX_MODULE_H

#include <stdlib.h>
#include <sys/types.h>

#define MODULE_PARM_DESC(name, text)
#define MODULE_DESCRIPTION(text)	_Static_assert(1, "")
#define MODULE_LICENSE(text)		_Static_assert(1, "")

#define module_param(name, type, mode)					\
static void __attribute__((constructor)) param_##name(void)		\
{									\
	const char *value = getenv(#name);				\
									\
	if (value)							\
		name = strtoul(value, NULL, 0);				\
}

#endif /* _USERSPACE_LINUX_MODULE_H */
