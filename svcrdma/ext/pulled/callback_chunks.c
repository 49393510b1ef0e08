// SPDX-License-Identifier: GPL-2.0-only
/*
 * Long callbacks: the Read chunk of a long call, and the Reply chunk for a long
 * reply, if the client supports general reverse-direction requests (v2 draft
 * section 4.2.2).
 *
 * Operation: a long call is copied into pages that the client reads. A long
 * reply is written to other pages. Both are released when the reply or an error
 * has arrived, or when sunrpc gives up the callback or sends it again.
 *
 * Ownership: the pages belong to the advert, as sunrpc may free the callback at
 * any time. The client may write to the Reply chunk until it is invalidated, so
 * the reply is not read before that. Then it is copied to the callback's
 * buffer, if sunrpc still waits for it.
 *
 * Errors: a Reply chunk that the client returns changed fails the callback.
 */

#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/xprt.h>

#include "../../counters.h"
#include "../../limits.h"
#include "../../message/message.h"
#include "../../version/version.h"
#include "pulled.h"
#include <trace/events/svcrdma.h>

static void svc_rdma_callback_chunks_ended(struct svc_rdma_advert *advert,
					   bool again);

#define REPLY_ACCESS	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_LOCAL_WRITE)

/*
 * Adds a page for @length bytes: for those at @offset of the call @xdr, or for
 * the reply if @xdr is NULL.
 */
static int svc_rdma_callback_chunks_add_page(struct svc_rdma_advert *advert,
					     const struct xdr_buf *xdr,
					     u32 offset, u32 length)
{
	int access = xdr ? IB_ACCESS_REMOTE_READ : REPLY_ACCESS;
	struct page *page = alloc_page(GFP_NOIO | __GFP_NOWARN);
	int ret;

	if (!page) {
		svc_rdma_count(no_memory);
		return -ENOMEM;
	}
	if (xdr)
		ret = read_bytes_from_xdr_buf(xdr, offset, page_address(page),
					      length);
	else
		ret = 0;
	if (!ret)
		ret = svc_rdma_advert_add_page(advert, page, 0, length, access);
	/* If the page was added, the region holds a reference to it. */
	put_page(page);
	return ret;
}

static int svc_rdma_callback_chunks_add_buf(struct svc_rdma_advert *advert,
					    const struct xdr_buf *xdr,
					    u32 length)
{
	u32 offset, bytes;
	int ret;

	for (offset = 0; offset < length; offset += bytes) {
		bytes = min_t(u32, length - offset, PAGE_SIZE);
		ret = svc_rdma_callback_chunks_add_page(advert, xdr, offset,
							bytes);
		if (ret)
			return ret;
	}
	return 0;
}

/* The caller holds the table's lock. */
static struct svc_rdma_advert *
svc_rdma_callback_chunks_find(struct svc_rdma_adverts *adverts, u32 xid)
{
	struct svc_rdma_advert *advert;

	list_for_each_entry(advert, &adverts->all, list)
		if (advert->callback && advert->xid == xid &&
		    advert->state != SVC_RDMA_ADVERT_RELEASING)
			return advert;
	return NULL;
}

/**
 * svc_rdma_callback_chunks_forget - release the chunks of a given-up callback
 * @conn: connection
 * @xid: XID of the callback, in host byte order; it may have no chunks
 *
 * Context: process.
 */
void svc_rdma_callback_chunks_forget(struct svc_rdma_conn *conn, u32 xid)
{
	struct svc_rdma_adverts *adverts = &conn->adverts;
	struct svc_rdma_advert *advert;
	bool release = false;

	if (list_empty_careful(&adverts->all))
		return;
	xa_lock_bh(&adverts->table);
	advert = svc_rdma_callback_chunks_find(adverts, xid);
	if (advert)
		release = svc_rdma_advert_begin_release(advert,
							SVC_RDMA_END_GIVEN_UP);
	xa_unlock_bh(&adverts->table);
	if (release)
		svc_rdma_advert_release(advert);
}

/* @call, @reply: bytes for which chunks are needed; 0 if none is */
static struct svc_rdma_advert *
svc_rdma_callback_chunks_advertise(struct svc_rdma_conn *conn,
				   const struct rpc_rqst *rqst, u32 call,
				   u32 reply)
{
	u32 pages = DIV_ROUND_UP(call, PAGE_SIZE) +
		    DIV_ROUND_UP(reply, PAGE_SIZE);
	struct svc_rdma_adverts *adverts = &conn->adverts;
	struct svc_rdma_advert *advert;
	int ret;

	advert = svc_rdma_advert_alloc(conn, be32_to_cpu(rqst->rq_xid), pages);
	if (!advert)
		return NULL;
	advert->callback = true;
	advert->ended = svc_rdma_callback_chunks_ended;
	xa_lock_bh(&adverts->table);
	list_add_tail(&advert->list, &adverts->all);
	adverts->count++;
	adverts->bytes += advert->bytes;
	xa_unlock_bh(&adverts->table);
	svc_rdma_count(adverts_created);

	ret = svc_rdma_callback_chunks_add_buf(advert, &rqst->rq_snd_buf, call);
	if (!ret)
		ret = svc_rdma_callback_chunks_add_buf(advert, NULL, reply);
	if (!ret)
		ret = svc_rdma_advert_map(advert);
	if (!ret)
		return advert;
	svc_rdma_advert_cancel(advert);
	return NULL;
}

static void
svc_rdma_callback_encode_reply_chunk(struct rpcrdma_encoder *enc,
				     const struct svc_rdma_advert *advert)
{
	struct rpcrdma_segment seg;
	struct svc_rdma_mr *mr;

	rpcrdma_encode_chunk_begin(enc);
	list_for_each_entry(mr, &advert->mrs, list) {
		if (mr->access != REPLY_ACCESS)
			continue;
		svc_rdma_mr_segment(mr, &seg);
		rpcrdma_encode_segment(enc, &seg);
	}
	rpcrdma_encode_chunk_end(enc);
}

static int svc_rdma_callback_encode(struct svc_rdma_send_ctx *send,
				    const struct rpc_rqst *rqst, bool nomsg,
				    bool reply)
{
	const struct svc_rdma_version *ver = svc_rdma_version_of(send->conn);
	struct rpcrdma_encoder enc;

	rpcrdma_encode_init(&enc, send->buf, svc_rdma_send_room(send));
	ver->encode_head(&enc, rqst->rq_xid, SVC_RDMA_BC_REQUESTS,
			 nomsg ? RPCRDMA_NOMSG : RPCRDMA_MSG, false,
			 svc_rdma_advert_handle(send->advert));
	if (nomsg)
		svc_rdma_advert_encode(&enc, send->advert);
	rpcrdma_encode_list_end(&enc);
	rpcrdma_encode_list_end(&enc);
	if (reply)
		svc_rdma_callback_encode_reply_chunk(&enc, send->advert);
	else
		rpcrdma_encode_list_end(&enc);
	return rpcrdma_encode_finish(&enc);
}

/* The call is short: it follows the header. */
static int svc_rdma_callback_append_call(struct svc_rdma_send_ctx *send,
					 const struct xdr_buf *xdr, int hdr_len)
{
	if (hdr_len < 0 || xdr->len > svc_rdma_send_room(send) - hdr_len)
		return -EMSGSIZE;
	if (read_bytes_from_xdr_buf(xdr, 0, send->buf + hdr_len, xdr->len))
		return -EIO;
	return hdr_len + xdr->len;
}

/*
 * Bytes that a Reply chunk may add to the header. A short call that might not
 * fit behind it is put into a chunk, too.
 */
#define REPLY_CHUNK_SIZE	(2 * RPCRDMA_XDR_UNIT + \
				 2 * RPCRDMA_SEGMENT_SIZE)

/**
 * svc_rdma_callback_chunks_build - build a callback with chunks
 * @send: Send context; owns the advert until it is posted
 * @rqst: callback
 *
 * Context: process.
 * Return: bytes in the Send context's buffer, 0 if the callback needs no chunk,
 * -EMSGSIZE if the call or its reply is too long for chunks, or -ENOBUFS.
 */
int svc_rdma_callback_chunks_build(struct svc_rdma_send_ctx *send,
				   struct rpc_rqst *rqst)
{
	struct svc_rdma_conn *conn = send->conn;
	u32 room = svc_rdma_send_room(send) - RPCRDMA2_MIN_SIZE;
	u32 call = rqst->rq_snd_buf.len, reply = rqst->rq_rcv_buf.buflen;
	int len;

	if (call > SVC_RDMA_BC_SIZE || reply > SVC_RDMA_BC_SIZE)
		return -EMSGSIZE;
	/* Our Receives may shrink meanwhile, but not below this size. */
	if (reply + RPCRDMA2_MIN_SIZE <= conn->sizes.recv_base)
		reply = 0;
	if (call + (reply ? REPLY_CHUNK_SIZE : 0) <= room) {
		if (!reply)
			return 0;
		call = 0;
	}
	/* A callback that is sent again gets new chunks. */
	svc_rdma_callback_chunks_forget(conn, be32_to_cpu(rqst->rq_xid));
	send->advert = svc_rdma_callback_chunks_advertise(conn, rqst, call,
							  reply);
	if (!send->advert)
		return -ENOBUFS;
	send->wrs += send->advert->nmrs;
	trace_svc_rdma_advertise(&conn->xprt, send->advert->xid, call + reply,
				 send->advert->nmrs,
				 svc_rdma_advert_handle(send->advert));
	len = svc_rdma_callback_encode(send, rqst, call, reply);
	return call ? len :
		      svc_rdma_callback_append_call(send, &rqst->rq_snd_buf, len);
}

/**
 * svc_rdma_callback_chunks_take - begin to release the chunks of an answered
 *	callback
 * @conn: connection
 * @xid: XID of the callback, in host byte order
 * @recv: reply or error; see svc_rdma_advert_invalidated()
 *
 * Context: process.
 * Return: the advert with the chunks, which the caller must release, or NULL if
 * the callback has none, or has none any more.
 */
struct svc_rdma_advert *
svc_rdma_callback_chunks_take(struct svc_rdma_conn *conn, u32 xid,
			      struct svc_rdma_recv_ctx *recv)
{
	struct svc_rdma_adverts *adverts = &conn->adverts;
	struct svc_rdma_advert *advert;

	if (list_empty_careful(&adverts->all) && !recv->invalidated)
		return NULL;
	xa_lock_bh(&adverts->table);
	advert = svc_rdma_callback_chunks_find(adverts, xid);
	/* A callback that has not been posted cannot be answered. */
	if (advert && advert->state != SVC_RDMA_ADVERT_POSTED)
		advert = NULL;
	svc_rdma_advert_invalidated(adverts, advert, recv);
	/* The connection is about to be closed. */
	if (recv->invalidated)
		advert = NULL;
	if (advert)
		svc_rdma_advert_begin_release(advert, SVC_RDMA_END_ANSWERED);
	xa_unlock_bh(&adverts->table);
	return advert;
}

/**
 * svc_rdma_callback_chunks_length - get the length of a reply in a Reply chunk
 * @advert: chunks of the callback
 * @hdr: header of the message that answers the callback
 *
 * RFC 8166 section 3.4.6: each segment is returned with the number of bytes
 * written to it, and a segment is filled before the next one is used.
 *
 * Context: any.
 * Return: bytes, or -EPROTO if this is not the chunk that was offered.
 */
int svc_rdma_callback_chunks_length(const struct svc_rdma_advert *advert,
				    const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_segment got, ours;
	struct rpcrdma_cursor cur;
	struct svc_rdma_mr *mr;
	bool full = true;
	u32 count, sum = 0;

	rpcrdma_chunks_begin(hdr, &hdr->reply, &cur);
	if (!rpcrdma_chunks_next(&cur, &count))
		return 0;
	list_for_each_entry(mr, &advert->mrs, list) {
		if (mr->access != REPLY_ACCESS)
			continue;
		if (!rpcrdma_segments_next(&cur, &got))
			break;
		svc_rdma_mr_segment(mr, &ours);
		if (got.handle != ours.handle || got.offset != ours.offset ||
		    got.length > ours.length || (got.length && !full))
			return -EPROTO;
		full = got.length == ours.length;
		sum += got.length;
	}
	if (rpcrdma_segments_next(&cur, &got))
		return -EPROTO;
	return sum;
}

static void svc_rdma_callback_sync_region(struct svc_rdma_conn *conn,
					  struct svc_rdma_mr *mr)
{
	struct scatterlist *sg;
	int i;

	for_each_sg(mr->sg, sg, mr->mapped, i)
		ib_dma_sync_single_for_cpu(conn->dev, sg_dma_address(sg),
					   sg_dma_len(sg), mr->dir);
}

/*
 * Copies up to @left bytes of a region to @offset of the reply. Return: bytes
 * that are left for the next region, or -EMSGSIZE.
 */
static int svc_rdma_callback_copy_region(const struct svc_rdma_mr *mr,
					 const struct xdr_buf *to, u32 offset,
					 u32 left)
{
	u32 bytes, i;

	for (i = 0; i < mr->nents && left; i++) {
		bytes = min(left, mr->sg[i].length);
		if (write_bytes_to_xdr_buf(to, offset, sg_virt(&mr->sg[i]),
					   bytes))
			return -EMSGSIZE;
		offset += bytes;
		left -= bytes;
	}
	return left;
}

/* Copies the reply from the Reply chunk to the callback's receive buffer. */
static int svc_rdma_callback_copy_reply(const struct svc_rdma_advert *advert,
					const struct xdr_buf *to)
{
	int left = advert->reply_len;
	struct svc_rdma_mr *mr;

	list_for_each_entry(mr, &advert->mrs, list) {
		if (mr->access != REPLY_ACCESS)
			continue;
		svc_rdma_callback_sync_region(advert->conn, mr);
		left = svc_rdma_callback_copy_region(mr, to,
						     advert->reply_len - left,
						     left);
		if (left < 0)
			return left;
	}
	return 0;
}

/* Is this an RPC reply, with the XID of the transport header? */
static bool svc_rdma_callback_is_reply(const struct xdr_buf *xdr, u32 len,
				       __be32 xid)
{
	__be32 words[2];

	return len >= sizeof(words) &&
	       !read_bytes_from_xdr_buf(xdr, 0, words, sizeof(words)) &&
	       words[0] == xid && words[1] == cpu_to_be32(RPC_REPLY);
}

static int svc_rdma_callback_take_reply(const struct svc_rdma_advert *advert,
					struct rpc_rqst *req)
{
	int ret;

	ret = svc_rdma_callback_copy_reply(advert, &req->rq_rcv_buf);
	if (ret)
		return ret;
	if (!svc_rdma_callback_is_reply(&req->rq_rcv_buf, advert->reply_len,
					req->rq_xid))
		return -EIO;
	memcpy(&req->rq_private_buf, &req->rq_rcv_buf,
	       sizeof(req->rq_private_buf));
	return advert->reply_len;
}

static void svc_rdma_callback_complete(struct svc_rdma_advert *advert)
{
	struct rpc_xprt *xprt = advert->bc_xprt;
	struct rpc_rqst *req;
	int ret;

	spin_lock(&xprt->queue_lock);
	req = xprt_lookup_rqst(xprt, cpu_to_be32(advert->xid));
	if (req) {
		ret = svc_rdma_callback_take_reply(advert, req);
		if (ret < 0)
			req->rq_task->tk_status = ret;
		xprt_complete_rqst(req->rq_task, ret);
		if (ret < 0)
			svc_rdma_count(callback_bad_replies);
		else
			svc_rdma_count(callback_replies);
	}
	spin_unlock(&xprt->queue_lock);
}

/*
 * The client can no longer access the chunks. If the connection has ended
 * (@again is false), sunrpc has been told, and handles the callback itself.
 */
static void svc_rdma_callback_chunks_ended(struct svc_rdma_advert *advert,
					   bool again)
{
	if (!advert->bc_xprt)
		return;
	if (again)
		svc_rdma_callback_complete(advert);
	xprt_put(advert->bc_xprt);
}
