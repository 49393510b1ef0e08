/* SPDX-License-Identifier: GPL-2.0-only */
/* Operations that differ between the protocol versions. */
#ifndef _SVC_RDMA_VERSION_OPS_H
#define _SVC_RDMA_VERSION_OPS_H

#include <rpcrdma/codec.h>

struct svc_rdma_conn;
struct svc_rdma_recv_ctx;

/**
 * enum svc_rdma_kind - what to do with a decoded message
 * @SVC_RDMA_CALL: serve it
 * @SVC_RDMA_HANDLED: nothing more
 * @SVC_RDMA_DONE: release the reply that it is for
 * @SVC_RDMA_ANSWER: complete the callback that it answers
 * @SVC_RDMA_REFUSED: answer it with an RDMA_ERROR for its fault
 * @SVC_RDMA_CONF: answer it by svc_rdma_conf_answer()
 */
enum svc_rdma_kind {
	SVC_RDMA_CALL,
	SVC_RDMA_HANDLED,
	SVC_RDMA_DONE,
	SVC_RDMA_ANSWER,
	SVC_RDMA_REFUSED,
	SVC_RDMA_CONF,
};

/**
 * struct svc_rdma_version - a version of RPC-over-RDMA, as a responder sees it
 * @number: version number on the wire; 0 before the first message
 * @header_size: bytes of a header without chunks
 * @send_buf: bytes; initial size limit of Send buffers. One grows beyond it if
 *	a longer message has to be copied.
 * @names_handle: a header names the handle that the reply may invalidate
 * @begin: set the sizes of a connection that will speak this version
 * @choose: decide, by its first message, which version a connection speaks;
 *	returns svc_rdma_undecided, the only one that has this, if we do not speak
 *	the message's version
 * @decode: like rpcrdma_decode(), for this version only
 * @malformed: classify a message that could not be decoded: one that may be
 *	answered is refused, any other is dropped; @status is the decoder's error
 * @classify: classify a message, and handle everything but calls; sets the
 *	fault of a message that it refuses
 */
struct svc_rdma_version {
	u32 number;
	u32 header_size;
	u32 send_buf;
	bool names_handle;
	void (*begin)(struct svc_rdma_conn *conn);
	const struct svc_rdma_version *
		(*choose)(struct svc_rdma_conn *conn,
			  const struct svc_rdma_recv_ctx *recv);
	int (*decode)(struct rpcrdma_hdr *hdr, const void *buf, u32 len);
	enum svc_rdma_kind (*malformed)(struct svc_rdma_conn *conn,
					struct svc_rdma_recv_ctx *recv,
					int status);
	enum svc_rdma_kind (*classify)(struct svc_rdma_conn *conn,
				       struct svc_rdma_recv_ctx *recv);
};

#endif /* _SVC_RDMA_VERSION_OPS_H */
