/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Properties of version 2 that change while a connection exists (Transport
 * Characteristics draft section 4): one state machine for both sides, in
 * core/exchange/. It knows messages and time, but neither sunrpc nor the verbs:
 * a side has a table of functions, struct rpcrdma_exchange_ops.
 *
 * The only property of ours that changes is the Receive Buffer Size. It grows
 * at the peer's request (core/exchange/tuning.c).
 */
#ifndef _RPCRDMA_EXCHANGE_H
#define _RPCRDMA_EXCHANGE_H

#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <rpcrdma/codec.h>

struct rpcrdma_exchange;

/* Requests of the peer that may be unanswered; a power of 2 */
#define RPCRDMA_EXCHANGE_ANSWERS	32u
/* Bytes; the longest message of ours about properties fits */
#define RPCRDMA_EXCHANGE_MESSAGE	64u
/* Jiffies: nothing to do until something happens */
#define RPCRDMA_EXCHANGE_NEVER		ULONG_MAX
/* Bytes; unit of requested sizes: 8 KiB of data, with room for the rest */
#define RPCRDMA_TUNING_STEP		9216u
/* Bytes; no side sends or receives longer messages */
#define RPCRDMA_TUNING_MAX		65536u
/* Long messages in an interval for which larger Receives are asked for */
#define RPCRDMA_TUNING_LONGS		64u

/**
 * struct rpcrdma_exchange_ops - functions of a side
 * @send: put the credits into the third word of @msg, and send its @len bytes.
 *	Return 0; -ENOBUFS if it has to be tried again; another negative errno if
 *	the connection is lost or closing.
 * @apply: use @props, in which the peer's property @which is new
 * @plan: plan calls for messages of at most @size bytes from the peer
 * @resize: begin to post Receives of @size bytes
 * @resized: return 0 if no smaller Receive is posted; -EAGAIN if there are some;
 *	-ENOMEM if there was no memory for larger ones and the former ones are
 *	used again
 * @grown: counter of the times that our Receives have grown
 *
 * Context: @send: process. Others do not sleep; the lock is held.
 */
struct rpcrdma_exchange_ops {
	int (*send)(struct rpcrdma_exchange *x, u8 *msg, u32 len);
	void (*apply)(struct rpcrdma_exchange *x,
		      const struct rpcrdma_props *props, u32 which);
	void (*plan)(struct rpcrdma_exchange *x, u32 size);
	void (*resize)(struct rpcrdma_exchange *x, u32 size);
	int (*resized)(struct rpcrdma_exchange *x);
	u64 __percpu *grown;
};

/**
 * struct rpcrdma_answer - answer to an RDMA2_REQPROP of the peer
 * @xid: XID of the request
 * @count: number of properties in it
 * @done: bit mask of those that have the requested value
 * @pending: bit mask of those that will have it
 */
struct rpcrdma_answer {
	__be32 xid;
	u32 count;
	u32 done;
	u32 pending;
};

/**
 * struct rpcrdma_budget - bounds the Receives of all connections of a side
 * @max: bytes; largest size of a Receive, ours or the peer's
 * @interval: milliseconds; shortest time between requests to a peer
 * @total: bytes that all connections together may take beyond their first sizes
 * @charged: bytes that they take
 *
 * @max and @interval are tunables.
 */
struct rpcrdma_budget {
	const unsigned int *max;
	const unsigned int *interval;
	unsigned long total;
	atomic_long_t charged;
};

/**
 * struct rpcrdma_exchange - changes of properties on one connection
 * @ops: functions of the side that the connection belongs to
 * @wq: queue of @work
 * @work: takes steps
 * @budget: bounds the Receives of all its connections
 * @own: our properties, as last announced (under @lock)
 * @peer: the peer's properties
 * @mutex: serializes steps
 * @msg: the message that is to be sent next (under @mutex)
 * @len: bytes in @msg; 0: none (under @mutex)
 * @lock: protects the members below
 * @failed: no further changes: the peer answered a message of ours with an
 *	error, or the connection ends
 * @base: bytes; the first size of our Receives
 * @recvs: limit of the number of our Receives
 * @growing: larger ones are posted, and have not been announced; some of the former
 *	size may be in use
 * @size: bytes; present or future size of our Receives
 * @xid: XID of our last RDMA2_REQPROP
 * @wanted: bytes; Receive Buffer Size that it asks for; 0: it has been answered
 * @update_xid: XID of our last RDMA2_UPDPROP
 * @answers: answers to the peer's requests, by their numbers modulo the size
 * @requested: number of these requests, modulo 2^32
 * @answered: number of those that have been answered, modulo 2^32
 * @ask_max: bytes; the largest Receives to ask for; 0: never
 * @ask_after: jiffies; the peer is not asked before
 * @longs: messages since @longs_since that used chunks because of their length,
 *	up to @ask_max. Written without a lock: some may be missed.
 * @long_max: bytes; the longest of them
 * @longs_since: jiffies; start of counting
 * @charge: bytes that our Receives may take beyond their first size
 */
struct rpcrdma_exchange {
	const struct rpcrdma_exchange_ops *ops;
	struct workqueue_struct *wq;
	struct delayed_work work;
	struct rpcrdma_budget *budget;
	struct rpcrdma_props *own;
	const struct rpcrdma_props *peer;
	struct mutex mutex;
	u8 msg[RPCRDMA_EXCHANGE_MESSAGE];
	u32 len;

	spinlock_t lock;
	bool failed;
	u32 base;
	u32 recvs;
	bool growing;
	u32 size;

	__be32 xid;
	u32 wanted;
	__be32 update_xid;
	struct rpcrdma_answer answers[RPCRDMA_EXCHANGE_ANSWERS];
	u32 requested;
	u32 answered;

	u32 ask_max;
	unsigned long ask_after;
	u32 longs;
	u32 long_max;
	unsigned long longs_since;
	unsigned long charge;
};

/* exchange.c */
void rpcrdma_exchange_init(struct rpcrdma_exchange *x,
			   const struct rpcrdma_exchange_ops *ops,
			   struct workqueue_struct *wq,
			   struct rpcrdma_budget *budget,
			   struct rpcrdma_props *own,
			   const struct rpcrdma_props *peer);
void rpcrdma_exchange_begin(struct rpcrdma_exchange *x, u32 recvs,
			    unsigned long now);
unsigned long rpcrdma_exchange_run(struct rpcrdma_exchange *x,
				   unsigned long now);
void rpcrdma_exchange_kick(struct rpcrdma_exchange *x);

/* receive.c */
int rpcrdma_exchange_receive(struct rpcrdma_exchange *x,
			     const struct rpcrdma_hdr *hdr, int error,
			     unsigned long now);

/* tuning.c */
void rpcrdma_exchange_long(struct rpcrdma_exchange *x, u32 len);
void rpcrdma_exchange_stop(struct rpcrdma_exchange *x);

/* Do both sides support all messages of a change? */
static inline bool rpcrdma_exchange_possible(const struct rpcrdma_exchange *x)
{
	return !x->failed && (x->peer->htypes & RPCRDMA2_CHANGE_HTYPES) ==
				     RPCRDMA2_CHANGE_HTYPES;
}

/* Bytes; present limit of the size of Receives */
static inline u32 rpcrdma_budget_max(const struct rpcrdma_budget *budget)
{
	return min(READ_ONCE(*budget->max), RPCRDMA_TUNING_MAX);
}

#endif /* _RPCRDMA_EXCHANGE_H */
