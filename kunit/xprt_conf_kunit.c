// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the client announces its limits to the server. Whatever the server
 * answers, the connection stays within the limits of both sides, and survives
 * (RFC 5666 section 6). Otherwise, mounts of servers without this protocol
 * would fail, or the client would send messages that the server cannot receive.
 */
#include "xprt_fakes.h"
#include "fake_control_msg.h"

static u32 fake_grant;

#define xprt_rdma_credit_grant(c, n)	((void)(c), (void)(fake_grant = (n)))

#include "../xprtrdma/message/rpc.c"
#include "../xprtrdma/ext/conf.c"

#define XID		0x0a0b0c0du
#define OTHER_XID	0x0a0b0c0eu
#define GRANT		7
#define NOT_LIMITED	U32_MAX

/* XDR words of answers */
#define HEADER(type)	XID, 1, GRANT, (type)
#define ACCEPTED(stat)	HEADER(0), 0, 0, 0, XID, 1, 0, 0, 0, (stat)

/* Expected limits: bytes in a message, number of RDMA Reads */
#define LIMITS(size, ord)	.ok = true, .send = (size), .reads = (ord)

/* An answer of the server, and the expected state of the connection */
static const struct answer_case {
	const char *name;	/* what is special about the answer */
	u32 words[20];		/* the message */
	u32 count;		/* number of words in the message */
	bool ignored;		/* the message is not an answer to CONF_RDMA */
	bool ok;		/* the client adopts the limits in the answer */
	u32 send;		/* inline threshold for sending afterwards; 0: unchanged */
	u32 align;		/* alignment afterwards */
	u32 reads;		/* limit of RDMA Reads afterwards; 0: NOT_LIMITED */
	bool no_reads;		/* neither side may use RDMA Reads afterwards */
	bool no_grant;		/* the client ignores the credit grant */
} answer_cases[] = {
	/* RFC 5666 section 6.2 */
	{ "the same size", WORDS(ACCEPTED(0), 4096, 4, 16), LIMITS(4096, 16) },
	{ "a smaller size", WORDS(ACCEPTED(0), 2048, 4, 1), LIMITS(2048, 1) },
	{ "a larger size", WORDS(ACCEPTED(0), 65536, 4, 255), LIMITS(4096, 255) },
	{ "no RDMA Reads", WORDS(ACCEPTED(0), 4096, 4, 0), LIMITS(4096, 1), .no_reads = true },
	{ "no size at all", WORDS(ACCEPTED(0), 0, 4, 16), LIMITS(1024, 16) },
	{ "an alignment of a page", WORDS(ACCEPTED(0), 4096, 4096, 16), LIMITS(4096, 16),
	  .align = 4096 },
	{ "the smallest alignment", WORDS(ACCEPTED(0), 4096, 8, 16), LIMITS(4096, 16),
	  .align = 8 },
	{ "an alignment that is none", WORDS(ACCEPTED(0), 4096, 24, 16), LIMITS(4096, 16) },
	{ "an alignment of 0", WORDS(ACCEPTED(0), 4096, 0, 16), LIMITS(4096, 16) },
	{ "an enormous alignment", WORDS(ACCEPTED(0), 4096, 8192, 16), LIMITS(4096, 16) },

	/* RFC 5531 section 9: the server rejects the call. */
	{ "PROG_UNAVAIL", WORDS(ACCEPTED(1)) },
	{ "results that end too soon", WORDS(ACCEPTED(0), 512, 8) },
	{ "the reply to another RPC",
	  WORDS(HEADER(0), 0, 0, 0, OTHER_XID, 1, 0, 0, 0, 0, 512, 8, 0) },
	/* RFC 8166 section 4.5 */
	{ "ERR_CHUNK", WORDS(HEADER(4), 2) },
	{ "a reply in a Reply chunk", WORDS(HEADER(1), 0, 0, 1, 1, 2, 36, 0, 0x1000) },
	{ "a Reply chunk in addition",
	  WORDS(HEADER(0), 0, 0, 1, 0, XID, 1, 0, 0, 0, 0, 512, 8, 0) },
	{ "a Write chunk in addition",
	  WORDS(HEADER(0), 0, 1, 0, 0, 0, XID, 1, 0, 0, 0, 0, 512, 8, 0) },
	{ "a malformed header", WORDS(HEADER(0), 1, 2), .no_grant = true },

	/* Messages that are not answers */
	{ "another XID",
	  WORDS(OTHER_XID, 1, GRANT, 0, 0, 0, 0, OTHER_XID, 1, 0, 0, 0, 0, 512, 8, 0),
	  .ignored = true },
	{ "version 2", WORDS(XID, 2, GRANT, 0, 0, 0, 0), .ignored = true },
	{ "a call with that XID", WORDS(HEADER(0), 0, 0, 0, XID, 0, 2, 0x40000000, 1, 0),
	  .ignored = true },
};

KUNIT_ARRAY_PARAM_DESC(answer_case, answer_cases, name);

static struct xprt_rdma_conn *conn;

/* A connection to a server whose CM private message announced 2 KiB */
static int connection(struct kunit *test)
{
	conn = fake_r_xprt(test)->conn;
	fake_versions[RPCRDMA_VERSION_1].decode = rpcrdma_decode;
	conn->sizes.inline_send = 4096;
	conn->sizes.inline_recv = 8192;
	xprt_rdma_connection_configuration = true;
	xprt_rdma_conf_begin(conn);
	conn->sizes.inline_send = 2048;
	conn->sizes.inline_recv = 2048;
	conn->peer.private = true;
	conn->credits.max = 128;
	conn->peer.ird = 16;
	conn->conf.xid = cpu_to_be32(XID);
	fake_grant = 0;
	conn->peer.ord = NOT_LIMITED;
	return 0;
}

static bool answer(const u32 *words, u32 count)
{
	struct rpcrdma_hdr hdr;
	__be32 msg[20];

	fake_message(msg, words, count);
	return xprt_rdma_conf_reply(conn, &hdr, msg, 4 * count);
}

static void answers(struct kunit *test)
{
	const struct answer_case *c = test->param_value;
	u64 answered = fake_count(conf_answered);
	u64 refused = fake_count(conf_refused);

	KUNIT_EXPECT_EQ(test, answer(c->words, c->count), !c->ignored);

	KUNIT_EXPECT_EQ(test, conn->sizes.inline_send, c->send ?: 2048);
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, 2048);
	KUNIT_EXPECT_EQ(test, conn->peer.align, c->align);
	KUNIT_EXPECT_EQ(test, conn->peer.ord, c->reads ?: NOT_LIMITED);
	KUNIT_EXPECT_EQ(test, conn->peer.no_own_reads, c->no_reads);
	KUNIT_EXPECT_EQ(test, conn->peer.no_reads, c->no_reads);
	KUNIT_EXPECT_EQ(test, fake_grant, c->ignored || c->no_grant ? 0 : GRANT);
	KUNIT_EXPECT_EQ(test, conn->life.answered, !c->ignored);
	KUNIT_EXPECT_EQ(test, fake_count(conf_answered) - answered, c->ok);
	KUNIT_EXPECT_EQ(test, fake_count(conf_refused) - refused, !c->ok && !c->ignored);
}

/*
 * If the server sent no CM private message, the client raises its receive
 * threshold only after the server accepts CONF_RDMA.
 */
static void replies_without_private_message(struct kunit *test)
{
	static const u32 ok[] = { ACCEPTED(0), 4096, 4, 16 };
	static const u32 refused[] = { ACCEPTED(1) };

	conn->peer.private = false;
	conn->sizes.inline_recv = 1024;
	answer(refused, ARRAY_SIZE(refused));
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, 1024);
	answer(ok, ARRAY_SIZE(ok));
	KUNIT_EXPECT_EQ(test, conn->sizes.inline_recv, 8192);
}

/*
 * A message with XID 0 that arrives before CONF_RDMA is sent is not an answer.
 */
static void no_answer_before_call(struct kunit *test)
{
	static const u32 early[] = { 0, 1, GRANT, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4096, 4, 16 };

	conn->conf.xid = 0;
	xprt_rdma_conf_begin(conn);
	KUNIT_EXPECT_FALSE(test, answer(early, ARRAY_SIZE(early)));
	KUNIT_EXPECT_FALSE(test, conn->life.answered);
}

/* The CONF_RDMA call has each word that RFC 5666 section 6.2 specifies. */
static void call_sent(struct kunit *test)
{
	static const u32 want[] = {
		XID, 1, 128, 0, 0, 0, 0,
		XID, 0, 2, 100417, 1, 1, 0, 0, 0, 0, 4096, 8192, 16,
	};
	u32 i;

	fake_sent_len = 0;
	KUNIT_EXPECT_EQ(test, xprt_rdma_conf_send(conn), 0);

	KUNIT_ASSERT_EQ(test, fake_sent_len, sizeof(want));
	for (i = 0; i < ARRAY_SIZE(want); i++)
		KUNIT_EXPECT_EQ_MSG(test, get_unaligned_be32(fake_sent + 4 * i),
				    want[i], "word %u", i);
}

/*
 * The client announces a limit of 0 RDMA Reads, which rules out Read chunks, only
 * if the server cannot issue Reads.
 */
static void reads_told(struct kunit *test)
{
	static const struct { u32 ird; bool none; u32 want; } cases[] = {
		{ 16, false, 16 }, { 1, false, 1 }, { 0, false, 1 },
		{ 0, true, 0 }, { 16, true, 0 },
	};

	for_each_case(c, cases) {
		connection(test);
		conn->peer.ird = c->ird;
		conn->peer.no_reads = c->none;
		xprt_rdma_conf_send(conn);
		KUNIT_EXPECT_EQ(test, get_unaligned_be32(fake_sent + fake_sent_len - 4), c->want);
	}
}

/*
 * The client exchanges limits only in version 1, and only if the module
 * parameter enables it.
 */
static void next_state(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, xprt_rdma_version_next_state(conn), XPRT_RDMA_CONFIGURING);
	fake_set_version(conn, RPCRDMA_VERSION_2);
	KUNIT_EXPECT_EQ(test, xprt_rdma_version_next_state(conn), XPRT_RDMA_CONNECTED);

	conn = fake_r_xprt(test)->conn;
	xprt_rdma_connection_configuration = false;
	xprt_rdma_conf_begin(conn);
	KUNIT_EXPECT_EQ(test, xprt_rdma_version_next_state(conn), XPRT_RDMA_CONNECTED);
}

static struct kunit_case xprt_conf_cases[] = {
	KUNIT_CASE_PARAM(answers, answer_case_gen_params),
	KUNIT_CASE(replies_without_private_message),
	KUNIT_CASE(no_answer_before_call),
	KUNIT_CASE(call_sent),
	KUNIT_CASE(reads_told),
	KUNIT_CASE(next_state),
	{}
};

SUITE("xprt_rdma_conf", xprt_conf_cases, .init = connection);
