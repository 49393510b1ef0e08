// SPDX-License-Identifier: GPL-2.0-only
/*
 * Long callbacks: the Read chunk of a long call, and the Reply chunk for a long
 * reply, if the client supports general reverse-direction requests (v2 draft
 * section 4.2.2).
 *
 * Operation: a long call is copied to pages that the client reads. The client
 * writes a long reply to other pages. All these pages are released when the
 * reply or an error arrives, or after a timeout, like replies that the client
 * reads.
 *
 * Ownership: the advert owns the pages, because sunrpc can free the callback at
 * any time. The client can write to the Reply chunk until it is invalidated.
 * Only then is the reply copied to the callback's buffer, if sunrpc still waits
 * for it.
 *
 * Errors: if the client returns a Reply chunk that was not offered, the
 * callback fails.
 */

#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/xprt.h>

#include "../../callback/callback.h"
#include "../../counters.h"
#include "../../limits.h"
#include "../../message/message.h"
#include "../../tunables.h"
#include "../../version/version.h"
#include "pulled.h"

/*
 * Add pages for @length bytes: a copy of the call in @xdr, or if @xdr is NULL,
 * room for the reply.
 */
static int svc_rdma_callback_add_pages(struct svc_rdma_advert *advert,
				       const struct xdr_buf *xdr, u32 length)
{
	enum dma_data_direction dir = xdr ? DMA_TO_DEVICE : DMA_FROM_DEVICE;
	u32 offset, bytes;
	int ret = 0;

	for (offset = 0; !ret && offset < length; offset += bytes) {
		struct page *page = alloc_page(GFP_NOIO | __GFP_NOWARN);

		if (!page)
			return -ENOMEM;
		bytes = min_t(u32, length - offset, PAGE_SIZE);
		if (xdr)
			read_bytes_from_xdr_buf(xdr, offset, page_address(page),
						bytes);
		ret = svc_rdma_advert_add_page(advert, page, 0, bytes, dir);
		/* If the page was added, the region holds a reference to it. */
		put_page(page);
	}
	return ret;
}

/* @call, @reply: bytes of call and reply in chunks; 0 if no chunk is needed */
static int svc_rdma_callback_advertise(struct svc_rdma_send_ctx *send,
				       const struct rpc_rqst *rqst, u32 call,
				       u32 reply)
{
	struct svc_rdma_advert *advert;

	advert = svc_rdma_advert_create(send->conn, be32_to_cpu(rqst->rq_xid),
					DIV_ROUND_UP(call, PAGE_SIZE) +
						DIV_ROUND_UP(reply, PAGE_SIZE),
					true);
	if (!advert)
		return -ENOBUFS;
	if (svc_rdma_callback_add_pages(advert, &rqst->rq_snd_buf, call) ||
	    svc_rdma_callback_add_pages(advert, NULL, reply) ||
	    svc_rdma_advert_attach(advert, send)) {
		svc_rdma_advert_free(advert);
		return -ENOBUFS;
	}
	if (reply)
		advert->reply = list_last_entry(&advert->mrs,
						struct svc_rdma_mr, list);
	return 0;
}

static int svc_rdma_callback_encode(struct svc_rdma_send_ctx *send,
				    const struct rpc_rqst *rqst, bool nomsg)
{
	u32 version = svc_rdma_version_of(send->conn)->number;
	const struct svc_rdma_mr *reply = send->advert->reply;
	struct rpcrdma_encoder enc;
	struct rpcrdma_segment seg;

	rpcrdma_encode_init(&enc, send->buf, svc_rdma_send_room(send));
	rpcrdma_encode_head(&enc, rqst->rq_xid, version, SVC_RDMA_BC_REQUESTS,
			    nomsg ? RPCRDMA_NOMSG : RPCRDMA_MSG, false,
			    svc_rdma_advert_handle(send->advert));
	if (nomsg)
		svc_rdma_advert_encode(&enc, send->advert);
	rpcrdma_encode_list_end(&enc);
	rpcrdma_encode_list_end(&enc);
	if (reply) {
		svc_rdma_mr_segment(reply, &seg);
		rpcrdma_encode_chunk_begin(&enc, 1);
		rpcrdma_encode_segment(&enc, &seg);
	} else {
		rpcrdma_encode_list_end(&enc);
	}
	return rpcrdma_encode_finish(&enc);
}

/*
 * Maximum size of a Reply chunk in the header. A short call that might not fit
 * behind a header with a Reply chunk is put into a chunk, too.
 */
#define REPLY_CHUNK_SIZE	(2 * RPCRDMA_XDR_UNIT + \
				 2 * RPCRDMA_SEGMENT_SIZE)

/**
 * svc_rdma_callback_chunks_build - build a callback with chunks
 * @send: Send context, which owns the advert until it has been posted
 * @rqst: callback
 * @inline_len: bytes that follow the header; set to 0 if the call is in a chunk
 *
 * Context: process.
 * Return: length of the header; 0 if the callback needs no chunk; or -ENOBUFS.
 */
int svc_rdma_callback_chunks_build(struct svc_rdma_send_ctx *send,
				   struct rpc_rqst *rqst, u32 *inline_len)
{
	u32 room = svc_rdma_send_room(send) - RPCRDMA2_MIN_SIZE;
	u32 call = rqst->rq_snd_buf.len, reply = rqst->rq_rcv_buf.buflen;
	int ret;

	/* Receives are never smaller than receive_buffer_size. */
	if (reply + RPCRDMA2_MIN_SIZE <= svc_rdma_receive_buffer_size)
		reply = 0;
	if (call + (reply ? REPLY_CHUNK_SIZE : 0) <= room) {
		if (!reply)
			return 0;
		call = 0;
	}
	ret = svc_rdma_callback_advertise(send, rqst, call, reply);
	if (ret)
		return ret;
	if (call)
		*inline_len = 0;
	return svc_rdma_callback_encode(send, rqst, call);
}

/**
 * svc_rdma_callback_chunks_length - get the length of a reply in a Reply chunk
 * @advert: chunks of the callback, or NULL
 * @hdr: header of the message that answers the callback
 *
 * RFC 8166 section 3.4.6: the client returns the segment with the number of
 * bytes that were written to it.
 *
 * Context: any.
 * Return: bytes; 0 if there is no Reply chunk; or -EPROTO if the Reply chunk is
 * not the one that was offered.
 */
int svc_rdma_callback_chunks_length(const struct svc_rdma_advert *advert,
				    const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_segment got, ours;
	struct rpcrdma_cursor cur;
	u32 count;

	rpcrdma_chunks_begin(hdr, &hdr->reply, &cur);
	if (!rpcrdma_chunks_next(&cur, &count))
		return 0;
	if (!advert || !advert->reply || count != 1 ||
	    !rpcrdma_segments_next(&cur, &got))
		return -EPROTO;
	svc_rdma_mr_segment(advert->reply, &ours);
	if (got.handle != ours.handle || got.offset != ours.offset ||
	    got.length > ours.length)
		return -EPROTO;
	return got.length;
}

/*
 * Copy the contents of the Reply chunk to the callback's receive buffer. They
 * must be an RPC reply with the XID of the transport header. Return the length
 * of the reply, or a negative errno.
 */
static int svc_rdma_callback_take_reply(struct rpc_rqst *req, const void *reply)
{
	const struct svc_rdma_advert *advert = reply;
	struct svc_rdma_mr *mr = advert->reply;
	u32 done = 0, bytes, i;
	__be32 words[2];

	svc_rdma_mr_unmap(advert->conn, mr);
	for (i = 0; i < mr->nents; i++, done += bytes) {
		bytes = min(advert->reply_len - done, mr->sg[i].length);
		if (write_bytes_to_xdr_buf(&req->rq_rcv_buf, done,
					   sg_virt(&mr->sg[i]), bytes))
			return -EMSGSIZE;
	}
	if (done < sizeof(words) ||
	    read_bytes_from_xdr_buf(&req->rq_rcv_buf, 0, words, sizeof(words)) ||
	    words[0] != req->rq_xid || words[1] != cpu_to_be32(RPC_REPLY))
		return -EIO;
	return done;
}

/**
 * svc_rdma_callback_chunks_ended - complete a callback that used a Reply chunk
 * @advert: chunks of the callback, which the client can no longer access
 *
 * Context: process.
 */
void svc_rdma_callback_chunks_ended(struct svc_rdma_advert *advert)
{
	svc_rdma_bc_complete(advert->bc_xprt, cpu_to_be32(advert->xid),
			     svc_rdma_callback_take_reply, advert);
	xprt_put(advert->bc_xprt);
}
