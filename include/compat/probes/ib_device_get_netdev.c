// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.12: modules can call ib_device_get_netdev(). */
#include <rdma/ib_verbs.h>

struct net_device *probe(struct ib_device *device);
struct net_device *probe(struct ib_device *device)
{
	return ib_device_get_netdev(device, 1);
}
