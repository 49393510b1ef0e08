// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: callbacks and replies too long for inline messages travel in chunks
 * (v2 draft section 4.2.2). The client can access only the callback's memory,
 * and only until the callback is answered or abandoned. A client's invalid
 * answer fails the callback or closes the connection. If this failed, long
 * callbacks would be lost or the server's memory would be open to the client.
 */
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/xprt.h>

#include "suite.h"

#define WITH_CALLBACKS
#include "svc_reply_fakes.h"

/* The callback that sunrpc waits for, and its completion */
static struct ended {
	struct rpc_rqst *waiting;	/* unanswered callback, or NULL */
	u32 completed;	/* times that it was completed */
	int copied;	/* bytes of the reply, or an error */
} ended;

struct svc_xprt_class svc_rdma_xprt_class;

#define xprt_lookup_rqst(xprt, xid) \
	((void)(xprt), ended.waiting && (xid) == ended.waiting->rq_xid ? ended.waiting : NULL)
#define xprt_complete_rqst(task, n) \
	((void)(task), (void)ended.completed++, (void)(ended.copied = (n)), \
	 (void)(ended.waiting = NULL))

#define xprt_pin_rqst(req)	((void)(req))
#define xprt_unpin_rqst(req)	((void)(req))

#include "../svcrdma/ext/pulled/callback_chunks.c"
#include "../svcrdma/callback/backchannel.c"

#define RECV_SIZE	svc_rdma_receive_buffer_size
#define CALL_ROOM	(SEND_SIZE - RPCRDMA2_MIN_SIZE)
#define REPLY_ROOM	(RECV_SIZE - RPCRDMA2_MIN_SIZE)
#define LONG		9000u

/* A callback */
static struct callback {
	struct rpc_xprt xprt;	/* callback transport */
	struct rpc_rqst rqst;	/* callback */
	struct rpc_task task;	/* the callback's task */
	u8 call[SVC_RDMA_BC_SIZE + 4];	/* buffer with the call */
	u8 reply[SVC_RDMA_BC_SIZE + 4];	/* buffer for the reply */
} *cb;

static int begin(struct kunit *test)
{
	u32 i;

	cb = fake_vzalloc(test, sizeof(*cb));
	s = fake_vzalloc(test, sizeof(*s));
	memset(&ended, 0, sizeof(ended));
	fake_version = &svc_rdma_v2;
	connection(test);
	conn->callback_answered = svc_rdma_bc_answered;
	conn->caps.mrs = true;
	conn->peer.props.reverse = RPCRDMA2_RVREQSUP_GENL;
	conn->dev->attrs.max_fast_reg_page_list_len = 16;
	spin_lock_init(&cb->xprt.transport_lock);
	spin_lock_init(&cb->xprt.queue_lock);
	kref_init(&cb->xprt.kref);
	cb->xprt.bc_xprt = &conn->xprt;
	conn->xprt.xpt_bc_xprt = &cb->xprt;
	cb->rqst.rq_xid = cpu_to_be32(XID);
	cb->rqst.rq_task = &cb->task;
	cb->rqst.rq_xprt = &cb->xprt;
	cb->task.tk_rqstp = &cb->rqst;
	for (i = 0; i < sizeof(cb->call); i++)
		cb->call[i] = i % 251;
	return 0;
}

/* Sends a callback of @call bytes, with room for a reply of @reply. */
static int send_callback(u32 call, u32 reply)
{
	outside.len = 0;
	xdr_buf_init(&cb->rqst.rq_snd_buf, cb->call, call);
	cb->rqst.rq_snd_buf.len = call;
	cb->rqst.rq_snd_buf.head[0].iov_len = call;
	xdr_buf_init(&cb->rqst.rq_rcv_buf, cb->reply, reply);
	ended.waiting = &cb->rqst;
	return svc_rdma_bc_send_request(&cb->rqst);
}

static void sent(struct kunit *test, u32 call, u32 reply)
{
	KUNIT_ASSERT_EQ(test, send_callback(call, reply), 0);
	decode(test);
	complete_sends();
}

/* The client has lost access, and no adverts or references are left. */
static void expect_nothing_left(struct kunit *test)
{
	expect_no_adverts(test);
	KUNIT_EXPECT_EQ(test, kref_read(&cb->xprt.kref), 1);
}

/* Lengths of a callback and its reply, in bytes */
static const struct size_case {
	const char *name;
	u32 call, reply;
	u32 reverse;	/* the client's support for callbacks */
	int ret;	/* result of sending the callback */
	u32 type;	/* of the message */
	u32 reads, room;	/* bytes in the Read list and Reply chunk */
} size_cases[] = {
	{ "all inline", CALL_ROOM, REPLY_ROOM, 2, 0, RPCRDMA2_MSG },
	{ "one byte more of the call", CALL_ROOM + 1, 100, 2, 0, RPCRDMA2_NOMSG, CALL_ROOM + 1 },
	{ "one byte more of the reply", 100, REPLY_ROOM + 1, 2, 0, RPCRDMA2_MSG,
	  0, REPLY_ROOM + 1 },
	{ "no room beside the Reply chunk", CALL_ROOM, REPLY_ROOM + 1, 2, 0,
	  RPCRDMA2_NOMSG, CALL_ROOM, REPLY_ROOM + 1 },
	{ "both long", LONG, LONG, 2, 0, RPCRDMA2_NOMSG, LONG, LONG },
	{ "as long as can be", 65536, 65536, 2, 0, RPCRDMA2_NOMSG, 65536, 65536 },
	{ "client without chunks, all inline", CALL_ROOM, REPLY_ROOM, 1, 0, RPCRDMA2_MSG },
	{ "client without chunks, long call", CALL_ROOM + 1, 100, 1, -EMSGSIZE },
	{ "client without chunks, long reply", 100, LONG, 1, 0, RPCRDMA2_MSG },
};

KUNIT_ARRAY_PARAM_DESC(size_case, size_cases, name);

static void expect_call(struct kunit *test, const struct size_case *c)
{
	const u8 *got = hdr.base + hdr.payload;

	if (c->type == RPCRDMA2_NOMSG) {
		KUNIT_ASSERT_EQ(test, rdma_read(), c->call);
		got = s->got;
	} else {
		KUNIT_ASSERT_EQ(test, hdr.len - hdr.payload, c->call);
	}
	KUNIT_EXPECT_EQ(test, memcmp(got, cb->call, c->call), 0);
}

/* A callback is sent inline or in a Read chunk; its reply always has room. */
static void sent_in_chunks(struct kunit *test)
{
	const struct size_case *c = test->param_value;

	conn->peer.props.reverse = c->reverse;
	fake_timeout = 0;
	/* Callbacks are exempt from the limit on replies awaiting RDMA_DONE. */
	fake_max = 0;
	KUNIT_ASSERT_EQ(test, send_callback(c->call, c->reply), c->ret);
	if (!c->ret) {
		decode(test);
		KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.xid), XID);
		KUNIT_EXPECT_EQ(test, hdr.type, c->type);
		KUNIT_EXPECT_EQ(test, hdr.flags, 0);
		KUNIT_EXPECT_EQ(test, hdr.credits, SVC_RDMA_BC_REQUESTS);
		KUNIT_EXPECT_EQ(test, hdr.reads.bytes, c->reads);
		KUNIT_EXPECT_EQ(test, hdr.reply.bytes, c->room);
		KUNIT_EXPECT_EQ(test, hdr.writes.chunks, 0);
		KUNIT_EXPECT_EQ(test, !!hdr.inv_handle, c->reads || c->room);
		expect_call(test, c);
		/* A callback takes no credit of the forward direction. */
		KUNIT_EXPECT_EQ(test, svc_rdma_credits(conn), GRANT);
		complete_sends();
	}
	/* A client that does not answer loses access after the timeout. */
	KUNIT_EXPECT_EQ(test, outside.ticks, c->reads || c->room);
	svc_rdma_adverts_work(&conn->adverts.work.work);
	KUNIT_EXPECT_EQ(test, svc_rdma_credits(conn), GRANT);
	expect_nothing_left(test);
}

/* No chunks are sent in version 1, or if the device cannot register memory. */
static void not_general(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, svc_rdma_bc_general(conn));
	conn->caps.mrs = false;
	KUNIT_EXPECT_EQ(test, send_callback(LONG, 100), -EMSGSIZE);
	KUNIT_EXPECT_FALSE(test, svc_rdma_bc_general(conn));
	conn->caps.mrs = true;
	fake_version = &svc_rdma_v1;
	KUNIT_EXPECT_EQ(test, send_callback(LONG, 100), -EMSGSIZE);
	KUNIT_EXPECT_FALSE(test, svc_rdma_bc_general(conn));
	expect_nothing_left(test);
}

static struct region *reply_region(void)
{
	struct region *region;

	list_for_each_entry(region, &outside.regions, list)
		if (region->valid && region->access != IB_ACCESS_REMOTE_READ)
			return region;
	return NULL;
}

/* The client's RDMA Write: an RPC reply that begins with the given words */
static void rdma_write(struct kunit *test, u32 xid, u32 direction, u32 len)
{
	struct region *region = reply_region();
	u8 *msg = fake_vzalloc(test, len);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, region);
	KUNIT_ASSERT_EQ(test, region->access,
			IB_ACCESS_REMOTE_WRITE | IB_ACCESS_LOCAL_WRITE);
	for (i = 0; i < len; i++)
		msg[i] = i % 241;
	put_unaligned_be32(xid, msg);
	put_unaligned_be32(direction, msg + 4);
	sg_copy_from_buffer((void *)region->sg, region->nents, msg, len);
}

static bool reply_right(u32 len)
{
	u32 i;

	for (i = 8; i < len; i++)
		if (cb->reply[i] != i % 241)
			return false;
	return get_unaligned_be32(cb->reply) == XID;
}

/* The segment of the advertised Reply chunk */
static struct rpcrdma_segment offered(void)
{
	struct rpcrdma_segment seg = { 0 };
	struct rpcrdma_cursor cur;
	u32 count;

	rpcrdma_chunks_begin(&hdr, &hdr.reply, &cur);
	if (rpcrdma_chunks_next(&cur, &count))
		rpcrdma_segments_next(&cur, &seg);
	return seg;
}

/* An answer from the client */
struct answer {
	u32 type;	/* of the message */
	u32 xid;	/* of the message */
	bool reads;	/* whether it has a Read list */
	bool write;	/* whether it has a Write list */
	struct rpcrdma_segment segs[4];	/* segments of the Reply chunk */
	u32 n;	/* entries of @segs; 0 for no Reply chunk */
	u32 inline_len;	/* bytes of an RPC reply that follow the header */
	u32 handle;	/* handle that the Send invalidates */
};

/* The answer in the running case */
static struct answer a;

static void encode_answer(struct rpcrdma_encoder *enc, const struct answer *a)
{
	static const struct rpcrdma_segment seg = { 0x77, 64, 0x1000 };
	u32 i;

	rpcrdma_encode_head(enc, cpu_to_be32(a->xid), 2, 2, a->type, true, 0);
	if (a->reads)
		rpcrdma_encode_read_segment(enc, 0, &seg);
	rpcrdma_encode_list_end(enc);
	if (a->write) {
		rpcrdma_encode_chunk_begin(enc, 1);
		rpcrdma_encode_segment(enc, &seg);
	}
	rpcrdma_encode_list_end(enc);
	if (a->n) {
		rpcrdma_encode_chunk_begin(enc, a->n);
		for (i = 0; i < a->n; i++)
			rpcrdma_encode_segment(enc, &a->segs[i]);
	} else {
		rpcrdma_encode_list_end(enc);
	}
	for (i = 0; i < a->inline_len; i += 4)
		rpcrdma_encode_word(enc, !i ? a->xid : i == 4);
}

/* Encodes answer @a, and decodes it into @into as the server would. */
static void decode_answer(struct kunit *test, const struct answer *a,
			  struct rpcrdma_hdr *into)
{
	u8 *buf = fake_vzalloc(test, 1024);
	struct rpcrdma_encoder enc;

	rpcrdma_encode_init(&enc, buf, 1024);
	encode_answer(&enc, a);
	KUNIT_ASSERT_EQ(test, 0,
			rpcrdma_decode_v2(into, buf, rpcrdma_encode_finish(&enc)));
}

/* Return: true if the answer invalidated a forbidden handle. */
static bool handle(struct kunit *test, struct svc_rdma_recv_ctx *recv)
{
	struct svc_rdma_advert *advert;
	u32 puts = outside.puts;

	KUNIT_EXPECT_EQ(test, svc_rdma_v2_classify(conn, recv), SVC_RDMA_ANSWER);
	advert = svc_rdma_advert_take(conn, recv, true);
	if (recv->invalidated)
		return true;
	conn->callback_answered(conn, recv, advert);
	KUNIT_EXPECT_EQ(test, outside.puts, puts + 1);
	svc_rdma_advert_answered(conn, advert, true);
	return false;
}

static bool answer(struct kunit *test, const struct answer *a)
{
	struct svc_rdma_recv_ctx *recv = fake_vzalloc(test, sizeof(*recv));

	decode_answer(test, a, &recv->hdr);
	recv->invalidated = a->handle;
	recv->inv_handle = a->handle;
	if (a->handle && find_region(a->handle))
		invalidate(a->handle);
	return handle(test, recv);
}

/* A correct answer with @len bytes in the Reply chunk */
static struct answer good_answer(u32 len)
{
	struct answer a = {
		.type = RPCRDMA2_NOMSG, .xid = XID, .n = 1,
		.segs = { offered() },
	};

	a.segs[0].length = len;
	return a;
}

/* A long callback's correct answer, with @len bytes in the Reply chunk */
static struct answer long_answer(struct kunit *test, u32 len)
{
	sent(test, LONG, LONG);
	rdma_write(test, XID, RPC_REPLY, len);
	return good_answer(len);
}

/* The reply is copied from the chunk only after the client has lost access. */
static void long_reply(struct kunit *test)
{
	static const u32 lengths[] = { 8, 12, 4096, 4100, LONG };
	u32 i, inv;

	for (i = 0; i < 2 * ARRAY_SIZE(lengths); i++) {
		u32 len = lengths[i / 2];

		a = long_answer(test, len);
		inv = i & 1;
		if (inv)
			a.handle = hdr.inv_handle;
		ended.completed = 0;
		outside.invalidations = 0;
		KUNIT_EXPECT_FALSE(test, answer(test, &a));
		KUNIT_EXPECT_EQ(test, ended.completed, 0);
		KUNIT_EXPECT_EQ(test, outside.invalidations, 2 - inv);
		complete_invs(IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, ended.completed, 1);
		KUNIT_EXPECT_EQ(test, ended.copied, len);
		KUNIT_EXPECT_TRUE(test, reply_right(len));
		expect_nothing_left(test);
	}
}

/* An inline reply completes the callback and releases its chunks. */
static void short_reply(struct kunit *test)
{
	struct answer a = { .type = RPCRDMA2_MSG, .xid = XID, .inline_len = 24 };
	u32 i;

	for (i = 0; i < 2; i++) {
		sent(test, LONG, LONG);
		/* The Reply chunk is returned with length zero. */
		a.n = i;
		a.segs[0] = offered();
		a.segs[0].length = 0;
		ended.completed = 0;
		KUNIT_EXPECT_FALSE(test, answer(test, &a));
		KUNIT_EXPECT_EQ(test, ended.completed, 1);
		KUNIT_EXPECT_EQ(test, ended.copied, 24);
		expect_accessible(test, 0);
		expect_nothing_left(test);
	}
}

/* An error message fails the callback and releases its chunks. */
static void error_instead(struct kunit *test)
{
	struct svc_rdma_recv_ctx *recv = fake_vzalloc(test, sizeof(*recv));

	sent(test, LONG, LONG);
	recv->hdr.xid = cpu_to_be32(XID);
	recv->hdr.type = RPCRDMA2_ERROR;
	recv->hdr.flags = RPCRDMA2_F_RESPONSE;
	KUNIT_EXPECT_FALSE(test, handle(test, recv));
	KUNIT_EXPECT_EQ(test, ended.copied, -EIO);
	expect_nothing_left(test);
}

/* Faults in an answer, as differences from a correct answer */
static const struct bad_answer {
	const char *name;
	struct rpcrdma_segment more;	/* added to its first segment */
	u32 n;	/* segments */
	bool reads, write, inlined;
} bad_answers[] = {
	{ "another handle", { .handle = 1 }, 1 },
	{ "another place", { .offset = 1 }, 1 },
	{ "more than there is", { .length = 1 }, 1 },
	{ "a gap", { .length = 100 - LONG }, 2 },
	{ "another segment", { }, 2 },
	{ "a Read list", { }, 1, .reads = true },
	{ "a Write list", { }, 1, .write = true },
	{ "no bytes", { .length = -LONG }, 1 },
	{ "no chunk", { }, 0 },
	{ "both chunk and message", { }, 1, .inlined = true },
};

KUNIT_ARRAY_PARAM_DESC(bad_answer, bad_answers, name);

/* An invalid answer fails the callback without copying data. */
static void refused_answer(struct kunit *test)
{
	const struct bad_answer *c = test->param_value;
	struct answer a = long_answer(test, LONG);

	a.segs[0].handle += c->more.handle;
	a.segs[0].offset += c->more.offset;
	a.segs[0].length += c->more.length;
	a.segs[1] = a.segs[0];
	a.n = c->n;
	a.reads = c->reads;
	a.write = c->write;
	if (c->inlined) {
		a.type = RPCRDMA2_MSG;
		a.inline_len = 24;
	}
	KUNIT_EXPECT_FALSE(test, answer(test, &a));
	complete_invs(IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, ended.completed, 1);
	KUNIT_EXPECT_EQ(test, ended.copied, -EIO);
	KUNIT_EXPECT_EQ(test, cb->reply[8], 0);
	expect_nothing_left(test);
}

/* Chunk data that is not the callback's reply, or too long, is refused. */
static void no_reply_in_chunk(struct kunit *test)
{
	static const struct {
		u32 xid, direction, len, room;
		int ret;
	} cases[] = {
		{ XID + 1, RPC_REPLY, 100, LONG, -EIO }, { XID, RPC_CALL, 100, LONG, -EIO },
		{ XID, RPC_REPLY, 7, LONG, -EIO }, { XID, RPC_REPLY, 101, 100, -EMSGSIZE },
	};

	for_each_case(c, cases) {
		sent(test, LONG, LONG);
		rdma_write(test, c->xid, c->direction, 101);
		xdr_buf_init(&cb->rqst.rq_rcv_buf, cb->reply, c->room);
		a = good_answer(c->len);
		answer(test, &a);
		complete_invs(IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, ended.copied, c->ret);
		KUNIT_EXPECT_EQ(test, cb->task.tk_status, c->ret);
		expect_nothing_left(test);
	}
}

/* A callback abandoned before or after its reply arrives is not completed. */
static void given_up(struct kunit *test)
{
	u32 late;

	for (late = 0; late < 2; late++) {
		a = long_answer(test, LONG);
		if (late)
			answer(test, &a);
		ended.waiting = NULL;
		if (!late)
			answer(test, &a);
		complete_invs(IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, ended.completed, 0);
		expect_nothing_left(test);
	}
}

/* An answer may invalidate only its own callback's handle. */
static void invalidated_wrong(struct kunit *test)
{
	sent(test, LONG, LONG);
	a = good_answer(100);
	a.handle = hdr.inv_handle;
	a.xid = XID + 1;
	KUNIT_EXPECT_TRUE(test, answer(test, &a));
	a.xid = XID;
	a.handle = 0x4711;
	KUNIT_EXPECT_TRUE(test, answer(test, &a));
	/* An RDMA2_DONE must not invalidate a callback's handle. */
	KUNIT_EXPECT_TRUE(test, done(XID, hdr.inv_handle));
}

/* Destroying the adverts frees all chunks, and completes answered callbacks. */
static void closed(struct kunit *test)
{
	a = long_answer(test, LONG);
	answer(test, &a);
	complete_invs(IB_WC_WR_FLUSH_ERR);
	cb->rqst.rq_xid = cpu_to_be32(XID + 1);
	sent(test, LONG, LONG);
	cb->rqst.rq_xid = cpu_to_be32(XID);
	svc_rdma_adverts_destroy(conn);
	KUNIT_EXPECT_EQ(test, ended.completed, 1);
	/* Destroying the adverts returns no Send Queue entries. */
	conn->sq.avail = SQ_DEPTH;
	expect_nothing_left(test);
	svc_rdma_adverts_init(conn);
}

/* Without memory or beyond the bounds, sending returns -ENOBUFS to sunrpc. */
static void not_sent(struct kunit *test)
{
	int n, ret = 0;

	fake_timeout = 0;
	for (n = 0; n < 40; n++) {
		fake_memory_left = n;
		ret = send_callback(LONG, LONG);
		fake_memory_left = -1;
		if (!ret)
			break;
		KUNIT_EXPECT_EQ(test, ret, -ENOBUFS);
		expect_nothing_left(test);
	}
	KUNIT_EXPECT_EQ(test, ret, 0);
	KUNIT_EXPECT_GE(test, n, 4);
	complete_sends();
	svc_rdma_adverts_work(&conn->adverts.work.work);
	complete_invs(IB_WC_SUCCESS);
	outside.map_short = 1;
	KUNIT_EXPECT_EQ(test, send_callback(LONG, LONG), -ENOBUFS);
	outside.map_short = 0;
	fake_bytes = 0;
	KUNIT_EXPECT_EQ(test, send_callback(LONG, LONG), -ENOBUFS);
	expect_nothing_left(test);
}

static struct kunit_case svc_callback_chunks_cases[] = {
	KUNIT_CASE_PARAM(sent_in_chunks, size_case_gen_params),
	KUNIT_CASE(not_general),
	KUNIT_CASE(long_reply),
	KUNIT_CASE(short_reply),
	KUNIT_CASE(error_instead),
	KUNIT_CASE_PARAM(refused_answer, bad_answer_gen_params),
	KUNIT_CASE(no_reply_in_chunk),
	KUNIT_CASE(given_up),
	KUNIT_CASE(invalidated_wrong),
	KUNIT_CASE(closed),
	KUNIT_CASE(not_sent),
	{}
};

SUITE("svc_rdma_callback_chunks", svc_callback_chunks_cases, .init = begin, .exit = balance_exit);
