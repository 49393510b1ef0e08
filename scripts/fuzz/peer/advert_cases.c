// SPDX-License-Identifier: GPL-2.0-only
/* Cases: replies in Read chunks, and RDMA_DONE (reliable-reply draft, 4.1). */

#include <unistd.h>

#include "peer.h"

#define MAX_ADVERTISED	64u
#define SHORT		8000u
#define LONG		60000u
#define REPLY_AT	65536u
#define RESOURCE	RPCRDMA2_ERR_REPLY_RESOURCE

/* The last reply: its first segment, and the handle to invalidate */
static struct {
	struct rpcrdma_segment seg;
	u32 inv_handle;
} last;

/* Agree with the server on replies in Read chunks. */
#define WANT								\
	MSG(v2, RPCRDMA2_CONNPROP), MSG(words, 1, 2),				\
	MSG(property, RPCRDMA2_PROP_RBSIZ, EP_RECV_SIZE),		\
	MSG(property, RPCRDMA2_PROP_READ_REPLIES, 1),			\
	DO(answer, RPCRDMA2_CONNPROP), HDR(props_count, 6)
#define ASK(...)	MSG(v2, RPCRDMA2_MSG), MSG(open, 1), MSG(nfs_read, 100, __VA_ARGS__)
#define GET(...)	ASK(__VA_ARGS__), DO(advertised, __VA_ARGS__)
#define ASK_V1		MSG(v1, RPCRDMA_MSG), MSG(open, 1), MSG(nfs_read, 100, SHORT)
#define NO_ROOM_V1	ASK_V1, DO(error, RPCRDMA_ERR_CHUNK)
#define V1_ADVERTISES	WITH(set, "read_replies_v1", 1), DO(connect)
/* RDMA_DONE for the last call, with these arguments of for_call */
#define DONE(...)	MSG(v2, RPCRDMA2_DONE), MSG(for_call, __VA_ARGS__)
#define DONE_V1		MSG(v1, RPCRDMA_DONE), FIELD(lists, 0), MSG(for_call, 0)
/* Get replies until the server advertises no more. */
#define EXHAUST(limit, count)						\
	DO(times, limit), GET(count), DO(again), ASK(count), DO(error, RESOURCE)
#define DENIED(opcode, ...)						\
	WITH(denied, "it can be accessed", IBV_WR_RDMA_##opcode, __VA_ARGS__)

/* advertised: send the message, and expect the reply in a Read chunk */
static STEP(advertised)
{
	const struct step nomsg = DO(answer, RPCRDMA2_NOMSG);
	struct rpcrdma_read_segment rseg = { 0 };
	struct rpcrdma_cursor cur;

	TRY(do_answer(p, &nomsg));
	CHECK(p->hdr.reads.bytes > st->a[0], "the length of the Read chunk");
	CHECK(p->hdr.inv_handle, "no handle to invalidate");
	CHECK(!p->hdr.reply.chunks, "a Reply chunk");
	rpcrdma_reads_begin(&p->hdr, &cur);
	rpcrdma_reads_next(&cur, &rseg);
	last.seg = rseg.seg;
	last.inv_handle = p->hdr.inv_handle;
	return 0;
}

static int rdma(struct peer *p, enum ibv_wr_opcode opcode,
		const struct rpcrdma_segment *seg, u32 at)
{
	memset(p->s.mem.offered + at, 1, seg->length);
	return endpoint_rdma_done(&p->s.ep, opcode, p->s.mem.sink + at,
				  p->s.mem.sink_mr, seg, PEER_TIMEOUT);
}

/*
 * fetch: read the reply, and check its data: @a[0] bytes, plus @a[1] for each
 * turn of the loop
 */
static STEP(fetch)
{
	const u8 *rpc = p->s.mem.sink + REPLY_AT;
	u32 count = st->a[0] + st->a[1] * p->turn, len = 0;
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;

	rpcrdma_reads_begin(&p->hdr, &cur);
	while (rpcrdma_reads_next(&cur, &rseg)) {
		CHECK(!rseg.position, "not at position zero");
		CHECK(!rdma(p, IBV_WR_RDMA_READ, &rseg.seg, REPLY_AT + len),
		      "an RDMA Read fails");
		len += rseg.seg.length;
	}
	TRY(check_rpc(p, rpc, len));
	TRY(check_compound(p, rpc, 3));
	/* The data, with its XDR roundup, is the last item. */
	return check_data(p, rpc + len - rpcrdma_xdr_align(count), 100, count);
}

/* denied: opcode @a[0] cannot access the last reply, or @a[1] bytes after it */
static STEP(denied)
{
	int i;

	last.seg.length += st->a[1];
	/* A server thread may still be handling the RDMA_DONE. */
	for (i = 0; i < 100 && !rdma(p, st->a[0], &last.seg, 0); i++)
		usleep(10000);
	CHECK(i < 100, st->text);
	return 0;
}

/* for_call: the XID is that of the last call, plus @a[0] and @a[1] for each turn */
static BUILD(for_call)
{
	p->m.xid = --p->s.xid + a[0] + a[1] * p->turn;
}

/* invalidate: send With Invalidate of the last reply's handle */
static STEP(invalidate)
{
	return peer_post(p, IBV_WR_SEND_WITH_INV, last.inv_handle);
}

const struct peer_case advert_cases[] = {
	/* More replies, one after another, than can be advertised at a time */
	CASE(advert_read, WANT, DO(times, 3 * MAX_ADVERTISED), GET(SHORT, 1),
	     DO(fetch, SHORT, 1), DONE(0), DO(post), DO(again), DO(ping)),
	CASE(advert_read_long, WANT, GET(LONG), DO(fetch, LONG), DONE(0), DO(post),
	     DO(ping)),
	/* Section 4.1.4: RDMA2_DONE invalidates a handle. */
	CASE(advert_invalidate, WANT, DO(times, 2 * MAX_ADVERTISED), GET(SHORT),
	     DO(fetch, SHORT), DONE(0), DO(invalidate), DO(again), DO(ping),
	     WITH(counted, "adverts_invalidated", 2 * MAX_ADVERTISED)),
	/* Write chunks are used as in any other reply. */
	CASE(advert_write_chunk, WANT, MSG(v2, RPCRDMA2_MSG), MSG(open, 2),
	     MSG(nfs_read, 100, 4092), MSG(nfs_read, 100, LONG), MSG(write, 0, SHORT),
	     DO(answer, RPCRDMA2_NOMSG), DO(wrote, 4092), DO(data, 0, 100, 4092),
	     DONE(0), DO(post), DO(ping)),
	/*
	 * Without RDMA2_DONE, the server stops advertising replies. The end of the
	 * connection releases them.
	 */
	CASE(advert_withheld, WANT, EXHAUST(MAX_ADVERTISED, SHORT), HDR(credits, 1),
	     DO(ping), DO(times, MAX_ADVERTISED), DONE(-1 - MAX_ADVERTISED, 1),
	     DO(post), DO(again), EXHAUST(MAX_ADVERTISED, SHORT), DO(ping)),
	/* 60000 bytes take 15 or 16 pages, in addition to those of head and tail. */
	CASE(advert_bytes, WANT, WITH(set, "read_replies_bytes", 300000),
	     EXHAUST(4, LONG), WITH(set, "read_replies_bytes", 16777216), GET(LONG),
	     DO(ping)),
	/* A requester that does not support such replies, after one that does */
	CASE(advert_unwanted, MSG(v2, RPCRDMA2_CONNPROP), MSG(words, 1, 0),
	     DO(answer, RPCRDMA2_CONNPROP), ASK(SHORT), DO(error, RESOURCE)),
	/* Section 4.1.3: RDMA_DONE for no reply, and a second one for the same reply */
	CASE(advert_done_flood, WANT, GET(SHORT),
	     DO(times, 500), DONE(1, 7919), DO(post), DO(again), DO(ping),
	     DO(times, 100), DONE(-1), DO(post), DO(again), DO(ping),
	     WITH(counted, "dones_unknown", 599)),
	/* With the response flag, RDMA_DONE refers to a call that the server never sent. */
	CASE(advert_done_response, WANT, GET(SHORT), DONE(0),
	     FIELD(flags, RPCRDMA2_F_RESPONSE), DO(post),
	     EXHAUST(MAX_ADVERTISED - 1, SHORT)),
	/* A Read after the timeout ends only the requester's connection. */
	CASE(advert_expired, WANT, WITH(set, "read_reply_timeout", 3),
	     EXHAUST(MAX_ADVERTISED, SHORT),
	     WITH(counted, "adverts_expired", MAX_ADVERTISED),
	     WITH(set, "read_reply_timeout", 30), GET(SHORT), DO(fetch, SHORT),
	     DONE(0), DO(post), DONE(-2 - MAX_ADVERTISED), DO(post),
	     WITH(set, "read_reply_timeout", 1), GET(SHORT),
	     WITH(counted, "adverts_expired", MAX_ADVERTISED + 1), DENIED(READ, 0)),
	CASE(advert_written, WANT, GET(SHORT), DENIED(WRITE, 0)),
	CASE(advert_read_done, WANT, GET(SHORT), DONE(0), DO(post), DO(ping),
	     DENIED(READ, 0)),
	/* RFC 5666 sections 3.4 and 3.8: in version 1, the administrator decides. */
	CASE(advert_v1, V1_ADVERTISES, DO(times, 2 * MAX_ADVERTISED), ASK_V1,
	     DO(answer, RPCRDMA_NOMSG), DO(fetch, SHORT), DONE_V1, DO(post),
	     DO(again), DO(ping)),
	CASE(advert_v1_withheld, V1_ADVERTISES, DO(times, MAX_ADVERTISED), ASK_V1,
	     DO(answer, RPCRDMA_NOMSG), DO(again), NO_ROOM_V1, HDR(credits, 1),
	     DO(ping)),
	CASE(advert_v1_unwanted, NO_ROOM_V1, DO(ping)),
	{ NULL }
};
