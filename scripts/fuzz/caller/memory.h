/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that a server may read or write, or that it must not access. */
#ifndef _FUZZ_MEMORY_H
#define _FUZZ_MEMORY_H

#include <infiniband/verbs.h>

#include "../verbs/random.h"
#include <rpcrdma/codec.h>
#include <rpcrdma/cursor.h>

#define SINK_SIZE	(512u << 10)
#define SOURCE_SIZE	(128u << 10)
#define SCRATCH_SIZE	(128u << 10)

/**
 * struct memory - buffers of a batch, registered anew for each connection
 * @sink: memory of Write and Reply chunks
 * @offered: per byte of @sink, whether it was offered to the server
 * @source: memory of Read chunks; registered for reading only
 * @copy: expected contents of @source
 * @next: first free byte of @source
 * @sink_mr: registration of @sink
 * @source_mr: registration of @source
 * @scratch: destination of RDMA Reads of the server's memory
 * @scratch_mr: registration of @scratch, for this side only
 * @stale: a handle of @sink that is no longer valid
 */
struct memory {
	u8 *sink;
	u8 *offered;
	u8 *source;
	u8 *copy;
	u32 next;
	struct ibv_mr *sink_mr;
	struct ibv_mr *source_mr;
	u8 *scratch;
	struct ibv_mr *scratch_mr;
	u32 stale;
};

int memory_create(struct memory *mem);
void memory_reset(struct memory *mem);
int memory_register(struct memory *mem, struct ibv_pd *pd);
void memory_unregister(struct memory *mem);
struct rpcrdma_segment memory_sink(struct memory *mem, u32 offset, u32 len);
struct rpcrdma_segment memory_source(struct memory *mem, const void *data,
				     u32 len);
void memory_offer(struct memory *mem, const struct rpcrdma_hdr *hdr);
const char *memory_check(const struct memory *mem);

#endif /* _FUZZ_MEMORY_H */
