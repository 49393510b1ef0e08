// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the length reported to sunrpc is a multiple of four and within the
 * buffer, although servers get XDR roundup wrong and replies may be longer than
 * the buffer. Otherwise, the end of a file or directory would be read wrongly.
 */
#include <linux/module.h>

#include "xprt_reply_fakes.h"

/* The length to be reported: whole words, within the buffer */
static int reported(const struct answer *a, u32 len)
{
	return min(round_up(len, 4),
		   round_down(a->req->rqst.rq_rcv_buf.buflen, 4));
}

/* The reply of @len bytes is in the buffer, as far as it was reported. */
static void expect_reply(struct kunit *test, const struct answer *a, u32 len)
{
	int i, want = reported(a, len);

	for (i = 0; i < want; i++)
		KUNIT_ASSERT_EQ(test, reply_byte(a, i),
				i < len ? pattern(i) : 0);
}

/* Inline replies of each length are reported, up to and beyond the buffer. */
static void inline_of_every_length(struct kunit *test)
{
	struct answer *a = answer_create(test, XPRT_RDMA_REPLY_INLINE, 0, NULL);
	u32 len;

	for (len = 0; len <= ROOM + 8; len += len < HEAD + 8 ||
	     len > ROOM - 8 || (len > HEAD + PAGE_BYTES - 8) ? 1 : 61) {
		/* Arrange */
		buffers_reset(a);
		begin(a, RPCRDMA_MSG);
		none(a);
		none(a);
		none(a);
		a->req->r_xprt->stats.fixup_copy_count = 0;

		/* Act and assert; RFC 5666 section 4.1: there is an XID */
		KUNIT_ASSERT_EQ(test, take(test, a, len),
				len ? reported(a, len) : -EBADMSG);
		KUNIT_ASSERT_EQ(test, a->req->r_xprt->stats.fixup_copy_count,
				len <= HEAD ? 0 :
				min(reported(a, len) - HEAD, PAGE_BYTES));
		expect_reply(test, a, len);
		expect_pages_intact(test, a);
	}
}

/*
 * NFSv3 READ of a few bytes: the buffer is not a multiple of four, and may be
 * too short for the bytes that a server sends after the data.
 */
static void inline_into_odd_buffer(struct kunit *test)
{
	struct answer *a = answer_create(test, XPRT_RDMA_REPLY_INLINE, 0, NULL);
	struct xdr_buf *xdr = &a->req->rqst.rq_rcv_buf;
	u32 len, page_len;

	for (page_len = 1; page_len < 8; page_len++) {
		for (len = HEAD; len <= HEAD + page_len + 16; len++) {
			/* Arrange */
			buffers_reset(a);
			xdr->page_len = page_len;
			xdr->tail[0].iov_len = 4;
			xdr->buflen = HEAD + page_len + 4;
			begin(a, RPCRDMA_MSG);
			none(a);
			none(a);
			none(a);

			/* Act and assert */
			KUNIT_ASSERT_EQ(test, take(test, a, len),
					reported(a, len));
			expect_reply(test, a, len);
			KUNIT_ASSERT_EQ(test, a->tail[4], CANARY);
		}
	}
}

/* Roundup that the server did not write to the Reply chunk is zeroed. */
static void roundup_in_chunk(struct kunit *test)
{
	static const u32 offered[] = { HEAD, PAGE_BYTES, TAIL };
	struct answer *a;
	u32 i;

	a = answer_create(test, XPRT_RDMA_REPLY_LONG, 3, offered);
	begin(a, RPCRDMA_NOMSG);
	none(a);
	none(a);
	chunk(a, 3, (u32 []){ HEAD, 501, 0 });
	KUNIT_EXPECT_EQ(test, take(test, a, 0), HEAD + 504);
	for (i = 0; i <= HEAD + 504; i++)
		KUNIT_ASSERT_EQ(test, reply_byte(a, i),
				i < HEAD + 501 || i == HEAD + 504 ? CANARY : 0);
	/* Without room for roundup, the reply ends before that word. */
	a->req->rqst.rq_rcv_buf.tail[0].iov_len = TAIL - 1;
	a->req->rqst.rq_rcv_buf.buflen = ROOM - 1;
	begin(a, RPCRDMA_NOMSG);
	none(a);
	none(a);
	chunk(a, 3, (u32 []){ HEAD, PAGE_BYTES, TAIL - 1 });
	KUNIT_EXPECT_EQ(test, take(test, a, 0), ROOM - 4);
}

static struct kunit_case xprt_reply_length_cases[] = {
	KUNIT_CASE(inline_of_every_length),
	KUNIT_CASE(inline_into_odd_buffer),
	KUNIT_CASE(roundup_in_chunk),
	{}
};

static struct kunit_suite xprt_reply_length_suite = {
	.name = "xprt_rdma_reply_length",
	.test_cases = xprt_reply_length_cases,
};

kunit_test_suite(xprt_reply_length_suite);

MODULE_DESCRIPTION("KUnit suite of the length of xprtrdma's replies");
MODULE_LICENSE("GPL");
