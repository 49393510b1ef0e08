// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: how much one RDMA Read or Write transfers. If this failed, Work
 * Requests would have more entries than the Queue Pair, or connections over
 * soft-RoCE would end again and again on a link that loses packets.
 */
#include "suite.h"

#include <linux/sizes.h>

static unsigned long fake_jiffies;

#include <rdma/rw.h>

/* Work Requests of a Read */
static u32 fake_factor;

#define rdma_rw_max_send_wr(dev, port, n, flags) \
	((void)(dev), (void)(port), (n) * fake_factor)

#include "svc_fakes.h"

#undef jiffies
#define jiffies fake_jiffies

#include "../core/verbs/rw.c"
#include "../svcrdma/verbs/rw_length.c"

static struct svc_rdma_conn *connection(struct kunit *test,
					enum rdma_driver_id driver, u32 sges)
{
	struct svc_rdma_conn *conn = fake_conn(test);

	conn->dev->ops.driver_id = driver;
	conn->qp = fake_zalloc(test, sizeof(*conn->qp));
	conn->qp->max_read_sge = sges;
	conn->qp->max_write_sge = sges;
	return conn;
}

/* As the devices allow, and what becomes of it */
static const struct length_case {
	const char *name;
	enum rdma_driver_id driver;
	u32 sges, want;
} length_cases[] = {
	{ "adapter, as many as configured", RDMA_DRIVER_MLX5, 16, 16 },
	{ "adapter, more", RDMA_DRIVER_MLX5, 30, 16 },
	{ "soft-RoCE, few", RDMA_DRIVER_RXE, 3, 3 },
	{ "soft-RoCE, more", RDMA_DRIVER_RXE, 32, 16 },
};

KUNIT_ARRAY_PARAM_DESC(length_case, length_cases, name);

static void expect_sges(struct kunit *test, struct svc_rdma_conn *conn,
			u32 want)
{
	u32 few = conn->qp->max_read_sge;

	svc_rdma_limit_rw(conn);
	KUNIT_EXPECT_EQ(test, conn->qp->max_read_sge, want);
	KUNIT_EXPECT_EQ(test, conn->qp->max_write_sge, want);
	/* Entries that are fewer than the device has are of one page each. */
	if (few > 16)
		KUNIT_EXPECT_EQ(test, conn->rws.merge, want == 16);
}

static void limited(struct kunit *test)
{
	const struct length_case *c = test->param_value;

	expect_sges(test, connection(test, c->driver, c->sges), c->want);
}

/* After one has failed on soft-RoCE, they are short there for ten minutes. */
static void short_after_failure(struct kunit *test)
{
	static const unsigned long starts[] = { 0, 1, 5000, -1ul, -300ul * HZ };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		fake_jiffies = starts[i];
		/* Those that fail on other devices are of no consequence. */
		svc_rdma_rw_lost(connection(test, RDMA_DRIVER_SIW, 32));
		expect_sges(test, connection(test, RDMA_DRIVER_RXE, 32), 16);
		svc_rdma_rw_lost(connection(test, RDMA_DRIVER_RXE, 32));
		expect_sges(test, connection(test, RDMA_DRIVER_RXE, 32), 5);
		expect_sges(test, connection(test, RDMA_DRIVER_RXE, 3), 3);
		expect_sges(test, connection(test, RDMA_DRIVER_SIW, 32), 16);
		fake_jiffies += 600 * HZ - 1;
		expect_sges(test, connection(test, RDMA_DRIVER_RXE, 32), 5);
		fake_jiffies += 2;
		expect_sges(test, connection(test, RDMA_DRIVER_RXE, 32), 16);
		/* It is forgotten, also when the clock has wrapped. */
		fake_jiffies += ULONG_MAX / 2 + 1;
		expect_sges(test, connection(test, RDMA_DRIVER_RXE, 32), 16);
	}
}

/* What rdma_rw says about the device, whichever it is, and whatever force_mr */
static void regions_asked_for(struct kunit *test)
{
	static const struct {
		u32 factor, list_len;
		bool regions;
		u32 pages;
	} cases[] = {
		{ 1, 16, false, 256 },
		{ 3, 256, true, 256 },
		{ 3, 128, true, 128 },
		{ 3, 0, true, 1 },
	};
	struct svc_rdma_conn *conn;

	for_each_case(c, cases) {
		conn = connection(test, RDMA_DRIVER_RXE, 16);
		fake_factor = c->factor;
		conn->dev->attrs.max_fast_reg_page_list_len = c->list_len;
		svc_rdma_limit_rw(conn);
		KUNIT_EXPECT_EQ(test, conn->rws.regions, c->regions);
		KUNIT_EXPECT_EQ(test, conn->rws.pages, c->pages);
	}
}

/* The Send Queue takes the longest reply, however short its Work Requests are. */
static void longest_reply(struct kunit *test)
{
	static const struct {
		enum rdma_driver_id driver;
		u32 sges, bytes, wrs;
	} cases[] = {
		{ RDMA_DRIVER_MLX5, 16, SZ_1M + PAGE_SIZE, 17 },
		{ RDMA_DRIVER_MLX5, 30, SZ_1M, 16 },
		{ RDMA_DRIVER_IRDMA, 3, SZ_4M, 342 },
		{ RDMA_DRIVER_RXE, 16, SZ_1M + PAGE_SIZE, 52 },
		{ RDMA_DRIVER_RXE, 3, SZ_1M, 86 },
	};
	struct svc_serv serv = {};
	struct svc_rdma_conn *conn;

	for_each_case(c, cases) {
		conn = connection(test, c->driver, 0);
		conn->caps.send_sges = c->sges;
		conn->xprt.xpt_server = &serv;
		serv.sv_max_mesg = c->bytes;
		KUNIT_EXPECT_EQ(test, svc_rdma_rw_longest(conn), c->wrs + SVC_RDMA_SEGMENTS + 1);
	}
}

static int length_init(struct kunit *test)
{
	fake_factor = 1;
	fake_jiffies = 1000;
	svc_rdma_rw_failed_at = 0;
	return 0;
}

static struct kunit_case svc_rw_length_cases[] = {
	KUNIT_CASE_PARAM(limited, length_case_gen_params),
	KUNIT_CASE(short_after_failure),
	KUNIT_CASE(regions_asked_for),
	KUNIT_CASE(longest_reply),
	{}
};

SUITE("svc_rdma_rw_length", svc_rw_length_cases, .init = length_init);
