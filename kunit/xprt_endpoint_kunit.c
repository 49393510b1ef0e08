// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the verbs objects of xprtrdma's connections: queues that fit the
 * device, and nothing left behind when a step fails.
 */
#include <linux/module.h>

#include "xprt_fakes.h"
#include "fake_memory.h"

enum step { QUERY, PD, CQ, QP, RECVS, REGIONS, STEPS };

/**
 * struct verbs - what the adapter was asked for
 * @fails_at: step that fails; STEPS if none does
 * @pds: protection domains that there are
 * @cqs: completion queues that there are
 * @qps: Queue Pairs that there are
 * @cqe: entries of the completion queue
 * @cap: what the Queue Pair was asked to have
 * @state: what the Queue Pair was moved to
 * @drained: queues waited for
 * @order: what was done at the end, a letter each
 */
static struct verbs {
	enum step fails_at;
	int pds, cqs, qps;
	u32 cqe;
	struct ib_qp_cap cap;
	enum ib_qp_state state;
	u32 drained;
	char order[16];
} verbs;

static void note(char c)
{
	size_t n = strlen(verbs.order);

	if (n < sizeof(verbs.order) - 1)
		verbs.order[n] = c;
}

static int step_result(enum step step)
{
	return step == verbs.fails_at ? -ENOMEM : 0;
}

static struct ib_pd *fake_alloc_pd(void)
{
	if (step_result(PD))
		return ERR_PTR(-ENOMEM);
	verbs.pds++;
	return (struct ib_pd *)&verbs;
}

static struct ib_cq *fake_alloc_cq(u32 cqe)
{
	verbs.cqe = cqe;
	if (step_result(CQ))
		return ERR_PTR(-ENOMEM);
	verbs.cqs++;
	return (struct ib_cq *)&verbs;
}

static int fake_create_qp(struct rdma_cm_id *id, struct ib_pd *pd,
			  struct ib_qp_init_attr *attr)
{
	verbs.cap = attr->cap;
	if (step_result(QP))
		return -ENOMEM;
	verbs.qps++;
	id->qp = (struct ib_qp *)&verbs;
	return 0;
}

#include <rpcrdma/rw.h>

#undef ib_alloc_pd
#define ib_alloc_pd(dev, flags)			fake_alloc_pd()
#define ib_dealloc_pd(pd)			((void)verbs.pds--)
#define ib_alloc_cq_any(dev, priv, n, ctx)	fake_alloc_cq(n)
#define ib_free_cq(cq)				(note('c'), (void)verbs.cqs--)
#define rdma_create_qp				fake_create_qp
#define rdma_destroy_qp(id)			(note('q'), (void)verbs.qps--)
#define ib_modify_qp(qp, attr, mask) \
	((void)(verbs.state = (attr)->qp_state))
#define ib_drain_rq(qp)				((void)verbs.drained++)
#define ib_drain_sq(qp)				((void)verbs.drained++)
#define xprt_rdma_pulls_init(conn)	((void)(conn))
#define xprt_rdma_frwr_query(conn)		step_result(QUERY)
#define xprt_rdma_recvs_post(conn)		step_result(RECVS)
#define xprt_rdma_mrs_reserve(conn)		step_result(REGIONS)
#define rpcrdma_rw_end(set, qp, port)		((void)(port), note('w'))
#define xprt_rdma_pulls_flush(conn)		((void)(conn), note('f'))
#define xprt_rdma_sends_flush(conn)		((void)(conn), note('f'))
#define xprt_rdma_controls_flush(conn)		((void)(conn), note('f'))
#define xprt_rdma_mrs_destroy(conn)		((void)(conn), note('m'))
#define xprt_rdma_reps_destroy(conn)		((void)(conn), note('r'))

#include "../xprtrdma/regbuf.c"
#define xprt_rdma_regbuf_map(rb, dev)		((void)(dev), 0)
#include "../xprtrdma/endpoint.c"

static struct xprt_rdma_conn *connection(struct kunit *test, enum step fails_at)
{
	struct xprt_rdma_conn *conn = fake_rx(test)->conn;

	/* The thread of a test case is its own. */
	xprt_rdma_reclaim_save(conn->rx);
	memset(&verbs, 0, sizeof(verbs));
	verbs.fails_at = fails_at;
	fake_memory_left = -1;
	conn->rx->xprt.max_reqs = 128;
	conn->id = fake_zalloc(test, sizeof(*conn->id));
	conn->id->device = fake_zalloc(test, sizeof(*conn->id->device));
	conn->id->device->attrs.max_qp_wr = 4096;
	conn->id->device->attrs.max_cqe = 16384;
	conn->id->device->attrs.max_send_sge = 32;
	conn->mr_depth = 64;
	conn->inline_send = 4096;
	conn->recv_size = 4096;
	return conn;
}

static void expect_nothing_left(struct kunit *test, struct xprt_rdma_conn *conn)
{
	xprt_rdma_endpoint_destroy(conn);
	KUNIT_EXPECT_EQ(test, verbs.pds, 0);
	KUNIT_EXPECT_EQ(test, verbs.cqs, 0);
	KUNIT_EXPECT_EQ(test, verbs.qps, 0);
	KUNIT_EXPECT_NULL(test, conn->scrap.data);
	KUNIT_EXPECT_EQ(test, fake_count(qps_created), fake_count(qps_destroyed));
	/* A second time does nothing. */
	xprt_rdma_endpoint_destroy(conn);
	KUNIT_EXPECT_EQ(test, verbs.pds, 0);
}

static void created(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test, STEPS);

	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_endpoint_create(conn));
	KUNIT_EXPECT_EQ(test, conn->max_reqs, 128);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq_avail), conn->sq_size);
	/* One credit before the peer has granted any (RFC 8166 section 4.3) */
	KUNIT_EXPECT_EQ(test, conn->credits, 1);
	xprt_rdma_endpoint_error(conn);
	KUNIT_EXPECT_EQ(test, verbs.state, IB_QPS_ERR);
	expect_nothing_left(test, conn);
}

/* Nobody waits for Receives of what never was a connection. */
static void drained(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test, STEPS);

	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_endpoint_create(conn));
	xprt_rdma_endpoint_drain(conn);
	KUNIT_EXPECT_EQ(test, verbs.drained, 0);
	conn->established = true;
	xprt_rdma_endpoint_drain(conn);
	KUNIT_EXPECT_EQ(test, verbs.drained, 2);
	expect_nothing_left(test, conn);
}

/*
 * The Queue Pair's regions are given back before it goes; nothing else of what
 * was posted before nothing can be reported any more.
 */
static void destroyed_in_order(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test, STEPS);

	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_endpoint_create(conn));
	xprt_rdma_endpoint_destroy(conn);
	KUNIT_EXPECT_STREQ(test, verbs.order, "wqcfffmr");
	expect_nothing_left(test, conn);
}

/* Whichever step fails, what there is goes, and nothing else. */
static void leaves_nothing(struct kunit *test)
{
	enum step step;

	for (step = QUERY; step < STEPS; step++) {
		struct xprt_rdma_conn *conn = connection(test, step);

		KUNIT_EXPECT_EQ(test, -ENOMEM, xprt_rdma_endpoint_create(conn));
		KUNIT_EXPECT_EQ(test, !!conn->pd, step > PD);
		KUNIT_EXPECT_EQ(test, !!conn->cq, step > CQ);
		KUNIT_EXPECT_EQ(test, !!conn->qp, step > QP);
		expect_nothing_left(test, conn);
	}
}

static void no_memory(struct kunit *test)
{
	struct xprt_rdma_conn *conn = connection(test, STEPS);

	fake_memory_left = 0;
	KUNIT_EXPECT_EQ(test, -ENOMEM, xprt_rdma_endpoint_create(conn));
	fake_memory_left = -1;
	KUNIT_EXPECT_EQ(test, verbs.pds, 0);
	expect_nothing_left(test, conn);
}

/* A device is refused, or nothing asked of it that it does not have. */
static void fits_device(struct kunit *test, u32 max_wr, u32 max_cqe, u32 sges)
{
	struct xprt_rdma_conn *conn = connection(test, STEPS);
	struct ib_device_attr *attrs = &conn->id->device->attrs;
	int rc;

	attrs->max_qp_wr = max_wr;
	attrs->max_cqe = max_cqe;
	attrs->max_send_sge = sges;
	rc = xprt_rdma_endpoint_create(conn);
	if (rc) {
		KUNIT_EXPECT_EQ(test, rc, -EOPNOTSUPP);
		KUNIT_EXPECT_EQ(test, verbs.cqs, 0);
	} else {
		KUNIT_EXPECT_LE(test, verbs.cap.max_send_wr, max_wr);
		KUNIT_EXPECT_LE(test, verbs.cap.max_recv_wr, max_wr);
		KUNIT_EXPECT_LE(test, verbs.cap.max_send_sge, sges);
		KUNIT_EXPECT_LE(test, verbs.cqe, max_cqe);
		KUNIT_EXPECT_GE(test, conn->max_reqs, REQS_MIN);
		/* A Receive for each reply, and for what no credit covers */
		KUNIT_EXPECT_GE(test, conn->reps_max, conn->max_reqs +
				XPRT_RDMA_BC_SLOTS + XPRT_RDMA_SPARE_RECVS);
	}
	expect_nothing_left(test, conn);
}

static void devices(struct kunit *test)
{
	static const u32 sizes[] = { 1, 16, 26, 27, 28, 80, 84, 85, 86, 110, 111,
				     112, 113, 200, 400, 1000, 65536, 1 << 30 };
	u32 i, j, sges;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		for (j = 0; j < ARRAY_SIZE(sizes); j++)
			for (sges = 1; sges < 6; sges++)
				fits_device(test, sizes[i], sizes[j], sges);
}

static struct kunit_case xprt_endpoint_cases[] = {
	KUNIT_CASE(created),
	KUNIT_CASE(drained),
	KUNIT_CASE(destroyed_in_order),
	KUNIT_CASE(leaves_nothing),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(devices),
	{}
};

static struct kunit_suite xprt_endpoint_suite = {
	.name = "xprt_rdma_endpoint",
	.test_cases = xprt_endpoint_cases,
};

kunit_test_suite(xprt_endpoint_suite);

MODULE_DESCRIPTION("KUnit suite of xprtrdma's verbs objects");
MODULE_LICENSE("GPL");
