/* SPDX-License-Identifier: GPL-2.0-only */
/* The four words that every header begins with. */
#ifndef _RPCRDMA_CODEC_FIXED_H
#define _RPCRDMA_CODEC_FIXED_H

#include <rpcrdma/codec.h>

/* Fill in what these words say, and clear all other fields. */
static inline int rpcrdma_hdr_init(struct rpcrdma_hdr *hdr, const u8 *p,
				   u32 len)
{
	const struct rpcrdma_list empty = {};

	if (unlikely(len < RPCRDMA_V1_FIXED_SIZE)) {
		memset(hdr, 0, sizeof(*hdr));
		return RPCRDMA_ESHORT;
	}

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
	return 0;
}

/* error.c */
int rpcrdma_error_decode(struct rpcrdma_hdr *hdr, const u8 *p);

#endif /* _RPCRDMA_CODEC_FIXED_H */
