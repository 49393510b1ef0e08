// SPDX-License-Identifier: GPL-2.0-only
/* Cases: Write chunks and Reply chunks, and COMPOUNDs with several payloads. */

#include "peer.h"

void put_read_op(struct peer *p, u32 offset, u32 count)
{
	u32 i;

	put32(p, OP_READ);
	for (i = 0; i < 4; i++)
		put32(p, 0);
	put32(p, 0);
	put32(p, offset);
	put32(p, count);
}

void put_open_data(struct peer *p, const char *tag, u32 more)
{
	put_compound(p, tag, 2 + more);
	put32(p, OP_PUTROOTFH);
	put32(p, OP_LOOKUP);
	put_opaque(p, "data", 4);
}

static int check_body(struct peer *p, const u8 *data, u32 offset, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		CHECK(data[i] == body_byte(offset + i), "wrong data");
	return 0;
}

/* Lengths of the chunks in the returned Write list, with one segment each */
static int check_chunk(struct peer *p, u32 number, u32 want)
{
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	u32 count;

	rpcrdma_chunks_begin(&p->hdr, &p->hdr.writes, &cur);
	do {
		CHECK(rpcrdma_chunks_next(&cur, &count), "a chunk is missing");
	} while (number--);
	CHECK(count == 1, "the number of segments");
	rpcrdma_segments_next(&cur, &seg);
	CHECK(seg.length == want, "the length of a returned Write chunk");
	CHECK(seg.handle == peer_handle(p), "the handle of a returned chunk");
	return 0;
}

static int write_one(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put32(p, 0);
	put_chunk(p, 0, 8192);
	put32(p, 0);
	put32(p, 0);
	put_open_data(p, TAG, 1);
	put_read_op(p, 100, 5003);
	TRY(expect_msg(p));
	TRY(check_compound(p, rpc_reply(p), TAG, 0, 3));
	TRY(check_chunk(p, 0, 5003));
	CHECK(p->mem[5003] == 0xee, "more was written than was returned");
	return check_body(p, p->mem, 100, 5003);
}

/*
 * nfsd 6.12 puts the data of a second READ into the wrong page, on any
 * transport, unless it starts on a page boundary: hence the first one's length.
 */
#define FIRST	4077u

static int write_three(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put32(p, 0);
	put_chunk(p, 0, 8192);
	put_chunk(p, 8192, 1001);
	put_chunk(p, 16384, 8192);
	put32(p, 0);
	put32(p, 0);
	put_open_data(p, TAG, 2);
	put_read_op(p, 3, FIRST);
	put_read_op(p, 1000, 1001);
	TRY(expect_msg(p));
	TRY(check_compound(p, rpc_reply(p), TAG, 0, 4));
	CHECK(p->hdr.writes.chunks == 3, "the number of Write chunks");
	TRY(check_chunk(p, 0, FIRST));
	TRY(check_chunk(p, 1, 1001));
	TRY(check_chunk(p, 2, 0));
	TRY(check_body(p, p->mem, 3, FIRST));
	return check_body(p, p->mem + 8192, 1000, 1001);
}

static int write_unused(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put32(p, 0);
	put_chunk(p, 0, 8192);
	put32(p, 0);
	put_chunk(p, 8192, 8192);
	put_null(p);
	TRY(expect_msg(p));
	TRY(check_chunk(p, 0, 0));
	CHECK(p->mem[0] == 0xee, "an unused chunk was written to");
	return 0;
}

static int write_empty_chunks(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put32(p, 0);
	put32(p, 1);
	put32(p, 0);
	put32(p, 0);
	put32(p, 1);
	put32(p, 0);
	put_null(p);
	return expect_msg(p);
}

static int write_too_small(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put32(p, 0);
	put_chunk(p, 0, 100);
	put32(p, 0);
	put32(p, 0);
	put_open_data(p, TAG, 1);
	put_read_op(p, 0, 4096);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

static int reply_too_long(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_lists(p);
	put_open_data(p, TAG, 1);
	put_read_op(p, 0, 8192);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

static int reply_1024(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_lists(p);
	put_open_data(p, TAG, 1);
	put_read_op(p, 0, 1400);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

static int reply_chunk(struct peer *p, u32 size)
{
	put_header(p, RPCRDMA_MSG);
	put32(p, 0);
	put32(p, 0);
	put_chunk(p, 0, size);
	put_open_data(p, TAG, 1);
	put_read_op(p, 0, 8192);
	return 0;
}

static int reply_chunk_used(struct peer *p)
{
	u32 len = 24 + 8 + TAG_ROUND + 4 + 3 * 8 + 8 + 8192;

	TRY(reply_chunk(p, 65536));
	TRY(exchange(p));
	CHECK(p->hdr.type == RPCRDMA_NOMSG, "not an RDMA_NOMSG");
	CHECK(p->hdr.reply.bytes == len, "the length of the Reply chunk");
	CHECK(p->mem[len] == 0xee, "more was written than was returned");
	TRY(check_rpc(p, p->mem, len));
	TRY(check_compound(p, p->mem, TAG, 0, 3));
	return check_body(p, p->mem + len - 8192, 0, 8192);
}

static int reply_chunk_too_small(struct peer *p)
{
	TRY(reply_chunk(p, 8192));
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

/* The first READ goes into the Write chunk, the rest into the Reply chunk. */
static int write_and_reply(struct peer *p)
{
	u32 len = 24 + 8 + TAG_ROUND + 4 + 4 * 8 + 2 * 8 + 6000;

	put_header(p, RPCRDMA_MSG);
	put32(p, 0);
	put_chunk(p, 0, 8192);
	put32(p, 0);
	put_chunk(p, 65536, 65536);
	put_open_data(p, TAG, 2);
	put_read_op(p, 0, FIRST);
	put_read_op(p, 500, 6000);
	TRY(exchange(p));
	CHECK(p->hdr.type == RPCRDMA_NOMSG, "not an RDMA_NOMSG");
	TRY(check_chunk(p, 0, FIRST));
	CHECK(p->hdr.reply.bytes == len, "the length of the Reply chunk");
	CHECK(p->mem[65536 + len] == 0xee, "too much was written");
	TRY(check_rpc(p, p->mem + 65536, len));
	TRY(check_compound(p, p->mem + 65536, TAG, 0, 4));
	TRY(check_body(p, p->mem, 0, FIRST));
	return check_body(p, p->mem + 65536 + len - 6000, 500, 6000);
}

static void put_write_op(struct peer *p, u32 offset, u32 count)
{
	u32 i;

	put32(p, OP_WRITE);
	for (i = 0; i < 4; i++)
		put32(p, 0);
	put32(p, 0);
	put32(p, offset);
	put32(p, 0);
	put32(p, count);
}

/* Two WRITEs of the file's own data, from other memory */
static int two_writes(struct peer *p)
{
	const u32 first = 5001, second = 9003;
	u32 i, list, pos;

	for (i = 0; i < first; i++)
		p->mem[i] = body_byte(20000 + i);
	for (i = 0; i < second; i++)
		p->mem[16384 + i] = body_byte(40000 + i);

	put_header(p, RPCRDMA_MSG);
	list = p->len + 2 * RPCRDMA_READ_SEGMENT_SIZE + 12;
	p->len = list;
	put_open_data(p, TAG, 2);
	put_write_op(p, 20000, first);
	pos = p->len - list;
	put_write_op(p, 40000, second);
	i = p->len;
	p->len = RPCRDMA_V1_FIXED_SIZE;
	put_read(p, pos, 0, first);
	put_read(p, i - list + ((first + 3) & ~3u), 16384, second);
	put_lists(p);
	p->len = i;
	TRY(expect_msg(p));
	TRY(check_compound(p, rpc_reply(p), TAG, 0, 4));

	put_header(p, RPCRDMA_MSG);
	put32(p, 0);
	put_chunk(p, 65536, BODY);
	put32(p, 0);
	put32(p, 0);
	put_open_data(p, TAG, 1);
	put_read_op(p, 0, BODY);
	TRY(expect_msg(p));
	return check_body(p, p->mem + 65536, 0, BODY);
}

/* Disconnect while Reads and Writes are in progress. */
static int leave(struct peer *p)
{
	u32 i;

	for (i = 0; i < 8; i++) {
		put_header(p, RPCRDMA_MSG);
		put32(p, 0);
		put_chunk(p, 0, BODY);
		put32(p, 0);
		put32(p, 0);
		put_open_data(p, TAG, 1);
		put_read_op(p, 0, BODY);
		TRY(peer_post(p));
	}
	return 0;
}

static const struct peer_case cases[] = {
	CASE(write_one),
	CASE(write_three),
	CASE(write_unused),
	CASE(write_empty_chunks),
	CASE(write_too_small),
	CASE(reply_too_long),
	CASE(reply_1024, .flags = PEER_NO_PRIVATE),
	CASE(reply_chunk_used),
	CASE(reply_chunk_too_small),
	CASE(write_and_reply),
	CASE(two_writes),
	CASE(leave),
	CASE(ping),
};

const struct peer_group write_cases = {
	.cases = cases,
	.count = sizeof(cases) / sizeof(cases[0]),
};
