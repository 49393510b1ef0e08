// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: chunks of callbacks (v2 draft section 4.2.2, RFC 8166 section 3.4.6).
 * A call in Read chunks is delivered when it is complete. The client accepts as
 * many chunks as its errors announce, and its reply returns each Write chunk.
 * Otherwise, long callbacks would be lost, or a hostile server could overwrite
 * memory.
 */
#include "xprt_callback_fakes.h"

/* Chunks of a call. Handles count up from 1, segment by segment. */
struct chunks {
	u32 named;	/* handle that the call offers for invalidation; 0: none */
	u32 length;	/* bytes in a Read chunk at position zero; 0: the call is inline */
	u32 reads;	/* Read chunks of eight bytes each */
	u32 writes;	/* Write chunks */
	u32 each;	/* segments in each Write chunk */
	u32 nreply;	/* segments in the Reply chunk */
	u32 reply[3];	/* bytes in the first segments; reply[0] 0: 8 bytes each */
};

static struct rpcrdma_segment segment(u32 *handle, u32 length)
{
	u32 h = ++*handle;

	return (struct rpcrdma_segment){ .handle = h, .length = length,
					 .offset = 0x1000 * h };
}

/*
 * Encode a chunk of @n segments of 8 bytes each, except that @lengths, if not
 * NULL, has the lengths of the first three.
 */
static void encode_chunk(struct rpcrdma_encoder *enc, u32 *handle, u32 n,
			 const u32 *lengths)
{
	struct rpcrdma_segment seg;
	u32 i;

	rpcrdma_encode_chunk_begin(enc, n);
	for (i = 0; i < n; i++) {
		seg = segment(handle, lengths && i < 3 ? lengths[i] : 8);
		rpcrdma_encode_segment(enc, &seg);
	}
}

static void receive(struct kunit *test, struct xprt_rdma_req *req,
		    const struct chunks *c)
{
	u8 *msg = fake_zalloc(test, 8192);
	struct rpcrdma_segment seg;
	struct rpcrdma_encoder enc;
	u32 i, handle = 0;
	int len;

	encode_call(&enc, msg, 4096, RPCRDMA_VERSION_2,
		    c->length ? RPCRDMA_NOMSG : RPCRDMA_MSG, c->named);
	if (c->length) {
		seg = segment(&handle, c->length);
		rpcrdma_encode_read_segment(&enc, 0, &seg);
	}
	for (i = 0; i < c->reads; i++) {
		seg = segment(&handle, 8);
		rpcrdma_encode_read_segment(&enc, 8 + 8 * i, &seg);
	}
	rpcrdma_encode_list_end(&enc);
	for (i = 0; i < c->writes; i++)
		encode_chunk(&enc, &handle, c->each, NULL);
	rpcrdma_encode_list_end(&enc);
	if (c->nreply)
		encode_chunk(&enc, &handle, c->nreply,
			     c->reply[0] ? c->reply : NULL);
	else
		rpcrdma_encode_list_end(&enc);
	len = rpcrdma_encode_finish(&enc);
	KUNIT_ASSERT_GT(test, len, 0);
	if (!c->length)
		len = append_call(msg, len, 12);
	xprt_rdma_bc_receive(arrive(test, req, msg, len));
	/* Overwrite the Receive buffer: nothing may depend on it any more. */
	if (!flow.fetches)
		memset(msg, 0x5a, 8192);
}

#define READS	XPRT_RDMA_GAPS
#define CHUNKS	XPRT_RDMA_BC_CHUNKS
#define SEGS	XPRT_RDMA_MAX_SEGS

/*
 * v2 draft section 5.3.3: the client accepts as many chunks and segments as its
 * error announces, and refuses a call with one more.
 */
static const struct limit {
	const char *name;
	struct chunks c;
	bool no_reads;
	u32 err, value;
} limits[] = {
	{ "as many Read chunks as may be", { .reads = READS } },
	{ "a Read chunk more", { .reads = READS + 1 },
	  .err = RPCRDMA2_ERR_READ_CHUNKS, .value = READS },
	{ "a Read chunk, and no RDMA Read", { .reads = 1 }, .no_reads = true,
	  .err = RPCRDMA2_ERR_READ_CHUNKS, .value = 0 },
	{ "no Read chunk, and no RDMA Read", .no_reads = true },
	{ "as many Write chunks and segments as may be",
	  { .writes = CHUNKS, .each = 2, .nreply = SEGS - 2 * CHUNKS } },
	{ "a Write chunk more", { .writes = CHUNKS + 1, .each = 1 },
	  .err = RPCRDMA2_ERR_WRITE_CHUNKS, .value = CHUNKS },
	{ "a Write chunk of all segments", { .writes = 1, .each = SEGS } },
	{ "a segment more in the Write chunk", { .writes = 1, .each = SEGS + 1 },
	  .err = RPCRDMA2_ERR_SEGMENTS, .value = SEGS },
	{ "a Reply chunk of all segments", { .nreply = SEGS } },
	{ "a segment more in the Reply chunk", { .nreply = SEGS + 1 },
	  .err = RPCRDMA2_ERR_SEGMENTS, .value = SEGS },
	{ "both, half of the segments each",
	  { .writes = 1, .each = SEGS / 2, .nreply = SEGS / 2 } },
	{ "both, a segment more", { .writes = 1, .each = SEGS / 2, .nreply = SEGS / 2 + 1 },
	  .err = RPCRDMA2_ERR_SEGMENTS, .value = SEGS / 2 },
	{ "as long as may be", { .length = XPRT_RDMA_BC_CALL_MAX } },
	{ "a byte more", { .length = XPRT_RDMA_BC_CALL_MAX + 1 }, .err = RPCRDMA2_ERR_SYSTEM },
};

KUNIT_ARRAY_PARAM_DESC(limit, limits, name);

static void limited(struct kunit *test)
{
	const struct limit *l = test->param_value;
	struct xprt_rdma_req *req = request(test, 2, PAGE_SIZE);

	req->r_xprt->conn->peer.no_own_reads = l->no_reads;
	receive(test, req, &l->c);
	KUNIT_EXPECT_EQ(test, flow.gets, !l->err);
	if (l->err)
		expect_refused(test, RPCRDMA_VERSION_2, l->err, l->value);
	fake_release(req);
	KUNIT_EXPECT_EQ(test, flow.pages, 0);
}

/*
 * A long call is delivered only after its Read chunk was fetched without error
 * and the fetched message has the XID of the transport header.
 */
static void long_call_delivered_when_fetched(struct kunit *test)
{
	static const struct chunks c = { .length = 10000 };
	enum { OTHER_XID, FAILED, OK };
	const struct xdr_buf *xdr;
	u64 ignored, read;
	u32 i;

	for (i = OTHER_XID; i <= OK; i++) {
		/* Act and assert: the call is not delivered before it is fetched. */
		req = request(test, 2, PAGE_SIZE);
		receive(test, req, &c);
		xdr = &req->rqst.rq_rcv_buf;
		KUNIT_ASSERT_EQ(test, flow.fetches, 1);
		KUNIT_EXPECT_PTR_EQ(test, flow.fetch.req, req);
		KUNIT_EXPECT_NULL(test, flow.delivered);
		KUNIT_EXPECT_EQ(test, flow.puts, 0);
		KUNIT_EXPECT_EQ(test, flow.releases, 0);
		KUNIT_EXPECT_EQ(test, xdr->head[0].iov_len, PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, xdr->page_len, 10000 - PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, flow.pages, 2);

		flow.fetch.conn = req->r_xprt->conn;
		append_call(req->rcv.data, 0, 12);
		if (i == OTHER_XID)
			put_unaligned_be32(XID + 1, req->rcv.data);
		ignored = fake_count(messages_ignored);
		read = fake_count(bc_calls_read);
		flow.fetch.complete(&flow.fetch, i == FAILED ? -ENOTCONN : 0);

		KUNIT_EXPECT_EQ(test, !!flow.delivered, i == OK);
		KUNIT_EXPECT_EQ(test, flow.releases, i != OK);
		KUNIT_EXPECT_EQ(test, fake_count(messages_ignored) - ignored,
				i == OTHER_XID);
		KUNIT_EXPECT_EQ(test, fake_count(bc_calls_read) - read, i == OK);
		KUNIT_EXPECT_EQ(test,
				atomic_read(&req->r_xprt->xprt.bc_slot_count),
				i == OK);
		if (i == OK)
			fake_release(req);
		KUNIT_EXPECT_EQ(test, flow.pages, 0);
	}
}

/* The inline parts of a call are in its buffer before its chunk is fetched. */
static void inline_parts_placed_first(struct kunit *test)
{
	static const struct chunks c = { .reads = 1 };
	struct xprt_rdma_req *req = request(test, 2, PAGE_SIZE);
	const u8 *call = req->rcv.data;

	receive(test, req, &c);
	KUNIT_ASSERT_EQ(test, flow.fetches, 1);
	KUNIT_EXPECT_EQ(test, req->rqst.rq_rcv_buf.len, 20);
	KUNIT_EXPECT_EQ(test, get_unaligned_be32(call), XID);
	KUNIT_EXPECT_EQ(test, call[8], 0);
	KUNIT_EXPECT_EQ(test, call[16], pattern(8));
}

/* A call that cannot be fetched for lack of memory ends the connection. */
static void unfetched_call_ends_connection(struct kunit *test)
{
	static const struct chunks c = { .length = 1000 };
	struct xprt_rdma_req *req = request(test, 2, 64);

	flow.no_fetch = true;
	receive(test, req, &c);
	KUNIT_EXPECT_EQ(test, flow.lost, 1);
	KUNIT_EXPECT_EQ(test, flow.puts, 1);
	KUNIT_EXPECT_EQ(test, flow.releases, 1);
	KUNIT_EXPECT_EQ(test, flow.pages, 0);
	KUNIT_EXPECT_NULL(test, flow.delivered);
	KUNIT_EXPECT_EQ(test, flow.fetches, 0);
}

#define REPLY_LEN	2000u

/* A reply to a callback, and how the client must send it */
static const struct reply_case {
	const char *name;	/* what is special about the reply */
	u32 peer;		/* bytes; the server's Receive Buffer Size; 0: INLINE */
	bool withdrawn;		/* the server has withdrawn its support of invalidation */
	struct chunks c;	/* chunks of the call */
	u32 len;		/* bytes in the reply */
	u32 pages;		/* bytes of the reply that are in pages */
	bool refused;		/* the client sends an error instead */
	bool written;		/* the reply is written to the Reply chunk */
	u32 inv;		/* handle that the Send invalidates; 0: none */
} reply_cases[] = {
	{ "inline", .len = 100 },
	{ "inline, chunks not used", .len = 100,
	  .c = { .writes = 2, .each = 3, .nreply = 1, .reply = { 4096 } } },
	{ "long", .c = { .nreply = 1, .reply = { 4096 } }, .len = REPLY_LEN, .written = true },
	{ "long, and Write chunks", .len = REPLY_LEN, .written = true,
	  .c = { .writes = 2, .each = 2, .nreply = 1, .reply = { 4096 } } },
	{ "several segments", .c = { .nreply = 3, .reply = { 999, 1000, 1000 } },
	  .len = REPLY_LEN, .written = true },
	{ "an empty segment", .c = { .nreply = 3, .reply = { 1000, 0, 1000 } },
	  .len = REPLY_LEN, .written = true },
	{ "all of the chunk", .c = { .nreply = 2, .reply = { 1000, 1000 } },
	  .len = REPLY_LEN, .written = true },
	{ "a byte too long for the chunk", .len = REPLY_LEN, .refused = true,
	  .c = { .nreply = 2, .reply = { 1000, 999 } } },
	{ "not contiguous", .c = { .nreply = 1, .reply = { 1000 } }, .len = 600,
	  .pages = 100, .refused = true },
	/* v2 draft section 4.2.1: Write chunk 24 bytes, Reply chunk 52 */
	{ "a header as long as the peer's Receives", .peer = 112,
	  .c = { .writes = 1, .each = 1, .nreply = 3, .reply = { 1000, 999, 1 } },
	  .len = REPLY_LEN, .written = true },
	{ "a header a byte longer", .peer = 111, .len = REPLY_LEN, .refused = true,
	  .c = { .writes = 1, .each = 1, .nreply = 3, .reply = { 1000, 999, 1 } } },
	{ "Write chunks longer than the peer's Receives", .peer = 64, .len = 4,
	  .c = { .writes = 1, .each = 3 }, .refused = true },
	/* v2 draft section 3.3: only a handle from the call's chunks is invalidated. */
	{ "a Read chunk's handle", .c = { .named = 1, .length = 12 }, .len = 20, .inv = 1 },
	{ "a Write chunk's last handle", .len = 20, .inv = 3,
	  .c = { .named = 3, .writes = 1, .each = 3, .nreply = 1 } },
	{ "the Reply chunk's handle", .len = 20, .inv = 4,
	  .c = { .named = 4, .writes = 1, .each = 3, .nreply = 1 } },
	{ "another handle", .len = 20, .c = { .named = 5, .writes = 1, .each = 3, .nreply = 1 } },
	{ "withdrawn", .len = 20, .withdrawn = true, .c = { .named = 1, .nreply = 1 } },
};

KUNIT_ARRAY_PARAM_DESC(reply_case, reply_cases, name);

/* A request whose call was received and served, ready for its reply */
static struct xprt_rdma_req *reply(struct kunit *test,
				   const struct reply_case *c)
{
	struct xprt_rdma_req *req = request(test, 2, PAGE_SIZE);

	if (c->peer)
		req->r_xprt->conn->sizes.inline_send = c->peer;
	receive(test, req, &c->c);
	KUNIT_ASSERT_EQ(test, flow.gets, 1);
	KUNIT_ASSERT_EQ(test, flow.refusals, 0);
	served(req, c->len);
	req->r_xprt->conn->peer.remote_inv = !c->withdrawn;
	req->rqst.rq_snd_buf.page_len = c->pages;
	req->rqst.rq_snd_buf.head[0].iov_len -= c->pages;
	return req;
}

/* The reply returns each chunk, with the bytes written to each segment. */
static void expect_returned(struct kunit *test, const struct rpcrdma_hdr *hdr,
			    const struct reply_case *c, const void *head)
{
	u32 i, count, n = 0, done = 0, handle = c->c.length ? 1 : 0;
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;

	KUNIT_ASSERT_EQ(test, hdr->writes.chunks, c->c.writes);
	rpcrdma_chunks_begin(hdr, &hdr->writes, &cur);
	while (rpcrdma_chunks_next(&cur, &count)) {
		KUNIT_EXPECT_EQ(test, count, c->c.each);
		while (rpcrdma_segments_next(&cur, &seg)) {
			KUNIT_EXPECT_EQ(test, seg.handle, ++handle);
			KUNIT_EXPECT_EQ(test, seg.offset, 0x1000 * handle);
			KUNIT_EXPECT_EQ(test, seg.length, 0);
		}
	}
	KUNIT_ASSERT_EQ(test, hdr->reply.segments, c->written ? c->c.nreply : 0);
	rpcrdma_chunks_begin(hdr, &hdr->reply, &cur);
	rpcrdma_chunks_next(&cur, &count);
	for (i = 0; rpcrdma_segments_next(&cur, &seg); i++) {
		KUNIT_EXPECT_EQ(test, seg.handle, ++handle);
		KUNIT_EXPECT_EQ(test, seg.offset, 0x1000 * handle);
		KUNIT_EXPECT_EQ(test, seg.length,
				min(c->c.reply[i], c->len - done));
		if (!seg.length)
			continue;
		KUNIT_ASSERT_LT(test, n, flow.nwrites);
		KUNIT_EXPECT_MEMEQ(test, &flow.writes[n], &seg, sizeof(seg));
		KUNIT_EXPECT_PTR_EQ(test, flow.bases[n], head + done);
		done += seg.length;
		n++;
	}
	KUNIT_EXPECT_EQ(test, flow.nwrites, n);
	KUNIT_EXPECT_EQ(test, done, c->written ? c->len : 0);
}

/*
 * The client sends a reply inline or in the Reply chunk, or an error with the
 * number of bytes needed (v2 draft sections 3.2, 3.3, 5.3.2 and 5.3.3; RFC 8166
 * section 3.4.6).
 */
static void replies(struct kunit *test)
{
	const struct reply_case *c = test->param_value;
	struct xprt_rdma_req *req = reply(test, c);
	struct rpcrdma_hdr hdr;

	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_bc_reply_send(&req->rqst));
	if (c->refused) {
		KUNIT_EXPECT_EQ(test, flow.posts, 0);
		expect_refused(test, RPCRDMA_VERSION_2,
			       RPCRDMA2_ERR_REPLY_RESOURCE, c->len);
		return;
	}
	decode_reply(test, req, &hdr, c->written, c->inv);
	expect_returned(test, &hdr, c, req->snd.data);
}

/* A reused request does not return the chunks of its previous call. */
static void chunks_forgotten(struct kunit *test)
{
	static const struct reply_case first = {
		.c = { .named = 1, .writes = 1, .each = 1, .nreply = 1,
		       .reply = { 4096 } }, .len = 20,
	}, second = { .len = 20 };
	struct xprt_rdma_req *req = reply(test, &first);
	struct rpcrdma_hdr hdr;

	receive(test, req, &second.c);
	served(req, second.len);
	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_bc_reply_send(&req->rqst));
	decode_reply(test, req, &hdr, false, 0);
	expect_returned(test, &hdr, &second, req->snd.data);
}

/* A reply that cannot be sent now drops the Writes prepared for it. */
static void unsent_reply_drops_writes(struct kunit *test)
{
	static const struct reply_case c = {
		.c = { .nreply = 3, .reply = { 1000, 1000, 1000 } }, .len = 1500,
	};
	u32 fails;

	for (fails = 0; fails <= 2; fails++) {
		req = reply(test, &c);
		flow.write_fails = fails;
		flow.prepare_rc = fails ? 0 : -EAGAIN;
		KUNIT_EXPECT_EQ(test, fails ? -ENOMEM : -EAGAIN,
				xprt_rdma_bc_reply_send(&req->rqst));
		KUNIT_EXPECT_EQ(test, flow.nwrites, fails ? fails - 1 : 2);
		KUNIT_EXPECT_EQ(test, flow.drops, 1);
		KUNIT_EXPECT_EQ(test, flow.posts, 0);
		KUNIT_EXPECT_EQ(test, flow.refusals, 0);
	}
}

static struct kunit_case xprt_callback_chunks_cases[] = {
	KUNIT_CASE_PARAM(limited, limit_gen_params),
	KUNIT_CASE(long_call_delivered_when_fetched),
	KUNIT_CASE(inline_parts_placed_first),
	KUNIT_CASE(unfetched_call_ends_connection),
	KUNIT_CASE_PARAM(replies, reply_case_gen_params),
	KUNIT_CASE(chunks_forgotten),
	KUNIT_CASE(unsent_reply_drops_writes),
	{}
};

SUITE("xprt_rdma_callback_chunks", xprt_callback_chunks_cases);
