// SPDX-License-Identifier: GPL-2.0-only
/*
 * Outstanding RDMA Reads: never more than the requester's adapter can serve at
 * a time (RFC 5666 sections 3.3 and 6.2).
 *
 * Operation: the Reads of a call form one chain of Work Requests. The chain is
 * cut into rounds. A round has half as many Reads as may be outstanding, so the
 * next round is already queued while the previous one is being read. The last
 * Work Request of each round is signaled: either its last Read, or a Work
 * Request that confirms the Reads (rpcrdma/quirks.h). Rounds can be posted in
 * any order, because each is confirmed separately, and reads into different
 * memory.
 *
 * Calls are read in the order in which they arrived. A Read within the limit
 * waits for Send Queue entries like any other Work Request. Reads beyond the
 * limit are kept out of the Send Queue, so no Send waits behind a Read that the
 * adapter holds back.
 *
 * Adapters also hold back Reads beyond the depth of their Queue Pair. But
 * soft-RoCE and siw round that depth up to a power of two, and no adapter knows
 * a limit that arrives after the connection was established.
 *
 * Ownership: the caller owns struct svc_rdma_reads and the memory of the Work
 * Requests. It keeps them until @done is called, or until no completion can be
 * reported any more.
 *
 * Errors: a Read that fails closes the connection. No @done is called after
 * that.
 */

#include <linux/minmax.h>

#include <rpcrdma/quirks.h>

#include "verbs.h"

#include <trace/events/svcrdma.h>

#include "wc.h"

/* Send Queue entries of a Read: invalidation, registration, the Read itself */
#define SVC_RDMA_READS_WRS	3u
/* Additional entry of a round: the Read that confirms the others */
#define SVC_RDMA_READS_CONFIRM	1u

/**
 * svc_rdma_reads_init - initialize the RDMA Reads of a new connection
 * @conn: connection
 *
 * Context: any.
 */
void svc_rdma_reads_init(struct svc_rdma_conn *conn)
{
	spin_lock_init(&conn->read_queue.lock);
	INIT_LIST_HEAD(&conn->read_queue.waiting);
	conn->read_queue.ord = U32_MAX;
}

/**
 * svc_rdma_reads_limit - limit the number of outstanding RDMA Reads
 * @conn: connection that has a Send Queue
 * @max: number of Reads: first the CM's limit, later the number that the
 *	requester announces (maxrdmaread, RFC 5666 section 6.2). If 0, further
 *	calls with Read chunks are refused; calls that have been accepted are
 *	still read.
 *
 * The limit is never raised.
 *
 * Context: any.
 */
void svc_rdma_reads_limit(struct svc_rdma_conn *conn, u32 max)
{
	struct svc_rdma_read_queue *queue = &conn->read_queue;
	u32 most = (conn->sq.depth - SVC_RDMA_READS_CONFIRM) /
		   SVC_RDMA_READS_WRS;

	spin_lock_bh(&queue->lock);
	queue->ord = min(queue->ord, max(max, 1u));
	queue->round = clamp(DIV_ROUND_UP(queue->ord, SVC_RDMA_READS_ROUNDS),
			     1u, most);
	if (!max)
		WRITE_ONCE(queue->denied, true);
	spin_unlock_bh(&queue->lock);
}

static bool svc_rdma_reads_is_read(const struct ib_send_wr *wr)
{
	return wr->opcode == IB_WR_RDMA_READ ||
	       wr->opcode == IB_WR_RDMA_READ_WITH_INV;
}

/*
 * Cut @count Reads off the chain, including the Work Requests that register
 * their memory. Only the last Work Request of the round is signaled.
 */
static void svc_rdma_reads_cut_locked(struct svc_rdma_reads *reads,
				      struct svc_rdma_reads_round *round,
				      u32 count)
{
	struct ib_send_wr *last = reads->next;
	u32 entries = 1, n = svc_rdma_reads_is_read(last);

	for (; n < count; entries++) {
		last = last->next;
		n += svc_rdma_reads_is_read(last);
	}
	round->first = reads->next;
	round->count = count;
	reads->next = last->next;
	reads->left -= count;
	last->next = NULL;
	last->wr_cqe = &round->cqe;
	last->send_flags |= IB_SEND_SIGNALED;
	entries += rpcrdma_reads_confirm(reads->conn->dev, last,
					 &round->confirm, &round->cqe);
	round->wait.entries = entries;
}

/*
 * Return the next round of the oldest call that has Reads left, or NULL if
 * there is none or the limit of outstanding Reads does not allow it yet.
 */
static struct svc_rdma_reads_round *
svc_rdma_reads_next_locked(struct svc_rdma_read_queue *queue)
{
	struct svc_rdma_reads_round *round;
	struct svc_rdma_reads *reads;
	u32 count;

	lockdep_assert_held(&queue->lock);
	reads = list_first_entry_or_null(&queue->waiting,
					 struct svc_rdma_reads, list);
	if (!reads)
		return NULL;
	/* Use the second round while the first one is in use. */
	round = &reads->rounds[!!reads->rounds[0].count];
	count = min(reads->left, queue->round);
	if (round->count || queue->out + count > queue->ord)
		return NULL;
	svc_rdma_reads_cut_locked(reads, round, count);
	if (!reads->left)
		list_del(&reads->list);
	return round;
}

/*
 * If posting fails, some of the Reads may have been posted. They are released
 * with their call, after the Queue Pair has been destroyed.
 */
static int svc_rdma_reads_ready(struct svc_rdma_sq_wait *wait)
{
	struct svc_rdma_reads_round *round =
		container_of(wait, struct svc_rdma_reads_round, wait);

	return svc_rdma_post(round->reads->conn, round->first,
			     RPCRDMA_NL_DETAIL_READ);
}

/*
 * Queue @add, if not NULL, behind the other calls, and post as many Reads as
 * may be outstanding. A round that finds too few Send Queue entries waits for
 * them, or is released with the connection if that is closing.
 */
static void svc_rdma_reads_admit(struct svc_rdma_conn *conn,
				 struct svc_rdma_reads *add)
{
	struct svc_rdma_read_queue *queue = &conn->read_queue;
	struct svc_rdma_reads_round *round;

	spin_lock_bh(&queue->lock);
	if (add)
		list_add_tail(&add->list, &queue->waiting);
	while (!svc_rdma_conn_closing(conn) &&
	       (round = svc_rdma_reads_next_locked(queue))) {
		queue->out += round->count;
		WARN_ON_ONCE(queue->out > queue->ord);
		svc_rdma_sq_queue(conn, &round->wait);
	}
	spin_unlock_bh(&queue->lock);
}

/*
 * After an error, the round remains in use, so @done is not called. siw may
 * report an error twice.
 */
static void svc_rdma_reads_wc_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct svc_rdma_reads_round *round =
		container_of(wc->wr_cqe, struct svc_rdma_reads_round, cqe);
	struct svc_rdma_reads *reads = round->reads;
	struct svc_rdma_conn *conn = cq->cq_context;
	struct svc_rdma_read_queue *queue = &conn->read_queue;
	u32 entries = round->wait.entries;
	bool last, more;

	trace_svc_rdma_wc_read(&conn->xprt, cq, wc);
	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		svc_rdma_rw_failed(conn, wc, DMA_FROM_DEVICE);
		return;
	}
	spin_lock_bh(&queue->lock);
	WARN_ON_ONCE(queue->out < round->count);
	queue->out -= round->count;
	round->count = 0;
	last = !reads->left && !reads->rounds[0].count &&
	       !reads->rounds[1].count;
	more = !list_empty(&queue->waiting);
	spin_unlock_bh(&queue->lock);
	svc_rdma_sq_give(conn, entries);
	if (more)
		svc_rdma_reads_admit(conn, NULL);
	if (last)
		reads->done(reads);
}

/**
 * svc_rdma_reads_start - post the Reads of a call, now or later
 * @conn: connection
 * @reads: Reads, zeroed
 * @first: chain of Work Requests that ends with a Read
 * @done: called in a completion handler when all Reads have completed; may free
 *	@reads
 *
 * Nothing is posted if the connection is closing.
 *
 * Context: process.
 */
void svc_rdma_reads_start(struct svc_rdma_conn *conn,
			  struct svc_rdma_reads *reads, struct ib_send_wr *first,
			  void (*done)(struct svc_rdma_reads *reads))
{
	const struct ib_send_wr *wr;
	u32 i;

	reads->conn = conn;
	reads->done = done;
	reads->next = first;
	for (wr = first; wr; wr = wr->next)
		reads->left += svc_rdma_reads_is_read(wr);
	for (i = 0; i < SVC_RDMA_READS_ROUNDS; i++) {
		reads->rounds[i].reads = reads;
		reads->rounds[i].cqe.done = svc_rdma_reads_wc_done;
		reads->rounds[i].wait.ready = svc_rdma_reads_ready;
	}
	svc_rdma_reads_admit(conn, reads);
}
