// SPDX-License-Identifier: GPL-2.0-only
/* CM identifiers of both sides: timeouts, paths, state of the port, destruction. */

#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>

#include <rpcrdma/cm.h>

/**
 * rpcrdma_set_ack_timeout - set the timeout after which an adapter retransmits
 * @id: identifier, before rdma_connect() or rdma_accept()
 * @exponent: the adapter waits 4.096 us * 2^@exponent for an acknowledgment; 0
 *	leaves the choice to the CM, which knows the path
 *
 * Context: process.
 */
void rpcrdma_set_ack_timeout(struct rdma_cm_id *id, unsigned int exponent)
{
	if (exponent)
		rdma_set_ack_timeout(id, min(exponent, RPCRDMA_ACK_TIMEOUT_MAX));
}
EXPORT_SYMBOL_GPL(rpcrdma_set_ack_timeout);

/**
 * rpcrdma_path_query - query how the adapter sends packets of a connection
 * @id: identifier with a Queue Pair that can send
 * @path: filled in; not changed on iWARP, or if the query fails
 *
 * The path record has only some of these values, and the CM adjusts them: the
 * timeout also depends on the peer's adapter, and the responder uses the
 * requester's MTU and retry counts.
 *
 * Context: process; the caller owns the Queue Pair. Other threads may read
 * @path meanwhile, so @mtu is set last.
 */
void rpcrdma_path_query(const struct rdma_cm_id *id, struct rpcrdma_path *path)
{
	struct ib_qp_init_attr init = { };
	struct ib_qp_attr attr = { };

	if (rdma_protocol_iwarp(id->device, id->port_num) ||
	    ib_query_qp(id->qp, &attr, IB_QP_PATH_MTU | IB_QP_TIMEOUT |
			IB_QP_RETRY_CNT | IB_QP_RNR_RETRY, &init))
		return;
	path->ack_timeout = attr.timeout;
	path->retries = attr.retry_cnt;
	path->rnr_retries = attr.rnr_retry;
	WRITE_ONCE(path->mtu, max(opa_mtu_enum_to_int((enum opa_mtu)attr.path_mtu), 0));
}
EXPORT_SYMBOL_GPL(rpcrdma_path_query);

/**
 * rpcrdma_port_active - test whether CM messages can be sent
 * @id: identifier that is bound to a device
 *
 * A CM message that is sent while the port is down is lost. On soft-RoCE,
 * sending it also breaks the Queue Pair that carries all CM messages of the
 * device. When a network interface goes down, it stops sending, and connections
 * may break, some time before the driver reports that the port is down. So the
 * interface that has the local address is checked as well, except on
 * InfiniBand, whose packets do not pass through it.
 *
 * Context: process.
 * Return: true if the port is active.
 */
bool rpcrdma_port_active(const struct rdma_cm_id *id)
{
	const struct rdma_dev_addr *addr = &id->route.addr.dev_addr;
	struct ib_port_attr attr;
	struct net_device *ndev;
	bool up;

	if (ib_query_port(id->device, id->port_num, &attr) ||
	    attr.state != IB_PORT_ACTIVE)
		return false;
	if (rdma_protocol_ib(id->device, id->port_num))
		return true;
	ndev = dev_get_by_index(addr->net, addr->bound_dev_if);
	if (!ndev)
		return true;
	up = netif_running(ndev) && netif_carrier_ok(ndev);
	dev_put(ndev);
	return up;
}
EXPORT_SYMBOL_GPL(rpcrdma_port_active);

/**
 * rpcrdma_destroy_id - destroy a CM identifier while its device may be removed
 * @id: CM identifier; the caller must not be its event handler
 *
 * rdma_destroy_id() lets device removal proceed before it drops its reference
 * to an entry of the device's GID table. If removal is faster, it has freed the
 * table by then. A reference to the registration of the device prevents that:
 * removal waits for this reference before it frees the table.
 *
 * @id->device does not change meanwhile: only rdma_destroy_id() clears it, and
 * the caller is the only task that destroys @id.
 *
 * Context: process; waits for the handler of @id.
 */
void rpcrdma_destroy_id(struct rdma_cm_id *id)
{
	struct ib_device *device = READ_ONCE(id->device);

	if (device && !ib_device_try_get(device))
		device = NULL;
	rdma_destroy_id(id);
	if (device)
		ib_device_put(device);
}
EXPORT_SYMBOL_GPL(rpcrdma_destroy_id);
