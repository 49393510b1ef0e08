// SPDX-License-Identifier: GPL-2.0-only
/* Replies that become Read chunks: the requester reads them. */

#include "../../message/message.h"
#include "pulled.h"

/* Slab memory cannot be advertised: a page reference does not pin it. */
static int svc_rdma_reply_add_pages(struct svc_rdma_advert *advert,
				    const struct svc_rdma_recv_ctx *recv,
				    const struct xdr_buf *xdr)
{
	struct svc_rdma_reply_iter it = { .recv = recv, .xdr = xdr };
	struct page *page;
	u32 at, bytes;
	int ret;

	while ((bytes = svc_rdma_reply_next_page(&it, &page, &at))) {
		if (!sendpage_ok(page))
			return -E2BIG;
		ret = svc_rdma_advert_add_page(advert, page, at, bytes,
					       DMA_TO_DEVICE);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * svc_rdma_reply_advertise - turn a reduced reply into a Read chunk
 * @send: Send context of the reply, which owns the advert on success
 * @recv: call, with its payloads checked
 * @xdr: reply
 *
 * Reliable-reply draft section 4.1.1.
 *
 * Context: process.
 * Return: true; or false if the requester cannot read replies, or the limits do
 * not allow it.
 */
bool svc_rdma_reply_advertise(struct svc_rdma_send_ctx *send,
			      const struct svc_rdma_recv_ctx *recv,
			      const struct xdr_buf *xdr)
{
	/* Pages of the page list, and one each for head and tail */
	u32 pages = DIV_ROUND_UP(xdr->page_base + xdr->page_len, PAGE_SIZE) + 2;
	struct svc_rdma_conn *conn = send->conn;
	struct svc_rdma_advert *advert;

	if (!READ_ONCE(conn->peer.read_replies))
		return false;
	advert = svc_rdma_advert_create(conn, be32_to_cpu(recv->hdr.xid), pages,
					false);
	if (!advert)
		return false;
	if (svc_rdma_reply_add_pages(advert, recv, xdr) ||
	    svc_rdma_advert_attach(advert, send)) {
		svc_rdma_advert_free(advert);
		return false;
	}
	return true;
}
