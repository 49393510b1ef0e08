/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory regions, and registering the memory of a call. */
#ifndef _XPRTRDMA_MR_H
#define _XPRTRDMA_MR_H

/**
 * enum xprt_rdma_use - what a registered region is for
 * @XPRT_RDMA_USE_READ: an entry of the Read list
 * @XPRT_RDMA_USE_WRITE: a segment of the Write chunk
 * @XPRT_RDMA_USE_REPLY: a segment of the Reply chunk
 */
enum xprt_rdma_use {
	XPRT_RDMA_USE_READ,
	XPRT_RDMA_USE_WRITE,
	XPRT_RDMA_USE_REPLY,
};

/* Regions come in two sizes, so that small ones do not cost much memory. */
enum xprt_rdma_mr_class {
	XPRT_RDMA_MR_SMALL,
	XPRT_RDMA_MR_LARGE,
	XPRT_RDMA_MR_CLASSES,
};

/**
 * struct xprt_rdma_mr - a memory region and what it is used for
 * @list: place in a request's list, or in a free list of the connection
 * @all: place in the connection's list of all regions
 * @invalidation: place in the connection's list of fences, if the invalidation is the
 *	last one of its request's and has not completed
 * @ibmr: the verbs object
 * @sg: scatter list of @depth entries
 * @depth: pages it can cover
 * @nents: entries of @sg that are mapped for DMA; 0 if none is
 * @dir: direction of that mapping
 * @class: which free list it belongs to
 * @use: which chunk list it is part of
 * @position: XDR position, for an entry of the Read list
 * @seg: as announced to the peer
 * @reg_cqe: completion of the registration (only when it fails)
 * @inv_cqe: completion of the local invalidation
 * @req: request that is waiting for the local invalidation
 * @reg_wr: Work Request that registers
 * @inv_wr: Work Request that invalidates
 */
struct xprt_rdma_mr {
	struct list_head	list;
	struct list_head	all;
	struct list_head	invalidation;
	struct ib_mr		*ibmr;
	struct scatterlist	*sg;
	u32			depth;
	u32			nents;
	enum dma_data_direction	dir;
	enum xprt_rdma_mr_class	class;
	enum xprt_rdma_use	use;
	u32			position;
	struct rpcrdma_segment	seg;
	struct ib_cqe		reg_cqe;
	struct ib_cqe		inv_cqe;
	struct xprt_rdma_req	*req;
	struct ib_reg_wr	reg_wr;
	struct ib_send_wr	inv_wr;
};

/* mr.c */
struct xprt_rdma_mr *xprt_rdma_mr_get(struct xprt_rdma_conn *conn, u32 pages);
int xprt_rdma_mrs_reserve(struct xprt_rdma_conn *conn);
int xprt_rdma_mr_wait(struct xprt_rdma_conn *conn);
void xprt_rdma_mr_put(struct xprt_rdma_conn *conn, struct xprt_rdma_mr *mr);
void xprt_rdma_mr_discard(struct xprt_rdma_conn *conn, struct xprt_rdma_mr *mr);
void xprt_rdma_mrs_destroy(struct xprt_rdma_conn *conn);

/* frwr.c */
int xprt_rdma_frwr_query(struct xprt_rdma_conn *conn);
int xprt_rdma_map_pages(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req,
			const struct xdr_buf *xdr, enum xprt_rdma_use use,
			u32 position);
int xprt_rdma_map_kvec(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req,
		       void *base, size_t len, enum xprt_rdma_use use,
		       u32 position);
int xprt_rdma_map_discard(struct xprt_rdma_conn *conn,
			  struct xprt_rdma_req *req, u32 len,
			  enum xprt_rdma_use use);
void xprt_rdma_map_undo(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req);
bool xprt_rdma_invalidated_remotely(struct xprt_rdma_conn *conn,
				    struct xprt_rdma_req *req, u32 rkey);
void xprt_rdma_invalidate_async(struct xprt_rdma_conn *conn,
				struct xprt_rdma_req *req);
void xprt_rdma_invalidate_sync(struct xprt_rdma *r_xprt,
			       struct xprt_rdma_req *req);
void xprt_rdma_invalidate_all(struct xprt_rdma_conn *conn);
void xprt_rdma_invalidations_flush(struct xprt_rdma_conn *conn);

#endif /* _XPRTRDMA_MR_H */
