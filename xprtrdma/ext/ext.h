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

/* pulled/ */
#ifdef RPCRDMA_EXT_PULLED
bool xprt_rdma_pulled_offer(const struct xprt_rdma_conn *conn);
void xprt_rdma_pulled_begin(struct xprt_rdma_conn *conn,
			    const struct rpcrdma_props *props);
bool xprt_rdma_pulled_expects(const struct xprt_rdma_conn *conn,
			      const struct xprt_rdma_req *req);
void xprt_rdma_predict_learn(const struct xprt_rdma_req *req, u32 len);
void xprt_rdma_pulled_query(struct xprt_rdma_conn *conn);
void xprt_rdma_pulled_flush(struct xprt_rdma_conn *conn);
bool xprt_rdma_pulled_reply(struct xprt_rdma_req *req);
void xprt_rdma_pulled_decline(struct xprt_rdma_recv_ctx *recv);
u32 xprt_rdma_pulled_check_call(const struct xprt_rdma_recv_ctx *recv,
				struct xprt_rdma_fault *fault);
int xprt_rdma_pulled_call(struct xprt_rdma_req *req,
			  struct xprt_rdma_recv_ctx *recv);
int xprt_rdma_pulled_encode(struct xprt_rdma_conn *conn,
			    struct xprt_rdma_req *req,
			    struct rpcrdma_encoder *enc, bool nomsg);

/* Only replies that might have been long are used for predictions. */
static inline void xprt_rdma_pulled_learn(const struct xprt_rdma_req *req,
					  u32 len)
{
	if (req->wtype == XPRT_RDMA_REPLY_LONG ||
	    req->wtype == XPRT_RDMA_REPLY_READ)
		xprt_rdma_predict_learn(req, len);
}
#else
static inline bool xprt_rdma_pulled_offer(const struct xprt_rdma_conn *conn)
{
	return false;
}

static inline void xprt_rdma_pulled_begin(struct xprt_rdma_conn *conn,
					  const struct rpcrdma_props *props)
{
}

static inline bool xprt_rdma_pulled_expects(const struct xprt_rdma_conn *conn,
					    const struct xprt_rdma_req *req)
{
	return false;
}

static inline void xprt_rdma_pulled_query(struct xprt_rdma_conn *conn)
{
}

static inline void xprt_rdma_pulled_flush(struct xprt_rdma_conn *conn)
{
}

static inline bool xprt_rdma_pulled_reply(struct xprt_rdma_req *req)
{
	return false;
}

static inline void xprt_rdma_pulled_decline(struct xprt_rdma_recv_ctx *recv)
{
}

/* A Reply chunk may be left unused. */
static inline u32
xprt_rdma_pulled_check_call(const struct xprt_rdma_recv_ctx *recv,
			    struct xprt_rdma_fault *fault)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;

	if (hdr->reads.segments || hdr->type != RPCRDMA_MSG)
		fault->code = RPCRDMA2_ERR_READ_CHUNKS;
	else if (hdr->writes.chunks)
		fault->code = RPCRDMA2_ERR_WRITE_CHUNKS;
	return hdr->len - hdr->payload;
}

static inline int xprt_rdma_pulled_call(struct xprt_rdma_req *req,
					struct xprt_rdma_recv_ctx *recv)
{
	return 1;
}

static inline int xprt_rdma_pulled_encode(struct xprt_rdma_conn *conn,
					  struct xprt_rdma_req *req,
					  struct rpcrdma_encoder *enc,
					  bool nomsg)
{
	rpcrdma_encode_list_end(enc);
	rpcrdma_encode_list_end(enc);
	rpcrdma_encode_list_end(enc);
	return 0;
}

static inline void xprt_rdma_pulled_learn(const struct xprt_rdma_req *req,
					  u32 len)
{
}
#endif

#endif /* _XPRTRDMA_EXT_H */
