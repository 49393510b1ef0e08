// SPDX-License-Identifier: GPL-2.0-only
/*
 * Results that can use Write chunks, and the reduced reply: the reply without
 * these results and their XDR roundup.
 *
 * RFC 5666 section 3.6, RFC 8166 section 3.4.6: while nfsd encodes a reply, it
 * names the results that can be moved in this way. Each of them uses the next
 * Write chunk of the call.
 */

#include "message.h"

/**
 * svc_rdma_payload_add - record a result that can use a Write chunk
 * (xpo_result_payload)
 * @rqstp: call whose reply nfsd is encoding
 * @offset: bytes from the start of the reply
 * @length: bytes; if 0, the chunk is returned unused
 *
 * RFC 8267 section 4.3: chunks are matched to results in order.
 *
 * Context: process.
 * Return: always 0.
 */
int svc_rdma_payload_add(struct svc_rqst *rqstp, unsigned int offset,
			 unsigned int length)
{
	struct svc_rdma_recv_ctx *recv = rqstp->rq_xprt_ctxt;
	u32 number = recv->npayloads;

	if (number >= min(recv->hdr.writes.chunks, SVC_RDMA_PAYLOADS))
		return 0;
	recv->payloads[number].offset = offset;
	recv->payloads[number].length = length;
	recv->npayloads++;
	return 0;
}

static bool svc_rdma_payload_word_is(const struct xdr_buf *xdr, u32 offset,
				     u32 value)
{
	__be32 word;

	return !read_bytes_from_xdr_buf(xdr, offset, &word, sizeof(word)) &&
	       be32_to_cpu(word) == value;
}

/*
 * The length of an opaque item precedes its data. nfsd passes the offset of the
 * length for READLINK of NFSv4, and the offset of the data for everything else.
 * If the length is at neither place, or the place is outside the reply, the
 * payload is sent inline rather than misplaced.
 */
static bool svc_rdma_payload_check(struct svc_rdma_payload *payload,
				   const struct xdr_buf *xdr, u32 end)
{
	u64 offset = payload->offset;

	if (!svc_rdma_payload_word_is(xdr, offset - XDR_UNIT,
				      payload->length)) {
		if (!svc_rdma_payload_word_is(xdr, offset, payload->length))
			return false;
		offset += XDR_UNIT;
	}
	if (offset < end || offset + xdr_align_size(payload->length) > xdr->len)
		return false;
	payload->offset = offset;
	return true;
}

/* Go to the next Write chunk. Return: false if the chunk has no bytes. */
static bool svc_rdma_payload_next_chunk(struct rpcrdma_cursor *cur)
{
	struct rpcrdma_segment seg;
	u32 count;

	rpcrdma_chunks_next(cur, &count);
	while (rpcrdma_segments_next(cur, &seg))
		if (seg.length)
			return true;
	return false;
}

/**
 * svc_rdma_payloads_check - decide which results use their Write chunks
 * @recv: call
 * @rqstp: call, with the whole reply in rq_res
 *
 * With RPCSEC_GSS integrity or privacy, the results are no longer where nfsd
 * put them, and no part of the reply may be moved separately (RFC 8166 section
 * 6.1, RFC 5666 section 5.2.2). All chunks remain unused then.
 *
 * RFC 8267 section 4.3: a requester provides an empty Write chunk for a result
 * that it wants inline, if results in Write chunks follow.
 *
 * Context: process.
 * Return: bytes of the reduced reply.
 */
u32 svc_rdma_payloads_check(struct svc_rdma_recv_ctx *recv,
			    struct svc_rqst *rqstp)
{
	struct svc_rdma_payload *payload = recv->payloads;
	u32 i, len = rqstp->rq_res.len, end = 0;
	struct rpcrdma_cursor cur;

	if (rqstp->rq_auth_slack)
		recv->npayloads = 0;
	rpcrdma_chunks_begin(&recv->hdr, &recv->hdr.writes, &cur);
	for (i = 0; i < recv->npayloads; i++, payload++) {
		if (!svc_rdma_payload_next_chunk(&cur) ||
		    !svc_rdma_payload_check(payload, &rqstp->rq_res, end)) {
			payload->length = 0;
			continue;
		}
		end = payload->offset + xdr_align_size(payload->length);
		len -= xdr_align_size(payload->length);
	}
	return len;
}

/**
 * svc_rdma_reply_next_range - advance to the next range of a reduced reply
 * @it: iterator; the remaining part of its current range is skipped
 *
 * Context: any.
 * Return: true if @it->offset and @it->length describe another range, which is
 * not empty; false at the end.
 */
bool svc_rdma_reply_next_range(struct svc_rdma_reply_iter *it)
{
	const struct svc_rdma_recv_ctx *recv = it->recv;
	const struct svc_rdma_payload *payload;

	while (it->number < recv->npayloads) {
		payload = &recv->payloads[it->number++];
		if (!payload->length)
			continue;
		it->offset = it->next;
		it->length = payload->offset - it->offset;
		it->next = payload->offset + xdr_align_size(payload->length);
		if (it->length)
			return true;
	}
	it->offset = it->next;
	it->length = it->xdr->len - it->offset;
	it->next = it->xdr->len;
	return it->length;
}

/**
 * svc_rdma_reply_next_page - get the next part of a reduced reply within one
 * page
 * @it: iterator; advances
 * @page: set to the page
 * @at: set to the offset in the page
 *
 * Context: any.
 * Return: bytes in the part; 0 at the end.
 */
u32 svc_rdma_reply_next_page(struct svc_rdma_reply_iter *it,
			     struct page **page, u32 *at)
{
	struct rpcrdma_rw_memory mem;
	u32 bytes;

	if (!it->length && !svc_rdma_reply_next_range(it))
		return 0;
	bytes = rpcrdma_rw_xdr(it->xdr, it->offset, it->length, &mem);
	if (mem.base) {
		*page = virt_to_page(mem.base);
		*at = offset_in_page(mem.base);
	} else {
		*page = mem.pages[0];
		*at = mem.offset;
	}
	bytes = min_t(u32, bytes, PAGE_SIZE - *at);
	it->base = mem.base;
	it->offset += bytes;
	it->length -= bytes;
	return bytes;
}
