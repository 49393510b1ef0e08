// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send Queue accounting.
 *
 * Operation: entries are taken before Work Requests are posted, and given back
 * by completions. Callers that find too few free entries are queued and served
 * in FIFO order, without a thread: their @ready method posts. One context at a
 * time calls these methods. Others that give entries back, or close, leave what
 * they have made possible to that context; callers that come meanwhile are
 * queued behind those being served. So entries are used in the order in which
 * they were asked for, and methods that fail do not recurse.
 *
 * Ownership: what is queued belongs to the queue until @ready is called. Close
 * empties the queue, and svc_rdma_sq_drain() waits until the methods have
 * returned, so that nothing is queued or posted when a connection is released.
 */

#include <linux/wait_bit.h>

#include "../counters.h"
#include "verbs.h"

/**
 * svc_rdma_sq_init - set the size of the Send Queue
 * @conn: connection
 * @depth: entries
 *
 * Context: before anything is posted.
 */
void svc_rdma_sq_init(struct svc_rdma_conn *conn, u32 depth)
{
	conn->sq_depth = depth;
	conn->sq_avail = depth;
}

static bool svc_rdma_sq_try_locked(struct svc_rdma_conn *conn, u32 entries)
{
	if (conn->sq_serving || !list_empty(&conn->sq_waiters) ||
	    conn->sq_avail < entries)
		return false;
	conn->sq_avail -= entries;
	return true;
}

/**
 * svc_rdma_sq_try - take Send Queue entries if that is possible at once
 * @conn: connection
 * @entries: how many
 *
 * Context: any.
 * Return: true if they were taken.
 */
bool svc_rdma_sq_try(struct svc_rdma_conn *conn, u32 entries)
{
	bool taken;

	spin_lock_bh(&conn->sq_lock);
	taken = !conn->sq_closed && svc_rdma_sq_try_locked(conn, entries);
	spin_unlock_bh(&conn->sq_lock);
	return taken;
}

/**
 * svc_rdma_sq_queue - take Send Queue entries now or when it is our turn
 * @conn: connection
 * @wait: waiter, with @entries and @ready set
 *
 * Context: any.
 * Return: 1 if the entries were taken; 0 if @wait was queued, and its @ready
 * method will be called; -E2BIG if there will never be that many; -ENOTCONN.
 */
int svc_rdma_sq_queue(struct svc_rdma_conn *conn, struct svc_rdma_sq_wait *wait)
{
	int ret = 0;

	if (wait->entries > conn->sq_depth)
		return -E2BIG;
	spin_lock_bh(&conn->sq_lock);
	if (conn->sq_closed)
		ret = -ENOTCONN;
	else if (svc_rdma_sq_try_locked(conn, wait->entries))
		ret = 1;
	else
		list_add_tail(&wait->list, &conn->sq_waiters);
	spin_unlock_bh(&conn->sq_lock);
	if (!ret)
		svc_rdma_count(sq_starve);
	return ret;
}

/*
 * Takes those who can be served now from the queue, or all if it is closed.
 *
 * Return: what to tell them.
 */
static int svc_rdma_sq_collect_locked(struct svc_rdma_conn *conn,
				      struct list_head *served)
{
	struct svc_rdma_sq_wait *wait, *next;

	if (conn->sq_closed) {
		list_splice_tail_init(&conn->sq_waiters, served);
		return -ENOTCONN;
	}
	list_for_each_entry_safe(wait, next, &conn->sq_waiters, list) {
		if (wait->entries > conn->sq_avail)
			break;
		conn->sq_avail -= wait->entries;
		list_move_tail(&wait->list, served);
	}
	return 0;
}

static void svc_rdma_sq_call_ready(struct list_head *waiters, int status)
{
	struct svc_rdma_sq_wait *wait, *next;

	list_for_each_entry_safe(wait, next, waiters, list) {
		list_del(&wait->list);
		wait->ready(wait, status);
	}
}

/*
 * Serves the queue, unless another context does; that one will look again.
 * Takes the lock that the caller holds off while methods are called.
 *
 * Return: true if somebody was served.
 */
static bool svc_rdma_sq_serve_locked(struct svc_rdma_conn *conn)
	__must_hold(&conn->sq_lock)
{
	bool any = false;
	LIST_HEAD(served);
	int status;

	if (conn->sq_serving)
		return false;
	for (;;) {
		status = svc_rdma_sq_collect_locked(conn, &served);
		if (list_empty(&served))
			break;
		any = true;
		conn->sq_serving = true;
		spin_unlock_bh(&conn->sq_lock);
		svc_rdma_sq_call_ready(&served, status);
		spin_lock_bh(&conn->sq_lock);
	}
	conn->sq_serving = false;
	return any;
}

/**
 * svc_rdma_sq_give - return Send Queue entries
 * @conn: connection
 * @entries: how many
 *
 * A connection that takes no calls because its Send Queue is short is resumed,
 * whatever those were that waited.
 *
 * Context: any.
 */
void svc_rdma_sq_give(struct svc_rdma_conn *conn, u32 entries)
{
	bool served;

	spin_lock_bh(&conn->sq_lock);
	conn->sq_avail += entries;
	conn->sq_returned += entries;
	WARN_ON_ONCE(conn->sq_avail > conn->sq_depth);
	served = svc_rdma_sq_serve_locked(conn);
	spin_unlock_bh(&conn->sq_lock);
	if (unlikely(served)) {
		wake_up_var(&conn->sq_serving);
		svc_rdma_conn_unthrottle(conn);
	}
}

/**
 * svc_rdma_sq_close - tell all who are queued; queue nobody any more
 * @conn: connection
 *
 * Context: any.
 */
void svc_rdma_sq_close(struct svc_rdma_conn *conn)
{
	spin_lock_bh(&conn->sq_lock);
	conn->sq_closed = true;
	svc_rdma_sq_serve_locked(conn);
	spin_unlock_bh(&conn->sq_lock);
	/* The connection may be gone: this looks at the address only. */
	wake_up_var(&conn->sq_serving);
}

static bool svc_rdma_sq_is_serving(struct svc_rdma_conn *conn)
{
	bool serving;

	spin_lock_bh(&conn->sq_lock);
	serving = conn->sq_serving;
	spin_unlock_bh(&conn->sq_lock);
	return serving;
}

/**
 * svc_rdma_sq_busy - are there entries in use, and how far have things come?
 * @conn: connection
 * @returned: entries that were returned since the connection began, modulo 2^32
 *
 * Context: any.
 * Return: true if entries are in use.
 */
bool svc_rdma_sq_busy(struct svc_rdma_conn *conn, u32 *returned)
{
	bool busy;

	spin_lock_bh(&conn->sq_lock);
	*returned = conn->sq_returned;
	busy = conn->sq_avail < conn->sq_depth;
	spin_unlock_bh(&conn->sq_lock);
	return busy;
}

/**
 * svc_rdma_sq_drain - wait until nobody is being served
 * @conn: connection whose Send Queue was closed, if anybody ever used it
 *
 * Context: process; waits for @ready methods of other contexts to return.
 */
void svc_rdma_sq_drain(struct svc_rdma_conn *conn)
{
	wait_var_event(&conn->sq_serving, !svc_rdma_sq_is_serving(conn));
}

/**
 * svc_rdma_sq_contended - is anybody queued for Send Queue entries?
 * @conn: connection
 *
 * Context: any.
 * Return: true if so.
 */
bool svc_rdma_sq_contended(struct svc_rdma_conn *conn)
{
	return !list_empty_careful(&conn->sq_waiters);
}
