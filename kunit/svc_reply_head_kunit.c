// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: nfsd keeps the page of a reply's head if nothing reads it any more, and
 * only then; the client receives the same bytes either way.
 */
#include <rpcrdma/padding.h>

#include "svc_reply_fakes.h"

/*
 * A reply, what happens to the page of its head, and how many other pages are
 * held. @size: bytes of the Send buffer, if not as many as may be sent
 */
static const struct head_case {
	struct reply_case reply;
	u32 size;
	bool kept;
	u32 held;
} head_cases[] = {
	{ { "copied", 4096, 500, .type = RPCRDMA_MSG }, .kept = true },
	{ { "gathered", 16384, 12000, .type = RPCRDMA_MSG }, .kept = true,
	  .held = MAX_PAGES },
	{ { "room for head and tail", 16384, 12000, .type = RPCRDMA_MSG },
	  RPCRDMA_V1_MIN_SIZE + HEAD + TAIL, true, MAX_PAGES },
	{ { "no room for head and tail", 16384, 12000, .type = RPCRDMA_MSG },
	  RPCRDMA_V1_MIN_SIZE + HEAD + TAIL - 1, false, 1 + MAX_PAGES },
	{ { "Write chunk", 4096, 8192, HEAD, 8192, .write = { 8192 },
	    .type = RPCRDMA_MSG }, .kept = true, .held = MAX_PAGES },
	{ { "Write chunk and a gathered rest", 8192, 12000, HEAD + 2000, 8000,
	    .write = { 8000 }, .type = RPCRDMA_MSG }, .kept = true,
	  .held = MAX_PAGES },
	{ { "head in a Write chunk", 4096, 500, 100, 60, .write = { 60 },
	    .type = RPCRDMA_MSG }, .held = 1 + MAX_PAGES },
	{ { "tail in a Write chunk", 4096, 500, HEAD + 500 + 4, 20,
	    .write = { 20 }, .type = RPCRDMA_MSG }, .held = 1 + MAX_PAGES },
	{ { "Reply chunk", 1024, 8000, .reply = { 9000 },
	    .type = RPCRDMA_NOMSG }, .held = 1 + MAX_PAGES },
};

static void head_desc(const struct head_case *c, char *desc)
{
	strscpy(desc, c->reply.name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(head_case, head_cases, head_desc);

/* Move head and tail to where nfsd has them: in the first page. */
static void use_head_page(struct kunit *test, struct setup *s)
{
	struct svc_rqst *rqstp = s->rqst;
	struct xdr_buf *res = &rqstp->rq_res;

	fake_head_page = fake_page(test);
	memmove(rqstp->rq_pages + 1, rqstp->rq_pages,
		MAX_PAGES * sizeof(rqstp->rq_pages[0]));
	rqstp->rq_pages[0] = fake_head_page;
	res->pages = rqstp->rq_pages + 1;
	rqstp->rq_next_page = rqstp->rq_pages + 1 + MAX_PAGES;
	res->head[0].iov_base = page_address(fake_head_page);
	memcpy(res->head[0].iov_base, s->head, HEAD);
	res->tail[0].iov_base = res->head[0].iov_base + HEAD;
	memcpy(res->tail[0].iov_base, s->tail, TAIL);
}

/*
 * nfsd keeps the page of the head if nothing reads it, and sends the same bytes.
 * Only then is it not among the pages that are held or that sunrpc frees.
 */
static void head_kept(struct kunit *test)
{
	const struct head_case *c = test->param_value;
	const struct reply_case *reply = &c->reply;
	u64 kept = fake_count(heads_kept);
	struct svc_rqst *rqstp;
	struct rpcrdma_hdr hdr;
	struct setup *s;

	fake_version = &svc_rdma_v1;
	s = setup(test, reply);
	rqstp = s->rqst;
	use_head_page(test, s);
	if (reply->offset > HEAD + reply->pages)
		put_unaligned_be32(reply->length,
				   rqstp->rq_res.tail[0].iov_base);
	fake_send->size = c->size ?: fake_send->size;
	if (reply->length)
		svc_rdma_payload_add(rqstp, reply->offset, reply->length);
	if (reply->write[0])
		list_add(&s->writes, &fake_send->rws);

	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(rqstp), 0);
	KUNIT_ASSERT_NE(test, sent.len, 0);
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_decode_msgp(&hdr, sent.msg, sent.len));
	expect_reply(test, s, reply, &hdr);
	KUNIT_EXPECT_EQ(test, fake_count(heads_kept) - kept, c->kept);
	KUNIT_EXPECT_EQ(test, !!sent.head_reads,
			reply->type == RPCRDMA_MSG && !c->kept &&
			!reply->length);
	if (reply->type == RPCRDMA_NOMSG)
		return;
	KUNIT_EXPECT_EQ(test, sent.held, c->held);
	if (sent.held)
		KUNIT_EXPECT_EQ(test, sent.first == fake_head_page, !c->kept);
	/* sunrpc fills the empty entries, which come first. */
	KUNIT_EXPECT_EQ(test, rqstp->rq_next_page - rqstp->rq_respages,
			rpcrdma_rqst_empty(sent.held));
	KUNIT_EXPECT_EQ(test, rqstp->rq_pages[sent.held] == fake_head_page,
			c->kept);
}

/* Nor does nfsd keep a head that the requester reads, or that is elsewhere. */
static void head_not_kept(struct kunit *test)
{
	struct setup *s;

	fake_version = &svc_rdma_v1;
	s = setup(test, &head_cases[0].reply);
	use_head_page(test, s);
	fake_send->advert = (void *)s;
	KUNIT_EXPECT_FALSE(test, svc_rdma_reply_keeps_head(fake_send, s->rqst));
	fake_send->advert = NULL;

	s->rqst->rq_res.head[0].iov_base += 4;
	KUNIT_EXPECT_FALSE(test, svc_rdma_reply_keeps_head(fake_send, s->rqst));
	s->rqst->rq_res.head[0].iov_base -= 4;

	/* sunrpc would not free any page. */
	s->rqst->rq_next_page = s->rqst->rq_pages;
	KUNIT_EXPECT_FALSE(test, svc_rdma_reply_keeps_head(fake_send, s->rqst));

	s->rqst->rq_next_page = s->rqst->rq_pages + 1;
	KUNIT_EXPECT_TRUE(test, svc_rdma_reply_keeps_head(fake_send, s->rqst));
}

static struct kunit_case svc_reply_head_cases[] = {
	KUNIT_CASE_PARAM(head_kept, head_case_gen_params),
	KUNIT_CASE(head_not_kept),
	{}
};

static struct kunit_suite svc_reply_head_suite = {
	.name = "svc_rdma_reply_head",
	.test_cases = svc_reply_head_cases,
};

kunit_test_suite(svc_reply_head_suite);

MODULE_DESCRIPTION("KUnit suite of svcrdma's replies: the page of the head");
MODULE_LICENSE("GPL");
