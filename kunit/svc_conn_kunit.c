// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a server connection only makes legal state changes, for any order of
 * events, and its release frees every object once, in the right order. If this
 * failed, a lost connection could crash the server or stay forever.
 */
#include <linux/sunrpc/addr.h>

#include "suite.h"
#include "svc_headers.h"
#include "fake_memory.h"

#define _TRACE_SVCRDMA_H
#define trace_svc_rdma_state(xprt, from, to)		((void)(from))

/* Calls made by the files under test */
static struct done {
	u32 deferred;	/* calls of svc_xprt_deferred_close() */
	u32 closed;	/* calls of svc_xprt_close() */
	u32 sq_closed;	/* calls of svc_rdma_sq_close() */
	u32 faults;	/* checks scheduled without delay */
	u32 enqueued;	/* times that the transport was enqueued */
	u32 sleeps;	/* waits for contexts that use the service */
	u32 notified;	/* calls of rdma_notify() for COMM_EST */
	u32 disconnected;	/* calls of rdma_disconnect() */
	u32 refused;	/* connect requests refused */
	int sharers;	/* change in connections sharing memory for replies */
	/* CM identifiers passed to rpcrdma_id_destroy_deferred() */
	u32 ids;
	bool id_gone;	/* the last identifier's device was gone */
	u32 begun;	/* parts initialized for a new connection */
	u32 freed;	/* connections freed */
	u32 noted;	/* cause of the last noted end */
	char steps[16];	/* steps of the release in order, a letter each */
	bool overtakes;	/* another processor sets @overtaken_by first */
	enum svc_rdma_state overtaken_by;
	u32 queued;	/* releases queued */
	bool down;	/* the port is down */
	bool iwarp;	/* the device is an iWARP adapter */
	bool waiting;	/* the request waits for a thread */
} done;

struct workqueue_struct *svc_rdma_wq;

struct svc_xprt_class svc_rdma_xprt_class;
static struct svc_serv fake_serv;
static const struct svc_rdma_version fake_version;

/* Records a step of the release. */
static void step(char c)
{
	size_t n = strlen(done.steps);

	if (n < sizeof(done.steps) - 1)
		done.steps[n] = c;
}

/* Destroys the identifier immediately, as for an active port or lost device. */
static void fake_id_destroy_deferred(struct rpcrdma_deferred_id *deferred,
				     struct rdma_cm_id *id, const bool *gone,
				     void (*done_with)(struct rpcrdma_deferred_id *id),
				     const struct module *owner)
{
	done.id_gone = *gone;
	done.ids++;
	step('i');
	done_with(deferred);
}

/* Return: contexts that use the service, including the caller */
static u32 fake_queuing(struct svc_xprt *xprt)
{
	return atomic_read(&svc_rdma_conn_of(xprt)->queuing);
}

static void fake_recv_cq_destroy(struct svc_rdma_conn *conn)
{
	if (conn->recv_cq.cq)
		step('f');
	conn->recv_cq.cq = NULL;
}

static void fake_sq_destroy(struct svc_rdma_conn *conn)
{
	if (conn->sq.cq)
		step('f');
	conn->sq.cq = NULL;
}

/* If @overtakes is set, another processor changes the state first. */
static bool fake_cmpxchg(atomic_t *state, int *from, int to)
{
	if (done.overtakes) {
		atomic_set(state, done.overtaken_by);
		done.overtakes = false;
	}
	return atomic_try_cmpxchg(state, from, to);
}

#define atomic_try_cmpxchg		fake_cmpxchg
#define queue_work(wq, work)		((void)(done.queued += (work) == &conn->life.free_work))
#define kfree(p)			((void)(done.freed += !!(p)), (kfree)(p))
#define svc_xprt_init(net, class, xprt, serv) \
	((void)((xprt)->xpt_class = (class)), (void)((xprt)->xpt_server = (serv)))
#define svc_rdma_undecided		fake_version
#define svc_rdma_bc_answered		NULL
#define svc_rdma_recv_cq_poll(conn)	((void)(conn), step('k'))
#define svc_rdma_recv_cq_destroy(conn)	fake_recv_cq_destroy(conn)
#define svc_rdma_sq_close(conn)		((void)done.sq_closed++)
#define svc_rdma_sq_drain(conn)		((void)(conn), step('s'))
#define svc_rdma_recvs_destroy(conn)	((void)(conn), step('c'))
#define svc_rdma_sends_destroy(conn)	((void)(conn), step('c'))
#define svc_rdma_sends_init(conn)	((void)(conn), (void)done.begun++)
#define svc_rdma_recvs_init(conn)	((void)(conn), (void)done.begun++)
#define svc_rdma_calls_init(conn)	((void)(conn), (void)done.begun++)
#define svc_rdma_sq_init(conn)		((void)(conn), (void)done.begun++)
#define svc_rdma_sq_destroy		fake_sq_destroy
#define svc_rdma_reads_init(conn)	((void)(conn), (void)done.begun++)
#define rpcrdma_rw_end(set)		((void)(set), step('w'))
#define rpcrdma_nl_remove(entry)	((void)(entry), step('l'))
#define svc_rdma_replies_share(change)	((void)(done.sharers += (change)))
#define svc_rdma_listener_remove(conn)	((void)(conn), done.waiting)
#define svc_rdma_conn_refuse(conn, why) \
	((void)((conn)->life.cause = (why)), (void)done.refused++)
#define svc_rdma_ended_conn(conn) \
	((void)(done.noted = (conn)->life.cause), step('n'))
#define svc_rdma_watch_init(conn)	((void)(conn), (void)done.begun++)
#define svc_rdma_watch_stop(conn)	((void)(conn), step('t'))
#define svc_rdma_properties_begin(conn)	((void)(conn), (void)done.begun++)
#define svc_rdma_properties_stop(conn)	((void)(conn), step('t'))
#define svc_rdma_adverts_init(conn)	((void)(conn), (void)done.begun++)
#define svc_rdma_adverts_stop(conn)	((void)(conn), step('t'))
#define svc_rdma_adverts_destroy(conn) ((void)(conn), step('c'))
#define svc_rdma_stash_begin(conn)	((void)(conn), (void)done.begun++)
#define svc_rdma_stash_destroy(conn)	((void)(conn), step('c'))
#define ib_drain_sq(qp)			step('d')
#define rdma_destroy_qp(id)		step('q')
#undef ib_dealloc_pd
#define ib_dealloc_pd(pd)		step('p')
#define svc_xprt_deferred_close(xprt)	(done.deferred += fake_queuing(xprt))
/* Closing notes the end, so the cause must be set first. */
#define svc_xprt_close(xprt) \
	((void)(done.closed += !!svc_rdma_conn_of(xprt)->life.cause))
#define svc_xprt_enqueue(xprt)		(done.enqueued += fake_queuing(xprt))
/* Another context finishes its use of the service. */
#define fsleep(us)			((void)done.sleeps++, atomic_dec(&conn->queuing))
#define rdma_notify(id, event) \
	((void)(id), (void)(done.notified += (event) == IB_EVENT_COMM_EST))
#define rpcrdma_port_active(id)	((void)(id), !done.down)
#define rdma_disconnect(id)		((void)(id), (void)done.disconnected++)
#define rpcrdma_id_destroy_deferred	fake_id_destroy_deferred
#define rpcrdma_deferred_ids_check(owner) \
	((void)(done.rest = done.destroyed && (owner) == THIS_MODULE))

#undef svc_rdma_conn_close
#include "../svcrdma/verbs/conn.c"
#define rdma_protocol_iwarp(dev, port)	((void)(port), done.iwarp)
#undef mod_delayed_work
#define mod_delayed_work(wq, work, delay) \
	((void)(wq), (void)(work), (void)(delay), (void)done.faults++)
#include "../svcrdma/control/conn_events.c"
#include "../svcrdma/control/conn.c"

/* The connection in the running case */
static struct svc_rdma_conn *conn;

static void connection(struct kunit *test, enum svc_rdma_state state)
{
	conn = fake_zalloc(test, sizeof(*conn));
	memset(&done, 0, sizeof(done));
	fake_memory_left = -1;
	atomic_set(&conn->life.state, state);
	conn->xprt.xpt_server = &fake_serv;
	fake_serv.sv_nrthreads = 1;
}

/* svc_rdma_conn_change() makes only the legal changes of all state pairs. */
static void transitions(struct kunit *test)
{
	static const char * const may[] = {
		/* new, accepted, open, closing */
		[SVC_RDMA_NEW]		= "0101",
		[SVC_RDMA_ACCEPTED]	= "0011",
		[SVC_RDMA_OPEN]		= "0001",
		[SVC_RDMA_CLOSING]	= "0000",
	};
	enum svc_rdma_state from, to;

	for (from = 0; from < SVC_RDMA_STATES; from++) {
		for (to = 0; to < SVC_RDMA_STATES; to++) {
			bool legal = may[from][to] == '1';

			connection(test, from);
			KUNIT_EXPECT_EQ(test, svc_rdma_conn_change(conn, to),
					legal);
			KUNIT_EXPECT_EQ(test, atomic_read(&conn->life.state),
					legal ? to : from);
		}
	}
}

/* A concurrent change from ACCEPTED to OPEN does not undo a close. */
static void overtaken(struct kunit *test)
{
	static const enum svc_rdma_state to[] = { SVC_RDMA_OPEN, SVC_RDMA_CLOSING };
	u32 i;

	for (i = 0; i < 2; i++) {
		connection(test, SVC_RDMA_ACCEPTED);
		done.overtakes = true;
		done.overtaken_by = to[!i];
		KUNIT_EXPECT_EQ(test, svc_rdma_conn_change(conn, to[i]), i);
		KUNIT_EXPECT_EQ(test, atomic_read(&conn->life.state),
				SVC_RDMA_CLOSING);
	}
}

/* CM events of connections and requests; a waiting request is refused. */
static const struct event_case {
	const char *name;
	enum rdma_cm_event_type event;
	enum svc_rdma_state to;
	u32 deferred, closed;
	enum rpcrdma_nl_lost reason;
	bool new, waiting;
} events[] = {
	{ "established", RDMA_CM_EVENT_ESTABLISHED, SVC_RDMA_OPEN },
	{ "disconnected", RDMA_CM_EVENT_DISCONNECTED, SVC_RDMA_CLOSING, 1, 0,
	  RPCRDMA_NL_LOST_PEER },
	{ "rejected", RDMA_CM_EVENT_REJECTED, SVC_RDMA_CLOSING, 1, 0, RPCRDMA_NL_LOST_PEER },
	{ "connect error", RDMA_CM_EVENT_CONNECT_ERROR, SVC_RDMA_CLOSING, 1, 0,
	  RPCRDMA_NL_LOST_VANISHED },
	{ "address changed", RDMA_CM_EVENT_ADDR_CHANGE, SVC_RDMA_CLOSING, 1, 0,
	  RPCRDMA_NL_LOST_ADDRESS },
	/* The handler closes it; nfsd might have no threads left. */
	{ "device goes away", RDMA_CM_EVENT_DEVICE_REMOVAL, SVC_RDMA_CLOSING,
	  1, 1, RPCRDMA_NL_LOST_DEVICE },
	{ "timewait is over", RDMA_CM_EVENT_TIMEWAIT_EXIT, SVC_RDMA_ACCEPTED },
	{ "waiting request", RDMA_CM_EVENT_DISCONNECTED, SVC_RDMA_NEW, 0, 0,
	  RPCRDMA_NL_LOST_PEER, true, true },
	{ "waiting request, device goes away", RDMA_CM_EVENT_DEVICE_REMOVAL,
	  SVC_RDMA_NEW, 0, 0, RPCRDMA_NL_LOST_DEVICE, true, true },
	{ "request", RDMA_CM_EVENT_REJECTED, SVC_RDMA_CLOSING, 1, 0,
	  RPCRDMA_NL_LOST_PEER, true },
	{ "request, device goes away", RDMA_CM_EVENT_DEVICE_REMOVAL,
	  SVC_RDMA_CLOSING, 1, 1, RPCRDMA_NL_LOST_DEVICE, true },
};

KUNIT_ARRAY_PARAM_DESC(event, events, name);

static void cm_events(struct kunit *test)
{
	const struct event_case *param = test->param_value;
	struct rdma_cm_event event = { .event = param->event };
	struct rdma_cm_id id = { };

	connection(test, param->new ? SVC_RDMA_NEW : SVC_RDMA_ACCEPTED);
	id.context = conn;
	/* Act: 0 means that the CM must not destroy the identifier */
	done.waiting = param->waiting;
	KUNIT_EXPECT_EQ(test, svc_rdma_conn_handler(&id, &event), 0);

	/* Assert: callers waiting for the Send Queue are woken */
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->life.state), param->to);
	KUNIT_EXPECT_EQ(test, done.deferred, param->deferred);
	KUNIT_EXPECT_EQ(test, done.closed, param->closed);
	KUNIT_EXPECT_EQ(test, done.refused, param->waiting);
	KUNIT_EXPECT_EQ(test, done.sq_closed, param->to == SVC_RDMA_CLOSING);
	KUNIT_EXPECT_EQ(test, conn->life.gone, event.event == RDMA_CM_EVENT_DEVICE_REMOVAL);
	KUNIT_EXPECT_EQ(test, rpcrdma_cause_reason(conn->life.cause), param->reason);
}

/* Fatal Queue Pair events note a cause and schedule a check; others do not. */
static void qp_events(struct kunit *test)
{
	static const struct {
		enum ib_event_type event;
		enum rpcrdma_nl_lost reason[2];	/* RoCE, iWARP */
	} cases[] = {
		/* The first message can arrive before the CM's event. */
		{ IB_EVENT_COMM_EST }, { IB_EVENT_PATH_MIG }, { IB_EVENT_SQ_DRAINED },
		{ IB_EVENT_QP_LAST_WQE_REACHED },
		{ IB_EVENT_QP_FATAL, { RPCRDMA_NL_LOST_WORK, RPCRDMA_NL_LOST_PEER } },
		{ IB_EVENT_QP_REQ_ERR, { RPCRDMA_NL_LOST_WORK, RPCRDMA_NL_LOST_WORK } },
		{ IB_EVENT_QP_ACCESS_ERR, { RPCRDMA_NL_LOST_WORK, RPCRDMA_NL_LOST_WORK } },
	};
	u32 i;

	for (i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		struct ib_event event = { .event = cases[i / 2].event };
		enum rpcrdma_nl_lost reason = cases[i / 2].reason[i % 2];

		connection(test, SVC_RDMA_OPEN);
		done.iwarp = i % 2;
		svc_rdma_conn_qp_event(&event, conn);
		KUNIT_EXPECT_EQ(test, done.sq_closed + done.deferred, 0);
		KUNIT_EXPECT_EQ(test, done.faults, !!reason);
		KUNIT_EXPECT_EQ(test, done.notified, event.event == IB_EVENT_COMM_EST);
		KUNIT_EXPECT_EQ(test, rpcrdma_cause_reason(conn->life.cause), reason);
		KUNIT_EXPECT_EQ(test, rpcrdma_cause_status(conn->life.cause),
				reason ? event.event : 0);
	}
}

/* The first known cause is kept; a later cause replaces only an unknown one. */
static void first_cause_counts(struct kunit *test)
{
	connection(test, SVC_RDMA_OPEN);
	svc_rdma_conn_close(conn, RPCRDMA_CAUSE_UNKNOWN);
	svc_rdma_conn_detach(&conn->xprt);
	KUNIT_EXPECT_EQ(test, done.noted, RPCRDMA_CAUSE_UNKNOWN);
	svc_rdma_conn_close(conn, RPCRDMA_CAUSE(PEER, NONE));
	svc_rdma_conn_close(conn, RPCRDMA_CAUSE(MEMORY, SEND));
	KUNIT_EXPECT_EQ(test, conn->life.cause, RPCRDMA_CAUSE(PEER, NONE));

	connection(test, SVC_RDMA_OPEN);
	svc_rdma_conn_close(conn, RPCRDMA_CAUSE(PROTOCOL, SHORT));
	svc_rdma_conn_detach(&conn->xprt);
	KUNIT_EXPECT_EQ(test, done.noted, RPCRDMA_CAUSE(PROTOCOL, SHORT));

	/* A client that was being probed before the flush has vanished. */
	done.iwarp = true;
	KUNIT_EXPECT_EQ(test, svc_rdma_conn_unknown_cause(conn), RPCRDMA_CAUSE(PEER, NONE));
	conn->watch.probing = true;
	KUNIT_EXPECT_EQ(test, rpcrdma_cause_reason(svc_rdma_conn_unknown_cause(conn)),
			RPCRDMA_NL_LOST_VANISHED);
}

/* Detaching waits until no other context queues or closes the connection. */
static void detached_when_settled(struct kunit *test)
{
	connection(test, SVC_RDMA_OPEN);
	svc_rdma_conn_enqueue(conn);
	svc_rdma_conn_close(conn, RPCRDMA_CAUSE_UNKNOWN);
	KUNIT_EXPECT_EQ(test, done.enqueued, 1);
	KUNIT_EXPECT_EQ(test, done.deferred, 1);
	svc_rdma_conn_detach(&conn->xprt);
	KUNIT_EXPECT_EQ(test, done.sleeps, 0);

	atomic_set(&conn->queuing, 2);
	svc_rdma_conn_detach(&conn->xprt);
	KUNIT_EXPECT_EQ(test, done.sleeps, 2);
}

/* The cause is a shutdown if nfsd has no threads, else a close by nfsd. */
static void closed_by_nfsd(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 3; i++) {
		connection(test, SVC_RDMA_OPEN);
		fake_serv.sv_nrthreads = i;
		done.down = i == 1;
		conn->life.gone = i == 2;
		svc_rdma_conn_detach(&conn->xprt);
		KUNIT_EXPECT_EQ(test, done.noted, i ? RPCRDMA_CAUSE(CLOSED, NONE) :
						      RPCRDMA_CAUSE(SHUTDOWN, NONE));
		KUNIT_EXPECT_EQ(test, done.disconnected, !i);
		KUNIT_EXPECT_EQ(test, done.sq_closed, 1);
		KUNIT_EXPECT_TRUE(test, svc_rdma_conn_closing(conn));
	}
}

/* The CM identifier is destroyed last; a device removal is passed on. */
static void id_destroyed_last(struct kunit *test)
{
	u32 gone;

	for (gone = 0; gone < 2; gone++) {
		struct rdma_cm_event event = {
			.event = RDMA_CM_EVENT_DEVICE_REMOVAL
		};
		struct svc_rdma_conn *conn;
		struct rdma_cm_id id = { };

		connection(test, SVC_RDMA_CLOSING);
		conn = kzalloc(sizeof(*conn), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, conn);
		svc_rdma_conn_init(conn);
		atomic_set(&conn->life.state, SVC_RDMA_ACCEPTED);
		conn->life.shown.number = 1;
		conn->cm_id = &id;
		id.context = conn;
		if (gone)
			svc_rdma_conn_handler(&id, &event);
		svc_rdma_conn_free_work(&conn->life.free_work);
		KUNIT_EXPECT_EQ(test, done.noted,
				gone ? RPCRDMA_CAUSE(DEVICE, NONE) :
				       RPCRDMA_CAUSE(WORK, FLUSHED));
		/*
		 * The release first hides the connection and stops the timers,
		 * which could post to its Queue Pair.
		 */
		KUNIT_EXPECT_STREQ(test, done.steps, "ltttsdkwccccni");
		KUNIT_EXPECT_EQ(test, done.sharers, -1);
		KUNIT_EXPECT_EQ(test, done.ids, 1);
		KUNIT_EXPECT_EQ(test, done.freed, 1);
		KUNIT_EXPECT_EQ(test, done.id_gone, gone);
	}
}

/* Resources of a connection, and the steps that release them in order */
static const struct release_case {
	const char *name;
	bool accepted, qp, cqs, pd;
	const char *steps;
} release_cases[] = {
	{ "memory regions before their Queue Pair", true, true, true, true, "sdkwqffccccp" },
	{ "never accepted: no drain", false, true, true, true, "sqffccccp" },
	{ "without a Queue Pair", false, false, true, true, "sffccccp" },
	{ "without queues", false, false, false, true, "sccccp" },
	{ "without anything", false, false, false, false, "scccc" },
};

KUNIT_ARRAY_PARAM_DESC(release_case, release_cases, name);

static void released(struct kunit *test)
{
	const struct release_case *c = test->param_value;

	connection(test, SVC_RDMA_CLOSING);
	conn->life.shown.number = c->accepted;
	conn->qp = c->qp ? (struct ib_qp *)&done : NULL;
	conn->sq.cq = c->cqs ? (struct ib_cq *)&done : NULL;
	conn->recv_cq.cq = conn->sq.cq;
	conn->pd = c->pd ? (struct ib_pd *)&done : NULL;
	svc_rdma_conn_release_resources(conn);
	KUNIT_EXPECT_STREQ(test, done.steps, c->steps);
	KUNIT_EXPECT_NULL(test, conn->qp);
	KUNIT_EXPECT_NULL(test, conn->sq.cq);
	KUNIT_EXPECT_NULL(test, conn->recv_cq.cq);
}

/* A new connection is initialized, but nothing is posted or published. */
static void created(struct kunit *test)
{
	struct svc_serv *serv = (struct svc_serv *)&done;
	struct sockaddr_in *remote, *local;
	struct svc_rdma_conn *conn;
	struct rdma_cm_id id = { .port_num = 2 };

	connection(test, SVC_RDMA_NEW);
	id.device = fake_zalloc(test, sizeof(*id.device));
	set_dev_node(&id.device->dev, NUMA_NO_NODE);
	remote = (struct sockaddr_in *)&id.route.addr.dst_addr;
	local = (struct sockaddr_in *)&id.route.addr.src_addr;
	remote->sin_family = AF_INET;
	remote->sin_addr.s_addr = htonl(0x0a000001);
	remote->sin_port = htons(12345);
	local->sin_family = AF_INET;
	local->sin_addr.s_addr = htonl(0x0a000002);
	local->sin_port = htons(20049);

	/* Act and assert: fails without memory */
	fake_memory_left = 0;
	KUNIT_EXPECT_NULL(test, svc_rdma_conn_alloc(serv, NULL, &id));
	fake_memory_left = -1;
	conn = svc_rdma_conn_alloc(serv, NULL, &id);
	KUNIT_ASSERT_NOT_NULL(test, conn);

	KUNIT_EXPECT_PTR_EQ(test, conn->xprt.xpt_class, &svc_rdma_xprt_class);
	KUNIT_EXPECT_PTR_EQ(test, conn->xprt.xpt_server, serv);
	KUNIT_EXPECT_TRUE(test, test_bit(XPT_CONG_CTRL, &conn->xprt.xpt_flags));
	KUNIT_EXPECT_PTR_EQ(test, conn->cm_id, &id);
	KUNIT_EXPECT_PTR_EQ(test, conn->dev, id.device);
	KUNIT_EXPECT_EQ(test, conn->caps.port, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->life.state), SVC_RDMA_NEW);
	KUNIT_EXPECT_EQ(test, done.begun, 9);
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->rws.all));

	/* Assert: port 0, to hide the requester's port from nfsd's cache */
	local = (struct sockaddr_in *)&conn->xprt.xpt_local;
	KUNIT_EXPECT_EQ(test, conn->xprt.xpt_locallen, sizeof(*local));
	KUNIT_EXPECT_EQ(test, ntohl(local->sin_addr.s_addr), 0x0a000002);
	KUNIT_EXPECT_EQ(test, ntohs(local->sin_port), 20049);
	remote = (struct sockaddr_in *)&conn->xprt.xpt_remote;
	KUNIT_EXPECT_EQ(test, conn->xprt.xpt_remotelen, sizeof(*remote));
	KUNIT_EXPECT_EQ(test, ntohl(remote->sin_addr.s_addr), 0x0a000001);
	KUNIT_EXPECT_EQ(test, ntohs(remote->sin_port), 0);

	/* The release is queued, and runs in process context. */
	svc_rdma_conn_free(&conn->xprt);
	KUNIT_EXPECT_EQ(test, done.queued, 1);
	svc_rdma_conn_free_work(&conn->life.free_work);
	KUNIT_EXPECT_EQ(test, done.sharers, 0);
	/* svc_xprt_put() would drop the transport's module reference. */
	module_put(THIS_MODULE);
}

static struct kunit_case svc_conn_cases[] = {
	KUNIT_CASE(transitions),
	KUNIT_CASE(overtaken),
	KUNIT_CASE_PARAM(cm_events, event_gen_params),
	KUNIT_CASE(qp_events),
	KUNIT_CASE(first_cause_counts),
	KUNIT_CASE(detached_when_settled),
	KUNIT_CASE(closed_by_nfsd),
	KUNIT_CASE(id_destroyed_last),
	KUNIT_CASE_PARAM(released, release_case_gen_params),
	KUNIT_CASE(created),
	{}
};

SUITE("svc_rdma_conn", svc_conn_cases);
