// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replies that the requester reads: responder-provided Read chunks, and the
 * RDMA_DONE that releases them (reliable-reply draft section 4.1, RFC 5666
 * sections 3.4 and 3.8). Callbacks with chunks use the same adverts.
 *
 * Operation: a reply that fits neither inline nor into the Reply chunk is
 * registered for reading by Work Requests in front of its Send. The advert of a
 * reply is released when RDMA_DONE with its XID arrives, and the advert of a
 * callback when the callback is answered. Both are also released after a
 * timeout, and when the connection ends. The context that takes an advert must
 * release it: it invalidates the regions that the requester has not
 * invalidated. Then everything is freed, by a work item if there was anything
 * to invalidate.
 *
 * Ownership: each region holds references to its pages until it has been
 * invalidated, or the Queue Pair has been drained. The lock is held while an
 * advert is posted, also in softirq. So a context that finds a posted advert
 * can post its invalidations behind its registrations.
 *
 * Errors: an advert that would exceed a limit of its connection, or of all
 * connections, is refused. Adverts that are being released do not count towards
 * the limits of the connection, because they no longer depend on the requester.
 * The Send Queue limits them: no message is taken while an invalidation waits
 * for entries. RDMA_DONE for an unknown reply is dropped. The RDMA_DONE of a
 * reply that has expired remains due, and uses a credit. The connection is
 * closed if a message invalidates any handle but one of the advert that it
 * answers.
 */

#include "../../counters.h"
#include "../../limits.h"
#include "../../recv_ctx.h"
#include "../../verbs/verbs.h"
#include "pulled.h"
#include <trace/events/svcrdma.h>

#include "../../verbs/wc.h"

/* Maximum number of regions of one advert */
#define SVC_RDMA_ADVERT_MRS	16u

/* Interval between checks for expired replies */
#define EXPIRE_TICK		HZ

/*
 * Bytes of pages held by adverts of all connections. RFC 5666 section 11:
 * clients that do not send RDMA_DONE must not exhaust memory.
 */
static atomic_long_t svc_rdma_adverts_total_bytes;

/*
 * Can another reply or callback be advertised? sunrpc limits the callbacks.
 * Replies are limited to the Receives that the connection can have for their
 * RDMA_DONEs (svc_rdma_recvs_adapt()).
 */
static bool svc_rdma_advert_fits_locked(const struct svc_rdma_advert *advert)
{
	struct svc_rdma_adverts *adverts = &advert->conn->adverts;
	u32 max = min(READ_ONCE(svc_rdma_read_replies_max),
		      advert->conn->credits.max);

	lockdep_assert_held(&adverts->lock);
	return (advert->callback || adverts->awaiting_done < max) &&
	       adverts->bytes + advert->bytes <=
			READ_ONCE(svc_rdma_read_replies_bytes) &&
	       svc_rdma_total_add(&svc_rdma_adverts_total_bytes, advert->bytes,
				  SVC_RDMA_ADVERTS_TOTAL);
}

static void svc_rdma_advert_inv_wc_done(struct ib_cq *cq, struct ib_wc *wc);

/**
 * svc_rdma_advert_create - create an advert without pages
 * @conn: connection
 * @xid: XID of the reply or callback, in host byte order
 * @pages: maximum number of pages that the advert will hold
 * @callback: the advert belongs to a callback
 *
 * Context: process.
 * Return: advert, or NULL if there is no memory or the limits do not allow it.
 */
struct svc_rdma_advert *svc_rdma_advert_create(struct svc_rdma_conn *conn,
					       u32 xid, u32 pages,
					       bool callback)
{
	struct svc_rdma_adverts *adverts = &conn->adverts;
	struct svc_rdma_advert *advert;
	bool fits;

	advert = kzalloc(sizeof(*advert), GFP_KERNEL);
	if (!advert)
		return NULL;
	advert->conn = conn;
	advert->xid = xid;
	advert->callback = callback;
	advert->bytes = (u64)pages << PAGE_SHIFT;
	advert->cqe.done = svc_rdma_advert_inv_wc_done;
	INIT_LIST_HEAD(&advert->mrs);
	spin_lock_bh(&adverts->lock);
	fits = svc_rdma_advert_fits_locked(advert);
	if (fits) {
		list_add_tail(&advert->list, &adverts->all);
		adverts->bytes += advert->bytes;
		WRITE_ONCE(adverts->awaiting_done,
			   adverts->awaiting_done + !callback);
	}
	spin_unlock_bh(&adverts->lock);
	if (!fits) {
		kfree(advert);
		return NULL;
	}
	svc_rdma_count(adverts_now);
	return advert;
}

/* Stop counting an advert that is being released, or was never posted. */
static void svc_rdma_advert_uncount_locked(struct svc_rdma_advert *advert)
{
	struct svc_rdma_adverts *adverts = &advert->conn->adverts;

	lockdep_assert_held(&adverts->lock);
	WRITE_ONCE(adverts->awaiting_done,
		   adverts->awaiting_done - !advert->callback);
	adverts->bytes -= advert->bytes;
}

/**
 * svc_rdma_advert_free - free an advert
 * @advert: advert that was not posted, or that the requester can no longer
 *	access
 *
 * Context: process.
 */
void svc_rdma_advert_free(struct svc_rdma_advert *advert)
{
	struct svc_rdma_conn *conn = advert->conn;
	struct svc_rdma_adverts *adverts = &conn->adverts;
	struct svc_rdma_mr *mr, *next;

	spin_lock_bh(&adverts->lock);
	if (advert->state <= SVC_RDMA_ADVERT_POSTED)
		svc_rdma_advert_uncount_locked(advert);
	list_del(&advert->list);
	spin_unlock_bh(&adverts->lock);
	if (advert->bc_xprt)
		svc_rdma_callback_chunks_ended(advert);
	list_for_each_entry_safe(mr, next, &advert->mrs, list) {
		list_del(&mr->list);
		svc_rdma_mr_put(conn, mr);
	}
	atomic_long_sub(advert->bytes, &svc_rdma_adverts_total_bytes);
	kfree(advert);
	svc_rdma_add(adverts_now, -1);
}

/*
 * A flushed invalidation does not end the requester's access; draining the
 * Queue Pair does.
 */
static void svc_rdma_advert_inv_wc_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct svc_rdma_advert *advert =
		container_of(wc->wr_cqe, struct svc_rdma_advert, cqe);
	struct svc_rdma_conn *conn = cq->cq_context;
	struct svc_rdma_adverts *adverts = &conn->adverts;

	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		svc_rdma_wc_failed(conn, RPCRDMA_NL_DETAIL_REGION, cq, wc);
		return;
	}
	svc_rdma_sq_give(conn, advert->wait.entries);
	spin_lock_bh(&adverts->lock);
	advert->state = SVC_RDMA_ADVERT_ENDED;
	spin_unlock_bh(&adverts->lock);
	mod_delayed_work(svc_rdma_wq, &adverts->work, 0);
}

/* If posting fails, the advert is released with the connection. */
static int svc_rdma_advert_inv_ready(struct svc_rdma_sq_wait *wait)
{
	struct svc_rdma_advert *advert =
		container_of(wait, struct svc_rdma_advert, wait);

	return svc_rdma_post(advert->conn, advert->inv,
			     RPCRDMA_NL_DETAIL_REGION);
}

/*
 * End the requester's access, then free the advert. The caller has set
 * SVC_RDMA_ADVERT_RELEASING.
 */
static void svc_rdma_advert_release(struct svc_rdma_advert *advert)
{
	struct svc_rdma_adverts *adverts = &advert->conn->adverts;
	struct svc_rdma_mr *mr;

	spin_lock_bh(&adverts->lock);
	svc_rdma_advert_uncount_locked(advert);
	spin_unlock_bh(&adverts->lock);
	list_for_each_entry_reverse(mr, &advert->mrs, list) {
		if (mr->invalidated)
			continue;
		if (!advert->inv) {
			mr->inv.wr_cqe = &advert->cqe;
			mr->inv.send_flags = IB_SEND_SIGNALED;
		}
		mr->inv.next = advert->inv;
		advert->inv = &mr->inv;
		advert->wait.entries++;
	}
	if (!advert->inv) {
		svc_rdma_advert_free(advert);
		return;
	}
	advert->wait.ready = svc_rdma_advert_inv_ready;
	svc_rdma_sq_queue(advert->conn, &advert->wait);
}

/**
 * svc_rdma_advert_add_page - add part of a page to an advert
 * @advert: advert that has not been posted yet
 * @page: page; a reference to it is taken
 * @offset: bytes from the start of the page
 * @length: bytes, not beyond the end of the page
 * @dir: see svc_rdma_mr_get()
 *
 * Context: process.
 * Return: 0; -E2BIG if the advert would need too many regions; or -ENOMEM.
 */
int svc_rdma_advert_add_page(struct svc_rdma_advert *advert, struct page *page,
			     u32 offset, u32 length,
			     enum dma_data_direction dir)
{
	struct svc_rdma_mr *mr;

	if (advert->nmrs) {
		mr = list_last_entry(&advert->mrs, struct svc_rdma_mr, list);
		if (mr->dir == dir && svc_rdma_mr_add(mr, page, offset, length))
			return 0;
	}
	if (advert->nmrs == SVC_RDMA_ADVERT_MRS)
		return -E2BIG;
	mr = svc_rdma_mr_get(advert->conn, dir);
	if (!mr)
		return -ENOMEM;
	list_add_tail(&mr->list, &advert->mrs);
	advert->nmrs++;
	svc_rdma_mr_add(mr, page, offset, length);
	return 0;
}

/**
 * svc_rdma_advert_handle - get the handle that RDMA_DONE may invalidate
 * @advert: advert of a reply or callback
 *
 * Reliable-reply draft section 4.1.4. This is the handle of the first region,
 * because a header of version 1 has no field to name another one.
 *
 * Context: any.
 * Return: handle; 0 if no handle may be invalidated.
 */
u32 svc_rdma_advert_handle(const struct svc_rdma_advert *advert)
{
	if (!advert->conn->caps.invalidate)
		return 0;
	return list_first_entry(&advert->mrs, struct svc_rdma_mr, list)
		->ibmr->rkey;
}

/**
 * svc_rdma_advert_attach - map the pages, and attach the advert to a message
 * @advert: advert to which all pages have been added
 * @send: Send context of the message, which owns the advert on success
 *
 * The requester has no access before the message has been posted.
 *
 * Context: process.
 * Return: 0 or -EIO.
 */
int svc_rdma_advert_attach(struct svc_rdma_advert *advert,
			   struct svc_rdma_send_ctx *send)
{
	struct svc_rdma_mr *mr;
	int ret;

	list_for_each_entry(mr, &advert->mrs, list) {
		ret = svc_rdma_mr_map(advert->conn, mr);
		if (ret)
			return ret;
	}
	send->advert = advert;
	send->wrs += advert->nmrs;
	return 0;
}

/**
 * svc_rdma_advert_encode - append the regions to the Read list at position zero
 * @enc: encoder
 * @advert: advert of a reply or callback
 *
 * Context: any.
 */
void svc_rdma_advert_encode(struct rpcrdma_encoder *enc,
			    const struct svc_rdma_advert *advert)
{
	struct rpcrdma_segment seg;
	struct svc_rdma_mr *mr;

	list_for_each_entry(mr, &advert->mrs, list) {
		if (mr == advert->reply)
			break;
		svc_rdma_mr_segment(mr, &seg);
		rpcrdma_encode_read_segment(enc, 0, &seg);
	}
}

/**
 * svc_rdma_advert_post - post the registrations of an advert and its message
 * @advert: advert of a reply or callback; on success the caller no longer owns
 *	it
 * @wr: Work Requests of the message, which follow the registrations
 *
 * The requester may answer before this function returns: another context may
 * release @advert as soon as the lock is dropped.
 *
 * Context: any.
 * Return: 0; -ENOTCONN if posting failed, and the connection is closed.
 */
int svc_rdma_advert_post(struct svc_rdma_advert *advert, struct ib_send_wr *wr)
{
	unsigned long timeout = READ_ONCE(svc_rdma_read_reply_timeout) * HZ;
	struct svc_rdma_adverts *adverts = &advert->conn->adverts;
	struct svc_rdma_mr *mr;
	int ret;

	list_for_each_entry_reverse(mr, &advert->mrs, list) {
		mr->reg.wr.next = wr;
		wr = &mr->reg.wr;
	}
	spin_lock_bh(&adverts->lock);
	ret = svc_rdma_post(advert->conn, wr, RPCRDMA_NL_DETAIL_SEND);
	if (likely(!ret)) {
		advert->deadline = jiffies + timeout;
		advert->state = SVC_RDMA_ADVERT_POSTED;
		queue_delayed_work(svc_rdma_wq, &adverts->work, EXPIRE_TICK);
	}
	spin_unlock_bh(&adverts->lock);
	return ret;
}

/* Return the posted advert that @recv answers, or NULL. */
static struct svc_rdma_advert *
svc_rdma_advert_find_locked(struct svc_rdma_adverts *adverts,
			    const struct svc_rdma_recv_ctx *recv, bool callback)
{
	u32 xid = be32_to_cpu(recv->hdr.xid);
	struct svc_rdma_advert *advert;

	lockdep_assert_held(&adverts->lock);
	list_for_each_entry(advert, &adverts->all, list)
		if (advert->xid == xid && advert->callback == callback &&
		    advert->state == SVC_RDMA_ADVERT_POSTED)
			return advert;
	return NULL;
}

/* Has @recv invalidated no region, or one of the regions of @advert? */
static bool svc_rdma_advert_invalidated(struct svc_rdma_advert *advert,
					struct svc_rdma_recv_ctx *recv)
{
	struct svc_rdma_mr *mr;

	if (likely(!recv->invalidated))
		return true;
	list_for_each_entry(mr, &advert->mrs, list) {
		if (mr->ibmr->rkey != recv->inv_handle)
			continue;
		mr->invalidated = true;
		recv->invalidated = false;
		svc_rdma_count(adverts_invalidated);
		return true;
	}
	return false;
}

/**
 * svc_rdma_advert_take - take the advert that a message answers, to release it
 * @conn: connection
 * @recv: RDMA_DONE, or the answer to a callback. Its @invalidated is cleared if
 *	the handle belongs to the advert; if not, the caller closes the
 *	connection.
 * @callback: @recv answers a callback
 *
 * Only a posted advert can be answered. Reliable-reply draft sections 4.1.3 and
 * 4.1.4: RDMA_DONE for an unknown reply is ignored.
 *
 * Context: process.
 * Return: advert, or NULL if there is none. Unless the caller closes the
 * connection, it must pass this result to svc_rdma_advert_answered().
 */
struct svc_rdma_advert *svc_rdma_advert_take(struct svc_rdma_conn *conn,
					     struct svc_rdma_recv_ctx *recv,
					     bool callback)
{
	struct svc_rdma_adverts *adverts = &conn->adverts;
	struct svc_rdma_advert *advert;

	spin_lock_bh(&adverts->lock);
	advert = svc_rdma_advert_find_locked(adverts, recv, callback);
	if (advert && svc_rdma_advert_invalidated(advert, recv))
		advert->state = SVC_RDMA_ADVERT_RELEASING;
	else
		advert = NULL;
	spin_unlock_bh(&adverts->lock);
	return advert;
}

/**
 * svc_rdma_advert_answered - release the advert that a message answered
 * @conn: connection
 * @advert: result of svc_rdma_advert_take()
 * @callback: the message answered a callback
 *
 * An RDMA_DONE without an advert may be for a reply that has expired: then it is
 * no longer due.
 *
 * Context: process. The Receive of the message has been put back.
 */
void svc_rdma_advert_answered(struct svc_rdma_conn *conn,
			      struct svc_rdma_advert *advert, bool callback)
{
	struct svc_rdma_adverts *adverts = &conn->adverts;

	if (advert)
		svc_rdma_advert_release(advert);
	if (advert || callback)
		return;
	svc_rdma_count(dones_unknown);
	spin_lock_bh(&adverts->lock);
	if (adverts->late)
		WRITE_ONCE(adverts->late, adverts->late - 1);
	spin_unlock_bh(&adverts->lock);
}

/*
 * Return an advert that can be freed, or that has expired and must be released;
 * or NULL. Reliable-reply draft section 4.1.3: a broken or hostile requester
 * may never send RDMA_DONE.
 */
static struct svc_rdma_advert *
svc_rdma_adverts_next_due(struct svc_rdma_adverts *adverts)
{
	struct svc_rdma_advert *advert;

	spin_lock_bh(&adverts->lock);
	list_for_each_entry(advert, &adverts->all, list) {
		if (advert->state == SVC_RDMA_ADVERT_ENDED)
			goto out;
		if (advert->state != SVC_RDMA_ADVERT_POSTED ||
		    time_before(jiffies, advert->deadline))
			continue;
		svc_rdma_count(adverts_expired);
		WRITE_ONCE(adverts->late, adverts->late + !advert->callback);
		advert->state = SVC_RDMA_ADVERT_RELEASING;
		goto out;
	}
	advert = NULL;
out:
	spin_unlock_bh(&adverts->lock);
	return advert;
}

static void svc_rdma_adverts_work(struct work_struct *work)
{
	struct svc_rdma_adverts *adverts =
		container_of(work, struct svc_rdma_adverts, work.work);
	struct svc_rdma_advert *advert;

	while ((advert = svc_rdma_adverts_next_due(adverts))) {
		if (advert->state == SVC_RDMA_ADVERT_ENDED)
			svc_rdma_advert_free(advert);
		else
			svc_rdma_advert_release(advert);
		cond_resched();
	}
	if (!list_empty(&adverts->all))
		queue_delayed_work(svc_rdma_wq, &adverts->work, EXPIRE_TICK);
}

/**
 * svc_rdma_adverts_init - initialize the adverts of a connection
 * @conn: connection
 *
 * Context: any.
 */
void svc_rdma_adverts_init(struct svc_rdma_conn *conn)
{
	struct svc_rdma_adverts *adverts = &conn->adverts;

	spin_lock_init(&adverts->lock);
	INIT_LIST_HEAD(&adverts->all);
	INIT_LIST_HEAD(&adverts->idle);
	INIT_DELAYED_WORK(&adverts->work, svc_rdma_adverts_work);
}

/**
 * svc_rdma_adverts_stop - stop the work item, which posts invalidations
 * @conn: connection whose Send Queue was closed, or never used
 *
 * The work item may already have taken Send Queue entries, and holds no
 * reference to the connection.
 */
void svc_rdma_adverts_stop(struct svc_rdma_conn *conn)
{
	disable_delayed_work_sync(&conn->adverts.work);
}

/**
 * svc_rdma_adverts_destroy - release all adverts and idle regions
 * @conn: connection without a Queue Pair, so the requester has no access
 *
 * Context: process.
 */
void svc_rdma_adverts_destroy(struct svc_rdma_conn *conn)
{
	struct svc_rdma_adverts *adverts = &conn->adverts;
	struct svc_rdma_advert *advert, *next;

	list_for_each_entry_safe(advert, next, &adverts->all, list)
		svc_rdma_advert_free(advert);
	WARN_ON_ONCE(adverts->awaiting_done || adverts->bytes);
	svc_rdma_mrs_destroy(conn);
}
