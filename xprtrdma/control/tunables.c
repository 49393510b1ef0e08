// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sysctls in /proc/sys/sunrpc, and module parameters. A change applies to
 * transports (slots) or connections (all others) created afterwards.
 */

#include <linux/module.h>

#include <rpcrdma/buffer.h>
#include <rpcrdma/cm.h>
#include <rpcrdma/tunable.h>

#include "../limits.h"
#include "../tunables.h"
#include "control.h"
#include "../ext/ext.h"

/* Ranges and defaults are those of the in-tree transport. */
#define MEMREG_FRWR		5

unsigned int xprt_rdma_slot_table_entries = 128;
unsigned int xprt_rdma_max_inline_read = 4096;
unsigned int xprt_rdma_max_inline_write = 4096;

/*
 * 0: the Write chunk of an item whose length is not a multiple of four ends
 * with a segment for XDR roundup, in case the peer writes it. 1: the chunk has
 * no such segment (RFC 8166 section 3.4.6.2).
 */
unsigned int xprt_rdma_pad_optimize;

bool xprt_rdma_remote_invalidation = true;
module_param_named(remote_invalidation, xprt_rdma_remote_invalidation, bool,
		   0644);
MODULE_PARM_DESC(remote_invalidation, "Let servers invalidate handles (new connections)");

/* Highest version that is offered to servers */
unsigned int xprt_rdma_max_version = RPCRDMA_VERSION_2;
XPRT_RDMA_PARAM(max_version, RPCRDMA_VERSION_1, RPCRDMA_VERSION_2);
MODULE_PARM_DESC(max_version,
		 "Highest RPC-over-RDMA version, 1 or 2 (new connections)");

bool xprt_rdma_negotiate = true;
module_param_named(negotiate, xprt_rdma_negotiate, bool, 0644);
MODULE_PARM_DESC(negotiate, "Offer version 2 to servers without a version hint (new connections)");

unsigned int xprt_rdma_receive_buffer_size = RPCRDMA_BUF_SIZE;
XPRT_RDMA_PARAM(receive_buffer_size, RPCRDMA2_INLINE_DEFAULT,
		XPRT_RDMA_INLINE_MAX);
MODULE_PARM_DESC(receive_buffer_size,
		 "Bytes of a Receive buffer with version 2, 4096 to 65536 (new connections)");

/* An exponent, as in the InfiniBand specification; 0: the CM chooses one. */
unsigned int xprt_rdma_ack_timeout;
XPRT_RDMA_PARAM(ack_timeout, 0, RPCRDMA_ACK_TIMEOUT_MAX);
MODULE_PARM_DESC(ack_timeout,
		 "Retransmit after 4.096 us * 2^N, N up to 31; 0: the default of the path (new connections)");

/* On RoCE, the traffic class */
unsigned int xprt_rdma_service_type;
XPRT_RDMA_PARAM(service_type, 0, U8_MAX);
MODULE_PARM_DESC(service_type,
		 "Type of service of both sides' packets, DSCP times 4; 0: the default of the port (new connections)");

/* Fixed: fast registration is the only strategy. */
static unsigned int memreg_strategy = MEMREG_FRWR;

static struct ctl_table tunables[] = {
	RPCRDMA_TUNABLE("rdma_slot_table_entries", xprt_rdma_slot_table_entries,
			4, 16384),
	RPCRDMA_TUNABLE("rdma_max_inline_read", xprt_rdma_max_inline_read,
			RPCRDMA_V1_INLINE_DEFAULT, XPRT_RDMA_INLINE_MAX),
	RPCRDMA_TUNABLE("rdma_max_inline_write", xprt_rdma_max_inline_write,
			RPCRDMA_V1_INLINE_DEFAULT, XPRT_RDMA_INLINE_MAX),
	RPCRDMA_TUNABLE("rdma_memreg_strategy", memreg_strategy,
			MEMREG_FRWR, MEMREG_FRWR),
	RPCRDMA_TUNABLE("rdma_pad_optimize", xprt_rdma_pad_optimize, 0, 1),
	XPRT_RDMA_MSGP_TUNABLE
	RPCRDMA_CTL_TABLE_END
};

static struct ctl_table_header *header;

/**
 * xprt_rdma_tunables_register - register the sysctls
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int xprt_rdma_tunables_register(void)
{
	header = register_sysctl("sunrpc", tunables);
	return header ? 0 : -ENOMEM;
}

/**
 * xprt_rdma_tunables_unregister - unregister the sysctls
 *
 * Context: process; waits for their users.
 */
void xprt_rdma_tunables_unregister(void)
{
	unregister_sysctl_table(header);
}
