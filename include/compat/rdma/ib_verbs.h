/* SPDX-License-Identifier: GPL-2.0-only */
/* ib_device_get_netdev() for kernels that keep it to the RDMA core. */
#ifndef RPCRDMA_COMPAT_IB_VERBS_H
#define RPCRDMA_COMPAT_IB_VERBS_H

#include_next <rdma/ib_verbs.h>
#include <rpcrdma_probes.h>

#if !RPCRDMA_HAVE_IB_DEVICE_GET_NETDEV

#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/net_namespace.h>

/* The interface in @net that belongs to @device, with a reference. */
static inline struct net_device *rpcrdma_netdev_in(struct net *net, struct ib_device *device)
{
	struct net_device *ndev;
	struct ib_device *found;

	for_each_netdev_rcu(net, ndev) {
		found = ib_device_get_by_netdev(ndev, RDMA_DRIVER_UNKNOWN);
		if (!found)
			continue;
		ib_device_put(found);
		if (found == device) {
			dev_hold(ndev);
			return ndev;
		}
	}
	return NULL;
}

/*
 * The core offers only the other direction, from interface to device. Where a device has
 * several ports, that does not say which one is meant: then none is returned, and the state
 * of the port, without that of its interface, has to do.
 */
static inline struct net_device *ib_device_get_netdev(struct ib_device *device, u32 port)
{
	struct net_device *ndev = NULL;
	struct net *net;

	if (!rdma_is_port_valid(device, port))
		return NULL;
	if (device->ops.get_netdev)
		return device->ops.get_netdev(device, port);
	if (device->phys_port_cnt != 1)
		return NULL;
	rcu_read_lock();
	for_each_net_rcu(net) {
		ndev = rpcrdma_netdev_in(net, device);
		if (ndev)
			break;
	}
	rcu_read_unlock();
	return ndev;
}

#endif

#endif /* RPCRDMA_COMPAT_IB_VERBS_H */
