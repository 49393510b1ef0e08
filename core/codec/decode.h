/* SPDX-License-Identifier: GPL-2.0-only */
/* What decoders share: the start of a header, and reading the rest word by word */
#ifndef _RPCRDMA_CODEC_DECODE_H
#define _RPCRDMA_CODEC_DECODE_H

#include <rpcrdma/codec.h>

/* XID and version are the first words of every version: fill in what is there. */
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
 * Fill in what the first four words say, and clear all other fields. Returns
 * RPCRDMA_EVERSION if the message is in another version than @version.
 */
static inline int rpcrdma_hdr_init(struct rpcrdma_hdr *hdr, const u8 *p,
				   u32 len, u32 version)
{
	const struct rpcrdma_list empty = {};

	if (unlikely(len < RPCRDMA_V1_FIXED_SIZE))
		return rpcrdma_hdr_short(hdr, p, len, version);

	/* Field by field: a memset() of the whole struct would cost more. */
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
 * struct rpcrdma_words - a place in a message
 * @base: start of the data
 * @at: bytes from @base
 * @end: bytes that may be read; @at is never greater
 * @bad: something is missing or is not as expected; nothing is read any more
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

/* Skip opaque data of @length bytes, with its XDR roundup. */
static inline void rpcrdma_words_skip_opaque(struct rpcrdma_words *in,
					     u32 length)
{
	rpcrdma_words_skip(in, length);
	rpcrdma_words_skip(in, -length % RPCRDMA_XDR_UNIT);
}

/* Read a word; 0 if there is none. */
static inline u32 rpcrdma_words_get(struct rpcrdma_words *in)
{
	u32 at = in->at;

	rpcrdma_words_skip(in, RPCRDMA_XDR_UNIT);
	return in->bad ? 0 : get_unaligned_be32(in->base + at);
}

/* error.c */
int rpcrdma_error_decode(struct rpcrdma_hdr *hdr, u32 at);

#endif /* _RPCRDMA_CODEC_DECODE_H */
