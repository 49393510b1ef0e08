// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replies that the requester reads: responder-provided Read chunks, and the
 * RDMA_DONE that releases them (reliable-reply draft section 4.1, RFC 5666
 * sections 3.4 and 3.8).
 *
 * Operation: a reply that fits neither inline nor into the Reply chunk is
 * registered for reading by Work Requests in front of its Send, and entered in
 * a table by its XID. RDMA_DONE, a timeout or the end of the connection removes
 * it from there; the context that removes it must release it: invalidate the
 * regions that the requester has not invalidated, then free everything.
 *
 * Ownership: each region holds references to its pages until it has been
 * invalidated, or the Queue Pair has been drained. Until it is posted, a reply
 * belongs to its sender, even if it has been removed from the table: its
 * invalidation must not be posted before its registration. The table's lock is
 * held while it is posted, also in softirq, so no intermediate state is
 * visible.
 *
 * Errors: a reply that would exceed the bounds on number or bytes, those of its
 * connection or those of all connections, is not advertised. The bounds of the
 * connection do not include adverts that are being released, because these do
 * not depend on the requester; if there are too many of them, no call is taken
 * (svc_rdma_conn_has_wspace()).
 * RDMA_DONE for an unknown reply is dropped. The connection is closed if any
 * other message invalidates a handle, or RDMA_DONE one of another reply.
 */

#include "../../counters.h"
#include "../../recv_ctx.h"
#include "../../verbs/verbs.h"
#include "pulled.h"
#include <trace/events/svcrdma.h>

#include "../../verbs/wc.h"

/* Regions of one advert */
#define SVC_RDMA_ADVERT_MRS	16u

/* Interval between checks for expired replies */
#define EXPIRE_TICK		HZ

/* Bytes of the pages that the replies of all connections hold */
static atomic64_t svc_rdma_adverts_total_bytes = ATOMIC64_INIT(0);

/*
 * RFC 5666 section 11: clients that do not send RDMA_DONE must not exhaust
 * memory. Add first, then compare: connections may do this concurrently.
 */
static bool svc_rdma_adverts_total_add(u64 bytes)
{
	if (atomic64_add_return(bytes, &svc_rdma_adverts_total_bytes) <=
	    READ_ONCE(svc_rdma_read_replies_total))
		return true;
	atomic64_sub(bytes, &svc_rdma_adverts_total_bytes);
	return false;
}

/*
 * Adverts that are being released are bounded, too, because calls that have
 * been taken already may add to them. The caller holds the table's lock.
 */
static bool svc_rdma_adverts_room_locked(const struct svc_rdma_adverts *adverts,
					 u64 bytes)
{
	u64 max_bytes = READ_ONCE(svc_rdma_read_replies_bytes);
	u64 max = READ_ONCE(svc_rdma_read_replies_max);

	return adverts->count - adverts->releasing < max &&
	       adverts->count < 2 * max &&
	       adverts->bytes - adverts->releasing_bytes + bytes <= max_bytes &&
	       adverts->bytes + bytes <= 2 * max_bytes;
}

/**
 * svc_rdma_advert_enter - add a reply to the table of its connection
 * @advert: reply without pages; freed on error
 *
 * Context: process.
 * Return: 0, -E2BIG if the bounds do not allow it, -EBUSY if its XID is in the
 * table, or -ENOMEM.
 */
int svc_rdma_advert_enter(struct svc_rdma_advert *advert)
{
	struct svc_rdma_adverts *adverts = &advert->conn->adverts;
	int ret = -E2BIG;

	xa_lock_bh(&adverts->table);
	if (!svc_rdma_adverts_room_locked(adverts, advert->bytes) ||
	    !svc_rdma_adverts_total_add(advert->bytes))
		goto out;
	adverts->count++;
	adverts->bytes += advert->bytes;
	/* This may drop the lock to allocate memory. */
	ret = __xa_insert(&adverts->table, advert->xid, advert, GFP_KERNEL);
	if (ret) {
		adverts->count--;
		adverts->bytes -= advert->bytes;
		atomic64_sub(advert->bytes, &svc_rdma_adverts_total_bytes);
		goto out;
	}
	list_add_tail(&advert->list, &adverts->all);
	WRITE_ONCE(adverts->awaiting_done, adverts->awaiting_done + 1);
out:
	xa_unlock_bh(&adverts->table);
	if (ret)
		kfree(advert);
	else
		svc_rdma_count(adverts_created);
	return ret;
}

/**
 * svc_rdma_advert_begin_release - mark an advert as being released
 * @advert: advert that is not being released yet; a reply is removed from the
 *	table
 * @end: reason
 *
 * Context: process; the caller holds the table's lock.
 * Return: true if the caller must now call svc_rdma_advert_release(); false if
 * @advert has not been posted, and its sender releases it.
 */
bool svc_rdma_advert_begin_release(struct svc_rdma_advert *advert,
				   enum svc_rdma_advert_end end)
{
	struct svc_rdma_adverts *adverts = &advert->conn->adverts;
	bool posted = advert->state == SVC_RDMA_ADVERT_POSTED;

	if (!advert->callback) {
		__xa_erase(&adverts->table, advert->xid);
		WRITE_ONCE(adverts->awaiting_done, adverts->awaiting_done - 1);
	}
	advert->state = SVC_RDMA_ADVERT_RELEASING;
	adverts->releasing++;
	adverts->releasing_bytes += advert->bytes;
	trace_svc_rdma_advert_end(&advert->conn->xprt, advert->xid,
				  advert->bytes, end);
	return posted;
}

/*
 * @reusable: the requester can no longer access the regions, so they may be
 * reused; otherwise they are destroyed.
 */
static void svc_rdma_advert_free(struct svc_rdma_advert *advert, bool reusable)
{
	struct svc_rdma_conn *conn = advert->conn;
	struct svc_rdma_adverts *adverts = &conn->adverts;
	struct svc_rdma_mr *mr, *next;

	if (advert->ended)
		advert->ended(advert, reusable);
	list_for_each_entry_safe(mr, next, &advert->mrs, list) {
		list_del(&mr->list);
		svc_rdma_mr_put(conn, mr, reusable);
	}
	xa_lock_bh(&adverts->table);
	list_del(&advert->list);
	adverts->count--;
	adverts->releasing--;
	adverts->bytes -= advert->bytes;
	adverts->releasing_bytes -= advert->bytes;
	xa_unlock_bh(&adverts->table);
	if (!advert->callback)
		atomic64_sub(advert->bytes, &svc_rdma_adverts_total_bytes);
	svc_rdma_conn_unthrottle(conn);
	kfree(advert);
	svc_rdma_count(adverts_destroyed);
}

static void svc_rdma_advert_reap(struct svc_rdma_advert *advert)
{
	struct svc_rdma_adverts *adverts = &advert->conn->adverts;

	if (llist_add(&advert->node, &adverts->reap))
		queue_work(svc_rdma_wq, &adverts->reap_work);
}

static void svc_rdma_adverts_reap_work(struct work_struct *work)
{
	struct svc_rdma_adverts *adverts =
		container_of(work, struct svc_rdma_adverts, reap_work);
	struct svc_rdma_advert *advert, *next;

	llist_for_each_entry_safe(advert, next, llist_del_all(&adverts->reap),
				  node) {
		svc_rdma_advert_free(advert, true);
		cond_resched();
	}
}

/*
 * A flushed invalidation does not end the access; draining the Queue Pair does.
 */
static void svc_rdma_advert_inv_wc_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct svc_rdma_advert *advert =
		container_of(wc->wr_cqe, struct svc_rdma_advert, cqe);
	struct svc_rdma_conn *conn = cq->cq_context;

	svc_rdma_sq_give(conn, advert->wait.entries);
	if (likely(wc->status == IB_WC_SUCCESS)) {
		svc_rdma_advert_reap(advert);
		return;
	}
	svc_rdma_wc_failed(conn, RPCRDMA_NL_DETAIL_REGION, cq, wc);
}

/* Registrations, and all invalidations of an advert but the last */
static void svc_rdma_advert_wc_failed(struct ib_cq *cq, struct ib_wc *wc)
{
	if (wc->status != IB_WC_SUCCESS)
		svc_rdma_wc_failed(cq->cq_context, RPCRDMA_NL_DETAIL_REGION,
				   cq, wc);
}

static struct ib_send_wr *
svc_rdma_advert_inv_chain(struct svc_rdma_advert *advert)
{
	struct ib_send_wr *first = NULL;
	struct svc_rdma_mr *mr;

	list_for_each_entry_reverse(mr, &advert->mrs, list) {
		if (mr->invalidated)
			continue;
		if (!first) {
			mr->inv.wr_cqe = &advert->cqe;
			mr->inv.send_flags = IB_SEND_SIGNALED;
		}
		mr->inv.next = first;
		first = &mr->inv;
	}
	return first;
}

/* After an error, the advert is released with the connection. */
static void svc_rdma_advert_inv_ready(struct svc_rdma_sq_wait *wait, int status)
{
	struct svc_rdma_advert *advert =
		container_of(wait, struct svc_rdma_advert, wait);
	struct svc_rdma_conn *conn = advert->conn;
	int ret;

	if (status)
		return;
	ret = ib_post_send(conn->qp, svc_rdma_advert_inv_chain(advert), NULL);
	if (unlikely(ret))
		svc_rdma_conn_close(conn,
				    svc_rdma_cause_post(RPCRDMA_NL_DETAIL_REGION,
							ret));
}

/**
 * svc_rdma_advert_release - end the requester's access, then free the advert
 * @advert: advert for which svc_rdma_advert_begin_release() has returned true,
 *	or which its sender has posted since
 *
 * Context: any.
 */
void svc_rdma_advert_release(struct svc_rdma_advert *advert)
{
	struct svc_rdma_mr *mr;
	u32 entries = 0;

	list_for_each_entry(mr, &advert->mrs, list)
		entries += !mr->invalidated;
	if (!entries) {
		svc_rdma_advert_reap(advert);
		return;
	}
	advert->wait.entries = entries;
	advert->wait.ready = svc_rdma_advert_inv_ready;
	if (svc_rdma_sq_queue(advert->conn, &advert->wait) > 0)
		svc_rdma_advert_inv_ready(&advert->wait, 0);
}

/**
 * svc_rdma_advert_add_page - add part of a page to an advert
 * @advert: advert that has not been posted yet
 * @page: page; a reference to it is taken
 * @offset: bytes from the start of the page
 * @length: bytes, not beyond the end of the page
 * @access: remote access rights (IB_ACCESS_*)
 *
 * Context: process.
 * Return: 0, -E2BIG if it would need too many regions, or -ENOMEM.
 */
int svc_rdma_advert_add_page(struct svc_rdma_advert *advert, struct page *page,
			     u32 offset, u32 length, int access)
{
	struct svc_rdma_mr *mr;

	if (advert->nmrs) {
		mr = list_last_entry(&advert->mrs, struct svc_rdma_mr, list);
		if (mr->access == access &&
		    svc_rdma_mr_add(mr, page, offset, length))
			return 0;
	}
	if (advert->nmrs == SVC_RDMA_ADVERT_MRS)
		return -E2BIG;
	mr = svc_rdma_mr_get(advert->conn, access);
	if (!mr)
		return -ENOMEM;
	list_add_tail(&mr->list, &advert->mrs);
	advert->nmrs++;
	svc_rdma_mr_add(mr, page, offset, length);
	return 0;
}

/**
 * svc_rdma_advert_map - map the pages and prepare the Work Requests
 * @advert: advert to which all pages have been added
 *
 * Context: process.
 * Return: 0 or -EIO.
 */
int svc_rdma_advert_map(struct svc_rdma_advert *advert)
{
	struct svc_rdma_mr *mr;
	int ret;

	list_for_each_entry(mr, &advert->mrs, list) {
		ret = svc_rdma_mr_map(advert->conn, mr);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * svc_rdma_advert_alloc - allocate an advert without pages
 * @conn: connection
 * @xid: XID of the reply or callback, in host byte order
 * @pages: number of pages that it will hold
 *
 * Context: process.
 * Return: advert, not in the table or list of the connection; NULL if there is
 * no memory.
 */
struct svc_rdma_advert *svc_rdma_advert_alloc(struct svc_rdma_conn *conn,
					      u32 xid, u32 pages)
{
	struct svc_rdma_advert *advert;

	advert = kzalloc(sizeof(*advert), GFP_KERNEL);
	if (!advert) {
		svc_rdma_count(no_memory);
		return NULL;
	}
	advert->conn = conn;
	advert->xid = xid;
	advert->bytes = (u64)pages << PAGE_SHIFT;
	advert->state = SVC_RDMA_ADVERT_BUILDING;
	advert->cqe.done = svc_rdma_advert_inv_wc_done;
	INIT_LIST_HEAD(&advert->mrs);
	return advert;
}

/**
 * svc_rdma_advert_cancel - free an advert that was not posted
 * @advert: reply or callback, in the list of its connection
 *
 * Context: process.
 */
void svc_rdma_advert_cancel(struct svc_rdma_advert *advert)
{
	struct svc_rdma_adverts *adverts = &advert->conn->adverts;

	xa_lock_bh(&adverts->table);
	if (advert->state != SVC_RDMA_ADVERT_RELEASING)
		svc_rdma_advert_begin_release(advert, SVC_RDMA_END_UNSENT);
	xa_unlock_bh(&adverts->table);
	svc_rdma_advert_free(advert, true);
}

/**
 * svc_rdma_advert_encode - append the regions to the Read list, position zero
 * @enc: encoder
 * @advert: reply or callback
 *
 * Context: any.
 */
void svc_rdma_advert_encode(struct rpcrdma_encoder *enc,
			    const struct svc_rdma_advert *advert)
{
	struct rpcrdma_segment seg;
	struct svc_rdma_mr *mr;

	list_for_each_entry(mr, &advert->mrs, list) {
		if (mr->access != IB_ACCESS_REMOTE_READ)
			break;
		svc_rdma_mr_segment(mr, &seg);
		rpcrdma_encode_read_segment(enc, 0, &seg);
	}
}

/**
 * svc_rdma_advert_handle - get the handle that RDMA_DONE may invalidate
 * @advert: reply or callback
 *
 * Reliable-reply draft section 4.1.4. It is the first one, because a header of
 * version 1 has no field to name another.
 *
 * Context: any.
 * Return: handle; 0 if none may be invalidated.
 */
u32 svc_rdma_advert_handle(const struct svc_rdma_advert *advert)
{
	if (!advert->conn->caps.invalidate)
		return 0;
	return list_first_entry(&advert->mrs, struct svc_rdma_mr, list)
		->ibmr->rkey;
}

/**
 * svc_rdma_advert_chain - chain the registrations in front of a Send
 * @advert: reply or callback
 * @wr: Send
 *
 * Context: any.
 * Return: the first Work Request.
 */
struct ib_send_wr *svc_rdma_advert_chain(struct svc_rdma_advert *advert,
					 struct ib_send_wr *wr)
{
	struct svc_rdma_mr *mr;

	list_for_each_entry_reverse(mr, &advert->mrs, list) {
		mr->reg.wr.next = wr;
		wr = &mr->reg.wr;
	}
	return wr;
}

/**
 * svc_rdma_advert_post - post the registrations and the Send of an advert
 * @advert: reply or callback; on success the caller no longer owns it
 * @first: first Work Request of the chain
 *
 * The requester may answer before this returns: another context may release
 * @advert as soon as the table's lock is dropped.
 *
 * Context: any.
 * Return: 0, or an error of ib_post_send().
 */
int svc_rdma_advert_post(struct svc_rdma_advert *advert,
			 const struct ib_send_wr *first)
{
	unsigned long timeout = READ_ONCE(svc_rdma_read_reply_timeout) * HZ;
	struct svc_rdma_adverts *adverts = &advert->conn->adverts;
	bool releasing, tick = !advert->callback;
	int ret;

	xa_lock_bh(&adverts->table);
	releasing = advert->state == SVC_RDMA_ADVERT_RELEASING;
	ret = ib_post_send(advert->conn->qp, first, NULL);
	if (likely(!ret && !releasing))
		advert->state = SVC_RDMA_ADVERT_POSTED;
	advert->deadline = jiffies + timeout;
	xa_unlock_bh(&adverts->table);
	if (unlikely(ret))
		return ret;
	if (unlikely(releasing))
		svc_rdma_advert_release(advert);
	else if (tick)
		queue_delayed_work(svc_rdma_wq, &adverts->tick, EXPIRE_TICK);
	return 0;
}

/* Find the region of a posted advert that has @handle, or NULL. */
static struct svc_rdma_mr *
svc_rdma_advert_find_handle(struct svc_rdma_advert *advert, u32 handle)
{
	struct svc_rdma_mr *mr;

	if (advert->state != SVC_RDMA_ADVERT_POSTED)
		return NULL;
	list_for_each_entry(mr, &advert->mrs, list)
		if (mr->ibmr->rkey == handle)
			return mr;
	return NULL;
}

/* Does any posted advert have a region with @handle? */
static bool svc_rdma_adverts_handle_in_use(struct svc_rdma_adverts *adverts,
					   u32 handle)
{
	struct svc_rdma_advert *advert;

	list_for_each_entry(advert, &adverts->all, list)
		if (svc_rdma_advert_find_handle(advert, handle))
			return true;
	return false;
}

/**
 * svc_rdma_advert_invalidated - check the handle that a message has invalidated
 * @adverts: adverts of the connection
 * @advert: advert that the message answers, or NULL
 * @recv: message
 *
 * Clears @invalidated of @recv if the handle is one of @advert or, if @advert
 * is NULL, of no advert. If @invalidated remains set, the caller must not
 * release @advert, and the connection will be closed.
 *
 * Context: process; the caller holds the table's lock.
 */
void svc_rdma_advert_invalidated(struct svc_rdma_adverts *adverts,
				 struct svc_rdma_advert *advert,
				 struct svc_rdma_recv_ctx *recv)
{
	struct svc_rdma_mr *mr;

	if (likely(!recv->invalidated))
		return;
	if (!advert) {
		/* Accept a handle whose advert has been released already. */
		recv->invalidated =
			svc_rdma_adverts_handle_in_use(adverts,
						       recv->inv_handle);
		return;
	}
	mr = svc_rdma_advert_find_handle(advert, recv->inv_handle);
	if (!mr)
		return;
	mr->invalidated = true;
	recv->invalidated = false;
	svc_rdma_count(adverts_invalidated);
}

/**
 * svc_rdma_advert_done - handle an RDMA_DONE
 * @conn: connection
 * @recv: message, which the caller keeps; @invalidated of it is cleared as in
 *	svc_rdma_advert_invalidated()
 *
 * Reliable-reply draft sections 4.1.3 and 4.1.4: RDMA_DONE for an unknown reply
 * is ignored.
 *
 * Context: process.
 */
void svc_rdma_advert_done(struct svc_rdma_conn *conn,
			  struct svc_rdma_recv_ctx *recv)
{
	enum svc_rdma_advert_end end = recv->invalidated ?
		SVC_RDMA_END_INVALIDATED : SVC_RDMA_END_DONE;
	struct svc_rdma_adverts *adverts = &conn->adverts;
	u32 xid = be32_to_cpu(recv->hdr.xid);
	struct svc_rdma_advert *advert;
	bool release = false;

	svc_rdma_count(done_received);
	xa_lock_bh(&adverts->table);
	advert = xa_load(&adverts->table, xid);
	svc_rdma_advert_invalidated(adverts, advert, recv);
	if (!advert)
		svc_rdma_count(dones_unknown);
	else if (!recv->invalidated)
		release = svc_rdma_advert_begin_release(advert, end);
	xa_unlock_bh(&adverts->table);
	trace_svc_rdma_done(&conn->xprt, xid, advert, recv->inv_handle);
	if (release)
		svc_rdma_advert_release(advert);
}

/* Removes an expired reply from the table. Return: reply, or NULL if none. */
static struct svc_rdma_advert *
svc_rdma_adverts_next_expired(struct svc_rdma_adverts *adverts)
{
	struct svc_rdma_advert *advert, *found = NULL;
	unsigned long xid;

	xa_lock_bh(&adverts->table);
	xa_for_each(&adverts->table, xid, advert) {
		if (advert->state != SVC_RDMA_ADVERT_POSTED ||
		    time_before(jiffies, advert->deadline))
			continue;
		svc_rdma_advert_begin_release(advert, SVC_RDMA_END_EXPIRED);
		found = advert;
		break;
	}
	xa_unlock_bh(&adverts->table);
	return found;
}

/*
 * Reliable-reply draft section 4.1.3: release replies whose requester, broken
 * or hostile, does not send RDMA_DONE.
 */
static void svc_rdma_adverts_expire_work(struct work_struct *work)
{
	struct svc_rdma_adverts *adverts =
		container_of(work, struct svc_rdma_adverts, tick.work);
	struct svc_rdma_advert *advert;

	while ((advert = svc_rdma_adverts_next_expired(adverts))) {
		svc_rdma_count(adverts_expired);
		svc_rdma_advert_release(advert);
	}
	if (READ_ONCE(adverts->awaiting_done))
		queue_delayed_work(svc_rdma_wq, &adverts->tick, EXPIRE_TICK);
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

	xa_init_flags(&adverts->table, XA_FLAGS_LOCK_BH);
	INIT_LIST_HEAD(&adverts->all);
	INIT_LIST_HEAD(&adverts->idle);
	init_llist_head(&adverts->reap);
	INIT_WORK(&adverts->reap_work, svc_rdma_adverts_reap_work);
	INIT_DELAYED_WORK(&adverts->tick, svc_rdma_adverts_expire_work);
	adverts->cqe.done = svc_rdma_advert_wc_failed;
}

/**
 * svc_rdma_adverts_destroy - release all adverts and idle regions
 * @conn: connection whose Queue Pair has been drained
 *
 * Context: process.
 */
void svc_rdma_adverts_destroy(struct svc_rdma_conn *conn)
{
	struct svc_rdma_adverts *adverts = &conn->adverts;
	struct svc_rdma_advert *advert, *next;

	/* Replies that waited for the Send Queue have started it until now. */
	cancel_delayed_work_sync(&adverts->tick);
	flush_work(&adverts->reap_work);
	list_for_each_entry_safe(advert, next, &adverts->all, list) {
		xa_lock_bh(&adverts->table);
		if (advert->state != SVC_RDMA_ADVERT_RELEASING)
			svc_rdma_advert_begin_release(advert,
						      SVC_RDMA_END_CLOSED);
		xa_unlock_bh(&adverts->table);
		svc_rdma_advert_free(advert, false);
	}
	WARN_ON_ONCE(adverts->count || adverts->awaiting_done ||
		     adverts->releasing || adverts->bytes ||
		     adverts->releasing_bytes);
	svc_rdma_mrs_destroy(conn);
	xa_destroy(&adverts->table);
}
