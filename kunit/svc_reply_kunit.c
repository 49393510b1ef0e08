// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the client receives every reply byte for byte as nfsd built it, inline
 * or in the chunks that it offered, in both versions, or else an error that
 * tells it what to offer (RFC 8166 section 3.5, v2 draft sections 3.2 and 5.3).
 * If this failed, a READ would return the wrong data.
 */
#include <linux/module.h>
#include <linux/sunrpc/xdr.h>

#include "svc_fakes.h"
#include "fake_memory.h"

#define trace_svc_rdma_sent(xprt, xid, len, wrs, ret) \
	((void)(xid), (void)(wrs), (void)(ret))
#define trace_svc_rdma_reply_error(xprt, xid, ret)	((void)(ret))

/**
 * struct sent - what has been sent
 * @len: bytes of the message; 0 if none was sent
 * @msg: the message, gathered from its SGEs
 * @error: fault that was reported to the requester
 * @puts: Receive contexts put back
 * @holds: how often pages were held for the Send
 * @held: pages held
 * @resets: how often a Send context was reset
 * @inv: handle that the Send invalidates
 * @grown: buffer size that was requested
 * @send_puts: Send contexts given back unused
 * @closed: how often the connection was closed
 * @looks: how often the work item that tunes the connection was started
 * @hold_result: what holding pages returns
 * @grow_result: what growing the buffer returns
 */
static struct sent {
	u32 len;
	u8 msg[16384];
	struct svc_rdma_fault error;
	u32 puts;
	u32 holds;
	u32 held;
	u32 resets;
	u32 inv;
	u32 grown;
	u32 send_puts;
	u32 closed;
	u32 looks;
	int hold_result;
	int grow_result;
} sent;

static struct svc_rdma_send_ctx *fake_send;

#define LKEY		0x77u

static int fake_send_post(struct svc_rdma_send_ctx *send, u32 len)
{
	u32 i;

	memcpy(sent.msg, send->buf, len);
	for (i = 1; i < send->wr.num_sge; i++) {
		if (len + send->sges[i].length > sizeof(sent.msg) ||
		    send->sges[i].lkey != LKEY)
			return -EMSGSIZE;
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

/* The version that the connection speaks */
static const struct svc_rdma_version *fake_version;

#define svc_rdma_rw_add			fake_rw_add
#define svc_rdma_send_get(conn)		fake_send
#define svc_rdma_send_put(send)		((void)(send), (void)sent.send_puts++)
#define svc_rdma_send_reset(send)	((void)(send), (void)sent.resets++)
#define svc_rdma_send_post		fake_send_post
#define svc_rdma_send_grow		fake_send_grow
#define svc_rdma_send_hold_pages(s, p, n) \
	(sent.held = (n), sent.holds++, sent.hold_result)
#define svc_rdma_error_send		fake_error_send
#define mod_delayed_work(wq, work, delay) \
	((void)(work), (void)(delay), (void)sent.looks++)
#define svc_rdma_recv_put(conn, recv)	((void)sent.puts++)
#define svc_rdma_conn_close(conn)	((void)(conn), (void)sent.closed++)

#define svc_rdma_version_of(conn)	fake_version
#define svc_rdma_advert_done(conn, recv) ((void)(recv))
/* Adverts are tested in svc_advert_kunit.c. */
#define svc_rdma_reply_advertise(send, recv, xdr, len) false
#define svc_rdma_advert_encode(enc, advert) ((void)(advert))
#define svc_rdma_advert_handle(advert)	0

#include "svc_version_fakes.h"
#include "../svcrdma/message/payloads.c"
#include "../svcrdma/message/write_chunks.c"
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

#define INLINE_ROOM	(1024u - RPCRDMA_V1_MIN_SIZE)

static const struct reply_case reply_cases[] = {
	/* RFC 8166 section 3.5.1 */
	{ "short reply", 4096, 0, .type = RPCRDMA_MSG },
	{ "reply with a page", 4096, 3000, .type = RPCRDMA_MSG },
	{ "gathered reply", 16384, 12000, .type = RPCRDMA_MSG, .sges = 16 },
	{ "too many parts to gather", 16384, 12000, .type = RPCRDMA_MSG,
	  .sges = 3 },
	{ "just fits", 1024, INLINE_ROOM - HEAD - TAIL,
	  .type = RPCRDMA_MSG },
	{ "one word too long, no Reply chunk", 1024,
	  INLINE_ROOM - HEAD - TAIL + 4, .type = -1 },
	/* RFC 8166 section 3.5.2 */
	{ "Write chunk", 4096, 8192, HEAD, 8192, .write = { 8192 },
	  .type = RPCRDMA_MSG },
	{ "Write chunk, several segments, odd length", 4096, 8000, HEAD, 7997,
	  .write = { 4000, 1, 5000 }, .type = RPCRDMA_MSG },
	{ "Write chunk too small", 4096, 8192, HEAD, 8192, .write = { 8191 },
	  .type = -1 },
	{ "Write chunk not used", 4096, 1000, .write = { 8192 },
	  .type = RPCRDMA_MSG },
	{ "Write chunk, nothing to write", 4096, 1000, HEAD, 0,
	  .write = { 8192 }, .type = RPCRDMA_MSG },
	/* RFC 8166 section 3.5.3 */
	{ "Reply chunk", 1024, 8000, .reply = { 9000 },
	  .type = RPCRDMA_NOMSG },
	{ "Reply chunk, several segments", 1024, 8000,
	  .reply = { 100, 4000, 5000 }, .type = RPCRDMA_NOMSG },
	{ "Reply chunk not needed", 4096, 500, .reply = { 9000 },
	  .type = RPCRDMA_MSG },
	{ "Reply chunk too small", 1024, 8000, .reply = { 8239 },
	  .type = -1 },
	{ "Reply chunk just large enough", 1024, 8000, .reply = { 8240 },
	  .type = RPCRDMA_NOMSG },
	{ "Write chunk and Reply chunk", 1024, 12000, HEAD + 2000, 9001,
	  .write = { 9001 }, .reply = { 5000 }, .type = RPCRDMA_NOMSG },
};

KUNIT_ARRAY_PARAM_DESC(reply_case, reply_cases, name);

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
	KUNIT_ASSERT_EQ(test, 0, fake_init(test));
	s->rqst = fake_rqst(test);
	s->head = fake_zalloc(test, HEAD);
	s->tail = fake_zalloc(test, TAIL);
	s->conn.dev = &s->dev;
	s->conn.pd = &s->pd;
	s->pd.local_dma_lkey = LKEY;
	s->conn.grant = GRANT;
	s->conn.send_sges = c->sges ?: SVC_RDMA_SEND_SGES;
	s->conn.sq_depth = 1000;
	atomic_set(&s->conn.state, SVC_RDMA_OPEN);
	fake_send = fake_zalloc(test, sizeof(*fake_send));
	fake_send->conn = &s->conn;
	fake_send->buf = fake_zalloc(test, send_size(c));
	fake_send->limit = send_size(c);
	fake_send->size = send_size(c);
	fake_send->wr.sg_list = fake_send->sges;
	fake_send->wr.num_sge = 1;
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

/* v2 draft section 5.3.3: the error says what the requester must offer */
static void expect_error(struct kunit *test, const struct reply_case *c)
{
	const struct svc_rdma_fault *fault = &sent.error;

	if (c->write[0]) {
		KUNIT_EXPECT_EQ(test, fault->code,
				RPCRDMA2_ERR_WRITE_RESOURCE);
		KUNIT_EXPECT_EQ(test, fault->index, 1);
		KUNIT_EXPECT_EQ(test, fault->value, c->length);
	} else {
		KUNIT_EXPECT_EQ(test, fault->code,
				RPCRDMA2_ERR_REPLY_RESOURCE);
		KUNIT_EXPECT_EQ(test, fault->value, HEAD + c->pages + TAIL);
	}
}

static void reply_with(struct kunit *test,
		       const struct svc_rdma_version *version)
{
	u64 writes_unused = fake_count(write_chunks_unused);
	u64 replies_unused = fake_count(reply_chunks_unused);
	const struct reply_case *c = test->param_value;
	struct rpcrdma_hdr hdr;
	struct setup *s;

	fake_version = version;
	s = setup(test, c);

	/* Act */
	if (c->offset)
		svc_rdma_payload_add(s->rqst, c->offset, c->length);
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);

	/* Assert */
	KUNIT_EXPECT_EQ(test, fake.faults, 0);
	KUNIT_EXPECT_EQ(test, !!sent.error.code, c->type < 0);
	KUNIT_EXPECT_EQ(test, !!sent.len, c->type >= 0);
	KUNIT_EXPECT_EQ(test, sent.resets, c->type < 0);
	/* The buffer did not have to grow. */
	KUNIT_EXPECT_EQ(test, sent.grown, 0);
	if (!sent.len) {
		expect_error(test, c);
		return;
	}
	KUNIT_EXPECT_EQ(test, fake_count(write_chunks_unused) - writes_unused,
			c->write[0] && !c->length);
	KUNIT_EXPECT_EQ(test, fake_count(reply_chunks_unused) - replies_unused,
			c->reply[0] && c->type == RPCRDMA_MSG);
	KUNIT_ASSERT_LE(test, sent.len, send_size(c));
	KUNIT_ASSERT_EQ(test, 0, version->decode(&hdr, sent.msg, sent.len));
	KUNIT_EXPECT_EQ(test, hdr.flags,
			version == &svc_rdma_v2 ? RPCRDMA2_F_RESPONSE : 0);
	KUNIT_EXPECT_EQ(test, hdr.inv_handle, 0);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.xid), 0xabcd);
	KUNIT_EXPECT_EQ(test, hdr.credits, GRANT);
	KUNIT_EXPECT_EQ(test, hdr.type, c->type);
	KUNIT_EXPECT_EQ(test, hdr.reads.segments, 0);
	KUNIT_EXPECT_EQ(test, hdr.writes.chunks, !!c->write[0]);
	KUNIT_EXPECT_EQ(test, hdr.reply.chunks, c->type == RPCRDMA_NOMSG);
	expect_reply(test, s, c, &hdr);
	KUNIT_EXPECT_EQ(test, sent.puts, 1);
	KUNIT_EXPECT_PTR_EQ(test, s->rqst->rq_xprt_ctxt, NULL);
}

static void replied(struct kunit *test)
{
	reply_with(test, &svc_rdma_v1);
}

static void replied_v2(struct kunit *test)
{
	reply_with(test, &svc_rdma_v2);
}

/*
 * Pages that the adapter reads are held until the Send completes; a reply that
 * was copied holds none.
 */
static void pages_kept(struct kunit *test)
{
	struct list_head writes;
	struct setup *s;

	fake_version = &svc_rdma_v1;
	s = setup(test, &reply_cases[0]);
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.holds, 0);
	KUNIT_EXPECT_PTR_EQ(test, s->rqst->rq_next_page,
			    s->rqst->rq_pages + MAX_PAGES);

	s = setup(test, &reply_cases[2]);
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.holds, 1);
	KUNIT_EXPECT_EQ(test, sent.held, MAX_PAGES);
	KUNIT_EXPECT_PTR_EQ(test, s->rqst->rq_next_page,
			    s->rqst->rq_respages);

	/* A short reply, but its RDMA Writes use the pages */
	s = setup(test, &reply_cases[0]);
	list_add(&writes, &fake_send->rws);
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.holds, 1);
}

/* A reply is gathered if it is long and the device has enough SGEs. */
static void gathered(struct kunit *test)
{
	static const struct reply_case longest = {
		.send_size = 4096, .pages = SVC_RDMA_PULLUP - HEAD - TAIL,
	}, longer = {
		.send_size = 4096, .pages = SVC_RDMA_PULLUP - HEAD - TAIL + 4,
	};
	struct setup *s;
	u32 parts;

	fake_version = &svc_rdma_v1;
	s = setup(test, &longest);
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.holds, 0);
	s = setup(test, &longer);
	parts = svc_rdma_count_pages(&s->recv, &s->rqst->rq_res);
	KUNIT_ASSERT_GE(test, parts, 3);
	s->conn.send_sges = parts + 1;
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, fake_send->wr.num_sge, parts + 1);
	s = setup(test, &longer);
	s->conn.send_sges = parts;
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, fake_send->wr.num_sge, 1);
}

/* Replies with chunks that larger Receives would have spared are counted. */
static void long_counted(struct kunit *test)
{
	static const struct {
		struct reply_case reply;
		u32 max;
		u32 step;
		bool counted;
	} cases[] = {
		{ { .send_size = 4096, .pages = 8192, .offset = HEAD,
		    .length = 8192, .write = { 8192 } }, 18432, 0, true },
		{ { .send_size = 4096, .pages = 12000, .offset = HEAD,
		    .length = 12000, .write = { 12000 } }, 18432, 1, true },
		{ { .send_size = 1024, .pages = 8000, .reply = { 9000 } },
		  18432, 0, true },
		/* longer than what may be asked for */
		{ { .send_size = 4096, .pages = 12000, .offset = HEAD,
		    .length = 12000, .write = { 12000 } }, 12000 },
		/* switched off */
		{ { .send_size = 4096, .pages = 8192, .offset = HEAD,
		    .length = 8192, .write = { 8192 } }, 0 },
		/* would have been inline already */
		{ { .send_size = 9216, .pages = 8192, .offset = HEAD,
		    .length = 8192, .write = { 8192 } }, 18432 },
		/* inline */
		{ { .send_size = 16384, .pages = 12000 }, 18432 },
	};
	struct svc_rdma_tuning *tuning;
	struct setup *s;
	u32 i, n;

	fake_version = &svc_rdma_v2;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		s = setup(test, &cases[i].reply);
		tuning = &s->conn.tuning;
		tuning->ask_max = cases[i].max;
		tuning->long_total = SVC_RDMA_TUNING_REPLIES - 1;
		if (cases[i].reply.offset)
			svc_rdma_payload_add(s->rqst, cases[i].reply.offset,
					     cases[i].reply.length);
		KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
		KUNIT_ASSERT_NE(test, sent.len, 0);
		n = cases[i].counted;
		KUNIT_EXPECT_EQ_MSG(test, tuning->long_replies[cases[i].step], n,
				    "case %u", i);
		KUNIT_EXPECT_EQ(test, tuning->long_total,
				SVC_RDMA_TUNING_REPLIES - 1 + n);
		/* So many are looked at. */
		KUNIT_EXPECT_EQ(test, sent.looks, n);
	}
}

/*
 * Each Write chunk is returned with its own length: with data in both, or in
 * one.
 */
static void two_results(struct kunit *test)
{
	static const struct reply_case two = {
		.send_size = 4096, .pages = 1000, .offset = HEAD, .length = 96,
		.write = { 100 }, .write2 = 300,
	};
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	struct rpcrdma_hdr hdr;
	struct setup *s;
	u32 n, i, count;

	fake_version = &svc_rdma_v2;
	for (n = 1; n <= 2; n++) {
		s = setup(test, &two);
		put_unaligned_be32(200, page_address(s->rqst->rq_pages[0]) + 96);
		svc_rdma_payload_add(s->rqst, HEAD, 96);
		if (n == 2)
			svc_rdma_payload_add(s->rqst, HEAD + 100, 200);
		KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
		KUNIT_ASSERT_EQ(test, 0,
				svc_rdma_v2_decode(&hdr, sent.msg, sent.len));
		KUNIT_ASSERT_EQ(test, hdr.writes.chunks, 2);
		rpcrdma_chunks_begin(&hdr, &hdr.writes, &cur);
		for (i = 0; i < 2; i++) {
			KUNIT_ASSERT_TRUE(test, rpcrdma_chunks_next(&cur, &count));
			KUNIT_ASSERT_TRUE(test, rpcrdma_segments_next(&cur, &seg));
			KUNIT_EXPECT_EQ(test, seg.length,
					i == 0 ? 96 : n == 2 ? 200 : 0);
		}
	}
}

/*
 * A reply that needs more entries than the Send Queue has fails: no chunk could
 * help.
 */
static void longer_than_queue(struct kunit *test)
{
	static const struct reply_case chunk = {
		.send_size = 4096, .pages = 8192, .offset = HEAD,
		.length = 8192, .write = { 8192 },
	};
	u32 wrs = 0, less;
	struct setup *s;

	fake_version = &svc_rdma_v1;
	for (less = 0; less < 2; less++) {
		s = setup(test, &chunk);
		s->conn.sq_depth = wrs ? wrs - less : 1000;
		svc_rdma_payload_add(s->rqst, HEAD, 8192);
		KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
		KUNIT_EXPECT_EQ(test, !!sent.len, !less);
		KUNIT_EXPECT_EQ(test, sent.error.code,
				less ? RPCRDMA2_ERR_SYSTEM : 0);
		KUNIT_EXPECT_EQ(test, sent.resets, less);
		wrs = fake_send->wrs;
		KUNIT_ASSERT_GT(test, wrs, 1);
	}
}

/*
 * A version 2 requester may receive more than fits into a Send buffer. Such a
 * reply is gathered, or copied into a larger buffer.
 */
static void small_buffer(struct kunit *test)
{
	static const struct reply_case gathered = {
		.send_size = 16384, .pages = 12000, .sges = 16,
	}, copied = {
		.send_size = 16384, .pages = 12000, .sges = 3,
	};
	struct rpcrdma_hdr hdr;
	struct setup *s;

	fake_version = &svc_rdma_v2;
	s = setup(test, &gathered);
	fake_send->size = 1024;
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_ASSERT_EQ(test, 0, svc_rdma_v2_decode(&hdr, sent.msg, sent.len));
	KUNIT_EXPECT_EQ(test, sent.grown, 0);
	expect_reply(test, s, &gathered, &hdr);

	s = setup(test, &copied);
	fake_send->size = 1024;
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_ASSERT_EQ(test, 0, svc_rdma_v2_decode(&hdr, sent.msg, sent.len));
	KUNIT_EXPECT_EQ(test, sent.grown, sent.len);
	expect_reply(test, s, &copied, &hdr);
}

/*
 * RFC 8166 section 3.3.3: one handle of the call, if Remote Invalidation is
 * allowed
 */
static void invalidates(struct kunit *test)
{
	struct setup *s;

	fake_version = &svc_rdma_v1;
	s = setup(test, &reply_cases[0]);
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.inv, 0);

	s = setup(test, &reply_cases[0]);
	s->recv.invalidate = true;
	s->recv.handle = HANDLE;
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	KUNIT_EXPECT_EQ(test, sent.inv, HANDLE);
}

/* Nothing is sent on a closing connection. */
static void closing(struct kunit *test)
{
	struct setup *s;

	fake_version = &svc_rdma_v1;
	s = setup(test, &reply_cases[0]);
	atomic_set(&s->conn.state, SVC_RDMA_CLOSING);
	KUNIT_EXPECT_EQ(test, svc_rdma_reply_send(s->rqst), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, sent.len, 0);
}

/* The thread still owns the call and releases it; the connection is closed. */
static void expect_closed(struct kunit *test, struct setup *s, int error,
			  u32 send_puts)
{
	KUNIT_EXPECT_EQ(test, svc_rdma_reply_send(s->rqst), error);
	fake_memory_left = -1;
	KUNIT_EXPECT_EQ(test, sent.len, 0);
	KUNIT_EXPECT_EQ(test, sent.error.code, 0);
	KUNIT_EXPECT_EQ(test, sent.closed, 1);
	KUNIT_EXPECT_EQ(test, sent.send_puts, send_puts);
	KUNIT_EXPECT_EQ(test, sent.puts, 0);
	KUNIT_EXPECT_PTR_EQ(test, s->rqst->rq_xprt_ctxt, (void *)&s->recv);
}

/* No Send context, DMA mapping, larger buffer, or memory to hold pages */
static void cannot_be_sent(struct kunit *test)
{
	struct setup *s;

	fake_version = &svc_rdma_v1;
	s = setup(test, &reply_cases[0]);
	fake_send = NULL;
	expect_closed(test, s, -ENOMEM, 0);

	s = setup(test, &reply_cases[2]);
	fake_memory_left = 0;
	expect_closed(test, s, -EIO, 1);

	s = setup(test, &reply_cases[2]);
	sent.hold_result = -ENOMEM;
	expect_closed(test, s, -ENOMEM, 1);

	s = setup(test, &reply_cases[3]);
	fake_send->size = 1024;
	sent.grow_result = -ENOMEM;
	expect_closed(test, s, -ENOMEM, 1);
}

static struct kunit_case svc_sendto_cases[] = {
	KUNIT_CASE_PARAM(replied, reply_case_gen_params),
	KUNIT_CASE_PARAM(replied_v2, reply_case_gen_params),
	KUNIT_CASE(pages_kept),
	KUNIT_CASE(gathered),
	KUNIT_CASE(longer_than_queue),
	KUNIT_CASE(long_counted),
	KUNIT_CASE(two_results),
	KUNIT_CASE(small_buffer),
	KUNIT_CASE(invalidates),
	KUNIT_CASE(closing),
	KUNIT_CASE(cannot_be_sent),
	{}
};

static struct kunit_suite svc_sendto_suite = {
	.name = "svc_rdma_reply",
	.test_cases = svc_sendto_cases,
};

kunit_test_suite(svc_sendto_suite);

MODULE_DESCRIPTION("KUnit suite of svcrdma's replies");
MODULE_LICENSE("GPL");
