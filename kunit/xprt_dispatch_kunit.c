// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: each reply completes its own call, once. The client accepts no reply
 * before the version and the limits are negotiated. Otherwise, a call would
 * hang, or get the data of another call.
 */
#include "xprt_reply_fakes.h"

/* A waiting call, and an inline reply of @len bytes to it */
static struct answer *answered(struct kunit *test, u32 version, u32 len)
{
	struct answer *a = answer_create(test, XPRT_RDMA_REPLY_INLINE, 0, NULL);

	await(a, version);
	begin(a, version, RPCRDMA_MSG);
	no_chunks(a);
	end(test, a, len);
	return a;
}

/* A waiting call, and a reply in a Read chunk to it */
static struct answer *answered_by_chunk(struct kunit *test, u32 version)
{
	struct answer *a = answer_create(test, XPRT_RDMA_REPLY_INLINE, 0, NULL);
	const struct rpcrdma_segment seg = { .handle = 1, .length = 500 };

	await(a, version);
	begin(a, version, RPCRDMA_NOMSG);
	rpcrdma_encode_read_segment(&a->enc, 0, &seg);
	no_chunks(a);
	end(test, a, 0);
	return a;
}

/* RFC 5666 section 3.3: the reply to an abandoned call also grants credits. */
static void grant_of_abandoned_call(struct kunit *test)
{
	struct answer *a = answered(test, 1, 100);

	/* Act and assert: a reply to a waiting call */
	fake_grant = 0;
	xprt_rdma_dispatch(a->recv, a->len, false, 0);
	KUNIT_EXPECT_NE(test, fake_grant, 0);
	KUNIT_EXPECT_FALSE(test, a->req->unanswered);

	/* Act and assert: a reply to an unknown, then an abandoned call */
	outcome.waits = NULL;
	fake_grant = 0;
	xprt_rdma_dispatch(a->recv, a->len, false, 0);
	KUNIT_EXPECT_EQ(test, fake_grant, 0);
	fake_abandoned = true;
	xprt_rdma_dispatch(a->recv, a->len, false, 0);
	fake_abandoned = false;
	KUNIT_EXPECT_NE(test, fake_grant, 0);
	KUNIT_EXPECT_EQ(test, outcome.completions, 1);
}

/*
 * v2 draft section 10.1: a message of another version is ignored, even its XID.
 */
static void other_version_ignored(struct kunit *test)
{
	u32 i, version;

	for (i = 0; i < 4; i++) {
		version = 1 + i / 2;
		a = i & 1 ? answered_by_chunk(test, version) :
			    answered(test, version, 100);
		put_unaligned_be32(3 - version, a->msg + 4);
		fake_version = version;
		fake_abandoned = true;
		fake_grant = 0;

		xprt_rdma_dispatch(a->recv, a->len, false, 0);
		fake_version = 0;
		fake_abandoned = false;

		/* Assert: the call still waits. */
		KUNIT_EXPECT_EQ(test, a->req->r_xprt->stats.bad_reply_count, 1);
		EXPECT_OUTCOME(test, .puts = 1);
		KUNIT_EXPECT_TRUE(test, a->req->unanswered);
		KUNIT_EXPECT_EQ(test, fake_grant, 0);
	}
}

/*
 * A reply that is too short to decode fails its call. A reply that invalidates
 * a foreign handle ends the connection.
 */
static void truncated_reply_fails_call(struct kunit *test)
{
	struct answer *a = answered(test, 2, 100);

	/* Act and assert: the message ends before its chunk lists. */
	xprt_rdma_dispatch(a->recv, RPCRDMA2_PREFIX_SIZE + 4, false, 0);
	KUNIT_EXPECT_EQ(test, outcome.result, RPCRDMA_ESHORT);
	EXPECT_OUTCOME(test, .completions = 1, .puts = 1);

	/* RFC 8166 section 3.4.3: the invalidated handle is not the call's. */
	a = answered(test, 2, 100);
	fake_not_ours = true;
	xprt_rdma_dispatch(a->recv, a->len, true, 0x1234);
	fake_not_ours = false;
	KUNIT_EXPECT_EQ(test, outcome.lost, 1);
	KUNIT_EXPECT_EQ(test, a->req->r_xprt->conn->life.cause,
			RPCRDMA_CAUSE(PROTOCOL, INVALIDATION));
	KUNIT_EXPECT_EQ(test, outcome.completions, 1);
}

/*
 * While version 2 is being negotiated, a message is never a reply (v2 draft
 * section 7). CONF_RDMA may follow the negotiation (RFC 5666 section 6).
 */
static void no_reply_before_version(struct kunit *test)
{
	static const struct {
		int rc;
		bool configures;
		enum xprt_rdma_state state;
	} cases[] = {
		{ 0, false, XPRT_RDMA_CONNECTED },
		{ 0, true, XPRT_RDMA_CONFIGURING },
		{ -EPROTONOSUPPORT, false, XPRT_RDMA_FAILED },
		/* The message is not an answer to the offer. */
		{ -EAGAIN, false, XPRT_RDMA_RESOLVING },
	};

	for_each_case(c, cases) {
		a = answered(test, 2, 100);
		fake_set_version(a->recv->conn, 0);
		outcome.offer_rc = c->rc;
		outcome.configures = c->configures;
		fake_grant = 0;

		xprt_rdma_dispatch(a->recv, a->len, false, 0);

		KUNIT_EXPECT_EQ(test, outcome.negotiated, c->rc != -EAGAIN);
		if (outcome.negotiated)
			KUNIT_EXPECT_EQ(test, outcome.version_rc, c->rc);
		KUNIT_EXPECT_EQ(test, outcome.state, c->state);
		EXPECT_OUTCOME(test, .puts = 1);
		KUNIT_EXPECT_EQ(test, fake_grant, 0);
	}
}

/* RFC 5666 section 6.1: no reply is accepted until CONF_RDMA is answered. */
static void no_reply_before_conf(struct kunit *test)
{
	u64 ignored;
	u32 i;

	for (i = 0; i < 2; i++) {
		a = answered(test, 1, 100);
		a->recv->conn->life.state = XPRT_RDMA_CONFIGURING;
		outcome.conf_answered = i;
		ignored = fake_count(messages_ignored);

		xprt_rdma_dispatch(a->recv, a->len, false, 0);

		KUNIT_EXPECT_EQ(test, outcome.conf_messages, 1);
		KUNIT_EXPECT_EQ(test, outcome.negotiated, i);
		if (i)
			KUNIT_EXPECT_EQ(test, outcome.state,
					XPRT_RDMA_CONNECTED);
		KUNIT_EXPECT_EQ(test, fake_count(messages_ignored) - ignored,
				!i);
		EXPECT_OUTCOME(test, .puts = 1);
	}

	/* Later, replies are accepted, even when the connection has failed. */
	for (i = XPRT_RDMA_CONNECTED; i <= XPRT_RDMA_FAILED; i++) {
		a = answered(test, 1, 100);
		a->recv->conn->life.state = i;
		xprt_rdma_dispatch(a->recv, a->len, false, 0);
		KUNIT_EXPECT_EQ(test, outcome.conf_messages, 0);
		KUNIT_EXPECT_EQ(test, outcome.negotiated, 0);
		KUNIT_EXPECT_EQ(test, outcome.completions, 1);
	}
}

/*
 * A reply completes its call after the call's memory is invalidated, or
 * immediately if no region is left. A reply also ends the connect backoff.
 */
static void completes_after_invalidation(struct kunit *test)
{
	struct list_head mr;
	u32 i;

	for (i = 0; i < 4; i++) {
		/* Arrange: a region is left (1), a handle invalidated (2). */
		bool left = i & 1;

		a = answered(test, 2, 100);
		a->req->r_xprt->backoff = HZ;
		fake_grant = 0;
		if (left)
			list_add(&mr, &a->req->mrs);

		xprt_rdma_dispatch(a->recv, a->len, i & 2, 0x1234);

		EXPECT_OUTCOME(test, .invalidations = left, .completions = !left,
			       .puts = !left, .pins = left);
		KUNIT_EXPECT_PTR_EQ(test, a->req->recv, left ? a->recv : NULL);
		KUNIT_EXPECT_EQ(test, a->req->r_xprt->backoff, 0);
		KUNIT_EXPECT_EQ(test, fake_grant, 1);
		KUNIT_EXPECT_TRUE(test, a->recv->conn->life.answered);
		if (left)
			continue;
		KUNIT_EXPECT_EQ(test, outcome.result, 100);
		KUNIT_EXPECT_EQ(test, outcome.len, 100);
		KUNIT_EXPECT_EQ(test, outcome.learned, 0);
		KUNIT_EXPECT_EQ(test, a->req->r_xprt->stats.bad_reply_count, 0);
	}
}

/*
 * A reply to a call that is not posted yet is ignored, because the sender still
 * uses the request. A reply is not processed while the peer has access to the
 * call's memory: the call waits for another connection.
 */
static void only_posted_calls_match(struct kunit *test)
{
	struct answer *a = answered(test, 1, HEAD);
	u64 early = fake_count(replies_early);
	struct list_head mr;

	/* Act and assert: the call is queued or being marshaled. */
	a->req->unanswered = false;
	list_add(&mr, &a->req->mrs);
	fake_grant = 0;
	xprt_rdma_dispatch(a->recv, a->len, true, 1);
	EXPECT_OUTCOME(test, .puts = 1);
	KUNIT_EXPECT_EQ(test, fake_grant, 0);
	KUNIT_EXPECT_NULL(test, a->req->recv);
	KUNIT_EXPECT_EQ(test, fake_count(replies_early) - early, 1);

	/* Act and assert: the call is posted, and gets two replies. */
	a->req->unanswered = true;
	xprt_rdma_dispatch(a->recv, a->len, false, 0);
	xprt_rdma_dispatch(a->recv, a->len, false, 0);
	KUNIT_EXPECT_EQ(test, outcome.pins, 1);
	KUNIT_EXPECT_EQ(test, outcome.invalidations, 1);
	KUNIT_EXPECT_EQ(test, fake_count(replies_early) - early, 1);

	/* Act and assert: the call's memory could not be invalidated. */
	xprt_rdma_reply_process(a->req);
	EXPECT_OUTCOME(test, .invalidations = 1, .puts = 3);
	KUNIT_EXPECT_NULL(test, a->req->recv);
	KUNIT_EXPECT_NULL(test, memchr_inv(a->head, CANARY, HEAD));
}

/*
 * A refused call is sent again or fails, as the version's error handler
 * decides. v2 draft section 5.3.3: the credits in a version 2 error are not a
 * grant.
 */
static void refused_call_sent_again(struct kunit *test)
{
	static const int outcomes[] = { -EREMOTEIO, -EAGAIN, -ENOTCONN };
	u32 i, j, version, n = ARRAY_SIZE(outcomes);
	struct xprt_rdma *r_xprt;

	for (j = 0; j < 2 * n; j++) {
		i = j % n;
		version = 1 + j / n;
		a = answered(test, version, 100);
		r_xprt = a->req->r_xprt;
		begin(a, version, RPCRDMA_ERROR);
		rpcrdma_encode_word(&a->enc, RPCRDMA_ERR_CHUNK);
		a->len = rpcrdma_encode_finish(&a->enc);
		outcome.error_rc = outcomes[i];
		fake_grant = 0;

		xprt_rdma_dispatch(a->recv, a->len, false, 0);

		KUNIT_EXPECT_EQ(test, fake_grant, version == 1);
		EXPECT_OUTCOME(test, .puts = 1, .completions = i < 2);
		KUNIT_EXPECT_NULL(test, a->req->recv);
		/* sunrpc resends the call if the reply is too short. */
		KUNIT_EXPECT_EQ(test, outcome.len, i < 2 ? RPCRDMA_XDR_UNIT : 0);
		KUNIT_EXPECT_EQ(test, i ? 2 : 0,
				(u32)a->req->rqst.rq_task->tk_garb_retry);
		KUNIT_EXPECT_EQ(test, r_xprt->stats.bad_reply_count, !i);
	}
}

#ifndef RPCRDMA_EXT_PULLED
/* Without support for Read chunks in replies, such a reply fails its call. */
static void chunk_refused(struct kunit *test)
{
	struct answer *a = answered_by_chunk(test, 1);

	xprt_rdma_dispatch(a->recv, a->len, false, 0);
	KUNIT_EXPECT_EQ(test, outcome.result, -EBADMSG);
	KUNIT_EXPECT_EQ(test, outcome.completions, 1);
	KUNIT_EXPECT_EQ(test, outcome.pins, 0);
	KUNIT_EXPECT_EQ(test, outcome.puts, 1);
	KUNIT_EXPECT_EQ(test, outcome.lost, 0);
}
#endif

static struct kunit_case xprt_dispatch_cases[] = {
	KUNIT_CASE(grant_of_abandoned_call),
	KUNIT_CASE(other_version_ignored),
	KUNIT_CASE(truncated_reply_fails_call),
	KUNIT_CASE(no_reply_before_version),
	KUNIT_CASE(no_reply_before_conf),
	KUNIT_CASE(completes_after_invalidation),
	KUNIT_CASE(only_posted_calls_match),
	KUNIT_CASE(refused_call_sent_again),
#ifndef RPCRDMA_EXT_PULLED
	KUNIT_CASE(chunk_refused),
#endif
	{}
};

SUITE("xprt_rdma_dispatch", xprt_dispatch_cases);
