// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read chunks: parts of a call that are in the requester's memory.
 *
 * Operation: RFC 5666 sections 3.4 and 3.7, RFC 8166 section 3.4.5. The call is
 * a stream of bytes; core/verbs/layout.c computes where its parts belong.
 *
 * If a single chunk is inserted into an inline payload, behind the header of
 * the RPC call, the payload is split into head and tail around the chunk's
 * pages. This is the form that nfsd handles best. Otherwise the whole stream is
 * placed in consecutive pages, the first of which is the head: RDMA Reads are
 * split so that each byte arrives at its place, and nothing is copied again.
 *
 * Ownership: pages are taken from the connection's stash, or from the nfsd
 * thread that posts the Reads. After the Reads, they are swapped with pages of
 * the thread that serves the call, which go to the stash. In between, struct
 * svc_rdma_read_ctx owns the pages and the Receive context with the call's
 * header. If the Reads never complete, the Read context is released with its
 * Receive context, which is in a list of the connection.
 *
 * Errors: -EBADMSG if the chunks do not fit together, -E2BIG if they exceed a
 * limit. In both cases nothing has been posted. If a Read fails, the connection
 * is closed.
 */

#include <linux/sunrpc/auth_gss.h>
#include <linux/unaligned.h>
#include <linux/vmalloc.h>

#include <rpcrdma/rw.h>

#include "../counters.h"
#include "../verbs/verbs.h"
#include "message.h"

/*
 * Return the maximum number of pages that the call can need, including XDR
 * roundup of each chunk. A call longer than the longest message is refused
 * later.
 */
static size_t svc_rdma_read_room(const struct svc_serv *serv,
				 const struct rpcrdma_hdr *hdr)
{
	u64 bytes = hdr->reads.bytes + hdr->reads.segments * XDR_UNIT + hdr->len;

	return DIV_ROUND_UP(min_t(u64, bytes, serv->sv_max_mesg), PAGE_SIZE);
}

static struct svc_rdma_read_ctx *
svc_rdma_read_alloc(const struct svc_serv *serv, struct svc_rdma_conn *conn,
		    struct svc_rdma_recv_ctx *recv)
{
	struct svc_rdma_read_ctx *read;

	read = kzalloc(struct_size(read, pages,
				   svc_rdma_read_room(serv, &recv->hdr)),
		       GFP_KERNEL);
	if (!read)
		return NULL;
	INIT_LIST_HEAD(&read->rws);
	read->conn = conn;
	read->recv = recv;
	svc_rdma_count(readctxs_now);
	return read;
}

/* Release the Reads and their destination pages. */
static void svc_rdma_read_release(struct svc_rdma_read_ctx *read)
{
	svc_rdma_rw_release(read->conn, &read->rws);
	if (read->mapped)
		vm_unmap_ram(read->mapped, read->npages);
	else if (read->npages)
		release_pages(read->pages, read->npages);
	read->npages = 0;
}

/**
 * svc_rdma_read_free - release the resources of a call's Read chunks
 * @read: Read context without outstanding Work Requests
 *
 * Context: process.
 */
void svc_rdma_read_free(struct svc_rdma_read_ctx *read)
{
	svc_rdma_read_release(read);
	svc_rdma_read_uncharge(read);
	svc_rdma_add(readctxs_now, -1);
	kfree(read);
}

/* Is there a chunk at position zero? */
static bool svc_rdma_read_is_long(const struct svc_rdma_read_ctx *read)
{
	return read->recv->hdr.type == RPCRDMA_NOMSG;
}

/*
 * Advance @at over a credential or verifier (RFC 5531 section 8.2). Return
 * false if it is not within the first @len bytes of the call.
 */
static bool svc_rdma_read_skip_auth(const u8 *call, u32 len, u32 *at)
{
	u32 length;

	*at += 2 * XDR_UNIT;
	if (*at > len)
		return false;
	length = get_unaligned_be32(call + *at - XDR_UNIT);
	if (length > RPC_MAX_AUTH_SIZE)
		return false;
	*at += xdr_align_size(length);
	return *at <= len;
}

/*
 * Do the first @len bytes of the call contain everything that sunrpc expects in
 * contiguous memory? RPCSEC_GSS computes the checksum of the header over one
 * range of memory, and takes the tokens behind the header (RFC 2203 section 5)
 * from the head. With TCP, the head is a whole page.
 */
static bool svc_rdma_read_has_header(const u8 *call, u32 len)
{
	u32 at = 6 * XDR_UNIT;

	if (!svc_rdma_read_skip_auth(call, len, &at))
		return false;
	if (likely(get_unaligned_be32(call + 6 * XDR_UNIT) != RPC_AUTH_GSS))
		return true;
	if (len >= PAGE_SIZE)
		return true;
	return at >= 12 * XDR_UNIT &&
	       get_unaligned_be32(call + 9 * XDR_UNIT) == RPC_GSS_PROC_DATA &&
	       get_unaligned_be32(call + 11 * XDR_UNIT) == RPC_GSS_SVC_NONE &&
	       svc_rdma_read_skip_auth(call, len, &at);
}

/* Is there one chunk, behind the part that sunrpc expects in one piece? */
static bool svc_rdma_read_is_direct(const struct svc_rdma_read_ctx *read)
{
	const struct rpcrdma_layout *layout = &read->layout;
	const struct rpcrdma_hdr *hdr = &read->recv->hdr;

	return layout->nchunks == 1 && !svc_rdma_read_is_long(read) &&
	       svc_rdma_read_has_header(hdr->base + hdr->payload,
					layout->chunks[0].position);
}

/*
 * Compute how many of the @len bytes of the call are placed in the pages.
 *
 * On some kernels, nfsd takes the data of a WRITE that is not in the head from
 * the pages, as many bytes as the WRITE specifies. If the WRITE claims bytes
 * beyond a direct chunk, nfsd would find old page contents there. So on these
 * kernels, the bytes that follow the chunk are also copied to the pages.
 */
static void svc_rdma_read_set_length(struct svc_rdma_read_ctx *read, u32 len)
{
	struct rpcrdma_layout *layout = &read->layout;

	read->length = len;
	if (read->direct) {
		layout->start = layout->chunks[0].position;
		read->length = rpcrdma_writes_need_head() ? len - layout->start :
				xdr_align_size(layout->chunks[0].length);
	}
	layout->end = layout->start + read->length;
}

static void svc_rdma_read_take_pages(struct svc_rdma_read_ctx *read,
				     struct svc_rqst *rqstp)
{
	u32 npages = DIV_ROUND_UP(read->length, PAGE_SIZE);
	u32 i = svc_rdma_stash_take(read->conn, read->pages, npages);

	svc_rdma_add(read_pages_reused, i);
	for (; i < npages; i++) {
		read->pages[i] = rqstp->rq_pages[i];
		rqstp->rq_pages[i] = NULL;
	}
	rpcrdma_rqst_took_pages(rqstp, npages);
	read->npages = npages;
}

/* Copy inline bytes to the pages, except those in front of a direct chunk. */
static void svc_rdma_read_copy(struct svc_rdma_read_ctx *read)
{
	struct xdr_buf pages = {
		.pages		= read->pages,
		.page_len	= read->length,
		.len		= read->length,
	};

	rpcrdma_layout_copy(&read->layout, &pages, &read->recv->hdr);
}

static int svc_rdma_read_place(struct svc_rdma_read_ctx *read)
{
	struct rpcrdma_rw_memory mem = { .base = NULL };
	struct rpcrdma_layout *layout = &read->layout;
	struct rpcrdma_segment seg;
	int ret;
	u32 at;

	if (!read->direct || read->length != layout->chunks[0].length)
		svc_rdma_read_copy(read);
	rpcrdma_layout_begin(layout, &read->recv->hdr);
	while (rpcrdma_layout_next(layout, &at, &seg.length)) {
		seg.handle = layout->rseg.seg.handle;
		seg.offset = layout->rseg.seg.offset;
		mem.pages = read->pages + (at >> PAGE_SHIFT);
		mem.offset = offset_in_page(at);
		ret = svc_rdma_rw_add(read->conn, &read->rws, &seg, &mem,
				      DMA_FROM_DEVICE);
		if (ret < 0)
			return ret;
		rpcrdma_layout_advance(layout, seg.length);
	}
	return 0;
}

static void svc_rdma_read_count(const struct svc_rdma_read_ctx *read)
{
	struct svc_rdma_traffic *traffic = &read->conn->traffic;

	svc_rdma_traffic_add(&traffic->read_calls, 1);
	svc_rdma_traffic_add(&traffic->call_bytes,
			     read->recv->hdr.reads.bytes);
}

static int svc_rdma_read_prepare(struct svc_rdma_read_ctx *read,
				 struct svc_rqst *rqstp)
{
	u32 max = RPCRDMA_LAYOUT_CHUNKS - svc_rdma_read_is_long(read);
	const struct rpcrdma_hdr *hdr = &read->recv->hdr;
	u32 limit = rqstp->rq_server->sv_max_mesg;
	int len;

	if (hdr->reads.bytes > limit)
		return -E2BIG;
	len = rpcrdma_layout_reads(&read->layout, hdr, max);
	if (len == -E2BIG)
		svc_rdma_fault_set(read->recv, RPCRDMA2_ERR_READ_CHUNKS, 0,
				   RPCRDMA_LAYOUT_CHUNKS);
	if (len < 0)
		return len;
	read->direct = svc_rdma_read_is_direct(read);
	svc_rdma_read_set_length(read, len);
	return read->length > limit ? -E2BIG : 0;
}

/**
 * svc_rdma_read_resume - post the Reads of a call that has waited for pages
 * @rqstp: nfsd thread's context, whose pages are used
 * @read: Read context that is charged for the pages
 *
 * Context: process.
 * Return: see svc_rdma_read_start().
 */
int svc_rdma_read_resume(struct svc_rqst *rqstp, struct svc_rdma_read_ctx *read)
{
	int ret;

	svc_rdma_read_take_pages(read, rqstp);
	ret = svc_rdma_read_place(read);
	if (unlikely(ret == -ENOMEM)) {
		svc_rdma_read_release(read);
		if (svc_rdma_read_wait(read))
			return 0;
	}
	if (ret)
		return ret;
	svc_rdma_read_count(read);
	svc_rdma_reads_start(read->conn, &read->reads,
			     svc_rdma_rw_chain(read->conn, &read->rws, NULL),
			     svc_rdma_read_completed);
	return 0;
}

/**
 * svc_rdma_read_start - post the Reads of a call
 * @rqstp: nfsd thread's context, whose pages are used
 * @conn: connection
 * @recv: call with at least one byte in its Read list
 *
 * On success, the Read context owns @recv. It can wait for pages, memory or a
 * memory region, for the Reads of other calls and for Send Queue entries; no
 * thread waits. The transport is enqueued when pages are available, and when
 * the Reads have completed.
 *
 * Context: process.
 * Return: 0; -EBADMSG or -E2BIG if the requester is to blame; or another
 * negative errno.
 */
int svc_rdma_read_start(struct svc_rqst *rqstp, struct svc_rdma_conn *conn,
			struct svc_rdma_recv_ctx *recv)
{
	struct svc_rdma_read_ctx *read;
	int ret;

	if (unlikely(READ_ONCE(conn->read_queue.denied)))
		return -EBADMSG;
	read = svc_rdma_read_alloc(rqstp->rq_server, conn, recv);
	if (!read)
		return -ENOMEM;
	recv->read = read;
	ret = svc_rdma_read_prepare(read, rqstp);
	if (ret || !svc_rdma_read_charge(read))
		return ret;
	return svc_rdma_read_resume(rqstp, read);
}

/* Swap the call's pages with those of the thread that serves the call. */
static void svc_rdma_read_give_pages(struct svc_rdma_read_ctx *read,
				     struct svc_rqst *rqstp)
{
	u32 i;

	for (i = 0; i < read->npages; i++)
		swap(rqstp->rq_pages[i], read->pages[i]);
	svc_rdma_stash_put(read->conn, read->pages, read->npages);
	rpcrdma_rqst_call_pages(rqstp, read->npages);
}

/*
 * Map all pages as one head. RPCSEC_GSS cannot compute a checksum over a mapped
 * head. So if a call uses RPCSEC_GSS and a chunk lies behind the first page,
 * this must be the only chunk.
 */
static int svc_rdma_read_map_head(struct svc_rdma_read_ctx *read)
{
	if (get_unaligned_be32(page_address(read->pages[0]) + 24) == RPC_AUTH_GSS) {
		svc_rdma_fault_set(read->recv, RPCRDMA2_ERR_READ_CHUNKS, 0, 1);
		return -E2BIG;
	}
	read->mapped = vm_map_ram(read->pages, read->npages, NUMA_NO_NODE);
	return read->mapped ? 0 : -ENOMEM;
}

/*
 * On some kernels, nfsd assumes that the data of a WRITE starts in the head or
 * at the start of a page. With several chunks, it may start elsewhere, so the
 * whole call is mapped as the head.
 */
static int svc_rdma_read_build_stream(struct svc_rdma_read_ctx *read,
				      struct svc_rqst *rqstp)
{
	u32 len = read->length, head = min_t(u32, len, PAGE_SIZE);
	const struct rpcrdma_layout *layout = &read->layout;
	int ret = 0;

	if (rpcrdma_writes_need_head() && layout->nchunks &&
	    layout->chunks[layout->nchunks - 1].position >= PAGE_SIZE) {
		ret = svc_rdma_read_map_head(read);
		head = len;
	}
	svc_rdma_call_build(rqstp, read->mapped ?: page_address(read->pages[0]),
			    head, len - head, 0);
	rqstp->rq_arg.pages++;
	return ret;
}

/**
 * svc_rdma_read_finish - build the call after its Reads have completed
 * @rqstp: nfsd thread's context, to be filled in
 * @read: Read context whose Reads have completed
 *
 * Context: process.
 * Return: 0; -E2BIG if the requester is to blame, with the fault set; or
 * -ENOMEM.
 */
int svc_rdma_read_finish(struct svc_rqst *rqstp, struct svc_rdma_read_ctx *read)
{
	const struct rpcrdma_layout_chunk *chunk = &read->layout.chunks[0];
	int ret = 0;

	svc_rdma_rw_release(read->conn, &read->rws);
	if (read->direct)
		svc_rdma_call_build(rqstp,
				    read->recv->buf + read->recv->hdr.payload,
				    chunk->position,
				    xdr_align_size(chunk->length),
				    read->layout.base.length - chunk->position);
	else
		ret = svc_rdma_read_build_stream(read, rqstp);
	if (ret)
		return ret;
	svc_rdma_read_give_pages(read, rqstp);
	if (!read->mapped) {
		read->npages = 0;
		svc_rdma_read_uncharge(read);
	}
	return 0;
}
