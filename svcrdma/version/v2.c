// SPDX-License-Identifier: GPL-2.0-only
/* Version 2 of RPC-over-RDMA: draft-cel-nfsv4-rpcrdma-version-two-09. */

#include <linux/unaligned.h>

#include "../counters.h"
#include "../ext/ext.h"
#include "../limits.h"
#include "../message/message.h"
#include "../tunables.h"
#include "version.h"

/* Section 7.1: use the defaults until the requester sends its properties. */
static void svc_rdma_v2_begin(struct svc_rdma_conn *conn)
{
	conn->peer.remote_inv = conn->caps.invalidate;
	svc_rdma_recvs_set_size(conn, svc_rdma_receive_buffer_size);
	WRITE_ONCE(conn->peer.longest, RPCRDMA2_INLINE_DEFAULT);
	svc_rdma_props_begin(conn);
}

/*
 * Section 5.3.3: an error is not answered, nor is a message with the response
 * flag, which is itself an answer.
 */
static bool svc_rdma_v2_answerable(const struct rpcrdma_hdr *hdr)
{
	return hdr->type != RPCRDMA2_ERROR &&
	       !(hdr->flags & RPCRDMA2_F_RESPONSE);
}

static enum svc_rdma_kind svc_rdma_v2_refuse(struct svc_rdma_recv_ctx *recv,
					     u32 code, u32 value)
{
	if (!svc_rdma_v2_answerable(&recv->hdr)) {
		svc_rdma_count(messages_dropped);
		return SVC_RDMA_HANDLED;
	}
	svc_rdma_fault_set(recv, code, 0, value);
	return SVC_RDMA_REFUSED;
}

/*
 * Section 3.2: for MSG and NOMSG, the response flag must agree with the
 * direction of the RPC message. The direction of a long call is unknown before
 * its Read chunk has been read.
 */
static bool svc_rdma_v2_payload_is_call(const struct rpcrdma_hdr *hdr)
{
	const u8 *p = hdr->base + hdr->payload;

	if (hdr->type == RPCRDMA2_NOMSG)
		return hdr->reads.bytes;
	return hdr->len - hdr->payload < 2 * RPCRDMA_XDR_UNIT ||
	       !get_unaligned_be32(p + RPCRDMA_XDR_UNIT);
}

/*
 * Limit the segments of all Read chunks together, and of all other chunks
 * together: each needs at least one Work Request. Section 5.3.3: ERR_SEGMENTS
 * reports a limit per chunk. A call is accepted if it has as many chunks as
 * this one, and at most the reported number of segments in each.
 */
static enum svc_rdma_kind svc_rdma_v2_check_call(struct svc_rdma_conn *conn,
						 struct svc_rdma_recv_ctx *recv)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;
	u32 writes = hdr->writes.chunks + hdr->reply.chunks;
	u32 max = SVC_RDMA_SEGMENTS;

	if (!svc_rdma_v2_payload_is_call(hdr))
		return svc_rdma_v2_refuse(recv, RPCRDMA2_ERR_BAD_XDR, 0);
	if (hdr->writes.chunks > SVC_RDMA_PAYLOADS)
		return svc_rdma_v2_refuse(recv, RPCRDMA2_ERR_WRITE_CHUNKS,
					  SVC_RDMA_PAYLOADS);
	if (hdr->reads.segments > max)
		return svc_rdma_v2_refuse(recv, RPCRDMA2_ERR_SEGMENTS,
				 max / clamp(hdr->reads.chunks, 1,
					     RPCRDMA_LAYOUT_CHUNKS));
	if (hdr->writes.segments + hdr->reply.segments > max)
		return svc_rdma_v2_refuse(recv, RPCRDMA2_ERR_SEGMENTS,
					  max / writes);
	return SVC_RDMA_CALL;
}

/* RDMA2_DONE is OPTIONAL; our HTYPES property says whether we support it. */
static enum svc_rdma_kind
svc_rdma_v2_classify_done(struct svc_rdma_conn *conn,
			  struct svc_rdma_recv_ctx *recv)
{
	if (!conn->caps.advertise)
		return svc_rdma_v2_refuse(recv, RPCRDMA2_ERR_INVAL_HTYPE, 0);
	/* Section 3.2: with the response flag, the XID is one of our XIDs. */
	if (!(recv->hdr.flags & RPCRDMA2_F_RESPONSE))
		return SVC_RDMA_DONE;
	svc_rdma_count(messages_dropped);
	return SVC_RDMA_HANDLED;
}

/*
 * Section 3.2: with the response flag, the XID is one of our XIDs. OPTIONAL
 * types that we have not announced are refused, even if they are malformed.
 */
static enum svc_rdma_kind svc_rdma_v2_malformed(struct svc_rdma_conn *conn,
						struct svc_rdma_recv_ctx *recv,
						int status)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;

	if (conn->properties.on && hdr->flags & RPCRDMA2_F_RESPONSE &&
	    (hdr->type == RPCRDMA2_RESPROP || hdr->type == RPCRDMA2_ERROR))
		svc_rdma_properties_receive(conn, hdr, RPCRDMA_EPROP);
	if (!svc_rdma_v2_answerable(hdr)) {
		svc_rdma_count(messages_dropped);
		return SVC_RDMA_HANDLED;
	}
	if (rpcrdma_v2_changes_props(hdr->type) && !conn->properties.on &&
	    hdr->len >= RPCRDMA2_PREFIX_SIZE && status != RPCRDMA_EVERSION)
		status = RPCRDMA_ETYPE;
	return svc_rdma_version_fault(conn, recv, status);
}

/* Classify the OPTIONAL types that change properties. */
static enum svc_rdma_kind
svc_rdma_v2_classify_change(struct svc_rdma_conn *conn,
			    struct svc_rdma_recv_ctx *recv)
{
	int ret = RPCRDMA2_ERR_INVAL_HTYPE;

	if (conn->properties.on)
		ret = svc_rdma_properties_receive(conn, &recv->hdr, 0);
	return ret > 0 ? svc_rdma_v2_refuse(recv, ret, 0) : SVC_RDMA_HANDLED;
}

/* Section 3.2: the XID of an error is ours only if the response flag is set. */
static enum svc_rdma_kind
svc_rdma_v2_classify_error(struct svc_rdma_conn *conn,
			   struct svc_rdma_recv_ctx *recv)
{
	svc_rdma_count(errors_received);
	if (recv->hdr.flags & RPCRDMA2_F_RESPONSE &&
	    (!conn->properties.on ||
	     svc_rdma_properties_receive(conn, &recv->hdr, 0)))
		return SVC_RDMA_ANSWER;
	return SVC_RDMA_HANDLED;
}

static enum svc_rdma_kind svc_rdma_v2_classify(struct svc_rdma_conn *conn,
					       struct svc_rdma_recv_ctx *recv)
{
	switch (recv->hdr.type) {
	case RPCRDMA2_MSG:
	case RPCRDMA2_NOMSG:
		if (!(recv->hdr.flags & RPCRDMA2_F_RESPONSE))
			return svc_rdma_v2_check_call(conn, recv);
		return SVC_RDMA_ANSWER;
	case RPCRDMA2_CONNPROP:
		if (svc_rdma_props_receive(conn, recv))
			return svc_rdma_v2_refuse(recv, RPCRDMA2_ERR_BAD_XDR,
						  0);
		return SVC_RDMA_HANDLED;
	case RPCRDMA2_ERROR:
		return svc_rdma_v2_classify_error(conn, recv);
	case RPCRDMA2_DONE:
		return svc_rdma_v2_classify_done(conn, recv);
	case RPCRDMA2_REQPROP:
	case RPCRDMA2_RESPROP:
	case RPCRDMA2_UPDPROP:
		return svc_rdma_v2_classify_change(conn, recv);
	default:
		/* Section 5.2: refuse OPTIONAL types that are not supported. */
		return svc_rdma_v2_refuse(recv, RPCRDMA2_ERR_INVAL_HTYPE, 0);
	}
}

const struct svc_rdma_version svc_rdma_v2 = {
	.number		= RPCRDMA_VERSION_2,
	.header_size	= RPCRDMA2_MIN_SIZE,
	.send_buf	= SVC_RDMA_SEND_BUF,
	.names_handle	= true,
	.begin		= svc_rdma_v2_begin,
	.decode		= rpcrdma_decode_v2,
	.malformed	= svc_rdma_v2_malformed,
	.classify	= svc_rdma_v2_classify,
};
