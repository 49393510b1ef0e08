// SPDX-License-Identifier: GPL-2.0-only
/*
 * Padded messages (RDMA_MSGP, RFC 5666 section 3.9), in version 1.
 *
 * Calls: the data of an inline NFSv3 WRITE is padded if the peer recommends an
 * alignment by CONF_RDMA (section 6.2), and the administrator allows it. The
 * receiver can find the data, because it is the last item, and all other items
 * are short. The data is gathered from its pages.
 *
 * Replies: padding is removed from the reply to an NFSv3 READ.
 *
 * Errors: a reply whose padding cannot be found fails its call.
 */

#include <linux/nfs3.h>
#include <linux/sunrpc/auth.h>
#include <linux/sunrpc/xdr.h>

#include <rpcrdma/padding.h>

#include "../conn.h"
#include "../limits.h"
#include "../req.h"
#include "../stats.h"
#include "../xprt.h"
#include "ext.h"
#include "../message/message.h"

/* Bytes; only longer data is padded. All other items of a WRITE are shorter. */
#define XPRT_RDMA_PAD_THRESH	512u

/* Largest alignment to which data is padded if the peer recommends one; 0: never */
unsigned int xprt_rdma_inline_write_padding;

/**
 * xprt_rdma_msgp_data_at - choose where the data of an inline call begins
 * @conn: connection whose peer recommends an alignment
 * @req: request whose call is sent inline
 * @plan: plan of its header
 *
 * The bytes before the data are copied after the transport header, and must fit
 * there. The data is gathered, and must be the last item. The call is not
 * padded if that is impossible, or if it would be too long to be sent inline.
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: bytes from the start of the transport header; 0 if the call is not
 * padded.
 */
u32 xprt_rdma_msgp_data_at(const struct xprt_rdma_conn *conn,
			   const struct xprt_rdma_req *req,
			   const struct xprt_rdma_chunk_plan *plan)
{
	const struct xdr_buf *xdr = &req->rqst.rq_snd_buf;
	u32 align = conn->peer.align;
	u32 at;

	if (align > READ_ONCE(xprt_rdma_inline_write_padding) ||
	    !plan->ddp || req->wtype != XPRT_RDMA_REPLY_INLINE ||
	    xdr->page_len <= XPRT_RDMA_PAD_THRESH || xdr->tail[0].iov_len ||
	    !xprt_rdma_nfs_is_v3_proc(req->rqst.rq_task, NFS3PROC_WRITE) ||
	    !xprt_rdma_send_pages_ok(conn, xdr))
		return 0;
	at = ALIGN(plan->hdr + RPCRDMA_V1_MSGP_EXTRA + xdr->head[0].iov_len,
		   align);
	if (at > XPRT_RDMA_HDR_SIZE + XPRT_RDMA_PULLUP ||
	    at + xdr->page_len > plan->room)
		return 0;
	return at;
}

/**
 * xprt_rdma_msgp_encode - encode the header of a padded call
 * @conn: connection
 * @req: request; its call has no chunks
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: length of the header in bytes, or a negative errno.
 */
int xprt_rdma_msgp_encode(const struct xprt_rdma_conn *conn,
			  struct xprt_rdma_req *req)
{
	struct rpcrdma_encoder enc;

	rpcrdma_encode_init(&enc, req->hdr.data, XPRT_RDMA_HDR_SIZE);
	rpcrdma_encode_fixed(&enc, req->rqst.rq_xid, RPCRDMA_VERSION_1,
			     conn->credits.max, RPCRDMA_MSGP);
	rpcrdma_encode_word(&enc, conn->peer.align);
	rpcrdma_encode_word(&enc, XPRT_RDMA_PAD_THRESH);
	rpcrdma_encode_no_chunks(&enc);
	return rpcrdma_encode_finish(&enc);
}

/**
 * xprt_rdma_msgp_lay_out - build the gather list of a padded call
 * @conn: connection
 * @req: request with its header encoded
 * @hdrlen: bytes of transport header
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: 0; -ENOBUFS if memory cannot be mapped for DMA now.
 */
int xprt_rdma_msgp_lay_out(struct xprt_rdma_conn *conn,
			   struct xprt_rdma_req *req, u32 hdrlen)
{
	const struct kvec *head = &req->rqst.rq_snd_buf.head[0];
	u32 len = hdrlen + head->iov_len;
	int rc;

	memcpy(req->hdr.data + hdrlen, head->iov_base, head->iov_len);
	memset(req->hdr.data + len, 0, req->data_at - len);
	xprt_rdma_send_add_sge(conn, req, req->hdr.addr, req->data_at);
	rc = xprt_rdma_send_gather_pages(conn, req);
	if (!rc)
		xprt_rdma_count(calls_padded);
	return rc;
}

/**
 * xprt_rdma_msgp_remove - turn a reply of type RDMA_MSGP into an RDMA_MSG
 * @req: request that the reply answers
 * @recv: reply
 *
 * Context: completion handler.
 * Return: true if the reply is now an RDMA_MSG.
 */
bool xprt_rdma_msgp_remove(const struct xprt_rdma_req *req,
			   struct xprt_rdma_recv_ctx *recv)
{
	struct rpcrdma_hdr *hdr = &recv->hdr;

	return hdr->type == RPCRDMA_MSGP &&
	       !hdr->writes.bytes && !hdr->reply.bytes &&
	       xprt_rdma_nfs_is_v3_proc(req->rqst.rq_task, NFS3PROC_READ) &&
	       !test_bit(RPCAUTH_AUTH_DATATOUCH,
			 &req->rqst.rq_cred->cr_auth->au_flags) &&
	       !rpcrdma_unpad_reply(hdr, recv->buf.data);
}
