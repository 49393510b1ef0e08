// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the choice of chunks changes exactly at its limits: a word, a segment,
 * a gather entry, a missing page. Otherwise, some sizes of reads and writes
 * would fail, while those next to them work.
 */
#include "xprt_marshal_fakes.h"

#define REGION		(DEPTH * (u32)PAGE_SIZE)

/* How a call and its reply are sent with this inline threshold */
static void expect_ways(struct kunit *test, struct marshal_case *c,
			u32 threshold, u32 base, enum xprt_rdma_rtype rtype,
			enum xprt_rdma_wtype wtype)
{
	struct xprt_rdma_req *req;
	struct rpcrdma_hdr hdr;

	c->threshold = threshold;
	req = call_create(test, c);
	req->rqst.rq_snd_buf.page_base = base;
	req->rqst.rq_rcv_buf.page_base = base;
	marshal(test, req, &hdr);
	KUNIT_EXPECT_EQ_MSG(test, req->rtype, rtype, "call, threshold %u",
			    threshold);
	KUNIT_EXPECT_EQ_MSG(test, req->wtype, wtype, "reply, threshold %u",
			    threshold);
}

/*
 * A Write chunk is used if the rest of the reply, and its header, which repeats
 * the chunk, fit inline, to the word. Unaligned pages take one more region.
 */
static void write_chunk_if_rest_fits(struct kunit *test)
{
	static const struct { u32 base, rpages, segs; } cases[] = {
		{ 0, REGION, 1 }, { 4, REGION, 2 }, { 0, REGION - 3, 2 },
		{ PAGE_SIZE, REGION, 1 }, { 4, REGION - 4, 1 },
	};
	struct marshal_case c = {
		.head = 40, .rhead = REPLY_HEAD, .rpayload = true,
	};
	u32 i, fits;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		c.rpages = cases[i].rpages;
		fits = RPCRDMA_V1_MIN_SIZE + 2 * RPCRDMA_XDR_UNIT +
		       cases[i].segs * RPCRDMA_SEGMENT_SIZE + REPLY_HEAD;
		expect_ways(test, &c, fits, cases[i].base,
			    XPRT_RDMA_CALL_INLINE, XPRT_RDMA_REPLY_WRITE);
		expect_ways(test, &c, fits - 4, cases[i].base,
			    XPRT_RDMA_CALL_INLINE, XPRT_RDMA_REPLY_LONG);
	}
}

/* A Read chunk is used if the rest of the call fits inline, to the word. */
static void read_chunk_if_rest_fits(struct kunit *test)
{
	static const struct { u32 base, pages, segs; } cases[] = {
		{ 0, REGION, 1 }, { 4, REGION, 2 }, { 0, REGION + 4, 2 },
		{ PAGE_SIZE, REGION, 1 }, { 4, REGION - 4, 1 },
	};
	struct marshal_case c = {
		.head = HEAD, .tail = 40, .rhead = REPLY_HEAD, .payload = true,
	};
	u32 i, fits;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		c.pages = cases[i].pages;
		fits = RPCRDMA_V1_MIN_SIZE +
		       cases[i].segs * RPCRDMA_READ_SEGMENT_SIZE + HEAD + 40;
		expect_ways(test, &c, fits, cases[i].base, XPRT_RDMA_CALL_DDP,
			    XPRT_RDMA_REPLY_INLINE);
		expect_ways(test, &c, fits - 4, cases[i].base,
			    XPRT_RDMA_CALL_LONG_DDP, XPRT_RDMA_REPLY_INLINE);
	}
}

/* The chunks for the reply count, as part of the call's header. */
static void reply_chunks_counted_in_header(struct kunit *test)
{
	struct marshal_case readdir = {
		.head = 4096 - RPCRDMA_V1_MIN_SIZE - RPCRDMA_XDR_UNIT -
			3 * RPCRDMA_SEGMENT_SIZE,
		.rpages = REGION, .rhead = REPLY_HEAD,
	}, read = {
		.head = 4096 - RPCRDMA_V1_MIN_SIZE - 2 * RPCRDMA_XDR_UNIT -
			RPCRDMA_SEGMENT_SIZE,
		.rpages = REGION, .rhead = REPLY_HEAD, .rpayload = true,
	};

	expect_ways(test, &readdir, 4096, 0, XPRT_RDMA_CALL_INLINE,
		    XPRT_RDMA_REPLY_LONG);
	readdir.head += 4;
	expect_ways(test, &readdir, 4096, 0, XPRT_RDMA_CALL_LONG,
		    XPRT_RDMA_REPLY_LONG);
	expect_ways(test, &read, 4096, 0, XPRT_RDMA_CALL_INLINE,
		    XPRT_RDMA_REPLY_WRITE);
	read.head += 4;
	expect_ways(test, &read, 4096, 0, XPRT_RDMA_CALL_LONG,
		    XPRT_RDMA_REPLY_WRITE);
}

/* A call that can be neither copied nor gathered is sent in chunks. */
static void chunks_if_not_gathered(struct kunit *test)
{
	struct marshal_case c = {
		.head = HEAD, .pages = XPRT_RDMA_PULLUP, .rhead = REPLY_HEAD,
	};
	u32 i;

	for (i = 0; i < 8; i++) {
		enum xprt_rdma_rtype want = XPRT_RDMA_CALL_INLINE;

		fake_misfits[0] = i & 1;
		fake_misfits[1] = i & 2;
		c.payload = i & 4;
		if ((i & 5) == 1)
			want = XPRT_RDMA_CALL_LONG;
		else if ((i & 7) == 7)
			want = XPRT_RDMA_CALL_LONG_DDP;
		else if ((i & 5) == 5)
			want = XPRT_RDMA_CALL_DDP;
		expect_ways(test, &c, 2 * XPRT_RDMA_PULLUP, 0, want,
			    XPRT_RDMA_REPLY_INLINE);
	}
	fake_misfits[0] = false;
	fake_misfits[1] = false;
}

/*
 * v2 draft section 4.2.1: a header is no longer than the peer's Receives, whose
 * size it may choose freely: 28 bytes, a Read segment of 24, a Reply chunk of 36.
 */
static void header_fits_receives(struct kunit *test)
{
	struct marshal_case c = {
		.head = HEAD, .rpages = REGION, .rhead = REPLY_HEAD,
	};
	struct xprt_rdma_req *req;
	struct rpcrdma_hdr hdr;

	c.threshold = 88;
	req = call_create(test, &c);
	marshal(test, req, &hdr);
	KUNIT_EXPECT_EQ(test, fake_hdrlen, 88);
	c.threshold = 84;
	req = call_create(test, &c);
	KUNIT_EXPECT_EQ(test, -EMSGSIZE,
			xprt_rdma_marshal(req->r_xprt->conn, req));
	KUNIT_EXPECT_TRUE(test, list_empty(&req->mrs));
}

/* The extra room after the buffer is no more than one region covers. */
static void extra_room_in_one_region(struct kunit *test)
{
	const struct marshal_case c = { CALL(4096), .rpages = 4096, .getxattr = true };
	struct xprt_rdma_req *req = call_create(test, &c);
	struct rpcrdma_hdr hdr;

	req->r_xprt->conn->mrs.depth = 4;
	marshal(test, req, &hdr);
	KUNIT_EXPECT_EQ(test, hdr.reply.bytes,
			REPLY_HEAD + 4096 + 4 * PAGE_SIZE);
}

/* The segment of the extra room counts, as part of the call's header. */
static void extra_room_counted_in_header(struct kunit *test)
{
	struct marshal_case c = {
		.threshold = 4096, .rpages = REGION, .rhead = REPLY_HEAD,
		.head = 4096 - RPCRDMA_V1_MIN_SIZE - RPCRDMA_XDR_UNIT -
			4 * RPCRDMA_SEGMENT_SIZE,
		.getxattr = true,
	};
	struct xprt_rdma_req *req;
	struct rpcrdma_hdr hdr;
	u32 i;

	for (i = 0; i < 2; i++, c.head += 4) {
		req = call_create(test, &c);
		marshal(test, req, &hdr);
		KUNIT_EXPECT_EQ(test, req->rtype, i ? XPRT_RDMA_CALL_LONG :
						      XPRT_RDMA_CALL_INLINE);
		KUNIT_EXPECT_EQ(test, hdr.reply.segments, 3);
	}
}

/*
 * A chunk for a reply has regions for all of its parts, or the call waits for
 * regions. A part that is empty has no region.
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
			KUNIT_EXPECT_EQ_MSG(test, have < need ? MR_WAIT : 0,
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

/* Each region is in the right list, at the right position. */
static void regions_in_their_lists(struct kunit *test)
{
	const struct marshal_case c = {
		.threshold = 1024, .head = 2000, .pages = 2 * REGION,
		.tail = 12, .payload = true, .rpages = REGION,
		.rhead = REPLY_HEAD, .rpayload = true,
	};
	static const struct { u32 position, length; } want[] = {
		{ 0, 2000 }, { 0, 12 }, { 2000, REGION }, { 2000, REGION },
	};
	struct xprt_rdma_req *req = call_create(test, &c);
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;
	struct rpcrdma_hdr hdr;
	u32 i = 0;

	marshal(test, req, &hdr);
	rpcrdma_reads_begin(&hdr, &cur);
	for (; rpcrdma_reads_next(&cur, &rseg); i++) {
		KUNIT_ASSERT_LT(test, i, ARRAY_SIZE(want));
		KUNIT_EXPECT_EQ(test, rseg.position, want[i].position);
		KUNIT_EXPECT_EQ(test, rseg.seg.length, want[i].length);
	}
	KUNIT_EXPECT_EQ(test, i, ARRAY_SIZE(want));
	KUNIT_EXPECT_EQ(test, hdr.writes.bytes, REGION);
	KUNIT_ASSERT_EQ(test, req->nr_offered, 1);
	KUNIT_EXPECT_EQ(test, req->offered[0], REGION);
}

/* Pages that NFS leaves to the transport are allocated, the others are used. */
static void missing_pages_allocated(struct kunit *test)
{
	const struct marshal_case c = { CALL(1024), .rpages = 2 * PAGE_SIZE };
	struct page *own = fake_pages(test, 1)[0], *pages[6];
	struct xprt_rdma_req *req;
	u32 i, left;
	int rc;

	for (left = 0; left < 3; left++) {
		/* Arrange: of the three pages used, the middle one exists */
		memset(pages, 0, sizeof(pages));
		pages[2] = own;
		req = call_create(test, &c);
		req->rqst.rq_rcv_buf.flags = XDRBUF_SPARSE_PAGES;
		req->rqst.rq_rcv_buf.pages = pages;
		req->rqst.rq_rcv_buf.page_base = PAGE_SIZE + 100;
		fake_pages_left = left;

		/* Act */
		rc = xprt_rdma_marshal(req->r_xprt->conn, req);
		fake_pages_left = -1;

		/* Assert */
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
/* A WRITE, and where its data begins */
struct padding_case {
	const char *name;	/* what is special about it */
	u32 align;		/* alignment that the peer recommends */
	u32 allowed;		/* largest alignment that the administrator allows */
	u32 head;		/* bytes of the call before its data */
	u32 pages;		/* bytes of data */
	u32 tail;		/* bytes after it */
	u32 threshold;		/* inline threshold */
	u32 rhead;		/* bytes of the reply's buffer */
	u32 proc;		/* procedure of NFSv3 */
	bool protect;		/* RPCSEC_GSS integrity or privacy */
	u32 data_at;		/* bytes before the data, 0 if the call is not padded */
};

#define PAD_WRITE	4096, REPLY_HEAD, NFS3PROC_WRITE

static const struct padding_case padding_cases[] = {
	{ "a WRITE", 512, 512, HEAD, 2048, 0, PAD_WRITE, .data_at = 512 },
	{ "with roundup", 512, 512, HEAD, 2045, 3, PAD_WRITE, .data_at = 512 },
	{ "larger alignment allowed", 256, 1024, HEAD, 2048, 0, PAD_WRITE, .data_at = 256 },
	{ "no padding needed", 512, 512, 512 - 36, 2048, 0, PAD_WRITE, .data_at = 512 },
	{ "a word longer", 512, 512, 512 - 32, 2048, 0, PAD_WRITE, .data_at = 1024 },
	{ "longest head", 8, 512, 1560 - 36, 2045, 3, 65536, REPLY_HEAD,
	  NFS3PROC_WRITE, .data_at = 1560 },
	{ "a word longer than that", 8, 512, 1564 - 36, 2045, 3, 65536,
	  REPLY_HEAD, NFS3PROC_WRITE },
	{ "just above the threshold", 512, 512, HEAD, 513, 3, PAD_WRITE, .data_at = 512 },
	{ "threshold", 512, 512, HEAD, 512, 0, PAD_WRITE },
	{ "as long as the inline threshold", 512, 512, HEAD, 4096 - 512, 0,
	  PAD_WRITE, .data_at = 512 },
	{ "inline only without padding", 512, 512, HEAD, 4096 - 511, 3, PAD_WRITE },
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
 * RFC 5666 sections 3.9 and 6.2: the data of a WRITE is padded if the peer
 * recommends it, the administrator allows it, and the call still fits inline.
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
	u64 padded = fake_count(calls_padded);
	struct rpcrdma_hdr hdr;
	int ret;

	/* Arrange */
	proc->p_proc = c->proc;
	fake_padding = c->allowed;
	conn->peer.align = c->align;
	req->data_at = 4711;

	/* Act */
	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_marshal(conn, req));

	/* Assert */
	KUNIT_EXPECT_EQ(test, req->data_at, c->data_at);
	KUNIT_EXPECT_EQ(test, fake_count(calls_padded) - padded, !!c->data_at);
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
	KUNIT_EXPECT_LE(test, c->data_at + c->pages + c->tail, c->threshold);
}
#endif

static struct kunit_case xprt_marshal_limits_cases[] = {
	KUNIT_CASE(write_chunk_if_rest_fits),
	KUNIT_CASE(read_chunk_if_rest_fits),
	KUNIT_CASE(reply_chunks_counted_in_header),
	KUNIT_CASE(chunks_if_not_gathered),
	KUNIT_CASE(header_fits_receives),
	KUNIT_CASE(extra_room_in_one_region),
	KUNIT_CASE(extra_room_counted_in_header),
	KUNIT_CASE(reply_has_all_regions),
	KUNIT_CASE(regions_in_their_lists),
	KUNIT_CASE(missing_pages_allocated),
#ifdef RPCRDMA_EXT_MSGP
	KUNIT_CASE_PARAM(data_padded, padding_case_gen_params),
#endif
	{}
};

SUITE("xprt_rdma_marshal_limits", xprt_marshal_limits_cases);
