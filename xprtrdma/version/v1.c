// SPDX-License-Identifier: GPL-2.0-only
/*
 * Version 1 of RPC-over-RDMA (RFC 5666, RFC 8166): differences from other
 * versions.
 */

#include <rpcrdma/padding.h>

#include "../conn.h"
#include "../ext/ext.h"
#include "../stats.h"
#include "version.h"
#include "../message/message.h"

#include <trace/events/xprtrdma.h>

/* RFC 8167 section 5.2: only the RPC message shows the direction. */
static bool xprt_rdma_v1_is_call(const struct xprt_rdma_recv_ctx *recv)
{
	return !recv->error && xprt_rdma_rpc_has_call(&recv->hdr);
}

/*
 * RFC 8167 section 5.2: callbacks and their replies use no chunks. A padded
 * callback is refused as well, because we do not know which of its items is
 * padded.
 */
static u32 xprt_rdma_v1_check_call(const struct xprt_rdma_recv_ctx *recv)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;

	if (hdr->reads.segments || hdr->writes.chunks || hdr->reply.chunks)
		return RPCRDMA2_ERR_BAD_XDR;
	return hdr->type == RPCRDMA_MSG ? 0 : RPCRDMA2_ERR_BAD_XDR;
}

/* All errors are permanent. */
static int xprt_rdma_v1_error(struct xprt_rdma_req *req,
			      const struct rpcrdma_hdr *hdr)
{
	xprt_rdma_count(errors_received);
	trace_xprtrdma_error(req, hdr, false);
	return -EREMOTEIO;
}

const struct xprt_rdma_version xprt_rdma_v1 = {
	.number		= RPCRDMA_VERSION_1,
	.hdr_min	= RPCRDMA_V1_MIN_SIZE,
	.decode		= rpcrdma_decode_msgp,
	.is_call	= xprt_rdma_v1_is_call,
	.check_call	= xprt_rdma_v1_check_call,
	.error		= xprt_rdma_v1_error,
};

/**
 * xprt_rdma_v1_begin - begin to use version 1 on a connection
 * @conn: connection without RPCs in flight
 *
 * Context: process, including completion handlers.
 */
void xprt_rdma_v1_begin(struct xprt_rdma_conn *conn)
{
	xprt_rdma_pulled_begin(conn, NULL);
	xprt_rdma_count(connects_v1);
	WRITE_ONCE(conn->ver, &xprt_rdma_v1);
}
