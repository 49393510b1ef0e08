// SPDX-License-Identifier: GPL-2.0-only
/*
 * RPC-over-RDMA version 2 (draft-cel-nfsv4-rpcrdma-version-two-09): decodes a
 * header into a view, in a single pass.
 */

#include "decode.h"
#include "lists.h"

/* Section 4.1, rpcrdma2_propval */
static void rpcrdma_v2_decode_propval(struct rpcrdma_words *in)
{
	rpcrdma_words_skip(in, RPCRDMA_XDR_UNIT);
	rpcrdma_words_skip_opaque(in, rpcrdma_words_get(in));
}

/* Section 4.1, rpcrdma2_propset: the body of RDMA2_CONNPROP and of RDMA2_REQPROP */
static void rpcrdma_v2_decode_propset(struct rpcrdma_hdr *hdr,
				      struct rpcrdma_words *in)
{
	u32 count = rpcrdma_words_get(in);

	hdr->props_offset = in->at;
	while (hdr->props_count < count && !in->bad) {
		rpcrdma_v2_decode_propval(in);
		hdr->props_count++;
	}
}

/* Transport Characteristics draft section 4.3: done, rejected and pending */
static void rpcrdma_v2_decode_resprop(struct rpcrdma_hdr *hdr,
				      struct rpcrdma_words *in)
{
	u32 i;

	hdr->props_offset = in->at;
	for (i = 0; i < 3; i++)
		rpcrdma_words_skip(in, (u64)rpcrdma_words_get(in) *
				       RPCRDMA_XDR_UNIT);
}

/* Transport Characteristics draft section 4.4: a property and a boolean */
static void rpcrdma_v2_decode_updprop(struct rpcrdma_hdr *hdr,
				      struct rpcrdma_words *in)
{
	hdr->props_offset = in->at;
	hdr->props_count = 1;
	rpcrdma_v2_decode_propval(in);
	in->bad |= rpcrdma_words_get(in) > 1;
}

/*
 * Some version 1 responders answer a version 2 message with an ERR_VERS in
 * version 1 format, which has no flags, but copy the version number 2 into it.
 * Decoded as version 2, the code ERR_VERS looks like RPCRDMA2_F_RESPONSE, and
 * the lowest supported version, 1, looks like RDMA2_ERR_VERS. Only the length
 * differs.
 */
static bool rpcrdma_is_v1_err_vers(const struct rpcrdma_hdr *hdr)
{
	const u8 *p = hdr->base + RPCRDMA_V1_FIXED_SIZE;

	return hdr->len == RPCRDMA_V1_ERR_VERS_SIZE &&
	       get_unaligned_be32(p) == RPCRDMA_ERR_VERS &&
	       get_unaligned_be32(p + 4) == RPCRDMA_VERSION_1;
}

/*
 * True for an RDMA2_MSG without chunks; @p points to its rdma_inv_handle. This
 * is by far the most frequent header, so it bypasses the list decoder.
 */
static inline bool rpcrdma_v2_is_plain(const struct rpcrdma_hdr *hdr, const u8 *p)
{
	if (hdr->type != RPCRDMA2_MSG ||
	    hdr->len < RPCRDMA2_MIN_SIZE + RPCRDMA_XDR_UNIT)
		return false;
	return !(get_unaligned_be64(p + 4) | get_unaligned_be32(p + 12));
}

/* Section 3.3, rpcrdma2_chunk_lists */
static int rpcrdma_v2_decode_lists(struct rpcrdma_hdr *hdr, const u8 *p)
{
	int ret;

	if (hdr->len < RPCRDMA2_MIN_SIZE)
		return RPCRDMA_ESHORT;
	hdr->inv_handle = get_unaligned_be32(p);
	ret = rpcrdma_decode_chunk_lists(hdr, p + RPCRDMA_XDR_UNIT);
	if (unlikely(ret))
		return ret;
	/* Section 5.3.1: rdma_rpc_first_word must be present. */
	if (hdr->type == RPCRDMA2_MSG &&
	    hdr->len - hdr->payload < RPCRDMA_XDR_UNIT)
		return RPCRDMA_ESHORT;
	return 0;
}

/* Decode the body of a message that concerns the connection, not an RPC. */
static int rpcrdma_v2_decode_control(struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_words in = {
		.base = hdr->base, .at = RPCRDMA2_PREFIX_SIZE, .end = hdr->len,
	};

	switch (hdr->type) {
	case RPCRDMA2_DONE:
		break;
	case RPCRDMA2_ERROR:
		return rpcrdma_error_decode(hdr, in.at);
	case RPCRDMA2_CONNPROP:
	case RPCRDMA2_REQPROP:
		rpcrdma_v2_decode_propset(hdr, &in);
		break;
	case RPCRDMA2_RESPROP:
		rpcrdma_v2_decode_resprop(hdr, &in);
		break;
	case RPCRDMA2_UPDPROP:
		rpcrdma_v2_decode_updprop(hdr, &in);
		break;
	default:
		return RPCRDMA_ETYPE;
	}
	if (in.bad)
		return RPCRDMA_EPROP;
	hdr->payload = hdr->len;
	return 0;
}

static int rpcrdma_v2_decode_body(struct rpcrdma_hdr *hdr)
{
	if (unlikely(hdr->len < RPCRDMA2_PREFIX_SIZE))
		return RPCRDMA_ESHORT;
	if (unlikely(hdr->type == RPCRDMA2_ERROR &&
		     rpcrdma_is_v1_err_vers(hdr)))
		return rpcrdma_error_decode(hdr, RPCRDMA_V1_FIXED_SIZE);
	hdr->flags = get_unaligned_be32(hdr->base + RPCRDMA_V1_FIXED_SIZE);
	if (likely(hdr->type <= RPCRDMA2_NOMSG))
		return rpcrdma_v2_decode_lists(hdr, hdr->base +
						    RPCRDMA2_PREFIX_SIZE);
	return rpcrdma_v2_decode_control(hdr);
}

/**
 * rpcrdma_decode_v2 - decode a version 2 transport header
 * @hdr: view to fill in; it points into @buf
 * @buf: received message
 * @len: bytes in @buf
 *
 * The counterpart of rpcrdma_decode(); v2 draft sections 3 and 5. Undefined
 * flags are ignored. An undefined error code is accepted, with no words after
 * it (the default arm of the union). The caller must handle such codes, and
 * refuse OPTIONAL types that it has not announced.
 *
 * Context: any.
 * Return: 0, RPCRDMA_ESHORT, RPCRDMA_EVERSION, RPCRDMA_ETYPE, RPCRDMA_ECHUNK or
 * RPCRDMA_EPROP.
 */
int rpcrdma_decode_v2(struct rpcrdma_hdr *hdr, const void *buf, u32 len)
{
	const u8 *p = buf;
	int ret;

	ret = rpcrdma_hdr_init(hdr, buf, len, RPCRDMA_VERSION_2);
	if (unlikely(ret))
		return ret;
	if (unlikely(!rpcrdma_v2_is_plain(hdr, p + RPCRDMA2_PREFIX_SIZE)))
		return rpcrdma_v2_decode_body(hdr);
	hdr->flags = get_unaligned_be32(p + RPCRDMA_V1_FIXED_SIZE);
	hdr->inv_handle = get_unaligned_be32(p + RPCRDMA2_PREFIX_SIZE);
	hdr->payload = RPCRDMA2_MIN_SIZE;
	return 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_decode_v2);
