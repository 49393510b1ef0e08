/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Extensions: the functions that the core path calls. An extension's own code
 * is in separate files, which can be left out of a build.
 */
#ifndef _SVC_RDMA_EXT_H
#define _SVC_RDMA_EXT_H

#include <rpcrdma/extensions.h>

#include "../conn.h"
#include "../listener.h"
#include "../recv_ctx.h"
#include "../send_ctx.h"

struct rpc_rqst;

/* conf.c */
RPCRDMA_EXTENSION(CONF, bool svc_rdma_conf_wants(const struct svc_rdma_recv_ctx *recv), false);
RPCRDMA_EXTENSION_VOID(CONF,
		       void svc_rdma_conf_answer(struct svc_rdma_conn *conn,
						 struct svc_rdma_recv_ctx *recv));

/* rpcbind.c */
RPCRDMA_EXTENSION(RPCBIND,
		  struct svc_rdma_rpcbind *svc_rdma_rpcbind_register(struct svc_serv *serv,
								     struct net *net,
								     const struct sockaddr *sap),
		  NULL);
RPCRDMA_EXTENSION_VOID(RPCBIND,
		       void svc_rdma_rpcbind_unregister(struct svc_rdma_rpcbind *rpcbind));

/* msgp.c */
RPCRDMA_EXTENSION(MSGP, u32 svc_rdma_msgp_align(const struct svc_rdma_conn *conn),
		  RPCRDMA_XDR_UNIT);
RPCRDMA_EXTENSION(MSGP, bool svc_rdma_msgp_remove(struct svc_rdma_recv_ctx *recv), false);

/* properties.c */
RPCRDMA_EXTENSION_VOID(PROPERTIES, void svc_rdma_properties_begin(struct svc_rdma_conn *conn));
RPCRDMA_EXTENSION_VOID(PROPERTIES, void svc_rdma_properties_first(struct svc_rdma_conn *conn));
RPCRDMA_EXTENSION(PROPERTIES,
		  int svc_rdma_properties_receive(struct svc_rdma_conn *conn,
						  const struct rpcrdma_hdr *hdr, int error),
		  -ENOENT);
RPCRDMA_EXTENSION_VOID(PROPERTIES, void svc_rdma_properties_resized(struct svc_rdma_conn *conn));
RPCRDMA_EXTENSION_VOID(PROPERTIES, void svc_rdma_properties_stop(struct svc_rdma_conn *conn));

/* pulled/: functions without a stub are called only if there is an advert. */
void svc_rdma_advert_encode(struct rpcrdma_encoder *enc,
			    const struct svc_rdma_advert *advert);
u32 svc_rdma_advert_handle(const struct svc_rdma_advert *advert);
int svc_rdma_advert_post(struct svc_rdma_advert *advert, struct ib_send_wr *wr);
void svc_rdma_advert_free(struct svc_rdma_advert *advert);
RPCRDMA_EXTENSION_VOID(PULLED, void svc_rdma_adverts_offer(struct svc_rdma_conn *conn));
RPCRDMA_EXTENSION_VOID(PULLED, void svc_rdma_adverts_init(struct svc_rdma_conn *conn));
RPCRDMA_EXTENSION_VOID(PULLED, void svc_rdma_adverts_stop(struct svc_rdma_conn *conn));
RPCRDMA_EXTENSION_VOID(PULLED, void svc_rdma_adverts_destroy(struct svc_rdma_conn *conn));
RPCRDMA_EXTENSION_VOID(PULLED,
		       void svc_rdma_advert_answered(struct svc_rdma_conn *conn,
						     struct svc_rdma_advert *advert,
						     bool callback));
RPCRDMA_EXTENSION(PULLED,
		  bool svc_rdma_reply_advertise(struct svc_rdma_send_ctx *send,
						const struct svc_rdma_recv_ctx *recv,
						const struct xdr_buf *xdr),
		  false);
RPCRDMA_EXTENSION(PULLED,
		  struct svc_rdma_advert *
		  svc_rdma_advert_take(struct svc_rdma_conn *conn,
				       struct svc_rdma_recv_ctx *recv,
				       bool callback),
		  NULL);
RPCRDMA_EXTENSION(PULLED,
		  int svc_rdma_callback_chunks_build(struct svc_rdma_send_ctx *send,
						     struct rpc_rqst *rqst, u32 *call),
		  0);
RPCRDMA_EXTENSION(PULLED,
		  int svc_rdma_callback_chunks_length(const struct svc_rdma_advert *advert,
						      const struct rpcrdma_hdr *hdr),
		  hdr->reply.chunks ? -EPROTO : 0);

/* Return the advert that is sent with a message, or NULL. */
static inline struct svc_rdma_advert *
svc_rdma_send_advert(const struct svc_rdma_send_ctx *send)
{
	return __is_defined(RPCRDMA_EXT_PULLED) ? send->advert : NULL;
}

#endif /* _SVC_RDMA_EXT_H */
