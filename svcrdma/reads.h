/* SPDX-License-Identifier: GPL-2.0-only */
/* The RDMA Reads of one call, which are posted in rounds (verbs/reads.c). */
#ifndef _SVC_RDMA_READS_H
#define _SVC_RDMA_READS_H

#include <linux/list.h>
#include <rdma/ib_verbs.h>

#include <rpcrdma/quirks.h>

#include "sq.h"

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
 * @list: entry of the connection's @read_queue.waiting while @left is not 0
 * @conn: connection
 * @next: first Work Request that is not in a round yet
 * @left: number of Reads from @next on
 * @failed: a Read has failed; @done is not called any more
 * @done: called once, when the last Read has completed
 * @rounds: what is posted, or waits for Send Queue entries
 *
 * All but @conn and @done are protected by the connection's sq.lock.
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

/**
 * struct svc_rdma_read_queue - RDMA Reads of a connection (verbs/reads.c)
 * @waiting: struct svc_rdma_reads with Reads that are not outstanding yet,
 *	oldest first
 * @ord: limit of @out; may be lowered
 * @out: RDMA Reads outstanding, including those that wait for Send Queue
 *	entries
 * @round: Reads that are posted as one chain at most
 *
 * The lock of the Send Queue protects it.
 */
struct svc_rdma_read_queue {
	struct list_head waiting;
	u32 ord;
	u32 out;
	u32 round;
};

/**
 * struct svc_rdma_read_calls - calls with Read chunks (message/read_memory.c)
 * @done: calls whose Reads have completed
 * @waiting: calls that wait for pages or regions for their Reads, oldest first
 * @pages: pages charged to this connection for calls with Read chunks
 * @nreads: RDMA Reads charged for them, if the device needs memory regions
 *
 * The lock of the Receives protects it.
 */
struct svc_rdma_read_calls {
	struct list_head done;
	struct list_head waiting;
	u32 pages;
	u32 nreads;
};

#endif /* _SVC_RDMA_READS_H */
