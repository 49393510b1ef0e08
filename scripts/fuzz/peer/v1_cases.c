// SPDX-License-Identifier: GPL-2.0-only
/* Cases: headers of version 1, malformed chunk lists, and chunks of any kind. */

#include "peer.h"

#define CHUNK		RPCRDMA_ERR_CHUNK
#define EMPTY		DO(v1, RPCRDMA_MSG)
#define NULL_CALL	EMPTY, DO(null)
#define MSGP(align_, thresh_)						\
	DO(v1, RPCRDMA_MSGP), FIELD(padded, 1), FIELD(align, align_),	\
	FIELD(thresh, thresh_)

/* The RPC message has another XID than the header. */
static int differ(struct peer *p, const struct step *st)
{
	const struct step ok = { 0 };

	put_unaligned_be32(~p->s.xid, p->m.payload);
	TRY(do_ok(p, &ok));
	CHECK(word(rpc_reply(p)) == ~p->s.xid, "the RPC message's XID");
	return 0;
}

/* The data of a padded WRITE begins at byte 152, plus padding. */
#define PADDING_512	360

/* An NFSv3 WRITE of @a[1] bytes to no file, with @a[0] bytes in front of the data */
static int padded_write(struct peer *p, const struct step *st)
{
	rpc_call(&p->m, RPC_NFS, 3, 7);
	message_put(&p->m, 32);
	message_puts(&p->m, 8 + 2, 0);
	message_put(&p->m, 600);
	message_put(&p->m, 2);
	message_put(&p->m, st->a[1]);
	message_puts(&p->m, (st->a[0] + 600) / 4, 0x5a5a5a5a);
	return 0;
}

#define PADDED(align, thresh, padding, length)			\
	MSGP(align, thresh), { padded_write, { padding, length } }

/*
 * A COMPOUND of PUTROOTFH and LOOKUP "data". The server echoes the tag and looks
 * up the name, so the reply proves that both have arrived. TAG_AT and NAME_AT are
 * where they lie in memory if they go into chunks.
 */
#define TAG_AT		4096u
#define NAME_AT		8192u
#define CALL_AT		16384u
#define TAG_LEN		18u
#define TAG_ROUND	20u
#define TAG_POS		(60u + 4)	/* after the RPC call header */
#define NAME_POS	(TAG_POS + TAG_ROUND + 4 + 4 + 4 + 4 + 4)
/* Length of a reply, without data: header, tag, and per operation 8 bytes */
#define REPLY_LEN(ops)	(24 + 8 + TAG_ROUND + 4 + 8 * (ops))

static int do_names(struct peer *p, const struct step *st)
{
	memory_set(&p->s.mem, TAG_AT, RPC_TAG, TAG_LEN);
	memory_set(&p->s.mem, NAME_AT, "data", 4);
	return 0;
}

#define CALL		DO(v1, RPCRDMA_MSG), DO(names)
#define OPEN(more)	DO(v1, RPCRDMA_MSG), DO(open, more)
#define ALL_INLINE	DO(lookup, TAG_INLINE | NAME_INLINE)
#define FOUND		DO(ok), DO(compound, 2)
#define TAG(at, len)	DO(read, TAG_POS, TAG_AT + (at), len)
#define NAME(at, len)	DO(read, NAME_POS, NAME_AT + (at), len)
#define BAD_READ(...)	CALL, DO(read, __VA_ARGS__), DO(lookup, NAME_INLINE)

/* Lengths of the returned Write chunks, with one segment each */
static int do_chunks(struct peer *p, const struct step *st)
{
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	u32 i, count;

	CHECK(p->hdr.writes.chunks == st->a[0], "the number of Write chunks");
	rpcrdma_chunks_begin(&p->hdr, &p->hdr.writes, &cur);
	for (i = 1; rpcrdma_chunks_next(&cur, &count); i++) {
		CHECK(count == 1, "the number of segments");
		rpcrdma_segments_next(&cur, &seg);
		CHECK(seg.length == st->a[i], "the length of a Write chunk");
		CHECK(seg.handle == p->s.mem.sink_mr->rkey,
		      "the handle of a returned chunk");
	}
	return 0;
}

/* The reply in memory at @a[0], of @a[1] bytes, has @a[2] results. */
static int do_in_chunk(struct peer *p, const struct step *st)
{
	const u8 *rpc = p->s.mem.sink + st->a[0];

	CHECK(p->hdr.reply.bytes == st->a[1], "the length of the Reply chunk");
	CHECK(memory_untouched(&p->s.mem, st->a[0] + st->a[1]),
	      "more was written than was returned");
	TRY(check_rpc(p, rpc, st->a[1]));
	return check_compound(p, rpc, st->a[2]);
}

/*
 * nfsd 6.12 puts the data of a second READ into the wrong page, on any transport,
 * unless it starts on a page boundary: hence the first one's length.
 */
#define FIRST	4077u
#define LONG	(REPLY_LEN(3) + 8 + 8192)
#define BOTH	(REPLY_LEN(4) + 2 * 8 + 6000)

const struct peer_case v1_cases[] = {
	CASE(ping, DO(ping)),
	CASE(version_0, NULL_CALL, FIELD(wire_version, 0), DO(refused, RPCRDMA_ERR_VERS)),
	CASE(version_3, NULL_CALL, FIELD(wire_version, 3), DO(refused, RPCRDMA_ERR_VERS)),
	CASE(version_max, NULL_CALL, FIELD(wire_version, ~0u),
	     DO(refused, RPCRDMA_ERR_VERS)),
	CASE(type_unknown, DO(v1, 9), DO(refused, CHUNK)),
	CASE(short_xid, EMPTY, DO(cut, 3), DO(send), DO(closes)),
	CASE(empty_message, EMPTY, DO(cut, 0), DO(send), DO(closes)),
	CASE(empty_payload, EMPTY, DO(refused, CHUNK)),
	/* RDMA_MSG must have something inline, besides its chunks. */
	CASE(empty_payload_read, EMPTY, DO(read, 0, 0, 60), DO(refused, CHUNK)),
	CASE(half_xid, EMPTY, DO(put, 1, 1), FIELD(payload_len, 2),
	     DO(refused, CHUNK)),
	/*
	 * draft-01 section 4.1: the header's XID takes precedence. The reply is found
	 * by it, and has the RPC message's in its own place.
	 */
	CASE(xid_differs, NULL_CALL, { differ }, DO(ping)),
	CASE(done, DO(v1, RPCRDMA_DONE), DO(post), DO(ping)),
	CASE(error_received,
	     DO(v1, RPCRDMA_ERROR), FIELD(lists, 0), DO(word, CHUNK), DO(post),
	     DO(v1, RPCRDMA_ERROR), FIELD(lists, 0), DO(word, 77), DO(post),
	     DO(ping)),
	CASE(msgp_short, MSGP(64, 512), DO(null), DO(ok)),
	CASE(msgp_padded, MSGP(64, 16), DO(null), DO(refused, CHUNK)),
	/* It reaches nfsd, which serves no version 3 here: PROG_MISMATCH. */
	CASE(msgp_write, PADDED(512, 512, PADDING_512, 600),
	     DO(answer, RPCRDMA_MSG), DO(rpc, 5, 2), DO(ping)),
	/* RFC 5666 section 3.9: padding that does not match */
	CASE(msgp_padding_short, PADDED(512, 512, PADDING_512 - 4, 600),
	     DO(refused, CHUNK)),
	CASE(msgp_padding_long, PADDED(512, 512, PADDING_512 + 4, 600),
	     DO(refused, CHUNK)),
	CASE(msgp_padding_missing, PADDED(512, 512, 0, 600), DO(refused, CHUNK)),
	CASE(msgp_align_3, PADDED(3, 512, PADDING_512, 600), DO(refused, CHUNK)),
	CASE(msgp_align_huge, PADDED(1u << 31, 512, PADDING_512, 600),
	     DO(refused, CHUNK)),
	CASE(msgp_thresh_0, PADDED(512, 0, PADDING_512, 600), DO(refused, CHUNK)),
	CASE(msgp_length_huge, PADDED(512, 512, PADDING_512, ~0u),
	     DO(refused, CHUNK)),
	CASE(reverse_reply, EMPTY, DO(put, 2, 1), DO(put, 6, 0), DO(post), DO(ping)),
	CASE(many_calls, NULL_CALL, DO(flood, 40, RPCRDMA_MSG), DO(ping)),
	CASE(discriminator, NULL_CALL, FIELD(reads_end, 2), DO(refused, CHUNK)),
	CASE(write_count_wrap, NULL_CALL, DO(write), FIELD(writes[0].count, 0x10000001),
	     DO(refused, CHUNK)),
	CASE(read_none, CALL, ALL_INLINE, FOUND),
	CASE(read_one, CALL, TAG(0, TAG_LEN), DO(lookup, NAME_INLINE), FOUND),
	CASE(read_one_rounded, CALL, TAG(0, TAG_ROUND), DO(lookup, NAME_INLINE),
	     FOUND),
	CASE(read_segments, CALL, TAG(0, 3), DO(read, TAG_POS, 0, 0), TAG(3, 7),
	     TAG(10, TAG_LEN - 10), DO(lookup, NAME_INLINE), FOUND),
	CASE(read_zero_segment, CALL, DO(read, TAG_POS, 0, 0), ALL_INLINE, FOUND),
	CASE(read_zero_chunks, CALL, DO(reads, 100, 0, 40, 0), ALL_INLINE, FOUND),
	CASE(read_two, CALL, TAG(0, TAG_LEN), NAME(0, 4), DO(lookup, 0), FOUND),
	CASE(read_unsorted, CALL, NAME(0, 1), TAG(0, 5), NAME(1, 3),
	     TAG(5, TAG_LEN - 5), DO(lookup, 0), FOUND),
	CASE(pz_alone, CALL, FIELD(type, RPCRDMA_NOMSG), ALL_INLINE,
	     DO(move, CALL_AT), FOUND),
	CASE(pz_and_one, CALL, FIELD(type, RPCRDMA_NOMSG), DO(lookup, NAME_INLINE),
	     DO(move, CALL_AT, TAG_POS, TAG_AT, TAG_LEN), FOUND),
	CASE(pz_and_two, CALL, FIELD(type, RPCRDMA_NOMSG), DO(lookup, 0), NAME(0, 4),
	     DO(move, CALL_AT, TAG_POS, TAG_AT, TAG_LEN), FOUND),
	CASE(pz_in_msg, NULL_CALL, DO(read, 0, CALL_AT, 60), DO(refused, CHUNK)),
	CASE(nomsg_without_zero, DO(v1, RPCRDMA_NOMSG), DO(read, 40, CALL_AT, 60),
	     DO(refused, CHUNK)),
	CASE(position_beyond, BAD_READ(4000, TAG_AT, 18), DO(refused, CHUNK)),
	CASE(position_huge, BAD_READ(~3u, TAG_AT, 18), DO(refused, CHUNK)),
	CASE(positions_overlap, CALL, TAG(0, TAG_LEN),
	     DO(read, TAG_POS + 4, NAME_AT, 4), DO(lookup, NAME_INLINE),
	     DO(refused, CHUNK)),
	CASE(bad_handle, CALL, TAG(0, TAG_LEN), DO(spoil), DO(lookup, NAME_INLINE),
	     DO(send), DO(closes)),
	/* A Read fails that is not the last of its chain. */
	CASE(bad_handle_first, CALL, TAG(0, 1), DO(spoil), TAG(1, TAG_LEN - 1),
	     DO(lookup, NAME_INLINE), DO(send), WITH(counted, "reads_failed", 1),
	     DO(closes)),
	/* A Write fails, which comes before the Send in its chain. */
	CASE(bad_handle_write, OPEN(1), DO(nfs_read, 0, 4096), DO(write, 0, 4096),
	     DO(spoil), DO(send), WITH(counted, "writes_failed", 1), DO(closes)),
	CASE(write_one, OPEN(1), DO(nfs_read, 100, 5003), DO(write, 0, 8192), DO(ok),
	     DO(compound, 3), DO(chunks, 1, 5003), DO(untouched, 5003),
	     DO(data, 0, 100, 5003)),
	CASE(write_three, OPEN(2), DO(nfs_read, 3, FIRST), DO(nfs_read, 1000, 1001),
	     DO(write, 0, 8192), DO(write, 8192, 1001), DO(write, 16384, 8192),
	     DO(ok), DO(compound, 4), DO(chunks, 3, FIRST, 1001, 0),
	     DO(data, 0, 3, FIRST), DO(data, 8192, 1000, 1001)),
	CASE(write_unused, NULL_CALL, DO(write, 0, 8192), DO(reply, 8192, 8192),
	     DO(ok), DO(chunks, 1, 0), DO(untouched, 0)),
	CASE(write_empty_chunks, NULL_CALL, DO(write), DO(reply), DO(ok)),
	CASE(write_too_small, OPEN(1), DO(nfs_read, 0, 4096), DO(write, 0, 100),
	     DO(refused, CHUNK)),
	CASE(reply_too_long, OPEN(1), DO(nfs_read, 0, 8192), DO(refused, CHUNK)),
	CASE(reply_1024, DO(connect, NO_PRIVATE), OPEN(1), DO(nfs_read, 0, 1400),
	     DO(refused, CHUNK)),
	CASE(reply_chunk_used, OPEN(1), DO(nfs_read, 0, 8192), DO(reply, 0, 65536),
	     DO(answer, RPCRDMA_NOMSG), DO(in_chunk, 0, LONG, 3),
	     DO(data, LONG - 8192, 0, 8192)),
	CASE(reply_chunk_too_small, OPEN(1), DO(nfs_read, 0, 8192),
	     DO(reply, 0, 8192), DO(refused, CHUNK)),
	/* The first READ goes into the Write chunk, the rest into the Reply chunk. */
	CASE(write_and_reply, OPEN(2), DO(nfs_read, 0, FIRST),
	     DO(nfs_read, 500, 6000), DO(write, 0, 8192), DO(reply, 65536, 65536),
	     DO(answer, RPCRDMA_NOMSG), DO(chunks, 1, FIRST),
	     DO(in_chunk, 65536, BOTH, 4), DO(data, 0, 0, FIRST),
	     DO(data, 65536 + BOTH - 6000, 500, 6000)),
	CASE(two_writes, OPEN(2), DO(nfs_write, 20000, 5001, 0),
	     DO(nfs_write, 40000, 9003, 16384), DO(ok), DO(compound, 4),
	     OPEN(1), DO(nfs_read, 0, BODY), DO(write, 65536, BODY), DO(ok),
	     DO(data, 65536, 0, BODY)),
	/* Disconnect while Reads and Writes are in progress. */
	CASE(leave, DO(times, 8), OPEN(1), DO(nfs_read, 0, BODY), DO(write, 0, BODY),
	     DO(post), DO(again)),
	{ NULL }
};
