// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a transport keeps, so that memory can be reclaimed through it.
 *
 * Dirty pages and swap go to the server by calls on this transport. When there
 * is no other memory left, a call must get along with what exists. So while a
 * transport exists, it has a few requests with their buffers, from its setup
 * on, and a few Receives, from its first connection on; the end of a connection
 * frees only what goes beyond that. A connection that is established has the
 * regions that one call with the largest payload takes, since it belongs to
 * one protection domain. Calls use all of these in turn, and are asked to come
 * again as long as there are too few.
 *
 * What the RDMA core and the adapter's driver need for a new connection is not
 * ours to keep. It is allocated without starting I/O, and, while there is a
 * swap file behind the transport, from the memory that the kernel holds back
 * (PF_MEMALLOC). sunrpc does the same for who sends on a transport whose swapper
 * count is not zero.
 *
 * Ownership: requests of the reserve are like any other in the pool. Receives
 * without a connection are in the transport's list, not mapped for DMA; the
 * next connection takes them from there first.
 *
 * Errors: without memory for the reserve there is no transport, or no connection.
 * A swap file gets along without the larger one: sunrpc has no way back when a
 * transport refuses it.
 */

#include "../limits.h"
#include "../xprt.h"
#include "control.h"
#include "../message/message.h"

/**
 * xprt_rdma_op_enable_swap - there is a swap file behind the transport
 * @xprt: transport
 *
 * Context: process.
 * Return: 0.
 */
int xprt_rdma_op_enable_swap(struct rpc_xprt *xprt)
{
	if (atomic_inc_return(&xprt->swapper) == 1)
		xprt_rdma_reqs_reserve(to_r_xprt(xprt),
				       XPRT_RDMA_RESERVE_SWAP);
	return 0;
}

/**
 * xprt_rdma_op_disable_swap - there is no swap file behind the transport any more
 * @xprt: transport, which may be younger than the swap file
 *
 * The larger reserve goes with the connection.
 *
 * Context: process.
 */
void xprt_rdma_op_disable_swap(struct rpc_xprt *xprt)
{
	if (!atomic_dec_if_positive(&xprt->swapper))
		WRITE_ONCE(to_r_xprt(xprt)->reqs_reserve,
			   XPRT_RDMA_RESERVE_REQS);
}
