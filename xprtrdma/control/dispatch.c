// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a received message is: the answer to the offer of a version or to
 * CONF_RDMA, a control message, a call in the reverse direction, or a reply.
 * Each goes to its own layer.
 *
 * Errors: a message that cannot be for any call is dropped and counted. v2
 * draft section 10.1: nothing else is used of a message whose version is not
 * that of the connection.
 */

#include "../conn.h"
#include "../stats.h"
#include "../xprt.h"
#include "control.h"
#include "../callback/callback.h"
#include "../version/version.h"
#include "../message/message.h"
#include "../verbs/verbs.h"

/* Pad the message to whole XDR units; a Receive's buffer has room for that. */
static void xprt_rdma_dispatch_pad(struct xprt_rdma_recv_ctx *recv)
{
	struct rpcrdma_hdr *hdr = &recv->hdr;
	u32 len = rpcrdma_xdr_align(hdr->len);

	if (likely(len == hdr->len))
		return;
	memset(recv->buf.data + hdr->len, 0, len - hdr->len);
	hdr->len = len;
}

/* Decode the header. Returns false if the message is of no use at all. */
static bool xprt_rdma_dispatch_decode(struct xprt_rdma_recv_ctx *recv, u32 len)
{
	recv->error = recv->conn->ver->decode(&recv->hdr, recv->buf.data, len);
	if (likely(!recv->error))
		xprt_rdma_dispatch_pad(recv);
	if (unlikely(len < RPCRDMA_V1_FIXED_SIZE)) {
		xprt_rdma_count(replies_short);
		return false;
	}
	if (unlikely(recv->error == RPCRDMA_EVERSION)) {
		xprt_rdma_count(replies_bad_version);
		return false;
	}
	/* In version 2 one without the flag is a request: it may need an answer. */
	if (unlikely(recv->hdr.type == RPCRDMA_DONE && !recv->error &&
		     !recv->conn->ver->is_call(recv))) {
		xprt_rdma_count(replies_bad_type);
		return false;
	}
	return true;
}

/* A message on a connection that has no version yet. */
static void xprt_rdma_dispatch_offer(struct xprt_rdma_recv_ctx *recv, u32 len)
{
	struct xprt_rdma_conn *conn = recv->conn;
	enum xprt_rdma_state to;
	int rc;

	rc = xprt_rdma_negotiate_reply(conn, &recv->hdr, recv->buf.data, len);
	to = rc ? XPRT_RDMA_FAILED : xprt_rdma_version_next_state(conn);
	if (rc != -EAGAIN)
		xprt_rdma_conn_change_state(conn, to, rc);
	xprt_rdma_recv_put(recv);
}

/* A message on a connection whose peer has not answered CONF_RDMA. */
static void xprt_rdma_dispatch_conf(struct xprt_rdma_recv_ctx *recv, u32 len)
{
	struct xprt_rdma_conn *conn = recv->conn;

	if (xprt_rdma_conf_ops(&conn->conf)->reply(conn, &recv->hdr,
						   recv->buf.data, len))
		xprt_rdma_conn_change_state(conn, XPRT_RDMA_CONNECTED, 0);
	else
		xprt_rdma_count(messages_ignored);
	xprt_rdma_recv_put(recv);
}

/*
 * A message before calls are sent, or after the connection was lost. Returns
 * false if it is to be handled like any other.
 */
static bool xprt_rdma_dispatch_early(struct xprt_rdma_recv_ctx *recv, u32 len)
{
	if (!recv->conn->ver)
		xprt_rdma_dispatch_offer(recv, len);
	else if (xprt_rdma_life_state(&recv->conn->life) == XPRT_RDMA_CONFIGURING)
		xprt_rdma_dispatch_conf(recv, len);
	else
		return false;
	return true;
}

/**
 * xprt_rdma_dispatch - handle a received message
 * @recv: its Receive, which is kept or put
 * @len: bytes received
 * @invalidated: the peer has invalidated one of our handles with it
 * @rkey: that handle
 *
 * Context: completion handler.
 */
static void xprt_rdma_dispatch(struct xprt_rdma_recv_ctx *recv, u32 len,
			       bool invalidated, u32 rkey)
{
	struct xprt_rdma_conn *conn = recv->conn;

	if (unlikely(xprt_rdma_life_state(&conn->life) != XPRT_RDMA_CONNECTED) &&
	    xprt_rdma_dispatch_early(recv, len))
		return;
	xprt_rdma_count(replies);
	xprt_rdma_tuning_received(&conn->tuning, len);
	if (unlikely(!xprt_rdma_dispatch_decode(recv, len))) {
		conn->r_xprt->stats.bad_reply_count++;
		xprt_rdma_recv_put(recv);
	} else if (unlikely(recv->hdr.type > RPCRDMA_NOMSG) &&
		   conn->ver->control && conn->ver->control(recv)) {
		xprt_rdma_recv_put(recv);
	} else if (conn->ver->is_call(recv)) {
		xprt_rdma_bc_receive(recv);
	} else {
		xprt_rdma_reply_handle(recv, invalidated, rkey);
	}
}

/* RDMA_DONEs that are not delivered may take all credits: see watch.c. */
static void xprt_rdma_dispatch_dones_changed(struct xprt_rdma_conn *conn)
{
	xprt_rdma_credit_apply(conn);
	xprt_rdma_watch(conn->r_xprt);
}

const struct xprt_rdma_conn_ops xprt_rdma_dispatch_ops = {
	.receive	= xprt_rdma_dispatch,
	.invalidated	= xprt_rdma_reply_process,
	.dones_changed	= xprt_rdma_dispatch_dones_changed,
	.recvs_resized	= xprt_rdma_prop_change_resized,
	.may_grow	= xprt_rdma_tuning_may_grow,
};
