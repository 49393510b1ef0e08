/* SPDX-License-Identifier: GPL-2.0-only */
/* The Read chunks of a call, and the RDMA Reads that fetch them. */
#ifndef _SVC_RDMA_READ_CTX_H
#define _SVC_RDMA_READ_CTX_H

#include <linux/sunrpc/svc.h>
#include <rdma/ib_verbs.h>

#include <rpcrdma/layout.h>

#include "reads.h"

struct svc_rdma_conn;
struct svc_rdma_recv_ctx;

/**
 * struct svc_rdma_read_ctx - the Read chunks of one call
 * @list: entry of the connection's @reads.done or @reads.waiting
 * @conn: connection of the call
 * @recv: Receive context of the call
 * @reads: the Reads, as far as they are posted
 * @rws: the Reads, struct rpcrdma_rw
 * @direct: the call is an RDMA_MSG with one chunk behind its RPC header, which
 *	is read into pages of its own
 * @layout: where the parts of the call belong
 * @length: bytes in @pages, with XDR roundup: of the call, or if @direct, of the
 *	chunk and of what follows it, if nfsd needs that
 * @charge: pages that the connection is charged for, those of contexts included
 * @charge_reads: RDMA Reads that it is charged for
 * @returned: the connection's @reads.returned when it was charged
 * @mapped: @pages as one range of addresses, or NULL
 * @npages: entries of @pages
 * @pages: destination of the data; room for as many pages as the call can need
 */
struct svc_rdma_read_ctx {
	struct list_head list;
	struct svc_rdma_conn *conn;
	struct svc_rdma_recv_ctx *recv;
	struct svc_rdma_reads reads;
	struct list_head rws;

	bool direct;
	struct rpcrdma_layout layout;
	u32 length;

	u32 charge;
	u32 charge_reads;
	u32 returned;
	void *mapped;
	u32 npages;
	struct page *pages[];
};

#endif /* _SVC_RDMA_READ_CTX_H */
