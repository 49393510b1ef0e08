// SPDX-License-Identifier: GPL-2.0-only
/*
 * The backchannel: calls that the peer sends on our connection, and their
 * replies (RFC 8167).
 *
 * Operation: with version 1, a message with no chunks whose RPC header says CALL
 * is a backchannel call; with version 2, whatever does not have the response
 * flag is sent in that direction. A call is copied to a request of its own,
 * which the callback service picks up; the reply is sent inline like a small
 * call.
 *
 * Ownership: backchannel requests are created when needed, up to a limit, and
 * wait in xprt->bc_pa_list. In use, they have one reference of the callback
 * service, and one of the reply's Send while it is in flight.
 *
 * Errors: a call for which there is no request is dropped, as is one of a
 * peer that has no business to send any. The peer will time out; its session
 * limits it to fewer calls than there are requests. With version 2, what cannot
 * be a call is answered with an RDMA2_ERROR: here we are the responder.
 */

#include <linux/slab.h>
#include <linux/sunrpc/svc.h>
#include <linux/unaligned.h>

#include "xprtrdma.h"

#include <trace/events/xprtrdma.h>

/* Bytes of an RPC message that tell its direction: XID and message type. */
#define RPC_PREFIX	8u

/**
 * xprt_rdma_bc_setup - expect backchannel calls
 * @xprt: transport
 * @reqs: calls that NFS wants to allow at least
 *
 * Context: process.
 * Return: 0.
 */
int xprt_rdma_bc_setup(struct rpc_xprt *xprt, unsigned int reqs)
{
	WRITE_ONCE(xprt_to_rx(xprt)->bc_slots, XPRT_RDMA_BC_SLOTS);
	return 0;
}

/**
 * xprt_rdma_bc_maxpayload - size of the largest backchannel message
 * @xprt: transport
 *
 * RFC 8167 section 5.1: both directions have the same inline thresholds. The
 * header may be that of either version: the next connection can have another.
 *
 * Context: process.
 * Return: bytes of RPC message.
 */
size_t xprt_rdma_bc_maxpayload(struct rpc_xprt *xprt)
{
	struct xprt_rdma *rx = xprt_to_rx(xprt);
	u32 max = RPCRDMA_V1_INLINE_DEFAULT;

	spin_lock(&rx->conn_lock);
	if (rx->conn)
		max = min(rx->conn->inline_send, rx->conn->inline_recv);
	spin_unlock(&rx->conn_lock);
	return min_t(size_t, max, PAGE_SIZE) - RPCRDMA2_MIN_SIZE;
}

/**
 * xprt_rdma_bc_num_slots - backchannel calls that may be outstanding
 * @xprt: transport
 *
 * Context: process.
 * Return: their number.
 */
unsigned int xprt_rdma_bc_num_slots(struct rpc_xprt *xprt)
{
	return XPRT_RDMA_BC_SLOTS;
}

/**
 * xprt_rdma_bc_destroy - destroy backchannel requests that are not in use
 * @xprt: transport
 * @reqs: how many at most
 *
 * Context: process.
 */
void xprt_rdma_bc_destroy(struct rpc_xprt *xprt, unsigned int reqs)
{
	struct xprt_rdma *rx = xprt_to_rx(xprt);
	struct rpc_rqst *rqst;

	spin_lock(&xprt->bc_pa_lock);
	while (reqs--) {
		rqst = list_first_entry_or_null(&xprt->bc_pa_list,
						struct rpc_rqst,
						rq_bc_pa_list);
		if (!rqst)
			break;
		list_del_init(&rqst->rq_bc_pa_list);
		rx->bc_reqs--;
		spin_unlock(&xprt->bc_pa_lock);
		xprt_rdma_req_destroy(rqst_to_req(rqst));
		spin_lock(&xprt->bc_pa_lock);
	}
	spin_unlock(&xprt->bc_pa_lock);
}

/**
 * xprt_rdma_bc_release - a backchannel request is no longer in use
 * @req: request without references but the caller's
 *
 * Context: process.
 */
void xprt_rdma_bc_release(struct xprt_rdma_req *req)
{
	struct rpc_xprt *xprt = &req->rx->xprt;

	spin_lock(&xprt->bc_pa_lock);
	list_add_tail(&req->rqst.rq_bc_pa_list, &xprt->bc_pa_list);
	spin_unlock(&xprt->bc_pa_lock);
}

/**
 * xprt_rdma_bc_free_rqst - the callback service is done with a request
 * @rqst: request
 *
 * Context: process.
 */
void xprt_rdma_bc_free_rqst(struct rpc_rqst *rqst)
{
	struct rpc_xprt *xprt = rqst->rq_xprt;

	xprt_rdma_req_put(rqst_to_req(rqst));
	xprt_put(xprt);
}

static struct xprt_rdma_req *bc_create(struct xprt_rdma *rx)
{
	struct xprt_rdma_req *req;

	req = xprt_rdma_req_create(rx, XPRT_RDMA_GFP);
	if (!req)
		return NULL;
	req->prealloc = true;
	if (xprt_rdma_regbuf_alloc(&req->snd, PAGE_SIZE, XPRT_RDMA_GFP,
				   DMA_TO_DEVICE) ||
	    xprt_rdma_regbuf_alloc(&req->rcv, PAGE_SIZE, XPRT_RDMA_GFP,
				   DMA_FROM_DEVICE)) {
		xprt_rdma_req_destroy(req);
		return NULL;
	}
	return req;
}

static struct xprt_rdma_req *bc_get(struct xprt_rdma *rx)
{
	struct rpc_xprt *xprt = &rx->xprt;
	struct xprt_rdma_req *req;
	struct rpc_rqst *rqst;
	bool grow;

	spin_lock(&xprt->bc_pa_lock);
	rqst = list_first_entry_or_null(&xprt->bc_pa_list, struct rpc_rqst,
					rq_bc_pa_list);
	if (rqst)
		list_del_init(&rqst->rq_bc_pa_list);
	grow = !rqst && rx->bc_reqs < XPRT_RDMA_BC_REQS;
	rx->bc_reqs += grow;
	spin_unlock(&xprt->bc_pa_lock);
	if (rqst)
		return rqst_to_req(rqst);
	if (!grow)
		return NULL;
	req = bc_create(rx);
	if (!req) {
		spin_lock(&xprt->bc_pa_lock);
		rx->bc_reqs--;
		spin_unlock(&xprt->bc_pa_lock);
	}
	return req;
}

/* An RPC call follows the transport header, with the same XID. */
static bool has_call(const struct rpcrdma_hdr *hdr)
{
	const u8 *p = hdr->base + hdr->payload;

	if (hdr->type != RPCRDMA_MSG ||
	    hdr->len - hdr->payload < RPC_PREFIX)
		return false;
	return !memcmp(p, &hdr->xid, sizeof(hdr->xid)) &&
	       get_unaligned_be32(p + sizeof(hdr->xid)) == RPC_CALL;
}

static bool has_chunks(const struct rpcrdma_hdr *hdr)
{
	return hdr->reads.segments || hdr->writes.chunks || hdr->reply.chunks;
}

/**
 * xprt_rdma_bc_is_call - is a received message sent in the reverse direction
 * @rep: its Receive, decoded
 *
 * RFC 8167 section 5.2: with version 1, the direction is in the RPC message,
 * which follows a transport header without chunks. v2 draft section 3.2: with
 * version 2 it is in the flags, of which a header that is too short has none.
 *
 * Context: completion handler.
 * Return: true if it is a call, or should have been one.
 */
bool xprt_rdma_bc_is_call(const struct xprt_rdma_rep *rep)
{
	const struct rpcrdma_hdr *hdr = &rep->hdr;

	if (rep->conn->version == RPCRDMA_VERSION_2)
		return rep->error != RPCRDMA_EVERSION &&
		       hdr->len >= RPCRDMA2_PREFIX_SIZE &&
		       !(hdr->flags & RPCRDMA2_F_RESPONSE);
	return !rep->error && !has_chunks(hdr) && has_call(hdr);
}

/* v2 draft section 5.3.3: what is wrong with a call; 0 if nothing is */
static u32 call_fault(const struct xprt_rdma_rep *rep)
{
	const struct rpcrdma_hdr *hdr = &rep->hdr;

	if (rep->error == RPCRDMA_ETYPE)
		return RPCRDMA2_ERR_INVAL_HTYPE;
	if (rep->error)
		return RPCRDMA2_ERR_BAD_XDR;
	if (hdr->reads.segments)
		return RPCRDMA2_ERR_READ_CHUNKS;
	if (hdr->writes.chunks)
		return RPCRDMA2_ERR_REPLY_RESOURCE;
	if (hdr->type == RPCRDMA2_NOMSG)
		return RPCRDMA2_ERR_BAD_XDR;
	return 0;
}

/* We take no chunks: the most Read chunks, and the length needed, are zero. */
static void send_error(struct xprt_rdma_conn *conn,
		       const struct rpcrdma_hdr *hdr, u32 err)
{
	struct rpcrdma_encoder enc;
	u8 msg[48];
	int len;

	rpcrdma_encode_init(&enc, msg, sizeof(msg));
	rpcrdma_encode_fixed(&enc, hdr->xid, RPCRDMA_VERSION_2,
			     XPRT_RDMA_BC_SLOTS, RPCRDMA2_ERROR);
	rpcrdma_encode_word(&enc, RPCRDMA2_F_RESPONSE);
	rpcrdma_encode_word(&enc, err);
	if (err == RPCRDMA2_ERR_READ_CHUNKS ||
	    err == RPCRDMA2_ERR_REPLY_RESOURCE)
		rpcrdma_encode_word(&enc, 0);
	len = rpcrdma_encode_finish(&enc);
	xprt_rdma_count(errors_sent);
	trace_xprtrdma_error_sent(conn, hdr, err);
	xprt_rdma_control_send(conn, msg, len);
}

/*
 * Is a message of version 2 a call to be passed on? Properties that come late,
 * and what needs no answer, are dropped.
 */
static bool v2_is_call(const struct xprt_rdma_rep *rep)
{
	const struct rpcrdma_hdr *hdr = &rep->hdr;
	u32 err;

	if (!rep->error && (hdr->type == RPCRDMA2_CONNPROP ||
			    hdr->type == RPCRDMA2_ERROR ||
			    hdr->type == RPCRDMA2_DONE)) {
		xprt_rdma_count(messages_ignored);
		return false;
	}
	err = call_fault(rep);
	if (err) {
		send_error(rep->conn, hdr, err);
		return false;
	}
	return has_call(hdr);
}

static void bc_fill(struct xprt_rdma_req *req, const struct rpcrdma_hdr *hdr)
{
	u32 len = hdr->len - hdr->payload;
	struct rpc_rqst *rqst = &req->rqst;

	memset(rqst, 0, sizeof(*rqst));
	INIT_LIST_HEAD(&rqst->rq_bc_pa_list);
	rqst->rq_xprt = &req->rx->xprt;
	rqst->rq_xid = hdr->xid;
	__set_bit(RPC_BC_PA_IN_USE, &rqst->rq_bc_pa_state);
	xdr_buf_init(&rqst->rq_snd_buf, req->snd.data, req->snd.size);
	xdr_buf_init(&rqst->rq_rcv_buf, req->rcv.data, req->rcv.size);
	memcpy(req->rcv.data, hdr->base + hdr->payload, len);
	rqst->rq_rcv_buf.head[0].iov_len = len;
	rqst->rq_rcv_buf.len = len;
	rqst->rq_private_buf.len = len;
}

/**
 * xprt_rdma_bc_receive - pass a backchannel call to the callback service
 * @rep: its Receive; not used after this returns
 *
 * Context: completion handler.
 */
void xprt_rdma_bc_receive(struct xprt_rdma_rep *rep)
{
	struct xprt_rdma *rx = rep->conn->rx;
	struct rpc_xprt *xprt = &rx->xprt;
	struct svc_serv *serv = xprt->bc_serv;
	struct xprt_rdma_req *req;

	if (rep->conn->version == RPCRDMA_VERSION_2 && !v2_is_call(rep))
		return;
	xprt_rdma_count(bc_calls);
	rx->stats.bcall_count++;
	if (!serv || rep->hdr.len - rep->hdr.payload > PAGE_SIZE)
		goto out_drop;
	req = bc_get(rx);
	if (!req)
		goto out_drop;
	if (!xprt_get(xprt)) {
		xprt_rdma_bc_release(req);
		goto out_drop;
	}

	bc_fill(req, &rep->hdr);
	xprt_rdma_credit_exempt(rx, &req->rqst);
	trace_xprtrdma_bc_call(req);
	atomic_inc(&xprt->bc_slot_count);
	lwq_enqueue(&req->rqst.rq_bc_list, &serv->sv_cb_list);
	svc_pool_wake_idle_thread(&serv->sv_pools[0]);
	return;

out_drop:
	xprt_rdma_count(bc_dropped);
}

/**
 * xprt_rdma_bc_send_reply - send the reply to a backchannel call
 * @rqst: backchannel request with a reply in its rq_snd_buf
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: 0; -ENOTCONN when the connection is gone, and the call with it;
 * -EAGAIN to be called again; -EIO or -EMSGSIZE when it cannot be sent.
 */
int xprt_rdma_bc_send_reply(struct rpc_rqst *rqst)
{
	struct xprt_rdma_req *req = rqst_to_req(rqst);
	struct xprt_rdma_conn *conn = req->rx->conn;
	struct rpcrdma_encoder enc;
	int rc;

	if (!xprt_connected(rqst->rq_xprt) || !conn)
		return -ENOTCONN;
	if (conn->hdr_min + rqst->rq_snd_buf.len > conn->inline_send)
		return -EMSGSIZE;
	req->nr_mrs = 0;
	req->rtype = XPRT_RDMA_CALL_INLINE;
	if (!xprt_rdma_send_fits(conn, req, true))
		return -EIO;

	rpcrdma_encode_init(&enc, req->hdr.data, XPRT_RDMA_HDR_SIZE);
	rpcrdma_encode_fixed(&enc, rqst->rq_xid, conn->version,
			     XPRT_RDMA_BC_SLOTS, RPCRDMA_MSG);
	if (conn->version == RPCRDMA_VERSION_2) {
		rpcrdma_encode_word(&enc, RPCRDMA2_F_RESPONSE);
		rpcrdma_encode_word(&enc, 0);
	}
	rpcrdma_encode_list_end(&enc);
	rpcrdma_encode_list_end(&enc);
	rpcrdma_encode_list_end(&enc);
	rc = rpcrdma_encode_finish(&enc);
	if (rc < 0)
		return rc;
	rc = xprt_rdma_send_prepare(conn, req, rc);
	if (rc)
		return rc == -EAGAIN ? xprt_rdma_sq_wait(conn) : rc;
	trace_xprtrdma_bc_reply(req);
	xprt_rdma_count(bc_replies);
	return xprt_rdma_send_post(conn, req);
}
