/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fakes for callbacks: incoming calls, the request, the callback service and
 * the Send of the reply. Includes callback.c, ext/pulled/callback.c and the
 * files that these need.
 */
#ifndef _XPRT_RDMA_XPRT_CALLBACK_FAKES_H
#define _XPRT_RDMA_XPRT_CALLBACK_FAKES_H

#include <linux/sunrpc/svc.h>

#include "xprt_fakes.h"
#include "fake_memory.h"

#define XID		0x11223344u
#define CALL		0u
#define REPLY		1u
#define INLINE		256u
#define SERIAL		7u
#define MAX_WRITES	4u

/* Calls to other files, and their results */
static struct flow {
	struct xprt_rdma_req *req;	/* the free request, or NULL */
	u32 gets;			/* number of calls to xprt_rdma_bc_get() */
	u32 releases;			/* number of times that a request was released */
	u32 puts;			/* number of Receives released */
	const void *delivered;		/* the call queued for the callback service, or NULL */
	const void *queue;		/* queue of @delivered */
	u32 woken;			/* number of times that the callback service was woken */
	u32 exempted;			/* number of calls exempted from credits */
	struct xprt_rdma_fetch fetch;	/* the fetch of a long call */
	u32 fetches;			/* number of fetches started */
	bool no_fetch;			/* creating a fetch fails */
	u8 refusal[64];			/* the last error sent */
	u32 refusal_len;		/* bytes in the last error */
	u32 refusals;			/* number of errors sent */
	int refusal_rc;			/* return value of sending an error */
	u32 lost;			/* number of times that the connection was reported lost */
	bool fits;			/* the reply fits into a Send */
	int prepare_rc;			/* return value of preparing the Send */
	u32 hdrlen;			/* bytes in the reply's transport header */
	u32 nwrites;			/* number of entries of @writes and @bases */
	struct rpcrdma_segment writes[MAX_WRITES];	/* segments to be written */
	const void *bases[MAX_WRITES];	/* source of each Write */
	u32 write_fails;		/* number of the Write that fails, from 1; 0: none */
	u32 drops;			/* number of times that Writes were dropped */
	u32 posts;			/* number of replies posted */
	int post_rc;			/* return value of posting a reply */
	int pages;			/* number of pages that have not been freed */
} flow;

static struct page *fake_page(gfp_t gfp)
{
	struct page *page = fake_memory_out() ? NULL : alloc_page(gfp);

	flow.pages += !!page;
	return page;
}

static void fake_release(struct xprt_rdma_req *req)
{
	struct xprt_rdma_callback *cb = req->cb;

	flow.releases++;
	for (; cb->npages; flow.pages--)
		put_page(cb->pages[--cb->npages]);
}

static struct xprt_rdma_req *fake_get(struct xprt_rdma *r_xprt)
{
	flow.gets++;
	if (flow.req)
		flow.req->r_xprt = r_xprt;
	return flow.req;
}

static int fake_control_send(const void *msg, u32 len)
{
	flow.refusals++;
	flow.refusal_len = len;
	memcpy(flow.refusal, msg, min_t(u32, len, sizeof(flow.refusal)));
	return flow.refusal_rc;
}

static __maybe_unused int fake_add_write(const void *base,
					 const struct rpcrdma_segment *seg)
{
	if (flow.write_fails == flow.nwrites + 1)
		return -ENOMEM;
	if (flow.nwrites == MAX_WRITES)
		return -E2BIG;
	flow.bases[flow.nwrites] = base;
	flow.writes[flow.nwrites++] = *seg;
	return 0;
}

static bool fake_properties_receive(struct xprt_rdma_recv_ctx *recv)
{
	return true;
}

#undef alloc_page
#define alloc_page(gfp)			fake_page(gfp)
#define xprt_rdma_control_msg_send(c, m, n) ((void)(c), fake_control_send(m, n))
#define xprt_rdma_conn_lost(conn)	((void)(conn), (void)flow.lost++)
#define xprt_rdma_properties_receive	fake_properties_receive
#define xprt_rdma_bc_get		fake_get
#define xprt_rdma_bc_release		fake_release
#define xprt_rdma_recv_put(recv)	((void)(recv), (void)flow.puts++)
#define xprt_rdma_fetch_create(recv, n)	\
	((void)(recv), (n) || flow.no_fetch ? NULL : &flow.fetch)
#define xprt_rdma_fetch_free(f)		((void)(f))
#define xprt_rdma_fetch_start(f, recv)	\
	((void)(f), (void)(recv), (void)flow.fetches++)
#define xprt_rdma_credit_exempt(r_xprt, r)	((void)(r), (void)flow.exempted++)
#define xprt_rdma_send_fits(c, r, in)	((in) && flow.fits)
#define xprt_rdma_send_prepare(c, r, n)	(flow.hdrlen = (n), flow.prepare_rc)
#define xprt_rdma_send_add_write(c, r, base, seg)	fake_add_write(base, seg)
#define xprt_rdma_send_drop_writes(c, r)	((void)flow.drops++)
#define xprt_rdma_send_post(c, r)	(flow.posts++, flow.post_rc)
#define lwq_enqueue(entry, list) \
	((void)(flow.delivered = (entry)), (void)(flow.queue = (list)))
#define svc_pool_wake_idle_thread(pool)	((void)(pool), (void)flow.woken++)

#define xprt_rdma_pulled_begin(c, p)	((void)(c), (void)(p))
#define xprt_rdma_v2_error		NULL
#define xprt_rdma_props_set_peer(c, p)	((void)(c), (void)(p))

#include "../xprtrdma/message/rpc.c"
#include "../xprtrdma/version/v1.c"
#include "../xprtrdma/version/v2.c"
#ifdef RPCRDMA_EXT_PULLED
#include "../xprtrdma/ext/pulled/callback.c"
#endif
#include "../xprtrdma/callback/callback.c"

/* The request of the current case */
static __maybe_unused struct xprt_rdma_req *req;

/*
 * A request with a receive buffer of @size bytes, on a transport with a
 * callback service
 */
static struct xprt_rdma_req *request(struct kunit *test, u32 version, u32 size)
{
	struct xprt_rdma_req *req = fake_zalloc(test, sizeof(*req));
	struct xprt_rdma *r_xprt = fake_r_xprt(test);

	memset(&flow, 0, sizeof(flow));
	fake_real_versions();
	flow.fits = true;
	fake_memory_left = -1;
	fake_set_version(r_xprt->conn, version);
	r_xprt->conn->sizes.inline_send = INLINE;
	r_xprt->conn->peer.remote_inv = true;
	r_xprt->conn->life.serial = SERIAL;
	r_xprt->conn->properties.own.read_replies = true;
	r_xprt->xprt.bc_serv = fake_zalloc(test, sizeof(struct svc_serv));
	r_xprt->bc_slots = XPRT_RDMA_BC_SLOTS;
	kref_init(&req->ref);
	xprt_set_connected(&r_xprt->xprt);
	req->r_xprt = r_xprt;
	req->cb = fake_zalloc(test, sizeof(*req->cb));
	req->hdr.data = fake_zalloc(test, XPRT_RDMA_HDR_SIZE);
	req->snd.data = fake_zalloc(test, PAGE_SIZE);
	req->snd.size = PAGE_SIZE;
	req->rcv.data = fake_zalloc(test, size);
	req->rcv.size = size;
	req->rtype = XPRT_RDMA_CALL_DDP;
	req->nr_mrs = 7;
	req->send_wr.opcode = IB_WR_SEND;
	/* Stale data from an earlier call */
	memset(&req->rqst, 0x55, sizeof(req->rqst));
	req->cb->chunks.writes.chunks = 1;
	flow.req = req;
	return req;
}

/* Receive @msg, and decode it as dispatch.c does. */
static struct xprt_rdma_recv_ctx *arrive(struct kunit *test,
					 struct xprt_rdma_req *req,
					 const void *msg, u32 len)
{
	struct xprt_rdma_recv_ctx *recv = fake_zalloc(test, sizeof(*recv));

	recv->conn = req->r_xprt->conn;
	recv->error = recv->conn->ver->decode(&recv->hdr, msg, len);
	if (recv->conn->ver->control)
		KUNIT_EXPECT_FALSE(test, recv->conn->ver->control(recv));
	return recv;
}

/* Encode the fixed part of a call's header. */
static __maybe_unused void encode_call(struct rpcrdma_encoder *enc, void *msg,
				       u32 size, u32 version, u32 type,
				       u32 inv_handle)
{
	rpcrdma_encode_init(enc, msg, size);
	rpcrdma_encode_fixed(enc, cpu_to_be32(XID), version, 1, type);
	if (version == RPCRDMA_VERSION_2)
		rpcrdma_encode_flags(enc, 0, inv_handle);
}

/* Append an RPC message of @len bytes, beginning with XID and direction. */
static __maybe_unused u32 append_call(u8 *msg, u32 hdrlen, u32 len)
{
	u32 i;

	for (i = 0; i < len; i++)
		msg[hdrlen + i] = pattern(i);
	if (len >= 8) {
		put_unaligned_be32(XID, msg + hdrlen);
		put_unaligned_be32(CALL, msg + hdrlen + 4);
	}
	return hdrlen + len;
}

/* The client sent one error, with the XID and version of the bad message. */
static void expect_refused(struct kunit *test, u32 version, u32 err, u32 value)
{
	struct rpcrdma_hdr hdr;

	KUNIT_ASSERT_EQ(test, flow.refusals, 1);
	KUNIT_ASSERT_EQ(test, 0, version == RPCRDMA_VERSION_1 ?
			rpcrdma_decode(&hdr, flow.refusal, flow.refusal_len) :
			rpcrdma_decode_v2(&hdr, flow.refusal, flow.refusal_len));
	KUNIT_EXPECT_EQ(test, hdr.version, version);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.xid), XID);
	KUNIT_EXPECT_EQ(test, hdr.type, RPCRDMA_ERROR);
	KUNIT_EXPECT_EQ(test, hdr.credits, XPRT_RDMA_BC_SLOTS);
	KUNIT_EXPECT_EQ(test, hdr.flags, version == RPCRDMA_VERSION_1 ?
			0 : RPCRDMA2_F_RESPONSE);
	KUNIT_EXPECT_EQ(test, hdr.err, err);
	KUNIT_EXPECT_EQ(test, hdr.err_value, value);
}

/* Act as the callback service: encode a reply of @len bytes. */
static void served(struct xprt_rdma_req *req, u32 len)
{
	struct rpc_rqst *rqst = &req->rqst;

	rqst->rq_snd_buf.head[0].iov_len = len;
	rqst->rq_snd_buf.len = len;
}

/*
 * Decode and check the header of the posted reply. If @nomsg, the RPC message
 * is in the Reply chunk.
 */
static void decode_reply(struct kunit *test, struct xprt_rdma_req *req,
			 struct rpcrdma_hdr *hdr, bool nomsg, u32 inv_handle)
{
	const struct xprt_rdma_version *ver = req->r_xprt->conn->ver;

	KUNIT_ASSERT_EQ(test, flow.posts, 1);
	/* The header of an RDMA2_MSG is followed by an RPC message. */
	KUNIT_ASSERT_EQ(test, 0, ver->decode(hdr, req->hdr.data,
					     flow.hdrlen + (nomsg ? 0 : 4)));
	KUNIT_EXPECT_EQ(test, hdr->payload, flow.hdrlen);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr->xid), XID);
	KUNIT_EXPECT_EQ(test, hdr->credits, XPRT_RDMA_BC_SLOTS);
	KUNIT_EXPECT_EQ(test, hdr->type, nomsg ? RPCRDMA_NOMSG : RPCRDMA_MSG);
	KUNIT_EXPECT_EQ(test, hdr->flags,
			ver->has_flags ? RPCRDMA2_F_RESPONSE : 0);
	KUNIT_EXPECT_EQ(test, hdr->inv_handle, 0);
	KUNIT_EXPECT_EQ(test, hdr->reads.segments, 0);
	KUNIT_EXPECT_EQ(test, req->nr_mrs, 0);
	KUNIT_EXPECT_EQ(test, req->rtype, nomsg ? XPRT_RDMA_CALL_LONG :
						  XPRT_RDMA_CALL_INLINE);
	KUNIT_EXPECT_EQ(test, req->send_wr.opcode,
			inv_handle ? IB_WR_SEND_WITH_INV : IB_WR_SEND);
	KUNIT_EXPECT_EQ(test, req->send_wr.ex.invalidate_rkey, inv_handle);
	KUNIT_EXPECT_EQ(test, flow.drops, 0);
	KUNIT_EXPECT_EQ(test, flow.refusals, 0);
}

#endif /* _XPRT_RDMA_XPRT_CALLBACK_FAKES_H */
