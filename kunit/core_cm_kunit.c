// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: when a CM identifier is destroyed while its device is being removed,
 * the device's GID table is not freed before the identifier has put its
 * reference to an entry of it.
 */
#include <linux/completion.h>
#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include "suite.h"

/* Removal of a device */
static struct removal {
	bool under_way;	/* it waits until the identifier is destroyed */
	bool freed;	/* the GID table has been freed */
	u32 faults;	/* number of accesses to the table after that */
	u32 destroyed;	/* number of identifiers destroyed */
} removal;

/* The table is freed after the last reference to the registration was put. */
static void free_table(struct ib_device *device)
{
	if (removal.under_way && completion_done(&device->unreg_completion))
		removal.freed = true;
}

/*
 * As in the kernel, with a removal that is as fast as possible: it proceeds as
 * soon as the identifier is detached from the device, and only after that does
 * the identifier put its reference to the entry of the table.
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

#define rdma_destroy_id	fake_destroy_id

#include "../core/verbs/cm.c"

/* That of the case, with one reference, that of its registration */
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
	/* Now the removal can complete. */
	free_table(device);
	KUNIT_EXPECT_TRUE(test, removal.freed);
}

static void not_removed(struct kunit *test)
{
	struct rdma_cm_id id = { .device = device };

	rpcrdma_destroy_id(&id);
	KUNIT_EXPECT_EQ(test, removal.destroyed, 1);
	KUNIT_EXPECT_EQ(test, refcount_read(&device->refcount), 1);
	KUNIT_EXPECT_FALSE(test, completion_done(&device->unreg_completion));
}

/* No reference can be taken any more, so the removal does not wait either. */
static void not_registered(struct kunit *test)
{
	struct rdma_cm_id id = { .device = device };

	refcount_set(&device->refcount, 0);
	rpcrdma_destroy_id(&id);
	KUNIT_EXPECT_EQ(test, removal.destroyed, 1);
	KUNIT_EXPECT_EQ(test, refcount_read(&device->refcount), 0);
}

static void no_device(struct kunit *test)
{
	struct rdma_cm_id id = { };

	rpcrdma_destroy_id(&id);
	KUNIT_EXPECT_EQ(test, removal.destroyed, 1);
}

static struct kunit_case cm_cases[] = {
	KUNIT_CASE(while_removed),
	KUNIT_CASE(not_removed),
	KUNIT_CASE(not_registered),
	KUNIT_CASE(no_device),
	{}
};

SUITE("rpcrdma_cm", cm_cases, .init = registered);
