// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Connection Configuration Protocol in version 1: RPC program 100417 (RFC
 * 5666 section 6).
 *
 * Operation: nfsd does not have this program, and does not know the limits of a
 * connection. So calls are answered here, on the connection that carries them.
 * The limits in a call apply to that connection from the answer on. No answer
 * needs chunks; a call with chunks is passed to nfsd, which answers it with
 * PROG_UNAVAIL. Like a reply, an answer is sent after the call's Receive has
 * been returned.
 *
 * Limits: a size is that of a whole message (RFC 5666 section 5), as in RFC
 * 8797, with the same bounds. The requester can raise the size of replies up to
 * max_req_size. It can only lower the number of our RDMA Reads, which never
 * exceeds the CM's limit.
 *
 * Security: Documentation/protocol.rst, Connection configuration, says which
 * credentials are accepted, and why.
 */

#include <rpcrdma/conf.h>

#include "../counters.h"
#include "../limits.h"
#include "../message/message.h"
#include "../tunables.h"
#include "../verbs/verbs.h"
#include "ext.h"

static bool svc_rdma_connection_configuration = true;
SVC_RDMA_PARAM(connection_configuration, bool,
	       "Answer the Connection Configuration Protocol with version 1");

/*
 * If the requester's adapter issues no RDMA Reads, it has agreed on zero Reads
 * with the CM. Announcing zero here could keep the requester from sending Read
 * chunks, so announce at least one.
 */
static void svc_rdma_conf_send(struct svc_rdma_conn *conn, __be32 xid,
			       const struct rpcrdma_conf_call *call)
{
	const struct rpcrdma_conf_res res = {
		.maxcall_sendsize	= conn->caps.v1_recv,
		.align			= svc_rdma_msgp_align(conn),
		.maxrdmaread		= max(conn->caps.ird, 1u),
	};
	struct svc_rdma_send_ctx *send;
	struct rpcrdma_encoder enc;

	send = svc_rdma_send_get(conn);
	if (!send) {
		svc_rdma_conn_close(conn, RPCRDMA_CAUSE(MEMORY, SEND));
		return;
	}
	rpcrdma_encode_init(&enc, send->buf, svc_rdma_send_room(send));
	rpcrdma_encode_fixed(&enc, xid, RPCRDMA_VERSION_1, 0, RPCRDMA_MSG);
	rpcrdma_encode_no_chunks(&enc);
	rpcrdma_conf_reply_encode(&enc, call, &res);
	svc_rdma_send_answer(send, rpcrdma_encode_finish(&enc));
}

/**
 * svc_rdma_conf_wants - check whether a call must be answered here
 * @recv: call of version 1
 *
 * Context: any.
 * Return: false if nfsd has to answer: the call is for another program or has
 * chunks, or the administrator has disabled the protocol.
 */
bool svc_rdma_conf_wants(const struct svc_rdma_recv_ctx *recv)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;

	return unlikely(rpcrdma_conf_is_call(hdr)) &&
	       READ_ONCE(svc_rdma_connection_configuration) &&
	       !hdr->reads.segments && !hdr->writes.chunks &&
	       !hdr->reply.chunks;
}

/**
 * svc_rdma_conf_answer - apply and answer a call of program 100417
 * @conn: connection of version 1
 * @recv: call that svc_rdma_conf_wants() has accepted; it is put back
 *
 * RFC 5666 section 6.1: every peer can receive messages of 1 KiB.
 *
 * Context: process; does not wait for room in the Send Queue.
 */
void svc_rdma_conf_answer(struct svc_rdma_conn *conn,
			  struct svc_rdma_recv_ctx *recv)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;
	struct rpcrdma_conf_call call;
	__be32 xid = hdr->xid;

	rpcrdma_conf_call_decode(&call, hdr->base + hdr->payload,
				 hdr->len - hdr->payload);
	svc_rdma_count(conf_calls);
	if (!call.status && call.proc == RPCRDMA_CONF_RDMA) {
		WRITE_ONCE(conn->peer.longest,
			   clamp(call.req.maxreply_sendsize,
				 RPCRDMA_V1_INLINE_DEFAULT, conn->caps.v1_recv));
		svc_rdma_reads_limit(conn, call.req.maxrdmaread);
	}
	svc_rdma_recv_put(conn, recv);
	svc_rdma_conf_send(conn, xid, &call);
}
