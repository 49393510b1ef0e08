// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: what xprtrdma makes of messages of the reverse direction (RFC 8167
 * section 5.2; v2 draft sections 3.2, 5.2 and 5.3.3).
 */
#include <linux/module.h>

#include "xprt_fakes.h"

#define trace_xprtrdma_bc_call(req)		((void)(req))
#define trace_xprtrdma_bc_reply(req)		((void)(req))
#define trace_xprtrdma_error_sent(c, h, e)	((void)(h), (void)(e))

static u8 fake_sent[64];
static u32 fake_sent_len;

static int fake_control_send(struct xprt_rdma_conn *conn, const void *msg,
			     u32 len)
{
	fake_sent_len = len;
	memcpy(fake_sent, msg, min_t(u32, len, sizeof(fake_sent)));
	return 0;
}

#define xprt_rdma_control_send		fake_control_send
#define xprt_rdma_req_create(rx, gfp)	NULL
#define xprt_rdma_req_destroy(req)	((void)(req))
#define xprt_rdma_req_put(req)		((void)(req))
#define xprt_rdma_regbuf_alloc(...)	(-ENOMEM)
#define xprt_rdma_credit_exempt(rx, r)	((void)(r))
#define xprt_rdma_send_fits(...)	true
#define xprt_rdma_send_prepare(...)	0
#define xprt_rdma_send_post(...)	0
#define xprt_rdma_sq_wait(conn)		(-EAGAIN)

#include "../xprtrdma/backchannel.c"

#define XID	0x11223344u
#define CALL	0
#define REPLY	1

/**
 * struct message_case - a message, and what is made of it
 * @name: what is special about it
 * @version: version of the connection
 * @words: the message
 * @count: words in it
 * @reverse: it belongs to the reverse direction
 * @call: it is a call for the callback service
 * @err: code of the RDMA2_ERROR that answers it; 0: none
 * @value: what that names, if it names anything
 */
struct message_case {
	const char *name;
	u32 version;
	u32 words[20];
	u32 count;
	bool reverse;
	bool call;
	u32 err;
	u32 value;
};

#define V1(type, ...)		{ XID, 1, 1, type, __VA_ARGS__ }
#define V2(type, flags, ...)	{ XID, 2, 1, type, flags, __VA_ARGS__ }

static const struct message_case message_cases[] = {
	/* RFC 8167 section 5.2 */
	{ .name = "v1: a call", .version = 1,
	  .words = V1(0, 0, 0, 0, XID, CALL), .count = 9, .reverse = true,
	  .call = true },
	{ .name = "v1: a reply", .version = 1,
	  .words = V1(0, 0, 0, 0, XID, REPLY), .count = 9 },
	{ .name = "v1: another XID", .version = 1,
	  .words = V1(0, 0, 0, 0, XID + 1, CALL), .count = 9 },
	{ .name = "v1: a Write chunk", .version = 1,
	  .words = V1(0, 0, 1, 1, 5, 8, 0, 0, 0, 0, XID, CALL), .count = 15 },
	{ .name = "v1: too short for a call", .version = 1,
	  .words = V1(0, 0, 0, 0, XID), .count = 8 },
	/* v2 draft section 3.2: the flag tells */
	{ .name = "v2: a call", .version = 2,
	  .words = V2(0, 0, 0, 0, 0, 0, XID, CALL), .count = 11,
	  .reverse = true, .call = true },
	{ .name = "v2: a reply", .version = 2,
	  .words = V2(0, 1, 0, 0, 0, 0, XID, REPLY), .count = 11 },
	{ .name = "v2: flagged as a reply", .version = 2,
	  .words = V2(0, 1, 0, 0, 0, 0, XID, CALL), .count = 11 },
	{ .name = "v2: flagged as a call", .version = 2,
	  .words = V2(0, 0, 0, 0, 0, 0, XID, REPLY), .count = 11,
	  .reverse = true },
	{ .name = "v2: another XID", .version = 2,
	  .words = V2(0, 0, 0, 0, 0, 0, XID + 1, CALL), .count = 11,
	  .reverse = true },
	{ .name = "v2: unknown flags", .version = 2,
	  .words = V2(0, 0xfffffffe, 0, 0, 0, 0, XID, CALL), .count = 11,
	  .reverse = true, .call = true },
	{ .name = "v2: a Reply chunk to spare", .version = 2,
	  .words = V2(0, 0, 0, 0, 0, 1, 1, 5, 8, 0, 0, XID, CALL),
	  .count = 16, .reverse = true, .call = true },
	/* v2 draft section 5.3.3: what a responder answers */
	{ .name = "v2: a Read chunk", .version = 2,
	  .words = V2(0, 0, 0, 1, 40, 5, 8, 0, 0, 0, 0, 0, XID, CALL),
	  .count = 17, .reverse = true, .err = RPCRDMA2_ERR_READ_CHUNKS },
	{ .name = "v2: a long call", .version = 2,
	  .words = V2(1, 0, 0, 1, 0, 5, 8, 0, 0, 0, 0, 0), .count = 15,
	  .reverse = true, .err = RPCRDMA2_ERR_READ_CHUNKS },
	{ .name = "v2: a Write chunk", .version = 2,
	  .words = V2(0, 0, 0, 0, 1, 1, 5, 8, 0, 0, 0, 0, XID, CALL),
	  .count = 17, .reverse = true, .err = RPCRDMA2_ERR_REPLY_RESOURCE },
	{ .name = "v2: a long call without a chunk", .version = 2,
	  .words = V2(1, 0, 0, 0, 0, 0), .count = 9, .reverse = true,
	  .err = RPCRDMA2_ERR_BAD_XDR },
	{ .name = "v2: lists that end too soon", .version = 2,
	  .words = V2(0, 0, 0, 1, 40, 5), .count = 8, .reverse = true,
	  .err = RPCRDMA2_ERR_BAD_XDR },
	{ .name = "v2: MSGP", .version = 2, .words = V2(2, 0, 0), .count = 6,
	  .reverse = true, .err = RPCRDMA2_ERR_INVAL_HTYPE },
	{ .name = "v2: REQPROP", .version = 2, .words = V2(7, 0, 0),
	  .count = 6, .reverse = true, .err = RPCRDMA2_ERR_INVAL_HTYPE },
	{ .name = "v2: a type nobody knows", .version = 2,
	  .words = V2(0xffffffff, 0), .count = 5, .reverse = true,
	  .err = RPCRDMA2_ERR_INVAL_HTYPE },
	{ .name = "v2: malformed properties", .version = 2,
	  .words = V2(5, 0, 9), .count = 6, .reverse = true,
	  .err = RPCRDMA2_ERR_BAD_XDR },
	/* What needs no answer, or must not have one */
	{ .name = "v2: properties", .version = 2, .words = V2(5, 0, 0),
	  .count = 6, .reverse = true },
	{ .name = "v2: an error", .version = 2, .words = V2(4, 0, 9),
	  .count = 6, .reverse = true },
	{ .name = "v2: DONE", .version = 2, .words = V2(3, 0), .count = 5,
	  .reverse = true },
	{ .name = "v2: no flags", .version = 2, .words = V2(0, 0), .count = 4 },
	{ .name = "v2: version 1", .version = 2,
	  .words = V1(0, 0, 0, 0, XID, CALL), .count = 9 },
};

KUNIT_ARRAY_PARAM_DESC(message_case, message_cases, name);

static struct xprt_rdma_rep *receive(struct kunit *test,
				     const struct message_case *c)
{
	struct xprt_rdma_rep *rep = fake_zalloc(test, sizeof(*rep));
	__be32 *msg = fake_zalloc(test, sizeof(c->words));
	u32 i;

	for (i = 0; i < c->count; i++)
		msg[i] = cpu_to_be32(c->words[i]);
	rep->conn = fake_rx(test)->conn;
	rep->conn->version = c->version;
	if (c->version == RPCRDMA_VERSION_1) {
		rep->error = rpcrdma_decode(&rep->hdr, msg, 4 * c->count);
	} else {
		rep->error = rpcrdma_decode_prefix(&rep->hdr, msg,
						   4 * c->count);
		if (!rep->error)
			rep->error = rep->hdr.version == RPCRDMA_VERSION_2 ?
				     rpcrdma_v2_decode(&rep->hdr) :
				     RPCRDMA_EVERSION;
	}
	fake_sent_len = 0;
	return rep;
}

/* The error has the XID and version of what it answers. */
static void check_error(struct kunit *test, const struct message_case *c)
{
	struct rpcrdma_hdr hdr;

	KUNIT_ASSERT_EQ(test, 0, rpcrdma_decode_prefix(&hdr, fake_sent,
						       fake_sent_len));
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_v2_decode(&hdr));
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.xid), XID);
	KUNIT_EXPECT_EQ(test, hdr.version, RPCRDMA_VERSION_2);
	KUNIT_EXPECT_EQ(test, hdr.type, RPCRDMA2_ERROR);
	KUNIT_EXPECT_EQ(test, hdr.flags, RPCRDMA2_F_RESPONSE);
	KUNIT_EXPECT_EQ(test, hdr.err, c->err);
	KUNIT_EXPECT_EQ(test, hdr.err_value, c->value);
}

static void messages(struct kunit *test)
{
	const struct message_case *c = test->param_value;
	struct xprt_rdma_rep *rep = receive(test, c);
	u64 calls = fake_count(bc_calls);

	KUNIT_EXPECT_EQ(test, c->reverse, xprt_rdma_bc_is_call(rep));
	if (!c->reverse)
		return;
	xprt_rdma_bc_receive(rep);
	KUNIT_EXPECT_EQ(test, c->call, fake_count(bc_calls) - calls);
	KUNIT_EXPECT_EQ(test, !!c->err, !!fake_sent_len);
	if (c->err)
		check_error(test, c);
}

static struct kunit_case xprt_reverse_cases[] = {
	KUNIT_CASE_PARAM(messages, message_case_gen_params),
	{}
};

static struct kunit_suite xprt_reverse_suite = {
	.name = "xprt_rdma_reverse",
	.test_cases = xprt_reverse_cases,
};

kunit_test_suite(xprt_reverse_suite);

MODULE_DESCRIPTION("KUnit suite of xprtrdma's reverse direction");
MODULE_LICENSE("GPL");
