// SPDX-License-Identifier: GPL-2.0-only
/*
 * The request pool, which is sunrpc's slot table.
 *
 * Operation: requests are created when needed, up to the transport's limit, and
 * kept in a free list between two RPCs. Free requests are destroyed when the
 * connection ends, so that a transport that was busy once does not keep the
 * memory. A reserve stays, so that memory reclaim does not depend on allocating
 * requests. When no other memory is left, calls share the reserve, and a call
 * that finds too little of it tries again.
 *
 * Ownership: the RPC that uses a request holds one reference; its Send holds
 * another while in flight. When both are dropped, the request returns to the
 * free list, or passes to a task that waits for a slot. So no buffer that the
 * device may still read is reused or freed. The regions and the reply of a
 * request belong to the RPC alone.
 *
 * Errors: when memory is short, the task gets -ENOMEM and sunrpc tries again.
 */

#include <linux/lockdep.h>
#include <linux/slab.h>

#include "../limits.h"
#include "../req.h"
#include "../stats.h"
#include "../xprt.h"
#include "message.h"
#include "../verbs/verbs.h"

/* Bytes; smallest XDR buffer of a call or reply */
#define BUF_MIN		1024u

/**
 * xprt_rdma_req_create - allocate a request with its buffers
 * @r_xprt: transport
 * @size: bytes; size of the XDR buffers of call and reply
 * @gfp: allocation flags
 *
 * Context: process.
 * Return: the request, with one reference, or NULL.
 */
struct xprt_rdma_req *xprt_rdma_req_create(struct xprt_rdma *r_xprt,
					   size_t size, gfp_t gfp)
{
	struct xprt_rdma_req *req;

	req = kzalloc(sizeof(*req), gfp);
	if (!req)
		return NULL;
	req->r_xprt = r_xprt;
	kref_init(&req->ref);
	INIT_LIST_HEAD(&req->list);
	INIT_LIST_HEAD(&req->mrs);
	INIT_LIST_HEAD(&req->invalidation);
	INIT_LIST_HEAD(&req->writes);

	spin_lock(&r_xprt->xprt.reserve_lock);
	list_add_tail(&req->all, &r_xprt->reqs_all);
	spin_unlock(&r_xprt->xprt.reserve_lock);
	xprt_rdma_count(reqs_now);
	if (!xprt_rdma_regbuf_alloc(&req->hdr,
				    XPRT_RDMA_HDR_SIZE + XPRT_RDMA_PULLUP, gfp) &&
	    !xprt_rdma_regbuf_alloc(&req->snd, size, gfp) &&
	    !xprt_rdma_regbuf_alloc(&req->rcv, size, gfp))
		return req;
	xprt_rdma_req_destroy(req);
	return NULL;
}

/*
 * The end of a connection unmaps the buffers of all requests, in use or not.
 * All other code that unmaps a buffer also holds reserve_lock, so the device of
 * a mapped buffer always exists.
 */
static void xprt_rdma_req_unmap_locked(struct xprt_rdma_req *req)
	__must_hold(&req->r_xprt->xprt.reserve_lock)
{
	lockdep_assert_held(&req->r_xprt->xprt.reserve_lock);
	xprt_rdma_regbuf_unmap(&req->hdr);
	xprt_rdma_regbuf_unmap(&req->snd);
}

/**
 * xprt_rdma_req_destroy - free an unused request
 * @req: request that is in no list but that of all requests
 *
 * Context: process.
 */
void xprt_rdma_req_destroy(struct xprt_rdma_req *req)
{
	struct xprt_rdma *r_xprt = req->r_xprt;

	WARN_ON_ONCE(!list_empty(&req->mrs) || req->mapped || req->recv);

	spin_lock(&r_xprt->xprt.reserve_lock);
	list_del(&req->all);
	xprt_rdma_req_unmap_locked(req);
	spin_unlock(&r_xprt->xprt.reserve_lock);
	xprt_rdma_regbuf_free(&req->hdr);
	xprt_rdma_regbuf_free(&req->snd);
	xprt_rdma_regbuf_free(&req->rcv);
	kfree(req->cb);
	kfree(req);
	xprt_rdma_count_add(reqs_now, -1);
}

static void xprt_rdma_req_release(struct kref *ref)
{
	struct xprt_rdma_req *req =
		container_of(ref, struct xprt_rdma_req, ref);
	struct xprt_rdma *r_xprt = req->r_xprt;
	struct rpc_xprt *xprt = &r_xprt->xprt;

	WARN_ON_ONCE(!list_empty(&req->mrs) || req->mapped || req->recv);

	kref_init(&req->ref);
	if (unlikely(req->release)) {
		req->release(req);
		return;
	}
	spin_lock(&xprt->reserve_lock);
	if (!xprt_wake_up_backlog(xprt, &req->rqst)) {
		memset(&req->rqst, 0, sizeof(req->rqst));
		list_add(&req->list, &r_xprt->reqs_free);
	}
	spin_unlock(&xprt->reserve_lock);
}

/**
 * xprt_rdma_req_put - drop a reference to a request
 * @req: request
 *
 * Context: process.
 */
void xprt_rdma_req_put(struct xprt_rdma_req *req)
{
	kref_put(&req->ref, xprt_rdma_req_release);
}

static struct xprt_rdma_req *xprt_rdma_req_take(struct xprt_rdma *r_xprt)
	__must_hold(&r_xprt->xprt.reserve_lock)
{
	struct xprt_rdma_req *req;

	req = list_first_entry_or_null(&r_xprt->reqs_free, struct xprt_rdma_req,
				       list);
	if (req)
		list_del_init(&req->list);
	return req;
}

/*
 * Create a request with small buffers, unless there are @max requests already.
 * Drops the reserve_lock while it allocates.
 */
static struct xprt_rdma_req *xprt_rdma_req_grow(struct xprt_rdma *r_xprt,
						u32 max, gfp_t gfp)
	__must_hold(&r_xprt->xprt.reserve_lock)
{
	struct xprt_rdma_req *req;

	if (r_xprt->xprt.num_reqs >= max)
		return ERR_PTR(-EAGAIN);
	r_xprt->xprt.num_reqs++;
	spin_unlock(&r_xprt->xprt.reserve_lock);
	req = xprt_rdma_req_create(r_xprt, BUF_MIN, gfp);
	spin_lock(&r_xprt->xprt.reserve_lock);
	if (!req)
		r_xprt->xprt.num_reqs--;
	return req ?: ERR_PTR(-ENOMEM);
}

/**
 * xprt_rdma_op_alloc_slot - assign a request to a task
 * @xprt: transport
 * @task: task; tk_status becomes 0, -ENOMEM, or -EAGAIN if the task sleeps
 *	until a request is free
 *
 * An unsignaled Send holds its request until a later, signaled Send completes.
 * So slightly more requests may exist than calls may be in flight.
 *
 * Context: process.
 */
void xprt_rdma_op_alloc_slot(struct rpc_xprt *xprt, struct rpc_task *task)
{
	struct xprt_rdma *r_xprt = to_r_xprt(xprt);
	struct xprt_rdma_req *req;

	spin_lock(&xprt->reserve_lock);
	req = xprt_rdma_req_take(r_xprt) ?:
	      xprt_rdma_req_grow(r_xprt, xprt->max_reqs + XPRT_RDMA_SEND_BATCH,
				 rpc_task_gfp_mask());
	task->tk_status = PTR_ERR_OR_ZERO(req);
	if (!IS_ERR(req))
		task->tk_rqstp = &req->rqst;
	else if (PTR_ERR(req) == -EAGAIN)
		xprt_add_backlog(xprt, task);
	xprt->stat.max_slots = max_t(unsigned long, xprt->stat.max_slots,
				     xprt->num_reqs);
	spin_unlock(&xprt->reserve_lock);
}

/**
 * xprt_rdma_op_free_slot - drop the RPC's reference to its request
 * @xprt: transport
 * @rqst: sunrpc's part of the request
 *
 * Context: process.
 */
void xprt_rdma_op_free_slot(struct rpc_xprt *xprt, struct rpc_rqst *rqst)
{
	xprt_rdma_req_put(rqst_to_req(rqst));
}

static int xprt_rdma_req_buf_grow(struct xprt_rdma_req *req,
				  struct xprt_rdma_regbuf *rb, size_t size)
{
	struct rpc_xprt *xprt = &req->r_xprt->xprt;
	struct xprt_rdma_regbuf larger = {};

	if (likely(rb->size >= size))
		return 0;
	if (xprt_rdma_regbuf_alloc(&larger, size, rpc_task_gfp_mask()))
		return -ENOMEM;
	spin_lock(&xprt->reserve_lock);
	req->r_xprt->stats.hardway_register_count += size;
	xprt_rdma_regbuf_unmap(rb);
	swap(*rb, larger);
	spin_unlock(&xprt->reserve_lock);
	xprt_rdma_regbuf_free(&larger);
	return 0;
}

/**
 * xprt_rdma_op_buf_alloc - provide an RPC's XDR buffers
 * @task: task; rq_callsize and rq_rcvsize are the sizes in bytes
 *
 * Context: process. The request's previous Send has completed, so its buffers
 * may be replaced.
 * Return: 0, or -ENOMEM to be called again.
 */
int xprt_rdma_op_buf_alloc(struct rpc_task *task)
{
	struct rpc_rqst *rqst = task->tk_rqstp;
	struct xprt_rdma_req *req = rqst_to_req(rqst);

	if (xprt_rdma_req_buf_grow(req, &req->snd, rqst->rq_callsize) ||
	    xprt_rdma_req_buf_grow(req, &req->rcv, rqst->rq_rcvsize))
		return -ENOMEM;
	req->limits = (struct xprt_rdma_limits){};
	rqst->rq_buffer = req->snd.data;
	rqst->rq_rbuffer = req->rcv.data;
	return 0;
}

/**
 * xprt_rdma_op_buf_free - end the peer's access to an RPC's memory
 * @task: task
 *
 * Called when the RPC ends, with or without a reply: if the task was killed or
 * has timed out, the peer may still have access to registered memory. When this
 * function returns, it has none.
 *
 * Context: process; may sleep. The request is not pinned.
 */
void xprt_rdma_op_buf_free(struct rpc_task *task)
{
	struct xprt_rdma_req *req = rqst_to_req(task->tk_rqstp);

	if (unlikely(!list_empty(&req->mrs)))
		xprt_rdma_invalidate_sync(req->r_xprt, req, false);
}

/**
 * xprt_rdma_reqs_unmap - unmap the buffers of all requests
 * @r_xprt: transport
 *
 * Context: process; the caller holds XPRT_LOCKED, nothing is in flight.
 */
void xprt_rdma_reqs_unmap(struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_req *req;

	spin_lock(&r_xprt->xprt.reserve_lock);
	list_for_each_entry(req, &r_xprt->reqs_all, all)
		xprt_rdma_req_unmap_locked(req);
	spin_unlock(&r_xprt->xprt.reserve_lock);
}

/**
 * xprt_rdma_reqs_reserve - create the requests that a transport always has
 * @r_xprt: new transport
 * @count: number of requests
 *
 * Context: process; may sleep and start I/O.
 * Return: 0 or -ENOMEM.
 */
int xprt_rdma_reqs_reserve(struct xprt_rdma *r_xprt, u32 count)
{
	struct rpc_xprt *xprt = &r_xprt->xprt;
	struct xprt_rdma_req *req;

	spin_lock(&xprt->reserve_lock);
	while (!IS_ERR(req = xprt_rdma_req_grow(r_xprt, count, GFP_KERNEL)))
		list_add(&req->list, &r_xprt->reqs_free);
	spin_unlock(&xprt->reserve_lock);
	return PTR_ERR(req) == -EAGAIN ? 0 : PTR_ERR(req);
}

/**
 * xprt_rdma_reqs_trim - destroy free requests
 * @r_xprt: transport
 * @keep: number of requests that may remain, including those in use
 *
 * Context: process.
 */
void xprt_rdma_reqs_trim(struct xprt_rdma *r_xprt, u32 keep)
{
	struct rpc_xprt *xprt = &r_xprt->xprt;
	struct xprt_rdma_req *req;

	spin_lock(&xprt->reserve_lock);
	while (xprt->num_reqs > keep && (req = xprt_rdma_req_take(r_xprt))) {
		xprt->num_reqs--;
		spin_unlock(&xprt->reserve_lock);
		xprt_rdma_req_destroy(req);
		spin_lock(&xprt->reserve_lock);
	}
	spin_unlock(&xprt->reserve_lock);
}
