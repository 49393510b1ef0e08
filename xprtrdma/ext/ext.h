/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of the extensions that the core path calls. All other code of an
 * extension is in its own files, which can be left out of a build.
 */
#ifndef _XPRTRDMA_EXT_H
#define _XPRTRDMA_EXT_H

#include <rpcrdma/extensions.h>

#include "../conn.h"
#include "../req.h"

struct rpcrdma_layout;
struct xprt_rdma_chunk_plan;

/* conf.c */
RPCRDMA_EXTENSION_VOID(CONF, void xprt_rdma_conf_begin(struct xprt_rdma_conn *conn));
RPCRDMA_EXTENSION(CONF, int xprt_rdma_conf_send(struct xprt_rdma_conn *conn), 0);
RPCRDMA_EXTENSION(CONF,
		  bool xprt_rdma_conf_reply(struct xprt_rdma_conn *conn, struct rpcrdma_hdr *hdr,
					    const void *buf, u32 len),
		  false);

/* msgp.c */
extern unsigned int xprt_rdma_inline_write_padding;
/* Bytes; largest alignment to which data is padded */
#define XPRT_RDMA_PAD_MAX	1024u
#ifdef RPCRDMA_EXT_MSGP
#define XPRT_RDMA_MSGP_TUNABLE						\
	RPCRDMA_TUNABLE("rdma_inline_write_padding",			\
			xprt_rdma_inline_write_padding, 0, XPRT_RDMA_PAD_MAX),
#else
#define XPRT_RDMA_MSGP_TUNABLE
#endif
RPCRDMA_EXTENSION(MSGP,
		  bool xprt_rdma_msgp_remove(const struct xprt_rdma_req *req,
					     struct xprt_rdma_recv_ctx *recv),
		  false);
u32 xprt_rdma_msgp_data_at(const struct xprt_rdma_conn *conn,
			   const struct xprt_rdma_req *req,
			   const struct xprt_rdma_chunk_plan *plan);
int xprt_rdma_msgp_encode(const struct xprt_rdma_conn *conn,
			  struct xprt_rdma_req *req);
int xprt_rdma_msgp_lay_out(struct xprt_rdma_conn *conn,
			   struct xprt_rdma_req *req, u32 hdrlen);

/* Decide whether to pad the call. Only inline calls are padded. */
static inline void xprt_rdma_msgp_plan(const struct xprt_rdma_conn *conn,
				       struct xprt_rdma_req *req,
				       const struct xprt_rdma_chunk_plan *plan)
{
	if (!__is_defined(RPCRDMA_EXT_MSGP))
		return;
	req->data_at = 0;
	if (unlikely(conn->peer.align) &&
	    req->rtype == XPRT_RDMA_CALL_INLINE)
		req->data_at = xprt_rdma_msgp_data_at(conn, req, plan);
}

static inline bool xprt_rdma_msgp_is_padded(const struct xprt_rdma_req *req)
{
	return __is_defined(RPCRDMA_EXT_MSGP) && unlikely(req->data_at);
}

/* properties.c */
RPCRDMA_EXTENSION_VOID(PROPERTIES, void xprt_rdma_properties_begin(struct xprt_rdma_conn *conn));
RPCRDMA_EXTENSION_VOID(PROPERTIES, void xprt_rdma_properties_first(struct xprt_rdma_conn *conn));
RPCRDMA_EXTENSION(PROPERTIES,
		  bool xprt_rdma_properties_receive(struct xprt_rdma_recv_ctx *recv), false);
RPCRDMA_EXTENSION_VOID(PROPERTIES,
		       void xprt_rdma_properties_long_call(struct xprt_rdma_conn *conn, u32 len));
RPCRDMA_EXTENSION_VOID(PROPERTIES, void xprt_rdma_properties_stop(struct xprt_rdma_conn *conn));
RPCRDMA_EXTENSION_VOID(PROPERTIES, void xprt_rdma_properties_resized(struct xprt_rdma_conn *conn));

/* pulled/ */
RPCRDMA_EXTENSION(PULLED,
		  bool xprt_rdma_pulled_offer(const struct xprt_rdma_conn *conn), false);
RPCRDMA_EXTENSION_VOID(PULLED,
		       void xprt_rdma_pulled_begin(struct xprt_rdma_conn *conn,
						   const struct rpcrdma_props *props));
RPCRDMA_EXTENSION(PULLED,
		  bool xprt_rdma_pulled_expects(const struct xprt_rdma_conn *conn,
						const struct xprt_rdma_req *req),
		  false);
RPCRDMA_EXTENSION_VOID(PULLED, void xprt_rdma_pulled_query(struct xprt_rdma_conn *conn));
RPCRDMA_EXTENSION_VOID(PULLED, void xprt_rdma_pulled_flush(struct xprt_rdma_conn *conn));
RPCRDMA_EXTENSION(PULLED, int xprt_rdma_pulled_reply(struct xprt_rdma_req *req), -EBADMSG);
RPCRDMA_EXTENSION_VOID(PULLED,
		       void xprt_rdma_pulled_decline(struct xprt_rdma_recv_ctx *recv));
RPCRDMA_EXTENSION(PULLED,
		  int xprt_rdma_pulled_call(struct xprt_rdma_req *req,
					    struct xprt_rdma_recv_ctx *recv,
					    const struct rpcrdma_layout *layout),
		  1);
RPCRDMA_EXTENSION(PULLED,
		  int xprt_rdma_pulled_encode(struct xprt_rdma_conn *conn,
					      struct xprt_rdma_req *req,
					      struct rpcrdma_encoder *enc,
					      bool nomsg),
		  (rpcrdma_encode_no_chunks(enc), 0));
void xprt_rdma_predict_learn(const struct xprt_rdma_req *req, u32 len);

/* Learn only from replies that might have been long. */
static inline void xprt_rdma_pulled_learn(const struct xprt_rdma_req *req,
					  u32 len)
{
	if (__is_defined(RPCRDMA_EXT_PULLED) &&
	    (req->wtype == XPRT_RDMA_REPLY_LONG ||
	     req->wtype == XPRT_RDMA_REPLY_READ))
		xprt_rdma_predict_learn(req, len);
}

#ifdef RPCRDMA_EXT_PULLED
u32 xprt_rdma_pulled_check_call(const struct xprt_rdma_recv_ctx *recv,
				struct rpcrdma_layout *layout,
				struct xprt_rdma_fault *fault);
#else
/* A Reply chunk is accepted: the reply need not use it. */
static inline u32
xprt_rdma_pulled_check_call(const struct xprt_rdma_recv_ctx *recv,
			    struct rpcrdma_layout *layout,
			    struct xprt_rdma_fault *fault)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;

	if (hdr->reads.segments || hdr->type != RPCRDMA_MSG)
		fault->code = RPCRDMA2_ERR_READ_CHUNKS;
	else if (hdr->writes.chunks)
		fault->code = RPCRDMA2_ERR_WRITE_CHUNKS;
	return hdr->len - hdr->payload;
}
#endif

#endif /* _XPRTRDMA_EXT_H */
