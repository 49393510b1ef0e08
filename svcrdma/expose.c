// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replies that the requester reads: Read chunks of the responder's, and the
 * RDMA_DONE that ends them (reliable-reply draft section 4.1, RFC 5666 sections
 * 3.4 and 3.8).
 *
 * Operation: a reply that fits neither inline nor the Reply chunk is registered
 * for reading, by Work Requests in front of the Send that tells of it, and put
 * into a table by its XID. Whoever takes it out of there releases it: RDMA_DONE,
 * the clock, or the end of the connection. To release is to invalidate what the
 * requester has not invalidated itself, and then to free it.
 *
 * Ownership: each page is referenced by its region. It is put when an
 * invalidation has completed, or after the Queue Pair has been drained. Until it
 * is posted, a reply is its sender's, even if somebody has taken it out of the
 * table: an invalidation must not overtake the registration. The table's lock is
 * held while it is posted, in softirq, too, so there is no state in between.
 *
 * Errors: a reply that would exceed the bounds of number or bytes, of its
 * connection or of all of them, is not exposed. Those that are being released do
 * not count for their connection: they go by themselves, and while they are many,
 * no call is taken (svc_rdma_conn_has_wspace()).
 * RDMA_DONE for a reply that is not there is dropped. A handle that is
 * invalidated by any other message, or is not the reply's, costs the requester
 * its connection, with which all access ends.
 */

#include "svcrdma.h"
#include <trace/events/svcrdma.h>

#include "wc.h"

/* Regions of one reply. */
#define SVC_RDMA_EXPOSE_MRS	16u

/* How often the clock is looked at while an RDMA_DONE is owed. */
#define EXPIRE_TICK		HZ

/* Bytes of the pages that the replies of all connections hold */
static atomic64_t total_bytes = ATOMIC64_INIT(0);

/*
 * RFC 5666 section 11: one or many clients may not send RDMA_DONE. Connections
 * that found room at the same time may not have it together.
 */
static bool total_add(u64 bytes)
{
	if (atomic64_add_return(bytes, &total_bytes) <=
	    READ_ONCE(svc_rdma_read_replies_total))
		return true;
	atomic64_sub(bytes, &total_bytes);
	return false;
}

/*
 * What is being released is bounded, too: calls that were taken before there was
 * much of it may make it more. The caller holds the table's lock.
 */
static bool room_locked(const struct svc_rdma_exposures *x, u64 bytes)
{
	u64 max_bytes = READ_ONCE(svc_rdma_read_replies_bytes);
	u64 max = READ_ONCE(svc_rdma_read_replies_max);

	return x->count - x->leaving < max && x->count < 2 * max &&
	       x->bytes - x->leaving_bytes + bytes <= max_bytes &&
	       x->bytes + bytes <= 2 * max_bytes;
}

/* Puts a reply into the table. */
static int expose_enter(struct svc_rdma_exposures *x,
			struct svc_rdma_expose *expose)
{
	int ret = -E2BIG;

	xa_lock_bh(&x->table);
	if (!room_locked(x, expose->bytes) || !total_add(expose->bytes))
		goto out;
	x->count++;
	x->bytes += expose->bytes;
	/* This may let go of the lock to allocate memory. */
	ret = __xa_insert(&x->table, expose->xid, expose, GFP_KERNEL);
	if (ret) {
		x->count--;
		x->bytes -= expose->bytes;
		atomic64_sub(expose->bytes, &total_bytes);
		goto out;
	}
	list_add_tail(&expose->list, &x->all);
	WRITE_ONCE(x->owed, x->owed + 1);
out:
	xa_unlock_bh(&x->table);
	return ret;
}

/**
 * svc_rdma_expose_take - decide that this is to be released
 * @expose: what nobody has taken yet; a reply is not in the table any more then
 * @end: why
 *
 * Context: process; the caller holds the table's lock.
 * Return: true if the caller has to release it now; if not, its sender will.
 */
bool svc_rdma_expose_take(struct svc_rdma_expose *expose,
			  enum svc_rdma_expose_end end)
{
	struct svc_rdma_exposures *x = &expose->conn->exposures;
	bool posted = expose->state == SVC_RDMA_EXPOSE_OWED;

	if (!expose->callback) {
		__xa_erase(&x->table, expose->xid);
		WRITE_ONCE(x->owed, x->owed - 1);
	}
	expose->state = SVC_RDMA_EXPOSE_TAKEN;
	x->leaving++;
	x->leaving_bytes += expose->bytes;
	trace_svc_rdma_unexpose(&expose->conn->xprt, expose->xid,
				expose->bytes, end);
	return posted;
}

/* The requester has no access any more, or will have none: @again is false. */
static void expose_free(struct svc_rdma_expose *expose, bool again)
{
	struct svc_rdma_conn *conn = expose->conn;
	struct svc_rdma_exposures *x = &conn->exposures;
	struct svc_rdma_mr *mr, *next;

	if (expose->callback)
		svc_rdma_longcall_end(expose, again);
	list_for_each_entry_safe(mr, next, &expose->mrs, list) {
		list_del(&mr->list);
		svc_rdma_mr_put(conn, mr, again);
	}
	xa_lock_bh(&x->table);
	list_del(&expose->list);
	x->count--;
	x->leaving--;
	x->bytes -= expose->bytes;
	x->leaving_bytes -= expose->bytes;
	xa_unlock_bh(&x->table);
	if (!expose->callback)
		atomic64_sub(expose->bytes, &total_bytes);
	svc_rdma_conn_unthrottle(conn);
	kfree(expose);
	svc_rdma_count(exposes_destroyed);
}

static void expose_reap(struct svc_rdma_expose *expose)
{
	struct svc_rdma_exposures *x = &expose->conn->exposures;

	if (llist_add(&expose->node, &x->reap))
		queue_work(svc_rdma_wq, &x->reap_work);
}

static void reap_work(struct work_struct *work)
{
	struct svc_rdma_exposures *x =
		container_of(work, struct svc_rdma_exposures, reap_work);
	struct svc_rdma_expose *expose, *next;

	llist_for_each_entry_safe(expose, next, llist_del_all(&x->reap), node) {
		expose_free(expose, true);
		cond_resched();
	}
}

/* A flushed invalidation proves nothing: the drain ends all access. */
static void inv_wc_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct svc_rdma_expose *expose =
		container_of(wc->wr_cqe, struct svc_rdma_expose, cqe);
	struct svc_rdma_conn *conn = cq->cq_context;

	svc_rdma_sq_give(conn, expose->wait.entries);
	if (likely(wc->status == IB_WC_SUCCESS)) {
		expose_reap(expose);
		return;
	}
	svc_rdma_wc_failed(conn, wc);
}

/* Registrations, and invalidations that are not the last of a reply. */
static void wr_failed(struct ib_cq *cq, struct ib_wc *wc)
{
	if (wc->status != IB_WC_SUCCESS)
		svc_rdma_wc_failed(cq->cq_context, wc);
}

static struct ib_send_wr *inv_chain(struct svc_rdma_expose *expose)
{
	struct ib_send_wr *first = NULL;
	struct svc_rdma_mr *mr;

	list_for_each_entry_reverse(mr, &expose->mrs, list) {
		if (mr->fenced)
			continue;
		if (!first) {
			mr->inv.wr_cqe = &expose->cqe;
			mr->inv.send_flags = IB_SEND_SIGNALED;
		}
		mr->inv.next = first;
		first = &mr->inv;
	}
	return first;
}

/* What cannot be posted waits for the end of the connection. */
static void inv_ready(struct svc_rdma_sq_wait *wait, int status)
{
	struct svc_rdma_expose *expose =
		container_of(wait, struct svc_rdma_expose, wait);
	struct svc_rdma_conn *conn = expose->conn;
	const struct ib_send_wr *bad;
	struct ib_send_wr *first;

	if (status)
		return;
	first = inv_chain(expose);
	if (likely(!ib_post_send(conn->qp, first, &bad)))
		return;
	svc_rdma_conn_close(conn);
	if (bad == first)
		svc_rdma_sq_give(conn, wait->entries);
}

/**
 * svc_rdma_expose_release - end the requester's access, then free it
 * @expose: what was taken with svc_rdma_expose_take()
 *
 * Context: any.
 */
void svc_rdma_expose_release(struct svc_rdma_expose *expose)
{
	struct svc_rdma_mr *mr;
	u32 entries = 0;

	list_for_each_entry(mr, &expose->mrs, list)
		entries += !mr->fenced;
	if (!entries) {
		expose_reap(expose);
		return;
	}
	expose->wait.entries = entries;
	expose->wait.ready = inv_ready;
	if (svc_rdma_sq_queue(expose->conn, &expose->wait) > 0)
		inv_ready(&expose->wait, 0);
}

/**
 * svc_rdma_expose_page - add part of a page
 * @expose: what was not posted yet
 * @page: page; a reference to it is taken
 * @offset: bytes from its start
 * @length: bytes, not beyond its end
 * @access: what the requester may do with it
 *
 * Context: process.
 * Return: 0, -E2BIG if that is too many regions, or -ENOMEM.
 */
int svc_rdma_expose_page(struct svc_rdma_expose *expose, struct page *page,
			 u32 offset, u32 length, int access)
{
	struct svc_rdma_mr *mr;

	if (expose->nmrs) {
		mr = list_last_entry(&expose->mrs, struct svc_rdma_mr, list);
		if (mr->access == access &&
		    svc_rdma_mr_add(mr, page, offset, length))
			return 0;
	}
	if (expose->nmrs == SVC_RDMA_EXPOSE_MRS)
		return -E2BIG;
	mr = svc_rdma_mr_get(expose->conn, access);
	if (!mr)
		return -ENOMEM;
	list_add_tail(&mr->list, &expose->mrs);
	expose->nmrs++;
	svc_rdma_mr_add(mr, page, offset, length);
	return 0;
}

/* Who frees a page must not mind that somebody else holds it. */
static int expose_page(void *data, struct page *page, u32 offset, u32 length)
{
	if (!sendpage_ok(page))
		return -E2BIG;
	return svc_rdma_expose_page(data, page, offset, length,
				    IB_ACCESS_REMOTE_READ);
}

/**
 * svc_rdma_expose_map - prepare the Work Requests
 * @expose: all that is to be exposed
 *
 * Context: process.
 * Return: 0 or -EIO.
 */
int svc_rdma_expose_map(struct svc_rdma_expose *expose)
{
	struct svc_rdma_mr *mr;
	int ret;

	list_for_each_entry(mr, &expose->mrs, list) {
		ret = svc_rdma_mr_map(expose->conn, mr);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * svc_rdma_expose_alloc - begin to expose something
 * @conn: connection
 * @xid: of the call or the reply, as a number
 * @pages: that it will hold
 *
 * Context: process.
 * Return: what is not known to anybody yet, or NULL if there is no memory.
 */
struct svc_rdma_expose *svc_rdma_expose_alloc(struct svc_rdma_conn *conn,
					      u32 xid, u32 pages)
{
	struct svc_rdma_expose *expose;

	expose = kzalloc(sizeof(*expose), GFP_KERNEL);
	if (!expose) {
		svc_rdma_count(no_memory);
		return NULL;
	}
	expose->conn = conn;
	expose->xid = xid;
	expose->bytes = (u64)pages << PAGE_SHIFT;
	expose->state = SVC_RDMA_EXPOSE_BUILDING;
	expose->cqe.done = inv_wc_done;
	INIT_LIST_HEAD(&expose->mrs);
	return expose;
}

static int expose_build(struct svc_rdma_send *send,
			const struct svc_rdma_recv *recv,
			const struct xdr_buf *xdr)
{
	struct svc_rdma_exposures *x = &send->conn->exposures;
	u32 xid = be32_to_cpu(recv->hdr.xid);
	struct svc_rdma_expose *expose;
	int ret;

	expose = svc_rdma_expose_alloc(send->conn, xid,
				       svc_rdma_count_pages(recv, xdr));
	if (!expose)
		return -ENOMEM;
	ret = expose_enter(x, expose);
	if (ret) {
		kfree(expose);
		return ret;
	}
	svc_rdma_count(exposes_created);
	ret = svc_rdma_each_page(recv, xdr, expose_page, expose);
	if (!ret)
		ret = svc_rdma_expose_map(expose);
	if (ret) {
		svc_rdma_expose_cancel(expose);
		return ret;
	}
	send->expose = expose;
	send->wrs += expose->nmrs;
	return 0;
}

/**
 * svc_rdma_expose_reply - make a reduced reply a Read chunk
 * @send: Send context that takes it along
 * @recv: call, with its payloads settled
 * @xdr: reply
 *
 * Reliable-reply draft section 4.1.1. Nothing is accessible before the Send
 * context is posted.
 *
 * Context: process.
 * Return: true, or false if the requester does not want it or the bounds do not
 * allow it.
 */
bool svc_rdma_expose_reply(struct svc_rdma_send *send,
			   const struct svc_rdma_recv *recv,
			   const struct xdr_buf *xdr)
{
	struct svc_rdma_conn *conn = send->conn;

	if (!READ_ONCE(conn->read_replies))
		return false;
	if (expose_build(send, recv, xdr)) {
		svc_rdma_count(exposes_refused);
		return false;
	}
	trace_svc_rdma_expose(&conn->xprt, send->expose->xid,
			      svc_rdma_reduced_length(recv, xdr),
			      send->expose->nmrs,
			      svc_rdma_expose_handle(send->expose));
	return true;
}

/**
 * svc_rdma_expose_cancel - take back a reply that was not posted
 * @expose: reply; freed
 *
 * Context: process.
 */
void svc_rdma_expose_cancel(struct svc_rdma_expose *expose)
{
	struct svc_rdma_exposures *x = &expose->conn->exposures;

	xa_lock_bh(&x->table);
	if (expose->state != SVC_RDMA_EXPOSE_TAKEN)
		svc_rdma_expose_take(expose, SVC_RDMA_END_UNSENT);
	xa_unlock_bh(&x->table);
	expose_free(expose, true);
}

/**
 * svc_rdma_expose_encode - append the entries of the Read list
 * @enc: encoder
 * @expose: reply
 *
 * Context: any.
 */
void svc_rdma_expose_encode(struct rpcrdma_encoder *enc,
			    const struct svc_rdma_expose *expose)
{
	struct rpcrdma_segment seg;
	struct svc_rdma_mr *mr;

	list_for_each_entry(mr, &expose->mrs, list) {
		if (mr->access != IB_ACCESS_REMOTE_READ)
			break;
		svc_rdma_mr_segment(mr, &seg);
		rpcrdma_encode_read_segment(enc, 0, &seg);
	}
}

/**
 * svc_rdma_expose_handle - the handle that RDMA_DONE may invalidate
 * @expose: reply
 *
 * Reliable-reply draft section 4.1.4. In version 1 it is the first one, as
 * nothing tells.
 *
 * Context: any.
 * Return: handle; 0 if there is to be none.
 */
u32 svc_rdma_expose_handle(const struct svc_rdma_expose *expose)
{
	if (!expose->conn->can_invalidate)
		return 0;
	return list_first_entry(&expose->mrs, struct svc_rdma_mr,
				list)->ibmr->rkey;
}

/**
 * svc_rdma_expose_chain - put the registrations in front of a Send
 * @expose: reply
 * @wr: Send
 *
 * Context: any.
 * Return: the first Work Request.
 */
struct ib_send_wr *svc_rdma_expose_chain(struct svc_rdma_expose *expose,
					 struct ib_send_wr *wr)
{
	struct svc_rdma_mr *mr;

	list_for_each_entry_reverse(mr, &expose->mrs, list) {
		mr->reg.wr.next = wr;
		wr = &mr->reg.wr;
	}
	return wr;
}

/**
 * svc_rdma_expose_post - post the Send that tells of it
 * @expose: reply or callback; if it was posted, not the caller's any more
 * @first: the chain with its registrations and that Send
 *
 * Whoever gets the table's lock afterwards may end the access: the answer may be
 * faster than this.
 *
 * Context: any.
 * Return: 0, or what ib_post_send() returns.
 */
int svc_rdma_expose_post(struct svc_rdma_expose *expose,
			 const struct ib_send_wr *first)
{
	unsigned long timeout = READ_ONCE(svc_rdma_read_reply_timeout) * HZ;
	struct svc_rdma_exposures *x = &expose->conn->exposures;
	bool taken, tick = !expose->callback;
	int ret;

	xa_lock_bh(&x->table);
	taken = expose->state == SVC_RDMA_EXPOSE_TAKEN;
	ret = ib_post_send(expose->conn->qp, first, NULL);
	if (likely(!ret && !taken))
		expose->state = SVC_RDMA_EXPOSE_OWED;
	expose->deadline = jiffies + timeout;
	xa_unlock_bh(&x->table);
	if (unlikely(ret))
		return ret;
	if (unlikely(taken))
		svc_rdma_expose_release(expose);
	else if (tick)
		queue_delayed_work(svc_rdma_wq, &x->tick, EXPIRE_TICK);
	return 0;
}

/* Is @handle one that the requester was told of? */
static struct svc_rdma_mr *find_handle(struct svc_rdma_expose *expose,
				       u32 handle)
{
	struct svc_rdma_mr *mr;

	if (expose->state != SVC_RDMA_EXPOSE_OWED)
		return NULL;
	list_for_each_entry(mr, &expose->mrs, list)
		if (mr->ibmr->rkey == handle)
			return mr;
	return NULL;
}

/* Does anything that is exposed have this handle? */
static bool handle_in_use(struct svc_rdma_exposures *x, u32 handle)
{
	struct svc_rdma_expose *expose;

	list_for_each_entry(expose, &x->all, list)
		if (find_handle(expose, handle))
			return true;
	return false;
}

/**
 * svc_rdma_expose_fence - a message may have invalidated a handle
 * @x: exposures of its connection
 * @expose: what the message is about; NULL if there is no such thing
 * @recv: message; not marked as one that has invalidated a handle afterwards,
 *	if that was right. It is not if the handle is that of something else.
 *
 * Context: process; the caller holds the table's lock.
 */
void svc_rdma_expose_fence(struct svc_rdma_exposures *x,
			   struct svc_rdma_expose *expose,
			   struct svc_rdma_recv *recv)
{
	struct svc_rdma_mr *mr;

	if (likely(!recv->invalidated))
		return;
	if (!expose) {
		/* Released in the meantime, and the handle is an old one? */
		recv->invalidated = handle_in_use(x, recv->inv_handle);
		return;
	}
	mr = find_handle(expose, recv->inv_handle);
	if (!mr)
		return;
	mr->fenced = true;
	recv->invalidated = false;
	svc_rdma_count(exposes_invalidated);
}

/**
 * svc_rdma_expose_done - an RDMA_DONE
 * @conn: connection
 * @recv: message; stays the caller's. It is no more marked as one that has
 *	invalidated a handle, if that was right.
 *
 * Reliable-reply draft sections 4.1.3 and 4.1.4: what is not known, or not any
 * more, is dropped.
 *
 * Context: process.
 */
void svc_rdma_expose_done(struct svc_rdma_conn *conn,
			  struct svc_rdma_recv *recv)
{
	enum svc_rdma_expose_end end = recv->invalidated ?
		SVC_RDMA_END_INVALIDATED : SVC_RDMA_END_DONE;
	struct svc_rdma_exposures *x = &conn->exposures;
	u32 xid = be32_to_cpu(recv->hdr.xid);
	struct svc_rdma_expose *expose;
	bool release = false;

	svc_rdma_count(done_received);
	xa_lock_bh(&x->table);
	expose = xa_load(&x->table, xid);
	svc_rdma_expose_fence(x, expose, recv);
	if (!expose)
		svc_rdma_count(dones_unknown);
	else if (!recv->invalidated)
		release = svc_rdma_expose_take(expose, end);
	xa_unlock_bh(&x->table);
	trace_svc_rdma_done(&conn->xprt, xid, expose, recv->inv_handle);
	if (release)
		svc_rdma_expose_release(expose);
}

/* One of those whose time is over, taken out of the table. */
static struct svc_rdma_expose *take_expired(struct svc_rdma_exposures *x)
{
	struct svc_rdma_expose *expose, *found = NULL;
	unsigned long xid;

	xa_lock_bh(&x->table);
	xa_for_each(&x->table, xid, expose) {
		if (expose->state != SVC_RDMA_EXPOSE_OWED ||
		    time_before(jiffies, expose->deadline))
			continue;
		svc_rdma_expose_take(expose, SVC_RDMA_END_EXPIRED);
		found = expose;
		break;
	}
	xa_unlock_bh(&x->table);
	return found;
}

/* Reliable-reply draft section 4.1.3: the requester is broken, or worse. */
static void expire_work(struct work_struct *work)
{
	struct svc_rdma_exposures *x =
		container_of(work, struct svc_rdma_exposures, tick.work);
	struct svc_rdma_expose *expose;

	while ((expose = take_expired(x))) {
		svc_rdma_count(exposes_expired);
		svc_rdma_expose_release(expose);
	}
	if (READ_ONCE(x->owed))
		queue_delayed_work(svc_rdma_wq, &x->tick, EXPIRE_TICK);
}

/**
 * svc_rdma_exposures_init - prepare a connection for exposing replies
 * @conn: connection
 *
 * Context: any.
 */
void svc_rdma_exposures_init(struct svc_rdma_conn *conn)
{
	struct svc_rdma_exposures *x = &conn->exposures;

	xa_init_flags(&x->table, XA_FLAGS_LOCK_BH);
	INIT_LIST_HEAD(&x->all);
	INIT_LIST_HEAD(&x->idle);
	init_llist_head(&x->reap);
	INIT_WORK(&x->reap_work, reap_work);
	INIT_DELAYED_WORK(&x->tick, expire_work);
	x->cqe.done = wr_failed;
}

/**
 * svc_rdma_exposures_stop - post no more invalidations because of the time
 * @conn: connection that is about to be drained
 *
 * Context: process.
 */
void svc_rdma_exposures_stop(struct svc_rdma_conn *conn)
{
	cancel_delayed_work_sync(&conn->exposures.tick);
}

/**
 * svc_rdma_exposures_destroy - release everything that is exposed
 * @conn: connection whose Queue Pair has been drained
 *
 * Context: process.
 */
void svc_rdma_exposures_destroy(struct svc_rdma_conn *conn)
{
	struct svc_rdma_exposures *x = &conn->exposures;
	struct svc_rdma_expose *expose, *next;

	flush_work(&x->reap_work);
	list_for_each_entry_safe(expose, next, &x->all, list) {
		xa_lock_bh(&x->table);
		if (expose->state != SVC_RDMA_EXPOSE_TAKEN)
			svc_rdma_expose_take(expose, SVC_RDMA_END_CLOSED);
		xa_unlock_bh(&x->table);
		expose_free(expose, false);
	}
	WARN_ON_ONCE(x->count || x->owed || x->leaving || x->bytes ||
		     x->leaving_bytes);
	svc_rdma_mrs_destroy(conn);
	xa_destroy(&x->table);
}
