// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: if the server refuses a call, the client sends it again in a form that
 * the server can handle. The call fails if no such form exists (v2 draft
 * section 5.3.3). Otherwise, users would see I/O errors that a retry could have
 * avoided, or the client would resend a call forever.
 */
#include "xprt_fakes.h"

static u32 fake_lost;

#define xprt_rdma_conn_lost(conn)	((void)(conn), (void)fake_lost++)
#define xprt_rdma_pulled_begin(c, p)	((void)(c), (void)(p))

#include "../xprtrdma/message/rpc.c"
#include "../xprtrdma/version/v1.c"
#include "../xprtrdma/version/v2_error.c"

#define ROOM		5000u
#define INLINE_RECV	5120u

/* An error, the refused call, and the expected reaction */
static const struct error_case {
	const char *name;		/* what is special about the error */
	u32 version;			/* RPC-over-RDMA version; 0: 2 */
	u32 err;			/* code of the error */
	u32 value;			/* number of chunks, segments or bytes in the error */
	enum xprt_rdma_rtype rtype;	/* how the call was sent */
	enum xprt_rdma_wtype wtype;	/* how the reply was expected */
	struct xprt_rdma_limits before;	/* limits of the call, from earlier errors */
	struct xprt_rdma_limits after;	/* limits of the call afterwards */
	u32 inline_recv;		/* the connection's limit of replies; 0: unchanged */
	bool no_write_chunks;		/* the connection uses no Write chunks */
	bool again;			/* the call is sent again */
	bool often;			/* the call was resent as often as sunrpc allows */
} error_cases[] = {
	/* "resend the request using a Position-Zero Read chunk" */
	{ "READ_CHUNKS for a Read chunk", .err = 4, .rtype = XPRT_RDMA_CALL_DDP,
	  .after = { .no_reads = true }, .again = true },
	{ "READ_CHUNKS once too often", .err = 4, .rtype = XPRT_RDMA_CALL_DDP, .often = true },
	/* "If this was a request using a Position-Zero Read chunk" */
	{ "READ_CHUNKS for position zero", .err = 4, .value = 1, .rtype = XPRT_RDMA_CALL_LONG },
	{ "READ_CHUNKS for no chunk", .err = 4, .rtype = XPRT_RDMA_CALL_INLINE },
	/* "no Write chunks and a Reply chunk of appropriate size" */
	{ "WRITE_CHUNKS for a Write chunk", .err = 5, .wtype = XPRT_RDMA_REPLY_WRITE,
	  .after = { .reply_chunk = true }, .again = true },
	{ "WRITE_CHUNKS for a Reply chunk", .err = 5, .wtype = XPRT_RDMA_REPLY_LONG },
	{ "SEGMENTS", .err = 6, .value = 2, .wtype = XPRT_RDMA_REPLY_LONG,
	  .after = { .segments = 2 }, .again = true },
	{ "SEGMENTS, fewer than last time", .err = 6, .value = 1, .before = { .segments = 2 },
	  .after = { .segments = 1 }, .again = true },
	{ "SEGMENTS, as many as last time", .err = 6, .value = 2, .before = { .segments = 2 },
	  .after = { .segments = 2 } },
	{ "SEGMENTS, none", .err = 6, .value = 0 },
	/* "send the request again using the same XID and more resources" */
	{ "WRITE_RESOURCE that the reply buffer has", .err = 7, .value = ROOM,
	  .wtype = XPRT_RDMA_REPLY_WRITE, .after = { .reply_chunk = true },
	  .no_write_chunks = true, .again = true },
	{ "WRITE_RESOURCE beyond the reply buffer", .err = 7, .value = ROOM + 1,
	  .wtype = XPRT_RDMA_REPLY_WRITE, .no_write_chunks = true },
	{ "REPLY_RESOURCE, no chunk offered", .err = 8, .value = ROOM,
	  .wtype = XPRT_RDMA_REPLY_INLINE, .after = { .reply_chunk = true },
	  .inline_recv = ROOM + RPCRDMA2_MIN_SIZE - 1, .again = true },
	{ "REPLY_RESOURCE, a Write chunk offered", .err = 8, .value = 100,
	  .wtype = XPRT_RDMA_REPLY_WRITE, .after = { .reply_chunk = true },
	  .inline_recv = RPCRDMA2_FIRST_MAX, .again = true },
	{ "REPLY_RESOURCE beyond the reply buffer", .err = 8, .value = ROOM + 1,
	  .wtype = XPRT_RDMA_REPLY_INLINE, .inline_recv = ROOM + RPCRDMA2_MIN_SIZE },
	{ "REPLY_RESOURCE for the largest Reply chunk", .err = 8, .value = 100,
	  .wtype = XPRT_RDMA_REPLY_LONG, .inline_recv = RPCRDMA2_FIRST_MAX },
	{ "REPLY_RESOURCE beyond the limit", .err = 8, .value = INLINE_RECV },
	{ "REPLY_RESOURCE of 4 GiB", .err = 8, .value = 0xffffffff },
	{ "REPLY_RESOURCE of no bytes", .err = 8, .wtype = XPRT_RDMA_REPLY_LONG },
	/* Permanent errors */
	{ "VERS", .err = 1 },
	{ "an unknown error", .err = 10, .rtype = XPRT_RDMA_CALL_DDP },
	{ "no error at all", .err = 0, .rtype = XPRT_RDMA_CALL_DDP },
	/* RFC 8166 section 4.5: errors of version 1 are permanent. */
	{ "ERR_CHUNK of version 1", .version = 1, .err = 2, .rtype = XPRT_RDMA_CALL_DDP },
	{ "READ_CHUNKS in version 1", .version = 1, .err = 4, .rtype = XPRT_RDMA_CALL_DDP },
};

KUNIT_ARRAY_PARAM_DESC(error_case, error_cases, name);

static struct xprt_rdma_req *refused_call(struct kunit *test,
					  const struct error_case *c)
{
	struct xprt_rdma_req *req = fake_req(test);

	req->rtype = c->rtype;
	req->wtype = c->wtype;
	req->limits = c->before;
	req->rqst.rq_xprt = &req->r_xprt->xprt;
	req->rqst.rq_xprt->connect_cookie = 7;
	req->rqst.rq_connect_cookie = 7;
	req->rqst.rq_rcv_buf.buflen = ROOM;
	fake_lost = 0;
	req->rqst.rq_task->tk_garb_retry = c->often ? 0 : 2;
	return req;
}

static void fill_hdr(struct rpcrdma_hdr *hdr, const struct error_case *c)
{
	memset(hdr, 0, sizeof(*hdr));
	hdr->version = c->version ?: RPCRDMA_VERSION_2;
	hdr->type = RPCRDMA2_ERROR;
	hdr->err = c->err;
	hdr->err_value = c->value;
}

/*
 * An error updates the limits of the call. The client resends the call only if
 * the new limits help. Resource errors arrive after the call was executed, and
 * NFS may repeat the operation with another XID: they also change the limits of
 * the connection.
 */
static void acted_on(struct kunit *test)
{
	const struct error_case *c = test->param_value;
	struct xprt_rdma_req *req = refused_call(test, c);
	u64 before = fake_count(errors_received);
	struct xprt_rdma_conn *conn;
	struct rpcrdma_hdr hdr;

	fill_hdr(&hdr, c);
	conn = req->r_xprt->conn;
	fake_set_version(conn, hdr.version);
	conn->sizes.inline_recv = INLINE_RECV;
	KUNIT_EXPECT_EQ(test, c->again ? -EAGAIN : -EREMOTEIO,
			hdr.version == RPCRDMA_VERSION_1 ?
			xprt_rdma_v1_error(req, &hdr) :
			xprt_rdma_v2_error(req, &hdr));
	KUNIT_EXPECT_EQ(test, req->limits.segments, c->after.segments);
	KUNIT_EXPECT_EQ(test, req->limits.no_reads, c->after.no_reads);
	KUNIT_EXPECT_EQ(test, req->limits.reply_chunk, c->after.reply_chunk);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, c->inline_recv ?: INLINE_RECV);
	KUNIT_EXPECT_EQ(test, conn->peer.no_write_chunks, c->no_write_chunks);
	KUNIT_EXPECT_EQ(test, c->again, req->rqst.rq_connect_cookie != 7);
	KUNIT_EXPECT_EQ(test, fake_lost, 0);
	KUNIT_EXPECT_EQ(test, fake_count(errors_received) - before, 1);
}

/*
 * The error arrives before the preempted sender has recorded the connection.
 * sunrpc would not resend the call on this connection, so the connection is
 * closed.
 */
static void sender_preempted(struct kunit *test)
{
	const struct error_case *c = &error_cases[0];
	struct xprt_rdma_req *req = refused_call(test, c);
	struct rpcrdma_hdr hdr;

	fill_hdr(&hdr, c);
	req->rqst.rq_connect_cookie = 6;
	KUNIT_EXPECT_EQ(test, -ENOTCONN, xprt_rdma_v2_error(req, &hdr));
	KUNIT_EXPECT_EQ(test, req->rqst.rq_connect_cookie, 6);
	KUNIT_EXPECT_EQ(test, fake_lost, 1);
}

static struct kunit_case xprt_error_cases[] = {
	KUNIT_CASE_PARAM(acted_on, error_case_gen_params),
	KUNIT_CASE(sender_preempted),
	{}
};

SUITE("xprt_rdma_error", xprt_error_cases);
