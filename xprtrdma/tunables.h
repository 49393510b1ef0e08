/* SPDX-License-Identifier: GPL-2.0-only */
/* Module parameters and their values. */
#ifndef _XPRTRDMA_TUNABLES_H
#define _XPRTRDMA_TUNABLES_H

#include <linux/types.h>

/**
 * enum xprt_rdma_negotiation - how to learn whether a server has version 2
 * @XPRT_RDMA_NEGOTIATE_OFF: never: only version 1 is used
 * @XPRT_RDMA_NEGOTIATE_HINT: from its version hint
 * @XPRT_RDMA_NEGOTIATE_PROBE: if it sends no hint, by an offer
 *
 * Each includes those before it.
 */
enum xprt_rdma_negotiation {
	XPRT_RDMA_NEGOTIATE_OFF,
	XPRT_RDMA_NEGOTIATE_HINT,
	XPRT_RDMA_NEGOTIATE_PROBE,
};

/**
 * enum xprt_rdma_completion - which workqueue polls the completion queues
 * @XPRT_RDMA_COMPLETION_BOUND: the RDMA core's, on the processor that has
 *	handled the interrupt
 * @XPRT_RDMA_COMPLETION_UNBOUND: the module's own, on any processor
 */
enum xprt_rdma_completion {
	XPRT_RDMA_COMPLETION_BOUND,
	XPRT_RDMA_COMPLETION_UNBOUND,
};

extern unsigned int xprt_rdma_slot_table_entries;
extern unsigned int xprt_rdma_max_inline_read;
extern unsigned int xprt_rdma_max_inline_write;
extern unsigned int xprt_rdma_pad_optimize;
extern bool xprt_rdma_remote_invalidation;
extern unsigned int xprt_rdma_max_version;
extern unsigned int xprt_rdma_negotiate;
extern unsigned int xprt_rdma_receive_buffer_size;
extern unsigned int xprt_rdma_ack_timeout;
extern unsigned int xprt_rdma_service_type;
extern unsigned int xprt_rdma_completion_workqueue;

#endif /* _XPRTRDMA_TUNABLES_H */
