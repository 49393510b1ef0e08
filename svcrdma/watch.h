/* SPDX-License-Identifier: GPL-2.0-only */
/* The watch over a connection. */
#ifndef _SVC_RDMA_WATCH_H
#define _SVC_RDMA_WATCH_H

#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

/**
 * struct svc_rdma_watch - looks after a connection from time to time
 * @work: the next look
 * @deadline: jiffies; to be established by then
 * @heard: jiffies; the last look that found a message, or sent a probe
 * @busy: there were Work Requests in the Send Queue at the last look
 * @returned: Send Queue entries that had been returned by then, since the
 *	connection began
 * @probing: a probe is in flight
 * @cqe: completion of the probe
 */
struct svc_rdma_watch {
	struct delayed_work work;
	unsigned long deadline;
	unsigned long heard;
	bool busy;
	u32 returned;
	bool probing;
	struct ib_cqe cqe;
};

#endif /* _SVC_RDMA_WATCH_H */
