/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Properties of version 2 that change while a connection exists (Transport
 * Characteristics draft section 4): one state machine for both sides, in
 * core/exchange/. It depends on neither sunrpc nor the verbs: each side
 * provides its functions in a struct rpcrdma_exchange_ops.
 *
 * The only one of our properties that changes is the Receive Buffer Size. It
 * grows at the peer's request (core/exchange/tuning.c).
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

/* Maximum number of the peer's unanswered requests; a power of 2 */
#define RPCRDMA_EXCHANGE_ANSWERS	32u
/* Bytes in the buffer for a message that changes properties */
#define RPCRDMA_EXCHANGE_MESSAGE	64u
/* Returned instead of jiffies if there is nothing to do before the next event */
#define RPCRDMA_EXCHANGE_NEVER		ULONG_MAX
/* Requested sizes are multiples of this, in bytes: 8 KiB of data and room for headers */
#define RPCRDMA_TUNING_STEP		9216u
/* Maximum length of a message in either direction, in bytes */
#define RPCRDMA_TUNING_MAX		65536u
/* Long messages within an interval that trigger a request for larger Receives */
#define RPCRDMA_TUNING_LONGS		64u

/**
 * struct rpcrdma_exchange_ops - functions of the client or server
 * @send: put the credits into the third word of @msg, and send its @len bytes.
 *	Return 0; -ENOBUFS if the caller must try again later; another negative
 *	errno if the connection is lost or closing.
 * @apply: apply @props, in which the peer's property @which has changed
 * @plan: plan calls so that the peer's messages have at most @size bytes
 * @resize: begin to post Receives of @size bytes
 * @resized: return 0 if no smaller Receive is posted; -EAGAIN if some are;
 *	-ENOMEM if there was no memory for larger ones and the previous size is
 *	used again
 * @grown: counts how often our Receives have grown
 *
 * Context: @send is called in process context. All others are called with @lock
 * of the exchange held, and must not sleep.
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
 * @count: number of properties in the request
 * @done: bit mask of the properties that have the requested value
 * @pending: bit mask of the properties that will have it later
 */
struct rpcrdma_answer {
	__be32 xid;
	u32 count;
	u32 done;
	u32 pending;
};

/**
 * struct rpcrdma_budget - limits for the Receives of all connections of a side
 * @max: bytes; largest size of a Receive, ours or the peer's
 * @interval: milliseconds; shortest time between requests to a peer
 * @total: bytes that all connections together may use beyond the first sizes of
 *	their Receives
 * @charged: bytes charged to all connections
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
 * @work: takes the next steps
 * @budget: limits for the Receives of all connections of that side
 * @own: our properties, as last announced (under @lock)
 * @peer: the peer's properties
 * @mutex: serializes steps
 * @msg: the next message to send (under @mutex)
 * @len: bytes in @msg; 0: none (under @mutex)
 * @lock: protects the members below
 * @failed: nothing changes any more: the peer answered one of our messages with
 *	an error, or the connection is ending
 * @base: bytes; the first size of our Receives
 * @recvs: maximum number of our Receives
 * @growing: larger Receives are being posted, and have not been announced;
 *	smaller ones may still be in use
 * @size: bytes; present or future size of our Receives
 * @xid: XID of our last RDMA2_REQPROP
 * @wanted: bytes; Receive Buffer Size that it asks for; 0 once it is answered
 * @update_xid: XID of our last RDMA2_UPDPROP
 * @answers: answers to the peer's requests, indexed by the number of the
 *	request modulo RPCRDMA_EXCHANGE_ANSWERS
 * @requested: number of requests received, modulo 2^32
 * @answered: number of requests answered, modulo 2^32
 * @ask_max: bytes; the largest Receives to ask for; 0: never
 * @ask_after: jiffies; the peer is not asked before this time
 * @longs: number of messages of up to @ask_max bytes that used chunks because
 *	of their length, since @longs_since. Written without a lock, so some may
 *	be missed.
 * @long_max: bytes; length of the longest of these messages
 * @longs_since: jiffies; time when counting started
 * @charge: bytes charged for our Receives, beyond their first size
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

/* True if properties can still change, and the peer supports all messages of a change */
static inline bool rpcrdma_exchange_possible(const struct rpcrdma_exchange *x)
{
	return !x->failed && (x->peer->htypes & RPCRDMA2_CHANGE_HTYPES) ==
				     RPCRDMA2_CHANGE_HTYPES;
}

/* Bytes; current limit for the size of a Receive */
static inline u32 rpcrdma_budget_max(const struct rpcrdma_budget *budget)
{
	return min(READ_ONCE(*budget->max), RPCRDMA_TUNING_MAX);
}

#endif /* _RPCRDMA_EXCHANGE_H */
