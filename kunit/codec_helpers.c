// SPDX-License-Identifier: GPL-2.0-only
/* Helpers for the codec's suites: exact buffers, re-encoding, random numbers. */
#include "codec_vectors.h"

RPCRDMA_GEN_PARAMS(codec_vector_gen_params)
{
	const struct codec_vector *v = prev ? prev + sizeof(*v) : codec_vectors;

	if (v == codec_vectors + codec_vector_count)
		return NULL;
	strscpy(desc, v->name, KUNIT_PARAM_DESC_SIZE);
	return v;
}

/* A buffer of exactly @len bytes: sanitizers detect any access outside of it. */
u8 *codec_buffer(struct kunit *test, u32 len)
{
	u8 *buf = kunit_kmalloc(test, len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, buf);
	return buf;
}

/* Words in wire format, in a buffer of exactly their length */
u8 *codec_message(struct kunit *test, const u32 *words, u32 nwords)
{
	u8 *buf = codec_buffer(test, nwords * RPCRDMA_XDR_UNIT);
	u32 i;

	for (i = 0; i < nwords; i++)
		put_unaligned_be32(words[i], buf + i * RPCRDMA_XDR_UNIT);
	return buf;
}

/* Returns the number of bytes in the transport header of a vector. */
u32 codec_header_size(const struct codec_vector *v)
{
	return (v->nwords - v->payload) * RPCRDMA_XDR_UNIT;
}

/* True if @len bytes of @v are an ERR_VERS in version 1 format with version number 2. */
bool codec_looks_like_v1(const struct codec_vector *v, u32 len)
{
	return v->words[1] == RPCRDMA_VERSION_2 &&
	       v->words[3] == RPCRDMA2_ERROR && v->words[4] == 1 &&
	       v->words[5] == 1 && len == RPCRDMA_V1_ERR_VERS_SIZE;
}

/* Decode a message. Fields that the decoder does not set are all ones. */
int codec_decode(u32 version, struct rpcrdma_hdr *hdr, const u8 *buf, u32 len)
{
	memset(hdr, 0xff, sizeof(*hdr));
	return version == RPCRDMA_VERSION_1 ? rpcrdma_decode(hdr, buf, len) :
					      rpcrdma_decode_v2(hdr, buf, len);
}

static void reencode_chunks(struct rpcrdma_encoder *enc,
			    const struct rpcrdma_hdr *hdr,
			    const struct rpcrdma_list *list)
{
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	u32 count;

	rpcrdma_chunks_begin(hdr, list, &cur);
	while (rpcrdma_chunks_next(&cur, &count)) {
		rpcrdma_encode_chunk_begin(enc, count);
		while (rpcrdma_segments_next(&cur, &seg))
			rpcrdma_encode_segment(enc, &seg);
	}
}

static void reencode_lists(struct rpcrdma_encoder *enc,
			   const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;

	rpcrdma_reads_begin(hdr, &cur);
	while (rpcrdma_reads_next(&cur, &rseg))
		rpcrdma_encode_read_segment(enc, rseg.position, &rseg.seg);
	rpcrdma_encode_list_end(enc);
	reencode_chunks(enc, hdr, &hdr->writes);
	rpcrdma_encode_list_end(enc);
	if (hdr->reply.chunks)
		reencode_chunks(enc, hdr, &hdr->reply);
	else
		rpcrdma_encode_list_end(enc);
}

/* Returns the end of the properties. */
static const u8 *reencode_props(struct rpcrdma_encoder *enc,
				const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_cursor cur;
	struct rpcrdma_prop prop;
	u32 i;

	rpcrdma_props_begin(hdr, &cur);
	while (rpcrdma_props_next(&cur, &prop)) {
		rpcrdma_encode_word(enc, prop.id);
		rpcrdma_encode_word(enc, prop.len);
		for (i = 0; i < prop.len; i += RPCRDMA_XDR_UNIT)
			rpcrdma_encode_word(enc, get_unaligned_be32(prop.data + i));
	}
	return cur.p;
}

static void reencode_subset(struct rpcrdma_encoder *enc,
			    const struct rpcrdma_subset *subset)
{
	u32 i;

	rpcrdma_encode_word(enc, subset->count);
	for (i = 0; i < subset->count; i++)
		rpcrdma_encode_word(enc, rpcrdma_subset_word(subset, i));
}

/* Encode the body of a version 2 message about properties. */
static void reencode_change(struct rpcrdma_encoder *enc,
			    const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_resprop resp;
	const u8 *end;

	if (hdr->type == RPCRDMA2_RESPROP) {
		rpcrdma_resprop_get(&resp, hdr);
		reencode_subset(enc, &resp.done);
		reencode_subset(enc, &resp.rejected);
		reencode_subset(enc, &resp.pending);
		return;
	}
	if (hdr->type != RPCRDMA2_UPDPROP)
		rpcrdma_encode_word(enc, hdr->props_count);
	end = reencode_props(enc, hdr);
	if (hdr->type == RPCRDMA2_UPDPROP)
		rpcrdma_encode_word(enc, get_unaligned_be32(end));
}

/* Encode the header from which a view was decoded. Returns its length. */
int codec_reencode(const struct rpcrdma_hdr *hdr, u8 *buf, u32 size)
{
	struct rpcrdma_encoder enc;
	int len;

	rpcrdma_encode_init(&enc, buf, size);
	if (hdr->type == RPCRDMA_ERROR) {
		rpcrdma_encode_error(&enc, hdr->xid, hdr->version, hdr->credits,
				     hdr->err, hdr->err_index, hdr->err_value);
		len = rpcrdma_encode_finish(&enc);
		if (len > 0 && hdr->version == RPCRDMA_VERSION_2)
			put_unaligned_be32(hdr->flags, buf + RPCRDMA_V1_FIXED_SIZE);
		return len;
	}
	rpcrdma_encode_fixed(&enc, hdr->xid, hdr->version, hdr->credits,
			     hdr->type);
	if (hdr->version == RPCRDMA_VERSION_2 && hdr->type <= RPCRDMA2_NOMSG) {
		rpcrdma_encode_flags(&enc, hdr->flags, hdr->inv_handle);
	} else if (hdr->version == RPCRDMA_VERSION_2) {
		rpcrdma_encode_word(&enc, hdr->flags);
	} else if (hdr->type == RPCRDMA_MSGP) {
		rpcrdma_encode_word(&enc, hdr->align);
		rpcrdma_encode_word(&enc, hdr->thresh);
	}
	if (hdr->type < RPCRDMA_DONE)
		reencode_lists(&enc, hdr);
	else if (hdr->type > RPCRDMA_ERROR)
		reencode_change(&enc, hdr);
	return rpcrdma_encode_finish(&enc);
}

static void walk_reads(struct kunit *test, const struct rpcrdma_hdr *hdr)
{
	u32 chunks = 0, segments = 0, last = 0;
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;
	u64 bytes = 0;

	rpcrdma_reads_begin(hdr, &cur);
	while (rpcrdma_reads_next(&cur, &rseg)) {
		if (!segments || rseg.position != last)
			chunks++;
		last = rseg.position;
		segments++;
		bytes += rseg.seg.length;
		KUNIT_ASSERT_LE(test, cur.p - hdr->base, hdr->payload);
	}
	KUNIT_EXPECT_EQ(test, chunks, hdr->reads.chunks);
	KUNIT_EXPECT_EQ(test, segments, hdr->reads.segments);
	KUNIT_EXPECT_EQ(test, bytes, hdr->reads.bytes);
}

static void walk_chunks(struct kunit *test, const struct rpcrdma_hdr *hdr,
			const struct rpcrdma_list *list)
{
	u32 chunks = 0, segments = 0, count;
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	u64 bytes = 0;

	rpcrdma_chunks_begin(hdr, list, &cur);
	while (rpcrdma_chunks_next(&cur, &count)) {
		chunks++;
		segments += count;
		while (rpcrdma_segments_next(&cur, &seg)) {
			count--;
			bytes += seg.length;
			KUNIT_ASSERT_LE(test, cur.p - hdr->base, hdr->payload);
		}
		KUNIT_EXPECT_EQ(test, count, 0);
	}
	KUNIT_EXPECT_EQ(test, chunks, list->chunks);
	KUNIT_EXPECT_EQ(test, segments, list->segments);
	KUNIT_EXPECT_EQ(test, bytes, list->bytes);
}

/* Walk all lists of a decoded view, and check that it is consistent. */
static void walk(struct kunit *test, const struct rpcrdma_hdr *hdr)
{
	KUNIT_ASSERT_GE(test, hdr->payload, RPCRDMA_V1_FIXED_SIZE);
	KUNIT_ASSERT_LE(test, hdr->payload, hdr->len);
	walk_reads(test, hdr);
	walk_chunks(test, hdr, &hdr->writes);
	walk_chunks(test, hdr, &hdr->reply);
	KUNIT_EXPECT_LE(test, hdr->reply.chunks, 1);
}

/*
 * Check that a decoded view is complete: it encodes to the same bytes again,
 * except for bytes after a message without an RPC.
 */
void codec_check(struct kunit *test, const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_hdr view;
	u8 *again;
	int len;

	walk(test, hdr);
	/* An ERR_VERS in version 1 format with version number 2 has no flags. */
	if (hdr->version == RPCRDMA_VERSION_2 && hdr->err == RPCRDMA2_ERR_VERS &&
	    hdr->len == RPCRDMA_V1_ERR_VERS_SIZE)
		return;
	again = codec_buffer(test, hdr->len);
	len = codec_reencode(hdr, again, hdr->len);
	KUNIT_ASSERT_GT(test, len, 0);
	KUNIT_EXPECT_EQ(test, hdr->payload,
			hdr->type < RPCRDMA_DONE ? (u32)len : hdr->len);
	KUNIT_EXPECT_MEMEQ(test, again, hdr->base, (u32)len);
	/* An error may have more words than we encode, but must have all of ours. */
	if (hdr->type == RPCRDMA_ERROR)
		KUNIT_EXPECT_EQ(test, codec_decode(hdr->version, &view, again, len), 0);
	kunit_kfree(test, again);
}

/*
 * Encode a message into the smallest buffer that holds it, and decode it into
 * @hdr, which is valid until the next call. @body appends the words after the
 * flags.
 */
void codec_encode_decode(struct kunit *test, struct rpcrdma_hdr *hdr, u32 type,
			 void (*body)(struct rpcrdma_encoder *enc, const void *arg),
			 const void *arg)
{
	static u8 buf[CODEC_MAX_BYTES];
	struct rpcrdma_encoder enc;
	int len = -EMSGSIZE;
	u32 size;

	for (size = 0; len < 0 && size <= CODEC_MAX_BYTES; size++) {
		rpcrdma_encode_init(&enc, buf, size);
		rpcrdma_encode_fixed(&enc, cpu_to_be32(1), 2, 64, type);
		rpcrdma_encode_word(&enc, type == RPCRDMA2_RESPROP);
		body(&enc, arg);
		len = rpcrdma_encode_finish(&enc);
		KUNIT_ASSERT_EQ(test, len, len < 0 ? -EMSGSIZE : (int)size);
	}
	KUNIT_ASSERT_GT(test, len, 0);
	KUNIT_ASSERT_EQ(test, codec_decode(2, hdr, buf, len), 0);
	KUNIT_EXPECT_EQ(test, hdr->type, type);
	codec_check(test, hdr);
}

/* Expect the properties in @which to be as in @want, and others as in @others. */
void codec_expect_props(struct kunit *test, const struct rpcrdma_props *props,
			const struct rpcrdma_props *want,
			const struct rpcrdma_props *others, u32 which)
{
	KUNIT_EXPECT_EQ(test, props->recv_size,
			(which & RPCRDMA_PROPS_RBSIZ ? want : others)->recv_size);
	KUNIT_EXPECT_EQ(test, props->reverse,
			(which & RPCRDMA_PROPS_BRS ? want : others)->reverse);
	KUNIT_EXPECT_EQ(test, props->remote_inv,
			(which & RPCRDMA_PROPS_REMOTE_INV ? want : others)->remote_inv);
	KUNIT_EXPECT_EQ(test, props->read_replies,
			(which & RPCRDMA_PROPS_READ_REPLIES ? want : others)->read_replies);
	KUNIT_EXPECT_EQ(test, props->htypes,
			(which & RPCRDMA_PROPS_HTYPES ? want : others)->htypes);
}

/* Returns the next random number (xorshift64*), less than @below. */
u32 codec_random(struct codec_rng *rng, u32 below)
{
	rng->state ^= rng->state >> 12;
	rng->state ^= rng->state << 25;
	rng->state ^= rng->state >> 27;
	return (u32)((rng->state * 0x2545f4914f6cdd1dull) >> 32) % below;
}
