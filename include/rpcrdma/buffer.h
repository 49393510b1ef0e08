/* SPDX-License-Identifier: GPL-2.0-only */
/* Message buffers. */
#ifndef _RPCRDMA_BUFFER_H
#define _RPCRDMA_BUFFER_H

#include <linux/types.h>

/*
 * Bytes of a buffer of version 2 by default: room for 4 KiB of data in a call
 * or reply of NFS.
 */
#define RPCRDMA_BUF_SIZE	5120u

void *rpcrdma_buf_alloc(size_t size, gfp_t gfp, int node);
void rpcrdma_buf_free(void *buf, size_t size);

#endif /* _RPCRDMA_BUFFER_H */
