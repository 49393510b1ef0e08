/* SPDX-License-Identifier: GPL-2.0-only */
/* Operations that differ between protocol versions. */
#ifndef _SVC_RDMA_VERSION_OPS_H
#define _SVC_RDMA_VERSION_OPS_H

#include <rpcrdma/codec.h>

struct svc_rdma_conn;
struct svc_rdma_recv_ctx;

/**
 * enum svc_rdma_kind - how a received message is processed
 * @SVC_RDMA_CALL: serve the call
 * @SVC_RDMA_HANDLED: already handled; do nothing more
 * @SVC_RDMA_DONE: release the reply that this RDMA_DONE names
 * @SVC_RDMA_ANSWER: complete the callback that this message answers
 * @SVC_RDMA_REFUSED: send an RDMA_ERROR for the message's fault
 * @SVC_RDMA_CONF: call svc_rdma_conf_answer()
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
 * @send_buf: initial size limit of Send buffers, in bytes. A buffer grows
 *	beyond this limit if a longer message has to be copied.
 * @names_handle: the header of a call names the handle that the reply can
 *	invalidate
 * @begin: set the sizes of a connection that will speak this version
 * @choose: choose the version of a connection from its first message. Returns
 *	svc_rdma_undecided if the message's version is not supported. Only
 *	svc_rdma_undecided has this method.
 * @decode: like rpcrdma_decode(), for this version only
 * @malformed: classify a message that could not be decoded: refuse it if it can
 *	be answered, otherwise drop it; @status is the decoder's error
 * @classify: classify a message; handle it unless it is a call; set the fault
 *	of a message that is refused
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
