// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the choice of chunks changes exactly at its limits: a word, a segment
 * or an SGE too many, or a missing page. Otherwise, reads and writes of some
 * sizes would fail.
 */
#include "xprt_marshal_fakes.h"

#define REGION		(DEPTH * (u32)PAGE_SIZE)

#define HDR_MIN		RPCRDMA_V1_MIN_SIZE
#define WORD		RPCRDMA_XDR_UNIT
#define SEGMENT		RPCRDMA_SEGMENT_SIZE
#define READ_SEGMENT	RPCRDMA_READ_SEGMENT_SIZE

/* How a call and its reply are sent */
struct ways {
	enum xprt_rdma_rtype rtype;
	enum xprt_rdma_wtype wtype;
};

#define CALL_INLINE(reply)	{ XPRT_RDMA_CALL_INLINE, XPRT_RDMA_REPLY_##reply }
#define CALL_DDP(reply)		{ XPRT_RDMA_CALL_DDP, XPRT_RDMA_REPLY_##reply }
#define CALL_LONG(reply)	{ XPRT_RDMA_CALL_LONG, XPRT_RDMA_REPLY_##reply }

static void expect_ways(struct kunit *test, struct xprt_rdma_req *req,
			const struct ways *want)
{
	marshal(test, req);
	KUNIT_EXPECT_EQ(test, req->rtype, want->rtype);
	KUNIT_EXPECT_EQ(test, req->wtype, want->wtype);
}

/* A call, and the inline threshold at which its chunks change */
struct word_case {
	const char *name;	/* what is special about the call */
	struct marshal_case c;	/* the call; the case sets its threshold */
	u32 base;		/* page_base of the call and of its reply */
	u32 fits;		/* bytes; lowest threshold that gives @at */
	struct ways at;		/* expected ways with the threshold @fits */
	struct ways below;	/* expected ways with a threshold that is a word lower */
};

#define RESULT(bytes)	.rhead = REPLY_HEAD, .head = 40, .rpages = (bytes), .rpayload = true
#define WRITTEN_BY(segs)	.fits = HDR_MIN + 2 * WORD + (segs) * SEGMENT + REPLY_HEAD, \
			.at = CALL_INLINE(WRITE), .below = CALL_INLINE(LONG)
#define ARGUMENT(bytes)	.rhead = REPLY_HEAD, .head = HEAD, .pages = (bytes), .payload = true, \
			.tail = 40
#define READ_BY(segs)	.fits = HDR_MIN + (segs) * READ_SEGMENT + HEAD + 40, \
			.at = CALL_DDP(INLINE), .below = CALL_LONG(INLINE)

static const struct word_case word_cases[] = {
	/*
	 * A Write chunk is used if the rest of the reply fits inline with a
	 * header that repeats the chunk. Unaligned pages need one more region.
	 */
	{ "Write chunk", { RESULT(REGION) }, WRITTEN_BY(1) },
	{ "Write chunk, unaligned", { RESULT(REGION) }, .base = 4, WRITTEN_BY(2) },
	{ "Write chunk with roundup", { RESULT(REGION - 3) }, WRITTEN_BY(2) },
	{ "Write chunk, second page", { RESULT(REGION) }, .base = PAGE_SIZE, WRITTEN_BY(1) },
	{ "Write chunk to a region's end", { RESULT(REGION - 4) }, .base = 4, WRITTEN_BY(1) },
	/* A Read chunk is used if the rest of the call fits inline. */
	{ "Read chunk", { ARGUMENT(REGION) }, READ_BY(1) },
	{ "Read chunk, unaligned", { ARGUMENT(REGION) }, .base = 4, READ_BY(2) },
	{ "Read chunk, a word more", { ARGUMENT(REGION + 4) }, READ_BY(2) },
	{ "Read chunk, second page", { ARGUMENT(REGION) }, .base = PAGE_SIZE, READ_BY(1) },
	{ "Read chunk to a region's end", { ARGUMENT(REGION - 4) }, .base = 4, READ_BY(1) },
	/* The chunks for the reply also take space in the call's header. */
	{ "a call and its Reply chunk",
	  { .head = 2000, .rpages = REGION, .rhead = REPLY_HEAD },
	  .fits = HDR_MIN + WORD + 3 * SEGMENT + 2000,
	  .at = CALL_INLINE(LONG), .below = CALL_LONG(LONG) },
	{ "a call and its Write chunk",
	  { .head = 2000, .rpages = REGION, .rhead = REPLY_HEAD, .rpayload = true },
	  .fits = HDR_MIN + 2 * WORD + SEGMENT + 2000,
	  .at = CALL_INLINE(WRITE), .below = CALL_LONG(WRITE) },
	{ "a call and the extra room for its reply",
	  { .head = 2000, .rpages = REGION, .rhead = REPLY_HEAD, .getxattr = true },
	  .fits = HDR_MIN + WORD + 4 * SEGMENT + 2000,
	  .at = CALL_INLINE(LONG), .below = CALL_LONG(LONG) },
};

KUNIT_ARRAY_PARAM_DESC(word_case, word_cases, name);

/* The chunks change if the threshold is a word too low. */
static void chosen_to_the_word(struct kunit *test)
{
	const struct word_case *c = test->param_value;
	struct marshal_case call = c->c;
	struct xprt_rdma_req *req;
	u32 i;

	for (i = 0; i < 2; i++) {
		call.threshold = c->fits - i * WORD;
		req = call_create(test, &call);
		req->rqst.rq_snd_buf.page_base = c->base;
		req->rqst.rq_rcv_buf.page_base = c->base;
		expect_ways(test, req, i ? &c->below : &c->at);
	}
}

/* A call that can be neither copied nor gathered is sent in chunks. */
static void chunks_if_not_gathered(struct kunit *test)
{
	static const struct ways want[] = {
		CALL_INLINE(INLINE), CALL_LONG(INLINE), CALL_INLINE(INLINE),
		CALL_LONG(INLINE), CALL_INLINE(INLINE), CALL_DDP(INLINE),
		CALL_INLINE(INLINE), CALL_LONG(INLINE),
	};
	struct marshal_case c = {
		.head = HEAD, .pages = XPRT_RDMA_PULLUP, .rhead = REPLY_HEAD,
		.threshold = 2 * XPRT_RDMA_PULLUP,
	};
	u32 i;

	/* Gathering fails with page list (1), without (2); payload (4) */
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		fake_misfits[0] = i & 1;
		fake_misfits[1] = i & 2;
		c.payload = i & 4;
		expect_ways(test, call_create(test, &c), &want[i]);
	}
	fake_misfits[0] = false;
	fake_misfits[1] = false;
}

/*
 * v2 draft section 4.2.1: a call fails if its header of 28 bytes, Read segment
 * of 24 and Reply chunk of 36 exceed the server's Receives.
 */
static void header_fits_receives(struct kunit *test)
{
	struct marshal_case c = {
		.head = HEAD, .rpages = REGION, .rhead = REPLY_HEAD,
	};
	struct xprt_rdma_req *req;

	c.threshold = 88;
	req = call_create(test, &c);
	marshal(test, req);
	KUNIT_EXPECT_EQ(test, fake_hdrlen, 88);
	c.threshold = 84;
	req = call_create(test, &c);
	KUNIT_EXPECT_EQ(test, -EMSGSIZE,
			xprt_rdma_marshal(req->r_xprt->conn, req));
	KUNIT_EXPECT_TRUE(test, list_empty(&req->mrs));
}

/*
 * Each nonempty part of a long reply gets its regions. If a region is missing,
 * the call waits and holds no regions.
 */
static void reply_has_all_regions(struct kunit *test)
{
	static const struct { u32 head, pages, tail, payload, want[3]; } cases[] = {
		{ REPLY_HEAD, 2 * REGION, 0, 0, { REPLY_HEAD, REGION, REGION } },
		{ REPLY_HEAD, 2 * REGION, 0, 1, { REGION, REGION } },
		{ REPLY_HEAD, REGION, 40, 0, { REPLY_HEAD, REGION, 40 } },
		{ 9000, 0, 0, 0, { 9000 } },
	};
	struct marshal_case c = { .threshold = 1024, .head = HEAD };
	struct xprt_rdma_req *req;
	u32 have, need, i, k;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		c.rhead = cases[i].head;
		c.rpages = cases[i].pages;
		c.rpayload = cases[i].payload;
		for (need = 0; need < 3 && cases[i].want[need];)
			need++;
		for (have = 0; have <= need; have++) {
			req = call_create(test, &c);
			req->rqst.rq_rcv_buf.tail[0].iov_len = cases[i].tail;
			req->rqst.rq_rcv_buf.buflen += cases[i].tail;
			fake_regions = have;
			KUNIT_EXPECT_EQ_MSG(test, have < need ? -ENOBUFS : 0,
					    xprt_rdma_marshal(req->r_xprt->conn,
							      req),
					    "case %u, %u regions", i, have);
			fake_regions = U32_MAX;
			KUNIT_EXPECT_EQ(test, list_empty(&req->mrs),
					have < need);
		}
		KUNIT_ASSERT_EQ(test, req->nr_offered, need);
		for (k = 0; k < need; k++)
			KUNIT_EXPECT_EQ(test, req->offered[k],
					cases[i].want[k]);
	}
}

/*
 * RFC 5666 section 3.7: only a position-zero Read chunk, which holds the entire
 * call, includes the roundup of a payload.
 */
static void regions_in_their_lists(struct kunit *test)
{
	static const struct read_list { u32 threshold, n, position, lengths[4]; } lists[] = {
		{ 1024, 4, 0, { 2000, REGION, REGION - 3, 3 + 12 } },
		{ 4096, 2, 2000, { REGION, REGION - 3 } },
	};
	struct marshal_case c = {
		.head = 2000, .pages = 2 * REGION - 3, .tail = 3 + 12, .payload = true,
		.rpages = REGION, .rhead = REPLY_HEAD, .rpayload = true,
	};
	const struct read_list *want;
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;
	struct xprt_rdma_req *req;
	u32 i;

	for (want = lists; want < lists + ARRAY_SIZE(lists); want++) {
		c.threshold = want->threshold;
		req = call_create(test, &c);
		marshal(test, req);
		rpcrdma_reads_begin(&hdr, &cur);
		for (i = 0; rpcrdma_reads_next(&cur, &rseg); i++) {
			KUNIT_ASSERT_LT(test, i, want->n);
			KUNIT_EXPECT_EQ(test, rseg.position, want->position);
			KUNIT_EXPECT_EQ(test, rseg.seg.length, want->lengths[i]);
		}
		KUNIT_EXPECT_EQ(test, i, want->n);
		KUNIT_EXPECT_EQ(test, hdr.writes.bytes, REGION);
		KUNIT_ASSERT_EQ(test, req->nr_offered, 1);
		KUNIT_EXPECT_EQ(test, req->offered[0], REGION);
		fake_map_undo(NULL, req);
	}
}

/*
 * In a sparse page list, the transport allocates the missing pages that the
 * reply needs, and uses the others.
 */
static void missing_pages_allocated(struct kunit *test)
{
	const struct marshal_case c = { CALL(1024), .rpages = 2 * PAGE_SIZE };
	struct page *own = fake_pages(test, 1)[0], *pages[6];
	struct xprt_rdma_req *req;
	u32 i, left;
	int rc;

	for (left = 0; left < 3; left++) {
		/* Arrange: only the middle one of three pages exists. */
		memset(pages, 0, sizeof(pages));
		pages[2] = own;
		req = call_create(test, &c);
		req->rqst.rq_rcv_buf.flags = XDRBUF_SPARSE_PAGES;
		req->rqst.rq_rcv_buf.pages = pages;
		req->rqst.rq_rcv_buf.page_base = PAGE_SIZE + 100;
		fake_pages_left = left;

		rc = xprt_rdma_marshal(req->r_xprt->conn, req);
		fake_pages_left = -1;

		KUNIT_EXPECT_EQ(test, rc, left < 2 ? -ENOBUFS : 0);
		KUNIT_EXPECT_EQ(test, list_empty(&req->mrs), left < 2);
		KUNIT_EXPECT_NULL(test, pages[0]);
		KUNIT_EXPECT_EQ(test, !!pages[1], left > 0);
		KUNIT_EXPECT_PTR_EQ(test, pages[2], own);
		KUNIT_EXPECT_EQ(test, !!pages[3], left > 1);
		KUNIT_EXPECT_NULL(test, pages[4]);
		for (i = 0; i < ARRAY_SIZE(pages); i++)
			if (pages[i] && pages[i] != own)
				put_page(pages[i]);
	}
}

#ifdef RPCRDMA_EXT_MSGP
/* A WRITE, and the expected position of its data */
struct padding_case {
	const char *name;	/* what is special about the call */
	u32 align;		/* alignment that the peer recommends */
	u32 allowed;		/* largest alignment that the administrator allows */
	u32 head;		/* bytes of the call before its data */
	u32 pages;		/* bytes of data */
	u32 tail;		/* bytes after the data */
	u32 threshold;		/* inline threshold */
	u32 rhead;		/* bytes of the reply's buffer */
	u32 proc;		/* NFSv3 procedure */
	bool protect;		/* RPCSEC_GSS integrity or privacy */
	u32 data_at;		/* bytes before the data; 0: the call is not padded */
};

#define PAD_WRITE	4096, REPLY_HEAD, NFS3PROC_WRITE

static const struct padding_case padding_cases[] = {
	{ "a WRITE", 512, 512, HEAD, 2048, 0, PAD_WRITE, .data_at = 512 },
	{ "with roundup", 512, 512, HEAD, 2045, 3, PAD_WRITE },
	{ "larger alignment allowed", 256, 1024, HEAD, 2048, 0, PAD_WRITE, .data_at = 256 },
	{ "no padding needed", 512, 512, 512 - 36, 2048, 0, PAD_WRITE, .data_at = 512 },
	{ "a word longer", 512, 512, 512 - 32, 2048, 0, PAD_WRITE, .data_at = 1024 },
	{ "longest head", 8, 512, 1568 - 36, 2048, 0, 65536, REPLY_HEAD,
	  NFS3PROC_WRITE, .data_at = 1568 },
	{ "a word longer than that", 8, 512, 1572 - 36, 2048, 0, 65536,
	  REPLY_HEAD, NFS3PROC_WRITE },
	{ "just above the threshold", 512, 512, HEAD, 516, 0, PAD_WRITE, .data_at = 512 },
	{ "threshold", 512, 512, HEAD, 512, 0, PAD_WRITE },
	{ "as long as the inline threshold", 512, 512, HEAD, 4096 - 512, 0,
	  PAD_WRITE, .data_at = 512 },
	{ "inline only without padding", 512, 512, HEAD, 4096 - 508, 0, PAD_WRITE },
	{ "in a Read chunk", 512, 512, HEAD, 4096, 0, PAD_WRITE },
	{ "not allowed", 512, 0, HEAD, 2048, 0, PAD_WRITE },
	{ "only smaller ones allowed", 512, 256, HEAD, 2048, 0, PAD_WRITE },
	{ "no alignment recommended", 0, 512, HEAD, 2048, 0, PAD_WRITE },
	{ "aligned to 8", 8, 512, HEAD, 2048, 0, PAD_WRITE, .data_at = 200 },
	{ "aligned to 2^31", 1u << 31, 1024, HEAD, 2048, 0, PAD_WRITE },
	{ "arguments after the data", 512, 512, HEAD, 2048, 4, PAD_WRITE },
	{ "reply in a chunk", 512, 512, HEAD, 2048, 0, 4096, 8192, NFS3PROC_WRITE },
	{ "another procedure", 512, 512, HEAD, 2048, 0, 4096, REPLY_HEAD, NFS3PROC_SYMLINK },
	{ "integrity or privacy", 512, 512, HEAD, 2048, 0, PAD_WRITE, .protect = true },
};

KUNIT_ARRAY_PARAM_DESC(padding_case, padding_cases, name);

/*
 * RFC 5666 sections 3.9, 6.2: a WRITE is padded if the server recommends it,
 * the administrator allows it, and the call still fits inline.
 */
static void data_padded(struct kunit *test)
{
	const struct padding_case *c = test->param_value;
	const struct marshal_case call = {
		.threshold = c->threshold, .head = c->head, .pages = c->pages,
		.tail = c->tail, .payload = true, .rhead = c->rhead,
		.protect = c->protect,
	};
	struct xprt_rdma_req *req = call_create(test, &call);
	struct xprt_rdma_conn *conn = req->r_xprt->conn;
	struct rpc_procinfo *proc =
		(void *)req->rqst.rq_task->tk_msg.rpc_proc;
	int ret;

	proc->p_proc = c->proc;
	fake_padding = c->allowed;
	conn->peer.align = c->align;
	req->data_at = 4711;

	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_marshal(conn, req));

	KUNIT_EXPECT_EQ(test, req->data_at, c->data_at);
	ret = rpcrdma_decode(&hdr, req->hdr.data, fake_hdrlen + 4);
	if (!c->data_at) {
		KUNIT_EXPECT_NE(test, hdr.type, (u32)RPCRDMA_MSGP);
		return;
	}
	KUNIT_ASSERT_EQ(test, ret, 0);
	KUNIT_EXPECT_EQ(test, hdr.type, (u32)RPCRDMA_MSGP);
	KUNIT_EXPECT_EQ(test, hdr.align, c->align);
	KUNIT_EXPECT_EQ(test, hdr.thresh, XPRT_RDMA_PAD_THRESH);
	KUNIT_EXPECT_EQ(test, hdr.payload, fake_hdrlen);
	KUNIT_EXPECT_EQ(test, c->data_at % c->align, 0);
	KUNIT_EXPECT_GE(test, c->data_at, fake_hdrlen + c->head);
	KUNIT_EXPECT_LE(test, c->data_at + c->pages, c->threshold);
}
#endif

static struct kunit_case xprt_marshal_limits_cases[] = {
	KUNIT_CASE_PARAM(chosen_to_the_word, word_case_gen_params),
	KUNIT_CASE(chunks_if_not_gathered),
	KUNIT_CASE(header_fits_receives),
	KUNIT_CASE(reply_has_all_regions),
	KUNIT_CASE(regions_in_their_lists),
	KUNIT_CASE(missing_pages_allocated),
#ifdef RPCRDMA_EXT_MSGP
	KUNIT_CASE_PARAM(data_padded, padding_case_gen_params),
#endif
	{}
};

SUITE("xprt_rdma_marshal_limits", xprt_marshal_limits_cases);
