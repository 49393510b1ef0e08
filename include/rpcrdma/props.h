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
 * Bits for sets of known properties. The values are internal;
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
 * @remote_inv: 1 if it supports remote invalidation as a requester
 * @read_replies: 1 if it supports Read chunks that the responder provides, and
 *	RDMA2_DONE
 * @htypes: bit T is set if it supports the OPTIONAL header type T
 * @nochange: mask of enum rpcrdma_prop_mask: properties that will not change
 *	during the connection. If decoded from a message, these are the
 *	properties that it lists as unchanging, and those that it does not
 *	contain (v2 draft section 5.3.4).
 * @values: all properties but @nochange, indexed by their bits in enum
 *	rpcrdma_prop_mask
 */
struct rpcrdma_props {
	union {
		struct {
			u32 recv_size;
			u32 reverse;
			u32 remote_inv;
			u32 read_replies;
			u32 htypes;
		};
		u32 values[5];
	};
	u32 nochange;
};

/**
 * rpcrdma_props_begin - set a cursor to the start of a property set
 * @hdr: decoded header; one without properties has an empty set
 * @cur: cursor to be set
 *
 * Context: any.
 */
static inline void rpcrdma_props_begin(const struct rpcrdma_hdr *hdr,
				       struct rpcrdma_cursor *cur)
{
	cur->p = hdr->base + hdr->props_offset;
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

/*
 * Subsets of a property set: counted arrays of words, in which bit N mod 32 of
 * word N div 32 stands for property N of the set, counted from 0 (Transport
 * Characteristics draft section 2.1). An RDMA2_RESPROP has three of them. A
 * subset may have any length: bits beyond its last word count as zero.
 */

/* Number of properties per word of a subset */
#define RPCRDMA2_SUBSET_BITS	32u

/**
 * struct rpcrdma_subset - a subset in a decoded message
 * @words: the words in wire order; need not be aligned
 * @count: number of words
 */
struct rpcrdma_subset {
	const u8 *words;
	u32 count;
};

/**
 * struct rpcrdma_resprop - answer to a request to change properties
 * @done: properties that have the requested value now
 * @rejected: properties that will not be changed
 * @pending: properties for which an RDMA2_UPDPROP will follow
 *
 * Each subset refers to the properties of the RDMA2_REQPROP with the same XID.
 * Transport Characteristics draft section 4.3.
 */
struct rpcrdma_resprop {
	struct rpcrdma_subset done;
	struct rpcrdma_subset rejected;
	struct rpcrdma_subset pending;
};

/**
 * rpcrdma_subset_word - get a word of a subset
 * @subset: subset of a decoded message
 * @i: number of the word; may be beyond the end
 *
 * Context: any.
 * Return: the word; 0 if the subset is shorter.
 */
static inline u32 rpcrdma_subset_word(const struct rpcrdma_subset *subset,
				      u32 i)
{
	if (i >= subset->count)
		return 0;
	return get_unaligned_be32(subset->words + i * RPCRDMA_XDR_UNIT);
}

/**
 * rpcrdma_subset_has - test whether a property is in a subset
 * @subset: subset of a decoded message
 * @n: number of the property, counted from 0; may be beyond the end
 *
 * Context: any.
 * Return: true if the property is in the subset.
 */
static inline bool rpcrdma_subset_has(const struct rpcrdma_subset *subset,
				      u32 n)
{
	return rpcrdma_subset_word(subset, n / RPCRDMA2_SUBSET_BITS) >>
	       n % RPCRDMA2_SUBSET_BITS & 1;
}

/* v2_props.c */
void rpcrdma_props_default(struct rpcrdma_props *props);
int rpcrdma_prop_decode(struct rpcrdma_props *props,
			const struct rpcrdma_prop *prop);
int rpcrdma_props_decode(struct rpcrdma_props *props,
			 const struct rpcrdma_hdr *hdr);
void rpcrdma_props_encode(struct rpcrdma_encoder *enc,
			  const struct rpcrdma_props *props);
void rpcrdma_prop_encode(struct rpcrdma_encoder *enc, u32 id, u32 val);
void rpcrdma_resprop_get(struct rpcrdma_resprop *resp,
			 const struct rpcrdma_hdr *hdr);
bool rpcrdma_subset_is(const struct rpcrdma_subset *subset, u32 bits);
void rpcrdma_resprop_encode(struct rpcrdma_encoder *enc, u32 count, u32 done,
			    u32 pending);

#endif /* _RPCRDMA_PROPS_H */
