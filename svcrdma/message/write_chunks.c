// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write chunks and Reply chunks: RDMA Writes in front of the Send place parts
 * of a reply directly in the requester's memory.
 *
 * Ownership: the reply's pages are mapped here, and belong to nfsd until
 * svc_rdma_send_hold_pages() moves them to the Send context. The Writes are in
 * the Send context's list and are released with it.
 *
 * Errors: -E2BIG if the requester's memory is too small, or an error of
 * svc_rdma_rw_add(). In both cases nothing has been posted.
 */

#include "../verbs/verbs.h"
#include "message.h"

/* The unused part of a chunk: the rest of @seg, and the segments behind @cur */
struct svc_rdma_write_dest {
	struct svc_rdma_send_ctx *send;
	struct rpcrdma_cursor cur;
	struct rpcrdma_segment seg;
};

/* Each Write covers one part of the reply, and at most one segment. */
static int svc_rdma_write_range(struct svc_rdma_write_dest *dest,
				const struct xdr_buf *xdr, u32 offset,
				u32 length)
{
	struct svc_rdma_send_ctx *send = dest->send;
	struct rpcrdma_rw_memory mem;
	struct rpcrdma_segment seg;
	int ret;

	while (length) {
		if (!dest->seg.length) {
			if (!rpcrdma_segments_next(&dest->cur, &dest->seg))
				return -E2BIG;
			continue;
		}
		seg = dest->seg;
		seg.length = min(seg.length,
				 rpcrdma_rw_xdr(xdr, offset, length, &mem));
		ret = svc_rdma_rw_add(send->conn, &send->rws, &seg, &mem,
				      DMA_TO_DEVICE);
		if (ret < 0)
			return ret;
		if (mem.base)
			send->head_read = true;
		send->wrs += ret;
		dest->seg.offset += seg.length;
		dest->seg.length -= seg.length;
		offset += seg.length;
		length -= seg.length;
	}
	return 0;
}

/**
 * svc_rdma_write_chunks - prepare the Writes of all results
 * @send: Send context that the Writes are added to
 * @recv: call, with its payloads checked
 * @xdr: reply
 *
 * If a result does not fit into its chunk, the fault is set to tell the
 * requester how long the result is.
 *
 * Context: process.
 * Return: 0; -E2BIG, with the fault set; or another negative errno.
 */
int svc_rdma_write_chunks(struct svc_rdma_send_ctx *send,
			  struct svc_rdma_recv_ctx *recv,
			  const struct xdr_buf *xdr)
{
	struct svc_rdma_write_dest dest = {.send = send};
	u32 i, count;
	int ret;

	rpcrdma_chunks_begin(&recv->hdr, &recv->hdr.writes, &dest.cur);
	for (i = 0; i < recv->npayloads; i++) {
		rpcrdma_chunks_next(&dest.cur, &count);
		dest.seg.length = 0;
		ret = svc_rdma_write_range(&dest, xdr, recv->payloads[i].offset,
					   recv->payloads[i].length);
		if (ret == -E2BIG)
			svc_rdma_fault_set(recv, RPCRDMA2_ERR_WRITE_RESOURCE,
					   i + 1, recv->payloads[i].length);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * svc_rdma_write_reply - prepare the Writes of a reduced reply
 * @send: Send context that the Writes are added to
 * @recv: call, with its payloads checked
 * @xdr: reply
 *
 * Context: process.
 * Return: 0; -E2BIG if there is no Reply chunk, or it is too small; or another
 * negative errno.
 */
int svc_rdma_write_reply(struct svc_rdma_send_ctx *send,
			 const struct svc_rdma_recv_ctx *recv,
			 const struct xdr_buf *xdr)
{
	struct svc_rdma_write_dest dest = {.send = send};
	struct svc_rdma_reply_iter it = { .recv = recv, .xdr = xdr };
	u32 count;
	int ret;

	rpcrdma_chunks_begin(&recv->hdr, &recv->hdr.reply, &dest.cur);
	rpcrdma_chunks_next(&dest.cur, &count);
	while (svc_rdma_reply_next_range(&it)) {
		ret = svc_rdma_write_range(&dest, xdr, it.offset, it.length);
		if (ret)
			return ret;
	}
	return 0;
}
