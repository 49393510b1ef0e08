// SPDX-License-Identifier: GPL-2.0-only
/*
 * Padded calls (RDMA_MSGP), and Receives whose second buffer is a page.
 *
 * Operation: RFC 5666 section 3.9. In a call of NFSv3 WRITE, padding moves the
 * data to a multiple of the alignment that the server recommends by CONF_RDMA
 * (section 6.2). From then on, a Receive has two buffers: as many bytes as the
 * alignment, and a page. Data that begins exactly with the page is passed to
 * nfsd in that page, without a copy. Bytes beyond the page are received into
 * the first buffer, at the place where they would be without the page. So
 * copying at most a page makes every other message contiguous. In these, and on
 * connections without an alignment, the part of the call that precedes the
 * padding is moved behind it.
 *
 * Ownership: the page belongs to the Receive context. When nfsd gets it, the
 * context gets a page of the nfsd thread.
 *
 * Errors: without memory, a Receive context keeps its single buffer. A call
 * whose padding cannot be found is refused.
 */

#include <linux/log2.h>

#include <rpcrdma/padding.h>

#include "../counters.h"
#include "../message/message.h"
#include "../tunables.h"
#include "ext.h"

/* Bytes; smallest and largest alignment that can be recommended */
#define SVC_RDMA_ALIGN_MIN	128u
#define SVC_RDMA_ALIGN_MAX	4096u
/* Scatter entries of a Receive whose second buffer is a page */
#define SVC_RDMA_PADDED_SGES	3u

/* RFC 5666 section 6.2: a power of two, or 0 for none */
static unsigned int svc_rdma_receive_alignment;

SVC_RDMA_PARAM(receive_alignment, uint,
	       "Alignment recommended to clients by CONF_RDMA, a power of two from 128 to 4096 bytes (0: none)");

/**
 * struct svc_rdma_padded - a Receive in two buffers
 * @page: second buffer, mapped for DMA
 * @sges: start of the first buffer, page, rest of the first buffer
 * @at: if the data of the message that was received begins with @page, bytes from
 *	the start of the header to the padding in front of it; otherwise 0
 */
struct svc_rdma_padded {
	struct page *page;
	struct ib_sge sges[SVC_RDMA_PADDED_SGES];
	u32 at;
};

/**
 * svc_rdma_msgp_offer - choose the alignment that may be recommended
 * @conn: connection that is being accepted, whose sizes are known
 *
 * The alignment needs Receives in two buffers.
 *
 * Context: any.
 */
void svc_rdma_msgp_offer(struct svc_rdma_conn *conn)
{
	u32 align = READ_ONCE(svc_rdma_receive_alignment);

	if (is_power_of_2(align) && align >= SVC_RDMA_ALIGN_MIN &&
	    align <= min(SVC_RDMA_ALIGN_MAX, conn->caps.v1_recv - 1) &&
	    conn->dev->attrs.max_recv_sge >= SVC_RDMA_PADDED_SGES)
		conn->caps.align = align;
}

/**
 * svc_rdma_msgp_recv_sges - get the number of scatter entries of a Receive
 * @conn: connection that is being accepted
 *
 * Context: any.
 * Return: at most this many.
 */
u32 svc_rdma_msgp_recv_sges(const struct svc_rdma_conn *conn)
{
	return conn->caps.align ? SVC_RDMA_PADDED_SGES : 1;
}

/* The context is not posted. */
static void svc_rdma_msgp_alloc(struct svc_rdma_conn *conn,
				struct svc_rdma_recv_ctx *recv, u32 align)
{
	int node = ibdev_to_node(conn->dev);
	u32 rest = recv->sge.length - align;
	struct svc_rdma_padded *padded;
	struct ib_sge *sge;

	padded = kzalloc_node(sizeof(*padded), GFP_KERNEL, node);
	if (!padded)
		return;
	padded->page = alloc_pages_node(node, GFP_KERNEL, 0);
	if (!padded->page)
		goto err_padded;
	sge = padded->sges;
	sge[0] = recv->sge;
	sge[0].length = align;
	sge[1] = recv->sge;
	sge[1].addr = ib_dma_map_page(conn->dev, padded->page, 0, PAGE_SIZE,
				      DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(conn->dev, sge[1].addr))
		goto err_page;
	sge[1].length = min_t(u32, rest, PAGE_SIZE);
	sge[2] = recv->sge;
	sge[2].addr += align + sge[1].length;
	sge[2].length = rest - sge[1].length;
	recv->wr.sg_list = sge;
	recv->wr.num_sge = sge[2].length ? 3 : 2;
	recv->padded = padded;
	svc_rdma_count(padded_now);
	return;

err_page:
	put_page(padded->page);
err_padded:
	kfree(padded);
}

/**
 * svc_rdma_msgp_free - free a Receive context's second buffer
 * @conn: connection
 * @recv: context that is not posted
 *
 * Context: process.
 */
void svc_rdma_msgp_free(struct svc_rdma_conn *conn,
			struct svc_rdma_recv_ctx *recv)
{
	struct svc_rdma_padded *padded = recv->padded;

	if (likely(!padded))
		return;
	ib_dma_unmap_page(conn->dev, padded->sges[1].addr, PAGE_SIZE,
			  DMA_FROM_DEVICE);
	put_page(padded->page);
	kfree(padded);
	recv->padded = NULL;
	svc_rdma_add(padded_now, -1);
}

/*
 * Where the padding begins if the data of an NFSv3 WRITE begins with the page, and
 * ends in it; otherwise 0. Only the first buffer may be looked at.
 */
static u32 svc_rdma_msgp_find_direct(const struct svc_rdma_recv_ctx *recv)
{
	const struct svc_rdma_padded *padded = recv->padded;
	u32 align = padded->sges[0].length;
	u32 rest = recv->len - align;
	struct rpcrdma_padding pad;
	struct rpcrdma_hdr hdr;

	if (rest > padded->sges[1].length ||
	    rpcrdma_decode(&hdr, recv->buf, align) ||
	    hdr.type != RPCRDMA_MSGP)
		return 0;
	hdr.len = recv->len;
	if (rpcrdma_padding_none(&hdr) ||
	    rpcrdma_padding_in_call(&hdr, align, &pad) ||
	    pad.at + pad.bytes != align ||
	    rpcrdma_xdr_align(pad.length) != rest)
		return 0;
	return pad.at;
}

/**
 * svc_rdma_msgp_receive - look at the message in a Receive with two buffers
 * @conn: connection that has recommended an alignment
 * @recv: message that has been received, in one buffer or two
 *
 * Afterwards the message is contiguous, except for data that remains in the
 * page; svc_rdma_msgp_deliver() knows which.
 *
 * Context: process.
 */
void svc_rdma_msgp_receive(struct svc_rdma_conn *conn,
			   struct svc_rdma_recv_ctx *recv)
{
	struct svc_rdma_padded *padded = recv->padded;
	u32 align = READ_ONCE(conn->recvs.align);
	const struct ib_sge *sge;
	u32 rest;

	if (!padded) {
		svc_rdma_msgp_alloc(conn, recv, align);
		return;
	}
	padded->at = 0;
	if (recv->len <= align)
		return;
	sge = &padded->sges[1];
	rest = min(recv->len - align, sge->length);
	padded->at = svc_rdma_msgp_find_direct(recv);
	if (padded->at)
		return;
	ib_dma_sync_single_for_cpu(conn->dev, sge->addr, rest, DMA_FROM_DEVICE);
	memcpy(recv->buf + align, page_address(padded->page), rest);
}

/**
 * svc_rdma_msgp_remove - make an RDMA_MSG of a call in an RDMA_MSGP
 * @recv: call in an RDMA_MSGP that has padding
 *
 * RFC 5666 section 3.9. The part in front of the padding is the shorter one, so
 * it is moved.
 *
 * Context: process.
 * Return: false if it is not known where the padding is.
 */
bool svc_rdma_msgp_remove(struct svc_rdma_recv_ctx *recv)
{
	struct rpcrdma_hdr *hdr = &recv->hdr;
	struct rpcrdma_padding pad;
	u8 *call = recv->buf;

	svc_rdma_count(msgp_calls);
	hdr->type = RPCRDMA_MSG;
	if (recv->padded && recv->padded->at)
		return true;
	if (rpcrdma_padding_in_call(hdr, hdr->len, &pad)) {
		hdr->type = RPCRDMA_MSGP;
		return false;
	}
	if (pad.bytes) {
		call += hdr->payload;
		memmove(call + pad.bytes, call, pad.at - hdr->payload);
		hdr->payload += pad.bytes;
		svc_rdma_count(msgp_moved);
	}
	return true;
}

/*
 * Give the page with the data to the nfsd thread, and take one of its pages. If
 * that cannot be mapped, it gets the data instead.
 */
static void svc_rdma_msgp_swap_page(struct svc_rdma_conn *conn,
				    struct svc_rdma_padded *padded,
				    struct page **page)
{
	struct ib_sge *sge = &padded->sges[1];
	u64 addr;

	addr = ib_dma_map_page(conn->dev, *page, 0, PAGE_SIZE, DMA_FROM_DEVICE);
	if (unlikely(ib_dma_mapping_error(conn->dev, addr))) {
		ib_dma_sync_single_for_cpu(conn->dev, sge->addr, sge->length,
					   DMA_FROM_DEVICE);
		memcpy(page_address(*page), page_address(padded->page),
		       sge->length);
		return;
	}
	ib_dma_unmap_page(conn->dev, sge->addr, PAGE_SIZE, DMA_FROM_DEVICE);
	sge->addr = addr;
	swap(*page, padded->page);
}

/**
 * svc_rdma_msgp_deliver - pass nfsd a call whose data is in a page
 * @rqstp: nfsd thread's context, to be filled in
 * @conn: connection
 * @recv: call that has arrived in a Receive with two buffers
 *
 * Context: process.
 * Return: false if the whole call is contiguous, and nothing has been done.
 */
bool svc_rdma_msgp_deliver(struct svc_rqst *rqstp, struct svc_rdma_conn *conn,
			   struct svc_rdma_recv_ctx *recv)
{
	struct svc_rdma_padded *padded = recv->padded;
	const struct rpcrdma_hdr *hdr = &recv->hdr;

	if (!padded->at)
		return false;
	svc_rdma_msgp_swap_page(conn, padded, &rqstp->rq_pages[0]);
	svc_rdma_call_build(rqstp, recv->buf + hdr->payload,
			    padded->at - hdr->payload,
			    recv->len - padded->sges[0].length, 0);
	rpcrdma_rqst_call_pages(rqstp, 1);
	svc_rdma_count(msgp_direct);
	return true;
}
