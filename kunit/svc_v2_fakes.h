/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For suites about versions: a connection that receives messages given as words
 * and records its answers. The files under test are compiled into the suite.
 */
#ifndef _SVC_RDMA_SVC_V2_FAKES_H
#define _SVC_RDMA_SVC_V2_FAKES_H

#include <linux/module.h>
#include <linux/sunrpc/xdr.h>

#include "svc_fakes.h"
#ifdef RPCRDMA_EXT_PROPERTIES
#include "fake_exchange.h"
#endif

#define trace_svc_rdma_received(conn, recv, ret)	((void)(ret))
#define trace_svc_rdma_error(xprt, xid, c, i, v) ((void)(xprt), (void)(xid))

#define RECV_SIZE	5120u
#define FIRST_SIZE	8192u
#define MAX_WORDS	160u
#define MAX_SENT	8u

unsigned int svc_rdma_max_version;
unsigned int svc_rdma_max_req_size = 4096;
unsigned int svc_rdma_receive_buffer_size = RECV_SIZE;

/* Actions of the files under test */
static struct outcome {
	u8 sent[MAX_SENT][256];	/* messages sent */
	u32 len[MAX_SENT];	/* bytes of each message */
	u32 count;	/* entries of @sent */
	u32 put;	/* Receive contexts put back, or passed to the backchannel */
	u32 put_posted;	/* @put when the last message was posted */
	u32 put_done;	/* @put when the last advert was released */
	u32 put_before;	/* @put when the transport was released */
	u32 begun;	/* times that the first grant's Receives were posted */
	int recvs_status;	/* return value of posting Receives */
	u32 callback;	/* replies passed to the backchannel */
	u32 errors;	/* errors passed to the backchannel */
	u32 dones;	/* RDMA2_DONEs passed on */
	int served;	/* return value of svc_rdma_call_receive() */
	bool reading;	/* the Reads of the last call were started */
	int read_status;	/* return value of starting the Reads */
	bool short_of_pages;	/* waiting calls get no pages yet */
	u32 adapted;	/* calls counted for the credit grant */
	u32 lent;	/* calls to svc_rdma_reply_lend_pages() */
	u32 addressed;	/* calls given the requester's address */
	u32 synced;	/* bytes synced for the CPU */
	u32 woken;	/* times that another thread was woken */
	/* Called before the transport is released */
	void (*on_received)(struct svc_rdma_conn *conn);
	u32 polled;	/* times that the completion queue was polled */
	bool event;	/* the completion queue may hold more */
	u32 reads_limits;	/* times that the number of Reads was limited */
	u32 reads_limit;	/* the last limit */
	u32 resizes;	/* times that a resize of the Receives began */
	u32 unfit;	/* Receives to be exchanged for a resize */
	u32 left;	/* Receives not exchanged yet */
} out;

static struct svc_rdma_send_ctx *fake_send;

static struct svc_rdma_send_ctx *fake_send_get(struct svc_rdma_conn *conn)
{
	if (fake_send) {
		fake_send->conn = conn;
		fake_send->limit = conn->peer.longest;
		fake_send->size = 8192;
	}
	return fake_send;
}

static int fake_send_answer(struct svc_rdma_send_ctx *send, u32 len)
{
	if (out.count == MAX_SENT || len > sizeof(out.sent[0]))
		return -EMSGSIZE;
	put_unaligned_be32(svc_rdma_credits(send->conn), send->buf + 8);
	memcpy(out.sent[out.count], send->buf, len);
	out.len[out.count++] = len;
	out.put_posted = out.put;
	return 0;
}

static void fake_callback_answered(struct svc_rdma_conn *conn,
				   struct svc_rdma_recv_ctx *recv,
				   struct svc_rdma_advert *advert)
{
	out.put++;
	if (recv->hdr.type == RPCRDMA_ERROR)
		out.errors++;
	else
		out.callback++;
}

/* Bytes of a call whose Reads have completed */
#define WAITED_LEN	1000

/* sunrpc: let another thread serve the transport if XPT_DATA is set. */
static void fake_received(struct svc_xprt *xprt)
{
	out.put_before = out.put;
	if (out.on_received)
		out.on_received(svc_rdma_conn_of(xprt));
	out.woken += test_bit(XPT_DATA, &xprt->xpt_flags);
}

static void fake_idle(struct svc_rdma_conn *conn)
{
	if (!out.event)
		clear_bit(XPT_DATA, &conn->xprt.xpt_flags);
}

static int fake_reads(void)
{
	out.reading = !out.read_status;
	return out.read_status;
}

/* The handle that an RDMA_DONE may invalidate */
#define GOOD_HANDLE			0x4711

static struct svc_rdma_advert *fake_advert_take(struct svc_rdma_conn *conn,
						struct svc_rdma_recv_ctx *recv,
						bool callback)
{
	static struct svc_rdma_advert advert;

	/* No callback of these suites has chunks. */
	if (callback)
		return NULL;
	out.dones++;
	recv->invalidated &= recv->inv_handle != GOOD_HANDLE;
	return recv->invalidated ? NULL : &advert;
}

/* Return a call whose Reads are done, or else one that waited for pages. */
static struct svc_rdma_read_ctx *fake_read_next(struct svc_rdma_conn *conn)
{
	struct list_head *done = &conn->reads.done, *waiting = &conn->reads.waiting;
	struct list_head *from = list_empty(done) && !out.short_of_pages ? waiting : done;
	struct list_head *first = list_empty(from) ? NULL : from->next;

	if (first)
		list_del_init(first);
	return first ? list_entry(first, struct svc_rdma_read_ctx, list) : NULL;
}

/* Begin a resize: @out.unfit Receives have to be exchanged. */
static __maybe_unused void fake_resize(struct svc_rdma_conn *conn, u32 size)
{
	out.resizes++;
	conn->recvs.size = size;
	out.left = out.unfit;
}

#define svc_rdma_recvs_resize		fake_resize
#define svc_rdma_recvs_resized(conn, size) \
	((void)(conn), (void)(size), out.left ? -EAGAIN : 0)
#define svc_rdma_recvs_set_floor(conn, size) \
	((void)((conn)->recvs.floor = (size)))
#define svc_rdma_recvs_for(grant)	(2 * (grant))
#define svc_rdma_wq			NULL
#define svc_rdma_reads_limit(conn, max) \
	((void)out.reads_limits++, (void)(out.reads_limit = (max)))
#define svc_rdma_send_get		fake_send_get
#define svc_rdma_send_answer		fake_send_answer
#define svc_rdma_send_put(send)		((void)(send))
#define svc_rdma_recvs_add(conn, n)	((void)(n), (void)out.begun++, out.recvs_status)
#define svc_rdma_reply_lend_pages(r, v)	((void)(r), (void)(v), (void)out.lent++)
#define svc_rdma_read_start(r, c, v)	((void)(v), fake_reads())
#define svc_rdma_read_finish(rqst, read) \
	((void)((rqst)->rq_arg.len = WAITED_LEN), out.read_status)
#define svc_rdma_read_resume(rqst, read) ((void)(read), fake_reads())
#define svc_rdma_read_next_locked	fake_read_next
#define svc_rdma_recv_put(conn, recv)	((void)out.put++)
#define svc_rdma_recvs_adapt(conn)	((void)(conn), (void)out.adapted++)
#define svc_rdma_advert_take		fake_advert_take
#define svc_rdma_advert_answered(conn, advert, callback) \
	((void)(advert), (void)((callback) || (out.put_done = out.put)))
#define svc_xprt_received		fake_received
#define svc_xprt_copy_addrs(rqst, xprt)	((void)(xprt), (void)out.addressed++)
#define ib_dma_sync_single_for_cpu(dev, addr, len, dir) \
	((void)(out.synced = (dir) == DMA_FROM_DEVICE ? (len) : 0))

#define svc_rdma_recvs_set_size(conn, bytes) \
	((void)((conn)->recvs.size = (bytes)))

#include "../svcrdma/version/version.c"
#include "../svcrdma/version/peer.c"
#include "../svcrdma/version/v1.c"
#include "../svcrdma/version/v2.c"
#include "../svcrdma/version/props.c"
#ifdef RPCRDMA_EXT_PROPERTIES
#include "../svcrdma/ext/properties.c"
#endif
#include "../svcrdma/message/error.c"
#ifdef RPCRDMA_EXT_CONF
#include "../svcrdma/ext/conf.c"
#endif
#ifdef RPCRDMA_EXT_MSGP
#include "../svcrdma/ext/msgp.c"
#endif
#define svc_rdma_recv_cq_poll(conn)	((void)(conn), (void)out.polled++)
#define svc_rdma_recv_cq_idle_locked	fake_idle

#include "../svcrdma/message/call.c"

#define XID		0x20190506
#define GRANT		7u
#define SQ_DEPTH	1000u

/* Header up to the chunk lists, for MSG and NOMSG */
#define W_HEAD(type, flags, inv)	XID, 2, 1, (type), (flags), (inv)
#define W_SEG				0x77, 4096, 0, 0x1000
#define W_CALL				XID, 0, 2, 100003
#define W_REPLY				XID, 1, 0, 0
#define W_V1_CALL			XID, 1, 1, 0, 0, 0, 0, W_CALL
#define W_CONNPROP			XID, 2, 32, 5, 0
/* The server's properties, unless a case changes them */
#define W_ANSWER_WITH(size, read, htypes)				\
	XID, 2, GRANT, 5, 1, 6, 1, 4, (size), 2, 4, 1, 0xffffff01, 4, 0, \
	0xffffff02, 4, (read), 0xffffff03, 8, 4, (htypes), 0xffffff04, 8, 1, \
	0x1f
#define W_ANSWER			W_ANSWER_WITH(RECV_SIZE, 0, 0)
#define W_ERROR(code)			XID, 2, GRANT, 4, 1, (code)
#define W_V1_ERROR(code)		XID, 1, GRANT, 4, (code)

struct words {
	u32 n;
	u32 w[MAX_WORDS];
};

/* A message given as words, and its length */
#define WORDS(...)							\
	{ .n = sizeof((const u32 []){ __VA_ARGS__ }) / sizeof(u32),	\
	  .w = { __VA_ARGS__ } }
#define NOTHING	{ .n = 0 }

/* Connection of the current case; thread that serves it */
static struct svc_rdma_conn *conn;
static struct svc_rqst *rqst;

static const struct svc_rdma_version *version_number(u32 number)
{
	if (!number)
		return &svc_rdma_undecided;
	return number == 2 ? &svc_rdma_v2 : &svc_rdma_v1;
}

static struct svc_rdma_conn *conn_create(struct kunit *test, u32 version)
{
	conn = fake_conn(test);
	memset(&out, 0, sizeof(out));
#ifdef RPCRDMA_EXT_PROPERTIES
	memset(&exchange_work, 0, sizeof(exchange_work));
#endif
	rqst = fake_rqst(test);
	rqst->rq_xprt = &conn->xprt;
	svc_rdma_max_version = 2;
	fake_send = fake_zalloc(test, sizeof(*fake_send));
	fake_send->buf = fake_zalloc(test, 8192);
	svc_rdma_properties_begin(conn);
	conn->properties.on = false;
	atomic_set(&conn->life.state, SVC_RDMA_OPEN);
	rpcrdma_props_default(&conn->peer.props);
	conn->peer.highest = 2;
	conn->caps.invalidate = true;
	conn->peer.remote_inv = true;
	conn->credits.grant = GRANT;
	conn->sq.depth = SQ_DEPTH;
	conn->caps.v1_recv = 4096;
	conn->recvs.size = FIRST_SIZE;
	conn->recvs.total = 18;
	conn->peer.longest = 1024;
	conn->ver = version_number(version);
	conn->callback_answered = fake_callback_answered;
	return conn;
}

/* The init function of suites whose connections have no version at first */
static __maybe_unused int begin_case(struct kunit *test)
{
	conn_create(test, 0);
	return 0;
}

/* Let the connection announce the message types that change properties. */
static __maybe_unused void changes_announced(void)
{
#ifdef RPCRDMA_EXT_PROPERTIES
	conn->properties.on = true;
#endif
	svc_rdma_props_begin(conn);
}

/* Complete a Receive. Its buffer is exactly as long as the message. */
static struct svc_rdma_recv_ctx *arrive(struct kunit *test,
					const struct words *in)
{
	struct svc_rdma_recv_ctx *recv = fake_zalloc(test, sizeof(*recv));
	u32 i;

	recv->len = in->n * sizeof(u32);
	recv->buf = fake_zalloc(test, recv->len);
	for (i = 0; i < in->n; i++)
		put_unaligned_be32(in->w[i], recv->buf + 4 * i);
	list_add_tail(&recv->list, &conn->recvs.done);
	set_bit(XPT_DATA, &conn->xprt.xpt_flags);
	return recv;
}

/* Let the thread take a message. */
static int received(void)
{
	out.reading = false;
	out.served = svc_rdma_call_receive(rqst);
	return out.served;
}

static struct svc_rdma_recv_ctx *take(struct kunit *test,
				      const struct words *in)
{
	struct svc_rdma_recv_ctx *recv = arrive(test, in);

	received();
	return recv;
}

static void expect_sent(struct kunit *test, u32 number,
			const struct words *want)
{
	u32 i;

	KUNIT_ASSERT_GT(test, out.count, number);
	KUNIT_ASSERT_EQ(test, out.len[number], want->n * 4);
	for (i = 0; i < want->n; i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    get_unaligned_be32(out.sent[number] + 4 * i),
				    want->w[i], "word %u", i);
}

/* take() and expect_sent() for a message given as words */
#define TAKE(...) ({						\
	static const struct words in_ = WORDS(__VA_ARGS__);		\
									\
	take(test, &in_);						\
})

#define EXPECT_SENT(number, ...) ({					\
	static const struct words want_ = WORDS(__VA_ARGS__);		\
									\
	expect_sent(test, number, &want_);				\
})

#endif /* _SVC_RDMA_SVC_V2_FAKES_H */
