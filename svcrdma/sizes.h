/* SPDX-License-Identifier: GPL-2.0-only */
/* How long messages may be, in both directions. */
#ifndef _SVC_RDMA_SIZES_H
#define _SVC_RDMA_SIZES_H

#include <linux/types.h>

/**
 * struct svc_rdma_sizes - sizes of messages, in bytes
 * @v1_recv: size of Receive buffers of version 1
 * @send: the longest message that the requester can receive
 */
struct svc_rdma_sizes {
	u32 v1_recv;
	u32 send;
};

#endif /* _SVC_RDMA_SIZES_H */
