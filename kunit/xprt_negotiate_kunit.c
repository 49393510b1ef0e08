// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: for any answer to the offer of version 2, the connection uses a
 * version that both sides support, and only valid properties (v2 draft sections
 * 4, 5.3.4 and 7). If this failed, mounts of older servers would fail, or the
 * client would send messages that the server cannot receive.
 */
#include <linux/prandom.h>

#include "xprt_fakes.h"
#include "fake_control_msg.h"

static unsigned int fake_max_version = 2;
static bool fake_negotiate = true;
bool xprt_rdma_remote_invalidation = true;
static u32 fake_grant, fake_begun, fake_received;
static bool fake_port_active;

static bool fake_properties_receive(struct xprt_rdma_recv_ctx *recv)
{
	fake_received++;
	return true;
}

#define xprt_rdma_max_version		fake_max_version
#define xprt_rdma_negotiate		fake_negotiate
#define xprt_rdma_credit_grant(c, n)	(fake_grant = (n))
#define xprt_rdma_properties_first(c)	((void)(c), (void)fake_begun++)
#define xprt_rdma_properties_receive		fake_properties_receive

#ifdef RPCRDMA_EXT_PULLED
#include "../xprtrdma/ext/pulled/limits.c"
#endif
#include "../xprtrdma/message/rpc.c"
#include "../xprtrdma/version/v1.c"
#define xprt_rdma_v2_error		NULL
#include "../xprtrdma/version/props.c"
#include "../xprtrdma/version/v2.c"
#define rpcrdma_port_active(id)		((void)(id), fake_port_active)
#include "../xprtrdma/version/negotiate.c"

#ifdef RPCRDMA_EXT_PULLED
#define PULLED		true
#else
#define PULLED		false
#endif
#define XID		0x0a0b0c0du
#define OTHER_XID	0x0a0b0c0eu
#define OUR_RECV	5120u

/* A server's answer to the offer */
struct answer_case {
	const char *name;
	u32 words[16];		/* the answer */
	u32 count;		/* length of the answer in words */
	int rc;			/* expected return value */
	u32 version;		/* version that the connection then uses; 0: none */
	u32 send;		/* inline threshold for sending, with version 2 */
	u32 grant;		/* credits that are granted */
	bool bad;		/* the properties are malformed */
};

#define RESPONSE	RPCRDMA2_F_RESPONSE
#define CONNPROP(...)	WORDS(XID, 2, 33, RPCRDMA2_CONNPROP, RESPONSE, __VA_ARGS__)

static const struct answer_case answer_cases[] = {
	/* v2 draft section 5.3.4: missing properties have defaults */
	{ "no properties", CONNPROP(0), .version = 2, .send = 4096, .grant = 33 },
	{ "a large Receive buffer", CONNPROP(1, 1, 4, 8192), .version = 2, .send = 8192,
	  .grant = 33 },
	{ "an impossible Receive buffer", CONNPROP(1, 1, 4, 16), .version = 2,
	  .send = RPCRDMA2_RECV_MIN, .grant = 33 },
	{ "an endless Receive buffer", CONNPROP(1, 1, 4, 0xffffffff), .version = 2,
	  .send = XPRT_RDMA_INLINE_MAX, .grant = 33 },
	/* v2 draft section 4.1: values of the wrong type */
	{ "a good value, and one of another type", CONNPROP(2, 1, 4, 8192, 2, 4, 3), .version = 2,
	  .send = 4096, .grant = 33, .bad = true },
	{ "a count beyond the message", CONNPROP(5, 1, 4, 9000), .version = 2, .send = 4096,
	  .bad = true },
	/*
	 * v2 draft section 7: properties without the response flag are no
	 * answer and grant no credits.
	 */
	{ "properties that are no response",
	  WORDS(OTHER_XID, 2, 33, RPCRDMA2_CONNPROP, 0, 1, 1, 4, 8192), .rc = -EAGAIN },
	{ "the same with the XID of the offer",
	  WORDS(XID, 2, 33, RPCRDMA2_CONNPROP, 0, 1, 1, 4, 8192), .rc = -EAGAIN },
	{ "properties without flags", WORDS(OTHER_XID, 2, 33, RPCRDMA2_CONNPROP), .rc = -EAGAIN },
	/* v2 draft section 5.3.3: a version 2 server without CONNPROP */
	{ "RDMA2_ERR_INVAL_HTYPE", WORDS(XID, 2, 9, RPCRDMA2_ERROR, RESPONSE, 3), .version = 2,
	  .send = 4096 },
	/*
	 * v2 draft section 7.2, RFC 8166 section 4.5.1: ERR_VERS, in any form
	 */
	{ "ERR_VERS of version 1", WORDS(XID, 1, 9, RPCRDMA_ERROR, 1, 1, 1), .version = 1 },
	{ "ERR_VERS of version 1 that repeats our version",
	  WORDS(XID, 2, 9, RPCRDMA_ERROR, 1, 1, 1), .version = 1 },
	{ "RDMA2_ERR_VERS", WORDS(XID, 2, 9, RPCRDMA2_ERROR, RESPONSE, 1, 1, 1), .version = 1 },
	{ "ERR_VERS with nothing we have", WORDS(XID, 1, 9, RPCRDMA_ERROR, 1, 3, 7),
	  .rc = -EPROTONOSUPPORT },
	{ "ERR_VERS with older versions only", WORDS(XID, 1, 9, RPCRDMA_ERROR, 1, 0, 0),
	  .rc = -EPROTONOSUPPORT },
	{ "ERR_VERS with newer versions, too", WORDS(XID, 1, 9, RPCRDMA_ERROR, 1, 0, 7),
	  .version = 1 },
	/* No version is set */
	{ "an error for something else", WORDS(OTHER_XID, 1, 9, RPCRDMA_ERROR, 1, 1, 1),
	  .rc = -EAGAIN },
	{ "an error of version 2 for something else",
	  WORDS(OTHER_XID, 2, 9, RPCRDMA2_ERROR, RESPONSE, 3), .rc = -EAGAIN },
	{ "ERR_CHUNK", WORDS(XID, 1, 9, RPCRDMA_ERROR, 2), .rc = -EAGAIN },
	{ "a reply", WORDS(XID, 1, 9, RPCRDMA_MSG, 0, 0, 0, XID, 1), .rc = -EAGAIN },
	{ "version 3", WORDS(XID, 3, 9, 5, 0, 0), .rc = -EAGAIN },
	{ "an error that ends too soon", WORDS(XID, 2, 9, RPCRDMA2_ERROR, RESPONSE),
	  .rc = -EAGAIN },
	{ "nothing", .count = 0, .rc = -EAGAIN },
};

KUNIT_ARRAY_PARAM_DESC(answer_case, answer_cases, name);

/* Created anew for each case */
static struct xprt_rdma_conn *conn;
/* Header of the last message */
static struct rpcrdma_hdr hdr;

static int conn_create(struct kunit *test)
{
	conn = fake_r_xprt(test)->conn;
	fake_real_versions();
	fake_set_version(conn, 0);
	conn->offer.xid = cpu_to_be32(XID);
	conn->offer.mode = XPRT_RDMA_NEGOTIATE_PROBE;
	conn->sizes.inline_send = 4096;
	conn->sizes.inline_recv = 4096;
	conn->recvs.size = OUR_RECV;
	conn->credits.max = 128;
	fake_grant = 0;
	return 0;
}

/* An answer sets the connection's version and limits. */
static void answers(struct kunit *test)
{
	const struct answer_case *c = test->param_value;
	u64 bad = fake_count(props_bad);
	__be32 msg[16];

	fake_message(msg, c->words, c->count);
	KUNIT_EXPECT_EQ(test, c->rc,
			xprt_rdma_negotiate_reply(conn, &hdr, msg,
						  4 * c->count));
	KUNIT_EXPECT_EQ(test, fake_version_of(conn), c->version);
	KUNIT_EXPECT_EQ(test, fake_grant, c->grant);
	KUNIT_EXPECT_EQ(test, fake_count(props_bad) - bad, c->bad);
	KUNIT_EXPECT_EQ(test, conn->offer.reason == RPCRDMA_NL_REASON_REFUSED,
			c->version == 1);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_send,
			c->version == 2 ? c->send : 4096);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv,
			c->version == 2 ? OUR_RECV : 4096);
	KUNIT_EXPECT_EQ(test, conn->ver ? conn->ver->hdr_min : 0,
			c->version == 2 ? RPCRDMA2_MIN_SIZE :
			c->version == 1 ? RPCRDMA_V1_MIN_SIZE : 0);
}

/* v2 draft section 7: the offer has at most 1024 bytes and all properties. */
static void offer(struct kunit *test)
{
	struct rpcrdma_props props;

	conn->properties.on = true;
	fake_begun = 0;
	xprt_rdma_negotiate_decide(conn, RPCRDMA_HINT_V1);
	KUNIT_EXPECT_EQ(test, fake_begun, 0);
	xprt_rdma_negotiate_decide(conn, RPCRDMA_HINT_NONE);
	KUNIT_EXPECT_EQ(test, fake_begun, 1);
	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_negotiate_send(conn));
	KUNIT_EXPECT_LE(test, fake_sent_len, RPCRDMA2_FIRST_MAX);
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_decode_v2(&hdr, fake_sent,
						   fake_sent_len));
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.xid), XID);
	KUNIT_EXPECT_EQ(test, hdr.credits, 128);
	KUNIT_EXPECT_EQ(test, hdr.type, RPCRDMA2_CONNPROP);
	KUNIT_EXPECT_EQ(test, hdr.flags, 0);
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_props_decode(&props, &hdr));
	KUNIT_EXPECT_EQ(test, props.recv_size, OUR_RECV);
	KUNIT_EXPECT_EQ(test, props.reverse, RPCRDMA2_RVREQSUP_GENL);
	KUNIT_EXPECT_TRUE(test, props.remote_inv);
	KUNIT_EXPECT_EQ(test, props.read_replies, PULLED);
	KUNIT_EXPECT_EQ(test, props.htypes, PULLED ? BIT(RPCRDMA2_DONE) : 0);
	KUNIT_EXPECT_EQ(test, conn->properties.own.read_replies, PULLED);
}

#ifdef RPCRDMA_EXT_PULLED
/*
 * Reliable-reply draft section 6, RFC 5666 section 6.2: the client offers and
 * uses Read chunks in replies if they are enabled and the peer supports Reads.
 */
static void read_replies(struct kunit *test)
{
	static const u32 answer[] = { XID, 2, 33, RPCRDMA2_CONNPROP, RESPONSE,
				      1, RPCRDMA2_PROP_READ_REPLIES, 4, 1 };
	__be32 msg[ARRAY_SIZE(answer)];
	bool wanted;
	u32 i, j;

	fake_message(msg, answer, ARRAY_SIZE(answer));
	for (i = 0; i < 4; i++) {
		conn_create(test);
		xprt_rdma_read_replies = i & 1 ? XPRT_RDMA_READ_REPLIES_ALL :
						 XPRT_RDMA_READ_REPLIES_OFF;
		xprt_rdma_read_replies_v1 = true;
		conn->peer.no_own_reads = i == 2 || i == 3;
		wanted = xprt_rdma_read_replies && !conn->peer.no_own_reads;

		/* Act and assert: offered and used in either version */
		KUNIT_EXPECT_EQ(test, xprt_rdma_pulled_offer(conn), wanted);
		for (j = 1; j <= 2; j++) {
			conn->fetches.replies = XPRT_RDMA_READ_REPLIES_OFF;
			if (j == 1)
				xprt_rdma_v1_begin(conn);
			else
				xprt_rdma_negotiate_reply(conn, &hdr, msg,
							  sizeof(msg));
			KUNIT_EXPECT_EQ(test, wanted,
					xprt_rdma_pulled_expects(conn, NULL));
		}
	}
	xprt_rdma_read_replies = XPRT_RDMA_READ_REPLIES_SHORT;
	xprt_rdma_read_replies_v1 = false;

	/*
	 * The peer declines Read chunks in replies, or does not mention them.
	 */
	for (i = 0; i < 2; i++) {
		conn_create(test);
		msg[i ? 8 : 5] = 0;
		xprt_rdma_negotiate_reply(conn, &hdr, msg,
					  i ? sizeof(msg) : 24);
		KUNIT_EXPECT_EQ(test, fake_version_of(conn), 2);
		KUNIT_EXPECT_FALSE(test, xprt_rdma_pulled_expects(conn, NULL));
		msg[5] = cpu_to_be32(1);
	}
}
#endif

/*
 * Tunables limit the mode. A server that dropped an offer gets another one only
 * if it hints at version 2.
 */
static void mode_chosen(struct kunit *test)
{
	static const struct {
		u32 max_version;
		bool negotiate;
		u32 age;
		enum xprt_rdma_negotiation want;
	} cases[] = {
		{ 1, true, WITHHOLD, XPRT_RDMA_NEGOTIATE_OFF },
		{ 1, false, WITHHOLD, XPRT_RDMA_NEGOTIATE_OFF },
		{ 2, false, WITHHOLD, XPRT_RDMA_NEGOTIATE_HINT },
		{ 2, true, WITHHOLD - 2, XPRT_RDMA_NEGOTIATE_HINT },
		{ 2, true, WITHHOLD, XPRT_RDMA_NEGOTIATE_PROBE },
	};
	struct xprt_rdma *r_xprt = fake_r_xprt(test);

	for_each_case(c, cases) {
		fake_max_version = c->max_version;
		fake_negotiate = c->negotiate;
		r_xprt->no_offer = ktime_get_seconds() + WITHHOLD - c->age;
		KUNIT_EXPECT_EQ(test, xprt_rdma_negotiate_choose(r_xprt), c->want);
	}
}

/*
 * v2 draft section 7.2: the client remembers only a server that drops the
 * connection before it answers the offer, or between refusing the offer and
 * answering the first call. A silent server may just be busy, one that does not
 * answer CONF_RDMA may not support it, and not all connections are ended by the
 * server.
 */
static void drop_remembered(struct kunit *test)
{
	enum { NONE = RPCRDMA_NL_LOST_NONE, PEER = RPCRDMA_NL_LOST_PEER };
	static const struct {
		u32 version;		/* version in use; 0: none */
		bool sent, answered;	/* calls could be sent; one was answered */
		u32 cause;		/* why the connection ended, if known */
		enum xprt_rdma_state state;
		int error;
		bool want;
		bool not_offered, hint, port_down;
	} cases[] = {
		/* The offer is unanswered. */
		{ 0, false, false, PEER, XPRT_RDMA_FAILED, -ENOTCONN, true },
		{ 0, false, false, NONE, XPRT_RDMA_FAILED, -ENOTCONN, true },
		{ 0, false, false, NONE, XPRT_RDMA_FAILED, -ENOTCONN, false, .port_down = true },
		{ 0, false, false, NONE, XPRT_RDMA_FAILED, -EPROTONOSUPPORT, false },
		{ 0, false, false, NONE, XPRT_RDMA_NEGOTIATING, 0, false },
		{ 0, false, false, RPCRDMA_NL_LOST_DEVICE, XPRT_RDMA_FAILED, -ENOTCONN, false },
		{ 0, false, false, PEER, XPRT_RDMA_FAILED, -ENOTCONN, false, .hint = true },
		{ 0, false, false, PEER, XPRT_RDMA_FAILED, -ENOTCONN, false, .not_offered = true },
		/* The offer was refused. */
		{ 1, true, false, PEER, XPRT_RDMA_FAILED, -ENOTCONN, true },
		{ 1, true, false, RPCRDMA_NL_LOST_WORK, XPRT_RDMA_FAILED, -ENOTCONN, true },
		{ 1, true, false, RPCRDMA_NL_LOST_TIMEOUT, XPRT_RDMA_CONNECTED, 0, true },
		{ 1, true, true, PEER, XPRT_RDMA_FAILED, -ENOTCONN, false },
		/* No call was sent, or this host ended the connection. */
		{ 1, true, false, NONE, XPRT_RDMA_CONNECTED, 0, false },
		{ 1, true, false, RPCRDMA_NL_LOST_ADDRESS, XPRT_RDMA_FAILED, -ENOTCONN, false },
		/* CONF_RDMA is unanswered. */
		{ 1, false, false, NONE, XPRT_RDMA_CONFIGURING, 0, false },
		{ 1, false, false, PEER, XPRT_RDMA_FAILED, -ENOTCONN, false },
		/* The offer was accepted. */
		{ 2, true, false, PEER, XPRT_RDMA_FAILED, -ENOTCONN, false },
	};
	u64 before;

	for_each_case(c, cases) {
		conn_create(test);
		before = fake_count(fallbacks_remembered);
		fake_set_version(conn, c->version);
		conn->offer.made = !c->not_offered;
		conn->peer.hint = c->hint ? RPCRDMA_HINT_V2 : RPCRDMA_HINT_NONE;
		conn->life.since = c->sent;
		conn->life.answered = c->answered;
		conn->life.state = c->state;
		conn->life.error = c->error;
		xprt_rdma_life_blame(&conn->life, rpcrdma_cause(c->cause, 0, 0));
		fake_port_active = !c->port_down;
		xprt_rdma_negotiate_ended(conn);
		KUNIT_EXPECT_EQ_MSG(test, conn->r_xprt->no_offer > ktime_get_seconds(), c->want,
				    "case %td", c - cases);
		KUNIT_EXPECT_EQ(test, fake_count(fallbacks_remembered) - before, c->want);
	}
}

/*
 * Version 2 is offered if the server hints at it, or gives no hint and the mode
 * is to probe. The reason is recorded.
 */
static void hint_decides(struct kunit *test)
{
	enum { TUNABLE = RPCRDMA_NL_REASON_TUNABLE, HINT = RPCRDMA_NL_REASON_HINT,
	       OFFER = RPCRDMA_NL_REASON_OFFER,
	       UNANSWERED = RPCRDMA_NL_REASON_UNANSWERED };
	static const struct { bool made; u32 reason; } want[][RPCRDMA_HINT_V2_OTHER + 1] = {
		[XPRT_RDMA_NEGOTIATE_OFF] = {
			{ false, TUNABLE }, { false, TUNABLE }, { false, TUNABLE },
			{ false, TUNABLE } },
		[XPRT_RDMA_NEGOTIATE_HINT] = {
			{ false, UNANSWERED }, { false, HINT }, { true, HINT }, { false, HINT } },
		[XPRT_RDMA_NEGOTIATE_PROBE] = {
			{ true, OFFER }, { false, HINT }, { true, HINT }, { false, HINT } },
	};
	u32 mode, hint;

	xprt_rdma_negotiate = true;
	for (mode = 0; mode < ARRAY_SIZE(want); mode++) {
		for (hint = 0; hint < ARRAY_SIZE(want[0]); hint++) {
			conn_create(test);
			xprt_rdma_offer_init(&conn->offer, mode);
			xprt_rdma_negotiate_decide(conn, hint);
			KUNIT_EXPECT_EQ(test, conn->offer.made, want[mode][hint].made);
			KUNIT_EXPECT_EQ(test, conn->offer.reason, want[mode][hint].reason);
			KUNIT_EXPECT_EQ(test, conn->peer.hint, hint);
		}
	}

	/* If the tunable prevents the offer, it is the recorded reason. */
	xprt_rdma_negotiate = false;
	conn_create(test);
	xprt_rdma_offer_init(&conn->offer, XPRT_RDMA_NEGOTIATE_HINT);
	xprt_rdma_negotiate_decide(conn, RPCRDMA_HINT_NONE);
	xprt_rdma_negotiate = true;
	KUNIT_EXPECT_EQ(test, conn->offer.reason, TUNABLE);
}

/* v2 draft section 10.1: after negotiation, other versions are refused. */
static void other_version(struct kunit *test)
{
	static const u32 words[] = { XID, 0, 9, RPCRDMA_MSG, 1, 0, 0, 0, 0, XID, 1 };
	__be32 msg[ARRAY_SIZE(words)];
	u32 ours, theirs;

	fake_message(msg, words, ARRAY_SIZE(words));
	for (ours = 1; ours <= 2; ours++) {
		for (theirs = 0; theirs <= 3; theirs++) {
			fake_set_version(conn, ours);
			msg[1] = cpu_to_be32(theirs);
			msg[4] = cpu_to_be32(ours - 1);
			KUNIT_EXPECT_EQ(test, ours == theirs ?
					0 : RPCRDMA_EVERSION,
					conn->ver->decode(&hdr, msg,
							  sizeof(msg)));
		}
	}
}

/*
 * Transport Characteristics draft section 4: errors and messages that change
 * properties are passed on if their type was announced. v2 draft section 5.3.4:
 * a late CONNPROP, malformed or not, has no effect and does not complete the
 * call with its XID. Without the response flag, it is a request.
 */
static void controls_told_from_replies(struct kunit *test)
{
	bool on, change, late, error;
	u32 type, i;

	fake_set_version(conn, RPCRDMA_VERSION_2);
	for (type = 0; type < 12; type++) {
		for (i = 0; i < 8; i++) {
			struct xprt_rdma_recv_ctx recv = {
				.conn = conn,
				.error = i & 1 ? RPCRDMA_EPROP : 0,
				.hdr = {
					.type = type,
					.flags = i & 2 ? RPCRDMA2_F_RESPONSE : 0,
					.len = RPCRDMA2_PREFIX_SIZE,
				},
			};

			on = i & 4;
			change = rpcrdma_v2_changes_props(type);
			error = type == RPCRDMA2_ERROR;
			late = type == RPCRDMA2_CONNPROP && i & 2;
			conn->properties.on = on;
			fake_received = 0;
			KUNIT_EXPECT_EQ(test, conn->ver->control(&recv),
					late || (on && (change || error)));
			KUNIT_EXPECT_EQ(test, fake_received, on && (change || error));
			KUNIT_EXPECT_EQ(test, recv.error == RPCRDMA_ETYPE, change && !on);
			KUNIT_EXPECT_EQ(test, conn->ver->is_call(&recv), !(i & 2));
		}
	}
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_send, 4096);
}

static struct kunit_case xprt_negotiate_cases[] = {
	KUNIT_CASE_PARAM(answers, answer_case_gen_params),
	KUNIT_CASE(offer),
#ifdef RPCRDMA_EXT_PULLED
	KUNIT_CASE(read_replies),
#endif
	KUNIT_CASE(mode_chosen),
	KUNIT_CASE(drop_remembered),
	KUNIT_CASE(hint_decides),
	KUNIT_CASE(other_version),
	KUNIT_CASE(controls_told_from_replies),
	{}
};

SUITE("xprt_rdma_negotiate", xprt_negotiate_cases, .init = conn_create);
