// SPDX-License-Identifier: GPL-2.0-only
/* Quirks of individual providers that affect RDMA Reads. */

#include <rpcrdma/quirks.h>

static u32 rpcrdma_wr_length(const struct ib_send_wr *wr)
{
	u32 length = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++)
		length += wr->sg_list[i].length;
	return length;
}

/**
 * rpcrdma_reads_confirm - append a confirming Read to a chain of RDMA Reads
 * @device: device
 * @wr: any Work Request of the chain; the last one must be a signaled Read
 * @confirm: memory for the appended Read, in use until that Read has completed
 * @cqe: completion of the appended Read
 *
 * If responses to an RDMA Read arrive out of order, soft-RoCE (rxe_completer())
 * aborts the Read, completes it without an error although data is missing, and
 * only then moves the Queue Pair to the error state. Work Requests behind the
 * Read are flushed. So another Read of the last byte is appended to each chain,
 * and only this Read is signaled
 * (Documentation/decisions/13-reads-are-confirmed.rst).
 *
 * Context: any.
 * Return: number of Send Queue entries added; 0 if the device does not have
 * this quirk.
 */
u32 rpcrdma_reads_confirm(const struct ib_device *device, struct ib_send_wr *wr,
			  struct rpcrdma_confirm *confirm, struct ib_cqe *cqe)
{
	const struct ib_sge *sge;

	if (likely(!rpcrdma_on_rxe(device)))
		return 0;
	while (wr->next)
		wr = wr->next;
	sge = &wr->sg_list[wr->num_sge - 1];
	confirm->byte = (struct ib_sge) {
		.addr	= sge->addr + sge->length - 1,
		.length	= 1,
		.lkey	= sge->lkey,
	};
	confirm->read = (struct ib_rdma_wr) {
		.wr.wr_cqe	= cqe,
		.wr.sg_list	= &confirm->byte,
		.wr.num_sge	= 1,
		.wr.opcode	= IB_WR_RDMA_READ,
		.wr.send_flags	= IB_SEND_SIGNALED,
		.remote_addr	= rdma_wr(wr)->remote_addr +
				  rpcrdma_wr_length(wr) - 1,
		.rkey		= rdma_wr(wr)->rkey,
	};
	wr->send_flags &= ~IB_SEND_SIGNALED;
	wr->next = &confirm->read.wr;
	return 1;
}
EXPORT_SYMBOL_GPL(rpcrdma_reads_confirm);
