// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a message completes the call that it replies to, once, and no other; a
 * reply in Read chunks is read, or declined so that the server can release its
 * memory (RFC 5666 section 3.8, reliable-reply draft section 4.1). Otherwise, a
 * call would hang, or get the data of another one.
 */
#include <linux/module.h>

#include "xprt_reply_fakes.h"

/**
 * struct read_case - a reply with a Read list, and its handling
 * @name: what is special about it
 * @version: version of the connection
 * @off: parameter read_replies is 0
 * @no_reads: nothing can be read from the peer
 * @wtype: how the reply could have been sent
 * @base: bytes inline; 0: RDMA_NOMSG
 * @reads: position and bytes of the Read list's entries
 * @nreads: number of entries
 * @written: bytes in the Write chunk; not 0 only if one was offered
 * @unused: the reply has an empty Write chunk and an empty Reply chunk
 * @reply: bytes in the Reply chunk
 * @want: length of the reply, or a negative errno if it is declined
 */
struct read_case {
	const char *name;
	u32 version;
	bool off;
	bool no_reads;
	enum xprt_rdma_wtype wtype;
	u32 base;
	struct { u32 position, length; } reads[3];
	u32 nreads;
	u32 written;
	bool unused;
	u32 reply;
	int want;
};

#define LONG		XPRT_RDMA_REPLY_LONG
#define PAYLOAD		XPRT_RDMA_REPLY_WRITE
#define BY_READ		XPRT_RDMA_REPLY_READ

static const struct read_case read_cases[] = {
	/* RFC 5666 section 3.4; reliable-reply draft section 4.1 */
	{ .name = "v1", .version = 1, .wtype = BY_READ, .reads = { { 0, 500 } },
	  .nreads = 1, .want = 500 },
	{ .name = "v1: not with version 2", .version = 1, .off = true,
	  .reads = { { 0, 500 } }, .nreads = 1, .want = 500 },
	{ .name = "v2", .version = 2, .wtype = BY_READ, .reads = { { 0, 500 } },
	  .nreads = 1, .want = 500 },
	{ .name = "v2: not wanted", .version = 2, .off = true, .wtype = BY_READ,
	  .reads = { { 0, 500 } }, .nreads = 1, .want = -EBADMSG },
	{ .name = "v2: not wanted, nonsense", .version = 2, .off = true,
	  .reads = { { 4, 500 } }, .nreads = 1, .want = -EBADMSG },
	/* RFC 5666 section 6.2 */
	{ .name = "v1: a peer that has nothing read", .version = 1,
	  .no_reads = true, .wtype = BY_READ, .reads = { { 0, 500 } },
	  .nreads = 1, .want = -EBADMSG },
	{ .name = "v2: a peer that has nothing read", .version = 2,
	  .no_reads = true, .wtype = BY_READ, .reads = { { 0, 500 } },
	  .nreads = 1, .want = -EBADMSG },
	{ .name = "three entries", .version = 2, .wtype = BY_READ,
	  .reads = { { 0, HEAD }, { 0, 4001 }, { 0, 7 } }, .nreads = 3,
	  .want = HEAD + 4008 },
	{ .name = "fills the buffer", .version = 2, .wtype = BY_READ,
	  .reads = { { 0, ROOM } }, .nreads = 1, .want = ROOM },
	{ .name = "could have been inline", .version = 2,
	  .reads = { { 0, 4 } }, .nreads = 1, .want = 4 },
	{ .name = "Reply chunk not used", .version = 2, .wtype = LONG,
	  .reads = { { 0, 500 } }, .nreads = 1, .unused = true, .want = 500 },
	{ .name = "Read chunk in the middle", .version = 2, .base = 100,
	  .reads = { { 40, 1001 } }, .nreads = 1, .want = 100 + 1004 },
	{ .name = "long, and a Read chunk", .version = 2,
	  .reads = { { 0, 200 }, { 40, 1001 } }, .nreads = 2,
	  .want = 200 + 1004 },
	{ .name = "payload in the Write chunk", .version = 2, .wtype = PAYLOAD,
	  .reads = { { 0, HEAD + 40 } }, .nreads = 1, .written = 1001,
	  .want = HEAD + 40 + 1004 },
	{ .name = "payload, short head", .version = 2, .wtype = PAYLOAD,
	  .reads = { { 0, 80 } }, .nreads = 1, .written = 999,
	  .want = 80 + 1000 },
	/* Contradictions */
	{ .name = "position zero is inline, too", .version = 2, .base = 100,
	  .reads = { { 0, 40 } }, .nreads = 1, .want = -EBADMSG },
	{ .name = "no position zero", .version = 2, .reads = { { 4, 40 } },
	  .nreads = 1, .want = -EBADMSG },
	{ .name = "nothing", .version = 2, .reads = { { 0, 0 } }, .nreads = 1,
	  .want = -EBADMSG },
	{ .name = "not in order", .version = 2,
	  .reads = { { 8, 40 }, { 0, 40 } }, .nreads = 2, .want = -EBADMSG },
	{ .name = "behind the end", .version = 2, .base = 100,
	  .reads = { { 104, 40 } }, .nreads = 1, .want = -EBADMSG },
	{ .name = "a Reply chunk", .version = 2, .wtype = LONG,
	  .reads = { { 0, 500 } }, .nreads = 1, .reply = 1, .want = -EBADMSG },
	{ .name = "Write chunk not offered", .version = 2, .wtype = BY_READ,
	  .reads = { { 0, 500 } }, .nreads = 1, .written = 1,
	  .want = -EBADMSG },
	{ .name = "Write chunk and Read chunk", .version = 2, .wtype = PAYLOAD,
	  .reads = { { 0, 500 }, { 40, 4 } }, .nreads = 2, .written = 400,
	  .want = -EBADMSG },
	/* Roundup that is missing */
	{ .name = "short head that is odd", .version = 2, .wtype = PAYLOAD,
	  .reads = { { 0, 81 } }, .nreads = 1, .written = 999,
	  .want = 84 + 1000 },
	{ .name = "odd length", .version = 2, .wtype = BY_READ,
	  .reads = { { 0, 501 } }, .nreads = 1, .want = 504 },
	{ .name = "odd base and a Read chunk", .version = 2, .base = 99,
	  .reads = { { 40, 1001 } }, .nreads = 1, .want = 100 + 1004 },
	/* Longer than the buffer: truncated */
	{ .name = "one byte too long", .version = 2, .wtype = BY_READ,
	  .reads = { { 0, ROOM + 1 } }, .nreads = 1, .want = ROOM },
	{ .name = "1 GiB too long", .version = 2, .wtype = BY_READ,
	  .reads = { { 0, 0x40000000 } }, .nreads = 1, .want = ROOM },
	{ .name = "too long with the Read chunk", .version = 2, .base = 400,
	  .reads = { { 40, ROOM - 396 } }, .nreads = 1, .want = ROOM },
	/* Impossible lengths */
	{ .name = "4 GiB", .version = 2, .wtype = BY_READ,
	  .reads = { { 0, 0xffffffff } }, .nreads = 1, .want = -EOVERFLOW },
	{ .name = "sum wraps around", .version = 2, .wtype = BY_READ,
	  .reads = { { 0, 0x80000000 }, { 0, 0x80000000 }, { 0, 8 } },
	  .nreads = 3, .want = -EOVERFLOW },
	{ .name = "more than offered", .version = 2, .wtype = PAYLOAD,
	  .reads = { { 0, HEAD } }, .nreads = 1, .written = 4097,
	  .want = -EOVERFLOW },
};

KUNIT_ARRAY_PARAM_DESC(read_case, read_cases, name);

static void lists(struct answer *a, const struct read_case *c)
{
	struct rpcrdma_segment seg = { .handle = 1 };
	u32 i;

	for (i = 0; i < c->nreads; i++) {
		seg.length = c->reads[i].length;
		rpcrdma_encode_read_segment(&a->enc, c->reads[i].position,
					    &seg);
	}
	none(a);
	if (c->written || c->unused)
		chunk(a, 1, &c->written);
	none(a);
	if (c->reply || c->unused)
		chunk(a, 1, &c->reply);
	else
		none(a);
}

/* A call that waits, and a reply with a Read list */
static struct answer *answered(struct kunit *test, const struct read_case *c)
{
	static const u32 offered = 4096;
	struct answer *a = answer_create(test, c->wtype, 1, &offered);
	struct xprt_rdma_conn *conn = a->recv->conn;
	u32 i;

	memset(&outcome, 0, sizeof(outcome));
	outcome.waits = &a->req->rqst;
	a->req->unanswered = true;
	a->req->rqst.rq_task->tk_garb_retry = 2;
	spin_lock_init(&a->req->r_xprt->xprt.queue_lock);
	fake_set_version(conn, c->version);
	conn->sizes.inline_recv = 1024;
	conn->peer.no_own_reads = c->no_reads;
	fake_read_replies = !c->off;
	a->count = c->written;
	rpcrdma_encode_init(&a->enc, a->msg, MAX_MESSAGE);
	rpcrdma_encode_fixed(&a->enc, cpu_to_be32(1), c->version, 1,
			     c->base ? RPCRDMA_MSG : RPCRDMA_NOMSG);
	if (c->version == RPCRDMA_VERSION_2) {
		rpcrdma_encode_word(&a->enc, RPCRDMA2_F_RESPONSE);
		rpcrdma_encode_word(&a->enc, 0);
	}
	lists(a, c);
	a->len = rpcrdma_encode_finish(&a->enc);
	for (i = 0; i < c->base; i++)
		a->msg[a->len++] = pattern(i);
	a->recv->buf.data = a->msg;
	KUNIT_ASSERT_EQ(test, 0, fake_decode(&a->recv->hdr, a->msg, a->len));
	return a;
}

static void expect_declined(struct kunit *test, const struct answer *a,
			    int want)
{
	KUNIT_EXPECT_EQ(test, outcome.reads, 0);
	KUNIT_EXPECT_EQ(test, outcome.declines, 1);
	KUNIT_EXPECT_EQ(test, outcome.result, want);
	KUNIT_EXPECT_EQ(test, outcome.completions, 1);
	KUNIT_EXPECT_EQ(test, outcome.pins, 0);
	KUNIT_EXPECT_EQ(test, outcome.puts, 1);
	KUNIT_EXPECT_EQ(test, outcome.lost, 0);
	KUNIT_EXPECT_FALSE(test, a->req->rqst.rq_task->tk_garb_retry);
	KUNIT_EXPECT_NULL(test, a->req->recv);
}

static void expect_read(struct kunit *test, const struct answer *a,
			const struct read_case *c)
{
	KUNIT_EXPECT_EQ(test, outcome.declines, 0);
	KUNIT_ASSERT_EQ(test, outcome.reads, 1);
	KUNIT_EXPECT_TRUE(test, outcome.args.notify);
	KUNIT_EXPECT_PTR_EQ(test, outcome.args.req, a->req);
	KUNIT_EXPECT_PTR_EQ(test, outcome.args.xdr, &a->req->rqst.rq_rcv_buf);
	KUNIT_EXPECT_EQ(test, c->want,
			xprt_rdma_layout_cut(&outcome.args.layout, ROOM));
	KUNIT_EXPECT_LE(test, outcome.args.layout.room, ROOM);
	KUNIT_EXPECT_EQ(test, outcome.completions, 0);
	KUNIT_EXPECT_EQ(test, outcome.pins, 1);
	KUNIT_EXPECT_EQ(test, outcome.puts, 0);
	KUNIT_EXPECT_PTR_EQ(test, a->req->recv, a->recv);
}

/* The length of each Read chunk in the middle, in the word before it */
static void put_read_counts(const struct answer *a, const struct read_case *c)
{
	u32 i;

	for (i = 0; i < c->nreads; i++)
		if (c->reads[i].position)
			put_unaligned_be32(c->reads[i].length,
					   a->head + c->reads[i].position - 4);
}

/*
 * Reliable-reply draft sections 4.1.2 and 4.1.3: a reply in Read chunks that
 * fits its call is read and completes it, any other is declined.
 */
static void read_or_not(struct kunit *test)
{
	static const int statuses[] = { 0, -EIO, -ENOTCONN };
	const struct read_case *c = test->param_value;
	struct xprt_rdma_read_ctx read = {};
	struct answer *a;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(statuses); i++) {
		/* Act */
		a = answered(test, c);
		xprt_rdma_dispatch(a->recv, a->len, false, 0);

		/* Assert */
		expect_pages_intact(test, a);
		if (c->want < 0) {
			expect_declined(test, a, c->want);
			continue;
		}
		expect_read(test, a, c);

		/* Act: the Reads succeed, fail, or end with the connection */
		read.recv = a->recv;
		read.req = a->req;
		read.layout = outcome.args.layout;
		put_count(a, a->head, read.layout.base_len);
		put_read_counts(a, c);
		outcome.args.complete(&read, statuses[i]);

		/* Assert */
		KUNIT_EXPECT_EQ(test, outcome.pins, 0);
		KUNIT_EXPECT_NULL(test, a->req->recv);
		KUNIT_EXPECT_EQ(test, outcome.completions,
				statuses[i] != -ENOTCONN);
		if (outcome.completions)
			KUNIT_EXPECT_EQ(test, outcome.result,
					statuses[i] ?: c->want);
		KUNIT_EXPECT_EQ(test, a->req->r_xprt->stats.total_rdma_reply,
				statuses[i] ? 0 : c->want);
		KUNIT_EXPECT_EQ(test, outcome.learned, !statuses[i] &&
				(c->wtype == BY_READ || c->wtype == LONG));
		if (outcome.learned)
			KUNIT_EXPECT_EQ(test, outcome.is_long,
					c->want + RPCRDMA_V1_MIN_SIZE > 1024);
	}
}

/* Without memory for Reads, the connection is given up. */
static void failed_start_ends_connection(struct kunit *test)
{
	static const struct read_case c = {
		.version = 2, .wtype = BY_READ, .reads = { { 0, 500 } },
		.nreads = 1,
	};
	struct answer *a = answered(test, &c);

	outcome.read_rc = -ENOMEM;
	xprt_rdma_dispatch(a->recv, a->len, false, 0);
	KUNIT_EXPECT_EQ(test, outcome.reads, 1);
	KUNIT_EXPECT_EQ(test, outcome.lost, 1);
	KUNIT_EXPECT_EQ(test, outcome.puts, 1);
	KUNIT_EXPECT_EQ(test, outcome.pins, 0);
	KUNIT_EXPECT_EQ(test, outcome.completions, 0);
	KUNIT_EXPECT_NULL(test, a->req->recv);
}

/*
 * If the head that is read is shorter than its buffer, the payload in the Write
 * chunk follows it, unchanged.
 */
static void payload_follows_short_head(struct kunit *test)
{
	static const u32 heads[] = { 4, 80, HEAD - 4, HEAD };
	static const u32 payloads[] = { 1, 39, 41, 999, 4095, 4096 };
	struct read_case c = { .version = 2, .wtype = PAYLOAD, .nreads = 1 };
	struct xprt_rdma_read_ctx read = {};
	struct answer *a;
	u32 i, j, k;
	u8 *page;

	for (i = 0; i < ARRAY_SIZE(heads) * ARRAY_SIZE(payloads); i++) {
		/* Arrange: the peer has written the payload */
		c.reads[0].length = heads[i / ARRAY_SIZE(payloads)];
		c.written = payloads[i % ARRAY_SIZE(payloads)];
		a = answered(test, &c);
		for (j = 0; j < c.written; j++) {
			k = PAGE_BASE + j;
			page = page_address(a->pages[k >> PAGE_SHIFT]);
			page[offset_in_page(k)] = pattern(j);
		}

		/* Act */
		xprt_rdma_dispatch(a->recv, a->len, false, 0);
		KUNIT_ASSERT_EQ(test, outcome.reads, 1);
		read.recv = a->recv;
		read.req = a->req;
		read.layout = outcome.args.layout;
		k = c.reads[0].length;
		put_count(a, a->head, k);
		outcome.args.complete(&read, 0);

		/* Assert */
		KUNIT_EXPECT_EQ(test, outcome.result, k + ROUND(c.written));
		KUNIT_EXPECT_EQ(test, a->req->rqst.rq_rcv_buf.head[0].iov_len,
				k);
		KUNIT_EXPECT_EQ(test,
				a->req->rqst.rq_private_buf.head[0].iov_len,
				k);
		for (j = 0; j < c.written; j++)
			KUNIT_ASSERT_EQ(test, reply_byte(a, k + j),
					pattern(j));
	}
}

/* RFC 5666 section 3.4: a reply whose payload length is wrong is refused. */
static void wrong_payload_length_refused(struct kunit *test)
{
	static const struct read_case c = {
		.version = 2, .wtype = PAYLOAD, .reads = { { 0, 80 } },
		.nreads = 1, .written = 999,
	};
	static const u32 wrong[] = { 996, 1000, 0xffffffff };
	struct xprt_rdma_read_ctx read = {};
	struct answer *a;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		a = answered(test, &c);
		xprt_rdma_dispatch(a->recv, a->len, false, 0);
		KUNIT_ASSERT_EQ(test, outcome.reads, 1);
		read.recv = a->recv;
		read.req = a->req;
		read.layout = outcome.args.layout;
		a->count = wrong[i];
		put_count(a, a->head, 80);
		outcome.args.complete(&read, 0);
		KUNIT_EXPECT_EQ(test, outcome.result, -EBADMSG);
		KUNIT_EXPECT_EQ(test, outcome.completions, 1);
	}
}

/*
 * The same for each Read chunk in the middle of a reply, whether or not it is
 * the last item; what does not fit into the buffer is not looked at.
 */
static void wrong_read_count_refused(struct kunit *test)
{
	static const struct read_case c = {
		.version = 2, .base = 100,
		.reads = { { 40, 22 }, { 72, 17 }, { 96, ROOM } }, .nreads = 3,
	}, cut = {
		.version = 2, .base = ROOM, .reads = { { ROOM, 8 } }, .nreads = 1,
	};
	static const s32 wrong[] = { 0, -1, 1, -22, 3 };
	struct xprt_rdma_read_ctx read = {};
	struct answer *a;
	u32 i, n;

	for (i = 0; i < 3 * ARRAY_SIZE(wrong); i++) {
		n = i / ARRAY_SIZE(wrong);
		a = answered(test, &c);
		xprt_rdma_dispatch(a->recv, a->len, false, 0);
		KUNIT_ASSERT_EQ(test, outcome.reads, 1);
		read.recv = a->recv;
		read.req = a->req;
		read.layout = outcome.args.layout;
		put_read_counts(a, &c);
		put_unaligned_be32(c.reads[n].length +
				   wrong[i % ARRAY_SIZE(wrong)],
				   a->head + c.reads[n].position - 4);
		outcome.args.complete(&read, 0);
		/* The bytes in the chunk may include roundup. */
		KUNIT_EXPECT_EQ_MSG(test, outcome.result,
				    !wrong[i % ARRAY_SIZE(wrong)] ||
				    (i == 1 || i == 11) ? ROOM : -EBADMSG,
				    "case %u", i);
	}

	a = answered(test, &cut);
	xprt_rdma_dispatch(a->recv, a->len, false, 0);
	KUNIT_ASSERT_EQ(test, outcome.reads, 1);
	read.recv = a->recv;
	read.req = a->req;
	read.layout = outcome.args.layout;
	outcome.args.complete(&read, 0);
	KUNIT_EXPECT_EQ(test, outcome.result, ROOM);
}

/*
 * Reliable-reply draft section 4.1.3: a reply in Read chunks for which no call
 * waits is declined.
 */
static void unexpected_reply_declined(struct kunit *test)
{
	static const struct read_case long_reply = {
		.version = 1, .wtype = BY_READ, .reads = { { 0, 500 } },
		.nreads = 1,
	}, nonsense = {
		.version = 1, .wtype = BY_READ, .reads = { { 8, 500 }, { 4, 1 } },
		.nreads = 2,
	}, short_reply = {
		.version = 1, .base = 100,
	};
	static const struct {
		const struct read_case *c;
		u32 cut, want;
	} cases[] = {
		{ &long_reply, 0, 1 },
		{ &nonsense, 0, 1 },
		{ &long_reply, 4, 0 },
		{ &short_reply, 0, 0 },
	};
	struct answer *a;
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		/* Arrange: an unknown XID, or a second reply */
		a = answered(test, cases[i / 2].c);
		if (i % 2) {
			a->req->recv = a->recv;
			a->req->unanswered = false;
		} else {
			outcome.waits = NULL;
		}

		/* Act */
		xprt_rdma_dispatch(a->recv, a->len - cases[i / 2].cut, false,
				   0);

		/* Assert */
		KUNIT_EXPECT_EQ_MSG(test, outcome.declines, cases[i / 2].want,
				    "case %u", i);
		KUNIT_EXPECT_EQ(test, outcome.reads, 0);
		KUNIT_EXPECT_EQ(test, outcome.completions, 0);
		KUNIT_EXPECT_EQ(test, outcome.pins, 0);
		KUNIT_EXPECT_EQ(test, outcome.puts, 1);
		KUNIT_EXPECT_EQ(test, outcome.lost, 0);
	}
}

/* RFC 5666 section 3.3: the reply to an abandoned call grants credits, too. */
static void grant_of_abandoned_call(struct kunit *test)
{
	static const struct read_case reply = { .version = 1, .base = 100 };
	struct answer *a = answered(test, &reply);

	/* Act and assert: a call that waits is answered */
	fake_grant = 0;
	xprt_rdma_dispatch(a->recv, a->len, false, 0);
	KUNIT_EXPECT_NE(test, fake_grant, 0);
	KUNIT_EXPECT_FALSE(test, a->req->unanswered);

	/* Act and assert: an unknown XID; then, an abandoned call */
	outcome.waits = NULL;
	fake_grant = 0;
	xprt_rdma_dispatch(a->recv, a->len, false, 0);
	KUNIT_EXPECT_EQ(test, fake_grant, 0);
	fake_abandoned = true;
	xprt_rdma_dispatch(a->recv, a->len, false, 0);
	fake_abandoned = false;
	KUNIT_EXPECT_NE(test, fake_grant, 0);
	KUNIT_EXPECT_EQ(test, outcome.completions, 1);
}

/*
 * v2 draft section 10.1: a message of another version is ignored altogether,
 * even its XID.
 */
static void other_version_ignored(struct kunit *test)
{
	static const struct read_case inline_reply = { .base = 100 }, read = {
		.reads = { { 0, 500 } }, .nreads = 1,
	};
	struct read_case c;
	struct answer *a;
	u32 i;
	u64 n;

	for (i = 0; i < 4; i++) {
		/* Arrange */
		c = i & 1 ? read : inline_reply;
		c.version = i & 2 ? 2 : 1;
		a = answered(test, &c);
		put_unaligned_be32(3 - c.version, a->msg + 4);
		fake_version = c.version;
		fake_abandoned = true;
		fake_grant = 0;
		n = fake_count(replies_bad_version);

		/* Act */
		xprt_rdma_dispatch(a->recv, a->len, false, 0);
		fake_version = 0;
		fake_abandoned = false;

		/* Assert: the call still waits */
		KUNIT_EXPECT_EQ(test, fake_count(replies_bad_version) - n, 1);
		KUNIT_EXPECT_EQ(test, outcome.completions, 0);
		KUNIT_EXPECT_EQ(test, outcome.pins, 0);
		KUNIT_EXPECT_EQ(test, outcome.declines, 0);
		KUNIT_EXPECT_EQ(test, outcome.puts, 1);
		KUNIT_EXPECT_EQ(test, outcome.lost, 0);
		KUNIT_EXPECT_TRUE(test, a->req->unanswered);
		KUNIT_EXPECT_EQ(test, fake_grant, 0);
	}
}

/*
 * A truncated reply fails its call; one that invalidates a foreign handle ends
 * the connection.
 */
static void truncated_reply_fails_call(struct kunit *test)
{
	static const struct read_case reply = { .version = 2, .base = 100 };
	struct answer *a = answered(test, &reply);
	u64 n = fake_count(replies_short);

	/* The chunk lists are cut off */
	xprt_rdma_dispatch(a->recv, RPCRDMA2_PREFIX_SIZE + 4, false, 0);
	KUNIT_EXPECT_EQ(test, fake_count(replies_short) - n, 1);
	KUNIT_EXPECT_EQ(test, outcome.result, RPCRDMA_ESHORT);
	KUNIT_EXPECT_EQ(test, outcome.completions, 1);
	KUNIT_EXPECT_EQ(test, outcome.lost, 0);

	/* RFC 8166 section 3.4.3: a handle that is not the call's */
	a = answered(test, &reply);
	fake_not_ours = true;
	xprt_rdma_dispatch(a->recv, a->len, true, 0x1234);
	fake_not_ours = false;
	KUNIT_EXPECT_EQ(test, outcome.lost, 1);
	KUNIT_EXPECT_EQ(test, outcome.completions, 1);
}

/* v2 draft section 7: until the version is agreed on, no reply is accepted. */
static void no_reply_before_version(struct kunit *test)
{
	static const struct read_case reply = { .version = 2, .base = 100 };
	static const int outcomes[] = { 0, -EPROTONOSUPPORT, -EAGAIN };
	enum xprt_rdma_state state;
	struct answer *a;
	u64 n;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(outcomes); i++) {
		/* Arrange */
		a = answered(test, &reply);
		fake_set_version(a->recv->conn, 0);
		outcome.offer_rc = outcomes[i];
		fake_grant = 0;
		n = fake_count(replies);

		/* Act */
		xprt_rdma_dispatch(a->recv, a->len, false, 0);

		/* Assert: anything but an answer to the offer is dropped */
		KUNIT_EXPECT_EQ(test, outcome.negotiated, outcomes[i] != -EAGAIN);
		if (outcome.negotiated) {
			state = outcomes[i] ? XPRT_RDMA_FAILED :
					      XPRT_RDMA_CONNECTED;
			KUNIT_EXPECT_EQ(test, outcome.version_rc, outcomes[i]);
			KUNIT_EXPECT_EQ(test, outcome.state, state);
		}
		KUNIT_EXPECT_EQ(test, outcome.puts, 1);
		KUNIT_EXPECT_EQ(test, outcome.completions, 0);
		KUNIT_EXPECT_EQ(test, fake_count(replies), n);
		KUNIT_EXPECT_EQ(test, fake_grant, 0);
	}
}

/* RFC 5666 section 6: version 1 may be followed by an exchange of limits. */
static void conf_after_version(struct kunit *test)
{
	static const struct read_case reply = { .version = 2, .base = 100 };
	struct answer *a = answered(test, &reply);

	fake_set_version(a->recv->conn, 0);
	outcome.configures = true;
	xprt_rdma_dispatch(a->recv, a->len, false, 0);
	KUNIT_EXPECT_EQ(test, outcome.negotiated, 1);
	KUNIT_EXPECT_EQ(test, outcome.state, XPRT_RDMA_CONFIGURING);
}

/* RFC 5666 section 6.1: until CONF_RDMA is answered, no reply is accepted. */
static void no_reply_before_conf(struct kunit *test)
{
	static const struct read_case reply = { .version = 1, .base = 100 };
	struct answer *a;
	u64 ignored;
	u32 i;

	for (i = 0; i < 2; i++) {
		/* Arrange */
		a = answered(test, &reply);
		a->recv->conn->life.state = XPRT_RDMA_CONFIGURING;
		a->recv->conn->conf.ops = &fake_conf_ops;
		outcome.conf_answered = i;
		ignored = fake_count(messages_ignored);

		/* Act */
		xprt_rdma_dispatch(a->recv, a->len, false, 0);

		/* Assert */
		KUNIT_EXPECT_EQ(test, outcome.conf_messages, 1);
		KUNIT_EXPECT_EQ(test, outcome.negotiated, i);
		if (i)
			KUNIT_EXPECT_EQ(test, outcome.state,
					XPRT_RDMA_CONNECTED);
		KUNIT_EXPECT_EQ(test, fake_count(messages_ignored) - ignored,
				!i);
		KUNIT_EXPECT_EQ(test, outcome.puts, 1);
		KUNIT_EXPECT_EQ(test, outcome.completions, 0);
	}

	/* Afterwards they are, also while the connection is failing. */
	for (i = XPRT_RDMA_CONNECTED; i <= XPRT_RDMA_FAILED; i++) {
		a = answered(test, &reply);
		a->recv->conn->life.state = i;
		xprt_rdma_dispatch(a->recv, a->len, false, 0);
		KUNIT_EXPECT_EQ(test, outcome.conf_messages, 0);
		KUNIT_EXPECT_EQ(test, outcome.negotiated, 0);
		KUNIT_EXPECT_EQ(test, outcome.completions, 1);
	}
}

/* Calls of the reverse direction are passed on. */
static void calls_passed_on(struct kunit *test)
{
	static const struct read_case call = { .version = 2, .base = 100 };
	struct answer *a = answered(test, &call);

	outcome.is_call = true;
	fake_grant = 0;
	xprt_rdma_dispatch(a->recv, a->len, false, 0);
	KUNIT_EXPECT_EQ(test, outcome.calls, 1);
	KUNIT_EXPECT_EQ(test, outcome.puts, 0);
	KUNIT_EXPECT_EQ(test, outcome.completions, 0);
	KUNIT_EXPECT_EQ(test, outcome.pins, 0);
	KUNIT_EXPECT_EQ(test, fake_grant, 0);
	KUNIT_EXPECT_EQ(test, a->req->r_xprt->stats.bad_reply_count, 0);
}

/*
 * A reply without registered memory, or whose memory the peer has invalidated,
 * completes its call at once; any other waits for invalidation. As the server
 * has answered, a lost connection would be made again at once.
 */
static void completes_after_invalidation(struct kunit *test)
{
	static const struct read_case reply = { .version = 2, .base = 100 };
	struct list_head mr;
	struct answer *a;
	u32 i;

	for (i = 0; i < 4; i++) {
		/* Arrange: a region is left; a handle was invalidated */
		bool left = i & 1;

		a = answered(test, &reply);
		a->req->r_xprt->backoff = HZ;
		if (left)
			list_add(&mr, &a->req->mrs);

		/* Act */
		xprt_rdma_dispatch(a->recv, a->len, i & 2, 0x1234);

		/* Assert */
		KUNIT_EXPECT_EQ(test, outcome.invalidations, left);
		KUNIT_EXPECT_EQ(test, outcome.completions, !left);
		KUNIT_EXPECT_EQ(test, outcome.puts, !left);
		KUNIT_EXPECT_EQ(test, outcome.pins, left);
		KUNIT_EXPECT_EQ(test, outcome.lost, 0);
		KUNIT_EXPECT_PTR_EQ(test, a->req->recv, left ? a->recv : NULL);
		KUNIT_EXPECT_EQ(test, a->req->r_xprt->backoff, 0);
		KUNIT_EXPECT_TRUE(test, a->recv->conn->life.answered);
		if (left)
			continue;
		KUNIT_EXPECT_EQ(test, outcome.result, 100);
		KUNIT_EXPECT_EQ(test, outcome.len, 100);
		KUNIT_EXPECT_EQ(test, outcome.learned, 0);
		KUNIT_EXPECT_EQ(test, a->req->r_xprt->stats.bad_reply_count, 0);
	}
}

/* A refused call is sent again, or fails. */
static void refused_call_sent_again(struct kunit *test)
{
	static const struct read_case reply = { .version = 1, .base = 100 };
	static const int outcomes[] = { -EREMOTEIO, -EAGAIN };
	struct xprt_rdma *r_xprt;
	struct answer *a;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(outcomes); i++) {
		/* Arrange */
		a = answered(test, &reply);
		r_xprt = a->req->r_xprt;
		begin(a, RPCRDMA_ERROR);
		rpcrdma_encode_err_chunk(&a->enc);
		a->len = rpcrdma_encode_finish(&a->enc);
		outcome.error_rc = outcomes[i];

		/* Act */
		xprt_rdma_dispatch(a->recv, a->len, false, 0);

		/* Assert */
		KUNIT_EXPECT_EQ(test, outcome.puts, 1);
		KUNIT_EXPECT_EQ(test, outcome.completions, 1);
		KUNIT_EXPECT_EQ(test, outcome.pins, 0);
		KUNIT_EXPECT_NULL(test, a->req->recv);
		/* Too short for a reply, so sunrpc sends the call again */
		KUNIT_EXPECT_EQ(test, outcome.len, RPCRDMA_XDR_UNIT);
		KUNIT_EXPECT_EQ(test, i ? 2 : 0,
				(u32)a->req->rqst.rq_task->tk_garb_retry);
		KUNIT_EXPECT_EQ(test, r_xprt->stats.bad_reply_count, !i);
	}
}

/* Whether a reply would have fitted inline is learned, to the word. */
static void length_learned_to_the_word(struct kunit *test)
{
	struct read_case reply = { .version = 1, .wtype = LONG };
	struct answer *a;
	u32 i;

	for (i = 0; i < 2; i++) {
		reply.base = 1024 - RPCRDMA_V1_MIN_SIZE + 4 * i;
		a = answered(test, &reply);
		xprt_rdma_dispatch(a->recv, a->len, false, 0);
		KUNIT_EXPECT_EQ(test, outcome.learned, 1);
		KUNIT_EXPECT_EQ(test, outcome.is_long, i);
	}
}

static struct kunit_case xprt_reply_read_cases[] = {
	KUNIT_CASE_PARAM(read_or_not, read_case_gen_params),
	KUNIT_CASE(failed_start_ends_connection),
	KUNIT_CASE(payload_follows_short_head),
	KUNIT_CASE(wrong_payload_length_refused),
	KUNIT_CASE(wrong_read_count_refused),
	KUNIT_CASE(unexpected_reply_declined),
	KUNIT_CASE(grant_of_abandoned_call),
	KUNIT_CASE(other_version_ignored),
	KUNIT_CASE(truncated_reply_fails_call),
	KUNIT_CASE(no_reply_before_version),
	KUNIT_CASE(conf_after_version),
	KUNIT_CASE(no_reply_before_conf),
	KUNIT_CASE(calls_passed_on),
	KUNIT_CASE(completes_after_invalidation),
	KUNIT_CASE(refused_call_sent_again),
	KUNIT_CASE(length_learned_to_the_word),
	{}
};

static struct kunit_suite xprt_reply_read_suite = {
	.name = "xprt_rdma_reply_read",
	.test_cases = xprt_reply_read_cases,
};

kunit_test_suite(xprt_reply_read_suite);

MODULE_DESCRIPTION("KUnit suite of xprtrdma's matching and reading of replies");
MODULE_LICENSE("GPL");
