// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the length reported to sunrpc is a multiple of four and within the
 * buffer, although servers get XDR roundup wrong and replies may be longer than
 * the buffer. Otherwise, the end of a file or directory would be read wrongly.
 */
#include "xprt_reply_fakes.h"
#include "padded_messages.h"

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
		begin(a, 1, RPCRDMA_MSG);
		no_chunks(a);
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
			begin(a, 1, RPCRDMA_MSG);
			no_chunks(a);

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
	begin(a, 1, RPCRDMA_NOMSG);
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
	begin(a, 1, RPCRDMA_NOMSG);
	none(a);
	none(a);
	chunk(a, 3, (u32 []){ HEAD, PAGE_BYTES, TAIL - 1 });
	KUNIT_EXPECT_EQ(test, take(test, a, 0), ROOM - 4);
}

#ifdef RPCRDMA_EXT_MSGP
/* A reply to READ of NFSv3 */
static struct answer *read_create(struct kunit *test)
{
	struct answer *a = answer_create(test, XPRT_RDMA_REPLY_INLINE, 0, NULL);
	struct rpc_procinfo *proc = fake_zalloc(test, sizeof(*proc));
	struct rpc_clnt *clnt = fake_zalloc(test, sizeof(*clnt));
	struct rpc_cred *cred = fake_zalloc(test, sizeof(*cred));
	struct rpc_task *task = a->req->rqst.rq_task;

	clnt->cl_prog = NFS_PROGRAM;
	clnt->cl_vers = 3;
	proc->p_proc = NFS3PROC_READ;
	task->tk_client = clnt;
	task->tk_msg.rpc_proc = proc;
	cred->cr_auth = fake_zalloc(test, sizeof(*cred->cr_auth));
	a->req->rqst.rq_cred = cred;
	return a;
}

static int take_padded(struct answer *a, const struct padded_shape *s,
		       struct padded_message *m)
{
	struct padded_message mine = { .buf = a->msg };

	buffers_reset(a);
	padded_build_reply(m, s, true);
	padded_build_reply(&mine, s, true);
	xprt_rdma_dispatch_decode(a->recv, m->len);
	return xprt_rdma_reply_place(a->req, a->recv);
}

static const struct padded_shape padded_replies[] = {
	{ "padded to 512", 512, 512, 0, 0, 0, 2048, 348 },
	{ "padded to 8", 8, 512, 0, 0, 0, 2045, 4 },
	{ "not padded", 512, 512, 0, 0, 0, 500, 0 },
	{ "as long as the threshold", 512, 512, 0, 0, 0, 512, 0 },
	{ "more than fits", 1024, 512, 0, 0, 0, 6100, 860 },
};

KUNIT_ARRAY_PARAM_DESC(padded_reply, padded_replies, name);

/* RFC 5666 section 3.9: NFSv3 READ: without its padding, byte for byte */
static void padding_removed(struct kunit *test)
{
	const struct padded_shape *s = test->param_value;
	struct padded_message m = { .buf = fake_zalloc(test, PADDED_MAX) };
	struct answer *a = read_create(test);
	u32 i, before, len;

	/* Act */
	len = take_padded(a, s, &m);

	/* Assert */
	KUNIT_ASSERT_EQ(test, len, min(m.len - PADDED_HEADER - s->padding,
				       ROOM));
	before = (m.item + 1) * RPCRDMA_XDR_UNIT - PADDED_HEADER;
	for (i = 0; i < len; i++)
		KUNIT_ASSERT_EQ(test, reply_byte(a, i),
				m.buf[PADDED_HEADER + i +
				      (i < before ? 0 : s->padding)]);
	expect_pages_intact(test, a);
}

/* Any other padded reply is refused: where its padding is, is not known. */
static void padding_not_guessed(struct kunit *test)
{
	static const struct padded_shape s = {
		NULL, 512, 512, 0, 0, 0, 2048, 348
	}, bad = {
		NULL, 512, 512, 0, 0, 0, 2048, 344
	};
	struct padded_message m = { .buf = fake_zalloc(test, PADDED_MAX) };
	struct answer *a = read_create(test);
	struct rpc_task *task = a->req->rqst.rq_task;
	struct rpc_procinfo *proc = (void *)task->tk_msg.rpc_proc;
	unsigned long *flags = &a->req->rqst.rq_cred->cr_auth->au_flags;

	KUNIT_EXPECT_GT(test, take_padded(a, &s, &m), 0);

	/* Padding of another length */
	KUNIT_EXPECT_EQ(test, take_padded(a, &bad, &m), -EBADMSG);

	/* Another procedure, another version, integrity or privacy */
	proc->p_proc = NFS3PROC_READLINK;
	KUNIT_EXPECT_EQ(test, take_padded(a, &s, &m), -EBADMSG);
	proc->p_proc = NFS3PROC_READ;
	task->tk_client->cl_vers = 4;
	KUNIT_EXPECT_EQ(test, take_padded(a, &s, &m), -EBADMSG);
	task->tk_client->cl_vers = 3;
	__set_bit(RPCAUTH_AUTH_DATATOUCH, flags);
	KUNIT_EXPECT_EQ(test, take_padded(a, &s, &m), -EBADMSG);
	__clear_bit(RPCAUTH_AUTH_DATATOUCH, flags);

	/* With chunks */
	take_padded(a, &s, &m);
	a->recv->hdr.writes.bytes = 1;
	KUNIT_EXPECT_EQ(test, xprt_rdma_reply_place(a->req, a->recv), -EBADMSG);
	take_padded(a, &s, &m);
	a->recv->hdr.reply.bytes = 1;
	KUNIT_EXPECT_EQ(test, xprt_rdma_reply_place(a->req, a->recv), -EBADMSG);
}
#endif

static struct kunit_case xprt_reply_length_cases[] = {
	KUNIT_CASE(inline_of_every_length),
	KUNIT_CASE(inline_into_odd_buffer),
	KUNIT_CASE(roundup_in_chunk),
#ifdef RPCRDMA_EXT_MSGP
	KUNIT_CASE_PARAM(padding_removed, padded_reply_gen_params),
	KUNIT_CASE(padding_not_guessed),
#endif
	{}
};

SUITE("xprt_rdma_reply_length", xprt_reply_length_cases);
