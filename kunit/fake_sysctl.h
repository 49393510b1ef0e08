/* SPDX-License-Identifier: GPL-2.0-only */
/* Registration of sysctls, which may fail. Included before the file under test. */
#ifndef _RPCRDMA_FAKE_SYSCTL_H
#define _RPCRDMA_FAKE_SYSCTL_H

#include <linux/sysctl.h>

static bool fake_no_memory;

/* In a folder of its own: the transport may be part of this kernel. */
#undef register_sysctl
#define register_sysctl(path, table)                                           \
	(fake_no_memory ? NULL :                                               \
			  register_sysctl_sz("kunit/" path, table,             \
					     ARRAY_SIZE(table)))

#endif /* _RPCRDMA_FAKE_SYSCTL_H */
