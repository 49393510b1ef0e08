/* SPDX-License-Identifier: GPL-2.0-only */
/* The Read chunks of a call, and the RDMA Reads that fetch them. */
#ifndef _SVC_RDMA_READ_CTX_H
#define _SVC_RDMA_READ_CTX_H

#include <linux/sunrpc/svc.h>
#include <rdma/ib_verbs.h>

#include "limits.h"
#include "sq_wait.h"

struct svc_rdma_conn;
struct svc_rdma_recv_ctx;

/**
 * struct svc_rdma_read_chunk - a Read chunk: all entries that share a position
 * @position: of its first byte in the call
 * @length: bytes, without XDR round-up
 */
struct svc_rdma_read_chunk {
	u32 position;
	u32 length;
};

/**
 * struct svc_rdma_read_ctx - the Read chunks of one call
 * @list: entry of the connection's @read_done or @read_waiting
 * @conn: where the call arrived
 * @recv: the call
 * @cqe: completion of the last Read
 * @wait: for Send Queue entries
 * @rws: struct rpcrdma_rw
 * @wrs: Send Queue entries they need
 * @failed: one of them has, and that was reported
 * @direct: one chunk in an RDMA_MSG, which goes into pages of its own
 * @nchunks: entries of @chunks
 * @chunks: in ascending order
 * @base_len: bytes of the call that are in no chunk other than position zero
 * @length: bytes of the call (@direct: of the chunk), with XDR round-up
 * @charge: pages that the connection is charged for
 * @mapped: @pages as one range of addresses, or NULL
 * @npages: entries of @pages
 * @pages: where the data goes
 */
struct svc_rdma_read_ctx {
	struct list_head list;
	struct svc_rdma_conn *conn;
	struct svc_rdma_recv_ctx *recv;
	struct ib_cqe cqe;
	struct svc_rdma_sq_wait wait;
	struct list_head rws;
	u32 wrs;
	bool failed;

	bool direct;
	u32 nchunks;
	struct svc_rdma_read_chunk chunks[SVC_RDMA_CHUNKS];
	u32 base_len;
	u32 length;

	u32 charge;
	void *mapped;
	u32 npages;
	struct page *pages[RPCSVC_MAXPAGES];
};

#endif /* _SVC_RDMA_READ_CTX_H */
