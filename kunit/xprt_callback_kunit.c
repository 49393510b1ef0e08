// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the client tells callbacks from replies, and answers those that it
 * cannot accept with the error that the specification asks for (RFC 8167
 * section 5.2; v2 draft sections 3.2, 5.2 and 5.3.3). Otherwise, a reply would
 * be lost as a call, or a hostile server could have memory overwritten.
 */
#include <linux/module.h>
#include <linux/sunrpc/svc.h>

#include "xprt_fakes.h"
#include "fake_control_msg.h"

static struct xprt_rdma_req *fake_request;
static u32 fake_released, fake_delivered, fake_reads;
static struct xprt_rdma_read_args fake_read_args;
static int fake_read_rc;

static struct xprt_rdma_req *fake_bc_get(struct xprt_rdma *r_xprt)
{
	if (fake_request)
		fake_request->r_xprt = r_xprt;
	return fake_request;
}

static int fake_read_start(struct xprt_rdma_recv_ctx *recv,
			   const struct xprt_rdma_read_args *args)
{
	fake_reads++;
	fake_read_args = *args;
	return fake_read_rc;
}

static u32 fake_hdrlen, fake_nwrites;
static bool fake_fits = true;

static int fake_send_prepare(struct xprt_rdma_conn *conn,
			     struct xprt_rdma_req *req, u32 hdrlen)
{
	fake_hdrlen = hdrlen;
	return 0;
}

static struct rpcrdma_segment fake_writes[XPRT_RDMA_MAX_SEGS];

static int fake_add_write(struct xprt_rdma_conn *conn,
			  struct xprt_rdma_req *req, void *base,
			  const struct rpcrdma_segment *seg)
{
	fake_writes[fake_nwrites++] = *seg;
	return 0;
}

#define xprt_rdma_bc_get		fake_bc_get
#define xprt_rdma_conn_lost(conn)	((void)(conn))
#define xprt_rdma_bc_release(req)	((void)(req), (void)fake_released++)
#define xprt_rdma_recv_put(recv)		((void)(recv))
#define xprt_rdma_read_start		fake_read_start
#define xprt_rdma_credit_exempt(r_xprt, r)	((void)(r))
#define xprt_rdma_send_fits(...)	fake_fits
#define xprt_rdma_send_prepare		fake_send_prepare
#define xprt_rdma_send_add_write	fake_add_write
#define xprt_rdma_send_drop_writes(...)	((void)0)
#define xprt_rdma_send_post(...)	0
#define xprt_rdma_sq_wait(conn)		(-EAGAIN)
#define lwq_enqueue(entry, queue)	((void)(entry), fake_delivered++)
#define svc_pool_wake_idle_thread(pool)	((void)(pool))

#include "../xprtrdma/fetch/layout.c"
#include "xprt_version_fakes.h"
#define xprt_rdma_v2_error		NULL
#include "fake_props.h"
#include "../xprtrdma/version/v2.c"
#include "../xprtrdma/version/error_send.c"
#include "../xprtrdma/callback/callback.c"

#define XID	0x11223344u
#define CALL	0
#define REPLY	1

/**
 * struct message_case - a message, and how it is classified and answered
 * @name: what is special about it
 * @version: version of the connection
 * @words: the message
 * @count: words in it
 * @reverse: it belongs to the reverse direction
 * @no_done: the client has not announced support for RDMA2_DONE
 * @call: it is a call for the callback service
 * @err: code of the RDMA_ERROR or RDMA2_ERROR that answers it; 0: none
 * @value: value in that error, if it has one
 */
struct message_case {
	const char *name;
	u32 version;
	u32 words[28];
	u32 count;
	bool reverse;
	bool no_done;
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
	{ .name = "v1: a reply with a Write chunk", .version = 1,
	  .words = V1(0, 0, 1, 1, 5, 8, 0, 0, 0, 0, XID, REPLY), .count = 15 },
	{ .name = "v1: a padded reply", .version = 1,
	  .words = V1(2, 4096, 100, 0, 0, 0, XID, REPLY), .count = 11 },
	{ .name = "v1: a reply in a Read chunk", .version = 1,
	  .words = V1(1, 1, 0, 5, 8, 0, 0, 0, 0, 0), .count = 13 },
	{ .name = "v1: lists that end too soon", .version = 1,
	  .words = V1(0, 1, 40, 5), .count = 7 },
	{ .name = "v1: version 2", .version = 1,
	  .words = V2(0, 0, 0, 0, 0, 0, XID, CALL), .count = 11 },
	/* RFC 5666 section 4.2 */
	{ .name = "v1: a Read chunk", .version = 1,
	  .words = V1(0, 1, 8, 5, 8, 0, 0, 0, 0, 0, XID, CALL), .count = 15,
	  .reverse = true, .err = RPCRDMA_ERR_CHUNK },
	{ .name = "v1: a Write chunk", .version = 1,
	  .words = V1(0, 0, 1, 1, 5, 8, 0, 0, 0, 0, XID, CALL), .count = 15,
	  .reverse = true, .err = RPCRDMA_ERR_CHUNK },
	{ .name = "v1: a Reply chunk", .version = 1,
	  .words = V1(0, 0, 0, 1, 1, 5, 8, 0, 0, XID, CALL), .count = 14,
	  .reverse = true, .err = RPCRDMA_ERR_CHUNK },
#ifdef RPCRDMA_EXT_MSGP
	{ .name = "v1: maybe padded", .version = 1,
	  .words = V1(2, 4096, 8, 0, 0, 0, XID, CALL), .count = 11,
	  .reverse = true, .err = RPCRDMA_ERR_CHUNK },
	{ .name = "v1: too short to be padded", .version = 1,
	  .words = V1(2, 4096, 9, 0, 0, 0, XID, CALL), .count = 11,
	  .reverse = true, .call = true },
	{ .name = "v1: aligned to nothing", .version = 1,
	  .words = V1(2, 0, 0, 0, 0, 0, XID, CALL), .count = 11,
	  .reverse = true, .call = true },
#endif
	{ .name = "v1: too short for a call", .version = 1,
	  .words = V1(0, 0, 0, 0, XID), .count = 8 },
	/* v2 draft section 3.2: the flag decides */
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
	/* v2 draft section 4.2.2: general support */
	{ .name = "v2: a Read chunk", .version = 2,
	  .words = V2(0, 0, 0, 1, 8, 5, 8, 0, 0, 0, 0, 0, XID, CALL),
	  .count = 17, .reverse = true, .call = true },
	{ .name = "v2: a long call", .version = 2,
	  .words = V2(1, 0, 0, 1, 0, 5, 8, 0, 0, 0, 0, 0), .count = 15,
	  .reverse = true, .call = true },
	{ .name = "v2: a long call and a Read chunk", .version = 2,
	  .words = V2(1, 0, 0, 1, 0, 5, 8, 0, 0, 1, 8, 6, 8, 0, 0, 0, 0, 0),
	  .count = 21, .reverse = true, .call = true },
	{ .name = "v2: a Write chunk", .version = 2,
	  .words = V2(0, 0, 0, 0, 1, 1, 5, 8, 0, 0, 0, 0, XID, CALL),
	  .count = 17, .reverse = true, .call = true },
	/* v2 draft section 5.3.3: errors that a responder sends */
	{ .name = "v2: a Read chunk behind the end", .version = 2,
	  .words = V2(0, 0, 0, 1, 40, 5, 8, 0, 0, 0, 0, 0, XID, CALL),
	  .count = 17, .reverse = true, .err = RPCRDMA2_ERR_BAD_XDR },
	{ .name = "v2: Read chunks in descending order", .version = 2,
	  .words = V2(1, 0, 0, 1, 8, 5, 8, 0, 0, 1, 0, 6, 8, 0, 0, 0, 0, 0),
	  .count = 21, .reverse = true, .err = RPCRDMA2_ERR_BAD_XDR },
	{ .name = "v2: a call that is too long", .version = 2,
	  .words = V2(1, 0, 0, 1, 0, 5, 65537, 0, 0, 0, 0, 0), .count = 15,
	  .reverse = true, .err = RPCRDMA2_ERR_SYSTEM },
	{ .name = "v2: a call of 4 GiB", .version = 2,
	  .words = V2(1, 0, 0, 1, 0, 5, 0xffffffff, 0, 0, 1, 0, 5, 9, 0, 0, 0,
		      0, 0), .count = 21,
	  .reverse = true, .err = RPCRDMA2_ERR_SYSTEM },
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
	{ .name = "v2: RESPPROP", .version = 2, .words = V2(8, 0, 0),
	  .count = 6, .reverse = true, .err = RPCRDMA2_ERR_INVAL_HTYPE },
	{ .name = "v2: UPDPROP", .version = 2, .words = V2(9, 0, 0),
	  .count = 6, .reverse = true, .err = RPCRDMA2_ERR_INVAL_HTYPE },
	{ .name = "v2: DONE that we do not understand", .version = 2,
	  .words = V2(3, 0), .count = 5, .reverse = true, .no_done = true,
	  .err = RPCRDMA2_ERR_INVAL_HTYPE },
	{ .name = "v2: a type nobody knows", .version = 2,
	  .words = V2(0xffffffff, 0), .count = 5, .reverse = true,
	  .err = RPCRDMA2_ERR_INVAL_HTYPE },
	{ .name = "v2: malformed properties", .version = 2,
	  .words = V2(5, 0, 9), .count = 6, .reverse = true,
	  .err = RPCRDMA2_ERR_BAD_XDR },
	{ .name = "v2: a property of another type", .version = 2,
	  .words = V2(5, 0, 1, 2, 4, 3), .count = 9, .reverse = true,
	  .err = RPCRDMA2_ERR_BAD_XDR },
	{ .name = "v2: a property that is too short", .version = 2,
	  .words = V2(5, 0, 1, 1, 3, 0), .count = 9, .reverse = true,
	  .err = RPCRDMA2_ERR_BAD_XDR },
	/* No answer is needed, or none is allowed */
	{ .name = "v2: a property that nobody knows", .version = 2,
	  .words = V2(5, 0, 1, 77, 3, 0), .count = 9, .reverse = true },
	{ .name = "v2: an error without a code", .version = 2,
	  .words = V2(4, 0), .count = 5, .reverse = true },
	{ .name = "v2: an error that ends too soon", .version = 2,
	  .words = V2(4, 0, 1, 1), .count = 7, .reverse = true },
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

static struct xprt_rdma_recv_ctx *receive(struct kunit *test,
					  const struct message_case *c)
{
	struct xprt_rdma_recv_ctx *recv = fake_zalloc(test, sizeof(*recv));
	__be32 *msg = fake_zalloc(test, sizeof(c->words));
	u32 i;

	for (i = 0; i < c->count; i++)
		msg[i] = cpu_to_be32(c->words[i]);
	recv->conn = fake_r_xprt(test)->conn;
	fake_real_versions();
	fake_set_version(recv->conn, c->version);
	recv->conn->offer.htypes = c->no_done ? 0 : BIT(RPCRDMA2_DONE);
	recv->error = recv->conn->ver->decode(&recv->hdr, msg, 4 * c->count);
	/* Like dispatch.c */
	if (recv->conn->ver->control)
		KUNIT_EXPECT_FALSE(test, recv->conn->ver->control(recv));
	recv->conn->r_xprt->xprt.bc_serv =
		fake_zalloc(test, sizeof(struct svc_serv));
	recv->conn->r_xprt->bc_slots = XPRT_RDMA_BC_SLOTS;
	fake_sent_len = 0;
	fake_request = NULL;
	return recv;
}

/* The error has the XID and version of the message it answers. */
static void check_error(struct kunit *test, u32 version, u32 err, u32 value)
{
	struct rpcrdma_hdr hdr;

	memset(&hdr, 0, sizeof(hdr));
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_decode_prefix(&hdr, fake_sent,
						       fake_sent_len));
	KUNIT_ASSERT_EQ(test, hdr.version, version);
	KUNIT_ASSERT_EQ(test, 0, version == RPCRDMA_VERSION_1 ?
			rpcrdma_v1_decode(&hdr) : rpcrdma_v2_decode(&hdr));
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.xid), XID);
	KUNIT_EXPECT_EQ(test, hdr.type, RPCRDMA_ERROR);
	KUNIT_EXPECT_EQ(test, hdr.credits, XPRT_RDMA_BC_SLOTS);
	KUNIT_EXPECT_EQ(test, hdr.flags, version == RPCRDMA_VERSION_1 ?
			0 : RPCRDMA2_F_RESPONSE);
	KUNIT_EXPECT_EQ(test, hdr.err, err);
	KUNIT_EXPECT_EQ(test, hdr.err_value, value);
}

/*
 * A message is recognized as a call or not, and answered with the right error.
 */
static void messages(struct kunit *test)
{
	const struct message_case *c = test->param_value;
	struct xprt_rdma_recv_ctx *recv = receive(test, c);
	u64 calls = fake_count(bc_calls);

	KUNIT_EXPECT_EQ(test, c->reverse, recv->conn->ver->is_call(recv));
	if (!c->reverse)
		return;
	xprt_rdma_bc_receive(recv);
	KUNIT_EXPECT_EQ(test, c->call, fake_count(bc_calls) - calls);
	KUNIT_EXPECT_EQ(test, !!c->err, !!fake_sent_len);
	if (c->err)
		check_error(test, c->version, c->err, c->value);
}

static u32 fake_passed_on;

static bool fake_receive(struct xprt_rdma_recv_ctx *recv)
{
	fake_passed_on++;
	return true;
}

/*
 * Transport Characteristics draft section 4: messages by which properties
 * change, and errors, are passed on if their type was announced.
 */
static void changes_passed_on(struct kunit *test)
{
	static const struct xprt_rdma_properties_ops ops = {
		.receive = fake_receive,
	};
	struct xprt_rdma_recv_ctx *recv = fake_zalloc(test, sizeof(*recv));
	u32 type;

	recv->conn = fake_r_xprt(test)->conn;
	fake_real_versions();
	fake_set_version(recv->conn, RPCRDMA_VERSION_2);
	fake_passed_on = 0;
	for (type = 0; type < 12; type++) {
		recv->hdr.type = type;
		recv->error = type & 1 ? RPCRDMA_EPROP : 0;
		recv->conn->properties.ops = NULL;
		KUNIT_EXPECT_FALSE(test, recv->conn->ver->control(recv));
		KUNIT_EXPECT_EQ(test, recv->error == RPCRDMA_ETYPE,
				rpcrdma_v2_changes_props(type));
		recv->error = type & 1 ? RPCRDMA_EPROP : 0;
		recv->conn->properties.ops = &ops;
		KUNIT_EXPECT_EQ(test, recv->conn->ver->control(recv),
				type == RPCRDMA2_ERROR ||
				rpcrdma_v2_changes_props(type));
	}
	KUNIT_EXPECT_EQ(test, fake_passed_on, 4);
}

#define INLINE		256u
#define REPLY_LEN	2000u

static struct xprt_rdma_req *request(struct kunit *test)
{
	struct xprt_rdma_req *req = fake_zalloc(test, sizeof(*req));

	req->cb = fake_zalloc(test, sizeof(*req->cb));
	req->hdr.data = fake_zalloc(test, XPRT_RDMA_HDR_SIZE);
	req->snd.data = fake_zalloc(test, PAGE_SIZE);
	req->snd.size = PAGE_SIZE;
	req->rcv.data = fake_zalloc(test, PAGE_SIZE);
	req->rcv.size = PAGE_SIZE;
	return req;
}

/* All of the call is in a Position-Zero Read chunk. */
#define LONG_CALL(bytes) {					\
	.version = 2,						\
	.words = V2(1, 0, 0, 1, 0, 5, (bytes), 0, 0, 0, 0, 0),	\
	.count = 15,						\
}

/* A long call is delivered when its Reads are done, if it is really a call. */
static void long_call_delivered_when_read(struct kunit *test)
{
	static const struct message_case c = LONG_CALL(10000);
	struct xprt_rdma_recv_ctx *recv = receive(test, &c);
	struct xprt_rdma_read_ctx read = {};
	__be32 *call;

	/* Arrange */
	fake_request = request(test);
	kref_init(&recv->conn->r_xprt->xprt.kref);
	fake_reads = 0;
	fake_delivered = 0;
	fake_released = 0;

	/* Act */
	xprt_rdma_bc_receive(recv);

	/* Assert: not delivered before it is complete */
	KUNIT_ASSERT_EQ(test, fake_reads, 1);
	KUNIT_EXPECT_EQ(test, fake_delivered, 0);
	KUNIT_EXPECT_FALSE(test, fake_read_args.notify);
	KUNIT_EXPECT_EQ(test, fake_read_args.xdr->head[0].iov_len, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, fake_read_args.xdr->page_len, 10000 - PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, fake_request->cb->npages, 2);

	/* The message read has another XID; the Reads have failed */
	read.req = fake_request;
	read.conn = recv->conn;
	fake_read_args.complete(&read, 0);
	KUNIT_EXPECT_EQ(test, fake_released, 1);
	call = fake_request->rcv.data;
	call[0] = cpu_to_be32(XID);
	call[1] = cpu_to_be32(CALL);
	fake_read_args.complete(&read, -ENOTCONN);
	KUNIT_EXPECT_EQ(test, fake_released, 2);
	KUNIT_EXPECT_EQ(test, fake_delivered, 0);

	/* The message read is the call */
	fake_read_args.complete(&read, 0);
	KUNIT_EXPECT_EQ(test, fake_released, 2);
	KUNIT_EXPECT_EQ(test, fake_delivered, 1);
	while (fake_request->cb->npages)
		put_page(fake_request->cb->pages[--fake_request->cb->npages]);
	kfree(fake_request->cb->pages);
}

/* The inline parts are in place before the chunk is read. */
static void inline_parts_placed_first(struct kunit *test)
{
	static const struct message_case c = {
		.version = 2,
		.words = V2(0, 0, 0, 1, 8, 5, 8, 0, 0, 0, 0, 0, XID, CALL, 77),
		.count = 18,
	};
	struct xprt_rdma_recv_ctx *recv = receive(test, &c);
	__be32 *call;

	/* Arrange */
	fake_request = request(test);
	fake_reads = 0;

	/* Act */
	xprt_rdma_bc_receive(recv);

	/* Assert: two words, the chunk's eight bytes, a word */
	KUNIT_ASSERT_EQ(test, fake_reads, 1);
	call = fake_request->rcv.data;
	KUNIT_EXPECT_EQ(test, be32_to_cpu(call[0]), XID);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(call[1]), CALL);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(call[4]), 77);
}

static const struct message_case all_chunks = {
	.version = 2,
	.words = V2(0, 0, 7, 0, 1, 2, 5, 8, 0, 0, 6, 9, 0, 0, 0,
		    1, 1, 7, 100, 0, 0, XID, CALL),
	.count = 26,
};

/* v2 draft section 4.2.2, RFC 8166 section 3.4.6: chunks for the reply */
static void reply_chunks_kept(struct kunit *test)
{
	struct xprt_rdma_recv_ctx *recv = receive(test, &all_chunks);
	struct xprt_rdma_callback *cb;

	/* Arrange */
	KUNIT_ASSERT_EQ(test, 0, recv->error);
	fake_request = request(test);
	cb = fake_request->cb;
	fake_delivered = 0;
	fake_released = 0;

	/* Act and assert: nobody uses the transport any more */
	xprt_rdma_bc_receive(recv);
	KUNIT_EXPECT_EQ(test, fake_released, 1);
	KUNIT_EXPECT_EQ(test, fake_delivered, 0);

	/* Act and assert */
	kref_init(&recv->conn->r_xprt->xprt.kref);
	xprt_rdma_bc_receive(recv);
	KUNIT_EXPECT_EQ(test, fake_released, 1);
	KUNIT_EXPECT_EQ(test, fake_delivered, 1);
	KUNIT_EXPECT_EQ(test, cb->nwrites, 1);
	KUNIT_EXPECT_EQ(test, cb->counts[0], 2);
	KUNIT_EXPECT_EQ(test, cb->nsegs, 2);
	KUNIT_EXPECT_EQ(test, cb->segs[1].length, 9);
	KUNIT_EXPECT_EQ(test, cb->nreply, 1);
	KUNIT_EXPECT_EQ(test, cb->segs[2].handle, 7);
	KUNIT_EXPECT_EQ(test, cb->room, 100);
	KUNIT_EXPECT_EQ(test, cb->inv_handle, 7);
}

/*
 * v2 draft section 3.3: the reply invalidates the handle that the call names,
 * if it is one of the call's chunks.
 */
static void only_named_handle_invalidated(struct kunit *test)
{
	static const struct {
		u32 named, want;
	} cases[] = {
		{ 0, 0 }, { 5, 5 }, { 6, 6 }, { 7, 7 }, { 8, 0 }, { ~0u, 0 },
	};
	struct message_case c = all_chunks;
	struct xprt_rdma_recv_ctx *recv;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		c.words[5] = cases[i].named;
		recv = receive(test, &c);
		KUNIT_ASSERT_EQ(test, 0, recv->error);
		kref_init(&recv->conn->r_xprt->xprt.kref);
		fake_request = request(test);
		xprt_rdma_bc_receive(recv);
		KUNIT_EXPECT_EQ(test, fake_request->cb->inv_handle,
				cases[i].want);
	}
}

/*
 * A call with @reads Read chunks, @writes Write chunks of @each segments, and a
 * Reply chunk of @reply segments
 */
static u32 call_with_chunks(u8 *msg, u32 size, u32 reads, u32 writes, u32 each,
			    u32 reply)
{
	static const struct rpcrdma_segment seg = { .handle = 5, .length = 4 };
	struct rpcrdma_encoder enc;
	u32 i;

	rpcrdma_encode_init(&enc, msg, size);
	rpcrdma_encode_fixed(&enc, cpu_to_be32(XID), RPCRDMA_VERSION_2, 1,
			     RPCRDMA2_MSG);
	rpcrdma_encode_word(&enc, 0);
	rpcrdma_encode_word(&enc, 0);
	for (i = 0; i < reads; i++)
		rpcrdma_encode_read_segment(&enc, 8 + 8 * i, &seg);
	rpcrdma_encode_list_end(&enc);
	for (; writes; writes--) {
		rpcrdma_encode_chunk_begin(&enc);
		for (i = 0; i < each; i++)
			rpcrdma_encode_segment(&enc, &seg);
		rpcrdma_encode_chunk_end(&enc);
	}
	rpcrdma_encode_list_end(&enc);
	if (reply) {
		rpcrdma_encode_chunk_begin(&enc);
		for (i = 0; i < reply; i++)
			rpcrdma_encode_segment(&enc, &seg);
		rpcrdma_encode_chunk_end(&enc);
	} else {
		rpcrdma_encode_list_end(&enc);
	}
	rpcrdma_encode_word(&enc, XID);
	rpcrdma_encode_word(&enc, CALL);
	for (i = 0; i <= reads; i++)
		rpcrdma_encode_word(&enc, 0);
	return rpcrdma_encode_finish(&enc);
}

#define READS	XPRT_RDMA_GAPS
#define CHUNKS	XPRT_RDMA_BC_CHUNKS
#define SEGS	XPRT_RDMA_MAX_SEGS

/*
 * v2 draft section 5.3.3: as many chunks as the error names are accepted, one
 * more is not. A peer from which nothing can be read is told that the limit is
 * 0 Read chunks.
 */
static const struct {
	const char *name;
	u32 reads, writes, each, reply;
	bool no_reads;
	u32 err, value;
} limits[] = {
	{ "as many Read chunks as may be", READS },
	{ "a Read chunk more", READS + 1, .err = RPCRDMA2_ERR_READ_CHUNKS,
	  .value = READS },
	{ "a Read chunk, and no RDMA Read", 1, .no_reads = true,
	  .err = RPCRDMA2_ERR_READ_CHUNKS, .value = 0 },
	{ "no Read chunk, and no RDMA Read", .no_reads = true },
	{ "as many Write chunks as may be", 0, CHUNKS, 1 },
	{ "a Write chunk more", 0, CHUNKS + 1, 1,
	  .err = RPCRDMA2_ERR_WRITE_CHUNKS, .value = CHUNKS },
	{ "a Write chunk of all segments", 0, 1, SEGS },
	{ "a segment more in the Write chunk", 0, 1, SEGS + 1,
	  .err = RPCRDMA2_ERR_SEGMENTS, .value = SEGS },
	{ "a Reply chunk of all segments", .reply = SEGS },
	{ "a segment more in the Reply chunk", .reply = SEGS + 1,
	  .err = RPCRDMA2_ERR_SEGMENTS, .value = SEGS },
	{ "both, half of the segments each", 0, 1, SEGS / 2, SEGS / 2 },
	{ "both, a segment more", 0, 1, SEGS / 2, SEGS / 2 + 1,
	  .err = RPCRDMA2_ERR_SEGMENTS, .value = SEGS / 2 },
};

KUNIT_ARRAY_PARAM_DESC(limit, limits, name);

static void limited(struct kunit *test)
{
	static const struct message_case any = { .version = 2, .count = 4,
						 .words = V2(0, 0) };
	const typeof(limits[0]) *l = test->param_value;
	struct xprt_rdma_recv_ctx *recv = receive(test, &any);
	u8 *msg = fake_zalloc(test, 4096);
	u64 calls = fake_count(bc_calls);
	int len;

	/* Arrange */
	len = call_with_chunks(msg, 4096, l->reads, l->writes, l->each,
			       l->reply);
	KUNIT_ASSERT_GT(test, len, 0);
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_decode_prefix(&recv->hdr, msg, len));
	recv->error = rpcrdma_v2_decode(&recv->hdr);
	KUNIT_ASSERT_EQ(test, 0, recv->error);
	recv->conn->peer.no_own_reads = l->no_reads;

	/* Act */
	xprt_rdma_bc_receive(recv);

	/* Assert */
	KUNIT_EXPECT_EQ(test, !!fake_sent_len, !!l->err);
	KUNIT_EXPECT_EQ(test, fake_count(bc_calls) - calls, !l->err);
	if (l->err)
		check_error(test, RPCRDMA_VERSION_2, l->err, l->value);
}

/* If the Reads cannot be started, the request is released. */
static void failed_read_releases_request(struct kunit *test)
{
	static const struct message_case c = LONG_CALL(1000);
	struct xprt_rdma_recv_ctx *recv = receive(test, &c);

	fake_request = request(test);
	fake_released = 0;
	fake_delivered = 0;
	fake_read_rc = -ENOMEM;
	xprt_rdma_bc_receive(recv);
	fake_read_rc = 0;
	KUNIT_EXPECT_EQ(test, fake_released, 1);
	KUNIT_EXPECT_EQ(test, fake_delivered, 0);
}

/**
 * struct reply_case - a reply to a callback, and how it is sent
 * @name: what is special about it
 * @version: RPC-over-RDMA version; 0: 2
 * @peer: bytes; the server's Receive Buffer Size, or 0: INLINE
 * @segs: lengths of the Reply chunk's segments
 * @nsegs: number of entries of @segs
 * @write_chunk: the call had a Write chunk, too
 * @len: bytes in the reply
 * @refused: an error is sent in its place
 * @written: bytes written to the Reply chunk
 */
struct reply_case {
	const char *name;
	u32 version;
	u32 peer;
	u32 segs[3];
	u32 nsegs;
	bool write_chunk;
	u32 len;
	bool refused;
	u32 written;
};

static const struct reply_case reply_cases[] = {
	{ .name = "inline", .len = 100 },
	{ .name = "inline, Reply chunk not used", .segs = { 4096 }, .nsegs = 1,
	  .len = 100 },
	{ .name = "inline, Write chunk not used", .write_chunk = true,
	  .len = 100 },
	{ .name = "long", .segs = { 4096 }, .nsegs = 1, .len = REPLY_LEN,
	  .written = REPLY_LEN },
	{ .name = "long, and a Write chunk", .segs = { 4096 }, .nsegs = 1,
	  .write_chunk = true, .len = REPLY_LEN, .written = REPLY_LEN },
	{ .name = "several segments", .segs = { 999, 1000, 1000 }, .nsegs = 3,
	  .len = REPLY_LEN, .written = REPLY_LEN },
	{ .name = "an empty segment", .segs = { 1000, 0, 1000 }, .nsegs = 3,
	  .len = REPLY_LEN, .written = REPLY_LEN },
	{ .name = "all of the chunk", .segs = { 1000, 1000 }, .nsegs = 2,
	  .len = REPLY_LEN, .written = REPLY_LEN },
	{ .name = "a byte too long for the chunk", .segs = { 1000, 999 },
	  .nsegs = 2, .len = REPLY_LEN, .refused = true },
	{ .name = "no chunk", .len = REPLY_LEN, .refused = true },
	/* v2 draft section 4.2.1: a Write chunk of 24 bytes, a Reply chunk of 52 */
	{ .name = "a header as long as the peer's Receives", .peer = 112,
	  .segs = { 1000, 999, 1 }, .nsegs = 3, .write_chunk = true,
	  .len = REPLY_LEN, .written = REPLY_LEN },
	{ .name = "a header a byte longer", .peer = 111, .segs = { 1000, 999, 1 },
	  .nsegs = 3, .write_chunk = true, .len = REPLY_LEN, .refused = true },
	{ .name = "v1: inline", .version = 1, .len = 100 },
	{ .name = "v1: long", .version = 1, .len = REPLY_LEN,
	  .refused = true },
};

KUNIT_ARRAY_PARAM_DESC(reply_case, reply_cases, name);

static struct xprt_rdma_req *reply_request(struct kunit *test,
					   const struct reply_case *c)
{
	struct xprt_rdma_req *req = request(test);
	struct xprt_rdma_callback *cb = req->cb;
	struct rpc_rqst *rqst = &req->rqst;
	u32 i;

	req->r_xprt = fake_r_xprt(test);
	fake_real_versions();
	fake_set_version(req->r_xprt->conn, c->version ?: RPCRDMA_VERSION_2);
	req->r_xprt->conn->sizes.inline_send = c->peer ?: INLINE;
	req->r_xprt->conn->peer.remote_inv = true;
	rqst->rq_xprt = &req->r_xprt->xprt;
	rqst->rq_xid = cpu_to_be32(XID);
	rqst->rq_snd_buf.head[0].iov_base = req->snd.data;
	rqst->rq_snd_buf.head[0].iov_len = c->len;
	rqst->rq_snd_buf.len = c->len;
	xprt_set_connected(rqst->rq_xprt);
	if (c->write_chunk) {
		cb->nwrites = 1;
		cb->counts[0] = 1;
		cb->nsegs = 1;
		cb->segs[0] = (struct rpcrdma_segment){ .handle = 9,
							.length = 77 };
	}
	cb->nreply = c->nsegs;
	for (i = 0; i < c->nsegs; i++) {
		cb->segs[cb->nsegs + i].handle = 5 + i;
		cb->segs[cb->nsegs + i].length = c->segs[i];
		cb->room += c->segs[i];
	}
	cb->inv_handle = c->nsegs ? 5 : 0;
	req->rtype = XPRT_RDMA_CALL_DDP;
	req->nr_mrs = 7;
	fake_nwrites = 0;
	fake_sent_len = 0;
	return req;
}

/* v2 draft sections 3.2, 3.3, 5.3.2 and 5.3.3; RFC 8166 section 3.4.6 */
static void replies(struct kunit *test)
{
	const struct reply_case *c = test->param_value;
	struct xprt_rdma_req *req = reply_request(test, c);
	struct rpcrdma_hdr hdr;
	u32 i, written = 0;

	/* Act */
	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_bc_reply_send(&req->rqst));

	/* Assert: the error names the bytes that were needed */
	if (c->refused) {
		if (c->version)
			check_error(test, c->version, RPCRDMA_ERR_CHUNK, 0);
		else
			check_error(test, RPCRDMA_VERSION_2,
				    RPCRDMA2_ERR_REPLY_RESOURCE, c->len);
		return;
	}
	KUNIT_EXPECT_EQ(test, req->rtype, c->written ? XPRT_RDMA_CALL_LONG :
						       XPRT_RDMA_CALL_INLINE);
	KUNIT_EXPECT_EQ(test, req->nr_mrs, 0);
	for (i = 0; i < fake_nwrites; i++)
		written += fake_writes[i].length;
	KUNIT_EXPECT_EQ(test, written, c->written);
	KUNIT_EXPECT_EQ(test, fake_sent_len, 0);
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_decode_prefix(&hdr, req->hdr.data,
						       fake_hdrlen +
						       !c->written * 4));
	if (c->version) {
		KUNIT_EXPECT_EQ(test, hdr.version, c->version);
		KUNIT_EXPECT_EQ(test, fake_hdrlen, RPCRDMA_V1_MIN_SIZE);
		return;
	}
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_v2_decode(&hdr));
	KUNIT_EXPECT_EQ(test, hdr.type, c->written ? RPCRDMA2_NOMSG :
						     RPCRDMA2_MSG);
	KUNIT_EXPECT_EQ(test, hdr.flags, RPCRDMA2_F_RESPONSE);
	KUNIT_EXPECT_EQ(test, hdr.inv_handle, 0);
	KUNIT_EXPECT_EQ(test, hdr.writes.chunks, c->write_chunk);
	KUNIT_EXPECT_EQ(test, hdr.writes.bytes, 0);
	KUNIT_EXPECT_EQ(test, hdr.reply.bytes, c->written);
	KUNIT_EXPECT_EQ(test, req->send_wr.opcode,
			c->nsegs ? IB_WR_SEND_WITH_INV : IB_WR_RDMA_WRITE);
}

static struct kunit_case xprt_callback_cases[] = {
	KUNIT_CASE_PARAM(messages, message_case_gen_params),
	KUNIT_CASE(changes_passed_on),
	KUNIT_CASE(long_call_delivered_when_read),
	KUNIT_CASE(inline_parts_placed_first),
	KUNIT_CASE(reply_chunks_kept),
	KUNIT_CASE(only_named_handle_invalidated),
	KUNIT_CASE_PARAM(limited, limit_gen_params),
	KUNIT_CASE(failed_read_releases_request),
	KUNIT_CASE_PARAM(replies, reply_case_gen_params),
	{}
};

static struct kunit_suite xprt_callback_suite = {
	.name = "xprt_rdma_callback",
	.test_cases = xprt_callback_cases,
};

kunit_test_suite(xprt_callback_suite);

MODULE_DESCRIPTION("KUnit suite of xprtrdma's reverse direction");
MODULE_LICENSE("GPL");
