// SPDX-License-Identifier: GPL-2.0-only
/*
 * Negotiate the RPC-over-RDMA version.
 *
 * A server may announce its versions when it accepts the connection, in a
 * version hint (core/codec/private.c). For a server without a hint, the tunable
 * "negotiate" decides whether version 2 is offered.
 *
 * v2 draft sections 5.3.4 and 7. The first message on a connection is an
 * RDMA2_CONNPROP with our properties: the offer of version 2. It fits into the
 * smallest Receive that a peer may have, and nothing else is in flight. An
 * answer in version 2 selects that version. If it is an RDMA2_CONNPROP with the
 * response flag, it contains the peer's properties; otherwise their defaults
 * apply. ERR_VERS selects version 1 on the same connection. If there is no
 * answer in time, the next connection uses version 1, because the server may be
 * busy. If the connection is lost, this transport uses version 1 for some time,
 * because each offer to such a server costs a connection. A server that
 * announces version 2 always gets the offer.
 *
 * No RPC is sent before the version is set, and the version of a connection
 * never changes.
 */

#include <rpcrdma/cm.h>

#include "../conn.h"
#include "../stats.h"
#include "../tunables.h"
#include "../xprt.h"
#include "version.h"
#include "../message/message.h"

/* Seconds without another offer after the server has dropped one */
#define WITHHOLD	60

/**
 * xprt_rdma_negotiate_choose - choose how to learn whether a server supports
 * version 2
 * @r_xprt: transport that connects
 *
 * Context: process.
 * Return: how a new connection negotiates.
 */
enum xprt_rdma_negotiation
xprt_rdma_negotiate_choose(const struct xprt_rdma *r_xprt)
{
	if (READ_ONCE(xprt_rdma_max_version) < RPCRDMA_VERSION_2)
		return XPRT_RDMA_NEGOTIATE_OFF;
	if (!READ_ONCE(xprt_rdma_negotiate) ||
	    ktime_get_seconds() < r_xprt->no_offer)
		return XPRT_RDMA_NEGOTIATE_HINT;
	return XPRT_RDMA_NEGOTIATE_PROBE;
}

/* Did the server end the connection, or leave a call unanswered? */
static bool xprt_rdma_negotiate_is_dropped(const struct xprt_rdma_conn *conn)
{
	switch (rpcrdma_cause_reason(READ_ONCE(conn->life.cause))) {
	case RPCRDMA_NL_LOST_NONE:
		/*
		 * Receives are flushed before the CM reports the disconnect.
		 * Pairs with xprt_rdma_conn_change_state().
		 */
		return smp_load_acquire(&conn->life.state) == XPRT_RDMA_FAILED &&
		       conn->life.error == -ENOTCONN &&
		       rpcrdma_port_active(conn->id);
	case RPCRDMA_NL_LOST_PEER:
	case RPCRDMA_NL_LOST_WORK:
	case RPCRDMA_NL_LOST_TIMEOUT:
		return true;
	default:
		return false;
	}
}

/**
 * xprt_rdma_negotiate_ended - withhold offers if an offer ended the connection
 * @conn: connection, in the last state before it is closed
 *
 * v2 draft section 7.2. If the server has dropped the connection instead of
 * answering the offer, later connections begin with version 1. The same applies
 * if the server has answered the offer with ERR_VERS, but then no call. If it
 * does answer calls, an offer costs only one message, and another server may
 * answer next time. A server that did not answer CONF_RDMA has shown nothing
 * about the offer.
 *
 * Context: process; the caller holds XPRT_LOCKED.
 */
void xprt_rdma_negotiate_ended(const struct xprt_rdma_conn *conn)
{
	const struct xprt_rdma_version *ver = READ_ONCE(conn->ver);

	if (!conn->offer.made || conn->peer.hint == RPCRDMA_HINT_V2 ||
	    (ver && (ver->has_props || !conn->life.since)) ||
	    conn->life.answered || !xprt_rdma_negotiate_is_dropped(conn))
		return;
	conn->r_xprt->no_offer = ktime_get_seconds() + WITHHOLD;
	xprt_rdma_count(fallbacks_remembered);
}

/**
 * xprt_rdma_negotiate_decide - decide whether to offer version 2
 * @conn: connection that the server has just accepted
 * @hint: the server's version hint
 *
 * Context: process, a CM event.
 */
void xprt_rdma_negotiate_decide(struct xprt_rdma_conn *conn,
				enum rpcrdma_hint hint)
{
	enum xprt_rdma_negotiation mode = conn->offer.mode;

	conn->peer.hint = hint;
	if (hint != RPCRDMA_HINT_NONE && mode != XPRT_RDMA_NEGOTIATE_OFF) {
		conn->offer.made = hint == RPCRDMA_HINT_V2;
		conn->offer.reason = RPCRDMA_NL_REASON_HINT;
	} else if (mode == XPRT_RDMA_NEGOTIATE_PROBE) {
		conn->offer.made = true;
		conn->offer.reason = RPCRDMA_NL_REASON_OFFER;
	} else {
		/* An earlier offer has failed, or offers are disabled. */
		conn->offer.reason = mode == XPRT_RDMA_NEGOTIATE_HINT &&
				     READ_ONCE(xprt_rdma_negotiate) ?
					     RPCRDMA_NL_REASON_UNANSWERED :
					     RPCRDMA_NL_REASON_TUNABLE;
	}
	/* The server's first message may arrive before the offer is sent. */
	if (conn->offer.made)
		xprt_rdma_props_init(conn);
}

/**
 * xprt_rdma_negotiate_send - offer version 2 by sending our properties
 * @conn: connection that was just established
 *
 * Context: process; the caller holds XPRT_LOCKED.
 * Return: 0 or a negative errno.
 */
int xprt_rdma_negotiate_send(struct xprt_rdma_conn *conn)
{
	u8 msg[RPCRDMA2_FIRST_MAX / 8];
	struct rpcrdma_encoder enc;
	int len;

	rpcrdma_encode_init(&enc, msg, sizeof(msg));
	rpcrdma_encode_fixed(&enc, conn->offer.xid, RPCRDMA_VERSION_2,
			     conn->credits.max, RPCRDMA2_CONNPROP);
	rpcrdma_encode_word(&enc, 0);
	rpcrdma_props_encode(&enc, &conn->properties.own);
	len = rpcrdma_encode_finish(&enc);
	if (len < 0)
		return len;
	return xprt_rdma_control_msg_send(conn, msg, len);
}

/* Use version 1 if the range of versions in the ERR_VERS includes it. */
static int xprt_rdma_negotiate_refused(struct xprt_rdma_conn *conn,
				       const struct rpcrdma_hdr *hdr)
{
	if (hdr->err_index > RPCRDMA_VERSION_1 ||
	    hdr->err_value < RPCRDMA_VERSION_1)
		return -EPROTONOSUPPORT;
	conn->offer.reason = RPCRDMA_NL_REASON_REFUSED;
	xprt_rdma_v1_begin(conn);
	return 0;
}

/*
 * Properties with the response flag answer the offer and select version 2, even
 * if they are malformed. Properties without the flag are ignored: they are no
 * answer, and grant nothing. The offer is still in flight, so no other message
 * may be sent (v2 draft sections 3.2 and 7).
 */
static int xprt_rdma_negotiate_take_props(struct xprt_rdma_conn *conn,
					  struct rpcrdma_hdr *hdr, int rc)
{
	struct rpcrdma_props props;

	if (!(hdr->flags & RPCRDMA2_F_RESPONSE)) {
		xprt_rdma_count(messages_ignored);
		return -EAGAIN;
	}
	if (rc || rpcrdma_props_decode(&props, hdr)) {
		rpcrdma_props_default(&props);
		xprt_rdma_count(props_bad);
	}
	xprt_rdma_v2_begin(conn, &props);
	if (!rc)
		xprt_rdma_credit_grant(conn, hdr->credits);
	return 0;
}

/* Handle an error that answers the offer. ERR_VERS is the same in both versions. */
static int xprt_rdma_negotiate_take_error(struct xprt_rdma_conn *conn,
					  const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_props props;

	if (hdr->xid != conn->offer.xid)
		return -EAGAIN;
	if (hdr->err == RPCRDMA2_ERR_VERS)
		return xprt_rdma_negotiate_refused(conn, hdr);
	if (hdr->version == RPCRDMA_VERSION_1)
		return -EAGAIN;
	rpcrdma_props_default(&props);
	xprt_rdma_v2_begin(conn, &props);
	return 0;
}

/**
 * xprt_rdma_negotiate_reply - handle a message that arrives before the version
 * is set
 * @conn: connection
 * @hdr: receives the decoded header
 * @buf: message
 * @len: bytes in @buf
 *
 * Context: completion handler.
 * Return: 0 if the version is now set; -EAGAIN if the message was not an
 * answer; -EPROTONOSUPPORT if we have no version in common with the peer.
 */
int xprt_rdma_negotiate_reply(struct xprt_rdma_conn *conn,
			      struct rpcrdma_hdr *hdr, const void *buf, u32 len)
{
	int rc = rpcrdma_decode(hdr, buf, len);

	if (hdr->version == RPCRDMA_VERSION_2) {
		rc = rpcrdma_decode_v2(hdr, buf, len);
		if (hdr->type == RPCRDMA2_CONNPROP)
			return xprt_rdma_negotiate_take_props(conn, hdr, rc);
	}
	if (rc || hdr->type != RPCRDMA2_ERROR)
		return -EAGAIN;
	return xprt_rdma_negotiate_take_error(conn, hdr);
}
