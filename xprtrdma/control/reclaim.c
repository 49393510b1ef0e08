// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reserve of a transport, which lets memory be reclaimed through it.
 *
 * Dirty pages and swap are written to the server by calls on this transport.
 * When no other memory is left, a call must make do with objects that exist. So
 * a transport keeps a few requests with their buffers from its setup on; the
 * end of a connection frees only what exceeds these. An established connection
 * has Receives, and the regions for one call with the largest payload. Calls
 * share the reserve; one that finds too little of it has to try again.
 *
 * The transport cannot keep what the RDMA core and the adapter's driver
 * allocate for a new connection. These allocations start no I/O and, while a
 * swap file uses the transport, may use the kernel's reserves (PF_MEMALLOC).
 * sunrpc does the same for tasks that send on a transport whose swapper count
 * is not zero.
 *
 * Ownership: requests of the reserve are like any other in the pool.
 *
 * Errors: without memory for the reserve, transport setup or the attempt to
 * connect fails. A swap file works without the larger reserve: sunrpc cannot
 * undo its steps when a transport refuses one.
 */

#include "../limits.h"
#include "../xprt.h"
#include "control.h"
#include "../message/message.h"

/**
 * xprt_rdma_op_enable_swap - a swap file begins to use the transport
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
 * xprt_rdma_op_disable_swap - a swap file no longer uses the transport
 * @xprt: transport; may have been created after the swap file was enabled
 *
 * The larger reserve is freed when the connection ends.
 *
 * Context: process.
 */
void xprt_rdma_op_disable_swap(struct rpc_xprt *xprt)
{
	if (!atomic_dec_if_positive(&xprt->swapper))
		WRITE_ONCE(to_r_xprt(xprt)->reqs_reserve,
			   XPRT_RDMA_RESERVE_REQS);
}
