/* SPDX-License-Identifier: GPL-2.0-only */
/* What decides about the sizes of Receives, ours and the requester's. */
#ifndef _SVC_RDMA_TUNING_H
#define _SVC_RDMA_TUNING_H

#include <linux/list.h>
#include <linux/workqueue.h>

#include "limits.h"

struct svc_rdma_conn;

/**
 * struct svc_rdma_size_ops - functions of control/ that version/ calls
 * @grant: decide about a request for larger Receives of ours; returns the size
 *	in bytes that they shall have, at least @size, or 0 if the answer is no.
 *	Context: process; the caller holds change.mutex.
 */
struct svc_rdma_size_ops {
	u32 (*grant)(struct svc_rdma_conn *conn, u32 size);
};

/**
 * struct svc_rdma_tuning - what decides about the sizes of a connection
 *	(control/tuning.c)
 * @work: looks at what has been counted
 * @recv_longest: bytes; the longest message received since the last look.
 *	Written without a lock: some may be missed.
 * @ask_max: bytes; the largest Receives to ask the requester for; 0: never
 * @long_replies: replies since the last look that would have been inline with
 *	Receives of the requester's of svc_rdma_tuning_step() bytes. Written
 *	without a lock: some may be missed.
 * @long_total: the sum of @long_replies
 * @long_since: jiffies when these counts began
 * @ask_after: jiffies; the requester is not asked before
 * @look_after: jiffies; our Receives do not shrink before
 * @grant_after: jiffies; our Receives do not grow before
 * @charge: bytes that our Receives may take beyond their first size
 * @pressed: memory is short: shrink at once
 * @entry: entry of the list of connections that are charged
 */
struct svc_rdma_tuning {
	struct delayed_work work;
	u32 recv_longest;
	u32 ask_max;
	u32 long_replies[SVC_RDMA_TUNING_STEPS];
	u32 long_total;
	unsigned long long_since;
	unsigned long ask_after;
	unsigned long look_after;
	unsigned long grant_after;
	u64 charge;
	bool pressed;
	struct list_head entry;
};

/* Bytes of the Receives of step @step: 8 KiB of data and headers, 16 KiB ... */
static inline u32 svc_rdma_tuning_step(u32 step)
{
	return SVC_RDMA_TUNING_FIRST << step;
}

#endif /* _SVC_RDMA_TUNING_H */
