// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changing properties of a connection that is in use: the size of our Receives,
 * and what the peer changes or is asked to change (Transport Characteristics
 * draft sections 3.1 and 4).
 *
 * Operation: completion handlers note what has arrived; the work item takes the
 * steps that follow from it, and sends all messages. At most one RDMA2_REQPROP
 * of ours is unanswered, and one RDMA2_UPDPROP not confirmed. The peer processes
 * these messages in order. So an empty RDMA2_REQPROP behind an RDMA2_UPDPROP is
 * a barrier: its answer confirms that the peer knows the new size.
 *
 * Our Receives grow: larger ones are posted (verbs/recv.c). When the Receive
 * Queue contains no smaller one, the peer is told. From then on, calls are
 * planned for longer replies; the peer receives them after that message.
 *
 * They shrink: first, calls are planned for shorter replies, and those that
 * were planned before are answered, as the peer could not answer them inline.
 * Then the peer is told. It may have encoded replies that are longer, so
 * smaller Receives are not posted before it has confirmed the size, and calls
 * that were in flight then are answered.
 *
 * Receives that are posted cannot be taken back. If the traffic does not use up
 * those of the former size, empty requests do: each answer takes one.
 *
 * The peer's Receives shrink: its RDMA2_UPDPROP applies at once, but a sender
 * may have marshaled a longer call already. So the next request of the peer is
 * answered when that call has been posted.
 *
 * Errors: the peer's requests are rejected if we do not support the property or
 * cannot change it now. Each request is answered, in the order in which they
 * came; a peer that sends more than XPRT_RDMA_PROP_ANSWERS ahead of the answers
 * loses the connection. If a peer answers one of these messages with an error,
 * nothing is changed on that connection any more. A message that cannot be sent
 * now is sent later.
 */

#include <linux/random.h>

#include "../conn.h"
#include "../limits.h"
#include "../stats.h"
#include "../xprt.h"
#include "version.h"
#include "../message/message.h"
#include "../verbs/verbs.h"

#include <trace/events/xprtrdma.h>

/* Jiffies; nothing is to be done before something arrives */
#define NEVER		ULONG_MAX
/* How often to check whether a call was posted, and calls were answered */
#define POSTED_POLL	1UL
#define ANSWERS_POLL	((unsigned long)HZ / 20)
/* How long to wait for replies to abandoned calls, which may never come */
#define ABANDONED_WAIT	(10UL * HZ)
/* When to try again after a message could not be sent */
#define SEND_RETRY	((unsigned long)HZ / 20)
/* How long to leave it to the traffic to use up the former Receives */
#define DRAIN_DELAY	((unsigned long)HZ / 10)
/*
 * The Send that was being posted, and one whose count another processor may see
 * late
 */
#define POSTED_SENDS	2u

/* What the work item sends next */
enum xprt_rdma_change_msg {
	XPRT_RDMA_CHANGE_NOTHING,
	XPRT_RDMA_CHANGE_RESPONSE,
	XPRT_RDMA_CHANGE_UPDATE,
	XPRT_RDMA_CHANGE_REQUEST,
};

static void xprt_rdma_change_kick(struct xprt_rdma_conn *conn)
{
	mod_delayed_work(xprtiod_workqueue, &conn->change.work, 0);
}

static void xprt_rdma_change_state_locked(struct xprt_rdma_conn *conn,
					  enum xprt_rdma_resize to)
{
	struct xprt_rdma_prop_change *change = &conn->change;

	if (change->state == to)
		return;
	trace_xprtrdma_resize(conn, to);
	change->state = to;
	change->since = jiffies;
	if (to == XPRT_RDMA_RESIZE_GROW || to == XPRT_RDMA_RESIZE_DRAIN)
		xprt_rdma_sizes_want_recv(&conn->sizes, change->size);
}

/*
 * Has each sender posted its call that read inline_send or inline_recv before
 * @posts was read? One that begins later has locked the transport after that.
 */
static bool xprt_rdma_change_posted(const struct xprt_rdma_conn *conn,
				    u32 posts)
{
	/* Pairs with xprt_clear_locked() of sunrpc. */
	return !test_bit_acquire(XPRT_LOCKED, &conn->r_xprt->xprt.state) ||
	       xprt_rdma_sends_posts(&conn->sends) - posts >= POSTED_SENDS;
}

/* What xprt_rdma_change_posted() is to be called with */
static u32 xprt_rdma_change_posts(const struct xprt_rdma_conn *conn)
{
	/* Pairs with the test_and_set_bit() of a task that locks the transport. */
	smp_mb();
	return xprt_rdma_sends_posts(&conn->sends);
}

/* Calls are planned for replies of at most @size bytes from now on. */
static void xprt_rdma_change_plan(struct xprt_rdma_conn *conn, u32 size)
{
	xprt_rdma_sizes_plan_recv(&conn->sizes, size, conn->change.told);
}

/* Can the peer's request for Receives of @size bytes be granted? */
static bool xprt_rdma_change_grant_locked(struct xprt_rdma_conn *conn, u32 size)
{
	struct xprt_rdma_prop_change *change = &conn->change;

	if (!change->on)
		return false;
	if (change->state == XPRT_RDMA_RESIZE_NONE) {
		if (!conn->ops->may_grow(conn, size))
			return false;
		change->size = size;
		xprt_rdma_change_state_locked(conn, XPRT_RDMA_RESIZE_GROW);
	} else if (change->size < size) {
		return false;
	}
	change->asked = true;
	return true;
}

static bool xprt_rdma_change_same(const struct rpcrdma_props *a,
				  const struct rpcrdma_props *b)
{
	return a->reverse == b->reverse && a->remote_inv == b->remote_inv &&
	       a->read_replies == b->read_replies && a->htypes == b->htypes;
}

/* Deal with one of the properties that the peer wants us to change: @bit. */
static void xprt_rdma_change_judge_locked(struct xprt_rdma_conn *conn,
					  const struct rpcrdma_prop *prop,
					  struct xprt_rdma_prop_answer *answer,
					  u32 bit)
{
	struct xprt_rdma_prop_change *change = &conn->change;
	struct rpcrdma_props own, want;
	int which;

	xprt_rdma_props_own(conn, &own);
	want = own;
	which = rpcrdma_prop_decode(&want, prop);
	if (which <= 0 || which == RPCRDMA_PROPS_NOCHANGE)
		return;
	if (which != RPCRDMA_PROPS_RBSIZ) {
		if (xprt_rdma_change_same(&own, &want))
			answer->done |= bit;
	} else if (want.recv_size <= change->told) {
		answer->done |= bit;
	} else if (xprt_rdma_change_grant_locked(conn, want.recv_size)) {
		answer->pending |= bit;
	}
}

static struct xprt_rdma_prop_answer *
xprt_rdma_change_answer(struct xprt_rdma_prop_change *change, u32 nr)
{
	return &change->answers[nr % XPRT_RDMA_PROP_ANSWERS];
}

/* Returns false if too many requests of the peer are unanswered. */
static bool xprt_rdma_change_queue_answer_locked(struct xprt_rdma_conn *conn,
						 const struct rpcrdma_hdr *hdr)
{
	struct xprt_rdma_prop_change *change = &conn->change;
	struct xprt_rdma_prop_answer *answer;
	struct rpcrdma_cursor cur;
	struct rpcrdma_prop prop;
	u32 i;

	if (change->requested - change->answered == XPRT_RDMA_PROP_ANSWERS)
		return false;
	answer = xprt_rdma_change_answer(change, change->requested++);
	*answer = (struct xprt_rdma_prop_answer) {
		.xid = hdr->xid, .count = hdr->props_count,
	};
	rpcrdma_props_begin(hdr, &cur);
	for (i = 0; i < RPCRDMA2_REQPROP_MAX; i++) {
		if (!rpcrdma_props_next(&cur, &prop))
			break;
		xprt_rdma_change_judge_locked(conn, &prop, answer, BIT(i));
	}
	return true;
}

static int xprt_rdma_change_take_request(struct xprt_rdma_conn *conn,
					 const struct rpcrdma_hdr *hdr)
{
	struct xprt_rdma_prop_change *change = &conn->change;
	struct rpcrdma_props props;
	bool queued;

	if (rpcrdma_props_decode(&props, hdr))
		return RPCRDMA_EPROP;
	xprt_rdma_count(reqprops_received);
	spin_lock(&change->lock);
	queued = xprt_rdma_change_queue_answer_locked(conn, hdr);
	spin_unlock(&change->lock);
	if (unlikely(!queued)) {
		xprt_rdma_count(reqprops_excessive);
		xprt_rdma_life_blame(&conn->life, RPCRDMA_NL_LOST_PROTOCOL);
		xprt_rdma_conn_lost(conn);
	}
	return 0;
}

/* How the peer has dealt with the size that it was asked for */
static void xprt_rdma_change_take_verdict_locked(struct xprt_rdma_conn *conn,
						 const struct rpcrdma_hdr *hdr,
						 bool bad)
{
	struct xprt_rdma_prop_change *change = &conn->change;
	struct rpcrdma_props now = conn->peer.props;
	struct rpcrdma_resprop resp;

	now.recv_size = change->wanted;
	change->wanted = 0;
	if (!bad) {
		rpcrdma_resprop_get(&resp, hdr);
		bad = rpcrdma_resprop_overlaps(&resp) ||
		      !rpcrdma_resprop_covers(&resp, 1);
	}
	if (bad) {
		xprt_rdma_count(resprops_bad);
		change->refusals++;
	} else if (rpcrdma_subset_has(&resp.pending, 0)) {
		change->promised = true;
	} else if (rpcrdma_subset_has(&resp.rejected, 0)) {
		change->refusals++;
	} else if (now.recv_size > conn->peer.props.recv_size) {
		xprt_rdma_props_update(conn, &now, RPCRDMA_PROPS_RBSIZ);
	}
}

/* The peer has processed our RDMA2_UPDPROP. */
static void xprt_rdma_change_confirmed_locked(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_prop_change *change = &conn->change;

	if (xprt_rdma_sizes_recv_want(&conn->sizes) <= change->told) {
		xprt_rdma_change_state_locked(conn, XPRT_RDMA_RESIZE_NONE);
		return;
	}
	change->posts = xprt_rdma_sends_posts(&conn->sends);
	xprt_rdma_change_state_locked(conn, XPRT_RDMA_RESIZE_ANSWERS);
}

static void xprt_rdma_change_take_response(struct xprt_rdma_conn *conn,
					   const struct rpcrdma_hdr *hdr,
					   bool bad)
{
	struct xprt_rdma_prop_change *change = &conn->change;

	spin_lock(&change->lock);
	if (!change->unanswered || hdr->xid != change->xid) {
		xprt_rdma_count(resprops_unexpected);
		goto out_unlock;
	}
	change->unanswered = false;
	if (change->wanted)
		xprt_rdma_change_take_verdict_locked(conn, hdr, bad);
	else if (change->state == XPRT_RDMA_RESIZE_CONFIRM)
		xprt_rdma_change_confirmed_locked(conn);
out_unlock:
	spin_unlock(&change->lock);
}

static int xprt_rdma_change_take_update(struct xprt_rdma_conn *conn,
					const struct rpcrdma_hdr *hdr)
{
	struct xprt_rdma_prop_change *change = &conn->change;
	struct rpcrdma_props now = conn->peer.props;
	u32 before = xprt_rdma_sizes_send(&conn->sizes);
	struct rpcrdma_cursor cur;
	struct rpcrdma_prop prop;
	int which;

	rpcrdma_props_begin(hdr, &cur);
	rpcrdma_props_next(&cur, &prop);
	which = rpcrdma_prop_decode(&now, &prop);
	if (which < 0)
		return which;
	xprt_rdma_count(updprops_received);
	spin_lock(&change->lock);
	if (hdr->pendclr && which == RPCRDMA_PROPS_RBSIZ) {
		/* If it is not larger, there was no memory for that. */
		change->refusals += change->promised &&
				    now.recv_size <= conn->peer.props.recv_size;
		change->promised = false;
	}
	xprt_rdma_props_update(conn, &now, which);
	if (xprt_rdma_sizes_send(&conn->sizes) < before) {
		change->lowered_posts = xprt_rdma_change_posts(conn);
		change->lowered = true;
	}
	spin_unlock(&change->lock);
	return 0;
}

/**
 * xprt_rdma_prop_change_receive - handle a message by which properties change
 * @recv: its Receive, which the caller keeps; the header may be malformed
 *
 * Transport Characteristics draft section 4. Malformed messages are answered
 * with an error, except for those that are an answer themselves (v2 draft
 * section 5.3.3).
 *
 * Context: completion handler.
 */
void xprt_rdma_prop_change_receive(struct xprt_rdma_recv_ctx *recv)
{
	const struct xprt_rdma_fault fault = { .code = RPCRDMA2_ERR_BAD_XDR };
	const struct rpcrdma_hdr *hdr = &recv->hdr;
	struct xprt_rdma_conn *conn = recv->conn;
	bool response = hdr->type == RPCRDMA2_RESPROP;
	int rc = recv->error;

	if (hdr->len < RPCRDMA2_PREFIX_SIZE ||
	    response != !!(hdr->flags & RPCRDMA2_F_RESPONSE)) {
		xprt_rdma_count(messages_ignored);
		return;
	}
	trace_xprtrdma_change_received(conn, hdr);
	if (response)
		xprt_rdma_change_take_response(conn, hdr, rc);
	else if (!rc && hdr->type == RPCRDMA2_REQPROP)
		rc = xprt_rdma_change_take_request(conn, hdr);
	else if (!rc)
		rc = xprt_rdma_change_take_update(conn, hdr);
	if (rc)
		xprt_rdma_count(props_bad);
	if (rc && !response)
		xprt_rdma_error_send(conn, hdr->xid, &fault);
	xprt_rdma_change_kick(conn);
}

/**
 * xprt_rdma_prop_change_error - handle an error that may concern our messages
 * @conn: connection
 * @hdr: decoded header of the error
 *
 * The peer does not know the size that it was told last, if any. Calls are
 * planned as at the start.
 *
 * Context: completion handler.
 * Return: true if it answers one of our RDMA2_REQPROPs or RDMA2_UPDPROPs.
 */
bool xprt_rdma_prop_change_error(struct xprt_rdma_conn *conn,
				 const struct rpcrdma_hdr *hdr)
{
	struct xprt_rdma_prop_change *change = &conn->change;
	bool ours;

	spin_lock(&change->lock);
	ours = change->on && ((change->unanswered && hdr->xid == change->xid) ||
			      hdr->xid == change->update_xid);
	if (ours) {
		xprt_rdma_count(changes_refused);
		if (change->state == XPRT_RDMA_RESIZE_GROW)
			xprt_rdma_sizes_want_recv(&conn->sizes, change->told);
		change->on = false;
		change->unanswered = false;
		change->wanted = 0;
		change->ask = 0;
		xprt_rdma_change_plan(conn, change->base);
		xprt_rdma_change_state_locked(conn, XPRT_RDMA_RESIZE_NONE);
	}
	spin_unlock(&change->lock);
	return ours;
}

/**
 * xprt_rdma_prop_change_resized - the former Receives have been used up
 * @conn: connection
 * @ok: false if there was no memory for larger Receives
 *
 * Context: completion handler.
 */
void xprt_rdma_prop_change_resized(struct xprt_rdma_conn *conn, bool ok)
{
	struct xprt_rdma_prop_change *change = &conn->change;

	spin_lock(&change->lock);
	if (!ok) {
		xprt_rdma_count(resizes_failed);
		xprt_rdma_sizes_want_recv(&conn->sizes, xprt_rdma_recvs_size(&conn->recvs));
		change->size = change->told;
	} else if (change->state == XPRT_RDMA_RESIZE_DRAIN) {
		xprt_rdma_count(recvs_shrunk);
	} else if (change->state == XPRT_RDMA_RESIZE_GROW) {
		xprt_rdma_count(recvs_grown);
	}
	if (change->state == XPRT_RDMA_RESIZE_GROW &&
	    (ok || change->asked))
		xprt_rdma_change_state_locked(conn,
					      XPRT_RDMA_RESIZE_ANNOUNCE);
	else
		xprt_rdma_change_state_locked(conn, XPRT_RDMA_RESIZE_NONE);
	spin_unlock(&change->lock);
	xprt_rdma_change_kick(conn);
}

/*
 * Calls that were planned or in flight when posts was set are answered. So are
 * abandoned ones, or they have had the time: a server that never answers one
 * must not prevent all further changes.
 */
static bool xprt_rdma_change_answered_locked(struct xprt_rdma_conn *conn,
					     unsigned long *delay)
{
	struct xprt_rdma *r_xprt = conn->r_xprt;

	if ((!READ_ONCE(r_xprt->abandoned.count) ||
	     time_after(jiffies, conn->change.since + ABANDONED_WAIT)) &&
	    xprt_rdma_calls_answered(r_xprt, conn->change.posts))
		return true;
	*delay = ANSWERS_POLL;
	return false;
}

/* Leave states in which something is awaited that is never reported. */
static void xprt_rdma_change_advance_locked(struct xprt_rdma_conn *conn,
					    unsigned long *delay)
{
	struct xprt_rdma_prop_change *change = &conn->change;

	if (change->state == XPRT_RDMA_RESIZE_POSTING) {
		if (!xprt_rdma_change_posted(conn, change->posts)) {
			*delay = POSTED_POLL;
			return;
		}
		change->posts = xprt_rdma_sends_posts(&conn->sends);
		xprt_rdma_change_state_locked(conn, XPRT_RDMA_RESIZE_QUIESCE);
	}
	if (change->state == XPRT_RDMA_RESIZE_QUIESCE &&
	    xprt_rdma_change_answered_locked(conn, delay))
		xprt_rdma_change_state_locked(conn, XPRT_RDMA_RESIZE_ANNOUNCE);
	if (change->state == XPRT_RDMA_RESIZE_ANSWERS &&
	    xprt_rdma_change_answered_locked(conn, delay))
		xprt_rdma_change_state_locked(conn, XPRT_RDMA_RESIZE_DRAIN);
}

/* No request of ours is unanswered: send one? */
static enum xprt_rdma_change_msg
xprt_rdma_change_next_request_locked(struct xprt_rdma_conn *conn,
				     unsigned long *delay)
{
	struct xprt_rdma_prop_change *change = &conn->change;
	unsigned long due = change->since + DRAIN_DELAY;

	switch (change->state) {
	case XPRT_RDMA_RESIZE_ANNOUNCE:
		return XPRT_RDMA_CHANGE_UPDATE;
	case XPRT_RDMA_RESIZE_CONFIRM:
		return XPRT_RDMA_CHANGE_REQUEST;
	case XPRT_RDMA_RESIZE_GROW:
	case XPRT_RDMA_RESIZE_DRAIN:
		if (change->ask || time_after_eq(jiffies, due))
			return XPRT_RDMA_CHANGE_REQUEST;
		*delay = due - jiffies;
		return XPRT_RDMA_CHANGE_NOTHING;
	default:
		return change->ask ? XPRT_RDMA_CHANGE_REQUEST :
				     XPRT_RDMA_CHANGE_NOTHING;
	}
}

static enum xprt_rdma_change_msg
xprt_rdma_change_next_locked(struct xprt_rdma_conn *conn, unsigned long *delay)
{
	struct xprt_rdma_prop_change *change = &conn->change;

	if (change->requested != change->answered) {
		if (change->lowered &&
		    !xprt_rdma_change_posted(conn, change->lowered_posts)) {
			*delay = POSTED_POLL;
			return XPRT_RDMA_CHANGE_NOTHING;
		}
		change->lowered = false;
		return XPRT_RDMA_CHANGE_RESPONSE;
	}
	xprt_rdma_change_advance_locked(conn, delay);
	if (change->unanswered)
		return XPRT_RDMA_CHANGE_NOTHING;
	return xprt_rdma_change_next_request_locked(conn, delay);
}

static void xprt_rdma_change_begin(const struct xprt_rdma_conn *conn,
				   struct rpcrdma_encoder *enc, __be32 xid,
				   u32 type)
{
	rpcrdma_encode_fixed(enc, xid, RPCRDMA_VERSION_2,
			     xprt_rdma_credits_max(&conn->credits), type);
	rpcrdma_encode_word(enc, type == RPCRDMA2_RESPROP ?
				 RPCRDMA2_F_RESPONSE : 0);
}

static int xprt_rdma_change_finish(struct xprt_rdma_conn *conn,
				   struct rpcrdma_encoder *enc, const void *msg)
{
	int len = rpcrdma_encode_finish(enc);

	return len < 0 ? len : xprt_rdma_control_msg_send(conn, msg, len);
}

/* A request with more properties than the answer has room for is refused. */
static int xprt_rdma_change_send_response(struct xprt_rdma_conn *conn)
{
	const struct xprt_rdma_fault fault = { .code = RPCRDMA2_ERR_SYSTEM };
	struct xprt_rdma_prop_change *change = &conn->change;
	struct xprt_rdma_prop_answer answer =
		*xprt_rdma_change_answer(change, change->answered);
	u8 msg[RPCRDMA2_FIRST_MAX / 4];
	struct rpcrdma_encoder enc;
	int rc;

	rpcrdma_encode_init(&enc, msg, min_t(u32, xprt_rdma_sizes_send(&conn->sizes),
					     sizeof(msg)));
	xprt_rdma_change_begin(conn, &enc, answer.xid, RPCRDMA2_RESPROP);
	rpcrdma_resprop_encode(&enc, answer.count, answer.done, answer.pending);
	rc = xprt_rdma_change_finish(conn, &enc, msg);
	if (rc == -ENOBUFS)
		return rc;
	trace_xprtrdma_change_sent(conn, answer.xid, RPCRDMA2_RESPROP,
				   answer.pending);
	spin_lock(&change->lock);
	change->answered++;
	spin_unlock(&change->lock);
	if (rc == -EMSGSIZE) {
		xprt_rdma_error_send(conn, answer.xid, &fault);
		return 0;
	}
	return rc;
}

static int xprt_rdma_change_send_update(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_prop_change *change = &conn->change;
	struct rpcrdma_props props = { .recv_size = change->size };
	struct rpcrdma_encoder enc;
	u8 msg[64];
	int rc;

	change->update_xid = (__force __be32)get_random_u32();
	rpcrdma_encode_init(&enc, msg, sizeof(msg));
	xprt_rdma_change_begin(conn, &enc, change->update_xid,
			       RPCRDMA2_UPDPROP);
	rpcrdma_updprop_encode(&enc, &props, RPCRDMA_PROPS_RBSIZ,
			       change->asked);
	rc = xprt_rdma_change_finish(conn, &enc, msg);
	if (rc)
		return rc;
	xprt_rdma_count(updprops_sent);
	trace_xprtrdma_change_sent(conn, change->update_xid, RPCRDMA2_UPDPROP,
				   change->size);
	spin_lock(&change->lock);
	if (change->on) {
		xprt_rdma_change_plan(conn, change->size);
		change->told = change->size;
		change->asked = false;
		xprt_rdma_change_state_locked(conn, XPRT_RDMA_RESIZE_CONFIRM);
	}
	spin_unlock(&change->lock);
	return 0;
}

static int xprt_rdma_change_send_request(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_prop_change *change = &conn->change;
	struct rpcrdma_props props = {};
	struct rpcrdma_encoder enc;
	u8 msg[64];
	int rc;

	/* The answer may arrive before this function returns. */
	spin_lock(&change->lock);
	change->xid = (__force __be32)get_random_u32();
	change->unanswered = true;
	if (change->state != XPRT_RDMA_RESIZE_CONFIRM) {
		change->wanted = change->ask;
		change->ask = 0;
	}
	props.recv_size = change->wanted;
	spin_unlock(&change->lock);
	rpcrdma_encode_init(&enc, msg, sizeof(msg));
	xprt_rdma_change_begin(conn, &enc, change->xid, RPCRDMA2_REQPROP);
	rpcrdma_reqprop_encode(&enc, &props,
			       props.recv_size ? RPCRDMA_PROPS_RBSIZ : 0);
	rc = xprt_rdma_change_finish(conn, &enc, msg);
	if (rc) {
		spin_lock(&change->lock);
		change->unanswered = false;
		change->ask = max(change->ask, change->wanted);
		change->wanted = 0;
		spin_unlock(&change->lock);
		return rc;
	}
	xprt_rdma_count(reqprops_sent);
	trace_xprtrdma_change_sent(conn, change->xid, RPCRDMA2_REQPROP,
				   props.recv_size);
	return 0;
}

/* Take one step. Return the time until the next one, in jiffies. */
static unsigned long xprt_rdma_change_step(struct xprt_rdma_conn *conn)
{
	struct xprt_rdma_prop_change *change = &conn->change;
	enum xprt_rdma_change_msg next;
	unsigned long delay = NEVER;
	int rc;

	spin_lock(&change->lock);
	next = xprt_rdma_change_next_locked(conn, &delay);
	spin_unlock(&change->lock);
	switch (next) {
	case XPRT_RDMA_CHANGE_RESPONSE:
		rc = xprt_rdma_change_send_response(conn);
		break;
	case XPRT_RDMA_CHANGE_UPDATE:
		rc = xprt_rdma_change_send_update(conn);
		break;
	case XPRT_RDMA_CHANGE_REQUEST:
		rc = xprt_rdma_change_send_request(conn);
		break;
	default:
		return delay;
	}
	if (rc == -ENOBUFS)
		return SEND_RETRY;
	return rc ? NEVER : 0;
}

/**
 * xprt_rdma_prop_change_work - take the steps that are due
 * @work: the connection's change.work
 *
 * Context: process; xprt_rdma_prop_change_stop() waits for it, so the
 * connection stays.
 */
void xprt_rdma_prop_change_work(struct work_struct *work)
{
	struct xprt_rdma_conn *conn =
		container_of(work, struct xprt_rdma_conn, change.work.work);
	unsigned int flags = xprt_rdma_reclaim_save(conn->r_xprt);
	unsigned long delay;

	do
		delay = xprt_rdma_change_step(conn);
	while (!delay);
	if (delay != NEVER)
		queue_delayed_work(xprtiod_workqueue, &conn->change.work,
				   delay);
	xprt_rdma_reclaim_restore(flags);
}

/**
 * xprt_rdma_prop_change_shrink - have our Receives shrink
 * @conn: connection
 * @size: bytes
 *
 * Context: process.
 * Return: true if that has begun.
 */
bool xprt_rdma_prop_change_shrink(struct xprt_rdma_conn *conn, u32 size)
{
	struct xprt_rdma_prop_change *change = &conn->change;
	bool begun;

	spin_lock(&change->lock);
	begun = change->on && change->state == XPRT_RDMA_RESIZE_NONE &&
		size < change->told;
	if (begun) {
		change->size = size;
		xprt_rdma_change_plan(conn, size);
		change->posts = xprt_rdma_change_posts(conn);
		xprt_rdma_change_state_locked(conn, XPRT_RDMA_RESIZE_POSTING);
	}
	spin_unlock(&change->lock);
	if (begun)
		xprt_rdma_change_kick(conn);
	return begun;
}

/**
 * xprt_rdma_prop_change_ask - ask the peer for larger Receives
 * @conn: connection
 * @size: bytes
 *
 * Transport Characteristics draft section 4.2.
 *
 * Context: process.
 * Return: true if the request will be sent.
 */
bool xprt_rdma_prop_change_ask(struct xprt_rdma_conn *conn, u32 size)
{
	struct xprt_rdma_prop_change *change = &conn->change;
	bool asks;

	spin_lock(&change->lock);
	asks = change->on && !change->ask && !change->wanted &&
	       !change->promised &&
	       !(conn->peer.props.nochange & RPCRDMA_PROPS_RBSIZ);
	if (asks)
		change->ask = size;
	spin_unlock(&change->lock);
	if (asks)
		xprt_rdma_change_kick(conn);
	return asks;
}

/**
 * xprt_rdma_prop_change_init - initialize the changes of a new connection
 * @conn: connection
 *
 * Context: process.
 */
void xprt_rdma_prop_change_init(struct xprt_rdma_conn *conn)
{
	spin_lock_init(&conn->change.lock);
	INIT_DELAYED_WORK(&conn->change.work, xprt_rdma_prop_change_work);
}

/**
 * xprt_rdma_prop_change_stop - stop changing properties
 * @conn: connection that is about to end
 *
 * Context: process; may sleep.
 */
void xprt_rdma_prop_change_stop(struct xprt_rdma_conn *conn)
{
	disable_delayed_work_sync(&conn->change.work);
}
