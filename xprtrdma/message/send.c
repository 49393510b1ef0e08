// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send a marshaled message: the gather list, the chain of Work Requests, and
 * the completion of the Send.
 *
 * Operation: small messages are copied after their transport header; larger
 * ones are gathered in place. A Send is signaled if it gathers pages, if it is
 * the reply to a callback, if it leaves no room for the longest chain in the
 * Send Queue, or if XPRT_RDMA_SEND_BATCH unsignaled Sends precede it. Its
 * completion also releases these earlier Sends.
 *
 * Ownership: Sends in flight are in a ring, which the sender fills and the
 * completion handler empties, without a lock. A Send in flight holds references
 * to its request and to each page that it gathers. So neither is reused while
 * the adapter may still read it, even if the reply has arrived or the task was
 * killed. sunrpc encodes an overdue call again in the same buffer; first, the
 * timer of the call waits for its Send (verbs/frwr.c). A call that the peer has
 * refused may have two Sends in flight, the first of them unsignaled; each holds
 * a reference.
 *
 * Errors: a failed Send ends the connection. So does a Send that could not be
 * posted. It stays in the ring until the connection has ended, because Writes
 * that precede it may have been posted. If an earlier Send of its request is
 * flushed, the completion handler releases both. A caller that finds the Send
 * Queue full waits for write space (verbs/sq.c).
 */

#include <linux/mm.h>
#include <linux/net.h>

#include <rpcrdma/rw.h>

#include "../conn.h"
#include "../ext/ext.h"
#include "../limits.h"
#include "../req.h"
#include "../stats.h"
#include "../xprt.h"
#include "message.h"
#include "../verbs/verbs.h"

#include <trace/events/xprtrdma.h>

static bool xprt_rdma_send_in_call_buf(const struct xprt_rdma_req *req,
				       const void *base, size_t len)
{
	return base >= req->snd.data &&
	       base + len <= req->snd.data + req->snd.size;
}

/**
 * xprt_rdma_send_pages_ok - check whether the page list of a call can be gathered
 * @conn: connection
 * @xdr: the call
 *
 * Transport header, head and tail (or roundup) take an entry each.
 *
 * Context: any.
 * Return: true if it can be gathered.
 */
bool xprt_rdma_send_pages_ok(const struct xprt_rdma_conn *conn,
			     const struct xdr_buf *xdr)
{
	struct page **page = xdr->pages + (xdr->page_base >> PAGE_SHIFT);
	u32 n = DIV_ROUND_UP(offset_in_page(xdr->page_base) + xdr->page_len,
			     PAGE_SIZE);

	if (n > conn->sq.max_sges - 3)
		return false;
	while (n--)
		if (!sendpage_ok(*page++))
			return false;
	return true;
}

/**
 * xprt_rdma_send_fits - plan the inline part, and check whether one Send can
 * hold it
 * @conn: connection
 * @req: request
 * @payload: the page list is part of the message. If false, the roundup at the
 *	start of the tail is left out as well.
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: true if the inline part can be copied or gathered.
 */
bool xprt_rdma_send_fits(struct xprt_rdma_conn *conn,
			 struct xprt_rdma_req *req, bool payload)
{
	const struct xdr_buf *xdr = &req->rqst.rq_snd_buf;
	const struct kvec *head = &xdr->head[0], *tail = &xdr->tail[0];
	u32 pad = payload ? 0 : min_t(u32, -xdr->page_len & 3, tail->iov_len);

	req->tail = tail->iov_base + pad;
	req->tail_len = tail->iov_len - pad;
	req->page_len = payload ? xdr->page_len : 0;
	req->inline_len = head->iov_len + req->page_len + req->tail_len;
	if (req->inline_len <= XPRT_RDMA_PULLUP)
		return true;
	if (!xprt_rdma_send_in_call_buf(req, head->iov_base, head->iov_len) ||
	    (req->tail_len > XPRT_RDMA_PULLUP &&
	     !xprt_rdma_send_in_call_buf(req, req->tail, req->tail_len)))
		return false;
	return !req->page_len || xprt_rdma_send_pages_ok(conn, xdr);
}

/**
 * xprt_rdma_send_add_sge - append an entry to the gather list of a message
 * @conn: connection
 * @req: request
 * @addr: DMA address
 * @len: bytes
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_send_add_sge(struct xprt_rdma_conn *conn,
			    struct xprt_rdma_req *req, u64 addr, u32 len)
{
	struct ib_sge *sge = &req->sges[req->send_wr.num_sge++];

	sge->addr = addr;
	sge->length = len;
	sge->lkey = conn->pd->local_dma_lkey;
}

/* Copy the message after the transport header. */
static void xprt_rdma_send_pull_up(struct xprt_rdma_req *req, u32 hdrlen)
{
	const struct xdr_buf *xdr = &req->rqst.rq_snd_buf;
	void *dst = req->hdr.data + hdrlen;

	memcpy(dst, xdr->head[0].iov_base, xdr->head[0].iov_len);
	dst += xdr->head[0].iov_len;
	if (req->page_len) {
		_copy_from_pages(dst, xdr->pages, xdr->page_base,
				 req->page_len);
		dst += req->page_len;
	}
	if (req->tail_len)
		memcpy(dst, req->tail, req->tail_len);
	req->r_xprt->stats.pullup_copy_count += req->inline_len;
}

static void xprt_rdma_send_unmap_pages(struct xprt_rdma_conn *conn,
				       struct xprt_rdma_req *req)
{
	struct ib_sge *sge = &req->sges[req->first_mapped];

	while (req->mapped) {
		req->mapped--;
		ib_dma_unmap_page(conn->device, sge[req->mapped].addr,
				  sge[req->mapped].length, DMA_TO_DEVICE);
		put_page(req->pages[req->mapped]);
	}
}

/**
 * xprt_rdma_send_gather_pages - append a call's page list to the gather list
 * @conn: connection
 * @req: request; holds a reference to each page afterwards
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: 0; -ENOBUFS if memory cannot be mapped for DMA now.
 */
int xprt_rdma_send_gather_pages(struct xprt_rdma_conn *conn,
				struct xprt_rdma_req *req)
{
	const struct xdr_buf *xdr = &req->rqst.rq_snd_buf;
	struct page **page = xdr->pages + (xdr->page_base >> PAGE_SHIFT);
	u32 base = offset_in_page(xdr->page_base), left = xdr->page_len, len;
	u64 addr;

	req->first_mapped = req->send_wr.num_sge;
	for (; left; left -= len, base = 0, page++) {
		len = min_t(u32, PAGE_SIZE - base, left);
		addr = ib_dma_map_page(conn->device, *page, base, len,
				       DMA_TO_DEVICE);
		if (ib_dma_mapping_error(conn->device, addr))
			return -ENOBUFS;
		get_page(*page);
		req->pages[req->mapped++] = *page;
		xprt_rdma_send_add_sge(conn, req, addr, len);
	}
	return 0;
}

static void xprt_rdma_send_gather_tail(struct xprt_rdma_conn *conn,
				       struct xprt_rdma_req *req)
{
	u64 addr = req->snd.addr + (req->tail - req->snd.data);

	if (!req->tail_len)
		return;
	if (!xprt_rdma_send_in_call_buf(req, req->tail, req->tail_len)) {
		memcpy(req->hdr.data + XPRT_RDMA_HDR_SIZE, req->tail,
		       req->tail_len);
		addr = req->hdr.addr + XPRT_RDMA_HDR_SIZE;
		req->r_xprt->stats.pullup_copy_count += req->tail_len;
	}
	xprt_rdma_send_add_sge(conn, req, addr, req->tail_len);
}

static int xprt_rdma_send_gather(struct xprt_rdma_conn *conn,
				 struct xprt_rdma_req *req)
{
	const struct kvec *head = &req->rqst.rq_snd_buf.head[0];
	int rc;

	rc = xprt_rdma_regbuf_map(&req->snd, conn->device, DMA_TO_DEVICE);
	if (rc)
		return rc;
	xprt_rdma_send_add_sge(conn, req,
			       req->snd.addr + (head->iov_base - req->snd.data),
			       head->iov_len);
	if (req->page_len) {
		rc = xprt_rdma_send_gather_pages(conn, req);
		if (rc)
			return rc;
	}
	xprt_rdma_send_gather_tail(conn, req);
	ib_dma_sync_single_for_device(conn->device, req->snd.addr,
				      req->snd.size, DMA_TO_DEVICE);
	return 0;
}

/* Build the gather list: the transport header and the inline part. */
static int xprt_rdma_send_lay_out(struct xprt_rdma_conn *conn,
				  struct xprt_rdma_req *req, u32 hdrlen)
{
	bool nomsg = req->rtype == XPRT_RDMA_CALL_LONG;
	u32 len = hdrlen;

	if (xprt_rdma_msgp_is_padded(req))
		return xprt_rdma_msgp_lay_out(conn, req, hdrlen);
	if (!nomsg && req->inline_len <= XPRT_RDMA_PULLUP) {
		xprt_rdma_send_pull_up(req, hdrlen);
		len += req->inline_len;
		nomsg = true;
	}
	xprt_rdma_send_add_sge(conn, req, req->hdr.addr, len);
	return nomsg ? 0 : xprt_rdma_send_gather(conn, req);
}

static void xprt_rdma_wc_send(struct ib_cq *cq, struct ib_wc *wc);

/* Count the Work Requests: Writes, a registration for each region, and the Send. */
static u32 xprt_rdma_send_wrs(const struct xprt_rdma_req *req)
{
	return req->write_wrs + req->nr_mrs + 1;
}

/**
 * xprt_rdma_send_prepare - build the Send of a message
 * @conn: connection
 * @req: request with its header encoded and its regions attached;
 *	xprt_rdma_send_fits() has planned its inline part
 * @hdrlen: bytes of transport header
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: 0; -EAGAIN if the Send Queue is full, so that sunrpc waits for write
 * space; -ENOBUFS if memory cannot be mapped for DMA now.
 */
int xprt_rdma_send_prepare(struct xprt_rdma_conn *conn,
			   struct xprt_rdma_req *req, u32 hdrlen)
{
	/* Also reserve an entry for the invalidation of each region. */
	u32 wrs = xprt_rdma_send_wrs(req) + req->nr_mrs;
	int rc;

	if (!xprt_rdma_sq_reserve(&conn->sq, wrs))
		return xprt_rdma_sq_wait(conn, wrs);
	rc = xprt_rdma_regbuf_map(&req->hdr, conn->device, DMA_TO_DEVICE);
	if (rc)
		goto out_release;

	req->send_cqe.done = xprt_rdma_wc_send;
	req->send_wr = (struct ib_send_wr) {
		.wr_cqe		= &req->send_cqe,
		.sg_list	= req->sges,
		.opcode		= IB_WR_SEND,
	};
	rc = xprt_rdma_send_lay_out(conn, req, hdrlen);
	if (rc)
		goto out_unmap;
	ib_dma_sync_single_for_device(conn->device, req->hdr.addr,
				      req->hdr.size, DMA_TO_DEVICE);
	return 0;

out_unmap:
	xprt_rdma_send_unmap_pages(conn, req);
out_release:
	xprt_rdma_sq_release(conn, wrs);
	return rc;
}

/**
 * xprt_rdma_send_add_write - add an RDMA Write before a request's Send
 * @conn: connection
 * @req: request, not yet prepared
 * @base: source, which must exist as long as @req
 * @seg: destination in the peer's memory; @seg->length bytes are written
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: 0, -ENOMEM or another negative errno.
 */
int xprt_rdma_send_add_write(struct xprt_rdma_conn *conn,
			     struct xprt_rdma_req *req, void *base,
			     const struct rpcrdma_segment *seg)
{
	struct rpcrdma_rw_memory mem = { .base = base };
	int rc;

	rc = rpcrdma_rw_add(&conn->rws, &req->writes, &mem, seg,
			    DMA_TO_DEVICE, XPRT_RDMA_GFP);
	if (rc < 0)
		return rc;
	req->write_wrs += rc;
	return 0;
}

/**
 * xprt_rdma_send_drop_writes - free a request's Writes
 * @conn: connection
 * @req: request whose Writes are not in flight
 *
 * Context: process.
 */
void xprt_rdma_send_drop_writes(struct xprt_rdma_conn *conn,
				struct xprt_rdma_req *req)
{
	if (likely(!req->write_wrs))
		return;
	rpcrdma_rw_release(&conn->rws, &req->writes);
	req->write_wrs = 0;
}

static struct xprt_rdma_send *xprt_rdma_send_entry(struct xprt_rdma_conn *conn,
						   u32 nr)
{
	return &conn->sends.ring[nr & conn->sends.mask];
}

/*
 * Release a Send that is no longer in flight. If it is unsignaled, its request
 * may already be in use for another Send, because the peer has refused the
 * first one.
 */
static void xprt_rdma_send_release(struct xprt_rdma_conn *conn,
				   struct xprt_rdma_send *send)
{
	struct xprt_rdma_req *req = send->req;

	if (send->signaled) {
		xprt_rdma_send_unmap_pages(conn, req);
		xprt_rdma_send_drop_writes(conn, req);
	}
	WRITE_ONCE(send->req, NULL);
	xprt_rdma_count_add(sends_now, -1);
	xprt_rdma_req_put(req);
}

/*
 * Release all Sends up to number @last that were not released before. Ring
 * entries are freed before Send Queue entries, so a Send with a Send Queue
 * entry always finds a free ring entry.
 */
static void xprt_rdma_sends_release(struct xprt_rdma_conn *conn, u32 last)
{
	struct xprt_rdma_send *send;
	u32 wrs = 0;

	for (; (s32)(last - conn->sends.done) >= 0; conn->sends.done++) {
		send = xprt_rdma_send_entry(conn, conn->sends.done);
		wrs += send->wrs;
		xprt_rdma_send_release(conn, send);
	}
	xprt_rdma_sq_release(conn, wrs);
}

/* Sends complete in order: all Sends before this one have also completed. */
static void xprt_rdma_wc_send(struct ib_cq *cq, struct ib_wc *wc)
{
	struct xprt_rdma_req *req =
		container_of(wc->wr_cqe, struct xprt_rdma_req, send_cqe);
	struct xprt_rdma_conn *conn = cq->cq_context;
	u32 nr;

	trace_xprtrdma_wc_send(conn, "send", wc);
	if (unlikely(wc->status != IB_WC_SUCCESS))
		xprt_rdma_conn_failed(conn, "send", wc);
	nr = READ_ONCE(req->send_nr);
	/*
	 * Ignore a flushed Send that was released before. If a request has two
	 * Sends, the first may be flushed while the second is being posted:
	 * pairs with xprt_rdma_send_post().
	 */
	if (likely(smp_load_acquire(&xprt_rdma_send_entry(conn, nr)->req) == req))
		xprt_rdma_sends_release(conn, nr);
}

/**
 * xprt_rdma_sends_flush - release all Sends that have not completed
 * @conn: connection without a Queue Pair
 *
 * These are Sends that were executed unsignaled, that could not be posted, or
 * whose completion the provider never reported.
 *
 * Context: process; the caller holds XPRT_LOCKED. No completion handler can
 * run.
 */
void xprt_rdma_sends_flush(struct xprt_rdma_conn *conn)
{
	xprt_rdma_sends_release(conn, conn->sends.next - 1);
}

static bool xprt_rdma_send_must_signal(struct xprt_rdma_conn *conn,
				       struct xprt_rdma_req *req)
{
	if (!req->mapped && !req->cb &&
	    conn->sends.unsignaled < XPRT_RDMA_SEND_BATCH &&
	    atomic_read(&conn->sq.avail) >= (int)XPRT_RDMA_CHAIN_WRS) {
		conn->sends.unsignaled++;
		return false;
	}
	conn->sends.unsignaled = 0;
	return true;
}

/* Chain the registrations, the Writes and the Send, in this order. */
static struct ib_send_wr *
xprt_rdma_send_build_chain(struct xprt_rdma_conn *conn,
			   struct xprt_rdma_req *req)
{
	struct ib_send_wr *first = &req->send_wr;
	struct xprt_rdma_mr *mr;

	if (unlikely(req->write_wrs))
		first = rpcrdma_rw_chain(&conn->rws, &req->writes, NULL, first);
	list_for_each_entry_reverse(mr, &req->mrs, list) {
		mr->reg_wr.wr.next = first;
		first = &mr->reg_wr.wr;
	}
	return first;
}

/*
 * From here on a reply matches the call. If the peer has guessed the XID, its
 * reply may already be here. The lock keeps its handler from invalidating
 * regions (xprt_rdma_inv_post()) before their registration was posted, which
 * would leave the peer with access.
 */
static int xprt_rdma_send_post_chain(struct xprt_rdma_conn *conn,
				     struct xprt_rdma_req *req)
{
	struct ib_send_wr *first = xprt_rdma_send_build_chain(conn, req);
	int rc;

	spin_lock(&conn->mrs.lock);
	/* Pairs with xprt_rdma_reply_match(). */
	smp_store_release(&req->unanswered, !req->cb);
	rc = ib_post_send(conn->qp, first, NULL);
	spin_unlock(&conn->mrs.lock);
	return rc;
}

/**
 * xprt_rdma_send_post - post a request's registrations and its Send
 * @conn: connection
 * @req: request prepared by xprt_rdma_send_prepare()
 *
 * The reply may be handled before this function returns. A reply that arrives
 * before the call is posted, because the peer has guessed the XID, does not
 * match: the lists that its handler would change still belong to the sender.
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: 0, or -ENOTCONN if the connection must be given up.
 */
int xprt_rdma_send_post(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req)
{
	struct xprt_rdma_send *send = xprt_rdma_send_entry(conn, conn->sends.next);
	int rc;

	WARN_ON_ONCE(READ_ONCE(send->req));
	send->wrs = xprt_rdma_send_wrs(req);
	send->signaled = xprt_rdma_send_must_signal(conn, req);
	if (send->signaled)
		req->send_wr.send_flags = IB_SEND_SIGNALED;
	kref_get(&req->ref);
	xprt_rdma_count(sends_now);
	WRITE_ONCE(req->send_nr, conn->sends.next);
	/* Pairs with xprt_rdma_wc_send(). */
	smp_store_release(&send->req, req);

	rc = xprt_rdma_send_post_chain(conn, req);
	conn->sends.next++;
	if (likely(!rc))
		return 0;
	WRITE_ONCE(req->unanswered, false);
	xprt_rdma_conn_lost(conn);
	return -ENOTCONN;
}
