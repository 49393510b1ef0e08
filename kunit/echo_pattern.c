// SPDX-License-Identifier: GPL-2.0-only
/* Test data in which every byte depends on a seed and its offset. */

#include <linux/hash.h>

#include "echo.h"

static u8 pattern(u32 seed, unsigned int offset)
{
	return hash_32(seed + offset / 4, 32) >> (8 * (offset % 4));
}

/* Write @len bytes of the pattern, starting at its byte @offset. */
void echo_fill(void *buf, unsigned int len, u32 seed, unsigned int offset)
{
	u8 *p = buf;

	while (len--)
		*p++ = pattern(seed, offset++);
}

/* Returns how many leading bytes match the pattern. */
unsigned int echo_match(const void *buf, unsigned int len, u32 seed,
			unsigned int offset)
{
	const u8 *p = buf;
	unsigned int i;

	for (i = 0; i < len; i++)
		if (p[i] != pattern(seed, offset + i))
			break;
	return i;
}
