// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the client retries a failed connect soon, with increasing delays. It
 * reports the failure to tasks that fail without a connection, and lets other
 * tasks wait. Otherwise, I/O would stall for seconds after a short outage, a
 * refusing server would be flooded with requests, or a mount would never fail.
 */
#include "xprt_connect_fakes.h"

/*
 * The worker polls until the attempt is due, and then begins it. It gives up
 * without waiting if the transport has lost its last user.
 */
static void begins_when_due(struct kunit *test)
{
	struct rpc_task task = { };
	unsigned long begin = world.now;
	u32 i, queued;

	/* Arrange: a delay that is not a multiple of the polling interval */
	r_xprt->backoff = 9 * HZ / 10;
	world.highest = true;
	xprt_rdma_op_connect(&r_xprt->xprt, &task);
	KUNIT_EXPECT_EQ(test, world.queued, 1);
	KUNIT_EXPECT_EQ(test, world.delay, 0);
	KUNIT_EXPECT_FALSE(test, task.tk_flags & RPC_TASK_SOFTCONN);

	for (i = 0; i < 100 && !world.wakes; i++) {
		queued = world.queued;
		xprt_rdma_connect_work(&r_xprt->connect_work.work);
		if (world.wakes)
			break;
		KUNIT_EXPECT_EQ(test, world.queued, queued + 1);
		KUNIT_EXPECT_LE(test, world.delay, POLL_INTERVAL);
		KUNIT_EXPECT_GT(test, world.delay, 0);
		world.now += world.delay;
	}

	KUNIT_EXPECT_EQ(test, world.now - begin, 9 * HZ / 10);
	KUNIT_EXPECT_STREQ(test, world.made, MAKE WATCH);
	xprt_rdma_disconnect(r_xprt);

	/* Destroying an unused transport does not wait for the next attempt. */
	transport(test);
	r_xprt->connect_due = world.now + HZ;
	refcount_set(&r_xprt->xprt.kref.refcount, 0);
	xprt_rdma_connect_work(&r_xprt->connect_work.work);
	KUNIT_EXPECT_EQ(test, world.queued, 0);
	KUNIT_EXPECT_STREQ(test, world.made, "");
	KUNIT_EXPECT_EQ(test, world.told, -ENOTCONN);
}

/* A task that waits for a connection, and a task that fails without one */
static struct rpc_task patient_task, hasty_task = {
	.tk_flags = RPC_TASK_SOFTCONN,
};

/* Request a connection for @task, and run the worker. */
static void connects(struct rpc_task *task)
{
	r_xprt->xprt.stat.connect_start = world.now;
	xprt_rdma_op_connect(&r_xprt->xprt, task);
	worker_runs();
}

/*
 * While the port is down, an attempt for a patient task waits in the worker,
 * because returning to sunrpc would add its delays.
 */
static void port_awaited(struct kunit *test)
{
	/* Act and assert: the port comes up. */
	world.happens = (struct fake_attempt){ .port_down = true, .port_up = 10 * HZ + 1 };
	connects(&patient_task);
	KUNIT_EXPECT_EQ(test, world.told, -EAGAIN);
	KUNIT_EXPECT_GE(test, world.waited, 10 * HZ + 1);
	KUNIT_EXPECT_LE(test, world.waited, 11 * HZ);
	KUNIT_EXPECT_TRUE(test, xprt_connected(&r_xprt->xprt));
	KUNIT_EXPECT_EQ(test, r_xprt->history.down, 0);
	KUNIT_EXPECT_EQ(test, r_xprt->history.tries, 0);
	xprt_rdma_disconnect(r_xprt);

	/* Act and assert: it stays down; sunrpc retries immediately. */
	transport(test);
	world.happens.port_down = true;
	connects(&patient_task);
	KUNIT_EXPECT_EQ(test, world.told, -EAGAIN);
	KUNIT_EXPECT_EQ(test, r_xprt->history.error, -ENETDOWN);
	KUNIT_EXPECT_EQ(test, world.waited, INSIST_TIME);
	KUNIT_EXPECT_NULL(test, r_xprt->conn);
	KUNIT_EXPECT_EQ(test, xprt_rdma_connect_next_delay(r_xprt), 0);

	/* Act and assert: the task fails without a connection. */
	transport(test);
	world.happens.port_down = true;
	connects(&hasty_task);
	KUNIT_EXPECT_EQ(test, world.told, -ENETDOWN);
	KUNIT_EXPECT_EQ(test, world.waited, 0);
}

/*
 * Address resolution is retried twice a second, because the kernel does not
 * report that it has given up a neighbour.
 */
static void address_asked_again(struct kunit *test)
{
	unsigned long begin = world.now;

	/* Act and assert: each resolution takes until its timeout. */
	world.happens = (struct fake_attempt){
		.silent = "addr", .times = 4, .after = HZ / 2, .event = RDMA_CM_EVENT_ADDR_ERROR,
		.status = -ETIMEDOUT,
	};
	connects(&hasty_task);
	KUNIT_EXPECT_EQ(test, world.told, -EHOSTUNREACH);
	KUNIT_EXPECT_EQ(test, world.now - begin, RESOLVE_TIME);
	KUNIT_EXPECT_EQ(test, world.waited, RESOLVE_TIME);

	/* Act and assert: after an early failure, the retry is delayed. */
	transport(test);
	world.happens = (struct fake_attempt){
		.silent = "addr", .times = 1, .after = 7, .event = RDMA_CM_EVENT_ADDR_ERROR,
		.status = -EHOSTUNREACH,
	};
	connects(&hasty_task);
	KUNIT_EXPECT_EQ(test, world.told, -EAGAIN);
	KUNIT_EXPECT_EQ(test, world.waited, RETRY_INTERVAL);
	xprt_rdma_disconnect(r_xprt);
}

/*
 * On iWARP, TCP can already use the local port that the CM chose. Even an
 * attempt for a task that fails without a connection retries then.
 */
static void another_local_port(struct kunit *test)
{
	/* Act and assert: retries last RESOLVE_TIME, then sunrpc retries. */
	world.happens = (struct fake_attempt){ .fails = "connect", .error = -EADDRINUSE };
	connects(&hasty_task);
	KUNIT_EXPECT_EQ(test, world.told, -EAGAIN);
	KUNIT_EXPECT_EQ(test, world.waited, RESOLVE_TIME);
	KUNIT_EXPECT_NULL(test, r_xprt->conn);

	/* Act and assert: a missing local address fails immediately. */
	transport(test);
	world.happens = (struct fake_attempt){ .fails = "connect", .error = -EADDRNOTAVAIL };
	connects(&hasty_task);
	KUNIT_EXPECT_EQ(test, world.told, -ENETUNREACH);
	KUNIT_EXPECT_EQ(test, world.waited, 0);
}

static void refuses(void)
{
	fake_event(RDMA_CM_EVENT_REJECTED, IB_CM_REJ_INVALID_SERVICE_ID);
}

/*
 * A refusing server is asked again, with increasing delays. Each try is undone
 * before the delay to the next.
 */
static void refusal_not_final(struct kunit *test)
{
	u64 failed = fake_count(connects_failed);

	/* Arrange: the server accepts the third connect request. */
	world.happens = (struct fake_attempt){ .silent = "connect", .times = 2 };
	world.beside = refuses;

	connects(&patient_task);

	KUNIT_EXPECT_STREQ(test, world.made, MAKE " " MAKE " " MAKE WATCH);
	KUNIT_EXPECT_STREQ(test, world.ended, UNDO " " UNDO);
	KUNIT_EXPECT_FALSE(test, world.kept);
	KUNIT_EXPECT_EQ(test, world.told, -EAGAIN);
	KUNIT_EXPECT_LE(test, world.waited, 2 * HZ);
	KUNIT_EXPECT_EQ(test, fake_count(connects_failed), failed);
	xprt_rdma_disconnect(r_xprt);

	/* Act and assert: the server never accepts. */
	transport(test);
	world.highest = true;
	world.happens = (struct fake_attempt){ .fails = "connect", .error = -ECONNREFUSED };
	connects(&patient_task);
	KUNIT_EXPECT_EQ(test, world.told, -EAGAIN);
	KUNIT_EXPECT_EQ(test, r_xprt->history.error, -ECONNREFUSED);
	KUNIT_EXPECT_EQ(test, r_xprt->history.down, ktime_get_seconds());
	KUNIT_EXPECT_GT(test, r_xprt->history.tries, 3);
	KUNIT_EXPECT_EQ(test, r_xprt->history.failures, 1);
	KUNIT_EXPECT_EQ(test, world.noted, r_xprt->history.tries);
	KUNIT_EXPECT_GE(test, world.waited, INSIST_TIME);
	KUNIT_EXPECT_LE(test, world.waited, INSIST_TIME + BACKOFF_MAX);
	KUNIT_EXPECT_EQ(test, fake_count(connects_failed), failed + 1);
}

/* Request a connection for @task; the connect request gets no answer. */
static void unanswered(struct kunit *test, struct rpc_task *task)
{
	transport(test);
	xprt_rdma_op_connect(&r_xprt->xprt, task);
	world.happens.silent = "connect";
}

/*
 * If the server's CM is busy, the client waits longer for the answer instead of
 * repeating the request. An attempt for a task that fails without a connection
 * does not wait longer.
 */
static void busy_server_has_time(struct kunit *test)
{
	static const struct { struct rpc_task *task; unsigned long busy, waited; } cases[] = {
		{ &patient_task, 40 * HZ, 55 * HZ },
		{ &patient_task, 300 * HZ, 75 * HZ },
		{ &hasty_task, 65 * HZ, 15 * HZ },
	};

	unanswered(test, &patient_task);
	world.happens.event = RDMA_CM_EVENT_ESTABLISHED;
	world.happens.after = 60 * HZ;
	world.happens.busy = 50 * HZ;
	worker_runs();
	KUNIT_EXPECT_STREQ(test, world.made, MAKE WATCH);
	KUNIT_EXPECT_EQ(test, world.waited, 60 * HZ);
	xprt_rdma_disconnect(r_xprt);

	for_each_case(c, cases) {
		unanswered(test, c->task);
		world.happens.busy = c->busy;
		worker_runs();
		KUNIT_EXPECT_STREQ(test, world.made, MAKE);
		KUNIT_EXPECT_EQ(test, world.waited, c->waited);
		/* After a timeout, the next attempt is not delayed. */
		KUNIT_EXPECT_EQ(test, xprt_rdma_connect_next_delay(r_xprt), 0);
	}
}

/* The client stops trying when the transport loses its last user. */
static void repeated_only_if_wanted(struct kunit *test)
{
	unanswered(test, &hasty_task);
	world.happens.lost = HZ;
	world.happens.leaves = 2 * HZ;
	worker_runs();
	KUNIT_EXPECT_STREQ(test, world.made, MAKE " " MAKE);
	KUNIT_EXPECT_EQ(test, world.told, -ENOTCONN);
	KUNIT_EXPECT_LE(test, world.waited, 2 * HZ + POLL_INTERVAL);
	/* The abandoned try is not noted as a failure. */
	KUNIT_EXPECT_EQ(test, world.noted, 1);
}

/* A call that belongs to an unmount */
static const struct rpc_procinfo destroy_proc = {
	.p_statidx = NFSPROC4_CLNT_DESTROY_SESSION,
};

static struct rpc_clnt nfs_clnt = {
	.cl_prog = NFS_PROGRAM, .cl_vers = NFS4_VERSION,
};

static struct rpc_task destroy_task = {
	.tk_client = &nfs_clnt, .tk_msg.rpc_proc = &destroy_proc,
};

static struct rpc_rqst destroy_rqst = { .rq_task = &destroy_task };

/* An unmount queues its call while the attempt holds XPRT_LOCKED. */
static void unmount_begins(void)
{
	struct rb_root *queue = &r_xprt->xprt.recv_queue;

	rb_link_node(&destroy_rqst.rq_recv, NULL, &queue->rb_node);
	rb_insert_color(&destroy_rqst.rq_recv, queue);
	world.beside = NULL;
}

/*
 * An unmount's call cuts short an attempt made for other tasks, and fails with
 * the first failed attempt of its own.
 */
static void unmount_tries_once(struct kunit *test)
{
	unanswered(test, &patient_task);
	/* Act and assert: an attempt for other tasks, with a busy server */
	world.happens.busy = 300 * HZ;
	world.beside = unmount_begins;
	worker_runs();
	KUNIT_EXPECT_STREQ(test, world.made, MAKE);
	KUNIT_EXPECT_EQ(test, world.told, -EAGAIN);
	KUNIT_EXPECT_LE(test, world.waited, 2 * POLL_INTERVAL);
	KUNIT_EXPECT_EQ(test, world.noted, 0);

	/* Act and assert: the attempt for the unmount's call */
	r_xprt->backoff = 0;
	xprt_rdma_op_connect(&r_xprt->xprt, &destroy_task);
	KUNIT_EXPECT_TRUE(test, destroy_task.tk_flags & RPC_TASK_SOFTCONN);
	world.waited = 0;
	worker_runs();
	KUNIT_EXPECT_EQ(test, world.waited, 15 * HZ);
	KUNIT_EXPECT_EQ(test, world.told, -EHOSTUNREACH);
}

/*
 * The first retry is immediate. Later delays double from 0.5 s up to 3 s; half
 * of each delay is random.
 */
static void delay_doubles_to_limit(struct kunit *test)
{
	static const unsigned long want[] = {
		0, HZ / 2, HZ, 2 * HZ, 3 * HZ, 3 * HZ,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		world.highest = true;
		KUNIT_EXPECT_EQ(test, xprt_rdma_connect_next_delay(r_xprt), want[i]);
	}
	r_xprt->backoff = 0;
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		world.highest = false;
		KUNIT_EXPECT_EQ(test, xprt_rdma_connect_next_delay(r_xprt), want[i] / 2);
	}
	/* sunrpc may set a shorter limit. */
	r_xprt->xprt.max_reconnect_timeout = HZ;
	KUNIT_EXPECT_EQ(test, xprt_rdma_connect_next_delay(r_xprt), HZ / 2);
}

static struct kunit_case xprt_connect_retry_cases[] = {
	KUNIT_CASE(begins_when_due),
	KUNIT_CASE(port_awaited),
	KUNIT_CASE(address_asked_again),
	KUNIT_CASE(another_local_port),
	KUNIT_CASE(refusal_not_final),
	KUNIT_CASE(busy_server_has_time),
	KUNIT_CASE(repeated_only_if_wanted),
	KUNIT_CASE(unmount_tries_once),
	KUNIT_CASE(delay_doubles_to_limit),
	{}
};

SUITE("xprt_rdma_connect_retry", xprt_connect_retry_cases, .init = transport);
