// SPDX-License-Identifier: GPL-2.0-only
/* RPC-over-RDMA version 1: decodes a header into a view, in a single pass. */

#include <rpcrdma/padding.h>

#include "decode.h"
#include "lists.h"

/* Decode the header after its fixed part (RFC 5666 section 4.3, RFC 8166 section 4). */
static int rpcrdma_v1_decode(struct rpcrdma_hdr *hdr)
{
	const u8 *p = hdr->base + RPCRDMA_V1_FIXED_SIZE;
	int ret;

	switch (hdr->type) {
	case RPCRDMA_DONE:
		hdr->payload = hdr->len;
		return 0;
	case RPCRDMA_ERROR:
		ret = rpcrdma_error_decode(hdr, RPCRDMA_V1_FIXED_SIZE);
		if (hdr->err > RPCRDMA_ERR_CHUNK || (!ret && !hdr->err))
			return RPCRDMA_EERRCODE;
		return ret;
	case RPCRDMA_MSGP:
		ret = rpcrdma_padding_decode(hdr);
		if (ret)
			return ret;
		p += RPCRDMA_V1_MSGP_EXTRA;
		fallthrough;
	case RPCRDMA_MSG:
	case RPCRDMA_NOMSG:
		return rpcrdma_decode_chunk_lists(hdr, p);
	default:
		return RPCRDMA_ETYPE;
	}
}

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
 * Even if decoding fails, @hdr has the XID, version, credits and type, unless
 * the message is too short, so the caller can answer with an error.
 *
 * Context: any.
 * Return: 0, RPCRDMA_ESHORT, RPCRDMA_EVERSION, RPCRDMA_ETYPE, RPCRDMA_ECHUNK
 * or RPCRDMA_EERRCODE.
 */
int rpcrdma_decode(struct rpcrdma_hdr *hdr, const void *buf, u32 len)
{
	int ret;

	ret = rpcrdma_hdr_init(hdr, buf, len, RPCRDMA_VERSION_1);
	if (unlikely(ret))
		return ret;
	if (!rpcrdma_hdr_is_plain(hdr, buf))
		return rpcrdma_v1_decode(hdr);
	hdr->payload = RPCRDMA_V1_MIN_SIZE;
	return 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_decode);
