/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an attempt to connect depends on: the CM, the adapter, sunrpc, and time,
 * which passes only while somebody waits. nfs.c and connect.c are included by
 * this.
 */
#ifndef _XPRT_RDMA_XPRT_CONNECT_FAKES_H
#define _XPRT_RDMA_XPRT_CONNECT_FAKES_H

#include <linux/random.h>
#include <linux/semaphore.h>
#include <rdma/ib_cm.h>

#include "xprt_fakes.h"
#include "fake_memory.h"

#define trace_xprtrdma_state(conn, from, to, error, legal) ((void)(from))

/**
 * struct world - all that an attempt depends on, and what it has asked for
 * @now: jiffies
 * @reads: times that the clock was read since somebody waited
 * @fails: the step that fails, or NULL
 * @error: what it returns
 * @silent: the step that is not answered, or NULL
 * @event: what comes instead of the answer
 * @after: jiffies; how long that takes; 0: it does not come
 * @status: of that event
 * @leaves: jiffies of waiting after which nobody wants the transport; 0: never
 * @port_down: the port is not active
 * @lost_early: the device goes while the Queue Pair is created
 * @offer: version 2 is offered
 * @inv_waiters_leave: jiffies of waiting after which fences are done
 * @highest: random numbers are the highest there are
 * @made: steps that were asked for
 * @ended: steps of the end of connections
 * @waited: jiffies of the waits so far
 * @woken: the wait queue was woken
 * @resolve_ms: time limit of address resolution
 * @dst: address that is resolved
 * @param: of the last connect request
 * @priv: its private data
 * @rnr: receiver-not-ready timer was set
 * @wakeups: times that the server was nudged
 * @disconnects: times that sunrpc was asked to close
 * @remembered: times that the server was remembered
 * @closing: the end had been announced when the Queue Pair ended
 * @queues: workqueues that there are
 * @queued: times that work was queued
 * @delay: jiffies; of that
 * @wakes: times that waiting tasks were woken
 * @told: what they were told
 * @unlocks: times that XPRT_LOCKED was given up
 * @conn: the last connection, after its end
 */
static struct world {
	unsigned long now;
	u32 reads;
	const char *fails;
	int error;
	const char *silent;
	enum rdma_cm_event_type event;
	unsigned long after;
	int status;
	unsigned long leaves;
	bool port_down;
	bool lost_early;
	bool offer;
	unsigned long inv_waiters_leave;
	bool highest;
	char made[128];
	char ended[128];
	unsigned long waited;
	bool woken;
	int resolve_ms;
	const void *dst;
	struct rdma_conn_param param;
	struct rpcrdma_private priv;
	bool rnr;
	u32 wakeups;
	u32 disconnects;
	u32 remembered;
	bool closing;
	int queues;
	u32 queued;
	unsigned long delay;
	u32 wakes;
	int told;
	u32 unlocks;
	struct xprt_rdma_conn *conn;
} world;

static struct rdma_cm_id fake_id;
static struct ib_device fake_device;
static struct xprt_rdma *fake_transport;
static unsigned int fake_inline_write = 4096, fake_inline_read = 8192;
static unsigned int fake_receive_size = 5120;
static bool fake_remote_inv = true;

static void note(char *log, const char *step)
{
	if (*log)
		strlcat(log, " ", sizeof(world.made));
	strlcat(log, step, sizeof(world.made));
}

static bool is_step(const char *which, const char *step)
{
	return which && !strcmp(which, step);
}

/* One that makes a connection: does it succeed? */
static int step_made(const char *step)
{
	note(world.made, step);
	return is_step(world.fails, step) ? world.error : 0;
}

static void step_ended(const char *step)
{
	note(world.ended, step);
}

static unsigned long fake_now(void)
{
	/* Nobody reads it so often without waiting. */
	if (++world.reads > 1000)
		world.now += HZ;
	return world.now;
}

static u32 fake_random_below(u32 ceil)
{
	return world.highest && ceil ? ceil - 1 : 0;
}

static void fake_sleep(unsigned long timeout);
static void fake_wake(struct wait_queue_head *wait);
static struct rdma_cm_id *fake_create_id(void *context);
static int fake_resolve_addr(const void *dst, int ms);
static int fake_resolve_route(void);
static int fake_connect(const struct rdma_conn_param *param);
static int fake_negotiate_send(struct xprt_rdma_conn *conn);
static int fake_endpoint_create(struct xprt_rdma_conn *conn);
static void fake_conn_free_deferred(struct xprt_rdma_conn *conn);
static void fake_qp_ends(const char *step);

static bool fake_queue(struct workqueue_struct *wq, unsigned long delay)
{
	world.queued++;
	world.delay = delay;
	return true;
}

static struct workqueue_struct *fake_alloc_wq(unsigned int flags, int most)
{
	/* I/O waits for it, and transports do not wait for each other. */
	if (fake_memory_out() || !(flags & WQ_MEM_RECLAIM) || most == 1)
		return NULL;
	world.queues++;
	return (struct workqueue_struct *)&fake_id;
}

static void fake_destroy_wq(struct workqueue_struct *wq)
{
	world.queues--;
}

#undef get_random_u32_below
#define jiffies				fake_now()
#define get_random_u32_below		fake_random_below
#undef wait_event_timeout
#define wait_event_timeout(wq, condition, timeout)			\
({									\
	world.woken = false;						\
	if (!(condition))						\
		fake_sleep(timeout);					\
	(condition);							\
})
#undef wake_up_all
#define wake_up_all			fake_wake
#define down_timeout(sem, timeout)	\
	(down_trylock(sem) ? (world.now += (timeout), -ETIME) : 0)
#define queue_delayed_work(wq, work, delay)	\
	((void)(work), fake_queue(wq, delay))
#undef alloc_workqueue
#define alloc_workqueue(name, flags, most)	fake_alloc_wq(flags, most)
#define destroy_workqueue		fake_destroy_wq
#define xprt_rdma_max_inline_write	fake_inline_write
#define xprt_rdma_max_inline_read	fake_inline_read
#define xprt_rdma_remote_invalidation	fake_remote_inv
#define xprt_rdma_receive_buffer_size	fake_receive_size
#undef rdma_create_id
#define rdma_create_id(net, handler, context, ps, type) fake_create_id(context)
#define rdma_resolve_addr(id, src, dst, ms)	fake_resolve_addr(dst, ms)
#define rdma_resolve_route(id, ms)	fake_resolve_route()
#define rdma_set_min_rnr_timer(id, timer)	((void)(id), world.rnr = true)
#define rdma_connect(id, param)		fake_connect(param)
#define rdma_disconnect(id)		fake_qp_ends("disconnect")
#define rdma_protocol_ib(dev, port)	true
#define rdma_protocol_roce(dev, port)	false
#define xprt_rdma_negotiate_wanted(r_xprt)	((void)(r_xprt), world.offer)
#define xprt_rdma_negotiate_send	fake_negotiate_send
#define xprt_rdma_negotiate_wakeup(conn)	((void)(conn), (void)world.wakeups++)
#define xprt_rdma_v1_begin(c)		fake_set_version(c, RPCRDMA_VERSION_1)
#define xprt_rdma_fallback_remember(x)	((void)(x), (void)world.remembered++)
#define xprt_force_disconnect(xprt)	((void)(xprt), (void)world.disconnects++)
#define xprt_rdma_port_active(id)	((void)(id), !world.port_down)
#define xprt_rdma_conn_free_deferred	fake_conn_free_deferred
#define xprt_rdma_endpoint_error(c)	fake_qp_ends("error")
#define xprt_rdma_endpoint_create	fake_endpoint_create
#define xprt_rdma_endpoint_drain(c)	step_ended("drain")
#define xprt_rdma_endpoint_query(c)	((c)->device = &fake_device, 0)
#define xprt_rdma_reads_init(c)		((void)(c))
#define xprt_rdma_endpoint_destroy_qp(c)	step_ended("qp")
#define xprt_rdma_reads_flush(c)	step_ended("reads")
#define xprt_rdma_sends_flush(c)	step_ended("sends")
#define xprt_rdma_control_msgs_flush(c)	step_ended("controls")
#define xprt_rdma_endpoint_destroy(c)	step_ended("destroy")
#define xprt_rdma_invalidate_all(c)		((void)(c))
#define xprt_rdma_invalidations_flush(c)	step_ended("flush")
#define xprt_rdma_reqs_unmap(r_xprt)	step_ended("unmap")
#define xprt_rdma_credit_reset(r_xprt)	step_ended("credits")
#define xprt_wake_pending_tasks(xprt, rc) \
	((void)(xprt), (void)(world.wakes++), (void)(world.told = (rc)))
#define xprt_lock_connect(xprt, task, r_xprt)	((void)(xprt), true)
#define xprt_unlock_connect(xprt, r_xprt)	((void)(xprt), (void)world.unlocks++)
#define xprt_rdma_stall_start(r_xprt)	step_made("stall")
#define xprt_rdma_stall_stop(r_xprt)	step_ended("stall")
#define xprt_rdma_probe_start(r_xprt)	step_made("probe")
#define xprt_rdma_probe_stop(r_xprt)	step_ended("probe")

#undef pr_fmt
#include "../xprtrdma/message/nfs.c"
#define xprt_rdma_dispatch_ops		fake_conn_ops
#include "../xprtrdma/verbs/conn.c"
#include "../xprtrdma/control/disconnect.c"
#include "../xprtrdma/control/conn_events.c"
#include "../xprtrdma/control/connect.c"

static void fake_event(enum rdma_cm_event_type type, int status)
{
	struct rdma_cm_event event = { .event = type, .status = status };

	xprt_rdma_conn_cm_event(&fake_id, &event);
}

/* The answer to a step, unless it is the one that is not answered */
static void answer(const char *step, enum rdma_cm_event_type type)
{
	if (!is_step(world.silent, step))
		fake_event(type, 0);
}

/* Something that is to happen after so much waiting happens now, or not yet. */
static bool is_due(unsigned long after, unsigned long timeout)
{
	return after > world.waited && after <= world.waited + timeout;
}

static void fake_sleep(unsigned long timeout)
{
	unsigned long slept = timeout;

	world.reads = 0;
	if (is_due(world.after, timeout)) {
		fake_event(world.event, world.status);
		if (world.woken)
			slept = world.after - world.waited;
	}
	if (is_due(world.inv_waiters_leave, timeout))
		fake_transport->conn->inv_waiters = 0;
	if (is_due(world.leaves, timeout))
		refcount_set(&fake_transport->xprt.kref.refcount, 0);
	world.waited += slept;
	world.now += slept;
	/* Who waits for so long waits for ever. */
	if (world.waited > 1000UL * HZ)
		xprt_rdma_conn_lost(fake_transport->conn);
}

static void fake_wake(struct wait_queue_head *wait)
{
	world.woken = true;
	__wake_up(wait, TASK_NORMAL, 0, NULL);
}

static struct rdma_cm_id *fake_create_id(void *context)
{
	int rc = step_made("id");

	fake_id = (struct rdma_cm_id){ .context = context };
	return rc ? ERR_PTR(rc) : &fake_id;
}

static int fake_resolve_addr(const void *dst, int ms)
{
	int rc = step_made("addr");

	world.dst = dst;
	world.resolve_ms = ms;
	if (!rc)
		answer("addr", RDMA_CM_EVENT_ADDR_RESOLVED);
	return rc;
}

static int fake_resolve_route(void)
{
	int rc = step_made("route");

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
	/* only looked at */
	conn->qp = (struct ib_qp *)&fake_id;
	if (world.lost_early)
		fake_event(RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
	return 0;
}

static int fake_connect(const struct rdma_conn_param *param)
{
	int rc = step_made("connect");

	world.param = *param;
	rpcrdma_private_decode(&world.priv, param->private_data,
			       param->private_data_len);
	if (!rc)
		answer("connect", RDMA_CM_EVENT_ESTABLISHED);
	return rc;
}

static int fake_negotiate_send(struct xprt_rdma_conn *conn)
{
	int rc = step_made("offer");

	if (!rc && !is_step(world.silent, "offer")) {
		fake_set_version(conn, RPCRDMA_VERSION_2);
		xprt_rdma_conn_change_state(conn, XPRT_RDMA_CONNECTED, 0);
	}
	return rc;
}

/* The CM reports the end of a connection also to who has asked for it. */
static void fake_qp_ends(const char *step)
{
	step_ended(step);
	world.closing = fake_transport->conn->closing;
	fake_event(RDMA_CM_EVENT_DISCONNECTED, 0);
}

static void fake_conn_free_deferred(struct xprt_rdma_conn *conn)
{
	step_ended("free");
	kfree(world.conn);
	world.conn = conn;
}

static void conn_release(void *unused)
{
	kfree(world.conn);
	world.conn = NULL;
}

#endif /* _XPRT_RDMA_XPRT_CONNECT_FAKES_H */
