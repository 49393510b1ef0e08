// SPDX-License-Identifier: GPL-2.0-only
/*
 * Computes where the parts of a message with Read chunks belong: calls that the
 * server reads, and replies and callbacks that the client reads.
 *
 * RFC 8166 section 3.4.5: a message is a stream of bytes. Its base is inline
 * or, in an RDMA_NOMSG, in the chunk at position zero. Every other chunk is
 * inserted at its position in the whole stream, which continues at the next
 * multiple of four. A payload that the peer has written to a Write chunk is
 * missing from the base in the same way.
 *
 * Operation: the chunks are sorted by position and checked. The owner of the
 * buffer then walks the segments in wire order with rpcrdma_layout_next(),
 * which computes where each belongs, and posts RDMA Reads, all together or in
 * rounds. Only an inline base is copied. Segments with the same position form
 * one chunk.
 *
 * Errors: all input comes from the peer. Chunks that overlap, or leave a gap,
 * are an error. If the buffer holds only a part of the message, the rest is
 * dropped.
 */

#include <linux/export.h>
#include <linux/sunrpc/xdr.h>

#include <rpcrdma/layout.h>

/**
 * rpcrdma_layout_add - add a chunk, or bytes of one, to a layout
 * @layout: layout
 * @position: bytes from the start of the message
 * @length: bytes, without XDR roundup; added to the chunk at the same position,
 *	if there is one
 * @max: maximum number of chunks, RPCRDMA_LAYOUT_CHUNKS or less
 *
 * Context: any.
 * Return: 0, or -E2BIG if there would be too many chunks.
 */
int rpcrdma_layout_add(struct rpcrdma_layout *layout, u32 position, u32 length,
		       u32 max)
{
	struct rpcrdma_layout_chunk *chunks = layout->chunks;
	u32 i = layout->nchunks;

	while (i > 0 && chunks[i - 1].position > position)
		i--;
	if (i > 0 && chunks[i - 1].position == position) {
		chunks[i - 1].length += length;
		return 0;
	}
	if (layout->nchunks == max)
		return -E2BIG;
	memmove(&chunks[i + 1], &chunks[i],
		(layout->nchunks - i) * sizeof(chunks[0]));
	chunks[i].position = position;
	chunks[i].length = length;
	layout->nchunks++;
	return 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_layout_add);

/* Add all Read segments, except for empty ones. */
static int rpcrdma_layout_collect(struct rpcrdma_layout *layout,
				  const struct rpcrdma_hdr *hdr, u32 max)
{
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;
	int ret = 0;

	rpcrdma_reads_begin(hdr, &cur);
	while (!ret && rpcrdma_reads_next(&cur, &rseg)) {
		if (rseg.position && rseg.seg.length)
			ret = rpcrdma_layout_add(layout, rseg.position,
						 rseg.seg.length, max);
		else
			layout->base.length += rseg.seg.length;
	}
	return ret;
}

/**
 * rpcrdma_layout_reads - build the layout of a message from its Read list
 * @layout: layout to fill in
 * @hdr: decoded header of type MSG or NOMSG. The decoder has checked that
 *	positions are multiples of four.
 * @max: maximum number of chunks, RPCRDMA_LAYOUT_CHUNKS or less
 *
 * An RDMA_MSG with a chunk at position zero is ambiguous: both its inline bytes
 * and the chunk would begin the message.
 *
 * Context: any.
 * Return: bytes in the message; -E2BIG if there are more than @max chunks;
 * -EOVERFLOW if the message is too long for an XDR buffer; -EBADMSG if there is
 * no base, or more than one, or if chunks overlap or leave a gap.
 */
int rpcrdma_layout_reads(struct rpcrdma_layout *layout,
			 const struct rpcrdma_hdr *hdr, u32 max)
{
	u32 *base = &layout->base.length;
	int ret;

	layout->start = 0;
	layout->end = U32_MAX;
	layout->base = (struct rpcrdma_layout_chunk){};
	layout->nchunks = 0;
	if (hdr->reads.bytes > S32_MAX)
		return -EOVERFLOW;
	ret = rpcrdma_layout_collect(layout, hdr, max);
	if (ret)
		return ret;
	layout->base_pad = -*base & (RPCRDMA_XDR_UNIT - 1);
	if (hdr->type == RPCRDMA_NOMSG)
		*base += layout->base_pad;
	else if (!*base)
		*base = hdr->len - hdr->payload;
	else
		return -EBADMSG;
	return *base ? rpcrdma_layout_length(layout) : -EBADMSG;
}
EXPORT_SYMBOL_GPL(rpcrdma_layout_reads);

/**
 * rpcrdma_layout_length - check a layout, and get the length of its message
 * @layout: layout with all its chunks
 *
 * Context: any.
 * Return: bytes, or a negative errno: see rpcrdma_layout_reads().
 */
int rpcrdma_layout_length(const struct rpcrdma_layout *layout)
{
	u32 i, end = 0, total = layout->base.length;

	for (i = 0; i < layout->nchunks; i++) {
		const struct rpcrdma_layout_chunk *chunk = &layout->chunks[i];

		if (chunk->position < end || chunk->position > total)
			return -EBADMSG;
		end = chunk->position + rpcrdma_xdr_align(chunk->length);
		total += rpcrdma_xdr_align(chunk->length);
	}
	return total > S32_MAX ? -EOVERFLOW : total;
}
EXPORT_SYMBOL_GPL(rpcrdma_layout_length);

/*
 * Returns where byte @offset of the base belongs in the message. Sets @room to
 * the number of bytes of the base that follow without a gap.
 */
static u32 rpcrdma_layout_base(const struct rpcrdma_layout *layout, u32 offset,
			       u32 *room)
{
	u32 i, at = offset;

	*room = layout->base.length - offset;
	for (i = 0; i < layout->nchunks; i++) {
		if (layout->chunks[i].position > at) {
			*room = min(*room, layout->chunks[i].position - at);
			break;
		}
		at += rpcrdma_xdr_align(layout->chunks[i].length);
	}
	return at;
}

/* Copy @bytes to @at, except for those that are outside of the buffer. */
static int rpcrdma_layout_put(const struct rpcrdma_layout *layout,
			      const struct xdr_buf *xdr, u32 at,
			      const void *bytes, u32 len)
{
	u32 from = clamp(at, layout->start, layout->end);
	u32 to = clamp(at + len, layout->start, layout->end);

	if (from == to)
		return 0;
	return write_bytes_to_xdr_buf(xdr, from - layout->start,
				      (void *)bytes + (from - at), to - from);
}

/**
 * rpcrdma_layout_copy - copy the inline base and XDR roundup to the buffer
 * @layout: checked layout
 * @xdr: buffer
 * @hdr: header of the message
 *
 * Context: any.
 * Return: 0, or -EOVERFLOW if the buffer is shorter than @layout assumes.
 */
int rpcrdma_layout_copy(const struct rpcrdma_layout *layout,
			const struct xdr_buf *xdr, const struct rpcrdma_hdr *hdr)
{
	const void *base = hdr->type == RPCRDMA_MSG ? hdr->base + hdr->payload : NULL;
	static const u8 zeroes[RPCRDMA_XDR_UNIT];
	const struct rpcrdma_layout_chunk *chunk = layout->chunks;
	u32 at, len, offset;
	int ret = 0;

	for (; chunk < layout->chunks + layout->nchunks; chunk++)
		ret |= rpcrdma_layout_put(layout, xdr, chunk->position + chunk->length,
					  zeroes, -chunk->length & (RPCRDMA_XDR_UNIT - 1));
	at = rpcrdma_layout_base(layout, layout->base.length - layout->base_pad,
				 &len);
	ret |= rpcrdma_layout_put(layout, xdr, at, zeroes, layout->base_pad);
	for (offset = 0; base && offset < layout->base.length; offset += len) {
		at = rpcrdma_layout_base(layout, offset, &len);
		ret |= rpcrdma_layout_put(layout, xdr, at, base + offset, len);
	}
	return ret ? -EOVERFLOW : 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_layout_copy);

/**
 * rpcrdma_layout_begin - go to the start of the Read list
 * @layout: checked layout
 * @hdr: header of the message, which must stay valid until the end of the list
 *	is reached
 *
 * Context: any.
 */
void rpcrdma_layout_begin(struct rpcrdma_layout *layout,
			  const struct rpcrdma_hdr *hdr)
{
	u32 i;

	rpcrdma_reads_begin(hdr, &layout->cur);
	layout->rseg.seg.length = 0;
	layout->base.done = 0;
	for (i = 0; i < layout->nchunks; i++)
		layout->chunks[i].done = 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_layout_begin);

/* Returns the chunk, or the base, that the current segment belongs to. */
static struct rpcrdma_layout_chunk *
rpcrdma_layout_current(struct rpcrdma_layout *layout)
{
	struct rpcrdma_layout_chunk *chunk = layout->chunks;

	if (!layout->rseg.position)
		return &layout->base;
	while (chunk->position != layout->rseg.position)
		chunk++;
	return chunk;
}

/*
 * Sets @at to where the next byte of the current segment belongs in the
 * message. Returns the number of bytes of the segment that belong there without
 * a gap; 0 if the buffer ends before @at.
 */
static u32 rpcrdma_layout_place(struct rpcrdma_layout *layout, u32 *at)
{
	const struct rpcrdma_layout_chunk *chunk = rpcrdma_layout_current(layout);
	u32 room = U32_MAX;

	*at = chunk->position + chunk->done;
	if (chunk == &layout->base)
		*at = rpcrdma_layout_base(layout, chunk->done, &room);
	if (*at >= layout->end)
		return 0;
	return min3(room, layout->rseg.seg.length, layout->end - *at);
}

/**
 * rpcrdma_layout_next - go to the next segment that has bytes left
 * @layout: layout after rpcrdma_layout_begin(); @rseg is set to the segment
 * @at: set to where these bytes belong, in bytes from the start of the buffer
 * @room: set to the number of bytes of the segment that belong there without a gap,
 *	at least 1
 *
 * Bytes beyond the end of the buffer are skipped. None belong before its start.
 *
 * Context: any.
 * Return: false at the end of the list.
 */
bool rpcrdma_layout_next(struct rpcrdma_layout *layout, u32 *at, u32 *room)
{
	struct rpcrdma_segment *seg = &layout->rseg.seg;

	for (;; rpcrdma_layout_advance(layout, seg->length)) {
		while (!seg->length)
			if (!rpcrdma_reads_next(&layout->cur, &layout->rseg))
				return false;
		*room = rpcrdma_layout_place(layout, at);
		if (*room)
			break;
	}
	*at -= layout->start;
	return true;
}
EXPORT_SYMBOL_GPL(rpcrdma_layout_next);

/**
 * rpcrdma_layout_advance - account for a Read of the current segment
 * @layout: layout
 * @bytes: bytes that the Read moves
 *
 * Context: any.
 */
void rpcrdma_layout_advance(struct rpcrdma_layout *layout, u32 bytes)
{
	struct rpcrdma_segment *seg = &layout->rseg.seg;

	rpcrdma_layout_current(layout)->done += bytes;
	seg->length -= bytes;
	seg->offset += bytes;
}
EXPORT_SYMBOL_GPL(rpcrdma_layout_advance);
