// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send Queue accounting.
 *
 * Operation: entries are taken before Work Requests are posted, and completion
 * handlers return them. A caller that finds too few free entries is queued in
 * FIFO order. No thread waits: when enough entries are free for a waiter,
 * possibly immediately, its @ready method posts the Work Requests. One context
 * at a time serves the queue. If another context returns entries meanwhile, the
 * serving context hands them out, and new waiters are queued. So waiters are
 * served in order, and @ready methods that return entries do not recurse.
 *
 * Ownership: the queue owns a waiter until its @ready method is called. When a
 * connection is released, svc_rdma_sq_close() has emptied the queue, and
 * svc_rdma_sq_drain() waits for a running @ready method. So no waiter is queued
 * or posting when it is freed.
 */

#include <linux/delay.h>

#include "../counters.h"
#include "../limits.h"
#include "verbs.h"

/**
 * svc_rdma_sq_init - initialize the Send Queue of a new connection
 * @conn: connection
 *
 * Context: any.
 */
void svc_rdma_sq_init(struct svc_rdma_conn *conn)
{
	spin_lock_init(&conn->sq.lock);
	INIT_LIST_HEAD(&conn->sq.waiters);
}

/**
 * svc_rdma_sq_create - create the completion queue, and set the depth
 * @conn: connection
 * @wrs: size of the Send Queue in Work Requests. One entry is reserved for
 *	ib_drain_sq(), and SVC_RDMA_UNSIGNALED entries for unsignaled Sends.
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int svc_rdma_sq_create(struct svc_rdma_conn *conn, u32 wrs)
{
	struct ib_cq *cq;

	cq = ib_alloc_cq_any(conn->dev, conn, wrs + 1, IB_POLL_SOFTIRQ);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	conn->sq.cq = cq;
	conn->sq.depth = wrs - 1 - SVC_RDMA_UNSIGNALED;
	conn->sq.avail = conn->sq.depth;
	return 0;
}

/**
 * svc_rdma_sq_destroy - free the completion queue
 * @conn: connection without a Queue Pair; it need not have a completion queue
 *
 * Context: process. After this, no completion handler is running or will run.
 */
void svc_rdma_sq_destroy(struct svc_rdma_conn *conn)
{
	WARN_ON_ONCE(!list_empty(&conn->sq.waiters));
	if (conn->sq.cq)
		ib_free_cq(conn->sq.cq);
	conn->sq.cq = NULL;
}

/**
 * svc_rdma_sq_queue - take Send Queue entries and post, or wait in the queue
 * @conn: connection
 * @wait: waiter, with @entries and @ready set; @entries must not exceed
 *	sq.depth
 *
 * Context: any.
 * Return: 0 if @wait has posted or was queued; -ENOTCONN if the connection is
 * closing.
 */
int svc_rdma_sq_queue(struct svc_rdma_conn *conn, struct svc_rdma_sq_wait *wait)
{
	bool closed, taken;

	spin_lock_bh(&conn->sq.lock);
	closed = svc_rdma_conn_closing(conn);
	taken = !closed && !conn->sq.serving && list_empty(&conn->sq.waiters) &&
		conn->sq.avail >= wait->entries;
	if (taken)
		conn->sq.avail -= wait->entries;
	else if (!closed)
		list_add_tail(&wait->list, &conn->sq.waiters);
	spin_unlock_bh(&conn->sq.lock);
	if (likely(taken))
		return wait->ready(wait);
	if (closed)
		return -ENOTCONN;
	svc_rdma_count(sq_starve);
	return 0;
}

/* Dequeue the next waiter and take its entries, if enough entries are free. */
static struct svc_rdma_sq_wait *
svc_rdma_sq_next_locked(struct svc_rdma_conn *conn)
{
	struct svc_rdma_sq_wait *wait;

	lockdep_assert_held(&conn->sq.lock);
	wait = list_first_entry_or_null(&conn->sq.waiters,
					struct svc_rdma_sq_wait, list);
	if (!wait || wait->entries > conn->sq.avail)
		return NULL;
	WRITE_ONCE(conn->sq.serving, true);
	/* Pairs with the barrier in svc_rdma_sq_is_quiet(). */
	smp_wmb();
	list_del(&wait->list);
	conn->sq.avail -= wait->entries;
	return wait;
}

/*
 * Serve the waiters for which there are enough entries, unless another context
 * is doing so; that context will check the queue again. The lock is dropped
 * while a @ready method is called.
 *
 * Return: true if any waiter was served.
 */
static bool svc_rdma_sq_serve_locked(struct svc_rdma_conn *conn)
	__must_hold(&conn->sq.lock)
{
	struct svc_rdma_sq_wait *wait;
	bool any = false;

	lockdep_assert_held(&conn->sq.lock);
	if (conn->sq.serving)
		return false;
	while ((wait = svc_rdma_sq_next_locked(conn))) {
		spin_unlock_bh(&conn->sq.lock);
		wait->ready(wait);
		any = true;
		spin_lock_bh(&conn->sq.lock);
	}
	/* Pairs with svc_rdma_sq_is_quiet(): served waiters have posted. */
	smp_store_release(&conn->sq.serving, false);
	return any;
}

/**
 * svc_rdma_sq_give - return Send Queue entries
 * @conn: connection
 * @entries: number of entries
 *
 * The connection takes no calls while anything is queued. When any waiter has
 * been served, svc_rdma_conn_unthrottle() checks whether it can resume.
 *
 * Context: any.
 */
void svc_rdma_sq_give(struct svc_rdma_conn *conn, u32 entries)
{
	bool served = false;

	spin_lock_bh(&conn->sq.lock);
	conn->sq.avail += entries;
	conn->sq.returned += entries;
	WARN_ON_ONCE(conn->sq.avail > conn->sq.depth);
	if (unlikely(!list_empty(&conn->sq.waiters)))
		served = svc_rdma_sq_serve_locked(conn);
	spin_unlock_bh(&conn->sq.lock);
	if (unlikely(served))
		svc_rdma_conn_unthrottle(conn);
}

/**
 * svc_rdma_sq_close - remove all waiters from the queue
 * @conn: connection that is closing; the waiters are released with it
 *
 * Context: any.
 */
void svc_rdma_sq_close(struct svc_rdma_conn *conn)
{
	spin_lock_bh(&conn->sq.lock);
	INIT_LIST_HEAD(&conn->sq.waiters);
	spin_unlock_bh(&conn->sq.lock);
}

/**
 * svc_rdma_sq_busy - check whether entries are in use, and report progress
 * @conn: connection
 * @returned: set to the number of entries that were returned since the
 *	connection was created, modulo 2^32
 *
 * Context: any.
 * Return: true if entries are in use.
 */
bool svc_rdma_sq_busy(struct svc_rdma_conn *conn, u32 *returned)
{
	bool busy;

	spin_lock_bh(&conn->sq.lock);
	*returned = conn->sq.returned;
	busy = conn->sq.avail < conn->sq.depth;
	spin_unlock_bh(&conn->sq.lock);
	return busy;
}

/**
 * svc_rdma_sq_drain - wait until no @ready method is running
 * @conn: connection whose Send Queue was closed, or never used
 *
 * Context: process. Only a completion handler can be running a @ready method.
 */
void svc_rdma_sq_drain(struct svc_rdma_conn *conn)
{
	/* Pairs with smp_store_release() in svc_rdma_sq_serve_locked(). */
	while (smp_load_acquire(&conn->sq.serving))
		fsleep(USEC_PER_MSEC);
}
