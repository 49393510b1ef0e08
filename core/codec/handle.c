// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the handle that the receiver of a message may invalidate. In version 2,
 * the header names it (v2 draft section 3.3). Invalidating a handle that is in
 * no chunk would end the connection, so the chunks are searched.
 */

#include <rpcrdma/codec.h>
#include <rpcrdma/cursor.h>

/**
 * rpcrdma_reads_find_handle - look for a handle in the Read list
 * @hdr: decoded header
 * @wanted: handle to look for; 0: the first one
 *
 * Context: any.
 * Return: the handle, or 0 if it is not there.
 */
u32 rpcrdma_reads_find_handle(const struct rpcrdma_hdr *hdr, u32 wanted)
{
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;

	rpcrdma_reads_begin(hdr, &cur);
	while (rpcrdma_reads_next(&cur, &rseg))
		if (!wanted || rseg.seg.handle == wanted)
			return rseg.seg.handle;
	return 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_reads_find_handle);

/**
 * rpcrdma_find_handle - look for a handle in all chunks of a message
 * @hdr: decoded header
 * @wanted: handle to look for; 0: the first one
 *
 * Context: any.
 * Return: the handle, or 0 if it is not there.
 */
u32 rpcrdma_find_handle(const struct rpcrdma_hdr *hdr, u32 wanted)
{
	const struct rpcrdma_list *lists[] = { &hdr->writes, &hdr->reply };
	u32 i, count, handle = rpcrdma_reads_find_handle(hdr, wanted);
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;

	for (i = 0; !handle && i < ARRAY_SIZE(lists); i++) {
		rpcrdma_chunks_begin(hdr, lists[i], &cur);
		while (rpcrdma_chunks_next(&cur, &count))
			while (rpcrdma_segments_next(&cur, &seg))
				if (!wanted || seg.handle == wanted)
					return seg.handle;
	}
	return handle;
}
EXPORT_SYMBOL_GPL(rpcrdma_find_handle);
