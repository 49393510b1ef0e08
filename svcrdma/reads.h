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

/* Rounds per call that can be outstanding: one being read, and the next one. */
#define SVC_RDMA_READS_ROUNDS	2u

/**
 * struct svc_rdma_reads_round - Reads that are posted as one chain
 * @wait: waits for the Send Queue entries that the chain needs
 * @cqe: completion of the chain
 * @reads: all Reads of the call
 * @first: first Work Request of the chain
 * @confirm: last Work Request of the chain, if the device needs it
 *	(rpcrdma/quirks.h)
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
 * struct svc_rdma_reads - the RDMA Reads of one call, which are posted in
 * rounds (verbs/reads.c)
 * @list: entry of the connection's @read_queue.waiting while @left is not 0
 * @conn: connection
 * @next: first Work Request that is not part of a round yet
 * @left: number of Reads from @next on
 * @done: called once, when the last Read has completed, unless the connection
 *	is closing
 * @rounds: rounds that are posted, or wait for Send Queue entries
 *
 * The lock of the connection's @read_queue protects all members but @conn and
 * @done.
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
 * @reads: posting state of the Reads
 * @rws: the Reads, as a list of struct rpcrdma_rw
 * @direct: the call is an RDMA_MSG with one chunk behind its RPC header; the
 *	chunk is read into separate pages
 * @layout: where the parts of the call belong
 * @length: bytes in @pages, with XDR roundup: the whole call, or if @direct,
 *	the chunk, and what follows it on kernels where nfsd needs that
 * @charge: number of pages charged to the connection; Read contexts and memory
 *	regions are charged as pages, too
 * @returned: the connection's @reads.returned when this call was charged
 * @mapped: virtual mapping of @pages, or NULL
 * @npages: entries of @pages
 * @pages: destination of the data; has room for as many pages as the call can
 *	need
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
 * @lock: protects all other members; taken before the lock of the Send Queue
 * @waiting: struct svc_rdma_reads with Reads that are not outstanding yet,
 *	oldest first
 * @ord: limit of @out; can be lowered
 * @out: RDMA Reads outstanding, including those that wait for Send Queue
 *	entries
 * @round: maximum number of Reads that are posted as one chain
 * @denied: the requester has announced that it serves no RDMA Reads
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
 * @lock: protects all other members, and serializes setting XPT_DATA for a call
 *	with clearing it
 * @done: calls whose Reads have completed
 * @waiting: calls that wait for pages or regions for their Reads, oldest first
 * @starved: there was no memory for the first call in @waiting; no waiting call
 *	is tried again before another call has returned its charge
 * @returned: how many times a call has returned its charge, modulo 2^32
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
