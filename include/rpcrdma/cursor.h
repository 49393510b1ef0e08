/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cursors, which walk the chunk lists of a successfully decoded view.
 *
 * The decoder has checked every count, so nothing is checked here.
 */
#ifndef _RPCRDMA_CURSOR_H
#define _RPCRDMA_CURSOR_H

#include <rpcrdma/platform.h>
#include <rpcrdma/wire.h>
#include <rpcrdma/header.h>

/**
 * struct rpcrdma_cursor - a position in a decoded chunk list
 * @p: next byte to read
 * @chunks: remaining chunks of a Write list or Reply chunk
 * @segments: remaining segments of the current chunk or, for a Read list, of
 *	the list
 */
struct rpcrdma_cursor {
	const u8 *p;
	u32 chunks;
	u32 segments;
};

static inline void rpcrdma_get_segment(const u8 *p, struct rpcrdma_segment *seg)
{
	seg->handle = get_unaligned_be32(p);
	seg->length = get_unaligned_be32(p + 4);
	seg->offset = get_unaligned_be64(p + 8);
}

/**
 * rpcrdma_reads_begin - set a cursor to the start of the Read list
 * @hdr: decoded header
 * @cur: cursor to be set
 *
 * Context: any.
 */
static inline void rpcrdma_reads_begin(const struct rpcrdma_hdr *hdr,
				       struct rpcrdma_cursor *cur)
{
	cur->p = hdr->base + hdr->reads.offset;
	cur->segments = hdr->reads.segments;
}

/**
 * rpcrdma_reads_next - get the next entry of a Read list
 * @cur: cursor from rpcrdma_reads_begin()
 * @rseg: entry to fill in
 *
 * Entries are returned in wire order. The segments of a chunk are in sequence;
 * the chunks are in the order that the requester chose.
 *
 * Context: any.
 * Return: false at the end of the list.
 */
static inline bool rpcrdma_reads_next(struct rpcrdma_cursor *cur,
				      struct rpcrdma_read_segment *rseg)
{
	if (!cur->segments)
		return false;
	cur->segments--;
	rseg->position = get_unaligned_be32(cur->p + 4);
	rpcrdma_get_segment(cur->p + 8, &rseg->seg);
	cur->p += RPCRDMA_READ_SEGMENT_SIZE;
	return true;
}

/**
 * rpcrdma_chunks_begin - set a cursor to the start of a Write list
 * @hdr: decoded header
 * @list: &hdr->writes, or &hdr->reply for the Reply chunk
 * @cur: cursor to be set
 *
 * Context: any.
 */
static inline void rpcrdma_chunks_begin(const struct rpcrdma_hdr *hdr,
					const struct rpcrdma_list *list,
					struct rpcrdma_cursor *cur)
{
	cur->p = hdr->base + list->offset;
	cur->chunks = list->chunks;
	cur->segments = 0;
}

/**
 * rpcrdma_chunks_next - move to the next chunk of a Write list
 * @cur: cursor from rpcrdma_chunks_begin()
 * @segcount: number of segments in the chunk; 0 is legal
 *
 * Segments of the previous chunk that have not been read are skipped.
 *
 * Context: any.
 * Return: false at the end of the list.
 */
static inline bool rpcrdma_chunks_next(struct rpcrdma_cursor *cur,
				       u32 *segcount)
{
	cur->p += cur->segments * RPCRDMA_SEGMENT_SIZE;
	cur->segments = 0;
	if (!cur->chunks)
		return false;
	cur->chunks--;
	*segcount = get_unaligned_be32(cur->p + 4);
	cur->segments = *segcount;
	cur->p += 2 * RPCRDMA_XDR_UNIT;
	return true;
}

/**
 * rpcrdma_segments_next - get the next segment of a chunk
 * @cur: cursor that rpcrdma_chunks_next() has moved to a chunk
 * @seg: segment to fill in
 *
 * Context: any.
 * Return: false at the end of the chunk.
 */
static inline bool rpcrdma_segments_next(struct rpcrdma_cursor *cur,
					 struct rpcrdma_segment *seg)
{
	if (!cur->segments)
		return false;
	cur->segments--;
	rpcrdma_get_segment(cur->p, seg);
	cur->p += RPCRDMA_SEGMENT_SIZE;
	return true;
}

#endif /* _RPCRDMA_CURSOR_H */
