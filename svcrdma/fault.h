/* SPDX-License-Identifier: GPL-2.0-only */
/* Why a message cannot be served. */
#ifndef _SVC_RDMA_FAULT_H
#define _SVC_RDMA_FAULT_H

#include <linux/types.h>

/**
 * struct svc_rdma_fault - why a message cannot be served
 * @code: an enum rpcrdma2_errcode, whatever the version; 0 if nothing is wrong
 * @index: of the Write chunk that is too small, from 1 on; or the lowest
 *	version (RPCRDMA2_ERR_VERS)
 * @value: the most chunks or segments, the bytes needed, or the highest version
 */
struct svc_rdma_fault {
	u32 code;
	u32 index;
	u32 value;
};

#endif /* _SVC_RDMA_FAULT_H */
