// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backchannel requests (RFC 8167): for calls that the server sends on our
 * connection, and for their replies. callback.c has the messages.
 *
 * Ownership: backchannel requests are created when needed, up to
 * XPRT_RDMA_BC_REQS. Unused ones are in xprt->bc_pa_list. While a request is in
 * use, the callback service holds a reference, and so does the reply's Send
 * while it is in flight.
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
 * xprt_rdma_op_bc_setup - begin to accept backchannel calls
 * @xprt: transport
 * @reqs: unused; concurrent calls that NFS needs at least
 *
 * Context: process.
 * Return: 0.
 */
int xprt_rdma_op_bc_setup(struct rpc_xprt *xprt, unsigned int reqs)
{
	WRITE_ONCE(to_r_xprt(xprt)->bc_slots, XPRT_RDMA_BC_SLOTS);
	return 0;
}

/**
 * xprt_rdma_op_bc_maxpayload - size of the largest backchannel message
 * @xprt: transport
 *
 * RFC 8167 section 5.1: both directions have the same inline thresholds. The
 * longer header of the two versions counts, as the next connection may use
 * either.
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
		max = min(r_xprt->conn->inline_send, r_xprt->conn->inline_recv);
	spin_unlock(&r_xprt->conn_lock);
	return min_t(size_t, max, PAGE_SIZE) - RPCRDMA2_MIN_SIZE;
}

/**
 * xprt_rdma_op_bc_num_slots - how many backchannel calls may be outstanding
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
 * xprt_rdma_op_bc_destroy - destroy unused backchannel requests
 * @xprt: transport
 * @reqs: destroy at most this many
 *
 * Context: process.
 */
void xprt_rdma_op_bc_destroy(struct rpc_xprt *xprt, unsigned int reqs)
{
	struct xprt_rdma *r_xprt = to_r_xprt(xprt);
	struct rpc_rqst *rqst;

	spin_lock(&xprt->bc_pa_lock);
	while (reqs--) {
		rqst = list_first_entry_or_null(&xprt->bc_pa_list,
						struct rpc_rqst,
						rq_bc_pa_list);
		if (!rqst)
			break;
		list_del_init(&rqst->rq_bc_pa_list);
		r_xprt->bc_reqs--;
		spin_unlock(&xprt->bc_pa_lock);
		xprt_rdma_req_destroy(rqst_to_req(rqst));
		spin_lock(&xprt->bc_pa_lock);
	}
	spin_unlock(&xprt->bc_pa_lock);
}

/**
 * xprt_rdma_bc_release - return a backchannel request to the unused ones
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
	kfree(cb->pages);
	cb->pages = NULL;
	spin_lock(&xprt->bc_pa_lock);
	list_add_tail(&req->rqst.rq_bc_pa_list, &xprt->bc_pa_list);
	spin_unlock(&xprt->bc_pa_lock);
}

/**
 * xprt_rdma_op_bc_free_rqst - release a request of the callback service's
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

static struct xprt_rdma_req *xprt_rdma_bc_req_create(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_req *req;

	req = xprt_rdma_req_create(r_xprt, XPRT_RDMA_GFP);
	if (!req)
		return NULL;
	req->release = xprt_rdma_bc_release;
	req->cb = kzalloc(sizeof(*req->cb), XPRT_RDMA_GFP);
	if (!req->cb ||
	    xprt_rdma_regbuf_alloc(&req->snd, PAGE_SIZE, XPRT_RDMA_GFP,
				   DMA_TO_DEVICE) ||
	    xprt_rdma_regbuf_alloc(&req->rcv, PAGE_SIZE, XPRT_RDMA_GFP,
				   DMA_FROM_DEVICE)) {
		xprt_rdma_req_destroy(req);
		return NULL;
	}
	return req;
}

/**
 * xprt_rdma_bc_get - get a request for a backchannel call
 * @r_xprt: transport
 *
 * Context: completion handler.
 * Return: request, or NULL if all are in use or there is no memory.
 */
struct xprt_rdma_req *xprt_rdma_bc_get(struct xprt_rdma *r_xprt)
{
	struct rpc_xprt *xprt = &r_xprt->xprt;
	struct xprt_rdma_req *req;
	struct rpc_rqst *rqst;
	bool grow;

	spin_lock(&xprt->bc_pa_lock);
	rqst = list_first_entry_or_null(&xprt->bc_pa_list, struct rpc_rqst,
					rq_bc_pa_list);
	if (rqst)
		list_del_init(&rqst->rq_bc_pa_list);
	grow = !rqst && r_xprt->bc_reqs < XPRT_RDMA_BC_REQS;
	r_xprt->bc_reqs += grow;
	spin_unlock(&xprt->bc_pa_lock);
	if (rqst)
		return rqst_to_req(rqst);
	if (!grow)
		return NULL;
	req = xprt_rdma_bc_req_create(r_xprt);
	if (!req) {
		spin_lock(&xprt->bc_pa_lock);
		r_xprt->bc_reqs--;
		spin_unlock(&xprt->bc_pa_lock);
	}
	return req;
}
