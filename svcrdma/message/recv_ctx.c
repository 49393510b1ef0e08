// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive contexts: the buffers that receive calls.
 *
 * Ownership: a context belongs to the device while it is posted, to the
 * transport while it is in recvs.done or recvs.idle, and otherwise to the nfsd
 * thread that serves its call or to the RDMA Reads of that call. The number of
 * contexts is bounded by the credit grant plus a constant. A requester that
 * exceeds its grant, or does not receive its replies, cannot increase this
 * number: its further calls find no Receive.
 *
 * A call's context is returned before its reply is posted. So when the
 * requester learns that it may send another call, the Receive for that call has
 * been posted, or belongs to an incomplete batch. SVC_RDMA_RECV_BATCH contexts
 * beyond the grant make up for that batch.
 *
 * Size: buffers can grow while the connection is in use (ext/properties.c). A
 * posted Receive keeps its size until a message has used it; then its context
 * is replaced with a context of the new size. After the last replacement, no
 * smaller Receive is posted, and the requester is told of the new size. If
 * there is no memory for the larger size, it is given up before the requester
 * knows of it. Some contexts may then remain too large for a while.
 *
 * Errors: Receives and Reads whose completion is never reported are released
 * with the connection.
 */

#include <rpcrdma/buffer.h>

#include "../counters.h"
#include "../ext/ext.h"
#include "../verbs/verbs.h"
#include "message.h"
#include <trace/events/svcrdma.h>

#include "../verbs/wc.h"

/* A buffer of several pages may be unavailable: do not try hard to get one. */
#define SVC_RDMA_RESIZE_GFP	(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN)

static void svc_rdma_recv_wc_done(struct ib_cq *cq, struct ib_wc *wc);

/**
 * svc_rdma_recvs_init - initialize the Receives of a new connection
 * @conn: connection
 *
 * Context: any.
 */
void svc_rdma_recvs_init(struct svc_rdma_conn *conn)
{
	INIT_LIST_HEAD(&conn->recvs.done);
	spin_lock_init(&conn->recvs.lock);
	INIT_LIST_HEAD(&conn->recvs.idle);
	INIT_LIST_HEAD(&conn->recvs.all);
}

/**
 * svc_rdma_recvs_set_size - set the buffer size of new Receives
 * @conn: connection that is being accepted, or whose version has become known;
 *	no posted Receive is smaller than @size
 * @size: bytes
 *
 * Context: any.
 */
void svc_rdma_recvs_set_size(struct svc_rdma_conn *conn, u32 size)
{
	WRITE_ONCE(conn->recvs.size, size);
	conn->recvs.floor = size;
}

static struct svc_rdma_recv_ctx *
svc_rdma_recv_alloc(struct svc_rdma_conn *conn, u32 size, gfp_t gfp)
{
	int node = ibdev_to_node(conn->dev);
	struct svc_rdma_recv_ctx *recv;

	recv = kzalloc_node(sizeof(*recv), gfp, node);
	if (!recv)
		return NULL;
	recv->buf = rpcrdma_buf_alloc(size, gfp, node);
	if (!recv->buf)
		goto err_recv;
	recv->sge.addr = ib_dma_map_single(conn->dev, recv->buf, size,
					   DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(conn->dev, recv->sge.addr))
		goto err_buf;
	recv->sge.length = size;
	recv->sge.lkey = conn->pd->local_dma_lkey;
	recv->cqe.done = svc_rdma_recv_wc_done;
	recv->wr.wr_cqe = &recv->cqe;
	recv->wr.sg_list = &recv->sge;
	recv->wr.num_sge = 1;
	svc_rdma_count(recvctxs_now);
	return recv;

err_buf:
	rpcrdma_buf_free(recv->buf, size);
err_recv:
	kfree(recv);
	return NULL;
}

static void svc_rdma_recv_destroy(struct svc_rdma_conn *conn,
				  struct svc_rdma_recv_ctx *recv)
{
	ib_dma_unmap_single(conn->dev, recv->sge.addr, recv->sge.length,
			    DMA_FROM_DEVICE);
	rpcrdma_buf_free(recv->buf, recv->sge.length);
	kfree(recv);
	svc_rdma_add(recvctxs_now, -1);
}

static void svc_rdma_recv_idle_locked(struct svc_rdma_conn *conn,
				      struct svc_rdma_recv_ctx *recv)
{
	lockdep_assert_held(&conn->recvs.lock);
	list_add(&recv->list, &conn->recvs.idle);
	conn->recvs.nidle++;
}

/*
 * Post all idle contexts as one chain. After an error, contexts that were not
 * posted are idle again, and the caller closes the connection. No posted
 * Receive is smaller than the size that was announced to the requester.
 */
static int svc_rdma_recvs_post_locked(struct svc_rdma_conn *conn)
{
	struct svc_rdma_recv_ctx *recv;
	const struct ib_recv_wr *bad = NULL;
	struct ib_recv_wr *chain = NULL;
	int ret;

	lockdep_assert_held(&conn->recvs.lock);
	list_for_each_entry(recv, &conn->recvs.idle, list) {
		WARN_ON_ONCE(recv->sge.length < conn->recvs.floor);
		/*
		 * The CPU may have written to the buffer: krb5p decrypts in
		 * place.
		 */
		ib_dma_sync_single_for_device(conn->dev, recv->sge.addr,
					      recv->sge.length, DMA_FROM_DEVICE);
		recv->wr.next = chain;
		chain = &recv->wr;
	}
	INIT_LIST_HEAD(&conn->recvs.idle);
	conn->recvs.nidle = 0;
	if (!chain)
		return 0;
	ret = ib_post_recv(conn->qp, chain, &bad);
	if (likely(!ret))
		return 0;
	while (bad) {
		recv = container_of(bad, struct svc_rdma_recv_ctx, wr);
		bad = bad->next;
		svc_rdma_recv_idle_locked(conn, recv);
	}
	return ret;
}

/* Add a new context, unless the wanted size has changed meanwhile. */
static void svc_rdma_recv_add(struct svc_rdma_conn *conn,
			      struct svc_rdma_recv_ctx *recv)
{
	bool fits;

	spin_lock_bh(&conn->recvs.lock);
	fits = recv->sge.length == conn->recvs.size;
	if (fits) {
		svc_rdma_recv_idle_locked(conn, recv);
		list_add_tail(&recv->all, &conn->recvs.all);
		conn->recvs.total++;
	}
	spin_unlock_bh(&conn->recvs.lock);
	if (!fits)
		svc_rdma_recv_destroy(conn, recv);
}

/**
 * svc_rdma_recvs_add - create Receive contexts and post them
 * @conn: connection
 * @total: number of contexts after the call; no other thread may add contexts
 *	at the same time
 *
 * Context: process.
 * Return: 0, -ENOMEM or an error of ib_post_recv().
 */
int svc_rdma_recvs_add(struct svc_rdma_conn *conn, u32 total)
{
	struct svc_rdma_recv_ctx *recv;
	int ret;

	while (conn->recvs.total < total) {
		recv = svc_rdma_recv_alloc(conn, READ_ONCE(conn->recvs.size),
					   GFP_KERNEL);
		if (!recv)
			return -ENOMEM;
		svc_rdma_recv_add(conn, recv);
	}
	spin_lock_bh(&conn->recvs.lock);
	ret = svc_rdma_recvs_post_locked(conn);
	spin_unlock_bh(&conn->recvs.lock);
	return ret;
}

static void svc_rdma_recv_clear(struct svc_rdma_recv_ctx *recv)
{
	if (recv->read) {
		svc_rdma_read_free(recv->read);
		recv->read = NULL;
	}
	if (unlikely(recv->lent))
		svc_rdma_reply_end_lending(recv);
	recv->invalidated = false;
	recv->handle = 0;
	recv->fault.code = 0;
	recv->npayloads = 0;
}

/*
 * Return the context to be posted: a new one that replaces @recv, or @recv
 * itself if there was no memory or the size has changed again.
 */
static noinline struct svc_rdma_recv_ctx *
svc_rdma_recv_exchange(struct svc_rdma_conn *conn,
		       struct svc_rdma_recv_ctx *recv)
{
	struct svc_rdma_recvs *recvs = &conn->recvs;
	u32 size = READ_ONCE(recvs->size);
	struct svc_rdma_recv_ctx *fresh;

	if (svc_rdma_conn_closing(conn))
		return recv;
	fresh = svc_rdma_recv_alloc(conn, size, SVC_RDMA_RESIZE_GFP);
	spin_lock_bh(&recvs->lock);
	if (fresh && size == recvs->size) {
		list_replace(&recv->all, &fresh->all);
		swap(recv, fresh);
	} else if (!fresh && recv->sge.length < recvs->size) {
			/* Give up the larger size. */
		WRITE_ONCE(recvs->size, recvs->floor);
	}
	spin_unlock_bh(&recvs->lock);
	if (svc_rdma_recvs_resized(conn, size) != -EAGAIN)
		svc_rdma_properties_resized(conn);
	if (fresh)
		svc_rdma_recv_destroy(conn, fresh);
	return recv;
}

/**
 * svc_rdma_recv_put - return a Receive context, to be posted again
 * @conn: connection
 * @recv: context
 *
 * Context: process.
 */
void svc_rdma_recv_put(struct svc_rdma_conn *conn,
		       struct svc_rdma_recv_ctx *recv)
{
	int ret = 0;

	svc_rdma_recv_clear(recv);
	if (unlikely(recv->sge.length != READ_ONCE(conn->recvs.size)))
		recv = svc_rdma_recv_exchange(conn, recv);
	spin_lock_bh(&conn->recvs.lock);
	svc_rdma_recv_idle_locked(conn, recv);
	if (conn->recvs.nidle >= SVC_RDMA_RECV_BATCH &&
	    !svc_rdma_conn_closing(conn))
		ret = svc_rdma_recvs_post_locked(conn);
	spin_unlock_bh(&conn->recvs.lock);
	if (unlikely(ret))
		svc_rdma_conn_close(conn,
				    rpcrdma_cause_post(RPCRDMA_NL_DETAIL_RECEIVE, ret));
}

/**
 * svc_rdma_recvs_resize - change the size of the Receives
 * @conn: connection
 * @size: bytes
 *
 * The caller ensures that the requester sends no message longer than the
 * smallest Receive; see svc_rdma_recvs_set_floor(). svc_rdma_recvs_resized()
 * tells whether the change is complete.
 *
 * Context: any.
 */
void svc_rdma_recvs_resize(struct svc_rdma_conn *conn, u32 size)
{
	WRITE_ONCE(conn->recvs.size, size);
}

/**
 * svc_rdma_recvs_resized - check whether a change of size is complete
 * @conn: connection
 * @size: bytes, as passed to svc_rdma_recvs_resize()
 *
 * Context: any.
 * Return: 0 if all Receives have the new size; -EAGAIN if not; -ENOMEM if the
 * new size was given up.
 */
int svc_rdma_recvs_resized(struct svc_rdma_conn *conn, u32 size)
{
	struct svc_rdma_recvs *recvs = &conn->recvs;
	struct svc_rdma_recv_ctx *recv;
	int ret;

	spin_lock_bh(&recvs->lock);
	ret = recvs->size == size ? 0 : -ENOMEM;
	list_for_each_entry(recv, &recvs->all, all)
		if (!ret && recv->sge.length != size)
			ret = -EAGAIN;
	spin_unlock_bh(&recvs->lock);
	return ret;
}

/**
 * svc_rdma_recvs_set_floor - forbid posting of smaller Receives
 * @conn: connection
 * @size: bytes of the longest message that the requester may send
 *
 * Context: process.
 */
void svc_rdma_recvs_set_floor(struct svc_rdma_conn *conn, u32 size)
{
	struct svc_rdma_recv_ctx *recv;

	spin_lock_bh(&conn->recvs.lock);
	list_for_each_entry(recv, &conn->recvs.all, all)
		WARN_ON_ONCE(recv->sge.length < size);
	conn->recvs.floor = size;
	spin_unlock_bh(&conn->recvs.lock);
}

/**
 * svc_rdma_recv_release - release the Receive of a call (xpo_release_ctxt)
 * @xprt: connection
 * @ctxt: Receive context of the call; NULL if it was put back before the reply
 *
 * Context: process.
 */
void svc_rdma_recv_release(struct svc_xprt *xprt, void *ctxt)
{
	if (ctxt)
		svc_rdma_recv_put(svc_rdma_conn_of(xprt), ctxt);
}

/*
 * Called by svc_rdma_recv_cq_poll() with XPT_BUSY held, which protects
 * recvs.done. A context whose message nobody takes, or that has no message, is
 * freed with the connection.
 */
static void svc_rdma_recv_wc_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct svc_rdma_recv_ctx *recv =
		container_of(wc->wr_cqe, struct svc_rdma_recv_ctx, cqe);
	struct svc_rdma_conn *conn = cq->cq_context;

	if (unlikely(wc->status != IB_WC_SUCCESS)) {
		svc_rdma_wc_failed(conn, RPCRDMA_NL_DETAIL_RECEIVE, cq, wc);
		return;
	}
	recv->len = rpcrdma_wc_received(wc);
	if (unlikely(wc->wc_flags & IB_WC_WITH_INVALIDATE)) {
		recv->invalidated = true;
		recv->inv_handle = wc->ex.invalidate_rkey;
	}
	list_add_tail(&recv->list, &conn->recvs.done);
}

/**
 * svc_rdma_recvs_destroy - free all Receive contexts and their contents
 * @conn: connection whose Queue Pair and completion queues are gone
 *
 * This frees idle contexts, contexts whose message was not taken, and contexts
 * of calls whose Reads have completed, are waiting, or never completed.
 *
 * Context: process.
 */
void svc_rdma_recvs_destroy(struct svc_rdma_conn *conn)
{
	struct svc_rdma_recv_ctx *recv, *next;

	list_for_each_entry_safe(recv, next, &conn->recvs.all, all) {
		svc_rdma_recv_clear(recv);
		list_del(&recv->all);
		svc_rdma_recv_destroy(conn, recv);
		conn->recvs.total--;
	}
	WARN_ON_ONCE(conn->recvs.total);
	WARN_ON_ONCE(conn->reads.pages);
}
