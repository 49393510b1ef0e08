// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a connection's queues are large enough for its calls and small enough
 * for the device, and a failed step leaks no verbs object. Otherwise, a small
 * adapter could not mount, a busy mount would overflow the Send Queue, or each
 * failed attempt would leak a Queue Pair. The workqueue that polls completions
 * makes progress without memory. Otherwise, memory reclaim could wait for a
 * reply that is never handled.
 */
#include <linux/workqueue.h>

#include "xprt_fakes.h"
#include "fake_memory.h"

#define READ_WRS	10u

/* Verbs objects, and the calls that create and destroy them */
static struct verbs {
	int pds;			/* number of protection domains */
	int cqs;			/* number of completion queues */
	int qps;			/* number of Queue Pairs */
	struct ib_cq cq;		/* the completion queue */
	u32 cqe;			/* number of completion queue entries requested */
	bool no_wq;			/* no workqueue can be allocated */
	int wqs;			/* number of workqueues */
	unsigned int wq_flags;		/* flags of the last workqueue */
	struct ib_qp_init_attr attr;	/* attributes of the Queue Pair */
	enum ib_qp_state state;		/* state that the Queue Pair was moved to */
	int modify_fails;		/* return value of ib_modify_qp() */
	u32 drained;			/* number of queues drained */
	char order[16];			/* steps of destruction, a letter each */
} verbs;

static void note(char c)
{
	size_t n = strlen(verbs.order);

	if (n < sizeof(verbs.order) - 1)
		verbs.order[n] = c;
}

/* A step that fails when fake memory runs out */
static int step(void)
{
	return fake_memory_out() ? -ENOMEM : 0;
}

static struct ib_pd *fake_alloc_pd(void)
{
	if (step())
		return ERR_PTR(-ENOMEM);
	verbs.pds++;
	return (struct ib_pd *)&verbs;
}

/* The RDMA core's workqueue, and the module's workqueue */
#define CORE_WQ		((struct workqueue_struct *)verbs.order)
#define OWN_WQ		((struct workqueue_struct *)&verbs)

static struct ib_cq *fake_alloc_cq(void *context, u32 cqe,
				   enum ib_poll_context poll)
{
	verbs.cqe = cqe;
	if (step())
		return ERR_PTR(-ENOMEM);
	verbs.cqs++;
	verbs.cq.cq_context = context;
	verbs.cq.poll_ctx = poll;
	verbs.cq.comp_wq = CORE_WQ;
	return &verbs.cq;
}

static int fake_create_qp(struct rdma_cm_id *id, struct ib_pd *pd,
			  struct ib_qp_init_attr *attr)
{
	verbs.attr = *attr;
	if (step())
		return -ENOMEM;
	verbs.qps++;
	id->qp = (struct ib_qp *)&verbs;
	return 0;
}

#include <rpcrdma/rw.h>

#undef ib_alloc_pd
#define ib_alloc_pd(dev, flags)			fake_alloc_pd()
#define ib_dealloc_pd(pd)			((void)verbs.pds--)
#undef ib_alloc_cq_any
#define ib_alloc_cq_any(device, context, n, poll) \
	((void)(device), fake_alloc_cq(context, n, poll))
#undef alloc_workqueue
#define alloc_workqueue(name, flags, max) \
	(verbs.wq_flags = (flags), verbs.wqs += !verbs.no_wq, verbs.no_wq ? NULL : OWN_WQ)
#define destroy_workqueue(wq)			((void)(verbs.wqs -= (wq) == OWN_WQ))
#define ib_free_cq(cq)				(note('c'), (void)verbs.cqs--)
#define rdma_create_qp				fake_create_qp
#define rdma_destroy_qp(id)			(note('q'), (void)verbs.qps--)
#define ib_modify_qp(qp, attr, mask) \
	(verbs.state = (attr)->qp_state, verbs.modify_fails)
#define ib_drain_rq(qp)				((void)verbs.drained++)
#define ib_drain_sq(qp)				((void)verbs.drained++)
#undef disable_work_sync
#define disable_work_sync(work)			((void)(work), note('h'))
#define xprt_rdma_frwr_query(conn)		step()
#define xprt_rdma_recvs_post(conn)		step()
#define xprt_rdma_mrs_reserve(conn)		step()
#define rpcrdma_rw_end(set)			note('w')
#define xprt_rdma_mrs_destroy(conn)		((void)(conn), note('m'))
#define xprt_rdma_recvs_destroy(conn)		((void)(conn), note('r'))

#undef pr_fmt
#include "../core/verbs/buffer.c"
#include "../xprtrdma/verbs/regbuf.c"
#include "../xprtrdma/verbs/endpoint.c"

/* The connection under test; init creates a new one for each case. */
static struct xprt_rdma_conn *conn;

static int connection(struct kunit *test)
{
	conn = fake_r_xprt(test)->conn;
	/* Not restored: each test case runs in a separate thread. */
	xprt_rdma_reclaim_save(conn->r_xprt);
	memset(&verbs, 0, sizeof(verbs));
	fake_memory_left = -1;
	conn->r_xprt->xprt.max_reqs = 128;
	conn->id = fake_zalloc(test, sizeof(*conn->id));
	conn->id->device = fake_zalloc(test, sizeof(*conn->id->device));
	conn->id->device->attrs.max_qp_wr = 4096;
	conn->id->device->attrs.max_cqe = 16384;
	conn->id->device->attrs.max_send_sge = 32;
	conn->id->device->attrs.max_qp_rd_atom = 16;
	conn->id->device->attrs.max_qp_init_rd_atom = 300;
	conn->mrs.depth = 64;
	xprt_rdma_sizes_init(&conn->sizes, 4096, 4096, 4096);
	conn->recvs.size = 4096;
	return 0;
}

/* Query the device and create the endpoint, like connect.c. */
static int create(void)
{
	conn->fetches.wrs = READ_WRS;
	return xprt_rdma_endpoint_query(conn) ?:
						xprt_rdma_endpoint_create(conn);
}

static void expect_nothing_left(struct kunit *test)
{
	xprt_rdma_endpoint_destroy_qp(conn);
	xprt_rdma_endpoint_destroy(conn);
	KUNIT_EXPECT_EQ(test, verbs.pds, 0);
	KUNIT_EXPECT_EQ(test, verbs.cqs, 0);
	KUNIT_EXPECT_EQ(test, verbs.qps, 0);
	KUNIT_EXPECT_NULL(test, conn->mrs.discard.data);
	KUNIT_EXPECT_EQ(test, fake_dma.n, 0);
	fake_expect_balance(test, qps);
}

/* The Queue Pair has the attributes that the client relies on. */
static void queue_pair_as_needed(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, create());
	KUNIT_EXPECT_EQ(test, conn->credits.max, 128);
	KUNIT_EXPECT_EQ(test, conn->peer.ird, 16);
	KUNIT_EXPECT_EQ(test, conn->peer.ord, 255);
	KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), conn->sq.size);
	/* RFC 8166 section 4.3: one credit before the first grant */
	KUNIT_EXPECT_EQ(test, conn->credits.granted, 1);
	KUNIT_EXPECT_PTR_EQ(test, conn->device, conn->id->device);
	fake_dma_use(conn->mrs.discard.addr, PAGE_SIZE, DMA_FROM_DEVICE);
	KUNIT_EXPECT_EQ(test, verbs.attr.qp_type, IB_QPT_RC);
	KUNIT_EXPECT_EQ(test, verbs.attr.sq_sig_type, IB_SIGNAL_REQ_WR);
	KUNIT_EXPECT_PTR_EQ(test, verbs.attr.send_cq, conn->cq);
	KUNIT_EXPECT_PTR_EQ(test, verbs.attr.recv_cq, conn->cq);
	KUNIT_EXPECT_EQ(test, verbs.attr.cap.max_recv_sge, 1);
	/* No MR pool: Reads allocate their regions on demand. */
	KUNIT_EXPECT_EQ(test, verbs.attr.cap.max_rdma_ctxs, 0);
	KUNIT_EXPECT_PTR_EQ(test, conn->qp, conn->id->qp);
	/* Two more entries for a probe and the drain, others for Reads */
	KUNIT_EXPECT_EQ(test, verbs.attr.cap.max_send_wr,
			conn->sq.size + 2 + READ_WRS);
	/* Queues are drained only if the connection was established before. */
	xprt_rdma_endpoint_drain(conn);
	KUNIT_EXPECT_EQ(test, verbs.drained, 0);
	conn->life.established = true;
	xprt_rdma_endpoint_drain(conn);
	KUNIT_EXPECT_EQ(test, verbs.drained, 2);
	KUNIT_EXPECT_EQ(test, xprt_rdma_endpoint_error(conn), 0);
	KUNIT_EXPECT_EQ(test, verbs.state, IB_QPS_ERR);
	verbs.modify_fails = -EIO;
	KUNIT_EXPECT_EQ(test, xprt_rdma_endpoint_error(conn), -EIO);
	/*
	 * Before the Queue Pair is destroyed, completion handlers are stopped
	 * and the regions of Reads are released. Other regions and Receives
	 * are released when no completion can be reported any more.
	 */
	expect_nothing_left(test);
	KUNIT_EXPECT_STREQ(test, verbs.order, "hwqcmr");
}

/*
 * Completions are polled by the module's unbound workqueue, which has a
 * rescuer.
 */
static void polled_by_workqueue(struct kunit *test)
{
	const unsigned int want = WQ_UNBOUND | WQ_MEM_RECLAIM;

	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_completion_init());
	KUNIT_EXPECT_EQ(test, verbs.wq_flags & want, want);
	KUNIT_ASSERT_EQ(test, 0, create());
	KUNIT_EXPECT_PTR_EQ(test, conn->cq->comp_wq, OWN_WQ);
	KUNIT_EXPECT_PTR_EQ(test, conn->cq->cq_context, (void *)conn);
	KUNIT_EXPECT_EQ(test, conn->cq->poll_ctx, IB_POLL_WORKQUEUE);
	expect_nothing_left(test);
	xprt_rdma_completion_exit();
	KUNIT_EXPECT_EQ(test, verbs.wqs, 0);
	verbs.no_wq = true;
	KUNIT_EXPECT_EQ(test, xprt_rdma_completion_init(), -ENOMEM);
}

/*
 * If any step fails, exactly the objects of the earlier steps exist, and all of
 * them are destroyed.
 */
static void failed_step_leaves_nothing(struct kunit *test)
{
	/*
	 * Steps: query, page for discarded bytes, mapping of this page,
	 * protection domain, queues, ring of Sends, first Receives, regions.
	 */
	enum { QUERY, PAGE, MAPPING, PD, CQ, QP, RING, RECVS, REGIONS, STEPS };
	int n, rc;

	for (n = QUERY; n <= STEPS; n++) {
		connection(test);
		fake_memory_left = n;
		rc = create();
		KUNIT_EXPECT_EQ(test, rc, n == STEPS ? 0 :
				n == MAPPING ? -ENOBUFS : -ENOMEM);
		KUNIT_EXPECT_EQ(test, verbs.pds, n > PD);
		KUNIT_EXPECT_EQ(test, verbs.cqs, n > CQ);
		KUNIT_EXPECT_EQ(test, verbs.qps, n > QP);
		KUNIT_EXPECT_EQ(test, !!conn->pd, n > PD);
		KUNIT_EXPECT_EQ(test, !!conn->cq, n > CQ);
		KUNIT_EXPECT_EQ(test, !!conn->qp, n > QP);
		KUNIT_EXPECT_EQ(test, !!conn->sends.ring, n > RING);
		expect_nothing_left(test);
	}
	fake_memory_left = -1;
}

/*
 * The queues have room for a call per slot, or as many calls as the device's
 * limits allow.
 */
static void queues_fit_calls_and_device(struct kunit *test)
{
	static const struct { u32 slots, max_wr, max_cqe, reqs, sq; } cases[] = {
		/* The device allows more than needed. */
		{ 128, 4096, 16384, 128, 127 - 2 - READ_WRS }, { 30, 4096, 16384, 30, 90 },
		/* Minimum: two of the largest calls, probe, drain and Reads */
		{ 5, 4096, 16384, 5, 84 },
		/* The smallest sufficient max_qp_wr; one entry too few */
		{ 128, 96, 16384, 61, 84 }, { 128, 95, 16384, 0, 0 },
		/* A Send Queue with less than the calls can use */
		{ 128, 110, 16384, 75, 98 },
		/* Completions for two calls; one too few; for 30 calls */
		{ 128, 4096, 123, 2, 84 }, { 128, 4096, 122, 0, 0 }, { 128, 4096, 157, 30, 90 },
		/* Fewer entries than Reads need */
		{ 128, 9, 16384, 0, 0 }, { 128, 4096, 9, 0, 0 },
	};
	u32 sends, recvs, ring;

	for_each_case(c, cases) {
		connection(test);
		conn->r_xprt->xprt.max_reqs = c->slots;
		conn->id->device->attrs.max_qp_wr = c->max_wr;
		conn->id->device->attrs.max_cqe = c->max_cqe;
		KUNIT_EXPECT_EQ(test, c->reqs ? 0 : -EOPNOTSUPP, create());
		if (c->reqs) {
			KUNIT_EXPECT_EQ(test, conn->credits.max, c->reqs);
			KUNIT_EXPECT_EQ(test, conn->sq.size, c->sq);
			KUNIT_EXPECT_EQ(test, atomic_read(&conn->sq.avail), c->sq);
			sends = c->sq + 2 + READ_WRS;
			recvs = c->reqs + XPRT_RDMA_BC_SLOTS + XPRT_RDMA_SPARE_RECVS;
			KUNIT_EXPECT_EQ(test, conn->recvs.max, recvs);
			KUNIT_EXPECT_EQ(test, verbs.attr.cap.max_send_wr, sends);
			KUNIT_EXPECT_EQ(test, verbs.attr.cap.max_recv_wr, recvs + 1);
			KUNIT_EXPECT_EQ(test, verbs.cqe, sends + recvs + 1);
			/* Each possible Send has a ring entry. */
			ring = conn->sends.mask + 1;
			KUNIT_EXPECT_TRUE(test, is_power_of_2(ring) && ring >= c->sq);
			KUNIT_EXPECT_NULL(test, conn->sends.ring[ring - 1].req);
		}
		expect_nothing_left(test);
	}
}

/*
 * A Send has enough SGEs for the header, head, tail and pages of the longest
 * message in either direction, within the device's limit.
 */
static void gather_entries_for_any_message(struct kunit *test)
{
	static const struct { u32 send, recv, device, want, grows; } cases[] = {
		{ 4096, 4096, 32, 5 }, { 4097, 4096, 32, 6 },
		{ 1024, 4097, 32, 6 }, { 65536, 1024, 32, 20 },
		{ 131072, 1024, 64, XPRT_RDMA_MAX_SGES }, { 4096, 4096, 4, 4 },
		{ 4096, 4096, 3, 3 }, { 4096, 4096, 2, 0 },
		{ 4096, 4096, 32, 9, 18432 },
	};
	u32 want;

	for_each_case(c, cases) {
		want = c->want;
		connection(test);
		xprt_rdma_sizes_init(&conn->sizes, c->send, c->recv, c->recv);
		if (c->grows)
			conn->sizes.send_most = c->grows;
		conn->id->device->attrs.max_send_sge = c->device;
		KUNIT_EXPECT_EQ(test, want ? 0 : -EOPNOTSUPP,
				create());
		if (want) {
			KUNIT_EXPECT_EQ(test, conn->sq.max_sges, want);
			KUNIT_EXPECT_EQ(test, verbs.attr.cap.max_send_sge,
					want);
		}
		expect_nothing_left(test);
	}
}

static struct kunit_case xprt_endpoint_cases[] = {
	KUNIT_CASE(queue_pair_as_needed),
	KUNIT_CASE(polled_by_workqueue),
	KUNIT_CASE(failed_step_leaves_nothing),
	KUNIT_CASE(queues_fit_calls_and_device),
	KUNIT_CASE(gather_entries_for_any_message),
	{}
};

SUITE("xprt_rdma_endpoint", xprt_endpoint_cases, .init = connection);
