/* SPDX-License-Identifier: GPL-2.0-only */
/* CM identifiers of both sides: timeouts, paths, state of the port, destruction. */
#ifndef _RPCRDMA_CM_H
#define _RPCRDMA_CM_H

#include <linux/list.h>
#include <rdma/rdma_cm.h>

struct module;

/*
 * Number of times that an adapter retransmits an unacknowledged packet. Some
 * adapters treat the maximum, 7, as unlimited, contrary to the InfiniBand
 * specification. The CM sends the requester's value to the responder, and both
 * use it.
 */
#define RPCRDMA_RETRY_COUNT	6

/* Largest exponent of the acknowledgment timeout: a Queue Pair has five bits for it. */
#define RPCRDMA_ACK_TIMEOUT_MAX	31

/**
 * rpcrdma_traffic_class - get the traffic class of a connection's packets
 * @id: identifier that has a route or belongs to a connect request
 *
 * On RoCE over IPv4, this is the type of service. The requester chooses it, and
 * the CM sends it to the responder.
 *
 * Return: traffic class; 0 on iWARP, where TCP sets the type of service.
 */
static inline u8 rpcrdma_traffic_class(const struct rdma_cm_id *id)
{
	return id->route.path_rec ? id->route.path_rec->traffic_class : 0;
}

/**
 * struct rpcrdma_path - how the adapter sends packets of a connection
 * @mtu: bytes of payload in a packet; 0 if unknown, or on iWARP, where TCP
 *	decides
 * @ack_timeout: exponent; unacknowledged packets are retransmitted after 4.096
 *	us * 2^@ack_timeout (5 bits); 0: never
 * @retries: number of retransmissions before the adapter gives up
 * @rnr_retries: number of retries while the peer has no Receive; 7: no limit
 */
struct rpcrdma_path {
	u32 mtu;
	u8 ack_timeout;
	u8 retries;
	u8 rnr_retries;
};

/**
 * struct rpcrdma_deferred_id - a CM identifier whose destruction waits for its
 * port
 * @entry: entry in the list of deferred identifiers
 * @owner: module that @done belongs to
 * @id: CM identifier
 * @gone: the device is being removed
 * @done: called when @id has been destroyed; may free this struct
 */
struct rpcrdma_deferred_id {
	struct list_head	entry;
	const struct module	*owner;
	struct rdma_cm_id	*id;
	bool			gone;
	void (*done)(struct rpcrdma_deferred_id *deferred);
};

/* cm.c */
void rpcrdma_path_query(const struct rdma_cm_id *id, struct rpcrdma_path *path);
void rpcrdma_set_ack_timeout(struct rdma_cm_id *id, unsigned int exponent);
bool rpcrdma_port_active(const struct rdma_cm_id *id);
void rpcrdma_destroy_id(struct rdma_cm_id *id);

/* deferred_id.c */
void rpcrdma_id_destroy_deferred(struct rpcrdma_deferred_id *deferred,
				 struct rdma_cm_id *id, const bool *gone,
				 void (*done)(struct rpcrdma_deferred_id *id),
				 const struct module *owner);
void rpcrdma_deferred_ids_check(const struct module *owner);

#endif /* _RPCRDMA_CM_H */
