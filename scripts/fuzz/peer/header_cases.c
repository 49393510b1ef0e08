// SPDX-License-Identifier: GPL-2.0-only
/* Cases: transport headers, types, lengths, and malformed chunk lists. */

#include "peer.h"

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
	return peer_send(p);
}

static int empty_message(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	p->len = 0;
	return peer_send(p);
}

static int empty_payload(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_lists(p);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

/* RDMA_MSG must have something inline, besides its chunks. */
static int empty_payload_read(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_read(p, 0, 0, 60);
	put_lists(p);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

static int half_xid(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_lists(p);
	put32(p, last_xid());
	p->len -= 2;
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

/*
 * draft-01 section 4.1: the header's XID takes precedence. The reply is found by
 * it, and has the RPC message's in its own place.
 */
static int xid_differs(struct peer *p)
{
	u32 len;

	put_header(p, RPCRDMA_MSG);
	put_lists(p);
	put_null(p);
	len = p->len;
	p->len = RPCRDMA_V1_MIN_SIZE;
	put32(p, ~last_xid());
	p->len = len;
	TRY(expect_msg(p));
	CHECK(word(rpc_reply(p)) == ~last_xid(), "the RPC message's XID");
	return ping(p);
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

/* An NFSv3 WRITE of @length bytes to no file, with @padding bytes in front */
static void put_padded_write(struct peer *p, u32 align, u32 thresh, u32 padding,
			     u32 length)
{
	u32 i;

	put_header(p, RPCRDMA_MSGP);
	put32(p, align);
	put32(p, thresh);
	put_lists(p);
	put_call(p, 100003, 3, 7);
	put32(p, 32);
	for (i = 0; i < 8 + 2; i++)
		put32(p, 0);
	put32(p, 600);
	put32(p, 2);
	put32(p, length);
	for (i = 0; i < padding + 600; i += 4)
		put32(p, 0x5a5a5a5a);
}

/* The data begins at byte 152, plus padding. */
#define PADDING_512	360

/* It reaches nfsd, which serves no version 3 here: PROG_MISMATCH. */
static int msgp_write(struct peer *p)
{
	put_padded_write(p, 512, 512, PADDING_512, 600);
	TRY(exchange(p));
	CHECK(p->hdr.type == RPCRDMA_MSG, "not an RDMA_MSG");
	CHECK(p->reply_len - p->hdr.payload >= 24, "the RPC reply is too short");
	CHECK(word(rpc_reply(p) + 20) == 2, "not PROG_MISMATCH");
	return ping(p);
}

static int msgp_refused(struct peer *p, u32 align, u32 thresh, u32 padding,
			u32 length)
{
	put_padded_write(p, align, thresh, padding, length);
	return ping_after_error(p, RPCRDMA_ERR_CHUNK);
}

/* RFC 5666 section 3.9: padding that does not match */
static int msgp_padding_short(struct peer *p)
{
	return msgp_refused(p, 512, 512, PADDING_512 - 4, 600);
}

static int msgp_padding_long(struct peer *p)
{
	return msgp_refused(p, 512, 512, PADDING_512 + 4, 600);
}

static int msgp_padding_missing(struct peer *p)
{
	return msgp_refused(p, 512, 512, 0, 600);
}

static int msgp_align_3(struct peer *p)
{
	return msgp_refused(p, 3, 512, PADDING_512, 600);
}

static int msgp_align_huge(struct peer *p)
{
	return msgp_refused(p, 1u << 31, 512, PADDING_512, 600);
}

static int msgp_thresh_0(struct peer *p)
{
	return msgp_refused(p, 512, 0, PADDING_512, 600);
}

static int msgp_length_huge(struct peer *p)
{
	return msgp_refused(p, 512, 512, PADDING_512, ~0u);
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

static const struct peer_case cases[] = {
	CASE(ping),
	CASE(version_0),
	CASE(version_3),
	CASE(version_max),
	CASE(type_unknown),
	CASE(short_header),
	CASE(short_xid, .closes = true),
	CASE(empty_message, .closes = true),
	CASE(empty_payload),
	CASE(empty_payload_read),
	CASE(half_xid),
	CASE(xid_differs),
	CASE(done),
	CASE(error_received),
	CASE(msgp_short),
	CASE(msgp_padded),
	CASE(msgp_write),
	CASE(msgp_padding_short),
	CASE(msgp_padding_long),
	CASE(msgp_padding_missing),
	CASE(msgp_align_3),
	CASE(msgp_align_huge),
	CASE(msgp_thresh_0),
	CASE(msgp_length_huge),
	CASE(reverse_reply),
	CASE(many_calls),
	CASE(read_list_endless),
	CASE(discriminator),
	CASE(write_count_huge),
	CASE(write_count_wrap),
	CASE(write_list_endless),
};

const struct peer_group header_cases = {
	.cases = cases,
	.count = sizeof(cases) / sizeof(cases[0]),
};
