// SPDX-License-Identifier: GPL-2.0-only
/*
 * RDMA_ERROR of both versions. Its body is an error code and up to two words.
 * Both versions use the same number of words for a code.
 */

#include "decode.h"

/* Number of words after @code (v2 draft section 5.3.3); 0 if it is undefined */
static u32 rpcrdma_error_words(u32 code)
{
	switch (code) {
	case RPCRDMA2_ERR_VERS:
	case RPCRDMA2_ERR_WRITE_RESOURCE:
		return 2;
	case RPCRDMA2_ERR_READ_CHUNKS:
	case RPCRDMA2_ERR_WRITE_CHUNKS:
	case RPCRDMA2_ERR_SEGMENTS:
	case RPCRDMA2_ERR_REPLY_RESOURCE:
		return 1;
	default:
		return 0;
	}
}

/**
 * rpcrdma_error_decode - decode the body of an RDMA_ERROR
 * @hdr: view with the fields before the body filled in
 * @at: bytes from the start of the header to the body
 *
 * The words that RFC 5666 adds to ERR_CHUNK, and RFC 8166 section 4.5 removed,
 * are ignored.
 *
 * Context: any.
 * Return: 0 or RPCRDMA_ESHORT.
 */
int rpcrdma_error_decode(struct rpcrdma_hdr *hdr, u32 at)
{
	struct rpcrdma_words in = { .base = hdr->base, .at = at, .end = hdr->len };
	u32 words;

	hdr->err = rpcrdma_words_get(&in);
	words = rpcrdma_error_words(hdr->err);
	if (words == 2)
		hdr->err_index = rpcrdma_words_get(&in);
	if (words)
		hdr->err_value = rpcrdma_words_get(&in);
	if (in.bad)
		return RPCRDMA_ESHORT;
	hdr->payload = hdr->len;
	return 0;
}

/**
 * rpcrdma_encode_error - encode an RDMA_ERROR
 * @enc: encoder
 * @xid: XID of the message that caused the error, as on the wire
 * @version: RPC-over-RDMA version
 * @credits: credits requested, or granted
 * @code: an enum rpcrdma2_errcode; version 1 reports all but ERR_VERS as ERR_CHUNK
 * @index: ERR_WRITE_RESOURCE: number of the Write chunk; ERR_VERS: lowest version
 * @value: ERR_VERS: highest version; other codes: the limit or length that the
 *	code reports, if any
 *
 * RFC 8166 section 4.5, without the words that RFC 5666 adds to ERR_CHUNK; v2
 * draft sections 5.3.3 (union rpcrdma2_error) and 3.2 (an error is a response).
 *
 * Context: any.
 */
void rpcrdma_encode_error(struct rpcrdma_encoder *enc, __be32 xid, u32 version,
			  u32 credits, u32 code, u32 index, u32 value)
{
	u32 words;

	rpcrdma_encode_fixed(enc, xid, version, credits, RPCRDMA_ERROR);
	if (version == RPCRDMA_VERSION_2)
		rpcrdma_encode_word(enc, RPCRDMA2_F_RESPONSE);
	else if (code != RPCRDMA_ERR_VERS)
		code = RPCRDMA_ERR_CHUNK;
	words = rpcrdma_error_words(code);
	rpcrdma_encode_word(enc, code);
	if (words == 2)
		rpcrdma_encode_word(enc, index);
	if (words)
		rpcrdma_encode_word(enc, value);
}
EXPORT_SYMBOL_GPL(rpcrdma_encode_error);
