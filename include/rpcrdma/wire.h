/* SPDX-License-Identifier: GPL-2.0-only */
/* Constants of the RPC-over-RDMA wire formats: numbers that both peers agree on. */
#ifndef _RPCRDMA_WIRE_H
#define _RPCRDMA_WIRE_H

#include <linux/types.h>

/* Every XDR item is a multiple of this many bytes. */
#define RPCRDMA_XDR_UNIT	4u

/* RFC 5666 section 4.2: rdma_vers */
enum rpcrdma_version {
	RPCRDMA_VERSION_1	= 1,
};

/* RFC 5666 section 4.3: enum rdma_proc */
enum rpcrdma_type {
	RPCRDMA_MSG		= 0,
	RPCRDMA_NOMSG		= 1,
	RPCRDMA_MSGP		= 2,
	RPCRDMA_DONE		= 3,
	RPCRDMA_ERROR		= 4,
};

/* RFC 5666 section 4.3: enum rpc_rdma_errcode */
enum rpcrdma_errcode {
	RPCRDMA_ERR_VERS	= 1,
	RPCRDMA_ERR_CHUNK	= 2,
};

/*
 * Sizes in bytes.
 *
 * @RPCRDMA_V1_FIXED_SIZE: xid, version, credits and type
 * @RPCRDMA_V1_MIN_SIZE: the fixed part and three empty chunk lists
 * @RPCRDMA_SEGMENT_SIZE: handle, length and offset
 * @RPCRDMA_READ_SEGMENT_SIZE: an entry of a Read list: list discriminator,
 *	position and segment
 * @RPCRDMA_V1_MSGP_EXTRA: the two words RDMA_MSGP has before its chunk lists
 * @RPCRDMA_V1_ERR_VERS_SIZE: a whole RDMA_ERROR with ERR_VERS
 * @RPCRDMA_V1_ERR_CHUNK_SIZE: a whole RDMA_ERROR with ERR_CHUNK
 * @RPCRDMA_V1_INLINE_DEFAULT: inline threshold of a peer that has sent no
 *	private data (RFC 8166 section 3.3.2)
 */
#define RPCRDMA_V1_FIXED_SIZE		16u
#define RPCRDMA_V1_MIN_SIZE		28u
#define RPCRDMA_SEGMENT_SIZE		16u
#define RPCRDMA_READ_SEGMENT_SIZE	24u
#define RPCRDMA_V1_MSGP_EXTRA		8u
#define RPCRDMA_V1_ERR_VERS_SIZE	28u
#define RPCRDMA_V1_ERR_CHUNK_SIZE	20u
#define RPCRDMA_V1_INLINE_DEFAULT	1024u

/* RFC 8797 section 4: the CM private message */
#define RPCRDMA_PRIVATE_MAGIC		0xf6ab0e18u
#define RPCRDMA_PRIVATE_VERSION		1u
#define RPCRDMA_PRIVATE_F_REMOTE_INV	0x01u
#define RPCRDMA_PRIVATE_SIZE		8u
/* Sizes are sent in units of 1024 bytes, less one. */
#define RPCRDMA_PRIVATE_UNIT		1024u
#define RPCRDMA_PRIVATE_MAX_SIZE	(256u * RPCRDMA_PRIVATE_UNIT)

/* RFC 5666 section 7 and RFC 8267: where an NFS/RDMA service listens */
#define RPCRDMA_NFS_PORT		20049

#endif /* _RPCRDMA_WIRE_H */
