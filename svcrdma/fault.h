/* SPDX-License-Identifier: GPL-2.0-only */
/* Why a message cannot be served. */
#ifndef _SVC_RDMA_FAULT_H
#define _SVC_RDMA_FAULT_H

#include <linux/types.h>

#include <rpcrdma/wire.h>

/**
 * enum svc_rdma_fault_code - faults of a message or its reply
 * @SVC_RDMA_FAULT_NONE: nothing
 * @SVC_RDMA_FAULT_VERS: the message is not in the connection's version
 * @SVC_RDMA_FAULT_BAD_XDR: the header cannot be decoded
 * @SVC_RDMA_FAULT_INVAL_HTYPE: the header type is not supported
 * @SVC_RDMA_FAULT_READ_CHUNKS: too many Read chunks
 * @SVC_RDMA_FAULT_WRITE_RESOURCE: a Write chunk is too small for its result
 * @SVC_RDMA_FAULT_REPLY_RESOURCE: no chunk has room for the reply
 * @SVC_RDMA_FAULT_SYSTEM: a failure that the requester cannot avoid
 *
 * Each version encodes its own error messages for these (@encode_error of
 * struct svc_rdma_version). The values are the error codes of version 2, which
 * has further codes for faults that only version 2 detects.
 */
enum svc_rdma_fault_code {
	SVC_RDMA_FAULT_NONE		= 0,
	SVC_RDMA_FAULT_VERS		= RPCRDMA2_ERR_VERS,
	SVC_RDMA_FAULT_BAD_XDR		= RPCRDMA2_ERR_BAD_XDR,
	SVC_RDMA_FAULT_INVAL_HTYPE	= RPCRDMA2_ERR_INVAL_HTYPE,
	SVC_RDMA_FAULT_READ_CHUNKS	= RPCRDMA2_ERR_READ_CHUNKS,
	SVC_RDMA_FAULT_WRITE_RESOURCE	= RPCRDMA2_ERR_WRITE_RESOURCE,
	SVC_RDMA_FAULT_REPLY_RESOURCE	= RPCRDMA2_ERR_REPLY_RESOURCE,
	SVC_RDMA_FAULT_SYSTEM		= RPCRDMA2_ERR_SYSTEM,
};

/**
 * struct svc_rdma_fault - why a message cannot be served
 * @code: enum svc_rdma_fault_code, or an enum rpcrdma2_errcode that only
 *	version 2 has; 0 if nothing is wrong
 * @index: number of the Write chunk that is too small, from 1; or the lowest
 *	version supported (SVC_RDMA_FAULT_VERS)
 * @value: limit of chunks or segments; bytes needed; or the highest version
 *	supported (SVC_RDMA_FAULT_VERS)
 */
struct svc_rdma_fault {
	u32 code;
	u32 index;
	u32 value;
};

#endif /* _SVC_RDMA_FAULT_H */
