// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pulling Read chunks that the peer exposes: those of a reply, and those of a
 * call in the reverse direction.
 *
 * Operation: the Reads go straight into the XDR buffer that the message is
 * for; layout.c says where. They are posted in rounds of as many as there are
 * entries for in the Send Queue. When the last of them has completed, the
 * owner has its message. With a reply, an RDMA_DONE follows, for which the peer
 * may have no Receive for as long as it likes.
 *
 * Send Queue: entries are set aside for all this, so that nobody who holds the
 * other ones can keep a pull waiting; pulls wait for one another, first come
 * first served. So they do for the Queue Pair's memory regions, if the device
 * needs them: there are as many as Reads that may be posted, but a device that
 * needs them for RDMA Writes, too, has them in replies to callbacks as well.
 *
 * Ownership: a pull keeps the Receive of the message, and its owner (a pinned
 * request, or one of the backchannel) keeps the buffer, until it has ended. It
 * ends in a completion handler. All pulls are in a list of the connection:
 * those that could not be posted, and those whose completion the provider has
 * never reported, end when the Queue Pair and the completion queue are gone.
 * Nothing is posted once the connection is about to end: Receives are drained
 * first, and with them the handlers that post.
 *
 * Errors: siw reports a Read twice that it had taken from the Send Queue, but not
 * sent, when the Queue Pair was moved to the error state. So a pull that has
 * failed is over, but not freed before the completion queue is gone.
 *
 * A Read that fails ends the connection, and so does a lack of memory:
 * a call that has been executed is better sent again, and answered from the
 * reply cache, than failed.
 */

#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/sunrpc/xdr.h>

#include <rpcrdma/rw.h>

#include "../conn.h"
#include "../limits.h"
#include "../stats.h"
#include "fetch.h"
#include "../verbs/verbs.h"

#include <trace/events/xprtrdma.h>

/* Pages that one Read may cover, should the device be able to. */
#define READ_PAGES	256u

/**
 * xprt_rdma_reads_init - see what pulls need of the device
 * @conn: connection bound to a device
 *
 * Each Read is one operation of rdma_rw_ctx_init(): rdma_create_qp() adds the
 * Send Queue entries for as many as XPRT_RDMA_READ_OPS. An operation without a
 * registration takes one per @max_sges pages, so it must not have more pages
 * than that: iWARP always registers, others may or may not.
 *
 * Context: process.
 */
void xprt_rdma_reads_init(struct xprt_rdma_conn *conn)
{
	u32 port = conn->id->port_num;
	u32 ops = rdma_rw_mr_factor(conn->device, port, READ_PAGES);
	u32 sges = min_t(u32, conn->max_sges, conn->device->attrs.max_sge_rd);

	conn->read_ops = XPRT_RDMA_READ_OPS;
	conn->read_pages = READ_PAGES / min(ops, READ_PAGES);
	conn->read_wrs = rdma_rw_max_send_wr(conn->device, port,
					     XPRT_RDMA_READ_OPS, 0);
	if (!rdma_protocol_iwarp(conn->device, port))
		conn->read_pages = clamp(conn->read_wrs / XPRT_RDMA_READ_OPS *
					 sges, 1u, conn->read_pages);
}

/* Unmaps what the last round has read, and gives its entries back. */
static void xprt_rdma_read_release_rws(struct xprt_rdma_read_ctx *read)
{
	struct xprt_rdma_conn *conn = read->conn;

	rpcrdma_rw_release(&conn->rws, &read->rws, conn->qp,
			   conn->id->port_num);
	conn->read_ops += read->ops;
	read->ops = 0;
}

/* The message is there, or will not be. Tells the owner. */
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

/* The pull is over: nothing of it is in flight. */
static void xprt_rdma_read_end(struct xprt_rdma_read_ctx *read, int status)
{
	struct xprt_rdma_conn *conn = read->conn;

	trace_xprtrdma_read_end(read, status);
	xprt_rdma_read_release_rws(read);
	conn->read_ops += read->done.posted;
	xprt_rdma_done_release(conn, &read->done);
	xprt_rdma_read_data_done(read, status);
	conn->declines -= !read->req;
	read->over = true;
	if (likely(!status))
		xprt_rdma_read_free(read);
}

/* @len is cut to what is in one piece of @kvec from @offset on. */
static void *xprt_rdma_read_kvec_part(const struct kvec *kvec, u32 offset,
				      u32 *len)
{
	*len = min_t(u32, *len, kvec->iov_len - offset);
	return kvec->iov_base + offset;
}

/* The part of the buffer at @offset that is in one piece: @len is cut to it. */
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
		*len = min_t(u32, *len, read->conn->read_pages * PAGE_SIZE -
			     mem->offset);
	} else {
		mem->base =
			xprt_rdma_read_kvec_part(xdr->tail,
						 offset - head - xdr->page_len,
						 len);
	}
}

/* One Read into the buffer at @offset: as much of @seg as is in one piece. */
static int xprt_rdma_read_add_rw(struct xprt_rdma_read_ctx *read, u32 offset,
				 struct rpcrdma_segment *seg, u32 room)
{
	struct xprt_rdma_conn *conn = read->conn;
	struct rpcrdma_segment part = *seg;
	struct rpcrdma_rw_memory mem;
	int rc;

	part.length = min(seg->length, room);
	xprt_rdma_read_buf_part(read, offset, &part.length, &mem);
	if (mem.base && !virt_addr_valid(mem.base))
		return -EIO;
	rc = rpcrdma_rw_add(&conn->rws, &read->rws, conn->qp,
			    conn->id->port_num, &mem, &part, DMA_FROM_DEVICE,
			    XPRT_RDMA_GFP);
	if (rc < 0)
		return rc;
	seg->length -= part.length;
	seg->offset += part.length;
	xprt_rdma_count_add(read_bytes, part.length);
	return part.length;
}

/*
 * Where the next byte of the current segment belongs, and how many bytes follow
 * it without a gap; 0 if the buffer ends before.
 */
static u32 xprt_rdma_read_next_place(const struct xprt_rdma_read_ctx *read,
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

/* One more Read, of the current segment. */
static int xprt_rdma_read_add_part(struct xprt_rdma_read_ctx *read)
{
	u32 at, room;
	int rc;

	at = xprt_rdma_read_next_place(read, &room);
	rc = xprt_rdma_read_add_rw(read, at, &read->rseg.seg, room);
	if (rc < 0)
		return rc;
	read->progress += rc;
	read->conn->read_ops--;
	read->ops++;
	return 0;
}

/* Leaves the current segment out if there is no room for its bytes. */
static bool xprt_rdma_read_has_bytes(struct xprt_rdma_read_ctx *read)
{
	struct rpcrdma_segment *seg = &read->rseg.seg;
	u32 room;

	if (!seg->length)
		return false;
	xprt_rdma_read_next_place(read, &room);
	if (room)
		return true;
	read->progress += seg->length;
	seg->length = 0;
	return false;
}

/* Goes to the next segment that has bytes; false at the end of the list. */
static bool xprt_rdma_read_next_segment(struct xprt_rdma_read_ctx *read)
{
	u32 position;

	while (!xprt_rdma_read_has_bytes(read)) {
		position = read->rseg.position;
		if (!rpcrdma_reads_next(&read->cur, &read->rseg))
			return false;
		if (read->rseg.position != position)
			read->progress = 0;
	}
	return true;
}

/* As many Reads as there are entries for */
static int xprt_rdma_read_fill_round(struct xprt_rdma_read_ctx *read)
{
	unsigned int flags = memalloc_noio_save();
	int rc = 0;

	while (!rc && read->conn->read_ops && xprt_rdma_read_next_segment(read))
		rc = xprt_rdma_read_add_part(read);
	memalloc_noio_restore(flags);
	if (likely(rc != -EAGAIN))
		return rc;
	/* No region is left: whoever has one gives it back. */
	return READ_ONCE(read->conn->rws.count) ? 0 : -ENOMEM;
}

/* What was posted of a chain is known only when the Queue Pair is gone. */
static void xprt_rdma_read_post(struct xprt_rdma_read_ctx *read,
				const struct ib_send_wr *first)
{
	if (unlikely(ib_post_send(read->conn->qp, first, NULL)))
		xprt_rdma_conn_lost(read->conn);
}

static bool xprt_rdma_read_connected(const struct xprt_rdma_conn *conn)
{
	return READ_ONCE(conn->state) == XPRT_RDMA_CONNECTED;
}

/* A round of Reads, or wait for entries. */
static void xprt_rdma_read_step_reads(struct xprt_rdma_read_ctx *read)
{
	struct xprt_rdma_conn *conn = read->conn;
	int rc = xprt_rdma_read_connected(conn) ?
			 xprt_rdma_read_fill_round(read) :
			 -ENOTCONN;

	if (rc)
		xprt_rdma_read_end(read, rc);
	else if (!read->ops)
		list_add(&read->list, &conn->reads_waiting);
	else
		xprt_rdma_read_post(read, rpcrdma_rw_chain(&read->rws, conn->qp,
							   conn->id->port_num,
							   &read->cqe, NULL));
}

/* The RDMA_DONE, if there is one, or wait for an entry. */
static void xprt_rdma_read_step_done(struct xprt_rdma_read_ctx *read)
{
	struct xprt_rdma_conn *conn = read->conn;

	if (!read->notify) {
		xprt_rdma_read_end(read, 0);
	} else if (!xprt_rdma_read_connected(conn)) {
		xprt_rdma_read_end(read, -ENOTCONN);
	} else if (!conn->read_ops) {
		list_add(&read->list, &conn->reads_waiting);
	} else {
		xprt_rdma_done_posted(conn, &read->done);
		conn->read_ops--;
		xprt_rdma_read_post(read, &read->done.wr);
	}
}

/* Goes on with a pull of which nothing is in flight. */
static void xprt_rdma_read_step(struct xprt_rdma_read_ctx *read)
{
	if (xprt_rdma_read_next_segment(read)) {
		xprt_rdma_read_step_reads(read);
	} else {
		xprt_rdma_read_data_done(read, 0);
		xprt_rdma_read_step_done(read);
	}
}

static void xprt_rdma_reads_step_waiting(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_read_ctx *read;

	while (conn->read_ops) {
		read = list_first_entry_or_null(&conn->reads_waiting,
						struct xprt_rdma_read_ctx,
						list);
		if (!read)
			return;
		list_del_init(&read->list);
		xprt_rdma_read_step(read);
		/* No region for it */
		if (conn->reads_waiting.next == &read->list)
			return;
	}
}

static int xprt_rdma_read_wc_status(struct xprt_rdma_read_ctx *read,
				    const struct ib_wc *wc)
{
	if (likely(wc->status == IB_WC_SUCCESS))
		return 0;
	trace_xprtrdma_wc_error(read->conn, "read", wc);
	return -ENOTCONN;
}

/* Others may need what a pull has given back. */
static void xprt_rdma_reads_continue(struct xprt_rdma_conn *conn, int status)
{
	xprt_rdma_reads_step_waiting(conn);
	/* The Receive of a message that is there may be the only one. */
	if (likely(!status))
		xprt_rdma_recvs_post(conn);
}

static int xprt_rdma_read_status(struct xprt_rdma_read_ctx *read,
				 const struct ib_wc *wc)
{
	int status = xprt_rdma_read_wc_status(read, wc);

	if (unlikely(!status && !rpcrdma_rw_confirmed(read->conn->qp))) {
		xprt_rdma_count(reads_unconfirmed);
		status = -ENOTCONN;
	}
	return status;
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
	int status = xprt_rdma_read_wc_status(read, wc);

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
	list_add_tail(&read->all, &conn->reads);
	if (!list_empty(&conn->reads_waiting))
		list_add_tail(&read->list, &conn->reads_waiting);
	else
		xprt_rdma_read_step(read);
}

/**
 * xprt_rdma_read_start - fetch the Read chunks of a message
 * @recv: Receive with the message, whose layout was checked; the pull's if this
 *	succeeds, and put after @complete was called
 * @args: what to do
 *
 * Context: completion handler.
 * Return: 0, and @args->complete is called once, maybe before this returns; or
 * -ENOMEM or -EIO, and it is not.
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
 * xprt_rdma_read_decline - notify the peer of a reply that is not pulled
 * @recv: Receive with the reply; stays the caller's
 *
 * Reliable-reply draft section 4.1.3: so it is also when the XID was
 * forgotten.
 *
 * Context: completion handler.
 */
void xprt_rdma_read_decline(struct xprt_rdma_recv_ctx *recv)
{
	struct xprt_rdma_conn *conn = recv->conn;
	struct xprt_rdma_read_ctx *read = NULL;

	/* A peer that sends this without taking the DONEs has to be stopped. */
	if (conn->declines < XPRT_RDMA_DECLINES)
		read = xprt_rdma_read_create(conn, recv->hdr.xid);
	if (!read || xprt_rdma_done_prepare(conn, &read->done, &recv->hdr)) {
		kfree(read);
		/* The peer takes its memory back with the connection, too. */
		xprt_rdma_conn_lost(conn);
		return;
	}
	read->notify = true;
	conn->declines++;
	xprt_rdma_count(reads_declined);
	xprt_rdma_read_begin(read);
}

/**
 * xprt_rdma_reads_resume - memory regions of the Queue Pair were given back
 * @conn: connection
 *
 * Context: completion handler.
 */
void xprt_rdma_reads_resume(struct xprt_rdma_conn *conn)
{
	xprt_rdma_reads_step_waiting(conn);
}

/**
 * xprt_rdma_reads_flush - end all pulls
 * @conn: connection without a Queue Pair
 *
 * Context: process; the caller holds XPRT_LOCKED. There is no completion queue,
 * so no completion is being handled.
 */
void xprt_rdma_reads_flush(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_read_ctx *read, *next;

	INIT_LIST_HEAD(&conn->reads_waiting);
	list_for_each_entry_safe(read, next, &conn->reads, all) {
		if (!read->over)
			xprt_rdma_read_end(read, -ENOTCONN);
		xprt_rdma_read_free(read);
	}
}
