// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guarded memory. Everything lies in one registration, so the adapter would let
 * the server write between the segments that it was offered; a check afterwards
 * shows whether it has.
 */

#include <stdlib.h>

#include "memory.h"

static u8 pattern(u32 i)
{
	return (i * 2654435761u) >> 24;
}

int memory_create(struct memory *mem)
{
	memset(mem, 0, sizeof(*mem));
	mem->sink = aligned_alloc(4096, SINK_SIZE);
	mem->offered = malloc(SINK_SIZE);
	mem->source = aligned_alloc(4096, SOURCE_SIZE);
	mem->copy = malloc(SOURCE_SIZE);
	mem->scratch = aligned_alloc(4096, SCRATCH_SIZE);
	if (!mem->sink || !mem->offered || !mem->source || !mem->copy ||
	    !mem->scratch)
		return -1;
	memory_reset(mem);
	return 0;
}

/* Nothing is offered yet. */
void memory_reset(struct memory *mem)
{
	u32 i;

	for (i = 0; i < SINK_SIZE; i++)
		mem->sink[i] = pattern(i);
	for (i = 0; i < SOURCE_SIZE; i++)
		mem->source[i] = pattern(i);
	memset(mem->offered, 0, SINK_SIZE);
	memcpy(mem->copy, mem->source, SOURCE_SIZE);
	mem->next = 0;
}

int memory_register(struct memory *mem, struct ibv_pd *pd)
{
	const int both = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
			 IBV_ACCESS_REMOTE_WRITE;
	struct ibv_mr *mr = ibv_reg_mr(pd, mem->sink, 4096, both);

	if (!mr)
		return -1;
	mem->stale = mr->rkey;
	mem->sink_mr = ibv_reg_mr(pd, mem->sink, SINK_SIZE, both);
	mem->source_mr = ibv_reg_mr(pd, mem->source, SOURCE_SIZE,
				    IBV_ACCESS_REMOTE_READ);
	mem->scratch_mr = ibv_reg_mr(pd, mem->scratch, SCRATCH_SIZE,
				     IBV_ACCESS_LOCAL_WRITE);
	ibv_dereg_mr(mr);
	return mem->sink_mr && mem->source_mr && mem->scratch_mr ? 0 : -1;
}

void memory_unregister(struct memory *mem)
{
	if (mem->sink_mr)
		ibv_dereg_mr(mem->sink_mr);
	if (mem->source_mr)
		ibv_dereg_mr(mem->source_mr);
	if (mem->scratch_mr)
		ibv_dereg_mr(mem->scratch_mr);
	mem->sink_mr = NULL;
	mem->source_mr = NULL;
	mem->scratch_mr = NULL;
}

struct rpcrdma_segment memory_sink(struct memory *mem, u32 offset, u32 len)
{
	return (struct rpcrdma_segment) {
		.handle = mem->sink_mr->rkey,
		.length = len,
		.offset = (uintptr_t)mem->sink + offset,
	};
}

/* Copy @len bytes to where the server can read them. */
struct rpcrdma_segment memory_source(struct memory *mem, const void *data,
				     u32 len)
{
	u32 at = mem->next;

	if (len > SOURCE_SIZE - at)
		at = 0;
	mem->next = at + rpcrdma_xdr_align(len);
	memcpy(mem->source + at, data, len);
	memcpy(mem->copy + at, data, len);
	return (struct rpcrdma_segment) {
		.handle = mem->source_mr->rkey,
		.length = len,
		.offset = (uintptr_t)mem->source + at,
	};
}

static void offer(struct memory *mem, const struct rpcrdma_segment *seg)
{
	u64 base = (uintptr_t)mem->sink;
	u64 start, end;

	if (seg->handle != mem->sink_mr->rkey)
		return;
	start = seg->offset > base ? seg->offset : base;
	end = seg->offset + seg->length;
	if (end < seg->offset || end > base + SINK_SIZE)
		end = base + SINK_SIZE;
	if (start < end)
		memset(mem->offered + (start - base), 1, end - start);
}

/* A message with this header is about to be sent. */
void memory_offer(struct memory *mem, const struct rpcrdma_hdr *hdr)
{
	const struct rpcrdma_list *lists[] = { &hdr->writes, &hdr->reply };
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	u32 i, count;

	for (i = 0; i < 2; i++) {
		rpcrdma_chunks_begin(hdr, lists[i], &cur);
		while (rpcrdma_chunks_next(&cur, &count))
			while (rpcrdma_segments_next(&cur, &seg))
				offer(mem, &seg);
	}
}

/* Return: the name of memory that was written to but not offered, or NULL. */
const char *memory_check(const struct memory *mem)
{
	u32 i;

	for (i = 0; i < SINK_SIZE; i++)
		if (!mem->offered[i] && mem->sink[i] != pattern(i))
			return "memory was written to that was not offered";
	if (memcmp(mem->source, mem->copy, SOURCE_SIZE))
		return "memory was written to that is for reading";
	return NULL;
}
