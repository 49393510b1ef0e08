// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: an accepted connection stays within the limits of the device, the
 * requester and the administrator (RFC 8797 section 4). svcrdma rejects a
 * connect request that it cannot accept once, without leaking memory. If this
 * failed, mounts would be refused or their connections would break under load.
 */

#include <rdma/rw.h>

#include "suite.h"
#include "svc_fakes.h"

enum step { PD, SEND_CQ, RECV_CQ, QP, RECVS, CLOSED, REPLY, STEPS };

/* Input of the file under test, and the calls it has made */
static struct accepting {
	struct svc_rdma_conn *next;	/* the waiting request, or NULL */
	struct svc_rdma_conn *conn;	/* the request's connection */
	struct rdma_conn_param request;	/* the request's parameters */
	struct rpcrdma_private said;	/* the request's private data */
	enum step fails_at;	/* step that fails; STEPS if none does */
	u32 locked;	/* nesting depth of the CM's handler lock */
	u32 unlocked;	/* actions that need that lock but lack it */
	u32 cqs;	/* completion queues created */
	u32 cqes[2];	/* entries of each completion queue */
	u32 rejected;	/* requests rejected */
	u32 replied;	/* CM replies sent */
	u32 put;	/* references to the connection released */
	u32 watched;	/* connections whose watch was started */
	u32 limited;	/* connections whose Reads and Writes were limited */
	u32 listed;	/* connections added to the netlink dump */
	u32 sharers;	/* connections that share the memory for replies */
	u32 ack_timeout;	/* ACK timeout set before the reply */
	struct rdma_conn_param param;	/* the last CM reply */
	u8 priv[RPCRDMA_PRIVATE_MAX];	/* the CM reply's private data */
	struct ib_qp_cap cap;	/* capabilities of the Queue Pair */
} acc;

/* Tunables; the extensions' files define the last ones as static. */
unsigned int svc_rdma_max_requests, svc_rdma_max_req_size, svc_rdma_ord;
unsigned int svc_rdma_max_version, svc_rdma_receive_buffer_size;
unsigned int svc_rdma_ack_timeout = 20;
bool svc_rdma_remote_invalidation;
static bool svc_rdma_read_replies, svc_rdma_read_replies_v1;
static bool fake_port_down;

static int step_result(enum step step)
{
	return step == acc.fails_at ? -ENOMEM : 0;
}

/* Refuses all flags: one flag would let the peer access all memory. */
static struct ib_pd *fake_alloc_pd(unsigned int flags)
{
	if (step_result(PD) || flags)
		return ERR_PTR(-ENOMEM);
	return (struct ib_pd *)&acc;
}

static struct ib_cq *fake_alloc_cq(struct ib_cq *cq, u32 entries)
{
	acc.cqes[acc.cqs % ARRAY_SIZE(acc.cqes)] = entries;
	return step_result(SEND_CQ + acc.cqs++) ? ERR_PTR(-ENOMEM) : cq;
}

/* Gather entries that the device gives the Queue Pair */
#define QP_SGES		3u

static struct ib_qp fake_qp;

static int fake_create_qp(struct rdma_cm_id *id, struct ib_pd *pd,
			  struct ib_qp_init_attr *attr)
{
	acc.cap = attr->cap;
	if (step_result(QP))
		return -ENOMEM;
	attr->cap.max_send_sge = min(attr->cap.max_send_sge, QP_SGES);
	id->qp = &fake_qp;
	return 0;
}

static int fake_accept(struct rdma_conn_param *param)
{
	acc.unlocked += acc.locked != 1;
	if (step_result(REPLY))
		return -ENOMEM;
	acc.replied++;
	acc.param = *param;
	memcpy(acc.priv, param->private_data,
	       min_t(size_t, param->private_data_len, sizeof(acc.priv)));
	return 0;
}

static bool fake_change(struct svc_rdma_conn *conn, enum svc_rdma_state to)
{
	acc.unlocked += to == SVC_RDMA_ACCEPTED && acc.locked != 1;
	if (to == SVC_RDMA_ACCEPTED && acc.fails_at == CLOSED)
		return false;
	atomic_set(&conn->life.state, to);
	return true;
}

static int fake_recv_cq_create(struct svc_rdma_conn *conn, u32 depth)
{
	struct ib_cq *cq = fake_alloc_cq((struct ib_cq *)&acc, depth);

	if (IS_ERR(cq))
		return PTR_ERR(cq);
	conn->recv_cq.cq = cq;
	return 0;
}

#undef ib_alloc_pd
#define ib_alloc_pd(dev, flags)		fake_alloc_pd(flags)
#define ib_alloc_cq_any(dev, priv, n, ctx) \
	fake_alloc_cq((struct ib_cq *)&acc, n)
#define rdma_create_qp			fake_create_qp
#define rpcrdma_path_query(id, to)	((void)(id), (to)->mtu = 2048)
#define rpcrdma_set_ack_timeout(id, exp)	((void)(id), acc.ack_timeout = (exp))
#define rdma_accept(id, param)		((void)(id), fake_accept(param))
#define rdma_reject(id, data, len, why)	((void)acc.rejected++)
#define rdma_lock_handler(id)		((void)(id), (void)acc.locked++)
#define rdma_unlock_handler(id)		((void)(id), (void)acc.locked--)
#define rpcrdma_port_active(id)	((void)(id), !fake_port_down)
#define svc_rdma_ended_conn(conn)	((void)(fake_cause = (conn)->life.cause))
#define svc_xprt_put(xprt)		((void)acc.put++, module_put(THIS_MODULE))
#define svc_rdma_listener_next(listener)	((void)(listener), acc.next)
#define svc_rdma_conn_change		fake_change
#define svc_rdma_conn_qp_event		NULL
#define svc_rdma_watch_start(conn)	((void)(conn), (void)acc.watched++)
#define rpcrdma_nl_add(entry, put)	((void)(entry), (void)acc.listed++)
#define svc_rdma_replies_share(change)	((void)(acc.sharers += (change)))
#define svc_rdma_recv_cq_create		fake_recv_cq_create
#define svc_rdma_limit_rw(conn)		((void)(conn), (void)acc.limited++)
#define svc_rdma_reads_limit(conn, max) \
	((void)((conn)->read_queue.round = (max) * (conn)->sq.depth))
#define svc_rdma_recvs_set_size(conn, bytes) \
	((void)((conn)->recvs.size = (bytes)))
#define svc_rdma_credits_init(conn, most) \
	((void)((conn)->credits.max = (most)))
#define svc_rdma_recvs_add(conn, count)	((void)(conn), step_result(RECVS))
#define svc_rdma_recvs_for(grant)	((grant) + 10)

/* The real sq.c creates the completion queue and sets the depth. */
#define svc_rdma_conn_unthrottle(conn)	((void)(conn))
#include "../svcrdma/verbs/sq.c"
#include "../svcrdma/version/peer.c"
#include "../svcrdma/control/accept.c"
#ifdef RPCRDMA_EXT_PULLED
#include "../svcrdma/ext/pulled/limits.c"
#endif

static const struct ib_device_attr big_device = {
	.device_cap_flags = IB_DEVICE_MEM_MGT_EXTENSIONS,
	.max_qp_wr = 4096,
	.max_send_sge = 32,
	.max_recv_sge = 32,
	.max_qp_init_rd_atom = 128,
	.max_qp_rd_atom = 128,
	.max_fast_reg_page_list_len = 512,
};

/* Sets the connection's limits from its connect request. */
static void set_limits(void)
{
	u8 priv[RPCRDMA_PRIVATE_MAX];

	acc.request.private_data = priv;
	acc.request.private_data_len = rpcrdma_private_encode(&acc.said, priv);
	svc_rdma_conn_set_limits(acc.conn, &acc.request);
}

static struct svc_xprt *accept(void)
{
	static struct svc_rdma_listener listener;

	set_limits();
	/* The connection's module reference, dropped in every case */
	if (acc.next)
		__module_get(THIS_MODULE);
	return svc_rdma_accept_conn(&listener.xprt);
}

/* A listener with a connect request from a requester that runs xprtrdma */
static void arrange(struct kunit *test, enum step fails_at)
{
	memset(&acc, 0, sizeof(acc));
	acc.fails_at = fails_at;
	acc.conn = fake_conn(test);
	acc.conn->pd = NULL;
	acc.conn->dev->attrs = big_device;
	acc.conn->cm_id = fake_zalloc(test, sizeof(*acc.conn->cm_id));
	acc.conn->cm_id->route.path_rec =
		fake_zalloc(test, sizeof(*acc.conn->cm_id->route.path_rec));
	acc.conn->cm_id->route.path_rec->traffic_class = 104;
	acc.next = acc.conn;
	acc.request.initiator_depth = 16;
	acc.request.responder_resources = 12;
	acc.said.send_size = 8192;
	acc.said.recv_size = 8192;
	acc.said.remote_inv = true;
	svc_rdma_max_requests = 64;
	svc_rdma_max_req_size = 4096;
	svc_rdma_ord = 32;
	fake_port_down = false;
	svc_rdma_max_version = RPCRDMA_VERSION_2;
	svc_rdma_receive_buffer_size = 8192;
	svc_rdma_remote_invalidation = true;
	svc_rdma_read_replies = true;
	svc_rdma_read_replies_v1 = false;
}

static void accepts(struct kunit *test)
{
	struct svc_rdma_conn *conn = acc.conn;
	struct rpcrdma_private priv;

	KUNIT_ASSERT_PTR_EQ(test, accept(), &conn->xprt);

	KUNIT_EXPECT_EQ(test, atomic_read(&conn->life.state), SVC_RDMA_ACCEPTED);
	KUNIT_EXPECT_EQ(test, acc.watched, 1);
	KUNIT_EXPECT_EQ(test, acc.listed, 1);
	KUNIT_EXPECT_EQ(test, acc.sharers, 1);
	/* The connection's Reads and Writes are limited. */
	KUNIT_EXPECT_EQ(test, acc.limited, 1);
	KUNIT_EXPECT_EQ(test, acc.rejected, 0);
	KUNIT_EXPECT_EQ(test, acc.put, 0);
	/* The handler lock was released after the reply was sent. */
	KUNIT_EXPECT_EQ(test, acc.unlocked, 0);
	KUNIT_EXPECT_EQ(test, acc.locked, 0);

	/* Assert: the reply carries the private data of version 1 */
	KUNIT_EXPECT_EQ(test, acc.param.initiator_depth, 16);
	KUNIT_EXPECT_EQ(test, acc.param.responder_resources, 12);
	/* A round depends on the Read limit and on the Send Queue depth. */
	KUNIT_EXPECT_EQ(test, conn->read_queue.round, 16 * conn->sq.depth);
	/* Some adapters retry forever if the count is 7. */
	KUNIT_EXPECT_LT(test, acc.param.retry_count, 7);
	KUNIT_EXPECT_GT(test, acc.param.retry_count, 0);
	/* RNR is retried forever: the requester will post its Receives. */
	KUNIT_EXPECT_EQ(test, acc.param.rnr_retry_count, 7);
	KUNIT_EXPECT_EQ(test, acc.param.flow_control, 1);
	KUNIT_EXPECT_EQ(test, acc.ack_timeout, 20);
	KUNIT_EXPECT_EQ(test, conn->caps.traffic_class, 104);
	KUNIT_EXPECT_EQ(test, conn->caps.path.mtu, 2048);
	KUNIT_EXPECT_EQ(test, acc.param.private_data_len, RPCRDMA_PRIVATE_MAX);
	KUNIT_ASSERT_TRUE(test, rpcrdma_private_decode(&priv, acc.priv,
						       sizeof(acc.priv)));
	KUNIT_EXPECT_EQ(test, priv.send_size, 4096);
	KUNIT_EXPECT_EQ(test, priv.recv_size, 4096);
	KUNIT_EXPECT_FALSE(test, priv.remote_inv);
	KUNIT_EXPECT_EQ(test, priv.hint, RPCRDMA_HINT_V2);

	/* Assert: the Send Queue has a spare entry for draining */
	KUNIT_EXPECT_EQ(test, acc.cap.max_recv_wr,
			svc_rdma_recvs_for(conn->credits.max));
	KUNIT_EXPECT_EQ(test, acc.cap.max_recv_sge, 1);
	/* A Send gathers from no more SGEs than the Queue Pair has. */
	KUNIT_EXPECT_EQ(test, acc.cap.max_send_sge, SVC_RDMA_SEND_SGES);
	KUNIT_EXPECT_EQ(test, conn->caps.send_sges, QP_SGES);
	KUNIT_EXPECT_EQ(test, acc.cap.max_send_wr, SVC_RDMA_SQ_MOST);
	/* The Queue Pair reserves no regions; they are created on demand. */
	KUNIT_EXPECT_EQ(test, acc.cap.max_rdma_ctxs, 0);
	KUNIT_EXPECT_EQ(test, conn->sq.depth,
			SVC_RDMA_SQ_MOST - 1 - SVC_RDMA_UNSIGNALED);
	/* The completion queues cannot overrun. */
	KUNIT_EXPECT_EQ(test, acc.cqes[0],
			conn->sq.depth + SVC_RDMA_UNSIGNALED + 2);
	KUNIT_EXPECT_EQ(test, acc.cqes[1], acc.cap.max_recv_wr);

	/* Without version 2, the private data has the format of RFC 8797. */
	arrange(test, STEPS);
	svc_rdma_max_version = RPCRDMA_VERSION_1;
	accept();
	KUNIT_EXPECT_EQ(test, acc.param.private_data_len, RPCRDMA_PRIVATE_SIZE);
}

/* A failure in any step rejects the request once and undoes all steps. */
static void failed_step_undone(struct kunit *test)
{
	struct svc_rdma_conn *conn;
	enum step step;

	for (step = PD; step < STEPS; step++) {
		arrange(test, step);
		conn = acc.conn;
		KUNIT_EXPECT_NULL(test, accept());
		KUNIT_EXPECT_EQ(test, acc.replied, 0);
		KUNIT_EXPECT_EQ(test, acc.watched, 0);
		KUNIT_EXPECT_EQ(test, acc.rejected, 1);
		KUNIT_EXPECT_EQ(test, acc.put, 1);
		KUNIT_EXPECT_EQ(test, rpcrdma_cause_reason(fake_cause),
				RPCRDMA_NL_LOST_REFUSED);
		KUNIT_EXPECT_EQ(test, rpcrdma_cause_status(fake_cause),
				step == CLOSED ? -ECONNABORTED : -ENOMEM);
		KUNIT_EXPECT_EQ(test, acc.listed, 0);
		KUNIT_EXPECT_EQ(test, acc.unlocked, 0);
		KUNIT_EXPECT_EQ(test, acc.locked, 0);
		KUNIT_EXPECT_FALSE(test, conn->life.gone);
		/* Each object pointer is valid or NULL, never an ERR_PTR. */
		KUNIT_EXPECT_EQ(test, !!conn->pd, step > PD);
		KUNIT_EXPECT_EQ(test, !!conn->sq.cq, step > SEND_CQ);
		KUNIT_EXPECT_EQ(test, !!conn->recv_cq.cq, step > RECV_CQ);
		KUNIT_EXPECT_EQ(test, !!conn->qp, step > QP);
		KUNIT_EXPECT_EQ(test, atomic_read(&conn->life.state),
				SVC_RDMA_CLOSING);
	}
}

/* Failures that send no rejection, or keep an earlier cause */
static void other_failures(struct kunit *test)
{
	/* No request is waiting. */
	acc.next = NULL;
	KUNIT_EXPECT_NULL(test, accept());
	KUNIT_EXPECT_EQ(test, acc.rejected, 0);

	/* While the port is down, accept sends no CM message. */
	arrange(test, PD);
	fake_port_down = true;
	KUNIT_EXPECT_NULL(test, accept());
	KUNIT_EXPECT_EQ(test, acc.put, 1);
	KUNIT_EXPECT_EQ(test, acc.rejected, 0);

	/* A failed step does not replace the cause that an event set. */
	arrange(test, CLOSED);
	acc.conn->life.cause = RPCRDMA_CAUSE(DEVICE, CONNECT);
	KUNIT_EXPECT_NULL(test, accept());
	KUNIT_EXPECT_EQ(test, fake_cause, RPCRDMA_CAUSE(DEVICE, CONNECT));
}

/* A device or requester below the minimum is refused. */
static void below_minimum_refused(struct kunit *test)
{
	/* Without RDMA Reads the server cannot receive calls with chunks. */
	acc.request.initiator_depth = 0;
	KUNIT_EXPECT_NULL(test, accept());
	KUNIT_EXPECT_EQ(test, fake_cause, RPCRDMA_CAUSE(REFUSED, NO_READS));
	KUNIT_EXPECT_EQ(test, acc.rejected, 1);

	/* The device has too few Send Queue entries. */
	arrange(test, STEPS);
	acc.conn->dev->attrs.max_qp_wr = SVC_RDMA_SQ_LEAST - 1;
	KUNIT_EXPECT_NULL(test, accept());
	KUNIT_EXPECT_EQ(test, acc.rejected, 1);
	KUNIT_EXPECT_EQ(test, rpcrdma_cause_status(fake_cause), -EINVAL);
	KUNIT_EXPECT_NULL(test, acc.conn->pd);

	/* The smallest Send Queue is accepted. */
	arrange(test, STEPS);
	acc.conn->dev->attrs.max_qp_wr = SVC_RDMA_SQ_LEAST;
	KUNIT_EXPECT_NOT_NULL(test, accept());
	KUNIT_EXPECT_EQ(test, acc.cap.max_send_wr, SVC_RDMA_SQ_LEAST);
	KUNIT_EXPECT_EQ(test, acc.conn->sq.depth,
			SVC_RDMA_SQ_LEAST - 1 - SVC_RDMA_UNSIGNALED);
}

/* The grant is half of max_qp_wr at most, so the spare Receives fit as well. */
static void credits_fit_device(struct kunit *test)
{
	u32 max_qp_wr;

	for (max_qp_wr = SVC_RDMA_SQ_LEAST; max_qp_wr < 200; max_qp_wr++) {
		arrange(test, STEPS);
		acc.conn->dev->attrs.max_qp_wr = max_qp_wr;
		set_limits();
		KUNIT_EXPECT_EQ(test, acc.conn->credits.max,
				min(max_qp_wr / 2, svc_rdma_max_requests));
		KUNIT_EXPECT_LE(test, svc_rdma_recvs_for(acc.conn->credits.max), max_qp_wr);
	}
}

#ifdef RPCRDMA_EXT_PULLED
/* Settings that allow or forbid advertised replies in each version */
static const struct advertise_case {
	const char *name;
	u32 ird, depth;
	bool v2, v1, can, v1_can, v1_inv;
	bool unable;	/* the device cannot register */
} advertise_cases[] = {
	{ "version 2", 12, 512, true, false, true, false, false },
	{ "both versions", 12, 512, true, true, true, true, true },
	{ "version 1", 12, 512, false, true, false, true, true },
	{ "neither", 12, 512 },
	{ "a requester without Reads", 0, 512, true, true },
	{ "a device that cannot register", 12, 512, true, true, .unable = true },
	{ "a device without room in a region", 12, 15, true, true },
};

KUNIT_ARRAY_PARAM_DESC(advertise_case, advertise_cases, name);

static void may_advertise(struct kunit *test)
{
	const struct advertise_case *c = test->param_value;
	struct rpcrdma_private priv;

	acc.request.responder_resources = c->ird;
	acc.conn->dev->attrs.max_fast_reg_page_list_len = c->depth;
	if (c->unable)
		acc.conn->dev->attrs.device_cap_flags = 0;
	svc_rdma_read_replies = c->v2;
	svc_rdma_read_replies_v1 = c->v1;

	KUNIT_ASSERT_NOT_NULL(test, accept());
	KUNIT_EXPECT_EQ(test, acc.conn->caps.advertise, c->can);
	KUNIT_EXPECT_EQ(test, acc.conn->caps.advertise_v1, c->v1_can);
	KUNIT_EXPECT_FALSE(test, acc.conn->peer.read_replies);
	KUNIT_EXPECT_EQ(test, acc.param.responder_resources, c->ird);
	KUNIT_ASSERT_TRUE(test, rpcrdma_private_decode(&priv, acc.priv,
						       sizeof(acc.priv)));
	KUNIT_EXPECT_EQ(test, priv.remote_inv, c->v1_inv);
}
#endif

/* Limits on Sends and Receives, and Remote Invalidation */
static const struct limits_case {
	const char *name;
	u32 peer, version, send_size, recv_size;
	bool remote_inv;
	enum rpcrdma_hint hint;
	bool off;	/* Remote Invalidation is turned off */
	bool unable;	/* the device cannot invalidate */
} limits_cases[] = {
	{ "all of ours", 8192, 2, 4096, 8192, true },
	{ "a requester without private data", 0, 2, RPCRDMA_V1_INLINE_DEFAULT, 8192, true },
	{ "a small requester", 2048, 2, 2048, 8192, true },
	{ "version 1 only", 8192, 1, 4096, 4096, true },
	{ "a requester with another version 2", 8192, 2, 4096, 4096, true, RPCRDMA_HINT_V2_OTHER },
	{ "invalidation turned off", 8192, 2, 4096, 8192, .off = true },
	{ "a device that cannot invalidate", 8192, 2, 4096, 8192, .unable = true },
};

KUNIT_ARRAY_PARAM_DESC(limits_case, limits_cases, name);

static void limits(struct kunit *test)
{
	const struct limits_case *c = test->param_value;

	acc.said.recv_size = c->peer;
	acc.said.hint = c->hint;
	if (c->unable)
		acc.conn->dev->attrs.device_cap_flags = 0;
	svc_rdma_remote_invalidation = !c->off;
	svc_rdma_max_version = c->version;
	set_limits();
	KUNIT_EXPECT_EQ(test, acc.conn->peer.longest, c->send_size);
	KUNIT_EXPECT_EQ(test, acc.conn->recvs.size, c->recv_size);
	KUNIT_EXPECT_EQ(test, acc.conn->peer.remote_inv, c->remote_inv);
	KUNIT_EXPECT_EQ(test, acc.conn->caps.ord, 16);
	KUNIT_EXPECT_EQ(test, acc.conn->peer.hint, c->hint);
}

static int begin_case(struct kunit *test)
{
	arrange(test, STEPS);
	return 0;
}

static struct kunit_case svc_accept_cases[] = {
	KUNIT_CASE(accepts),
	KUNIT_CASE(failed_step_undone),
	KUNIT_CASE(other_failures),
	KUNIT_CASE(below_minimum_refused),
	KUNIT_CASE(credits_fit_device),
	KUNIT_CASE_PARAM(limits, limits_case_gen_params),
#ifdef RPCRDMA_EXT_PULLED
	KUNIT_CASE_PARAM(may_advertise, advertise_case_gen_params),
#endif
	{}
};

SUITE("svc_rdma_accept", svc_accept_cases, .init = begin_case);
