/* SPDX-License-Identifier: GPL-2.0-only */
/* Connections on which nothing arrives: when they are given up. */
#ifndef _XPRTRDMA_WATCH_H
#define _XPRTRDMA_WATCH_H

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

/* stall.c */
void xprt_rdma_stall_work(struct work_struct *work);
void xprt_rdma_stall_start(struct xprt_rdma *r_xprt);
void xprt_rdma_stall_stop(struct xprt_rdma *r_xprt);

/* probe.c */
void xprt_rdma_probe_work(struct work_struct *work);
void xprt_rdma_probe_start(struct xprt_rdma *r_xprt);
void xprt_rdma_probe_stop(struct xprt_rdma *r_xprt);

#endif /* _XPRTRDMA_WATCH_H */
