// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the parts of a message with Read chunks belong in an XDR buffer.
 *
 * RFC 8166 section 3.4.5: a message is a stream of bytes. Its base is inline
 * or, in an RDMA_NOMSG, in the chunk at position zero. Every other chunk is
 * inserted at its position in the whole stream, and what follows it begins at
 * the next multiple of four. A payload that the peer has written into a Write
 * chunk leaves a gap in the base in the same way.
 *
 * All input comes from the peer. Chunks that do not fit together are an error.
 * A message that does not fit into the buffer is an error, or its rest is
 * dropped, as the owner of the buffer chooses.
 */

#include <linux/sunrpc/xdr.h>

#include "../../limits.h"
#include "pulled.h"

/**
 * xprt_rdma_layout_gap - add a gap in the base
 * @layout: layout; gaps are added in ascending order
 * @at: bytes from the start of the message
 * @length: bytes in the gap, without XDR roundup
 *
 * Context: any.
 * Return: 0, or -EBADMSG if there are too many gaps or they overlap.
 */
int xprt_rdma_layout_gap(struct xprt_rdma_layout *layout, u32 at, u32 length)
{
	struct xprt_rdma_gap *gap = &layout->gaps[layout->ngaps];
	u64 end = 0;

	if (layout->ngaps == XPRT_RDMA_GAPS || at % RPCRDMA_XDR_UNIT)
		return -EBADMSG;
	if (layout->ngaps)
		end = (u64)gap[-1].at + rpcrdma_xdr_align(gap[-1].length);
	if (at < end)
		return -EBADMSG;
	gap->at = at;
	gap->length = length;
	layout->ngaps++;
	return 0;
}

static int xprt_rdma_layout_add_chunk(struct xprt_rdma_layout *layout,
				      bool nomsg, u32 position, u64 length)
{
	/* A message is no longer than an XDR buffer can be. */
	if (length > U32_MAX - RPCRDMA_XDR_UNIT)
		return -EOVERFLOW;
	if (position)
		return xprt_rdma_layout_gap(layout, position, length);
	if (!nomsg || layout->base_len || layout->ngaps)
		return -EBADMSG;
	layout->base_len = rpcrdma_xdr_align(length);
	layout->base_pad = layout->base_len - length;
	return 0;
}

/**
 * xprt_rdma_layout_reads - make the layout of a message from its Read list
 * @layout: filled in
 * @hdr: decoded header of type MSG or NOMSG
 *
 * Context: any.
 * Return: 0; -EBADMSG if the chunks are not in ascending order, overlap or are
 * too many, or if there is no base, or more than one; -EOVERFLOW.
 */
int xprt_rdma_layout_reads(struct xprt_rdma_layout *layout,
			   const struct rpcrdma_hdr *hdr)
{
	bool more, nomsg = hdr->type == RPCRDMA_NOMSG;
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;
	u32 position;
	u64 length;
	int rc;

	memset(layout, 0, sizeof(*layout));
	layout->room = U32_MAX;
	if (!nomsg)
		layout->base_len = hdr->len - hdr->payload;
	rpcrdma_reads_begin(hdr, &cur);
	more = rpcrdma_reads_next(&cur, &rseg);
	while (more) {
		position = rseg.position;
		length = 0;
		do {
			length += rseg.seg.length;
			more = rpcrdma_reads_next(&cur, &rseg);
		} while (more && rseg.position == position);
		rc = xprt_rdma_layout_add_chunk(layout, nomsg, position,
						length);
		if (rc)
			return rc;
	}
	return layout->base_len ? 0 : -EBADMSG;
}

/**
 * xprt_rdma_layout_length - get the length of a message
 * @layout: layout with all its gaps
 *
 * Context: any.
 * Return: bytes; -EBADMSG if a gap begins beyond the end of the bytes before it;
 * -EOVERFLOW.
 */
int xprt_rdma_layout_length(const struct xprt_rdma_layout *layout)
{
	u64 total = layout->base_len;
	u32 i;

	for (i = 0; i < layout->ngaps; i++) {
		if (layout->gaps[i].at > total)
			return -EBADMSG;
		total += rpcrdma_xdr_align(layout->gaps[i].length);
	}
	return total > S32_MAX ? -EOVERFLOW : total;
}

/**
 * xprt_rdma_layout_base - find where a byte of the base belongs
 * @layout: layout that was checked
 * @offset: bytes from the start of the base
 * @room: set to the number of bytes of the base that follow without a gap
 *
 * Context: any.
 * Return: bytes from the start of the message.
 */
u32 xprt_rdma_layout_base(const struct xprt_rdma_layout *layout, u32 offset,
			  u32 *room)
{
	u32 i, at = offset;

	*room = layout->base_len - offset;
	for (i = 0; i < layout->ngaps; i++) {
		if (layout->gaps[i].at > at) {
			*room = min(*room, layout->gaps[i].at - at);
			break;
		}
		at += rpcrdma_xdr_align(layout->gaps[i].length);
	}
	return at;
}

/* Copy @bytes to @at, as far as there is room. */
static int xprt_rdma_layout_put(const struct xprt_rdma_layout *layout,
				const struct xdr_buf *xdr, u32 at,
				const void *bytes, u32 len)
{
	if (at >= layout->room)
		return 0;
	len = min(len, layout->room - at);
	return len ? write_bytes_to_xdr_buf(xdr, at, (void *)bytes, len) : 0;
}

/**
 * xprt_rdma_layout_place - copy an inline base, and XDR roundup, into the
 * buffer
 * @layout: layout whose length was checked
 * @xdr: buffer
 * @hdr: header of the message
 *
 * Context: any.
 * Return: 0, or -EOVERFLOW if the buffer is shorter than the layout says.
 */
int xprt_rdma_layout_place(const struct xprt_rdma_layout *layout,
			   const struct xdr_buf *xdr,
			   const struct rpcrdma_hdr *hdr)
{
	const void *base = hdr->type == RPCRDMA_MSG ? hdr->base + hdr->payload : NULL;
	static const u8 zeroes[RPCRDMA_XDR_UNIT];
	const struct xprt_rdma_gap *gap = layout->gaps;
	u32 at, len, offset;
	int rc = 0;

	for (; gap < layout->gaps + layout->ngaps; gap++)
		rc |= xprt_rdma_layout_put(layout, xdr, gap->at + gap->length, zeroes,
					   -gap->length & (RPCRDMA_XDR_UNIT - 1));
	at = xprt_rdma_layout_base(layout, layout->base_len - layout->base_pad,
				   &len);
	rc |= xprt_rdma_layout_put(layout, xdr, at, zeroes, layout->base_pad);
	for (offset = 0; base && offset < layout->base_len; offset += len) {
		at = xprt_rdma_layout_base(layout, offset, &len);
		rc |= xprt_rdma_layout_put(layout, xdr, at, base + offset, len);
	}
	return rc ? -EOVERFLOW : 0;
}
