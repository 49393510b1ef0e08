// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a server that owes replies and is silent is probed, and the connection
 * ended if it is gone. Otherwise, a mount whose server was restarted or cut off
 * would hang for minutes; and if busy servers were taken for dead, they would
 * get even more work.
 */
#include "xprt_fakes.h"

/* Calls of the file under test */
static struct probing {
	u32 posted;		/* number of probes posted */
	struct ib_send_wr wr;	/* the last probe */
	u32 lost;		/* number of times that the connection was reported as lost */
	u32 looks;		/* number of checks */
} probing;

static unsigned long fake_jiffies;
static int fake_post_result;

static int fake_post_send(const struct ib_send_wr *wr)
{
	probing.posted++;
	probing.wr = *wr;
	return fake_post_result;
}

static void fake_conn_lost(struct xprt_rdma_conn *conn)
{
	probing.lost++;
	conn->life.state = XPRT_RDMA_FAILED;
}

static bool fake_iwarp;

#undef jiffies
#define jiffies				fake_jiffies
#define xprt_rdma_conn_lost		fake_conn_lost
#define rdma_protocol_iwarp(dev, port)	((void)(dev), fake_iwarp)
#define ib_post_send(qp, wr, bad)	fake_post_send(wr)

#include "../xprtrdma/control/probe.c"

/* A connected transport with a call outstanding */
static struct xprt_rdma *transport(struct kunit *test)
{
	struct xprt_rdma *r_xprt = fake_r_xprt(test);

	memset(&probing, 0, sizeof(probing));
	memset(this_cpu_ptr(&xprt_rdma_counters), 0,
	       sizeof(xprt_rdma_counters));
	fake_post_result = 0;
	fake_iwarp = false;
	fake_jiffies = -3 * HZ;
	r_xprt->conn->life.state = XPRT_RDMA_CONNECTED;
	r_xprt->xprt.cong = RPC_CWNDSCALE;
	xprt_rdma_probe_begin(r_xprt);
	return r_xprt;
}

/* Make the check when it is due. */
static void look(struct xprt_rdma *r_xprt)
{
	fake_jiffies += xprt_rdma_probe_interval(r_xprt->conn);
	xprt_rdma_probe_check(r_xprt->conn);
	probing.looks++;
}

static void probe_ends(struct xprt_rdma *r_xprt, enum ib_wc_status status)
{
	fake_completes(r_xprt->conn, probing.wr.wr_cqe, status);
}

/* A silent server that owes replies is probed, with a Write of no bytes. */
static void silent_server_probed(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);
	u32 i;

	KUNIT_EXPECT_EQ(test, probing.posted, 0);
	for (i = 1; i <= 3; i++) {
		look(r_xprt);
		KUNIT_EXPECT_EQ(test, probing.posted, i);
		KUNIT_EXPECT_EQ(test, probing.wr.opcode, IB_WR_RDMA_WRITE);
		KUNIT_EXPECT_EQ(test, probing.wr.num_sge, 0);
		KUNIT_EXPECT_EQ(test, probing.wr.send_flags, IB_SEND_SIGNALED);
		probe_ends(r_xprt, IB_WC_SUCCESS);
	}
	KUNIT_EXPECT_EQ(test, probing.lost, 0);
	KUNIT_EXPECT_EQ(test, fake_count(probes_sent), 3);
	KUNIT_EXPECT_EQ(test, fake_count(conns_vanished), 0);
}

/* A server that sends something, or owes no reply, is not probed. */
static void active_or_idle_not_probed(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);
	u32 i;

	for (i = 0; i < 3; i++) {
		r_xprt->conn->recvs.received++;
		look(r_xprt);
	}
	KUNIT_EXPECT_EQ(test, probing.posted, 0);
	r_xprt->xprt.cong = 0;
	look(r_xprt);
	KUNIT_EXPECT_EQ(test, probing.posted, 0);
	r_xprt->xprt.cong = RPC_CWNDSCALE;
	look(r_xprt);
	KUNIT_EXPECT_EQ(test, probing.posted, 1);
}

/* Is it said that the connection was lost because the server does not answer? */
static bool vanished(const struct xprt_rdma *r_xprt)
{
	return r_xprt->conn->life.cause ==
	       rpcrdma_cause(RPCRDMA_NL_LOST_VANISHED, RPCRDMA_NL_DETAIL_NONE, 0);
}

/*
 * A failed probe ends the connection. A peer that refuses probes gets no more.
 */
static void failed_probe_ends_connection(struct kunit *test)
{
	static const struct {
		enum ib_wc_status status;
		u64 vanished, refused;
	} cases[] = {
		{ IB_WC_RETRY_EXC_ERR, 1, 0 },
		{ IB_WC_RNR_RETRY_EXC_ERR, 1, 0 },
		{ IB_WC_REM_INV_REQ_ERR, 0, 1 },
		{ IB_WC_REM_ACCESS_ERR, 0, 1 },
		{ IB_WC_REM_OP_ERR, 0, 1 },
		/* Lost for another reason */
		{ IB_WC_WR_FLUSH_ERR, 0, 0 },
	};
	struct xprt_rdma *r_xprt;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		r_xprt = transport(test);
		look(r_xprt);
		probe_ends(r_xprt, cases[i].status);
		KUNIT_EXPECT_FALSE(test, r_xprt->probe.posted);
		KUNIT_EXPECT_EQ(test, probing.lost, 1);
		KUNIT_EXPECT_EQ(test, fake_count(conns_vanished),
				cases[i].vanished);
		KUNIT_EXPECT_EQ(test, vanished(r_xprt), cases[i].vanished);
		KUNIT_EXPECT_EQ(test, r_xprt->probe.refused, cases[i].refused);

		/* Act and assert: on the next connection */
		r_xprt->conn->life.state = XPRT_RDMA_CONNECTED;
		xprt_rdma_probe_begin(r_xprt);
		look(r_xprt);
		KUNIT_EXPECT_EQ(test, probing.posted, 2 - cases[i].refused);
	}

	/* Act and assert: one that cannot be posted */
	r_xprt = transport(test);
	fake_post_result = -EINVAL;
	look(r_xprt);
	KUNIT_EXPECT_FALSE(test, r_xprt->probe.posted);
	KUNIT_EXPECT_EQ(test, probing.lost, 1);
}

/* The time of a probe is limited, for adapters that retry for ever. */
static void probe_time_limited(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);
	unsigned long posted;

	look(r_xprt);
	posted = fake_jiffies;
	while (!probing.lost && probing.looks < 100)
		look(r_xprt);
	KUNIT_EXPECT_EQ(test, probing.lost, 1);
	KUNIT_EXPECT_EQ(test, probing.posted, 1);
	KUNIT_EXPECT_GE(test, fake_jiffies - posted, 10UL * HZ);
	KUNIT_EXPECT_LE(test, fake_jiffies - posted, 12UL * HZ);
	KUNIT_EXPECT_EQ(test, fake_count(conns_vanished), 1);
	KUNIT_EXPECT_TRUE(test, vanished(r_xprt));
}

/* Messages that arrive while a probe is pending show that the server lives. */
static void slow_but_alive(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);
	u32 i;

	look(r_xprt);
	for (i = 0; i < 20; i++) {
		look(r_xprt);
		r_xprt->conn->recvs.received++;
		look(r_xprt);
	}
	KUNIT_EXPECT_EQ(test, probing.lost, 0);
	KUNIT_EXPECT_EQ(test, probing.posted, 1);
}

/*
 * What happened while nothing was outstanding does not count: neither does an
 * old message count as recent, nor the age of a probe in flight.
 */
static void begins_afresh(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);

	r_xprt->conn->recvs.received++;
	fake_jiffies += 100 * HZ;
	xprt_rdma_probe_begin(r_xprt);
	look(r_xprt);
	KUNIT_EXPECT_EQ(test, probing.posted, 1);
	fake_jiffies += 100 * HZ;
	xprt_rdma_probe_begin(r_xprt);
	look(r_xprt);
	KUNIT_EXPECT_EQ(test, probing.lost, 0);
}

/* On iWARP the first probe is early: siw may have overlooked the first call. */
static void early_with_iwarp(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);

	KUNIT_EXPECT_EQ(test, xprt_rdma_probe_interval(r_xprt->conn),
			PROBE_INTERVAL);
	fake_iwarp = true;
	KUNIT_EXPECT_EQ(test, xprt_rdma_probe_interval(r_xprt->conn),
			PROBE_FIRST);
	look(r_xprt);
	KUNIT_EXPECT_TRUE(test, r_xprt->probe.posted);
	r_xprt->conn->recvs.received = 1;
	KUNIT_EXPECT_EQ(test, xprt_rdma_probe_interval(r_xprt->conn),
			PROBE_INTERVAL);
}

/*
 * siw may have overlooked the first message: while that is not answered, there
 * is always a probe on its way. Other peers need none.
 */
static void only_iwarp_gets_wakeups(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);

	xprt_rdma_probe_wakeup(r_xprt->conn);
	KUNIT_EXPECT_EQ(test, probing.posted, 0);
	fake_iwarp = true;
	xprt_rdma_probe_wakeup(r_xprt->conn);
	xprt_rdma_probe_wakeup(r_xprt->conn);
	KUNIT_EXPECT_EQ(test, probing.posted, 1);
	probe_ends(r_xprt, IB_WC_SUCCESS);
	xprt_rdma_probe_wakeup(r_xprt->conn);
	KUNIT_EXPECT_EQ(test, probing.posted, 2);
	KUNIT_EXPECT_EQ(test, fake_count(probes_sent), 0);
	KUNIT_EXPECT_EQ(test, probing.lost, 0);
}

static struct kunit_case xprt_probe_cases[] = {
	KUNIT_CASE(silent_server_probed),
	KUNIT_CASE(active_or_idle_not_probed),
	KUNIT_CASE(failed_probe_ends_connection),
	KUNIT_CASE(probe_time_limited),
	KUNIT_CASE(slow_but_alive),
	KUNIT_CASE(begins_afresh),
	KUNIT_CASE(early_with_iwarp),
	KUNIT_CASE(only_iwarp_gets_wakeups),
	{}
};

SUITE("xprt_rdma_probe", xprt_probe_cases);
