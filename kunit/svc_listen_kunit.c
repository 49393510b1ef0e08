// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: svcrdma listens until nfsd closes the listener, even when devices are
 * added and removed. Each connect request is accepted, rejected or abandoned
 * exactly once. If this failed, clients could not mount after a device was
 * replaced, or a client that connects and vanishes could leak memory.
 */
#include <linux/sunrpc/svcsock.h>
#include <linux/sunrpc/addr.h>

#include "suite.h"
#include "svc_fakes.h"
#include "fake_memory.h"
#include "fake_mutex.h"

enum step { CREATE, AFONLY, BIND, LISTEN, STEPS };

/* The connection manager */
static struct cm {
	struct rdma_cm_id id;	/* the listener's identifier */
	enum step fails_at;	/* step that fails; STEPS if none does */
	u32 created;	/* identifiers created */
	u32 destroyed;	/* identifiers destroyed */
	u32 queued;	/* times that listening again was scheduled */
	unsigned long delay;	/* delay of the scheduled work, in jiffies */
	u32 disabled;	/* times that the work was disabled */
	u32 warned;	/* warnings logged */
	u32 rejected;	/* connect requests rejected */
	u32 enqueued;	/* times that the listener was enqueued */
	u32 freed;	/* allocations freed */
	u32 registered;	/* registrations with rpcbind begun */
	u32 unregistered;	/* registrations ended */
	u32 noted;	/* refused requests that were noted */
	u32 nets;	/* references to the network namespace */
} cm;

static int step_result(enum step step)
{
	return step == cm.fails_at ? -EADDRINUSE : 0;
}

/* The address that the CM has bound */
static const struct sockaddr_in bound_addr = {
	.sin_family = AF_INET,
	.sin_port = htons(20049),
};

static struct rdma_cm_id *fake_create_id(void *context)
{
	if (cm.fails_at == CREATE)
		return ERR_PTR(-EADDRINUSE);
	cm.created++;
	cm.id.context = context;
	memcpy(&cm.id.route.addr.src_addr, &bound_addr, sizeof(bound_addr));
	return &cm.id;
}

static struct svc_rdma_conn *fake_conn_alloc(struct rdma_cm_id *id)
{
	struct svc_rdma_conn *conn = kzalloc(sizeof(*conn), GFP_KERNEL);

	if (conn)
		conn->cm_id = id;
	return conn;
}

static int fake_conn_handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	return 0;
}

static void fake_recv_release(struct svc_xprt *xprt, void *ctxt)
{
}

static void fake_xprt_init(struct svc_xprt_class *class, struct svc_xprt *xprt,
			   struct svc_serv *serv)
{
	memset(xprt, 0, sizeof(*xprt));
	xprt->xpt_class = class;
	xprt->xpt_server = serv;
}

static void fake_queue(unsigned long delay)
{
	cm.queued++;
	cm.delay = delay;
}

#undef rdma_create_id
#define rdma_create_id(net, handler, context, ps, type) \
	((void)(handler), fake_create_id(context))
#define rdma_set_afonly(id, on)		((on) == 1 ? step_result(AFONLY) : -EINVAL)
#define rdma_bind_addr(id, addr)	((void)(addr), step_result(BIND))
#define rdma_listen(id, backlog)	((void)(id), step_result(LISTEN))
#define rpcrdma_destroy_id(id)		((void)(id), (void)cm.destroyed++)
#define get_net(net)			((void)(net), (void)cm.nets++)
#define put_net(net)			((void)(net), (void)cm.nets--)
#define svc_xprt_init(net, class, xprt, serv) fake_xprt_init(class, xprt, serv)
#define svc_xprt_enqueue(xprt)		((void)(xprt), (void)cm.enqueued++)
#define svc_rdma_rpcbind_register(serv, net, sap) \
	((void)cm.registered++, \
	 ((struct sockaddr_in *)(sap))->sin_port == htons(20049) ? \
	 (struct svc_rdma_rpcbind *)&cm : NULL)
#define svc_rdma_rpcbind_unregister(rpcbind) \
	((void)(cm.unregistered += !!(rpcbind)))
#define svc_rdma_ended_refused(id, cause) \
	((void)(id), (void)(fake_cause = (cause)), (void)cm.noted++)
#define svc_xprt_put(xprt) \
	((xprt)->xpt_ops->xpo_free(xprt), module_put(THIS_MODULE))
#define svc_rdma_accept_conn		NULL
#define svc_rdma_conn_alloc(serv, net, id) \
	((void)(serv), (void)(net), fake_conn_alloc(id))
#define svc_rdma_conn_set_limits(conn, param) \
	((void)((conn)->caps.ord = (param)->initiator_depth))
#define svc_rdma_conn_handler		fake_conn_handler
#define svc_rdma_conn_refuse(conn, why) \
	((void)(fake_cause = (why)), (void)cm.rejected++, kfree(conn))
#define svc_rdma_recv_release		fake_recv_release
#define mod_delayed_work(wq, work, jiffies) ((void)(work), fake_queue(jiffies))
#define queue_delayed_work(wq, work, jiffies) ((void)(work), fake_queue(jiffies))
#undef disable_delayed_work_sync
#define disable_delayed_work_sync(work)	((void)(work), (void)cm.disabled++)
#define kfree(p)			((void)(cm.freed += !!(p)), (kfree)(p))
#undef pr_warn_ratelimited
#define pr_warn_ratelimited(fmt, ...)	((void)cm.warned++)

struct svc_xprt_class svc_rdma_xprt_class;

#undef pr_fmt
#include "../svcrdma/control/listen.c"

#define ORD		16u

static struct sockaddr_in any_addr = { .sin_family = AF_INET };

static void detach_action(void *xprt)
{
	svc_rdma_listener_detach(xprt);
	svc_rdma_listener_free(xprt);
}

#define SERV		((struct svc_serv *)&any_addr)

/* The listener in the running case; listening() creates it. */
static struct svc_rdma_listener *listener;

static int listening(struct kunit *test)
{
	struct svc_xprt *xprt;

	memset(&cm, 0, sizeof(cm));
	cm.fails_at = STEPS;
	fake_memory_left = -1;
	xprt = svc_rdma_listen(SERV, NULL, (struct sockaddr *)&any_addr,
			       sizeof(any_addr), SVC_SOCK_ANONYMOUS);
	KUNIT_ASSERT_FALSE(test, IS_ERR(xprt));
	fake_defer(test, detach_action, xprt);
	listener = svc_rdma_listener_of(xprt);
	return 0;
}

/* A listener registers its port with rpcbind, and unregisters it once. */
static void registered(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, cm.registered, 1);
	KUNIT_EXPECT_PTR_EQ(test, listener->rpcbind, (void *)&cm);
	svc_rdma_listener_detach(&listener->xprt);
	svc_rdma_listener_detach(&listener->xprt);
	KUNIT_EXPECT_EQ(test, cm.unregistered, 1);
}

static int event(struct rdma_cm_id *id, enum rdma_cm_event_type type)
{
	struct rdma_cm_event event = {
		.event = type,
		.param.conn = {
			.initiator_depth = ORD,
		},
	};

	id->context = listener;
	return svc_rdma_listener_handler(id, &event);
}

static int request_arrives(struct rdma_cm_id *id)
{
	return event(id, RDMA_CM_EVENT_CONNECT_REQUEST);
}

static void listens(struct kunit *test)
{
	struct svc_xprt *xprt = &listener->xprt;

	KUNIT_EXPECT_TRUE(test, test_bit(XPT_LISTENER, &xprt->xpt_flags));
	KUNIT_EXPECT_PTR_EQ(test, listener->cm_id, &cm.id);
	KUNIT_EXPECT_PTR_EQ(test, xprt->xpt_class, &svc_rdma_xprt_class);
	KUNIT_EXPECT_PTR_EQ(test, xprt->xpt_server, SERV);
	KUNIT_EXPECT_STREQ(test, xprt->xpt_remotebuf, "listener");
	KUNIT_EXPECT_EQ(test, xprt->xpt_locallen, sizeof(bound_addr));
	KUNIT_EXPECT_EQ(test, memcmp(&xprt->xpt_local, &bound_addr,
				     sizeof(bound_addr)), 0);
	KUNIT_EXPECT_NULL(test, svc_rdma_listener_next(listener));
	/* A thread without a request releases no context. */
	xprt->xpt_ops->xpo_release_ctxt(xprt, NULL);
	KUNIT_EXPECT_EQ(test, cm.destroyed, 0);
	/* A detached listener keeps its namespace for sunrpc's trace point. */
	svc_rdma_listener_detach(xprt);
	KUNIT_EXPECT_EQ(test, cm.nets, 1);
}

/* A failure in any step undoes all steps before it. */
static void does_not_listen(struct kunit *test)
{
	struct sockaddr *addr = (struct sockaddr *)&any_addr;
	struct svc_xprt *xprt;
	enum step step;

	for (step = CREATE; step < STEPS; step++) {
		if (step == AFONLY && !IS_ENABLED(CONFIG_IPV6))
			continue;
		cm.fails_at = step;
		cm.destroyed = 0;
		cm.freed = 0;
		xprt = svc_rdma_listen(NULL, NULL, addr, sizeof(any_addr), 0);
		KUNIT_EXPECT_EQ(test, PTR_ERR(xprt), -EADDRINUSE);
		KUNIT_EXPECT_EQ(test, cm.destroyed, step != CREATE);
		KUNIT_EXPECT_EQ(test, cm.freed, 1);
		KUNIT_EXPECT_EQ(test, cm.nets, 1);
	}
	fake_memory_left = 0;
	xprt = svc_rdma_listen(NULL, NULL, addr, sizeof(any_addr), 0);
	fake_memory_left = -1;
	KUNIT_EXPECT_EQ(test, PTR_ERR(xprt), -ENOMEM);
}

/* Requests wait in FIFO order as connections with their limits set. */
static void taken_in_order(struct kunit *test)
{
	unsigned long *flags = &listener->xprt.xpt_flags;
	struct svc_rdma_conn *conn;
	struct rdma_cm_id ids[3] = { };
	u32 i;

	/* A request is refused if there is no memory for its connection. */
	fake_memory_left = 0;
	KUNIT_EXPECT_EQ(test, request_arrives(&ids[0]), -EBUSY);
	KUNIT_EXPECT_EQ(test, fake_cause,
			rpcrdma_cause(RPCRDMA_NL_LOST_REFUSED,
				      RPCRDMA_NL_DETAIL_RESOURCES, -ENOMEM));
	fake_memory_left = -1;
	for (i = 0; i < ARRAY_SIZE(ids); i++)
		KUNIT_EXPECT_EQ(test, request_arrives(&ids[i]), 0);
	KUNIT_EXPECT_EQ(test, cm.enqueued, ARRAY_SIZE(ids));
	KUNIT_EXPECT_EQ(test, listener->nwaiting, ARRAY_SIZE(ids));

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		KUNIT_EXPECT_TRUE(test, test_bit(XPT_CONN, flags));
		conn = svc_rdma_listener_next(listener);
		KUNIT_ASSERT_NOT_NULL(test, conn);
		KUNIT_EXPECT_PTR_EQ(test, conn->cm_id, &ids[i]);
		KUNIT_EXPECT_EQ(test, conn->caps.ord, ORD);
		KUNIT_EXPECT_PTR_EQ(test, ids[i].context, (void *)conn);
		KUNIT_EXPECT_PTR_EQ(test, ids[i].event_handler, &fake_conn_handler);
		/* The taken request is no longer in the listener's list. */
		KUNIT_EXPECT_FALSE(test, svc_rdma_listener_remove(conn));
		kfree(conn);
	}
	KUNIT_EXPECT_FALSE(test, test_bit(XPT_CONN, flags));
	KUNIT_EXPECT_EQ(test, listener->nwaiting, 0);
	KUNIT_EXPECT_EQ(test, cm.freed, ARRAY_SIZE(ids));
}

static void waiting_requests_bounded(struct kunit *test)
{
	struct rdma_cm_id *ids;
	u32 i;

	ids = fake_zalloc(test, (SVC_RDMA_BACKLOG + 1) * sizeof(*ids));
	for (i = 0; i < SVC_RDMA_BACKLOG; i++)
		KUNIT_ASSERT_EQ(test, request_arrives(&ids[i]), 0);
	KUNIT_EXPECT_EQ(test, request_arrives(&ids[i]), -EBUSY);
	KUNIT_EXPECT_EQ(test, listener->nwaiting, SVC_RDMA_BACKLOG);
	KUNIT_EXPECT_EQ(test, fake_cause, RPCRDMA_CAUSE(REFUSED, BACKLOG));
	KUNIT_EXPECT_EQ(test, cm.noted, 1);

	/* Removing an abandoned request makes room for another request. */
	KUNIT_EXPECT_TRUE(test, svc_rdma_listener_remove(ids[7].context));
	KUNIT_EXPECT_FALSE(test, svc_rdma_listener_remove(ids[7].context));
	kfree(ids[7].context);
	KUNIT_EXPECT_EQ(test, request_arrives(&ids[7]), 0);

	/* Closing the listener rejects all waiting requests. */
	svc_rdma_listener_detach(&listener->xprt);
	KUNIT_EXPECT_EQ(test, cm.rejected, SVC_RDMA_BACKLOG);
	KUNIT_EXPECT_EQ(test, fake_cause, RPCRDMA_CAUSE(SHUTDOWN, CONNECT));
}

/* CM events of the listener, and whether it must listen again */
static const struct event_case {
	const char *name;
	enum rdma_cm_event_type type;
	bool other;
	u32 queued;
} event_cases[] = {
	{ "device removed", RDMA_CM_EVENT_DEVICE_REMOVAL, .queued = 1 },
	{ "address moved", RDMA_CM_EVENT_ADDR_CHANGE, .queued = 1 },
	{ "one device of a wildcard", RDMA_CM_EVENT_ADDR_CHANGE, .other = true },
	{ "something else", RDMA_CM_EVENT_TIMEWAIT_EXIT },
};

KUNIT_ARRAY_PARAM_DESC(event_case, event_cases, name);

static void listener_event(struct kunit *test)
{
	const struct event_case *c = test->param_value;
	struct rdma_cm_id other = { };

	KUNIT_EXPECT_EQ(test, event(c->other ? &other : &cm.id, c->type), 0);
	KUNIT_EXPECT_EQ(test, cm.queued, c->queued);
	KUNIT_EXPECT_EQ(test, cm.delay, 0);
	/* The handler itself destroys no identifier. */
	KUNIT_EXPECT_PTR_EQ(test, listener->cm_id, &cm.id);
	KUNIT_EXPECT_EQ(test, cm.destroyed, 0);
	svc_rdma_listener_detach(&listener->xprt);
	/* A closed listener does not listen again. */
	KUNIT_EXPECT_EQ(test, cm.disabled, 1);
	KUNIT_EXPECT_EQ(test, cm.destroyed, 1);
}

static void relisten(void)
{
	svc_rdma_listener_relisten(&listener->relisten_work.work);
}

/* The listener listens on a new identifier, and retries until that works. */
static void listens_later(struct kunit *test)
{
	enum step step;
	u32 n = 0;

	relisten();
	KUNIT_EXPECT_EQ(test, cm.queued, 0);
	KUNIT_EXPECT_EQ(test, cm.destroyed + 1, cm.created);
	for (step = CREATE; step < STEPS; step++) {
		if (step == AFONLY && !IS_ENABLED(CONFIG_IPV6))
			continue;
		cm.fails_at = step;
		relisten();
		KUNIT_EXPECT_EQ(test, cm.queued, ++n);
		KUNIT_EXPECT_EQ(test, cm.delay, SVC_RDMA_RELISTEN);
		KUNIT_EXPECT_NULL(test, listener->cm_id);
		KUNIT_EXPECT_EQ(test, cm.destroyed, cm.created);
		KUNIT_EXPECT_EQ(test, cm.warned, 2);
	}
	cm.fails_at = STEPS;
	relisten();
	KUNIT_EXPECT_EQ(test, cm.queued, n);
	KUNIT_EXPECT_PTR_EQ(test, listener->cm_id, &cm.id);
	KUNIT_EXPECT_EQ(test, cm.destroyed + 1, cm.created);
}

static struct kunit_case svc_listen_cases[] = {
	KUNIT_CASE(registered),
	KUNIT_CASE(listens),
	KUNIT_CASE(does_not_listen),
	KUNIT_CASE(taken_in_order),
	KUNIT_CASE(waiting_requests_bounded),
	KUNIT_CASE_PARAM(listener_event, event_case_gen_params),
	KUNIT_CASE(listens_later),
	{}
};

SUITE("svc_rdma_listen", svc_listen_cases, .init = listening, .exit = balance_exit);
