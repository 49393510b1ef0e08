/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a connection, and why it ended. */
#ifndef _XPRTRDMA_LIFE_H
#define _XPRTRDMA_LIFE_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <rpcrdma/cause.h>

/**
 * enum xprt_rdma_state - connection states, in order: a connection may skip
 * states, but never returns to an earlier one
 * @XPRT_RDMA_RESOLVING: resolving the peer's address, and the route to it
 * @XPRT_RDMA_RESOLVED: bound to a device: the Queue Pair can be created and a
 *	connect request sent
 * @XPRT_RDMA_NEGOTIATING: version 2 was offered, and the server has not
 *	answered
 * @XPRT_RDMA_CONFIGURING: both sides are exchanging limits (version 1)
 * @XPRT_RDMA_CONNECTED: calls may be sent
 * @XPRT_RDMA_FAILED: rejected or lost; the error says why
 * @XPRT_RDMA_CLOSING: being torn down by the holder of XPRT_LOCKED
 */
enum xprt_rdma_state {
	XPRT_RDMA_RESOLVING,
	XPRT_RDMA_RESOLVED,
	XPRT_RDMA_NEGOTIATING,
	XPRT_RDMA_CONFIGURING,
	XPRT_RDMA_CONNECTED,
	XPRT_RDMA_FAILED,
	XPRT_RDMA_CLOSING,
};

/**
 * struct xprt_rdma_life - the state of a connection, and why it ended
 * @lock: protects @state, @error and @established
 * @wait: the connect worker waits here for @state to change
 * @state: written by xprt_rdma_conn_change_state() only
 * @error: 0 or a negative errno, set by the last change of @state
 * @established: messages may be sent and received. Until this is set, only
 *	Receives have been posted.
 * @answered: at least one call has been answered
 * @device_gone: the device is being removed
 * @cause: the first known cause of the end, in the format of rpcrdma_cause(),
 *	or 0
 * @since: when calls could first be sent (seconds since boot), or 0
 * @serial: number of this connection, counted by its transport
 * @requested: when the connect request was sent (jiffies), or 0
 */
struct xprt_rdma_life {
	spinlock_t		lock;
	wait_queue_head_t	wait;
	enum xprt_rdma_state	state;
	int			error;
	bool			established;
	bool			answered;
	bool			device_gone;
	u32			cause;
	time64_t		since;
	u32			serial;
	unsigned long		requested;
};

static inline void xprt_rdma_life_init(struct xprt_rdma_life *life, u32 serial)
{
	spin_lock_init(&life->lock);
	init_waitqueue_head(&life->wait);
	life->serial = serial;
}

/*
 * If this returns true, all stores that precede the change of state are
 * visible.
 */
static inline bool
xprt_rdma_life_established(const struct xprt_rdma_life *life)
{
	/* Pairs with xprt_rdma_conn_change_state(). */
	return smp_load_acquire(&life->established);
}

/* Record that a call was answered. Returns true for the first call. */
static inline bool xprt_rdma_life_answer(struct xprt_rdma_life *life)
{
	if (likely(life->answered))
		return false;
	life->answered = true;
	return true;
}

/*
 * Record why a connection ends, in the format of rpcrdma_cause(). Only the
 * first cause is kept.
 */
static inline void xprt_rdma_life_blame(struct xprt_rdma_life *life, u32 cause)
{
	if (!READ_ONCE(life->cause))
		WRITE_ONCE(life->cause, cause);
}

#endif /* _XPRTRDMA_LIFE_H */
