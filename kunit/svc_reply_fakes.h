/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the suites about replies: a call, nfsd's reply to it, and the
 * message that is sent.
 */
#ifndef _SVC_RDMA_KUNIT_REPLY_FAKES_H
#define _SVC_RDMA_KUNIT_REPLY_FAKES_H

#include <linux/module.h>
#include <linux/sunrpc/xdr.h>

#include "svc_fakes.h"
#include "fake_memory.h"

#define trace_svc_rdma_sent(conn, cqe, xid, len, wrs, ret) \
	((void)(xid), (void)(wrs), (void)(ret))

/* The message that was sent */
static struct sent {
	u32 len;	/* bytes of the message; 0 if none was sent */
	u8 msg[16384];	/* the message, gathered from its SGEs */
	struct svc_rdma_fault error;	/* as reported to the requester */
	u32 puts;	/* Receive contexts put back */
	u32 holds;	/* how often pages were held for the Send */
	u32 held;	/* pages held */
	struct page *first;	/* the first of them */
	u32 head_reads;	/* gather list entries in the page of the head */
	u32 resets;	/* how often a Send context was reset */
	u32 synced;	/* bytes synced for the device */
	u32 inv;	/* handle that the Send invalidates */
	u32 grown;	/* buffer size that was requested */
	u32 send_puts;	/* Send contexts given back unused */
	u32 closed;	/* how often the connection was closed */
	/* Bytes of the last reply that needs chunks as it is long */
	u32 long_len;
	int hold_result;	/* return value of holding pages */
	int grow_result;	/* return value of growing the buffer */
} sent;

static struct svc_rdma_send_ctx *fake_send;

/* The page with nfsd's head; NULL if it is in none */
static struct page *fake_head_page;

#define LKEY		0x77u

#undef ib_dma_sync_single_for_device
#define ib_dma_sync_single_for_device(d, addr, len, dir) \
	((void)(d), fake_dma_use(addr, len, dir), (void)(sent.synced += (len)))

static int fake_send_post(struct svc_rdma_send_ctx *send, u32 len)
{
	u64 buf = send->sges[0].addr;
	u32 i;

	memcpy(sent.msg, send->buf, len);
	fake_dma_posted(&send->sges[1], send->wr.num_sge - 1, DMA_TO_DEVICE);
	for (i = 1; i < send->wr.num_sge; i++) {
		if (len + send->sges[i].length > sizeof(sent.msg) ||
		    send->sges[i].lkey != LKEY)
			return -EMSGSIZE;
		if (fake_head_page &&
		    virt_to_page((void *)(uintptr_t)send->sges[i].addr) ==
		    fake_head_page)
			sent.head_reads++;
		/* The buffer's own bytes were written since it was mapped. */
		if (send->sges[i].addr - buf < send->size)
			sent.synced -= send->sges[i].length;
		memcpy(sent.msg + len, (void *)(uintptr_t)send->sges[i].addr,
		       send->sges[i].length);
		len += send->sges[i].length;
	}
	if (sent.synced)
		return -EIO;
	sent.len = len;
	if (send->wr.opcode == IB_WR_SEND_WITH_INV)
		sent.inv = send->wr.ex.invalidate_rkey;
	return 0;
}

static int fake_error_send(struct svc_rdma_send_ctx *send,
			   const struct svc_rdma_recv_ctx *recv)
{
	sent.error = recv->fault;
	return 0;
}

/* The buffer is always large enough for the test. */
static int fake_send_grow(struct svc_rdma_send_ctx *send, u32 used, u32 size)
{
	if (sent.grow_result)
		return sent.grow_result;
	sent.grown = size;
	send->size = size;
	return 0;
}

static int fake_hold_pages(struct page **pages, u32 npages)
{
	sent.first = *pages;
	sent.held = npages;
	sent.holds++;
	if (!sent.hold_result)
		memset(pages, 0, npages * sizeof(*pages));
	return sent.hold_result;
}

/* The version that the connection speaks */
static const struct svc_rdma_version *fake_version;

#define svc_rdma_rw_add			fake_rw_add
#define svc_rdma_send_get(conn)		fake_send
#define svc_rdma_send_put(send)		((void)(send), (void)sent.send_puts++)
#define svc_rdma_send_reset(send)	((void)(send), (void)sent.resets++)
#define svc_rdma_send_post		fake_send_post
#define svc_rdma_send_grow		fake_send_grow
#define svc_rdma_send_hold_pages(s, p, n)	fake_hold_pages(p, n)
#define svc_rdma_stash_take(conn, p, n) \
	((void)(conn), (void)(p), (void)(n), 0u)
#define svc_rdma_error_send		fake_error_send
#define svc_rdma_recv_put(conn, recv) \
	((void)(conn), (void)(recv), (void)sent.puts++)
#define svc_rdma_conn_close(conn, cause) \
	((void)(conn), (void)(fake_cause = (cause)), (void)sent.closed++)

#define svc_rdma_version_of(conn)	fake_version
#define svc_rdma_advert_done(conn, recv) ((void)(recv))
#define svc_rdma_properties_long_reply(properties, len) \
	((void)(properties), (void)(sent.long_len = (len)))
/* Adverts are tested in svc_advert_kunit.c. */
#define svc_rdma_send_advert(send)	((send)->advert)
#define svc_rdma_reply_advertise(send, recv, xdr) false
#define svc_rdma_advert_encode(enc, advert) ((void)(advert))
#define svc_rdma_advert_handle(advert)	0

#include "svc_version_fakes.h"
#include "../svcrdma/message/payloads.c"
#include "../svcrdma/message/write_chunks.c"
#include "../svcrdma/message/reply_pages.c"
#include "../svcrdma/message/reply.c"

#define GRANT		11u
#define HEAD		200u
#define PAGE_BASE	40u
#define TAIL		120u
#define MAX_PAGES	4u
#define MAX_REPLY	(HEAD + MAX_PAGES * PAGE_SIZE + TAIL)
#define MAX_RESULTS	3u
#define MAX_SEGMENTS	4u
#define HANDLE		0x4000u

/* A reply, and the chunks offered by its call */
struct reply_case {
	const char *name;
	/* What fits into its Receive; version 2 has a longer header */
	u32 send_size;
	u32 pages;	/* bytes in the page list */
	struct {
		u32 offset, length;
	/* Where nfsd says that results for Write chunks are */
	} results[MAX_RESULTS];
	u32 write[MAX_RESULTS][MAX_SEGMENTS];	/* Write chunks' segments */
	u32 reply[MAX_SEGMENTS];	/* segments of the Reply chunk */
	int type;	/* message type; -1 for an error */
	u32 sges;	/* SGEs that the device allows per Send */
	u32 slack;	/* the reply is protected by RPCSEC_GSS */
	bool misplaced;	/* the results are elsewhere */
	bool readlink;	/* nfsd names the lengths in front of the results */
};

/* A call that waits for its reply */
static struct setup {
	struct svc_rdma_conn conn;
	struct svc_rdma_recv_ctx recv;	/* the call */
	struct svc_rqst *rqst;	/* nfsd thread */
	u8 want[MAX_REPLY];	/* the reply as a stream */
	u8 *head;	/* first part of it */
	u8 *tail;	/* last part of it */
	u8 hdr[256];	/* the call's transport header */
	struct ib_device dev;
	struct ib_pd pd;
	struct list_head writes;	/* stands for RDMA Writes */
} *s;

/* The message that was sent, decoded */
static struct rpcrdma_hdr hdr;

/* A segment may be empty, but not the last one. */
static u32 segments(const u32 *lengths)
{
	u32 n = MAX_SEGMENTS;

	while (n && !lengths[n - 1])
		n--;
	return n;
}

static u32 write_chunks(const struct reply_case *c)
{
	u32 n = 0;

	while (n < MAX_RESULTS && segments(c->write[n]))
		n++;
	return n;
}

static u32 room(const u32 *lengths)
{
	u32 i, bytes = 0;

	for (i = 0; i < MAX_SEGMENTS; i++)
		bytes += lengths[i];
	return bytes;
}

/* Bytes of a result that are in its Write chunk */
static u32 moved(const struct reply_case *c, u32 result)
{
	if (c->slack || c->misplaced || result >= write_chunks(c))
		return 0;
	return c->results[result].length;
}

static void add_chunk(struct rpcrdma_encoder *enc, const u32 *lengths)
{
	struct rpcrdma_segment seg;
	u32 i;

	rpcrdma_encode_chunk_begin(enc);
	for (i = 0; i < segments(lengths); i++) {
		seg = fake_segment(lengths[i]);
		rpcrdma_encode_segment(enc, &seg);
	}
	rpcrdma_encode_chunk_end(enc);
}

/* The call, with the chunks that it offers */
static void make_call(struct kunit *test, const struct reply_case *c)
{
	struct rpcrdma_encoder enc;
	u32 i;

	rpcrdma_encode_init(&enc, s->hdr, sizeof(s->hdr));
	rpcrdma_encode_head(&enc, cpu_to_be32(0xabcd), fake_version->number, 1,
			    RPCRDMA_MSG, false, 0);
	rpcrdma_encode_list_end(&enc);
	for (i = 0; i < write_chunks(c); i++)
		add_chunk(&enc, c->write[i]);
	rpcrdma_encode_list_end(&enc);
	if (c->reply[0])
		add_chunk(&enc, c->reply);
	else
		rpcrdma_encode_list_end(&enc);
	/* The contents of the RPC message do not matter here. */
	rpcrdma_encode_word(&enc, 0xabcd);
	KUNIT_ASSERT_EQ(test, 0,
			fake_version->decode(&s->recv.hdr, s->hdr,
					     rpcrdma_encode_finish(&enc)));
}

/* The reply where nfsd would have put it */
static void make_reply(struct kunit *test, const struct reply_case *c)
{
	struct xdr_buf *res = &s->rqst->rq_res;
	u32 i, at, len = HEAD + c->pages + TAIL;

	for (i = 0; i < len; i++)
		s->want[i] = i % 251;
	for (i = 0; i < MAX_RESULTS; i++)
		if (c->results[i].length && !c->misplaced)
			put_unaligned_be32(c->results[i].length,
					   s->want + c->results[i].offset -
						   XDR_UNIT);
	memcpy(s->head, s->want, HEAD);
	memcpy(s->tail, s->want + HEAD + c->pages, TAIL);
	for (i = 0; i < MAX_PAGES; i++)
		s->rqst->rq_pages[i] = fake_page(test);
	for (i = 0; i < c->pages; i++) {
		at = PAGE_BASE + i;
		((u8 *)page_address(s->rqst->rq_pages[at >> PAGE_SHIFT]))
			[offset_in_page(at)] = s->want[HEAD + i];
	}
	res->head[0].iov_base = s->head;
	res->head[0].iov_len = HEAD;
	res->pages = s->rqst->rq_pages;
	res->page_base = PAGE_BASE;
	res->page_len = c->pages;
	res->tail[0].iov_base = s->tail;
	res->tail[0].iov_len = TAIL;
	res->len = len;
	res->buflen = len;
	s->rqst->rq_respages = s->rqst->rq_pages;
	s->rqst->rq_next_page = s->rqst->rq_pages + MAX_PAGES;
	s->rqst->rq_xprt = &s->conn.xprt;
	s->rqst->rq_xprt_ctxt = &s->recv;
	s->rqst->rq_auth_slack = c->slack;
}

static u32 send_size(const struct reply_case *c)
{
	return c->send_size + fake_version->header_size - RPCRDMA_V1_MIN_SIZE;
}

static void setup(struct kunit *test, const struct reply_case *c)
{
	u32 i;

	s = fake_vzalloc(test, sizeof(*s));
	memset(&sent, 0, sizeof(sent));
	fake_memory_left = -1;
	fake_head_page = NULL;
	KUNIT_ASSERT_EQ(test, 0, fake_init(test));
	s->rqst = fake_rqst(test);
	s->head = fake_zalloc(test, HEAD);
	s->tail = fake_zalloc(test, TAIL);
	s->conn.dev = &s->dev;
	s->conn.pd = &s->pd;
	s->pd.local_dma_lkey = LKEY;
	s->conn.credits.grant = GRANT;
	s->conn.caps.send_sges = c->sges ?: SVC_RDMA_SEND_SGES;
	s->conn.sq.depth = 1000;
	atomic_set(&s->conn.life.state, SVC_RDMA_OPEN);
	fake_send = fake_zalloc(test, sizeof(*fake_send));
	fake_send->conn = &s->conn;
	fake_send->buf = fake_zalloc(test, send_size(c));
	fake_send->limit = send_size(c);
	fake_send->size = send_size(c);
	fake_send->wr.sg_list = fake_send->sges;
	fake_send->wr.num_sge = 1;
	fake_dma.n = 0;
	fake_send->sges[0].addr = ib_dma_map_single(NULL, fake_send->buf,
						    fake_send->size,
						    DMA_TO_DEVICE);
	fake_send->sges[0].lkey = LKEY;
	fake_send->wrs = 1;
	INIT_LIST_HEAD(&fake_send->rws);
	/* Remains of an earlier call */
	for (i = 0; i < SVC_RDMA_PAYLOADS; i++)
		s->recv.payloads[i].length = 4;
	make_call(test, c);
	make_reply(test, c);
}

/* Collect a chunk. Nothing has been written behind any of its segments. */
static u32 collect(struct kunit *test, struct rpcrdma_cursor *cur, u8 *to)
{
	struct rpcrdma_segment seg;
	u32 i, count, len = 0;

	KUNIT_ASSERT_TRUE(test, rpcrdma_chunks_next(cur, &count));
	while (rpcrdma_segments_next(cur, &seg)) {
		KUNIT_ASSERT_LE(test, len + seg.length, MAX_REPLY);
		memcpy(to + len, fake.memory + seg.offset, seg.length);
		len += seg.length;
		for (i = 0; i < 16; i++)
			KUNIT_EXPECT_EQ(test, FAKE_CANARY,
					fake.memory[seg.offset + seg.length + i]);
	}
	return len;
}

/* The message can be decoded; the requester finds every byte, in order. */
static void expect_reply(struct kunit *test, const struct reply_case *c)
{
	u8 *got = fake_vzalloc(test, MAX_REPLY), *rest = fake_vzalloc(test, MAX_REPLY);
	u32 i, n, at = 0, len = HEAD + c->pages + TAIL;
	struct rpcrdma_cursor cur;

	KUNIT_ASSERT_EQ(test, 0,
			fake_version->decode(&hdr, sent.msg, sent.len));
	if (hdr.type == RPCRDMA_NOMSG) {
		rpcrdma_chunks_begin(&hdr, &hdr.reply, &cur);
		n = collect(test, &cur, rest);
	} else {
		n = hdr.len - hdr.payload;
		memcpy(rest, hdr.base + hdr.payload, n);
	}
	KUNIT_ASSERT_EQ(test, hdr.writes.chunks, write_chunks(c));
	rpcrdma_chunks_begin(&hdr, &hdr.writes, &cur);
	for (i = 0; i < write_chunks(c); i++) {
		u32 length = moved(c, i), to = length ? c->results[i].offset : at;

		memcpy(got + at, rest, to - at);
		rest += to - at;
		n -= to - at;
		KUNIT_ASSERT_EQ(test, collect(test, &cur, got + to), length);
		memset(s->want + to + length, 0, -length & 3);
		at = to + xdr_align_size(length);
	}
	KUNIT_ASSERT_EQ(test, at + n, len);
	memcpy(got + at, rest, n);
	KUNIT_EXPECT_EQ(test, memcmp(got, s->want, len), 0);
}

/* nfsd names its results and sends the reply. */
static int reply_to(const struct reply_case *c)
{
	u32 i;

	for (i = 0; i < MAX_RESULTS && c->results[i].offset; i++)
		svc_rdma_payload_add(s->rqst, c->results[i].offset -
				     (c->readlink ? XDR_UNIT : 0),
				     c->results[i].length);
	return svc_rdma_reply_send(s->rqst);
}

#endif /* _SVC_RDMA_KUNIT_REPLY_FAKES_H */
