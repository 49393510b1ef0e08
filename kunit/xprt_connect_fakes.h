/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fakes for connecting: the CM, the device, sunrpc, and a clock that advances
 * only while the code under test waits. Includes connect.c and the files that
 * it needs.
 */
#ifndef _XPRT_RDMA_XPRT_CONNECT_FAKES_H
#define _XPRT_RDMA_XPRT_CONNECT_FAKES_H

#include <rdma/ib_cm.h>

#include <rpcrdma/ended.h>

#include "xprt_fakes.h"
#include "fake_memory.h"
#include "../xprtrdma/ext/ext.h"

/* How the CM, the device and the server behave in an attempt to connect */
struct fake_attempt {
	bool offer;			/* version 2 is offered to a server that sends no hint */
	enum rpcrdma_hint hint;		/* the server's version hint */
	bool configure;			/* limits are exchanged with version 1 */
	const char *fails;		/* name of the step that fails, or NULL */
	int error;			/* return value of @fails */
	const char *silent;		/* name of the step that is not answered, or NULL */
	/*
	 * number of attempts in which @silent is not answered; 0: all. Each of
	 * them ends with @event, if set, @after jiffies after the previous one.
	 */
	u32 times;
	enum rdma_cm_event_type event;	/* CM event that arrives instead of the answer */
	unsigned long after;	/* jiffies of waiting until @event arrives; 0: never */
	int status;			/* status of @event */
	/* jiffies of waiting until the last user is gone; 0: never */
	unsigned long leaves;
	bool port_down;			/* the port is not active */
	unsigned long port_up;		/* jiffies until the port is active; 0: never */
	bool lost_early;		/* the device is removed while the Queue Pair is created */
	bool iwarp;			/* the device uses the iWARP CM */
	/* jiffies until the first connect request counts as lost; 0: never */
	unsigned long lost;
	bool lost_again;		/* later connect requests are lost, too */
	unsigned long busy;	/* jiffies during which the server's CM answers other requests */
};

/* State of the fakes, and a record of the calls to them */
static struct world {
	struct fake_attempt happens;		/* set by the test */
	unsigned long now;			/* time in jiffies */
	u32 polls;	/* number of times that jiffies was read since the last wait */
	/* jiffies of waiting until no task waits for an invalidation */
	unsigned long inv_waiters_leave;
	bool highest;				/* random numbers have their largest value, not 0 */
	char made[1024];			/* steps taken to connect */
	char ended[1024];			/* steps taken to disconnect */
	u32 may_start_io;	/* number of steps in which an allocation could start I/O */
	void (*beside)(void);	/* called during each wait, or NULL */
	unsigned long waited;			/* jiffies of all waits so far */
	bool woken;				/* the wait queue was woken */
	int addr_ms;				/* time limit of address resolution */
	int route_ms;				/* time limit of route resolution */
	const void *dst;			/* address passed to rdma_resolve_addr() */
	struct rdma_conn_param param;		/* parameters of the last connect request */
	struct rpcrdma_private priv;		/* private data of the last connect request */
	bool rnr;				/* the receiver-not-ready timer was set */
	u32 ack_timeout;			/* last ACK timeout set */
	u32 tos;				/* last service type set */
	/* number of reachability checks in progress */
	int reaching;
	unsigned long reach_since;		/* @waited when the last check began */
	/* the last check was for an attempt's first connect request */
	bool reach_first;
	u32 probes;		/* number of checks while the connection is not usable yet */
	u32 disconnects;			/* number of calls to xprt_force_disconnect() */
	u32 invalidations;			/* number of calls to xprt_rdma_invalidate_all() */
	u32 noted;				/* number of ends and failed attempts noted */
	u32 cause;				/* cause in the last note */
	bool closing;	/* conn->mrs.closing at rdma_disconnect() */
	int queues;				/* number of workqueues */
	/* rpcrdma_deferred_ids_check() was called after destroy_workqueue() */
	bool rest;
	u32 queued;				/* number of times that connect work was queued */
	bool kept;	/* a failed connection was kept until the next try */
	unsigned long delay;			/* delay of the work queued last, in jiffies */
	u32 wakes;				/* number of times that waiting tasks were woken */
	int told;				/* status of the last wakeup */
	u32 unlocks;				/* number of times that XPRT_LOCKED was released */
	u32 wakes_at_unlock;			/* @wakes at the last release of XPRT_LOCKED */
	struct xprt_rdma_conn *conn;	/* last connection freed; its memory is kept for checks */
	/* the transport's connection when @conn was freed */
	struct xprt_rdma_conn *seen_at_free;
} world;

/* Steps as recorded in world.made and world.ended */
#define MAKE		"id addr route endpoint connect"
#define WATCH		" watch"
#define BEGIN_END	"watch properties offer"
#define END		" qp flush reads sends controls destroy unmap credits free"
#define END_QP		" drain"
/* Steps that undo an attempt whose connect request was sent */
#define UNDO		BEGIN_END " disconnect" END_QP END

static struct rdma_cm_id fake_id;
static struct ib_device fake_device;
static struct xprt_rdma *r_xprt;
static unsigned int fake_inline_write, fake_inline_read;
static u32 fake_service_type;
/* No test case changes these parameters. */
unsigned int xprt_rdma_receive_buffer_size = 5120, xprt_rdma_ack_timeout = 20;
bool xprt_rdma_remote_invalidation = true;

/* Log a step, in which no allocation may start I/O. */
static void note(char *log, const char *step)
{
	world.may_start_io += !xprt_rdma_reclaim_safe();
	if (*log)
		strlcat(log, " ", sizeof(world.made));
	strlcat(log, step, sizeof(world.made));
}

static bool is_step(const char *which, const char *step)
{
	return which && !strcmp(which, step);
}

/* Log a step of connecting. Returns 0, or an error if this step is to fail. */
static int step_made(const char *step)
{
	note(world.made, step);
	return is_step(world.happens.fails, step) ? world.happens.error : 0;
}

static unsigned long fake_now(void)
{
	/* Advance the clock for a loop that polls without waiting. */
	if (++world.polls > 1000)
		world.now += HZ;
	return world.now;
}

static enum xprt_rdma_negotiation fake_mode(void)
{
	if (world.happens.offer)
		return XPRT_RDMA_NEGOTIATE_PROBE;
	return world.happens.hint ? XPRT_RDMA_NEGOTIATE_HINT :
				    XPRT_RDMA_NEGOTIATE_OFF;
}

static void fake_decide(struct xprt_rdma_conn *conn, enum rpcrdma_hint hint)
{
	conn->peer.hint = hint;
	conn->offer.made = hint ? hint == RPCRDMA_HINT_V2 :
				conn->offer.mode == XPRT_RDMA_NEGOTIATE_PROBE;
}

static bool fake_reach_lost(void)
{
	return world.happens.lost &&
	       (world.reach_first || world.happens.lost_again) &&
	       world.waited - world.reach_since >= world.happens.lost;
}

static struct workqueue_struct *fake_alloc_wq(unsigned int flags, int most)
{
	/* I/O needs the workqueue; transports must not delay each other. */
	if (fake_memory_out() || !(flags & WQ_MEM_RECLAIM) || most < 512)
		return NULL;
	world.queues++;
	return (struct workqueue_struct *)&fake_id;
}

#undef get_random_u32_below
#define jiffies				fake_now()
#define get_random_u32_below(ceil)	(world.highest && (ceil) ? (ceil) - 1 : 0)
/* A small value: the kernel may have booted a few seconds ago. */
#define ktime_get_seconds()		((time64_t)7)
#undef wait_event_timeout
#define wait_event_timeout(wq, condition, timeout)			\
({									\
	world.woken = false;						\
	if (!(condition))						\
		fake_sleep(timeout);					\
	(condition);							\
})
#undef wait_event
#define wait_event(wq, condition)					\
do {									\
	while (!wait_event_timeout(wq, condition, HZ / 5))		\
		;							\
} while (0)
#undef wake_up_all
#define wake_up_all(wait)		(world.woken = true, __wake_up(wait, TASK_NORMAL, 0, NULL))
#define queue_delayed_work(wq, work, after) \
	((void)(wq), (void)(work), (void)world.queued++, (void)(world.delay = (after)))
#undef alloc_workqueue
#define alloc_workqueue(name, flags, most)	fake_alloc_wq(flags, most)
#define destroy_workqueue(wq)		((void)(wq), (void)world.queues--)
#define rpcrdma_deferred_ids_check(owner) \
	((void)(world.rest = !world.queues && (owner) == THIS_MODULE))
#define xprt_rdma_max_inline_write	fake_inline_write
#define xprt_rdma_max_inline_read	fake_inline_read
#undef rdma_create_id
#define rdma_create_id(net, handler, context, ps, type) fake_create_id(context)
#define rdma_resolve_addr(id, src, dst, ms)	fake_resolve_addr(dst, ms)
#define rdma_resolve_route(id, ms)	fake_resolve_route(ms)
#define rdma_set_min_rnr_timer(id, timer)	((void)(id), world.rnr = true)
#define rpcrdma_path_query(id, to)	((void)(id), (to)->mtu = 2048)
#define rpcrdma_set_ack_timeout(id, exp)	((void)(id), world.ack_timeout = (exp))
#define rdma_set_service_type(id, tos)	((void)(id), world.tos = (tos))
#define xprt_rdma_service_type		fake_service_type
#define rpcrdma_traffic_class(id)	((void)(id), (u8)world.tos)
#define rdma_connect(id, param)		fake_connect(param)
#define rdma_disconnect(id)		fake_disconnect()
#define rdma_protocol_iwarp(dev, port)	((void)(dev), world.happens.iwarp)
#define xprt_rdma_reach_begin(reach, r_xprt, first) \
	((void)(reach), (void)world.reaching++, (void)(world.reach_since = world.waited), \
	 (void)(world.reach_first = (first)))
#define xprt_rdma_reach_lost(reach)	((void)(reach), fake_reach_lost())
#define xprt_rdma_reach_heard(reach, within) \
	((void)(reach), world.happens.busy && \
	 world.waited - world.reach_since < world.happens.busy + (within))
#define xprt_rdma_reach_end(reach)	((void)(reach), (void)world.reaching--)
#define xprt_rdma_negotiate_choose(r_xprt)	((void)(r_xprt), fake_mode())
#define xprt_rdma_negotiate_decide	fake_decide
#define xprt_rdma_negotiate_send	fake_negotiate_send
#define xprt_rdma_probe_first(c)	((void)(c), (void)world.probes++)
#define xprt_rdma_probe_begin(x)	((void)((x)->probe.posted = false))
#define xprt_rdma_conf_begin		fake_conf_begin
#define xprt_rdma_conf_send		fake_conf_send
#define xprt_rdma_version_next_state(c)	((c)->conf.call_size ? \
	XPRT_RDMA_CONFIGURING : XPRT_RDMA_CONNECTED)
#define xprt_rdma_v1_begin(c)		fake_set_version(c, RPCRDMA_VERSION_1)
#define xprt_rdma_negotiate_ended(c) \
	note(world.ended, (c)->life.state == XPRT_RDMA_CLOSING ? "late" : "offer")
#define xprt_force_disconnect(xprt)	((void)(xprt), (void)world.disconnects++)
#define rpcrdma_port_active(id)	((id) && !world.happens.port_down)
#define xprt_rdma_conn_free_deferred	fake_conn_free_deferred
#define xprt_rdma_endpoint_create	fake_endpoint_create
#define xprt_rdma_endpoint_drain(c)	note(world.ended, "drain")
#define xprt_rdma_endpoint_query(c) \
	((c)->device = &fake_device, (c)->peer.ird = 16, (c)->peer.ord = 255, 0)
#define xprt_rdma_pulled_query(c)	((void)(c))
#define xprt_rdma_endpoint_destroy_qp(c)	note(world.ended, "qp")
#define xprt_rdma_pulled_flush(c)	note(world.ended, "reads")
#define xprt_rdma_sends_flush(c)	note(world.ended, "sends")
#define xprt_rdma_control_msgs_free(c)	note(world.ended, "controls")
#define xprt_rdma_endpoint_destroy(c)	note(world.ended, "destroy")
#define xprt_rdma_invalidate_all(c)	((void)(c), (void)world.invalidations++)
#define xprt_rdma_invalidations_flush(c)	note(world.ended, "flush")
#define xprt_rdma_reqs_unmap(r_xprt)	note(world.ended, "unmap")
#define xprt_rdma_credit_reset(r_xprt)	note(world.ended, "credits")
#define xprt_wake_pending_tasks(xprt, rc) \
	((void)(xprt), (void)(world.wakes++), (void)(world.told = (rc)))
#define xprt_lock_connect(xprt, task, r_xprt)	((void)(xprt), true)
#define xprt_unlock_connect(xprt, r_xprt) \
	((void)(xprt), (void)world.unlocks++, \
	 (void)(world.wakes_at_unlock = world.wakes))
#define xprt_rdma_watch_start(r_xprt)	step_made("watch")
#define xprt_rdma_watch_stop(r_xprt)	note(world.ended, "watch")
#define xprt_rdma_properties_begin(c)	((void)(c))
#define xprt_rdma_properties_stop(c)	note(world.ended, "properties")
#define rpcrdma_ended_note(net, end) \
	((void)(net), (void)(world.cause = (end)->cause), (void)world.noted++)

/* Report a CM event from a context that may start I/O, as the CM does. */
static void fake_event(enum rdma_cm_event_type type, int status)
{
	const struct rpcrdma_private priv = { .hint = world.happens.hint };
	struct rdma_cm_event event = { .event = type, .status = status };
	u8 buf[RPCRDMA_PRIVATE_MAX];
	unsigned int flags = current->flags & PF_MEMALLOC_NOIO;

	if (type == RDMA_CM_EVENT_ESTABLISHED && priv.hint) {
		event.param.conn.private_data = buf;
		event.param.conn.private_data_len = rpcrdma_private_encode(&priv, buf);
	}
	current->flags &= ~PF_MEMALLOC_NOIO;
	xprt_rdma_conn_cm_event(&fake_id, &event);
	current->flags |= flags;
}

/* Report the success of a step, unless @silent names the step. */
static void answer(const char *step, enum rdma_cm_event_type type)
{
	if (!is_step(world.happens.silent, step))
		fake_event(type, 0);
	else if (world.happens.times && !--world.happens.times)
		world.happens.silent = NULL;
}

/* Whether an event due after @after jiffies falls into this wait */
static bool is_due(unsigned long after, unsigned long timeout)
{
	return after > world.waited && after <= world.waited + timeout;
}

static void fake_sleep(unsigned long timeout)
{
	unsigned long slept = timeout;

	world.polls = 0;
	if (world.beside)
		world.beside();
	if (is_due(world.happens.after, timeout)) {
		fake_event(world.happens.event, world.happens.status);
		if (world.woken)
			slept = world.happens.after - world.waited;
		if (world.happens.times)
			world.happens.after *= 2;
	}
	if (is_due(world.inv_waiters_leave, timeout))
		r_xprt->conn->mrs.waiters = 0;
	if (is_due(world.happens.leaves, timeout))
		refcount_set(&r_xprt->xprt.kref.refcount, 0);
	world.waited += slept;
	world.now += slept;
	/* End a wait that would last forever. */
	if (world.waited > 1000UL * HZ)
		xprt_rdma_conn_lost(r_xprt->conn);
}

static struct rdma_cm_id *fake_create_id(void *context)
{
	int rc = step_made("id");

	fake_id = (struct rdma_cm_id){ .context = context,
				       .device = &fake_device };
	return rc ? ERR_PTR(rc) : &fake_id;
}

static int fake_resolve_addr(const void *dst, int ms)
{
	int rc = step_made("addr");

	world.dst = dst;
	world.addr_ms = ms;
	if (!rc)
		answer("addr", RDMA_CM_EVENT_ADDR_RESOLVED);
	return rc;
}

static int fake_resolve_route(int ms)
{
	int rc = step_made("route");

	world.route_ms = ms;
	if (!rc)
		answer("route", RDMA_CM_EVENT_ROUTE_RESOLVED);
	return rc;
}

static int fake_endpoint_create(struct xprt_rdma_conn *conn)
{
	int rc = step_made("endpoint");

	conn->device = &fake_device;
	if (rc)
		return rc;
	/* The code under test only compares the pointer with NULL. */
	conn->qp = (struct ib_qp *)&fake_id;
	if (world.happens.lost_early)
		fake_event(RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
	return 0;
}

static int fake_connect(const struct rdma_conn_param *param)
{
	int rc = step_made("connect");

	world.param = *param;
	rpcrdma_private_decode(&world.priv, param->private_data, param->private_data_len);
	if (!rc)
		answer("connect", RDMA_CM_EVENT_ESTABLISHED);
	return rc;
}

static int fake_negotiate_send(struct xprt_rdma_conn *conn)
{
	int rc = step_made("offer");

	if (!rc && !is_step(world.happens.silent, "offer")) {
		fake_set_version(conn, world.happens.configure ?
					       RPCRDMA_VERSION_1 :
					       RPCRDMA_VERSION_2);
		xprt_rdma_conn_change_state(conn, xprt_rdma_version_next_state(conn), 0);
	}
	return rc;
}

static int fake_conf_send(struct xprt_rdma_conn *conn)
{
	int rc = step_made("conf");

	if (!rc && !is_step(world.happens.silent, "conf"))
		xprt_rdma_conn_change_state(conn, XPRT_RDMA_CONNECTED, 0);
	return rc;
}

static void fake_conf_begin(struct xprt_rdma_conn *conn)
{
	if (world.happens.configure)
		conn->conf.call_size = 1024;
}

/* The CM reports a disconnect also to the side that requested it. */
static void fake_disconnect(void)
{
	note(world.ended, "disconnect");
	world.closing = r_xprt->conn->mrs.closing;
	fake_event(RDMA_CM_EVENT_DISCONNECTED, 0);
}

static void fake_conn_free_deferred(struct xprt_rdma_conn *conn)
{
	note(world.ended, "free");
	kfree(world.conn);
	world.conn = conn;
	world.seen_at_free = conn->r_xprt->conn;
}

static void conn_release(void *unused)
{
	kfree(world.conn);
	world.conn = NULL;
}

#undef pr_fmt
#include "../xprtrdma/message/nfs.c"
#define xprt_rdma_control_ops		fake_conn_ops
#include "../xprtrdma/verbs/conn.c"
#include "../xprtrdma/control/history.c"
#include "../xprtrdma/control/disconnect.c"
#include "../xprtrdma/control/conn_events.c"
#undef pr_fmt
#include "../xprtrdma/control/connect.c"

/*
 * A transport that may connect immediately; its tasks have waited RESOLVE_TIME.
 */
static int transport(struct kunit *test)
{
	r_xprt = fake_r_xprt(test);
	conn_release(NULL);
	memset(&world, 0, sizeof(world));
	world.now = INITIAL_JIFFIES;
	fake_memory_left = -1;
	fake_inline_write = 4096;
	fake_inline_read = 4096;
	fake_service_type = 0;
	r_xprt->conn = NULL;
	r_xprt->xprt.max_reconnect_timeout = 300 * HZ;
	r_xprt->connect_due = world.now;
	r_xprt->xprt.stat.connect_start = world.now - RESOLVE_TIME;
	r_xprt->softconn = true;
	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_connect_init());
	fake_defer(test, conn_release, NULL);
	return 0;
}

/* Run the connect worker, each time it is due, until it wakes the tasks. */
static void worker_runs(void)
{
	u32 wakes = world.wakes;

	do {
		if (time_before(world.now, r_xprt->connect_due)) {
			world.waited += r_xprt->connect_due - world.now;
			world.now = r_xprt->connect_due;
		}
		if (world.happens.port_up && world.waited >= world.happens.port_up)
			world.happens.port_down = false;
		xprt_rdma_connect_work(&r_xprt->connect_work.work);
		world.kept |= world.wakes == wakes && r_xprt->conn;
	} while (world.wakes == wakes);
}

/* Connect as if sunrpc's connect request were due now. */
static __maybe_unused void attempt(void)
{
	set_bit(XPRT_CONNECTING, &r_xprt->xprt.state);
	worker_runs();
}

#endif /* _XPRT_RDMA_XPRT_CONNECT_FAKES_H */
