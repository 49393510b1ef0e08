/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether RDMA Reads have really been done, on soft-RoCE.
 *
 * When the responses to an RDMA Read arrive out of order, soft-RoCE
 * (rxe_completer()) aborts it, completes it without an error although data is
 * missing, and moves the Queue Pair to the error state only then. What is
 * behind the Read in the Send Queue is flushed, so only the last Read of a
 * chain needs care, the one that is signaled.
 *
 * Responses are taken in order, and the last one is missing in an aborted Read.
 * So a mark is put where its last bytes belong: a random number, which the data
 * replaces. If it is still there, the Read is not confirmed.
 *
 * If fewer bytes than the mark has are in the last response, or in the last
 * range of memory, an RDMA Write of no bytes follows the Read, signaled in its
 * place. It accesses nothing, so its handle does not matter.
 *
 * Other providers need none of this
 * (Documentation/decisions/13-reads-are-confirmed.rst).
 */
#ifndef _RPCRDMA_RW_CONFIRM_H
#define _RPCRDMA_RW_CONFIRM_H

#include <linux/unaligned.h>
#include <rdma/ib_verbs.h>

#include <rpcrdma/rw_set.h>

/* A response has a path MTU of data, or the rest: this is the smallest MTU. */
#define RPCRDMA_RW_MTU_MIN	256u

/**
 * struct rpcrdma_rw_confirm - how a chain of Reads is confirmed
 * @at: where the mark is, or NULL if there is none
 * @mark: the mark
 * @write: the Write behind the Reads, if there is no mark
 */
struct rpcrdma_rw_confirm {
	void *at;
	u64 mark;
	struct ib_rdma_wr write;
};

/* Where the mark of @read belongs; NULL if there is not enough room for it */
static inline void *rpcrdma_rw_mark_place(const struct ib_send_wr *read)
{
	const struct ib_sge *sge = read->sg_list;
	u32 i, room, length = 0;

	for (i = 0; i < read->num_sge; i++)
		length += sge[i].length;
	sge += read->num_sge - 1;
	room = min((length - 1) % RPCRDMA_RW_MTU_MIN + 1, sge->length);
	if (unlikely(room < sizeof(u64)))
		return NULL;
	/* soft-RoCE's DMA addresses are pointers. */
	return (void *)(uintptr_t)(sge->addr + sge->length - sizeof(u64));
}

/**
 * rpcrdma_rw_confirm_begin - prepare a chain of Reads to be confirmed
 * @set: Reads and Writes of the connection
 * @confirm: to be initialized
 * @last: last Work Request of the chain, a Read that is mapped and not posted
 *
 * Context: any; one caller at a time for each connection.
 * Return: the end of the chain, which alone is to be signaled: @last, or the
 * Write that is behind it now.
 */
static inline struct ib_send_wr *
rpcrdma_rw_confirm_begin(struct rpcrdma_rw_set *set,
			 struct rpcrdma_rw_confirm *confirm,
			 struct ib_send_wr *last)
{
	confirm->at = NULL;
	if (likely(!set->confirm))
		return last;
	confirm->at = rpcrdma_rw_mark_place(last);
	if (likely(confirm->at)) {
		confirm->mark = set->mark++;
		put_unaligned(confirm->mark, (u64 *)confirm->at);
		return last;
	}
	confirm->write = (struct ib_rdma_wr) {
		.wr.opcode	= IB_WR_RDMA_WRITE,
		.remote_addr	= rdma_wr(last)->remote_addr,
		.rkey		= rdma_wr(last)->rkey,
	};
	last->next = &confirm->write.wr;
	last->send_flags &= ~IB_SEND_SIGNALED;
	return last->next;
}

/**
 * rpcrdma_rw_confirmed - check that Reads reported as successful really were
 * @confirm: set up by rpcrdma_rw_confirm_begin(); the end of the chain has
 *	completed without an error, and the memory has not been changed since
 *
 * Context: any.
 * Return: true if the data is complete.
 */
static inline bool rpcrdma_rw_confirmed(const struct rpcrdma_rw_confirm *confirm)
{
	return likely(!confirm->at) ||
	       get_unaligned((u64 *)confirm->at) != confirm->mark;
}

#endif /* _RPCRDMA_RW_CONFIRM_H */
