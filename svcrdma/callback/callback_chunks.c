// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callbacks of any size: the Read chunk of a long call, and the Reply chunk of
 * a long reply, to a client that supports general reverse-direction requests
 * (v2 draft section 4.2.2).
 *
 * Operation: the call is copied into pages of its own, which the client reads;
 * its reply comes into pages of its own, too. They are released when the reply
 * or an error has come, or sunrpc gives the callback up, or sends it again.
 *
 * Ownership: sunrpc may free the callback at any time, and the client may write
 * to the Reply chunk until it is invalidated. So the reply is not read before
 * that. Then it is copied to the callback, if sunrpc still waits for it.
 *
 * Errors: a Reply chunk that comes back other than it was offered ends the
 * callback with an error.
 */

#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/xprt.h>

#include "../advert/advert.h"
#include "../counters.h"
#include "../limits.h"
#include "../message/message.h"
#include "../version/version.h"
#include "callback.h"
#include <trace/events/svcrdma.h>

static void svc_rdma_callback_chunks_ended(struct svc_rdma_advert *advert,
					   bool again);

#define REPLY_ACCESS	(IB_ACCESS_REMOTE_WRITE | IB_ACCESS_LOCAL_WRITE)

/*
 * A page for @length bytes, which are those at @offset of @xdr if it is there.
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
	/* What was added has a reference of its own. */
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
 * svc_rdma_callback_chunks_forget - sunrpc does not wait for a callback any more
 * @conn: connection
 * @xid: of the callback, as a number; it may have no chunks
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

/* Bytes of the call and of the reply for which there are chunks; 0 for none */
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
 * The Reply chunk takes so much of the header. Where in doubt, a short call
 * goes into a chunk as well.
 */
#define REPLY_CHUNK_SIZE	(2 * RPCRDMA_XDR_UNIT + \
				 2 * RPCRDMA_SEGMENT_SIZE)

/**
 * svc_rdma_callback_chunks_build - build a callback with chunks
 * @send: Send context that takes them along
 * @rqst: callback
 *
 * Context: process.
 * Return: bytes in the Send context's buffer, 0 if the callback needs no chunk,
 * -EMSGSIZE if it or its reply is too long for any, or -ENOBUFS.
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
	if (reply + RPCRDMA2_MIN_SIZE <= READ_ONCE(conn->recv_size))
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
	svc_rdma_count(long_callbacks);
	len = svc_rdma_callback_encode(send, rqst, call, reply);
	return call ? len :
		      svc_rdma_callback_append_call(send, &rqst->rq_snd_buf, len);
}

/**
 * svc_rdma_callback_chunks_take - the reply to a callback, or an error, has come
 * @conn: connection
 * @xid: of the callback, as a number
 * @recv: message; see svc_rdma_advert_invalidated()
 *
 * Context: process.
 * Return: the chunks of the callback, to be released by the caller, or NULL if
 * it has none (any more).
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
 * svc_rdma_callback_chunks_length - how much is in the Reply chunk of a callback?
 * @advert: chunks of the callback
 * @hdr: header of the message that answers it
 *
 * RFC 8166 section 3.4.6: each segment comes back with the bytes that were
 * written to it, and none is written to before the one before it is full.
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

/* Copies what is in a region to @offset of the reply. Return: what is left. */
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

/* Copies the reply to where sunrpc wants it. */
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
 * The client cannot access the chunks any more. If the connection has ended
 * (@again is false), sunrpc knows.
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
