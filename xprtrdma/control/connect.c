// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connection attempts, the delay between them, and the error that waiting tasks
 * get. conn_events.c handles the CM's answers, disconnect.c ends a connection.
 *
 * Operation: a worker resolves the address, creates the Queue Pair, connects,
 * agrees on a version and, if it is version 1, may exchange limits. CM events
 * change the connection's state; the worker waits for these changes. The worker
 * holds XPRT_LOCKED throughout, as does any thread that ends a connection, so a
 * transport has one connection, changed by one thread.
 *
 * An attempt is a sequence of tries. The first try is made immediately.
 *
 * - A connect request that was lost in an outage is sent again, with another CM
 *   identifier, as soon as the server can be reached (reach.c). A slow server
 *   has to start over at most once, and has BUSY_TIMEOUT to answer. If a
 *   thousand clients gave up earlier, because the server serves the others
 *   first, it would only accept connections that nobody wants any more. A task
 *   that fails without a connection waits for CONNECT_TIMEOUT.
 * - While our port is down or the server's address cannot be resolved, nothing
 *   reaches the server, and a try every RETRY_INTERVAL costs it nothing. Each
 *   try resolves the address again, because the kernel gives up after some
 *   seconds without reporting that. With iWARP, each try also gets another
 *   local port, because TCP may already use the port that the CM chose.
 * - A refused try is repeated after a delay with jitter, which doubles up to
 *   BACKOFF_MAX until a reply arrives.
 *
 * Tries are repeated for INSIST_TIME. A task that fails without a connection
 * (mount, unmount) waits that long only if its request was lost, and waits for
 * RESOLVE_TIME if the address cannot be resolved.
 *
 * Each step of a try has a time limit. While it waits, the worker checks
 * whether the transport is being destroyed or unmounted, because both wait for
 * XPRT_LOCKED.
 *
 * Memory: I/O waits for the connection, and memory reclaim may wait for I/O. So
 * no allocation may start I/O in the worker, in the CM event handlers that it
 * waits for, or while a connection ends. This includes allocations by the RDMA
 * core and the driver; see xprt_rdma_reclaim_save().
 *
 * Errors: a task that fails without a connection gets the error. Only errors
 * that sunrpc's call_connect_status() passes to such tasks are used:
 * ECONNREFUSED (nothing listens there), EHOSTUNREACH (no answer), ENETUNREACH
 * (no RDMA device for the address), ENETDOWN (its port is down), ENOBUFS (no
 * memory). After most of these, sunrpc pauses for 3 seconds, even if an outage
 * ends meanwhile. So other tasks get EAGAIN, and the next attempt begins
 * immediately. A mount that gives up when its network is gone (fatal_neterrors)
 * gets ENETUNREACH.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/random.h>

#include "../conn.h"
#include "../stats.h"
#include "../tunables.h"
#include "../xprt.h"
#include "control.h"
#include "../ext/ext.h"
#include "../version/version.h"
#include "../message/message.h"
#include "../verbs/verbs.h"

/* Time for address and route resolution, and for the CM's own delays */
#define RESOLVE_TIMEOUT		\
	(msecs_to_jiffies(XPRT_RDMA_ADDR_MS + XPRT_RDMA_ROUTE_MS) + HZ)
/*
 * Time for the answer to a connect request, if the server gives no other sign
 * of life. On RoCE the CM repeats its messages after 4.6 s (4096 ms, plus twice
 * 256 ms for the path), so a try survives the loss of two successive messages.
 */
#define CONNECT_TIMEOUT		(15UL * HZ)
/* The same, if reach.c got an answer from the server less than CONNECT_TIMEOUT ago */
#define BUSY_TIMEOUT		(75UL * HZ)
#define NEGOTIATE_TIMEOUT	(5 * HZ)
#define CONFIGURE_TIMEOUT	(5 * HZ)
/* Interval at which a waiting worker checks whether to give up */
#define POLL_INTERVAL		(HZ / 5)

/*
 * Interval between tries that cannot reach the server, and how long they are
 * repeated
 */
#define RETRY_INTERVAL		(HZ / 2)
#define INSIST_TIME		(15UL * HZ)
/* Least time for which resolving the server's address is tried */
#define RESOLVE_TIME		(2UL * HZ)

#define BACKOFF_MIN		(HZ / 2)
#define BACKOFF_MAX		(3UL * HZ)

static struct workqueue_struct *connect_wq;

/* Is a call waiting that belongs to an unmount? */
static bool xprt_rdma_connect_delays_unmount(struct rpc_xprt *xprt)
{
	struct rpc_rqst *rqst, *next;
	bool found = false;

	spin_lock(&xprt->queue_lock);
	rbtree_postorder_for_each_entry_safe(rqst, next, &xprt->recv_queue,
					     rq_recv)
		found |= xprt_rdma_nfs_is_destroy(rqst->rq_task);
	spin_unlock(&xprt->queue_lock);
	return found;
}

/*
 * Give up if xprt_destroy() waits for XPRT_LOCKED (the last reference is gone),
 * or if a call of an unmount does: that call gets an attempt of its own, or
 * fails.
 */
static bool xprt_rdma_connect_unwanted(struct xprt_rdma *r_xprt)
{
	return !kref_read(&r_xprt->xprt.kref) ||
	       (!r_xprt->softconn &&
		xprt_rdma_connect_delays_unmount(&r_xprt->xprt));
}

static bool xprt_rdma_connect_is_busy(const struct xprt_rdma_conn *conn,
				      const struct xprt_rdma_reach *reach)
{
	return reach && !conn->r_xprt->softconn &&
	       time_before(jiffies, conn->life.requested + BUSY_TIMEOUT) &&
	       xprt_rdma_reach_heard(reach, CONNECT_TIMEOUT);
}

/*
 * Wait until @end (jiffies) for @conn to reach state @to or a later one.
 * Returns -ECONNABORTED if the connect request may have been lost, according to
 * @reach (unless that is NULL), and -EHOSTUNREACH on timeout.
 */
static int xprt_rdma_connect_wait(struct xprt_rdma_conn *conn,
				  enum xprt_rdma_state to, unsigned long end,
				  struct xprt_rdma_reach *reach)
{
	enum xprt_rdma_state state;

	do {
		wait_event_timeout(conn->life.wait,
				   READ_ONCE(conn->life.state) >= to,
				   POLL_INTERVAL);
		/* Pairs with xprt_rdma_conn_change_state(). */
		state = smp_load_acquire(&conn->life.state);
		if (state == XPRT_RDMA_FAILED)
			return conn->life.error;
		if (state >= to)
			return 0;
		if (xprt_rdma_connect_unwanted(conn->r_xprt))
			return -ENOTCONN;
		if (reach && xprt_rdma_reach_lost(reach))
			return -ECONNABORTED;
		if (state >= XPRT_RDMA_NEGOTIATING)
			xprt_rdma_probe_first(conn);
	} while (time_before(jiffies, end) ||
		 xprt_rdma_connect_is_busy(conn, reach));
	return -EHOSTUNREACH;
}

static int xprt_rdma_connect_resolve(struct xprt_rdma_conn *conn)
{
	unsigned int tos = READ_ONCE(xprt_rdma_service_type);
	struct rpc_xprt *xprt = &conn->r_xprt->xprt;
	struct rdma_cm_id *id;
	int rc;

	id = rdma_create_id(xprt->xprt_net, xprt_rdma_conn_cm_event, conn,
			    RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id))
		return PTR_ERR(id);
	conn->id = id;
	if (tos)
		rdma_set_service_type(conn->id, tos);
	rc = rdma_resolve_addr(conn->id, NULL, (struct sockaddr *)&xprt->addr,
			       XPRT_RDMA_ADDR_MS);
	if (rc)
		return rc;
	return xprt_rdma_connect_wait(conn, XPRT_RDMA_RESOLVED,
				      jiffies + RESOLVE_TIMEOUT, NULL);
}

static int xprt_rdma_connect_await_accept(struct xprt_rdma_conn *conn)
{
	bool iwarp = rdma_protocol_iwarp(conn->device, conn->id->port_num);
	struct xprt_rdma *r_xprt = conn->r_xprt;
	struct xprt_rdma_reach reach;
	int rc;

	xprt_rdma_reach_begin(&reach, r_xprt, !r_xprt->repeated);
	rc = xprt_rdma_connect_wait(conn, XPRT_RDMA_NEGOTIATING,
				    jiffies + CONNECT_TIMEOUT,
				    iwarp ? NULL : &reach);
	xprt_rdma_reach_end(&reach);
	return rc;
}

/* Send the connect request. The server's answer decides which state follows. */
static int xprt_rdma_connect_request(struct xprt_rdma_conn *conn)
{
	const struct rpcrdma_private priv = {
		.send_size	= READ_ONCE(conn->sizes.inline_send),
		.recv_size	= READ_ONCE(conn->sizes.inline_recv),
		.remote_inv	= READ_ONCE(xprt_rdma_remote_invalidation),
		.hint		= conn->offer.mode == XPRT_RDMA_NEGOTIATE_OFF ?
					  RPCRDMA_HINT_NONE : RPCRDMA_HINT_V2,
	};
	u8 buf[RPCRDMA_PRIVATE_MAX];
	struct rdma_conn_param param = {
		.private_data = buf,
		.responder_resources = conn->peer.ird,
		.initiator_depth = conn->peer.ord,
		.retry_count = RPCRDMA_RETRY_COUNT,
		.rnr_retry_count = 7,
	};
	int rc;

	param.private_data_len = rpcrdma_private_encode(&priv, buf);
	rdma_set_min_rnr_timer(conn->id, IB_RNR_TIMER_000_48);
	rpcrdma_set_ack_timeout(conn->id, READ_ONCE(xprt_rdma_ack_timeout));
	conn->life.requested = jiffies ?: 1;
	rc = rdma_connect(conn->id, &param) ?: xprt_rdma_connect_await_accept(conn);
	if (!rc)
		rpcrdma_path_query(conn->id, &conn->peer.path);
	return rc;
}

/* Does the failure to make this connection usable say anything about the server? */
static bool xprt_rdma_connect_is_telling(const struct xprt_rdma_conn *conn)
{
	return !xprt_rdma_connect_unwanted(conn->r_xprt) &&
	       !READ_ONCE(conn->life.device_gone);
}

/*
 * Agree on the version. An offer that could not be sent says nothing about the
 * server, and neither does the loss of a connection whose version was already
 * set.
 *
 * A server that announces version 2 but does not answer is busy or restarting.
 * A new connection would only make it start over. So it gets as much time as a
 * server that is slow to accept, unless its adapter no longer answers.
 *
 * Returns -EPROTO if any other server does not answer: the next connection
 * begins with version 1. Connections after that one do not, as the server may
 * just be slow.
 */
static int xprt_rdma_connect_negotiate(struct xprt_rdma_conn *conn)
{
	const char *addr = conn->r_xprt->xprt.address_strings[RPC_DISPLAY_ADDR];
	bool has_v2 = conn->peer.hint == RPCRDMA_HINT_V2;
	unsigned long due = jiffies + NEGOTIATE_TIMEOUT;
	int rc;

	rc = xprt_rdma_negotiate_send(conn);
	if (rc)
		return rc;
	rc = xprt_rdma_connect_wait(conn, XPRT_RDMA_CONFIGURING,
				    has_v2 ? due + CONNECT_TIMEOUT : due, NULL);
	if (rc == -EPROTONOSUPPORT) {
		pr_notice_ratelimited("%s has no RPC-over-RDMA version in common with this client: compare max_version of both, or mount with proto=tcp\n",
				      addr);
		return -ECONNREFUSED;
	}
	if (!rc || READ_ONCE(conn->ver) || !xprt_rdma_connect_is_telling(conn))
		return rc;
	if (has_v2)
		return -EAGAIN;
	if (rc != -ENOTCONN)
		xprt_rdma_count(offers_unanswered);
	return -EPROTO;
}

/*
 * RFC 5666 section 6.1: no other call is sent before the answer to CONF_RDMA.
 * Returns -EPROTO if there is no answer: the next connection sends no
 * CONF_RDMA.
 */
static int xprt_rdma_connect_configure(struct xprt_rdma_conn *conn)
{
	int rc;

	rc = xprt_rdma_conf_send(conn);
	if (rc)
		return rc;
	rc = xprt_rdma_connect_wait(conn, XPRT_RDMA_CONNECTED,
				    jiffies + CONFIGURE_TIMEOUT, NULL);
	return rc && xprt_rdma_connect_is_telling(conn) ? -EPROTO : rc;
}

/*
 * Create a connection. If @plain, version 2 is offered only to a server that
 * announces it, and no limits are exchanged.
 */
static struct xprt_rdma_conn *xprt_rdma_connect_new(struct xprt_rdma *r_xprt,
						    bool plain)
{
	enum xprt_rdma_negotiation mode = xprt_rdma_negotiate_choose(r_xprt);
	struct xprt_rdma_conn *conn;

	if (plain)
		mode = min(mode, XPRT_RDMA_NEGOTIATE_HINT);
	conn = xprt_rdma_conn_create(r_xprt, &xprt_rdma_control_ops, mode);
	if (!conn)
		return NULL;
	if (!plain)
		xprt_rdma_conf_begin(conn);
	xprt_rdma_properties_begin(conn);
	xprt_rdma_probe_begin(r_xprt);
	xprt_rdma_conn_set_current(r_xprt, conn);
	return conn;
}

/* Connect once. On -EPROTO, the caller connects again with @plain. */
static int xprt_rdma_connect_establish(struct xprt_rdma *r_xprt, bool plain)
{
	struct xprt_rdma_conn *conn;
	int rc;

	xprt_rdma_disconnect(r_xprt);
	conn = xprt_rdma_connect_new(r_xprt, plain);
	if (!conn)
		return -ENOBUFS;
	rc = xprt_rdma_connect_resolve(conn);
	if (rc)
		return rc;
	if (!rpcrdma_port_active(conn->id))
		return -ENETDOWN;
	rc = xprt_rdma_endpoint_query(conn);
	if (rc)
		return rc;
	xprt_rdma_pulled_query(conn);
	rc = xprt_rdma_endpoint_create(conn);
	if (rc)
		return rc;
	rc = xprt_rdma_connect_request(conn);
	if (!rc && conn->offer.made)
		rc = xprt_rdma_connect_negotiate(conn);
	/* Do not test life.state here: the connection may have been lost meanwhile. */
	if (!rc && xprt_rdma_version_next_state(conn) == XPRT_RDMA_CONFIGURING)
		rc = xprt_rdma_connect_configure(conn);
	return rc;
}

/*
 * Make a try. If the peer has reset the connection, connect once more. If the
 * server did not answer our first message, connect again without that message.
 */
static int xprt_rdma_connect_try(struct xprt_rdma *r_xprt)
{
	int rc;

	rc = xprt_rdma_connect_establish(r_xprt, false);
	if (rc == -ECONNRESET && !xprt_rdma_connect_unwanted(r_xprt))
		rc = xprt_rdma_connect_establish(r_xprt, false);
	if (rc == -EPROTO)
		rc = xprt_rdma_connect_establish(r_xprt, true);
	return rc;
}

/* Log the reason: a mount gets the same errno for all these reasons. */
static void xprt_rdma_connect_explain(struct xprt_rdma *r_xprt, int rc)
{
	const char *addr = r_xprt->xprt.address_strings[RPC_DISPLAY_ADDR];

	if (rc == -ENETUNREACH)
		pr_notice_ratelimited("no route to %s: see ip route get\n", addr);
	else if (rc != -EOPNOTSUPP)
		pr_notice_ratelimited("no RDMA device for %s: see rdma link, or mount with proto=tcp\n",
				      addr);
}

/**
 * struct xprt_rdma_connect_outcome - what follows a failed try
 * @error: error of the try
 * @told: error for waiting tasks: see Errors in the file's header
 * @insist: how long the try is repeated (jiffies) for a task that fails without a
 *	connection; for other tasks, it is repeated for INSIST_TIME
 * @last: the try is not repeated for any task
 */
struct xprt_rdma_connect_outcome {
	int		error;
	int		told;
	unsigned long	insist;
	bool		last;
};

static const struct xprt_rdma_connect_outcome outcomes[] = {
	{ -ECONNREFUSED, -ECONNREFUSED },
	{ -ECONNRESET, -ECONNREFUSED },
	{ -ENETDOWN, -ENETDOWN },
	{ -EHOSTUNREACH, -EHOSTUNREACH, RESOLVE_TIME },
	{ -EADDRINUSE, -EAGAIN, RESOLVE_TIME },
	/* The connect request may have been lost. */
	{ -ECONNABORTED, -EAGAIN, INSIST_TIME },
	{ -ENOTCONN, -ENOTCONN, .last = true },
	{ -EAGAIN, -EAGAIN, .last = true },
	{ -ENOBUFS, -ENOBUFS, .last = true },
	{ -ENOMEM, -ENOBUFS, .last = true },
	/* Any other error */
	{ 0, -ENETUNREACH },
};

static const struct xprt_rdma_connect_outcome *
xprt_rdma_connect_get_outcome(int error)
{
	const struct xprt_rdma_connect_outcome *outcome = outcomes;

	while (outcome->error && outcome->error != error)
		outcome++;
	return outcome;
}

static void xprt_rdma_connect_succeeded(struct xprt_rdma *r_xprt)
{
	struct rpc_xprt *xprt = &r_xprt->xprt;

	xprt->connect_cookie++;
	xprt->stat.connect_count++;
	xprt->stat.connect_time += (long)jiffies - xprt->stat.connect_start;
	xprt_rdma_history_connected(r_xprt);
	xprt_set_connected(xprt);
	xprt_rdma_watch_start(r_xprt);
}

/*
 * A task that gets ECONNREFUSED asks sunrpc to disconnect, unless the connect
 * cookie has changed since the task began to wait. By then another task may
 * have started the next attempt. So the cookie is changed here: otherwise the
 * next connection would be closed as soon as it is established.
 */
static int xprt_rdma_connect_failed(struct xprt_rdma *r_xprt, int rc)
{
	int told = xprt_rdma_connect_get_outcome(rc)->told;

	xprt_rdma_disconnect(r_xprt);
	r_xprt->xprt.connect_cookie++;
	r_xprt->history.failures++;
	xprt_rdma_count(connects_failed);
	if (told == -ENETUNREACH && r_xprt->softconn)
		xprt_rdma_connect_explain(r_xprt, rc);
	if (r_xprt->softconn || told == -ENOBUFS ||
	    (r_xprt->netfatal && told == -ENETUNREACH))
		return told;
	return -EAGAIN;
}

static unsigned long xprt_rdma_connect_next_delay(struct xprt_rdma *r_xprt)
{
	unsigned long cap =
		min(BACKOFF_MAX, r_xprt->xprt.max_reconnect_timeout);
	unsigned long delay = min(r_xprt->backoff, cap);

	r_xprt->backoff = clamp(2 * r_xprt->backoff, (unsigned long)BACKOFF_MIN,
				BACKOFF_MAX);
	return delay ? delay / 2 + get_random_u32_below(delay / 2 + 1) : 0;
}

/*
 * Decide whether, and when, another try follows the try that has failed with
 * @rc: see Operation in the file's header. A failure is not recorded if nobody
 * wants a connection any more.
 */
static bool xprt_rdma_connect_again(struct xprt_rdma *r_xprt, int rc)
{
	const struct xprt_rdma_connect_outcome *outcome =
		xprt_rdma_connect_get_outcome(rc);
	unsigned long most = r_xprt->softconn ? outcome->insist : INSIST_TIME;
	unsigned long due = r_xprt->connect_due + RETRY_INTERVAL;

	if (xprt_rdma_connect_unwanted(r_xprt))
		return false;
	xprt_rdma_history_failed(r_xprt, rc);
	if (outcome->last)
		return false;
	r_xprt->repeated |= rc == -ECONNABORTED;
	/* The delay grows only if the server answers. */
	if (outcome->told == -ECONNREFUSED)
		due = jiffies + xprt_rdma_connect_next_delay(r_xprt);
	else
		r_xprt->backoff = 0;
	if (!time_before(jiffies, r_xprt->xprt.stat.connect_start + most))
		return false;
	xprt_rdma_count(connects_repeated);
	xprt_rdma_disconnect(r_xprt);
	r_xprt->connect_due = due;
	return true;
}

/**
 * xprt_rdma_connect_work - establish a connection
 * @work: the transport's connect_work
 *
 * Context: process; holds XPRT_LOCKED, and releases it at the end.
 */
void xprt_rdma_connect_work(struct work_struct *work)
{
	struct xprt_rdma *r_xprt =
		container_of(work, struct xprt_rdma, connect_work.work);
	struct rpc_xprt *xprt = &r_xprt->xprt;
	unsigned int flags;
	int rc = -ENOTCONN;

	if (!xprt_rdma_connect_unwanted(r_xprt) &&
	    time_before(jiffies, r_xprt->connect_due)) {
		queue_delayed_work(connect_wq, &r_xprt->connect_work,
				   min_t(unsigned long, POLL_INTERVAL,
					 r_xprt->connect_due - jiffies));
		return;
	}
	r_xprt->connect_due = jiffies;
	flags = xprt_rdma_reclaim_save(r_xprt);
	if (!xprt_rdma_connect_unwanted(r_xprt))
		rc = xprt_rdma_connect_try(r_xprt);
	if (rc && xprt_rdma_connect_again(r_xprt, rc)) {
		queue_delayed_work(connect_wq, &r_xprt->connect_work, 0);
		goto out;
	}
	xprt_clear_connecting(xprt);
	if (!rc) {
		xprt_rdma_connect_succeeded(r_xprt);
		rc = -EAGAIN;
	} else {
		rc = xprt_rdma_connect_failed(r_xprt, rc);
	}
	/*
	 * Wake the tasks before XPRT_LOCKED is released and calls are sent on
	 * this connection: tasks that wait for replies are woken, too, and send
	 * their calls again.
	 */
	xprt_wake_pending_tasks(xprt, rc);
	xprt_unlock_connect(xprt, r_xprt);
out:
	xprt_rdma_reclaim_restore(flags);
}

/**
 * xprt_rdma_op_connect - start an attempt to connect
 * @xprt: transport
 * @task: task that waits for the connection
 *
 * Context: process; the caller holds XPRT_LOCKED, which passes to the worker.
 */
void xprt_rdma_op_connect(struct rpc_xprt *xprt, struct rpc_task *task)
{
	struct xprt_rdma *r_xprt = to_r_xprt(xprt);
	bool locked;

	if (xprt_rdma_nfs_is_destroy(task))
		task->tk_flags |= RPC_TASK_SOFTCONN;
	locked = xprt_lock_connect(xprt, task, r_xprt);
	WARN_ON_ONCE(!locked);
	xprt_rdma_history_wanted(r_xprt);
	r_xprt->connect_due = jiffies + xprt_rdma_connect_next_delay(r_xprt);
	r_xprt->repeated = false;
	r_xprt->softconn = RPC_IS_SOFTCONN(task);
	r_xprt->netfatal = task->tk_flags & RPC_TASK_NETUNREACH_FATAL;
	queue_delayed_work(connect_wq, &r_xprt->connect_work, 0);
}

/**
 * xprt_rdma_connect_init - allocate the workqueue for attempts to connect
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int xprt_rdma_connect_init(void)
{
	connect_wq = alloc_workqueue("xprtrdma_connect",
				     WQ_UNBOUND | WQ_MEM_RECLAIM,
				     WQ_UNBOUND_MAX_ACTIVE);
	return connect_wq ? 0 : -ENOMEM;
}

/**
 * xprt_rdma_connect_exit - undo xprt_rdma_connect_init()
 *
 * CM identifiers that could not be destroyed yet are destroyed now.
 *
 * Context: process; there is no transport any more.
 */
void xprt_rdma_connect_exit(void)
{
	destroy_workqueue(connect_wq);
	rpcrdma_deferred_ids_check(THIS_MODULE);
}
