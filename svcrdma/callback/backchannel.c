// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reverse-direction RPC (RFC 8167): callbacks of an NFSv4.1 server over a
 * connection that the client has made. Callbacks are sent as RDMA_MSG without
 * chunks. Longer ones are sent only to clients that support general
 * reverse-direction requests in version 2 (callback_chunks.c).
 *
 * Ownership: the call is copied to a Send context, because sunrpc can free it
 * at any time. Replies are copied from the Receive buffer before the Receive is
 * posted again.
 */

#include <linux/module.h>
#include <linux/sunrpc/addr.h>
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/xprt.h>

#include "../counters.h"
#include "../ext/ext.h"
#include "../limits.h"
#include "../message/message.h"
#include "../verbs/verbs.h"
#include "../version/version.h"
#include "callback.h"
#include <trace/events/svcrdma.h>

static struct xprt_class svc_rdma_bc_xprt_class;

/**
 * struct svc_rdma_bc - a callback transport
 * @xprt: transport, as sunrpc sees it
 * @addr: address of the client, as a string
 */
struct svc_rdma_bc {
	struct rpc_xprt xprt;
	char addr[INET6_ADDRSTRLEN + IPV6_SCOPE_ID_LEN];
};

static const struct rpc_timeout svc_rdma_bc_timeout = {
	.to_initval	= 60 * HZ,
	.to_maxval	= 60 * HZ,
};

/* Limit callbacks in flight to a reply's credits; one is always allowed. */
static void svc_rdma_bc_set_credits(struct rpc_xprt *xprt, u32 credits)
{
	credits = clamp_t(u32, credits, 1, SVC_RDMA_BC_REQUESTS);
	spin_lock(&xprt->transport_lock);
	xprt->cwnd = credits << RPC_CWNDSHIFT;
	spin_unlock(&xprt->transport_lock);
}

/*
 * Find a callback, and take its reply. @ret: length of the reply, or a negative
 * errno. The callback is pinned: sunrpc keeps it until svc_rdma_bc_finish().
 * Return: the callback, or NULL if sunrpc does not wait for it.
 */
static struct rpc_rqst *
svc_rdma_bc_begin(struct rpc_xprt *xprt, __be32 xid,
		  int (*take)(struct rpc_rqst *req, const void *reply),
		  const void *reply, int *ret)
{
	struct rpc_rqst *req;

	spin_lock(&xprt->queue_lock);
	req = xprt_lookup_rqst(xprt, xid);
	if (req) {
		*ret = take ? take(req, reply) : -EIO;
		if (*ret < 0)
			req->rq_task->tk_status = *ret;
		else
			memcpy(&req->rq_private_buf, &req->rq_rcv_buf,
			       sizeof(req->rq_private_buf));
		xprt_pin_rqst(req);
	}
	spin_unlock(&xprt->queue_lock);
	return req;
}

static void svc_rdma_bc_finish(struct rpc_rqst *req, int ret)
{
	struct rpc_xprt *xprt = req->rq_xprt;

	spin_lock(&xprt->queue_lock);
	xprt_complete_rqst(req->rq_task, ret);
	xprt_unpin_rqst(req);
	spin_unlock(&xprt->queue_lock);
}

/**
 * svc_rdma_bc_complete - complete a callback
 * @xprt: callback transport
 * @xid: XID of the callback
 * @take: moves @reply to the receive buffer of the callback. Returns the length
 *	of the reply, or a negative errno, with which the callback fails.
 * @reply: argument of @take
 *
 * Nothing happens if sunrpc does not wait for such a callback.
 *
 * Context: process; @take must not sleep.
 */
void svc_rdma_bc_complete(struct rpc_xprt *xprt, __be32 xid,
			  int (*take)(struct rpc_rqst *req, const void *reply),
			  const void *reply)
{
	struct rpc_rqst *req;
	int ret;

	req = svc_rdma_bc_begin(xprt, xid, take, reply, &ret);
	if (req)
		svc_rdma_bc_finish(req, ret);
}

static int svc_rdma_bc_take_inline(struct rpc_rqst *req, const void *reply)
{
	const struct rpcrdma_hdr *hdr = reply;
	u32 len = hdr->len - hdr->payload;

	if (write_bytes_to_xdr_buf(&req->rq_rcv_buf, 0,
				   (void *)hdr->base + hdr->payload, len))
		return -EMSGSIZE;
	return len;
}

/*
 * Where is the reply to a callback? Return: the number of bytes in the Reply
 * chunk; 0 if the reply is inline; -EPROTO if the message contains no reply.
 */
static int svc_rdma_bc_locate_reply(const struct svc_rdma_advert *advert,
				    const struct svc_rdma_recv_ctx *recv)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;
	int len = svc_rdma_callback_chunks_length(advert, hdr);
	bool found;

	if (len)
		found = hdr->type == RPCRDMA_NOMSG;
	else
		found = svc_rdma_message_is_reply(recv) &&
			!memcmp(hdr->base + hdr->payload, &hdr->xid,
				sizeof(hdr->xid));
	return found && !hdr->reads.segments && !hdr->writes.chunks ?
	       len : -EPROTO;
}

/**
 * svc_rdma_bc_answered - handle the answer to a callback
 * @conn: connection
 * @recv: RDMA_ERROR, or a reply; put back
 * @advert: chunks of the callback, or NULL; the caller releases them
 *
 * An RDMA_ERROR fails the callback with -EIO, and its credits are ignored (v2
 * draft section 5.3.3). In version 2, only the response flag identifies a
 * reply, and a requester may set it wrongly. A callback with chunks then fails,
 * because its chunks are released.
 *
 * A reply in the Reply chunk is not read until the client has lost its access to
 * the chunk. Any other answer completes the callback here. sunrpc then sends the
 * next callback. A Receive for its answer is posted by then.
 *
 * Context: process.
 */
void svc_rdma_bc_answered(struct svc_rdma_conn *conn,
			  struct svc_rdma_recv_ctx *recv,
			  struct svc_rdma_advert *advert)
{
	struct rpc_xprt *xprt = READ_ONCE(conn->xprt.xpt_bc_xprt);
	const struct rpcrdma_hdr *hdr = &recv->hdr;
	bool error = hdr->type == RPCRDMA_ERROR;
	struct rpc_rqst *req = NULL;
	int len = -EIO, ret;

	if (xprt && !error)
		len = svc_rdma_bc_locate_reply(advert, recv);
	if (len > 0) {
		advert->bc_xprt = xprt_get(xprt);
		advert->reply_len = len;
	} else if (xprt && (!len || error || advert)) {
		req = svc_rdma_bc_begin(xprt, hdr->xid,
					len ? NULL : svc_rdma_bc_take_inline,
					hdr, &ret);
	}
	if (len > 0 || (!len && req)) {
		svc_rdma_count(callback_replies);
		svc_rdma_bc_set_credits(xprt, hdr->credits);
	} else if (!error) {
		svc_rdma_count(callback_bad_replies);
	}
	svc_rdma_recv_put(conn, recv);
	if (req)
		svc_rdma_bc_finish(req, ret);
}

/* v2 draft section 4.2.2: can callbacks and their replies have chunks? */
static bool svc_rdma_bc_general(const struct svc_rdma_conn *conn)
{
	return svc_rdma_version_of(conn) == &svc_rdma_v2 &&
	       conn->peer.props.reverse == RPCRDMA2_RVREQSUP_GENL &&
	       conn->caps.mrs;
}

static int svc_rdma_bc_buf_alloc(struct rpc_task *task)
{
	struct rpc_rqst *rqst = task->tk_rqstp;
	size_t size = rqst->rq_callsize + rqst->rq_rcvsize;
	void *buf;

	if (max(rqst->rq_callsize, rqst->rq_rcvsize) > SVC_RDMA_BC_SIZE)
		return -EINVAL;
	buf = kvmalloc(size, GFP_NOIO | __GFP_NOWARN);
	if (!buf)
		return -ENOMEM;
	rqst->rq_buffer = buf;
	rqst->rq_rbuffer = buf + rqst->rq_callsize;
	return 0;
}

static void svc_rdma_bc_buf_free(struct rpc_task *task)
{
	kvfree(task->tk_rqstp->rq_buffer);
}

/* Build a callback. Return: its length in the buffer, or a negative errno. */
static int svc_rdma_bc_build(struct svc_rdma_send_ctx *send,
			     struct rpc_rqst *rqst)
{
	u32 version = svc_rdma_version_of(send->conn)->number;
	const struct xdr_buf *xdr = &rqst->rq_snd_buf;
	u32 room = svc_rdma_send_room(send), len = xdr->len;
	int ret = 0;

	if (svc_rdma_bc_general(send->conn))
		ret = svc_rdma_callback_chunks_build(send, rqst, &len);
	if (!ret)
		ret = rpcrdma_encode_plain(send->buf, room, rqst->rq_xid, version,
					   SVC_RDMA_BC_REQUESTS, false);
	if (ret < 0)
		return ret;
	if (len > room - ret)
		return -EMSGSIZE;
	read_bytes_from_xdr_buf(xdr, 0, send->buf + ret, len);
	return ret + len;
}

static int svc_rdma_bc_send_request(struct rpc_rqst *rqst)
{
	struct svc_xprt *sxprt = rqst->rq_xprt->bc_xprt;
	struct svc_rdma_conn *conn = svc_rdma_conn_of(sxprt);
	struct svc_rdma_send_ctx *send;
	int len, ret;
	u32 wrs;

	if (svc_rdma_conn_closing(conn) || svc_xprt_is_dead(sxprt))
		return -ENOTCONN;
	send = svc_rdma_send_get(conn);
	if (!send)
		return -ENOBUFS;
	len = svc_rdma_bc_build(send, rqst);
	if (len < 0) {
		svc_rdma_send_put(send);
		return len;
	}
	rqst->rq_xtime = ktime_get();
	wrs = send->wrs;
	ret = svc_rdma_send_post(send, len);
	trace_svc_rdma_sent(conn, &send->cqe, be32_to_cpu(rqst->rq_xid), len,
			    wrs, ret);
	if (ret)
		return -ENOTCONN;
	rqst->rq_xmit_bytes_sent += rqst->rq_snd_buf.len;
	svc_rdma_count(callbacks_sent);
	return 0;
}

static void svc_rdma_bc_close(struct rpc_xprt *xprt)
{
	xprt_disconnect_done(xprt);
	xprt->cwnd = RPC_CWNDSHIFT;
}

static void svc_rdma_bc_destroy(struct rpc_xprt *xprt)
{
	svc_rdma_add(bc_xprts_now, -1);
	xprt_free(xprt);
	module_put(THIS_MODULE);
}

/* Called after a callback was sent, if sunrpc's fault injection is enabled. */
static void svc_rdma_bc_inject_disconnect(struct rpc_xprt *xprt)
{
	svc_rdma_conn_close(svc_rdma_conn_of(xprt->bc_xprt),
			    RPCRDMA_CAUSE(CLOSED, NONE));
}

/* There is no print_stats method: no mount uses this transport. */
static const struct rpc_xprt_ops svc_rdma_bc_ops = {
	.reserve_xprt		= xprt_reserve_xprt_cong,
	.release_xprt		= xprt_release_xprt_cong,
	.alloc_slot		= xprt_alloc_slot,
	.free_slot		= xprt_free_slot,
	.release_request	= xprt_release_rqst_cong,
	.buf_alloc		= svc_rdma_bc_buf_alloc,
	.buf_free		= svc_rdma_bc_buf_free,
	.send_request		= svc_rdma_bc_send_request,
	.wait_for_reply_request	= xprt_wait_for_reply_request_def,
	.close			= svc_rdma_bc_close,
	.destroy		= svc_rdma_bc_destroy,
	.inject_disconnect	= svc_rdma_bc_inject_disconnect,
};

/* The ports of clients are not known (control/conn.c). */
static void svc_rdma_bc_format_addresses(struct svc_rdma_bc *bc)
{
	struct sockaddr *sap = (struct sockaddr *)&bc->xprt.addr;
	const char **strings = bc->xprt.address_strings;

	rpc_ntop(sap, bc->addr, sizeof(bc->addr));
	strings[RPC_DISPLAY_ADDR] = bc->addr;
	strings[RPC_DISPLAY_PORT] = "0";
	strings[RPC_DISPLAY_PROTO] = "rdma";
	strings[RPC_DISPLAY_NETID] = sap->sa_family == AF_INET6 ?
		RPCBIND_NETID_RDMA6 : RPCBIND_NETID_RDMA;
}

static void svc_rdma_bc_xprt_init(struct rpc_xprt *xprt,
				  struct xprt_create *args)
{
	xprt->timeout = &svc_rdma_bc_timeout;
	xprt->prot = XPRT_TRANSPORT_BC_RDMA;
	xprt->xprt_class = &svc_rdma_bc_xprt_class;
	xprt->ops = &svc_rdma_bc_ops;
	memcpy(&xprt->addr, args->dstaddr, args->addrlen);
	xprt->addrlen = args->addrlen;
	svc_rdma_bc_format_addresses(container_of(xprt, struct svc_rdma_bc,
						  xprt));
	xprt_set_bound(xprt);
	xprt_set_connected(xprt);
}

/*
 * Called when a client binds a session's callbacks to a connection. Apart from
 * the caller, the connection holds a reference to the callback transport, which
 * sunrpc puts when it frees the connection. Until then, other sessions can use
 * the transport. NFSv4 clients that share a connection can cause concurrent
 * calls.
 */
static struct rpc_xprt *svc_rdma_bc_setup(struct xprt_create *args)
{
	struct rpc_xprt *xprt;

	/* v2 draft section 4.2.2 */
	if (svc_rdma_conn_of(args->bc_xprt)->peer.props.reverse ==
	    RPCRDMA2_RVREQSUP_NONE)
		return ERR_PTR(-EOPNOTSUPP);
	xprt = xprt_alloc(args->net, sizeof(struct svc_rdma_bc), SVC_RDMA_BC_REQUESTS,
			  SVC_RDMA_BC_REQUESTS);
	if (!xprt)
		return ERR_PTR(-ENOMEM);
	/* This is safe: the connection holds a module reference, too. */
	__module_get(THIS_MODULE);
	svc_rdma_count(bc_xprts_now);
	svc_rdma_bc_xprt_init(xprt, args);
	xprt->bc_xprt = args->bc_xprt;
	xprt_get(xprt);
	if (cmpxchg(&args->bc_xprt->xpt_bc_xprt, NULL, xprt)) {
		svc_rdma_bc_destroy(xprt);
		return ERR_PTR(-EBUSY);
	}
	return xprt;
}

static struct xprt_class svc_rdma_bc_xprt_class = {
	.list	= LIST_HEAD_INIT(svc_rdma_bc_xprt_class.list),
	.name	= "rdma backchannel",
	.owner	= THIS_MODULE,
	.ident	= XPRT_TRANSPORT_BC_RDMA,
	.setup	= svc_rdma_bc_setup,
	/* No netids: sunrpc expects the empty string that ends the list. */
	.netid	= { "" },
};

/**
 * svc_rdma_bc_init - register the callback transport
 *
 * Context: module initialization.
 * Return: 0, or -EEXIST if another callback transport is registered.
 */
int svc_rdma_bc_init(void)
{
	return xprt_register_transport(&svc_rdma_bc_xprt_class);
}

/**
 * svc_rdma_bc_exit - unregister the callback transport
 *
 * Context: module exit.
 */
void svc_rdma_bc_exit(void)
{
	xprt_unregister_transport(&svc_rdma_bc_xprt_class);
}
