// SPDX-License-Identifier: GPL-2.0-only
/* Cursors: walk the chunk lists of a view that was decoded successfully. */

#include <rpcrdma/codec.h>

static inline void read_segment(const u8 *p, struct rpcrdma_segment *seg)
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
void rpcrdma_reads_begin(const struct rpcrdma_hdr *hdr,
			 struct rpcrdma_cursor *cur)
{
	cur->p = hdr->base + hdr->reads.offset;
	cur->chunks = 0;
	cur->segments = hdr->reads.segments;
}
EXPORT_SYMBOL_GPL(rpcrdma_reads_begin);

/**
 * rpcrdma_reads_next - fetch the next entry of a Read list
 * @cur: cursor from rpcrdma_reads_begin()
 * @rseg: where the entry goes
 *
 * Entries come as they are on the wire: of a chunk, in order; chunks, in
 * whatever order the requester chose.
 *
 * Context: any.
 * Return: false at the end of the list.
 */
bool rpcrdma_reads_next(struct rpcrdma_cursor *cur,
			struct rpcrdma_read_segment *rseg)
{
	if (!cur->segments)
		return false;
	cur->segments--;
	rseg->position = get_unaligned_be32(cur->p + 4);
	read_segment(cur->p + 8, &rseg->seg);
	cur->p += RPCRDMA_READ_SEGMENT_SIZE;
	return true;
}
EXPORT_SYMBOL_GPL(rpcrdma_reads_next);

/**
 * rpcrdma_chunks_begin - set a cursor to the start of a Write list
 * @hdr: decoded header
 * @list: &hdr->writes, or &hdr->reply for the Reply chunk
 * @cur: cursor to be set
 *
 * Context: any.
 */
void rpcrdma_chunks_begin(const struct rpcrdma_hdr *hdr,
			  const struct rpcrdma_list *list,
			  struct rpcrdma_cursor *cur)
{
	cur->p = hdr->base + list->offset;
	cur->chunks = list->chunks;
	cur->segments = 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_chunks_begin);

/**
 * rpcrdma_chunks_next - enter the next chunk of a Write list
 * @cur: cursor from rpcrdma_chunks_begin()
 * @segcount: how many segments the chunk has; 0 is legal
 *
 * Segments that were not fetched of the chunk before it are skipped.
 *
 * Context: any.
 * Return: false at the end of the list.
 */
bool rpcrdma_chunks_next(struct rpcrdma_cursor *cur, u32 *segcount)
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
EXPORT_SYMBOL_GPL(rpcrdma_chunks_next);

/**
 * rpcrdma_segments_next - fetch the next segment of a chunk
 * @cur: cursor that rpcrdma_chunks_next() has put into a chunk
 * @seg: where the segment goes
 *
 * Context: any.
 * Return: false at the end of the chunk.
 */
bool rpcrdma_segments_next(struct rpcrdma_cursor *cur,
			   struct rpcrdma_segment *seg)
{
	if (!cur->segments)
		return false;
	cur->segments--;
	read_segment(cur->p, seg);
	cur->p += RPCRDMA_SEGMENT_SIZE;
	return true;
}
EXPORT_SYMBOL_GPL(rpcrdma_segments_next);
