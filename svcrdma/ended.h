/* SPDX-License-Identifier: GPL-2.0-only */
/* Connections that have ended, as the administrator sees them. */
#ifndef _SVC_RDMA_ENDED_H
#define _SVC_RDMA_ENDED_H

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "cause.h"

/* Ends that are kept for each network namespace; the oldest make room. */
#define SVC_RDMA_ENDS		64u

/**
 * union svc_rdma_address - an IPv4 or IPv6 address, without its port
 * @sa: its family
 * @sin: IPv4
 * @sin6: IPv6
 */
union svc_rdma_address {
	struct sockaddr sa;
	struct sockaddr_in sin;
	struct sockaddr_in6 sin6;
};

/**
 * struct svc_rdma_end - the end of a connection, or a refused connect request
 * @list: entry of struct svc_rdma_ended's @ends
 * @number: grows with each end in the namespace
 * @times: how often this has happened with this peer
 * @peer: the client
 * @cause: why, as by svc_rdma_cause()
 * @version: version of RPC-over-RDMA; 0 if there was none yet
 * @id: number of the connection, for netlink; 0 if it was refused
 * @device: name of the RDMA device
 * @lasted: seconds that the connection existed
 * @calls: messages that it has received
 * @at: seconds since boot; when it ended
 */
struct svc_rdma_end {
	struct list_head list;
	u64 number;
	u32 times;
	union svc_rdma_address peer;
	u32 cause;
	u32 version;
	u32 id;
	char device[IB_DEVICE_NAME_MAX];
	u32 lasted;
	u64 calls;
	time64_t at;
};

/**
 * struct svc_rdma_ended - what has ended in a network namespace
 * @lock: protects everything below
 * @ends: struct svc_rdma_end, in the order of their numbers
 * @count: entries of @ends
 * @last: number of the last end
 * @totals: number of ends, by enum rpcrdma_nl_lost
 */
struct svc_rdma_ended {
	spinlock_t lock;
	struct list_head ends;
	u32 count;
	u64 last;
	u64 totals[RPCRDMA_NL_LOST_NR];
};

#endif /* _SVC_RDMA_ENDED_H */
