/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that the requester can access: shared by the extension's files. */
#ifndef _SVC_RDMA_PULLED_H
#define _SVC_RDMA_PULLED_H

#include <rpcrdma/codec.h>

#include "../../advertised.h"
#include "../ext.h"

/* limits.c */
extern unsigned int svc_rdma_read_replies_max;
extern unsigned int svc_rdma_read_replies_bytes;
extern unsigned int svc_rdma_read_reply_timeout;

/* mr.c */
struct svc_rdma_mr *svc_rdma_mr_get(struct svc_rdma_conn *conn,
				    enum dma_data_direction dir);
bool svc_rdma_mr_add(struct svc_rdma_mr *mr, struct page *page, u32 offset,
		     u32 length);
int svc_rdma_mr_map(struct svc_rdma_conn *conn, struct svc_rdma_mr *mr);
void svc_rdma_mr_unmap(struct svc_rdma_conn *conn, struct svc_rdma_mr *mr);
void svc_rdma_mr_put(struct svc_rdma_conn *conn, struct svc_rdma_mr *mr);
void svc_rdma_mrs_destroy(struct svc_rdma_conn *conn);

/* Describe a region as a segment. */
static inline void svc_rdma_mr_segment(const struct svc_rdma_mr *mr,
				       struct rpcrdma_segment *seg)
{
	seg->handle = mr->ibmr->rkey;
	seg->length = mr->ibmr->length;
	seg->offset = mr->ibmr->iova;
}

/* advert.c */
struct svc_rdma_advert *svc_rdma_advert_create(struct svc_rdma_conn *conn,
					       u32 xid, u32 pages,
					       bool callback);
int svc_rdma_advert_add_page(struct svc_rdma_advert *advert, struct page *page,
			     u32 offset, u32 length,
			     enum dma_data_direction dir);
int svc_rdma_advert_attach(struct svc_rdma_advert *advert,
			   struct svc_rdma_send_ctx *send);

/* callback_chunks.c */
void svc_rdma_callback_chunks_ended(struct svc_rdma_advert *advert);

#endif /* _SVC_RDMA_PULLED_H */
