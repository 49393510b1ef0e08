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
#include <rpcrdma/padding.h>
#include <rpcrdma/conf.h>

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

/* What precedes the padding, the padding and the data are in the message. */
static void check_padding(const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_padding pad, part;

	rpcrdma_padding_none(hdr);
	if (!rpcrdma_padding_in_reply(hdr, &pad))
		check((u64)pad.at + pad.bytes <= hdr->len);
	if (rpcrdma_padding_in_call(hdr, hdr->len, &pad))
		return;
	check(pad.at >= hdr->payload && (u64)pad.at + pad.bytes <= hdr->len);
	check(!rpcrdma_padding_in_call(hdr, pad.at, &part));
	check(!memcmp(&pad, &part, sizeof(pad)));
	if (pad.bytes)
		check(!((pad.at + pad.bytes) % hdr->align) &&
		      pad.at + pad.bytes + rpcrdma_xdr_align(pad.length) ==
			      hdr->len);
}

static void copy_v1(const struct rpcrdma_hdr *hdr, struct rpcrdma_encoder *enc)
{
	switch (hdr->type) {
	case RPCRDMA_DONE:
		return;
	case RPCRDMA_ERROR:
		rpcrdma_encode_error(enc, hdr->err, hdr->vers_low,
				     hdr->vers_high);
		return;
	case RPCRDMA_MSGP:
		check_padding(hdr);
		rpcrdma_encode_word(enc, hdr->align);
		rpcrdma_encode_word(enc, hdr->thresh);
	}
	copy_lists(hdr, enc);
}

static bool same_props(const struct rpcrdma_props *a,
		       const struct rpcrdma_props *b)
{
	return a->recv_size == b->recv_size && a->reverse == b->reverse &&
	       a->remote_inv == b->remote_inv &&
	       a->read_replies == b->read_replies && a->htypes == b->htypes;
}

static void begin(struct rpcrdma_encoder *enc, const struct rpcrdma_hdr *hdr,
		  u8 *buf, u32 size)
{
	rpcrdma_encode_init(enc, buf, size);
	rpcrdma_encode_fixed(enc, hdr->xid, hdr->version, 1, hdr->type);
	rpcrdma_encode_word(enc, 0);
}

static void decode_again(const struct rpcrdma_encoder *enc,
			 struct rpcrdma_hdr *hdr)
{
	check(!rpcrdma_decode_v2(hdr, enc->base, rpcrdma_encode_finish(enc)));
}

/* Reserved flags and the padding of values are not encoded again. */
static void check_connprop(const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_props props, again;
	struct rpcrdma_encoder enc;
	struct rpcrdma_hdr back;
	u8 buf[256];

	if (rpcrdma_props_decode(&props, hdr))
		return;
	check(!(props.nochange & ~RPCRDMA_PROPS_ALL));
	begin(&enc, hdr, buf, sizeof(buf));
	rpcrdma_props_encode(&enc, &props);
	decode_again(&enc, &back);
	check(!rpcrdma_props_decode(&again, &back));
	check(same_props(&props, &again));
	/* What is not in the second message, because it has its default */
	check(!(props.nochange & ~again.nochange));
	check(!((props.nochange ^ again.nochange) & RPCRDMA_PROPS_RBSIZ));
}

/* Decode each property by itself; return which ones are known, and good. */
static u32 check_each_prop(const struct rpcrdma_hdr *hdr,
			   struct rpcrdma_props *props)
{
	struct rpcrdma_props before;
	struct rpcrdma_prop prop;
	struct rpcrdma_cursor cur;
	u32 count = 0, which = 0;
	int bit;

	rpcrdma_props_default(props);
	rpcrdma_props_begin(hdr, &cur);
	for (; rpcrdma_props_next(&cur, &prop); count++) {
		check(prop.data >= hdr->base &&
		      prop.data + prop.len <= hdr->base + hdr->len);
		before = *props;
		bit = rpcrdma_prop_decode(props, &prop);
		check(bit > 0 || same_props(props, &before));
		check(bit == RPCRDMA_EPROP ||
		      (u32)bit == rpcrdma_prop_mask(prop.id));
		which |= bit > 0 ? bit : 0;
	}
	check(count == hdr->props_count);
	return which & ~RPCRDMA_PROPS_NOCHANGE;
}

/* What was asked for or announced, as far as it is known, is encoded again. */
static void check_change(const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_props props, again;
	struct rpcrdma_encoder enc;
	struct rpcrdma_hdr back;
	u8 buf[256];
	u32 which;

	which = check_each_prop(hdr, &props);
	begin(&enc, hdr, buf, sizeof(buf));
	if (hdr->type == RPCRDMA2_REQPROP)
		rpcrdma_reqprop_encode(&enc, &props, which);
	else if (which)
		rpcrdma_updprop_encode(&enc, &props, which, hdr->pendclr);
	else
		return;
	decode_again(&enc, &back);
	check(check_each_prop(&back, &again) == which);
	check(same_props(&props, &again));
	check(back.pendclr == hdr->pendclr);
}

static void check_subset(const struct rpcrdma_hdr *hdr,
			 const struct rpcrdma_subset *subset)
{
	u32 i, bits = 0;

	check(subset->words >= hdr->base && subset->words +
	      subset->count * RPCRDMA_XDR_UNIT <= hdr->base + hdr->len);
	for (i = 0; i < 32 * subset->count; i++)
		bits += rpcrdma_subset_has(subset, i);
	for (i = 0; i < subset->count; i++)
		bits -= __builtin_popcount(rpcrdma_subset_word(subset, i));
	check(!bits && !rpcrdma_subset_has(subset, 32 * subset->count));
}

/*
 * The number of properties, if the subsets are an answer that we could have
 * given: judged bit by bit, to check what the codec says.
 */
static int check_judgement(const struct rpcrdma_resprop *resp, u32 max)
{
	bool overlap = false, hole = false;
	u32 i, n, count = 0;

	for (i = 0; i < max; i++) {
		n = rpcrdma_subset_has(&resp->done, i) +
		    rpcrdma_subset_has(&resp->rejected, i) +
		    rpcrdma_subset_has(&resp->pending, i);
		overlap |= n > 1;
		if (n && i > count)
			hole = true;
		if (n)
			count = i + 1;
	}
	check(rpcrdma_resprop_covers(resp, count) == (!hole && !overlap));
	check(!count || !rpcrdma_resprop_covers(resp, count - 1));
	check(!rpcrdma_resprop_covers(resp, count + 1));
	return overlap || hole ? -1 : (int)count;
}

static void check_resprop(const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_resprop resp, again;
	struct rpcrdma_encoder enc;
	struct rpcrdma_hdr back;
	u8 buf[1024];
	int count, i;

	rpcrdma_resprop_get(&resp, hdr);
	check_subset(hdr, &resp.done);
	check_subset(hdr, &resp.rejected);
	check_subset(hdr, &resp.pending);
	count = check_judgement(&resp, 8 * hdr->len);
	if (count < 0)
		return;
	begin(&enc, hdr, buf, sizeof(buf));
	rpcrdma_resprop_encode(&enc, count, rpcrdma_subset_word(&resp.done, 0),
			       rpcrdma_subset_word(&resp.pending, 0));
	decode_again(&enc, &back);
	rpcrdma_resprop_get(&again, &back);
	check(check_judgement(&again, 8 * back.len) == count);
	for (i = 0; i < 32; i++)
		check(rpcrdma_subset_has(&resp.done, i) ==
		      rpcrdma_subset_has(&again.done, i) &&
		      rpcrdma_subset_has(&resp.pending, i) ==
		      rpcrdma_subset_has(&again.pending, i));
}

static void check_props(const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_props props;

	switch (hdr->type) {
	case RPCRDMA2_CONNPROP:
		check_each_prop(hdr, &props);
		check_connprop(hdr);
		break;
	case RPCRDMA2_REQPROP:
	case RPCRDMA2_UPDPROP:
		check_change(hdr);
		break;
	case RPCRDMA2_RESPROP:
		check_resprop(hdr);
		break;
	}
}

static void copy_v2(const struct rpcrdma_hdr *hdr, struct rpcrdma_encoder *enc)
{
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

/* A call as it is sent: RPCRDMA_CONF_RDMA with AUTH_NONE */
static void check_conf_call(const struct rpcrdma_conf_call *call)
{
	u8 buf[RPCRDMA_CONF_SIZE];
	struct rpcrdma_conf_call again;
	struct rpcrdma_encoder enc;

	rpcrdma_encode_init(&enc, buf, sizeof(buf));
	rpcrdma_conf_call_encode(&enc, call->xid, &call->req);
	check(!rpcrdma_conf_call_decode(&again, buf,
					rpcrdma_encode_finish(&enc)));
	check(!memcmp(call, &again, sizeof(again)));
}

/* Every call has an answer, which the requester understands. */
static void fuzz_conf(const u8 *data, size_t size)
{
	const struct rpcrdma_conf_res res = { 4096, 4, 16 };
	u8 buf[RPCRDMA_CONF_SIZE];
	struct rpcrdma_conf_reply reply;
	struct rpcrdma_conf_call call;
	struct rpcrdma_encoder enc;
	int len;

	rpcrdma_conf_reply_decode(&reply, data, size);
	if (rpcrdma_conf_call_decode(&call, data, size))
		return;
	if (!call.status && call.proc == RPCRDMA_CONF_RDMA)
		check_conf_call(&call);
	rpcrdma_encode_init(&enc, buf, sizeof(buf));
	rpcrdma_conf_reply_encode(&enc, &call, &res);
	len = rpcrdma_encode_finish(&enc);
	check(len > 0);
	/* The reply to NULL has no results. */
	if (!call.status && call.proc == RPCRDMA_CONF_NULL)
		return;
	check(!rpcrdma_conf_reply_decode(&reply, buf, len) == !call.status);
	check(call.status || reply.xid == call.xid);
}

static int decode(struct rpcrdma_hdr *hdr, const u8 *data, size_t size)
{
	int ret = rpcrdma_decode(hdr, data, size);

	return hdr->version == RPCRDMA_VERSION_2 ?
		       rpcrdma_decode_v2(hdr, data, size) : ret;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct rpcrdma_encoder enc;
	struct rpcrdma_hdr hdr;
	u8 *copy;
	int len;

	fuzz_private(data, size);
	fuzz_conf(data, size);
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
