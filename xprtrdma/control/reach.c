// SPDX-License-Identifier: GPL-2.0-only
/*
 * Check whether the server can be reached while a connect request is
 * unanswered.
 *
 * A connect request that is sent during an outage is lost, and the CM repeats
 * it only after 4.6 s. A busy server does not answer either, and starts over
 * with each new connect request. To tell these cases apart, this file sends
 * test requests for port 0, where no service can listen: the server's CM
 * rejects them immediately, however busy the services are. The connect request
 * may have been lost if the first test request is answered although the connect
 * request is not, or if a test request is answered after an earlier one was
 * not. A server that answers gets fewer and fewer test requests, because
 * thousands of clients may wait for it after it has restarted.
 *
 * This is not possible with iWARP, where a request needs a TCP connection. TCP
 * repeats its own first packet after one, three and seven seconds.
 *
 * Ownership: a transport has one test request at a time. Its CM identifier is
 * destroyed, and its memory freed, when the port is active
 * (core/verbs/deferred_id.c).
 */

#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/sunrpc/addr.h>

#include <rpcrdma/cm.h>

#include "../limits.h"
#include "../stats.h"
#include "../xprt.h"
#include "control.h"

/* Interval between test requests, doubled while they are answered, and its limit */
#define REACH_INTERVAL	((unsigned long)HZ / 2)
#define REACH_MOST	(8UL * HZ)
/* Interval until the next try if there are too many test requests, or no memory */
#define REACH_AGAIN	((unsigned long)HZ / 5)

/*
 * Number of unanswered test requests of all transports, limited to protect the
 * servers
 */
static atomic_t reach_unanswered = ATOMIC_INIT(0);

/**
 * struct xprt_rdma_reach_req - a test request, which nobody accepts
 * @deferred: destroys the CM identifier
 * @answered: the server's CM has rejected the request
 * @gone: the device is being removed
 */
struct xprt_rdma_reach_req {
	struct rpcrdma_deferred_id	deferred;
	bool				answered;
	bool				gone;
};

/* The connect worker may wait for this handler, so no allocation may start I/O. */
static int xprt_rdma_reach_cm_event(struct rdma_cm_id *id,
				    struct rdma_cm_event *event)
{
	struct xprt_rdma_reach_req *req = id->context;
	struct rdma_conn_param param = {};
	unsigned int flags = memalloc_noio_save();

	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		rdma_resolve_route(id, XPRT_RDMA_ROUTE_MS);
		break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		/* The server rejects the request, so its identifier has no Queue Pair. */
		rdma_connect_locked(id, &param);
		break;
	case RDMA_CM_EVENT_REJECTED:
		WRITE_ONCE(req->answered, true);
		break;
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
		WRITE_ONCE(req->gone, true);
		break;
	default:
		break;
	}
	memalloc_noio_restore(flags);
	return 0;
}

static void xprt_rdma_reach_freed(struct rpcrdma_deferred_id *deferred)
{
	xprt_rdma_count_add(reach_reqs_now, -1);
	kfree(container_of(deferred, struct xprt_rdma_reach_req, deferred));
}

/* Send a test request. Returns NULL if too many are unanswered, or memory is short. */
static struct xprt_rdma_reach_req *xprt_rdma_reach_ask(struct xprt_rdma *r_xprt)
{
	struct rpc_xprt *xprt = &r_xprt->xprt;
	struct xprt_rdma_reach_req *req;
	struct sockaddr_storage addr = xprt->addr;
	struct rdma_cm_id *id;

	if (atomic_read(&reach_unanswered) >= XPRT_RDMA_REACH_REQS)
		return NULL;
	req = kzalloc(sizeof(*req), GFP_KERNEL);
	if (!req)
		return NULL;
	id = rdma_create_id(xprt->xprt_net, xprt_rdma_reach_cm_event, req,
			    RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id)) {
		kfree(req);
		return NULL;
	}
	xprt_rdma_count(reach_reqs_now);
	atomic_inc(&reach_unanswered);
	req->deferred.id = id;
	rpc_set_port((struct sockaddr *)&addr, 0);
	rdma_resolve_addr(id, NULL, (struct sockaddr *)&addr,
			  XPRT_RDMA_ADDR_MS);
	return req;
}

/**
 * xprt_rdma_reach_end - stop sending test requests
 * @reach: initialized by xprt_rdma_reach_begin()
 *
 * Context: process.
 */
void xprt_rdma_reach_end(struct xprt_rdma_reach *reach)
{
	struct xprt_rdma_reach_req *req = reach->req;

	reach->req = NULL;
	if (!req)
		return;
	atomic_dec(&reach_unanswered);
	rpcrdma_id_destroy_deferred(&req->deferred, req->deferred.id,
				    &req->gone, xprt_rdma_reach_freed,
				    THIS_MODULE);
}

/**
 * xprt_rdma_reach_begin - prepare to send test requests
 * @reach: initialized by this function
 * @r_xprt: transport
 * @first: the connect request is the first one of this attempt
 *
 * Context: process. The first test request is sent after a second.
 */
void xprt_rdma_reach_begin(struct xprt_rdma_reach *reach,
			   struct xprt_rdma *r_xprt, bool first)
{
	*reach = (struct xprt_rdma_reach) {
		.r_xprt = r_xprt,
		.due = jiffies + HZ,
		.interval = REACH_INTERVAL,
		.missed = first,
	};
}

/**
 * xprt_rdma_reach_lost - check whether the connect request may have been lost
 * @reach: initialized by xprt_rdma_reach_begin()
 *
 * Call this function often: it also sends the test requests when they are due.
 *
 * Context: process; may wait for a handler of the CM.
 * Return: true if the server can be reached now, but could not be reached
 * earlier: an unanswered connect request should be sent again.
 */
bool xprt_rdma_reach_lost(struct xprt_rdma_reach *reach)
{
	if (reach->req && READ_ONCE(reach->req->answered)) {
		if (reach->missed)
			return true;
		reach->heard = reach->due ?: 1;
		reach->interval = min(2 * reach->interval, REACH_MOST);
		xprt_rdma_reach_end(reach);
	}
	if (time_before(jiffies, reach->due))
		return false;
	if (reach->req) {
		reach->missed = true;
		reach->interval = REACH_INTERVAL;
		xprt_rdma_reach_end(reach);
	}
	reach->req = xprt_rdma_reach_ask(reach->r_xprt);
	reach->due = jiffies + (reach->req ? reach->interval : REACH_AGAIN);
	return false;
}

/**
 * xprt_rdma_reach_heard - check whether the server has answered recently
 * @reach: initialized by xprt_rdma_reach_begin()
 * @within: jiffies
 *
 * Context: any.
 * Return: true if the server's CM has answered in the last @within jiffies.
 */
bool xprt_rdma_reach_heard(const struct xprt_rdma_reach *reach,
			   unsigned long within)
{
	return reach->heard && time_before(jiffies, reach->heard + within);
}
