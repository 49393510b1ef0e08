/* SPDX-License-Identifier: GPL-2.0-only */
/* The periodic check of a connection (control/watch.c). */
#ifndef _SVC_RDMA_WATCH_H
#define _SVC_RDMA_WATCH_H

#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "send_ctx.h"

/**
 * struct svc_rdma_watch - the periodic check of a connection
 * @work: the next check
 * @heard: jiffies of the last check that found a new message or sent a probe,
 *	or of svc_rdma_watch_start()
 * @messages: number of messages received before the last check
 * @busy: Work Requests were in the Send Queue at the last check
 * @returned: the connection's @sq.returned at the last check
 * @probing: a probe is in flight, waits for Send Queue entries, or has failed
 * @wait: waits for the Send Queue entries of the probe and of @before
 * @cqe: completion of the probe
 * @before: unsignaled Sends that complete with the probe
 */
struct svc_rdma_watch {
	struct delayed_work work;
	unsigned long heard;
	u64 messages;
	bool busy;
	u32 returned;
	bool probing;
	struct svc_rdma_sq_wait wait;
	struct ib_cqe cqe;
	struct svc_rdma_unsignaled before;
};

#endif /* _SVC_RDMA_WATCH_H */
