/* SPDX-License-Identifier: GPL-2.0-only */
/* The Sends of a connection (message/send_ctx.c). */
#ifndef _SVC_RDMA_SENDS_H
#define _SVC_RDMA_SENDS_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/spinlock.h>

struct svc_rdma_send_ctx;

/**
 * struct svc_rdma_sends - Send contexts
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

#endif /* _SVC_RDMA_SENDS_H */
