// SPDX-License-Identifier: GPL-2.0-only
/* Version 1 of RPC-over-RDMA: RFC 8166; RFC 5666 where RFC 8166 is silent. */

#include <rpcrdma/padding.h>

#include "../counters.h"
#include "../ext/ext.h"
#include "../message/message.h"
#include "version.h"

static void svc_rdma_v1_begin(struct svc_rdma_conn *conn)
{
	svc_rdma_recvs_set_size(conn, conn->caps.v1_recv);
	WRITE_ONCE(conn->peer.read_replies, conn->caps.advertise_v1);
}

/* RFC 8166 section 4.5: do not answer an error with an error. */
static enum svc_rdma_kind svc_rdma_v1_malformed(struct svc_rdma_conn *conn,
						struct svc_rdma_recv_ctx *recv,
						int status)
{
	if (recv->hdr.type == RPCRDMA_ERROR) {
		svc_rdma_count(messages_dropped);
		return SVC_RDMA_HANDLED;
	}
	return svc_rdma_version_fault(conn, recv, status);
}

/*
 * Check that a call has the parts that its type requires. RFC 5666 section 4.1:
 * an RDMA_MSG contains an RPC message, which has at least an XID. An RDMA_NOMSG
 * needs Read chunks. An RDMA_MSGP is turned into an RDMA_MSG.
 */
static bool svc_rdma_v1_call_ok(struct svc_rdma_recv_ctx *recv)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;

	switch (hdr->type) {
	case RPCRDMA_MSGP:
		return svc_rdma_msgp_remove(recv);
	case RPCRDMA_MSG:
		return hdr->len - hdr->payload >= RPCRDMA_XDR_UNIT;
	default:
		return hdr->reads.bytes;
	}
}

static enum svc_rdma_kind svc_rdma_v1_classify(struct svc_rdma_conn *conn,
					       struct svc_rdma_recv_ctx *recv)
{
	switch (recv->hdr.type) {
	case RPCRDMA_DONE:
		return SVC_RDMA_DONE;
	case RPCRDMA_ERROR:
		svc_rdma_count(errors_received);
		return SVC_RDMA_ANSWER;
	default:
		break;
	}
	/* RFC 8167 section 3: only the RPC message shows the direction. */
	if (svc_rdma_message_is_reply(recv))
		return SVC_RDMA_ANSWER;
	if (!svc_rdma_v1_call_ok(recv)) {
		svc_rdma_fault_set(recv, RPCRDMA2_ERR_BAD_XDR, 0, 0);
		return SVC_RDMA_REFUSED;
	}
	return svc_rdma_conf_wants(recv) ? SVC_RDMA_CONF : SVC_RDMA_CALL;
}

const struct svc_rdma_version svc_rdma_v1 = {
	.number		= RPCRDMA_VERSION_1,
	.header_size	= RPCRDMA_V1_MIN_SIZE,
	.send_buf	= U32_MAX,
	.begin		= svc_rdma_v1_begin,
	.decode		= rpcrdma_decode_msgp,
	.malformed	= svc_rdma_v1_malformed,
	.classify	= svc_rdma_v1_classify,
};

/*
 * Until a message has decided the version, only errors are sent, in version 1.
 * @decode accepts only version 1, and so always fails: a message of version 1
 * would have decided the version.
 */
const struct svc_rdma_version svc_rdma_undecided = {
	.choose		= svc_rdma_version_choose,
	.header_size	= RPCRDMA_V1_MIN_SIZE,
	.send_buf	= U32_MAX,
	.decode		= rpcrdma_decode,
	.malformed	= svc_rdma_v1_malformed,
};
