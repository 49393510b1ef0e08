// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: replies in Read chunks, and RDMA_DONE (reliable-reply draft, 4.1).
 * The server's parameters have their defaults unless a case changes them.
 */

#include <unistd.h>

#include "peer.h"

#define MAX_ADVERTISED	64u
#define SHORT		8000u
#define LONG		60000u
#define REPLY_AT	65536u
/* Seconds for which a reply can be read, and after which it surely cannot */
#define TIMEOUT		"1"
#define TOO_LATE	3u

/* Agree with the server on replies in Read chunks. */
static int want(struct peer *p)
{
	put_prefix(p, RPCRDMA2_CONNPROP, 0);
	put32(p, 2);
	put32(p, RPCRDMA2_PROP_RBSIZ);
	put32(p, 4);
	put32(p, PEER_MSG);
	put32(p, RPCRDMA2_PROP_READ_REPLIES);
	put32(p, 4);
	put32(p, 1);
	TRY(peer_post(p));
	TRY(expect2(p, RPCRDMA2_CONNPROP));
	CHECK(p->hdr.props_count == 6, "the server's properties");
	return 0;
}

static void put_ask(struct peer *p, u32 count)
{
	put_msg(p);
	put_lists(p);
	put_read_call(p, count);
}

static int ask(struct peer *p, u32 count)
{
	put_ask(p, count);
	return peer_post(p);
}

/* Expect the reply to ask() in a Read chunk. */
static int get(struct peer *p, u32 count)
{
	TRY(ask(p, count));
	TRY(expect2(p, RPCRDMA2_NOMSG));
	CHECK(p->hdr.reads.bytes > count, "the length of the Read chunk");
	CHECK(p->hdr.inv_handle, "no handle to invalidate");
	CHECK(!p->hdr.reply.chunks, "a Reply chunk");
	return 0;
}

static struct rpcrdma_segment first_segment(const struct peer *p)
{
	struct rpcrdma_read_segment rseg = { 0 };
	struct rpcrdma_cursor cur;

	rpcrdma_reads_begin(&p->hdr, &cur);
	rpcrdma_reads_next(&cur, &rseg);
	return rseg.seg;
}

/* Read the reply and check every byte of the data. */
static int fetch(struct peer *p, u32 count)
{
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;
	u32 at = REPLY_AT, i;

	rpcrdma_reads_begin(&p->hdr, &cur);
	while (rpcrdma_reads_next(&cur, &rseg)) {
		CHECK(!rseg.position, "not at position zero");
		p->why = "an RDMA Read fails";
		TRY(peer_rdma(p, IBV_WR_RDMA_READ, &rseg.seg, at));
		p->why = NULL;
		at += rseg.seg.length;
	}
	TRY(check_rpc(p, p->mem + REPLY_AT, at - REPLY_AT));
	TRY(check_compound(p, p->mem + REPLY_AT, TAG, 0, 3));
	/* The last item is the data with its XDR roundup. */
	at -= (count + 3) & ~3u;
	for (i = 0; i < count; i++)
		CHECK(p->mem[at + i] == body_byte(100 + i), "wrong data");
	return 0;
}

/* The message RDMA2_DONE for the given XID */
static void put_done(struct peer *p, u32 xid)
{
	put_prefix(p, RPCRDMA2_DONE, 0);
	p->len = 0;
	put32(p, xid);
	p->len = RPCRDMA2_PREFIX_SIZE;
}

static int done(struct peer *p, u32 xid)
{
	put_done(p, xid);
	return peer_post(p);
}

/* More such replies, one after another, than may be advertised at a time */
static int advert_read(struct peer *p)
{
	u32 i, xid;

	TRY(want(p));
	for (i = 0; i < 3 * MAX_ADVERTISED; i++) {
		TRY(get(p, SHORT + i));
		xid = last_xid();
		TRY(fetch(p, SHORT + i));
		TRY(done(p, xid));
	}
	return ping2(p);
}

static int advert_read_long(struct peer *p)
{
	TRY(want(p));
	TRY(get(p, LONG));
	TRY(fetch(p, LONG));
	TRY(done(p, last_xid()));
	return ping2(p);
}

/* Section 4.1.4: RDMA2_DONE invalidates a handle. */
static int advert_invalidate(struct peer *p)
{
	long before = server_counter("adverts_invalidated");
	u32 i;

	TRY(want(p));
	for (i = 0; i < 2 * MAX_ADVERTISED; i++) {
		TRY(get(p, SHORT));
		TRY(fetch(p, SHORT));
		put_done(p, last_xid());
		TRY(peer_post_inv(p, p->hdr.inv_handle));
	}
	TRY(ping2(p));
	CHECK(server_counter("adverts_invalidated") - before ==
	      2 * MAX_ADVERTISED, "not all were invalidated");
	return 0;
}

/* Write chunks are used as in any other reply. */
static int advert_write_chunk(struct peer *p)
{
	u32 i;

	TRY(want(p));
	put_msg(p);
	put32(p, 0);
	put_chunk(p, 0, SHORT);
	put32(p, 0);
	put32(p, 0);
	put_open_data(p, TAG, 2);
	put_read_op(p, 100, 4092);
	put_read_op(p, 100, LONG);
	TRY(peer_post(p));
	TRY(expect2(p, RPCRDMA2_NOMSG));
	CHECK(p->hdr.writes.bytes == 4092, "the Write chunk's length");
	for (i = 0; i < 4092; i++)
		CHECK(p->mem[i] == body_byte(100 + i), "wrong data");
	TRY(done(p, last_xid()));
	return ping2(p);
}

/* Get replies until there are no more; @first: XID of the first one. */
static int exhaust(struct peer *p, u32 count, u32 limit, u32 *first)
{
	u32 i;

	*first = last_xid() + 1;
	for (i = 0; i < limit; i++)
		TRY(get(p, count));
	put_ask(p, count);
	return error2(p, RPCRDMA2_ERR_REPLY_RESOURCE, 0);
}

/* Without RDMA2_DONE, the server advertises no more replies after a while. */
static int advert_withheld(struct peer *p)
{
	u32 first, i;

	TRY(want(p));
	TRY(exhaust(p, SHORT, MAX_ADVERTISED, &first));
	CHECK(p->hdr.credits == 1, "the grant");
	TRY(ping2(p));
	for (i = 0; i < MAX_ADVERTISED; i++)
		TRY(done(p, first + i));
	TRY(exhaust(p, SHORT, MAX_ADVERTISED, &first));
	/* The end of the connection releases the rest. */
	return ping2(p);
}

/* 60000 bytes are in 15 or 16 pages, besides those of the head and the tail. */
static int advert_bytes(struct peer *p)
{
	u32 first;
	int ret;

	TRY(want(p));
	server_set("read_replies_bytes", "300000");
	ret = exhaust(p, LONG, 4, &first);
	server_set("read_replies_bytes", "16777216");
	TRY(ret);
	TRY(get(p, LONG));
	return ping2(p);
}

static int advert_forbidden(struct peer *p)
{
	u32 first;
	int ret;

	TRY(want(p));
	server_set("read_replies_max", "0");
	ret = exhaust(p, SHORT, 0, &first);
	server_set("read_replies_max", "64");
	TRY(ret);
	return ping2(p);
}

/* A requester that does not support such replies, after one that does */
static int advert_unwanted(struct peer *p)
{
	put_prefix(p, RPCRDMA2_CONNPROP, 0);
	put32(p, 0);
	TRY(peer_post(p));
	TRY(expect2(p, RPCRDMA2_CONNPROP));
	put_ask(p, SHORT);
	return error2(p, RPCRDMA2_ERR_REPLY_RESOURCE, 0);
}

/* Section 4.1.3: RDMA_DONE for no reply, and a second one for the same reply */
static int advert_done_flood(struct peer *p)
{
	u32 i, xid;

	TRY(want(p));
	TRY(get(p, SHORT));
	xid = last_xid();
	for (i = 0; i < 500; i++)
		TRY(done(p, xid + 1 + i * 7919));
	TRY(ping2(p));
	for (i = 0; i < 100; i++)
		TRY(done(p, xid));
	TRY(ping2(p));
	CHECK(server_counter("dones_unknown") >= 599, "not all were dropped");
	return 0;
}

/* With the response flag, it refers to a call that the server has not sent. */
static int advert_done_response(struct peer *p)
{
	u32 first;

	TRY(want(p));
	TRY(get(p, SHORT));
	put_done(p, last_xid());
	p->len = RPCRDMA_V1_FIXED_SIZE;
	put32(p, RPCRDMA2_F_RESPONSE);
	TRY(peer_post(p));
	return exhaust(p, SHORT, MAX_ADVERTISED - 1, &first);
}

/* A Read after the timeout ends the requester's connection, and no other. */
static int advert_expired(struct peer *p)
{
	long before = server_counter("adverts_expired");
	struct rpcrdma_segment seg;
	u32 first;

	TRY(want(p));
	server_set("read_reply_timeout", TIMEOUT);
	TRY(exhaust(p, SHORT, MAX_ADVERTISED, &first));
	sleep(TOO_LATE);
	server_set("read_reply_timeout", "30");
	CHECK(server_counter("adverts_expired") - before == MAX_ADVERTISED,
	      "not all have expired");
	TRY(get(p, SHORT));
	TRY(fetch(p, SHORT));
	TRY(done(p, last_xid()));
	TRY(done(p, first));
	/* The handle is no longer valid. */
	server_set("read_reply_timeout", TIMEOUT);
	TRY(get(p, SHORT));
	seg = first_segment(p);
	sleep(TOO_LATE);
	server_set("read_reply_timeout", "30");
	CHECK(peer_rdma(p, IBV_WR_RDMA_READ, &seg, 0), "it can still be read");
	return 0;
}

static int advert_written(struct peer *p)
{
	struct rpcrdma_segment seg;

	TRY(want(p));
	TRY(get(p, SHORT));
	seg = first_segment(p);
	CHECK(peer_rdma(p, IBV_WR_RDMA_WRITE, &seg, 0), "it can be written to");
	return 0;
}

static int advert_beyond(struct peer *p)
{
	struct rpcrdma_segment seg;

	TRY(want(p));
	TRY(get(p, SHORT));
	seg = first_segment(p);
	seg.length++;
	CHECK(peer_rdma(p, IBV_WR_RDMA_READ, &seg, 0), "more can be read");
	return 0;
}

static int advert_read_done(struct peer *p)
{
	struct rpcrdma_segment seg;

	TRY(want(p));
	TRY(get(p, SHORT));
	seg = first_segment(p);
	TRY(done(p, last_xid()));
	TRY(ping2(p));
	CHECK(peer_rdma(p, IBV_WR_RDMA_READ, &seg, 0), "it can still be read");
	return 0;
}

/*
 * Invalidating the handle of another reply, or by another message, ends the
 * connection.
 */
static int advert_wrong_handle(struct peer *p)
{
	u32 handle;

	TRY(want(p));
	TRY(get(p, SHORT));
	handle = p->hdr.inv_handle;
	TRY(get(p, SHORT));
	put_done(p, last_xid());
	return peer_post_inv(p, handle);
}

static int advert_handle_by_call(struct peer *p)
{
	TRY(want(p));
	TRY(get(p, SHORT));
	put_msg(p);
	put_lists(p);
	put_null(p);
	return peer_post_inv(p, p->hdr.inv_handle);
}

/* A reply is released when its connection ends. */
static int advert_left(struct peer *p)
{
	TRY(want(p));
	TRY(ask(p, LONG));
	return ask(p, LONG);
}

static int ask_v1(struct peer *p, u32 count)
{
	put_header(p, RPCRDMA_MSG);
	put_lists(p);
	put_read_call(p, count);
	return exchange(p);
}

/* RFC 5666 sections 3.4 and 3.8: in version 1, the administrator decides. */
static int advert_v1(struct peer *p)
{
	u32 i, xid;

	for (i = 0; i < 2 * MAX_ADVERTISED; i++) {
		TRY(ask_v1(p, SHORT));
		CHECK(p->hdr.type == RPCRDMA_NOMSG, "not an RDMA_NOMSG");
		TRY(fetch(p, SHORT));
		xid = last_xid();
		put_header(p, RPCRDMA_DONE);
		p->len = 0;
		put32(p, xid);
		p->len = RPCRDMA_V1_FIXED_SIZE;
		TRY(peer_post(p));
	}
	return ping(p);
}

static int advert_v1_withheld(struct peer *p)
{
	u32 i;

	for (i = 0; i < MAX_ADVERTISED; i++) {
		TRY(ask_v1(p, SHORT));
		CHECK(p->hdr.type == RPCRDMA_NOMSG, "not an RDMA_NOMSG");
	}
	TRY(ask_v1(p, SHORT));
	CHECK(p->hdr.type == RPCRDMA_ERROR &&
	      p->hdr.err == RPCRDMA_ERR_CHUNK, "not ERR_CHUNK");
	CHECK(p->hdr.credits == 1, "the grant");
	return ping(p);
}

static int advert_v1_unwanted(struct peer *p)
{
	TRY(ask_v1(p, SHORT));
	CHECK(p->hdr.type == RPCRDMA_ERROR &&
	      p->hdr.err == RPCRDMA_ERR_CHUNK, "not ERR_CHUNK");
	return ping(p);
}

static const struct peer_case cases[] = {
	CASE(advert_read),
	CASE(advert_read_long),
	CASE(advert_invalidate),
	CASE(advert_write_chunk),
	CASE(advert_withheld),
	CASE(advert_bytes),
	CASE(advert_forbidden),
	CASE(advert_unwanted),
	CASE(advert_done_flood),
	CASE(advert_done_response),
	CASE(advert_expired),
	CASE(advert_written),
	CASE(advert_beyond),
	CASE(advert_read_done),
	CASE(advert_wrong_handle, .closes = true),
	CASE(advert_handle_by_call, .closes = true),
	CASE(advert_left),
	CASE(advert_v1, .flags = PEER_V1_ADVERTISE),
	CASE(advert_v1_withheld, .flags = PEER_V1_ADVERTISE),
	CASE(advert_v1_unwanted),
};

const struct peer_group advert_cases = {
	cases, sizeof(cases) / sizeof(cases[0])
};
