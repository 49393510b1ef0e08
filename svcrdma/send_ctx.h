/* SPDX-License-Identifier: GPL-2.0-only */
/* The Sends of a connection, and what must be kept until they complete. */
#ifndef _SVC_RDMA_SEND_CTX_H
#define _SVC_RDMA_SEND_CTX_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "limits.h"
#include "sq.h"

struct svc_rdma_advert;
struct svc_rdma_conn;

/**
 * struct svc_rdma_unsignaled - Sends in front of a signaled Work Request
 * @first: struct svc_rdma_send_ctx, or NULL
 * @count: number of entries
 */
struct svc_rdma_unsignaled {
	struct llist_node *first;
	u32 count;
};

/**
 * struct svc_rdma_send_ctx - a message being sent, with the Writes before it
 * @next: the next in @sends.idle of the connection
 * @all: entry of @sends.all of the connection
 * @node: entry of @unsignaled of the connection, or of @before of another
 *	context
 * @conn: connection
 * @cqe: completion of the Send
 * @wr: Send
 * @wrs: Send Queue entries of the whole chain
 * @wait: waits for entries, for @wrs and @before
 * @before: unsignaled Sends that complete with this one
 * @rws: RDMA Writes, struct rpcrdma_rw, in the order in which they are posted
 * @advert: advert of this reply or callback until it has been posted, or NULL
 * @buf: transport header and copied data; DMA-mapped while allocated
 * @size: size of @buf in bytes
 * @limit: bytes of the longest message that the requester can receive
 * @head_read: a Work Request reads head or tail of the reply where nfsd has put
 *	them
 * @own_pages: some of @pages belong to no file; they go to the stash
 * @npages: pages held until the Send completes
 * @pages: these pages; @few or allocated
 * @few: used if there are at most SVC_RDMA_FEW_PAGES
 * @sges: gather list; @sges[0] begins with @buf, and others may be in it
 */
struct svc_rdma_send_ctx {
	struct svc_rdma_send_ctx *next;
	struct list_head all;
	struct llist_node node;
	struct svc_rdma_conn *conn;
	struct ib_cqe cqe;
	struct ib_send_wr wr;
	u32 wrs;
	struct svc_rdma_sq_wait wait;
	struct svc_rdma_unsignaled before;
	struct list_head rws;
	struct svc_rdma_advert *advert;
	void *buf;
	u32 size;
	u32 limit;
	bool head_read;
	bool own_pages;
	u32 npages;
	struct page **pages;
	struct page *few[SVC_RDMA_FEW_PAGES];
	struct ib_sge sges[SVC_RDMA_SEND_SGES];
};

/* Bytes of a message that fit into the context's buffer */
static inline u32 svc_rdma_send_room(const struct svc_rdma_send_ctx *send)
{
	return min(send->size, send->limit);
}

/**
 * struct svc_rdma_sends - Send contexts (message/send_ctx.c)
 * @lock: protects the members up to @all
 * @idle: Send contexts not in use, that put last first
 * @nidle: entries of @idle
 * @all: all Send contexts
 * @busy: number of Send contexts in use
 * @pages: number of pages that Send contexts hold
 * @throttled: no calls are taken until svc_rdma_conn_unthrottle() finds room
 * @unsignaled: Sends that were posted unsignaled, and behind which nothing
 *	signaled has been posted
 * @nunsignaled: entries of @unsignaled, and Sends that are about to be added
 */
struct svc_rdma_sends {
	spinlock_t lock ____cacheline_aligned_in_smp;
	struct svc_rdma_send_ctx *idle;
	u32 nidle;
	struct list_head all;
	atomic_t busy;
	atomic_t pages;
	bool throttled;
	struct llist_head unsignaled;
	atomic_t nunsignaled;
};

#endif /* _SVC_RDMA_SEND_CTX_H */
