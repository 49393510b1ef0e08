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

#include "xprtrdma.h"

#include <trace/events/xprtrdma.h>

/* Pages that one Read may cover, should the device be able to. */
#define PULL_PAGES	256u

/**
 * xprt_rdma_pulls_init - see what pulls need of the device
 * @conn: connection bound to a device
 *
 * Each Read is one operation of rdma_rw_ctx_init(): rdma_create_qp() adds the
 * Send Queue entries for as many as XPRT_RDMA_PULL_OPS. An operation without a
 * registration takes one per @max_sges pages, so it must not have more pages
 * than that: iWARP always registers, others may or may not.
 *
 * Context: process.
 */
void xprt_rdma_pulls_init(struct xprt_rdma_conn *conn)
{
	u32 port = conn->id->port_num;
	u32 ops = rdma_rw_mr_factor(conn->device, port, PULL_PAGES);
	u32 sges = min_t(u32, conn->max_sges, conn->device->attrs.max_sge_rd);

	conn->pull_ops = XPRT_RDMA_PULL_OPS;
	conn->pull_pages = PULL_PAGES / min(ops, PULL_PAGES);
	conn->pull_wrs = rdma_rw_max_send_wr(conn->device, port,
					     XPRT_RDMA_PULL_OPS, 0);
	if (!rdma_protocol_iwarp(conn->device, port))
		conn->pull_pages = clamp(conn->pull_wrs / XPRT_RDMA_PULL_OPS *
					 sges, 1u, conn->pull_pages);
}

/* Unmaps what the last round has read, and gives its entries back. */
static void release_rws(struct xprt_rdma_pull *pull)
{
	struct xprt_rdma_conn *conn = pull->conn;

	rpcrdma_rw_release(&conn->rws, &pull->rws, conn->qp,
			   conn->id->port_num);
	conn->pull_ops += pull->ops;
	pull->ops = 0;
}

/* The message is there, or will not be. Tells the owner. */
static void data_done(struct xprt_rdma_pull *pull, int status)
{
	if (status) {
		xprt_rdma_count(pulls_failed);
		xprt_rdma_conn_lost(pull->conn);
	}
	if (pull->complete)
		pull->complete(pull, status);
	pull->complete = NULL;
	if (pull->rep)
		xprt_rdma_rep_put(pull->rep);
	pull->rep = NULL;
}

static void pull_free(struct xprt_rdma_pull *pull)
{
	list_del(&pull->all);
	kfree(pull);
	xprt_rdma_count(pulls_destroyed);
}

/* The pull is over: nothing of it is in flight. */
static void pull_end(struct xprt_rdma_pull *pull, int status)
{
	struct xprt_rdma_conn *conn = pull->conn;

	trace_xprtrdma_pull_end(pull, status);
	release_rws(pull);
	conn->pull_ops += pull->done.posted;
	xprt_rdma_done_release(conn, &pull->done);
	data_done(pull, status);
	conn->declines -= !pull->req;
	pull->over = true;
	if (likely(!status))
		pull_free(pull);
}

/* @len is cut to what is in one piece of @kvec from @offset on. */
static void *kvec_piece(const struct kvec *kvec, u32 offset, u32 *len)
{
	*len = min_t(u32, *len, kvec->iov_len - offset);
	return kvec->iov_base + offset;
}

/* The part of the buffer at @offset that is in one piece: @len is cut to it. */
static void piece_at(const struct xprt_rdma_pull *pull, u32 offset, u32 *len,
		     struct rpcrdma_rw_memory *mem)
{
	const struct xdr_buf *xdr = pull->xdr;
	u32 head = xdr->head[0].iov_len;

	mem->base = NULL;
	if (offset < head) {
		mem->base = kvec_piece(xdr->head, offset, len);
	} else if (offset - head < xdr->page_len) {
		offset -= head;
		*len = min(*len, xdr->page_len - offset);
		offset += xdr->page_base;
		mem->pages = xdr->pages + (offset >> PAGE_SHIFT);
		mem->offset = offset_in_page(offset);
		*len = min_t(u32, *len, pull->conn->pull_pages * PAGE_SIZE -
			     mem->offset);
	} else {
		mem->base = kvec_piece(xdr->tail, offset - head - xdr->page_len,
				       len);
	}
}

/* One Read into the buffer at @offset: as much of @seg as is in one piece. */
static int add_read(struct xprt_rdma_pull *pull, u32 offset,
		    struct rpcrdma_segment *seg, u32 room)
{
	struct xprt_rdma_conn *conn = pull->conn;
	struct rpcrdma_segment part = *seg;
	struct rpcrdma_rw_memory mem;
	int rc;

	part.length = min(seg->length, room);
	piece_at(pull, offset, &part.length, &mem);
	if (mem.base && !virt_addr_valid(mem.base))
		return -EIO;
	rc = rpcrdma_rw_add(&conn->rws, &pull->rws, conn->qp,
			    conn->id->port_num, &mem, &part, DMA_FROM_DEVICE,
			    XPRT_RDMA_GFP);
	if (rc < 0)
		return rc;
	seg->length -= part.length;
	seg->offset += part.length;
	xprt_rdma_count_add(pull_bytes, part.length);
	return part.length;
}

/*
 * Where the next byte of the current segment belongs, and how many bytes follow
 * it without a gap; 0 if the buffer ends before.
 */
static u32 next_place(const struct xprt_rdma_pull *pull, u32 *room)
{
	const struct xprt_rdma_layout *layout = &pull->layout;
	u32 at = pull->rseg.position + pull->progress;

	*room = U32_MAX;
	if (!pull->rseg.position)
		at = xprt_rdma_layout_base(layout, pull->progress, room);
	*room = at < layout->room ? min(*room, layout->room - at) : 0;
	return at;
}

/* One more Read, of the current segment. */
static int pull_piece(struct xprt_rdma_pull *pull)
{
	u32 at, room;
	int rc;

	at = next_place(pull, &room);
	rc = add_read(pull, at, &pull->rseg.seg, room);
	if (rc < 0)
		return rc;
	pull->progress += rc;
	pull->conn->pull_ops--;
	pull->ops++;
	return 0;
}

/* Leaves the current segment out if there is no room for its bytes. */
static bool has_bytes(struct xprt_rdma_pull *pull)
{
	struct rpcrdma_segment *seg = &pull->rseg.seg;
	u32 room;

	if (!seg->length)
		return false;
	next_place(pull, &room);
	if (room)
		return true;
	pull->progress += seg->length;
	seg->length = 0;
	return false;
}

/* Goes to the next segment that has bytes; false at the end of the list. */
static bool next_segment(struct xprt_rdma_pull *pull)
{
	u32 position;

	while (!has_bytes(pull)) {
		position = pull->rseg.position;
		if (!rpcrdma_reads_next(&pull->cur, &pull->rseg))
			return false;
		if (pull->rseg.position != position)
			pull->progress = 0;
	}
	return true;
}

/* As many Reads as there are entries for */
static int fill_round(struct xprt_rdma_pull *pull)
{
	unsigned int flags = memalloc_noio_save();
	int rc = 0;

	while (!rc && pull->conn->pull_ops && next_segment(pull))
		rc = pull_piece(pull);
	memalloc_noio_restore(flags);
	if (likely(rc != -EAGAIN))
		return rc;
	/* No region is left: whoever has one gives it back. */
	return READ_ONCE(pull->conn->rws.count) ? 0 : -ENOMEM;
}

/* What was posted of a chain is known only when the Queue Pair is gone. */
static void post(struct xprt_rdma_pull *pull, const struct ib_send_wr *first)
{
	if (unlikely(ib_post_send(pull->conn->qp, first, NULL)))
		xprt_rdma_conn_lost(pull->conn);
}

static bool connected(const struct xprt_rdma_conn *conn)
{
	return READ_ONCE(conn->state) == XPRT_RDMA_CONNECTED;
}

/* A round of Reads, or wait for entries. */
static void step_reads(struct xprt_rdma_pull *pull)
{
	struct xprt_rdma_conn *conn = pull->conn;
	int rc = connected(conn) ? fill_round(pull) : -ENOTCONN;

	if (rc)
		pull_end(pull, rc);
	else if (!pull->ops)
		list_add(&pull->list, &conn->pulls_waiting);
	else
		post(pull, rpcrdma_rw_chain(&pull->rws, conn->qp,
					    conn->id->port_num, &pull->cqe,
					    NULL));
}

/* The RDMA_DONE, if there is one, or wait for an entry. */
static void step_done(struct xprt_rdma_pull *pull)
{
	struct xprt_rdma_conn *conn = pull->conn;

	if (!pull->notify) {
		pull_end(pull, 0);
	} else if (!connected(conn)) {
		pull_end(pull, -ENOTCONN);
	} else if (!conn->pull_ops) {
		list_add(&pull->list, &conn->pulls_waiting);
	} else {
		xprt_rdma_done_posted(conn, &pull->done);
		conn->pull_ops--;
		post(pull, &pull->done.wr);
	}
}

/* Goes on with a pull of which nothing is in flight. */
static void pull_step(struct xprt_rdma_pull *pull)
{
	if (next_segment(pull)) {
		step_reads(pull);
	} else {
		data_done(pull, 0);
		step_done(pull);
	}
}

static void step_waiting(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_pull *pull;

	while (conn->pull_ops) {
		pull = list_first_entry_or_null(&conn->pulls_waiting,
						struct xprt_rdma_pull, list);
		if (!pull)
			return;
		list_del_init(&pull->list);
		pull_step(pull);
		/* No region for it */
		if (conn->pulls_waiting.next == &pull->list)
			return;
	}
}

static int wc_status(struct xprt_rdma_pull *pull, const struct ib_wc *wc)
{
	if (likely(wc->status == IB_WC_SUCCESS))
		return 0;
	trace_xprtrdma_wc_error(pull->conn, "pull", wc);
	return -ENOTCONN;
}

/* Others may need what a pull has given back. */
static void pulls_go_on(struct xprt_rdma_conn *conn, int status)
{
	step_waiting(conn);
	/* The Receive of a message that is there may be the only one. */
	if (likely(!status))
		xprt_rdma_recvs_post(conn);
}

static int reads_status(struct xprt_rdma_pull *pull, const struct ib_wc *wc)
{
	int status = wc_status(pull, wc);

	if (unlikely(!status && !rpcrdma_rw_confirmed(pull->conn->qp))) {
		xprt_rdma_count(pulls_unconfirmed);
		status = -ENOTCONN;
	}
	return status;
}

static void wc_reads(struct ib_cq *cq, struct ib_wc *wc)
{
	struct xprt_rdma_pull *pull = container_of(wc->wr_cqe,
						   struct xprt_rdma_pull, cqe);
	int status;

	if (unlikely(pull->over))
		return;
	status = reads_status(pull, wc);
	release_rws(pull);
	if (status)
		pull_end(pull, status);
	else
		pull_step(pull);
	pulls_go_on(cq->cq_context, status);
}

static void wc_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct xprt_rdma_pull *pull = container_of(wc->wr_cqe,
						   struct xprt_rdma_pull,
						   done.cqe);
	int status = wc_status(pull, wc);

	if (unlikely(pull->over))
		return;
	pull_end(pull, status);
	pulls_go_on(cq->cq_context, status);
}

static struct xprt_rdma_pull *pull_create(struct xprt_rdma_conn *conn,
					  __be32 xid)
{
	struct xprt_rdma_pull *pull;

	pull = kzalloc(sizeof(*pull), XPRT_RDMA_GFP);
	if (!pull)
		return NULL;
	pull->conn = conn;
	pull->xid = xid;
	pull->cqe.done = wc_reads;
	pull->done.cqe.done = wc_done;
	INIT_LIST_HEAD(&pull->list);
	INIT_LIST_HEAD(&pull->rws);
	return pull;
}

static void pull_begin(struct xprt_rdma_pull *pull)
{
	struct xprt_rdma_conn *conn = pull->conn;

	xprt_rdma_count(pulls_created);
	trace_xprtrdma_pull(pull);
	list_add_tail(&pull->all, &conn->pulls);
	if (!list_empty(&conn->pulls_waiting))
		list_add_tail(&pull->list, &conn->pulls_waiting);
	else
		pull_step(pull);
}

/**
 * xprt_rdma_pull_start - fetch the Read chunks of a message
 * @rep: Receive with the message, whose layout was checked; the pull's if this
 *	succeeds, and put after @complete was called
 * @args: what to do
 *
 * Context: completion handler.
 * Return: 0, and @args->complete is called once, maybe before this returns; or
 * -ENOMEM or -EIO, and it is not.
 */
int xprt_rdma_pull_start(struct xprt_rdma_rep *rep,
			 const struct xprt_rdma_pull_args *args)
{
	struct xprt_rdma_pull *pull = pull_create(rep->conn, rep->hdr.xid);
	int rc;

	if (!pull)
		return -ENOMEM;
	if (args->notify) {
		rc = xprt_rdma_done_prepare(rep->conn, &pull->done, &rep->hdr);
		if (rc) {
			kfree(pull);
			return rc;
		}
	}
	pull->rep = rep;
	pull->xdr = args->xdr;
	pull->layout = args->layout;
	pull->notify = args->notify;
	pull->complete = args->complete;
	pull->req = args->req;
	rpcrdma_reads_begin(&rep->hdr, &pull->cur);
	xprt_rdma_count(pulls);
	pull_begin(pull);
	return 0;
}

/**
 * xprt_rdma_pull_decline - notify the peer of a reply that is not pulled
 * @rep: Receive with the reply; stays the caller's
 *
 * Reliable-reply draft section 4.1.3: so it is also when the XID was
 * forgotten.
 *
 * Context: completion handler.
 */
void xprt_rdma_pull_decline(struct xprt_rdma_rep *rep)
{
	struct xprt_rdma_conn *conn = rep->conn;
	struct xprt_rdma_pull *pull = NULL;

	/* A peer that sends this without taking the DONEs has to be stopped. */
	if (conn->declines < XPRT_RDMA_DECLINES)
		pull = pull_create(conn, rep->hdr.xid);
	if (!pull || xprt_rdma_done_prepare(conn, &pull->done, &rep->hdr)) {
		kfree(pull);
		/* The peer takes its memory back with the connection, too. */
		xprt_rdma_conn_lost(conn);
		return;
	}
	pull->notify = true;
	conn->declines++;
	xprt_rdma_count(pulls_declined);
	pull_begin(pull);
}

/**
 * xprt_rdma_pulls_resume - memory regions of the Queue Pair were given back
 * @conn: connection
 *
 * Context: completion handler.
 */
void xprt_rdma_pulls_resume(struct xprt_rdma_conn *conn)
{
	step_waiting(conn);
}

/**
 * xprt_rdma_pulls_flush - end all pulls
 * @conn: connection without a Queue Pair
 *
 * Context: process; the caller holds XPRT_LOCKED. There is no completion queue,
 * so no completion is being handled.
 */
void xprt_rdma_pulls_flush(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_pull *pull, *next;

	INIT_LIST_HEAD(&conn->pulls_waiting);
	list_for_each_entry_safe(pull, next, &conn->pulls, all) {
		if (!pull->over)
			pull_end(pull, -ENOTCONN);
		pull_free(pull);
	}
}
