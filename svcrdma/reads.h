/* SPDX-License-Identifier: GPL-2.0-only */
/* The RDMA Reads of one call, which are posted in rounds (verbs/reads.c). */
#ifndef _SVC_RDMA_READS_H
#define _SVC_RDMA_READS_H

#include <linux/list.h>
#include <rdma/ib_verbs.h>

#include <rpcrdma/quirks.h>

#include "sq_wait.h"

struct svc_rdma_conn;
struct svc_rdma_reads;

/* Rounds of one call that may be outstanding: one is read, one is behind it. */
#define SVC_RDMA_READS_ROUNDS	2u

/**
 * struct svc_rdma_reads_round - Reads that are posted as one chain
 * @wait: waits for the Send Queue entries that the chain needs
 * @cqe: completion of the chain
 * @reads: the call's Reads, of which these are a part
 * @first: first Work Request of the chain
 * @confirm: its last Work Request, if the device needs it (rpcrdma/quirks.h)
 * @count: number of Reads in the chain; 0 if the round is not in use
 */
struct svc_rdma_reads_round {
	struct svc_rdma_sq_wait wait;
	struct ib_cqe cqe;
	struct svc_rdma_reads *reads;
	struct ib_send_wr *first;
	struct rpcrdma_confirm confirm;
	u32 count;
};

/**
 * struct svc_rdma_reads - the RDMA Reads of one call
 * @list: entry of the connection's @reads_waiting while @left is not 0
 * @conn: connection
 * @next: first Work Request that is not in a round yet
 * @left: number of Reads from @next on
 * @failed: a Read has failed; @done is not called any more
 * @done: called once, when the last Read has completed
 * @rounds: what is posted, or waits for Send Queue entries
 *
 * All but @conn and @done are protected by the connection's sq_lock.
 */
struct svc_rdma_reads {
	struct list_head list;
	struct svc_rdma_conn *conn;
	struct ib_send_wr *next;
	u32 left;
	bool failed;
	void (*done)(struct svc_rdma_reads *reads);
	struct svc_rdma_reads_round rounds[SVC_RDMA_READS_ROUNDS];
};

#endif /* _SVC_RDMA_READS_H */
