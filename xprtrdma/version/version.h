/* SPDX-License-Identifier: GPL-2.0-only */
/* The version layer: version negotiation, and differences between versions. */
#ifndef _XPRTRDMA_VERSION_H
#define _XPRTRDMA_VERSION_H

#include "../conn.h"
#include "../req.h"
#include "../xprt.h"

/* negotiate.c */
enum xprt_rdma_negotiation
xprt_rdma_negotiate_choose(const struct xprt_rdma *r_xprt);
void xprt_rdma_negotiate_ended(const struct xprt_rdma_conn *conn);
void xprt_rdma_negotiate_decide(struct xprt_rdma_conn *conn,
				enum rpcrdma_hint hint);
int xprt_rdma_negotiate_send(struct xprt_rdma_conn *conn);
int xprt_rdma_negotiate_reply(struct xprt_rdma_conn *conn,
			      struct rpcrdma_hdr *hdr, const void *buf,
			      u32 len);

/* State to enter once the version is set */
static inline enum xprt_rdma_state
xprt_rdma_version_next_state(const struct xprt_rdma_conn *conn)
{
	return !conn->ver->has_props && conn->conf.call_size ?
		       XPRT_RDMA_CONFIGURING : XPRT_RDMA_CONNECTED;
}

/* props.c */
void xprt_rdma_props_init(struct xprt_rdma_conn *conn);
void xprt_rdma_props_set_peer(struct xprt_rdma_conn *conn,
			      const struct rpcrdma_props *props);
void xprt_rdma_props_update(struct xprt_rdma_conn *conn,
			    const struct rpcrdma_props *now, u32 which);

/* control_msg.c */
void xprt_rdma_control_msgs_free(struct xprt_rdma_conn *conn);
int xprt_rdma_control_msg_post(struct xprt_rdma_conn *conn,
			       struct xprt_rdma_control_msg *msg,
			       const void *data, u32 len, u32 handle);
int xprt_rdma_control_msg_send(struct xprt_rdma_conn *conn, const void *data,
			       u32 len);

/* v1.c */
extern const struct xprt_rdma_version xprt_rdma_v1;
void xprt_rdma_v1_begin(struct xprt_rdma_conn *conn);

/* v2.c */
extern const struct xprt_rdma_version xprt_rdma_v2;
void xprt_rdma_v2_begin(struct xprt_rdma_conn *conn,
			const struct rpcrdma_props *props);

/* v2_error.c */
int xprt_rdma_v2_error(struct xprt_rdma_req *req,
		       const struct rpcrdma_hdr *hdr);

#endif /* _XPRTRDMA_VERSION_H */
