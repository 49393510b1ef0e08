/* SPDX-License-Identifier: GPL-2.0-only */
/* The Sends of a connection, and the resources held until they complete. */
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
 * struct svc_rdma_unsignaled - unsignaled Sends before a signaled Work Request
 * @first: struct svc_rdma_send_ctx, or NULL
 * @count: number of entries
 */
struct svc_rdma_unsignaled {
	struct llist_node *first;
	u32 count;
};

/**
 * struct svc_rdma_send_ctx - a message being sent, with the Writes before it
 * @next: next entry of @sends.idle of the connection
 * @all: entry of @sends.all
 * @node: entry of @sends.unsignaled, or of @before of another context
 * @conn: connection
 * @cqe: completion of the Send
 * @wr: Send
 * @wrs: Send Queue entries of the Work Requests that have not been posted
 * @rest: first of them if others of the chain have been posted, or NULL
 * @wait: waits for the Send Queue entries of the chain, or of its next part,
 *	and of @before
 * @before: unsignaled Sends that complete with this one
 * @rws: RDMA Writes, struct rpcrdma_rw, in posting order
 * @advert: advert of this reply or callback until it has been posted, or NULL
 * @buf: transport header and copied data; DMA-mapped while allocated
 * @size: size of @buf in bytes
 * @limit: bytes of the longest message that the requester can receive
 * @head_read: a Work Request reads the head or the tail of the reply in place
 * @own_pages: some of @pages belong to no file; these go to the stash
 * @npages: number of pages held until the Send completes
 * @pages: the pages held; either @few or an allocated array
 * @few: array for up to SVC_RDMA_FEW_PAGES pages
 * @sges: gather list; @sges[0] begins with @buf, later ones can be in @buf, too
 */
struct svc_rdma_send_ctx {
	struct svc_rdma_send_ctx *next;
	struct list_head all;
	struct llist_node node;
	struct svc_rdma_conn *conn;
	struct ib_cqe cqe;
	struct ib_send_wr wr;
	u32 wrs;
	struct ib_send_wr *rest;
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

/* Bytes of the longest message that fits into the context's buffer */
static inline u32 svc_rdma_send_room(const struct svc_rdma_send_ctx *send)
{
	return min(send->size, send->limit);
}

/**
 * struct svc_rdma_sends - Send contexts (message/send_ctx.c)
 * @lock: protects the members up to @all
 * @idle: stack of Send contexts that are not in use
 * @nidle: entries of @idle
 * @all: all Send contexts
 * @busy: number of Send contexts in use
 * @pages: number of pages that Send contexts hold
 * @throttled: no calls are taken until svc_rdma_conn_unthrottle() finds room
 * @unsignaled: posted unsignaled Sends that no signaled Work Request has taken
 *	over
 * @nunsignaled: reserved Send Queue entries in use. A Send uses one until the
 *	Work Request that takes it over has taken another entry for it.
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
