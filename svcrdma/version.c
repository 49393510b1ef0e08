// SPDX-License-Identifier: GPL-2.0-only
/*
 * The version of RPC-over-RDMA that a connection speaks: that of its first
 * message, if it is one of ours (v2 draft section 7). It never changes.
 */

#include <linux/unaligned.h>

#include "svcrdma.h"

static const struct svc_rdma_version * const svc_rdma_versions[] = {
	&svc_rdma_v1,
	&svc_rdma_v2,
};

/* The versions that new connections may speak are 1 to this one. */
static u32 svc_rdma_version_highest(void)
{
	return clamp_t(u32, READ_ONCE(svc_rdma_max_version), RPCRDMA_VERSION_1,
		       ARRAY_SIZE(svc_rdma_versions));
}

/**
 * svc_rdma_version_of - the version of messages to a requester
 * @conn: connection
 *
 * Before the first message that can be served, it is version 1, in which
 * every requester can read that its own version is none of ours.
 *
 * Context: any.
 * Return: the version.
 */
const struct svc_rdma_version *
svc_rdma_version_of(const struct svc_rdma_conn *conn)
{
	const struct svc_rdma_version *ver = READ_ONCE(conn->ver);

	return ver ?: &svc_rdma_v1;
}

/*
 * A requester has one message in flight until it is granted credits. So there
 * is time to post the other Receives, of the size that the version wants. If
 * it has more, one of them wins, and what differs is refused.
 */
static const struct svc_rdma_version *
svc_rdma_version_set(struct svc_rdma_conn *conn, u32 number)
{
	const struct svc_rdma_version *ver = svc_rdma_versions[number - 1],
				      *old;

	old = cmpxchg(&conn->ver, NULL, ver);
	if (old)
		return old;
	ver->begin(conn);
	if (svc_rdma_recvs_begin(conn))
		svc_rdma_conn_close(conn);
	return ver;
}

/* The first message: NULL if its version is none of ours, or unknown. */
static const struct svc_rdma_version *
svc_rdma_version_first_message(struct svc_rdma_conn *conn,
			       const struct svc_rdma_recv_ctx *recv)
{
	u32 number;

	if (recv->len < 2 * RPCRDMA_XDR_UNIT)
		return NULL;
	number = get_unaligned_be32(recv->buf + RPCRDMA_XDR_UNIT);
	if (number < RPCRDMA_VERSION_1 || number > svc_rdma_version_highest())
		return NULL;
	return svc_rdma_version_set(conn, number);
}

/**
 * svc_rdma_version_decode - decode a message in the version of its connection
 * @conn: connection; if it has no version yet, it gets that of the message
 * @recv: message
 *
 * Context: process.
 * Return: 0 or an error of the decoder; RPCRDMA_EVERSION also for a version
 * that is not the connection's.
 */
int svc_rdma_version_decode(struct svc_rdma_conn *conn,
			    struct svc_rdma_recv_ctx *recv)
{
	const struct svc_rdma_version *ver = READ_ONCE(conn->ver);
	int ret;

	if (unlikely(!ver))
		ver = svc_rdma_version_first_message(conn, recv);
	if (likely(ver))
		return ver->decode(&recv->hdr, recv->buf, recv->len);
	ret = rpcrdma_decode_prefix(&recv->hdr, recv->buf, recv->len);
	return ret ?: RPCRDMA_EVERSION;
}

/**
 * svc_rdma_version_fault - what a requester is told about a message that could not
 *	be decoded
 * @conn: connection
 * @recv: message; its fault is set
 * @status: error of the decoder
 *
 * RFC 5666 section 4.2, v2 draft section 5.3.3. The range of versions is what
 * the requester may use on this connection.
 *
 * Context: any.
 */
void svc_rdma_version_fault(const struct svc_rdma_conn *conn,
			    struct svc_rdma_recv_ctx *recv, int status)
{
	const struct svc_rdma_version *ver = READ_ONCE(conn->ver);

	switch (status) {
	case RPCRDMA_EVERSION:
		svc_rdma_fault_set(recv, RPCRDMA2_ERR_VERS,
				   ver ? ver->number : RPCRDMA_VERSION_1,
				   ver ? ver->number :
					 svc_rdma_version_highest());
		break;
	case RPCRDMA_ETYPE:
		svc_rdma_fault_set(recv, RPCRDMA2_ERR_INVAL_HTYPE, 0, 0);
		break;
	default:
		svc_rdma_fault_set(recv, RPCRDMA2_ERR_BAD_XDR, 0, 0);
		break;
	}
}
