// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: svcrdma answers a Connection Configuration Protocol call on the same
 * connection with the server's limits, and applies the client's limits within
 * bounds (RFC 5666 section 6). All other calls go to nfsd. If this failed, the
 * server could send messages that are too long for the client, or too short to
 * be of use.
 */
#include "suite.h"
#include "svc_v2_fakes.h"

#define V1_HDR(type)		XID, 1, 1, (type), 0, 0, 0
#define V1_ANSWER		XID, 1, GRANT, 0, 0, 0, 0, XID, 1, 0, 0, 0
#define W_CONF(vers, proc)	XID, 0, 2, 100417, (vers), (proc)
#define W_NONE			0, 0, 0, 0
#define W_ARGS(call, reply, reads) (call), (reply), (reads)
#define IRD			5
#define RESULTS			4096, 4, IRD

/* A message, and either svcrdma's answer or the call that nfsd gets */
static const struct conf_case {
	const char *name;
	struct words in;	/* the message */
	struct words answer;	/* svcrdma's answer, or NOTHING */
	u32 served;	/* bytes of the call that nfsd gets */
} conf_cases[] = {
	{ "CONF_RDMA",
	  WORDS(V1_HDR(0), W_CONF(1, 1), W_NONE, W_ARGS(4096, 4096, 16)),
	  WORDS(V1_ANSWER, 0, RESULTS) },
	{ "CONF_RDMA in an RDMA_MSGP",
	  WORDS(XID, 1, 1, 2, 8, 1024, 0, 0, 0, W_CONF(1, 1), W_NONE,
		W_ARGS(4096, 4096, 16)), WORDS(V1_ANSWER, 0, RESULTS) },
	{ "NULL", WORDS(V1_HDR(0), W_CONF(1, 0), W_NONE), WORDS(V1_ANSWER, 0) },
	{ "RPCSEC_GSS", WORDS(V1_HDR(0), W_CONF(1, 1), 6, 0, 0, 0,
			      W_ARGS(4096, 4096, 16)),
	  WORDS(XID, 1, GRANT, 0, 0, 0, 0, XID, 1, 1, 1, 2) },

	/* These calls go to nfsd. */
	{ "another program", WORDS(V1_HDR(0), XID, 0, 2, 100003, 1, 1, W_NONE), NOTHING, 40 },
	{ "neither call nor reply", WORDS(V1_HDR(0), XID, 2, 2, 100417), NOTHING, 16 },
	{ "with a Write chunk",
	  WORDS(XID, 1, 1, 0, 0, 1, 1, W_SEG, 0, 0, W_CONF(1, 0), W_NONE),
	  NOTHING, 40 },
	{ "with a Reply chunk",
	  WORDS(XID, 1, 1, 0, 0, 0, 1, 1, W_SEG, W_CONF(1, 0), W_NONE),
	  NOTHING, 40 },
	{ "with an empty Read chunk",
	  WORDS(XID, 1, 1, 0, 1, 4, 0x77, 0, 0, 0x1000, 0, 0, 0, W_CONF(1, 0),
		W_NONE), NOTHING, 40 },
};

KUNIT_ARRAY_PARAM_DESC(conf_case, conf_cases, name);

static int conf_conn(struct kunit *test)
{
	conn_create(test, 1);
	svc_rdma_connection_configuration = true;
	conn->caps.ird = IRD;
	return 0;
}

/* Either svcrdma or nfsd answers a call (RFC 5666 6.2, RFC 5531 9). */
static void answered_or_served(struct kunit *test)
{
	const struct conf_case *c = test->param_value;

	take(test, &c->in);

	KUNIT_EXPECT_EQ(test, out.served, c->served);
	KUNIT_EXPECT_EQ(test, out.count, !!c->answer.n);
	KUNIT_EXPECT_EQ(test, out.put, !!c->answer.n);
	/* The Receive is put back before the answer is posted. */
	KUNIT_EXPECT_EQ(test, out.put_posted, !!c->answer.n);
	KUNIT_EXPECT_EQ(test, fake_count(conf_calls), !!c->answer.n);
	KUNIT_EXPECT_EQ(test, fake_closed, 0);
	if (c->answer.n)
		expect_sent(test, 0, &c->answer);
}

/* Only a valid CONF_RDMA call changes limits. */
static void refused_without_effect(struct kunit *test)
{
	static const struct words calls[] = {
		WORDS(V1_HDR(0), W_CONF(1, 0), W_NONE, W_ARGS(1, 2048, 0)),
		WORDS(V1_HDR(0), W_CONF(2, 1), W_NONE, W_ARGS(1, 2048, 0)),
		WORDS(V1_HDR(0), W_CONF(1, 1), W_NONE, 1, 2048),
		WORDS(V1_HDR(0), W_CONF(1, 1), 6, 0, 0, 0, W_ARGS(1, 2048, 0)),
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		conf_conn(test);
		take(test, &calls[i]);
		KUNIT_EXPECT_EQ(test, out.count, 1);
		KUNIT_EXPECT_EQ(test, conn->peer.longest, 1024);
		KUNIT_EXPECT_EQ(test, out.reads_limits, 0);
	}
}

#ifdef RPCRDMA_EXT_MSGP
/* RFC 5666 section 6.2: only a power of two below the Receive size is sent. */
static void alignment_recommended(struct kunit *test)
{
	static const struct {
		u32 wanted, told;
	} cases[] = {
		{ 0, 4 }, { 8, 8 }, { 512, 512 }, { 768, 4 }, { 2048, 2048 }, { 4096, 4 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct words want = WORDS(V1_ANSWER, 0, 4096, cases[i].told, IRD);

		svc_rdma_receive_alignment = cases[i].wanted;
		TAKE(V1_HDR(0), W_CONF(1, 1), W_NONE, W_ARGS(1, 2048, 0));
		expect_sent(test, i, &want);
	}
	svc_rdma_receive_alignment = 0;
}
#endif

/* Each call sets a Send size between 1 KiB and the administrator's limit. */
static void limits_clamped(struct kunit *test)
{
	static const struct {
		u32 asked, send_size;
	} sizes[] = {
		{ 0, 1024 }, { 1, 1024 }, { 1023, 1024 }, { 1024, 1024 },
		{ 1025, 1025 }, { 4095, 4095 }, { 4096, 4096 }, { 4097, 4096 },
		{ ~0u, 4096 }, { 2048, 2048 },
	};
	struct words call = WORDS(V1_HDR(0), W_CONF(1, 1), W_NONE,
				  W_ARGS(0, 0, 0));
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		out.count = 0;
		call.w[call.n - 3] = sizes[i].asked;
		call.w[call.n - 2] = sizes[i].asked;
		call.w[call.n - 1] = i;
		take(test, &call);
		EXPECT_SENT(0, V1_ANSWER, 0, RESULTS);
		KUNIT_EXPECT_EQ(test, conn->peer.longest, sizes[i].send_size);
		KUNIT_EXPECT_EQ(test, out.reads_limits, i + 1);
		KUNIT_EXPECT_EQ(test, out.reads_limit, i);
		KUNIT_EXPECT_EQ(test, conn->recvs.size, FIRST_SIZE);
	}
}

/* The first answer is sent after posting the first grant's Receives. */
static void answers(struct kunit *test)
{
	conn->ver = version_number(0);
	TAKE(V1_HDR(0), W_CONF(1, 1), W_NONE, W_ARGS(4096, 4096, 16));
	KUNIT_EXPECT_EQ(test, conn->ver->number, 1);
	KUNIT_EXPECT_EQ(test, out.begun, 1);
	EXPECT_SENT(0, V1_ANSWER, 0, RESULTS);

	/* RFC 5666 section 6.2: 0 would forbid Read chunks, so 1 is sent. */
	conf_conn(test);
	conn->caps.ird = 0;
	TAKE(V1_HDR(0), W_CONF(1, 1), W_NONE, W_ARGS(4096, 4096, 16));
	EXPECT_SENT(0, V1_ANSWER, 0, 4096, 4, 1);

	/* Without memory for the answer, the connection is closed. */
	conf_conn(test);
	fake_send = NULL;
	TAKE(V1_HDR(0), W_CONF(1, 0), W_NONE);
	KUNIT_EXPECT_EQ(test, out.served, 0);
	KUNIT_EXPECT_EQ(test, fake_closed, 1);
	KUNIT_EXPECT_EQ(test, out.put, 1);
}

/* If the tunable is off, or in version 2, all calls go to nfsd. */
static void not_available(struct kunit *test)
{
	svc_rdma_connection_configuration = false;
	TAKE(V1_HDR(0), W_CONF(1, 1), W_NONE, W_ARGS(4096, 4096, 16));
	KUNIT_EXPECT_EQ(test, out.served, 52);
	svc_rdma_connection_configuration = true;
	conn_create(test, 2);
	TAKE(W_HEAD(0, 0, 0), 0, 0, 0, W_CONF(1, 1), W_NONE,
	     W_ARGS(4096, 4096, 16));
	KUNIT_EXPECT_EQ(test, out.served, 52);
	KUNIT_EXPECT_EQ(test, out.count, 0);
	KUNIT_EXPECT_EQ(test, out.reads_limits, 0);
}

static struct kunit_case svc_conf_cases[] = {
	KUNIT_CASE_PARAM(answered_or_served, conf_case_gen_params),
	KUNIT_CASE(refused_without_effect),
#ifdef RPCRDMA_EXT_MSGP
	KUNIT_CASE(alignment_recommended),
#endif
	KUNIT_CASE(limits_clamped),
	KUNIT_CASE(answers),
	KUNIT_CASE(not_available),
	{}
};

SUITE("svc_rdma_conf", svc_conf_cases, .init = conf_conn);
