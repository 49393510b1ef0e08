// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a server must do with messages that no well-behaved client sends, and
 * with correct ones that no usual client sends.
 *
 * The server exports, as its NFSv4 root, a writable folder that contains a
 * file named "data" of 65536 bytes (byte i is i * 7 modulo 251), and a folder
 * "many" with at least 200 entries.
 */

#include <stdlib.h>

#include "peer.h"

#define BODY	65536u
#define CHECK(cond, text)				\
	do {						\
		if (!(cond)) {				\
			p->why = (text);		\
			return -1;			\
		}					\
	} while (0)
#define TRY(call)					\
	do {						\
		if (call)				\
			return -1;			\
	} while (0)

enum { OP_LOOKUP = 15, OP_PUTROOTFH = 24, OP_READ = 25, OP_READDIR = 26,
       OP_WRITE = 38, OP_OPEN = 18, OP_CREATE = 6 };

static u8 body_byte(u32 i)
{
	return i * 7 % 251;
}

static void put_lists(struct peer *p)
{
	put32(p, 0);
	put32(p, 0);
	put32(p, 0);
}

static void put_null(struct peer *p)
{
	put_call(p, 100003, 4, 0);
}

/* Sends what was built and waits for the answer to it. */
static int exchange(struct peer *p)
{
	TRY(peer_post(p));
	TRY(peer_wait(p));
	CHECK(word(p->reply) == last_xid(), "the answer's XID is another one");
	CHECK(p->hdr.version == RPCRDMA_VERSION_1, "the answer's version");
	CHECK(p->hdr.credits > 0, "a grant of 0 credits");
	return 0;
}

static int expect_error(struct peer *p, u32 code)
{
	TRY(exchange(p));
	CHECK(p->hdr.type == RPCRDMA_ERROR, "not an RDMA_ERROR");
	CHECK(p->hdr.err == code, "another error code");
	if (code == RPCRDMA_ERR_VERS)
		CHECK(p->hdr.vers_low == 1 && p->hdr.vers_high == 1,
		      "not versions 1 to 1");
	return 0;
}

/* RPC reply header: accepted, success. Leaves the results' offset. */
static int check_rpc(struct peer *p, const u8 *rpc, u32 len)
{
	CHECK(len >= 24, "the RPC reply is too short");
	CHECK(word(rpc + 4) == 1 && word(rpc + 8) == 0, "not accepted");
	CHECK(word(rpc + 20) == 0, "no success");
	return 0;
}

static const u8 *rpc_reply(const struct peer *p)
{
	return p->reply + p->hdr.payload;
}

static int expect_msg(struct peer *p)
{
	TRY(exchange(p));
	CHECK(p->hdr.type == RPCRDMA_MSG, "not an RDMA_MSG");
	return check_rpc(p, rpc_reply(p), p->reply_len - p->hdr.payload);
}

/* The COMPOUND's status, its tag, and its number of results. */
static int check_compound(struct peer *p, const u8 *rpc, const char *tag,
			  u32 status, u32 ops)
{
	const u8 *res = rpc + 24;
	u32 len = strlen(tag);

	CHECK(word(res) == status, "another NFS status");
	CHECK(word(res + 4) == len, "the tag's length");
	CHECK(!memcmp(res + 8, tag, len), "the tag");
	CHECK(word(res + 8 + ((len + 3) & ~3u)) == ops,
	      "the number of results");
	return 0;
}

/* Is the server still there? */
static int ping(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_lists(p);
	put_null(p);
	return expect_msg(p);
}

static int ping_after_error(struct peer *p, u32 code)
{
	TRY(expect_error(p, code));
	return ping(p);
}

/* --- headers ------------------------------------------------------------ */

static int version(struct peer *p, u32 number)
{
	put_header(p, RPCRDMA_MSG);
	p->len = 4;
	put32(p, number);
	p->len = RPCRDMA_V1_FIXED_SIZE;
	put_lists(p);
	put_null(p);
	return ping_after_error(p, RPCRDMA_ERR_VERS);
}

static int version_0(struct peer *p) { return version(p, 0); }
static int version_3(struct peer *p) { return version(p, 3); }
static int version_max(struct peer *p) { return version(p, ~0u); }

static int type_unknown(struct peer *p)
{
	put_header(p, 9);
	put_lists(p);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

static int short_header(struct peer *p)
{
	u32 len;

	for (len = 4; len < RPCRDMA_V1_MIN_SIZE; len += 3) {
		put_header(p, RPCRDMA_MSG);
		put_lists(p);
		p->len = len;
		if (len > 4 && len < 8)
			continue;
		TRY(expect_error(p, RPCRDMA_ERR_CHUNK));
	}
	return ping(p);
}

static int short_xid(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	p->len = 3;
	return peer_post(p);
}

static int empty_message(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	p->len = 0;
	return peer_post(p);
}

static int empty_payload(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_lists(p);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

static int done(struct peer *p)
{
	put_header(p, RPCRDMA_DONE);
	put_lists(p);
	TRY(peer_post(p));
	return ping(p);
}

static int error_received(struct peer *p)
{
	put_header(p, RPCRDMA_ERROR);
	put32(p, RPCRDMA_ERR_CHUNK);
	TRY(peer_post(p));
	put_header(p, RPCRDMA_ERROR);
	put32(p, 77);
	TRY(peer_post(p));
	return ping(p);
}

static int msgp(struct peer *p, u32 thresh)
{
	put_header(p, RPCRDMA_MSGP);
	put32(p, 64);
	put32(p, thresh);
	put_lists(p);
	put_null(p);
	return 0;
}

static int msgp_short(struct peer *p)
{
	TRY(msgp(p, 512));
	return expect_msg(p);
}

static int msgp_padded(struct peer *p)
{
	TRY(msgp(p, 16));
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

static int reverse_reply(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_lists(p);
	put32(p, last_xid());
	put32(p, 1);
	put_lists(p);
	put_lists(p);
	TRY(peer_post(p));
	return ping(p);
}

static int many_calls(struct peer *p)
{
	u32 i;

	for (i = 0; i < 40; i++) {
		put_header(p, RPCRDMA_MSG);
		put_lists(p);
		put_null(p);
		TRY(peer_post(p));
	}
	for (i = 0; i < 40; i++)
		TRY(peer_wait(p));
	return ping(p);
}

/* --- malformed chunk lists ---------------------------------------------- */

static int read_list_endless(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_read(p, 0, 0, 8);
	put32(p, 1);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

static int discriminator(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put32(p, 2);
	put32(p, 0);
	put32(p, 0);
	put_null(p);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

static int write_count(struct peer *p, u32 count)
{
	put_header(p, RPCRDMA_MSG);
	put32(p, 0);
	put32(p, 1);
	put32(p, count);
	put_lists(p);
	put_null(p);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

static int write_count_huge(struct peer *p) { return write_count(p, ~0u); }
static int write_count_wrap(struct peer *p)
{
	return write_count(p, 0x10000001);
}

static int write_list_endless(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put32(p, 0);
	put_chunk(p, 0, 100);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

/* --- Read chunks -------------------------------------------------------- */

/*
 * A COMPOUND of PUTROOTFH and LOOKUP "data". The tag is echoed and the name
 * is looked up, so that both prove to be what was sent. What is to go into a
 * chunk is in memory at TAG_AT and NAME_AT.
 */
#define TAG		"the-tag-in-a-chunk"
#define TAG_AT		4096u
#define NAME_AT		8192u
#define CALL_AT		16384u
#define CALL_LEN	60u		/* RPC call header */
#define TAG_POS		(CALL_LEN + 4)
#define TAG_ROUND	20u
#define NAME_POS	(TAG_POS + TAG_ROUND + 4 + 4 + 4 + 4 + 4)

static void put_lookup(struct peer *p, bool with_tag, bool with_name)
{
	strcpy((char *)p->mem + TAG_AT, TAG);
	strcpy((char *)p->mem + NAME_AT, "data");
	put_call(p, 100003, 4, 1);
	if (with_tag) {
		put_opaque(p, TAG, strlen(TAG));
	} else {
		put32(p, strlen(TAG));
	}
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

/* Moves the payload that was just built into memory; returns its length. */
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
	return peer_post(p);
}

/* --- Write chunks and Reply chunks -------------------------------------- */

static void put_read_op(struct peer *p, u32 offset, u32 count)
{
	u32 i;

	put32(p, OP_READ);
	for (i = 0; i < 4; i++)
		put32(p, 0);
	put32(p, 0);
	put32(p, offset);
	put32(p, count);
}

static void put_open_data(struct peer *p, const char *tag, u32 more)
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

/* Lengths of the returned Write list's chunks, one segment each. */
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
 * nfsd 6.12 puts the data of a second READ into the wrong page, on whatever
 * transport, unless it starts at a page: hence the length of the first one.
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

/* --- several WRITEs ----------------------------------------------------- */

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

/* Two WRITEs of what is in the file anyway, from a place that is not. */
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

/* Leaves with Reads and Writes under way. */
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

#define CASE(_run, ...)	{ .name = #_run, .run = _run, ##__VA_ARGS__ }

const struct peer_case peer_cases[] = {
	CASE(ping),
	CASE(version_0),
	CASE(version_3),
	CASE(version_max),
	CASE(type_unknown),
	CASE(short_header),
	CASE(short_xid, .closes = true),
	CASE(empty_message, .closes = true),
	CASE(empty_payload),
	CASE(done),
	CASE(error_received),
	CASE(msgp_short),
	CASE(msgp_padded),
	CASE(reverse_reply),
	CASE(many_calls),
	CASE(read_list_endless),
	CASE(discriminator),
	CASE(write_count_huge),
	CASE(write_count_wrap),
	CASE(write_list_endless),
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

const unsigned int peer_ncases = sizeof(peer_cases) / sizeof(peer_cases[0]);
