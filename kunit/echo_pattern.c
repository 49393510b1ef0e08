// SPDX-License-Identifier: GPL-2.0-only
/* Data that says where it belongs: every byte depends on a seed and its offset. */

#include <linux/hash.h>

#include "echo.h"

static u8 pattern(u32 seed, unsigned int offset)
{
	return hash_32(seed + offset / 4, 32) >> (8 * (offset % 4));
}

/**
 * echo_fill - write a stretch of a pattern
 * @buf: where it goes
 * @len: bytes
 * @seed: of the pattern
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
 * echo_match - count the leading bytes that are a pattern's
 * @buf: data
 * @len: bytes in @buf
 * @seed: of the pattern
 * @offset: bytes from the start of the pattern to what @buf should have
 *
 * Context: any.
 * Return: bytes that match before the first that does not.
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
