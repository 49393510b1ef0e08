// SPDX-License-Identifier: GPL-2.0-only
/*
 * Replies: which chunks they use, and how they are sent.
 *
 * Operation: results are placed in their Write chunks. The rest, the reduced
 * reply, is sent inline if the requester can receive that much, and otherwise
 * placed in the Reply chunk. If the Reply chunk is missing or too small, the
 * reply becomes a Read chunk, if the requester supports that and the limits
 * allow it (ext/pulled/reply.c). Otherwise the call is answered with
 * RDMA_ERROR.
 *
 * Ownership: the Send context takes nfsd's pages, unless the message was
 * copied. The page of the head remains with nfsd if head and tail were copied
 * (reply_pages.c). A reply that the requester reads holds separate page
 * references. The call's Receive context is returned before the reply is
 * posted.
 *
 * Errors: any other failure closes the connection, and the requester sends the
 * call again on another connection.
 */

#include "../counters.h"
#include "../ext/ext.h"
#include "../verbs/verbs.h"
#include "../version_ops.h"
#include "message.h"
#include <trace/events/svcrdma.h>

/* Encode the segments of a chunk with the number of bytes written to each. */
static void svc_rdma_reply_encode_chunk(struct rpcrdma_encoder *enc,
					struct rpcrdma_cursor *cur, u32 count,
					u32 used)
{
	struct rpcrdma_segment seg;

	rpcrdma_encode_chunk_begin(enc, count);
	while (rpcrdma_segments_next(cur, &seg)) {
		seg.length = min(seg.length, used);
		used -= seg.length;
		rpcrdma_encode_segment(enc, &seg);
	}
}

static void
svc_rdma_reply_encode_write_list(struct rpcrdma_encoder *enc,
				 const struct svc_rdma_recv_ctx *recv)
{
	struct rpcrdma_cursor cur;
	u32 number = 0, count, used;

	rpcrdma_chunks_begin(&recv->hdr, &recv->hdr.writes, &cur);
	while (rpcrdma_chunks_next(&cur, &count)) {
		used = 0;
		if (number < recv->npayloads)
			used = recv->payloads[number].length;
		svc_rdma_reply_encode_chunk(enc, &cur, count, used);
		number++;
	}
	rpcrdma_encode_list_end(enc);
}

/*
 * @nomsg: bytes in the Reply chunk or the Read chunk; 0 if the reply is inline.
 *
 * v2 draft section 3.3 makes a responder set inv_handle to 0. But that section
 * does not consider RDMA2_DONE, which can invalidate a responder's handle.
 */
static noinline int
svc_rdma_reply_encode_chunks(struct svc_rdma_send_ctx *send,
			     const struct svc_rdma_recv_ctx *recv, u32 nomsg)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;
	struct svc_rdma_advert *advert = svc_rdma_send_advert(send);
	u32 type = nomsg ? RPCRDMA_NOMSG : RPCRDMA_MSG;
	struct rpcrdma_encoder enc;
	struct rpcrdma_cursor cur;
	u32 count;

	rpcrdma_encode_init(&enc, send->buf, svc_rdma_send_room(send));
	rpcrdma_encode_head(&enc, hdr->xid, hdr->version, 0, type, true,
			    advert ? svc_rdma_advert_handle(advert) : 0);
	if (advert)
		svc_rdma_advert_encode(&enc, advert);
	rpcrdma_encode_list_end(&enc);
	svc_rdma_reply_encode_write_list(&enc, recv);
	rpcrdma_chunks_begin(hdr, &hdr->reply, &cur);
	if (nomsg && !advert && rpcrdma_chunks_next(&cur, &count))
		svc_rdma_reply_encode_chunk(&enc, &cur, count, nomsg);
	else
		rpcrdma_encode_list_end(&enc);
	return rpcrdma_encode_finish(&enc);
}

static int svc_rdma_reply_encode_header(struct svc_rdma_send_ctx *send,
					const struct svc_rdma_recv_ctx *recv,
					u32 nomsg)
{
	if (recv->hdr.writes.chunks || nomsg)
		return svc_rdma_reply_encode_chunks(send, recv, nomsg);
	return rpcrdma_encode_plain(send->buf, svc_rdma_send_room(send),
				    recv->hdr.xid, recv->hdr.version, 0, true);
}

static noinline void
svc_rdma_reply_copy_ranges(const struct svc_rdma_recv_ctx *recv,
			   const struct xdr_buf *xdr, void *to)
{
	struct svc_rdma_reply_iter it = { .recv = recv, .xdr = xdr };

	while (svc_rdma_reply_next_range(&it)) {
		read_bytes_from_xdr_buf(xdr, it.offset, to, it.length);
		to += it.length;
	}
}

/* Most short replies have no Write chunks, and are all in the head. */
static void svc_rdma_reply_copy(const struct svc_rdma_recv_ctx *recv,
				const struct xdr_buf *xdr, void *to)
{
	if (recv->npayloads || xdr->len > xdr->head[0].iov_len)
		svc_rdma_reply_copy_ranges(recv, xdr, to);
	else
		memcpy(to, xdr->head[0].iov_base, xdr->len);
}

/* Append a part of a page to the gather list. */
static int svc_rdma_reply_map_page(struct svc_rdma_send_ctx *send,
				   struct page *page, u32 at, u32 bytes)
{
	struct ib_sge *sge = &send->sges[send->wr.num_sge];
	struct ib_device *dev = send->conn->dev;
	u64 addr;

	addr = ib_dma_map_page(dev, page, at, bytes, DMA_TO_DEVICE);
	if (ib_dma_mapping_error(dev, addr))
		return -EIO;
	sge->addr = addr;
	sge->length = bytes;
	sge->lkey = send->conn->pd->local_dma_lkey;
	send->wr.num_sge++;
	return 0;
}

/*
 * Copy @bytes behind the first @used bytes of the buffer, and append them to
 * the gather list, or to its first entry if that is the only one.
 */
static void svc_rdma_reply_append(struct svc_rdma_send_ctx *send, u32 used,
				  const void *from, u32 bytes)
{
	struct ib_sge *sge = &send->sges[send->wr.num_sge];

	memcpy(send->buf + used, from, bytes);
	if (send->wr.num_sge == 1)
		return;
	sge->addr = send->sges[0].addr + used;
	sge->length = bytes;
	sge->lkey = send->sges[0].lkey;
	ib_dma_sync_single_for_device(send->conn->dev, sge->addr, bytes,
				      DMA_TO_DEVICE);
	send->wr.num_sge++;
}

/*
 * Add the reduced reply to the gather list. Head and tail are copied if
 * possible, because nfsd then keeps their page. After an error, the Send
 * context unmaps what was mapped.
 *
 * Return: bytes of the first entry; -E2BIG if the list has too few entries; or
 * another negative errno.
 */
static int
svc_rdma_reply_map_ranges(struct svc_rdma_send_ctx *send,
			  const struct svc_rdma_recv_ctx *recv,
			  const struct xdr_buf *xdr, u32 hdr_len)
{
	size_t ends = xdr->head[0].iov_len + xdr->tail[0].iov_len;
	bool copies = ends <= SVC_RDMA_PULLUP && hdr_len + ends <= send->size;
	u32 at, bytes, used = hdr_len;
	struct svc_rdma_reply_iter it = { .recv = recv, .xdr = xdr };
	struct page *page;
	int ret;

	while ((bytes = svc_rdma_reply_next_page(&it, &page, &at))) {
		if (send->wr.num_sge == send->conn->caps.send_sges)
			return -E2BIG;
		if (it.base && copies) {
			svc_rdma_reply_append(send, used, it.base, bytes);
			used += bytes;
			if (send->wr.num_sge == 1)
				hdr_len = used;
			continue;
		}
		send->head_read |= !!it.base;
		ret = svc_rdma_reply_map_page(send, page, at, bytes);
		if (ret)
			return ret;
	}
	return hdr_len;
}

/*
 * Append the reduced reply to the header. A reply that is short, or has too
 * many parts, is copied, to a larger buffer if necessary. The Send gathers any
 * other reply.
 *
 * Return: bytes in the buffer, or a negative errno.
 */
static int svc_rdma_reply_gather(struct svc_rdma_send_ctx *send,
				 const struct svc_rdma_recv_ctx *recv,
				 const struct xdr_buf *xdr, u32 hdr_len,
				 u32 len)
{
	int ret = 0;

	if (len > SVC_RDMA_PULLUP) {
		ret = svc_rdma_reply_map_ranges(send, recv, xdr, hdr_len);
		if (likely(ret != -E2BIG)) {
			svc_rdma_count(mapped_replies);
			return ret;
		}
		svc_rdma_send_unmap_pages(send);
		ret = 0;
	}
	if (hdr_len + len > send->size)
		ret = svc_rdma_send_grow(send, hdr_len, hdr_len + len);
	if (ret)
		return ret;
	svc_rdma_reply_copy(recv, xdr, send->buf + hdr_len);
	return hdr_len + len;
}

/*
 * Place a reply that is too long to be sent inline: RFC 5666 section 3.4,
 * reliable-reply draft section 4.1.1
 */
static int svc_rdma_reply_move(struct svc_rdma_send_ctx *send,
			       struct svc_rdma_recv_ctx *recv,
			       const struct xdr_buf *xdr, u32 len)
{
	if (len <= recv->hdr.reply.bytes) {
		svc_rdma_add(reply_bytes, len);
		return svc_rdma_write_reply(send, recv, xdr);
	}
		/* The error sent if advertising fails, or the header is too long */
	svc_rdma_fault_set(recv, RPCRDMA2_ERR_REPLY_RESOURCE, 0, len);
	if (!svc_rdma_reply_advertise(send, recv, xdr))
		return -E2BIG;
	svc_rdma_traffic_add(&send->conn->traffic.read_replies, 1);
	return 0;
}

/* Count a reply with chunks. @moved: bytes in the chunks */
static void svc_rdma_reply_count(struct svc_rdma_conn *conn, u32 limit,
				 const struct xdr_buf *xdr, u32 moved)
{
	u32 len = xdr->len + svc_rdma_version_of(conn)->header_size;

	svc_rdma_traffic_add(&conn->traffic.reply_bytes, moved);
	/* Would the reply have been inline with larger Receives? */
	if (conn->properties.on && len > limit)
		svc_rdma_properties_long_reply(&conn->properties, len);
}

/*
 * Build the reply. The reduced reply is sent inline if the requester can
 * receive it behind a header that returns the Write list of the call.
 *
 * Return: bytes in the Send context's buffer, or a negative errno.
 */
static int svc_rdma_reply_build(struct svc_rdma_send_ctx *send,
				struct svc_rdma_recv_ctx *recv,
				struct svc_rqst *rqstp)
{
	const struct rpcrdma_list *writes = &recv->hdr.writes;
	const struct xdr_buf *xdr = &rqstp->rq_res;
	u32 len = xdr->len, nomsg = 0, hdr_len;
	int ret;

	if (recv->npayloads) {
		len = svc_rdma_payloads_check(recv, rqstp);
		ret = svc_rdma_write_chunks(send, recv, xdr);
		if (ret)
			return ret;
	}
	hdr_len = svc_rdma_version_of(send->conn)->header_size +
		  writes->chunks * 2 * RPCRDMA_XDR_UNIT +
		  writes->segments * RPCRDMA_SEGMENT_SIZE;
	if (hdr_len + len > send->limit) {
		nomsg = len;
		ret = svc_rdma_reply_move(send, recv, xdr, len);
		if (ret)
			return ret;
	}
	ret = svc_rdma_reply_encode_header(send, recv, nomsg);
	if (ret > 0 && !nomsg)
		ret = svc_rdma_reply_gather(send, recv, xdr, ret, len);
	if (ret < 0 || send->wrs == 1)
		return ret;
	svc_rdma_reply_count(send->conn, send->limit, xdr,
			     xdr->len - len + nomsg);
	return ret;
}

static int svc_rdma_reply_post(struct svc_rdma_send_ctx *send,
			       struct svc_rdma_recv_ctx *recv, u32 len)
{
	struct svc_rdma_conn *conn = send->conn;
	u32 xid = be32_to_cpu(recv->hdr.xid);
	u32 wrs = send->wrs;
	int ret;

	if (recv->handle) {
		send->wr.opcode = IB_WR_SEND_WITH_INV;
		send->wr.ex.invalidate_rkey = recv->handle;
		svc_rdma_count(remote_invalidations);
	}
	svc_rdma_recv_put(conn, recv);
	ret = svc_rdma_send_answer(send, len);
	trace_svc_rdma_sent(conn, &send->cqe, xid, len, wrs, ret);
	return ret;
}

/**
 * svc_rdma_reply_send - send a reply (xpo_sendto)
 * @rqstp: call, with the reply in rq_res
 *
 * Context: process; does not wait for room in the Send Queue.
 * Return: 0, or a negative errno if the connection is being closed.
 */
int svc_rdma_reply_send(struct svc_rqst *rqstp)
{
	struct svc_rdma_conn *conn = svc_rdma_conn_of(rqstp->rq_xprt);
	struct svc_rdma_recv_ctx *recv = rqstp->rq_xprt_ctxt;
	struct svc_rdma_send_ctx *send;
	int len, ret;

	if (svc_rdma_conn_closing(conn))
		return -ENOTCONN;
	send = svc_rdma_send_get(conn);
	if (!send) {
		svc_rdma_conn_close(conn, RPCRDMA_CAUSE(MEMORY, SEND));
		return -ENOMEM;
	}
	len = svc_rdma_reply_build(send, recv, rqstp);
	ret = len < 0 ? len : svc_rdma_reply_take_pages(send, recv, rqstp);
	if (likely(!ret)) {
		rqstp->rq_xprt_ctxt = NULL;
		return svc_rdma_reply_post(send, recv, len);
	}
	if (ret == -E2BIG || ret == -EMSGSIZE) {
		rqstp->rq_xprt_ctxt = NULL;
		svc_rdma_count(reply_too_long);
		svc_rdma_send_reset(send);
		/* The requester cannot avoid this error with other chunks. */
		svc_rdma_fault_set(recv, RPCRDMA2_ERR_SYSTEM, 0, 0);
		return svc_rdma_error_send(send, recv);
	}
	svc_rdma_send_put(send);
	svc_rdma_conn_close(conn, rpcrdma_cause_errno(RPCRDMA_NL_DETAIL_REPLY, ret));
	return ret;
}
