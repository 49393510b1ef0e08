// SPDX-License-Identifier: GPL-2.0-only
/*
 * The version of RPC-over-RDMA that a connection speaks: that of the first
 * message in a supported version (v2 draft section 7). It does not change
 * later.
 */

#include <linux/unaligned.h>

#include "../message/message.h"
#include "../verbs/verbs.h"
#include "version.h"

/* Why a connection speaks version @number after its first message */
static enum rpcrdma_nl_reason
svc_rdma_version_reason(const struct svc_rdma_conn *conn, u32 number)
{
	if (number == RPCRDMA_VERSION_2)
		return conn->peer.hint == RPCRDMA_HINT_V2 ?
			       RPCRDMA_NL_REASON_HINT :
			       RPCRDMA_NL_REASON_OFFER;
	if (conn->peer.hint == RPCRDMA_HINT_V1 ||
	    conn->peer.hint == RPCRDMA_HINT_V2_OTHER)
		return RPCRDMA_NL_REASON_HINT;
	return conn->peer.highest < RPCRDMA_VERSION_2 ?
		       RPCRDMA_NL_REASON_TUNABLE :
		       RPCRDMA_NL_REASON_PEER;
}

/**
 * svc_rdma_version_choose - choose the version of a connection
 * @conn: connection without a version
 * @recv: message
 *
 * A requester has only one message in flight until it is granted credits. So
 * the other Receives can be posted now, with the size that the version uses. If
 * the requester has more messages in flight, the first one decides, and
 * messages of another version are refused.
 *
 * Context: process, a thread that holds XPT_BUSY, so no other message is
 * handled meanwhile.
 * Return: the connection's version; svc_rdma_undecided if the message's version
 * is not supported, or the message is too short to have one.
 */
const struct svc_rdma_version *
svc_rdma_version_choose(struct svc_rdma_conn *conn,
			const struct svc_rdma_recv_ctx *recv)
{
	const struct svc_rdma_version *ver = &svc_rdma_v1;
	u32 number = 0;
	int ret;

	if (recv->len >= 2 * RPCRDMA_XDR_UNIT)
		number = get_unaligned_be32(recv->buf + RPCRDMA_XDR_UNIT);
	if (number < RPCRDMA_VERSION_1 || number > conn->peer.highest)
		return &svc_rdma_undecided;
	if (number == RPCRDMA_VERSION_2)
		ver = &svc_rdma_v2;
	WRITE_ONCE(conn->peer.reason, svc_rdma_version_reason(conn, number));
	ver->begin(conn);
	WRITE_ONCE(conn->ver, ver);
	ret = svc_rdma_recvs_add(conn, svc_rdma_recvs_for(conn->credits.grant));
	if (ret)
		svc_rdma_conn_close(conn,
				    rpcrdma_cause_errno(RPCRDMA_NL_DETAIL_RECEIVE,
							ret));
	return ver;
}

/**
 * svc_rdma_version_fault - set the fault of a message that could not be decoded
 * @conn: connection
 * @recv: message
 * @status: error of the decoder
 *
 * RFC 5666 section 4.2, v2 draft section 5.3.3. An ERR_VERS reports the
 * versions that the requester may use on this connection.
 *
 * Context: any.
 * Return: SVC_RDMA_REFUSED.
 */
enum svc_rdma_kind svc_rdma_version_fault(const struct svc_rdma_conn *conn,
					  struct svc_rdma_recv_ctx *recv,
					  int status)
{
	u32 number = READ_ONCE(conn->ver)->number;

	if (status == RPCRDMA_EVERSION)
		svc_rdma_fault_set(recv, RPCRDMA2_ERR_VERS,
				   number ?: RPCRDMA_VERSION_1,
				   number ?: conn->peer.highest);
	else
		svc_rdma_fault_set(recv, status == RPCRDMA_ETYPE ?
						 RPCRDMA2_ERR_INVAL_HTYPE :
						 RPCRDMA2_ERR_BAD_XDR, 0, 0);
	return SVC_RDMA_REFUSED;
}
