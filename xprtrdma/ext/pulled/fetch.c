// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fetch messages from the peer's Read chunks: replies, and calls in the reverse
 * direction.
 *
 * Operation: RDMA Reads go straight into the XDR buffer of the message, at
 * positions that core/verbs/layout.c provides. The Reads are posted in rounds.
 * The size of a round is limited by the free Send Queue entries, and by the
 * number of Reads that the peer's adapter serves at a time. When the last Read
 * has completed, the message is passed to its owner. After a reply, an
 * RDMA_DONE tells the peer that it may release its memory (RFC 5666 section
 * 3.8, reliable-reply draft section 4.1.3). The owner does not wait for the
 * RDMA_DONE, because the peer may have no Receive for it for a long time.
 *
 * Credits: an RDMA_DONE is not answered, so no grant shows when the peer has a
 * Receive for the next message. The Send of an RDMA_DONE completes when the
 * peer has used a Receive for it; until then, the RDMA_DONE counts as a call in
 * flight (message/credit.c).
 *
 * Send Queue: entries are set aside for these Reads and RDMA_DONEs, so that no
 * other sender can delay them; fetches wait for each other in FIFO order. If a
 * device needs memory regions for Reads, there are as many as Reads have been
 * outstanding at a time (rpcrdma/rw.h).
 *
 * Ownership: until the Reads have ended, a fetch owns the Receive of the
 * message, and the owner of the fetch (a pinned request, or a backchannel
 * request) keeps the buffer. A fetch ends in a completion handler, even if only
 * some of its Reads could be posted. All fetches are in a list of the
 * connection: if the provider never reports a completion, the fetch ends when
 * Queue Pair and completion queue are gone. No Read is posted while the
 * connection ends: Receives are drained first, and with them the handlers that
 * post.
 *
 * Errors: a failed Read, or a lack of memory, ends the connection. The call has
 * been executed, so it is better to send it again, and have it answered from
 * the reply cache, than to fail it. siw reports a Read twice if it had taken
 * the Read from the Send Queue, but not sent it, when the Queue Pair was moved
 * to the error state. So a failed fetch is freed only when the completion queue
 * is gone.
 */

#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/sunrpc/xdr.h>

#include <rpcrdma/quirks.h>
#include <rpcrdma/rw.h>

#include "../../control/control.h"
#include "../../limits.h"
#include "../../message/message.h"
#include "../../stats.h"
#include "../../tunables.h"
#include "../../verbs/verbs.h"
#include "../../version/version.h"
#include "pulled.h"

#include <trace/events/xprtrdma.h>

/**
 * xprt_rdma_pulled_query - get the device's requirements for RDMA Reads
 * @conn: connection bound to a device
 *
 * Each Read is one operation of rdma_rw_ctx_init(). The Send Queue has entries
 * for XPRT_RDMA_READ_OPS operations. An operation without a registration takes
 * one Work Request per max_sges pages, so it must not have more pages, or it
 * would be several Reads. Operations over iWARP always register memory, others
 * may do so. On soft-RoCE, Reads are short, and each may need another one that
 * confirms it.
 *
 * Context: process.
 */
void xprt_rdma_pulled_query(struct xprt_rdma_conn *conn)
{
	u32 sges = min_t(u32, conn->sq.max_sges,
			 conn->device->attrs.max_sge_rd);
	bool rxe = rpcrdma_on_rxe(conn->device);
	u32 port = conn->id->port_num;

	rpcrdma_rw_set_device(&conn->rws, conn->device, port);
	if (!rdma_protocol_iwarp(conn->device, port))
		conn->rws.pages = clamp(sges, 1u, conn->rws.pages);
	if (rxe)
		conn->rws.pages = min(conn->rws.pages, RPCRDMA_RXE_PAGES);
	conn->rws.merge = !rxe;
	conn->fetches.wrs = rdma_rw_max_send_wr(conn->device, port,
						XPRT_RDMA_READ_OPS, 0) +
			    (rxe ? XPRT_RDMA_READ_OPS : 0);
}

/* Change the number of RDMA_DONEs in flight. They may use all credits. */
static void xprt_rdma_fetch_add_dones(struct xprt_rdma_conn *conn, int n)
{
	conn->fetches.dones += n;
	xprt_rdma_credit_apply(conn);
	xprt_rdma_watch(conn->r_xprt);
}

static void xprt_rdma_fetch_resume(struct xprt_rdma_conn *conn);

static void xprt_rdma_fetch_release_reads(struct xprt_rdma_fetch *fetch)
{
	struct xprt_rdma_conn *conn = fetch->conn;
	u32 reads = rpcrdma_rw_release(&conn->rws, &fetch->rws);

	WARN_ON_ONCE(conn->fetches.reads < reads);
	conn->fetches.reads -= reads;
}

/* The Reads have ended. Tell the owner, and release the Receive. */
static void xprt_rdma_fetch_deliver(struct xprt_rdma_fetch *fetch, int status)
{
	if (!fetch->recv)
		return;
	fetch->complete(fetch, status);
	xprt_rdma_recv_put(fetch->recv);
	fetch->recv = NULL;
}

/**
 * xprt_rdma_fetch_free - free a fetch
 * @fetch: fetch that has ended, or was not started
 *
 * Context: completion handler, or process when no completion handler is left.
 */
void xprt_rdma_fetch_free(struct xprt_rdma_fetch *fetch)
{
	list_del(&fetch->all);
	kfree(fetch);
	xprt_rdma_count_add(read_ctxs_now, -1);
}

/* End a fetch that has nothing in flight. */
static void xprt_rdma_fetch_end(struct xprt_rdma_fetch *fetch, int status)
{
	struct xprt_rdma_conn *conn = fetch->conn;

	trace_xprtrdma_read_end(conn->r_xprt, fetch->xid, status);
	xprt_rdma_fetch_release_reads(fetch);
	if (fetch->notified)
		xprt_rdma_fetch_add_dones(conn, -1);
	xprt_rdma_regbuf_free(&fetch->done.buf);
	conn->fetches.declines -= !fetch->req;
	if (unlikely(status))
		xprt_rdma_conn_lost(conn);
	xprt_rdma_fetch_deliver(fetch, status);
	fetch->over = true;
	if (likely(!status))
		xprt_rdma_fetch_free(fetch);
}

/*
 * Add a Read of the current segment: at most @room bytes, at position @at of
 * the buffer.
 */
static int xprt_rdma_fetch_add_read(struct xprt_rdma_fetch *fetch, u32 at,
				    u32 room)
{
	struct rpcrdma_segment part = fetch->layout.rseg.seg;
	struct xprt_rdma_conn *conn = fetch->conn;
	struct rpcrdma_rw_memory mem;
	int rc;

	part.length = rpcrdma_rw_xdr(&fetch->req->rqst.rq_rcv_buf, at, room, &mem);
	part.length = min(part.length, rpcrdma_rw_room(&conn->rws, &mem));
	rc = rpcrdma_rw_add(&conn->rws, &fetch->rws, &mem, &part,
			    DMA_FROM_DEVICE, XPRT_RDMA_GFP);
	if (rc < 0)
		return rc;
	rpcrdma_layout_advance(&fetch->layout, part.length);
	conn->fetches.reads++;
	WARN_ON_ONCE(conn->fetches.reads > conn->peer.ord);
	return 0;
}

/* Is there a Send Queue entry for one more Read or RDMA_DONE? */
static bool xprt_rdma_fetch_fits(const struct xprt_rdma_conn *conn)
{
	return conn->fetches.reads + conn->fetches.dones < XPRT_RDMA_READ_OPS;
}

/*
 * Some Reads of a chain could not be posted. The Work Request after the others
 * has completed, so no Read is in flight. Even if that Work Request has
 * succeeded, the fetch fails, because Reads are missing.
 */
static void xprt_rdma_fetch_wc_cut(struct ib_cq *cq, struct ib_wc *wc)
{
	struct xprt_rdma_fetch *fetch =
		container_of(wc->wr_cqe, struct xprt_rdma_fetch, done.cqe);

	if (unlikely(fetch->over))
		return;
	xprt_rdma_fetch_end(fetch, -ENOTCONN);
	xprt_rdma_fetch_resume(cq->cq_context);
}

/*
 * The adapter has accepted only a part of a chain, without its signaled end.
 * Post another end, as ib_drain_sq() does, in a Send Queue entry that was
 * reserved for the missing part. First move the Queue Pair to the error state,
 * in which nothing overtakes the Reads: another thread that gave up the
 * connection may not have done that yet. If the end cannot be posted either,
 * the fetch ends when the Queue Pair is gone.
 */
static void xprt_rdma_fetch_cut(struct xprt_rdma_fetch *fetch)
{
	struct xprt_rdma_conn *conn = fetch->conn;
	struct ib_rdma_wr end = {
		.wr = {
			.wr_cqe		= &fetch->done.cqe,
			.opcode		= IB_WR_RDMA_WRITE,
			.send_flags	= IB_SEND_SIGNALED,
		},
	};

	xprt_rdma_conn_lost(conn);
	fetch->done.cqe.done = xprt_rdma_fetch_wc_cut;
	if (!xprt_rdma_endpoint_error(conn))
		ib_post_send(conn->qp, &end.wr, NULL);
}

/*
 * Post as many Reads as fit; only the end of the chain is signaled. Return 0, 1
 * if no Read fits, or a negative errno.
 *
 * If posting fails, the fetch must not wait for the end of the connection,
 * which may itself wait for the task of the call. If nothing was posted, the
 * fetch ends immediately.
 */
static int xprt_rdma_fetch_post_reads(struct xprt_rdma_fetch *fetch)
{
	struct xprt_rdma_conn *conn = fetch->conn;
	unsigned int flags = memalloc_noio_save();
	const struct ib_send_wr *bad = NULL;
	struct ib_send_wr *first;
	u32 at, room;
	int rc = 0;

	while (!rc && xprt_rdma_fetch_fits(conn) &&
	       conn->fetches.reads < conn->peer.ord &&
	       rpcrdma_layout_next(&fetch->layout, &at, &room))
		rc = xprt_rdma_fetch_add_read(fetch, at, room);
	memalloc_noio_restore(flags);
	if (rc || list_empty(&fetch->rws))
		return rc ?: 1;
	first = rpcrdma_rw_chain(&conn->rws, &fetch->rws, &fetch->done.cqe, NULL);
	rpcrdma_reads_confirm(conn->device, first, &fetch->confirm,
			      &fetch->done.cqe);
	if (likely(!ib_post_send(conn->qp, first, &bad)))
		return 0;
	if (bad == first)
		return -ENOTCONN;
	xprt_rdma_fetch_cut(fetch);
	return 0;
}

/* Post the RDMA_DONE. Return 0, 1 if there is no entry for it, or a negative errno. */
static int xprt_rdma_fetch_post_done(struct xprt_rdma_fetch *fetch)
{
	struct xprt_rdma_conn *conn = fetch->conn;
	u8 msg[RPCRDMA2_PREFIX_SIZE];
	struct rpcrdma_encoder enc;
	int rc;

	if (!xprt_rdma_fetch_fits(conn))
		return 1;
	rpcrdma_encode_init(&enc, msg, sizeof(msg));
	rpcrdma_encode_fixed(&enc, fetch->xid, conn->ver->number,
			     conn->credits.max, RPCRDMA_DONE);
	if (conn->ver->has_flags)
		rpcrdma_encode_word(&enc, 0);
	fetch->notified = true;
	xprt_rdma_fetch_add_dones(conn, 1);
	rc = xprt_rdma_control_msg_post(conn, &fetch->done, msg,
					rpcrdma_encode_finish(&enc),
					fetch->handle);
	if (rc)
		return rc;
	trace_xprtrdma_done(conn->r_xprt, fetch->xid, fetch->handle);
	xprt_rdma_count(dones_sent);
	return 0;
}

/*
 * Continue a fetch that has nothing in flight. Returns false if the fetch has
 * to wait, at the head of the list.
 */
static bool xprt_rdma_fetch_step(struct xprt_rdma_fetch *fetch)
{
	struct xprt_rdma_conn *conn = fetch->conn;
	u32 at, room;
	bool reads;
	int rc;

	reads = rpcrdma_layout_next(&fetch->layout, &at, &room);
	if (!reads)
		xprt_rdma_fetch_deliver(fetch, 0);
	if (!reads && !fetch->notify) {
		xprt_rdma_fetch_end(fetch, 0);
		return true;
	}
	rc = -ENOTCONN;
	if (READ_ONCE(conn->life.state) == XPRT_RDMA_CONNECTED)
		rc = reads ? xprt_rdma_fetch_post_reads(fetch) :
			     xprt_rdma_fetch_post_done(fetch);
	if (rc > 0)
		list_add(&fetch->list, &conn->fetches.waiting);
	else if (rc)
		xprt_rdma_fetch_end(fetch, rc);
	return rc <= 0;
}

/* Continue waiting fetches, in order, until one of them has to wait again. */
static void xprt_rdma_fetch_resume(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_fetch *fetch;

	do {
		fetch = list_first_entry_or_null(&conn->fetches.waiting,
						 struct xprt_rdma_fetch, list);
		if (!fetch)
			return;
		list_del(&fetch->list);
	} while (xprt_rdma_fetch_step(fetch));
}

static void xprt_rdma_fetch_wc_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct xprt_rdma_fetch *fetch =
		container_of(wc->wr_cqe, struct xprt_rdma_fetch, done.cqe);
	struct xprt_rdma_conn *conn = cq->cq_context;
	bool ok = wc->status == IB_WC_SUCCESS;

	if (unlikely(fetch->over))
		return;
	if (unlikely(!ok))
		xprt_rdma_conn_failed(conn, "read", wc);
	if (!ok || fetch->notified) {
		xprt_rdma_fetch_end(fetch, ok ? 0 : -ENOTCONN);
	} else {
		xprt_rdma_fetch_release_reads(fetch);
		xprt_rdma_fetch_step(fetch);
	}
	xprt_rdma_fetch_resume(conn);
	/* The Receive just released may be the only one. */
	if (likely(ok))
		xprt_rdma_recvs_post(conn);
}

/* The handle that an RDMA_DONE may invalidate, or 0 */
static u32 xprt_rdma_fetch_done_handle(const struct xprt_rdma_conn *conn,
				       const struct rpcrdma_hdr *hdr)
{
	if (!READ_ONCE(xprt_rdma_remote_invalidation) ||
	    !READ_ONCE(conn->peer.remote_inv) ||
	    (conn->ver->has_flags && !hdr->inv_handle))
		return 0;
	/*
	 * In version 2, invalidate the handle that the header names, if it is
	 * in the list (v2 draft section 3.3). In version 1, invalidate the
	 * first handle in the list (RFC 8797).
	 */
	return rpcrdma_reads_find_handle(hdr, hdr->inv_handle);
}

/**
 * xprt_rdma_fetch_create - create a fetch
 * @recv: Receive of the message
 * @notify: send an RDMA_DONE at the end
 *
 * The caller starts, declines or frees the fetch.
 *
 * Context: completion handler.
 * Return: fetch, or NULL if there is no memory.
 */
struct xprt_rdma_fetch *xprt_rdma_fetch_create(struct xprt_rdma_recv_ctx *recv,
					       bool notify)
{
	struct xprt_rdma_conn *conn = recv->conn;
	struct xprt_rdma_fetch *fetch;

	fetch = kzalloc(sizeof(*fetch), XPRT_RDMA_GFP);
	if (!fetch)
		return NULL;
	fetch->conn = conn;
	fetch->xid = recv->hdr.xid;
	fetch->done.cqe.done = xprt_rdma_fetch_wc_done;
	fetch->notify = notify;
	if (notify)
		fetch->handle = xprt_rdma_fetch_done_handle(conn, &recv->hdr);
	INIT_LIST_HEAD(&fetch->rws);
	list_add_tail(&fetch->all, &conn->fetches.all);
	xprt_rdma_count(read_ctxs_now);
	return fetch;
}

static void xprt_rdma_fetch_begin(struct xprt_rdma_fetch *fetch)
{
	struct xprt_rdma_conn *conn = fetch->conn;

	trace_xprtrdma_read(conn->r_xprt, fetch->xid,
			    fetch->recv ? fetch->recv->hdr.reads.segments : 0);
	list_add_tail(&fetch->list, &conn->fetches.waiting);
	xprt_rdma_fetch_resume(conn);
}

/**
 * xprt_rdma_fetch_start - fetch the Read chunks of a message
 * @fetch: fetch whose req, layout and complete are set; complete is called
 *	once, possibly before this function returns
 * @recv: Receive of the message, owned by @fetch from now on
 *
 * Context: completion handler.
 */
void xprt_rdma_fetch_start(struct xprt_rdma_fetch *fetch,
			   struct xprt_rdma_recv_ctx *recv)
{
	fetch->recv = recv;
	rpcrdma_layout_begin(&fetch->layout, &recv->hdr);
	xprt_rdma_fetch_begin(fetch);
}

/**
 * xprt_rdma_fetch_decline - send an RDMA_DONE for a reply that is not fetched
 * @fetch: fetch, or NULL if there was no memory for it
 * @conn: connection
 *
 * Reliable-reply draft section 4.1.3: an RDMA_DONE is also sent for a reply
 * with an unknown XID. If that is impossible, the connection is given up. Then
 * the peer can release its memory, too; this also stops a peer that sends such
 * replies without receiving the RDMA_DONEs.
 *
 * Context: completion handler.
 */
void xprt_rdma_fetch_decline(struct xprt_rdma_fetch *fetch,
			     struct xprt_rdma_conn *conn)
{
	if (!fetch || conn->fetches.declines == XPRT_RDMA_DECLINES) {
		if (fetch)
			xprt_rdma_fetch_free(fetch);
		xprt_rdma_conn_lost(conn);
		return;
	}
	conn->fetches.declines++;
	xprt_rdma_fetch_begin(fetch);
}

/**
 * xprt_rdma_pulled_flush - end all fetches
 * @conn: connection without a Queue Pair
 *
 * Context: process; the caller holds XPRT_LOCKED. No completion handler can
 * run.
 */
void xprt_rdma_pulled_flush(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_fetch *fetch, *next;

	INIT_LIST_HEAD(&conn->fetches.waiting);
	list_for_each_entry_safe(fetch, next, &conn->fetches.all, all) {
		if (!fetch->over)
			xprt_rdma_fetch_end(fetch, -ENOTCONN);
		xprt_rdma_fetch_free(fetch);
	}
}
