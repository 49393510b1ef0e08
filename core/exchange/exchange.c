// SPDX-License-Identifier: GPL-2.0-only
/*
 * Grows the Receives of a connection that is in use, and decides the order of
 * the messages that change properties (Transport Characteristics draft sections
 * 3.1 and 4).
 *
 * Operation: receive.c records received messages. rpcrdma_exchange_run() takes
 * the next steps, one at a time, and sends all messages. At most one of our
 * RDMA2_REQPROPs is unanswered at a time.
 *
 * Receives grow when the peer asks for larger ones, and keep that size until
 * the connection ends (decisions/15). A posted Receive cannot be withdrawn:
 * traffic consumes the smaller Receives, and larger ones are posted behind
 * them. When no smaller Receive is left, an RDMA2_UPDPROP announces the new
 * size, and from then on calls are planned for longer replies. These calls are
 * sent after the RDMA2_UPDPROP, so the peer knows the new size when it handles
 * them.
 *
 * The peer's requests are answered in order, before anything else is sent. If
 * the peer announces smaller Receives, that size applies immediately, but a
 * message that was built for the previous size may still reach the peer.
 *
 * Messages that change properties need no credit: the peer has a Receive for
 * one message of each type.
 *
 * Errors: a message that cannot be sent now is retried before any other is
 * sent. If there is no memory for larger Receives, an RDMA2_UPDPROP with the
 * previous size withdraws the promise to grow.
 */

#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/random.h>

#include "exchange.h"

/* Jiffies after which a message that could not be sent is retried */
#define SEND_RETRY	((unsigned long)HZ / 20)

static void rpcrdma_exchange_encode(struct rpcrdma_exchange *x,
				    struct rpcrdma_encoder *enc, u32 type,
				    __be32 xid)
{
	BUILD_BUG_ON(RPCRDMA_EXCHANGE_MESSAGE > RPCRDMA2_RECV_MIN);
	rpcrdma_encode_init(enc, x->msg, RPCRDMA_EXCHANGE_MESSAGE);
	rpcrdma_encode_fixed(enc, xid, RPCRDMA_VERSION_2, 0, type);
	rpcrdma_encode_word(enc, type == RPCRDMA2_RESPROP ?
					 RPCRDMA2_F_RESPONSE : 0);
}

/* Encode the answer to the oldest unanswered request (section 4.3). */
static void rpcrdma_exchange_respond_locked(struct rpcrdma_exchange *x)
{
	struct rpcrdma_answer *answer = rpcrdma_exchange_answer(x, x->answered++);
	struct rpcrdma_encoder enc;

	rpcrdma_exchange_encode(x, &enc, RPCRDMA2_RESPROP, answer->xid);
	rpcrdma_resprop_encode(&enc, answer->count, answer->done,
			       answer->pending);
	x->len = rpcrdma_encode_finish(&enc);
}

/* Encode an RDMA2_UPDPROP. Its boolean ends the pending change (section 4.4). */
static void rpcrdma_exchange_update_locked(struct rpcrdma_exchange *x)
{
	struct rpcrdma_encoder enc;

	x->update_xid = (__force __be32)get_random_u32();
	rpcrdma_exchange_encode(x, &enc, RPCRDMA2_UPDPROP, x->update_xid);
	rpcrdma_prop_encode(&enc, RPCRDMA2_PROP_RBSIZ, x->own->recv_size);
	rpcrdma_encode_word(&enc, true);
	x->len = rpcrdma_encode_finish(&enc);
}

/* Encode an RDMA2_REQPROP for Receives of @size bytes (section 4.2). */
static void rpcrdma_exchange_request_locked(struct rpcrdma_exchange *x, u32 size)
{
	struct rpcrdma_encoder enc;

	x->xid = (__force __be32)get_random_u32();
	x->wanted = size;
	rpcrdma_exchange_encode(x, &enc, RPCRDMA2_REQPROP, x->xid);
	rpcrdma_encode_word(&enc, 1);
	rpcrdma_prop_encode(&enc, RPCRDMA2_PROP_RBSIZ, size);
	x->len = rpcrdma_encode_finish(&enc);
}

/*
 * Called when no smaller Receive is left, or when there was no memory for
 * larger ones. @growing remains set until the RDMA2_UPDPROP has been sent.
 * Otherwise Receives could start to grow again, find no memory, and return to a
 * smaller size than the RDMA2_UPDPROP announces.
 */
static void rpcrdma_exchange_grown_locked(struct rpcrdma_exchange *x, int error)
{
	if (error)
		x->size = x->own->recv_size;
	rpcrdma_tuning_charge_locked(x, x->size);
	x->growing = rpcrdma_exchange_possible(x);
	if (!x->growing)
		return;
	if (!error)
		this_cpu_inc(*x->ops->grown);
	WRITE_ONCE(x->own->recv_size, x->size);
	rpcrdma_exchange_update_locked(x);
}

/* Returns jiffies until the next step; 0 if it can be taken now. */
static unsigned long rpcrdma_exchange_own_step_locked(struct rpcrdma_exchange *x,
						      unsigned long now)
{
	u32 size;
	int ret;

	if (x->growing) {
		ret = x->ops->resized(x);
		if (ret != -EAGAIN) {
			rpcrdma_exchange_grown_locked(x, ret);
			return 0;
		}
	}
	size = rpcrdma_tuning_ask_locked(x, now);
	if (!size)
		return RPCRDMA_EXCHANGE_NEVER;
	rpcrdma_exchange_request_locked(x, size);
	return 0;
}

static unsigned long rpcrdma_exchange_next_locked(struct rpcrdma_exchange *x,
						  unsigned long now)
{
	if (x->requested == x->answered)
		return rpcrdma_exchange_own_step_locked(x, now);
	rpcrdma_exchange_respond_locked(x);
	return 0;
}

/* Send the encoded message. Later messages may rely on the size in it. */
static unsigned long rpcrdma_exchange_send(struct rpcrdma_exchange *x)
{
	int ret = x->ops->send(x, x->msg, x->len);

	if (ret == -ENOBUFS)
		return SEND_RETRY;
	x->len = 0;
	if (ret)
		return RPCRDMA_EXCHANGE_NEVER;
	spin_lock(&x->lock);
	if (!x->failed)
		x->ops->plan(x, x->own->recv_size);
	if (x->size == x->own->recv_size)
		x->growing = false;
	spin_unlock(&x->lock);
	return 0;
}

/* Take one step. Returns jiffies until the next one. */
static unsigned long rpcrdma_exchange_step(struct rpcrdma_exchange *x,
					   unsigned long now)
{
	unsigned long delay = 0;

	spin_lock(&x->lock);
	if (!x->len)
		delay = rpcrdma_exchange_next_locked(x, now);
	spin_unlock(&x->lock);
	return x->len ? rpcrdma_exchange_send(x) : delay;
}

/**
 * rpcrdma_exchange_run - take the steps that are due
 * @x: exchange of a connection
 * @now: jiffies
 *
 * Context: process.
 * Return: jiffies after which to call this function again, unless a message
 * arrives before; RPCRDMA_EXCHANGE_NEVER to wait for a message.
 */
unsigned long rpcrdma_exchange_run(struct rpcrdma_exchange *x,
				   unsigned long now)
{
	unsigned long delay;

	mutex_lock(&x->mutex);
	do
		delay = rpcrdma_exchange_step(x, now);
	while (!delay);
	mutex_unlock(&x->mutex);
	return delay;
}
EXPORT_SYMBOL_GPL(rpcrdma_exchange_run);

static void rpcrdma_exchange_work(struct work_struct *work)
{
	struct rpcrdma_exchange *x =
		container_of(work, struct rpcrdma_exchange, work.work);
	unsigned long delay = rpcrdma_exchange_run(x, jiffies);

	if (delay != RPCRDMA_EXCHANGE_NEVER)
		queue_delayed_work(x->wq, &x->work, delay);
}

/**
 * rpcrdma_exchange_kick - queue the work item that takes the next steps
 * @x: exchange of a connection
 *
 * Context: any.
 */
void rpcrdma_exchange_kick(struct rpcrdma_exchange *x)
{
	mod_delayed_work(x->wq, &x->work, 0);
}
EXPORT_SYMBOL_GPL(rpcrdma_exchange_kick);

/**
 * rpcrdma_exchange_init - initialize the exchange of a new connection
 * @x: exchange of the connection, zeroed
 * @ops: functions of the client or server
 * @wq: workqueue for the work item
 * @budget: limits the size of Receives
 * @own: our properties
 * @peer: the peer's properties
 *
 * Context: any.
 */
void rpcrdma_exchange_init(struct rpcrdma_exchange *x,
			   const struct rpcrdma_exchange_ops *ops,
			   struct workqueue_struct *wq,
			   struct rpcrdma_budget *budget,
			   struct rpcrdma_props *own,
			   const struct rpcrdma_props *peer)
{
	x->ops = ops;
	x->wq = wq;
	INIT_DELAYED_WORK(&x->work, rpcrdma_exchange_work);
	x->budget = budget;
	x->own = own;
	x->peer = peer;
	mutex_init(&x->mutex);
	spin_lock_init(&x->lock);
}
EXPORT_SYMBOL_GPL(rpcrdma_exchange_init);

/**
 * rpcrdma_exchange_begin - start an exchange with our first properties
 * @x: exchange of a connection on which no properties have been sent; its @own
 *	gets the header types that change properties
 * @recvs: maximum number of Receives
 * @now: jiffies
 *
 * Transport Characteristics draft section 4.1.
 *
 * Context: any.
 */
void rpcrdma_exchange_begin(struct rpcrdma_exchange *x, u32 recvs,
			    unsigned long now)
{
	struct rpcrdma_props *own = x->own;

	own->htypes |= RPCRDMA2_CHANGE_HTYPES;
	own->nochange &= ~RPCRDMA_PROPS_RBSIZ;
	x->base = own->recv_size;
	x->size = own->recv_size;
	x->recvs = recvs;
	x->update_xid = (__force __be32)get_random_u32();
	x->longs_since = now;
	x->ask_after = now;
	WRITE_ONCE(x->ask_max, rpcrdma_budget_max(x->budget));
}
EXPORT_SYMBOL_GPL(rpcrdma_exchange_begin);
