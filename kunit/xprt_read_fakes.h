/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Surroundings of fetch.c: an adapter that performs Reads, messages in Read
 * chunks, and their owner. Includes fetch.c and the files that it needs.
 */
#ifndef _XPRT_RDMA_XPRT_READ_FAKES_H
#define _XPRT_RDMA_XPRT_READ_FAKES_H

#define FAKE_MEMORY_WATCHED
#include "fake_rw.h"
#include "xprt_fakes.h"

static bool fake_remote_inv = true;

/* Calls to the messages' owner and to other files */
static struct owner {
	u32 completed;	/* number of messages completed */
	u32 failures;	/* number of these that were not read completely */
	int status;	/* status of the last completion */
	u32 order[8];	/* XIDs, in the order of completion */
	u32 recv_puts;	/* number of Receives released */
	u32 refilled;	/* @recv_puts when Receives were last posted */
	u32 lost;	/* number of times that the connection was reported as lost */
	u32 failed;	/* number of Work Requests reported as failed */
	u32 credits;	/* number of times that the credit window was recomputed */
	u32 watches;	/* number of times that watching was requested */
	u32 most_dones;	/* most RDMA_DONEs in flight when the window was recomputed */
	u32 errors;	/* number of times that the Queue Pair was moved to the error state */
	int stuck;	/* result of xprt_rdma_endpoint_error() */
} owner;

#define xprt_rdma_remote_invalidation	fake_remote_inv
#define xprt_rdma_credit_apply(conn) \
	((void)owner.credits++, \
	 (void)(owner.most_dones = max(owner.most_dones, (conn)->fetches.dones)))
#define xprt_rdma_watch(r_xprt)		((void)(r_xprt), (void)owner.watches++)
#define xprt_rdma_conn_lost(conn)	((void)(conn), (void)owner.lost++)
#define xprt_rdma_conn_failed(conn, what, wc)	((void)(wc), (void)owner.failed++)
#define xprt_rdma_endpoint_error(conn)	((void)(conn), (void)owner.errors++, owner.stuck)
#define xprt_rdma_recv_put(recv)		((void)(recv), (void)owner.recv_puts++)
#define xprt_rdma_recvs_post(conn)	((void)(owner.refilled = owner.recv_puts))
#define xprt_rdma_sq_release(conn, n)	((void)(conn), (void)(n))

#include "../core/verbs/buffer.c"
#include "../core/verbs/layout.c"
#include "../xprtrdma/verbs/regbuf.c"
#include "../xprtrdma/version/control_msg.c"
#include "../xprtrdma/ext/pulled/fetch.c"

#define XID		0x8166u
#define CREDITS		77u
#define HEAD		120u
#define PAGES		40u
#define PAGE_BYTES	(39u * PAGE_SIZE)
#define TAIL		64u
#define CANARY		0xa7
#define MAX_MESSAGE	4096u
#define MAX_CHUNKS	2u
#define CHUNK_STEP	0x10000000000ull
#define OPS		XPRT_RDMA_READ_OPS

/* A message with Read chunks */
struct round_case {
	const char *name;
	u32 reads;		/* number of Reads */
	/* position and length of each Read chunk */
	struct { u32 position, length; } chunks[MAX_CHUNKS];
	u32 base;		/* bytes inline; 0: RDMA_NOMSG */
	u32 split;		/* bytes of a segment; 0: one segment */
	u32 page_base;		/* offset of the buffer in its page list */
	u32 pages;		/* most pages of a Read; 0: 4 */
	bool silent;		/* no RDMA_DONE is sent */
	u32 version;		/* RPC-over-RDMA version; 0: version 1 */
	u32 inv_handle;		/* handle to invalidate; version 2 only */
	u32 room;		/* bytes of the message to be read; 0: all */
	u32 more;		/* number of chains of Reads after the first */
};

static const struct round_case round_cases[] = {
	{ "all of the head", 1, { { 0, HEAD } } },
	{ "head and pages", 2, { { 0, HEAD + 9000 } } },
	{ "the base is in the second page", 2, { { 0, HEAD + 9000 } },
	  .page_base = PAGE_SIZE + 40 },
	{ "all of the buffer", 3, { { 0, HEAD + PAGE_BYTES + TAIL } }, .pages = PAGES },
	{ "scatter list of several parts", 3, { { 0, HEAD + PAGE_BYTES + 1 } }, .page_base = 1,
	  .pages = PAGES },
	{ "odd segments", 10, { { 0, 9001 } }, .split = 1001, .more = 1 },
	/* About as many Reads as there are Send Queue entries */
	{ "one entry is left for the DONE", OPS - 1, { { 0, HEAD + (OPS - 2) * PAGE_SIZE } },
	  .pages = 1 },
	{ "no entry is left for the DONE", OPS, { { 0, HEAD + (OPS - 1) * PAGE_SIZE } },
	  .pages = 1 },
	{ "one Read too many", OPS + 1, { { 0, HEAD + OPS * PAGE_SIZE } }, .pages = 1,
	  .more = 1 },
	{ "three rounds", 2 * OPS + 1, { { 0, 2 * OPS * 100 } }, .split = 100, .pages = 1,
	  .more = 2 },
	/* RFC 8166 section 3.4.5: each chunk at its position */
	{ "payload of an inline call", 2, { { 100, 5000 } }, .base = 200 },
	{ "nothing in the chunk", 0, { { 40, 0 } }, .base = 100 },
	{ "long call and payload", 6, { { 0, 300 }, { 40, 1001 } }, .split = 400 },
	/*
	 * Longer than the buffer: the rest is not read. core_layout_kunit.c has
	 * more cases
	 */
	{ "ends in a segment", 2, { { 0, HEAD + 9000 } }, .room = HEAD + 8000 },
	{ "ends with a round", OPS, { { 0, HEAD + (OPS + 1) * PAGE_SIZE } },
	  .room = HEAD + (OPS - 1) * PAGE_SIZE, .pages = 1 },
	{ "nothing of the chunk", 0, { { 40, 301 } }, .base = 100, .room = 40 },
	/* The reverse direction: no DONE */
	{ "no DONE", 2, { { 0, 5000 } }, .silent = true },
	{ "no DONE, all entries", OPS, { { 0, HEAD + (OPS - 1) * PAGE_SIZE } }, .silent = true,
	  .pages = 1 },
	{ "no DONE, nothing to be read", 0, { { 40, 0 } }, .base = 100, .silent = true },
};

KUNIT_ARRAY_PARAM_DESC(round_case, round_cases, name);

/* A received message, and its buffer */
struct message {
	struct xprt_rdma_recv_ctx recv;	/* its Receive */
	u8 msg[MAX_MESSAGE];		/* the message as received */
	u8 *want;			/* expected contents of the buffer */
	u32 len;			/* bytes in @want */
	struct xprt_rdma_req req;	/* request whose buffer receives the message */
	struct rpcrdma_layout layout;	/* place of each part in the buffer */
	bool silent;			/* no RDMA_DONE is sent */
};

static void fill_buffer(struct kunit *test, struct message *m, u32 page_base)
{
	struct xdr_buf *xdr = &m->req.rqst.rq_rcv_buf;
	u32 i;

	xdr->pages = fake_pages(test, PAGES + 1);
	for (i = 0; i <= PAGES; i++)
		memset(page_address(xdr->pages[i]), CANARY, PAGE_SIZE);
	xdr->head[0].iov_base = fake_zalloc(test, HEAD + TAIL);
	xdr->head[0].iov_len = HEAD;
	xdr->tail[0].iov_base = xdr->head[0].iov_base + HEAD;
	xdr->tail[0].iov_len = TAIL;
	memset(xdr->head[0].iov_base, CANARY, HEAD + TAIL);
	xdr->page_base = page_base;
	xdr->page_len = PAGE_BYTES;
	xdr->buflen = HEAD + PAGE_BYTES + TAIL;
	xdr->len = xdr->buflen;
}

/* Encode the Read list; each chunk has its own handle and address. */
static void encode_chunks(struct message *m, const struct round_case *c,
			  struct rpcrdma_encoder *enc)
{
	struct rpcrdma_segment seg;
	u32 i, left;

	for (i = 0; i < MAX_CHUNKS; i++) {
		if (!c->chunks[i].position && (i || c->base))
			break;
		seg = (struct rpcrdma_segment){ .handle = 1 + i,
						.offset = CHUNK_STEP * i };
		left = c->chunks[i].length;
		do {
			seg.length = c->split ? min(left, c->split) : left;
			rpcrdma_encode_read_segment(enc, c->chunks[i].position, &seg);
			seg.offset += seg.length;
			left -= seg.length;
		} while (left);
	}
	rpcrdma_encode_no_chunks(enc);
}

/* Build the expected message: its base, with each chunk at its position. */
static void expect_message(struct kunit *test, struct message *m,
			   const struct round_case *c, const u8 *inlined)
{
	u32 i = !c->base, j, base_len = c->base ?: c->chunks[0].length;
	u32 base = 0, at = 0;
	u8 *want;

	want = fake_zalloc(test, HEAD + PAGE_BYTES + TAIL + 2 * PAGE_SIZE);
	for (;;) {
		if (i < MAX_CHUNKS && c->chunks[i].position == at && at) {
			for (j = 0; j < c->chunks[i].length; j++)
				want[at++] = fake_remote_byte(1 + i, CHUNK_STEP * i + j);
			at = ALIGN(at, 4);
			i++;
			continue;
		}
		if (base == base_len)
			break;
		want[at++] = c->base ? inlined[base] :
				       fake_remote_byte(1, base);
		base++;
	}
	m->want = want;
	m->len = ALIGN(at, 4);
}

/* More Reads than there are Send Queue entries */
#define ORD	255u

static struct xprt_rdma_conn *conn;

/* Limit each Read to @pages pages. */
static void limit_reads(u32 pages)
{
	conn->sq.max_sges = pages;
	xprt_rdma_pulled_query(conn);
}

static int connection(struct kunit *test)
{
	conn = fake_verbs_conn(test);
	memset(&hw, 0, sizeof(hw));
	memset(&owner, 0, sizeof(owner));
	hw.factor = 1;
	fake_memory_watch(test);
	fake_memory_left = -1;
	fake_remote_inv = true;
	conn->qp = fake_zalloc(test, sizeof(*conn->qp));
	conn->qp->device = conn->device;
	conn->rws.qp = conn->qp;
	conn->life.state = XPRT_RDMA_CONNECTED;
	conn->credits.max = CREDITS;
	conn->device->attrs.max_sge_rd = 256;
	limit_reads(1);
	conn->peer.ord = ORD;
	return 0;
}

static void completed(struct xprt_rdma_fetch *fetch, int status)
{
	u32 i = owner.completed++ % ARRAY_SIZE(owner.order);

	owner.failures += !!status;
	owner.status = status;
	owner.order[i] = be32_to_cpu(fetch->recv->hdr.xid);
}

static struct message *receive(struct kunit *test, const struct round_case *c)
{
	struct message *m = fake_zalloc(test, sizeof(*m));
	u32 version = c->version ?: RPCRDMA_VERSION_1;
	struct rpcrdma_encoder enc;
	int i, len;

	fill_buffer(test, m, c->page_base);
	rpcrdma_encode_init(&enc, m->msg, MAX_MESSAGE);
	rpcrdma_encode_fixed(&enc, cpu_to_be32(XID), version, 1,
			     c->base ? RPCRDMA_MSG : RPCRDMA_NOMSG);
	if (version == RPCRDMA_VERSION_2)
		rpcrdma_encode_flags(&enc, RPCRDMA2_F_RESPONSE, c->inv_handle);
	encode_chunks(m, c, &enc);
	len = rpcrdma_encode_finish(&enc);
	KUNIT_ASSERT_GT(test, len, 0);
	KUNIT_ASSERT_LE(test, len + c->base, MAX_MESSAGE);
	for (i = 0; i < c->base; i++)
		m->msg[len + i] = pattern(i);
	KUNIT_ASSERT_EQ(test, 0, version == RPCRDMA_VERSION_2 ?
			rpcrdma_decode_v2(&m->recv.hdr, m->msg, len + c->base) :
			rpcrdma_decode(&m->recv.hdr, m->msg, len + c->base));
	m->recv.conn = conn;
	m->silent = c->silent;
	expect_message(test, m, c, m->msg + len);
	KUNIT_ASSERT_EQ(test, m->len,
			rpcrdma_layout_reads(&m->layout, &m->recv.hdr, XPRT_RDMA_GAPS));
	if (c->room) {
		KUNIT_ASSERT_GT(test, m->len, c->room);
		m->len = c->room;
	}
	m->layout.end = m->len;
	KUNIT_ASSERT_EQ(test, 0,
			rpcrdma_layout_copy(&m->layout, &m->req.rqst.rq_rcv_buf, &m->recv.hdr));
	return m;
}

/* Fetch a message as its owner does. Return false if there is no memory. */
static bool fetch(struct message *m)
{
	struct xprt_rdma_fetch *fetch;

	fetch = xprt_rdma_fetch_create(&m->recv, !m->silent);
	if (!fetch)
		return false;
	fetch->req = &m->req;
	fetch->layout = m->layout;
	fetch->complete = completed;
	xprt_rdma_fetch_start(fetch, &m->recv);
	return true;
}

static void decline(struct message *m)
{
	xprt_rdma_fetch_decline(xprt_rdma_fetch_create(&m->recv, true), m->recv.conn);
}

/* Check that each byte is in its place and nothing else was written. */
static void expect_placed(struct kunit *test, const struct message *m)
{
	const struct xdr_buf *xdr = &m->req.rqst.rq_rcv_buf;
	u32 i, end = xdr->page_base + PAGE_BYTES;
	u8 byte;

	for (i = 0; i < xdr->len; i++) {
		KUNIT_ASSERT_EQ(test, 0, read_bytes_from_xdr_buf(xdr, i, &byte, 1));
		if (byte != (i < m->len ? m->want[i] : CANARY))
			KUNIT_ASSERT_EQ_MSG(test, byte,
					    i < m->len ? m->want[i] : CANARY,
					    "byte %u of %u", i, m->len);
	}
	for (i = 0; i < (PAGES + 1) * PAGE_SIZE; i++) {
		if (i >= xdr->page_base && i < end)
			continue;
		byte = *((u8 *)page_address(xdr->pages[i >> PAGE_SHIFT]) + offset_in_page(i));
		if (byte != CANARY)
			KUNIT_ASSERT_EQ_MSG(test, byte, CANARY, "at %u", i);
	}
}

/* End the connection, and check that no Reads are left. */
static void expect_over(struct kunit *test)
{
	u32 completed = owner.completed;

	xprt_rdma_pulled_flush(conn);
	KUNIT_EXPECT_EQ(test, owner.completed, completed);
	KUNIT_EXPECT_EQ(test, conn->fetches.reads, 0);
	KUNIT_EXPECT_EQ(test, conn->fetches.dones, 0);
	KUNIT_EXPECT_EQ(test, conn->fetches.declines, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->fetches.waiting));
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->fetches.all));
	KUNIT_EXPECT_EQ(test, hw.mapped, hw.unmapped);
	KUNIT_EXPECT_EQ(test, hw.nchains, 0);
	fake_expect_balance(test, read_ctxs);
	fake_expect_balance(test, regbufs);
}

/*
 * A message that needs two chains of Reads, and one that needs part of a chain
 */
static const struct round_case many = {
	.chunks = { { 0, HEAD + (OPS + 3) * PAGE_SIZE } }, .pages = 1,
}, few = {
	.chunks = { { 0, HEAD + 3 * PAGE_SIZE } }, .pages = 1,
};

#endif /* _XPRT_RDMA_XPRT_READ_FAKES_H */
