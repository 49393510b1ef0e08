/* SPDX-License-Identifier: GPL-2.0-only */
/* The version layer: which version a connection speaks, and what differs. */
#ifndef _XPRTRDMA_VERSION_H
#define _XPRTRDMA_VERSION_H

#include "../conn.h"
#include "../req.h"
#include "../xprt.h"

/**
 * struct xprt_rdma_fault - why a backchannel call cannot be served
 * @code: an enum rpcrdma2_errcode; 0 if nothing is wrong
 * @value: the most chunks or segments, or the bytes needed
 */
struct xprt_rdma_fault {
	u32	code;
	u32	value;
};

/* negotiate.c */
bool xprt_rdma_negotiate_wanted(const struct xprt_rdma *r_xprt);
int xprt_rdma_negotiate_send(struct xprt_rdma_conn *conn);
void xprt_rdma_negotiate_wakeup(struct xprt_rdma_conn *conn);
int xprt_rdma_negotiate_reply(struct xprt_rdma_conn *conn,
			      struct rpcrdma_hdr *hdr, const void *buf,
			      u32 len);
void xprt_rdma_version_set(struct xprt_rdma_conn *conn, u32 version);
int xprt_rdma_decode(const struct xprt_rdma_conn *conn, struct rpcrdma_hdr *hdr,
		     const void *buf, u32 len);

/* fallback.c */
void xprt_rdma_fallback_remember(const struct rpc_xprt *xprt);
bool xprt_rdma_fallback_known(const struct rpc_xprt *xprt);

/* control_msg.c */
void xprt_rdma_control_msgs_flush(struct xprt_rdma_conn *conn);
int xprt_rdma_control_msg_send(struct xprt_rdma_conn *conn, const void *msg,
			       u32 len);

/* error.c */
int xprt_rdma_error(struct xprt_rdma_req *req, const struct rpcrdma_hdr *hdr);

/* error_send.c */
void xprt_rdma_error_send(struct xprt_rdma_conn *conn, __be32 xid,
			  const struct xprt_rdma_fault *fault);

#endif /* _XPRTRDMA_VERSION_H */
