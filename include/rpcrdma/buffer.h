/* SPDX-License-Identifier: GPL-2.0-only */
/* Message buffers. */
#ifndef _RPCRDMA_BUFFER_H
#define _RPCRDMA_BUFFER_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

/*
 * Default size of a version 2 buffer, in bytes: an NFS call or reply with 4 KiB
 * of data fits.
 */
#define RPCRDMA_BUF_SIZE	5120u

void *rpcrdma_buf_alloc(size_t size, gfp_t gfp, int node);
void rpcrdma_buf_free(void *buf, size_t size);

/**
 * rpcrdma_wc_received - get the number of bytes received
 * @wc: successful completion of the Receive
 *
 * An RDMA Write with immediate data consumes a Receive, but leaves its buffer
 * unchanged. Its completion has the length of the Write. That can exceed the
 * size of the buffer, because the Write goes to other memory.
 *
 * Context: any.
 * Return: bytes.
 */
static inline u32 rpcrdma_wc_received(const struct ib_wc *wc)
{
	return unlikely(wc->opcode == IB_WC_RECV_RDMA_WITH_IMM) ? 0 : wc->byte_len;
}

#endif /* _RPCRDMA_BUFFER_H */
