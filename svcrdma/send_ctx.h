/* SPDX-License-Identifier: GPL-2.0-only */
/* A Send and what goes with it. */
#ifndef _SVC_RDMA_SEND_CTX_H
#define _SVC_RDMA_SEND_CTX_H

#include <linux/llist.h>
#include <rdma/ib_verbs.h>

#include "limits.h"
#include "sq_wait.h"

struct svc_rdma_advert;
struct svc_rdma_conn;

/**
 * struct svc_rdma_send_ctx - a message being sent, with the Writes before it
 * @list: entry of @send_idle of the connection
 * @all: entry of @send_all of the connection
 * @node: entry of @reap of the connection
 * @conn: connection
 * @cqe: completion of the Send
 * @wr: Send
 * @wrs: Send Queue entries of the whole chain
 * @wait: for these entries
 * @rws: struct rpcrdma_rw, in the order in which they are posted
 * @advert: the reply, if the requester is to read it; until it is posted
 * @buf: transport header and what is copied; mapped as long as this exists
 * @size: bytes in @buf
 * @limit: bytes of the longest message that the requester can receive
 * @npages: pages held until the Send completes
 * @pages: these pages; @few or allocated
 * @few: used when there are not many
 * @sges: @sges[0] describes @buf
 */
struct svc_rdma_send_ctx {
	struct list_head list;
	struct list_head all;
	struct llist_node node;
	struct svc_rdma_conn *conn;
	struct ib_cqe cqe;
	struct ib_send_wr wr;
	u32 wrs;
	struct svc_rdma_sq_wait wait;
	struct list_head rws;
	struct svc_rdma_advert *advert;
	void *buf;
	u32 size;
	u32 limit;
	u32 npages;
	struct page **pages;
	struct page *few[SVC_RDMA_FEW_PAGES];
	struct ib_sge sges[SVC_RDMA_SEND_SGES];
};

/* Bytes of a message that may be in the context's buffer */
static inline u32 svc_rdma_send_room(const struct svc_rdma_send_ctx *send)
{
	return min(send->size, send->limit);
}

#endif /* _SVC_RDMA_SEND_CTX_H */
