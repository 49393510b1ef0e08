// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the server and a requester change their properties on an existing
 * connection (Transport Characteristics draft section 4). The server answers
 * messages immediately and in order, and announces a larger size only after all
 * Receives have this size. If this failed, a message could exceed its Receive,
 * and the connection would end. core_exchange_kunit.c tests the decisions.
 */
#include "suite.h"
#include "svc_v2_fakes.h"

#define LARGE		18432u
#define MIDDLE		9216u
/* Header types that change properties, as an HTYPES mask */
#define CHANGES		(BIT(7) | BIT(8) | BIT(9))

#define W_REQPROP	XID, 2, 32, 7, 0
#define W_UPDPROP	XID, 2, 32, 9, 0
#define W_RESPROP(xid)	(xid), 2, 32, 8, 1
#define W_OUR_RESPROP	XID, 2, GRANT, 8, 1
#define W_LARGER	W_REQPROP, 1, 1, 4, LARGE
#define OUR_XID		be32_to_cpu(conn->properties.x.xid)

KUNIT_DEFINE_ACTION_WRAPPER(stop_action, svc_rdma_properties_stop, struct svc_rdma_conn *);

/* Creates a connection on which both sides have announced property changes. */
static int begin(struct kunit *test)
{
	conn_create(test, 2);
	fake_defer(test, stop_action, conn);
	conn->credits.max = 10;
	changes_announced();
	conn->peer.props.htypes = CHANGES;
	conn->peer.props.recv_size = 4096;
	conn->recvs.floor = RECV_SIZE;
	conn->peer.longest = 4096;
	out.unfit = 18;
	return 0;
}

static void receives(struct kunit *test, const struct words *in)
{
	take(test, in);
	KUNIT_EXPECT_EQ(test, out.served, 0);
}

/* Runs the work item. */
static void works(void)
{
	rpcrdma_exchange_work(&conn->properties.x.work.work);
}

/* Long replies make the server ask the requester for larger Receives. */
static void asks(void)
{
	u32 i;

	for (i = 0; i < RPCRDMA_TUNING_LONGS; i++)
		svc_rdma_properties_long_reply(&conn->properties, 9000);
	works();
}

/* Runs the work item after the last Receive was exchanged. */
static void exchanged_all(void)
{
	out.left = 0;
	works();
}

static u32 sent_word(u32 number, u32 word)
{
	return get_unaligned_be32(out.sent[number] + 4 * word);
}

/* The requester asks for larger Receives. */
static const struct words larger = WORDS(W_LARGER);

/* Exchanges all Receives for larger ones, and announces their size. */
static void grown(struct kunit *test)
{
	receives(test, &larger);
	exchanged_all();
	KUNIT_ASSERT_EQ(test, conn->properties.own.recv_size, LARGE);
	KUNIT_ASSERT_FALSE(test, conn->properties.x.growing);
	out.count = 0;
	out.resizes = 0;
}

/* Section 4.3: each request is answered; a malformed request has no effect. */
static void requested(struct kunit *test)
{
	static const struct words in[] = {
		WORDS(W_LARGER),
		WORDS(W_REQPROP, 4, 2, 4, 1, 0xffffff01, 4, 1, 0xffffff02, 4, 0,
		      0xffffff03, 8, 4, 0x80030000),
		WORDS(W_REQPROP, 2, 1, 4, LARGE, 2, 4, 3),
		WORDS(W_REQPROP, 2, 1, 4, LARGE),
	};
	static const struct words answer[] = {
		WORDS(W_OUR_RESPROP, 0, 0, 1, 1),
		WORDS(W_OUR_RESPROP, 1, 0xd, 1, 2, 0),
		WORDS(W_ERROR(2)), WORDS(W_ERROR(2)),
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(in); i++) {
		begin(test);
		receives(test, &in[i]);
		KUNIT_EXPECT_EQ(test, out.count, 1);
		expect_sent(test, 0, &answer[i]);
		KUNIT_EXPECT_EQ(test, out.resizes, !i);
		KUNIT_EXPECT_EQ(test, conn->properties.own.recv_size, RECV_SIZE);
		KUNIT_EXPECT_EQ(test, out.put, 1);
	}
}

/* Header types that were not announced are refused (v2 draft section 5.2). */
static void not_announced(struct kunit *test)
{
	static const struct words in[] = {
		WORDS(W_REQPROP, 0), WORDS(W_UPDPROP, 1, 4, LARGE, 0),
		WORDS(W_UPDPROP, 1, 4),
		/* A response is not answered. */
		WORDS(W_RESPROP(XID), 0, 0, 0), WORDS(W_RESPROP(XID), 0, 0),
		WORDS(XID, 2, 32, 4, 1, 3),
	};
	u32 i;

	conn->properties.on = false;
	for (i = 0; i < ARRAY_SIZE(in); i++)
		receives(test, &in[i]);
	KUNIT_EXPECT_EQ(test, out.count, 3);
	for (i = 0; i < 3; i++)
		EXPECT_SENT(i, W_ERROR(3));
	KUNIT_EXPECT_EQ(test, out.errors, 1);
	KUNIT_EXPECT_EQ(test, conn->peer.longest, 4096);
}

/* A larger size is announced after all Receives were exchanged, and kept. */
static void grows(struct kunit *test)
{
	receives(test, &larger);
	KUNIT_EXPECT_EQ(test, conn->recvs.size, LARGE);
	KUNIT_EXPECT_EQ(test, conn->recvs.floor, RECV_SIZE);
	/* Only arriving messages continue the exchange. */
	KUNIT_EXPECT_EQ(test, exchange_work.kicks, 0);
	KUNIT_EXPECT_EQ(test, out.count, 1);

	exchanged_all();
	KUNIT_EXPECT_EQ(test, out.count, 2);
	KUNIT_EXPECT_EQ(test, out.len[1], 36);
	KUNIT_EXPECT_EQ(test, sent_word(1, 2), GRANT);
	KUNIT_EXPECT_EQ(test, sent_word(1, 3), RPCRDMA2_UPDPROP);
	KUNIT_EXPECT_EQ(test, sent_word(1, 7), LARGE);
	KUNIT_EXPECT_EQ(test, sent_word(1, 8), 1);
	KUNIT_EXPECT_EQ(test, conn->recvs.floor, LARGE);
	KUNIT_EXPECT_FALSE(test, conn->properties.x.growing);
	KUNIT_EXPECT_EQ(test, exchange_work.delay, 0);
	KUNIT_EXPECT_EQ(test, out.resizes, 1);
}

/* An error for the server's request ends it; other errors go to callbacks. */
static void error_answer(struct kunit *test)
{
	struct words in;

	grown(test);
	asks();
	KUNIT_ASSERT_EQ(test, out.count, 1);
	in = (struct words)WORDS(OUR_XID + 1, 2, 32, 4, 1, 3);
	receives(test, &in);
	KUNIT_EXPECT_EQ(test, out.errors, 1);
	KUNIT_EXPECT_FALSE(test, conn->properties.x.failed);
	in.w[0] = OUR_XID;
	receives(test, &in);
	KUNIT_EXPECT_EQ(test, out.errors, 1);
	KUNIT_EXPECT_TRUE(test, conn->properties.x.failed);
	receives(test, &in);
	KUNIT_EXPECT_EQ(test, out.errors, 2);
	/* Larger Receives stay posted. */
	KUNIT_EXPECT_EQ(test, conn->recvs.size, LARGE);
	KUNIT_EXPECT_EQ(test, conn->recvs.floor, LARGE);
	KUNIT_EXPECT_EQ(test, fake_closed, 0);
}

/* A malformed answer or error ends the server's request, without a reply. */
static void answer_malformed(struct kunit *test)
{
	struct words in;
	u32 i;

	for (i = 0; i < 2; i++) {
		begin(test);
		asks();
		KUNIT_ASSERT_EQ(test, conn->properties.x.wanted, MIDDLE);
		in = i ? (struct words)WORDS(OUR_XID, 2, 32, 4, 1) :
			 (struct words)WORDS(W_RESPROP(OUR_XID), 0, 0);
		receives(test, &in);
		KUNIT_EXPECT_EQ(test, conn->properties.x.wanted, 0);
		KUNIT_EXPECT_EQ(test, conn->properties.x.failed, i);
		KUNIT_EXPECT_EQ(test, out.count, 1);
	}
}

static void long_replies(struct kunit *test)
{
	asks();
	KUNIT_EXPECT_EQ(test, exchange_work.kicks, 1);
	KUNIT_EXPECT_EQ(test, out.count, 1);
	KUNIT_EXPECT_EQ(test, sent_word(0, 3), RPCRDMA2_REQPROP);
	KUNIT_EXPECT_EQ(test, sent_word(0, 8), MIDDLE);
	/* The end of an exchange of Receives queues the work item, too. */
	svc_rdma_properties_resized(conn);
	KUNIT_EXPECT_EQ(test, exchange_work.kicks, 2);
}

/* Section 4.4: the requester's new properties, and the server's limits then */
static const struct {
	const char *name;
	u32 property, value, send_size;
	bool remote_inv, read_replies, incapable;
} updates[] = {
	{ "larger", 1, MIDDLE, MIDDLE, true },
	{ "smaller", 1, 2000, 2000, true },
	{ "tiny", 1, 1, RPCRDMA2_RECV_MIN, true },
	{ "enormous", 1, ~0u, SVC_RDMA_SEND_MAX, true },
	{ "unknown", 0x1234, 7, 4096, true },
	{ "remote invalidation", 0xffffff01, 1, 4096, true },
	{ "no remote invalidation", 0xffffff01, 0, 4096, false },
	{ "not allowed", 0xffffff01, 1, 4096, .incapable = true },
	{ "replies in Read chunks", 0xffffff02, 1, 4096, true, true },
	{ "impossible", 0xffffff02, 1, 4096, true, .incapable = true },
};

KUNIT_ARRAY_PARAM_DESC(update, updates, name);

static void updated(struct kunit *test)
{
	const typeof(updates[0]) *c = test->param_value;
	struct words in = WORDS(W_UPDPROP, c->property, 4, c->value, 0);

	conn->caps.advertise = !c->incapable;
	conn->caps.invalidate = !c->incapable;
	receives(test, &in);
	KUNIT_EXPECT_EQ(test, conn->peer.longest, c->send_size);
	KUNIT_EXPECT_EQ(test, conn->peer.remote_inv, c->remote_inv);
	KUNIT_EXPECT_EQ(test, conn->peer.read_replies, c->read_replies);
	KUNIT_EXPECT_EQ(test, out.count, 0);
}

/* Without memory for a message, the server closes the connection. */
static void no_memory(struct kunit *test)
{
	static const struct words in = WORDS(W_REQPROP, 0);

	fake_send = NULL;
	receives(test, &in);
	KUNIT_EXPECT_EQ(test, fake_closed, 1);
	KUNIT_EXPECT_EQ(test, fake_cause, RPCRDMA_CAUSE(MEMORY, SEND));
	KUNIT_EXPECT_EQ(test, out.count, 0);
}

/* The server repeats its current properties, not its first ones. */
static void told_again(struct kunit *test)
{
	static const struct words in = WORDS(W_CONNPROP, 0);
	const struct rpcrdma_props *own = &conn->properties.own;

	conn->peer.known = true;
	grown(test);
	receives(test, &in);
	KUNIT_ASSERT_EQ(test, out.count, 1);
	KUNIT_EXPECT_EQ(test, own->recv_size, LARGE);
	KUNIT_EXPECT_EQ(test, own->htypes, CHANGES);
	KUNIT_EXPECT_EQ(test, own->nochange & RPCRDMA_PROPS_RBSIZ, 0);

	/* With tuning disabled, new connections do not announce changes. */
	svc_rdma_tuning = false;
	conn->properties.on = false;
	svc_rdma_properties_begin(conn);
	svc_rdma_props_begin(conn);
	KUNIT_EXPECT_EQ(test, own->htypes, 0);
	KUNIT_EXPECT_NE(test, own->nochange & RPCRDMA_PROPS_RBSIZ, 0);
	svc_rdma_tuning = true;
}

static struct kunit_case prop_cases[] = {
	KUNIT_CASE(requested),
	KUNIT_CASE(not_announced),
	KUNIT_CASE(grows),
	KUNIT_CASE(answer_malformed),
	KUNIT_CASE(error_answer),
	KUNIT_CASE(long_replies),
	KUNIT_CASE_PARAM(updated, update_gen_params),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(told_again),
	{}
};

SUITE("svc_rdma_properties", prop_cases, .init = begin);
