/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel headers that the codec needs; userspace has its own version of this file. */
#ifndef _RPCRDMA_PLATFORM_H
#define _RPCRDMA_PLATFORM_H

#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/unaligned.h>

#endif /* _RPCRDMA_PLATFORM_H */
