/* SPDX-License-Identifier: GPL-2.0-only */
/* Replaces the kernel headers that the codec needs, for userspace programs. */
#ifndef _USERSPACE_PLATFORM_H
#define _USERSPACE_PLATFORM_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u32 u32;
typedef __u64 u64;

#define __force
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define fallthrough		__attribute__((__fallthrough__))
#define EXPORT_SYMBOL_GPL(sym)
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define max3(a, b, c)		max(max(a, b), c)
#define clamp(v, low, high)	((v) < (low) ? (low) : (v) > (high) ? (high) : (v))
#define hweight32(v)		((u32)__builtin_popcount(v))

static inline bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}

static inline u32 get_unaligned_be32(const void *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap32(v);
}

static inline u64 get_unaligned_be64(const void *p)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return __builtin_bswap64(v);
}

static inline void put_unaligned_be32(u32 v, void *p)
{
	v = __builtin_bswap32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put_unaligned_be64(u64 v, void *p)
{
	v = __builtin_bswap64(v);
	memcpy(p, &v, sizeof(v));
}

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the userspace build of the codec assumes a little-endian host"
#endif

#endif /* _USERSPACE_PLATFORM_H */
