// SPDX-License-Identifier: GPL-2.0-only
/*
 * The completion queue of the Receives.
 *
 * Operation: the nfsd thread that takes the next message polls the queue. The
 * completion handler only records an event and enqueues the transport. So no
 * softirq (or ksoftirqd, with a provider that calls the handler in process
 * context) runs between the arrival of a call and the thread that serves it.
 * The thread takes one message, and leaves the others that it has polled to the
 * next thread.
 *
 * XPT_BUSY is held while the queue is polled: one thread polls at a time, and
 * messages are taken in order of arrival. The queue is polled only after an
 * event. While it is armed, the handler reports the next completion.
 *
 * No event is lost:
 *
 *   handler				thread that holds XPT_BUSY
 *   H1 recv_event = true		T1 poll
 *   H2 set XPT_DATA			T2 recv_event = false
 *   H3 enqueue the transport		T3 arm; recv_event = true if it was not
 *					   empty when armed
 *					T4 clear XPT_DATA if no message is left
 *					T5 set XPT_DATA if recv_event
 *					T6 clear XPT_BUSY and enqueue
 *
 * After each arming, the handler is called once, when a completion is added. If
 * H1 comes before T2, its completion was in the queue before the queue was
 * armed: it was polled, or T3 finds it. Otherwise T5 sees recv_event, or T4
 * came before H2 and XPT_DATA remains set. So at T6 the queue is armed and
 * empty, or XPT_DATA is set, or H2 and H3 are still to come. Both T6 and H3
 * enqueue a transport that has XPT_DATA set and XPT_BUSY clear.
 *
 * On some kernels, the handler must not enqueue the transport: a work item does
 * H3.
 *
 * Ownership: the queue belongs to the connection. It has an entry for each
 * Receive, so it does not overflow while threads are busy or the connection is
 * throttled. The Receive Queue is not drained: Receives that have not completed
 * when the connection is released end with the Queue Pair.
 */

#include "verbs.h"

/*
 * Context: any, including hard interrupt. The provider may hold locks that
 * polling takes. svc_xprt_enqueue() takes no lock, except on older kernels.
 */
static void svc_rdma_recv_cq_event(struct ib_cq *cq, void *context)
{
	struct svc_rdma_conn *conn = context;

	WRITE_ONCE(conn->recv_cq.event, true);
	/* Pairs with the barrier in svc_rdma_recv_cq_idle_locked(). */
	smp_mb__before_atomic();
	set_bit(XPT_DATA, &conn->xprt.xpt_flags);
	if (unlikely(!rpcrdma_may_enqueue()))
		queue_work(svc_rdma_wq, &conn->recv_cq.work);
	else
		svc_rdma_conn_enqueue(conn);
}

static void svc_rdma_recv_cq_work(struct work_struct *work)
{
	svc_rdma_conn_enqueue(container_of(work, struct svc_rdma_conn,
					   recv_cq.work));
}

/**
 * svc_rdma_recv_cq_create - create the completion queue of the Receives
 * @conn: connection
 * @depth: entries: one for each Work Request of the Receive Queue
 *
 * With IB_POLL_DIRECT, the RDMA core does not install its own completion
 * handler.
 *
 * Context: process.
 * Return: 0 or a negative errno.
 */
int svc_rdma_recv_cq_create(struct svc_rdma_conn *conn, u32 depth)
{
	struct ib_cq *cq;

	cq = ib_alloc_cq_any(conn->dev, conn, depth, IB_POLL_DIRECT);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	INIT_WORK(&conn->recv_cq.work, svc_rdma_recv_cq_work);
	cq->comp_handler = svc_rdma_recv_cq_event;
	conn->recv_cq.cq = cq;
	ib_req_notify_cq(cq, IB_CQ_NEXT_COMP);
	return 0;
}

/**
 * svc_rdma_recv_cq_poll - collect messages that have arrived
 * @conn: connection
 *
 * The number of messages is bounded by the number of Receives: no other thread
 * takes messages meanwhile, and a Receive is reposted only after its message
 * was taken.
 *
 * Context: process: an nfsd thread that holds XPT_BUSY, or the release of the
 * connection.
 */
void svc_rdma_recv_cq_poll(struct svc_rdma_conn *conn)
{
	struct ib_cq *cq = conn->recv_cq.cq;

	if (!READ_ONCE(conn->recv_cq.event))
		return;
	ib_process_cq_direct(cq, -1);
	WRITE_ONCE(conn->recv_cq.event, false);
	/* The handler can set the event again as soon as the queue is armed. */
	smp_mb();
	if (ib_req_notify_cq(cq, IB_CQ_NEXT_COMP |
				 IB_CQ_REPORT_MISSED_EVENTS) > 0)
		WRITE_ONCE(conn->recv_cq.event, true);
}

/**
 * svc_rdma_recv_cq_idle_locked - clear XPT_DATA, unless there was an event
 * @conn: connection that has nothing left for an nfsd thread to take
 *
 * All contexts but the completion handler set XPT_DATA with reads.lock held.
 *
 * Context: process, an nfsd thread that holds XPT_BUSY and reads.lock.
 */
void svc_rdma_recv_cq_idle_locked(struct svc_rdma_conn *conn)
{
	clear_bit(XPT_DATA, &conn->xprt.xpt_flags);
	/* Pairs with the barrier in svc_rdma_recv_cq_event(). */
	smp_mb__after_atomic();
	if (unlikely(READ_ONCE(conn->recv_cq.event)))
		set_bit(XPT_DATA, &conn->xprt.xpt_flags);
}

/**
 * svc_rdma_recv_cq_destroy - free the completion queue of the Receives
 * @conn: connection without a Queue Pair; it need not have a completion queue
 *
 * The provider may still be calling the handler until the queue has been freed.
 * The handler does not enqueue the transport then: XPT_BUSY is set on a
 * transport that is about to be freed.
 *
 * Context: process.
 */
void svc_rdma_recv_cq_destroy(struct svc_rdma_conn *conn)
{
	if (!conn->recv_cq.cq)
		return;
	ib_free_cq(conn->recv_cq.cq);
	conn->recv_cq.cq = NULL;
	cancel_work_sync(&conn->recv_cq.work);
}
