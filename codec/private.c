// SPDX-License-Identifier: GPL-2.0-only
/* The CM private message, which peers exchange as they connect (RFC 8797). */

#include <rpcrdma/codec.h>

/* The octet that stands for a size in bytes: units of 1024, less one */
static u8 rpcrdma_private_encode_size(u32 size)
{
	if (size < RPCRDMA_PRIVATE_UNIT)
		size = RPCRDMA_PRIVATE_UNIT;
	if (size > RPCRDMA_PRIVATE_MAX_SIZE)
		size = RPCRDMA_PRIVATE_MAX_SIZE;
	return size / RPCRDMA_PRIVATE_UNIT - 1;
}

static u32 rpcrdma_private_decode_size(u8 octet)
{
	return (octet + 1u) * RPCRDMA_PRIVATE_UNIT;
}

/**
 * rpcrdma_private_encode - build a CM private message
 * @priv: contents; sizes are rounded down to multiples of 1024 bytes and
 *	limited to what the format can express (1024 to 262144 bytes)
 * @buf: RPCRDMA_PRIVATE_SIZE bytes
 *
 * RFC 8797 section 4.
 *
 * Context: any.
 */
void rpcrdma_private_encode(const struct rpcrdma_private *priv,
			    u8 buf[RPCRDMA_PRIVATE_SIZE])
{
	put_unaligned_be32(RPCRDMA_PRIVATE_MAGIC, buf);
	buf[4] = RPCRDMA_PRIVATE_VERSION;
	buf[5] = priv->remote_inv ? RPCRDMA_PRIVATE_F_REMOTE_INV : 0;
	buf[6] = rpcrdma_private_encode_size(priv->send_size);
	buf[7] = rpcrdma_private_encode_size(priv->recv_size);
}
EXPORT_SYMBOL_GPL(rpcrdma_private_encode);

/**
 * rpcrdma_private_decode - decode the CM private message, if there is one
 * @priv: contents, or the defaults for a peer that has sent none
 * @buf: private data of a CM event; may be NULL
 * @len: bytes in @buf; the CM may have padded it with zeros
 *
 * RFC 8797 section 5.1: private data that is not recognized is ignored.
 *
 * Context: any.
 * Return: true if there is one.
 */
bool rpcrdma_private_decode(struct rpcrdma_private *priv, const void *buf,
			    size_t len)
{
	const u8 *p = buf;

	priv->send_size = RPCRDMA_V1_INLINE_DEFAULT;
	priv->recv_size = RPCRDMA_V1_INLINE_DEFAULT;
	priv->remote_inv = false;

	if (!p || len < RPCRDMA_PRIVATE_SIZE)
		return false;
	if (get_unaligned_be32(p) != RPCRDMA_PRIVATE_MAGIC ||
	    p[4] != RPCRDMA_PRIVATE_VERSION)
		return false;

	priv->remote_inv = p[5] & RPCRDMA_PRIVATE_F_REMOTE_INV;
	priv->send_size = rpcrdma_private_decode_size(p[6]);
	priv->recv_size = rpcrdma_private_decode_size(p[7]);
	return true;
}
EXPORT_SYMBOL_GPL(rpcrdma_private_decode);
