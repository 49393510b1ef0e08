// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target: arbitrary bytes go through the decoder and its cursors.
 *
 * Besides the sanitizers' checks, three properties are asserted: the view stays
 * inside the message, the cursors find exactly what the view counts, and
 * encoding what was decoded gives the same bytes.
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

static void copy_lists(const struct rpcrdma_hdr *hdr,
		       struct rpcrdma_encoder *enc)
{
	copy_reads(hdr, enc);
	copy_chunks(hdr, &hdr->writes, enc);
	rpcrdma_encode_list_end(enc);
	copy_chunks(hdr, &hdr->reply, enc);
	if (!hdr->reply.chunks)
		rpcrdma_encode_list_end(enc);
	check(rpcrdma_encode_finish(enc) == (int)hdr->payload);
}

static void copy_v1(const struct rpcrdma_hdr *hdr, struct rpcrdma_encoder *enc)
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
	copy_lists(hdr, enc);
}

/* Reserved flags and the padding of values are not encoded again. */
static void check_props(const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_props props, again;
	struct rpcrdma_prop prop;
	struct rpcrdma_encoder enc;
	struct rpcrdma_cursor cur;
	struct rpcrdma_hdr back;
	u8 buf[256];
	u32 count = 0;

	rpcrdma_props_begin(hdr, &cur);
	for (; rpcrdma_props_next(&cur, &prop); count++)
		check(prop.data >= hdr->base &&
		      prop.data + prop.len <= hdr->base + hdr->len);
	check(count == hdr->props_count);
	if (rpcrdma_props_decode(&props, hdr))
		return;

	rpcrdma_encode_init(&enc, buf, sizeof(buf));
	rpcrdma_encode_fixed(&enc, hdr->xid, hdr->version, 1, hdr->type);
	rpcrdma_encode_word(&enc, 0);
	rpcrdma_props_encode(&enc, &props);
	check(!rpcrdma_decode_prefix(&back, buf, rpcrdma_encode_finish(&enc)));
	check(!rpcrdma_v2_decode(&back));
	check(!rpcrdma_props_decode(&again, &back));
	check(props.recv_size == again.recv_size &&
	      props.reverse == again.reverse &&
	      props.remote_inv == again.remote_inv &&
	      props.read_replies == again.read_replies &&
	      props.htypes == again.htypes &&
	      props.nochange == again.nochange);
}

static void copy_v2(const struct rpcrdma_hdr *hdr, struct rpcrdma_encoder *enc)
{
	if (hdr->type == RPCRDMA2_CONNPROP)
		check_props(hdr);
	if (hdr->type != RPCRDMA2_MSG && hdr->type != RPCRDMA2_NOMSG)
		return;
	rpcrdma_encode_word(enc, hdr->flags);
	rpcrdma_encode_word(enc, hdr->inv_handle);
	copy_lists(hdr, enc);
}

static void fuzz_private(const u8 *data, size_t size)
{
	struct rpcrdma_private priv, again;
	u8 buf[RPCRDMA_PRIVATE_MAX];
	u32 len;

	if (!rpcrdma_private_decode(&priv, data, size))
		return;
	len = rpcrdma_private_encode(&priv, buf);
	check(!memcmp(buf, data, 5) && buf[6] == data[6] && buf[7] == data[7]);
	check(rpcrdma_private_decode(&again, buf, len) &&
	      again.hint == priv.hint);
}

static int decode(struct rpcrdma_hdr *hdr, const u8 *data, size_t size)
{
	int ret = rpcrdma_decode_prefix(hdr, data, size);

	if (!ret && hdr->version == RPCRDMA_VERSION_2)
		return rpcrdma_v2_decode(hdr);
	return ret ? ret : rpcrdma_decode(hdr, data, size);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct rpcrdma_encoder enc;
	struct rpcrdma_hdr hdr;
	u8 *copy;
	int len;

	fuzz_private(data, size);
	if (decode(&hdr, data, size))
		return 0;
	check(hdr.payload <= size);

	copy = malloc(size);
	check(copy);
	rpcrdma_encode_init(&enc, copy, size);
	rpcrdma_encode_fixed(&enc, hdr.xid, hdr.version, hdr.credits, hdr.type);
	if (hdr.version == RPCRDMA_VERSION_1)
		copy_v1(&hdr, &enc);
	else
		copy_v2(&hdr, &enc);
	len = rpcrdma_encode_finish(&enc);
	check(len >= 0 && !memcmp(copy, data, len));
	free(copy);
	return 0;
}
