// SPDX-License-Identifier: GPL-2.0-only
/*
 * RDMA2_RESPROP: the answer to a request to change properties, as three subsets
 * of the properties that were requested (Transport Characteristics draft
 * section 4.3).
 */

#include <rpcrdma/codec.h>

/* The decoder has checked that the array lies in the message. */
static const u8 *rpcrdma_subset_get(struct rpcrdma_subset *subset, const u8 *p)
{
	subset->count = get_unaligned_be32(p);
	subset->words = p + RPCRDMA_XDR_UNIT;
	return subset->words + subset->count * RPCRDMA_XDR_UNIT;
}

/**
 * rpcrdma_resprop_get - get the subsets of an RDMA2_RESPROP
 * @resp: subsets to fill in; they point into the message
 * @hdr: decoded RDMA2_RESPROP
 *
 * Context: any.
 */
void rpcrdma_resprop_get(struct rpcrdma_resprop *resp,
			 const struct rpcrdma_hdr *hdr)
{
	const u8 *p = hdr->base + hdr->props_offset;

	p = rpcrdma_subset_get(&resp->done, p);
	p = rpcrdma_subset_get(&resp->rejected, p);
	rpcrdma_subset_get(&resp->pending, p);
}
EXPORT_SYMBOL_GPL(rpcrdma_resprop_get);

/* The bits of word @i that stand for the first @count properties */
static u32 rpcrdma_resprop_mask(u32 count, u32 i)
{
	if (count / RPCRDMA2_SUBSET_BITS > i)
		return ~0u;
	if (count / RPCRDMA2_SUBSET_BITS < i)
		return 0;
	return (1u << count % RPCRDMA2_SUBSET_BITS) - 1;
}

/* Words that the bits of @count properties take up */
static u32 rpcrdma_resprop_size(u32 count)
{
	return count / RPCRDMA2_SUBSET_BITS +
	       !!(count % RPCRDMA2_SUBSET_BITS);
}

/**
 * rpcrdma_resprop_covers - test whether the subsets cover a request
 * @resp: subsets from rpcrdma_resprop_get()
 * @count: number of properties in the request
 *
 * The cost is bounded by the length of the message.
 *
 * Context: any.
 * Return: true if each property of the request is in one subset, and no subset
 * contains anything else.
 */
bool rpcrdma_resprop_covers(const struct rpcrdma_resprop *resp, u32 count)
{
	u32 words = max3(resp->done.count, resp->rejected.count,
			 resp->pending.count);
	u32 i, done, rejected, pending;

	if (words < rpcrdma_resprop_size(count))
		return false;
	for (i = 0; i < words; i++) {
		done = rpcrdma_subset_word(&resp->done, i);
		rejected = rpcrdma_subset_word(&resp->rejected, i);
		pending = rpcrdma_subset_word(&resp->pending, i);
		if ((done & rejected) | (done & pending) | (rejected & pending) ||
		    (done | rejected | pending) != rpcrdma_resprop_mask(count, i))
			return false;
	}
	return true;
}
EXPORT_SYMBOL_GPL(rpcrdma_resprop_covers);

/* A subset of the first 32 properties; words of zeros at its end are left out */
static void rpcrdma_resprop_encode_one(struct rpcrdma_encoder *enc, u32 word)
{
	rpcrdma_encode_word(enc, !!word);
	if (word)
		rpcrdma_encode_word(enc, word);
}

/**
 * rpcrdma_resprop_encode - append the body of an RDMA2_RESPROP
 * @enc: encoder, with the prefix of the message written
 * @count: number of properties in the request
 * @done: bit N is set if property N has the requested value now
 * @pending: bit N is set if an RDMA2_UPDPROP will follow for property N
 *
 * All other properties of the request, and all beyond the first
 * RPCRDMA2_REQPROP_MAX, are rejected. So the subsets never overlap, and cover
 * any request.
 *
 * Transport Characteristics draft section 4.3.
 *
 * Context: any.
 */
void rpcrdma_resprop_encode(struct rpcrdma_encoder *enc, u32 count, u32 done,
			    u32 pending)
{
	u32 i, words = rpcrdma_resprop_size(count);

	done &= rpcrdma_resprop_mask(count, 0);
	pending &= rpcrdma_resprop_mask(count, 0) & ~done;
	rpcrdma_resprop_encode_one(enc, done);
	if (words == 1 && rpcrdma_resprop_mask(count, 0) == (done | pending))
		words = 0;
	rpcrdma_encode_word(enc, words);
	for (i = 0; i < words; i++)
		rpcrdma_encode_word(enc, rpcrdma_resprop_mask(count, i) &
					 ~(i ? 0 : done | pending));
	rpcrdma_resprop_encode_one(enc, pending);
}
EXPORT_SYMBOL_GPL(rpcrdma_resprop_encode);
