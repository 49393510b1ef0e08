// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a callback reaches sunrpc's callback service complete, its reply goes
 * back, and whatever happens in between, each Receive, request and page is
 * released once. Otherwise, delegations would not be returned, or the callback
 * channel would die with the first failure.
 */
#include <linux/module.h>
#include <linux/sunrpc/svc.h>

#include "xprt_fakes.h"
#include "fake_memory.h"

#define XID		0x11223344u
#define CALL		0u
#define INLINE		256u
#define MAX_WRITES	4u

/**
 * struct flow - calls to other files, and their outcome
 * @req: the free request, or NULL
 * @gets: number of times that a request was asked for
 * @releases: number of times that a request was released
 * @puts: number of Receives released
 * @delivered: the call queued for the callback service, or NULL
 * @queue: queue of @delivered
 * @woken: number of times that the service was woken
 * @exempted: number of calls that take no credit
 * @reads: number of calls whose Read chunks are fetched
 * @read_rc: return value of starting that
 * @refusals: number of errors sent
 * @refusal_rc: return value of sending one
 * @lost: number of times that the connection was given up
 * @fits: the reply fits into a Send
 * @fits_inline: whether it fits inline was asked
 * @prepare_rc: return value of preparing the Send
 * @hdrlen: bytes in the reply's transport header
 * @nwrites: number of entries of @writes and @bases
 * @writes: segments to be written
 * @bases: source of each Write
 * @write_fails: index of the Write that cannot be had, plus one; 0: none
 * @drops: number of times that Writes were dropped
 * @posts: number of replies posted
 * @post_rc: return value of posting
 * @pages: number of pages and page lists that have not been freed
 */
static struct flow {
	struct xprt_rdma_req *req;
	u32 gets;
	u32 releases;
	u32 puts;
	const void *delivered;
	const void *queue;
	u32 woken;
	u32 exempted;
	u32 reads;
	int read_rc;
	u32 refusals;
	int refusal_rc;
	u32 lost;
	bool fits;
	bool fits_inline;
	int prepare_rc;
	u32 hdrlen;
	u32 nwrites;
	struct rpcrdma_segment writes[MAX_WRITES];
	const void *bases[MAX_WRITES];
	u32 write_fails;
	u32 drops;
	u32 posts;
	int post_rc;
	int pages;
} flow;

static void *fake_list(size_t n, size_t size, gfp_t gfp)
{
	void *p = fake_memory_out() ? NULL : kvcalloc_noprof(n, size, gfp);

	flow.pages += !!p;
	return p;
}

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
	while (cb->npages) {
		put_page(cb->pages[--cb->npages]);
		flow.pages--;
	}
	flow.pages -= !!cb->pages;
	kvfree(cb->pages);
	cb->pages = NULL;
}

static struct xprt_rdma_req *fake_get(struct xprt_rdma *r_xprt)
{
	flow.gets++;
	if (flow.req)
		flow.req->r_xprt = r_xprt;
	return flow.req;
}

static void fake_deliver(const void *entry, const void *queue)
{
	flow.delivered = entry;
	flow.queue = queue;
}

static int fake_add_write(const void *base, const struct rpcrdma_segment *seg)
{
	if (flow.write_fails == flow.nwrites + 1)
		return -ENOMEM;
	if (flow.nwrites == MAX_WRITES)
		return -E2BIG;
	flow.bases[flow.nwrites] = base;
	flow.writes[flow.nwrites++] = *seg;
	return 1;
}

#undef kcalloc
#define kcalloc(n, size, gfp)		fake_list(n, size, gfp)
#undef alloc_page
#define alloc_page(gfp)			fake_page(gfp)
#define xprt_rdma_control_msg_send(c, m, n) \
	((void)(c), (void)(m), (void)(n), (void)flow.refusals++, flow.refusal_rc)
#define xprt_rdma_conn_lost(conn)	((void)(conn), (void)flow.lost++)
#define xprt_rdma_bc_get		fake_get
#define xprt_rdma_bc_release		fake_release
#define xprt_rdma_recv_put(recv)		((void)(recv), (void)flow.puts++)
#define xprt_rdma_read_start(recv, args)	\
	((void)(recv), (void)(args), (void)flow.reads++, flow.read_rc)
#define xprt_rdma_credit_exempt(r_xprt, r)	((void)(r), (void)flow.exempted++)
#define xprt_rdma_send_fits(c, r, in)	(flow.fits_inline = (in), flow.fits)
#define xprt_rdma_send_prepare(c, r, n)	(flow.hdrlen = (n), flow.prepare_rc)
#define xprt_rdma_send_add_write(c, r, base, seg)	fake_add_write(base, seg)
#define xprt_rdma_send_drop_writes(c, r)	((void)flow.drops++)
#define xprt_rdma_send_post(c, r)	(flow.posts++, flow.post_rc)
#define xprt_rdma_sq_wait(conn)		(-EBUSY)
#define lwq_enqueue(entry, queue)	fake_deliver(entry, queue)
#define svc_pool_wake_idle_thread(pool)	((void)(pool), (void)flow.woken++)

#include "../xprtrdma/fetch/layout.c"
#include "xprt_version_fakes.h"
#define xprt_rdma_v2_error		NULL
#include "fake_props.h"
#include "../xprtrdma/version/v2.c"
#include "../xprtrdma/version/error_send.c"
#include "../xprtrdma/callback/callback.c"

/*
 * A request with @size bytes for a call; the transport has a callback service
 */
static struct xprt_rdma_req *request(struct kunit *test, u32 size)
{
	struct xprt_rdma_req *req = fake_zalloc(test, sizeof(*req));
	struct xprt_rdma *r_xprt = fake_r_xprt(test);

	memset(&flow, 0, sizeof(flow));
	fake_real_versions();
	flow.fits = true;
	fake_memory_left = -1;
	fake_set_version(r_xprt->conn, RPCRDMA_VERSION_2);
	r_xprt->conn->sizes.inline_send = INLINE;
	r_xprt->conn->peer.remote_inv = true;
	r_xprt->conn->life.serial = 7;
	r_xprt->xprt.bc_serv = fake_zalloc(test, sizeof(struct svc_serv));
	r_xprt->bc_slots = XPRT_RDMA_BC_SLOTS;
	kref_init(&r_xprt->xprt.kref);
	xprt_set_connected(&r_xprt->xprt);
	req->r_xprt = r_xprt;
	req->cb = fake_zalloc(test, sizeof(*req->cb));
	req->hdr.data = fake_zalloc(test, XPRT_RDMA_HDR_SIZE);
	req->snd.data = fake_zalloc(test, PAGE_SIZE);
	req->snd.size = PAGE_SIZE;
	req->rcv.data = fake_zalloc(test, size);
	req->rcv.size = size;
	flow.req = req;
	return req;
}

static u8 pattern(u32 i)
{
	return i % 97 + 1;
}

/*
 * A call of @len bytes that has arrived, inline or in a Position-Zero Read
 * chunk
 */
static struct xprt_rdma_recv_ctx *call(struct kunit *test,
				       struct xprt_rdma_req *req, u32 version,
				       u32 len, bool is_long)
{
	struct xprt_rdma_recv_ctx *recv = fake_zalloc(test, sizeof(*recv));
	const struct rpcrdma_segment seg = { .handle = 5, .length = len };
	u32 size = len + 100, i;
	u8 *msg = fake_zalloc(test, size);
	struct rpcrdma_encoder enc;
	int hdrlen;

	recv->conn = req->r_xprt->conn;
	fake_set_version(recv->conn, version);
	rpcrdma_encode_init(&enc, msg, size);
	rpcrdma_encode_fixed(&enc, cpu_to_be32(XID), version, 1,
			     is_long ? RPCRDMA_NOMSG : RPCRDMA_MSG);
	if (version == RPCRDMA_VERSION_2) {
		rpcrdma_encode_word(&enc, 0);
		rpcrdma_encode_word(&enc, 0);
	}
	if (is_long)
		rpcrdma_encode_read_segment(&enc, 0, &seg);
	for (i = 0; i < 3; i++)
		rpcrdma_encode_list_end(&enc);
	hdrlen = rpcrdma_encode_finish(&enc);
	KUNIT_ASSERT_GT(test, hdrlen, 0);
	for (i = 0; i < len && !is_long; i++)
		msg[hdrlen + i] = pattern(i);
	if (!is_long) {
		put_unaligned_be32(XID, msg + hdrlen);
		put_unaligned_be32(CALL, msg + hdrlen + 4);
		hdrlen += len;
	}
	KUNIT_ASSERT_EQ(test, 0,
			rpcrdma_decode_prefix(&recv->hdr, msg, hdrlen));
	recv->error = version == RPCRDMA_VERSION_2 ?
		     rpcrdma_v2_decode(&recv->hdr) :
		     rpcrdma_decode(&recv->hdr, msg, hdrlen);
	KUNIT_ASSERT_EQ(test, 0, recv->error);
	return recv;
}

/* The callback service has the whole call, with the references it needs. */
static void expect_delivered(struct kunit *test, struct xprt_rdma_req *req,
			     u32 len)
{
	struct rpc_rqst *rqst = &req->rqst;
	struct rpc_xprt *xprt = &req->r_xprt->xprt;
	u8 byte;
	u32 i;

	KUNIT_ASSERT_PTR_EQ(test, flow.delivered,
			    (const void *)&rqst->rq_bc_list);
	KUNIT_EXPECT_PTR_EQ(test, flow.queue,
			    (const void *)&xprt->bc_serv->sv_cb_list);
	KUNIT_EXPECT_EQ(test, flow.woken, 1);
	KUNIT_EXPECT_EQ(test, flow.exempted, 1);
	KUNIT_EXPECT_EQ(test, flow.puts, 1);
	KUNIT_EXPECT_EQ(test, flow.releases, 0);
	KUNIT_EXPECT_EQ(test, kref_read(&xprt->kref), 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&xprt->bc_slot_count), 1);
	KUNIT_EXPECT_EQ(test, be32_to_cpu(rqst->rq_xid), XID);
	KUNIT_EXPECT_PTR_EQ(test, rqst->rq_xprt, xprt);
	KUNIT_EXPECT_TRUE(test, test_bit(RPC_BC_PA_IN_USE,
					 &rqst->rq_bc_pa_state));
	KUNIT_EXPECT_TRUE(test, list_empty(&rqst->rq_bc_pa_list));
	KUNIT_EXPECT_PTR_EQ(test, rqst->rq_snd_buf.head[0].iov_base,
			    req->snd.data);
	KUNIT_EXPECT_EQ(test, rqst->rq_snd_buf.buflen, req->snd.size);
	KUNIT_EXPECT_EQ(test, rqst->rq_rcv_buf.len, len);
	KUNIT_EXPECT_EQ(test, rqst->rq_private_buf.len, len);
	KUNIT_EXPECT_GE(test, rqst->rq_rcv_buf.buflen, len);
	KUNIT_EXPECT_EQ(test, rqst->rq_rcv_buf.head[0].iov_len,
			min_t(u32, len, req->rcv.size));
	for (i = 8; i < len; i++) {
		KUNIT_ASSERT_EQ(test, 0,
				read_bytes_from_xdr_buf(&rqst->rq_rcv_buf, i,
							&byte, 1));
		KUNIT_ASSERT_EQ(test, byte, pattern(i));
	}
}

/* RFC 8167: a call is delivered, from the shortest to beyond the buffer. */
static void inline_calls_delivered(struct kunit *test)
{
	static const u32 lengths[] = {
		8, 12, 60, 64, 68, 64 + PAGE_SIZE, 68 + PAGE_SIZE,
		64 + 2 * PAGE_SIZE + 40,
	};
	struct xprt_rdma_req *req;
	u32 i, version;

	for (version = 1; version <= 2; version++) {
		for (i = 0; i < ARRAY_SIZE(lengths); i++) {
			req = request(test, 64);
			/* Left by an earlier call */
			memset(&req->rqst, 0x55, sizeof(req->rqst));
			xprt_rdma_bc_receive(call(test, req, version,
						  lengths[i], false));
			expect_delivered(test, req, lengths[i]);
			KUNIT_EXPECT_EQ(test, req->cb->npages,
					lengths[i] <= 64 ? 0 :
					DIV_ROUND_UP(lengths[i] - 64,
						     PAGE_SIZE));
			KUNIT_EXPECT_EQ(test, req->cb->serial, 7);
			KUNIT_EXPECT_EQ(test, req->cb->nwrites, 0);
			KUNIT_EXPECT_EQ(test, req->cb->nreply, 0);
			KUNIT_EXPECT_EQ(test, req->r_xprt->stats.bcall_count,
					1);
			fake_release(req);
			KUNIT_EXPECT_EQ(test, flow.pages, 0);
		}
	}
}

/* A call that cannot be taken ends the connection, and nothing leaks. */
static void untaken_call_ends_connection(struct kunit *test)
{
	enum { NO_REQUEST, TOO_MANY, NO_MEMORY };
	struct xprt_rdma_recv_ctx *recv;
	struct xprt_rdma_req *req;
	u32 i, before;
	u64 dropped;

	for (i = 0; i < NO_MEMORY + 4; i++) {
		/* Arrange: the page list, or one of three pages, is missing */
		req = request(test, 64);
		recv = call(test, req, 2, 64 + 3 * PAGE_SIZE, false);
		dropped = fake_count(bc_dropped);
		before = i == TOO_MANY ? XPRT_RDMA_BC_CALLS :
					 XPRT_RDMA_BC_CALLS - 1;
		atomic_set(&req->r_xprt->xprt.bc_slot_count, before);
		if (i == NO_REQUEST)
			flow.req = NULL;
		else if (i >= NO_MEMORY)
			fake_memory_left = i - NO_MEMORY;

		/* Act */
		xprt_rdma_bc_receive(recv);
		fake_memory_left = -1;

		/* Assert */
		KUNIT_EXPECT_EQ(test, flow.lost, 1);
		KUNIT_EXPECT_EQ(test, recv->conn->life.lost,
				i == TOO_MANY ? RPCRDMA_NL_LOST_PROTOCOL : 0);
		KUNIT_EXPECT_NULL(test, flow.delivered);
		KUNIT_EXPECT_EQ(test, flow.exempted, 0);
		KUNIT_EXPECT_EQ(test, flow.woken, 0);
		KUNIT_EXPECT_EQ(test, flow.puts, 1);
		KUNIT_EXPECT_EQ(test, flow.gets, i != TOO_MANY);
		KUNIT_EXPECT_EQ(test, flow.releases, i >= NO_MEMORY);
		KUNIT_EXPECT_EQ(test, flow.pages, 0);
		KUNIT_EXPECT_EQ(test, fake_count(bc_dropped) - dropped, 1);
		KUNIT_EXPECT_EQ(test, flow.refusals, 0);
		KUNIT_EXPECT_EQ(test,
				atomic_read(&req->r_xprt->xprt.bc_slot_count),
				before);
	}
}

/*
 * A call for which there is no callback service, or none any more, is answered
 * with an error; NFS may have freed the service already.
 */
static void call_without_service_refused(struct kunit *test)
{
	enum { NO_SERVICE, STOPPED, ENDING, NOT_SENT };
	struct xprt_rdma_recv_ctx *recv;
	struct xprt_rdma_req *req;
	u32 i;

	for (i = 0; i <= NOT_SENT; i++) {
		req = request(test, 64);
		recv = call(test, req, 1 + i % 2, 12, false);
		if (i == ENDING)
			refcount_set(&req->r_xprt->xprt.kref.refcount, 0);
		else if (i == STOPPED)
			req->r_xprt->bc_slots = 0;
		else
			req->r_xprt->xprt.bc_serv = NULL;
		flow.refusal_rc = i == NOT_SENT ? -ENOBUFS : 0;
		xprt_rdma_bc_receive(recv);
		KUNIT_EXPECT_EQ(test, flow.refusals, 1);
		KUNIT_EXPECT_EQ(test, flow.lost, i == NOT_SENT);
		KUNIT_EXPECT_NULL(test, flow.delivered);
		KUNIT_EXPECT_EQ(test, flow.exempted, 0);
		KUNIT_EXPECT_EQ(test, flow.puts, 1);
		KUNIT_EXPECT_EQ(test, flow.releases, 1);
		KUNIT_EXPECT_EQ(test,
				atomic_read(&req->r_xprt->xprt.bc_slot_count),
				0);
	}
}

/* The longest call accepted is read; its Receive belongs to the Reads. */
static void long_call_read(struct kunit *test)
{
	struct xprt_rdma_req *req = request(test, 64);

	xprt_rdma_bc_receive(call(test, req, 2, XPRT_RDMA_BC_CALL_MAX, true));
	KUNIT_EXPECT_EQ(test, flow.reads, 1);
	KUNIT_EXPECT_EQ(test, flow.puts, 0);
	KUNIT_EXPECT_EQ(test, flow.releases, 0);
	KUNIT_EXPECT_NULL(test, flow.delivered);
	fake_release(req);

	/* The Reads cannot be started. */
	req = request(test, 64);
	flow.read_rc = -ENOMEM;
	xprt_rdma_bc_receive(call(test, req, 2, 1000, true));
	KUNIT_EXPECT_EQ(test, flow.lost, 1);
	KUNIT_EXPECT_EQ(test, flow.puts, 1);
	KUNIT_EXPECT_EQ(test, flow.releases, 1);
	KUNIT_EXPECT_EQ(test, flow.pages, 0);
}

/* Messages that are not calls release their Receives, too. */
static void other_messages_release_receive(struct kunit *test)
{
	struct xprt_rdma_req *req = request(test, 64);
	struct xprt_rdma_recv_ctx *recv = call(test, req, 2, 12, false);
	u64 ignored = fake_count(messages_ignored);

	recv->hdr.type = RPCRDMA2_ERROR;
	xprt_rdma_bc_receive(recv);
	KUNIT_EXPECT_EQ(test, flow.puts, 1);
	KUNIT_EXPECT_EQ(test, fake_count(messages_ignored) - ignored, 1);

	/* Refused; then, flagged as a call but too short for one */
	recv = call(test, req, 2, 12, false);
	recv->error = RPCRDMA_ECHUNK;
	xprt_rdma_bc_receive(recv);
	KUNIT_EXPECT_EQ(test, flow.refusals, 1);
	KUNIT_EXPECT_EQ(test, flow.puts, 2);
	recv = call(test, req, 2, 4, false);
	xprt_rdma_bc_receive(recv);
	KUNIT_EXPECT_EQ(test, flow.puts, 3);
	KUNIT_EXPECT_EQ(test, flow.refusals, 1);
	KUNIT_EXPECT_EQ(test, flow.gets, 0);
}

/* A reply of @len bytes to a call that is being served */
static struct xprt_rdma_req *reply(struct kunit *test, u32 len)
{
	struct xprt_rdma_req *req = request(test, 64);
	struct rpc_rqst *rqst = &req->rqst;

	req->cb->serial = 7;
	rqst->rq_xprt = &req->r_xprt->xprt;
	rqst->rq_xid = cpu_to_be32(XID);
	rqst->rq_snd_buf.head[0].iov_base = req->snd.data;
	rqst->rq_snd_buf.head[0].iov_len = len;
	rqst->rq_snd_buf.len = len;
	req->send_wr.opcode = IB_WR_SEND;
	return req;
}

/* The call has two Write chunks of three segments, and a Reply chunk. */
static void give_chunks(struct xprt_rdma_req *req, u32 nreply, u32 each)
{
	struct xprt_rdma_callback *cb = req->cb;
	u32 i;

	cb->nwrites = 2;
	cb->counts[0] = 2;
	cb->counts[1] = 1;
	cb->nsegs = 3;
	cb->nreply = nreply;
	for (i = 0; i < 3 + nreply; i++) {
		cb->segs[i].handle = 0x100 + i;
		cb->segs[i].offset = 0x1000 * i;
		cb->segs[i].length = each;
	}
	cb->room = nreply * each;
}

/* The reply returns each chunk, with the bytes written to each segment. */
static void expect_chunks(struct kunit *test, const struct xprt_rdma_req *req,
			  const struct rpcrdma_hdr *hdr, const u32 *written,
			  u32 nreply)
{
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	u32 i, n = 0, count;

	KUNIT_EXPECT_EQ(test, hdr->reads.segments, 0);
	KUNIT_ASSERT_EQ(test, hdr->writes.chunks, 2);
	rpcrdma_chunks_begin(hdr, &hdr->writes, &cur);
	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_TRUE(test, rpcrdma_chunks_next(&cur, &count));
		KUNIT_EXPECT_EQ(test, count, req->cb->counts[i]);
		for (; rpcrdma_segments_next(&cur, &seg); n++) {
			KUNIT_EXPECT_EQ(test, seg.handle, 0x100 + n);
			KUNIT_EXPECT_EQ(test, seg.offset, 0x1000 * n);
			KUNIT_EXPECT_EQ(test, seg.length, 0);
		}
	}
	KUNIT_ASSERT_EQ(test, n, 3);
	KUNIT_ASSERT_EQ(test, hdr->reply.segments, nreply);
	rpcrdma_chunks_begin(hdr, &hdr->reply, &cur);
	if (nreply)
		KUNIT_ASSERT_TRUE(test, rpcrdma_chunks_next(&cur, &count));
	for (i = 0; i < nreply; i++) {
		KUNIT_ASSERT_TRUE(test, rpcrdma_segments_next(&cur, &seg));
		KUNIT_EXPECT_EQ(test, seg.handle, 0x103 + i);
		KUNIT_EXPECT_EQ(test, seg.offset, 0x1000 * (3 + i));
		KUNIT_EXPECT_EQ(test, seg.length, written[i]);
	}
}

static void decode_reply(struct kunit *test, struct xprt_rdma_req *req,
			 struct rpcrdma_hdr *hdr)
{
	/* The header of an RDMA2_MSG is followed by an RPC message. */
	u32 len = flow.hdrlen + 4 * !flow.nwrites;

	KUNIT_ASSERT_EQ(test, 0,
			rpcrdma_decode_prefix(hdr, req->hdr.data, len));
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_v2_decode(hdr));
	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr->xid), XID);
	KUNIT_EXPECT_EQ(test, hdr->credits, XPRT_RDMA_BC_SLOTS);
	KUNIT_EXPECT_EQ(test, hdr->flags, RPCRDMA2_F_RESPONSE);
	KUNIT_EXPECT_EQ(test, hdr->inv_handle, 0);
}

/* RFC 8166 section 3.4.6: a reply that fits inline uses no chunk. */
static void inline_reply_returns_chunks(struct kunit *test)
{
	struct xprt_rdma_req *req = reply(test, 20);
	struct rpcrdma_hdr hdr;

	give_chunks(req, 2, 500);
	req->cb->inv_handle = 0x101;
	KUNIT_EXPECT_EQ(test, 0, xprt_rdma_bc_reply_send(&req->rqst));
	decode_reply(test, req, &hdr);
	KUNIT_EXPECT_EQ(test, hdr.type, RPCRDMA2_MSG);
	expect_chunks(test, req, &hdr, NULL, 0);
	KUNIT_EXPECT_TRUE(test, flow.fits_inline);
	KUNIT_EXPECT_EQ(test, flow.nwrites, 0);
	KUNIT_EXPECT_EQ(test, flow.posts, 1);
	KUNIT_EXPECT_EQ(test, flow.drops, 0);
	KUNIT_EXPECT_EQ(test, flow.refusals, 0);
	KUNIT_EXPECT_EQ(test, req->send_wr.opcode, IB_WR_SEND_WITH_INV);
	KUNIT_EXPECT_EQ(test, req->send_wr.ex.invalidate_rkey, 0x101);
}

/* v2 draft section 5.3.2: a long reply fills the Reply chunk in order. */
static void long_reply_fills_chunk(struct kunit *test)
{
	static const u32 written[] = { 1000, 1000, 4 };
	struct xprt_rdma_req *req = reply(test, 2004);
	const u8 *head = req->snd.data;
	struct rpcrdma_hdr hdr;
	u32 i;

	give_chunks(req, 3, 1000);
	KUNIT_EXPECT_EQ(test, 0, xprt_rdma_bc_reply_send(&req->rqst));
	decode_reply(test, req, &hdr);
	KUNIT_EXPECT_EQ(test, hdr.type, RPCRDMA2_NOMSG);
	expect_chunks(test, req, &hdr, written, 3);
	KUNIT_ASSERT_EQ(test, flow.nwrites, 3);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_PTR_EQ(test, flow.bases[i],
				    (const void *)(head + 1000 * i));
		KUNIT_EXPECT_EQ(test, flow.writes[i].handle, 0x103 + i);
		KUNIT_EXPECT_EQ(test, flow.writes[i].length, written[i]);
	}
	KUNIT_EXPECT_EQ(test, flow.posts, 1);
	KUNIT_EXPECT_EQ(test, flow.drops, 0);
	KUNIT_EXPECT_EQ(test, req->send_wr.opcode, IB_WR_SEND);
}

/* A reply longer than its limit, by one word, is refused. */
static void too_long_reply_refused(struct kunit *test)
{
	struct xprt_rdma_req *req;
	u32 i;

	for (i = 0; i < 2; i++) {
		req = reply(test, INLINE - RPCRDMA2_MIN_SIZE + 4 * i);
		KUNIT_EXPECT_EQ(test, 0, xprt_rdma_bc_reply_send(&req->rqst));
		KUNIT_EXPECT_EQ(test, flow.refusals, i);
		KUNIT_EXPECT_EQ(test, flow.posts, !i);
		KUNIT_EXPECT_EQ(test, flow.drops, i);
	}

	/* A Reply chunk takes contiguous replies only. */
	req = reply(test, 500);
	give_chunks(req, 1, 1000);
	req->rqst.rq_snd_buf.page_len = 100;
	req->rqst.rq_snd_buf.len = 600;
	KUNIT_EXPECT_EQ(test, 0, xprt_rdma_bc_reply_send(&req->rqst));
	KUNIT_EXPECT_EQ(test, flow.refusals, 1);
	KUNIT_EXPECT_EQ(test, flow.nwrites, 0);
}

/*
 * If a reply cannot be sent now, or at all, its Writes are dropped. The peer is
 * told of the latter; no other call may fail because of it.
 */
static void unsent_reply_drops_writes(struct kunit *test)
{
	static const struct {
		u32 len;
		bool fits;
		int prepare_rc;
		u32 write_fails;
		int want;
	} cases[] = {
		{ 1500, true, -EAGAIN, 0, -EBUSY },
		{ 1500, true, -ENOMEM, 0, -ENOMEM },
		{ 1500, true, 0, 1, -ENOMEM },
		{ 1500, true, 0, 2, -ENOMEM },
		{ 1500, true, -ENOBUFS, 0, -ENOBUFS },
		{ 1500, true, -EIO, 0, 0 },
		{ 4000, false, 0, 0, 0 },
	};
	struct xprt_rdma_req *req;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		req = reply(test, cases[i].len);
		give_chunks(req, 3, 1000);
		flow.fits = cases[i].fits;
		flow.prepare_rc = cases[i].prepare_rc;
		flow.write_fails = cases[i].write_fails;
		KUNIT_EXPECT_EQ(test, cases[i].want,
				xprt_rdma_bc_reply_send(&req->rqst));
		KUNIT_EXPECT_EQ(test, flow.drops, 1);
		KUNIT_EXPECT_EQ(test, flow.posts, 0);
		KUNIT_EXPECT_EQ(test, flow.refusals, !cases[i].want);
		if (cases[i].write_fails)
			KUNIT_EXPECT_EQ(test, flow.nwrites,
					cases[i].write_fails - 1);
	}

	/* The error of posting is returned. */
	req = reply(test, 20);
	flow.post_rc = -ENOTCONN;
	KUNIT_EXPECT_EQ(test, -ENOTCONN, xprt_rdma_bc_reply_send(&req->rqst));
}

/* A call whose connection is gone gets no reply on the next one. */
static void no_reply_on_other_connection(struct kunit *test)
{
	struct xprt_rdma_req *req;
	u32 i;

	for (i = 0; i < 3; i++) {
		req = reply(test, 20);
		if (i == 0)
			xprt_clear_connected(&req->r_xprt->xprt);
		else if (i == 1)
			req->r_xprt->conn = NULL;
		else
			req->cb->serial = 6;
		KUNIT_EXPECT_EQ(test, 0, xprt_rdma_bc_reply_send(&req->rqst));
		KUNIT_EXPECT_EQ(test, flow.posts, 0);
		KUNIT_EXPECT_EQ(test, flow.refusals, 0);
	}
}

static struct kunit_case xprt_callback_flow_cases[] = {
	KUNIT_CASE(inline_calls_delivered),
	KUNIT_CASE(untaken_call_ends_connection),
	KUNIT_CASE(call_without_service_refused),
	KUNIT_CASE(long_call_read),
	KUNIT_CASE(other_messages_release_receive),
	KUNIT_CASE(inline_reply_returns_chunks),
	KUNIT_CASE(long_reply_fills_chunk),
	KUNIT_CASE(too_long_reply_refused),
	KUNIT_CASE(unsent_reply_drops_writes),
	KUNIT_CASE(no_reply_on_other_connection),
	{}
};

static struct kunit_suite xprt_callback_flow_suite = {
	.name = "xprt_rdma_callback_flow",
	.test_cases = xprt_callback_flow_cases,
};

kunit_test_suite(xprt_callback_flow_suite);

MODULE_DESCRIPTION("KUnit suite of xprtrdma's callbacks and their replies");
MODULE_LICENSE("GPL");
