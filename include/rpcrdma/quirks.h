/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What single providers need of those who post RDMA Reads and Writes. No other
 * file knows a provider by its name.
 */
#ifndef _RPCRDMA_QUIRKS_H
#define _RPCRDMA_QUIRKS_H

#include <rdma/ib_verbs.h>

/* Soft-RoCE: pages per Work Request that survive packets out of order */
#define RPCRDMA_RXE_PAGES	5u

/**
 * rpcrdma_on_rxe - find out whether a device is soft-RoCE
 * @device: device
 *
 * Its Writes, and sometimes its Reads, have to be short
 * (Documentation/decisions/12-five-pages-per-work-request.rst).
 *
 * Context: any.
 * Return: true if it is.
 */
static inline bool rpcrdma_on_rxe(const struct ib_device *device)
{
	return device->ops.driver_id == RDMA_DRIVER_RXE;
}

/**
 * rpcrdma_reads_confirm - prepare a Write that confirms RDMA Reads
 * @device: device
 * @write: memory of the Write, in use until it has completed
 * @cqe: its completion
 *
 * If responses to an RDMA Read arrive out of order, soft-RoCE
 * (rxe_completer()) aborts the Read, completes it without an error although
 * data is missing, and moves the Queue Pair to the error state only then. What
 * is behind the Read in the Send Queue is flushed. So each chain of Reads ends
 * with a Write of no bytes, which is signaled in place of the last Read. It
 * accesses no memory, and needs no handle
 * (Documentation/decisions/13-reads-are-confirmed.rst).
 *
 * Context: any.
 * Return: the Write, to be the last Work Request of the chain, and its only
 * signaled one; NULL if the device does not need it.
 */
static inline struct ib_send_wr *
rpcrdma_reads_confirm(const struct ib_device *device, struct ib_rdma_wr *write,
		      struct ib_cqe *cqe)
{
	if (likely(!rpcrdma_on_rxe(device)))
		return NULL;
	*write = (struct ib_rdma_wr) {
		.wr.opcode	= IB_WR_RDMA_WRITE,
		.wr.wr_cqe	= cqe,
		.wr.send_flags	= IB_SEND_SIGNALED,
	};
	return &write->wr;
}

/**
 * rpcrdma_initiator_depth_is_ird - find out what a depth in a CM event means
 * @device: device for iWARP
 *
 * All drivers for iWARP but cxgb4 call their own limit for the peer's Reads
 * (IRD) initiator_depth.
 *
 * Context: any.
 * Return: true if initiator_depth is the IRD, and responder_resources the ORD.
 */
static inline bool
rpcrdma_initiator_depth_is_ird(const struct ib_device *device)
{
	return device->ops.driver_id != RDMA_DRIVER_CXGB4;
}

#endif /* _RPCRDMA_QUIRKS_H */
