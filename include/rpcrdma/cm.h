/* SPDX-License-Identifier: GPL-2.0-only */
/* CM identifiers, for both sides: timeouts, whether a port can send, destruction. */
#ifndef _RPCRDMA_CM_H
#define _RPCRDMA_CM_H

#include <rdma/rdma_cm.h>

/*
 * How often an adapter retransmits a packet that is not acknowledged. The
 * maximum, 7, is unlimited to some adapters, contrary to the InfiniBand
 * specification. The CM sends the requester's value to the responder, and both
 * use it.
 */
#define RPCRDMA_RETRY_COUNT	6

/* The largest exponent: a Queue Pair has five bits for it. */
#define RPCRDMA_ACK_TIMEOUT_MAX	31

/**
 * rpcrdma_traffic_class - traffic class of a connection's packets
 * @id: identifier with a route, or of a connect request
 *
 * On RoCE, IPv4's type of service. The requester chooses it, and the CM sends
 * it to the responder.
 *
 * Return: 0 also on iWARP, where the kernel's TCP has it.
 */
static inline u8 rpcrdma_traffic_class(const struct rdma_cm_id *id)
{
	return id->route.path_rec ? id->route.path_rec->traffic_class : 0;
}

void rpcrdma_set_ack_timeout(struct rdma_cm_id *id, unsigned int exponent);
bool rpcrdma_port_active(struct ib_device *device, u32 port);
void rpcrdma_destroy_id(struct rdma_cm_id *id);

#endif /* _RPCRDMA_CM_H */
