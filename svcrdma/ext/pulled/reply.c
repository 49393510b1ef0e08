// SPDX-License-Identifier: GPL-2.0-only
/* Replies that become Read chunks: the requester reads them. */

#include "../../counters.h"
#include "../../message/message.h"
#include "pulled.h"
#include <trace/events/svcrdma.h>

/* Slab pages cannot be advertised: their reference count does not keep them. */
static int svc_rdma_reply_add_pages(struct svc_rdma_advert *advert,
				    const struct svc_rdma_recv_ctx *recv,
				    const struct xdr_buf *xdr)
{
	struct svc_rdma_reply_iter it;
	struct page *page;
	u32 at, bytes;
	int ret;

	svc_rdma_reply_begin(recv, xdr, &it);
	while ((bytes = svc_rdma_reply_next_page(&it, &page, &at))) {
		if (!sendpage_ok(page))
			return -E2BIG;
		ret = svc_rdma_advert_add_page(advert, page, at, bytes,
					       IB_ACCESS_REMOTE_READ);
		if (ret)
			return ret;
	}
	return 0;
}

static int svc_rdma_reply_build_advert(struct svc_rdma_send_ctx *send,
				       const struct svc_rdma_recv_ctx *recv,
				       const struct xdr_buf *xdr)
{
	u32 xid = be32_to_cpu(recv->hdr.xid);
	struct svc_rdma_advert *advert;
	int ret;

	advert = svc_rdma_advert_alloc(send->conn, xid,
				       svc_rdma_count_pages(recv, xdr));
	if (!advert)
		return -ENOMEM;
	ret = svc_rdma_advert_enter(advert);
	if (ret)
		return ret;
	ret = svc_rdma_reply_add_pages(advert, recv, xdr);
	if (!ret)
		ret = svc_rdma_advert_map(advert);
	if (ret) {
		svc_rdma_advert_cancel(advert);
		return ret;
	}
	send->advert = advert;
	send->wrs += advert->nmrs;
	return 0;
}

/**
 * svc_rdma_reply_advertise - make a reduced reply a Read chunk
 * @send: Send context that takes it along
 * @recv: call, with its payloads checked
 * @xdr: reply
 * @len: bytes of the reduced reply
 *
 * Reliable-reply draft section 4.1.1. Nothing is accessible before the Send
 * context has been posted.
 *
 * Context: process.
 * Return: true, or false if the requester does not want it or the bounds do not
 * allow it.
 */
bool svc_rdma_reply_advertise(struct svc_rdma_send_ctx *send,
			      const struct svc_rdma_recv_ctx *recv,
			      const struct xdr_buf *xdr, u32 len)
{
	struct svc_rdma_conn *conn = send->conn;

	if (!READ_ONCE(conn->peer.read_replies))
		return false;
	if (svc_rdma_reply_build_advert(send, recv, xdr))
		return false;
	trace_svc_rdma_advertise(&conn->xprt, send->advert->xid, len,
				 send->advert->nmrs,
				 svc_rdma_advert_handle(send->advert));
	return true;
}
