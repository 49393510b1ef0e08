// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks and records the peer's messages that change properties (Transport
 * Characteristics draft section 4). rpcrdma_exchange_run() acts on them.
 *
 * Errors: a change is rejected if the property is unknown, or cannot be changed
 * now. Every request is answered; a peer with more than
 * RPCRDMA_EXCHANGE_ANSWERS unanswered requests loses the connection. A
 * malformed answer counts as a rejection. A peer that has answered one of our
 * messages with an error gets no more of these messages.
 */

#include <linux/export.h>

#include "exchange.h"

/* Number of intervals before a rejected request is repeated */
#define PATIENCE	8u

/* Try to grant the peer's request for Receives of @size bytes. */
static bool rpcrdma_exchange_grant_locked(struct rpcrdma_exchange *x, u32 size)
{
	if (!rpcrdma_exchange_possible(x))
		return false;
	if (x->growing)
		return size <= x->size;
	if (size > rpcrdma_budget_max(x->budget) ||
	    !rpcrdma_tuning_charge_locked(x, size))
		return false;
	x->size = rpcrdma_xdr_align(size);
	x->growing = true;
	x->ops->resize(x, x->size);
	return true;
}

/* Judge one property that the peer wants us to change. @bit is its bit in @answer. */
static void rpcrdma_exchange_judge_locked(struct rpcrdma_exchange *x,
					  const struct rpcrdma_prop *prop,
					  struct rpcrdma_answer *answer, u32 bit)
{
	const struct rpcrdma_props *own = x->own;
	struct rpcrdma_props want = *own;
	int which = rpcrdma_prop_decode(&want, prop);

	if (!which || which == RPCRDMA_PROPS_NOCHANGE)
		return;
	if (want.recv_size > own->recv_size) {
		if (rpcrdma_exchange_grant_locked(x, want.recv_size))
			answer->pending |= bit;
	} else if (which == RPCRDMA_PROPS_RBSIZ ||
		   !memcmp(want.values, own->values, sizeof(want.values))) {
		answer->done |= bit;
	}
}

static void rpcrdma_exchange_judge_all_locked(struct rpcrdma_exchange *x,
					      const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_answer *answer =
		rpcrdma_exchange_answer(x, x->requested++);
	struct rpcrdma_cursor cur;
	struct rpcrdma_prop prop;
	u32 i;

	*answer = (struct rpcrdma_answer) {
		.xid = hdr->xid, .count = hdr->props_count,
	};
	rpcrdma_props_begin(hdr, &cur);
	for (i = 0; rpcrdma_props_next(&cur, &prop); i++)
		rpcrdma_exchange_judge_locked(x, &prop, answer, BIT(i));
}

/* Nothing changes if a property of the request is malformed. */
static int rpcrdma_exchange_take_request_locked(struct rpcrdma_exchange *x,
						const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_props props;

	if (rpcrdma_props_decode(&props, hdr))
		return RPCRDMA2_ERR_BAD_XDR;
	if (x->requested - x->answered == RPCRDMA_EXCHANGE_ANSWERS)
		return -EPROTO;
	if (hdr->props_count > RPCRDMA2_REQPROP_MAX)
		return RPCRDMA2_ERR_SYSTEM;
	rpcrdma_exchange_judge_all_locked(x, hdr);
	return 0;
}

/* True if the property that we requested is done, and neither rejected nor pending. */
static bool rpcrdma_exchange_granted(const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_resprop resp;

	rpcrdma_resprop_get(&resp, hdr);
	return rpcrdma_subset_is(&resp.done, BIT(0)) &&
	       rpcrdma_subset_is(&resp.rejected, 0) &&
	       rpcrdma_subset_is(&resp.pending, 0);
}

/*
 * Handle the peer's answer to our request for larger Receives. The requested
 * size is a minimum, and the peer may have announced a larger one. If the
 * change is pending, an RDMA2_UPDPROP will announce it.
 */
static void rpcrdma_exchange_take_answer_locked(struct rpcrdma_exchange *x,
						const struct rpcrdma_hdr *hdr,
						bool bad, unsigned long now)
{
	struct rpcrdma_props peer = *x->peer;

	if (!x->wanted || hdr->xid != x->xid)
		return;
	if (bad || !rpcrdma_exchange_granted(hdr)) {
		rpcrdma_tuning_wait_locked(x, PATIENCE, now);
	} else if (x->wanted > peer.recv_size) {
		peer.recv_size = x->wanted;
		x->ops->apply(x, &peer, RPCRDMA_PROPS_RBSIZ);
	}
	x->wanted = 0;
}

/*
 * Handle an RDMA2_UPDPROP. If the peer's Receives have grown, it may be asked
 * again soon.
 */
static int rpcrdma_exchange_take_update_locked(struct rpcrdma_exchange *x,
					       const struct rpcrdma_hdr *hdr,
					       unsigned long now)
{
	struct rpcrdma_props peer = *x->peer;
	struct rpcrdma_cursor cur;
	struct rpcrdma_prop prop;
	int which;

	rpcrdma_props_begin(hdr, &cur);
	rpcrdma_props_next(&cur, &prop);
	which = rpcrdma_prop_decode(&peer, &prop);
	if (which < 0)
		return RPCRDMA2_ERR_BAD_XDR;
	if (peer.recv_size > x->peer->recv_size)
		rpcrdma_tuning_wait_locked(x, 1, now);
	if (which && !(which & x->peer->nochange))
		x->ops->apply(x, &peer, which);
	return 0;
}

/*
 * Handle an error that answers one of our messages. The peer may not know the
 * size that this message announced, so calls are planned for the first size
 * again. Receives that have grown, or are growing, are kept.
 */
static int rpcrdma_exchange_take_error_locked(struct rpcrdma_exchange *x,
					      const struct rpcrdma_hdr *hdr)
{
	if (!(x->wanted && hdr->xid == x->xid) && hdr->xid != x->update_xid)
		return -ENOENT;
	x->failed = true;
	x->wanted = 0;
	x->ops->plan(x, x->base);
	return 0;
}

static int rpcrdma_exchange_receive_locked(struct rpcrdma_exchange *x,
					   const struct rpcrdma_hdr *hdr,
					   int error, unsigned long now)
{
	bool response = hdr->flags & RPCRDMA2_F_RESPONSE;
	bool answer = hdr->type == RPCRDMA2_RESPROP;

	if (hdr->type == RPCRDMA2_ERROR)
		return response ? rpcrdma_exchange_take_error_locked(x, hdr) :
				  -ENOENT;
	if (hdr->len < RPCRDMA2_PREFIX_SIZE || response != answer)
		return 0;
	if (answer) {
		rpcrdma_exchange_take_answer_locked(x, hdr, error, now);
		return 0;
	}
	if (error)
		return RPCRDMA2_ERR_BAD_XDR;
	return hdr->type == RPCRDMA2_REQPROP ?
		       rpcrdma_exchange_take_request_locked(x, hdr) :
		       rpcrdma_exchange_take_update_locked(x, hdr, now);
}

/**
 * rpcrdma_exchange_receive - handle a message that changes properties, or an
 * error
 * @x: exchange of a connection on which we have announced these messages
 * @hdr: header of the message
 * @error: 0, or the error of the decoder
 * @now: jiffies
 *
 * Transport Characteristics draft section 4. The response flag tells which side
 * chose the XID (v2 draft section 3.2), so a message is ignored if its flag
 * does not agree with its type.
 *
 * Context: process. The caller must run or kick the exchange afterwards.
 * Return: 0; an enum rpcrdma2_errcode to answer the message with, in which case
 * nothing was changed; -ENOENT for an error that answers no message of ours;
 * -EPROTO if the connection must be ended.
 */
int rpcrdma_exchange_receive(struct rpcrdma_exchange *x,
			     const struct rpcrdma_hdr *hdr, int error,
			     unsigned long now)
{
	int ret;

	spin_lock(&x->lock);
	ret = rpcrdma_exchange_receive_locked(x, hdr, error, now);
	spin_unlock(&x->lock);
	return ret;
}
EXPORT_SYMBOL_GPL(rpcrdma_exchange_receive);
