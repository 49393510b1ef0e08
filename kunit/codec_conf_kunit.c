// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: calls and replies of the Connection Configuration Protocol are encoded
 * and decoded exactly, and every call is answered as RFC 5531 requires (RFC
 * 5666 section 6.2). If this failed, a client would get wrong limits, or a
 * malformed call would be read beyond its end.
 */
#include <rpcrdma/conf.h>

#include "suite.h"
#include "codec_vectors.h"

#define XID		0x10417u
#define PROG		100417u
#define MAX_WORDS	120

/* Parts of a call: before the credential; credentials and verifiers; arguments */
#define CALL(vers, proc)	XID, 0, 2, PROG, (vers), (proc)
#define NONE			0, 0
#define SYS			1, 20, 7, 0, 0, 0, 0
#define ARGS			4096, 2048, 16

#define ACCEPTED(stat)		XID, 1, 0, NONE, (stat)

struct call_vector {
	const char *name;
	u32 words[MAX_WORDS];	/* the call */
	u32 n;	/* number of @words in use */
	enum rpcrdma_conf_status status;	/* outcome */
	u32 auth_stat;	/* why it is refused */
	u32 answer[9];	/* the reply, if the results are 8192, 64, 5 */
	u32 nanswer;	/* number of entries of @answer in use */
};

/* An array of words, and their number */
#define N(...)		ARRAY_SIZE(((u32[]){ __VA_ARGS__ }))
#define WORDS(...)	.words = { __VA_ARGS__ }, .n = N(__VA_ARGS__)
#define ANSWER(...)	.answer = { __VA_ARGS__ }, .nanswer = N(__VA_ARGS__)

#define SUCCESS		.status = RPCRDMA_CONF_SUCCESS,			\
			ANSWER(ACCEPTED(0), 8192, 64, 5)
#define GARBAGE		.status = RPCRDMA_CONF_GARBAGE_ARGS, ANSWER(ACCEPTED(4))
#define REFUSED(stat)	.status = RPCRDMA_CONF_AUTH_ERROR, .auth_stat = (stat), \
			ANSWER(XID, 1, 1, 1, (stat))

static const struct call_vector call_vectors[] = {
	{ "AUTH_NONE", WORDS(CALL(1, 1), NONE, NONE, ARGS), SUCCESS },
	{ "AUTH_SYS", WORDS(CALL(1, 1), SYS, NONE, ARGS), SUCCESS },
	{ "the longest credential",
	  .words = { CALL(1, 1), 0, 400, [110] = ARGS }, .n = 113, SUCCESS },
	{ "bytes behind the arguments", WORDS(CALL(1, 1), NONE, NONE, ARGS, 77), SUCCESS },
	{ "NULL", WORDS(CALL(1, 0), NONE, NONE),
	  .status = RPCRDMA_CONF_SUCCESS, ANSWER(ACCEPTED(0)) },

	/* RFC 5531 section 9: accept_stat */
	{ "NULL of version 2", WORDS(CALL(2, 0), NONE, NONE),
	  .status = RPCRDMA_CONF_PROG_MISMATCH, ANSWER(ACCEPTED(2), 1, 1) },
	{ "procedure 2", WORDS(CALL(1, 2), NONE, NONE, ARGS),
	  .status = RPCRDMA_CONF_PROC_UNAVAIL, ANSWER(ACCEPTED(3)) },
	{ "two arguments", WORDS(CALL(1, 1), NONE, NONE, 4096, 2048), GARBAGE },

	/* RFC 5531 section 9: reject_stat, before anything else is checked */
	{ "RPC version 1", WORDS(XID, 0, 1, PROG, 1, 1, NONE, NONE, ARGS),
	  .status = RPCRDMA_CONF_RPC_MISMATCH, ANSWER(XID, 1, 1, 0, 2, 2) },
	{ "RPC version 3, and nothing else", WORDS(XID, 0, 3, PROG),
	  .status = RPCRDMA_CONF_RPC_MISMATCH, ANSWER(XID, 1, 1, 0, 2, 2) },
	{ "no credential", WORDS(CALL(1, 1)), REFUSED(1) },
	{ "a credential of 401 bytes", .words = { CALL(1, 1), 0, 401, [111] = ARGS }, .n = 114,
	  REFUSED(1) },
	{ "a credential of 4 GiB", WORDS(CALL(1, 1), 0, ~0u), REFUSED(1) },
	{ "a credential beyond the end", WORDS(CALL(1, 1), 0, 400, 1), REFUSED(1) },
	{ "RPCSEC_GSS", WORDS(CALL(1, 1), 6, 4, 1, NONE, ARGS), REFUSED(2) },
	{ "no verifier", WORDS(CALL(1, 1), NONE), REFUSED(3) },
	{ "a verifier of AUTH_SYS", WORDS(CALL(1, 1), NONE, SYS, ARGS), REFUSED(3) },
	{ "a verifier that is not empty", WORDS(CALL(1, 1), NONE, 0, 4, 0, ARGS), REFUSED(3) },
	{ "a refused credential of another version", WORDS(CALL(9, 9), 6, 0, NONE), REFUSED(2) },
};

KUNIT_ARRAY_PARAM_DESC(call, call_vectors, name);

static void expect_words(struct kunit *test, const u8 *buf, int len,
			 const u32 *words, u32 n)
{
	u32 i;

	KUNIT_ASSERT_EQ(test, len, (int)(n * RPCRDMA_XDR_UNIT));
	for (i = 0; i < n; i++)
		KUNIT_EXPECT_EQ(test,
				get_unaligned_be32(buf + i * RPCRDMA_XDR_UNIT),
				words[i]);
}

/* Every call gets the answer that RFC 5531 section 9 requires. */
static void calls_answered(struct kunit *test)
{
	static const struct rpcrdma_conf_res res = { 8192, 64, 5 };
	const struct call_vector *v = test->param_value;
	u8 *msg = codec_message(test, v->words, v->n);
	struct rpcrdma_conf_call call;
	struct rpcrdma_encoder enc;
	u8 buf[RPCRDMA_CONF_SIZE];

	memset(&call, 0xff, sizeof(call));
	rpcrdma_conf_call_decode(&call, msg, 4 * v->n);

	KUNIT_EXPECT_EQ(test, call.xid, XID);
	KUNIT_EXPECT_EQ(test, call.status, v->status);
	KUNIT_EXPECT_EQ(test, call.auth_stat, v->auth_stat);
	if (!call.status && call.proc == RPCRDMA_CONF_RDMA) {
		KUNIT_EXPECT_EQ(test, call.req.maxcall_sendsize, 4096);
		KUNIT_EXPECT_EQ(test, call.req.maxreply_sendsize, 2048);
		KUNIT_EXPECT_EQ(test, call.req.maxrdmaread, 16);
	}
	rpcrdma_encode_init(&enc, buf, sizeof(buf));
	rpcrdma_conf_reply_encode(&enc, &call, &res);
	expect_words(test, buf, rpcrdma_encode_finish(&enc), v->answer,
		     v->nanswer);
}

/* A reply to CONF_RDMA and its meaning */
static const struct reply_vector {
	const char *name;
	u32 words[MAX_WORDS];	/* the reply */
	u32 n;	/* number of @words in use */
	int ret;	/* returned by the decoder; if 0, the results are 8192, 64, 5 */
} reply_vectors[] = {
	{ "success", WORDS(ACCEPTED(0), 8192, 64, 5) },
	{ "success with a verifier", WORDS(XID, 1, 0, 6, 5, 1, 2, 0, 8192, 64, 5) },
	{ "bytes behind the results", WORDS(ACCEPTED(0), 8192, 64, 5, 1) },
	{ "PROG_UNAVAIL", WORDS(ACCEPTED(1)), .ret = RPCRDMA_ETYPE },
	{ "RPC_MISMATCH", WORDS(XID, 1, 1, 0, 2, 2), .ret = RPCRDMA_ETYPE },

	{ "nothing", .n = 0, .ret = RPCRDMA_ESHORT },
	{ "another XID", WORDS(XID + 1, 1, 0, NONE, 0, 8192, 64, 5), .ret = RPCRDMA_ETYPE },
	{ "a call", WORDS(CALL(1, 1), NONE, NONE, ARGS), .ret = RPCRDMA_ETYPE },
	{ "reply_stat 2", WORDS(XID, 1, 2, 0, 0, 0), .ret = RPCRDMA_ETYPE },
	{ "accept_stat 6", WORDS(ACCEPTED(6), 8192, 64, 5), .ret = RPCRDMA_ETYPE },
	{ "no verifier", WORDS(XID, 1, 0), .ret = RPCRDMA_ESHORT },
	{ "a verifier of 401 bytes", WORDS(XID, 1, 0, 0, 401), .ret = RPCRDMA_ESHORT },
	{ "a verifier beyond the end", WORDS(XID, 1, 0, 0, 8, 1), .ret = RPCRDMA_ESHORT },
	{ "two results", WORDS(ACCEPTED(0), 8192, 64), .ret = RPCRDMA_ESHORT },
};

KUNIT_ARRAY_PARAM_DESC(reply, reply_vectors, name);

static void replies_decoded(struct kunit *test)
{
	const struct reply_vector *v = test->param_value;
	u8 *msg = codec_message(test, v->words, v->n);
	struct rpcrdma_conf_res res;

	memset(&res, 0xff, sizeof(res));
	KUNIT_EXPECT_EQ(test, rpcrdma_conf_reply_decode(&res, cpu_to_be32(XID),
							msg, 4 * v->n),
			v->ret);

	/* Assert: missing results are 0 */
	if (v->ret) {
		KUNIT_EXPECT_EQ(test, res.maxrdmaread, 0);
		return;
	}
	KUNIT_EXPECT_EQ(test, res.maxcall_sendsize, 8192);
	KUNIT_EXPECT_EQ(test, res.align, 64);
	KUNIT_EXPECT_EQ(test, res.maxrdmaread, 5);
}

/* Calls are encoded word for word as in RFC 5666 section 6.2. */
static void calls_encoded(struct kunit *test)
{
	static const struct rpcrdma_conf_req req = { 4096, 2048, 16 };
	static const u32 conf[] = { CALL(1, 1), NONE, NONE, ARGS };
	struct rpcrdma_encoder enc;
	u8 buf[RPCRDMA_CONF_SIZE];

	rpcrdma_encode_init(&enc, buf, sizeof(buf));
	rpcrdma_conf_call_encode(&enc, cpu_to_be32(XID), &req);
	expect_words(test, buf, rpcrdma_encode_finish(&enc), conf,
		     ARRAY_SIZE(conf));
}

/* True if a message of @type with these @n words of payload is taken for a call. */
static bool found(struct kunit *test, u32 type, const u32 *words, u32 n)
{
	u32 msg[7 + 8] = { XID, 1, 1, type };
	struct rpcrdma_hdr hdr;
	u32 len = 4 * (7 + n);
	u8 *buf;

	memcpy(msg + 7, words, 4 * n);
	buf = codec_message(test, msg, 7 + n);
	KUNIT_ASSERT_EQ(test, rpcrdma_decode(&hdr, buf, len), 0);
	return rpcrdma_conf_is_call(&hdr);
}

/* Calls of this program, complete or not, are distinguished from all others. */
static void found_among_messages(struct kunit *test)
{
	static const u32 conf[] = { CALL(1, 1) };
	static const u32 other[] = { XID, 0, 2, PROG + 1, 1, 1 };
	static const u32 reply[] = { XID, 1, 0, PROG, 1, 1 };
	u32 n;

	for (n = 0; n <= 6; n++) {
		KUNIT_EXPECT_EQ(test, found(test, RPCRDMA_MSG, conf, n),
				n >= 4);
		KUNIT_EXPECT_FALSE(test, found(test, RPCRDMA_MSG, other, n));
		KUNIT_EXPECT_FALSE(test, found(test, RPCRDMA_MSG, reply, n));
	}
}

static struct kunit_case conf_cases[] = {
	KUNIT_CASE_PARAM(calls_answered, call_gen_params),
	KUNIT_CASE_PARAM(replies_decoded, reply_gen_params),
	KUNIT_CASE(calls_encoded),
	KUNIT_CASE(found_among_messages),
	{}
};

SUITE("rpcrdma_conf", conf_cases);
