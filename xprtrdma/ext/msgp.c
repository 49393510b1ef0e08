// SPDX-License-Identifier: GPL-2.0-only
/*
 * Padded messages (RDMA_MSGP, RFC 5666 section 3.9), in version 1.
 *
 * Calls: the data of an inline WRITE of NFSv3 is padded if the peer recommends
 * an alignment by CONF_RDMA (section 6.2), and the administrator allows it. The
 * receiver can find it in NFSv3, because it is the last item of a call whose
 * other items are short.
 *
 * Replies: padding is removed from the reply to a READ of NFSv3.
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
#include "../xprt.h"
#include "ext.h"
#include "../message/message.h"

/* Bytes; only longer data is padded. All other items of a WRITE are shorter. */
#define XPRT_RDMA_PAD_THRESH	512u

/* Largest alignment to which data is padded if the peer recommends one; 0: never */
unsigned int xprt_rdma_inline_write_padding;

/* Do data at @at and its roundup, which is all of the tail, fit behind the header? */
static bool xprt_rdma_msgp_is_copied(const struct xdr_buf *xdr, u32 at)
{
	return at + xdr->page_len + xdr->tail[0].iov_len <=
	       XPRT_RDMA_HDR_SIZE + XPRT_RDMA_PULLUP;
}

/**
 * xprt_rdma_msgp_data_at - choose where the data of an inline call begins
 * @conn: connection whose peer recommends an alignment
 * @req: request whose call is sent inline
 * @plan: plan of its header
 *
 * What precedes the data is copied behind the transport header, and so must fit
 * there. The call is not padded if it would no longer go inline, or if its data
 * could no longer be copied, and cannot be gathered.
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
	u32 roundup = -xdr->page_len & (RPCRDMA_XDR_UNIT - 1);
	u32 align = conn->peer.align;
	u32 at;

	if (align > READ_ONCE(xprt_rdma_inline_write_padding) ||
	    !plan->ddp || req->wtype != XPRT_RDMA_REPLY_INLINE ||
	    xdr->page_len <= XPRT_RDMA_PAD_THRESH ||
	    xdr->tail[0].iov_len != roundup ||
	    !xprt_rdma_nfs_is_v3_proc(req->rqst.rq_task, NFS3PROC_WRITE))
		return 0;
	at = ALIGN(plan->hdr + RPCRDMA_V1_MSGP_EXTRA + xdr->head[0].iov_len,
		   align);
	if (at + roundup > XPRT_RDMA_HDR_SIZE + XPRT_RDMA_PULLUP ||
	    at + xdr->page_len + roundup > plan->room)
		return 0;
	if (!xprt_rdma_msgp_is_copied(xdr, at) &&
	    !xprt_rdma_send_pages_ok(conn, xdr))
		return 0;
	return at;
}

/**
 * xprt_rdma_msgp_encode - append the additional fields of an RDMA_MSGP header
 * @conn: connection
 * @enc: header, up to its chunk lists
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_msgp_encode(const struct xprt_rdma_conn *conn,
			   struct rpcrdma_encoder *enc)
{
	rpcrdma_encode_word(enc, conn->peer.align);
	rpcrdma_encode_word(enc, XPRT_RDMA_PAD_THRESH);
}

/**
 * xprt_rdma_msgp_lay_out - build the gather list of a padded call
 * @conn: connection
 * @req: request with its header encoded
 * @hdrlen: bytes of transport header
 *
 * All that precedes the data is behind the transport header. The roundup, which
 * is all that follows the data, is in the same buffer.
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: 0; -ENOBUFS if memory cannot be mapped for DMA now.
 */
int xprt_rdma_msgp_lay_out(struct xprt_rdma_conn *conn,
			   struct xprt_rdma_req *req, u32 hdrlen)
{
	const struct xdr_buf *xdr = &req->rqst.rq_snd_buf;
	u32 len = hdrlen + xdr->head[0].iov_len;
	u32 roundup = xdr->tail[0].iov_len;
	u32 at = req->data_at;
	u8 *dst = req->hdr.data;
	int rc;

	memcpy(dst + hdrlen, xdr->head[0].iov_base, xdr->head[0].iov_len);
	memset(dst + len, 0, at - len);
	len = at + xdr->page_len;
	if (xprt_rdma_msgp_is_copied(xdr, at)) {
		_copy_from_pages(dst + at, xdr->pages, xdr->page_base,
				 xdr->page_len);
		memcpy(dst + len, xdr->tail[0].iov_base, roundup);
		xprt_rdma_send_add_sge(conn, req, req->hdr.addr, len + roundup);
		req->r_xprt->stats.pullup_copy_count += len + roundup - hdrlen;
		return 0;
	}
	memcpy(dst + at, xdr->tail[0].iov_base, roundup);
	xprt_rdma_send_add_sge(conn, req, req->hdr.addr, at);
	rc = xprt_rdma_send_gather_pages(conn, req);
	if (rc)
		return rc;
	if (roundup)
		xprt_rdma_send_add_sge(conn, req, req->hdr.addr + at, roundup);
	return 0;
}

/**
 * xprt_rdma_msgp_remove - make an RDMA_MSG of a reply in an RDMA_MSGP
 * @req: request that is answered
 * @recv: reply
 *
 * What precedes the padding is moved behind it.
 *
 * Context: completion handler.
 * Return: true if it is an RDMA_MSG now.
 */
bool xprt_rdma_msgp_remove(const struct xprt_rdma_req *req,
			   struct xprt_rdma_recv_ctx *recv)
{
	struct rpcrdma_hdr *hdr = &recv->hdr;
	u8 *reply = recv->buf.data + hdr->payload;
	struct rpcrdma_padding pad;

	if (hdr->type != RPCRDMA_MSGP || hdr->writes.bytes || hdr->reply.bytes ||
	    !xprt_rdma_nfs_is_v3_proc(req->rqst.rq_task, NFS3PROC_READ) ||
	    test_bit(RPCAUTH_AUTH_DATATOUCH,
		     &req->rqst.rq_cred->cr_auth->au_flags) ||
	    rpcrdma_padding_in_reply(hdr, &pad))
		return false;
	memmove(reply + pad.bytes, reply, pad.at - hdr->payload);
	hdr->payload += pad.bytes;
	hdr->type = RPCRDMA_MSG;
	return true;
}
