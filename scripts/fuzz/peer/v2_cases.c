// SPDX-License-Identifier: GPL-2.0-only
/* Cases: version 2, of draft-cel-nfsv4-rpcrdma-version-two-09. */

#include "peer.h"

#define CONNPROPS	50u
#define SMALL		2000u
#define TINY		512u

/* Number of properties in the server's RDMA2_CONNPROP */
static u32 properties;

/* Begin a message with a new XID: prefix only. */
void put_prefix(struct peer *p, u32 type, u32 flags)
{
	put_header(p, type);
	p->len = 4;
	put32(p, RPCRDMA_VERSION_2);
	p->len = RPCRDMA_V1_FIXED_SIZE;
	put32(p, flags);
}

/* Begin a message with chunks; rdma_inv_handle is 0. */
void put_msg(struct peer *p)
{
	put_prefix(p, RPCRDMA2_MSG, 0);
	put32(p, 0);
}

static void put_null_call(struct peer *p)
{
	put_msg(p);
	put_lists(p);
	put_null(p);
}

/* A CONNPROP with one property */
static void put_property(struct peer *p, u32 id, u32 len, u32 value)
{
	put_prefix(p, RPCRDMA2_CONNPROP, 0);
	put32(p, 1);
	put32(p, id);
	put32(p, len);
	put32(p, value);
}

static void put_connprop(struct peer *p, u32 recv_size)
{
	put_property(p, RPCRDMA2_PROP_RBSIZ, 4, recv_size);
}

int expect2(struct peer *p, u32 type)
{
	TRY(peer_wait(p));
	CHECK(word(p->reply) == last_xid(), "the answer's XID is another one");
	CHECK(p->hdr.version == RPCRDMA_VERSION_2, "the answer's version");
	CHECK(p->hdr.flags == RPCRDMA2_F_RESPONSE, "the answer's flags");
	CHECK(p->hdr.credits > 0, "a grant of 0 credits");
	CHECK(p->hdr.type == type, "the answer's type");
	return 0;
}

int ping2(struct peer *p)
{
	put_null_call(p);
	TRY(peer_post(p));
	TRY(expect2(p, RPCRDMA2_MSG));
	return check_rpc(p, rpc_reply(p), p->reply_len - p->hdr.payload);
}

/* The first message of every version 2 requester */
int hello(struct peer *p, u32 recv_size)
{
	put_connprop(p, recv_size);
	TRY(peer_post(p));
	TRY(expect2(p, RPCRDMA2_CONNPROP));
	properties = p->hdr.props_count;
	return 0;
}

/* Expect an error for a message, and the connection to survive it. */
int error2(struct peer *p, u32 code, u32 value)
{
	TRY(peer_post(p));
	TRY(expect2(p, RPCRDMA2_ERROR));
	CHECK(p->hdr.err == code, "another error code");
	CHECK(!value || p->hdr.err_value == value, "another count or length");
	return 0;
}

static int error2_ping(struct peer *p, u32 code, u32 value)
{
	TRY(error2(p, code, value));
	return ping2(p);
}

int v2_hello(struct peer *p)
{
	TRY(hello(p, PEER_MSG));
	CHECK(properties == 6, "the server's properties");
	return ping2(p);
}

/* Version 2 does not need the CM private message. */
static int v2_hello_no_private(struct peer *p) { return v2_hello(p); }

/*
 * Section 7: the client may have one Receive, so the reply is all that it gets.
 * It may ask for the properties later.
 */
static int v2_call_first(struct peer *p)
{
	TRY(ping2(p));
	TRY(ping2(p));
	return v2_hello(p);
}

/* The version does not change: section 7.3. */
static int v2_then_v1(struct peer *p)
{
	TRY(hello(p, PEER_MSG));
	put_header(p, RPCRDMA_MSG);
	put_lists(p);
	put_null(p);
	TRY(error2(p, RPCRDMA2_ERR_VERS, 0));
	CHECK(p->hdr.vers_low == 2 && p->hdr.vers_high == 2,
	      "not versions 2 to 2");
	return ping2(p);
}

/* An offer of version 2 is answered like that of an unknown version. */
int v2_refused(struct peer *p)
{
	put_connprop(p, PEER_MSG);
	TRY(exchange(p));
	CHECK(p->hdr.type == RPCRDMA_ERROR && p->hdr.err == RPCRDMA_ERR_VERS,
	      "not ERR_VERS");
	CHECK(p->hdr.vers_low == 1 && p->hdr.vers_high == 1,
	      "not versions 1 to 1");
	return ping(p);
}

static int v1_then_v2(struct peer *p)
{
	TRY(ping(p));
	return v2_refused(p);
}

static int v2_hello_again(struct peer *p)
{
	TRY(hello(p, PEER_MSG));
	TRY(hello(p, 1024));
	return ping2(p);
}

static int v2_bad_property(struct peer *p)
{
	put_property(p, RPCRDMA2_PROP_BRS, 4, 3);
	TRY(error2(p, RPCRDMA2_ERR_BAD_XDR, 0));
	return v2_hello(p);
}

/* Section 4.1: properties may be sent again. */
static int v2_bad_property_late(struct peer *p)
{
	TRY(v2_hello(p));
	put_property(p, RPCRDMA2_PROP_RBSIZ, 3, 4096);
	TRY(error2(p, RPCRDMA2_ERR_BAD_XDR, 0));
	return ping2(p);
}

/* TC 6.3: the experiments of others are skipped, like any unknown property. */
static int v2_unknown_property(struct peer *p)
{
	put_property(p, 0xffffff05, 4, ~0u);
	TRY(peer_post(p));
	TRY(expect2(p, RPCRDMA2_CONNPROP));
	put_property(p, 0xffffffff, 3, 0);
	TRY(peer_post(p));
	TRY(expect2(p, RPCRDMA2_CONNPROP));
	return ping2(p);
}

static int v2_unknown_type(struct peer *p)
{
	TRY(hello(p, PEER_MSG));
	put_prefix(p, 99, 0);
	return error2_ping(p, RPCRDMA2_ERR_INVAL_HTYPE, 0);
}

/*
 * RDMA_DONE for no reply is ignored, and so is what follows it: reliable-reply
 * draft section 4.1.3.
 */
static int v2_done(struct peer *p)
{
	TRY(hello(p, PEER_MSG));
	put_prefix(p, RPCRDMA2_DONE, 0);
	TRY(peer_post(p));
	put_prefix(p, RPCRDMA2_DONE, 0);
	put_lists(p);
	TRY(peer_post(p));
	return ping2(p);
}

static int v2_bad_list(struct peer *p)
{
	TRY(hello(p, PEER_MSG));
	put_msg(p);
	put32(p, 2);
	put_lists(p);
	put_null(p);
	return error2_ping(p, RPCRDMA2_ERR_BAD_XDR, 0);
}

/* Errors, and responses to no call, are not answered. */
static int v2_not_answered(struct peer *p)
{
	TRY(hello(p, PEER_MSG));
	put_prefix(p, RPCRDMA2_ERROR, RPCRDMA2_F_RESPONSE);
	put32(p, RPCRDMA2_ERR_SYSTEM);
	TRY(peer_post(p));
	put_prefix(p, RPCRDMA2_ERROR, 0);
	TRY(peer_post(p));
	put_prefix(p, 99, RPCRDMA2_F_RESPONSE);
	TRY(peer_post(p));
	put_prefix(p, RPCRDMA2_MSG, RPCRDMA2_F_RESPONSE);
	put32(p, 0);
	put_lists(p);
	put_null(p);
	TRY(peer_post(p));
	return ping2(p);
}

static int v2_read_chunks(struct peer *p)
{
	u32 i;

	TRY(hello(p, PEER_MSG));
	put_msg(p);
	for (i = 0; i < 33; i++)
		put_read(p, 8 + 8 * i, 64 * i, 4);
	put_lists(p);
	put_null(p);
	put_opaque(p, p->mem, 1024);
	return error2_ping(p, RPCRDMA2_ERR_READ_CHUNKS, 32);
}

static int v2_write_chunks(struct peer *p)
{
	u32 i;

	TRY(hello(p, PEER_MSG));
	put_msg(p);
	put32(p, 0);
	for (i = 0; i < 17; i++)
		put_chunk(p, 64 * i, 64);
	put32(p, 0);
	put32(p, 0);
	put_null(p);
	return error2_ping(p, RPCRDMA2_ERR_WRITE_CHUNKS, 16);
}

/* A call of NULL with a Reply chunk of @count segments */
static void put_segments(struct peer *p, u32 count)
{
	struct rpcrdma_segment seg;
	u32 i;

	put_msg(p);
	put32(p, 0);
	put32(p, 0);
	put32(p, 1);
	put32(p, count);
	for (i = 0; i < count; i++) {
		seg = segment(p, 64 * i, 64);
		put_segment(p, &seg);
	}
	put_null(p);
}

static int v2_segments(struct peer *p)
{
	TRY(hello(p, PEER_MSG));
	put_segments(p, 128);
	TRY(peer_post(p));
	TRY(expect2(p, RPCRDMA2_MSG));
	put_segments(p, 129);
	return error2_ping(p, RPCRDMA2_ERR_SEGMENTS, 128);
}

/* READ of the file "data", after chunks that the caller has encoded */
void put_read_call(struct peer *p, u32 count)
{
	put_open_data(p, TAG, 1);
	put_read_op(p, 100, count);
}

static int v2_write_resource(struct peer *p)
{
	TRY(hello(p, PEER_MSG));
	put_msg(p);
	put32(p, 0);
	put_chunk(p, 0, 4999);
	put32(p, 0);
	put32(p, 0);
	put_read_call(p, 5000);
	TRY(error2(p, RPCRDMA2_ERR_WRITE_RESOURCE, 5000));
	CHECK(p->hdr.err_index == 1, "not the first chunk");
	CHECK(p->mem[0] == 0xee, "something was written");
	return ping2(p);
}

static void put_long_read(struct peer *p, u32 room)
{
	put_msg(p);
	put32(p, 0);
	put32(p, 0);
	if (room)
		put_chunk(p, 0, room);
	else
		put32(p, 0);
	put_read_call(p, 8000);
}

/* The length that the error asks for is exactly what the reply needs. */
static int v2_reply_resource(struct peer *p)
{
	u32 needed;

	TRY(hello(p, PEER_MSG));
	put_long_read(p, 0);
	TRY(error2(p, RPCRDMA2_ERR_REPLY_RESOURCE, 0));
	needed = p->hdr.err_value;
	CHECK(needed > 8000 && needed < 8000 + PEER_MSG, "the length needed");
	put_long_read(p, needed - 1);
	TRY(error2(p, RPCRDMA2_ERR_REPLY_RESOURCE, needed));
	CHECK(p->mem[0] == 0xee, "something was written");
	put_long_read(p, needed);
	TRY(peer_post(p));
	TRY(expect2(p, RPCRDMA2_NOMSG));
	CHECK(p->hdr.reply.bytes == needed, "the length of the reply");
	TRY(check_rpc(p, p->mem, needed));
	return ping2(p);
}

/* Inline replies are as long as the requester allows, and no longer. */
int v2_read_inline(struct peer *p, u32 count, u32 type)
{
	put_msg(p);
	put_lists(p);
	put_read_call(p, count);
	TRY(peer_post(p));
	return expect2(p, type);
}

static int buffer_of(struct peer *p, u32 size)
{
	TRY(hello(p, size));
	TRY(v2_read_inline(p, size - 300, RPCRDMA2_MSG));
	CHECK(p->reply_len <= size, "too long");
	return v2_read_inline(p, size, RPCRDMA2_ERROR);
}

static int v2_small_buffer(struct peer *p) { return buffer_of(p, SMALL); }

/* Section 4.2.1 has no minimum. */
static int v2_tiny_buffer(struct peer *p) { return buffer_of(p, TINY); }

static int v2_default_buffer(struct peer *p)
{
	TRY(ping2(p));
	TRY(v2_read_inline(p, 3800, RPCRDMA2_MSG));
	return v2_read_inline(p, 4096, RPCRDMA2_ERROR);
}

/* As many messages without a credit as there are Receives for their answers */
static int v2_flood(struct peer *p)
{
	u32 i, round;

	for (round = 0; round < 4; round++) {
		put_connprop(p, PEER_MSG);
		for (i = 0; i < CONNPROPS; i++)
			TRY(peer_post(p));
		for (i = 0; i < CONNPROPS; i++)
			TRY(expect2(p, RPCRDMA2_CONNPROP));
	}
	return ping2(p);
}

/* A peer that does not receive the answers to its messages is disconnected. */
static int v2_flood_deaf(struct peer *p)
{
	u32 i;

	put_connprop(p, PEER_MSG);
	for (i = 0; i < 16 * CONNPROPS; i++)
		if (peer_post(p))
			break;
	CHECK(i < 16 * CONNPROPS, "the server holds any number of answers");
	CHECK(i >= PEER_RECVS, "the connection was lost");
	return 0;
}

static const struct peer_case cases[] = {
	CASE(v2_hello),
	CASE(v2_hello_no_private, .flags = PEER_NO_PRIVATE),
	CASE(v2_call_first),
	CASE(v2_then_v1),
	CASE(v1_then_v2),
	CASE(v2_hello_again),
	CASE(v2_bad_property),
	CASE(v2_bad_property_late),
	CASE(v2_unknown_property),
	CASE(v2_unknown_type),
	CASE(v2_done),
	CASE(v2_bad_list),
	CASE(v2_not_answered),
	CASE(v2_read_chunks),
	CASE(v2_write_chunks),
	CASE(v2_segments),
	CASE(v2_write_resource),
	CASE(v2_reply_resource),
	CASE(v2_small_buffer),
	CASE(v2_tiny_buffer),
	CASE(v2_default_buffer),
	CASE(v2_flood),
	CASE(v2_flood_deaf),
};

const struct peer_group v2_cases = { cases, sizeof(cases) / sizeof(cases[0]) };
