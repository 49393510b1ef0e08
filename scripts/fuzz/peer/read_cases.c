// SPDX-License-Identifier: GPL-2.0-only
/* Cases: Read chunks, alone and together, at any position. */

#include <unistd.h>

#include "peer.h"

/*
 * A COMPOUND of PUTROOTFH and LOOKUP "data". The server echoes the tag and
 * looks up the name, so the reply proves that both have arrived. TAG_AT and
 * NAME_AT are where they lie in memory if they go into chunks.
 */
#define TAG_AT		4096u
#define NAME_AT		8192u
#define CALL_AT		16384u
#define CALL_LEN	60u		/* RPC call header */
#define TAG_POS		(CALL_LEN + 4)
#define NAME_POS	(TAG_POS + TAG_ROUND + 4 + 4 + 4 + 4 + 4)

static void put_lookup(struct peer *p, bool with_tag, bool with_name)
{
	memcpy(p->mem + TAG_AT, TAG, sizeof(TAG));
	memcpy(p->mem + NAME_AT, "data", 4);
	put_call(p, 100003, 4, 1);
	if (with_tag)
		put_opaque(p, TAG, strlen(TAG));
	else
		put32(p, strlen(TAG));
	put32(p, 0);
	put32(p, 2);
	put32(p, OP_PUTROOTFH);
	put32(p, OP_LOOKUP);
	if (with_name)
		put_opaque(p, "data", 4);
	else
		put32(p, 4);
}

static int expect_lookup(struct peer *p)
{
	TRY(expect_msg(p));
	return check_compound(p, rpc_reply(p), TAG, 0, 2);
}

static int read_none(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_lists(p);
	put_lookup(p, true, true);
	return expect_lookup(p);
}

static int read_one(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_read(p, TAG_POS, TAG_AT, strlen(TAG));
	put_lists(p);
	put_lookup(p, false, true);
	return expect_lookup(p);
}

static int read_one_rounded(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_read(p, TAG_POS, TAG_AT, TAG_ROUND);
	put_lists(p);
	put_lookup(p, false, true);
	return expect_lookup(p);
}

static int read_segments(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_read(p, TAG_POS, TAG_AT, 3);
	put_read(p, TAG_POS, 0, 0);
	put_read(p, TAG_POS, TAG_AT + 3, 7);
	put_read(p, TAG_POS, TAG_AT + 10, strlen(TAG) - 10);
	put_lists(p);
	put_lookup(p, false, true);
	return expect_lookup(p);
}

static int read_zero_segment(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_read(p, TAG_POS, 0, 0);
	put_lists(p);
	put_lookup(p, true, true);
	return expect_lookup(p);
}

static int read_zero_chunks(struct peer *p)
{
	u32 i;

	put_header(p, RPCRDMA_MSG);
	for (i = 0; i < 100; i++)
		put_read(p, i * 40, 0, 0);
	put_lists(p);
	put_lookup(p, true, true);
	return expect_lookup(p);
}

static int read_two(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_read(p, TAG_POS, TAG_AT, strlen(TAG));
	put_read(p, NAME_POS, NAME_AT, 4);
	put_lists(p);
	put_lookup(p, false, false);
	return expect_lookup(p);
}

static int read_unsorted(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_read(p, NAME_POS, NAME_AT, 1);
	put_read(p, TAG_POS, TAG_AT, 5);
	put_read(p, NAME_POS, NAME_AT + 1, 3);
	put_read(p, TAG_POS, TAG_AT + 5, strlen(TAG) - 5);
	put_lists(p);
	put_lookup(p, false, false);
	return expect_lookup(p);
}

/* Move the payload that was just built into memory; return its length. */
static u32 move_call(struct peer *p, u32 start)
{
	u32 len = p->len - start;

	memcpy(p->mem + CALL_AT, p->msg + start, len);
	p->len = start;
	return len;
}

static int position_zero(struct peer *p, bool with_tag, bool with_name)
{
	u32 len;

	put_header(p, RPCRDMA_NOMSG);
	put_lookup(p, with_tag, with_name);
	len = move_call(p, RPCRDMA_V1_FIXED_SIZE);
	if (!with_name)
		put_read(p, NAME_POS, NAME_AT, 4);
	put_read(p, 0, CALL_AT, 10);
	if (!with_tag)
		put_read(p, TAG_POS, TAG_AT, strlen(TAG));
	put_read(p, 0, CALL_AT + 10, len - 10);
	put_lists(p);
	return expect_lookup(p);
}

static int pz_alone(struct peer *p) { return position_zero(p, true, true); }
static int pz_and_one(struct peer *p) { return position_zero(p, false, true); }
static int pz_and_two(struct peer *p) { return position_zero(p, false, false); }

static int pz_in_msg(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_read(p, 0, CALL_AT, 60);
	put_lists(p);
	put_null(p);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

static int nomsg_without_chunk(struct peer *p)
{
	put_header(p, RPCRDMA_NOMSG);
	put_lists(p);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

static int nomsg_without_zero(struct peer *p)
{
	put_header(p, RPCRDMA_NOMSG);
	put_read(p, 40, CALL_AT, 60);
	put_lists(p);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

static int bad_read(struct peer *p, u32 position, u32 length)
{
	put_header(p, RPCRDMA_MSG);
	put_read(p, position, TAG_AT, length);
	put_lists(p);
	put_lookup(p, false, true);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

static int position_beyond(struct peer *p) { return bad_read(p, 4000, 18); }
static int position_huge(struct peer *p) { return bad_read(p, ~3u, 18); }
static int position_odd(struct peer *p) { return bad_read(p, 61, 18); }
static int length_huge(struct peer *p) { return bad_read(p, TAG_POS, ~0u); }
static int length_too_much(struct peer *p)
{
	return bad_read(p, TAG_POS, 3u << 20);
}

static int positions_overlap(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_read(p, TAG_POS, TAG_AT, strlen(TAG));
	put_read(p, TAG_POS + 4, NAME_AT, 4);
	put_lists(p);
	put_lookup(p, false, true);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

static int positions_many(struct peer *p)
{
	u32 i;

	put_header(p, RPCRDMA_MSG);
	for (i = 0; i < 150; i++)
		put_read(p, 4 + 4 * i, NAME_AT, 4);
	put_lists(p);
	put_null(p);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

static int sum_overflow(struct peer *p)
{
	u32 i;

	put_header(p, RPCRDMA_MSG);
	for (i = 0; i < 4; i++)
		put_read(p, TAG_POS, TAG_AT, 0x40000001);
	put_lists(p);
	put_null(p);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

/* Wait until a counter of the server is @want. */
static int expect_counter(struct peer *p, const char *name, long want)
{
	u32 i;

	for (i = 0; i < 100 && server_counter(name) != want; i++)
		usleep(50000);
	CHECK(server_counter(name) == want, "the failure is not counted");
	CHECK(peer_closed(p), "the server does not disconnect");
	return 0;
}

/* A Read fails that is not the last of its chain. */
static int bad_handle_first(struct peer *p)
{
	long failed = server_counter("reads_failed");
	struct rpcrdma_segment seg = segment(p, TAG_AT, 1);

	seg.handle ^= 0x5a5a5a;
	put_header(p, RPCRDMA_MSG);
	put32(p, 1);
	put32(p, TAG_POS);
	put_segment(p, &seg);
	put_read(p, TAG_POS, TAG_AT + 1, strlen(TAG) - 1);
	put_lists(p);
	put_lookup(p, false, true);
	TRY(peer_send(p));
	return expect_counter(p, "reads_failed", failed + 1);
}

/* A Write fails, which comes before the Send in its chain. */
static int bad_handle_write(struct peer *p)
{
	long failed = server_counter("writes_failed");
	struct rpcrdma_segment seg = segment(p, 0, 4096);

	seg.handle ^= 0x5a5a5a;
	put_header(p, RPCRDMA_MSG);
	put32(p, 0);
	put32(p, 1);
	put32(p, 1);
	put_segment(p, &seg);
	put32(p, 0);
	put32(p, 0);
	put_open_data(p, TAG, 1);
	put_read_op(p, 0, 4096);
	TRY(peer_send(p));
	return expect_counter(p, "writes_failed", failed + 1);
}

static int bad_handle(struct peer *p)
{
	struct rpcrdma_segment seg = segment(p, TAG_AT, strlen(TAG));

	put_header(p, RPCRDMA_MSG);
	put32(p, 1);
	put32(p, TAG_POS);
	put32(p, seg.handle ^ 0x5a5a5a);
	put32(p, seg.length);
	put32(p, seg.offset >> 32);
	put32(p, seg.offset);
	put_lists(p);
	put_lookup(p, false, true);
	return peer_send(p);
}

static const struct peer_case cases[] = {
	CASE(read_none),
	CASE(read_one),
	CASE(read_one_rounded),
	CASE(read_segments),
	CASE(read_zero_segment),
	CASE(read_zero_chunks),
	CASE(read_two),
	CASE(read_unsorted),
	CASE(pz_alone),
	CASE(pz_and_one),
	CASE(pz_and_two),
	CASE(pz_in_msg),
	CASE(nomsg_without_chunk),
	CASE(nomsg_without_zero),
	CASE(position_beyond),
	CASE(position_huge),
	CASE(position_odd),
	CASE(length_huge),
	CASE(length_too_much),
	CASE(positions_overlap),
	CASE(positions_many),
	CASE(sum_overflow),
	CASE(bad_handle, .closes = true),
	CASE(bad_handle_first),
	CASE(bad_handle_write),
};

const struct peer_group read_cases = {
	.cases = cases,
	.count = sizeof(cases) / sizeof(cases[0]),
};
