/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verbs layer: connection, Queue Pair and queues, memory regions, Receives.
 * This layer does not interpret RPC-over-RDMA messages.
 */
#ifndef _XPRTRDMA_VERBS_H
#define _XPRTRDMA_VERBS_H

#include "../conn.h"
#include "../req.h"
#include "../xprt.h"

/**
 * struct xprt_rdma_mr - a memory region and its use
 * @list: entry of a request's list, or of a free list of the connection
 * @all: entry of the connection's list of all regions
 * @ibmr: verbs object
 * @depth: pages that the region can cover
 * @nents: entries of @sg that are mapped for DMA, or 0
 * @dir: DMA_TO_DEVICE for an entry of the Read list, DMA_FROM_DEVICE for a
 *	segment of a Write or Reply chunk
 * @seg: segment as advertised to the peer
 * @reg_wr: Work Request that registers the region
 * @inv_wr: Work Request that invalidates the region
 * @sg: scatter list of @depth entries
 */
struct xprt_rdma_mr {
	struct list_head	list;
	struct list_head	all;
	struct ib_mr		*ibmr;
	u32			depth;
	u32			nents;
	enum dma_data_direction	dir;
	struct rpcrdma_segment	seg;
	struct ib_reg_wr	reg_wr;
	struct ib_send_wr	inv_wr;
	struct scatterlist	sg[];
};

/* conn.c */
struct xprt_rdma_conn *
xprt_rdma_conn_create(struct xprt_rdma *r_xprt,
		      const struct xprt_rdma_conn_ops *ops,
		      enum xprt_rdma_negotiation mode);
void xprt_rdma_conn_set_current(struct xprt_rdma *r_xprt,
				struct xprt_rdma_conn *conn);
void xprt_rdma_conn_change_state(struct xprt_rdma_conn *conn,
				 enum xprt_rdma_state to, int error);
void xprt_rdma_conn_lost(struct xprt_rdma_conn *conn);
void xprt_rdma_conn_failed(struct xprt_rdma_conn *conn, const char *what,
			   const struct ib_wc *wc);

/* sq.c */
int xprt_rdma_sq_wait(struct xprt_rdma_conn *conn, u32 wrs);
void xprt_rdma_sq_release(struct xprt_rdma_conn *conn, u32 wrs);

/* conn_free.c */
void xprt_rdma_conn_free_deferred(struct xprt_rdma_conn *conn);

/* endpoint.c */
int xprt_rdma_device_has(const struct ib_device *device, const char *what,
			 u32 has, u32 least);
int xprt_rdma_endpoint_query(struct xprt_rdma_conn *conn);
int xprt_rdma_endpoint_create(struct xprt_rdma_conn *conn);
void xprt_rdma_endpoint_drain(struct xprt_rdma_conn *conn);
void xprt_rdma_endpoint_destroy_qp(struct xprt_rdma_conn *conn);
void xprt_rdma_endpoint_destroy(struct xprt_rdma_conn *conn);
int xprt_rdma_endpoint_error(struct xprt_rdma_conn *conn);
int xprt_rdma_completion_init(void);
void xprt_rdma_completion_exit(void);

/* regbuf.c */
int xprt_rdma_regbuf_alloc(struct xprt_rdma_regbuf *rb, size_t size, gfp_t gfp);
void xprt_rdma_regbuf_free(struct xprt_rdma_regbuf *rb);
int xprt_rdma_regbuf_map_new(struct xprt_rdma_regbuf *rb,
			     struct ib_device *device,
			     enum dma_data_direction dir);
void xprt_rdma_regbuf_unmap(struct xprt_rdma_regbuf *rb);

/* Map a buffer for DMA, unless it is mapped already. Returns 0 or -ENOBUFS. */
static inline int xprt_rdma_regbuf_map(struct xprt_rdma_regbuf *rb,
				       struct ib_device *device,
				       enum dma_data_direction dir)
{
	return likely(rb->device) ? 0 :
				    xprt_rdma_regbuf_map_new(rb, device, dir);
}

/* mr.c */
struct xprt_rdma_mr *xprt_rdma_mr_get(struct xprt_rdma_conn *conn, u32 pages);
int xprt_rdma_mrs_reserve(struct xprt_rdma_conn *conn);
void xprt_rdma_mr_put(struct xprt_rdma_conn *conn, struct xprt_rdma_mr *mr,
		      bool usable);
void xprt_rdma_mrs_destroy(struct xprt_rdma_conn *conn);

/* frwr.c */
int xprt_rdma_frwr_query(struct xprt_rdma_conn *conn);
int xprt_rdma_map_pages(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req,
			const struct xdr_buf *xdr, enum dma_data_direction dir);
int xprt_rdma_map_kvec(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req,
		       void *base, size_t len, enum dma_data_direction dir);
int xprt_rdma_map_discard(struct xprt_rdma_conn *conn,
			  struct xprt_rdma_req *req, u32 len);
void xprt_rdma_map_undo(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req);
bool xprt_rdma_invalidated_remotely(struct xprt_rdma_conn *conn,
				    struct xprt_rdma_req *req, u32 rkey);
void xprt_rdma_invalidate_async(struct xprt_rdma_conn *conn,
				struct xprt_rdma_req *req);
void xprt_rdma_invalidate_sync(struct xprt_rdma *r_xprt,
			       struct xprt_rdma_req *req, bool overdue);
void xprt_rdma_invalidate_all(struct xprt_rdma_conn *conn);
void xprt_rdma_invalidations_flush(struct xprt_rdma_conn *conn);

/* recv.c */
int xprt_rdma_recvs_post(struct xprt_rdma_conn *conn);
void xprt_rdma_recv_put(struct xprt_rdma_recv_ctx *recv);
void xprt_rdma_recvs_destroy(struct xprt_rdma_conn *conn);

#endif /* _XPRTRDMA_VERBS_H */
