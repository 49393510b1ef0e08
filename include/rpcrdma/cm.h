/* SPDX-License-Identifier: GPL-2.0-only */
/* When CM messages can be sent, and the end of a CM identifier, for both sides. */
#ifndef _RPCRDMA_CM_H
#define _RPCRDMA_CM_H

#include <linux/netdevice.h>

#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

/*
 * How often an adapter sends a packet again that nobody acknowledges. 7 is the
 * most; to some adapters that is endless, though not to the InfiniBand
 * specification. The CM tells the responder the requester's value, and uses it
 * for both.
 */
#define RPCRDMA_RETRY_COUNT	6

/**
 * rpcrdma_port_active - can CM messages be sent?
 * @device: device
 * @port: number of its port
 *
 * A CM message that is sent while the port is down goes nowhere; with soft-RoCE
 * it even puts an end to the Queue Pair that carries all CM messages of the
 * device. Drivers learn of a network interface that goes down after it has
 * stopped to send, which can be a while, and in which connections break: so the
 * interface is asked as well. Ports that have none are as their driver says.
 *
 * Context: process.
 * Return: true if the port is active.
 */
static inline bool rpcrdma_port_active(struct ib_device *device, u32 port)
{
	struct ib_port_attr attr;
	struct net_device *ndev;
	bool up;

	if (ib_query_port(device, port, &attr) || attr.state != IB_PORT_ACTIVE)
		return false;
	ndev = ib_device_get_netdev(device, port);
	if (!ndev)
		return true;
	up = netif_running(ndev) && netif_carrier_ok(ndev);
	dev_put(ndev);
	return up;
}

/**
 * rpcrdma_destroy_id - destroy a CM identifier while its device may be removed
 * @id: CM identifier; not destroyed from within its own handler
 *
 * rdma_destroy_id() lets the removal of the device go on before it puts its
 * reference to an entry of the device's GID table. If the removal is faster,
 * the table is gone when the entry is freed. So the device stays registered
 * until the identifier is gone altogether: its removal waits for that before
 * it frees the table.
 *
 * The device's pointer is stable: this is the only task that lets go of @id.
 * An identifier that has a device now has one until it is destroyed.
 *
 * Context: process; waits for the handler of @id.
 */
static inline void rpcrdma_destroy_id(struct rdma_cm_id *id)
{
	struct ib_device *device = READ_ONCE(id->device);

	if (device && !ib_device_try_get(device))
		device = NULL;
	rdma_destroy_id(id);
	if (device)
		ib_device_put(device);
}

#endif /* _RPCRDMA_CM_H */
