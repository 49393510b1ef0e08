// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CM private message that peers exchange when they connect (RFC 8797), and
 * the version hint that follows it. The hint is our own extension, and
 * announces the versions that the sender supports. The message of RFC 8797 ends
 * after eight bytes; peers that do not know the hint ignore it.
 * Documentation/protocol.rst describes its layout.
 */

#include <rpcrdma/codec.h>

/* Encode a size in bytes as one octet: units of 1024, minus one. */
static u8 rpcrdma_private_encode_size(u32 size)
{
	return clamp(size, RPCRDMA_PRIVATE_UNIT, RPCRDMA_PRIVATE_MAX_SIZE) /
	       RPCRDMA_PRIVATE_UNIT - 1;
}

static u32 rpcrdma_private_decode_size(u8 octet)
{
	return (octet + 1u) * RPCRDMA_PRIVATE_UNIT;
}

static u32 rpcrdma_private_encode_hint(u8 *p, enum rpcrdma_hint hint)
{
	if (hint == RPCRDMA_HINT_NONE)
		return 0;
	memset(p, 0, RPCRDMA_HINT_SIZE);
	put_unaligned_be32(RPCRDMA_HINT_MAGIC, p);
	p[4] = RPCRDMA_HINT_VERSION;
	p[5] = hint == RPCRDMA_HINT_V1 ? RPCRDMA_VERSION_1 : RPCRDMA_VERSION_2;
	if (hint == RPCRDMA_HINT_V2)
		memcpy(p + 8, RPCRDMA_HINT_TEXT, RPCRDMA_HINT_TEXT_SIZE);
	return RPCRDMA_HINT_SIZE;
}

/*
 * Ignore a hint in another format. The CM may have padded the private data with
 * zeros or truncated it.
 */
static enum rpcrdma_hint rpcrdma_private_decode_hint(const u8 *p, size_t len)
{
	if (len < RPCRDMA_HINT_SIZE ||
	    get_unaligned_be32(p) != RPCRDMA_HINT_MAGIC ||
	    p[4] != RPCRDMA_HINT_VERSION || !p[5])
		return RPCRDMA_HINT_NONE;
	if (p[5] < RPCRDMA_VERSION_2)
		return RPCRDMA_HINT_V1;
	if (memcmp(p + 8, RPCRDMA_HINT_TEXT, RPCRDMA_HINT_TEXT_SIZE))
		return RPCRDMA_HINT_V2_OTHER;
	return RPCRDMA_HINT_V2;
}

/**
 * rpcrdma_private_encode - build a CM private message
 * @priv: contents; sizes are rounded down to multiples of 1024 bytes and
 *	clamped to the range of the format (1024 to 262144 bytes)
 * @buf: RPCRDMA_PRIVATE_MAX bytes
 *
 * RFC 8797 section 4.
 *
 * Context: any.
 * Return: bytes written to @buf: RPCRDMA_PRIVATE_SIZE, or RPCRDMA_PRIVATE_MAX
 * with a version hint.
 */
u32 rpcrdma_private_encode(const struct rpcrdma_private *priv,
			   u8 buf[RPCRDMA_PRIVATE_MAX])
{
	put_unaligned_be32(RPCRDMA_PRIVATE_MAGIC, buf);
	buf[4] = RPCRDMA_PRIVATE_VERSION;
	buf[5] = priv->remote_inv ? RPCRDMA_PRIVATE_F_REMOTE_INV : 0;
	buf[6] = rpcrdma_private_encode_size(priv->send_size);
	buf[7] = rpcrdma_private_encode_size(priv->recv_size);
	return RPCRDMA_PRIVATE_SIZE +
	       rpcrdma_private_encode_hint(buf + RPCRDMA_PRIVATE_SIZE,
					   priv->hint);
}
EXPORT_SYMBOL_GPL(rpcrdma_private_encode);

/**
 * rpcrdma_private_decode - decode the CM private message, if there is one
 * @priv: contents, or the defaults for a peer that has sent none
 * @buf: private data of a CM event; may be NULL
 * @len: bytes in @buf; the CM may have padded it with zeros
 *
 * RFC 8797 section 5.1: unrecognized private data is ignored, and so is an
 * unrecognized version hint.
 *
 * Context: any.
 * Return: true if @buf begins with a CM private message.
 */
bool rpcrdma_private_decode(struct rpcrdma_private *priv, const void *buf,
			    size_t len)
{
	const u8 *p = buf;

	priv->send_size = RPCRDMA_V1_INLINE_DEFAULT;
	priv->recv_size = RPCRDMA_V1_INLINE_DEFAULT;
	priv->remote_inv = false;
	priv->hint = RPCRDMA_HINT_NONE;

	if (!p || len < RPCRDMA_PRIVATE_SIZE)
		return false;
	if (get_unaligned_be32(p) != RPCRDMA_PRIVATE_MAGIC ||
	    p[4] != RPCRDMA_PRIVATE_VERSION)
		return false;

	priv->remote_inv = p[5] & RPCRDMA_PRIVATE_F_REMOTE_INV;
	priv->send_size = rpcrdma_private_decode_size(p[6]);
	priv->recv_size = rpcrdma_private_decode_size(p[7]);
	priv->hint = rpcrdma_private_decode_hint(p + RPCRDMA_PRIVATE_SIZE,
						 len - RPCRDMA_PRIVATE_SIZE);
	return true;
}
EXPORT_SYMBOL_GPL(rpcrdma_private_decode);
