/* SPDX-License-Identifier: GPL-2.0-only */
/* The transport: it exists from mount to unmount. */
#ifndef _XPRTRDMA_XPRT_H
#define _XPRTRDMA_XPRT_H

#include <linux/sched/mm.h>
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/xprt.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <rdma/ib_verbs.h>

#include <rpcrdma/netlink_put.h>

#include "limits.h"
#include "stats.h"

struct xprt_rdma_conn;

/**
 * struct xprt_rdma_abandoned - calls given up before they were answered
 * @count: number of these calls, each of which holds a credit
 * @early: number of replies that matched no request while @count was 0
 * @answered: number of abandoned calls that have been answered since
 * @rqst: request through which credits of calls and callbacks without a task
 *	are returned to sunrpc
 * @task: task of @rqst
 */
struct xprt_rdma_abandoned {
	u32			count;
	u32			early;
	unsigned long		answered;
	struct rpc_rqst		rqst;
	struct rpc_task		task;
};

/**
 * struct xprt_rdma_watch - periodic checks of a connection
 * @work: runs the checks
 * @on: there is a connection (under transport_lock)
 * @running: @work is queued or running (written under transport_lock)
 * @progress: number of RPCs completed and abandoned calls answered, as of the
 *	last check
 * @since: last time that progress was seen, or that nothing was waiting for it
 *	(jiffies)
 */
struct xprt_rdma_watch {
	struct delayed_work	work;
	bool			on;
	bool			running;
	unsigned long		progress;
	unsigned long		since;
};

/**
 * struct xprt_rdma_probe - detects a server that has vanished
 * @cqe: completion of the probe
 * @received: the connection's count of received messages at the last check
 * @since: when the probe was posted or, if messages have arrived since then,
 *	when the last of them was noticed (jiffies)
 * @posted: the probe is in flight
 * @refused: the server's adapter refuses probes, so the transport sends no more
 */
struct xprt_rdma_probe {
	struct ib_cqe		cqe;
	u32			received;
	unsigned long		since;
	bool			posted;
	bool			refused;
};

/**
 * struct xprt_rdma_history - earlier connections of a transport, and attempts to
 *	connect
 * @failures: attempts to connect that failed
 * @error: negative errno of the last failed try, or 0
 * @reason: why the last connection ended, an enum rpcrdma_nl_lost
 * @ended: when the last connection ended (seconds since boot)
 * @down: when the current outage began (seconds since boot), or 0
 * @tries: number of tries to connect that have failed since @down
 * @tried: when the last of these tries failed (seconds since boot)
 * @said: when the kernel log last had a message about the outage (seconds since
 *	boot), or 0
 *
 * Written under XPRT_LOCKED.
 */
struct xprt_rdma_history {
	unsigned long		failures;
	int			error;
	u32			reason;
	time64_t		ended;
	time64_t		down;
	u32			tries;
	time64_t		tried;
	time64_t		said;
};

/**
 * struct xprt_rdma - one transport, from mount to unmount
 * @xprt: sunrpc's part; the first member
 * @conn: current connection, or NULL. The holder of XPRT_LOCKED changes it
 *	under conn_lock. Completion handlers and work items stop before the
 *	connection ends; any other task that uses it must hold conn_lock, or
 *	count itself in its mrs.waiters.
 * @conn_lock: protects @conn, and its mrs.closing and mrs.waiters
 * @inv_wait: wait queue of tasks that invalidate memory, and of the task that
 *	ends the connection
 * @serial: number of connections so far (under XPRT_LOCKED)
 * @connect_work: establishes a connection
 * @connect_due: earliest time of the next try to connect, or start of the last
 *	one (jiffies)
 * @backoff: upper bound of the delay before the next try (jiffies)
 * @repeated: a connect request of this attempt may have been lost
 * @softconn: this attempt is for a task that fails if there is no connection
 * @netfatal: this attempt is for a task that fails if its network is gone
 * @no_offer: until this time (seconds since boot), version 2 is offered only to
 *	servers with a hint
 * @timeout: timeouts set by set_connect_timeout
 * @hex_addr: RPC_DISPLAY_HEX_ADDR. RPC_DISPLAY_ADDR is allocated, because
 *	sunrpc may replace and free it.
 * @port: RPC_DISPLAY_PORT
 * @hex_port: RPC_DISPLAY_HEX_PORT
 * @reqs_free: requests not in use (under reserve_lock)
 * @reqs_all: all requests (under reserve_lock). xprt.num_reqs is their number,
 *	not counting those of the backchannel.
 * @bc_slots: backchannel calls that the peer may send; 0 without backchannel
 *	(under bc_pa_lock)
 * @predict: saturating counters that predict the length of replies
 * @abandoned: calls given up unanswered (under transport_lock)
 * @watch: detects a connection that makes no progress, and runs the probes
 * @probe: detects a server that has vanished while calls are outstanding
 * @stats: counters for mountstats and netlink
 * @history: earlier connections
 * @shown: entry of the list of transports that netlink shows
 */
struct xprt_rdma {
	struct rpc_xprt		xprt;
	struct xprt_rdma_conn	*conn;
	spinlock_t		conn_lock;
	wait_queue_head_t	inv_wait;

	u32			serial;
	struct delayed_work	connect_work;
	unsigned long		connect_due;
	unsigned long		backoff;
	bool			repeated;
	bool			softconn;
	bool			netfatal;
	time64_t		no_offer;
	struct rpc_timeout	timeout;
	char			hex_addr[33];
	char			port[6];
	char			hex_port[5];

	struct list_head	reqs_free;
	struct list_head	reqs_all;
	u32			bc_slots;

	u8			predict[1 << XPRT_RDMA_PREDICT_BITS];
	struct xprt_rdma_abandoned abandoned;
	struct xprt_rdma_watch	watch;
	struct xprt_rdma_probe	probe;

	struct xprt_rdma_stats	stats;
	struct xprt_rdma_history history;
	struct rpcrdma_nl_entry	shown;
};

#define to_r_xprt(x) container_of(x, struct xprt_rdma, xprt)

/**
 * xprt_rdma_reclaim_save - begin a section whose allocations start no I/O
 * @r_xprt: transport
 *
 * The I/O might need this transport. If a swap file is behind the transport,
 * the section may also use the kernel's memory reserves (PF_MEMALLOC).
 *
 * Context: process.
 * Return: the flags of the task, for xprt_rdma_reclaim_restore().
 */
static inline unsigned int
xprt_rdma_reclaim_save(const struct xprt_rdma *r_xprt)
{
	unsigned int flags = current->flags;

	current->flags |= atomic_read(&r_xprt->xprt.swapper) ?
				  PF_MEMALLOC_NOIO | PF_MEMALLOC : PF_MEMALLOC_NOIO;
	return flags;
}

static inline void xprt_rdma_reclaim_restore(unsigned int flags)
{
	current_restore_flags(flags, PF_MEMALLOC_NOIO | PF_MEMALLOC);
}

/* Is the current task in a section whose allocations start no I/O? */
static inline bool xprt_rdma_reclaim_safe(void)
{
	return current->flags & PF_MEMALLOC_NOIO;
}

#endif /* _XPRTRDMA_XPRT_H */
