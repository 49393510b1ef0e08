/* SPDX-License-Identifier: GPL-2.0-only */
/* The message layer: requests, calls, replies, credits. */
#ifndef _XPRTRDMA_MESSAGE_H
#define _XPRTRDMA_MESSAGE_H

#include "../conn.h"
#include "../req.h"
#include "../xprt.h"

/* req.c */
struct xprt_rdma_req *xprt_rdma_req_create(struct xprt_rdma *r_xprt,
					   size_t size, gfp_t gfp);
void xprt_rdma_req_destroy(struct xprt_rdma_req *req);
void xprt_rdma_req_put(struct xprt_rdma_req *req);
void xprt_rdma_op_alloc_slot(struct rpc_xprt *xprt, struct rpc_task *task);
void xprt_rdma_op_free_slot(struct rpc_xprt *xprt, struct rpc_rqst *rqst);
int xprt_rdma_op_buf_alloc(struct rpc_task *task);
void xprt_rdma_op_buf_free(struct rpc_task *task);
void xprt_rdma_reqs_unmap(struct xprt_rdma *r_xprt);
int xprt_rdma_reqs_reserve(struct xprt_rdma *r_xprt, u32 count);
void xprt_rdma_reqs_trim(struct xprt_rdma *r_xprt, u32 keep);

/**
 * struct xprt_rdma_chunk_plan - plan of a call's header
 * @ddp: a payload may be placed directly
 * @room: bytes; the longest message that the peer can receive
 * @discard: bytes of the chunk beyond the reply's buffer: XDR roundup in a
 *	Write chunk, or data that NFS has no buffer for in a Reply chunk
 * @hdr: bytes of transport header, without a Read list
 */
struct xprt_rdma_chunk_plan {
	bool	ddp;
	u32	room;
	u32	discard;
	u32	hdr;
};

/* chunk_plan.c */
void xprt_rdma_chunk_plan(struct xprt_rdma_conn *conn,
			  struct xprt_rdma_req *req,
			  struct xprt_rdma_chunk_plan *plan);

/* marshal.c */
int xprt_rdma_marshal(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req);

/* call.c */
int xprt_rdma_call_send(struct xprt_rdma_req *req);

/* send.c */
bool xprt_rdma_send_pages_ok(const struct xprt_rdma_conn *conn,
			     const struct xdr_buf *xdr);
bool xprt_rdma_send_fits(struct xprt_rdma_conn *conn,
			 struct xprt_rdma_req *req, bool payload);
void xprt_rdma_send_add_sge(struct xprt_rdma_conn *conn,
			    struct xprt_rdma_req *req, u64 addr, u32 len);
int xprt_rdma_send_gather_pages(struct xprt_rdma_conn *conn,
				struct xprt_rdma_req *req);
int xprt_rdma_send_prepare(struct xprt_rdma_conn *conn,
			   struct xprt_rdma_req *req, u32 hdrlen);
int xprt_rdma_send_add_write(struct xprt_rdma_conn *conn,
			     struct xprt_rdma_req *req, void *base,
			     const struct rpcrdma_segment *seg);
void xprt_rdma_send_drop_writes(struct xprt_rdma_conn *conn,
				struct xprt_rdma_req *req);
int xprt_rdma_send_post(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req);
void xprt_rdma_sends_flush(struct xprt_rdma_conn *conn);

/* dispatch.c */
void xprt_rdma_dispatch(struct xprt_rdma_recv_ctx *recv, u32 len,
			bool invalidated, u32 rkey);

/* reply.c */
void xprt_rdma_reply_handle(struct xprt_rdma_recv_ctx *recv, bool invalidated,
			    u32 rkey);
void xprt_rdma_reply_process(struct xprt_rdma_req *req);
int xprt_rdma_reply_returned_bytes(const struct xprt_rdma_req *req,
				   const struct rpcrdma_hdr *hdr,
				   const struct rpcrdma_list *list, u32 *bytes);
void xprt_rdma_reply_cut_head(struct rpc_rqst *rqst, u32 len);
bool xprt_rdma_reply_count_matches(const struct xdr_buf *xdr, u32 at,
				   u32 payload);
void xprt_rdma_reply_complete_rpc(struct xprt_rdma_req *req, int rc);

/* credit.c */
void xprt_rdma_credit_reset(struct xprt_rdma *r_xprt);
void xprt_rdma_credit_apply(struct xprt_rdma_conn *conn);
void xprt_rdma_credit_grant(struct xprt_rdma_conn *conn, u32 grant);
void xprt_rdma_credit_exempt(struct xprt_rdma *r_xprt, struct rpc_rqst *rqst);
void xprt_rdma_credit_return(struct xprt_rdma *r_xprt, struct rpc_rqst *rqst);
void xprt_rdma_abandoned_init(struct xprt_rdma *r_xprt);
void xprt_rdma_op_release_request(struct rpc_task *task);
bool xprt_rdma_abandoned_answered(struct xprt_rdma *r_xprt);

/* rpc.c */
bool xprt_rdma_rpc_is_call(const u8 *p, u32 len, __be32 xid);
bool xprt_rdma_rpc_has_call(const struct rpcrdma_hdr *hdr);
int xprt_rdma_rpc_fail(struct rpc_rqst *rqst, bool again);

/* nfs.c */
bool xprt_rdma_nfs_places_link(const struct rpc_task *task);
bool xprt_rdma_nfs_is_v3_proc(const struct rpc_task *task, u32 proc);
bool xprt_rdma_nfs_exceeds(const struct rpc_task *task);
bool xprt_rdma_nfs_is_destroy(const struct rpc_task *task);

#endif /* _XPRTRDMA_MESSAGE_H */
