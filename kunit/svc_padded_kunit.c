// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a padded call (RFC 5666 section 3.9) reaches nfsd without its padding,
 * its data in a page of its own if it arrived in one, and every other message
 * that arrives in two buffers is contiguous. If this failed, files would
 * contain padding, or other clients' data.
 */

#define FAKE_DMA_OFFSET		0x1000u

#include "suite.h"
#include "svc_fakes.h"
#include "fake_memory.h"
#include "padded_messages.h"

#define ALIGN_BYTES	512u
#define SIZE		8192u
#define LKEY		0x77u
/* The data begins at byte 156 of the message, plus padding. */
#define SMALL		24, 0, 32

/* What the file under test has done with pages */
static struct adapter {
	u32 synced;	/* bytes of pages synced for the CPU */
	int pages;	/* pages allocated and not put */
	u32 bad;	/* more than one page was allocated at a time */
} adapter;

#define ADDRESS(page)	FAKE_DMA(page_address(page))

static struct page *fake_alloc(gfp_t gfp, unsigned int order)
{
	if (fake_memory_out())
		return NULL;
	adapter.pages++;
	adapter.bad += order;
	return alloc_pages_noprof(gfp, order);
}

#undef alloc_pages_node
#define alloc_pages_node(node, gfp, order)	fake_alloc(gfp, order)
#define put_page(page)				((void)adapter.pages--, (put_page)(page))
#undef ib_dma_sync_single_for_cpu
#define ib_dma_sync_single_for_cpu(dev, addr, len, dir) \
	(fake_dma_use(addr, len, dir), (void)(adapter.synced += (len)))

#include "../svcrdma/ext/msgp.c"

#undef put_page

/* Those of the case: each begins with new ones */
static struct svc_rdma_conn *conn;
static struct padded_message m;	/* the message */
static struct svc_rqst *rqst;	/* the thread that gets it */

/* A call whose data belongs into the page */
static const struct padded_shape usual = { NULL, 512, 512, SMALL, 2048, 356 };

static int connection(struct kunit *test)
{
	m.buf = fake_zalloc(test, PADDED_MAX);
	rqst = fake_rqst(test);
	rqst->rq_pages[0] = fake_page(test);
	memset(&rqst->rq_arg, 0x5a, sizeof(rqst->rq_arg));
	conn = fake_conn(test);
	memset(&adapter, 0, sizeof(adapter));
	fake_memory_left = -1;
	conn->caps.align = ALIGN_BYTES;
	conn->recvs.align = ALIGN_BYTES;
	return 0;
}

static void context_free(void *recv)
{
	svc_rdma_msgp_free(conn, recv);
}

/* A Receive context with one buffer of @size bytes */
static struct svc_rdma_recv_ctx *context(struct kunit *test, u32 size)
{
	struct svc_rdma_recv_ctx *recv = fake_zalloc(test, sizeof(*recv));

	recv->buf = fake_zalloc(test, SIZE);
	recv->sge.addr = (u64)(uintptr_t)recv->buf + 0x1000;
	recv->sge.length = size;
	recv->sge.lkey = LKEY;
	recv->wr.sg_list = &recv->sge;
	recv->wr.num_sge = 1;
	fake_defer(test, context_free, recv);
	return recv;
}

/* The same with two buffers */
static struct svc_rdma_recv_ctx *context_in_two(struct kunit *test, u32 size)
{
	struct svc_rdma_recv_ctx *recv = context(test, size);

	svc_rdma_msgp_receive(conn, recv);
	KUNIT_ASSERT_NOT_NULL(test, recv->padded);
	return recv;
}

/* Scatter a message as the adapter does, and have it looked at. */
static int arrives(struct kunit *test, struct svc_rdma_recv_ctx *recv, u32 len)
{
	const struct ib_sge *sge = recv->wr.sg_list;
	u32 left = len, n, i;
	u8 *to, *msg = m.buf;

	for (i = 0; left; i++) {
		KUNIT_ASSERT_LT(test, i, recv->wr.num_sge);
		n = min(left, sge[i].length);
		to = (u8 *)(uintptr_t)(sge[i].addr - 0x1000);
		memcpy(to, msg, n);
		msg += n;
		left -= n;
	}
	recv->len = len;
	svc_rdma_msgp_receive(conn, recv);
	return rpcrdma_decode(&recv->hdr, recv->buf, len);
}

/* The message is in the first buffer, as if there were no other. */
static bool contiguous(const struct svc_rdma_recv_ctx *recv)
{
	return !memcmp(recv->buf, m.buf, recv->len) &&
	       (!recv->padded || !recv->padded->at);
}

/* A Receive's size and its parts */
static const struct size_case {
	const char *name;
	u32 size;	/* bytes */
	/* Bytes of each scatter entry */
	u32 parts[SVC_RDMA_PADDED_SGES];
} sizes[] = {
	{ "smaller than both buffers", 4096, { 512, 3584 } },
	{ "as large as both buffers", 4608, { 512, 4096 } },
	{ "one byte larger", 4609, { 512, 4096, 1 } },
	{ "much larger", 8192, { 512, 4096, 3584 } },
	{ "one byte larger than the first", 513, { 512, 1 } },
};

KUNIT_ARRAY_PARAM_DESC(size, sizes, name);

/* RFC 5666 section 3.9: the figure. The second buffer is a whole page. */
static void two_buffers(struct kunit *test)
{
	const struct size_case *c = test->param_value;
	struct svc_rdma_recv_ctx *recv = context(test, c->size);
	const struct ib_sge *sge;
	u32 i, n = c->parts[2] ? 3 : 2;

	svc_rdma_msgp_receive(conn, recv);

	sge = recv->wr.sg_list;
	KUNIT_ASSERT_EQ(test, recv->wr.num_sge, n);
	for (i = 0; i < n; i++) {
		KUNIT_EXPECT_EQ(test, sge[i].length, c->parts[i]);
		KUNIT_EXPECT_EQ(test, sge[i].lkey, LKEY);
	}
	KUNIT_EXPECT_EQ(test, sge[0].addr, recv->sge.addr);
	KUNIT_EXPECT_EQ(test, sge[1].addr, ADDRESS(recv->padded->page));
	if (n > 2)
		KUNIT_EXPECT_EQ(test, sge[2].addr, recv->sge.addr + 4608);
	KUNIT_EXPECT_EQ(test, fake_dma.n, 1);
	svc_rdma_msgp_free(conn, recv);
	KUNIT_EXPECT_EQ(test, fake_dma.n, 0);
	KUNIT_EXPECT_EQ(test, adapter.pages, 0);
	KUNIT_EXPECT_EQ(test, adapter.bad, 0);
}

/* Without memory, the Receive has one buffer, and the message is as it was. */
static void out_of_memory(struct kunit *test)
{
	struct svc_rdma_recv_ctx *recv = context(test, 4096);
	int left;

	for (left = 0; left < 3; left++) {
		if (left == 2)
			KUNIT_EXPECT_EQ(test, adapter.pages, 0);
		fake_memory_left = left;
		svc_rdma_msgp_receive(conn, recv);
		KUNIT_EXPECT_NULL(test, recv->padded);
		KUNIT_EXPECT_PTR_EQ(test, recv->wr.sg_list, &recv->sge);
		KUNIT_EXPECT_EQ(test, recv->wr.num_sge, 1);
		KUNIT_EXPECT_EQ(test, adapter.pages, 0);
	}
}

static const struct padded_shape direct_calls[] = {
	{ "a page", 512, 512, SMALL, 4096, 356 },
	{ "least data", 512, 512, SMALL, 513, 356 },
	{ "as long as the threshold", 512, 512, SMALL, 512, 356 },
	{ "smaller alignment that leads there", 256, 512, 152, 0, 64, 2048,
	  196 },
	{ "no padding needed", 512, 512, 376, 0, 36, 2048, 0 },
	{ "threshold of 33", 512, 33, SMALL, 34, 356 },
};

KUNIT_ARRAY_PARAM_DESC(direct, direct_calls, name);

/* The data is at the start of a page, which nfsd gets: no byte is copied. */
static void data_in_its_page(struct kunit *test)
{
	const struct padded_shape *s = test->param_value;
	struct svc_rdma_recv_ctx *recv = context_in_two(test, SIZE);
	struct page *page = recv->padded->page, *other;
	struct xdr_buf *arg = &rqst->rq_arg;
	u32 head;

	other = rqst->rq_pages[0];
	padded_build_call(&m, s);
	head = (m.item + 1) * RPCRDMA_XDR_UNIT;
	KUNIT_ASSERT_EQ(test, head + s->padding, ALIGN_BYTES);

	KUNIT_ASSERT_EQ(test, 0, arrives(test, recv, m.len));
	KUNIT_ASSERT_TRUE(test, svc_rdma_msgp_remove(recv));
	KUNIT_ASSERT_TRUE(test, svc_rdma_msgp_deliver(rqst, conn, recv));

	/* Assert: the call */
	KUNIT_EXPECT_EQ(test, recv->hdr.type, (u32)RPCRDMA_MSG);
	KUNIT_EXPECT_EQ(test, arg->head[0].iov_len, head - PADDED_HEADER);
	KUNIT_EXPECT_MEMEQ(test, arg->head[0].iov_base, m.buf + PADDED_HEADER,
			   head - PADDED_HEADER);
	KUNIT_EXPECT_EQ(test, arg->page_base, 0);
	KUNIT_EXPECT_EQ(test, arg->page_len, rpcrdma_xdr_align(s->length));
	KUNIT_EXPECT_EQ(test, arg->tail[0].iov_len, 0);
	KUNIT_EXPECT_EQ(test, arg->len, arg->head[0].iov_len + arg->page_len);
	KUNIT_EXPECT_EQ(test, arg->buflen, arg->len);

	/* The data, in the page that the adapter has filled */
	KUNIT_EXPECT_PTR_EQ(test, arg->pages, &rqst->rq_pages[0]);
	KUNIT_EXPECT_PTR_EQ(test, rqst->rq_pages[0], page);
	KUNIT_EXPECT_MEMEQ(test, page_address(page),
			   m.buf + ALIGN_BYTES, arg->page_len);
	KUNIT_EXPECT_PTR_EQ(test, rqst->rq_respages,
			    rpcrdma_rqst_reply_pages(rqst, 1));
	KUNIT_EXPECT_EQ(test, fake_count(msgp_calls), 1);

	/* The next Receive uses the thread's page. */
	KUNIT_EXPECT_PTR_EQ(test, recv->padded->page, other);
	KUNIT_EXPECT_EQ(test, recv->wr.sg_list[1].addr, ADDRESS(other));
	KUNIT_EXPECT_EQ(test, fake_dma.n, 1);
	KUNIT_EXPECT_EQ(test, adapter.bad, 0);
	swap(rqst->rq_pages[0], recv->padded->page);
}

/* If the thread's page cannot be mapped, the data is copied into it. */
static void page_not_mapped(struct kunit *test)
{
	struct svc_rdma_recv_ctx *recv = context_in_two(test, 4096);
	struct page *page = recv->padded->page, *other = rqst->rq_pages[0];

	padded_build_call(&m, &usual);
	KUNIT_ASSERT_EQ(test, 0, arrives(test, recv, m.len));
	KUNIT_ASSERT_TRUE(test, svc_rdma_msgp_remove(recv));

	fake_memory_left = 0;
	KUNIT_ASSERT_TRUE(test, svc_rdma_msgp_deliver(rqst, conn, recv));

	KUNIT_EXPECT_PTR_EQ(test, rqst->rq_pages[0], other);
	KUNIT_EXPECT_PTR_EQ(test, recv->padded->page, page);
	KUNIT_EXPECT_EQ(test, recv->wr.sg_list[1].addr, ADDRESS(page));
	KUNIT_EXPECT_MEMEQ(test, page_address(other), m.buf + ALIGN_BYTES,
			   usual.length);
	KUNIT_EXPECT_GE(test, adapter.synced, usual.length);
}

static const struct padded_shape moved_calls[] = {
	{ "another alignment", 1024, 512, SMALL, 2048, 868 },
	{ "data behind the start of the page", 512, 512, 400, 64, 32, 2048,
	  428 },
	{ "longer than the page", 512, 512, SMALL, 4100, 356 },
	{ "smaller alignment", 8, 512, SMALL, 2048, 4 },
	{ "alignment that fits already", 32, 512, 24, 0, 36, 2048, 0 },
	{ "below the threshold", 512, 512, SMALL, 511, 0 },
	{ "in the first buffer", 8, 100, SMALL, 200, 4 },
};

KUNIT_ARRAY_PARAM_DESC(moved, moved_calls, name);

static void check_moved(struct kunit *test, struct svc_rdma_recv_ctx *recv,
			const struct padded_shape *s)
{
	u32 head = (m.item + 1) * RPCRDMA_XDR_UNIT;
	u32 length = rpcrdma_xdr_align(s->length);
	const u8 *call;

	KUNIT_ASSERT_TRUE(test, svc_rdma_msgp_remove(recv));
	KUNIT_EXPECT_EQ(test, recv->hdr.type, (u32)RPCRDMA_MSG);
	call = recv->buf + recv->hdr.payload;
	KUNIT_ASSERT_EQ(test, recv->hdr.len - recv->hdr.payload,
			m.len - PADDED_HEADER - s->padding);
	KUNIT_EXPECT_MEMEQ(test, call, m.buf + PADDED_HEADER,
			   head - PADDED_HEADER);
	KUNIT_EXPECT_MEMEQ(test, call + head - PADDED_HEADER,
			   m.buf + head + s->padding, length);
}

/* What is not exactly in a page is made contiguous, without the padding. */
static void contiguous_calls(struct kunit *test)
{
	const struct padded_shape *s = test->param_value;
	struct svc_rdma_recv_ctx *recv;

	/* Two buffers */
	padded_build_call(&m, s);
	recv = context_in_two(test, SIZE);
	KUNIT_ASSERT_EQ(test, 0, arrives(test, recv, m.len));
	KUNIT_EXPECT_TRUE(test, contiguous(recv));
	check_moved(test, recv, s);
	KUNIT_EXPECT_FALSE(test, svc_rdma_msgp_deliver(rqst, conn, recv));

	/* One buffer: no alignment was recommended */
	recv = context(test, SIZE);
	recv->len = m.len;
	memcpy(recv->buf, m.buf, m.len);
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_decode(&recv->hdr, recv->buf, m.len));
	check_moved(test, recv, s);
}

/* Nothing is looked at before it is in its place, whatever arrives. */
static void hostile_calls(struct kunit *test)
{
	struct svc_rdma_recv_ctx *recv = context_in_two(test, SIZE);
	u32 word, len;

	/* Each word of the call is wrong. */
	for (word = 0; word < ALIGN_BYTES / RPCRDMA_XDR_UNIT; word++) {
		padded_build_call(&m, &usual);
		put_unaligned_be32(~0u, m.buf + word * RPCRDMA_XDR_UNIT);
		memset(recv->buf, 0, SIZE);
		if (!arrives(test, recv, m.len) && recv->padded->at)
			KUNIT_EXPECT_MEMEQ(test, recv->buf, m.buf, ALIGN_BYTES);
		else
			KUNIT_EXPECT_TRUE(test, contiguous(recv));
	}

	/* Each length */
	padded_build_call(&m, &usual);
	for (len = 0; len < m.len; len++) {
		memset(recv->buf, 0, SIZE);
		arrives(test, recv, len);
		KUNIT_EXPECT_TRUE(test, contiguous(recv));
	}
	KUNIT_EXPECT_EQ(test, adapter.bad, 0);
}

/* RFC 5666 section 3.9: no guess, and what follows in a Receive is another message. */
static void not_padded(struct kunit *test)
{
	struct svc_rdma_recv_ctx *recv = context_in_two(test, 4096);

	padded_build_call(&m, &usual);
	KUNIT_ASSERT_EQ(test, 0, arrives(test, recv, m.len));
	KUNIT_EXPECT_NE(test, recv->padded->at, 0);
	KUNIT_ASSERT_EQ(test, 0, arrives(test, recv, 100));
	KUNIT_EXPECT_FALSE(test, svc_rdma_msgp_deliver(rqst, conn, recv));

	/* NFSv3 READ: the call is refused as an RDMA_MSGP. */
	put_unaligned_be32(6, m.buf + 14 * RPCRDMA_XDR_UNIT);
	KUNIT_ASSERT_EQ(test, 0, arrives(test, recv, m.len));
	KUNIT_EXPECT_FALSE(test, svc_rdma_msgp_remove(recv));
	KUNIT_EXPECT_EQ(test, recv->hdr.type, (u32)RPCRDMA_MSGP);
	KUNIT_EXPECT_TRUE(test, contiguous(recv));

	put_unaligned_be32(RPCRDMA_MSG, m.buf + 12);
	arrives(test, recv, m.len);
	KUNIT_EXPECT_TRUE(test, contiguous(recv));
	KUNIT_EXPECT_FALSE(test, svc_rdma_msgp_deliver(rqst, conn, recv));
}

static struct kunit_case padded_cases[] = {
	KUNIT_CASE_PARAM(two_buffers, size_gen_params),
	KUNIT_CASE(out_of_memory),
	KUNIT_CASE_PARAM(data_in_its_page, direct_gen_params),
	KUNIT_CASE(page_not_mapped),
	KUNIT_CASE_PARAM(contiguous_calls, moved_gen_params),
	KUNIT_CASE(hostile_calls),
	KUNIT_CASE(not_padded),
	{}
};

SUITE("svc_rdma_padded", padded_cases, .init = connection);
