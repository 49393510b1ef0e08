// SPDX-License-Identifier: GPL-2.0-only
/* Test data in which every byte depends on a seed and on its offset. */

#include <linux/hash.h>

#include "echo.h"

static u8 pattern(u32 seed, unsigned int offset)
{
	return hash_32(seed + offset / 4, 32) >> (8 * (offset % 4));
}

/**
 * echo_fill - write a part of a pattern
 * @buf: buffer
 * @len: bytes in @buf
 * @seed: seed of the pattern
 * @offset: bytes from the start of the pattern
 *
 * Context: any.
 */
void echo_fill(void *buf, unsigned int len, u32 seed, unsigned int offset)
{
	u8 *p = buf;

	while (len--)
		*p++ = pattern(seed, offset++);
}

/**
 * echo_match - count the leading bytes that match a pattern
 * @buf: data
 * @len: bytes in @buf
 * @seed: seed of the pattern
 * @offset: bytes from the start of the pattern to the start of @buf
 *
 * Context: any.
 * Return: number of bytes before the first that does not match.
 */
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
