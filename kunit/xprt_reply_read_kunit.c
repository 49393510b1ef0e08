// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a reply in Read chunks is fetched, or declined so that the server can
 * release its memory (RFC 5666 section 3.8, reliable-reply draft section 4.1).
 * If this failed, calls would hang or get wrong data.
 */
#include "xprt_reply_fakes.h"

/* A reply with a Read list, and its expected handling */
struct read_case {
	const char *name;
	bool v1;			/* the connection uses version 1, not 2 */
	bool off;			/* parameter read_replies is 0 */
	bool no_reads;			/* the peer does not accept Reads */
	enum xprt_rdma_wtype wtype;	/* how the call asked for its reply */
	u32 base;			/* bytes inline; 0: RDMA_NOMSG */
	struct read_entry reads[3];	/* the Read list */
	u32 nreads;			/* entries in the Read list */
	u32 written;			/* bytes in the Write chunk */
	bool unused;			/* the reply has an empty Write chunk and Reply chunk */
	u32 reply;			/* bytes in the Reply chunk */
	int want;			/* length of the reply; 0 if it is declined */
};

#define LONG		XPRT_RDMA_REPLY_LONG
#define PAYLOAD		XPRT_RDMA_REPLY_WRITE
#define BY_READ		XPRT_RDMA_REPLY_READ

static const struct read_case read_cases[] = {
	/* RFC 5666 section 3.4; reliable-reply draft section 4.1 */
	{ "v1", .v1 = true, .wtype = BY_READ, LIST({ 0, 500 }), .want = 500 },
	{ "v1: not with version 2", .v1 = true, .off = true, LIST({ 0, 500 }), .want = 500 },
	{ "v2", .wtype = BY_READ, LIST({ 0, 500 }), .want = 500 },
	{ "v2: not wanted", .off = true, .wtype = BY_READ, LIST({ 0, 500 }) },
	{ "v2: not wanted, nonsense", .off = true, LIST({ 4, 500 }) },
	/* RFC 5666 section 6.2 */
	{ "v1: a peer that has nothing read", .v1 = true, .no_reads = true, .wtype = BY_READ,
	  LIST({ 0, 500 }) },
	{ "v2: a peer that has nothing read", .no_reads = true,
	  .wtype = BY_READ, LIST({ 0, 500 }) },
	{ "three entries", .wtype = BY_READ, LIST({ 0, HEAD }, { 0, 4001 }, { 0, 7 }),
	  .want = HEAD + 4008 },
	{ "fills the buffer", .wtype = BY_READ, LIST({ 0, ROOM }), .want = ROOM },
	{ "Reply chunk not used", .wtype = LONG, LIST({ 0, 500 }), .unused = true, .want = 500 },
	{ "Read chunk in the middle", .base = 100, LIST({ 40, 1001 }), .want = 100 + 1004 },
	{ "not in order", LIST({ 8, 40 }, { 0, 40 }), .want = 80 },
	{ "long, and a Read chunk", LIST({ 0, 200 }, { 40, 1001 }), .want = 200 + 1004 },
	{ "payload in the Write chunk", .wtype = PAYLOAD, LIST({ 0, HEAD + 40 }), .written = 1001,
	  .want = HEAD + 40 + 1004 },
	{ "payload, short head", .wtype = PAYLOAD, LIST({ 0, 80 }), .written = 999,
	  .want = 80 + 1000 },
	/* Contradictions */
	{ "position zero is inline, too", .base = 100, LIST({ 0, 40 }) },
	{ "a Reply chunk", .wtype = LONG, LIST({ 0, 500 }), .reply = 1 },
	{ "Write chunk not offered", .wtype = BY_READ, LIST({ 0, 500 }), .written = 1 },
	{ "Write chunk and Read chunk", .wtype = PAYLOAD, LIST({ 0, 500 }, { 40, 4 }),
	  .written = 400 },
	/* Missing roundup */
	{ "short head that is odd", .wtype = PAYLOAD, LIST({ 0, 81 }), .written = 999,
	  .want = 84 + 1000 },
	{ "odd length", .wtype = BY_READ, LIST({ 0, 501 }), .want = 504 },
	/* Longer than the buffer: truncated */
	{ "one byte too long", .wtype = BY_READ, LIST({ 0, ROOM + 1 }), .want = ROOM },
	{ "too long with the Read chunk", .base = 400, LIST({ 40, ROOM - 396 }), .want = ROOM },
	/* Impossible lengths */
	{ "4 GiB", .wtype = BY_READ, LIST({ 0, 0xffffffff }) },
	{ "more than offered", .wtype = PAYLOAD, LIST({ 0, HEAD }), .written = 4097 },
};

KUNIT_ARRAY_PARAM_DESC(read_case, read_cases, name);

static void lists(struct answer *a, const struct read_case *c)
{
	encode_reads(&a->enc, c->reads, c->nreads);
	if (c->written || c->unused)
		chunk(a, 1, &c->written);
	none(a);
	if (c->reply || c->unused)
		chunk(a, 1, &c->reply);
	else
		none(a);
}

/* Create a waiting call and its reply with a Read list. */
static struct answer *answered(struct kunit *test, const struct read_case *c)
{
	static const u32 offered = 4096;
	struct answer *a = answer_create(test, c->wtype, 1, &offered);
	u32 version = c->v1 ? RPCRDMA_VERSION_1 : RPCRDMA_VERSION_2;

	await(a, version);
	a->recv->conn->peer.no_own_reads = c->no_reads;
	xprt_rdma_read_replies = c->off ? XPRT_RDMA_READ_REPLIES_OFF :
					  XPRT_RDMA_READ_REPLIES_SHORT;
	a->count = c->written;
	begin(a, version, c->base ? RPCRDMA_MSG : RPCRDMA_NOMSG);
	lists(a, c);
	end(test, a, c->base);
	return a;
}

static void expect_declined(struct kunit *test, const struct answer *a)
{
	EXPECT_OUTCOME(test, .declines = 1, .completions = 1, .puts = 1);
	KUNIT_EXPECT_EQ(test, outcome.result, -EBADMSG);
	KUNIT_EXPECT_FALSE(test, a->req->rqst.rq_task->tk_garb_retry);
	KUNIT_EXPECT_NULL(test, a->req->recv);
}

static void expect_read(struct kunit *test, const struct answer *a,
			const struct read_case *c)
{
	EXPECT_OUTCOME(test, .fetches = 1, .pins = 1);
	KUNIT_ASSERT_EQ(test, outcome.fetches, 1);
	KUNIT_EXPECT_PTR_EQ(test, outcome.fetch.req, a->req);
	KUNIT_EXPECT_EQ(test, c->want,
			min_t(u32, rpcrdma_layout_length(&outcome.fetch.layout),
			      ROOM));
	KUNIT_EXPECT_EQ(test, outcome.fetch.layout.end, ROOM);
	KUNIT_EXPECT_PTR_EQ(test, a->req->recv, a->recv);
}

/* Store the length of each Read chunk in the middle in the word before it. */
static void put_read_counts(const struct answer *a, const struct read_case *c)
{
	u32 i;

	for (i = 0; i < c->nreads; i++)
		if (c->reads[i].position)
			put_unaligned_be32(c->reads[i].length,
					   a->head + c->reads[i].position - 4);
}

/*
 * Reliable-reply draft sections 4.1.2 and 4.1.3: a reply that fits its call is
 * read; any other is declined.
 */
static void read_or_not(struct kunit *test)
{
	static const int statuses[] = { 0, -ENOTCONN };
	const struct read_case *c = test->param_value;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(statuses); i++) {
		a = answered(test, c);
		xprt_rdma_dispatch(a->recv, a->len, false, 0);

		expect_pages_intact(test, a);
		if (!c->want) {
			expect_declined(test, a);
			continue;
		}
		expect_read(test, a, c);

		/* Act: the Reads succeed, or end with the connection */
		put_count(a, a->head, outcome.fetch.layout.base.length);
		put_read_counts(a, c);
		outcome.fetch.complete(&outcome.fetch, statuses[i]);

		KUNIT_EXPECT_EQ(test, outcome.pins, 0);
		KUNIT_EXPECT_NULL(test, a->req->recv);
		KUNIT_EXPECT_EQ(test, outcome.completions, !statuses[i]);
		if (outcome.completions)
			KUNIT_EXPECT_EQ(test, outcome.result, c->want);
		KUNIT_EXPECT_EQ(test, a->req->r_xprt->stats.total_rdma_reply,
				statuses[i] ? 0 : c->want);
		KUNIT_EXPECT_EQ(test, outcome.learned, !statuses[i] &&
				(c->wtype == BY_READ || c->wtype == LONG) ?
				c->want : 0);
	}
}

/* Without memory for Reads, the connection ends. */
static void failed_start_ends_connection(struct kunit *test)
{
	static const struct read_case c = { .wtype = BY_READ, LIST({ 0, 500 }) };
	struct answer *a = answered(test, &c);

	outcome.no_fetch = true;
	xprt_rdma_dispatch(a->recv, a->len, false, 0);
	EXPECT_OUTCOME(test, .lost = 1, .puts = 1);
	KUNIT_EXPECT_NULL(test, a->req->recv);
}

/* A payload in the Write chunk follows a head that is shorter than expected. */
static void payload_follows_short_head(struct kunit *test)
{
	static const u32 heads[] = { 4, 80, HEAD - 4, HEAD };
	static const u32 payloads[] = { 1, 39, 41, 999, 4095, 4096 };
	struct read_case c = { .wtype = PAYLOAD, .nreads = 1 };
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

		xprt_rdma_dispatch(a->recv, a->len, false, 0);
		KUNIT_ASSERT_EQ(test, outcome.fetches, 1);
		k = c.reads[0].length;
		put_count(a, a->head, k);
		outcome.fetch.complete(&outcome.fetch, 0);

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

/* RFC 5666 section 3.4: a reply with a wrong payload length is refused. */
static void wrong_payload_length_refused(struct kunit *test)
{
	static const struct read_case c = { .wtype = PAYLOAD, LIST({ 0, 80 }), .written = 999 };
	struct answer *a = answered(test, &c);

	xprt_rdma_dispatch(a->recv, a->len, false, 0);
	KUNIT_ASSERT_EQ(test, outcome.fetches, 1);
	a->count = 996;
	put_count(a, a->head, 80);
	outcome.fetch.complete(&outcome.fetch, 0);
	KUNIT_EXPECT_EQ(test, outcome.result, -EBADMSG);
	KUNIT_EXPECT_EQ(test, outcome.completions, 1);
}

/* A wrong length of any Read chunk within the buffer is refused. */
static void wrong_read_count_refused(struct kunit *test)
{
	static const struct read_case c = {
		.base = 100, LIST({ 40, 22 }, { 72, 17 }, { 96, ROOM }),
	}, cut = {
		.base = ROOM, LIST({ ROOM, 8 }),
	};
	static const s32 wrong[] = { 0, -1, 1, -22, 3 };
	u32 i, n;

	for (i = 0; i < 3 * ARRAY_SIZE(wrong); i++) {
		n = i / ARRAY_SIZE(wrong);
		a = answered(test, &c);
		xprt_rdma_dispatch(a->recv, a->len, false, 0);
		KUNIT_ASSERT_EQ(test, outcome.fetches, 1);
		put_read_counts(a, &c);
		put_unaligned_be32(c.reads[n].length +
				   wrong[i % ARRAY_SIZE(wrong)],
				   a->head + c.reads[n].position - 4);
		outcome.fetch.complete(&outcome.fetch, 0);
		/* The bytes in the chunk may include roundup. */
		KUNIT_EXPECT_EQ_MSG(test, outcome.result,
				    !wrong[i % ARRAY_SIZE(wrong)] ||
				    (i == 1 || i == 11) ? ROOM : -EBADMSG,
				    "case %u", i);
	}

	a = answered(test, &cut);
	xprt_rdma_dispatch(a->recv, a->len, false, 0);
	KUNIT_ASSERT_EQ(test, outcome.fetches, 1);
	outcome.fetch.complete(&outcome.fetch, 0);
	KUNIT_EXPECT_EQ(test, outcome.result, ROOM);
}

/*
 * Reliable-reply draft section 4.1.3: a reply that no call waits for is
 * declined.
 */
static void unexpected_reply_declined(struct kunit *test)
{
	static const struct read_case long_reply = {
		.v1 = true, .wtype = BY_READ, LIST({ 0, 500 }),
	}, nonsense = {
		.v1 = true, .wtype = BY_READ, LIST({ 8, 500 }, { 4, 1 }),
	}, short_reply = {
		.v1 = true, .base = 100,
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

		xprt_rdma_dispatch(a->recv, a->len - cases[i / 2].cut, false,
				   0);

		EXPECT_OUTCOME(test, .declines = cases[i / 2].want, .puts = 1);
	}
}

static struct kunit_case xprt_reply_read_cases[] = {
	KUNIT_CASE_PARAM(read_or_not, read_case_gen_params),
	KUNIT_CASE(failed_start_ends_connection),
	KUNIT_CASE(payload_follows_short_head),
	KUNIT_CASE(wrong_payload_length_refused),
	KUNIT_CASE(wrong_read_count_refused),
	KUNIT_CASE(unexpected_reply_declined),
	{}
};

SUITE("xprt_rdma_reply_read", xprt_reply_read_cases);
