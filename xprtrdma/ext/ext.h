/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Extensions: the functions that the core path calls. All that is specific to
 * an extension is in its file, which can be left out of a build.
 */
#ifndef _XPRTRDMA_EXT_H
#define _XPRTRDMA_EXT_H

#include <rpcrdma/extensions.h>

#include "../conn.h"
#include "../req.h"

struct xprt_rdma_chunk_plan;

/* conf.c */
#ifdef RPCRDMA_EXT_CONF
void xprt_rdma_conf_begin(struct xprt_rdma_conn *conn);
#else
static inline void xprt_rdma_conf_begin(struct xprt_rdma_conn *conn)
{
}
#endif

/* msgp.c */
u32 xprt_rdma_msgp_data_at(const struct xprt_rdma_conn *conn,
			   const struct xprt_rdma_req *req,
			   const struct xprt_rdma_chunk_plan *plan);
void xprt_rdma_msgp_encode(const struct xprt_rdma_conn *conn,
			   struct rpcrdma_encoder *enc);
int xprt_rdma_msgp_lay_out(struct xprt_rdma_conn *conn,
			   struct xprt_rdma_req *req, u32 hdrlen);
#ifdef RPCRDMA_EXT_MSGP
int xprt_rdma_msgp_init(void);
void xprt_rdma_msgp_exit(void);
bool xprt_rdma_msgp_remove(const struct xprt_rdma_req *req,
			   struct xprt_rdma_recv_ctx *recv);

/* Decide whether the call is padded, which only inline calls are. */
static inline void xprt_rdma_msgp_plan(const struct xprt_rdma_conn *conn,
				       struct xprt_rdma_req *req,
				       const struct xprt_rdma_chunk_plan *plan)
{
	req->data_at = 0;
	if (unlikely(conn->peer.align) &&
	    req->rtype == XPRT_RDMA_CALL_INLINE)
		req->data_at = xprt_rdma_msgp_data_at(conn, req, plan);
}

static inline bool xprt_rdma_msgp_is_padded(const struct xprt_rdma_req *req)
{
	return unlikely(req->data_at);
}

/* Does an RPC message follow the header? */
static inline bool xprt_rdma_msgp_is_message(const struct rpcrdma_hdr *hdr)
{
	return hdr->type == RPCRDMA_MSGP;
}
#else
static inline int xprt_rdma_msgp_init(void)
{
	return 0;
}

static inline void xprt_rdma_msgp_exit(void)
{
}

static inline bool xprt_rdma_msgp_remove(const struct xprt_rdma_req *req,
					 struct xprt_rdma_recv_ctx *recv)
{
	return false;
}

static inline void xprt_rdma_msgp_plan(const struct xprt_rdma_conn *conn,
				       struct xprt_rdma_req *req,
				       const struct xprt_rdma_chunk_plan *plan)
{
}

static inline bool xprt_rdma_msgp_is_padded(const struct xprt_rdma_req *req)
{
	return false;
}

static inline bool xprt_rdma_msgp_is_message(const struct rpcrdma_hdr *hdr)
{
	return false;
}
#endif

/* properties.c */
#ifdef RPCRDMA_EXT_PROPERTIES
void xprt_rdma_properties_begin(struct xprt_rdma_conn *conn);
void xprt_rdma_properties_stop(struct xprt_rdma_conn *conn);
void xprt_rdma_properties_resized(struct xprt_rdma_conn *conn, bool ok);
int xprt_rdma_properties_init(void);
void xprt_rdma_properties_exit(void);
#else
static inline void xprt_rdma_properties_begin(struct xprt_rdma_conn *conn)
{
}

static inline void xprt_rdma_properties_stop(struct xprt_rdma_conn *conn)
{
}

static inline int xprt_rdma_properties_init(void)
{
	return 0;
}

static inline void xprt_rdma_properties_exit(void)
{
}

#define xprt_rdma_properties_resized	NULL
#endif

#endif /* _XPRTRDMA_EXT_H */
