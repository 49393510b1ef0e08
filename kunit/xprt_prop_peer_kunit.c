// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the size of a server's Receives is used as soon as the server has said
 * so, and given up before it says that it may be (Transport Characteristics
 * draft section 4). Otherwise, a call would be sent for which its Receive is too
 * small, which ends the connection.
 */
#include <linux/module.h>

#include "xprt_prop_change_fakes.h"

/*
 * Section 3.1: a smaller size of the peer's applies at once, and its next
 * request is answered when no longer call can follow.
 */
static void peer_shrinks(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);
	struct rpc_xprt *xprt = &conn->r_xprt->xprt;

	updates(conn, LARGE, false);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_send, LARGE);
	ARRIVES(conn, RPCRDMA2_REQPROP, XID, 0);
	set_bit(XPRT_LOCKED, &xprt->state);
	runs(conn);
	expect_answer(test, 0, 0, 0);

	/* Act: it shrinks while a call is being sent */
	updates(conn, BASE, false);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_send, BASE);
	ARRIVES(conn, RPCRDMA2_REQPROP, XID, 0);
	runs(conn);

	/* Assert: no answer before that is posted */
	KUNIT_EXPECT_EQ(test, world.nsent, 1);
	KUNIT_EXPECT_EQ(test, world.delay, POSTED_POLL);
	conn->sends.posts += POSTED_SENDS;
	runs(conn);
	KUNIT_EXPECT_EQ(test, world.nsent, 2);

	/* The next one need not wait, nor if no call is being sent. */
	ARRIVES(conn, RPCRDMA2_REQPROP, XID, 0);
	runs(conn);
	KUNIT_EXPECT_EQ(test, world.nsent, 3);
	updates(conn, BASE - 4, false);
	clear_bit(XPRT_LOCKED, &xprt->state);
	ARRIVES(conn, RPCRDMA2_REQPROP, XID, 0);
	runs(conn);
	KUNIT_EXPECT_EQ(test, world.nsent, 4);
}

/* Values of the peer's properties, and what becomes of them */
static const struct update_case {
	const char *name;
	u32 body[5];
	u32 count;
	u32 nochange;
	u32 send;
	bool remote_inv;
	bool bad;
} update_cases[] = {
	{ "larger", { 1, 4, 9216, 0 }, 4, 0, 9216, true },
	{ "too small", { 1, 4, 0, 0 }, 4, 0, RPCRDMA2_RECV_MIN, true },
	{ "small", { 1, 4, 512, 0 }, 4, 0, 512, true },
	{ "too large", { 1, 4, U32_MAX, 0 }, 4, 0, XPRT_RDMA_INLINE_MAX, true },
	{ "the default", { 1, 0, 0 }, 3, 0, 4096, true },
	{ "will not change", { 1, 4, 9216, 1 }, 4, RPCRDMA_PROPS_RBSIZ, BASE,
	  true },
	{ "no remote invalidation", { RPCRDMA2_PROP_REMOTE_INV, 4, 0, 0 }, 4, 0,
	  BASE, false },
	{ "remote invalidation", { RPCRDMA2_PROP_REMOTE_INV, 4, 1, 0 }, 4, 0,
	  BASE, true },
	{ "will not change either", { RPCRDMA2_PROP_REMOTE_INV, 4, 0, 0 }, 4,
	  RPCRDMA_PROPS_REMOTE_INV, BASE, true },
	{ "known", { 2, 4, 1, 0 }, 4, 0, BASE, true },
	{ "unknown", { 77, 4, 9216, 0 }, 4, 0, BASE, true },
	{ "malformed", { 1, 3, 9216, 0 }, 4, 0, BASE, true, true },
	{ "too short", { 1, 4, 9216 }, 3, 0, BASE, true, true },
	{ "no boolean", { 1, 4, 9216, 2 }, 4, 0, BASE, true, true },
};

KUNIT_ARRAY_PARAM_DESC(update_case, update_cases, name);

/* Section 4.4: what is known, well-formed and may change is acted on. */
static void updates_applied(struct kunit *test)
{
	const struct update_case *c = test->param_value;
	struct xprt_rdma_conn *conn = connection(test);

	conn->peer.props.nochange = c->nochange;
	arrives(conn, RPCRDMA2_UPDPROP, XID, c->body, c->count);
	runs(conn);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_send, c->send);
	KUNIT_EXPECT_EQ(test, conn->peer.remote_inv, c->remote_inv);
	KUNIT_EXPECT_EQ(test, world.refused,
			c->bad ? RPCRDMA2_ERR_BAD_XDR : 0);
	KUNIT_EXPECT_EQ(test, world.nsent, 0);
}

/* Answers to our request, and whether it was granted, or may be repeated */
static const struct verdict_case {
	const char *name;
	u32 body[6];
	u32 count;
	u32 send;
	bool promised;
	u32 refusals;
} verdict_cases[] = {
	{ "done", { 1, 1, 0, 0 }, 4, LARGE },
	{ "rejected", { 0, 1, 1, 0 }, 4, BASE, false, 1 },
	{ "pending", { 0, 0, 1, 1 }, 4, BASE, true },
	{ "done and rejected", { 1, 1, 1, 1, 0 }, 5, BASE, false, 1 },
	{ "nothing", { 0, 0, 0 }, 3, BASE, false, 1 },
	{ "another property", { 1, 3, 0, 0 }, 4, BASE, false, 1 },
	{ "malformed", { 9, 1, 0, 0 }, 4, BASE, false, 1 },
};

KUNIT_ARRAY_PARAM_DESC(verdict_case, verdict_cases, name);

/* Sections 4.2 and 4.3: a larger size is asked for, once at a time. */
static void peer_asked(struct kunit *test)
{
	const struct verdict_case *c = test->param_value;
	struct xprt_rdma_conn *conn = connection(test);
	u32 xid;

	/* Act and assert: the request */
	KUNIT_EXPECT_TRUE(test, xprt_rdma_prop_change_ask(conn, LARGE));
	KUNIT_EXPECT_FALSE(test, xprt_rdma_prop_change_ask(conn, LARGE));
	runs(conn);
	KUNIT_ASSERT_EQ(test, world.nsent, 1);
	KUNIT_EXPECT_EQ(test, last_type(), RPCRDMA2_REQPROP);
	KUNIT_EXPECT_EQ(test, world.sent[0].flags, 0);
	KUNIT_EXPECT_EQ(test, size_in(0), LARGE);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_prop_change_ask(conn, LARGE));
	runs(conn);
	KUNIT_EXPECT_EQ(test, world.nsent, 1);

	/* Act and assert: answers, one of which is for something else */
	xid = be32_to_cpu(conn->change.xid);
	arrives(conn, RPCRDMA2_RESPROP, xid + 1, c->body, c->count);
	KUNIT_EXPECT_TRUE(test, conn->change.unanswered);
	arrives(conn, RPCRDMA2_RESPROP, xid, c->body, c->count);
	runs(conn);
	KUNIT_EXPECT_FALSE(test, conn->change.unanswered);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_send, c->send);
	KUNIT_EXPECT_EQ(test, conn->change.promised, c->promised);
	KUNIT_EXPECT_EQ(test, conn->change.refusals, c->refusals);
	KUNIT_EXPECT_EQ(test, xprt_rdma_prop_change_ask(conn, LARGE),
			!c->promised);
	KUNIT_EXPECT_EQ(test, world.refused, 0);

	/* Act and assert: the promise is kept */
	updates(conn, LARGE, true);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_send, LARGE);
	KUNIT_EXPECT_FALSE(test, conn->change.promised);
}

/* A promise that the peer cannot keep counts as a rejection. */
static void promise_broken(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);

	xprt_rdma_prop_change_ask(conn, LARGE);
	runs(conn);
	ARRIVES(conn, RPCRDMA2_RESPROP, be32_to_cpu(conn->change.xid), 0, 0, 1,
		1);
	KUNIT_EXPECT_TRUE(test, conn->change.promised);
	KUNIT_EXPECT_EQ(test, conn->change.refusals, 0);
	updates(conn, BASE, true);
	KUNIT_EXPECT_FALSE(test, conn->change.promised);
	KUNIT_EXPECT_EQ(test, conn->change.refusals, 1);
	updates(conn, BASE, true);
	KUNIT_EXPECT_EQ(test, conn->change.refusals, 1);
}

/* A peer is not asked for what it has said will not change. */
static void not_asked_in_vain(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);

	conn->peer.props.nochange = RPCRDMA_PROPS_RBSIZ;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_prop_change_ask(conn, LARGE));
	conn->peer.props.nochange = 0;
	conn->change.on = false;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_prop_change_ask(conn, LARGE));
	runs(conn);
	KUNIT_EXPECT_EQ(test, world.nsent, 0);
}

/* A peer that answers with an error is left alone. */
static void error_ends_changes(struct kunit *test)
{
	struct rpcrdma_hdr hdr = { .type = RPCRDMA2_ERROR };
	struct xprt_rdma_conn *conn;
	u32 i;

	for (i = 0; i < 2; i++) {
		conn = connection(test);
		hdr.xid = cpu_to_be32(XID);
		asks_for(conn, LARGE);
		runs(conn);
		KUNIT_EXPECT_FALSE(test, xprt_rdma_prop_change_error(conn,
								     &hdr));
		if (i) {
			xprt_rdma_prop_change_resized(conn, true);
			runs(conn);
			hdr.xid = conn->change.update_xid;
		} else {
			world.now += DRAIN_DELAY;
			runs(conn);
			hdr.xid = conn->change.xid;
		}
		KUNIT_EXPECT_TRUE(test, xprt_rdma_prop_change_error(conn, &hdr));
		KUNIT_EXPECT_FALSE(test, xprt_rdma_prop_change_error(conn,
								     &hdr));
		KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, BASE);
		KUNIT_EXPECT_EQ(test, conn->sizes.recv_want, i ? LARGE : BASE);
		world.nsent = 0;
		runs(conn);
		KUNIT_EXPECT_EQ(test, world.nsent, 0);
	}
}

static struct kunit_case xprt_prop_peer_cases[] = {
	KUNIT_CASE(peer_shrinks),
	KUNIT_CASE_PARAM(updates_applied, update_case_gen_params),
	KUNIT_CASE_PARAM(peer_asked, verdict_case_gen_params),
	KUNIT_CASE(promise_broken),
	KUNIT_CASE(not_asked_in_vain),
	KUNIT_CASE(error_ends_changes),
	{}
};

static struct kunit_suite xprt_prop_peer_suite = {
	.name = "xprt_rdma_prop_peer",
	.test_cases = xprt_prop_peer_cases,
};

kunit_test_suite(xprt_prop_peer_suite);

MODULE_DESCRIPTION("KUnit suite of changing properties of xprtrdma's peers");
MODULE_LICENSE("GPL");
