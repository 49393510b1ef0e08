/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A call that waits for its reply, the reply, and its outcome. Includes
 * reply.c, dispatch.c, early.c and the files that they need.
 */
#ifndef _XPRT_RDMA_XPRT_REPLY_FAKES_H
#define _XPRT_RDMA_XPRT_REPLY_FAKES_H

#include <linux/sunrpc/xdr.h>

#include "xprt_fakes.h"

static u32 fake_grant;
static bool fake_abandoned;
static bool fake_not_ours;
/* The connection's version; 0: any */
static u32 fake_version;

/* Outcome of a reply */
static struct outcome {
	u32 fetches;			/* number of fetches started */
	struct xprt_rdma_fetch fetch;	/* the last fetch */
	bool no_fetch;			/* there is no memory for a fetch */
	u32 declines;			/* number of replies declined */
	u32 puts;			/* number of times that its Receive was released */
	u32 lost;			/* times that the connection was reported as lost */
	int result;			/* length of the reply, or a negative errno */
	u32 completions;		/* number of times that the call was completed */
	int pins;			/* pin count of the call */
	struct rpc_rqst *waits;		/* the call that waits for the reply, or NULL */
	u32 learned;			/* length recorded for prediction, or 0 */
	int len;			/* length reported to sunrpc */
	bool is_call;			/* the message is a reverse-direction call */
	u32 calls;			/* number of such calls */
	u32 invalidations;		/* times that the call's memory was invalidated first */
	int offer_rc;			/* result of handling an answer to the offer */
	bool configures;		/* CONF_RDMA follows negotiation */
	bool conf_answered;		/* the message answers CONF_RDMA */
	u32 conf_messages;		/* number of messages checked for that */
	u32 negotiated;			/* number of times that negotiation ended */
	enum xprt_rdma_state state;	/* connection state after negotiation */
	int version_rc;			/* result of negotiation */
	int error_rc;			/* result of handling RDMA_ERROR */
} outcome;

static int fake_error(struct xprt_rdma_req *req, const struct rpcrdma_hdr *hdr)
{
	return outcome.error_rc ?: -EREMOTEIO;
}

static bool fake_is_call(const struct xprt_rdma_recv_ctx *recv)
{
	return outcome.is_call;
}

static int fake_decode(struct rpcrdma_hdr *hdr, const void *buf, u32 len)
{
	int rc = rpcrdma_decode(hdr, buf, len);

	if (hdr->base && fake_version && hdr->version != fake_version)
		return RPCRDMA_EVERSION;
	return hdr->version == RPCRDMA_VERSION_2 ?
		       rpcrdma_decode_v2(hdr, buf, len) : rc;
}

static void fake_bc_receive(struct xprt_rdma_recv_ctx *recv)
{
	outcome.calls++;
}

#ifdef RPCRDMA_EXT_PULLED
unsigned int xprt_rdma_read_replies;

/* An inline function calls this, so a macro cannot replace it. */
void xprt_rdma_predict_learn(const struct xprt_rdma_req *req, u32 len)
{
	outcome.learned = len;
}
#endif

#undef trace_xprtrdma_reply_complete
#define trace_xprtrdma_reply_complete(x, xid, rc)	((void)(outcome.result = (rc)))

#define xprt_complete_rqst(task, n) \
	((void)(task), (void)(outcome.len = (n)), (void)outcome.completions++)
#define xprt_pin_rqst(rqst)			((void)(rqst), (void)outcome.pins++)
#define xprt_unpin_rqst(rqst)			((void)(rqst), (void)outcome.pins--)
#define xprt_lookup_rqst(xprt, xid)		(outcome.waits)
#define xprt_rdma_recv_put(recv)			((void)(recv), (void)outcome.puts++)
#define xprt_rdma_credit_grant(conn, n)		(fake_grant = (n))
#define xprt_rdma_abandoned_answered(r_xprt)	((void)(r_xprt), fake_abandoned)
#define xprt_rdma_bc_receive		      fake_bc_receive
#define xprt_rdma_invalidated_remotely(c, r, rkey) (!fake_not_ours)
#define xprt_rdma_invalidate_async(c, r)                                       \
	((void)(r), (void)outcome.invalidations++)
#define xprt_rdma_conn_lost(conn) ((void)(conn), (void)outcome.lost++)
#define xprt_rdma_conn_change_state(conn, to, rc)                              \
	((void)(conn), (void)outcome.negotiated++,                             \
	 (void)(outcome.state = (to)),                                        \
	 (void)(outcome.version_rc = (rc)))
#define xprt_rdma_conf_reply(conn, hdr, buf, len) \
	((void)(conn), (void)(hdr), outcome.conf_messages++, outcome.conf_answered)
#define xprt_rdma_negotiate_reply(c, h, b, l) ((void)(h), outcome.offer_rc)
#define xprt_rdma_version_next_state(c)                                        \
	((void)(c), outcome.configures ? XPRT_RDMA_CONFIGURING :               \
					 XPRT_RDMA_CONNECTED)
#define xprt_rdma_fetch_create(recv, n)					\
	((void)(recv), !(n) || outcome.no_fetch ? NULL : &outcome.fetch)
#define xprt_rdma_fetch_start(fetch, r)					\
	((void)((fetch)->recv = (r)), (void)outcome.fetches++)
#define xprt_rdma_fetch_decline(fetch, conn)				\
	((void)(fetch), (void)(conn), (void)outcome.declines++)

#ifdef RPCRDMA_EXT_PULLED
#include "../xprtrdma/ext/pulled/reply.c"
#endif
#include "../xprtrdma/message/nfs.c"
#include "../xprtrdma/message/rpc.c"
#include "../xprtrdma/message/reply.c"
#include "../xprtrdma/message/dispatch.c"
#include "../xprtrdma/control/early.c"
#ifdef RPCRDMA_EXT_MSGP
#define xprt_rdma_send_add_sge(conn, req, addr, len) ((void)(req), (void)(len))
#define xprt_rdma_send_gather_pages(conn, req)	((void)(req), 0)
#define xprt_rdma_send_pages_ok(conn, xdr)	((void)(conn), (void)(xdr), true)
#include "../xprtrdma/ext/msgp.c"
#endif

#define HEAD	    120u
#define TAIL	    64u
#define PAGE_BASE   100u
#define PAGE_BYTES  6000u
#define PAGES	    2u
#define ROOM	    (HEAD + PAGE_BYTES + TAIL)
#define CANARY	    0xa7
#define MAX_MESSAGE 8192u
#define ROUND(n)    (((n) + 3) & ~3)

/* A call that waits, and its reply */
struct answer {
	struct xprt_rdma_req *req;		/* the call */
	struct xprt_rdma_recv_ctx *recv;	/* the reply */
	u8 *msg;				/* the message */
	struct rpcrdma_encoder enc;		/* encodes its transport header */
	u32 len;				/* bytes in @msg */
	u8 *head;				/* first part of the reply buffer */
	u8 *tail;				/* last part of the reply buffer */
	struct page **pages;			/* page list of the reply buffer */
	u32 count;	/* payload length in the last word of the head; 0: no payload */
};

/* Created anew for each case */
static struct answer *a;

static void buffers_reset(struct answer *a)
{
	struct rpc_rqst *rqst = &a->req->rqst;
	struct xdr_buf *xdr = &rqst->rq_rcv_buf;
	u32 i;

	memset(a->head, CANARY, HEAD);
	memset(a->tail, CANARY, TAIL);
	for (i = 0; i < PAGES; i++)
		memset(page_address(a->pages[i]), CANARY, PAGE_SIZE);
	memset(xdr, 0, sizeof(*xdr));
	xdr->head[0].iov_base = a->head;
	xdr->head[0].iov_len = HEAD;
	xdr->pages = a->pages;
	xdr->page_base = PAGE_BASE;
	xdr->page_len = PAGE_BYTES;
	xdr->tail[0].iov_base = a->tail;
	xdr->tail[0].iov_len = TAIL;
	xdr->buflen = ROOM;
	xdr->len = ROOM;
	rqst->rq_private_buf = *xdr;
}

static struct answer *answer_create(struct kunit *test,
				    enum xprt_rdma_wtype wtype, u32 nsegs,
				    const u32 *offered)
{
	struct answer *a = fake_zalloc(test, sizeof(*a));
	u32 i;

	fake_conn_ops = xprt_rdma_control_ops;
	for (i = RPCRDMA_VERSION_1; i <= RPCRDMA_VERSION_2; i++) {
		fake_versions[i].decode = fake_decode;
		fake_versions[i].is_call = fake_is_call;
		fake_versions[i].error = fake_error;
	}
	a->req = fake_req(test);
	a->recv = fake_zalloc(test, sizeof(*a->recv));
	a->recv->conn = a->req->r_xprt->conn;
	a->msg = fake_zalloc(test, MAX_MESSAGE);
	a->recv->buf.data = a->msg;
	a->head = fake_zalloc(test, HEAD);
	a->tail = fake_zalloc(test, TAIL);
	a->pages = fake_pages(test, PAGES);
	a->req->wtype = wtype;
	a->req->nr_offered = nsegs;
	memcpy(a->req->offered, offered, nsegs * sizeof(*offered));
	buffers_reset(a);
	return a;
}

static __maybe_unused void chunk(struct answer *a, u32 nsegs, const u32 *lengths)
{
	struct rpcrdma_segment seg = { .handle = 1, .offset = 0x1000 };

	rpcrdma_encode_chunk_begin(&a->enc, nsegs);
	while (nsegs--) {
		seg.length = *lengths++;
		rpcrdma_encode_segment(&a->enc, &seg);
	}
}

static __maybe_unused void none(struct answer *a)
{
	rpcrdma_encode_list_end(&a->enc);
}

static __maybe_unused void no_chunks(struct answer *a)
{
	rpcrdma_encode_no_chunks(&a->enc);
}

/* Store the payload's length in the last word of the @len bytes before it. */
static void put_count(const struct answer *a, u8 *msg, u32 len)
{
	len = min(len, HEAD);
	if (a->count && len >= RPCRDMA_XDR_UNIT)
		put_unaligned_be32(a->count, msg + len - RPCRDMA_XDR_UNIT);
}

/* Begin the header of a reply. */
static void begin(struct answer *a, u32 version, u32 type)
{
	rpcrdma_encode_init(&a->enc, a->msg, MAX_MESSAGE);
	rpcrdma_encode_fixed(&a->enc, cpu_to_be32(1), version, 1, type);
	if (version == RPCRDMA_VERSION_2)
		rpcrdma_encode_word(&a->enc, RPCRDMA2_F_RESPONSE);
	if (version == RPCRDMA_VERSION_2 && type != RPCRDMA2_ERROR)
		rpcrdma_encode_word(&a->enc, 0);
}

/* End the header, and append an RPC message of @len bytes. */
static void end(struct kunit *test, struct answer *a, u32 len)
{
	int hdrlen = rpcrdma_encode_finish(&a->enc);
	u32 i;

	KUNIT_ASSERT_GT(test, hdrlen, 0);
	KUNIT_ASSERT_LE(test, hdrlen + len, MAX_MESSAGE - 4);
	for (i = 0; i < len; i++)
		a->msg[hdrlen + i] = pattern(i);
	put_count(a, a->msg + hdrlen, len);
	memset(a->msg + hdrlen + len, CANARY, 4);
	a->len = hdrlen + len;
}

/* End the reply as end() does, and place it in its call's buffer. */
static __maybe_unused int take(struct kunit *test, struct answer *a, u32 len)
{
	end(test, a, len);
	xprt_rdma_dispatch_decode(a->recv, a->len);
	return xprt_rdma_reply_place(a->req, a->recv);
}

static __maybe_unused u8 reply_byte(const struct answer *a, u32 at)
{
	const struct xdr_buf *xdr = &a->req->rqst.rq_rcv_buf;
	u8 byte = 0;

	read_bytes_from_xdr_buf(xdr, at, &byte, 1);
	return byte;
}

static __maybe_unused void expect_pages_intact(struct kunit *test, const struct answer *a)
{
	const u8 *first = page_address(a->pages[0]);
	const u8 *last = page_address(a->pages[PAGES - 1]);
	u32 end = PAGE_BASE + PAGE_BYTES - (PAGES - 1) * PAGE_SIZE;

	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(first, CANARY, PAGE_BASE), NULL);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(last + end, CANARY,
					     PAGE_SIZE - end), NULL);
}

static __maybe_unused void expect_outcome(struct kunit *test, const struct outcome *want)
{
	KUNIT_EXPECT_EQ(test, outcome.completions, want->completions);
	KUNIT_EXPECT_EQ(test, outcome.invalidations, want->invalidations);
	KUNIT_EXPECT_EQ(test, outcome.fetches, want->fetches);
	KUNIT_EXPECT_EQ(test, outcome.declines, want->declines);
	KUNIT_EXPECT_EQ(test, outcome.pins, want->pins);
	KUNIT_EXPECT_EQ(test, outcome.puts, want->puts);
	KUNIT_EXPECT_EQ(test, outcome.lost, want->lost);
}

/* Compare the counters; those that are not given must be 0. */
#define EXPECT_OUTCOME(test, ...) \
	expect_outcome(test, &(const struct outcome){ __VA_ARGS__ })

/* Set up a connection of @version, and a call that waits for the reply @a. */
static __maybe_unused void await(struct answer *a, u32 version)
{
	struct xprt_rdma_conn *conn = a->recv->conn;

	memset(&outcome, 0, sizeof(outcome));
	outcome.waits = &a->req->rqst;
	a->req->unanswered = true;
	a->req->rqst.rq_task->tk_garb_retry = 2;
	fake_set_version(conn, version);
	conn->sizes.inline_recv = 1024;
}

#endif /* _XPRT_RDMA_XPRT_REPLY_FAKES_H */
