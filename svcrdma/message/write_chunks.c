// SPDX-License-Identifier: GPL-2.0-only
/*
 * Write chunks and Reply chunks: parts of a reply that go straight into the
 * requester's memory.
 *
 * Operation: RFC 5666 section 3.6, RFC 8166 section 3.4.6. While nfsd encodes
 * a reply it names the results that may be moved this way; each takes the
 * next Write chunk of the call. What is left of the reply without them (and
 * their XDR round-up), the reduced reply, goes inline or into the Reply chunk.
 *
 * Ownership: the reply's pages are mapped here and stay nfsd's until
 * svc_rdma_send_hold_pages() passes them to the Send context. The pieces are
 * on the Send context's list and live as long as the Send.
 *
 * Errors: -E2BIG if the requester's memory is too small; whatever
 * svc_rdma_rw_pages() returns. Nothing has been posted then.
 */

#include "../counters.h"
#include "../verbs/verbs.h"
#include "message.h"

/* Bytes that the Write chunk with the given number can take. */
static u64 svc_rdma_write_chunk_room(const struct rpcrdma_hdr *hdr, u32 number)
{
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	u64 room = 0;
	u32 count;

	rpcrdma_chunks_begin(hdr, &hdr->writes, &cur);
	do {
		if (!rpcrdma_chunks_next(&cur, &count))
			return 0;
	} while (number--);
	while (rpcrdma_segments_next(&cur, &seg))
		room += seg.length;
	return room;
}

/**
 * svc_rdma_payload_add - nfsd has encoded a result that may use a Write
 *	chunk (xpo_result_payload)
 * @rqstp: call
 * @offset: bytes from the start of the reply
 * @length: bytes; with none, a chunk is used up and returned empty
 *
 * RFC 8267 section 4.3: chunks are matched to results in order. A result that
 * does not fit into its chunk makes the whole reply an error, so that the
 * requester learns what is wrong.
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
	if (length > svc_rdma_write_chunk_room(&recv->hdr, number))
		svc_rdma_fault_set(recv, RPCRDMA2_ERR_WRITE_RESOURCE,
				   number + 1, length);
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
 * An opaque item follows the word with its length. For READLINK of NFSv4,
 * nfsd names the place of that word; for everything else, of the data. A
 * payload that is in neither place is sent inline rather than misplaced.
 */
static bool svc_rdma_payload_check(struct svc_rdma_payload *payload,
				   const struct xdr_buf *xdr, u32 end)
{
	u64 offset = payload->offset;

	if (offset < XDR_UNIT || offset > xdr->len)
		return false;
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

/**
 * svc_rdma_payloads_check - decide which results use their Write chunks
 * @recv: call
 * @rqstp: call, with the whole reply in rq_res
 *
 * With RPCSEC_GSS integrity or privacy, the results are no longer where nfsd
 * put them, and RFC 8166 section 6.1 (sec. 5.2.2 of RFC 5666) lets no part of
 * the reply be moved on its own: the chunks stay unused.
 *
 * Context: process.
 * Return: 0, or -E2BIG if a result does not fit into its chunk.
 */
int svc_rdma_payloads_check(struct svc_rdma_recv_ctx *recv,
			    struct svc_rqst *rqstp)
{
	struct svc_rdma_payload *payload = recv->payloads;
	u32 i, end = 0;

	if (rqstp->rq_auth_slack) {
		recv->npayloads = 0;
		recv->fault.code = 0;
	}
	if (recv->fault.code)
		return -E2BIG;
	for (i = 0; i < recv->npayloads; i++, payload++) {
		if (svc_rdma_payload_check(payload, &rqstp->rq_res, end))
			end = payload->offset +
			      xdr_align_size(payload->length);
		else
			payload->length = 0;
	}
	return 0;
}

/**
 * svc_rdma_reduced_length - length of a reply without what is in Write chunks
 * @recv: call, with its payloads checked
 * @xdr: reply
 *
 * Context: any.
 * Return: bytes.
 */
u32 svc_rdma_reduced_length(const struct svc_rdma_recv_ctx *recv,
			    const struct xdr_buf *xdr)
{
	u32 i, len = xdr->len;

	for (i = 0; i < recv->npayloads; i++)
		len -= xdr_align_size(recv->payloads[i].length);
	return len;
}

/**
 * svc_rdma_each_range - visit the parts of a reduced reply
 * @recv: call, with its payloads checked
 * @xdr: reply
 * @actor: called for each part with a non-zero length; a negative result ends
 *	the visit
 * @data: for @actor
 *
 * Context: that of @actor.
 * Return: 0, or what @actor returned.
 */
int svc_rdma_each_range(const struct svc_rdma_recv_ctx *recv,
			const struct xdr_buf *xdr,
			int (*actor)(void *data, const struct xdr_buf *xdr,
				     u32 offset, u32 length),
			void *data)
{
	u32 i, offset = 0;
	int ret;

	for (i = 0; i < recv->npayloads; i++) {
		const struct svc_rdma_payload *payload = &recv->payloads[i];

		if (!payload->length)
			continue;
		if (payload->offset > offset) {
			ret = actor(data, xdr, offset,
				    payload->offset - offset);
			if (ret < 0)
				return ret;
		}
		offset = payload->offset + xdr_align_size(payload->length);
	}
	if (xdr->len > offset) {
		ret = actor(data, xdr, offset, xdr->len - offset);
		return min(ret, 0);
	}
	return 0;
}

/**
 * struct svc_rdma_part - contiguous part of an xdr_buf
 * @base: its first byte, or NULL if it is in the buffer's pages
 * @offset: then, bytes from the start of the first page
 * @length: bytes
 */
struct svc_rdma_part {
	void *base;
	u32 offset;
	u32 length;
};

/* The part of a range, which is not empty, that is contiguous. */
static void svc_rdma_reply_next_part(const struct xdr_buf *xdr, u32 offset,
				     u32 length, struct svc_rdma_part *part)
{
	u32 room;

	part->base = NULL;
	if (offset < xdr->head[0].iov_len) {
		part->base = xdr->head[0].iov_base + offset;
		room = xdr->head[0].iov_len - offset;
		goto out;
	}
	offset -= xdr->head[0].iov_len;
	if (offset < xdr->page_len) {
		part->offset = xdr->page_base + offset;
		room = xdr->page_len - offset;
		goto out;
	}
	offset -= xdr->page_len;
	part->base = xdr->tail[0].iov_base + offset;
	room = xdr->tail[0].iov_len - offset;
out:
	part->length = min(length, room);
}

struct svc_rdma_reply_visit {
	svc_rdma_page_actor *actor;
	void *data;
};

static int svc_rdma_reply_visit_range(void *data, const struct xdr_buf *xdr,
				      u32 offset, u32 length)
{
	const struct svc_rdma_reply_visit *visit = data;
	struct svc_rdma_part part;
	struct page *page;
	u32 at, bytes;
	int ret;

	for (; length; offset += bytes, length -= bytes) {
		svc_rdma_reply_next_part(xdr, offset, length, &part);
		if (part.base) {
			page = virt_to_page(part.base);
			at = offset_in_page(part.base);
		} else {
			page = xdr->pages[part.offset >> PAGE_SHIFT];
			at = offset_in_page(part.offset);
		}
		bytes = min_t(u32, part.length, PAGE_SIZE - at);
		ret = visit->actor(visit->data, page, at, bytes);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * svc_rdma_each_page - visit the pages of a reduced reply
 * @recv: call, with its payloads checked
 * @xdr: reply
 * @actor: called for each part of a page; an error ends the visit
 * @data: for @actor
 *
 * Context: that of @actor.
 * Return: 0, or what @actor returned.
 */
int svc_rdma_each_page(const struct svc_rdma_recv_ctx *recv,
		       const struct xdr_buf *xdr, svc_rdma_page_actor *actor,
		       void *data)
{
	struct svc_rdma_reply_visit visit = {.actor = actor, .data = data};

	return svc_rdma_each_range(recv, xdr, svc_rdma_reply_visit_range,
				   &visit);
}

static int svc_rdma_reply_count_page(void *data, struct page *page, u32 offset,
				     u32 length)
{
	u32 *count = data;

	*count += 1;
	return 0;
}

/**
 * svc_rdma_count_pages - how many parts of pages a reduced reply has
 * @recv: call, with its payloads checked
 * @xdr: reply
 *
 * Context: any.
 * Return: how many svc_rdma_each_page() visits.
 */
u32 svc_rdma_count_pages(const struct svc_rdma_recv_ctx *recv,
			 const struct xdr_buf *xdr)
{
	u32 count = 0;

	svc_rdma_each_page(recv, xdr, svc_rdma_reply_count_page, &count);
	return count;
}

/* A chunk being filled: what is left of its current segment, and the rest. */
struct svc_rdma_write_dest {
	struct svc_rdma_send_ctx *send;
	struct rpcrdma_cursor cur;
	struct rpcrdma_segment seg;
};

static int svc_rdma_write_part(struct svc_rdma_write_dest *dest,
			       const struct xdr_buf *xdr,
			       struct svc_rdma_part *part)
{
	struct svc_rdma_send_ctx *send = dest->send;
	struct rpcrdma_segment seg = dest->seg;
	int ret;

	seg.length = min(seg.length, part->length);
	if (part->base)
		ret = svc_rdma_rw_kvec(send->conn, &send->rws, &seg, part->base,
				       DMA_TO_DEVICE);
	else
		ret = svc_rdma_rw_pages(send->conn, &send->rws, &seg,
					xdr->pages, part->offset,
					DMA_TO_DEVICE);
	if (ret < 0)
		return ret;
	send->wrs += ret;
	dest->seg.offset += seg.length;
	dest->seg.length -= seg.length;
	return seg.length;
}

static int svc_rdma_write_range(void *data, const struct xdr_buf *xdr,
				u32 offset, u32 length)
{
	struct svc_rdma_part part;
	struct svc_rdma_write_dest *dest = data;
	int ret;

	while (length) {
		if (!dest->seg.length) {
			if (!rpcrdma_segments_next(&dest->cur, &dest->seg))
				return -E2BIG;
			continue;
		}
		svc_rdma_reply_next_part(xdr, offset, length, &part);
		ret = svc_rdma_write_part(dest, xdr, &part);
		if (ret < 0)
			return ret;
		offset += ret;
		length -= ret;
	}
	return 0;
}

/**
 * svc_rdma_write_chunks - prepare the Writes of all results
 * @send: Send context that the Writes are added to
 * @recv: call, with its payloads checked
 * @xdr: reply
 *
 * Context: process.
 * Return: 0, -E2BIG or another negative errno.
 */
int svc_rdma_write_chunks(struct svc_rdma_send_ctx *send,
			  const struct svc_rdma_recv_ctx *recv,
			  const struct xdr_buf *xdr)
{
	struct svc_rdma_write_dest dest = {.send = send};
	u32 i, count;
	int ret;

	rpcrdma_chunks_begin(&recv->hdr, &recv->hdr.writes, &dest.cur);
	for (i = 0; i < recv->npayloads; i++) {
		const struct svc_rdma_payload *payload = &recv->payloads[i];

		if (!rpcrdma_chunks_next(&dest.cur, &count))
			break;
		if (!payload->length)
			continue;
		dest.seg.length = 0;
		ret = svc_rdma_write_range(&dest, xdr, payload->offset,
					   payload->length);
		if (ret < 0)
			return ret;
		svc_rdma_add(write_bytes, payload->length);
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
 * Return: 0, -E2BIG if there is no Reply chunk or it is too small, or another
 * negative errno.
 */
int svc_rdma_write_reply(struct svc_rdma_send_ctx *send,
			 const struct svc_rdma_recv_ctx *recv,
			 const struct xdr_buf *xdr)
{
	struct svc_rdma_write_dest dest = {.send = send};
	u32 count;

	rpcrdma_chunks_begin(&recv->hdr, &recv->hdr.reply, &dest.cur);
	if (!rpcrdma_chunks_next(&dest.cur, &count))
		return -E2BIG;
	return svc_rdma_each_range(recv, xdr, svc_rdma_write_range, &dest);
}
