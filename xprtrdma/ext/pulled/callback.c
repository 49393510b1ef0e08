// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chunks of callbacks (v2 draft section 4.2.2): a call is fetched from its Read
 * chunks, and a reply that is too long to be sent inline is written into the
 * call's Reply chunk.
 *
 * We are the responder here. Write chunks are returned unused, because no
 * callback has a result that is eligible for one. The reply's Send invalidates
 * the handle that the call names.
 *
 * Ownership: the call's Write list and Reply chunk are copied into the request.
 * RDMA Writes are in the list of the request until they and the Send after them
 * have completed.
 */

#include <linux/sunrpc/xdr.h>

#include "../../callback/callback.h"
#include "../../message/message.h"
#include "../../stats.h"
#include "../../verbs/verbs.h"
#include "../../version_ops.h"
#include "pulled.h"

/* v2 draft section 5.3.3: refuse more chunks or segments than we can process. */
static void xprt_rdma_pulled_check_chunks(const struct xprt_rdma_conn *conn,
					  const struct rpcrdma_hdr *hdr,
					  struct xprt_rdma_fault *fault)
{
	u32 chunks = hdr->writes.chunks + hdr->reply.chunks;
	u32 reads = !READ_ONCE(conn->peer.no_own_reads) ? XPRT_RDMA_GAPS : 0;

	if (hdr->reads.chunks > reads) {
		fault->code = RPCRDMA2_ERR_READ_CHUNKS;
		fault->value = reads;
	} else if (hdr->writes.chunks > XPRT_RDMA_BC_CHUNKS) {
		fault->code = RPCRDMA2_ERR_WRITE_CHUNKS;
		fault->value = XPRT_RDMA_BC_CHUNKS;
	} else if (hdr->writes.segments + hdr->reply.segments >
		   XPRT_RDMA_MAX_SEGS) {
		fault->code = RPCRDMA2_ERR_SEGMENTS;
		fault->value = XPRT_RDMA_MAX_SEGS / chunks;
	}
}

/**
 * xprt_rdma_pulled_check_call - check the chunks of a callback
 * @recv: Receive of a call that has chunks or no inline part
 * @layout: set to the positions of the call's parts
 * @fault: set if the call must be refused
 *
 * Context: completion handler.
 * Return: length of the RPC message in the call, in bytes.
 */
u32 xprt_rdma_pulled_check_call(const struct xprt_rdma_recv_ctx *recv,
				struct rpcrdma_layout *layout,
				struct xprt_rdma_fault *fault)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;
	int len;

	xprt_rdma_pulled_check_chunks(recv->conn, hdr, fault);
	if (fault->code)
		return 0;
	len = rpcrdma_layout_reads(layout, hdr, XPRT_RDMA_GAPS);
	if (len == -EOVERFLOW || len > (int)XPRT_RDMA_BC_CALL_MAX)
		fault->code = RPCRDMA2_ERR_SYSTEM;
	else if (len < 0)
		fault->code = RPCRDMA2_ERR_BAD_XDR;
	return len;
}

static void xprt_rdma_pulled_call_fetched(struct xprt_rdma_fetch *fetch,
					  int status)
{
	struct xprt_rdma_req *req = fetch->req;
	const struct kvec *head = req->rqst.rq_rcv_buf.head;

	if (!status && xprt_rdma_rpc_is_call(head->iov_base, head->iov_len,
					     req->rqst.rq_xid)) {
		xprt_rdma_count(bc_calls_read);
		xprt_rdma_bc_deliver_call(fetch->conn, req);
		return;
	}
	/* If the Reads have failed, the connection ends. */
	if (!status)
		xprt_rdma_count(messages_ignored);
	xprt_rdma_bc_release_call(req);
}

/*
 * Copy the parts of the call's header that the reply needs. Their counts were
 * checked.
 */
static void xprt_rdma_pulled_keep_chunks(struct xprt_rdma_callback *cb,
					 const struct rpcrdma_hdr *hdr)
{
	u32 start = hdr->writes.offset;

	cb->inv_handle = 0;
	if (hdr->inv_handle)
		cb->inv_handle = rpcrdma_find_handle(hdr, hdr->inv_handle);
	cb->chunks = *hdr;
	if (!hdr->writes.chunks && !hdr->reply.chunks)
		return;
	memcpy(cb->lists, hdr->base + start, hdr->payload - start);
	cb->chunks.base = cb->lists;
	cb->chunks.writes.offset = 0;
	cb->chunks.reply.offset -= start;
}

/**
 * xprt_rdma_pulled_call - take over the chunks of a callback
 * @req: request of the call, with room for the whole call
 * @recv: Receive of the call, which has passed all checks
 * @layout: positions of the parts of a call with Read chunks
 *
 * Context: completion handler.
 * Return: 1 if the whole call is inline; 0 if the call is being fetched, and
 * its fetch owns the Receive; or a negative errno.
 */
int xprt_rdma_pulled_call(struct xprt_rdma_req *req,
			  struct xprt_rdma_recv_ctx *recv,
			  const struct rpcrdma_layout *layout)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;
	struct xprt_rdma_fetch *fetch;
	int rc;

	xprt_rdma_pulled_keep_chunks(req->cb, hdr);
	if (likely(!hdr->reads.segments))
		return 1;
	rc = rpcrdma_layout_copy(layout, &req->rqst.rq_rcv_buf, hdr);
	if (rc)
		return rc;
	fetch = xprt_rdma_fetch_create(recv, false);
	if (!fetch)
		return -ENOMEM;
	fetch->layout = *layout;
	fetch->req = req;
	fetch->complete = xprt_rdma_pulled_call_fetched;
	xprt_rdma_fetch_start(fetch, recv);
	return 0;
}

/*
 * Encode the chunks of a list: unused if @head is NULL, otherwise with the
 * number of bytes of @head in each segment. Add the Writes for these bytes.
 */
static int xprt_rdma_pulled_return(struct xprt_rdma_conn *conn,
				   struct xprt_rdma_req *req,
				   struct rpcrdma_encoder *enc,
				   const struct rpcrdma_list *list,
				   const struct kvec *head)
{
	u32 count, done = 0, len = head ? head->iov_len : 0;
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	int rc = 0;

	rpcrdma_chunks_begin(&req->cb->chunks, list, &cur);
	while (!rc && rpcrdma_chunks_next(&cur, &count)) {
		rpcrdma_encode_chunk_begin(enc, count);
		while (!rc && rpcrdma_segments_next(&cur, &seg)) {
			seg.length = min(seg.length, len - done);
			rpcrdma_encode_segment(enc, &seg);
			if (seg.length)
				rc = xprt_rdma_send_add_write(conn, req,
							      head->iov_base + done,
							      &seg);
			done += seg.length;
		}
	}
	return rc;
}

/**
 * xprt_rdma_pulled_encode - encode the chunk lists of the reply to a callback
 * @conn: connection
 * @req: backchannel request with a reply
 * @enc: encoder, positioned after the fixed part of the header
 * @nomsg: have the whole reply written into the Reply chunk
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: 0 or a negative errno. After an error, some Writes may have been
 * added.
 */
int xprt_rdma_pulled_encode(struct xprt_rdma_conn *conn,
			    struct xprt_rdma_req *req,
			    struct rpcrdma_encoder *enc, bool nomsg)
{
	const struct rpcrdma_hdr *chunks = &req->cb->chunks;
	int rc = 0;

	rpcrdma_encode_list_end(enc);
	xprt_rdma_pulled_return(conn, req, enc, &chunks->writes, NULL);
	rpcrdma_encode_list_end(enc);
	if (nomsg)
		rc = xprt_rdma_pulled_return(conn, req, enc, &chunks->reply,
					     req->rqst.rq_snd_buf.head);
	else
		rpcrdma_encode_list_end(enc);
	return rc;
}
