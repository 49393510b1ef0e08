// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: any bytes go through the decoder and its cursors.
 *
 * Besides what the sanitizers see, three properties are asserted: the view
 * stays inside the message, the cursors find exactly what the view counts, and
 * what was decoded encodes again to the bytes it came from.
 */

#include <stdint.h>
#include <stdlib.h>

#include <rpcrdma/codec.h>

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#define check(cond) do { if (!(cond)) abort(); } while (0)

static void copy_reads(const struct rpcrdma_hdr *hdr,
		       struct rpcrdma_encoder *enc)
{
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;
	u32 segments = 0;
	u64 bytes = 0;

	rpcrdma_reads_begin(hdr, &cur);
	while (rpcrdma_reads_next(&cur, &rseg)) {
		segments++;
		bytes += rseg.seg.length;
		check(!(rseg.position % RPCRDMA_XDR_UNIT));
		rpcrdma_encode_read_segment(enc, rseg.position, &rseg.seg);
	}
	rpcrdma_encode_list_end(enc);
	check(segments == hdr->reads.segments);
	check(bytes == hdr->reads.bytes);
	check(hdr->reads.chunks <= segments);
}

static void copy_chunks(const struct rpcrdma_hdr *hdr,
			const struct rpcrdma_list *list,
			struct rpcrdma_encoder *enc)
{
	u32 chunks = 0, segments = 0, segcount, i;
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	u64 bytes = 0;

	rpcrdma_chunks_begin(hdr, list, &cur);
	while (rpcrdma_chunks_next(&cur, &segcount)) {
		chunks++;
		rpcrdma_encode_chunk_begin(enc);
		for (i = 0; rpcrdma_segments_next(&cur, &seg); i++) {
			bytes += seg.length;
			rpcrdma_encode_segment(enc, &seg);
		}
		rpcrdma_encode_chunk_end(enc);
		check(i == segcount);
		segments += i;
	}
	check(chunks == list->chunks && segments == list->segments);
	check(bytes == list->bytes);
}

static void copy_body(const struct rpcrdma_hdr *hdr,
		      struct rpcrdma_encoder *enc)
{
	switch (hdr->type) {
	case RPCRDMA_DONE:
		return;
	case RPCRDMA_ERROR:
		if (hdr->err == RPCRDMA_ERR_VERS)
			rpcrdma_encode_err_vers(enc, hdr->vers_low,
						hdr->vers_high);
		else
			rpcrdma_encode_err_chunk(enc);
		return;
	case RPCRDMA_MSGP:
		rpcrdma_encode_msgp(enc, hdr->align, hdr->thresh);
	}
	copy_reads(hdr, enc);
	copy_chunks(hdr, &hdr->writes, enc);
	rpcrdma_encode_list_end(enc);
	copy_chunks(hdr, &hdr->reply, enc);
	if (!hdr->reply.chunks)
		rpcrdma_encode_list_end(enc);
	check(rpcrdma_encode_finish(enc) == (int)hdr->payload);
}

static void fuzz_private(const u8 *data, size_t size)
{
	u8 buf[RPCRDMA_PRIVATE_SIZE];
	struct rpcrdma_private priv;

	if (!rpcrdma_private_decode(&priv, data, size))
		return;
	rpcrdma_private_encode(&priv, buf);
	check(!memcmp(buf, data, 5) && buf[6] == data[6] && buf[7] == data[7]);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct rpcrdma_encoder enc;
	struct rpcrdma_hdr hdr;
	u8 *copy;
	int len;

	fuzz_private(data, size);
	if (rpcrdma_decode(&hdr, data, size))
		return 0;
	check(hdr.payload <= size);

	copy = malloc(size);
	check(copy);
	rpcrdma_encode_init(&enc, copy, size);
	rpcrdma_encode_fixed(&enc, hdr.xid, hdr.version, hdr.credits, hdr.type);
	copy_body(&hdr, &enc);
	len = rpcrdma_encode_finish(&enc);
	check(len >= 0 && !memcmp(copy, data, len));
	free(copy);
	return 0;
}
