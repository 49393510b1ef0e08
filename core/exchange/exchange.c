// SPDX-License-Identifier: GPL-2.0-only
/*
 * How the size of our Receives changes on a connection that is in use, and in
 * which order messages about properties are sent (Transport Characteristics
 * draft sections 3.1 and 4).
 *
 * Operation: receive.c records received messages. rpcrdma_exchange_run() takes
 * the next steps, one at a time, and sends all messages. At most one
 * RDMA2_REQPROP of ours is unanswered, and one RDMA2_UPDPROP unconfirmed. The
 * peer processes these messages in order. So an empty RDMA2_REQPROP behind an
 * RDMA2_UPDPROP is a barrier: its answer confirms the size.
 *
 *	Growing: RESIZE, RESIZING, ANNOUNCED
 *	Shrinking: SETTLING, ANNOUNCED, SETTLING, RESIZE, RESIZING
 *
 * Growing: post larger Receives. When no smaller one is left, announce the
 * size. When the peer has confirmed it, plan for longer messages.
 *
 * Shrinking: plan for shorter messages, and wait for longer ones that are
 * expected. Then announce the size. The peer may have encoded longer messages
 * meanwhile, so wait again for those that are expected when it has confirmed
 * the size. Then post smaller Receives. A side whose messages do not determine
 * the length of the peer's has nothing to wait for.
 *
 * Posted Receives cannot be taken back. If the traffic does not use up those of
 * the former size, empty requests do: each answer takes one.
 *
 * The peer's requests are answered in order, before anything else is sent. If
 * the peer has lowered its size, the next answer waits until messages that were
 * built for the former size have been posted.
 *
 * The messages need no credit: the peer has Receives for one of each kind.
 *
 * Errors: a message that cannot be sent now is sent later, before any other.
 * While the peer does not answer, the change does not end, and no other begins.
 */

#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/random.h>

#include "exchange.h"

/* How often to check whether messages have been posted */
#define POSTED_POLL	1UL
/* When to try again after a message could not be sent */
#define SEND_RETRY	((unsigned long)HZ / 20)
/* How long to leave it to the traffic to use up the former Receives */
#define DRAIN_DELAY	((unsigned long)HZ / 10)

/**
 * rpcrdma_exchange_enter_locked - change the state
 * @x: exchange of a connection
 * @to: new state
 * @now: jiffies
 *
 * Context: the caller holds the lock.
 */
void rpcrdma_exchange_enter_locked(struct rpcrdma_exchange *x,
				   enum rpcrdma_exchange_state to,
				   unsigned long now)
{
	lockdep_assert_held(&x->lock);
	x->state = to;
	x->since = now;
	x->drains = x->recvs;
}

static void rpcrdma_exchange_encode(struct rpcrdma_exchange *x,
				    struct rpcrdma_encoder *enc, u32 type,
				    __be32 xid)
{
	rpcrdma_encode_init(enc, x->msg, clamp(x->peer->recv_size,
					       RPCRDMA2_RECV_MIN,
					       RPCRDMA_EXCHANGE_MESSAGE));
	rpcrdma_encode_fixed(enc, xid, RPCRDMA_VERSION_2, 0, type);
	rpcrdma_encode_word(enc, type == RPCRDMA2_RESPROP ?
					 RPCRDMA2_F_RESPONSE : 0);
}

/* Drop an answer that is too long because the peer has lowered its size. */
static void rpcrdma_exchange_encoded(struct rpcrdma_exchange *x,
				     const struct rpcrdma_encoder *enc)
{
	x->len = max(rpcrdma_encode_finish(enc), 0);
}

/* Transport Characteristics draft section 4.3 */
static void rpcrdma_exchange_respond_locked(struct rpcrdma_exchange *x)
{
	struct rpcrdma_answer *answer = rpcrdma_exchange_answer(x, x->answered++);
	struct rpcrdma_encoder enc;

	rpcrdma_exchange_encode(x, &enc, RPCRDMA2_RESPROP, answer->xid);
	rpcrdma_resprop_encode(&enc, answer->count, answer->done,
			       answer->pending);
	rpcrdma_exchange_encoded(x, &enc);
}

/* Section 4.4 */
static void rpcrdma_exchange_update_locked(struct rpcrdma_exchange *x,
					   unsigned long now)
{
	struct rpcrdma_encoder enc;

	if (x->size > x->own.recv_size)
		rpcrdma_exchange_count(x, recvs_grown);
	else if (x->size < x->own.recv_size)
		rpcrdma_exchange_count(x, recvs_shrunk);
	rpcrdma_exchange_count(x, updprops_sent);
	WRITE_ONCE(x->own.recv_size, x->size);
	x->update_xid = (__force __be32)get_random_u32();
	rpcrdma_exchange_encode(x, &enc, RPCRDMA2_UPDPROP, x->update_xid);
	rpcrdma_updprop_encode(&enc, &x->own, RPCRDMA_PROPS_RBSIZ, x->promised);
	rpcrdma_exchange_encoded(x, &enc);
	x->promised = false;
	rpcrdma_exchange_enter_locked(x, RPCRDMA_EXCHANGE_ANNOUNCED, now);
}

/* Section 4.2; an empty one follows each RDMA2_UPDPROP. */
static void rpcrdma_exchange_request_locked(struct rpcrdma_exchange *x,
					    unsigned long now)
{
	struct rpcrdma_props props = {};
	struct rpcrdma_encoder enc;

	rpcrdma_exchange_count(x, reqprops_sent);
	x->xid = (__force __be32)get_random_u32();
	x->unanswered = true;
	x->asked_at = now;
	x->barrier = x->state == RPCRDMA_EXCHANGE_ANNOUNCED;
	if (!x->barrier) {
		x->wanted = x->ask;
		x->ask = 0;
	}
	props.recv_size = x->wanted;
	rpcrdma_exchange_encode(x, &enc, RPCRDMA2_REQPROP, x->xid);
	rpcrdma_reqprop_encode(&enc, &props,
			       x->wanted ? RPCRDMA_PROPS_RBSIZ : 0);
	rpcrdma_exchange_encoded(x, &enc);
}

/* All Receives have one size. Announce it if the peer has to know. */
static unsigned long rpcrdma_exchange_resized_locked(struct rpcrdma_exchange *x,
						     int error,
						     unsigned long now)
{
	if (error) {
		rpcrdma_exchange_count(x, resizes_failed);
		x->size = x->own.recv_size;
		x->posted = x->size;
	}
	if (rpcrdma_exchange_possible(x) &&
	    (x->size != x->own.recv_size || x->promised))
		rpcrdma_exchange_update_locked(x, now);
	else
		rpcrdma_exchange_enter_locked(x, RPCRDMA_EXCHANGE_STEADY, now);
	return 0;
}

/* May an empty request use up a Receive of the former size? */
static unsigned long rpcrdma_exchange_drain_locked(struct rpcrdma_exchange *x,
						   unsigned long now)
{
	unsigned long due = x->since + DRAIN_DELAY;

	if (x->unanswered || !x->drains || !rpcrdma_exchange_possible(x))
		return RPCRDMA_EXCHANGE_NEVER;
	if (time_before(now, due))
		return due - now;
	x->drains--;
	rpcrdma_exchange_request_locked(x, now);
	return 0;
}

static unsigned long
rpcrdma_exchange_settling_locked(struct rpcrdma_exchange *x, unsigned long now)
{
	unsigned long more = x->ops->settled ? x->ops->settled(x, now) : 0;

	if (more)
		return more;
	if (x->size != x->own.recv_size)
		rpcrdma_exchange_update_locked(x, now);
	else
		rpcrdma_exchange_enter_locked(x, RPCRDMA_EXCHANGE_RESIZE, now);
	return 0;
}

/* Returns jiffies until the next step; 0: there is more to do. */
static unsigned long rpcrdma_exchange_own_step_locked(struct rpcrdma_exchange *x,
						      unsigned long now)
{
	unsigned long delay = RPCRDMA_EXCHANGE_NEVER;
	int ret;

	switch (x->state) {
	case RPCRDMA_EXCHANGE_RESIZE:
		return 0;
	case RPCRDMA_EXCHANGE_RESIZING:
		ret = x->ops->resized(x);
		delay = ret == -EAGAIN ?
				rpcrdma_exchange_drain_locked(x, now) :
				rpcrdma_exchange_resized_locked(x, ret, now);
		break;
	case RPCRDMA_EXCHANGE_SETTLING:
		delay = rpcrdma_exchange_settling_locked(x, now);
		break;
	default:
		break;
	}
	if (delay && !x->unanswered &&
	    (x->ask || x->state == RPCRDMA_EXCHANGE_ANNOUNCED)) {
		rpcrdma_exchange_request_locked(x, now);
		return 0;
	}
	return delay;
}

static unsigned long rpcrdma_exchange_next_locked(struct rpcrdma_exchange *x,
						  unsigned long now)
{
	if (x->requested == x->answered)
		return rpcrdma_exchange_own_step_locked(x, now);
	if (x->ops->posted && !x->ops->posted(x))
		return POSTED_POLL;
	rpcrdma_exchange_respond_locked(x);
	return 0;
}

static unsigned long rpcrdma_exchange_send(struct rpcrdma_exchange *x)
{
	int ret = x->ops->send(x, x->msg, x->len);

	if (ret == -ENOBUFS)
		return SEND_RETRY;
	x->len = 0;
	return ret ? RPCRDMA_EXCHANGE_NEVER : 0;
}

static void rpcrdma_exchange_resize(struct rpcrdma_exchange *x,
				    unsigned long now)
{
	x->ops->resize(x, x->size);
	spin_lock(&x->lock);
	x->posted = x->size;
	rpcrdma_exchange_enter_locked(x, RPCRDMA_EXCHANGE_RESIZING, now);
	spin_unlock(&x->lock);
}

/* Take one step. Return jiffies until the next one. */
static unsigned long rpcrdma_exchange_step(struct rpcrdma_exchange *x,
					   unsigned long now)
{
	unsigned long delay = 0;
	bool resize;

	spin_lock(&x->lock);
	if (!x->len)
		delay = rpcrdma_exchange_next_locked(x, now);
	resize = x->state == RPCRDMA_EXCHANGE_RESIZE;
	spin_unlock(&x->lock);
	if (x->len)
		return rpcrdma_exchange_send(x);
	if (!delay && resize)
		rpcrdma_exchange_resize(x, now);
	return delay;
}

/**
 * rpcrdma_exchange_run - take the steps that are due
 * @x: exchange of a connection
 * @now: jiffies
 *
 * Context: process.
 * Return: jiffies after which to call this again, unless a message arrives
 * before; RPCRDMA_EXCHANGE_NEVER: only then.
 */
unsigned long rpcrdma_exchange_run(struct rpcrdma_exchange *x,
				   unsigned long now)
{
	unsigned long delay, check;

	mutex_lock(&x->mutex);
	spin_lock(&x->lock);
	check = rpcrdma_tuning_check_locked(x, now);
	spin_unlock(&x->lock);
	do
		delay = rpcrdma_exchange_step(x, now);
	while (!delay);
	mutex_unlock(&x->mutex);
	return min(delay, check);
}
EXPORT_SYMBOL_GPL(rpcrdma_exchange_run);

/**
 * rpcrdma_exchange_init - initialize the exchange of a new connection
 * @x: exchange of the connection, zeroed
 * @ops: functions of its side
 * @budget: bounds its Receives
 * @peer: where the peer's properties are
 *
 * Context: any.
 */
void rpcrdma_exchange_init(struct rpcrdma_exchange *x,
			   const struct rpcrdma_exchange_ops *ops,
			   struct rpcrdma_budget *budget,
			   const struct rpcrdma_props *peer)
{
	x->ops = ops;
	x->budget = budget;
	x->peer = peer;
	mutex_init(&x->mutex);
	spin_lock_init(&x->lock);
}
EXPORT_SYMBOL_GPL(rpcrdma_exchange_init);

/**
 * rpcrdma_exchange_begin - start with our first properties
 * @x: exchange of a connection before the first message about properties
 * @own: our properties, with the first size of our Receives; the types of these
 *	messages are added
 * @recvs: limit of the number of Receives
 * @now: jiffies
 *
 * Transport Characteristics draft section 4.1.
 *
 * Context: any.
 */
void rpcrdma_exchange_begin(struct rpcrdma_exchange *x,
			    const struct rpcrdma_props *own, u32 recvs,
			    unsigned long now)
{
	x->own = *own;
	x->own.htypes |= RPCRDMA2_CHANGE_HTYPES;
	x->own.nochange &= ~RPCRDMA_PROPS_RBSIZ;
	x->base = own->recv_size;
	x->size = own->recv_size;
	x->posted = own->recv_size;
	x->recvs = recvs;
	x->longs_since = now;
	x->ask_after = now;
	/* Receives may grow at once. */
	x->since = now - MAX_JIFFY_OFFSET / 2;
	WRITE_ONCE(x->ask_max, rpcrdma_budget_max(x->budget));
}
EXPORT_SYMBOL_GPL(rpcrdma_exchange_begin);
