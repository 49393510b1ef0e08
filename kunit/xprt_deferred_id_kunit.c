// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a CM identifier of soft-RoCE is destroyed only when its port can send,
 * its device is removed or the module is unloaded. Other identifiers are
 * destroyed immediately. Otherwise, while the link is down, unmounting, unloading
 * the module or removing the device would hang, and a network namespace could
 * not be freed.
 */
#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

/* The port of the CM identifiers, and calls to other files */
static struct port {
	bool down;			/* the port cannot send */
	bool ib;			/* the port is an InfiniBand port */
	int error;			/* return value of ib_query_port() */
	struct net_device *interface;	/* network interface of the port, or NULL */
	u32 held;			/* number of references to @interface */
	u32 destroyed;			/* number of identifiers destroyed */
	/* number of CM events that destroyed the identifier */
	u32 handler_wrong;
} port;

static int fake_query_port(struct ib_device *device, u32 num,
			   struct ib_port_attr *attr)
{
	attr->state = port.down && num == 1 ? IB_PORT_DOWN : IB_PORT_ACTIVE;
	return port.error;
}

static struct net_device *fake_dev_get_by_index(struct net *net, int index)
{
	port.held += !!port.interface;
	return port.interface;
}

static void fake_put_netdev(struct net_device *ndev)
{
	port.held--;
}

/* Calls of the files under test */
#define ib_query_port		fake_query_port
#define dev_get_by_index	fake_dev_get_by_index
#define rdma_protocol_ib(device, num)	((void)(device), port.ib)
#define dev_put			fake_put_netdev
#define rdma_destroy_id(id)	((void)(id), (void)port.destroyed++)
#define rdma_lock_handler(id)	((void)(id))
#define rdma_unlock_handler(id)	((void)(id))

#include "xprt_fakes.h"

#include "../core/verbs/cm.c"
#include "../core/verbs/deferred_id.c"
#include "../xprtrdma/verbs/conn_free.c"

static u32 balance;

static int arrange(struct kunit *test)
{
	memset(&port, 0, sizeof(port));
	balance = fake_count(deferred_ids_now);
	return 0;
}

/*
 * A connection that has ended after its connect request was sent. The code
 * under test frees it.
 */
static struct xprt_rdma_conn *ended(struct kunit *test)
{
	struct xprt_rdma_conn *conn = kzalloc(sizeof(*conn), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, conn);
	conn->id = fake_zalloc(test, sizeof(*conn->id));
	conn->id->device = fake_zalloc(test, sizeof(*conn->id->device));
	conn->id->device->ops.driver_id = RDMA_DRIVER_RXE;
	conn->id->port_num = 1;
	conn->id->context = conn;
	conn->life.requested = 1;
	return conn;
}

/* Run the check of deferred identifiers, which repeats while any remain. */
static void expect_destroyed(struct kunit *test, u32 destroyed, int waiting)
{
	flush_delayed_work(&rpcrdma_deferred_ids_work);
	KUNIT_EXPECT_EQ(test, port.destroyed, destroyed);
	KUNIT_EXPECT_EQ(test, delayed_work_pending(&rpcrdma_deferred_ids_work),
			!!waiting);
	KUNIT_EXPECT_EQ(test, fake_count(deferred_ids_now) - balance, waiting);
}

static void expect_end(struct kunit *test, u32 destroyed)
{
	rpcrdma_deferred_ids_check(THIS_MODULE);
	rpcrdma_deferred_ids_exit();
	KUNIT_EXPECT_EQ(test, port.destroyed, destroyed);
	KUNIT_EXPECT_EQ(test, port.handler_wrong, 0);
	KUNIT_EXPECT_EQ(test, balance, fake_count(deferred_ids_now));
}

/*
 * A port is inactive if its network interface is down, even if the driver still
 * reports it active. On InfiniBand, only the driver's report counts.
 */
static void inactive_port_detected(struct kunit *test)
{
	struct rdma_cm_id *id = fake_zalloc(test, sizeof(*id));

	id->port_num = 1;
	KUNIT_EXPECT_TRUE(test, rpcrdma_port_active(id));
	port.down = true;
	KUNIT_EXPECT_FALSE(test, rpcrdma_port_active(id));
	port.down = false;
	port.error = -ENODEV;
	KUNIT_EXPECT_FALSE(test, rpcrdma_port_active(id));
	port.error = 0;
	port.interface = fake_zalloc(test, sizeof(*port.interface));
	KUNIT_EXPECT_FALSE(test, rpcrdma_port_active(id));
	set_bit(__LINK_STATE_START, &port.interface->state);
	KUNIT_EXPECT_TRUE(test, rpcrdma_port_active(id));
	set_bit(__LINK_STATE_NOCARRIER, &port.interface->state);
	KUNIT_EXPECT_FALSE(test, rpcrdma_port_active(id));
	port.ib = true;
	KUNIT_EXPECT_TRUE(test, rpcrdma_port_active(id));
	KUNIT_EXPECT_EQ(test, port.held, 0);
}

/*
 * An identifier is destroyed immediately if its port is active, its device is
 * gone or not soft-RoCE, or no connect request was sent.
 */
static void destroyed_at_once_if_possible(struct kunit *test)
{
	enum { ACTIVE, NO_DEVICE, REMOVED, OTHER_DEVICE, NOT_REQUESTED, NO_ID, CASES };
	struct xprt_rdma_conn *conn;
	u32 i;

	for (i = 0; i < CASES; i++) {
		arrange(test);
		port.down = i != ACTIVE;
		conn = ended(test);
		if (i == NO_DEVICE)
			conn->id->device = NULL;
		conn->life.device_gone = i == REMOVED;
		if (i == OTHER_DEVICE)
			conn->id->device->ops.driver_id = RDMA_DRIVER_MLX5;
		conn->life.requested = i < NOT_REQUESTED;
		if (i == NO_ID)
			conn->id = NULL;
		xprt_rdma_conn_free_deferred(conn);
		expect_destroyed(test, i != NO_ID, 0);
		expect_end(test, i != NO_ID);
	}
}

static void cm_event(struct rdma_cm_id *id, enum rdma_cm_event_type type)
{
	struct rdma_cm_event event = { .event = type };

	/* 0 tells the CM not to destroy the identifier. */
	port.handler_wrong += !!id->event_handler(id, &event);
}

/*
 * A deferred identifier waits until its port is active or its device is
 * removed.
 */
static void waits_for_port_or_removal(struct kunit *test)
{
	struct xprt_rdma_conn *conn;
	struct rdma_cm_id *id = NULL;
	u32 i;

	port.down = true;
	for (i = 0; i < 5; i++) {
		conn = ended(test);
		if (i == 2)
			id = conn->id;
		xprt_rdma_conn_free_deferred(conn);
	}
	expect_destroyed(test, 0, 5);
	cm_event(id, RDMA_CM_EVENT_ADDR_CHANGE);
	expect_destroyed(test, 0, 5);
	cm_event(id, RDMA_CM_EVENT_DEVICE_REMOVAL);
	expect_destroyed(test, 1, 4);
	port.down = false;
	expect_destroyed(test, 5, 0);
	expect_end(test, 5);
}

/*
 * Unloading another module destroys none of this module's identifiers, and
 * restarts the check if it is not pending.
 */
static void other_module_unloaded(struct kunit *test)
{
	port.down = true;
	xprt_rdma_conn_free_deferred(ended(test));
	cancel_delayed_work_sync(&rpcrdma_deferred_ids_work);

	rpcrdma_deferred_ids_check((const struct module *)test);

	KUNIT_EXPECT_TRUE(test, delayed_work_pending(&rpcrdma_deferred_ids_work));
	expect_destroyed(test, 0, 1);
	/* Unloading this module destroys its remaining identifiers. */
	expect_end(test, 1);
}

static struct kunit_case xprt_deferred_id_cases[] = {
	KUNIT_CASE(inactive_port_detected),
	KUNIT_CASE(destroyed_at_once_if_possible),
	KUNIT_CASE(waits_for_port_or_removal),
	KUNIT_CASE(other_module_unloaded),
	{}
};

SUITE("xprt_rdma_deferred_id", xprt_deferred_id_cases, .init = arrange);
