// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the server and a requester change their properties while the connection
 * exists (Transport Characteristics draft section 4): every request is answered
 * completely, nothing is announced before it is true, and no Receive becomes
 * smaller before the requester knows. If this failed, a message would not fit
 * into its Receive, and the connection would end.
 */
#include "svc_v2_fakes.h"

#define LARGE		18432u
#define MIDDLE		9216u
#define GRANT_SIZE	LARGE
/* Header types by which properties change, as HTYPES mask */
#define CHANGES		(BIT(7) | BIT(8) | BIT(9))

#define W_REQPROP	XID, 2, 32, 7, 0
#define W_UPDPROP	XID, 2, 32, 9, 0
#define W_RESPROP(xid)	(xid), 2, 32, 8, 1
#define W_OUR_RESPROP	XID, 2, GRANT, 8, 1

/* A connection on which both sides have said that they understand changes */
static struct svc_rdma_conn *changing(struct kunit *test)
{
	struct svc_rdma_conn *conn = conn_create(test, 2);

	conn->change.enabled = true;
	conn->peer.props.htypes = CHANGES;
	conn->peer.props.recv_size = 4096;
	conn->recvs.floor = RECV_SIZE;
	conn->sizes.send = 4096;
	out.unfit = 18;
	out.granted = LARGE;
	return conn;
}

static void receives(struct kunit *test, struct svc_rdma_conn *conn,
		     const struct words *in)
{
	int served;

	take(test, conn, in, &served);
	KUNIT_EXPECT_EQ(test, served, 0);
}

/* The work item runs, as it does when all Receives have been exchanged. */
static void exchanged_all(struct svc_rdma_conn *conn)
{
	conn->recvs.unfit = 0;
	svc_rdma_change_work(&conn->change.work.work);
}

static u32 sent_word(u32 number, u32 word)
{
	return get_unaligned_be32(out.sent[number] + 4 * word);
}

static void expect_reqprop(struct kunit *test, u32 number, u32 size)
{
	KUNIT_ASSERT_GT(test, out.count, number);
	KUNIT_EXPECT_EQ(test, sent_word(number, 2), GRANT);
	KUNIT_EXPECT_EQ(test, sent_word(number, 3), RPCRDMA2_REQPROP);
	KUNIT_EXPECT_EQ(test, sent_word(number, 4), 0);
	KUNIT_EXPECT_EQ(test, sent_word(number, 5), !!size);
	KUNIT_EXPECT_EQ(test, out.len[number], size ? 36 : 24);
	if (size) {
		KUNIT_EXPECT_EQ(test, sent_word(number, 6), RPCRDMA2_PROP_RBSIZ);
		KUNIT_EXPECT_EQ(test, sent_word(number, 8), size);
	}
}

static void expect_updprop(struct kunit *test, u32 number, u32 size,
			   bool pendclr)
{
	KUNIT_ASSERT_GT(test, out.count, number);
	KUNIT_EXPECT_EQ(test, out.len[number], 36);
	KUNIT_EXPECT_EQ(test, sent_word(number, 3), RPCRDMA2_UPDPROP);
	KUNIT_EXPECT_EQ(test, sent_word(number, 4), 0);
	KUNIT_EXPECT_EQ(test, sent_word(number, 5), RPCRDMA2_PROP_RBSIZ);
	KUNIT_EXPECT_EQ(test, sent_word(number, 6), 4);
	KUNIT_EXPECT_EQ(test, sent_word(number, 7), size);
	KUNIT_EXPECT_EQ(test, sent_word(number, 8), pendclr);
}

/* The requester answers our last request, which had no properties. */
static void answers(struct kunit *test, struct svc_rdma_conn *conn)
{
	struct words in = WORDS(W_RESPROP(conn->change.xid), 0, 0, 0);

	KUNIT_ASSERT_TRUE(test, conn->change.asking);
	receives(test, conn, &in);
}

static void shrink(struct kunit *test, struct svc_rdma_conn *conn, u32 size)
{
	mutex_lock(&conn->change.mutex);
	KUNIT_EXPECT_TRUE(test, svc_rdma_change_shrink_locked(conn, size));
	mutex_unlock(&conn->change.mutex);
}

static int ask(struct svc_rdma_conn *conn, u32 size)
{
	int ret;

	mutex_lock(&conn->change.mutex);
	ret = svc_rdma_change_ask_locked(conn, size);
	mutex_unlock(&conn->change.mutex);
	return ret;
}

/* Section 4.3: what is answered to which properties */
static const struct {
	const char *name;
	struct words in;
	struct words answer;
	u32 asked;
} requests[] = {
	{ "nothing", WORDS(W_REQPROP, 0), WORDS(W_OUR_RESPROP, 0, 0, 0) },
	{ "larger Receives", WORDS(W_REQPROP, 1, 1, 4, LARGE),
	  WORDS(W_OUR_RESPROP, 0, 0, 1, 1), LARGE },
	{ "the size that they have", WORDS(W_REQPROP, 1, 1, 4, RECV_SIZE),
	  WORDS(W_OUR_RESPROP, 1, 1, 0, 0) },
	{ "smaller ones", WORDS(W_REQPROP, 1, 1, 4, 1),
	  WORDS(W_OUR_RESPROP, 1, 1, 0, 0) },
	{ "their default", WORDS(W_REQPROP, 1, 1, 0),
	  WORDS(W_OUR_RESPROP, 1, 1, 0, 0) },
	{ "one that nobody knows", WORDS(W_REQPROP, 1, 0x1234, 4, 1),
	  WORDS(W_OUR_RESPROP, 0, 1, 1, 0) },
	{ "one that never changes", WORDS(W_REQPROP, 1, 2, 4, 2),
	  WORDS(W_OUR_RESPROP, 0, 1, 1, 0) },
	{ "those that never change, as they are",
	  WORDS(W_REQPROP, 4, 2, 4, 1, 0xffffff01, 4, 0, 0xffffff02, 4, 0,
		0xffffff03, 8, 4, 0x80030000),
	  WORDS(W_OUR_RESPROP, 1, 0xf, 0, 0) },
	{ "those that never change, otherwise",
	  WORDS(W_REQPROP, 4, 2, 4, 0, 0xffffff01, 4, 1, 0xffffff02, 4, 1,
		0xffffff03, 8, 4, 0x80000000),
	  WORDS(W_OUR_RESPROP, 0, 1, 0xf, 0) },
	{ "what will not change", WORDS(W_REQPROP, 1, 0xffffff04, 4, 0),
	  WORDS(W_OUR_RESPROP, 0, 1, 1, 0) },
	{ "one of each",
	  WORDS(W_REQPROP, 3, 2, 4, 1, 0x1234, 0, 1, 4, LARGE),
	  WORDS(W_OUR_RESPROP, 1, 1, 1, 2, 1, 4), LARGE },
	{ "larger, twice", WORDS(W_REQPROP, 2, 1, 4, LARGE, 1, 4, LARGE),
	  WORDS(W_OUR_RESPROP, 0, 0, 1, 3), LARGE },
	{ "larger, and larger still",
	  WORDS(W_REQPROP, 2, 1, 4, LARGE, 1, 4, LARGE + 4),
	  WORDS(W_OUR_RESPROP, 0, 1, 2, 1, 1), LARGE },
	{ "good one, bad one", WORDS(W_REQPROP, 2, 1, 4, LARGE, 2, 4, 3),
	  WORDS(W_ERROR(2)) },
	{ "value too short", WORDS(W_REQPROP, 1, 1, 3, LARGE),
	  WORDS(W_ERROR(2)) },
	{ "more than there are", WORDS(W_REQPROP, 2, 1, 4, LARGE),
	  WORDS(W_ERROR(2)) },
};

KUNIT_ARRAY_PARAM_DESC(request, requests, name);

static void requested(struct kunit *test)
{
	const typeof(requests[0]) *request = test->param_value;
	struct svc_rdma_conn *conn = changing(test);

	receives(test, conn, &request->in);
	KUNIT_EXPECT_EQ(test, out.count, 1);
	expect_sent(test, 0, &request->answer);
	KUNIT_EXPECT_EQ(test, out.asked, request->asked);
	KUNIT_EXPECT_EQ(test, out.resizes, !!request->asked);
	KUNIT_EXPECT_EQ(test, conn->change.told, RECV_SIZE);
	KUNIT_EXPECT_EQ(test, conn->change.promised, !!request->asked);
	KUNIT_EXPECT_EQ(test, out.put, 1);
}

/* More properties than are looked at: the others are rejected. */
static void many_requested(struct kunit *test)
{
	static const struct words answer =
		WORDS(W_OUR_RESPROP, 0, 2, ~0u, 0xff, 0);
	struct words in = WORDS(W_REQPROP, 40);
	struct svc_rdma_conn *conn = changing(test);
	u32 i;

	for (i = 0; i < 40; i++) {
		in.w[in.n++] = i < 39 ? 0x4000 + i : RPCRDMA2_PROP_RBSIZ;
		in.w[in.n++] = i < 39 ? 0 : 4;
	}
	in.w[in.n++] = LARGE;
	receives(test, conn, &in);
	expect_sent(test, 0, &answer);
	KUNIT_EXPECT_EQ(test, out.resizes, 0);
}

/* Reasons to reject a request for larger Receives */
static void rejected(struct kunit *test)
{
	static const struct words in = WORDS(W_REQPROP, 1, 1, 4, LARGE);
	static const struct words answer = WORDS(W_OUR_RESPROP, 0, 1, 1, 0);
	struct svc_rdma_conn *conn;
	u64 before;
	u32 i;

	for (i = 0; i < 6; i++) {
		conn = changing(test);
		before = fake_count(changes_rejected);
		if (i == 0)		/* the policy says no */
			out.granted = 0;
		if (i == 1)		/* no memory */
			out.resize_result = -ENOMEM;
		/* section 4: the requester would not understand */
		if (i == 2)
			conn->peer.props.htypes &= ~BIT(RPCRDMA2_UPDPROP);
		if (i == 3)
			conn->peer.props.htypes &= ~BIT(RPCRDMA2_REQPROP);
		if (i == 4)
			conn->change.failed = true;
		if (i == 5)		/* another change is in progress */
			conn->change.state = SVC_RDMA_SIZE_SHRINKING;
		receives(test, conn, &in);
		KUNIT_EXPECT_EQ(test, out.count, 1);
		expect_sent(test, 0, &answer);
		KUNIT_EXPECT_EQ(test, conn->recvs.size, RECV_SIZE);
		KUNIT_EXPECT_FALSE(test, conn->change.promised);
		KUNIT_EXPECT_EQ(test, fake_count(changes_rejected), before + 1);
	}
}

/* Types that were not announced are refused (v2 draft section 5.2). */
static void not_announced(struct kunit *test)
{
	static const struct words reqprop = WORDS(W_REQPROP, 0);
	static const struct words updprop = WORDS(W_UPDPROP, 1, 4, LARGE, 0);
	static const struct words malformed = WORDS(W_UPDPROP, 1, 4);
	static const struct words resprop = WORDS(W_RESPROP(XID), 0, 0, 0);
	static const struct words error = WORDS(W_ERROR(3));
	struct svc_rdma_conn *conn = changing(test);

	conn->change.enabled = false;
	receives(test, conn, &reqprop);
	receives(test, conn, &updprop);
	receives(test, conn, &malformed);
	KUNIT_EXPECT_EQ(test, out.count, 3);
	expect_sent(test, 0, &error);
	expect_sent(test, 1, &error);
	expect_sent(test, 2, &error);
	/* A response is not answered. */
	receives(test, conn, &resprop);
	KUNIT_EXPECT_EQ(test, out.count, 3);
	KUNIT_EXPECT_EQ(test, conn->sizes.send, 4096);
}

/* v2 draft section 3.2: the response flag says whose XID it is. */
static void wrong_flag(struct kunit *test)
{
	static const struct words ins[] = {
		WORDS(XID, 2, 32, 7, 1, 1, 1, 4, LARGE),
		WORDS(XID, 2, 32, 9, 1, 1, 4, LARGE, 0),
		WORDS(XID, 2, 32, 8, 0, 0, 0, 0),
	};
	struct svc_rdma_conn *conn = changing(test);
	u64 before = fake_count(messages_dropped);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ins); i++)
		receives(test, conn, &ins[i]);
	KUNIT_EXPECT_EQ(test, fake_count(messages_dropped),
			before + ARRAY_SIZE(ins));
	KUNIT_EXPECT_EQ(test, out.count, 0);
	KUNIT_EXPECT_EQ(test, out.resizes, 0);
	KUNIT_EXPECT_EQ(test, conn->sizes.send, 4096);
}

/*
 * Growing: pending, then larger Receives, then the announcement, then proof that
 * it was processed.
 */
static void grows(struct kunit *test)
{
	static const struct words in = WORDS(W_REQPROP, 1, 1, 4, LARGE);
	struct svc_rdma_conn *conn = changing(test);

	receives(test, conn, &in);
	KUNIT_EXPECT_EQ(test, conn->change.state, SVC_RDMA_SIZE_GROWING);
	KUNIT_EXPECT_EQ(test, conn->recvs.size, LARGE);
	KUNIT_EXPECT_EQ(test, conn->recvs.floor, RECV_SIZE);
	KUNIT_EXPECT_GT(test, out.delay, 0);
	KUNIT_EXPECT_EQ(test, out.count, 1);

	exchanged_all(conn);
	KUNIT_EXPECT_EQ(test, conn->change.state, SVC_RDMA_SIZE_ANNOUNCED);
	KUNIT_EXPECT_EQ(test, conn->change.told, LARGE);
	KUNIT_EXPECT_EQ(test, conn->recvs.floor, LARGE);
	KUNIT_EXPECT_EQ(test, out.count, 3);
	expect_updprop(test, 1, LARGE, true);
	expect_reqprop(test, 2, 0);

	answers(test, conn);
	KUNIT_EXPECT_EQ(test, conn->change.state, SVC_RDMA_SIZE_STEADY);
	KUNIT_EXPECT_EQ(test, out.count, 3);
	KUNIT_EXPECT_EQ(test, out.resizes, 1);
}

/* Shrinking: announced, processed, and only then smaller Receives */
static void shrinks(struct kunit *test)
{
	struct svc_rdma_conn *conn = changing(test);

	conn->recvs.size = LARGE;
	conn->recvs.floor = LARGE;
	conn->change.told = LARGE;

	shrink(test, conn, RECV_SIZE);
	KUNIT_EXPECT_EQ(test, out.count, 2);
	expect_updprop(test, 0, RECV_SIZE, false);
	expect_reqprop(test, 1, 0);
	KUNIT_EXPECT_EQ(test, conn->recvs.size, LARGE);
	KUNIT_EXPECT_EQ(test, conn->recvs.floor, LARGE);
	/* Nothing but the answer continues it. */
	svc_rdma_change_work(&conn->change.work.work);
	KUNIT_EXPECT_EQ(test, out.resizes, 0);

	answers(test, conn);
	KUNIT_EXPECT_EQ(test, conn->change.state, SVC_RDMA_SIZE_SHRINKING);
	KUNIT_EXPECT_EQ(test, conn->recvs.size, RECV_SIZE);
	KUNIT_EXPECT_EQ(test, conn->recvs.floor, RECV_SIZE);
	exchanged_all(conn);
	KUNIT_EXPECT_EQ(test, conn->change.state, SVC_RDMA_SIZE_STEADY);
	KUNIT_EXPECT_EQ(test, out.count, 2);
}

/* Without memory for smaller Receives, the larger ones stay for a while. */
static void shrinks_later(struct kunit *test)
{
	struct svc_rdma_conn *conn = changing(test);

	conn->recvs.size = LARGE;
	conn->change.told = LARGE;
	shrink(test, conn, RECV_SIZE);
	out.resize_result = -ENOMEM;
	answers(test, conn);
	KUNIT_EXPECT_EQ(test, conn->recvs.size, LARGE);
	KUNIT_EXPECT_EQ(test, conn->change.state, SVC_RDMA_SIZE_SHRINKING);
	KUNIT_EXPECT_GE(test, out.delay, HZ / 2);
	svc_rdma_change_work(&conn->change.work.work);
	KUNIT_EXPECT_EQ(test, conn->recvs.size, LARGE);
	out.resize_result = 0;
	svc_rdma_change_work(&conn->change.work.work);
	KUNIT_EXPECT_EQ(test, conn->recvs.size, RECV_SIZE);
	exchanged_all(conn);
	KUNIT_EXPECT_EQ(test, conn->change.state, SVC_RDMA_SIZE_STEADY);
}

/* Only one change at a time, and only to something smaller */
static void no_shrinking(struct kunit *test)
{
	struct svc_rdma_conn *conn = changing(test);
	u32 state;

	mutex_lock(&conn->change.mutex);
	KUNIT_EXPECT_FALSE(test,
			   svc_rdma_change_shrink_locked(conn, RECV_SIZE));
	for (state = SVC_RDMA_SIZE_GROWING; state <= SVC_RDMA_SIZE_SHRINKING;
	     state++) {
		conn->change.state = state;
		KUNIT_EXPECT_FALSE(test, svc_rdma_change_shrink_locked(conn,
								       4096));
	}
	conn->change.state = SVC_RDMA_SIZE_STEADY;
	conn->change.failed = true;
	KUNIT_EXPECT_FALSE(test, svc_rdma_change_shrink_locked(conn, 4096));
	mutex_unlock(&conn->change.mutex);
	KUNIT_EXPECT_EQ(test, out.count, 0);
}

/*
 * On an idle connection, answers use up the Receives: one request at a time, and
 * no more of them than there are Receives.
 */
static void idle_used_up(struct kunit *test)
{
	static const struct words in = WORDS(W_REQPROP, 1, 1, 4, LARGE);
	struct svc_rdma_conn *conn = changing(test);
	u32 i;

	conn->recvs.total = 5;
	receives(test, conn, &in);
	conn->recvs.unfit = 100;
	svc_rdma_change_work(&conn->change.work.work);
	KUNIT_EXPECT_EQ(test, out.count, 2);
	expect_reqprop(test, 1, 0);
	/* Not before it is answered */
	svc_rdma_change_work(&conn->change.work.work);
	KUNIT_EXPECT_EQ(test, out.count, 2);
	for (i = 1; i < 10; i++) {
		if (conn->change.asking)
			answers(test, conn);
		KUNIT_EXPECT_EQ(test, out.count, min(2 + i, 6u));
	}
	KUNIT_EXPECT_EQ(test, conn->change.state, SVC_RDMA_SIZE_GROWING);
	/* Only what was sent after the announcement shows that it is known. */
	exchanged_all(conn);
	KUNIT_EXPECT_EQ(test, out.count, 8);
	answers(test, conn);
	KUNIT_EXPECT_EQ(test, conn->change.state, SVC_RDMA_SIZE_STEADY);
}

/* A request that was sent before the announcement proves nothing. */
static void early_answer(struct kunit *test)
{
	static const struct words in = WORDS(W_REQPROP, 1, 1, 4, LARGE);
	struct svc_rdma_conn *conn = changing(test);

	receives(test, conn, &in);
	svc_rdma_change_work(&conn->change.work.work);
	expect_reqprop(test, 1, 0);
	exchanged_all(conn);
	KUNIT_EXPECT_EQ(test, out.count, 3);
	expect_updprop(test, 2, LARGE, true);
	answers(test, conn);
	KUNIT_EXPECT_EQ(test, conn->change.state, SVC_RDMA_SIZE_ANNOUNCED);
	KUNIT_EXPECT_EQ(test, out.count, 4);
	expect_reqprop(test, 3, 0);
	answers(test, conn);
	KUNIT_EXPECT_EQ(test, conn->change.state, SVC_RDMA_SIZE_STEADY);
}

/* Section 4.3: the XID of the answer is that of the request. */
static void other_answer(struct kunit *test)
{
	struct svc_rdma_conn *conn = changing(test);
	u64 before = fake_count(messages_dropped);
	struct words in;

	conn->change.told = LARGE;
	conn->recvs.size = LARGE;
	shrink(test, conn, RECV_SIZE);
	in = (struct words)WORDS(W_RESPROP(conn->change.xid + 1), 0, 0, 0);
	receives(test, conn, &in);
	KUNIT_EXPECT_EQ(test, conn->change.state, SVC_RDMA_SIZE_ANNOUNCED);
	answers(test, conn);
	KUNIT_EXPECT_EQ(test, conn->change.state, SVC_RDMA_SIZE_SHRINKING);
	/* An answer counts once. */
	in.w[0] = conn->change.xid;
	receives(test, conn, &in);
	KUNIT_EXPECT_EQ(test, fake_count(messages_dropped), before + 2);
	KUNIT_EXPECT_EQ(test, out.resizes, 1);
}

/* An error instead of an answer: nothing is asked or changed any more. */
static void error_answer(struct kunit *test)
{
	static const struct words request = WORDS(W_REQPROP, 1, 1, 4, LARGE);
	struct svc_rdma_conn *conn = changing(test);
	struct words in;

	KUNIT_EXPECT_EQ(test, ask(conn, MIDDLE), 0);
	/* An error for something else is for the backchannel. */
	in = (struct words)WORDS(conn->change.xid + 1, 2, 32, 4, 1, 3);
	receives(test, conn, &in);
	KUNIT_EXPECT_EQ(test, out.errors, 1);
	KUNIT_EXPECT_FALSE(test, conn->change.failed);
	in.w[0] = conn->change.xid;
	receives(test, conn, &in);
	KUNIT_EXPECT_EQ(test, out.errors, 1);
	KUNIT_EXPECT_TRUE(test, conn->change.failed);
	KUNIT_EXPECT_EQ(test, ask(conn, MIDDLE), -EOPNOTSUPP);
	receives(test, conn, &request);
	KUNIT_EXPECT_EQ(test, out.resizes, 0);
	/* Without a request of ours there is none. */
	receives(test, conn, &in);
	KUNIT_EXPECT_EQ(test, out.errors, 2);
}

/* The same for an announcement that is answered with an error */
static void announcement_refused(struct kunit *test)
{
	struct svc_rdma_conn *conn = changing(test);
	struct words in;

	conn->change.told = LARGE;
	conn->recvs.size = LARGE;
	shrink(test, conn, RECV_SIZE);
	in = (struct words)WORDS(sent_word(0, 0), 2, 32, 4, 1, 2);
	receives(test, conn, &in);
	KUNIT_EXPECT_EQ(test, out.errors, 0);
	KUNIT_EXPECT_TRUE(test, conn->change.failed);
	/* Larger Receives stay posted. */
	KUNIT_EXPECT_EQ(test, conn->recvs.size, LARGE);
	KUNIT_EXPECT_EQ(test, out.resizes, 0);
}

/* Section 4.3: what the requester says to our request for larger Receives */
static const struct {
	const char *name;
	struct words subsets;
	u32 send_size;
	bool refused;
	bool pending;
	bool invalid;
} answer_cases[] = {
	{ "done", WORDS(1, 1, 0, 0), .send_size = MIDDLE },
	{ "done, with words that are zero", WORDS(3, 1, 0, 0, 1, 0, 0),
	  .send_size = MIDDLE },
	{ "rejected", WORDS(0, 1, 1, 0), .send_size = 4096, .refused = true },
	{ "pending", WORDS(0, 0, 1, 1), .send_size = 4096, .pending = true },
	{ "nothing", WORDS(0, 0, 0), .send_size = 4096, .refused = true,
	  .invalid = true },
	{ "done and rejected", WORDS(1, 1, 1, 1, 0), .send_size = 4096,
	  .refused = true, .invalid = true },
	{ "done and pending", WORDS(1, 1, 0, 1, 1), .send_size = 4096,
	  .refused = true, .invalid = true },
	{ "more than was asked", WORDS(1, 3, 0, 0), .send_size = 4096,
	  .refused = true, .invalid = true },
};

KUNIT_ARRAY_PARAM_DESC(answer_case, answer_cases, name);

static void answered(struct kunit *test)
{
	const typeof(answer_cases[0]) *c = test->param_value;
	struct svc_rdma_conn *conn = changing(test);
	u64 before = fake_count(answers_invalid);
	struct words in;
	u32 i;

	KUNIT_EXPECT_EQ(test, ask(conn, MIDDLE), 0);
	expect_reqprop(test, 0, MIDDLE);
	KUNIT_EXPECT_EQ(test, ask(conn, MIDDLE), -EBUSY);
	in = (struct words)WORDS(W_RESPROP(conn->change.xid));
	for (i = 0; i < c->subsets.n; i++)
		in.w[in.n++] = c->subsets.w[i];
	receives(test, conn, &in);
	KUNIT_EXPECT_EQ(test, conn->sizes.send, c->send_size);
	KUNIT_EXPECT_EQ(test, conn->change.refused, c->refused);
	KUNIT_EXPECT_EQ(test, conn->change.pending, c->pending);
	KUNIT_EXPECT_EQ(test, fake_count(answers_invalid), before + c->invalid);
	KUNIT_EXPECT_FALSE(test, conn->change.asking);
	KUNIT_EXPECT_EQ(test, out.count, 1);
	KUNIT_EXPECT_EQ(test, ask(conn, conn->sizes.send), -EALREADY);
	KUNIT_EXPECT_EQ(test, ask(conn, LARGE), c->pending ? -EBUSY : 0);
}

/* What was asked for does not undo what the requester has said meanwhile. */
static void answered_late(struct kunit *test)
{
	static const struct words update = WORDS(W_UPDPROP, 1, 4, LARGE, 0);
	struct svc_rdma_conn *conn = changing(test);
	struct words in;

	KUNIT_EXPECT_EQ(test, ask(conn, MIDDLE), 0);
	receives(test, conn, &update);
	in = (struct words)WORDS(W_RESPROP(conn->change.xid), 1, 1, 0, 0);
	receives(test, conn, &in);
	KUNIT_EXPECT_EQ(test, conn->sizes.send, LARGE);
}

/* A malformed answer cannot be answered, and is a rejection. */
static void answer_malformed(struct kunit *test)
{
	struct svc_rdma_conn *conn = changing(test);
	u64 before = fake_count(answers_invalid);
	struct words in;

	KUNIT_EXPECT_EQ(test, ask(conn, MIDDLE), 0);
	in = (struct words)WORDS(W_RESPROP(conn->change.xid), 1, 1, 0);
	receives(test, conn, &in);
	KUNIT_EXPECT_EQ(test, out.count, 1);
	KUNIT_EXPECT_EQ(test, conn->sizes.send, 4096);
	KUNIT_EXPECT_EQ(test, fake_count(answers_invalid), before + 1);
	KUNIT_EXPECT_EQ(test, ask(conn, MIDDLE), 0);
	/* So is a malformed error. */
	in = (struct words)WORDS(conn->change.xid, 2, 32, 4, 1);
	receives(test, conn, &in);
	KUNIT_EXPECT_FALSE(test, conn->change.asking);
	KUNIT_EXPECT_EQ(test, ask(conn, MIDDLE), -EOPNOTSUPP);
	/* It shows that our announcement has been processed. */
	conn = changing(test);
	conn->change.told = LARGE;
	conn->recvs.size = LARGE;
	shrink(test, conn, RECV_SIZE);
	in = (struct words)WORDS(W_RESPROP(conn->change.xid), 0, 0);
	receives(test, conn, &in);
	KUNIT_EXPECT_EQ(test, conn->change.state, SVC_RDMA_SIZE_SHRINKING);
}

/* A requester has some time to answer, and may not refuse to. */
static void no_answer(struct kunit *test)
{
	struct svc_rdma_conn *conn = changing(test);

	KUNIT_EXPECT_EQ(test, ask(conn, MIDDLE), 0);
	KUNIT_EXPECT_FALSE(test, svc_rdma_change_stuck_locked(conn));
	conn->change.asked_at -= SVC_RDMA_ANSWER_WITHIN + HZ;
	KUNIT_EXPECT_TRUE(test, svc_rdma_change_stuck_locked(conn));
	conn->change.asking = false;
	conn->change.failed = true;
	KUNIT_EXPECT_TRUE(test, svc_rdma_change_stuck_locked(conn));
}

/* Nobody is asked who does not understand, or has said that it will not change. */
static void not_asked(struct kunit *test)
{
	struct svc_rdma_conn *conn = changing(test);

	conn->peer.props.nochange = RPCRDMA_PROPS_RBSIZ;
	KUNIT_EXPECT_EQ(test, ask(conn, MIDDLE), -EOPNOTSUPP);
	conn->peer.props.nochange = RPCRDMA_PROPS_ALL & ~RPCRDMA_PROPS_RBSIZ;
	conn->peer.props.htypes = 0;
	KUNIT_EXPECT_EQ(test, ask(conn, MIDDLE), -EOPNOTSUPP);
	conn->peer.props.htypes = CHANGES;
	conn->change.enabled = false;
	KUNIT_EXPECT_EQ(test, ask(conn, MIDDLE), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, out.count, 0);
	conn->change.enabled = true;
	KUNIT_EXPECT_EQ(test, ask(conn, MIDDLE), 0);
}

/* Section 4.4: properties of the requester's that have changed */
static const struct {
	const char *name;
	struct words in;
	u32 send_size;
	bool remote_inv;
	bool read_replies;
	bool pending;
	bool ignored;
	bool bad;
	u32 nochange;
} updates[] = {
	{ "larger", WORDS(W_UPDPROP, 1, 4, MIDDLE, 0), .send_size = MIDDLE,
	  .pending = true },
	{ "larger, as asked", WORDS(W_UPDPROP, 1, 4, MIDDLE, 1),
	  .send_size = MIDDLE },
	{ "not changed, but not pending", WORDS(W_UPDPROP, 1, 4, 4096, 1),
	  .send_size = 4096 },
	{ "smaller", WORDS(W_UPDPROP, 1, 4, 2000, 0), .send_size = 2000,
	  .pending = true },
	{ "small", WORDS(W_UPDPROP, 1, 4, 512, 0), .send_size = 512,
	  .pending = true },
	{ "tiny", WORDS(W_UPDPROP, 1, 4, 1, 0), .send_size = RPCRDMA2_RECV_MIN,
	  .pending = true },
	{ "enormous", WORDS(W_UPDPROP, 1, 4, ~0u, 0),
	  .send_size = SVC_RDMA_SEND_MAX, .pending = true },
	{ "default", WORDS(W_UPDPROP, 1, 0, 0), .send_size = 4096,
	  .pending = true },
	{ "unknown", WORDS(W_UPDPROP, 0x1234, 4, 7, 1), .send_size = 4096,
	  .pending = true, .ignored = true },
	{ "remote invalidation", WORDS(W_UPDPROP, 0xffffff01, 4, 1, 1),
	  .send_size = 4096, .remote_inv = true, .pending = true },
	{ "no remote invalidation", WORDS(W_UPDPROP, 0xffffff01, 4, 0, 0),
	  .send_size = 4096, .pending = true },
	{ "replies in Read chunks", WORDS(W_UPDPROP, 0xffffff02, 4, 1, 0),
	  .send_size = 4096, .read_replies = true, .pending = true },
	{ "something that should not change",
	  WORDS(W_UPDPROP, 1, 4, MIDDLE, 0), .send_size = 4096,
	  .nochange = RPCRDMA_PROPS_RBSIZ, .pending = true, .ignored = true },
	{ "malformed", WORDS(W_UPDPROP, 1, 3, MIDDLE, 1), .send_size = 4096,
	  .pending = true, .bad = true },
	{ "truncated", WORDS(W_UPDPROP, 1, 4, MIDDLE), .send_size = 4096,
	  .pending = true, .bad = true },
};

KUNIT_ARRAY_PARAM_DESC(update, updates, name);

static void updated(struct kunit *test)
{
	static const struct words error = WORDS(W_ERROR(2));
	const typeof(updates[0]) *c = test->param_value;
	struct svc_rdma_conn *conn = changing(test);
	u64 before = fake_count(updprops_ignored);
	bool inv = c->remote_inv || c->in.w[5] != 0xffffff01;

	conn->caps.advertise = true;
	conn->change.pending = true;
	conn->peer.props.nochange = c->nochange;
	receives(test, conn, &c->in);
	KUNIT_EXPECT_EQ(test, conn->sizes.send, c->send_size);
	KUNIT_EXPECT_EQ(test, conn->peer.remote_inv, inv);
	KUNIT_EXPECT_EQ(test, conn->peer.props.remote_inv, c->remote_inv);
	KUNIT_EXPECT_EQ(test, conn->peer.read_replies, c->read_replies);
	KUNIT_EXPECT_EQ(test, conn->change.pending, c->pending);
	KUNIT_EXPECT_EQ(test, fake_count(updprops_ignored) - before, c->ignored);
	KUNIT_EXPECT_EQ(test, out.count, c->bad);
	if (c->bad)
		expect_sent(test, 0, &error);
}

/* Our own limits hold, whatever the requester says. */
static void updated_within_limits(struct kunit *test)
{
	static const struct words inv = WORDS(W_UPDPROP, 0xffffff01, 4, 1, 0);
	static const struct words read = WORDS(W_UPDPROP, 0xffffff02, 4, 1, 0);
	struct svc_rdma_conn *conn = changing(test);

	conn->caps.invalidate = false;
	receives(test, conn, &inv);
	receives(test, conn, &read);
	KUNIT_EXPECT_FALSE(test, conn->peer.remote_inv);
	KUNIT_EXPECT_FALSE(test, conn->peer.read_replies);
}

/* A connection that is closing changes nothing. */
static void closing(struct kunit *test)
{
	static const struct words in = WORDS(W_REQPROP, 1, 1, 4, LARGE);
	struct svc_rdma_conn *conn = changing(test);

	receives(test, conn, &in);
	atomic_set(&conn->life.state, SVC_RDMA_CLOSING);
	exchanged_all(conn);
	KUNIT_EXPECT_EQ(test, out.count, 1);
	KUNIT_EXPECT_EQ(test, conn->change.told, RECV_SIZE);
}

/* Without memory for a message, the connection ends. */
static void no_memory(struct kunit *test)
{
	static const struct words in = WORDS(W_REQPROP, 0);
	struct svc_rdma_conn *conn = changing(test);

	fake_send = NULL;
	receives(test, conn, &in);
	KUNIT_EXPECT_EQ(test, out.closed, 1);
	conn->change.told = LARGE;
	shrink(test, conn, RECV_SIZE);
	KUNIT_EXPECT_EQ(test, out.closed, 3);
	KUNIT_EXPECT_EQ(test, out.count, 0);
}

/* An answer that is longer than what the requester can receive is not sent. */
static void answer_too_long(struct kunit *test)
{
	struct svc_rdma_conn *conn = changing(test);
	struct rpcrdma_hdr hdr = { .props_count = 100000 };

	conn->sizes.send = 1024;
	mutex_lock(&conn->change.mutex);
	svc_rdma_resprop_send(conn, &hdr, 0, 0);
	mutex_unlock(&conn->change.mutex);
	KUNIT_EXPECT_EQ(test, out.count, 0);
	KUNIT_EXPECT_EQ(test, out.closed, 1);
}

/* The properties that are told again are those that hold now. */
static void told_again(struct kunit *test)
{
	static const struct words in = WORDS(W_CONNPROP, 0);
	struct svc_rdma_conn *conn = changing(test);
	struct rpcrdma_props ours;

	conn->recvs.size = LARGE;
	receives(test, conn, &in);
	KUNIT_ASSERT_EQ(test, out.count, 1);
	svc_rdma_props_own(conn, &ours);
	KUNIT_EXPECT_EQ(test, ours.recv_size, RECV_SIZE);
	KUNIT_EXPECT_EQ(test, ours.htypes, CHANGES);
	KUNIT_EXPECT_EQ(test, ours.nochange & RPCRDMA_PROPS_RBSIZ, 0);
	conn->change.enabled = false;
	svc_rdma_props_own(conn, &ours);
	KUNIT_EXPECT_EQ(test, ours.htypes, 0);
	KUNIT_EXPECT_NE(test, ours.nochange & RPCRDMA_PROPS_RBSIZ, 0);
}

static struct kunit_case svc_prop_change_cases[] = {
	KUNIT_CASE_PARAM(requested, request_gen_params),
	KUNIT_CASE(many_requested),
	KUNIT_CASE(rejected),
	KUNIT_CASE(not_announced),
	KUNIT_CASE(wrong_flag),
	KUNIT_CASE(grows),
	KUNIT_CASE(shrinks),
	KUNIT_CASE(shrinks_later),
	KUNIT_CASE(no_shrinking),
	KUNIT_CASE(idle_used_up),
	KUNIT_CASE(early_answer),
	KUNIT_CASE(other_answer),
	KUNIT_CASE(error_answer),
	KUNIT_CASE(announcement_refused),
	KUNIT_CASE_PARAM(answered, answer_case_gen_params),
	KUNIT_CASE(answered_late),
	KUNIT_CASE(answer_malformed),
	KUNIT_CASE(no_answer),
	KUNIT_CASE(not_asked),
	KUNIT_CASE_PARAM(updated, update_gen_params),
	KUNIT_CASE(updated_within_limits),
	KUNIT_CASE(closing),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(answer_too_long),
	KUNIT_CASE(told_again),
	{}
};

static struct kunit_suite svc_prop_change_suite = {
	.name = "svc_rdma_prop_change",
	.test_cases = svc_prop_change_cases,
};

kunit_test_suite(svc_prop_change_suite);

MODULE_DESCRIPTION("KUnit suite of svcrdma's properties that change");
MODULE_LICENSE("GPL");
