/* SPDX-License-Identifier: GPL-2.0-only */
/* Read lists for tables of cases. */
#ifndef _RPCRDMA_FAKE_READ_LIST_H
#define _RPCRDMA_FAKE_READ_LIST_H

#include <rpcrdma/codec.h>

/* An entry of a Read list; LIST() sets the members of a table row. */
struct read_entry {
	u32 position, length;
};

#define LIST(...) \
	.reads = { __VA_ARGS__ }, \
	.nreads = ARRAY_SIZE(((const struct read_entry[]){ __VA_ARGS__ }))

static __maybe_unused void encode_reads(struct rpcrdma_encoder *enc,
					const struct read_entry *reads, u32 n)
{
	struct rpcrdma_segment seg = { .handle = 1 };

	for (; n; n--, reads++) {
		seg.length = reads->length;
		rpcrdma_encode_read_segment(enc, reads->position, &seg);
	}
	rpcrdma_encode_list_end(enc);
}

#endif /* _RPCRDMA_FAKE_READ_LIST_H */
