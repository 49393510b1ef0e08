/* SPDX-License-Identifier: GPL-2.0-only */
/* The Read chunks of a call, and the RDMA Reads that fetch them. */
#ifndef _SVC_RDMA_READS_H
#define _SVC_RDMA_READS_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include <rpcrdma/layout.h>
#include <rpcrdma/quirks.h>

#include "sq.h"

struct svc_rdma_conn;
struct svc_rdma_reads;
struct svc_rdma_recv_ctx;

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
 * struct svc_rdma_reads - the RDMA Reads of one call, which are posted in rounds
 *	(verbs/reads.c)
 * @list: entry of the connection's @read_queue.waiting while @left is not 0
 * @conn: connection
 * @next: first Work Request that is not in a round yet
 * @left: number of Reads from @next on
 * @done: called once, when the last Read has completed, unless the connection is
 *	closing
 * @rounds: rounds that are posted, or wait for Send Queue entries
 *
 * The lock of the connection's @read_queue protects all but @conn and @done.
 */
struct svc_rdma_reads {
	struct list_head list;
	struct svc_rdma_conn *conn;
	struct ib_send_wr *next;
	u32 left;
	void (*done)(struct svc_rdma_reads *reads);
	struct svc_rdma_reads_round rounds[SVC_RDMA_READS_ROUNDS];
};

/**
 * struct svc_rdma_read_ctx - the Read chunks of one call
 * @list: entry of the connection's @reads.done or @reads.waiting
 * @conn: connection of the call
 * @recv: Receive context of the call
 * @reads: the Reads, as far as they are posted
 * @rws: the Reads, struct rpcrdma_rw
 * @direct: the call is an RDMA_MSG with one chunk behind its RPC header, which
 *	is read into pages of its own
 * @layout: where the parts of the call belong
 * @length: bytes in @pages, with XDR roundup: of the call, or if @direct, of the
 *	chunk and of what follows it, if nfsd needs that
 * @charge: pages that the connection is charged for, and what is counted as pages
 * @returned: the connection's @reads.returned when it was charged
 * @mapped: @pages as one range of addresses, or NULL
 * @npages: entries of @pages
 * @pages: destination of the data; room for as many pages as the call can need
 */
struct svc_rdma_read_ctx {
	struct list_head list;
	struct svc_rdma_conn *conn;
	struct svc_rdma_recv_ctx *recv;
	struct svc_rdma_reads reads;
	struct list_head rws;

	bool direct;
	struct rpcrdma_layout layout;
	u32 length;

	u32 charge;
	u32 returned;
	void *mapped;
	u32 npages;
	struct page *pages[];
};

/**
 * struct svc_rdma_read_queue - RDMA Reads of a connection (verbs/reads.c)
 * @lock: protects everything below; taken before that of the Send Queue
 * @waiting: struct svc_rdma_reads with Reads that are not outstanding yet,
 *	oldest first
 * @ord: limit of @out; may be lowered
 * @out: RDMA Reads outstanding, including those that wait for Send Queue
 *	entries
 * @round: Reads that are posted as one chain at most
 * @denied: the requester has said that it does not let us read its memory
 */
struct svc_rdma_read_queue {
	spinlock_t lock;
	struct list_head waiting;
	u32 ord;
	u32 out;
	u32 round;
	bool denied;
};

/**
 * struct svc_rdma_read_calls - calls with Read chunks (message/read_memory.c)
 * @lock: protects everything below, and excludes that XPT_DATA is cleared while
 *	it is set for a call
 * @done: calls whose Reads have completed
 * @waiting: calls that wait for pages or regions for their Reads, oldest first
 * @starved: there was no memory for the first of them; none goes on before
 *	another call has returned its charge
 * @returned: how often a call has returned its charge, modulo 2^32
 * @pages: pages charged to this connection for calls with Read chunks, and for
 *	contexts and memory regions of their Reads
 */
struct svc_rdma_read_calls {
	spinlock_t lock ____cacheline_aligned_in_smp;
	struct list_head done;
	struct list_head waiting;
	bool starved;
	u32 returned;
	u32 pages;
};

#endif /* _SVC_RDMA_READS_H */
