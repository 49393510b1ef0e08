// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: for any messages from the peer while Receives grow, every request is
 * answered completely, a size is announced only when the peer may rely on it,
 * and none of the peer's messages is too long for a Receive (Transport
 * Characteristics draft sections 3.1 and 4). If this failed, the connection
 * would end.
 */
#include "suite.h"
#include "core_exchange_fakes.h"

/* Expect message @n to ask for Receives of @size bytes, or to announce them. */
static void expect_sent(struct kunit *test, u32 n, u32 type, u32 size)
{
	const struct rpcrdma_hdr *hdr = &world.sent[n];
	struct rpcrdma_props props = {};
	struct rpcrdma_cursor cur;
	struct rpcrdma_prop prop;

	KUNIT_ASSERT_GT(test, world.nsent, n);
	KUNIT_EXPECT_EQ(test, hdr->type, type);
	KUNIT_EXPECT_EQ(test, hdr->flags, 0);
	KUNIT_EXPECT_EQ(test, hdr->props_count, 1);
	rpcrdma_props_begin(hdr, &cur);
	KUNIT_ASSERT_TRUE(test, rpcrdma_props_next(&cur, &prop));
	rpcrdma_prop_decode(&props, &prop);
	KUNIT_EXPECT_EQ(test, props.recv_size, size);
	/* The change is no longer pending. */
	if (type == RPCRDMA2_UPDPROP)
		KUNIT_EXPECT_EQ(test, get_unaligned_be32(cur.p), 1);
}

/* Expect the last message to be an answer whose subsets begin with these words. */
static void expect_answer(struct kunit *test, u32 done, u32 rejected,
			  u32 pending)
{
	const struct rpcrdma_hdr *hdr = &world.sent[world.nsent - 1];
	struct rpcrdma_resprop resp;

	KUNIT_ASSERT_EQ(test, hdr->type, RPCRDMA2_RESPROP);
	KUNIT_EXPECT_EQ(test, hdr->flags, RPCRDMA2_F_RESPONSE);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr->xid), XID);
	rpcrdma_resprop_get(&resp, hdr);
	KUNIT_EXPECT_EQ(test, rpcrdma_subset_word(&resp.done, 0), done);
	KUNIT_EXPECT_EQ(test, rpcrdma_subset_word(&resp.rejected, 0), rejected);
	KUNIT_EXPECT_EQ(test, rpcrdma_subset_word(&resp.pending, 0), pending);
}

/* Let the peer ask for a size, and answer it. */
static void requests(struct rpcrdma_exchange *x, u32 size)
{
	asks_for(x, size);
	runs(x);
}

/*
 * Sections 4.3 and 4.4: a larger size is promised, and announced when no
 * smaller Receive is left. Only then are longer messages planned for.
 */
static void grows_on_request(struct kunit *test)
{
	u64 before = fake_counter(&fake_grown);

	/* Pending */
	requests(x, LARGE - 1);
	expect_answer(test, 0, 0, 1);
	KUNIT_EXPECT_EQ(test, world.recv_size, LARGE);
	KUNIT_EXPECT_EQ(test, x->own->recv_size, BASE);
	KUNIT_EXPECT_EQ(test, runs(x), RPCRDMA_EXCHANGE_NEVER);
	KUNIT_EXPECT_EQ(test, world.nsent, 1);

	/* Not announced yet */
	world.rc = -ENOBUFS;
	exchanged(x);
	KUNIT_EXPECT_EQ(test, world.plan, BASE);

	/* Announced */
	world.rc = 0;
	KUNIT_EXPECT_EQ(test, runs(x), RPCRDMA_EXCHANGE_NEVER);
	KUNIT_EXPECT_EQ(test, world.nsent, 2);
	expect_sent(test, 1, RPCRDMA2_UPDPROP, LARGE);
	KUNIT_EXPECT_EQ(test, x->own->recv_size, LARGE);
	KUNIT_EXPECT_EQ(test, world.plan, LARGE);
	KUNIT_EXPECT_FALSE(test, x->growing);
	KUNIT_EXPECT_EQ(test, world.resizes, 1);
	KUNIT_EXPECT_EQ(test, fake_counter(&fake_grown) - before, 1);
}

/*
 * Receives do not grow again before their size is announced. Otherwise, if
 * memory runs out, they could be smaller than announced.
 */
static void grows_after_announcement(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		connection(test);
		world.max = 2 * LARGE;
		requests(x, LARGE);
		world.rc = -ENOBUFS;
		world.resized = i ? -ENOMEM : 0;
		KUNIT_EXPECT_EQ(test, runs(x), SEND_RETRY);
		asks_for(x, LARGE + 4);
		KUNIT_EXPECT_EQ(test, world.resizes, 1);
		world.rc = 0;
		runs(x);
		KUNIT_ASSERT_EQ(test, world.nsent, 3);
		expect_sent(test, 1, RPCRDMA2_UPDPROP, i ? BASE : LARGE);
		expect_answer(test, 0, 1, 0);
		requests(x, LARGE + 4);
		expect_answer(test, 0, 0, 1);
	}
}

/*
 * If growing fails, the request is no longer pending, and the connection is not
 * charged for larger Receives.
 */
static void growth_fails(struct kunit *test)
{
	unsigned long charge;
	u64 before;

	grown(test, x, MIDDLE);
	before = fake_counter(&fake_grown);
	charge = x->charge;
	requests(x, LARGE);
	KUNIT_EXPECT_GT(test, x->charge, charge);
	world.resized = -ENOMEM;
	KUNIT_EXPECT_EQ(test, runs(x), RPCRDMA_EXCHANGE_NEVER);
	KUNIT_ASSERT_EQ(test, world.nsent, 2);
	expect_sent(test, 1, RPCRDMA2_UPDPROP, MIDDLE);
	KUNIT_EXPECT_FALSE(test, x->growing);
	KUNIT_EXPECT_EQ(test, x->size, MIDDLE);
	KUNIT_EXPECT_EQ(test, x->charge, charge);
	KUNIT_EXPECT_EQ(test, world.plan, MIDDLE);
	KUNIT_EXPECT_EQ(test, fake_counter(&fake_grown), before);
}

/* Words after the prefix of a message, and their number */
#define BODY(...)							\
	{ __VA_ARGS__ }, sizeof((const u32 []){ __VA_ARGS__ }) / sizeof(u32)

/* A request of the peer, and the subsets of the answer */
static const struct judge_case {
	const char *name;
	u32 body[16];	/* words after the prefix */
	u32 count;	/* number of words */
	u32 htypes;	/* header types that the peer has not announced */
	bool failed;	/* the exchange has failed */
	bool declined;	/* the policy allows no larger size */
	bool bad;	/* the request is malformed */
	u32 done, rejected, pending;
} judge_cases[] = {
	{ "nothing", BODY(0) },
	{ "a larger size", BODY(1, 1, 4, LARGE), .pending = 1 },
	{ "the same size", BODY(1, 1, 4, BASE), .done = 1 },
	{ "more than the policy allows", BODY(1, 1, 4, LARGE), .declined = true, .rejected = 1 },
	{ "a peer without updates", BODY(1, 1, 4, LARGE),
	  .htypes = BIT(RPCRDMA2_UPDPROP), .rejected = 1 },
	{ "a peer without requests", BODY(1, 1, 4, LARGE),
	  .htypes = BIT(RPCRDMA2_REQPROP), .rejected = 1 },
	{ "a peer that has refused a message", BODY(1, 1, 4, LARGE),
	  .failed = true, .rejected = 1 },
	{ "another reverse direction", BODY(1, 2, 4, RPCRDMA2_RVREQSUP_NONE), .rejected = 1 },
	{ "no remote invalidation", BODY(1, RPCRDMA2_PROP_REMOTE_INV, 4, 0), .rejected = 1 },
	{ "other header types", BODY(1, RPCRDMA2_PROP_HTYPES, 8, 4, 0), .rejected = 1 },
	{ "Read chunks in replies", BODY(1, RPCRDMA2_PROP_READ_REPLIES, 4, 1), .rejected = 1 },
	{ "what will not change", BODY(1, RPCRDMA2_PROP_NOCHANGE, 4, 0), .rejected = 1 },
	{ "those that never change, as they are", BODY(4, 2, 4, 2,
	  RPCRDMA2_PROP_REMOTE_INV, 4, 1, RPCRDMA2_PROP_READ_REPLIES, 4, 0,
	  RPCRDMA2_PROP_HTYPES, 8, 4, 0x80030000), .done = 15 },
	{ "some of each", BODY(4, 77, 0, 1, 4, BASE, 1, 4, LARGE, 1, 4, LARGE),
	  .done = 2, .rejected = 1, .pending = 12 },
	{ "two sizes", BODY(2, 1, 4, MIDDLE, 1, 4, MIDDLE + 1), .pending = 1, .rejected = 2 },
	{ "a size of two bytes", BODY(1, 1, 2, 0), .bad = true },
	{ "good one, bad one", BODY(2, 1, 4, LARGE, 2, 4, 3), .bad = true },
};

KUNIT_ARRAY_PARAM_DESC(judge_case, judge_cases, name);

/* Section 4.3: each property is done, rejected or pending. */
static void requests_judged(struct kunit *test)
{
	const struct judge_case *c = test->param_value;
	int ret;

	x->failed = c->failed;
	world.peer.htypes &= ~c->htypes;
	if (c->declined)
		world.max = BASE;
	ret = arrives(x, RPCRDMA2_REQPROP, XID, c->body, c->count);
	runs(x);
	KUNIT_EXPECT_EQ(test, ret, c->bad ? RPCRDMA2_ERR_BAD_XDR : 0);
	KUNIT_EXPECT_EQ(test, world.nsent, !c->bad);
	if (!c->bad)
		expect_answer(test, c->done, c->rejected, c->pending);
	KUNIT_EXPECT_EQ(test, world.resizes, !!c->pending);
}

/* A request may have as many properties as an answer has bits; one with more is refused. */
static void many_requested(struct kunit *test)
{
	u32 body[100] = { RPCRDMA2_REQPROP_MAX }, n = 1;

	while (n < 2 * RPCRDMA2_REQPROP_MAX - 1) {
		body[n++] = 0x4000;
		body[n++] = 0;
	}
	body[n++] = RPCRDMA2_PROP_RBSIZ;
	body[n++] = 4;
	body[n++] = LARGE;
	KUNIT_EXPECT_EQ(test, 0, arrives(x, RPCRDMA2_REQPROP, XID, body, n));
	runs(x);
	expect_answer(test, 0, S32_MAX, 1u << 31);

	connection(test);
	body[0]++;
	KUNIT_EXPECT_EQ(test, RPCRDMA2_ERR_SYSTEM,
			arrives(x, RPCRDMA2_REQPROP, XID, body, n + 2));
	runs(x);
	KUNIT_EXPECT_EQ(test, world.nsent, 0);
	KUNIT_EXPECT_EQ(test, world.resizes, 0);
}

/* While Receives grow, a request for at most the new size is pending. */
static void requests_during_a_change(struct kunit *test)
{
	requests(x, MIDDLE);
	requests(x, MIDDLE - 1);
	expect_answer(test, 0, 0, 1);
	requests(x, MIDDLE + 1);
	expect_answer(test, 0, 1, 0);
	exchanged(x);
	requests(x, MIDDLE + 1);
	expect_answer(test, 0, 0, 1);
}

/* Section 4.2: all requests are answered in order, up to a limit. */
static void all_requests_answered(struct kunit *test)
{
	u32 i;

	asks_for(x, LARGE);
	for (i = 1; i < RPCRDMA_EXCHANGE_ANSWERS; i++)
		ARRIVES(x, RPCRDMA2_REQPROP, XID + i, 0);
	world.rc = -ENOBUFS;
	KUNIT_EXPECT_EQ(test, runs(x), SEND_RETRY);
	/* One answer is being sent. */
	KUNIT_EXPECT_EQ(test, ARRIVES(x, RPCRDMA2_REQPROP, XID + i, 0), 0);
	KUNIT_EXPECT_EQ(test, ARRIVES(x, RPCRDMA2_REQPROP, XID, 0), -EPROTO);

	world.rc = 0;
	runs(x);
	KUNIT_ASSERT_EQ(test, world.nsent, RPCRDMA_EXCHANGE_ANSWERS + 1);
	for (i = 0; i < world.nsent; i++) {
		KUNIT_EXPECT_EQ(test, world.sent[i].type, RPCRDMA2_RESPROP);
		KUNIT_EXPECT_EQ(test, be32_to_cpu(world.sent[i].xid), XID + i);
	}
}

/* Messages that cannot be sent now are sent later, in the same order. */
static void sent_later(struct kunit *test)
{
	world.rc = -ENOBUFS;
	wants(x, LARGE);
	KUNIT_EXPECT_EQ(test, runs(x), SEND_RETRY);
	asks_for(x, LARGE);
	KUNIT_EXPECT_EQ(test, runs(x), SEND_RETRY);
	world.rc = 0;
	runs(x);
	KUNIT_ASSERT_EQ(test, world.nsent, 2);
	expect_sent(test, 0, RPCRDMA2_REQPROP, LARGE);
	expect_answer(test, 0, 0, 1);

	/* On a lost connection, nothing is retried. */
	ARRIVES(x, RPCRDMA2_REQPROP, XID, 0);
	world.rc = -ENOTCONN;
	KUNIT_EXPECT_NE(test, runs(x), SEND_RETRY);
	KUNIT_EXPECT_EQ(test, x->requested, x->answered);
}

/* Messages in the wrong direction, and truncated messages, are ignored. */
static void direction_checked(struct kunit *test)
{
	static const u32 types[] = { RPCRDMA2_REQPROP, RPCRDMA2_RESPROP,
				     RPCRDMA2_UPDPROP };
	struct rpcrdma_hdr hdr = {};
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(types); i++) {
		hdr.type = types[i / 2];
		hdr.len = i & 1 ? RPCRDMA2_PREFIX_SIZE - 1 :
				  RPCRDMA2_PREFIX_SIZE;
		hdr.flags = hdr.type == RPCRDMA2_RESPROP ? 0 : 1;
		KUNIT_EXPECT_EQ(test, 0, rpcrdma_exchange_receive(x, &hdr, 0,
								  world.now));
	}
	runs(x);
	KUNIT_EXPECT_EQ(test, world.nsent, 0);
	KUNIT_EXPECT_EQ(test, world.applied, 0);
}

/* Values of the peer's properties, and which are applied */
static const struct update_case {
	const char *name;
	u32 body[5];
	u32 count, nochange, applied;
	bool bad;
} update_cases[] = {
	{ "a size", { 1, 4, 9216, 0 }, 4, .applied = RPCRDMA_PROPS_RBSIZ },
	{ "the default", { 1, 0, 0 }, 3, .applied = RPCRDMA_PROPS_RBSIZ },
	{ "will not change", { 1, 4, 9216, 1 }, 4, RPCRDMA_PROPS_RBSIZ },
	{ "remote invalidation", { RPCRDMA2_PROP_REMOTE_INV, 4, 0, 0 }, 4,
	  .applied = RPCRDMA_PROPS_REMOTE_INV },
	{ "will not change either", { RPCRDMA2_PROP_REMOTE_INV, 4, 0, 0 }, 4,
	  RPCRDMA_PROPS_REMOTE_INV },
	{ "unknown", { 77, 4, 9216, 0 }, 4 },
	{ "malformed", { 1, 3, 9216, 0 }, 4, .bad = true },
	{ "too short", { 1, 4, 9216 }, 3, .bad = true },
	{ "no boolean", { 1, 4, 9216, 2 }, 4, .bad = true },
};

KUNIT_ARRAY_PARAM_DESC(update_case, update_cases, name);

/* Section 4.4: a known and well-formed value of a property that may change is applied. */
static void updates_applied(struct kunit *test)
{
	const struct update_case *c = test->param_value;
	int ret;

	world.peer.nochange = c->nochange;
	ret = arrives(x, RPCRDMA2_UPDPROP, XID, c->body, c->count);
	runs(x);
	KUNIT_EXPECT_EQ(test, ret, c->bad ? RPCRDMA2_ERR_BAD_XDR : 0);
	KUNIT_EXPECT_EQ(test, world.applied, c->applied);
	KUNIT_EXPECT_EQ(test, world.nsent, 0);
}

/* Answers to our request, and whether it was granted */
static const struct verdict_case {
	const char *name;
	u32 body[8];
	u32 count, size;
} verdict_cases[] = {
	{ "done", { 1, 1, 0, 0 }, 4, LARGE },
	{ "done, with words that are zero", { 3, 1, 0, 0, 1, 0, 0 }, 7, LARGE },
	{ "rejected", { 0, 1, 1, 0 }, 4, BASE },
	{ "pending", { 0, 0, 1, 1 }, 4, BASE },
	{ "done and rejected", { 1, 1, 1, 1, 0 }, 5, BASE },
	{ "nothing", { 0, 0, 0 }, 3, BASE },
	{ "another property", { 1, 3, 0, 0 }, 4, BASE },
	{ "malformed", { 9, 1, 0, 0 }, 4, BASE },
};

KUNIT_ARRAY_PARAM_DESC(verdict_case, verdict_cases, name);

/* Sections 4.2 and 4.3: at most one request for a larger size is unanswered. */
static void peer_asked(struct kunit *test)
{
	const struct verdict_case *c = test->param_value;
	u32 xid;

	/* The request */
	wants(x, LARGE);
	runs(x);
	KUNIT_ASSERT_EQ(test, world.nsent, 1);
	expect_sent(test, 0, RPCRDMA2_REQPROP, LARGE);
	runs(x);
	KUNIT_EXPECT_EQ(test, world.nsent, 1);

	/* Answers, the first with another XID */
	xid = be32_to_cpu(x->xid);
	arrives(x, RPCRDMA2_RESPROP, xid + 1, c->body, c->count);
	KUNIT_EXPECT_TRUE(test, x->wanted);
	KUNIT_EXPECT_EQ(test, 0, arrives(x, RPCRDMA2_RESPROP, xid, c->body,
					 c->count));
	runs(x);
	KUNIT_EXPECT_FALSE(test, x->wanted);
	KUNIT_EXPECT_EQ(test, world.peer.recv_size, c->size);
	/* A request that was not granted is not repeated soon. */
	KUNIT_EXPECT_EQ(test, x->ask_after - world.now,
			c->size == LARGE ? 5 * HZ : 40 * HZ);

	/* The peer announces a pending size. */
	updates(x, LARGE + 4, true);
	KUNIT_EXPECT_EQ(test, world.peer.recv_size, LARGE + 4);
	KUNIT_EXPECT_EQ(test, x->ask_after - world.now, 5 * HZ);
}

/* A late answer does not undo a larger size that the peer announced before it. */
static void answered_late(struct kunit *test)
{
	wants(x, MIDDLE);
	runs(x);
	updates(x, LARGE, false);
	ARRIVES(x, RPCRDMA2_RESPROP, be32_to_cpu(x->xid), 1, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, world.peer.recv_size, LARGE);
}

/*
 * After an error, even a malformed one, the peer gets no more messages.
 * Receives that have grown are kept.
 */
static void error_answer(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		connection(test);
		grown(test, x, LARGE);
		wants(x, MIDDLE);
		runs(x);
		KUNIT_EXPECT_NE(test, x->xid, 0);
		KUNIT_EXPECT_EQ(test, -ENOENT, ARRIVES(x, RPCRDMA2_ERROR, XID, 3));
		KUNIT_EXPECT_EQ(test, 0, arrives(x, RPCRDMA2_ERROR,
						 be32_to_cpu(x->xid),
						 (u32[]){ 3 }, !i));
		KUNIT_EXPECT_EQ(test, -ENOENT, ARRIVES(x, RPCRDMA2_ERROR,
						       be32_to_cpu(x->xid), 3));
		KUNIT_EXPECT_FALSE(test, x->wanted);
		runs(x);
		KUNIT_EXPECT_EQ(test, world.recv_size, LARGE);
		KUNIT_EXPECT_EQ(test, world.nsent, 1);
		world.max = 2 * LARGE;
		requests(x, LARGE + 4);
		expect_answer(test, 0, 1, 0);
		KUNIT_EXPECT_EQ(test, world.plan, BASE);
	}
}

/*
 * After an error in answer to an announcement, the peer gets no more messages
 * either. Each announcement has its own XID. An error without the response flag
 * is ignored.
 */
static void announcement_refused(struct kunit *test)
{
	struct rpcrdma_hdr hdr = { .type = RPCRDMA2_ERROR, .len = RPCRDMA2_PREFIX_SIZE };

	/* Before the first one, an error with XID 0 answers nothing. */
	KUNIT_EXPECT_NE(test, x->update_xid, 0);
	hdr.xid = x->update_xid;
	grown(test, x, LARGE);
	KUNIT_EXPECT_NE(test, hdr.xid, x->update_xid);
	hdr.xid = x->update_xid;
	KUNIT_EXPECT_EQ(test, -ENOENT, rpcrdma_exchange_receive(x, &hdr, 0, world.now));
	KUNIT_EXPECT_EQ(test, 0, ARRIVES(x, RPCRDMA2_ERROR, be32_to_cpu(x->update_xid), 2));
	runs(x);
	KUNIT_EXPECT_EQ(test, world.recv_size, LARGE);
	KUNIT_EXPECT_EQ(test, world.plan, BASE);
	KUNIT_EXPECT_EQ(test, world.nsent, 0);
}

/* If an error arrives while Receives grow, their size is not announced. */
static void refused_while_growing(struct kunit *test)
{
	wants(x, MIDDLE);
	requests(x, LARGE);
	runs(x);
	ARRIVES(x, RPCRDMA2_ERROR, be32_to_cpu(x->xid), 3);
	exchanged(x);
	KUNIT_EXPECT_FALSE(test, x->growing);
	KUNIT_EXPECT_EQ(test, x->own->recv_size, BASE);
	KUNIT_EXPECT_EQ(test, world.nsent, 2);
}

static struct kunit_case core_exchange_cases[] = {
	KUNIT_CASE(grows_on_request),
	KUNIT_CASE(grows_after_announcement),
	KUNIT_CASE(growth_fails),
	KUNIT_CASE_PARAM(requests_judged, judge_case_gen_params),
	KUNIT_CASE(many_requested),
	KUNIT_CASE(requests_during_a_change),
	KUNIT_CASE(all_requests_answered),
	KUNIT_CASE(sent_later),
	KUNIT_CASE(direction_checked),
	KUNIT_CASE_PARAM(updates_applied, update_case_gen_params),
	KUNIT_CASE_PARAM(peer_asked, verdict_case_gen_params),
	KUNIT_CASE(answered_late),
	KUNIT_CASE(error_answer),
	KUNIT_CASE(announcement_refused),
	KUNIT_CASE(refused_while_growing),
	{}
};

SUITE("rpcrdma_exchange", core_exchange_cases, .exit = world_end, .init = connection);
