// SPDX-License-Identifier: GPL-2.0-only
/* Entry to the decoder: the part of a header that all versions share. */

#include <rpcrdma/codec.h>

/**
 * rpcrdma_decode_prefix - decode the fields that every version begins with
 * @hdr: view to be filled in; everything else in it is cleared
 * @buf: received message
 * @len: bytes in @buf
 *
 * The first four words of a header mean the same in every version (RFC 5666
 * section 4.2), so that a receiver can answer a version it does not know.
 *
 * Context: any.
 * Return: 0, or RPCRDMA_ESHORT if @buf holds fewer than four words.
 */
int rpcrdma_decode_prefix(struct rpcrdma_hdr *hdr, const void *buf, u32 len)
{
	const u8 *p = buf;

	memset(hdr, 0, sizeof(*hdr));
	if (unlikely(len < RPCRDMA_V1_FIXED_SIZE))
		return RPCRDMA_ESHORT;

	hdr->base = p;
	hdr->len = len;
	memcpy(&hdr->xid, p, sizeof(hdr->xid));
	hdr->version = get_unaligned_be32(p + 4);
	hdr->credits = get_unaligned_be32(p + 8);
	hdr->type = get_unaligned_be32(p + 12);
	hdr->payload = len;
	return 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_decode_prefix);

/**
 * rpcrdma_decode - decode a transport header of any version implemented
 * @hdr: view to be filled in; it refers to @buf
 * @buf: received message
 * @len: bytes in @buf
 *
 * When decoding fails after the first four words, @hdr still has the xid,
 * version, credits and type, for the sake of an answer.
 *
 * Context: any.
 * Return: 0, RPCRDMA_ESHORT, RPCRDMA_EVERSION, RPCRDMA_ETYPE, RPCRDMA_ECHUNK
 * or RPCRDMA_EERRCODE.
 */
int rpcrdma_decode(struct rpcrdma_hdr *hdr, const void *buf, u32 len)
{
	int ret;

	ret = rpcrdma_decode_prefix(hdr, buf, len);
	if (unlikely(ret))
		return ret;
	if (likely(hdr->version == RPCRDMA_VERSION_1))
		return rpcrdma_v1_decode(hdr);
	return RPCRDMA_EVERSION;
}
EXPORT_SYMBOL_GPL(rpcrdma_decode);
