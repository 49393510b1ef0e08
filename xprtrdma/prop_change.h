/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes of properties on a connection that is in use. */
#ifndef _XPRTRDMA_PROP_CHANGE_H
#define _XPRTRDMA_PROP_CHANGE_H

#include <linux/bits.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

/**
 * enum xprt_rdma_resize - how far a change of the size of our Receives is
 * @XPRT_RDMA_RESIZE_NONE: nothing changes
 * @XPRT_RDMA_RESIZE_GROW: larger Receives are posted; smaller ones are still in
 *	the Receive Queue
 * @XPRT_RDMA_RESIZE_POSTING: calls are planned for shorter replies; one that was
 *	planned before is perhaps being sent
 * @XPRT_RDMA_RESIZE_QUIESCE: calls that were planned before are unanswered
 * @XPRT_RDMA_RESIZE_ANNOUNCE: RDMA2_UPDPROP is to be sent
 * @XPRT_RDMA_RESIZE_CONFIRM: it was sent; the empty RDMA2_REQPROP behind it is
 *	unanswered, or still to be sent
 * @XPRT_RDMA_RESIZE_ANSWERS: calls that were in flight when a smaller size was
 *	confirmed are unanswered
 * @XPRT_RDMA_RESIZE_DRAIN: smaller Receives are posted; larger ones are still
 *	in the Receive Queue
 * @XPRT_RDMA_RESIZE_STATES: number of states
 */
enum xprt_rdma_resize {
	XPRT_RDMA_RESIZE_NONE,
	XPRT_RDMA_RESIZE_GROW,
	XPRT_RDMA_RESIZE_POSTING,
	XPRT_RDMA_RESIZE_QUIESCE,
	XPRT_RDMA_RESIZE_ANNOUNCE,
	XPRT_RDMA_RESIZE_CONFIRM,
	XPRT_RDMA_RESIZE_ANSWERS,
	XPRT_RDMA_RESIZE_DRAIN,
	XPRT_RDMA_RESIZE_STATES,
};

/* Requests of the peer that may be unanswered; a power of 2 */
#define XPRT_RDMA_PROP_ANSWERS	32u

/**
 * struct xprt_rdma_prop_answer - answer to an RDMA2_REQPROP of the peer
 * @xid: XID of the request
 * @count: number of properties in it
 * @done: bit mask of those that have the value that the peer wants
 * @pending: bit mask of those that will have it
 */
struct xprt_rdma_prop_answer {
	__be32	xid;
	u32	count;
	u32	done;
	u32	pending;
};

/**
 * struct xprt_rdma_prop_change - changes of properties on one connection
 * @lock: protects all other members
 * @work: takes the next step
 * @own_htypes: bit mask of OPTIONAL header types that we announced
 * @own_remote_inv: we have announced Remote Invalidation
 * @on: both sides understand the messages, and the peer has refused none
 * @state: how far a change of the size of our Receives is
 * @base: bytes; size of our Receives at the start of the connection
 * @told: bytes; size that the peer was told last
 * @size: bytes; size that our Receives are to have, unless @state is
 *	XPRT_RDMA_RESIZE_NONE
 * @asked: the peer has asked for this size, and waits for RDMA2_UPDPROP
 * @posts: value of the connection's @posts: Sends up to here are to be posted,
 *	or calls up to here answered
 * @since: jiffies; when @state has changed
 * @xid: XID of our last RDMA2_REQPROP
 * @unanswered: it has not been answered
 * @wanted: bytes; Receive Buffer Size that it asks for; 0: nothing
 * @ask: bytes; size to ask for next; 0: nothing
 * @promised: the peer has answered that the change is pending
 * @refusals: number of our requests that the peer has rejected
 * @update_xid: XID of our last RDMA2_UPDPROP
 * @answers: answers to the peer's requests, by their numbers modulo the size
 * @requested: number of these requests, modulo 2^32
 * @answered: number of those that have been answered, modulo 2^32
 * @lowered: the peer has lowered its size since a request was answered
 * @lowered_posts: value of the connection's @posts at that time
 */
struct xprt_rdma_prop_change {
	spinlock_t		lock;
	struct delayed_work	work;
	u32			own_htypes;
	bool			own_remote_inv;
	bool			on;

	enum xprt_rdma_resize	state;
	u32			base;
	u32			told;
	u32			size;
	bool			asked;
	u32			posts;
	unsigned long		since;

	__be32			xid;
	bool			unanswered;
	u32			wanted;
	u32			ask;
	bool			promised;
	u32			refusals;
	__be32			update_xid;

	struct xprt_rdma_prop_answer answers[XPRT_RDMA_PROP_ANSWERS];
	u32			requested;
	u32			answered;
	bool			lowered;
	u32			lowered_posts;
};

/* Have we announced header type @type? */
static inline bool
xprt_rdma_change_announced(const struct xprt_rdma_prop_change *change, u32 type)
{
	return change->own_htypes & BIT(type);
}

/* Properties may change on this connection, or may not. */
static inline void xprt_rdma_change_allow(struct xprt_rdma_prop_change *change,
					  bool on)
{
	change->on = on;
}

#endif /* _XPRTRDMA_PROP_CHANGE_H */
