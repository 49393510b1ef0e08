/* SPDX-License-Identifier: GPL-2.0-only */
/* Quirks of individual providers. No other file of the modules checks a driver id. */
#ifndef _RPCRDMA_QUIRKS_H
#define _RPCRDMA_QUIRKS_H

#include <rdma/ib_verbs.h>

/* Pages per Work Request with which soft-RoCE survives reordered packets */
#define RPCRDMA_RXE_PAGES	5u

/**
 * rpcrdma_on_rxe - test for soft-RoCE
 * @device: device
 *
 * On soft-RoCE, some Reads and Writes have to be short
 * (Documentation/decisions/12-five-pages-per-work-request.rst), and no CM
 * message may be sent while the port is down (core/verbs/deferred_id.c). A
 * build with RPCRDMA_NO_QUIRKS, for tests, treats soft-RoCE like other
 * adapters.
 *
 * Context: any.
 * Return: true if @device is soft-RoCE.
 */
static inline bool rpcrdma_on_rxe(const struct ib_device *device)
{
	return !__is_defined(RPCRDMA_NO_QUIRKS) && device->ops.driver_id == RDMA_DRIVER_RXE;
}

/**
 * struct rpcrdma_confirm - a Read that confirms other RDMA Reads
 * @read: Work Request
 * @byte: memory for the byte that it reads
 */
struct rpcrdma_confirm {
	struct ib_rdma_wr read;
	struct ib_sge byte;
};

u32 rpcrdma_reads_confirm(const struct ib_device *device, struct ib_send_wr *wr,
			  struct rpcrdma_confirm *confirm, struct ib_cqe *cqe);

/**
 * rpcrdma_initiator_depth_is_ird - interpret a depth in a CM event
 * @device: iWARP device
 *
 * All iWARP drivers except cxgb4 report their own limit for the peer's Reads
 * (IRD) as initiator_depth.
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
