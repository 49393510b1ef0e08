// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Connection Configuration Protocol, RPC program 100417 (RFC 5666 section
 * 6), in version 1.
 *
 * Operation: if the tunable is set, the first call on a connection contains our
 * limits, and its reply contains the server's. No other call is sent before the
 * reply. If the server refuses the call, the limits of the CM private message
 * or the defaults remain in force. A server that does not answer, or
 * disconnects, is not asked on the next connection, because RFC 5666 section
 * 6.1 permits no other call before the reply.
 *
 * The call has no sunrpc task: version/control_msg.c sends it. The XID of the
 * call is random, and may even be that of another call, because a call matches
 * no reply before it is sent.
 *
 * Limits: sizes are those of whole messages (RFC 5666 section 5). The server's
 * answer does not limit the size of replies, which is limited by its CM private
 * message or, without one, by the size of our Receives.
 *
 * Errors: an answer that cannot be decoded counts as a refusal.
 */

#include <linux/module.h>
#include <linux/random.h>

#include <rpcrdma/codec.h>
#include <rpcrdma/conf.h>

#include "../conn.h"
#include "../limits.h"
#include "../stats.h"
#include "ext.h"
#include "../version/version.h"
#include "../message/message.h"

static bool xprt_rdma_connection_configuration;
module_param_named(connection_configuration, xprt_rdma_connection_configuration,
		   bool, 0644);
MODULE_PARM_DESC(connection_configuration, "Exchange limits by the Connection Configuration Protocol with version 1 (new connections)");

/**
 * xprt_rdma_conf_send - send our limits to the server
 * @conn: connection of version 1
 *
 * RFC 5666 section 6.2. On iWARP, a limit of zero Reads may only mean that the
 * limit is unknown. A zero is not sent, because the server would then read
 * nothing.
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: 0 or a negative errno.
 */
int xprt_rdma_conf_send(struct xprt_rdma_conn *conn)
{
	const struct rpcrdma_conf_req ours = {
		.maxcall_sendsize	= conn->conf.call_size,
		.maxreply_sendsize	= conn->conf.reply_size,
		.maxrdmaread		= conn->peer.no_reads ?
						  0 : max(conn->peer.ird, 1u),
	};
	u8 msg[RPCRDMA_V1_MIN_SIZE + RPCRDMA_CONF_SIZE];
	struct rpcrdma_encoder enc;
	int len;

	rpcrdma_encode_init(&enc, msg, sizeof(msg));
	rpcrdma_encode_fixed(&enc, conn->conf.xid, conn->ver->number,
			     conn->credits.max, RPCRDMA_MSG);
	rpcrdma_encode_no_chunks(&enc);
	rpcrdma_conf_call_encode(&enc, conn->conf.xid, &ours);
	len = rpcrdma_encode_finish(&enc);
	if (len < 0)
		return len;
	return xprt_rdma_control_msg_send(conn, msg, len);
}

/* Only powers of two are valid; XDR always aligns to four bytes. */
static u32 xprt_rdma_conf_align(u32 align)
{
	if (!is_power_of_2(align) || align <= RPCRDMA_XDR_UNIT ||
	    align > XPRT_RDMA_ALIGN_MAX)
		return 0;
	return align;
}

/*
 * RFC 5666 section 6.1: every server can receive 1 KiB. maxrdmaread is the
 * number of Reads that the server serves. If it is 0, the server cannot issue
 * Reads either (section 6.2: "no transfer will be possible"). Then we send
 * nothing that the server would have to read, and decline replies in Read
 * chunks.
 */
static void xprt_rdma_conf_apply(struct xprt_rdma_conn *conn,
				 const struct rpcrdma_conf_res *res)
{
	WRITE_ONCE(conn->sizes.inline_send,
		   min(conn->conf.call_size,
		       max(res->maxcall_sendsize, RPCRDMA_V1_INLINE_DEFAULT)));
	if (!conn->peer.private)
		conn->sizes.inline_recv = conn->conf.reply_size;
	conn->peer.align = xprt_rdma_conf_align(res->align);
	conn->peer.ord = min(conn->peer.ord, max(res->maxrdmaread, 1u));
	conn->peer.no_own_reads |= !res->maxrdmaread;
	conn->peer.no_reads |= !res->maxrdmaread;
}

/* The reply is an RDMA_MSG without chunks, as none were offered. */
static bool xprt_rdma_conf_decode(struct rpcrdma_conf_res *res,
				  const struct rpcrdma_hdr *hdr)
{
	if (hdr->type != RPCRDMA_MSG || hdr->reads.segments ||
	    hdr->writes.chunks || hdr->reply.chunks)
		return false;
	return !rpcrdma_conf_reply_decode(res, hdr->xid, hdr->base + hdr->payload,
					  hdr->len - hdr->payload);
}

/**
 * xprt_rdma_conf_reply - handle a message that may be the answer to CONF_RDMA
 * @conn: connection
 * @hdr: set to the decoded header
 * @buf: message
 * @len: bytes in @buf
 *
 * Context: completion handler.
 * Return: true if it was the answer.
 */
bool xprt_rdma_conf_reply(struct xprt_rdma_conn *conn, struct rpcrdma_hdr *hdr,
			  const void *buf, u32 len)
{
	struct rpcrdma_conf_res res;
	int rc = conn->ver->decode(hdr, buf, len);

	if (len < RPCRDMA_V1_FIXED_SIZE || rc == RPCRDMA_EVERSION ||
	    hdr->xid != conn->conf.xid || (!rc && xprt_rdma_rpc_has_call(hdr)))
		return false;
	if (!rc && xprt_rdma_conf_decode(&res, hdr)) {
		xprt_rdma_conf_apply(conn, &res);
		xprt_rdma_count(conf_answered);
	} else {
		xprt_rdma_count(conf_refused);
	}
	if (!rc)
		xprt_rdma_credit_grant(conn, hdr->credits);
	xprt_rdma_life_answer(&conn->life);
	return true;
}

/**
 * xprt_rdma_conf_begin - exchange limits on a connection, if it uses version 1
 * @conn: new connection, whose message sizes are those that the administrator
 *	has set
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_conf_begin(struct xprt_rdma_conn *conn)
{
	if (!READ_ONCE(xprt_rdma_connection_configuration))
		return;
	conn->conf.call_size = READ_ONCE(conn->sizes.inline_send);
	conn->conf.reply_size = READ_ONCE(conn->sizes.inline_recv);
	/* The server's first message may arrive before the call is sent. */
	conn->conf.xid = (__force __be32)get_random_u32();
}
