/* SPDX-License-Identifier: GPL-2.0-only */
/* Connections that have ended, as the administrator sees them (core/report/ended.c). */
#ifndef _RPCRDMA_ENDED_H
#define _RPCRDMA_ENDED_H

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <rdma/ib_verbs.h>

#include <rpcrdma/cause.h>

struct genl_family;
struct net;
struct netlink_callback;
struct sk_buff;

/* Ends that each side keeps for a network namespace; the oldest make room. */
#define RPCRDMA_ENDS		64u

/**
 * enum rpcrdma_side - a side of connections
 * @RPCRDMA_CLIENT: transports of the client
 * @RPCRDMA_SERVER: connections of the server
 * @RPCRDMA_SIDES: number of sides
 */
enum rpcrdma_side {
	RPCRDMA_CLIENT,
	RPCRDMA_SERVER,
	RPCRDMA_SIDES,
};

/**
 * union rpcrdma_address - an IPv4 or IPv6 address, without its port
 * @sa: its family
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
 * @list: entry of the list of ends (core/report/ended.c)
 * @number: grows with each end of a side in the namespace (core/report/ended.c)
 * @times: how often this has happened with this peer (core/report/ended.c)
 * @at: seconds since boot; when it ended (core/report/ended.c)
 * @peer: the other host
 * @cause: why, as by rpcrdma_cause()
 * @version: version of RPC-over-RDMA; 0 if there was none yet
 * @id: number of the connection or transport, for netlink; 0 if there was no
 *	connection
 * @device: name of the RDMA device, or empty
 * @lasted: seconds that the connection existed
 * @calls: messages that it has received
 */
struct rpcrdma_end {
	struct list_head list;
	u64 number;
	u32 times;
	time64_t at;
	union rpcrdma_address peer;
	u32 cause;
	u32 version;
	u32 id;
	char device[IB_DEVICE_NAME_MAX];
	u32 lasted;
	u64 calls;
};

void rpcrdma_ended_note(struct net *net, enum rpcrdma_side side,
			const struct rpcrdma_end *what);
int rpcrdma_ended_dump(struct sk_buff *skb, struct netlink_callback *cb,
		       const struct genl_family *family,
		       enum rpcrdma_side side);
int rpcrdma_ended_dump_totals(struct sk_buff *skb, struct netlink_callback *cb,
			      const struct genl_family *family,
			      enum rpcrdma_side side);

#endif /* _RPCRDMA_ENDED_H */
