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

/**
 * struct sent - the message that was sent
 * @len: bytes of the message; 0 if none was sent
 * @msg: the message, gathered from its SGEs
 * @error: fault that was reported to the requester
 * @puts: Receive contexts put back
 * @holds: how often pages were held for the Send
 * @held: pages held
 * @first: the first of them
 * @head_reads: entries of the gather list that are in the page of the head
 * @resets: how often a Send context was reset
 * @inv: handle that the Send invalidates
 * @grown: buffer size that was requested
 * @send_puts: Send contexts given back unused
 * @closed: how often the connection was closed
 * @long_len: bytes of the last reply that needs chunks only because of its
 *	length
 * @hold_result: return value of holding pages
 * @grow_result: return value of growing the buffer
 */
static struct sent {
	u32 len;
	u8 msg[16384];
	struct svc_rdma_fault error;
	u32 puts;
	u32 holds;
	u32 held;
	struct page *first;
	u32 head_reads;
	u32 resets;
	u32 inv;
	u32 grown;
	u32 send_puts;
	u32 closed;
	u32 long_len;
	int hold_result;
	int grow_result;
} sent;

static struct svc_rdma_send_ctx *fake_send;

/* The page with nfsd's head; NULL if it is in none */
static struct page *fake_head_page;

#define LKEY		0x77u

static int fake_send_post(struct svc_rdma_send_ctx *send, u32 len)
{
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
		memcpy(sent.msg + len, (void *)(uintptr_t)send->sges[i].addr,
		       send->sges[i].length);
		len += send->sges[i].length;
	}
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
#define TAIL		40u
#define MAX_PAGES	4u
#define MAX_REPLY	(HEAD + MAX_PAGES * PAGE_SIZE + TAIL)
#define HANDLE		0x4000u

/**
 * struct reply_case - a reply, and the chunks offered by its call
 * @name: what is special about it
 * @send_size: bytes that the requester can receive; in version 2 the difference
 *	of the header sizes is added
 * @pages: bytes in the page list
 * @offset: where the result for the Write chunk begins, if there is one
 * @length: bytes of that result
 * @write: segments of the Write chunk
 * @write2: bytes of a second Write chunk with one segment
 * @reply: segments of the Reply chunk
 * @type: message type; -1 for an error
 * @sges: SGEs that the device allows per Send
 */
struct reply_case {
	const char *name;
	u32 send_size;
	u32 pages;
	u32 offset, length;
	u32 write[3];
	u32 reply[3];
	int type;
	u32 sges;
	u32 write2;
};

/**
 * struct setup - a call that waits for its reply
 * @conn: connection
 * @recv: the call
 * @rqst: nfsd thread
 * @want: the reply as a stream
 * @head: first part of it
 * @tail: last part of it
 * @hdr: the call's transport header
 * @dev: device
 * @pd: protection domain
 * @writes: stands for RDMA Writes
 */
struct setup {
	struct svc_rdma_conn conn;
	struct svc_rdma_recv_ctx recv;
	struct svc_rqst *rqst;
	u8 want[MAX_REPLY];
	u8 *head;
	u8 *tail;
	u8 hdr[256];
	struct ib_device dev;
	struct ib_pd pd;
	struct list_head writes;
};

static void add_chunk(struct rpcrdma_encoder *enc, const u32 *lengths)
{
	struct rpcrdma_segment seg;
	u32 i;

	rpcrdma_encode_chunk_begin(enc);
	for (i = 0; i < 3 && lengths[i]; i++) {
		seg = fake_segment(lengths[i]);
		rpcrdma_encode_segment(enc, &seg);
	}
	rpcrdma_encode_chunk_end(enc);
}

/* The call, with the chunks that it offers */
static void make_call(struct kunit *test, struct setup *s,
		      const struct reply_case *c)
{
	struct rpcrdma_encoder enc;

	rpcrdma_encode_init(&enc, s->hdr, sizeof(s->hdr));
	fake_version->encode_head(&enc, cpu_to_be32(0xabcd), 1, RPCRDMA_MSG,
				  false, 0);
	rpcrdma_encode_list_end(&enc);
	if (c->write[0])
		add_chunk(&enc, c->write);
	if (c->write2)
		add_chunk(&enc, (u32 []){ c->write2, 0, 0 });
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
static void make_reply(struct kunit *test, struct setup *s,
		       const struct reply_case *c)
{
	struct xdr_buf *res = &s->rqst->rq_res;
	u32 i, len = HEAD + c->pages + TAIL;

	for (i = 0; i < len; i++)
		s->want[i] = i % 251;
	if (c->length)
		put_unaligned_be32(c->length, s->want + c->offset - 4);
	memcpy(s->head, s->want, HEAD);
	memcpy(s->tail, s->want + HEAD + c->pages, TAIL);
	for (i = 0; i < MAX_PAGES; i++) {
		s->rqst->rq_pages[i] = fake_page(test);
		memcpy(page_address(s->rqst->rq_pages[i]),
		       s->want + HEAD + i * PAGE_SIZE, PAGE_SIZE);
	}
	res->head[0].iov_base = s->head;
	res->head[0].iov_len = HEAD;
	res->pages = s->rqst->rq_pages;
	res->page_len = c->pages;
	res->tail[0].iov_base = s->tail;
	res->tail[0].iov_len = TAIL;
	res->len = len;
	res->buflen = len;
	s->rqst->rq_respages = s->rqst->rq_pages;
	s->rqst->rq_next_page = s->rqst->rq_pages + MAX_PAGES;
	s->rqst->rq_xprt = &s->conn.xprt;
	s->rqst->rq_xprt_ctxt = &s->recv;
}

static u32 send_size(const struct reply_case *c)
{
	return c->send_size + fake_version->header_size - RPCRDMA_V1_MIN_SIZE;
}

static struct setup *setup(struct kunit *test, const struct reply_case *c)
{
	struct setup *s = fake_vzalloc(test, sizeof(*s));
	u32 i;

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
	make_call(test, s, c);
	make_reply(test, s, c);
	return s;
}

/* Collects the reply from the requester's memory, as its header says. */
static u32 collect(struct kunit *test, const struct rpcrdma_hdr *hdr,
		   const struct rpcrdma_list *list, u8 *to)
{
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	u32 count, len = 0;

	rpcrdma_chunks_begin(hdr, list, &cur);
	while (rpcrdma_chunks_next(&cur, &count)) {
		while (rpcrdma_segments_next(&cur, &seg)) {
			KUNIT_ASSERT_LE(test, len + seg.length, MAX_REPLY);
			memcpy(to + len, fake.memory + seg.offset, seg.length);
			len += seg.length;
		}
	}
	return len;
}

/* The requester finds every byte of the reply, in order. */
static void expect_reply(struct kunit *test, struct setup *s,
			 const struct reply_case *c,
			 const struct rpcrdma_hdr *hdr)
{
	u32 pad = -c->length & 3, len = HEAD + c->pages + TAIL, at, n;
	u8 *got = fake_vzalloc(test, MAX_REPLY), *rest = fake_vzalloc(test, MAX_REPLY);

	if (hdr->type == RPCRDMA_NOMSG) {
		n = collect(test, hdr, &hdr->reply, rest);
	} else {
		n = hdr->len - hdr->payload;
		memcpy(rest, hdr->base + hdr->payload, n);
	}
	at = c->length ? c->offset : 0;
	memcpy(got, rest, at);
	KUNIT_EXPECT_EQ(test, collect(test, hdr, &hdr->writes, got + at),
			c->length);
	memset(s->want + at + c->length, 0, pad);
	KUNIT_ASSERT_EQ(test, n + c->length + pad, len);
	memcpy(got + at + c->length + pad, rest + at, n - at);
	KUNIT_EXPECT_EQ(test, memcmp(got, s->want, len), 0);
}

#endif /* _SVC_RDMA_KUNIT_REPLY_FAKES_H */
