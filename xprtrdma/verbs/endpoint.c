// SPDX-License-Identifier: GPL-2.0-only
/*
 * The verbs objects of a connection: protection domain, completion queue, Queue
 * Pair.
 *
 * The queues are sized for the slot table, as far as the device allows.
 * Receives, regions and requests are created when needed, except for a reserve
 * (message/req.c, mr.c). Sends and Receives share one completion queue
 * (recv.c).
 *
 * The workqueue that polls the completion queue is unbound. So are rpciod,
 * whose task a reply wakes, and the workqueues in which soft-RoCE handles
 * packets. Unbound workqueues share one pool of workers, and a busy worker
 * takes the next work item without a wakeup. The RDMA core's workqueue for
 * completions is bound to processors and has high priority, so each of these
 * steps would wake a worker of another pool.
 *
 * Affinity: a bound workqueue would poll on the processor that handled the
 * device's interrupt. An unbound workqueue starts on a processor that shares a
 * cache with that processor, and the scheduler may move the worker. The
 * administrator can choose the processors (WQ_SYSFS).
 *
 * Memory reclaim waits for replies, so the workqueue has a rescuer. Its work items
 * wait for no other workqueue.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include <rpcrdma/rw.h>

#include "../conn.h"
#include "../limits.h"
#include "../stats.h"
#include "../xprt.h"
#include "verbs.h"

/* Work Requests that ib_drain_sq() and ib_drain_rq() post */
#define DRAIN_WRS	1u
/* Further Send Queue entries: for draining, and for a probe (control/probe.c) */
#define SQ_EXTRA	(DRAIN_WRS + 1u)
/*
 * Limit of Send Queue entries of all kinds. Providers round the size up to a
 * power of two, some of them after adding one. Calls that find too few entries
 * wait.
 */
#define SQ_MOST		127u
/* Send Queue entries per call in flight */
#define SQ_PER_REQ	3u
/* Smallest Send Queue: enough for two calls with the most segments */
#define SQ_MIN		(4u * XPRT_RDMA_MAX_SEGS + 4u)
/* A device that allows fewer calls in flight is not used. */
#define REQS_MIN	2u

/* Receive Queue entries beyond one per call in flight */
#define RECV_EXTRA	(XPRT_RDMA_BC_SLOTS + XPRT_RDMA_SPARE_RECVS + DRAIN_WRS)

static struct workqueue_struct *completion_wq;

/**
 * xprt_rdma_device_has - check a limit of a device, and log if it is too low
 * @device: device
 * @what: name of the limit
 * @has: limit of the device
 * @least: limit that a connection needs
 *
 * Context: process.
 * Return: 0 or -EOPNOTSUPP.
 */
int xprt_rdma_device_has(const struct ib_device *device, const char *what,
			 u32 has, u32 least)
{
	if (has >= least)
		return 0;
	pr_warn_ratelimited("%s cannot be used: it has %u %s, %u are needed; use another RDMA device, or mount with proto=tcp\n",
			    dev_name(&device->dev), has, what, least);
	return -EOPNOTSUPP;
}

/* Fit the queues, and the number of calls in flight, to the device's limits. */
static int xprt_rdma_endpoint_size_queues(struct xprt_rdma_conn *conn,
					  struct ib_qp_cap *cap)
{
	const struct ib_device_attr *attrs = &conn->device->attrs;
	u32 calls, max_wr = attrs->max_qp_wr, max_cqe = attrs->max_cqe;
	u32 reads = conn->fetches.wrs, least = SQ_MIN + SQ_EXTRA + reads;
	int rc;

	/*
	 * A Read takes at most four entries: registration, Read, invalidation,
	 * confirmation.
	 */
	BUILD_BUG_ON(SQ_MIN + SQ_EXTRA + 4 * XPRT_RDMA_READ_OPS > SQ_MOST);
	BUILD_BUG_ON(SQ_MIN < XPRT_RDMA_CHAIN_WRS);
	/* This ensures that the Receive Queue fits, too. */
	BUILD_BUG_ON(RECV_EXTRA + REQS_MIN > SQ_MIN + SQ_EXTRA);
	/* The completion queue must hold the entries of both queues. */
	rc = xprt_rdma_device_has(conn->device, "entries per queue", max_wr, least) ?:
	     xprt_rdma_device_has(conn->device, "entries per completion queue",
				  max_cqe, least + RECV_EXTRA + REQS_MIN);
	if (rc)
		return rc;
	max_wr -= reads;
	max_cqe -= reads + SQ_EXTRA + RECV_EXTRA;
	calls = min3(conn->r_xprt->xprt.max_reqs, max_wr - RECV_EXTRA,
		     min(max_cqe / (SQ_PER_REQ + 1), max_cqe - SQ_MIN));
	/* RFC 5666 section 3.3: a new connection starts with one credit. */
	conn->credits.max = calls;
	conn->credits.granted = 1;
	conn->recvs.max = calls + RECV_EXTRA - DRAIN_WRS;
	conn->sq.size = clamp(SQ_PER_REQ * calls, SQ_MIN,
			      min(max_wr, SQ_MOST - reads) - SQ_EXTRA);
	atomic_set(&conn->sq.avail, conn->sq.size);

	*cap = (struct ib_qp_cap) {
		.max_send_wr	= conn->sq.size + SQ_EXTRA + reads,
		.max_recv_wr	= calls + RECV_EXTRA,
		.max_send_sge	= conn->sq.max_sges,
		.max_recv_sge	= 1,
	};
	return 0;
}

static int xprt_rdma_endpoint_create_qp(struct xprt_rdma_conn *conn)
{
	struct ib_qp_init_attr attr = {
		.sq_sig_type	= IB_SIGNAL_REQ_WR,
		.qp_type	= IB_QPT_RC,
		.port_num	= conn->id->port_num,
	};
	struct ib_cq *cq;
	int rc;

	rc = xprt_rdma_endpoint_size_queues(conn, &attr.cap);
	if (rc)
		return rc;
	cq = ib_alloc_cq_any(conn->device, conn, attr.cap.max_send_wr +
			     attr.cap.max_recv_wr, IB_POLL_WORKQUEUE);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	/* Nothing completes before a Queue Pair uses the completion queue. */
	cq->comp_wq = completion_wq;
	conn->cq = cq;
	attr.send_cq = cq;
	attr.recv_cq = cq;
	rc = rdma_create_qp(conn->id, conn->pd, &attr);
	if (rc)
		return rc;
	conn->qp = conn->id->qp;
	conn->rws.qp = conn->qp;
	xprt_rdma_count(qps_now);
	return 0;
}

/* As a Send holds at least one Send Queue entry, the ring is never too small. */
static int xprt_rdma_endpoint_alloc_sends(struct xprt_rdma_conn *conn)
{
	u32 size = roundup_pow_of_two(conn->sq.size);

	conn->sends.ring = kvcalloc(size, sizeof(*conn->sends.ring),
				    XPRT_RDMA_GFP);
	conn->sends.mask = size - 1;
	return conn->sends.ring ? 0 : -ENOMEM;
}

/**
 * xprt_rdma_endpoint_query - set a connection's limits to what the device
 * supports
 * @conn: connection bound to a device
 *
 * Context: process.
 * Return: 0, or -EOPNOTSUPP if the device cannot be used.
 */
int xprt_rdma_endpoint_query(struct xprt_rdma_conn *conn)
{
	const struct ib_device_attr *attrs = &conn->id->device->attrs;
	u32 sges;
	int rc;

	conn->device = conn->id->device;
	/* The peer reads from our memory, and we read replies from the peer's. */
	conn->peer.ird = clamp(attrs->max_qp_rd_atom, 0, U8_MAX);
	conn->peer.ord = clamp(attrs->max_qp_init_rd_atom, 0, U8_MAX);
	rc = xprt_rdma_frwr_query(conn);
	if (rc)
		return rc;
	/* header, head, pages (one more if unaligned), tail */
	sges = 4 + DIV_ROUND_UP(conn->sizes.send_most, PAGE_SIZE);
	conn->sq.max_sges = min3(sges, XPRT_RDMA_MAX_SGES,
				 (u32)attrs->max_send_sge);
	return xprt_rdma_device_has(conn->device, "gather entries per Send",
				    conn->sq.max_sges, 3);
}

/**
 * xprt_rdma_endpoint_create - create a connection's verbs objects
 * @conn: connection, after xprt_rdma_endpoint_query() and
 *	xprt_rdma_pulled_query(), which takes its share of the Send Queue
 *
 * On success, the first Receives are posted, and the regions that one call may
 * need exist.
 *
 * Context: process. After an error, xprt_rdma_endpoint_destroy() cleans up.
 * Return: 0 or a negative errno.
 */
int xprt_rdma_endpoint_create(struct xprt_rdma_conn *conn)
{
	struct ib_pd *pd;
	int rc;

	WARN_ON_ONCE(!xprt_rdma_reclaim_safe());
	rc = xprt_rdma_regbuf_alloc(&conn->mrs.discard, PAGE_SIZE, XPRT_RDMA_GFP);
	if (!rc)
		rc = xprt_rdma_regbuf_map(&conn->mrs.discard, conn->device,
					  DMA_FROM_DEVICE);
	if (rc)
		return rc;
	pd = ib_alloc_pd(conn->device, 0);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	conn->pd = pd;
	rc = xprt_rdma_endpoint_create_qp(conn);
	if (!rc)
		rc = xprt_rdma_endpoint_alloc_sends(conn);
	if (rc)
		return rc;
	rc = xprt_rdma_recvs_post(conn);
	return rc ?: xprt_rdma_mrs_reserve(conn);
}

/**
 * xprt_rdma_endpoint_error - move the Queue Pair to the error state
 * @conn: connection
 *
 * From then on the peer cannot access any of our memory, and every Work Request
 * completes.
 *
 * Context: process.
 * Return: 0; a negative errno if the peer may have access until the Queue Pair is
 * destroyed.
 */
int xprt_rdma_endpoint_error(struct xprt_rdma_conn *conn)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	return ib_modify_qp(conn->qp, &attr, IB_QP_STATE);
}

/**
 * xprt_rdma_endpoint_drain - wait until nothing is in flight
 * @conn: connection
 *
 * Receives are drained first, because handling a reply may post invalidations.
 * Some completions may never be reported, such as those of RDMA Reads when siw
 * closes a connection. Even so, their Work Requests are not executed any more.
 *
 * A connection that was never established has nothing in flight but Receives.
 * Draining them could wait forever: an adapter that failed to move the Queue
 * Pair to its next state does not always flush them. The Receives are released
 * when the Queue Pair has been destroyed.
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_endpoint_drain(struct xprt_rdma_conn *conn)
{
	if (!xprt_rdma_life_established(&conn->life))
		return;
	ib_drain_rq(conn->qp);
	ib_drain_sq(conn->qp);
}

/**
 * xprt_rdma_endpoint_destroy_qp - destroy Queue Pair and completion queue
 * @conn: drained connection; either object may be missing
 *
 * Polling is disabled first: from then on no completion handler runs, and a
 * Work Request that has not completed never will. A Queue Pair that could not
 * be moved to the error state is not drained, so handlers might otherwise still
 * post to it. RDMA Reads and Writes return their regions before the Queue Pair
 * is destroyed.
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_endpoint_destroy_qp(struct xprt_rdma_conn *conn)
{
	WARN_ON_ONCE(!xprt_rdma_reclaim_safe());
	if (conn->cq)
		disable_work_sync(&conn->cq->work);
	if (conn->qp) {
		rpcrdma_rw_end(&conn->rws);
		rdma_destroy_qp(conn->id);
		xprt_rdma_count_add(qps_now, -1);
	}
	if (conn->cq)
		ib_free_cq(conn->cq);
}

/**
 * xprt_rdma_endpoint_destroy - destroy a connection's other verbs objects
 * @conn: connection without a Queue Pair; other objects may be missing
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_endpoint_destroy(struct xprt_rdma_conn *conn)
{
	xprt_rdma_mrs_destroy(conn);
	xprt_rdma_recvs_destroy(conn);
	if (conn->pd)
		ib_dealloc_pd(conn->pd);
	xprt_rdma_regbuf_free(&conn->mrs.discard);
	kvfree(conn->sends.ring);
}

/**
 * xprt_rdma_completion_init - allocate the workqueue for completions
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int xprt_rdma_completion_init(void)
{
	completion_wq = alloc_workqueue("xprtrdma_comp",
					WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_SYSFS,
					0);
	return completion_wq ? 0 : -ENOMEM;
}

/**
 * xprt_rdma_completion_exit - free the workqueue for completions
 *
 * Context: process; there is no completion queue any more.
 */
void xprt_rdma_completion_exit(void)
{
	destroy_workqueue(completion_wq);
}
