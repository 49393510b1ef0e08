/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the decoders: the start of a header, and a reader of words */
#ifndef _RPCRDMA_CODEC_DECODE_H
#define _RPCRDMA_CODEC_DECODE_H

#include <rpcrdma/codec.h>

/* The message is shorter than the fixed part: fill in XID and version if present. */
static inline int rpcrdma_hdr_short(struct rpcrdma_hdr *hdr, const u8 *p,
				    u32 len, u32 version)
{
	memset(hdr, 0, sizeof(*hdr));
	if (len >= RPCRDMA_XDR_UNIT)
		memcpy(&hdr->xid, p, sizeof(hdr->xid));
	if (len < 2 * RPCRDMA_XDR_UNIT)
		return RPCRDMA_ESHORT;
	hdr->version = get_unaligned_be32(p + 4);
	return hdr->version == version ? RPCRDMA_ESHORT : RPCRDMA_EVERSION;
}

/*
 * Fill in the fields of the first four words, and clear all others. Returns
 * RPCRDMA_ESHORT if words are missing, RPCRDMA_EVERSION if the version is not
 * @version.
 */
static inline int rpcrdma_hdr_init(struct rpcrdma_hdr *hdr, const u8 *p,
				   u32 len, u32 version)
{
	const struct rpcrdma_list empty = {};

	if (unlikely(len < RPCRDMA_V1_FIXED_SIZE))
		return rpcrdma_hdr_short(hdr, p, len, version);

	/* Clear single fields: memset() of the whole struct would cost more. */
	hdr->base = p;
	hdr->len = len;
	hdr->payload = 0;
	hdr->flags = 0;
	hdr->inv_handle = 0;
	hdr->reads = empty;
	hdr->writes = empty;
	hdr->reply = empty;
	hdr->align = 0;
	hdr->thresh = 0;
	hdr->err = 0;
	hdr->props_offset = 0;
	hdr->props_count = 0;
	memcpy(&hdr->xid, p, sizeof(hdr->xid));
	hdr->version = get_unaligned_be32(p + 4);
	hdr->credits = get_unaligned_be32(p + 8);
	hdr->type = get_unaligned_be32(p + 12);
	return unlikely(hdr->version != version) ? RPCRDMA_EVERSION : 0;
}

/**
 * struct rpcrdma_words - a read position in a message
 * @base: start of the data
 * @at: bytes from @base to the next byte to read
 * @end: bytes from @base that may be read; @at is never greater
 * @bad: the data is too short or malformed; further reads return 0
 */
struct rpcrdma_words {
	const u8 *base;
	u32 at;
	u32 end;
	bool bad;
};

static inline void rpcrdma_words_skip(struct rpcrdma_words *in, u64 bytes)
{
	if (bytes > in->end - in->at)
		in->bad = true;
	else
		in->at += bytes;
}

/* Skip @length bytes of opaque data and their XDR roundup. */
static inline void rpcrdma_words_skip_opaque(struct rpcrdma_words *in,
					     u32 length)
{
	rpcrdma_words_skip(in, length);
	rpcrdma_words_skip(in, -length % RPCRDMA_XDR_UNIT);
}

/* Read a word. Returns 0 if none is left, or if @bad is set. */
static inline u32 rpcrdma_words_get(struct rpcrdma_words *in)
{
	u32 at = in->at;

	rpcrdma_words_skip(in, RPCRDMA_XDR_UNIT);
	return in->bad ? 0 : get_unaligned_be32(in->base + at);
}

/* error.c */
int rpcrdma_error_decode(struct rpcrdma_hdr *hdr, u32 at);

#endif /* _RPCRDMA_CODEC_DECODE_H */
