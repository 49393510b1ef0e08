/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Subsets of a property set: counted arrays of words, in which bit N mod 32 of
 * word N div 32 stands for property N of the set, counted from 0 (Transport
 * Characteristics draft section 2.1). An RDMA2_RESPROP has three of them.
 *
 * A subset may have any length: bits beyond its last word count as zero.
 */
#ifndef _RPCRDMA_SUBSET_H
#define _RPCRDMA_SUBSET_H

#include <rpcrdma/platform.h>
#include <rpcrdma/wire.h>
#include <rpcrdma/header.h>
#include <rpcrdma/encode.h>

/* Properties for which one word of a subset has bits */
#define RPCRDMA2_SUBSET_BITS	32u

/**
 * struct rpcrdma_subset - a subset in a decoded message
 * @words: in wire order; need not be aligned
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
 * @pending: properties about which an RDMA2_UPDPROP will follow
 *
 * Each refers to the properties of the RDMA2_REQPROP with the same XID.
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
 * @i: number of the word; any
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
 * @n: number of the property, counted from 0; any
 *
 * Context: any.
 * Return: true if it is.
 */
static inline bool rpcrdma_subset_has(const struct rpcrdma_subset *subset,
				      u32 n)
{
	return rpcrdma_subset_word(subset, n / RPCRDMA2_SUBSET_BITS) >>
	       n % RPCRDMA2_SUBSET_BITS & 1;
}

void rpcrdma_resprop_get(struct rpcrdma_resprop *resp,
			 const struct rpcrdma_hdr *hdr);
bool rpcrdma_resprop_covers(const struct rpcrdma_resprop *resp, u32 count);
void rpcrdma_resprop_encode(struct rpcrdma_encoder *enc, u32 count, u32 done,
			    u32 pending);

#endif /* _RPCRDMA_SUBSET_H */
