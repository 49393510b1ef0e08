// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: when a CM identifier is destroyed while its device is being removed,
 * the device's GID table is not freed before the identifier drops its reference
 * to an entry of the table. Path attributes are as the adapter reports them.
 */
#include <linux/completion.h>
#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include "suite.h"

static struct removal {
	bool under_way;	/* removal waits until the identifier is destroyed */
	bool freed;	/* the GID table has been freed */
	u32 faults;	/* number of accesses to the freed table */
	u32 destroyed;	/* number of identifiers destroyed */
} removal;

/* The table is freed once the last reference to the registration is dropped. */
static void free_table(struct ib_device *device)
{
	if (removal.under_way && completion_done(&device->unreg_completion))
		removal.freed = true;
}

/*
 * Acts like rdma_destroy_id() with the fastest possible removal: removal
 * proceeds as soon as the identifier is detached from the device, and only then
 * does the identifier drop its reference to the table entry.
 */
static void fake_destroy_id(struct rdma_cm_id *id)
{
	removal.destroyed++;
	if (!id->device)
		return;
	if (removal.under_way) {
		ib_device_put(id->device);
		free_table(id->device);
	}
	removal.faults += removal.freed;
	id->device = NULL;
}

/* Attributes that querying the Queue Pair returns, unless it is set to fail */
static struct ib_qp_attr fake_attr;
static bool fake_iwarp, fake_fails;

#define rdma_destroy_id	fake_destroy_id
#define ib_query_qp(qp, attr, mask, init) \
	((void)(qp), (void)(init), *(attr) = fake_attr, fake_fails ? -EINVAL : 0)
#define rdma_protocol_iwarp(dev, port)	((void)(dev), (void)(port), fake_iwarp)

#include "../core/verbs/cm.c"

/* The device of the case. Its only reference is that of its registration. */
static struct ib_device *device;

static int registered(struct kunit *test)
{
	device = kunit_kzalloc(test, sizeof(*device), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, device);
	refcount_set(&device->refcount, 1);
	init_completion(&device->unreg_completion);
	memset(&removal, 0, sizeof(removal));
	return 0;
}

static void while_removed(struct kunit *test)
{
	struct rdma_cm_id id = { .device = device };

	removal.under_way = true;
	rpcrdma_destroy_id(&id);
	KUNIT_EXPECT_EQ(test, removal.destroyed, 1);
	KUNIT_EXPECT_EQ(test, removal.faults, 0);
	/* Removal can complete now. */
	free_table(device);
	KUNIT_EXPECT_TRUE(test, removal.freed);
}

/* An identifier is destroyed even without a removal, a reference to take, or a device. */
static void not_removed(struct kunit *test)
{
	static const struct {
		bool bound;
		u32 references;
	} cases[] = {
		{ true, 1 }, { true, 0 }, { false, 1 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rdma_cm_id id = { };

		if (cases[i].bound)
			id.device = device;
		refcount_set(&device->refcount, cases[i].references);
		rpcrdma_destroy_id(&id);
		KUNIT_EXPECT_EQ(test, removal.destroyed, i + 1);
		KUNIT_EXPECT_EQ(test, refcount_read(&device->refcount),
				cases[i].references);
		KUNIT_EXPECT_FALSE(test, completion_done(&device->unreg_completion));
	}
}

/* The path is as the adapter reports it, or empty on iWARP and if the query fails. */
static void path_queried(struct kunit *test)
{
	static const struct {
		bool iwarp, fails;
		int mtu;
		u32 bytes;
	} cases[] = {
		{ false, false, IB_MTU_4096, 4096 },
		{ false, false, IB_MTU_1024, 1024 },
		{ false, false, OPA_MTU_10240, 10240 },
		{ false, false, 0, 0 },
		{ true, false, IB_MTU_1024, 0 },
		{ false, true, IB_MTU_1024, 0 },
	};
	const struct rdma_cm_id id = { .device = device };
	struct rpcrdma_path path;

	for_each_case(c, cases) {
		fake_iwarp = c->iwarp;
		fake_fails = c->fails;
		fake_attr = (struct ib_qp_attr){
			.path_mtu = c->mtu, .timeout = 17, .retry_cnt = 6, .rnr_retry = 7,
		};
		path = (struct rpcrdma_path){ };
		rpcrdma_path_query(&id, &path);
		KUNIT_EXPECT_EQ(test, path.mtu, c->bytes);
		if (!path.mtu)
			continue;
		KUNIT_EXPECT_EQ(test, path.ack_timeout, 17);
		KUNIT_EXPECT_EQ(test, path.retries, 6);
		KUNIT_EXPECT_EQ(test, path.rnr_retries, 7);
	}
}

static struct kunit_case cm_cases[] = {
	KUNIT_CASE(path_queried),
	KUNIT_CASE(while_removed),
	KUNIT_CASE(not_removed),
	{}
};

SUITE("rpcrdma_cm", cm_cases, .init = registered);
