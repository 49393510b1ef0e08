// SPDX-License-Identifier: GPL-2.0-only
/* Decoder entry points, and the four words that every version begins with. */

#include "fixed.h"

/**
 * rpcrdma_decode_prefix - decode the fields that every version begins with
 * @hdr: view to fill in; all other fields are cleared
 * @buf: received message
 * @len: bytes in @buf
 *
 * The first four words of a header mean the same in every version (RFC 5666
 * section 4.2), so a receiver can answer a version that it does not implement.
 *
 * Context: any.
 * Return: 0, or RPCRDMA_ESHORT if @buf holds fewer than four words.
 */
int rpcrdma_decode_prefix(struct rpcrdma_hdr *hdr, const void *buf, u32 len)
{
	int ret = rpcrdma_hdr_init(hdr, buf, len);

	if (!ret)
		hdr->payload = len;
	return ret;
}
EXPORT_SYMBOL_GPL(rpcrdma_decode_prefix);

/*
 * True for a version 1 RDMA_MSG or RDMA_NOMSG without chunks. This is by far
 * the most frequent header, so it bypasses the list decoder.
 */
static inline bool rpcrdma_hdr_is_plain(const struct rpcrdma_hdr *hdr,
					const u8 *p)
{
	if (hdr->type > RPCRDMA_NOMSG || hdr->len < RPCRDMA_V1_MIN_SIZE)
		return false;
	return !(get_unaligned_be64(p + 16) | get_unaligned_be32(p + 24));
}

/**
 * rpcrdma_decode - decode a version 1 transport header
 * @hdr: view to fill in; it points into @buf
 * @buf: received message
 * @len: bytes in @buf
 *
 * If decoding fails after the first four words, @hdr still has the XID,
 * version, credits and type, so that an error can be returned.
 *
 * Context: any.
 * Return: 0, RPCRDMA_ESHORT, RPCRDMA_EVERSION, RPCRDMA_ETYPE, RPCRDMA_ECHUNK
 * or RPCRDMA_EERRCODE.
 */
int rpcrdma_decode(struct rpcrdma_hdr *hdr, const void *buf, u32 len)
{
	int ret;

	ret = rpcrdma_hdr_init(hdr, buf, len);
	if (unlikely(ret))
		return ret;
	if (unlikely(hdr->version != RPCRDMA_VERSION_1))
		return RPCRDMA_EVERSION;
	if (!rpcrdma_hdr_is_plain(hdr, buf))
		return rpcrdma_v1_decode(hdr);
	hdr->payload = RPCRDMA_V1_MIN_SIZE;
	return 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_decode);
