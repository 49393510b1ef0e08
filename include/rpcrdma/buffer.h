/* SPDX-License-Identifier: GPL-2.0-only */
/* Message buffers. */
#ifndef _RPCRDMA_BUFFER_H
#define _RPCRDMA_BUFFER_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

/*
 * Bytes of a buffer of version 2 by default: room for 4 KiB of data in a call
 * or reply of NFS.
 */
#define RPCRDMA_BUF_SIZE	5120u

void *rpcrdma_buf_alloc(size_t size, gfp_t gfp, int node);
void rpcrdma_buf_free(void *buf, size_t size);

/**
 * rpcrdma_wc_received - how much a Receive has got
 * @wc: its successful completion
 *
 * An RDMA Write with immediate data uses up a Receive, and puts nothing into its
 * buffer, which holds what was there before. The length is that of the Write, into
 * any memory that the peer may write to, so it may exceed the buffer's.
 *
 * Context: any.
 * Return: bytes.
 */
static inline u32 rpcrdma_wc_received(const struct ib_wc *wc)
{
	return unlikely(wc->opcode == IB_WC_RECV_RDMA_WITH_IMM) ? 0 : wc->byte_len;
}

#endif /* _RPCRDMA_BUFFER_H */
