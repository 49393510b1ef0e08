// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send Queue accounting. Entries are taken before Work Requests are posted
 * and given back by completions. Who finds too few waits in line, is served
 * in order, and is woken by close in any case.
 */

#include <linux/completion.h>

#include "svcrdma.h"

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

static bool sq_try_locked(struct svc_rdma_conn *conn, u32 entries)
{
	if (!list_empty(&conn->sq_waiters) || conn->sq_avail < entries)
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
	taken = !conn->sq_closed && sq_try_locked(conn, entries);
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
	else if (sq_try_locked(conn, wait->entries))
		ret = 1;
	else
		list_add_tail(&wait->list, &conn->sq_waiters);
	spin_unlock_bh(&conn->sq_lock);
	if (!ret)
		svc_rdma_count(sq_starve);
	return ret;
}

struct sq_sleeper {
	struct svc_rdma_sq_wait wait;
	struct completion done;
	int status;
};

static void sq_wake(struct svc_rdma_sq_wait *wait, int status)
{
	struct sq_sleeper *sleeper =
		container_of(wait, struct sq_sleeper, wait);

	sleeper->status = status;
	complete(&sleeper->done);
}

/**
 * svc_rdma_sq_take - take Send Queue entries, sleep until they are there
 * @conn: connection
 * @entries: how many
 *
 * Context: process; sleeps.
 * Return: 0, -E2BIG if there will never be that many, or -ENOTCONN.
 */
int svc_rdma_sq_take(struct svc_rdma_conn *conn, u32 entries)
{
	struct sq_sleeper sleeper = {
		.wait.entries	= entries,
		.wait.ready	= sq_wake,
	};
	int ret;

	init_completion(&sleeper.done);
	ret = svc_rdma_sq_queue(conn, &sleeper.wait);
	if (ret)
		return min(ret, 0);
	wait_for_completion(&sleeper.done);
	return sleeper.status;
}

static void sq_call_ready(struct list_head *waiters, int status)
{
	struct svc_rdma_sq_wait *wait, *next;

	list_for_each_entry_safe(wait, next, waiters, list) {
		list_del(&wait->list);
		wait->ready(wait, status);
	}
}

/**
 * svc_rdma_sq_give - return Send Queue entries
 * @conn: connection
 * @entries: how many
 *
 * Context: any.
 */
void svc_rdma_sq_give(struct svc_rdma_conn *conn, u32 entries)
{
	struct svc_rdma_sq_wait *wait, *next;
	LIST_HEAD(served);

	spin_lock_bh(&conn->sq_lock);
	conn->sq_avail += entries;
	conn->sq_returned += entries;
	WARN_ON_ONCE(conn->sq_avail > conn->sq_depth);
	list_for_each_entry_safe(wait, next, &conn->sq_waiters, list) {
		if (wait->entries > conn->sq_avail)
			break;
		conn->sq_avail -= wait->entries;
		list_move_tail(&wait->list, &served);
	}
	spin_unlock_bh(&conn->sq_lock);
	sq_call_ready(&served, 0);
}

/**
 * svc_rdma_sq_close - wake all waiters; let nobody wait any more
 * @conn: connection
 *
 * Context: any.
 */
void svc_rdma_sq_close(struct svc_rdma_conn *conn)
{
	LIST_HEAD(waiters);

	spin_lock_bh(&conn->sq_lock);
	conn->sq_closed = true;
	list_splice_init(&conn->sq_waiters, &waiters);
	spin_unlock_bh(&conn->sq_lock);
	sq_call_ready(&waiters, -ENOTCONN);
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
 * svc_rdma_sq_contended - does anybody wait for Send Queue entries?
 * @conn: connection
 *
 * Context: any.
 * Return: true if so.
 */
bool svc_rdma_sq_contended(struct svc_rdma_conn *conn)
{
	return !list_empty_careful(&conn->sq_waiters);
}
