// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the client distinguishes callbacks from replies, and refuses a bad
 * callback with the specified error (RFC 8167 section 5.2; v2 draft sections
 * 3.2, 5.2 and 5.3.3). sunrpc's callback service gets each callback complete,
 * the server gets its reply, and each Receive, request and page is released
 * once, even after a failure. Otherwise, the client would not return
 * delegations, or the first failure would end the callback channel.
 */
#include "xprt_callback_fakes.h"

/* A message, and how the client must classify and answer it */
struct message_case {
	const char *name;	/* what is special about the message */
	u32 version;		/* version of the connection */
	u32 words[28];		/* the message */
	u32 count;		/* number of words in the message */
	bool reverse;		/* the message is reverse-direction; implied by @call and @err */
	bool no_done;		/* the client has not announced support for RDMA2_DONE */
	bool call;		/* the message is a call for the callback service */
	u32 err;		/* code of the RDMA_ERROR or RDMA2_ERROR sent; 0: none */
};

#define V1(...)		.version = 1, WORDS(XID, 1, 1, __VA_ARGS__)
#define V2(...)		.version = 2, WORDS(XID, 2, 1, __VA_ARGS__)

static const struct message_case message_cases[] = {
	/* RFC 8167 section 5.2 */
	{ "v1: a call", V1(0, 0, 0, 0, XID, CALL), .call = true },
	{ "v1: a reply", V1(0, 0, 0, 0, XID, REPLY) },
	{ "v1: another XID", V1(0, 0, 0, 0, XID + 1, CALL) },
	{ "v1: a padded reply", V1(2, 4096, 100, 0, 0, 0, XID, REPLY) },
	{ "v1: lists that end too soon", V1(0, 1, 40, 5) },
	{ "v1: version 2", .version = 1, WORDS(XID, 2, 1, 0, 0, 0, 0, 0, 0, XID, CALL) },
	/* RFC 5666 section 4.2 */
	{ "v1: a Read chunk", V1(0, 1, 8, 5, 8, 0, 0, 0, 0, 0, XID, CALL),
	  .err = RPCRDMA_ERR_CHUNK },
	{ "v1: a Write chunk", V1(0, 0, 1, 1, 5, 8, 0, 0, 0, 0, XID, CALL),
	  .err = RPCRDMA_ERR_CHUNK },
	{ "v1: a Reply chunk", V1(0, 0, 0, 1, 1, 5, 8, 0, 0, XID, CALL), .err = RPCRDMA_ERR_CHUNK },
#ifdef RPCRDMA_EXT_MSGP
	{ "v1: maybe padded", V1(2, 4096, 8, 0, 0, 0, XID, CALL), .err = RPCRDMA_ERR_CHUNK },
	{ "v1: too short to be padded", V1(2, 4096, 9, 0, 0, 0, XID, CALL), .call = true },
	{ "v1: aligned to nothing", V1(2, 0, 0, 0, 0, 0, XID, CALL), .call = true },
#endif
	{ "v1: too short for a call", V1(0, 0, 0, 0, XID) },
	/* v2 draft section 3.2: a flag distinguishes replies from calls. */
	{ "v2: a call", V2(0, 0, 0, 0, 0, 0, XID, CALL), .call = true },
	{ "v2: a reply", V2(0, 1, 0, 0, 0, 0, XID, REPLY) },
	{ "v2: flagged as a reply", V2(0, 1, 0, 0, 0, 0, XID, CALL) },
	{ "v2: flagged as a call", V2(0, 0, 0, 0, 0, 0, XID, REPLY), .reverse = true },
	{ "v2: too short for a call", V2(0, 0, 0, 0, 0, 0, XID), .reverse = true },
	{ "v2: another XID", V2(0, 0, 0, 0, 0, 0, XID + 1, CALL), .reverse = true },
	{ "v2: unknown flags", V2(0, 0xfffffffe, 0, 0, 0, 0, XID, CALL), .call = true },
	{ "v2: a Reply chunk to spare", V2(0, 0, 0, 0, 0, 1, 1, 5, 8, 0, 0, XID, CALL),
	  .call = true },
	/* v2 draft section 5.3.3: errors that a responder sends */
	{ "v2: lists that end too soon", V2(0, 0, 0, 1, 40), .err = RPCRDMA2_ERR_BAD_XDR },
	{ "v2: DONE that we do not understand", V2(3, 0), .no_done = true,
	  .err = RPCRDMA2_ERR_INVAL_HTYPE },
	{ "v2: a type nobody knows", V2(0xffffffff, 0), .err = RPCRDMA2_ERR_INVAL_HTYPE },
	{ "v2: malformed properties", V2(5, 0, 9), .err = RPCRDMA2_ERR_BAD_XDR },
	/* Messages that need no answer, or must not be answered */
	{ "v2: an error without a code", V2(4, 0), .reverse = true },
	{ "v2: properties", V2(5, 0, 0), .reverse = true },
	{ "v2: an error", V2(4, 0, 9), .reverse = true },
	{ "v2: DONE", V2(3, 0), .reverse = true },
	{ "v2: no flags", .version = 2, WORDS(XID, 2, 1, 0) },
	{ "v2: version 1", .version = 2, WORDS(XID, 1, 1, 0, 0, 0, 0, XID, CALL) },
	/* v2 draft section 4.2.2: chunks of callbacks */
#ifdef RPCRDMA_EXT_PULLED
	{ "v2: a Read chunk", V2(0, 0, 0, 1, 8, 5, 8, 0, 0, 0, 0, 0, XID, CALL), .call = true },
	{ "v2: a long call", V2(1, 0, 0, 1, 0, 5, 8, 0, 0, 0, 0, 0), .call = true },
	{ "v2: a Write chunk", V2(0, 0, 0, 0, 1, 1, 5, 8, 0, 0, 0, 0, XID, CALL), .call = true },
	{ "v2: a Read chunk behind the end", V2(0, 0, 0, 1, 40, 5, 8, 0, 0, 0, 0, 0, XID, CALL),
	  .err = RPCRDMA2_ERR_BAD_XDR },
	{ "v2: a call that is too long", V2(1, 0, 0, 1, 0, 5, 65537, 0, 0, 0, 0, 0),
	  .err = RPCRDMA2_ERR_SYSTEM },
	{ "v2: a call of 4 GiB", V2(1, 0, 0, 1, 0, 5, 0xffffffff, 0, 0, 1, 0, 5, 9, 0, 0, 0, 0, 0),
	  .err = RPCRDMA2_ERR_SYSTEM },
	{ "v2: a long call without a chunk", V2(1, 0, 0, 0, 0, 0), .err = RPCRDMA2_ERR_BAD_XDR },
#else
	{ "v2: a Read chunk", V2(0, 0, 0, 1, 8, 5, 8, 0, 0, 0, 0, 0, XID, CALL),
	  .err = RPCRDMA2_ERR_READ_CHUNKS },
	{ "v2: a long call", V2(1, 0, 0, 1, 0, 5, 8, 0, 0, 0, 0, 0),
	  .err = RPCRDMA2_ERR_READ_CHUNKS },
	{ "v2: a long call without a chunk", V2(1, 0, 0, 0, 0, 0),
	  .err = RPCRDMA2_ERR_READ_CHUNKS },
	{ "v2: a Write chunk", V2(0, 0, 0, 0, 1, 1, 5, 8, 0, 0, 0, 0, XID, CALL),
	  .err = RPCRDMA2_ERR_WRITE_CHUNKS },
#endif
};

KUNIT_ARRAY_PARAM_DESC(message_case, message_cases, name);

/*
 * Each message is recognized as a call or not, and answered as specified. Its
 * Receive is kept only while a chunk of the call is being fetched.
 */
static void messages(struct kunit *test)
{
	const struct message_case *c = test->param_value;
	struct xprt_rdma_req *req = request(test, c->version, PAGE_SIZE);
	__be32 *msg = fake_zalloc(test, sizeof(c->words));
	struct xprt_rdma_recv_ctx *recv;
	bool reverse = c->reverse || c->call || c->err;
	u64 calls = fake_count(bc_calls);

	fake_message(msg, c->words, c->count);
	if (c->no_done)
		req->r_xprt->conn->properties.own.read_replies = false;
	recv = arrive(test, req, msg, 4 * c->count);
	KUNIT_EXPECT_EQ(test, reverse, recv->conn->ver->is_call(recv));
	if (!reverse)
		return;
	xprt_rdma_bc_receive(recv);
	KUNIT_EXPECT_EQ(test, c->call, fake_count(bc_calls) - calls);
	KUNIT_EXPECT_EQ(test, c->call, flow.fetches + !!flow.delivered);
	KUNIT_EXPECT_EQ(test, flow.puts, !flow.fetches);
	if (c->err)
		expect_refused(test, c->version, c->err, 0);
	else
		KUNIT_EXPECT_EQ(test, flow.refusals, 0);
}

/* A call of @len bytes that has arrived inline */
static struct xprt_rdma_recv_ctx *call(struct kunit *test,
				       struct xprt_rdma_req *req, u32 version,
				       u32 len)
{
	u8 *msg = fake_zalloc(test, len + 100);
	struct rpcrdma_encoder enc;
	u32 i;

	encode_call(&enc, msg, 100, version, RPCRDMA_MSG, 0);
	for (i = 0; i < 3; i++)
		rpcrdma_encode_list_end(&enc);
	return arrive(test, req, msg,
		      append_call(msg, rpcrdma_encode_finish(&enc), len));
}

/* The callback service has the complete call, with the references it needs. */
static void expect_delivered(struct kunit *test, struct xprt_rdma_req *req,
			     u32 len)
{
	struct rpc_rqst *rqst = &req->rqst;
	struct rpc_xprt *xprt = &req->r_xprt->xprt;
	u8 byte;
	u32 i;

	KUNIT_ASSERT_PTR_EQ(test, flow.delivered,
			    (const void *)&rqst->rq_bc_list);
	KUNIT_EXPECT_PTR_EQ(test, flow.queue,
			    (const void *)&xprt->bc_serv->sv_cb_list);
	KUNIT_EXPECT_EQ(test, flow.woken, 1);
	KUNIT_EXPECT_EQ(test, flow.exempted, 1);
	KUNIT_EXPECT_EQ(test, flow.puts, 1);
	KUNIT_EXPECT_EQ(test, flow.releases, 0);
	KUNIT_EXPECT_EQ(test, kref_read(&xprt->kref), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&xprt->bc_slot_count), 1);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(rqst->rq_xid), XID);
	KUNIT_EXPECT_PTR_EQ(test, rqst->rq_xprt, xprt);
	KUNIT_EXPECT_TRUE(test, test_bit(RPC_BC_PA_IN_USE,
					 &rqst->rq_bc_pa_state));
	KUNIT_EXPECT_TRUE(test, list_empty(&rqst->rq_bc_pa_list));
	KUNIT_EXPECT_PTR_EQ(test, rqst->rq_snd_buf.head[0].iov_base,
			    req->snd.data);
	KUNIT_EXPECT_EQ(test, rqst->rq_snd_buf.buflen, req->snd.size);
	KUNIT_EXPECT_EQ(test, rqst->rq_rcv_buf.len, len);
	KUNIT_EXPECT_EQ(test, rqst->rq_private_buf.len, len);
	KUNIT_EXPECT_GE(test, rqst->rq_rcv_buf.buflen, len);
	KUNIT_EXPECT_EQ(test, rqst->rq_rcv_buf.head[0].iov_len,
			min_t(u32, len, req->rcv.size));
	for (i = 8; i < len; i++) {
		KUNIT_ASSERT_EQ(test, 0,
				read_bytes_from_xdr_buf(&rqst->rq_rcv_buf, i,
							&byte, 1));
		KUNIT_ASSERT_EQ(test, byte, pattern(i));
	}
}

/*
 * Inline calls of any length are delivered intact. Bytes that do not fit into
 * the request's buffer are placed in pages.
 */
static void inline_calls_delivered(struct kunit *test)
{
	static const u32 lengths[] = {
		8, 12, 60, 64, 68, 64 + PAGE_SIZE, 68 + PAGE_SIZE,
		64 + 2 * PAGE_SIZE + 40,
	};
	u32 i, version;

	for (version = 1; version <= 2; version++) {
		for (i = 0; i < ARRAY_SIZE(lengths); i++) {
			req = request(test, version, 64);
			xprt_rdma_bc_receive(call(test, req, version,
						  lengths[i]));
			expect_delivered(test, req, lengths[i]);
			KUNIT_EXPECT_EQ(test, req->cb->npages,
					lengths[i] <= 64 ? 0 :
					DIV_ROUND_UP(lengths[i] - 64,
						     PAGE_SIZE));
			fake_release(req);
			KUNIT_EXPECT_EQ(test, flow.pages, 0);
		}
	}
}

/*
 * A call for which there is no request or no memory, or that exceeds
 * XPRT_RDMA_BC_CALLS, ends the connection, and nothing leaks.
 */
static void untaken_call_ends_connection(struct kunit *test)
{
	enum { NO_REQUEST, TOO_MANY, NO_MEMORY };
	struct xprt_rdma_recv_ctx *recv;
	u32 i, before;
	u64 dropped;

	for (i = 0; i < NO_MEMORY + 3; i++) {
		/* Arrange: from NO_MEMORY on, page 0, 1 or 2 is missing. */
		req = request(test, 2, 64);
		recv = call(test, req, 2, 64 + 3 * PAGE_SIZE);
		dropped = fake_count(bc_dropped);
		before = i == TOO_MANY ? XPRT_RDMA_BC_CALLS :
					 XPRT_RDMA_BC_CALLS - 1;
		atomic_set(&req->r_xprt->xprt.bc_slot_count, before);
		if (i == NO_REQUEST)
			flow.req = NULL;
		else if (i >= NO_MEMORY)
			fake_memory_left = i - NO_MEMORY;

		xprt_rdma_bc_receive(recv);
		fake_memory_left = -1;

		KUNIT_EXPECT_EQ(test, flow.lost, 1);
		KUNIT_EXPECT_EQ(test, rpcrdma_cause_reason(recv->conn->life.cause),
				i == TOO_MANY ? RPCRDMA_NL_LOST_PROTOCOL : 0);
		KUNIT_EXPECT_NULL(test, flow.delivered);
		KUNIT_EXPECT_EQ(test, flow.exempted, 0);
		KUNIT_EXPECT_EQ(test, flow.woken, 0);
		KUNIT_EXPECT_EQ(test, flow.puts, 1);
		KUNIT_EXPECT_EQ(test, flow.gets, i != TOO_MANY);
		KUNIT_EXPECT_EQ(test, flow.releases, i >= NO_MEMORY);
		KUNIT_EXPECT_EQ(test, flow.pages, 0);
		KUNIT_EXPECT_EQ(test, fake_count(bc_dropped) - dropped, 1);
		KUNIT_EXPECT_EQ(test, flow.refusals, 0);
		KUNIT_EXPECT_EQ(test,
				atomic_read(&req->r_xprt->xprt.bc_slot_count),
				before);
	}
}

/*
 * The client refuses a call if its callback service was never started or has
 * stopped. NFS may have freed the service already.
 */
static void call_without_service_refused(struct kunit *test)
{
	enum { NO_SERVICE, STOPPED, ENDING, NOT_SENT };
	struct xprt_rdma_recv_ctx *recv;
	u32 i;

	for (i = 0; i <= NOT_SENT; i++) {
		req = request(test, 1 + i % 2, 64);
		recv = call(test, req, 1 + i % 2, 12);
		if (i == ENDING)
			refcount_set(&req->r_xprt->xprt.kref.refcount, 0);
		else if (i == STOPPED)
			req->r_xprt->bc_slots = 0;
		else
			req->r_xprt->xprt.bc_serv = NULL;
		flow.refusal_rc = i == NOT_SENT ? -ENOBUFS : 0;
		xprt_rdma_bc_receive(recv);
		KUNIT_EXPECT_EQ(test, flow.refusals, 1);
		KUNIT_EXPECT_EQ(test, flow.lost, i == NOT_SENT);
		KUNIT_EXPECT_NULL(test, flow.delivered);
		KUNIT_EXPECT_EQ(test, flow.exempted, 0);
		KUNIT_EXPECT_EQ(test, flow.puts, 1);
		KUNIT_EXPECT_EQ(test, flow.releases, 1);
		KUNIT_EXPECT_EQ(test,
				atomic_read(&req->r_xprt->xprt.bc_slot_count),
				0);
	}
}

/* A request whose inline call was served with a reply of @len bytes */
static struct xprt_rdma_req *reply(struct kunit *test, u32 version, u32 len)
{
	struct xprt_rdma_req *req = request(test, version, 64);

	xprt_rdma_bc_receive(call(test, req, version, 12));
	served(req, len);
	return req;
}

/*
 * RFC 8167 section 5: a reply that fits inline is sent. If it is a word too
 * long or cannot be gathered, the client sends an error. In version 2, the
 * error contains the number of bytes needed.
 */
static void inline_replies(struct kunit *test)
{
	struct rpcrdma_hdr hdr;
	u32 i, version, max;

	for (i = 0; i < 6; i++) {
		version = 1 + i % 2;
		max = INLINE - fake_versions[version].hdr_min;
		req = reply(test, version, max + (i / 2 == 1 ? 4 : 0));
		flow.fits = i / 2 != 2;
		KUNIT_EXPECT_EQ(test, 0, xprt_rdma_bc_reply_send(&req->rqst));
		if (i < 2) {
			decode_reply(test, req, &hdr, false, 0);
			KUNIT_EXPECT_EQ(test, flow.hdrlen,
					fake_versions[version].hdr_min);
			continue;
		}
		KUNIT_EXPECT_EQ(test, flow.posts, 0);
		KUNIT_EXPECT_EQ(test, flow.drops, 1);
		if (version == 1)
			expect_refused(test, 1, RPCRDMA_ERR_CHUNK, 0);
		else
			expect_refused(test, 2, RPCRDMA2_ERR_REPLY_RESOURCE,
				       req->rqst.rq_snd_buf.len);
	}
}

/*
 * After a temporary failure, sunrpc sends the reply later. A reply that can
 * never be sent is refused with an error, and other calls are not affected.
 */
static void unsent_replies(struct kunit *test)
{
	static const struct {
		int prepare_rc;
		int want;
	} cases[] = {
		{ -EAGAIN, -EAGAIN }, { -ENOMEM, -ENOMEM },
		{ -ENOBUFS, -ENOBUFS }, { -EIO, 0 },
	};

	for_each_case(c, cases) {
		req = reply(test, 2, 20);
		flow.prepare_rc = c->prepare_rc;
		KUNIT_EXPECT_EQ(test, c->want, xprt_rdma_bc_reply_send(&req->rqst));
		KUNIT_EXPECT_EQ(test, flow.drops, 1);
		KUNIT_EXPECT_EQ(test, flow.posts, 0);
		KUNIT_EXPECT_EQ(test, flow.refusals, !c->want);
	}

	/* An error from posting the Send is returned. */
	req = reply(test, 2, 20);
	flow.post_rc = -ENOTCONN;
	KUNIT_EXPECT_EQ(test, -ENOTCONN, xprt_rdma_bc_reply_send(&req->rqst));
}

/* The reply to a call from an earlier connection is dropped. */
static void no_reply_on_other_connection(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 4; i++) {
		req = reply(test, 2, 20);
		if (i == 0)
			xprt_clear_connected(&req->r_xprt->xprt);
		else if (i == 1)
			req->r_xprt->conn = NULL;
		else if (i == 2)
			req->r_xprt->conn->life.serial++;
		else
			kref_get(&req->ref);
		KUNIT_EXPECT_EQ(test, 0, xprt_rdma_bc_reply_send(&req->rqst));
		KUNIT_EXPECT_EQ(test, flow.posts, 0);
		KUNIT_EXPECT_EQ(test, flow.refusals, 0);
	}
}

static struct kunit_case xprt_callback_cases[] = {
	KUNIT_CASE_PARAM(messages, message_case_gen_params),
	KUNIT_CASE(inline_calls_delivered),
	KUNIT_CASE(untaken_call_ends_connection),
	KUNIT_CASE(call_without_service_refused),
	KUNIT_CASE(inline_replies),
	KUNIT_CASE(unsent_replies),
	KUNIT_CASE(no_reply_on_other_connection),
	{}
};

SUITE("xprt_rdma_callback", xprt_callback_cases);
