// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: each part of a message with Read chunks has one place in the message,
 * and lists with chunks that overlap or exceed the buffer are refused (RFC 8166
 * section 3.4.5). If this failed, a hostile peer could overwrite memory, or a
 * message could get the wrong data.
 */
#include <linux/bitmap.h>
#include <linux/prandom.h>

#include "suite.h"
#include "fake_common.h"
#include "fake_read_list.h"

#include "../core/verbs/layout.c"

static ulong seed;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "start of the random sequence; 0 chooses one");

#define LIMIT		8u
#define MAX_MESSAGE	4096u

/* Messages of up to this many bytes are checked byte by byte. */
#define MOST		1024

/* Bytes of a message that have been read */
static DECLARE_BITMAP(written, MOST);

/* A Read list, and the resulting message */
struct layout_case {
	const char *name;	/* what is special about it */
	u32 base;		/* bytes inline; 0: RDMA_NOMSG */
	struct read_entry reads[LIMIT + 2];
	u32 nreads;		/* number of @reads */
	int want;		/* bytes in the message, or a negative errno */
};

#define EIGHT(n)	{ 4, n }, { 8, n }, { 12, n }, { 16, n }, { 20, n }, \
			{ 24, n }, { 28, n }, { 32, n }

static const struct layout_case layout_cases[] = {
	{ "base only", 0, LIST({ 0, 500 }), 500 },
	{ "base of several segments", 0, LIST({ 0, 1 }, { 0, 2 }, { 0, 5 }), 8 },
	{ "odd base", 0, LIST({ 0, 501 }), 504 },
	{ "odd base and a gap", 0, LIST({ 0, 501 }, { 40, 3 }), 508 },
	{ "one gap", 0, LIST({ 0, 500 }, { 40, 99 }), 600 },
	{ "gap of several segments", 0, LIST({ 0, 500 }, { 40, 3 }, { 40, 3 }), 508 },
	{ "gap at the end", 0, LIST({ 0, 40 }, { 40, 4 }), 44 },
	{ "gap behind the end", 0, LIST({ 0, 40 }, { 44, 4 }), -EBADMSG },
	{ "inline base", 200, LIST({ 40, 99 }), 300 },
	{ "gap at the inline base's end", 200, LIST({ 200, 99 }), 300 },
	{ "gap behind the inline base", 200, LIST({ 204, 99 }), -EBADMSG },
	/* Positions count from the start of the whole message */
	{ "second gap beyond the base", 100, LIST({ 40, 400 }, { 460, 8 }), 508 },
	{ "second gap behind the end", 100, LIST({ 40, 400 }, { 504, 8 }), -EBADMSG },
	{ "gaps that touch", 100, LIST({ 40, 41 }, { 84, 8 }), 152 },
	{ "gap in another's roundup", 100, LIST({ 40, 41 }, { 80, 8 }), -EBADMSG },
	{ "gaps that overlap", 100, LIST({ 40, 40 }, { 44, 8 }), -EBADMSG },
	{ "same position twice is one gap", 100, LIST({ 40, 40 }, { 40, 8 }), 148 },
	/* Order */
	{ "descending", 100, LIST({ 44, 4 }, { 40, 4 }), 108 },
	{ "base comes last", 0, LIST({ 4, 4 }, { 0, 40 }), 44 },
	{ "base in two parts", 0, LIST({ 0, 40 }, { 4, 4 }, { 0, 40 }), 84 },
	{ "gaps in turn", 100, LIST({ 40, 4 }, { 60, 4 }, { 40, 9 }), 120 },
	{ "base is inline, too", 100, LIST({ 0, 40 }), -EBADMSG },
	{ "no base", 0, LIST({ 4, 40 }), -EBADMSG },
	{ "empty base", 0, LIST({ 0, 0 }), -EBADMSG },
	{ "empty base, gap at four", 0, LIST({ 0, 0 }, { 4, 4 }), -EBADMSG },
	{ "empty gap", 100, LIST({ 40, 0 }), 100 },
	{ "empty gap, then the same again", 100, LIST({ 40, 0 }, { 40, 4 }), 104 },
	{ "empty gaps in turn", 100, LIST({ 40, 0 }, { 44, 0 }, { 40, 0 }), 100 },
	{ "empty gap behind the end", 100, LIST({ 104, 0 }), 100 },
	/* Number of chunks */
	{ "as many gaps as there may be", 100, LIST(EIGHT(4)), 132 },
	{ "one gap too many", 100, LIST(EIGHT(4), { 36, 4 }), -E2BIG },
	{ "and a base", 0, LIST({ 0, 100 }, EIGHT(4)), 132 },
	{ "one too many and a base", 0, LIST({ 0, 100 }, EIGHT(4), { 36, 4 }), -E2BIG },
	/* Lengths */
	{ "4 GiB less one", 0, LIST({ 0, ~0u }), -EOVERFLOW },
	{ "4 GiB", 0, LIST({ 0, ~0u }, { 0, 1 }), -EOVERFLOW },
	{ "gap of 4 GiB", 100, LIST({ 40, ~0u }, { 40, 1 }), -EOVERFLOW },
	{ "gap whose roundup is 4 GiB", 100, LIST({ 40, ~0u - 2 }), -EOVERFLOW },
	{ "gaps of 4 GiB together", 100, LIST({ 40, 0x80000000 }, { 0x80000028, 0x7ffffff8 }),
	  -EOVERFLOW },
	{ "2 GiB", 0, LIST({ 0, 0x80000000 }), -EOVERFLOW },
	{ "2 GiB with its roundup", 0, LIST({ 0, 0x7ffffffd }), -EOVERFLOW },
	{ "a word less", 0, LIST({ 0, 0x7ffffffc }), 0x7ffffffc },
	{ "2 GiB with the gap", 100, LIST({ 40, 0x7fffff9c }), -EOVERFLOW },
	{ "highest position", 100, LIST({ ~3u, 4 }), -EBADMSG },
};

KUNIT_ARRAY_PARAM_DESC(layout_case, layout_cases, name);

static void decode(struct kunit *test, const struct layout_case *c,
		   struct rpcrdma_hdr *hdr)
{
	u8 *msg = fake_zalloc(test, MAX_MESSAGE);
	struct rpcrdma_encoder enc;

	rpcrdma_encode_init(&enc, msg, MAX_MESSAGE);
	rpcrdma_encode_fixed(&enc, 0, RPCRDMA_VERSION_1, 1,
			     c->base ? RPCRDMA_MSG : RPCRDMA_NOMSG);
	encode_reads(&enc, c->reads, c->nreads);
	rpcrdma_encode_list_end(&enc);
	rpcrdma_encode_list_end(&enc);
	KUNIT_ASSERT_EQ(test, 0,
			rpcrdma_decode(hdr, msg, rpcrdma_encode_finish(&enc) +
						 c->base));
}

/*
 * Expect every byte of the base to have a place in the message, in order and
 * outside of gaps.
 */
static void expect_sound(struct kunit *test,
			 const struct rpcrdma_layout *layout, u32 total)
{
	const struct rpcrdma_layout_chunk *gap = layout->chunks;
	u32 i, at, room, expected = 0, n = 0;

	for (i = 0; i < layout->base.length; i += room) {
		while (n < layout->nchunks && gap[n].position == expected)
			expected += rpcrdma_xdr_align(gap[n++].length);
		at = rpcrdma_layout_base(layout, i, &room);
		KUNIT_ASSERT_EQ(test, at, expected);
		KUNIT_ASSERT_GT(test, room, 0);
		KUNIT_ASSERT_LE(test, room, total - at);
		if (n < layout->nchunks)
			KUNIT_ASSERT_LE(test, room, gap[n].position - at);
		expected += room;
	}
	KUNIT_ASSERT_EQ(test, i, layout->base.length);
	for (n = 0; n < layout->nchunks; n++) {
		KUNIT_ASSERT_LE(test, gap[n].position, total);
		KUNIT_ASSERT_LE(test, gap[n].length, total - gap[n].position);
	}
}

/*
 * Expect each byte of the Read list to go to a different place in the message,
 * however small the steps are, and none to go beyond the end of the buffer.
 */
static void expect_read_once(struct kunit *test, struct rpcrdma_layout *layout,
			     const struct rpcrdma_hdr *hdr, u32 total)
{
	u32 at, room, step, bytes = 0;

	bitmap_zero(written, MOST);
	layout->end = total;
	rpcrdma_layout_begin(layout, hdr);
	while (rpcrdma_layout_next(layout, &at, &room)) {
		step = min(room, 1 + bytes % 7);
		KUNIT_ASSERT_GT(test, room, 0);
		KUNIT_ASSERT_LE(test, room, layout->rseg.seg.length);
		KUNIT_ASSERT_LE(test, at + room, total);
		KUNIT_ASSERT_GE(test, find_next_bit(written, MOST, at), at + step);
		bitmap_set(written, at, step);
		rpcrdma_layout_advance(layout, step);
		bytes += step;
	}
	KUNIT_ASSERT_EQ(test, bytes, bitmap_weight(written, MOST));
	KUNIT_ASSERT_EQ(test, bytes, hdr->reads.bytes);

	layout->end = total / 2;
	rpcrdma_layout_begin(layout, hdr);
	while (rpcrdma_layout_next(layout, &at, &room)) {
		KUNIT_ASSERT_LE(test, at + room, total / 2);
		rpcrdma_layout_advance(layout, room);
	}
}

/* Correct lists are laid out in order, and others are refused. */
static void parts_in_order_or_refused(struct kunit *test)
{
	const struct layout_case *c = test->param_value;
	struct rpcrdma_layout layout;
	struct rpcrdma_hdr hdr;
	int rc;

	decode(test, c, &hdr);
	rc = rpcrdma_layout_reads(&layout, &hdr, LIMIT);
	KUNIT_EXPECT_LE(test, layout.nchunks, LIMIT);
	KUNIT_ASSERT_EQ(test, rc, c->want);
	if (rc > 0)
		expect_sound(test, &layout, rc);
	if (rc > 0 && rc < MOST)
		expect_read_once(test, &layout, &hdr, rc);
}

/*
 * A buffer for a part of the message gets the bytes of that part, and nothing
 * is written before or after the buffer.
 */
static void buffer_within_message(struct kunit *test)
{
	static const struct layout_case c = { "", 100, LIST({ 40, 9 }) };
	u8 *bytes = fake_zalloc(test, 64);
	struct xdr_buf xdr = {
		.head[0] = { bytes + 8, 32 }, .len = 32, .buflen = 32,
	};
	/* Entries after the last chunk are ignored. */
	struct rpcrdma_layout layout = { .chunks[1] = { 40, 5 } };
	struct rpcrdma_hdr hdr;
	u32 at, room;

	decode(test, &c, &hdr);
	memset((u8 *)hdr.base + hdr.payload, 'b', c.base);
	memset(bytes, 'x', 64);
	KUNIT_ASSERT_EQ(test, 112, rpcrdma_layout_reads(&layout, &hdr, LIMIT));
	layout.start = 36;
	layout.end = 68;
	KUNIT_EXPECT_EQ(test, 0, rpcrdma_layout_copy(&layout, &xdr, &hdr));
	KUNIT_EXPECT_EQ(test, 0, memcmp(bytes, "xxxxxxxxbbbbxxxxxxxxx\0\0\0"
					"bbbbbbbbbbbbbbbbxxxx", 44));
	rpcrdma_layout_begin(&layout, &hdr);
	KUNIT_EXPECT_TRUE(test, rpcrdma_layout_next(&layout, &at, &room));
	KUNIT_EXPECT_EQ(test, at, 4);
	KUNIT_EXPECT_EQ(test, room, 9);
}

/* For any list, all parts of an accepted message are inside the message. */
static void random_lists_stay_inside(struct kunit *test)
{
	static const u32 values[] = { 0, 0, 0, 1, 2, 3, 4, 5, 8, 12, 16, 20,
				      40, 100, 500, 996, 1000, 1001, 0x7fffffff,
				      0x80000000, 0xfffffff8, 0xfffffffc,
				      0xffffffff };
	u32 first = seed ? seed : get_random_u32();
	struct rpcrdma_hdr hdr = { .version = 1 };
	u8 *msg = fake_zalloc(test, MAX_MESSAGE);
	struct rpcrdma_layout layout;
	struct rpcrdma_segment seg = {};
	u32 round, i, n, position, good = 0;
	struct rpcrdma_encoder enc;
	struct rnd_state rnd;
	u64 bytes;
	int rc;

	kunit_info(test, "seed=%u", first);
	prandom_seed_state(&rnd, first);
	for (round = 0; round < 200000; round++) {
		u32 r = prandom_u32_state(&rnd);

		rpcrdma_encode_init(&enc, msg, MAX_MESSAGE);
		n = 1 + r % 11;
		position = 0;
		bytes = 0;
		for (i = 0; i < n; i++) {
			u32 p = prandom_u32_state(&rnd);

			seg.length = values[p % (p & 0x10000 ? 15 :
						 ARRAY_SIZE(values))];
			if (i && p & 0x20000000)
				position += 4 * (p >> 24 & 15);
			else if (i && p & 0x40000000 && p & 0x80000000)
				position =
					values[(p >> 8) % ARRAY_SIZE(values)];
			rpcrdma_encode_read_segment(&enc, position, &seg);
			bytes += seg.length;
		}
		hdr.base = msg;
		hdr.type = r & 0x100 ? RPCRDMA_MSG : RPCRDMA_NOMSG;
		hdr.payload = 0;
		hdr.len = r >> 16 & 127;
		hdr.reads.offset = 0;
		hdr.reads.segments = n;
		hdr.reads.bytes = bytes;
		rc = rpcrdma_layout_reads(&layout, &hdr, LIMIT);
		KUNIT_ASSERT_LE(test, layout.nchunks, LIMIT);
		if (rc <= 0 || rc > 1000)
			continue;
		expect_sound(test, &layout, rc);
		expect_read_once(test, &layout, &hdr, rc);
		good++;
	}
	KUNIT_EXPECT_GT(test, good, 1000);
}

static struct kunit_case core_layout_cases[] = {
	KUNIT_CASE_PARAM(parts_in_order_or_refused, layout_case_gen_params),
	KUNIT_CASE(buffer_within_message),
	KUNIT_CASE(random_lists_stay_inside),
	{}
};

SUITE("rpcrdma_layout", core_layout_cases);
