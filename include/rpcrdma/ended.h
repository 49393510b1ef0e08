/* SPDX-License-Identifier: GPL-2.0-only */
/* Ended connections, recorded for the administrator (core/report/ended.c). */
#ifndef _RPCRDMA_ENDED_H
#define _RPCRDMA_ENDED_H

#include <linux/in.h>
#include <linux/in6.h>
#include <rdma/ib_verbs.h>

#include <rpcrdma/cause.h>
#include <rpcrdma/netlink_put.h>

struct net;

/* Ends that each side keeps per network namespace; new ones replace the oldest. */
#define RPCRDMA_ENDS		64u

/**
 * union rpcrdma_address - an IPv4 or IPv6 address, without its port
 * @sa: generic address, which has the family
 * @sin: IPv4
 * @sin6: IPv6
 */
union rpcrdma_address {
	struct sockaddr sa;
	struct sockaddr_in sin;
	struct sockaddr_in6 sin6;
};

/**
 * struct rpcrdma_end - the end of a connection, or of an attempt to connect
 * @entry: entry in the list of ends
 * @times: number of ends with this peer and cause
 * @at: time of the end, in seconds since boot
 * @peer: the other host
 * @side: this host's side of the connection
 * @cause: why it ended, from rpcrdma_cause()
 * @version: RPC-over-RDMA version; 0 if it was not known yet
 * @id: number of the connection or transport, for netlink; 0 if there was no
 *	connection
 * @device: name of the RDMA device, or empty
 * @lasted: seconds that the connection existed
 * @calls: number of messages received on the connection
 *
 * core/report/ended.c sets the first three members.
 */
struct rpcrdma_end {
	struct rpcrdma_nl_entry entry;
	u32 times;
	time64_t at;
	union rpcrdma_address peer;
	enum rpcrdma_nl_side side;
	u32 cause;
	u32 version;
	u32 id;
	char device[IB_DEVICE_NAME_MAX];
	u32 lasted;
	u64 calls;
};

void rpcrdma_ended_note(struct net *net, const struct rpcrdma_end *what);

#endif /* _RPCRDMA_ENDED_H */
