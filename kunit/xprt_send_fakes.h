/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A message to be sent, and an adapter that sends it. Includes send.c and the
 * files that it needs.
 */
#ifndef _XPRT_RDMA_XPRT_SEND_FAKES_H
#define _XPRT_RDMA_XPRT_SEND_FAKES_H

#include <rdma/rw.h>

#include "xprt_fakes.h"
#include "fake_memory.h"
#include "fake_balance.h"

#define MAX_SYNCS	4u

/* Calls to the adapter, sunrpc and other files */
static struct outside {
	const struct ib_send_wr *chain;		/* the chain of Work Requests posted last */
	u32 posted;				/* number of chains posted */
	bool refuses;				/* posting fails */
	/* request whose earlier Send is flushed while posting, or NULL */
	struct xprt_rdma_req *flushed;
	/* request to check when its chain is posted, or NULL */
	const struct xprt_rdma_req *watched;
	bool matched_early;			/* a reply would match before posting */
	bool matched;				/* a reply would match @watched on posting */
	bool locked;				/* the lock was held on posting */
	u32 lost;				/* times that the connection was reported as lost */
	u32 puts;				/* number of references to requests dropped */
	u32 waits;				/* number of tasks put to sleep */
	u32 write_space;			/* number of times that waiting tasks were woken */
	bool no_credit;				/* the congestion window is full */
	int marshal;				/* return value of marshaling */
	/* task whose call failed without being sent, or NULL */
	const struct rpc_task *failed;
	int bytes;				/* length of the reply that reports this */
	u32 syncs;				/* number of entries in @synced */
	/* memory synchronized for the device */
	struct { u64 addr; size_t size; } synced[MAX_SYNCS];
	int writes;	/* number of RDMA Writes prepared and not destroyed */
} outside;

static int fake_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
			  const struct ib_send_wr **bad)
{
	if (outside.watched)
		outside.matched = outside.watched->unanswered;
	outside.locked = balance.held;
	if (outside.flushed)
		fake_completes(outside.flushed->r_xprt->conn, &outside.flushed->send_cqe,
			       IB_WC_WR_FLUSH_ERR);
	if (outside.refuses)
		return -EINVAL;
	outside.chain = wr;
	outside.posted++;
	for (; wr; wr = wr->next)
		if (wr->opcode == IB_WR_SEND)
			fake_dma_posted(wr->sg_list, wr->num_sge,
					DMA_TO_DEVICE);
	return 0;
}

static void fake_sync(u64 addr, size_t size)
{
	if (outside.syncs < MAX_SYNCS) {
		outside.synced[outside.syncs].addr = addr;
		outside.synced[outside.syncs++].size = size;
	}
}

static int fake_write_init(struct rdma_rw_ctx *ctx, u32 n, u64 offset,
			   u32 handle, enum dma_data_direction dir)
{
	if (fake_memory_out())
		return -ENOMEM;
	fake_dma_map((uintptr_t)ctx, n, dir);
	memset(ctx, 0, sizeof(*ctx));
	ctx->single.wr.remote_addr = offset;
	ctx->single.wr.rkey = handle;
	ctx->single.wr.wr.opcode = IB_WR_RDMA_WRITE;
	outside.writes++;
	return 1;
}

static int fake_marshal(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req)
{
	outside.matched_early = req->unanswered;
	xprt_rdma_send_fits(conn, req, true);
	return outside.marshal ?: xprt_rdma_send_prepare(conn, req, 28);
}

#define rdma_rw_ctx_init(ctx, qp, port, sg, n, at, offset, handle, dir) \
	((void)(port), fake_write_init(ctx, n, offset, handle, dir))
#define rdma_rw_ctx_wrs(ctx, qp, port, cqe, tail) \
	((void)(port), (void)(cqe), (ctx)->single.wr.wr.next = (tail), &(ctx)->single.wr.wr)
#define rdma_rw_ctx_destroy(ctx, qp, port, sg, n, dir) \
	(fake_dma_unmap((uintptr_t)(ctx), n, dir), (void)outside.writes--)
#undef ib_dma_sync_single_for_device
#define ib_dma_sync_single_for_device(device, addr, size, dir) \
	(fake_dma_use(addr, size, dir), fake_sync(addr, size))
#define ib_post_send			fake_post_send
#define xprt_rdma_conn_lost(conn)	((void)(conn), (void)outside.lost++)
#define xprt_rdma_conn_failed(conn, what, wc)	((void)(wc), xprt_rdma_conn_lost(conn))
#define xprt_rdma_req_put(req) \
	(refcount_dec(&(req)->ref.refcount), (void)outside.puts++)
#define xprt_wait_for_buffer_space(xprt) ((void)(xprt), (void)outside.waits++)
#define xprt_write_space(xprt)	((void)(xprt), (void)outside.write_space++)
#define xprt_request_get_cong(xprt, rqst) (!outside.no_credit)
#define xprt_rdma_marshal		fake_marshal
#define xprt_rdma_rpc_fail(rqst, again)	((void)(rqst), (again) ? 0 : 4)
#define xprt_complete_rqst(task, n) \
	((void)(balance.wrong += balance.held != 1), (void)(outside.failed = (task)), \
	 (void)(outside.bytes = (n)))

#include "../core/verbs/rw.c"
#include "../core/verbs/buffer.c"
#include "../xprtrdma/verbs/regbuf.c"
#include "../xprtrdma/verbs/sq.c"
#include "../xprtrdma/message/send.c"
#include "../xprtrdma/message/call.c"
#ifdef RPCRDMA_EXT_MSGP
#define xprt_rdma_nfs_is_v3_proc(task, proc)	((void)(task), (proc) == NFS3PROC_WRITE)
#include "../xprtrdma/ext/msgp.c"
#endif

#define SQ_SIZE		100
#define RING_SIZE	128u
#define LKEY		0x1234u
#define HDRLEN		28u
#define SND_SIZE	4096u
#define TAIL_AT		2048u
#define PAGES		4u
#define MAX_MSG		(64u * 1024u)

/* End the Sends that a case leaves in flight. */
KUNIT_DEFINE_ACTION_WRAPPER(flush_action, xprt_rdma_sends_flush, struct xprt_rdma_conn *);

/* Created anew for each case */
static struct xprt_rdma_conn *conn;

static int connection(struct kunit *test)
{
	conn = fake_verbs_conn(test);
	memset(&outside, 0, sizeof(outside));
	fake_memory_left = -1;
	fake_dma.n = 0;
	conn->pd->local_dma_lkey = LKEY;
	conn->sq.max_sges = XPRT_RDMA_MAX_SGES;
	conn->sq.size = SQ_SIZE;
	atomic_set(&conn->sq.avail, SQ_SIZE);
	conn->sends.ring = fake_zalloc(test, RING_SIZE * sizeof(*conn->sends.ring));
	conn->sends.mask = RING_SIZE - 1;
	/* Let the numbers wrap around. */
	conn->sends.next = -3;
	conn->sends.done = -3;
	return 0;
}

/* Return the number of Sends in flight. */
static u32 sends_in_flight(void)
{
	u32 i, n = 0;

	for (i = 0; i < RING_SIZE; i++)
		n += !!conn->sends.ring[i].req;
	return n;
}

/* Create a request with a call: head, pages and tail. */
static struct xprt_rdma_req *request(struct kunit *test, u32 head, u32 pages, u32 tail)
{
	struct xprt_rdma_req *req = fake_zalloc(test, sizeof(*req));
	struct xdr_buf *snd = &req->rqst.rq_snd_buf;
	u32 i;

	INIT_LIST_HEAD(&req->writes);
	req->r_xprt = conn->r_xprt;
	kref_init(&req->ref);
	INIT_LIST_HEAD(&req->mrs);
	req->hdr.size = XPRT_RDMA_HDR_SIZE + XPRT_RDMA_PULLUP;
	req->hdr.data = fake_zalloc(test, req->hdr.size);
	req->snd.size = SND_SIZE;
	req->snd.data = fake_zalloc(test, SND_SIZE);
	for (i = 0; i < SND_SIZE; i++)
		((u8 *)req->snd.data)[i] = i * 7;
	snd->head[0].iov_base = req->snd.data;
	snd->head[0].iov_len = head;
	snd->pages = fake_pages(test, PAGES);
	for (i = 0; i < PAGES; i++)
		memset(page_address(snd->pages[i]), 0x80 + i, PAGE_SIZE);
	snd->page_len = pages;
	snd->tail[0].iov_base = req->snd.data + TAIL_AT;
	snd->tail[0].iov_len = tail;
	snd->len = head + pages + tail;
	/* Flush its Sends before the request is freed. */
	fake_defer(test, flush_action, conn);
	return req;
}

/* Prepare and post a request. */
static int post(struct xprt_rdma_req *req)
{
	int rc;

	xprt_rdma_send_fits(conn, req, true);
	rc = xprt_rdma_send_prepare(conn, req, HDRLEN);
	return rc ?: xprt_rdma_send_post(conn, req);
}

#endif /* _XPRT_RDMA_XPRT_SEND_FAKES_H */
