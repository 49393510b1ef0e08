// SPDX-License-Identifier: GPL-2.0-only
/*
 * Version 2 of RPC-over-RDMA: differences from other versions. negotiate.c
 * negotiates it; v2_error.c handles its errors.
 */

#include <rpcrdma/codec.h>

#include "../conn.h"
#include "../ext/ext.h"
#include "../stats.h"
#include "version.h"

/*
 * v2 draft section 3.2: a flag shows the direction. A header that is too short
 * to have flags is a reply.
 */
static bool xprt_rdma_v2_is_call(const struct xprt_rdma_recv_ctx *recv)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;

	return recv->error != RPCRDMA_EVERSION &&
	       hdr->len >= RPCRDMA2_PREFIX_SIZE &&
	       !(hdr->flags & RPCRDMA2_F_RESPONSE);
}

/*
 * No answer is sent to an error (v2 draft section 5.3.3), or to well-formed
 * properties, even if they arrive late (section 4.1). An RDMA2_DONE gets no
 * answer if we have announced that type (section 5.2): none of our replies
 * waits for it (reliable-reply draft section 4.1.3).
 */
static u32 xprt_rdma_v2_check_call(const struct xprt_rdma_recv_ctx *recv)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;
	struct rpcrdma_props props;

	if (hdr->type == RPCRDMA2_ERROR)
		return XPRT_RDMA_NO_ANSWER;
	if (recv->error)
		return recv->error == RPCRDMA_ETYPE ? RPCRDMA2_ERR_INVAL_HTYPE :
						      RPCRDMA2_ERR_BAD_XDR;
	if (hdr->type == RPCRDMA2_CONNPROP)
		return rpcrdma_props_decode(&props, hdr) ?
			       RPCRDMA2_ERR_BAD_XDR : XPRT_RDMA_NO_ANSWER;
	if (hdr->type == RPCRDMA2_DONE)
		return recv->conn->properties.own.read_replies ?
			       XPRT_RDMA_NO_ANSWER : RPCRDMA2_ERR_INVAL_HTYPE;
	return 0;
}

/*
 * Handle messages that change properties, errors that answer these messages,
 * and properties that answer nothing. None of them completes a call, whatever
 * its XID. If we have not announced the type of a message, the peer gets an
 * error, even if the message is malformed (v2 draft section 5.2).
 */
static bool xprt_rdma_v2_control(struct xprt_rdma_recv_ctx *recv)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;
	bool on = recv->conn->properties.on;

	if (hdr->type == RPCRDMA2_ERROR)
		return on && xprt_rdma_properties_receive(recv);
	if (hdr->type == RPCRDMA2_CONNPROP && hdr->flags & RPCRDMA2_F_RESPONSE) {
		xprt_rdma_count(messages_ignored);
		return true;
	}
	if (!rpcrdma_v2_changes_props(hdr->type))
		return false;
	if (!on)
		recv->error = RPCRDMA_ETYPE;
	else
		xprt_rdma_properties_receive(recv);
	return on;
}

const struct xprt_rdma_version xprt_rdma_v2 = {
	.number		= RPCRDMA_VERSION_2,
	.hdr_min	= RPCRDMA2_MIN_SIZE,
	.has_flags	= true,
	.has_props	= true,
	/* v2 draft section 10.1: messages of other versions are refused. */
	.decode		= rpcrdma_decode_v2,
	.is_call	= xprt_rdma_v2_is_call,
	.check_call	= xprt_rdma_v2_check_call,
	.control	= xprt_rdma_v2_control,
	.error		= xprt_rdma_v2_error,
};

/**
 * xprt_rdma_v2_begin - begin to use version 2 on a connection
 * @conn: connection without RPCs in flight
 * @props: the peer's properties, or the defaults
 *
 * Context: completion handler.
 */
void xprt_rdma_v2_begin(struct xprt_rdma_conn *conn,
			const struct rpcrdma_props *props)
{
	xprt_rdma_props_set_peer(conn, props);
	conn->sizes.inline_recv = conn->recvs.size;
	xprt_rdma_pulled_begin(conn, props);
	xprt_rdma_count(connects_v2);
	WRITE_ONCE(conn->ver, &xprt_rdma_v2);
}
