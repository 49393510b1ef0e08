// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of RDMA Reads: bounds of the pages and memory regions that calls with
 * Read chunks hold.
 *
 * Operation: a call is charged for its pages before they are taken, and until
 * they are handed to the nfsd thread that serves it, or freed. It is charged for
 * the contexts of its Reads, too: those of many short segments take more memory
 * than the data. A connection whose charge would exceed read_calls_bytes, or
 * make the sum of all connections exceed SVC_RDMA_READ_CALLS_TOTAL, keeps the
 * call without pages, in order of arrival, until some of its own charge has been
 * returned. Other calls of the connection are served meanwhile. A memory region
 * counts for as many pages as let a connection have no more than
 * SVC_RDMA_READ_REGIONS of them.
 *
 * A call for which there is no memory, or no memory region, waits in the same
 * way, at the head. The connection ends if no other call of it has the memory,
 * or has returned it meanwhile.
 *
 * A connection without a charge may always read one call. So a call that waits
 * always has another call of its connection in front of it, whose charge will
 * be returned, and requesters that do not answer RDMA Reads cannot keep others
 * from writing. A thread looks for waiting calls only when charge is returned.
 * sunrpc bounds the number of connections.
 *
 * A call whose Reads have completed also stays here until a thread takes it.
 */

#include <rpcrdma/rw.h>

#include "../counters.h"
#include "../limits.h"
#include "../tunables.h"
#include "../verbs/verbs.h"
#include "message.h"

static atomic_long_t svc_rdma_read_pages_total;

/*
 * Pages that a call is charged for if its connection may be charged for @max.
 * A call has one Read per segment, and one more for each chunk that is inserted
 * into one at position zero. A segment longer than one Read needs more Reads, each
 * with many pages. The contexts of a few Reads take less than a page, and are not
 * charged.
 */
static u32 svc_rdma_read_cost(const struct svc_rdma_read_ctx *read, u32 max)
{
	const struct rpcrdma_hdr *hdr = &read->recv->hdr;
	const struct rpcrdma_rw_set *rws = &read->conn->rws;
	u32 pages = DIV_ROUND_UP(read->length, PAGE_SIZE);
	u32 reads = hdr->reads.segments + read->layout.nchunks +
		    (hdr->type == RPCRDMA_NOMSG);

	if (rws->regions)
		pages += max(max / SVC_RDMA_READ_REGIONS, 1u) *
			 (reads + pages / max(rws->pages - 1, 1u));
	return pages + reads * sizeof(struct rpcrdma_rw) / PAGE_SIZE;
}

static bool svc_rdma_read_charge_locked(struct svc_rdma_read_ctx *read)
{
	u32 max = READ_ONCE(svc_rdma_read_calls_bytes) >> PAGE_SHIFT;
	struct svc_rdma_read_calls *calls = &read->conn->reads;
	u32 pages = svc_rdma_read_cost(read, max);

	lockdep_assert_held(&calls->lock);
	if (!calls->pages)
		atomic_long_add(pages, &svc_rdma_read_pages_total);
	else if (calls->pages + pages > max ||
		 !svc_rdma_total_add(&svc_rdma_read_pages_total, pages,
				     SVC_RDMA_READ_CALLS_TOTAL))
		return false;
	read->returned = calls->returned;
	calls->pages += pages;
	read->charge = pages;
	return true;
}

/**
 * svc_rdma_read_charge - charge a connection for the memory of a call
 * @read: Read context whose length is known
 *
 * Context: process.
 * Return: true if the pages may be taken; false if the call waits, and
 * svc_rdma_read_next_locked() will return it.
 */
bool svc_rdma_read_charge(struct svc_rdma_read_ctx *read)
{
	struct svc_rdma_read_calls *calls = &read->conn->reads;
	bool charged;

	spin_lock_bh(&calls->lock);
	charged = list_empty(&calls->waiting) &&
		  svc_rdma_read_charge_locked(read);
	if (!charged)
		list_add_tail(&read->list, &calls->waiting);
	spin_unlock_bh(&calls->lock);
	if (!charged)
		svc_rdma_count(reads_deferred);
	return charged;
}

/**
 * svc_rdma_read_next_locked - the oldest call that can go on
 * @conn: connection
 *
 * Context: the caller holds reads.lock.
 * Return: a call whose Reads have completed, or one that has waited for pages
 * and is charged for them now; or NULL.
 */
struct svc_rdma_read_ctx *svc_rdma_read_next_locked(struct svc_rdma_conn *conn)
{
	struct svc_rdma_read_calls *calls = &conn->reads;
	struct svc_rdma_read_ctx *read;

	lockdep_assert_held(&calls->lock);
	read = list_first_entry_or_null(&calls->done, struct svc_rdma_read_ctx,
					list);
	if (!read) {
		read = list_first_entry_or_null(&calls->waiting,
						struct svc_rdma_read_ctx, list);
		if (!read || calls->starved ||
		    !svc_rdma_read_charge_locked(read))
			return NULL;
	}
	list_del(&read->list);
	return read;
}

/**
 * svc_rdma_read_completed - let a thread take a call whose Reads have completed
 * @reads: all of its Reads
 *
 * If a Read fails, this is not called, and the Read context is released with its
 * Receive context, when there are no completion queues any more.
 *
 * Context: any.
 */
void svc_rdma_read_completed(struct svc_rdma_reads *reads)
{
	struct svc_rdma_read_ctx *read =
		container_of(reads, struct svc_rdma_read_ctx, reads);
	struct svc_rdma_conn *conn = read->conn;

	spin_lock_bh(&conn->reads.lock);
	list_add_tail(&read->list, &conn->reads.done);
	set_bit(XPT_DATA, &conn->xprt.xpt_flags);
	spin_unlock_bh(&conn->reads.lock);
	svc_rdma_conn_enqueue(conn);
}

static void svc_rdma_read_uncharge_locked(struct svc_rdma_read_ctx *read)
{
	struct svc_rdma_read_calls *calls = &read->conn->reads;

	lockdep_assert_held(&calls->lock);
	atomic_long_sub(read->charge, &svc_rdma_read_pages_total);
	WARN_ON_ONCE(calls->pages < read->charge);
	calls->pages -= read->charge;
	calls->starved = false;
	read->charge = 0;
}

/**
 * svc_rdma_read_uncharge - return the charge for a call
 * @read: Read context, charged or not, whose Reads have been released
 *
 * Context: any.
 */
void svc_rdma_read_uncharge(struct svc_rdma_read_ctx *read)
{
	struct svc_rdma_conn *conn = read->conn;
	struct svc_rdma_read_calls *calls = &conn->reads;
	bool wake;

	if (!read->charge)
		return;
	spin_lock_bh(&calls->lock);
	calls->returned++;
	svc_rdma_read_uncharge_locked(read);
	/* The oldest call that waits may be able to go on now. */
	wake = !list_empty(&calls->waiting) && !svc_rdma_conn_closing(conn);
	if (wake)
		set_bit(XPT_DATA, &conn->xprt.xpt_flags);
	spin_unlock_bh(&calls->lock);
	if (wake)
		svc_rdma_conn_enqueue(conn);
}

/**
 * svc_rdma_read_wait - have a call wait until another one returns its charge
 * @read: Read context that is charged, without pages and Reads
 *
 * If the others have returned theirs since this call was charged, the thread that
 * is woken tries it again at once.
 *
 * Context: process.
 * Return: true if it waits, and svc_rdma_read_next_locked() will return it;
 * false if no other call of the connection is charged, or has returned its charge
 * since then.
 */
bool svc_rdma_read_wait(struct svc_rdma_read_ctx *read)
{
	struct svc_rdma_conn *conn = read->conn;
	struct svc_rdma_read_calls *calls = &conn->reads;
	bool waits;

	spin_lock_bh(&calls->lock);
	waits = calls->pages > read->charge || calls->returned != read->returned;
	if (waits) {
		svc_rdma_read_uncharge_locked(read);
		calls->starved = calls->pages;
		list_add(&read->list, &calls->waiting);
		set_bit(XPT_DATA, &conn->xprt.xpt_flags);
	}
	spin_unlock_bh(&calls->lock);
	if (waits) {
		svc_rdma_count(reads_deferred);
		svc_rdma_conn_enqueue(conn);
	}
	return waits;
}

/**
 * svc_rdma_calls_init - initialize the calls with Read chunks of a connection
 * @conn: new connection
 *
 * Context: any.
 */
void svc_rdma_calls_init(struct svc_rdma_conn *conn)
{
	spin_lock_init(&conn->reads.lock);
	INIT_LIST_HEAD(&conn->reads.done);
	INIT_LIST_HEAD(&conn->reads.waiting);
}
