// SPDX-License-Identifier: GPL-2.0-only
/* Suite: how xprtrdma keeps CM identifiers until their port can send. */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

/**
 * struct port - the port of an identifier
 * @looks_down: how often it is still found down
 * @error: what a query returns
 * @interface: its network interface; NULL if it has none
 * @held: references to @interface
 * @destroyed: identifiers destroyed
 * @sleeps: times that somebody waited
 * @on_sleep: called then
 */
static struct port {
	u32 looks_down;
	int error;
	struct net_device *interface;
	u32 held;
	u32 destroyed;
	u32 sleeps;
	void (*on_sleep)(void);
} port;

static int fake_query_port(struct ib_device *device, u32 num,
			   struct ib_port_attr *attr)
{
	attr->state = port.looks_down ? IB_PORT_DOWN : IB_PORT_ACTIVE;
	if (port.looks_down)
		port.looks_down--;
	return port.error;
}

static struct net_device *fake_get_netdev(struct ib_device *device, u32 num)
{
	port.held += !!port.interface;
	return port.interface;
}

static void fake_put_netdev(struct net_device *ndev)
{
	port.held--;
}

/* The file under test includes what calls these. */
#define ib_query_port		fake_query_port
#define ib_device_get_netdev	fake_get_netdev
#define dev_put			fake_put_netdev

#include "xprt_fakes.h"
#include "fake_memory.h"

static void fake_sleep(void)
{
	port.sleeps++;
	if (port.on_sleep)
		port.on_sleep();
}

#define rpcrdma_destroy_id(id)	((void)(id), port.destroyed++)
#define rdma_lock_handler(id)	((void)(id))
#define rdma_unlock_handler(id)	((void)(id))
#define msleep(ms)		fake_sleep()

#include "../xprtrdma/retire.c"

static struct rdma_cm_id *the_id;

static struct rdma_cm_id *identifier(struct kunit *test)
{
	memset(&port, 0, sizeof(port));
	fake_memory_left = -1;
	WRITE_ONCE(stopping, false);
	the_id = fake_zalloc(test, sizeof(*the_id));
	the_id->device = fake_zalloc(test, sizeof(*the_id->device));
	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_retire_init());
	return the_id;
}

static void expect_retired(struct kunit *test, u32 sleeps)
{
	xprt_rdma_retire_exit();
	KUNIT_EXPECT_EQ(test, port.destroyed, 1);
	KUNIT_EXPECT_EQ(test, port.sleeps, sleeps);
	KUNIT_EXPECT_EQ(test, fake_count(retired_created),
			fake_count(retired_destroyed));
}

/* A port is active, down, or cannot be asked. */
static void port_queried(struct kunit *test)
{
	struct rdma_cm_id *id = identifier(test);

	KUNIT_EXPECT_TRUE(test, xprt_rdma_port_active(id));
	port.looks_down = 1;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_port_active(id));
	port.error = -ENODEV;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_port_active(id));
	xprt_rdma_retire_exit();
}

/* An interface stops to send before the driver says that its port is down. */
static void interface_asked(struct kunit *test)
{
	struct rdma_cm_id *id = identifier(test);

	port.interface = fake_zalloc(test, sizeof(*port.interface));
	KUNIT_EXPECT_FALSE(test, xprt_rdma_port_active(id));
	set_bit(__LINK_STATE_START, &port.interface->state);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_port_active(id));
	set_bit(__LINK_STATE_NOCARRIER, &port.interface->state);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_port_active(id));
	KUNIT_EXPECT_EQ(test, port.held, 0);
	xprt_rdma_retire_exit();
}

/* Nothing to wait for: no device, or a port that is up */
static void destroyed_at_once(struct kunit *test)
{
	struct rdma_cm_id *id = identifier(test);

	xprt_rdma_id_retire(id);
	KUNIT_EXPECT_EQ(test, port.destroyed, 1);
	expect_retired(test, 0);

	id = identifier(test);
	id->device = NULL;
	port.looks_down = 9;
	xprt_rdma_id_retire(id);
	KUNIT_EXPECT_EQ(test, port.destroyed, 1);
	expect_retired(test, 0);
}

/* Without memory to remember it, it is destroyed now. */
static void no_memory(struct kunit *test)
{
	struct rdma_cm_id *id = identifier(test);

	port.looks_down = 9;
	fake_memory_left = 0;
	xprt_rdma_id_retire(id);
	fake_memory_left = -1;
	KUNIT_EXPECT_EQ(test, port.destroyed, 1);
	expect_retired(test, 0);
}

/* It is destroyed when the port is up, and not before. */
static void waits_for_port(struct kunit *test)
{
	struct rdma_cm_id *id = identifier(test);

	port.looks_down = 1 + 5;
	xprt_rdma_id_retire(id);
	flush_workqueue(retire_wq);
	KUNIT_EXPECT_EQ(test, port.destroyed, 1);
	expect_retired(test, 5);
}

static void remove_device(void)
{
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_ADDR_CHANGE };

	if (port.sleeps > 1)
		event.event = RDMA_CM_EVENT_DEVICE_REMOVAL;
	the_id->event_handler(the_id, &event);
}

/* The removal of the device ends the wait; other events do not. */
static void device_removed(struct kunit *test)
{
	struct rdma_cm_id *id = identifier(test);

	port.looks_down = ~0u;
	port.on_sleep = remove_device;
	xprt_rdma_id_retire(id);
	flush_workqueue(retire_wq);
	KUNIT_EXPECT_EQ(test, port.destroyed, 1);
	expect_retired(test, 2);
}

static void stop(void)
{
	WRITE_ONCE(stopping, port.sleeps == 3);
}

/* So does the end of the module. */
static void module_ends(struct kunit *test)
{
	struct rdma_cm_id *id = identifier(test);

	port.looks_down = ~0u;
	port.on_sleep = stop;
	xprt_rdma_id_retire(id);
	flush_workqueue(retire_wq);
	expect_retired(test, 3);
}

static struct kunit_case xprt_retire_cases[] = {
	KUNIT_CASE(port_queried),
	KUNIT_CASE(interface_asked),
	KUNIT_CASE(destroyed_at_once),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(waits_for_port),
	KUNIT_CASE(device_removed),
	KUNIT_CASE(module_ends),
	{}
};

static struct kunit_suite xprt_retire_suite = {
	.name = "xprt_rdma_retire",
	.test_cases = xprt_retire_cases,
};

kunit_test_suite(xprt_retire_suite);

MODULE_DESCRIPTION("KUnit suite of xprtrdma's identifiers that wait");
MODULE_LICENSE("GPL");
