// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for RDMA Reads: limits of the pages and memory regions held by calls
 * with Read chunks.
 *
 * Operation: a call is charged for its pages before it takes them. The charge
 * is returned when the pages are handed to the nfsd thread that serves the
 * call, or freed. Read contexts are charged as well: with many short segments,
 * they take more memory than the data. If a call would raise the charge of its
 * connection above read_calls_bytes, or the charge of all connections above
 * SVC_RDMA_READ_CALLS_TOTAL, it waits without pages until its connection has
 * returned some charge. Calls wait in order of arrival; other calls of the
 * connection are served meanwhile. A memory region is charged as so many pages
 * that a connection cannot have more than SVC_RDMA_READ_REGIONS of them.
 *
 * A call that finds no memory, or no memory region, waits in the same way, in
 * front of the others. The connection ends unless another of its calls holds a
 * charge, or has returned one meanwhile.
 *
 * A connection without a charge may always read one call. So whenever a call
 * waits, another call of the same connection holds a charge, which will be
 * returned. Requesters that do not answer RDMA Reads cannot keep others from
 * writing. A thread looks for waiting calls only when charge is returned.
 * sunrpc limits the number of connections.
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
 * Compute how many pages a call is charged for; @max is the limit of its
 * connection. A call has one Read per segment, and one more for each chunk that
 * is inserted into the chunk at position zero. A segment longer than one Read
 * needs further Reads, each with many pages. The contexts of a few Reads take
 * less than a page, and are not charged.
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
 * Return: true if the call may take its pages; false if the call waits.
 * svc_rdma_read_next_locked() will return a waiting call.
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
 * svc_rdma_read_next_locked - take the oldest call that can continue
 * @conn: connection
 *
 * Context: the caller holds reads.lock.
 * Return: a call whose Reads have completed; or a call that has waited for
 * pages and is charged for them now; or NULL.
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
 * @reads: all Reads of the call
 *
 * This is not called if a Read fails. The Read context is then released with
 * its Receive context, after the completion queues have been destroyed.
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
	/* The oldest waiting call may be able to continue now. */
	wake = !list_empty(&calls->waiting) && !svc_rdma_conn_closing(conn);
	if (wake)
		set_bit(XPT_DATA, &conn->xprt.xpt_flags);
	spin_unlock_bh(&calls->lock);
	if (wake)
		svc_rdma_conn_enqueue(conn);
}

/**
 * svc_rdma_read_wait - make a call wait until another call returns its charge
 * @read: Read context that is charged, without pages and Reads
 *
 * If another call has already returned its charge since this one was charged, a
 * thread is woken to try this call again.
 *
 * Context: process.
 * Return: true if the call waits, and svc_rdma_read_next_locked() will return
 * it; false if no other call of the connection holds a charge, and none has
 * returned one since this call was charged.
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
