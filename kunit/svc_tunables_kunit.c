// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: sysctls and module parameters accept only values that svcrdma
 * supports, and the sysctl counters can be reset. If this failed, an operator
 * could stop the server with a typing mistake.
 */
#include "svc_fakes.h"

static u64 fake_sum;
static unsigned long fake_ram;	/* pages */

#define rpcrdma_counters_sum(table, counter)	((void)(counter), fake_sum)
/* The suite must not define the module parameters of svcrdma.ko again. */
#undef module_param_named
#define module_param_named(name, value, type, perm) \
	static const void *const name##_parameter __maybe_unused = &(value)

#define totalram_pages()	fake_ram

#include "sysctl_cases.h"

#include "../svcrdma/control/tunables.c"

static const struct sysctl_case sysctl_cases[] = {
	{ "max_requests", 4, 16384 },
	{ "max_req_size", 1024, 65536 },
	{ "max_outbound_read_requests", 1, 255 },
	{ "keepalive", 0, 86400 },
};

KUNIT_ARRAY_PARAM_DESC(sysctl_case, sysctl_cases, name);

static void bounded(struct kunit *test)
{
	sysctl_case_run(test, svc_rdma_table, ARRAY_SIZE(svc_rdma_table));
}

/* A counter shows the number of events since its file was last written. */
static void counters(struct kunit *test)
{
	static const char * const names[] = {
		"rdma_stat_read", "rdma_stat_recv", "rdma_stat_write",
		"rdma_stat_sq_starve", "rdma_stat_rq_starve",
	};
	const struct ctl_table *table;

	for_each_case(c, names) {
		table = sysctl_find(test, svc_rdma_table, ARRAY_SIZE(svc_rdma_table), *c);
		fake_sum = 41;
		sysctl_expect(test, table, "41\n");
		KUNIT_EXPECT_EQ(test, sysctl_write(table, "7"), 0);
		sysctl_expect(test, table, "0\n");
		fake_sum = 1ull << 33;
		sysctl_expect(test, table, "8589934551\n");
	}
}

/* v2 draft section 7.1: the buffer size is never below the default. */
static void buffer_size_checked(struct kunit *test)
{
	static const struct { u32 set, want; } sizes[] = {
		{ 5120, 5120 }, { 0, 4096 }, { 4095, 4096 }, { 4097, 4100 },
		{ 65536, 65536 }, { 65537, 65536 }, { ~0u, 65536 },
	};
	unsigned int before = svc_rdma_receive_buffer_size;

	for_each_case(c, sizes) {
		svc_rdma_receive_buffer_size = c->set;
		svc_rdma_tunables_check();
		KUNIT_EXPECT_EQ(test, svc_rdma_receive_buffer_size, c->want);
	}
	svc_rdma_receive_buffer_size = before;
}

/*
 * Unless an operator sets them, bounds depend on memory. With 64 GiB, the total
 * for all calls is enough for 640 concurrent WRITEs of 4 MiB.
 */
static void bounds_follow_memory(struct kunit *test)
{
	static const struct { unsigned long gib; u32 set, calls, kept; } cases[] = {
		{ 1, AUTO, 16 << 20, 64 << 20 }, { 8, AUTO, 64 << 20, 128 << 20 },
		{ 64, AUTO, 512 << 20, 1 << 30 }, { 2048, AUTO, 1 << 30, 1 << 30 },
		{ 8, 0, 0, 0 }, { 8, 4096, 4096, 4096 },
	};

	for_each_case(c, cases) {
		fake_ram = c->gib << (30 - PAGE_SHIFT);
		svc_rdma_read_calls_bytes = c->set;
		svc_rdma_read_pages_kept = c->set;
		svc_rdma_tunables_check();
		KUNIT_EXPECT_EQ(test, svc_rdma_read_calls_bytes, c->calls);
		KUNIT_EXPECT_EQ(test, svc_rdma_read_pages_kept, c->kept);
	}
	fake_ram = 64ul << (30 - PAGE_SHIFT);
	KUNIT_EXPECT_GE(test, SVC_RDMA_READ_CALLS_TOTAL, 640 * 1025);
}

/* svc_rdma_tunables_init() registers the sysctls. */
static void registered(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, svc_rdma_tunables_init(), 0);
	KUNIT_EXPECT_NOT_NULL(test, svc_rdma_header);
	svc_rdma_tunables_exit();
}

static struct kunit_case svc_tunables_cases[] = {
	KUNIT_CASE_PARAM(bounded, sysctl_case_gen_params),
	KUNIT_CASE(counters),
	KUNIT_CASE(buffer_size_checked),
	KUNIT_CASE(bounds_follow_memory),
	KUNIT_CASE(registered),
	{}
};

SUITE("svc_rdma_tunables", svc_tunables_cases);
