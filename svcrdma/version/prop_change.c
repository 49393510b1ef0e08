// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transport properties that change while a connection exists (Transport
 * Characteristics draft section 4): ours, the requester's, and the requests of
 * both sides.
 *
 * Operation: the only property of ours that changes is the Receive Buffer Size.
 *
 *	STEADY -> GROWING -> ANNOUNCED -> STEADY
 *	STEADY -> ANNOUNCED -> SHRINKING -> STEADY
 *
 * When it grows, larger Receives are posted first. When no smaller one is
 * posted any more, the requester is told (RDMA2_UPDPROP). When it shrinks, the
 * requester is told first, and smaller Receives are posted when it is known to
 * have processed that, so that nothing longer can arrive.
 *
 * A request for no properties (RDMA2_REQPROP) follows each RDMA2_UPDPROP. As
 * the requester processes messages in order, its answer shows that it has
 * processed the RDMA2_UPDPROP. The answer also uses up a Receive of ours, and
 * nothing else does on an idle connection: further such requests are sent if
 * the Receives are not exchanged otherwise.
 *
 * At most one request of ours is unanswered, and at most one RDMA2_UPDPROP not
 * known to be processed.
 *
 * Messages of the requester's are handled in the order in which they arrive
 * (svc_rdma_call_receive()), so our answers show the same. A callback that was
 * built for a larger Receive of the requester's is posted before such an
 * answer.
 *
 * Which sizes are allowed, and when ours changes, is decided above
 * (control/tuning.c).
 *
 * Errors: a requester that does not answer keeps the change from ending, and
 * further ones from beginning. Receives of the larger size stay posted until
 * the connection is closed for that (control/tuning.c).
 */

#include "../counters.h"
#include "../message/message.h"
#include "../verbs/verbs.h"
#include "version.h"
#include <trace/events/svcrdma.h>

/* Time in which Receives should be exchanged by the messages that arrive */
#define SVC_RDMA_USE_UP_AFTER	(HZ / 10)

/* Time in which a requester should answer a request */
#define SVC_RDMA_ANSWER_WITHIN	(10 * HZ)

/* Interval of attempts to get memory for smaller Receives */
#define SVC_RDMA_RETRY_AFTER	HZ

/**
 * enum svc_rdma_verdict - what becomes of one property of a request
 * @SVC_RDMA_REJECTED: it does not change
 * @SVC_RDMA_DONE: it has the requested value
 * @SVC_RDMA_PENDING: it will have it
 */
enum svc_rdma_verdict {
	SVC_RDMA_REJECTED,
	SVC_RDMA_DONE,
	SVC_RDMA_PENDING,
};

/* To change a size, both types are needed, because it has to shrink again. */
static bool svc_rdma_change_understood(const struct svc_rdma_conn *conn)
{
	const u32 types = BIT(RPCRDMA2_REQPROP) | BIT(RPCRDMA2_UPDPROP);

	return conn->change.enabled && !conn->change.failed &&
	       (conn->peer.props.htypes & types) == types;
}

static void svc_rdma_change_request(struct svc_rdma_conn *conn, u32 size)
{
	struct svc_rdma_prop_change *change = &conn->change;

	if (change->asking || change->failed)
		return;
	change->asking = true;
	change->asked_at = jiffies;
	change->asked = size;
	change->barrier = change->state == SVC_RDMA_SIZE_ANNOUNCED;
	change->xid = ++change->next_xid;
	svc_rdma_reqprop_send(conn, cpu_to_be32(change->xid), size);
}

/* Use up one of the Receives that are still to be exchanged. */
static void svc_rdma_change_use_up(struct svc_rdma_conn *conn)
{
	struct svc_rdma_prop_change *change = &conn->change;

	if (!change->using_up || !change->uses_left || change->asking ||
	    !svc_rdma_recvs_resizing(conn))
		return;
	change->uses_left--;
	svc_rdma_change_request(conn, 0);
}

static int svc_rdma_change_begin(struct svc_rdma_conn *conn, u32 size,
				 enum svc_rdma_size_state state)
{
	struct svc_rdma_prop_change *change = &conn->change;
	int ret;

	ret = svc_rdma_recvs_resize(conn, size);
	if (ret)
		return ret;
	trace_svc_rdma_recv_size(&conn->xprt, state, change->told, size);
	change->state = state;
	change->using_up = false;
	change->uses_left = READ_ONCE(conn->recvs.total);
	mod_delayed_work(svc_rdma_wq, &change->work,
			 svc_rdma_recvs_resizing(conn) ? SVC_RDMA_USE_UP_AFTER :
							 0);
	return 0;
}

/* The requester may send that much from now on, and no more. */
static void svc_rdma_change_announce(struct svc_rdma_conn *conn, u32 size)
{
	struct svc_rdma_prop_change *change = &conn->change;

	if (size > change->told)
		svc_rdma_count(recv_size_grown);
	else
		svc_rdma_count(recv_size_shrunk);
	if (size > change->told)
		svc_rdma_recvs_set_floor(conn, size);
	trace_svc_rdma_recv_size(&conn->xprt, SVC_RDMA_SIZE_ANNOUNCED,
				 change->told, size);
	WRITE_ONCE(change->told, size);
	change->state = SVC_RDMA_SIZE_ANNOUNCED;
	change->update_xid = ++change->next_xid;
	svc_rdma_updprop_send(conn, cpu_to_be32(change->update_xid), size,
			      change->promised);
	change->promised = false;
	svc_rdma_change_request(conn, 0);
}

static void svc_rdma_change_end(struct svc_rdma_conn *conn)
{
	conn->change.state = SVC_RDMA_SIZE_STEADY;
	trace_svc_rdma_recv_size(&conn->xprt, SVC_RDMA_SIZE_STEADY,
				 conn->change.told, conn->recvs.size);
}

/* If there is no memory, the larger Receives remain, and it is tried again. */
static void svc_rdma_change_shrink(struct svc_rdma_conn *conn)
{
	struct svc_rdma_prop_change *change = &conn->change;

	svc_rdma_recvs_set_floor(conn, change->told);
	if (!svc_rdma_change_begin(conn, change->told, SVC_RDMA_SIZE_SHRINKING))
		return;
	change->state = SVC_RDMA_SIZE_SHRINKING;
	mod_delayed_work(svc_rdma_wq, &change->work, SVC_RDMA_RETRY_AFTER);
}

/* The requester has processed our RDMA2_UPDPROP. */
static void svc_rdma_change_processed(struct svc_rdma_conn *conn)
{
	if (conn->recvs.size == conn->change.told)
		svc_rdma_change_end(conn);
	else
		svc_rdma_change_shrink(conn);
}

static void svc_rdma_change_continue(struct svc_rdma_conn *conn)
{
	struct svc_rdma_prop_change *change = &conn->change;

	if (change->state == SVC_RDMA_SIZE_SHRINKING &&
	    conn->recvs.size != change->told) {
		svc_rdma_change_shrink(conn);
	} else if (svc_rdma_recvs_resizing(conn)) {
		change->using_up = true;
		svc_rdma_change_use_up(conn);
	} else if (change->state == SVC_RDMA_SIZE_GROWING) {
		svc_rdma_change_announce(conn, change->target);
	} else {
		svc_rdma_change_end(conn);
	}
}

static void svc_rdma_change_work(struct work_struct *work)
{
	struct svc_rdma_prop_change *change =
		container_of(work, struct svc_rdma_prop_change, work.work);
	struct svc_rdma_conn *conn =
		container_of(change, struct svc_rdma_conn, change);

	mutex_lock(&change->mutex);
	if (!svc_rdma_conn_closing(conn) &&
	    (change->state == SVC_RDMA_SIZE_GROWING ||
	     change->state == SVC_RDMA_SIZE_SHRINKING))
		svc_rdma_change_continue(conn);
	mutex_unlock(&change->mutex);
}

/* A smaller size than the one that the requester was told is done, too. */
static enum svc_rdma_verdict
svc_rdma_change_decide_size(struct svc_rdma_conn *conn, u32 size)
{
	struct svc_rdma_prop_change *change = &conn->change;

	if (!svc_rdma_change_understood(conn))
		return SVC_RDMA_REJECTED;
	if (size <= change->told)
		return SVC_RDMA_DONE;
	if (change->state == SVC_RDMA_SIZE_STEADY) {
		size = conn->sizes.ops->grant(conn, size);
		if (!size || svc_rdma_change_begin(conn, size,
						   SVC_RDMA_SIZE_GROWING))
			return SVC_RDMA_REJECTED;
		change->target = size;
	}
	if (change->state != SVC_RDMA_SIZE_GROWING || size > change->target)
		return SVC_RDMA_REJECTED;
	change->promised = true;
	return SVC_RDMA_PENDING;
}

/* @mask: an enum rpcrdma_prop_mask; 0: a property that is not known here */
static enum svc_rdma_verdict
svc_rdma_change_decide(struct svc_rdma_conn *conn,
		       const struct rpcrdma_props *want, u32 mask)
{
	struct rpcrdma_props ours;
	bool same;

	svc_rdma_props_own(conn, &ours);
	switch (mask) {
	case RPCRDMA_PROPS_RBSIZ:
		return svc_rdma_change_decide_size(conn, want->recv_size);
	case RPCRDMA_PROPS_BRS:
		same = want->reverse == ours.reverse;
		break;
	case RPCRDMA_PROPS_REMOTE_INV:
		same = want->remote_inv == ours.remote_inv;
		break;
	case RPCRDMA_PROPS_READ_REPLIES:
		same = want->read_replies == ours.read_replies;
		break;
	case RPCRDMA_PROPS_HTYPES:
		same = want->htypes == ours.htypes;
		break;
	default:
		same = false;
	}
	return same ? SVC_RDMA_DONE : SVC_RDMA_REJECTED;
}

/* Nothing changes if a property of the request is malformed. */
static bool svc_rdma_change_well_formed(const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_props props;
	struct rpcrdma_cursor cur;
	struct rpcrdma_prop prop;

	rpcrdma_props_begin(hdr, &cur);
	while (rpcrdma_props_next(&cur, &prop))
		if (rpcrdma_prop_decode(&props, &prop) < 0)
			return false;
	return true;
}

/**
 * svc_rdma_change_requested - handle a request to change properties of ours
 * @conn: connection
 * @recv: RDMA2_REQPROP, which the caller keeps
 *
 * Transport Characteristics draft section 4.2. What cannot change, is not
 * known, or comes after the first RPCRDMA2_REQPROP_MAX properties is rejected.
 *
 * Context: process; does not wait for room in the Send Queue.
 * Return: 0, or RPCRDMA_EPROP if a property is malformed; then nothing was
 * changed and no answer was sent.
 */
int svc_rdma_change_requested(struct svc_rdma_conn *conn,
			      struct svc_rdma_recv_ctx *recv)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;
	u32 i, mask, done = 0, pending = 0;
	struct rpcrdma_props want;
	struct rpcrdma_cursor cur;
	struct rpcrdma_prop prop;

	svc_rdma_count(reqprops_received);
	if (!svc_rdma_change_well_formed(hdr))
		return RPCRDMA_EPROP;
	mutex_lock(&conn->change.mutex);
	rpcrdma_props_default(&want);
	rpcrdma_props_begin(hdr, &cur);
	for (i = 0; i < RPCRDMA2_REQPROP_MAX; i++) {
		if (!rpcrdma_props_next(&cur, &prop))
			break;
		mask = rpcrdma_prop_decode(&want, &prop);
		switch (svc_rdma_change_decide(conn, &want, mask)) {
		case SVC_RDMA_DONE:
			done |= BIT(i);
			break;
		case SVC_RDMA_PENDING:
			pending |= BIT(i);
			break;
		default:
			svc_rdma_count(changes_rejected);
		}
	}
	svc_rdma_resprop_send(conn, hdr, done, pending);
	mutex_unlock(&conn->change.mutex);
	return 0;
}

/* What was asked for is a minimum, and the requester may have told us more. */
static void svc_rdma_change_raise(struct svc_rdma_conn *conn, u32 size)
{
	if (size <= conn->peer.props.recv_size)
		return;
	conn->peer.props.recv_size = size;
	svc_rdma_props_set_send_size(conn, size);
}

/*
 * What the requester says to our request for a larger size, if it was one.
 * @resp: NULL if that cannot be decoded
 */
static void svc_rdma_change_take_answer(struct svc_rdma_conn *conn,
					const struct rpcrdma_resprop *resp)
{
	struct svc_rdma_prop_change *change = &conn->change;
	bool valid = resp && !rpcrdma_resprop_overlaps(resp) &&
		     rpcrdma_resprop_covers(resp, !!change->asked);

	if (!valid)
		svc_rdma_count(answers_invalid);
	if (!change->asked)
		return;
	if (valid && rpcrdma_subset_has(&resp->pending, 0))
		change->pending = true;
	else if (valid && rpcrdma_subset_has(&resp->done, 0))
		svc_rdma_change_raise(conn, change->asked);
	else
		change->refused = true;
}

/**
 * svc_rdma_change_answered - handle the answer to a request of ours
 * @conn: connection
 * @xid: its XID
 * @resp: what it says; NULL if that could not be decoded
 *
 * Transport Characteristics draft section 4.3. Whatever it says, it shows what
 * the requester has processed.
 *
 * Context: process; does not wait for room in the Send Queue.
 * Return: false if it answers nothing.
 */
bool svc_rdma_change_answered(struct svc_rdma_conn *conn, __be32 xid,
			      const struct rpcrdma_resprop *resp)
{
	struct svc_rdma_prop_change *change = &conn->change;
	bool ours;

	mutex_lock(&change->mutex);
	ours = change->asking && be32_to_cpu(xid) == change->xid;
	if (!ours)
		goto out;
	change->asking = false;
	svc_rdma_change_take_answer(conn, resp);
	if (change->barrier)
		svc_rdma_change_processed(conn);
	else if (change->state == SVC_RDMA_SIZE_ANNOUNCED)
		svc_rdma_change_request(conn, 0);
	svc_rdma_change_use_up(conn);
out:
	mutex_unlock(&change->mutex);
	return ours;
}

/* Is this the XID of a message of ours that an error may answer? */
static bool svc_rdma_change_is_ours(const struct svc_rdma_prop_change *change,
				    u32 xid)
{
	return (change->asking && xid == change->xid) ||
	       (change->state == SVC_RDMA_SIZE_ANNOUNCED &&
		xid == change->update_xid);
}

/**
 * svc_rdma_change_refused - handle an error that may answer a message of ours
 * @conn: connection
 * @xid: XID of the error
 *
 * A requester that has announced these messages does not refuse them: from now
 * on, none is sent.
 *
 * Context: process.
 * Return: false if it answers something else.
 */
bool svc_rdma_change_refused(struct svc_rdma_conn *conn, __be32 xid)
{
	struct svc_rdma_prop_change *change = &conn->change;
	bool ours;

	mutex_lock(&change->mutex);
	ours = svc_rdma_change_is_ours(change, be32_to_cpu(xid));
	if (ours) {
		change->asking = false;
		change->failed = true;
	}
	mutex_unlock(&change->mutex);
	return ours;
}

static void svc_rdma_change_apply(struct svc_rdma_conn *conn,
				  const struct rpcrdma_props *props, u32 mask)
{
	conn->peer.props = *props;
	switch (mask) {
	case RPCRDMA_PROPS_RBSIZ:
		svc_rdma_props_set_send_size(conn, props->recv_size);
		break;
	case RPCRDMA_PROPS_REMOTE_INV:
		WRITE_ONCE(conn->peer.remote_inv,
			   conn->caps.invalidate && props->remote_inv);
		break;
	case RPCRDMA_PROPS_READ_REPLIES:
		WRITE_ONCE(conn->peer.read_replies,
			   conn->caps.advertise && props->read_replies);
		break;
	}
}

/**
 * svc_rdma_change_updated - a property of the requester's has changed
 * @conn: connection
 * @recv: RDMA2_UPDPROP, which the caller keeps
 *
 * Transport Characteristics draft section 4.4. A property is ignored if it is
 * not known here, or if the requester has said that it will not change.
 *
 * Context: process.
 * Return: 0, or RPCRDMA_EPROP if the property is malformed, and ignored.
 */
int svc_rdma_change_updated(struct svc_rdma_conn *conn,
			    struct svc_rdma_recv_ctx *recv)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;
	struct rpcrdma_props props = conn->peer.props;
	struct rpcrdma_cursor cur;
	struct rpcrdma_prop prop;
	int mask;

	svc_rdma_count(updprops_received);
	rpcrdma_props_begin(hdr, &cur);
	rpcrdma_props_next(&cur, &prop);
	mask = rpcrdma_prop_decode(&props, &prop);
	if (mask < 0)
		return mask;
	mutex_lock(&conn->change.mutex);
	if (!mask || mask & conn->peer.props.nochange)
		svc_rdma_count(updprops_ignored);
	else
		svc_rdma_change_apply(conn, &props, mask);
	if (mask == RPCRDMA_PROPS_RBSIZ && hdr->pendclr)
		conn->change.pending = false;
	mutex_unlock(&conn->change.mutex);
	trace_svc_rdma_prop_update(&conn->xprt, hdr->xid, prop.id,
				   READ_ONCE(conn->sizes.send), hdr->pendclr);
	return 0;
}

/**
 * svc_rdma_change_shrink_locked - begin to make our Receives smaller
 * @conn: connection
 * @size: bytes
 *
 * Context: process; the caller holds change.mutex. Does not wait for room in
 * the Send Queue.
 * Return: false if the size is not larger, or a change is in progress.
 */
bool svc_rdma_change_shrink_locked(struct svc_rdma_conn *conn, u32 size)
{
	if (conn->change.state != SVC_RDMA_SIZE_STEADY ||
	    size >= conn->change.told || !svc_rdma_change_understood(conn))
		return false;
	svc_rdma_change_announce(conn, size);
	return true;
}

/**
 * svc_rdma_change_ask_locked - ask the requester for larger Receives
 * @conn: connection
 * @size: bytes
 *
 * Context: process; the caller holds change.mutex. Does not wait for room in
 * the Send Queue.
 * Return: 0; -EALREADY if they are as large; -EBUSY if an earlier request is not
 * answered, or pending; -EOPNOTSUPP if the requester does not understand that,
 * or has said that the size will not change.
 */
int svc_rdma_change_ask_locked(struct svc_rdma_conn *conn, u32 size)
{
	struct svc_rdma_prop_change *change = &conn->change;

	if (!svc_rdma_change_understood(conn) ||
	    conn->peer.props.nochange & RPCRDMA_PROPS_RBSIZ)
		return -EOPNOTSUPP;
	if (size <= READ_ONCE(conn->sizes.send))
		return -EALREADY;
	if (change->asking || change->pending)
		return -EBUSY;
	change->refused = false;
	svc_rdma_change_request(conn, size);
	return 0;
}

/**
 * svc_rdma_change_stuck_locked - check whether Receives can become smaller again
 * @conn: connection
 *
 * Context: process; the caller holds change.mutex.
 * Return: true if the requester has refused to say what it has processed, or has
 * not said it for too long.
 */
bool svc_rdma_change_stuck_locked(const struct svc_rdma_conn *conn)
{
	const struct svc_rdma_prop_change *change = &conn->change;

	return change->failed ||
	       (change->asking &&
		time_after(jiffies, change->asked_at + SVC_RDMA_ANSWER_WITHIN));
}

/**
 * svc_rdma_change_init - initialize what a connection needs to change properties
 * @conn: new connection
 *
 * Context: process.
 */
void svc_rdma_change_init(struct svc_rdma_conn *conn)
{
	mutex_init(&conn->change.mutex);
	INIT_DELAYED_WORK(&conn->change.work, svc_rdma_change_work);
}

/**
 * svc_rdma_change_stop - stop changing properties
 * @conn: connection on which no message is handled any more
 *
 * Context: process; waits for a change in progress.
 */
void svc_rdma_change_stop(struct svc_rdma_conn *conn)
{
	cancel_delayed_work_sync(&conn->change.work);
}
