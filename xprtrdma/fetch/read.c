// SPDX-License-Identifier: GPL-2.0-only
/*
 * RDMA Reads that fetch the peer's Read chunks: those of a reply, and those of
 * a call in the reverse direction.
 *
 * Operation: the Reads go straight into the XDR buffer of the message; layout.c
 * says where. They are posted in rounds of as many as there are Send Queue
 * entries for, and as may be outstanding: never more than the peer's adapter
 * serves at a time. When the last Read has completed, the owner gets its
 * message. After a
 * reply, an RDMA_DONE is sent, for which the peer may not have a Receive for a
 * long time; the owner does not wait for that.
 *
 * Send Queue: entries are set aside for these Reads and RDMA_DONEs, so that no
 * other sender can delay them; read contexts wait for each other in FIFO order.
 * A device that needs memory regions for Reads has as many as Reads were ever
 * outstanding at a time (rpcrdma/rw.h).
 *
 * Ownership: until it has ended, a read context owns the Receive of the
 * message, and its owner (a pinned request, or one of the backchannel) keeps
 * the buffer. It normally ends in a completion handler. All read contexts are
 * in a list of the connection: those that could not be posted, and those whose
 * completion the provider never reported, end when the Queue Pair and the
 * completion queue are gone. Nothing is posted while the connection ends:
 * Receives are drained first, and with them the handlers that post.
 *
 * Errors: a Read that fails, or a lack of memory, ends the connection: the call
 * has been executed, and it is better sent again and answered from the reply
 * cache than failed. siw reports a Read twice if it had taken the Read from the
 * Send Queue, but not sent it, when the Queue Pair was moved to the error
 * state. So a read context that has failed is freed only when the completion
 * queue is gone.
 */

#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/sunrpc/xdr.h>

#include <rpcrdma/quirks.h>
#include <rpcrdma/rw.h>

#include "../conn.h"
#include "../limits.h"
#include "../stats.h"
#include "fetch.h"
#include "../verbs/verbs.h"

#include <trace/events/xprtrdma.h>

/**
 * xprt_rdma_reads_query - learn the device's needs for RDMA Reads
 * @conn: connection bound to a device; read_ops, read_pages, read_wrs and
 *	the flags of rws are set
 *
 * Each Read is one operation of rdma_rw_ctx_init(). The Send Queue has entries
 * for XPRT_RDMA_READ_OPS of them. An operation without a registration takes one
 * Work Request per max_sges pages. It must not have more pages than that, or it
 * would be several Reads. Operations over iWARP always register, others may or
 * may not. On soft-RoCE, Reads are short.
 *
 * Context: process.
 */
void xprt_rdma_reads_query(struct xprt_rdma_conn *conn)
{
	u32 port = conn->id->port_num;
	u32 sges = min_t(u32, conn->sq.max_sges, conn->device->attrs.max_sge_rd);

	conn->reads.ops = XPRT_RDMA_READ_OPS;
	rpcrdma_rw_set_device(&conn->rws, conn->device, port);
	conn->reads.pages = conn->rws.pages;
	conn->reads.wrs = rdma_rw_max_send_wr(conn->device, port,
					      XPRT_RDMA_READ_OPS, 0);
	if (!rdma_protocol_iwarp(conn->device, port))
		conn->reads.pages = clamp(sges, 1u, conn->reads.pages);
	conn->rws.merge_reads = !rpcrdma_on_rxe(conn->device);
	if (!conn->rws.merge_reads)
		conn->reads.pages = min(conn->reads.pages, RPCRDMA_RXE_PAGES);
}

/* Release the Reads of the last round. */
static void xprt_rdma_read_release_rws(struct xprt_rdma_read_ctx *read)
{
	struct xprt_rdma_conn *conn = read->conn;

	rpcrdma_rw_release(&conn->rws, &read->rws, conn->qp,
			   conn->id->port_num);
	conn->reads.ops += read->ops;
	WARN_ON_ONCE(conn->reads.out < read->ops);
	conn->reads.out -= read->ops;
	read->ops = 0;
}

/* The Reads have ended. Tell the owner, and release the Receive. */
static void xprt_rdma_read_data_done(struct xprt_rdma_read_ctx *read,
				     int status)
{
	if (status) {
		xprt_rdma_count(reads_failed);
		xprt_rdma_conn_lost(read->conn);
	}
	if (read->complete)
		read->complete(read, status);
	read->complete = NULL;
	if (read->recv)
		xprt_rdma_recv_put(read->recv);
	read->recv = NULL;
}

static void xprt_rdma_read_free(struct xprt_rdma_read_ctx *read)
{
	list_del(&read->all);
	kfree(read);
	xprt_rdma_count(read_ctxs_destroyed);
}

/* End a read context of which nothing is in flight. */
static void xprt_rdma_read_end(struct xprt_rdma_read_ctx *read, int status)
{
	struct xprt_rdma_conn *conn = read->conn;

	trace_xprtrdma_read_end(read, status);
	xprt_rdma_read_release_rws(read);
	xprt_rdma_done_release(conn, &read->done);
	xprt_rdma_read_data_done(read, status);
	conn->reads.declines -= !read->req;
	read->over = true;
	if (likely(!status))
		xprt_rdma_read_free(read);
}

/* Clip @len to the bytes of @kvec from @offset on. */
static void *xprt_rdma_read_kvec_part(const struct kvec *kvec, u32 offset,
				      u32 *len)
{
	*len = min_t(u32, *len, kvec->iov_len - offset);
	return kvec->iov_base + offset;
}

/* Find the buffer's memory at @offset. Clip @len to what one Read can cover. */
static void xprt_rdma_read_buf_part(const struct xprt_rdma_read_ctx *read,
				    u32 offset, u32 *len,
				    struct rpcrdma_rw_memory *mem)
{
	const struct xdr_buf *xdr = read->xdr;
	u32 head = xdr->head[0].iov_len;

	mem->base = NULL;
	if (offset < head) {
		mem->base = xprt_rdma_read_kvec_part(xdr->head, offset, len);
	} else if (offset - head < xdr->page_len) {
		offset -= head;
		*len = min(*len, xdr->page_len - offset);
		offset += xdr->page_base;
		mem->pages = xdr->pages + (offset >> PAGE_SHIFT);
		mem->offset = offset_in_page(offset);
		*len = min_t(u32, *len, read->conn->reads.pages * PAGE_SIZE -
			     mem->offset);
	} else {
		mem->base =
			xprt_rdma_read_kvec_part(xdr->tail,
						 offset - head - xdr->page_len,
						 len);
	}
}

/*
 * Where the next byte of the current segment belongs. @room is set to the
 * number of bytes that follow it without a gap; 0 if the buffer ends before it.
 */
static u32 xprt_rdma_read_place(const struct xprt_rdma_read_ctx *read,
				u32 *room)
{
	const struct xprt_rdma_layout *layout = &read->layout;
	u32 at = read->rseg.position + read->progress;

	*room = U32_MAX;
	if (!read->rseg.position)
		at = xprt_rdma_layout_base(layout, read->progress, room);
	*room = at < layout->room ? min(*room, layout->room - at) : 0;
	return at;
}

/*
 * Go to the next segment that has bytes left, skipping bytes beyond the end of
 * the buffer. @at and @room are set as by xprt_rdma_read_place(). Returns false
 * at the end of the list.
 */
static bool xprt_rdma_read_next(struct xprt_rdma_read_ctx *read, u32 *at,
				u32 *room)
{
	struct rpcrdma_segment *seg = &read->rseg.seg;
	u32 position;

	for (;;) {
		if (seg->length) {
			*at = xprt_rdma_read_place(read, room);
			if (*room)
				return true;
			read->progress += seg->length;
			seg->length = 0;
		}
		position = read->rseg.position;
		if (!rpcrdma_reads_next(&read->cur, &read->rseg))
			return false;
		if (read->rseg.position != position)
			read->progress = 0;
	}
}

/* Add a Read of the current segment, of at most @room bytes, to @at. */
static int xprt_rdma_read_add(struct xprt_rdma_read_ctx *read, u32 at, u32 room)
{
	struct rpcrdma_segment *seg = &read->rseg.seg;
	struct xprt_rdma_conn *conn = read->conn;
	struct rpcrdma_segment part = *seg;
	struct rpcrdma_rw_memory mem;
	int rc;

	part.length = min(seg->length, room);
	xprt_rdma_read_buf_part(read, at, &part.length, &mem);
	if (mem.base && !virt_addr_valid(mem.base))
		return -EIO;
	rc = rpcrdma_rw_add(&conn->rws, &read->rws, conn->qp,
			    conn->id->port_num, &mem, &part, DMA_FROM_DEVICE,
			    XPRT_RDMA_GFP);
	if (rc < 0)
		return rc;
	seg->length -= part.length;
	seg->offset += part.length;
	read->progress += part.length;
	read->ops++;
	conn->reads.ops--;
	conn->reads.out++;
	WARN_ON_ONCE(conn->reads.out > conn->peer.ord);
	xprt_rdma_count_add(read_bytes, part.length);
	return 0;
}

/* Is there an entry for one more Read, and may it be outstanding? */
static bool xprt_rdma_read_fits(const struct xprt_rdma_conn *conn)
{
	return conn->reads.ops &&
	       conn->reads.out < conn->peer.ord;
}

/* Add as many Reads as fit. */
static int xprt_rdma_read_fill_round(struct xprt_rdma_read_ctx *read)
{
	unsigned int flags = memalloc_noio_save();
	u32 at, room;
	int rc = 0;

	while (!rc && xprt_rdma_read_fits(read->conn) &&
	       xprt_rdma_read_next(read, &at, &room))
		rc = xprt_rdma_read_add(read, at, room);
	memalloc_noio_restore(flags);
	return rc;
}

/* The Work Requests of a round. Only the end of the chain is signaled. */
static const struct ib_send_wr *
xprt_rdma_read_chain(struct xprt_rdma_read_ctx *read)
{
	struct xprt_rdma_conn *conn = read->conn;
	struct ib_send_wr *first;

	if (list_empty(&read->rws))
		return NULL;
	first = rpcrdma_rw_chain(&read->rws, conn->qp, conn->id->port_num,
				 &read->cqe, NULL);
	rpcrdma_reads_confirm(conn->device, first, &read->confirm, &read->cqe);
	return first;
}

/*
 * The next Work Requests: a round of @reads, or the RDMA_DONE. Returns NULL if
 * there is no entry for them or the peer serves no more Reads, or an error.
 */
static const struct ib_send_wr *
xprt_rdma_read_next_wrs(struct xprt_rdma_read_ctx *read, bool reads)
{
	struct xprt_rdma_conn *conn = read->conn;
	int rc;

	if (READ_ONCE(conn->life.state) != XPRT_RDMA_CONNECTED)
		return ERR_PTR(-ENOTCONN);
	if (reads) {
		rc = xprt_rdma_read_fill_round(read);
		if (rc)
			return ERR_PTR(rc);
		return xprt_rdma_read_chain(read);
	}
	if (!conn->reads.ops)
		return NULL;
	xprt_rdma_done_begin(conn, &read->done);
	return &read->done.wr;
}

/* Continue a read context of which nothing is in flight. */
static void xprt_rdma_read_step(struct xprt_rdma_read_ctx *read)
{
	struct xprt_rdma_conn *conn = read->conn;
	const struct ib_send_wr *first;
	u32 at, room;
	bool reads;

	reads = xprt_rdma_read_next(read, &at, &room);
	if (!reads) {
		xprt_rdma_read_data_done(read, 0);
		if (!read->notify) {
			xprt_rdma_read_end(read, 0);
			return;
		}
	}
	first = xprt_rdma_read_next_wrs(read, reads);
	if (IS_ERR(first))
		xprt_rdma_read_end(read, PTR_ERR(first));
	else if (!first)
		list_add(&read->list, &conn->reads.waiting);
	else if (unlikely(ib_post_send(conn->qp, first, NULL)))
		/*
		 * Only when the Queue Pair is gone is it known how many were
		 * posted.
		 */
		xprt_rdma_conn_lost(conn);
}

/**
 * xprt_rdma_reads_resume - continue read contexts that wait
 * @conn: connection; entries have been released
 *
 * Context: completion handler.
 */
void xprt_rdma_reads_resume(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_read_ctx *read;

	while (conn->reads.ops) {
		read = list_first_entry_or_null(&conn->reads.waiting,
						struct xprt_rdma_read_ctx,
						list);
		if (!read)
			return;
		list_del_init(&read->list);
		xprt_rdma_read_step(read);
		/* It waits again, at the head: no further Read may be outstanding. */
		if (conn->reads.waiting.next == &read->list)
			return;
	}
}

static int xprt_rdma_read_status(struct xprt_rdma_read_ctx *read,
				 const struct ib_wc *wc)
{
	if (likely(wc->status == IB_WC_SUCCESS))
		return 0;
	trace_xprtrdma_wc_error(read->conn, "read", wc);
	return -ENOTCONN;
}

/* Others may wait for the resources that a read context has released. */
static void xprt_rdma_reads_continue(struct xprt_rdma_conn *conn, int status)
{
	xprt_rdma_reads_resume(conn);
	/* The Receive just released may be the only one. */
	if (likely(!status))
		xprt_rdma_recvs_post(conn);
}

static void xprt_rdma_wc_read(struct ib_cq *cq, struct ib_wc *wc)
{
	struct xprt_rdma_read_ctx *read =
		container_of(wc->wr_cqe, struct xprt_rdma_read_ctx, cqe);
	int status;

	if (unlikely(read->over))
		return;
	status = xprt_rdma_read_status(read, wc);
	xprt_rdma_read_release_rws(read);
	if (status)
		xprt_rdma_read_end(read, status);
	else
		xprt_rdma_read_step(read);
	xprt_rdma_reads_continue(cq->cq_context, status);
}

static void xprt_rdma_wc_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct xprt_rdma_read_ctx *read = container_of(wc->wr_cqe,
						   struct xprt_rdma_read_ctx,
						   done.cqe);
	int status = xprt_rdma_read_status(read, wc);

	if (unlikely(read->over))
		return;
	xprt_rdma_read_end(read, status);
	xprt_rdma_reads_continue(cq->cq_context, status);
}

static struct xprt_rdma_read_ctx *
xprt_rdma_read_create(struct xprt_rdma_conn *conn, __be32 xid)
{
	struct xprt_rdma_read_ctx *read;

	read = kzalloc(sizeof(*read), XPRT_RDMA_GFP);
	if (!read)
		return NULL;
	read->conn = conn;
	read->xid = xid;
	read->cqe.done = xprt_rdma_wc_read;
	read->done.cqe.done = xprt_rdma_wc_done;
	INIT_LIST_HEAD(&read->list);
	INIT_LIST_HEAD(&read->rws);
	return read;
}

static void xprt_rdma_read_begin(struct xprt_rdma_read_ctx *read)
{
	struct xprt_rdma_conn *conn = read->conn;

	xprt_rdma_count(read_ctxs_created);
	trace_xprtrdma_read(read);
	list_add_tail(&read->all, &conn->reads.all);
	if (!list_empty(&conn->reads.waiting))
		list_add_tail(&read->list, &conn->reads.waiting);
	else
		xprt_rdma_read_step(read);
}

/**
 * xprt_rdma_read_start - fetch the Read chunks of a message
 * @recv: Receive of the message, whose layout was checked. On success the read
 *	context owns it, and releases it after @args->complete.
 * @args: its arguments
 *
 * Context: completion handler.
 * Return: 0, and @args->complete is called once, maybe before this returns; or
 * -ENOMEM or -ENOBUFS, and it is not called.
 */
int xprt_rdma_read_start(struct xprt_rdma_recv_ctx *recv,
			 const struct xprt_rdma_read_args *args)
{
	struct xprt_rdma_read_ctx *read =
		xprt_rdma_read_create(recv->conn, recv->hdr.xid);
	int rc;

	if (!read)
		return -ENOMEM;
	if (args->notify) {
		rc = xprt_rdma_done_prepare(recv->conn, &read->done,
					    &recv->hdr);
		if (rc) {
			kfree(read);
			return rc;
		}
	}
	read->recv = recv;
	read->xdr = args->xdr;
	read->layout = args->layout;
	read->notify = args->notify;
	read->complete = args->complete;
	read->req = args->req;
	rpcrdma_reads_begin(&recv->hdr, &read->cur);
	xprt_rdma_count(reads);
	xprt_rdma_read_begin(read);
	return 0;
}

/**
 * xprt_rdma_read_decline - send an RDMA_DONE for a reply that is not fetched
 * @recv: Receive of the reply; the caller still owns it
 *
 * Reliable-reply draft section 4.1.3: the peer is notified of replies to
 * forgotten XIDs as well.
 *
 * Context: completion handler.
 */
void xprt_rdma_read_decline(struct xprt_rdma_recv_ctx *recv)
{
	struct xprt_rdma_conn *conn = recv->conn;
	struct xprt_rdma_read_ctx *read = NULL;

	/*
	 * Stop a peer that sends such replies without receiving the RDMA_DONEs.
	 */
	if (conn->reads.declines < XPRT_RDMA_DECLINES)
		read = xprt_rdma_read_create(conn, recv->hdr.xid);
	if (!read || xprt_rdma_done_prepare(conn, &read->done, &recv->hdr)) {
		kfree(read);
		/*
		 * Losing the connection also lets the peer release its memory.
		 */
		xprt_rdma_conn_lost(conn);
		return;
	}
	read->notify = true;
	conn->reads.declines++;
	xprt_rdma_count(reads_declined);
	xprt_rdma_read_begin(read);
}

/**
 * xprt_rdma_reads_flush - end all read contexts
 * @conn: connection without a Queue Pair
 *
 * Context: process; the caller holds XPRT_LOCKED. There is no completion queue,
 * so no completion handler is running.
 */
void xprt_rdma_reads_flush(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_read_ctx *read, *next;

	INIT_LIST_HEAD(&conn->reads.waiting);
	list_for_each_entry_safe(read, next, &conn->reads.all, all) {
		if (!read->over)
			xprt_rdma_read_end(read, -ENOTCONN);
		xprt_rdma_read_free(read);
	}
}
