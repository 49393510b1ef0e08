// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: every message that arrives is handled exactly once: served, answered
 * with an error, passed to the backchannel, or dropped (RFC 5666 section 4.2,
 * RFC 8166 section 4.5, RFC 8167 section 3), and enough threads are woken for
 * those still waiting. If this failed, a malformed message could harm the
 * server, or a call would hang until the client retransmits it.
 */
#include <linux/sunrpc/xdr.h>

#include "suite.h"
#include "svc_fakes.h"
#include "fake_balance.h"

#define trace_svc_rdma_received(conn, recv, ret)	((void)(ret))

/* How a message was handled */
enum fate { SERVED, READING, ANSWERED, CALLBACK, DROPPED, CLOSED };

/* What the file under test has done */
static struct outcome {
	/* Fault it was answered with; code 0 if it was not */
	struct svc_rdma_fault error;
	u32 xid;	/* XID of that error */
	u32 closed;	/* times that the connection was closed */
	u32 put;	/* Receive contexts put back */
	bool reading;	/* Reads were started */
	bool callback;	/* the message was passed to the backchannel */
	int read_status;	/* what starting the Reads returns */
	/* Calls waiting for pages cannot have them yet */
	bool short_of_pages;
	u32 adapted;	/* calls reported to the credit grant */
	u32 lent;	/* calls that were prepared for long replies */
	u32 addressed;	/* calls given the requester's address */
	u32 synced;	/* bytes synced for the CPU */
	u32 looked_at;	/* messages that may be in two buffers */
	bool padding_known;	/* padding can be removed */
	bool in_page;	/* the data of a call is in a page */
	u32 woken;	/* threads woken while another one took a message */
	/* Called before the transport is released */
	void (*on_received)(struct svc_rdma_conn *conn);
	u32 polled;	/* times that the completion queue was polled */
	bool event;	/* the completion queue may hold more */
} out;

/* Bytes in a call whose Reads are done */
#define WAITED_LEN	1000

static unsigned int fake_max_version = RPCRDMA_VERSION_2;
static unsigned int fake_receive_buffer_size = 5120;

/* sunrpc: hands the transport to another thread if there is more to do. */
static void fake_received(struct svc_xprt *xprt)
{
	if (out.on_received)
		out.on_received(svc_rdma_conn_of(xprt));
	out.woken += test_bit(XPT_DATA, &xprt->xpt_flags);
}

static void fake_idle(struct svc_rdma_conn *conn)
{
	if (!out.event)
		clear_bit(XPT_DATA, &conn->xprt.xpt_flags);
}

static void fake_error_reply(struct svc_rdma_conn *conn,
			     const struct svc_rdma_recv_ctx *recv)
{
	out.error = recv->fault;
	out.xid = be32_to_cpu(recv->hdr.xid);
}

static int fake_read_start(struct svc_rqst *rqstp, struct svc_rdma_conn *conn,
			   struct svc_rdma_recv_ctx *recv)
{
	out.reading = !out.read_status;
	return out.read_status;
}

/* Calls that were read, then those that waited for pages and can have them */
static struct svc_rdma_read_ctx *fake_read_next(struct svc_rdma_conn *conn)
{
	struct list_head *done = &conn->reads.done, *waiting = &conn->reads.waiting;
	struct list_head *from = list_empty(done) && !out.short_of_pages ? waiting : done;
	struct list_head *first = list_empty(from) ? NULL : from->next;

	if (first)
		list_del_init(first);
	return first ? list_entry(first, struct svc_rdma_read_ctx, list) : NULL;
}

static int fake_read_resume(struct svc_rqst *rqstp,
			    struct svc_rdma_read_ctx *read)
{
	out.reading = !out.read_status;
	return out.read_status;
}

static int fake_read_finish(struct svc_rqst *rqstp,
			    struct svc_rdma_read_ctx *read)
{
	rqstp->rq_arg.len = WAITED_LEN;
	return out.read_status;
}

static void fake_callback_reply(struct svc_rdma_conn *conn,
				struct svc_rdma_recv_ctx *recv)
{
	out.callback = true;
}

static void fake_callback_error(struct svc_rdma_conn *conn,
				struct svc_rdma_recv_ctx *recv)
{
}

static const struct svc_rdma_callback_ops fake_callbacks = {
	.reply	= fake_callback_reply,
	.error	= fake_callback_error,
};

#define svc_rdma_max_version		fake_max_version
#define svc_rdma_sizes_begin(conn, size) ((void)(conn), (void)(size))
#define svc_rdma_receive_buffer_size	fake_receive_buffer_size
#define svc_rdma_error_reply		fake_error_reply
#define svc_rdma_recvs_begin(conn)	((void)(conn), 0)
#define svc_rdma_conf_receive(conn, recv) ((void)(recv), false)
#define svc_rdma_props_receive(conn, recv) ((void)(recv), 0)
#define svc_rdma_props_begin(conn)	((void)(conn))
#define svc_rdma_msgp_receive(conn, recv) ((void)(recv), out.looked_at++)
#define svc_rdma_msgp_remove(recv)	((void)(recv), out.padding_known)
#define svc_rdma_msgp_deliver(rqst, conn, recv) \
	((void)(out.in_page && ((rqst)->rq_arg.len = WAITED_LEN)), out.in_page)
#define svc_rdma_recv_cq_poll(conn)	((void)(conn), (void)out.polled++)
#define svc_rdma_recv_cq_idle_locked	fake_idle
#define svc_rdma_read_start		fake_read_start
#define svc_rdma_reply_lend_pages(rqstp, recv) \
	((void)(rqstp), (void)(recv), (void)out.lent++)
#define svc_rdma_read_finish		fake_read_finish
#define svc_rdma_read_resume		fake_read_resume
#define svc_rdma_read_next_locked	fake_read_next
#define svc_rdma_conn_close(conn, cause) \
	((void)(fake_cause = (cause)), (void)out.closed++)
#define svc_rdma_recv_put(conn, recv)	((void)out.put++)
#define svc_rdma_recvs_adapt(conn)	((void)(conn), (void)out.adapted++)
/* An RDMA_DONE may invalidate this handle. */
#define GOOD_HANDLE			0x4711
#define svc_rdma_advert_done(conn, recv) \
	((recv)->invalidated &= (recv)->inv_handle != GOOD_HANDLE)
#define svc_xprt_received		fake_received
#define svc_xprt_copy_addrs(rqst, xprt)	((void)(xprt), (void)out.addressed++)
#define ib_dma_sync_single_for_cpu(dev, addr, len, dir) \
	((void)(out.synced = (dir) == DMA_FROM_DEVICE ? (len) : 0))

#include "../svcrdma/version/version.c"
#include "../svcrdma/version/v1.c"
#include "../svcrdma/version/v2.c"
#include "../svcrdma/message/call.c"

#define XID		0x8166
#define MAX_WORDS	40u

#define W_FIXED(vers, type)	XID, (vers), 1, (type)
#define W_MSGP(align, thresh)	W_FIXED(1, 2), (align), (thresh), 0, 0, 0
#define W_SEG			0x77, 4096, 0, 0x1000
#define W_CALL			XID, 0, 2, 100003
#define W_REPLY			XID, 1, 0, 0

struct message {
	const char *name;
	u32 words[MAX_WORDS];
	u32 len;
	enum fate fate;
	u32 error;
	u32 handle;
};

#define WORDS(n)	((n) * 4)

static const struct message messages[] = {
	/* RFC 8166 section 3.5: calls */
	{ "inline call", { W_FIXED(1, 0), 0, 0, 0, W_CALL }, WORDS(11),
	  SERVED },
	{ "call with a Read chunk",
	  { W_FIXED(1, 0), 1, 8, W_SEG, 0, 0, 0, W_CALL }, WORDS(17),
	  READING, 0, 0x77 },
	{ "call with a Write chunk",
	  { W_FIXED(1, 0), 0, 1, 1, W_SEG, 0, 0, W_CALL }, WORDS(17),
	  SERVED, 0, 0x77 },
	{ "call with a Reply chunk",
	  { W_FIXED(1, 0), 0, 0, 1, 1, W_SEG, W_CALL }, WORDS(16),
	  SERVED, 0, 0x77 },
	{ "call, an empty Write chunk before the Reply chunk",
	  { W_FIXED(1, 0), 0, 1, 0, 0, 1, 1, W_SEG, W_CALL }, WORDS(18),
	  SERVED, 0, 0x77 },
	{ "NOMSG with a position-zero chunk",
	  { W_FIXED(1, 1), 1, 0, W_SEG, 0, 0, 0 }, WORDS(13), READING, 0,
	  0x77 },

	/* RFC 5666 section 4.2: ERR_CHUNK for malformed chunks */
	{ "MSG without an RPC message", { W_FIXED(1, 0), 0, 0, 0 }, WORDS(7),
	  ANSWERED, RPCRDMA2_ERR_BAD_XDR },
	{ "MSG with half an XID", { W_FIXED(1, 0), 0, 0, 0, XID }, WORDS(7) + 2,
	  ANSWERED, RPCRDMA2_ERR_BAD_XDR },
	{ "MSG with a Read chunk only",
	  { W_FIXED(1, 0), 1, 0, W_SEG, 0, 0, 0 }, WORDS(13), ANSWERED,
	  RPCRDMA2_ERR_BAD_XDR },
	{ "MSG with an XID only", { W_FIXED(1, 0), 0, 0, 0, XID }, WORDS(8), SERVED },
	{ "NOMSG without a Read list", { W_FIXED(1, 1), 0, 0, 0 }, WORDS(7),
	  ANSWERED, RPCRDMA2_ERR_BAD_XDR },
	{ "NOMSG with empty Read segments only",
	  { W_FIXED(1, 1), 1, 0, 0x77, 0, 0, 0, 0, 0, 0 }, WORDS(13),
	  ANSWERED, RPCRDMA2_ERR_BAD_XDR },
	{ "chunk list beyond the end",
	  { W_FIXED(1, 0), 0, 1, 0x10000001, W_SEG, 0, 0 }, WORDS(13),
	  ANSWERED, RPCRDMA2_ERR_BAD_XDR },
	{ "unknown type", { W_FIXED(1, 9), 0, 0, 0 }, WORDS(7), ANSWERED,
	  RPCRDMA2_ERR_INVAL_HTYPE },

	/* RFC 5666 section 4.2: ERR_VERS for other versions */
	{ "version 9", { W_FIXED(9, 0), 0, 0, 0, W_CALL }, WORDS(11),
	  ANSWERED, RPCRDMA2_ERR_VERS },
	{ "version 0", { W_FIXED(0, 0), 0, 0, 0, W_CALL }, WORDS(11),
	  ANSWERED, RPCRDMA2_ERR_VERS },
	{ "version 9 and nothing else", { XID, 9 }, WORDS(2), ANSWERED,
	  RPCRDMA2_ERR_VERS },

	/* Too short for a header: answered if there is at least an XID */
	{ "three words", { XID, 1, 1 }, WORDS(3), ANSWERED, RPCRDMA2_ERR_BAD_XDR },
	{ "an XID", { XID }, WORDS(1), ANSWERED, RPCRDMA2_ERR_BAD_XDR },
	{ "half an XID", { XID }, 2, CLOSED },
	{ "nothing", { 0 }, 0, CLOSED },

#ifdef RPCRDMA_EXT_MSGP
	/* RFC 5666 section 3.9: padding that does not match */
	{ "MSGP without an RPC message", { W_MSGP(4096, 17) }, WORDS(9),
	  ANSWERED, RPCRDMA2_ERR_BAD_XDR },
	{ "MSGP shorter than its threshold", { W_MSGP(4096, 17), W_CALL },
	  WORDS(13), SERVED },
	{ "MSGP as long as its threshold", { W_MSGP(4096, 16), W_CALL },
	  WORDS(13), ANSWERED, RPCRDMA2_ERR_BAD_XDR },
	{ "MSGP that aligns to nothing", { W_MSGP(0, 0), W_CALL }, WORDS(13),
	  SERVED },
	{ "MSGP that aligns to 3", { W_MSGP(3, 0), W_CALL }, WORDS(13),
	  ANSWERED, RPCRDMA2_ERR_BAD_XDR },
	{ "MSGP with threshold 0", { W_MSGP(4096, 0), W_CALL }, WORDS(13),
	  ANSWERED, RPCRDMA2_ERR_BAD_XDR },
	{ "reply to a callback, MSGP without padding",
	  { W_MSGP(4096, 17), W_REPLY }, WORDS(13), CALLBACK },
#else
	/* RFC 5666 section 4.2: a type that is not supported */
	{ "MSGP, which is left out", { W_MSGP(4096, 17), W_CALL }, WORDS(13),
	  ANSWERED, RPCRDMA2_ERR_INVAL_HTYPE },
#endif

	/* RFC 8166 section 4.5: errors are not answered; nor is DONE */
	{ "DONE", { W_FIXED(1, 3) }, WORDS(4), DROPPED },
	{ "ERROR, ERR_CHUNK", { W_FIXED(1, 4), 2 }, WORDS(5), DROPPED },
	{ "ERROR, ERR_VERS", { W_FIXED(1, 4), 1, 1, 1 }, WORDS(7), DROPPED },
	{ "ERROR with an unknown code", { W_FIXED(1, 4), 99 }, WORDS(5), DROPPED },
	{ "ERROR without a code", { W_FIXED(1, 4) }, WORDS(4), DROPPED },

	/* RFC 8167 section 3: the other direction */
	{ "reply to a callback", { W_FIXED(1, 0), 0, 0, 0, W_REPLY },
	  WORDS(11), CALLBACK },
};

KUNIT_ARRAY_PARAM_DESC(message, messages, name);

/* The thread that serves the connection */
static struct svc_rqst *rqst;

static struct svc_rdma_conn *conn_create(struct kunit *test)
{
	struct svc_rdma_conn *conn = fake_zalloc(test, sizeof(*conn));

	memset(&out, 0, sizeof(out));
	spin_lock_init(&conn->reads.lock);
	INIT_LIST_HEAD(&conn->recvs.done);
	INIT_LIST_HEAD(&conn->reads.done);
	INIT_LIST_HEAD(&conn->reads.waiting);
	atomic_set(&conn->life.state, SVC_RDMA_OPEN);
	conn->credits.max = 1;
	conn->peer.remote_inv = true;
	conn->ver = &svc_rdma_undecided;
	conn->callbacks = &fake_callbacks;
	rqst = fake_rqst(test);
	rqst->rq_xprt = &conn->xprt;
	return conn;
}

/* The thread takes a message. */
static int received(void)
{
	return svc_rdma_call_receive(rqst);
}

/* A Receive completion, in a buffer of exactly the message's length */
static struct svc_rdma_recv_ctx *
arrive(struct kunit *test, struct svc_rdma_conn *conn, const struct message *m)
{
	struct svc_rdma_recv_ctx *recv = fake_zalloc(test, sizeof(*recv));
	__be32 words[MAX_WORDS];
	u32 i;

	for (i = 0; i < MAX_WORDS; i++)
		words[i] = cpu_to_be32(m->words[i]);
	recv->buf = kunit_kmalloc(test, m->len, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, recv->buf);
	memcpy(recv->buf, words, m->len);
	recv->len = m->len;
	list_add_tail(&recv->list, &conn->recvs.done);
	set_bit(XPT_DATA, &conn->xprt.xpt_flags);
	return recv;
}

static enum fate fate_of(int ret)
{
	if (out.error.code)
		return ANSWERED;
	if (out.closed)
		return CLOSED;
	if (out.reading)
		return READING;
	if (out.callback)
		return CALLBACK;
	return ret ? SERVED : DROPPED;
}

static void classified(struct kunit *test)
{
	const struct message *m = test->param_value;
	struct svc_rdma_conn *conn = conn_create(test);
	struct svc_rdma_recv_ctx *recv;
	int ret;

	/* Arrange */
	recv = arrive(test, conn, m);

	/* Act */
	ret = received();

	/* Assert */
	KUNIT_EXPECT_EQ(test, fate_of(ret), m->fate);
	KUNIT_EXPECT_EQ(test, out.error.code, m->error);
	if (m->fate == ANSWERED)
		KUNIT_EXPECT_EQ(test, out.xid, XID);
	/* The context belongs to what handles the message, or is put back. */
	KUNIT_EXPECT_EQ(test, out.put,
			m->fate != SERVED && m->fate != READING);
	KUNIT_EXPECT_EQ(test, recv->invalidate, !!m->handle);
	if (m->handle)
		KUNIT_EXPECT_EQ(test, recv->handle, m->handle);
	KUNIT_EXPECT_EQ(test, out.synced, m->len);
	/* Only calls count as use of the requester's credits. */
	KUNIT_EXPECT_EQ(test, out.adapted,
			m->fate == SERVED || m->fate == READING);
	/* Only a result in a Write chunk may replace pages of the thread. */
	KUNIT_EXPECT_EQ(test, out.lent,
			m->fate == SERVED && recv->hdr.writes.bytes);
}

#ifdef RPCRDMA_EXT_MSGP
/* RFC 5666 section 3.9: a padded call, without its padding or in a page */
static void padded_call(struct kunit *test)
{
	static const struct message m = { NULL, { W_MSGP(512, 16), W_CALL }, WORDS(13) };
	struct svc_rdma_conn *conn = conn_create(test);
	struct svc_rdma_recv_ctx *recv;

	arrive(test, conn, &m);
	out.padding_known = true;
	KUNIT_EXPECT_EQ(test, received(), WORDS(4));
	conn->recvs.align = 512;
	recv = arrive(test, conn, &m);
	recv->padded = fake_zalloc(test, 1);
	out.in_page = true;
	KUNIT_EXPECT_EQ(test, received(), WAITED_LEN);
	KUNIT_EXPECT_EQ(test, out.looked_at, 2);
}
#endif

/* No handle is invalidated for a requester that did not ask for it. */
static void no_invalidation(struct kunit *test)
{
	static const struct message m = {
		.words = { W_FIXED(1, 0), 0, 0, 1, 1, W_SEG, W_CALL },
		.len = WORDS(16),
	};
	struct svc_rdma_conn *conn = conn_create(test);
	struct svc_rdma_recv_ctx *recv;

	conn->peer.remote_inv = false;
	recv = arrive(test, conn, &m);
	KUNIT_EXPECT_EQ(test, received(), WORDS(4));
	KUNIT_EXPECT_FALSE(test, recv->invalidate);
}

/*
 * Reliable-reply draft section 4.1.4: only the RDMA_DONE that is due may
 * invalidate one of our handles.
 */
static void invalidated(struct kunit *test)
{
	static const struct message cases[] = {
		{ "DONE, its handle", { W_FIXED(1, 3) }, WORDS(4), DROPPED, 0,
		  GOOD_HANDLE },
		{ "DONE, another handle", { W_FIXED(1, 3) }, WORDS(4), CLOSED,
		  0, GOOD_HANDLE + 1 },
		{ "call", { W_FIXED(1, 0), 0, 0, 0, W_CALL }, WORDS(11), CLOSED,
		  0, GOOD_HANDLE },
		{ "error", { W_FIXED(1, 4), 2 }, WORDS(5), CLOSED, 0,
		  GOOD_HANDLE },
		{ "unknown type", { W_FIXED(1, 9), 0, 0, 0 }, WORDS(7), CLOSED,
		  0, GOOD_HANDLE },
		{ "nothing", { 0 }, 0, CLOSED, 0, GOOD_HANDLE },
	};
	struct svc_rdma_recv_ctx *recv;
	struct svc_rdma_conn *conn;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		conn = conn_create(test);
		recv = arrive(test, conn, &cases[i]);
		recv->invalidated = true;
		recv->inv_handle = cases[i].handle;
		KUNIT_EXPECT_EQ(test, received(), 0);
		KUNIT_EXPECT_EQ_MSG(test, fate_of(0), cases[i].fate, "%s",
				    cases[i].name);
		KUNIT_EXPECT_EQ(test, out.closed, cases[i].fate == CLOSED);
		KUNIT_EXPECT_EQ(test, out.put, 1);
	}
}

/*
 * nfsd finds an inline call in the thread's buffer, whatever an earlier call
 * left there.
 */
static void inline_call(struct kunit *test)
{
	struct svc_rdma_conn *conn = conn_create(test);
	struct xdr_buf *arg = &rqst->rq_arg;
	__be32 words[4];

	/* Arrange: remains of an earlier call */
	memset(arg, 0x5a, sizeof(*arg));
	arrive(test, conn, &messages[0]);

	/* Act and assert */
	KUNIT_ASSERT_EQ(test, received(), WORDS(4));
	KUNIT_EXPECT_TRUE(test, test_bit(RQ_SECURE, &rqst->rq_flags));
	KUNIT_EXPECT_EQ(test, rqst->rq_prot, IPPROTO_MAX);
	KUNIT_EXPECT_EQ(test, out.addressed, 1);
	KUNIT_EXPECT_EQ(test, out.lent, 0);
	KUNIT_EXPECT_NULL(test, arg->tail[0].iov_base);
	KUNIT_EXPECT_PTR_EQ(test, arg->pages, &rqst->rq_pages[0]);
	KUNIT_EXPECT_EQ(test, arg->page_base, 0);
	KUNIT_EXPECT_EQ(test, arg->buflen, WORDS(4));
	KUNIT_ASSERT_EQ(test, arg->len, WORDS(4));
	KUNIT_ASSERT_EQ(test, arg->head[0].iov_len, WORDS(4));
	KUNIT_EXPECT_EQ(test, arg->page_len, 0);
	KUNIT_EXPECT_EQ(test, arg->tail[0].iov_len, 0);
	memcpy(words, arg->head[0].iov_base, sizeof(words));
	KUNIT_EXPECT_EQ(test, be32_to_cpu(words[0]), XID);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(words[3]), 100003);
}

/*
 * Counters tell inline and chunked calls apart; chunks without segments do not
 * count.
 */
static void counted(struct kunit *test)
{
	static const struct {
		struct message m;
		u32 nomsg, multi;
	} cases[] = {
		{ { "inline", { W_FIXED(1, 0), 0, 1, 1, W_SEG, 0, 0, W_CALL },
		    WORDS(17) }, 0, 0 },
		{ { "Write chunk of two segments",
		    { W_FIXED(1, 0), 0, 1, 2, W_SEG, W_SEG, 0, 0, W_CALL },
		    WORDS(21) }, 0, 1 },
		{ { "Reply chunk of two segments",
		    { W_FIXED(1, 0), 0, 0, 1, 2, W_SEG, W_SEG, W_CALL },
		    WORDS(20) }, 0, 1 },
		{ { "NOMSG", { W_FIXED(1, 1), 1, 0, W_SEG, 0, 0, 0 },
		    WORDS(13) }, 1, 0 },
	};
	u64 nomsg, all, multi;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct svc_rdma_conn *conn = conn_create(test);

		nomsg = fake_count(nomsg_calls);
		all = nomsg + fake_count(inline_calls);
		multi = fake_count(multi_segment_chunks);
		arrive(test, conn, &cases[i].m);
		received();
		KUNIT_EXPECT_EQ_MSG(test, fake_count(nomsg_calls) - nomsg,
				    cases[i].nomsg, "%s", cases[i].m.name);
		KUNIT_EXPECT_EQ(test, fake_count(nomsg_calls) +
				fake_count(inline_calls) - all, 1);
		KUNIT_EXPECT_EQ_MSG(test,
				    fake_count(multi_segment_chunks) - multi,
				    cases[i].multi, "%s", cases[i].m.name);
	}
}

/* With nothing received, the thread keeps its pages and answers nothing. */
static void nothing(struct kunit *test)
{
	conn_create(test);
	rqst->rq_respages = rqst->rq_pages + 7;
	rqst->rq_next_page = rqst->rq_respages;
	rqst->rq_xprt_ctxt = rqst;
	KUNIT_EXPECT_EQ(test, received(), 0);
	KUNIT_EXPECT_PTR_EQ(test, rqst->rq_respages,
			    rpcrdma_rqst_reply_pages(rqst, 0));
	KUNIT_EXPECT_PTR_EQ(test, rqst->rq_next_page, rqst->rq_respages);
	KUNIT_EXPECT_NULL(test, rqst->rq_xprt_ctxt);
}

/*
 * Chunks that do not fit together are the requester's error; other failures of
 * the Reads are ours.
 */
static void reads_refused(struct kunit *test)
{
	static const struct {
		int status;
		u32 error;
		u32 closed;
	} cases[] = {
		{ -EBADMSG, RPCRDMA2_ERR_BAD_XDR, 0 },
		{ -E2BIG, RPCRDMA2_ERR_SYSTEM, 0 },
		{ -ENOMEM, 0, 1 },
		{ -EIO, 0, 1 },
		{ -ENOTCONN, 0, 1 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct svc_rdma_conn *conn = conn_create(test);

		arrive(test, conn, &messages[1]);
		out.read_status = cases[i].status;
		KUNIT_EXPECT_EQ(test, received(), 0);
		KUNIT_EXPECT_EQ(test, out.error.code, cases[i].error);
		KUNIT_EXPECT_EQ(test, out.closed, cases[i].closed);
		KUNIT_EXPECT_EQ(test, out.put, 1);
	}
}

/* A call on one of the connection's lists of Reads */
static struct svc_rdma_read_ctx *read_create(struct kunit *test,
					     struct list_head *head, u32 npages)
{
	struct svc_rdma_read_ctx *read = fake_zalloc(test, sizeof(*read));

	read->recv = fake_zalloc(test, sizeof(*read->recv));
	read->recv->read = read;
	read->npages = npages;
	list_add_tail(&read->list, head);
	return read;
}

/*
 * Oldest first: a call whose Reads are done, then one that waited for pages and
 * can have them, then a new one.
 */
static void in_order(struct kunit *test)
{
	struct svc_rdma_conn *conn = conn_create(test);
	struct svc_rdma_read_ctx *done;

	arrive(test, conn, &messages[0]);
	read_create(test, &conn->reads.waiting, 0);
	done = read_create(test, &conn->reads.done, 1);

	KUNIT_EXPECT_EQ(test, received(), WAITED_LEN);
	KUNIT_EXPECT_PTR_EQ(test, rqst->rq_xprt_ctxt, (void *)done->recv);
	KUNIT_EXPECT_FALSE(test, out.reading);
	KUNIT_EXPECT_EQ(test, received(), 0);
	KUNIT_EXPECT_TRUE(test, out.reading);
	KUNIT_EXPECT_EQ(test, out.put, 0);
	KUNIT_EXPECT_EQ(test, received(), WORDS(4));
}

/* An error found after a call has waited is reported as well. */
static void later_refused(struct kunit *test)
{
	struct svc_rdma_conn *conn = conn_create(test);

	out.read_status = -E2BIG;
	read_create(test, &conn->reads.done, 1)->recv->len = WORDS(7);
	KUNIT_EXPECT_EQ(test, received(), 0);
	KUNIT_EXPECT_EQ(test, out.error.code, RPCRDMA2_ERR_SYSTEM);
	KUNIT_EXPECT_EQ(test, out.closed, 0);
	KUNIT_EXPECT_EQ(test, out.put, 1);
	read_create(test, &conn->reads.waiting, 0)->recv->len = WORDS(7);
	out.read_status = -ENOMEM;
	KUNIT_EXPECT_EQ(test, received(), 0);
	KUNIT_EXPECT_EQ(test, out.closed, 1);
	KUNIT_EXPECT_EQ(test, svc_rdma_cause_reason(fake_cause),
			RPCRDMA_NL_LOST_MEMORY);
	KUNIT_EXPECT_EQ(test, out.put, 2);
}

/* A closing connection hands out no messages. */
static void closing(struct kunit *test)
{
	struct svc_rdma_conn *conn = conn_create(test);

	arrive(test, conn, &messages[0]);
	atomic_set(&conn->life.state, SVC_RDMA_CLOSING);
	KUNIT_EXPECT_EQ(test, received(), 0);
	KUNIT_EXPECT_FALSE(test, list_empty(&conn->recvs.done));
}

/* Calls at each stage: newly received, Reads done, waiting for pages */
static const struct wake_case {
	const char *name;
	u32 recvs, reads, waiting;
} wake_cases[] = {
	{ "nothing", 0, 0, 0 },
	{ "a message", 1, 0, 0 },
	{ "a call that was read", 0, 1, 0 },
	{ "a call that waits for pages", 0, 0, 1 },
	{ "two messages", 2, 0, 0 },
	{ "two calls that were read", 0, 2, 0 },
	{ "two calls that wait for pages", 0, 0, 2 },
	{ "a message and a call that was read", 1, 1, 0 },
	{ "a call that was read, one that waits", 0, 1, 1 },
	{ "a message and a call that waits", 1, 0, 1 },
	{ "two of each", 2, 2, 2 },
};

KUNIT_ARRAY_PARAM_DESC(wake_case, wake_cases, name);

/*
 * Each thread that takes a message wakes another one if there are more; the one
 * that takes the last message wakes none.
 */
static void woken_as_needed(struct kunit *test)
{
	const struct wake_case *c = test->param_value;
	struct svc_rdma_conn *conn = conn_create(test);
	u32 i, left = c->recvs + c->reads + c->waiting;

	for (i = 0; i < c->recvs; i++)
		arrive(test, conn, &messages[0]);
	for (i = 0; i < c->reads; i++)
		read_create(test, &conn->reads.done, 1);
	for (i = 0; i < c->waiting; i++)
		read_create(test, &conn->reads.waiting, 0);
	set_bit(XPT_DATA, &conn->xprt.xpt_flags);
	do {
		out.woken = 0;
		received();
		left -= !!left;
		KUNIT_EXPECT_EQ(test, out.woken, !!left);
	} while (left);
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->recvs.done));
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->reads.done));
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->reads.waiting));
}

/* A call that cannot have its pages yet wakes no thread; returned pages do. */
static void woken_by_pages(struct kunit *test)
{
	struct svc_rdma_conn *conn = conn_create(test);

	out.short_of_pages = true;
	read_create(test, &conn->reads.waiting, 0);
	arrive(test, conn, &messages[0]);
	KUNIT_EXPECT_GT(test, received(), 0);
	KUNIT_EXPECT_EQ(test, out.woken, 0);
}

static struct kunit *the_test;

static void arrive_now(struct svc_rdma_conn *conn)
{
	KUNIT_EXPECT_EQ(the_test, svc_rdma_version_of(conn)->number, 1);
	out.on_received = NULL;
	arrive(the_test, conn, &messages[0]);
}

/* A message that comes after the first has decided the version wakes a thread. */
static void comes_after_the_last(struct kunit *test)
{
	struct svc_rdma_conn *conn = conn_create(test);

	the_test = test;
	arrive(test, conn, &messages[0]);
	out.on_received = arrive_now;
	KUNIT_EXPECT_GT(test, received(), 0);
	KUNIT_EXPECT_EQ(test, out.woken, 1);
	KUNIT_EXPECT_GT(test, received(), 0);
	KUNIT_EXPECT_EQ(test, out.woken, 1);
}

/*
 * The completion queue is polled when all messages that were polled have been
 * taken, and a thread is woken while there may be more in it.
 */
static void polled_when_empty(struct kunit *test)
{
	struct svc_rdma_conn *conn = conn_create(test);

	arrive(test, conn, &messages[0]);
	arrive(test, conn, &messages[0]);
	out.event = true;
	KUNIT_EXPECT_GT(test, received(), 0);
	KUNIT_EXPECT_GT(test, received(), 0);
	KUNIT_EXPECT_EQ(test, out.polled, 0);
	KUNIT_EXPECT_EQ(test, out.woken, 2);
	KUNIT_EXPECT_EQ(test, received(), 0);
	KUNIT_EXPECT_EQ(test, out.polled, 1);
	KUNIT_EXPECT_EQ(test, out.woken, 3);
	out.event = false;
	KUNIT_EXPECT_EQ(test, received(), 0);
	KUNIT_EXPECT_EQ(test, out.polled, 2);
	KUNIT_EXPECT_EQ(test, out.woken, 3);
}

static struct kunit_case svc_recvfrom_cases[] = {
	KUNIT_CASE_PARAM(classified, message_gen_params),
#ifdef RPCRDMA_EXT_MSGP
	KUNIT_CASE(padded_call),
#endif
	KUNIT_CASE(no_invalidation),
	KUNIT_CASE(invalidated),
	KUNIT_CASE(inline_call),
	KUNIT_CASE(counted),
	KUNIT_CASE(nothing),
	KUNIT_CASE(reads_refused),
	KUNIT_CASE(in_order),
	KUNIT_CASE(later_refused),
	KUNIT_CASE(closing),
	KUNIT_CASE_PARAM(woken_as_needed, wake_case_gen_params),
	KUNIT_CASE(woken_by_pages),
	KUNIT_CASE(comes_after_the_last),
	KUNIT_CASE(polled_when_empty),
	{}
};

SUITE("svc_rdma_call", svc_recvfrom_cases, .exit = balance_exit);
