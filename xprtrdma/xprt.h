/* SPDX-License-Identifier: GPL-2.0-only */
/* The transport: what there is from mount to unmount. */
#ifndef _XPRTRDMA_XPRT_H
#define _XPRTRDMA_XPRT_H

#include <linux/sched/mm.h>
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/xprt.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <rdma/ib_verbs.h>

#include "limits.h"
#include "stats.h"

struct xprt_rdma_conn;

/**
 * struct xprt_rdma_abandoned - calls given up before they were answered
 * @xids: theirs; room for one per slot
 * @count: how many; each of them holds a credit
 * @answered: how many have been answered
 * @rqst: stands for them, and for a callback that is dropped, when a credit is
 *	given back
 * @task: its task
 */
struct xprt_rdma_abandoned {
	__be32			*xids;
	u32			count;
	unsigned long		answered;
	struct rpc_rqst		rqst;
	struct rpc_task		task;
};

/**
 * struct xprt_rdma_stall - watches a connection for progress
 * @work: when it is looked at next
 * @progress: how far things had come when it was looked at
 * @ticks: how often in a row that was the same, and something waited
 */
struct xprt_rdma_stall {
	struct delayed_work	work;
	unsigned long		progress;
	u32			ticks;
};

/**
 * struct xprt_rdma_probe - looks whether the server is still there
 * @work: the next look
 * @cqe: completion of the probe
 * @received: messages that had arrived at the last look
 * @since: jiffies when the probe was posted, or something arrived after that
 * @posted: the probe is in flight
 * @refused: the server's adapter takes none; valid for all connections
 */
struct xprt_rdma_probe {
	struct delayed_work	work;
	struct ib_cqe		cqe;
	u32			received;
	unsigned long		since;
	bool			posted;
	bool			refused;
};

/**
 * struct xprt_rdma_resend - calls to be sent again when their senders are done
 * @lock: protects @reqs
 * @reqs: these calls, pinned
 * @work: looks whether they are
 */
struct xprt_rdma_resend {
	spinlock_t		lock;
	struct list_head	reqs;
	struct delayed_work	work;
};

/**
 * struct xprt_rdma - one transport, from mount to unmount
 * @xprt: what sunrpc sees; the first member
 * @conn: the current connection. Changed by the holder of XPRT_LOCKED, under
 *	@conn_lock; whoever holds neither must take a reference as a fencer
 * @conn_lock: protects @conn and its closing and fencers
 * @inv_wait: where fencers and the end of a connection wait for each other
 * @serial: connections made so far (XPRT_LOCKED)
 * @connect_work: establishes a connection
 * @connect_due: jiffies; not to be attempted before
 * @backoff: jiffies; delay of the next attempt but one
 * @has_v2: the server has said so, and was not silent since
 * @timeout: timeouts changed by set_connect_timeout
 * @reqs_free: requests not in use (under reserve_lock)
 * @reqs_all: all requests (under reserve_lock)
 * @reqs_count: requests of the forward channel in @reqs_all
 * @reqs_reserve: of these, how many the end of a connection leaves
 * @recvs_kept: Receives for the next connection; this and the next belong to who
 *	owns @conn's Receives, or without @conn to the holder of XPRT_LOCKED
 * @recvs_kept_count: how many
 * @bc_reqs: requests of the backchannel that exist (under bc_pa_lock)
 * @bc_slots: backchannel calls to be expected; 0 without backchannel
 * @predict: counters that predict the length of replies
 * @abandoned: under the transport_lock
 * @stall: what looks after @conn
 * @probe: what looks after the server, while calls are outstanding
 * @resend: see there
 * @stats: see there
 * @debugfs: this transport's file
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
	bool			has_v2;
	struct rpc_timeout	timeout;

	struct list_head	reqs_free;
	struct list_head	reqs_all;
	u32			reqs_count;
	u32			reqs_reserve;
	struct list_head	recvs_kept;
	u32			recvs_kept_count;
	u32			bc_reqs;
	u32			bc_slots;

	u8			predict[1 << XPRT_RDMA_PREDICT_BITS];
	struct xprt_rdma_abandoned abandoned;
	struct xprt_rdma_stall	stall;
	struct xprt_rdma_probe	probe;
	struct xprt_rdma_resend resend;

	struct xprt_rdma_stats	stats;
	struct dentry		*debugfs;
};

#define to_r_xprt(x) container_of(x, struct xprt_rdma, xprt)

/**
 * xprt_rdma_reclaim_save - allocate as who reclaims memory may wait for
 * @r_xprt: transport
 *
 * Until xprt_rdma_reclaim_restore(), nothing that the current task allocates
 * starts I/O, which might need this transport; with a swap file behind it, it may
 * use what the kernel holds back.
 *
 * Context: process.
 * Return: for xprt_rdma_reclaim_restore().
 */
static inline unsigned int
xprt_rdma_reclaim_save(const struct xprt_rdma *r_xprt)
{
	return memalloc_flags_save(atomic_read(&r_xprt->xprt.swapper) ?
				   PF_MEMALLOC_NOIO | PF_MEMALLOC :
				   PF_MEMALLOC_NOIO);
}

static inline void xprt_rdma_reclaim_restore(unsigned int flags)
{
	memalloc_flags_restore(flags);
}

/* Is the current task between these two? */
static inline bool xprt_rdma_reclaim_safe(void)
{
	return current->flags & PF_MEMALLOC_NOIO;
}

#endif /* _XPRTRDMA_XPRT_H */
