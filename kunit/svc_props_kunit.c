// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: svcrdma and its requesters tell each other their transport properties,
 * once and correctly (v2 draft sections 4 and 5.3.4), and replies in Read
 * chunks are used only if both want them. If this failed, a client would be
 * sent messages larger than its buffers, or of a type that it does not know.
 */
#include "suite.h"
#include "svc_v2_fakes.h"

/* Sections 4.1 and 4.2: sets of properties, and what follows for replies */
static const struct {
	const char *name;
	struct words in;
	bool bad;
	u32 send_size, reverse;
} sets[] = {
	{ "nothing", WORDS(W_CONNPROP, 0), false, 4096, 1 },
	{ "Receive Buffer Size", WORDS(W_CONNPROP, 1, 1, 4, 8192), false, 8192, 1 },
	{ "both", WORDS(W_CONNPROP, 2, 2, 4, 0, 1, 4, 6000), false, 6000, 0 },
	{ "general reverse requests", WORDS(W_CONNPROP, 1, 2, 4, 2), false, 4096, 2 },
	{ "no buffer at all", WORDS(W_CONNPROP, 1, 1, 4, 0), false, 128, 1 },
	{ "a small buffer", WORDS(W_CONNPROP, 1, 1, 4, 512), false, 512, 1 },
	{ "an enormous buffer", WORDS(W_CONNPROP, 1, 1, 4, ~0u), false, 65536, 1 },
	{ "good one, bad one", WORDS(W_CONNPROP, 2, 1, 4, 8192, 2, 4, 3), true },
	{ "more than there are", WORDS(W_CONNPROP, 2, 1, 4, 8192), true },
};

KUNIT_ARRAY_PARAM_DESC(set, sets, name);

static void properties(struct kunit *test)
{
	static const struct words answer = WORDS(W_ANSWER);
	static const struct words error = WORDS(W_ERROR(2));
	const typeof(sets[0]) *set = test->param_value;

	take(test, &set->in);
	KUNIT_EXPECT_EQ(test, out.served, 0);
	KUNIT_EXPECT_EQ(test, out.count, 1);
	expect_sent(test, 0, set->bad ? &error : &answer);
	/* Section 5.3.3: no property of a malformed message is used. */
	KUNIT_EXPECT_EQ(test, conn->peer.longest,
			set->bad ? 4096 : set->send_size);
	KUNIT_EXPECT_EQ(test, conn->peer.props.reverse, set->bad ? 1 : set->reverse);
	KUNIT_EXPECT_EQ(test, conn->peer.known, !set->bad);
}

/* Section 5.3.4: a second request is answered with the same properties. */
static void properties_twice(struct kunit *test)
{
	TAKE(W_CONNPROP, 1, 1, 4, 8192);
	TAKE(W_CONNPROP, 1, 1, 4, 2048);
	KUNIT_EXPECT_EQ(test, out.count, 2);
	EXPECT_SENT(1, W_ANSWER);
	KUNIT_EXPECT_EQ(test, conn->peer.longest, 8192);
}

/* Section 7: one that starts with a call may ask for properties later. */
static void properties_late(struct kunit *test)
{
	TAKE(W_HEAD(0, 0, 0), 0, 0, 0, W_CALL);
	KUNIT_EXPECT_EQ(test, out.served, 16);
	KUNIT_EXPECT_EQ(test, conn->peer.longest, 4096);
	TAKE(W_HEAD(0, 0, 0), 0, 0, 0, W_CALL);
	KUNIT_EXPECT_EQ(test, out.count, 0);
	TAKE(W_CONNPROP, 1, 1, 4, 8192);
	KUNIT_EXPECT_EQ(test, out.count, 1);
	EXPECT_SENT(0, W_ANSWER);
	KUNIT_EXPECT_EQ(test, conn->peer.longest, 8192);
}

/* A response without a request is not answered. */
static void properties_response(struct kunit *test)
{
	conn_create(test, 2);
	TAKE(XID, 2, 1, 5, 1, 1, 1, 3, 6000);
	TAKE(XID, 2, 1, 5, 1, 1, 1, 4, 6000);
	KUNIT_EXPECT_EQ(test, out.count, 0);
	KUNIT_EXPECT_EQ(test, fake_closed, 0);
	KUNIT_EXPECT_EQ(test, conn->peer.longest, 6000);
}

#ifdef RPCRDMA_EXT_PROPERTIES
/* Section 5.3.4: the Receive Buffer Size is sent even if it is the default. */
static void properties_default(struct kunit *test)
{
	changes_announced();
	svc_rdma_receive_buffer_size = RPCRDMA2_INLINE_DEFAULT;
	TAKE(W_CONNPROP, 0);
	svc_rdma_receive_buffer_size = RECV_SIZE;
	EXPECT_SENT(0, XID, 2, GRANT, 5, 1, 6, 1, 4, 4096, 2, 4, 1, 0xffffff01,
		    4, 0, 0xffffff02, 4, 0, 0xffffff03, 8, 4, 0x80030000,
		    0xffffff04, 8, 1, 0x1e);
}
#endif

/* Replies in Read chunks: if the requester asks for them and we may */
static void read_replies(struct kunit *test)
{
	static const struct words answers[] = {
		WORDS(W_ANSWER), WORDS(W_ANSWER_WITH(RECV_SIZE, 1, 0x08000000)),
	};
	static const struct {
		struct words in;
		bool can, wanted;
	} cases[] = {
		{ WORDS(W_CONNPROP, 1, 0xffffff02, 4, 1), true, true },
		{ WORDS(W_CONNPROP, 1, 0xffffff02, 4, 0), true, false },
		{ WORDS(W_CONNPROP, 0), true, false },
		{ WORDS(W_CONNPROP, 1, 0xffffff02, 4, 1), false, false },
	};
	u32 i;

	for_each_case(c, cases) {
		conn_create(test, 0);
		conn->caps.advertise = c->can;
		conn->caps.advertise_v1 = true;
		take(test, &c->in);
		expect_sent(test, 0, &answers[c->can]);
		KUNIT_EXPECT_EQ(test, conn->peer.read_replies, c->wanted);
	}

	/* RFC 5666 section 3.4: in version 1 only the administrator decides. */
	for (i = 0; i < 2; i++) {
		conn_create(test, 0);
		conn->caps.advertise = true;
		conn->caps.advertise_v1 = i;
		TAKE(W_V1_CALL);
		KUNIT_EXPECT_EQ(test, conn->peer.read_replies, i);
	}
}

/* An OPTIONAL message type that the server has announced; svc_v2_kunit.c: others */
static void done(struct kunit *test)
{
	conn_create(test, 1);
	TAKE(XID, 1, 1, 3);
	KUNIT_EXPECT_EQ(test, out.dones, 1);

	conn_create(test, 2);
	conn->caps.advertise = true;
	TAKE(XID, 2, 1, 3, 0);
	KUNIT_EXPECT_EQ(test, out.dones, 1);
	TAKE(XID, 2, 1, 3, 1);
	KUNIT_EXPECT_EQ(test, out.dones, 1);
	KUNIT_EXPECT_EQ(test, out.count, 0);
}

#ifdef RPCRDMA_EXT_PULLED
/* RFC 5666 section 11: RDMA_DONEs due lower the grant, never to zero. */
static void grant_without_dones(struct kunit *test)
{
	static const struct {
		u32 grant, awaiting_done, credits;
	} cases[] = {
		{ 8, 0, 8 }, { 8, 1, 7 }, { 8, 7, 1 }, { 8, 8, 1 },
		{ 8, 64, 1 }, { 8, ~0u, 1 }, { 1, 0, 1 }, { 1, 1, 1 },
		{ 64, 63, 1 }, { 64, 62, 2 },
	};
	struct svc_rdma_recv_ctx *recv = fake_zalloc(test, sizeof(*recv));

	recv->fault.code = RPCRDMA2_ERR_BAD_XDR;
	for_each_case(c, cases) {
		conn_create(test, 2);
		conn->credits.grant = c->grant;
		conn->adverts.awaiting_done = c->awaiting_done;
		KUNIT_EXPECT_EQ(test, svc_rdma_credits(conn), c->credits);
		TAKE(W_CONNPROP, 0);
		svc_rdma_error_send(fake_send_get(conn), recv);
		KUNIT_ASSERT_EQ(test, out.count, 2);
		KUNIT_EXPECT_EQ(test, get_unaligned_be32(out.sent[0] + 8), c->credits);
		KUNIT_EXPECT_EQ(test, get_unaligned_be32(out.sent[1] + 8), c->credits);
	}
}
#endif

static struct kunit_case svc_props_cases[] = {
	KUNIT_CASE_PARAM(properties, set_gen_params),
	KUNIT_CASE(properties_twice),
	KUNIT_CASE(properties_late),
	KUNIT_CASE(properties_response),
#ifdef RPCRDMA_EXT_PROPERTIES
	KUNIT_CASE(properties_default),
#endif
	KUNIT_CASE(read_replies),
	KUNIT_CASE(done),
#ifdef RPCRDMA_EXT_PULLED
	KUNIT_CASE(grant_without_dones),
#endif
	{}
};

SUITE("svc_rdma_props", svc_props_cases, .init = begin_case);
