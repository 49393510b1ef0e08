/* SPDX-License-Identifier: GPL-2.0-only */
/* Transport properties of RPC-over-RDMA version 2 (v2 draft section 4). */
#ifndef _RPCRDMA_PROPS_H
#define _RPCRDMA_PROPS_H

#include <rpcrdma/platform.h>
#include <rpcrdma/wire.h>
#include <rpcrdma/header.h>
#include <rpcrdma/cursor.h>
#include <rpcrdma/encode.h>

/**
 * struct rpcrdma_prop - a property as encoded on the wire
 * @id: an enum rpcrdma2_propid, or an unknown number
 * @data: value
 * @len: bytes in @data; 0: the property has its default
 */
struct rpcrdma_prop {
	u32 id;
	const u8 *data;
	u32 len;
};

/**
 * struct rpcrdma_props - transport properties of a peer
 * @recv_size: bytes; minimum size of its Receive buffers
 * @reverse: an enum rpcrdma2_rvreqsup
 * @remote_inv: as a requester, it supports remote invalidation
 * @read_replies: it supports Read chunks that the responder provides, and
 *	RDMA2_DONE
 * @htypes: bit T is set if it supports the OPTIONAL header type T
 * @nochange: bit N is set if property N of the same message will not change
 */
struct rpcrdma_props {
	u32 recv_size;
	u32 reverse;
	bool remote_inv;
	bool read_replies;
	u32 htypes;
	u32 nochange;
};

/**
 * rpcrdma_props_begin - set a cursor to the start of a property set
 * @hdr: decoded RDMA2_CONNPROP
 * @cur: cursor to be set
 *
 * Context: any.
 */
static inline void rpcrdma_props_begin(const struct rpcrdma_hdr *hdr,
				       struct rpcrdma_cursor *cur)
{
	cur->p = hdr->base + hdr->props_offset;
	cur->chunks = 0;
	cur->segments = hdr->props_count;
}

/**
 * rpcrdma_props_next - get the next property of a set
 * @cur: cursor from rpcrdma_props_begin()
 * @prop: property to fill in
 *
 * Context: any.
 * Return: false at the end of the set.
 */
static inline bool rpcrdma_props_next(struct rpcrdma_cursor *cur,
				      struct rpcrdma_prop *prop)
{
	if (!cur->segments)
		return false;
	cur->segments--;
	prop->id = get_unaligned_be32(cur->p);
	prop->len = get_unaligned_be32(cur->p + 4);
	prop->data = cur->p + 2 * RPCRDMA_XDR_UNIT;
	cur->p = prop->data + rpcrdma_xdr_align(prop->len);
	return true;
}

void rpcrdma_props_default(struct rpcrdma_props *props);
int rpcrdma_props_decode(struct rpcrdma_props *props,
			 const struct rpcrdma_hdr *hdr);
void rpcrdma_props_encode(struct rpcrdma_encoder *enc,
			  const struct rpcrdma_props *props);

#endif /* _RPCRDMA_PROPS_H */
