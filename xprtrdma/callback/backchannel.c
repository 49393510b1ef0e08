// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests for backchannel calls, which the server sends on our connection, and
 * for their replies (RFC 8167). callback.c handles the messages.
 *
 * Ownership: backchannel requests are created when needed. Unused ones are in
 * xprt->bc_pa_list. While a request is in use, the callback service holds a
 * reference, and so does the reply's Send while it is in flight. The service
 * has at most XPRT_RDMA_BC_CALLS calls (callback.c). The Send Queue bounds the
 * number of Sends. No tighter bound is possible: a peer may have received any
 * number of replies, and sent more calls, before our adapter reports that the
 * replies were sent. When the connection ends, all unused requests but one are
 * destroyed. Unused requests are kept until then, because a provider may report
 * the completion of a Send twice.
 */

#include <linux/mm.h>
#include <linux/slab.h>

#include "../conn.h"
#include "../limits.h"
#include "../req.h"
#include "../xprt.h"
#include "callback.h"
#include "../message/message.h"
#include "../verbs/verbs.h"

/**
 * xprt_rdma_bc_release - add a backchannel request to the list of unused ones
 * @req: request; the caller has the only reference
 *
 * Context: process.
 */
void xprt_rdma_bc_release(struct xprt_rdma_req *req)
{
	struct rpc_xprt *xprt = &req->r_xprt->xprt;
	struct xprt_rdma_callback *cb = req->cb;

	while (cb->npages)
		__free_page(cb->pages[--cb->npages]);
	spin_lock(&xprt->bc_pa_lock);
	list_add_tail(&req->rqst.rq_bc_pa_list, &xprt->bc_pa_list);
	spin_unlock(&xprt->bc_pa_lock);
}

static struct xprt_rdma_req *xprt_rdma_bc_req_create(struct xprt_rdma *r_xprt,
						     gfp_t gfp)
{
	struct xprt_rdma_req *req;

	req = xprt_rdma_req_create(r_xprt, PAGE_SIZE, gfp);
	if (!req)
		return NULL;
	req->release = xprt_rdma_bc_release;
	req->cb = kzalloc(sizeof(*req->cb), gfp);
	if (!req->cb) {
		xprt_rdma_req_destroy(req);
		return NULL;
	}
	return req;
}

/**
 * xprt_rdma_op_bc_setup - begin to accept backchannel calls
 * @xprt: transport
 * @reqs: unused; smallest number of concurrent calls that NFS needs
 *
 * Context: process; may sleep and start I/O.
 * Return: 0 or -ENOMEM.
 */
int xprt_rdma_op_bc_setup(struct rpc_xprt *xprt, unsigned int reqs)
{
	struct xprt_rdma *r_xprt = to_r_xprt(xprt);
	struct xprt_rdma_req *req;

	if (list_empty(&xprt->bc_pa_list)) {
		req = xprt_rdma_bc_req_create(r_xprt, GFP_KERNEL);
		if (!req)
			return -ENOMEM;
		xprt_rdma_bc_release(req);
	}
	spin_lock(&xprt->bc_pa_lock);
	WRITE_ONCE(r_xprt->bc_slots, XPRT_RDMA_BC_SLOTS);
	spin_unlock(&xprt->bc_pa_lock);
	return 0;
}

/**
 * xprt_rdma_op_bc_maxpayload - get the size of the largest backchannel message
 * @xprt: transport
 *
 * RFC 8167 section 5.1: both directions have the same inline thresholds. The
 * result allows for the longer header of version 2, as the next connection may
 * use either version.
 *
 * Context: process.
 * Return: bytes of RPC message.
 */
size_t xprt_rdma_op_bc_maxpayload(struct rpc_xprt *xprt)
{
	struct xprt_rdma *r_xprt = to_r_xprt(xprt);
	u32 max = RPCRDMA_V1_INLINE_DEFAULT;

	spin_lock(&r_xprt->conn_lock);
	if (r_xprt->conn)
		max = min(READ_ONCE(r_xprt->conn->sizes.inline_send),
			  READ_ONCE(r_xprt->conn->sizes.inline_recv));
	spin_unlock(&r_xprt->conn_lock);
	return min_t(size_t, max, PAGE_SIZE) - RPCRDMA2_MIN_SIZE;
}

/**
 * xprt_rdma_op_bc_num_slots - get the number of backchannel calls that may be
 * outstanding
 * @xprt: transport
 *
 * Context: process.
 * Return: that number.
 */
unsigned int xprt_rdma_op_bc_num_slots(struct rpc_xprt *xprt)
{
	return XPRT_RDMA_BC_SLOTS;
}

/**
 * xprt_rdma_op_bc_destroy - stop accepting backchannel calls
 * @xprt: transport
 * @reqs: unused
 *
 * When this function returns, NFS may stop the callback service: the service
 * has no call of this transport, and gets no more. The service's threads finish
 * the calls that are queued. A call whose Read chunks are being fetched may
 * never get an answer from the peer, so the connection is closed after each
 * second of waiting.
 *
 * Context: process; may sleep.
 */
void xprt_rdma_op_bc_destroy(struct rpc_xprt *xprt, unsigned int reqs)
{
	u32 ticks;

	spin_lock(&xprt->bc_pa_lock);
	WRITE_ONCE(to_r_xprt(xprt)->bc_slots, 0);
	spin_unlock(&xprt->bc_pa_lock);
	for (ticks = 1; atomic_read(&xprt->bc_slot_count); ticks++) {
		if (ticks % HZ == 0)
			xprt_force_disconnect(xprt);
		schedule_timeout_uninterruptible(1);
	}
}

static struct rpc_rqst *xprt_rdma_bc_take_unused_locked(struct rpc_xprt *xprt)
{
	struct rpc_rqst *rqst;

	rqst = list_first_entry_or_null(&xprt->bc_pa_list, struct rpc_rqst,
					rq_bc_pa_list);
	if (rqst)
		list_del_init(&rqst->rq_bc_pa_list);
	return rqst;
}

/**
 * xprt_rdma_bc_trim - destroy unused backchannel requests
 * @r_xprt: transport without a connection
 * @keep: keep one, if there is any
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_bc_trim(struct xprt_rdma *r_xprt, bool keep)
{
	struct rpc_xprt *xprt = &r_xprt->xprt;
	struct rpc_rqst *rqst;

	spin_lock(&xprt->bc_pa_lock);
	while (!(keep && list_is_singular(&xprt->bc_pa_list)) &&
	       (rqst = xprt_rdma_bc_take_unused_locked(xprt))) {
		spin_unlock(&xprt->bc_pa_lock);
		xprt_rdma_req_destroy(rqst_to_req(rqst));
		spin_lock(&xprt->bc_pa_lock);
	}
	spin_unlock(&xprt->bc_pa_lock);
}

/**
 * xprt_rdma_op_bc_free_rqst - release a request of the callback service
 * @rqst: request
 *
 * Context: process.
 */
void xprt_rdma_op_bc_free_rqst(struct rpc_rqst *rqst)
{
	struct rpc_xprt *xprt = rqst->rq_xprt;

	xprt_rdma_credit_return(to_r_xprt(xprt), rqst);
	xprt_rdma_req_put(rqst_to_req(rqst));
	xprt_put(xprt);
}

/**
 * xprt_rdma_bc_get - get a request for a backchannel call
 * @r_xprt: transport
 *
 * Context: completion handler.
 * Return: request, or NULL if there is no memory.
 */
struct xprt_rdma_req *xprt_rdma_bc_get(struct xprt_rdma *r_xprt)
{
	struct rpc_xprt *xprt = &r_xprt->xprt;
	struct rpc_rqst *rqst;

	spin_lock(&xprt->bc_pa_lock);
	rqst = xprt_rdma_bc_take_unused_locked(xprt);
	spin_unlock(&xprt->bc_pa_lock);
	if (likely(rqst))
		return rqst_to_req(rqst);
	return xprt_rdma_bc_req_create(r_xprt, XPRT_RDMA_GFP);
}
