// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: whatever a server sends while our Receives change their size, it is
 * told a size only when it may rely on it (Transport Characteristics draft
 * sections 3.1 and 4). Otherwise, a message would arrive for which the Receive
 * is too small, which ends the connection.
 */
#include <linux/module.h>

#include "xprt_prop_change_fakes.h"

/*
 * Sections 4.3 and 4.4: a larger size is promised, and announced when no
 * smaller Receive is left. Calls are planned for it only after that.
 */
static void grows_on_request(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);

	/* Act and assert: pending */
	asks_for(conn, LARGE);
	KUNIT_EXPECT_EQ(test, world.kicks, 1);
	runs(conn);
	expect_answer(test, 0, 0, 1);
	KUNIT_EXPECT_EQ(test, conn->sizes.recv_want, LARGE);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, BASE);
	KUNIT_EXPECT_EQ(test, world.nsent, 1);

	/* Act and assert: announced, and not confirmed */
	conn->recvs.min = LARGE;
	xprt_rdma_prop_change_resized(conn, true);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, BASE);
	runs(conn);
	KUNIT_ASSERT_EQ(test, world.nsent, 3);
	KUNIT_EXPECT_EQ(test, world.sent[1].type, RPCRDMA2_UPDPROP);
	KUNIT_EXPECT_EQ(test, world.sent[1].flags, 0);
	KUNIT_EXPECT_TRUE(test, world.sent[1].pendclr);
	KUNIT_EXPECT_EQ(test, size_in(1), LARGE);
	KUNIT_EXPECT_EQ(test, world.plan[1], BASE);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, LARGE);
	KUNIT_EXPECT_EQ(test, world.sent[2].type, RPCRDMA2_REQPROP);
	KUNIT_EXPECT_EQ(test, world.sent[2].props_count, 0);
	KUNIT_EXPECT_EQ(test, conn->change.state, XPRT_RDMA_RESIZE_CONFIRM);
	runs(conn);
	KUNIT_EXPECT_EQ(test, world.nsent, 3);

	/* Act and assert: confirmed */
	answers(conn);
	runs(conn);
	KUNIT_EXPECT_EQ(test, conn->change.state, XPRT_RDMA_RESIZE_NONE);
	KUNIT_EXPECT_EQ(test, world.nsent, 3);
	KUNIT_EXPECT_EQ(test, world.delay, NEVER);
}

/* Without memory for larger Receives, the request is no longer pending. */
static void growth_fails(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);

	asks_for(conn, LARGE);
	runs(conn);
	xprt_rdma_prop_change_resized(conn, false);
	KUNIT_EXPECT_EQ(test, conn->sizes.recv_want, BASE);
	runs(conn);
	KUNIT_ASSERT_EQ(test, world.nsent, 3);
	KUNIT_EXPECT_EQ(test, world.sent[1].type, RPCRDMA2_UPDPROP);
	KUNIT_EXPECT_TRUE(test, world.sent[1].pendclr);
	KUNIT_EXPECT_EQ(test, size_in(1), BASE);
	answers(conn);
	KUNIT_EXPECT_EQ(test, conn->change.state, XPRT_RDMA_RESIZE_NONE);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, BASE);
}

/*
 * Nothing smaller is posted before the peer cannot send, and has not been
 * offered room for, anything larger.
 */
static void shrinks_in_steps(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);
	struct rpc_xprt *xprt = &conn->r_xprt->xprt;

	resized_to(conn, LARGE);
	conn->sends.posts = 100;
	set_bit(XPRT_LOCKED, &xprt->state);

	/* Act and assert: a call is being sent that was planned before */
	KUNIT_EXPECT_TRUE(test, xprt_rdma_prop_change_shrink(conn, BASE));
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, BASE);
	runs(conn);
	KUNIT_EXPECT_EQ(test, world.delay, POSTED_POLL);
	conn->sends.posts += POSTED_SENDS - 1;
	runs(conn);
	KUNIT_EXPECT_EQ(test, conn->change.state, XPRT_RDMA_RESIZE_POSTING);

	/* Act and assert: it is unanswered */
	conn->sends.posts++;
	runs(conn);
	KUNIT_EXPECT_EQ(test, conn->change.state, XPRT_RDMA_RESIZE_QUIESCE);
	KUNIT_EXPECT_EQ(test, world.last, 102);
	KUNIT_EXPECT_EQ(test, world.nsent, 0);

	/* Act and assert: it is answered; the peer is told */
	world.answered = true;
	runs(conn);
	KUNIT_ASSERT_EQ(test, world.nsent, 2);
	KUNIT_EXPECT_EQ(test, world.sent[0].type, RPCRDMA2_UPDPROP);
	KUNIT_EXPECT_FALSE(test, world.sent[0].pendclr);
	KUNIT_EXPECT_EQ(test, size_in(0), BASE);
	KUNIT_EXPECT_EQ(test, conn->sizes.recv_want, LARGE);

	/* Act and assert: confirmed, but calls are in flight */
	world.answered = false;
	conn->sends.posts = 110;
	answers(conn);
	runs(conn);
	KUNIT_EXPECT_EQ(test, conn->change.state, XPRT_RDMA_RESIZE_ANSWERS);
	KUNIT_EXPECT_EQ(test, world.last, 110);
	KUNIT_EXPECT_EQ(test, world.delay, ANSWERS_POLL);
	KUNIT_EXPECT_EQ(test, conn->sizes.recv_want, LARGE);

	/* Act and assert: answered */
	world.answered = true;
	runs(conn);
	KUNIT_EXPECT_EQ(test, conn->sizes.recv_want, BASE);
	KUNIT_EXPECT_EQ(test, conn->change.state, XPRT_RDMA_RESIZE_DRAIN);
	xprt_rdma_prop_change_resized(conn, true);
	runs(conn);
	KUNIT_EXPECT_EQ(test, conn->change.state, XPRT_RDMA_RESIZE_NONE);
	KUNIT_EXPECT_EQ(test, world.nsent, 2);
}

/*
 * Replies to abandoned calls are awaited, but not for ever: a server that never
 * answers one would prevent all further changes.
 */
static void abandoned_calls_awaited_for_a_while(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);

	resized_to(conn, LARGE);
	world.answered = true;
	conn->r_xprt->abandoned.count = 1;
	KUNIT_EXPECT_TRUE(test, xprt_rdma_prop_change_shrink(conn, BASE));
	runs(conn);
	KUNIT_EXPECT_EQ(test, conn->change.state, XPRT_RDMA_RESIZE_QUIESCE);
	KUNIT_EXPECT_EQ(test, world.delay, ANSWERS_POLL);
	world.now += ABANDONED_WAIT + 1;
	runs(conn);
	KUNIT_ASSERT_EQ(test, world.nsent, 2);
	KUNIT_EXPECT_EQ(test, world.sent[0].type, RPCRDMA2_UPDPROP);

	/* Confirmed: from here on, again */
	answers(conn);
	runs(conn);
	KUNIT_EXPECT_EQ(test, conn->change.state, XPRT_RDMA_RESIZE_ANSWERS);
	KUNIT_EXPECT_EQ(test, conn->sizes.recv_want, LARGE);
	world.now += ABANDONED_WAIT + 1;
	runs(conn);
	KUNIT_EXPECT_EQ(test, conn->change.state, XPRT_RDMA_RESIZE_DRAIN);
	KUNIT_EXPECT_EQ(test, conn->sizes.recv_want, BASE);
}

/* No sender needs to be awaited while nobody has locked the transport. */
static void idle_connection_shrinks_at_once(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);

	resized_to(conn, LARGE);
	world.answered = true;
	KUNIT_EXPECT_TRUE(test, xprt_rdma_prop_change_shrink(conn, BASE));
	runs(conn);
	KUNIT_EXPECT_EQ(test, world.nsent, 2);
	answers(conn);
	runs(conn);
	KUNIT_EXPECT_EQ(test, conn->sizes.recv_want, BASE);
}

/* What traffic has not used up, answers to empty requests use up. */
static void requests_use_up_receives(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);
	u32 i;

	asks_for(conn, LARGE);
	runs(conn);
	KUNIT_EXPECT_EQ(test, world.nsent, 1);
	KUNIT_EXPECT_EQ(test, world.delay, DRAIN_DELAY);
	world.now += DRAIN_DELAY;
	for (i = 0; i < 5; i++) {
		runs(conn);
		KUNIT_EXPECT_EQ(test, world.nsent, 2 + i);
		KUNIT_EXPECT_EQ(test, last_type(), RPCRDMA2_REQPROP);
		runs(conn);
		KUNIT_EXPECT_EQ(test, world.nsent, 2 + i);
		answers(conn);
	}
	xprt_rdma_prop_change_resized(conn, true);
	runs(conn);
	KUNIT_EXPECT_EQ(test, world.sent[6].type, RPCRDMA2_UPDPROP);
}

/* Only a size that is known to the peer, and stable, may shrink. */
static void shrinks_only_when_stable(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);

	KUNIT_EXPECT_FALSE(test, xprt_rdma_prop_change_shrink(conn, BASE));
	asks_for(conn, LARGE);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_prop_change_shrink(conn, 1024));
	conn = connection(test);
	resized_to(conn, LARGE);
	conn->change.on = false;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_prop_change_shrink(conn, BASE));
}

/* The peer's errors limit replies further; a change does not undo that. */
static void limited_plan_stays(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);

	conn->sizes.inline_recv = 2000;
	asks_for(conn, LARGE);
	xprt_rdma_prop_change_resized(conn, true);
	runs(conn);
	KUNIT_EXPECT_EQ(test, conn->change.told, LARGE);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, 2000);
}

/**
 * struct judge_case - a request of the peer's
 * @name: what is special about it
 * @body: words behind the prefix
 * @count: number of words
 * @told: bytes; the size that the peer knows; 0: BASE
 * @off: nothing may be changed
 * @declined: the policy does not allow growing
 * @bad: it is malformed
 * @done: expected subsets of the answer
 * @rejected: the same
 * @pending: the same
 */
struct judge_case {
	const char *name;
	u32 body[16];
	u32 count;
	u32 told;
	bool off;
	bool declined;
	bool bad;
	u32 done, rejected, pending;
};

static const struct judge_case judge_cases[] = {
	{ .name = "nothing", .body = { 0 }, .count = 1 },
	{ .name = "a larger size", .body = { 1, 1, 4, LARGE }, .count = 4,
	  .pending = 1 },
	{ .name = "the same size", .body = { 1, 1, 4, BASE }, .count = 4,
	  .done = 1 },
	{ .name = "a smaller size", .body = { 1, 1, 4, 0 }, .count = 4,
	  .done = 1 },
	{ .name = "the default size", .body = { 1, 1, 0 }, .count = 3,
	  .done = 1 },
	{ .name = "a byte more", .body = { 1, 1, 4, LARGE + 1 }, .count = 4,
	  .told = LARGE, .pending = 1 },
	{ .name = "more than the policy allows", .body = { 1, 1, 4, LARGE },
	  .count = 4, .declined = true, .rejected = 1 },
	{ .name = "a peer without the other messages",
	  .body = { 1, 1, 4, LARGE }, .count = 4, .off = true, .rejected = 1 },
	{ .name = "its own property", .body = { 1, 77, 4, 1 }, .count = 4,
	  .rejected = 1 },
	{ .name = "reverse direction as it is",
	  .body = { 1, 2, 4, RPCRDMA2_RVREQSUP_GENL }, .count = 4, .done = 1 },
	{ .name = "another reverse direction",
	  .body = { 1, 2, 4, RPCRDMA2_RVREQSUP_NONE }, .count = 4,
	  .rejected = 1 },
	{ .name = "no remote invalidation",
	  .body = { 1, RPCRDMA2_PROP_REMOTE_INV, 4, 0 }, .count = 4,
	  .rejected = 1 },
	{ .name = "other header types",
	  .body = { 1, RPCRDMA2_PROP_HTYPES, 8, 4, 0 }, .count = 5,
	  .rejected = 1 },
	{ .name = "no Read chunks in replies",
	  .body = { 1, RPCRDMA2_PROP_READ_REPLIES, 4, 0 }, .count = 4,
	  .rejected = 1 },
	{ .name = "what will not change",
	  .body = { 1, RPCRDMA2_PROP_NOCHANGE, 4, 0 }, .count = 4,
	  .rejected = 1 },
	{ .name = "some of each",
	  .body = { 4, 77, 0, 1, 4, BASE, 1, 4, LARGE, 1, 4, LARGE },
	  .count = 12, .done = 2, .rejected = 1, .pending = 12 },
	{ .name = "two sizes", .body = { 2, 1, 4, LARGE, 1, 4, LARGE + 1 },
	  .count = 7, .pending = 1, .rejected = 2 },
	{ .name = "a size of two bytes", .body = { 1, 1, 2, 0 }, .count = 4,
	  .bad = true },
	{ .name = "a size behind the end", .body = { 1, 1, 4 }, .count = 3,
	  .bad = true },
	{ .name = "no count", .count = 0, .bad = true },
};

KUNIT_ARRAY_PARAM_DESC(judge_case, judge_cases, name);

/* Section 4.3: each property is done, rejected or pending. */
static void requests_judged(struct kunit *test)
{
	const struct judge_case *c = test->param_value;
	struct xprt_rdma_conn *conn = connection(test);

	if (c->told)
		resized_to(conn, c->told);
	conn->change.on = !c->off;
	world.may_grow = !c->declined;
	arrives(conn, RPCRDMA2_REQPROP, XID, c->body, c->count);
	runs(conn);
	KUNIT_EXPECT_EQ(test, world.refused,
			c->bad ? RPCRDMA2_ERR_BAD_XDR : 0);
	KUNIT_EXPECT_EQ(test, world.nsent, !c->bad);
	if (!c->bad)
		expect_answer(test, c->done, c->rejected, c->pending);
	KUNIT_EXPECT_EQ(test, conn->sizes.recv_want > (c->told ?: BASE), !!c->pending);
}

/* While sizes change, a request is pending if that gives it what it wants. */
static void requests_during_a_change(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);

	asks_for(conn, LARGE);
	runs(conn);
	asks_for(conn, LARGE - 1);
	runs(conn);
	expect_answer(test, 0, 0, 1);
	asks_for(conn, LARGE + 1);
	runs(conn);
	expect_answer(test, 0, 1, 0);

	/* Shrinking */
	conn = connection(test);
	resized_to(conn, LARGE);
	xprt_rdma_prop_change_shrink(conn, BASE);
	asks_for(conn, LARGE + 1);
	runs(conn);
	expect_answer(test, 0, 1, 0);
}

/*
 * Section 4.2: each request is answered, also those of a peer that does not wait
 * for answers, in their order. One that sends far too many is given up.
 */
static void all_requests_answered(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);
	u64 excessive = fake_count(reqprops_excessive);
	u32 i;

	asks_for(conn, LARGE);
	for (i = 1; i < XPRT_RDMA_PROP_ANSWERS; i++)
		ARRIVES(conn, RPCRDMA2_REQPROP, XID + i, 0);
	world.rc = -ENOBUFS;
	runs(conn);
	KUNIT_EXPECT_EQ(test, world.lost, 0);
	ARRIVES(conn, RPCRDMA2_REQPROP, XID + i, 0);
	KUNIT_EXPECT_EQ(test, world.lost, 1);
	KUNIT_EXPECT_EQ(test, fake_count(reqprops_excessive) - excessive, 1);

	world.rc = 0;
	runs(conn);
	KUNIT_ASSERT_EQ(test, world.nsent, XPRT_RDMA_PROP_ANSWERS);
	for (i = 0; i < world.nsent; i++) {
		KUNIT_EXPECT_EQ(test, world.sent[i].type, RPCRDMA2_RESPROP);
		KUNIT_EXPECT_EQ(test, be32_to_cpu(world.sent[i].xid), XID + i);
	}
}

/* What cannot be sent now is sent later, and in the same order. */
static void sent_later(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);

	world.rc = -ENOBUFS;
	asks_for(conn, LARGE);
	xprt_rdma_prop_change_ask(conn, LARGE);
	xprt_rdma_prop_change_resized(conn, true);
	runs(conn);
	KUNIT_EXPECT_EQ(test, world.delay, SEND_RETRY);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, BASE);
	world.rc = 0;
	runs(conn);
	KUNIT_ASSERT_EQ(test, world.nsent, 3);
	KUNIT_EXPECT_EQ(test, world.sent[0].type, RPCRDMA2_RESPROP);
	KUNIT_EXPECT_EQ(test, world.sent[1].type, RPCRDMA2_UPDPROP);
	KUNIT_EXPECT_EQ(test, world.sent[2].type, RPCRDMA2_REQPROP);
	KUNIT_EXPECT_EQ(test, size_in(2), 0);

	/* The request waits for its turn, and for room. */
	answers(conn);
	world.rc = -ENOBUFS;
	runs(conn);
	KUNIT_EXPECT_EQ(test, world.delay, SEND_RETRY);
	KUNIT_EXPECT_FALSE(test, conn->change.unanswered);
	world.rc = 0;
	runs(conn);
	KUNIT_ASSERT_EQ(test, world.nsent, 4);
	KUNIT_EXPECT_EQ(test, size_in(3), LARGE);

	/* On a connection that is lost, nothing is tried again. */
	ARRIVES(conn, RPCRDMA2_REQPROP, XID, 0);
	world.rc = -ENOTCONN;
	runs(conn);
	KUNIT_EXPECT_EQ(test, world.delay, NEVER);
}

/* Messages of the wrong direction, and truncated ones, are ignored. */
static void direction_checked(struct kunit *test)
{
	static const u32 types[] = { RPCRDMA2_REQPROP, RPCRDMA2_RESPROP,
				     RPCRDMA2_UPDPROP };
	struct xprt_rdma_conn *conn = connection(test);
	struct xprt_rdma_recv_ctx recv = { .conn = conn };
	u64 ignored = fake_count(messages_ignored);
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(types); i++) {
		recv.hdr.type = types[i / 2];
		recv.hdr.len = i & 1 ? RPCRDMA2_PREFIX_SIZE - 1 :
				       RPCRDMA2_PREFIX_SIZE;
		recv.hdr.flags = recv.hdr.type == RPCRDMA2_RESPROP ? 0 : 1;
		recv.error = RPCRDMA_ESHORT;
		xprt_rdma_prop_change_receive(&recv);
		KUNIT_EXPECT_EQ(test, fake_count(messages_ignored) - ignored,
				i + 1);
	}
	KUNIT_EXPECT_EQ(test, world.refused, 0);
	KUNIT_EXPECT_EQ(test, world.kicks, 0);
}

/*
 * A request is refused if the answer is longer than ours may be, or than the
 * peer can receive: here, prefix, three counts and 25 words, 132 bytes.
 */
static void endless_request_refused(struct kunit *test)
{
	static const struct { u32 properties, peer_receives, refused; } cases[] = {
		{ 8 * RPCRDMA2_FIRST_MAX, 4096, RPCRDMA2_ERR_SYSTEM },
		{ 800, 132, 0 },
		{ 800, 131, RPCRDMA2_ERR_SYSTEM },
	};
	struct xprt_rdma_conn *conn;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		conn = connection(test);
		conn->sizes.inline_send = cases[i].peer_receives;
		conn->change.answers[0].count = cases[i].properties;
		conn->change.requested = 1;
		runs(conn);
		KUNIT_EXPECT_EQ(test, world.refused, cases[i].refused);
		KUNIT_EXPECT_EQ(test, conn->change.answered, 1);
	}
}

/*
 * Section 4: both sides need all types. NOCHANGE contains all properties but
 * those that may change.
 */
static void announced_together(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test);
	struct rpcrdma_props own;
	u32 i;

	for (i = 0; i < 4; i++) {
		fake_tuning = i & 1;
		fake_read_replies = i & 2;
		xprt_rdma_props_init(conn);
		xprt_rdma_props_own(conn, &own);
		KUNIT_EXPECT_EQ(test, own.htypes,
				(i & 1 ? ALL_HTYPES : 0) |
				(i & 2 ? BIT(RPCRDMA2_DONE) : 0));
		KUNIT_EXPECT_EQ(test, own.read_replies, !!(i & 2));
		KUNIT_EXPECT_EQ(test, own.nochange, RPCRDMA_PROPS_ALL &
				~(i & 1 ? RPCRDMA_PROPS_RBSIZ : 0));
		conn->peer.props.htypes = ALL_HTYPES;
		KUNIT_EXPECT_EQ(test, xprt_rdma_props_can_change(conn), i & 1);
		conn->peer.props.htypes &= ~BIT(RPCRDMA2_REQPROP);
		KUNIT_EXPECT_FALSE(test, xprt_rdma_props_can_change(conn));
	}
	fake_read_replies = XPRT_RDMA_READ_REPLIES_SHORT;
}

static struct kunit_case xprt_prop_change_cases[] = {
	KUNIT_CASE(grows_on_request),
	KUNIT_CASE(growth_fails),
	KUNIT_CASE(shrinks_in_steps),
	KUNIT_CASE(abandoned_calls_awaited_for_a_while),
	KUNIT_CASE(idle_connection_shrinks_at_once),
	KUNIT_CASE(requests_use_up_receives),
	KUNIT_CASE(shrinks_only_when_stable),
	KUNIT_CASE(limited_plan_stays),
	KUNIT_CASE_PARAM(requests_judged, judge_case_gen_params),
	KUNIT_CASE(requests_during_a_change),
	KUNIT_CASE(all_requests_answered),
	KUNIT_CASE(sent_later),
	KUNIT_CASE(direction_checked),
	KUNIT_CASE(endless_request_refused),
	KUNIT_CASE(announced_together),
	{}
};

static struct kunit_suite xprt_prop_change_suite = {
	.name = "xprt_rdma_prop_change",
	.test_cases = xprt_prop_change_cases,
};

kunit_test_suite(xprt_prop_change_suite);

MODULE_DESCRIPTION("KUnit suite of xprtrdma's changing properties");
MODULE_LICENSE("GPL");
