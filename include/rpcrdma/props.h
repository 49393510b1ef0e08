/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Transport properties of RPC-over-RDMA version 2 (v2 draft section 4), and how
 * they change (Transport Characteristics draft section 4).
 */
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

/*
 * Sets of known properties. The values are ours and never on the wire;
 * rpcrdma_props_encode() sends properties in this order.
 */
enum rpcrdma_prop_mask {
	RPCRDMA_PROPS_RBSIZ		= 1u << 0,
	RPCRDMA_PROPS_BRS		= 1u << 1,
	RPCRDMA_PROPS_REMOTE_INV	= 1u << 2,
	RPCRDMA_PROPS_READ_REPLIES	= 1u << 3,
	RPCRDMA_PROPS_HTYPES		= 1u << 4,
	RPCRDMA_PROPS_NOCHANGE		= 1u << 5,
	RPCRDMA_PROPS_ALL		= (1u << 6) - 1,
};

/**
 * struct rpcrdma_props - transport properties of a peer
 * @recv_size: bytes; minimum size of its Receive buffers
 * @reverse: an enum rpcrdma2_rvreqsup
 * @remote_inv: 1 if, as a requester, it supports remote invalidation
 * @read_replies: 1 if it supports Read chunks that the responder provides, and
 *	RDMA2_DONE
 * @htypes: bit T is set if it supports the OPTIONAL header type T
 * @nochange: mask of enum rpcrdma_prop_mask: properties that will not change
 *	during the connection. If decoded from a message, these are the ones that
 *	it lists, and the ones that are not in it (v2 draft section 5.3.4).
 *
 * The members are in the order of enum rpcrdma_prop_mask.
 */
struct rpcrdma_props {
	u32 recv_size;
	u32 reverse;
	u32 remote_inv;
	u32 read_replies;
	u32 htypes;
	u32 nochange;
};

/**
 * rpcrdma_props_begin - set a cursor to the start of a property set
 * @hdr: decoded header; one without properties is like one with an empty set
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

u32 rpcrdma_prop_mask(u32 id);
void rpcrdma_props_default(struct rpcrdma_props *props);
int rpcrdma_prop_decode(struct rpcrdma_props *props,
			const struct rpcrdma_prop *prop);
int rpcrdma_props_decode(struct rpcrdma_props *props,
			 const struct rpcrdma_hdr *hdr);
void rpcrdma_props_encode(struct rpcrdma_encoder *enc,
			  const struct rpcrdma_props *props);
void rpcrdma_reqprop_encode(struct rpcrdma_encoder *enc,
			    const struct rpcrdma_props *props, u32 which);
void rpcrdma_updprop_encode(struct rpcrdma_encoder *enc,
			    const struct rpcrdma_props *props, u32 which,
			    bool pendclr);

#endif /* _RPCRDMA_PROPS_H */
