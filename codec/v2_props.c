// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transport properties of RPC-over-RDMA version 2: decodes a property set into
 * struct rpcrdma_props, and encodes one.
 *
 * v2 draft section 4. Unknown properties are skipped. A property without a
 * value has its default. A value that is too short, too long or out of range
 * for its type is an error.
 */

#include <rpcrdma/codec.h>

static bool rpcrdma_prop_get_u32(const struct rpcrdma_prop *prop, u32 *val)
{
	if (prop->len != RPCRDMA_XDR_UNIT)
		return false;
	*val = get_unaligned_be32(prop->data);
	return true;
}

static bool rpcrdma_prop_get_bool(const struct rpcrdma_prop *prop, bool *val)
{
	u32 word;

	if (!rpcrdma_prop_get_u32(prop, &word) || word > 1)
		return false;
	*val = word;
	return true;
}

static bool rpcrdma_prop_get_reverse(const struct rpcrdma_prop *prop, u32 *val)
{
	return rpcrdma_prop_get_u32(prop, val) &&
	       *val <= RPCRDMA2_RVREQSUP_GENL;
}

/* An opaque array: bit T mod 8 of octet T div 8 stands for header type T. */
static bool rpcrdma_prop_get_htypes(const struct rpcrdma_prop *prop, u32 *val)
{
	u32 i, len;

	if (prop->len < RPCRDMA_XDR_UNIT)
		return false;
	len = get_unaligned_be32(prop->data);
	if (len > prop->len ||
	    prop->len != RPCRDMA_XDR_UNIT + rpcrdma_xdr_align(len))
		return false;
	*val = 0;
	for (i = 0; i < len && i < sizeof(*val); i++)
		*val |= (u32)prop->data[RPCRDMA_XDR_UNIT + i] << (8 * i);
	return true;
}

/* An rpcrdma2_propsubset: only the first word of the array is used. */
static bool rpcrdma_prop_get_nochange(const struct rpcrdma_prop *prop, u32 *val)
{
	u32 words;

	if (prop->len < RPCRDMA_XDR_UNIT || prop->len % RPCRDMA_XDR_UNIT)
		return false;
	words = get_unaligned_be32(prop->data);
	if (words != prop->len / RPCRDMA_XDR_UNIT - 1)
		return false;
	*val = words ? get_unaligned_be32(prop->data + RPCRDMA_XDR_UNIT) : 0;
	return true;
}

/**
 * rpcrdma_props_default - the properties of a peer that has sent none
 * @props: properties to fill in
 *
 * v2 draft section 4.2.
 *
 * Context: any.
 */
void rpcrdma_props_default(struct rpcrdma_props *props)
{
	memset(props, 0, sizeof(*props));
	props->recv_size = RPCRDMA2_INLINE_DEFAULT;
	props->reverse = RPCRDMA2_RVREQSUP_INLINE;
}
EXPORT_SYMBOL_GPL(rpcrdma_props_default);

/* v2 draft section 4.1: a property without a value has its default. */
static void rpcrdma_prop_set_default(struct rpcrdma_props *props, u32 id)
{
	struct rpcrdma_props def;

	rpcrdma_props_default(&def);
	switch (id) {
	case RPCRDMA2_PROP_RBSIZ:
		props->recv_size = def.recv_size;
		break;
	case RPCRDMA2_PROP_BRS:
		props->reverse = def.reverse;
		break;
	case RPCRDMA2_PROP_REMOTE_INV:
		props->remote_inv = def.remote_inv;
		break;
	case RPCRDMA2_PROP_READ_REPLIES:
		props->read_replies = def.read_replies;
		break;
	case RPCRDMA2_PROP_HTYPES:
		props->htypes = def.htypes;
		break;
	case RPCRDMA2_PROP_NOCHANGE:
		props->nochange = def.nochange;
		break;
	}
}

static bool rpcrdma_prop_decode(struct rpcrdma_props *props,
				const struct rpcrdma_prop *prop)
{
	if (!prop->len) {
		rpcrdma_prop_set_default(props, prop->id);
		return true;
	}
	switch (prop->id) {
	case RPCRDMA2_PROP_RBSIZ:
		return rpcrdma_prop_get_u32(prop, &props->recv_size);
	case RPCRDMA2_PROP_BRS:
		return rpcrdma_prop_get_reverse(prop, &props->reverse);
	case RPCRDMA2_PROP_REMOTE_INV:
		return rpcrdma_prop_get_bool(prop, &props->remote_inv);
	case RPCRDMA2_PROP_READ_REPLIES:
		return rpcrdma_prop_get_bool(prop, &props->read_replies);
	case RPCRDMA2_PROP_HTYPES:
		return rpcrdma_prop_get_htypes(prop, &props->htypes);
	case RPCRDMA2_PROP_NOCHANGE:
		return rpcrdma_prop_get_nochange(prop, &props->nochange);
	default:
		return true;
	}
}

/**
 * rpcrdma_props_decode - decode the properties of an RDMA2_CONNPROP
 * @props: properties to fill in; those not in the message have their defaults
 * @hdr: decoded header
 *
 * If a property occurs twice, the last one counts. v2 draft section 4.1.
 *
 * Context: any.
 * Return: 0, or RPCRDMA_EPROP if the value of a known property is malformed.
 */
int rpcrdma_props_decode(struct rpcrdma_props *props,
			 const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_prop prop;
	struct rpcrdma_cursor cur;

	rpcrdma_props_default(props);
	rpcrdma_props_begin(hdr, &cur);
	while (rpcrdma_props_next(&cur, &prop))
		if (!rpcrdma_prop_decode(props, &prop))
			return RPCRDMA_EPROP;
	return 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_props_decode);

static void rpcrdma_prop_encode_u32(struct rpcrdma_encoder *enc, u32 id,
				    u32 val)
{
	rpcrdma_encode_word(enc, id);
	rpcrdma_encode_word(enc, RPCRDMA_XDR_UNIT);
	rpcrdma_encode_word(enc, val);
}

/* A counted array of one word: four opaque octets, or one word of a subset */
static void rpcrdma_prop_encode_array(struct rpcrdma_encoder *enc, u32 id,
				      u32 count, u32 val)
{
	rpcrdma_encode_word(enc, id);
	rpcrdma_encode_word(enc, 2 * RPCRDMA_XDR_UNIT);
	rpcrdma_encode_word(enc, count);
	rpcrdma_encode_word(enc, val);
}

/**
 * rpcrdma_props_encode - append the body of an RDMA2_CONNPROP
 * @enc: encoder, with the prefix of the message written
 * @props: properties to send; those that have their default are left out
 *
 * v2 draft section 5.3.4.
 *
 * Context: any.
 */
void rpcrdma_props_encode(struct rpcrdma_encoder *enc,
			  const struct rpcrdma_props *props)
{
	struct rpcrdma_props def;

	rpcrdma_props_default(&def);
	rpcrdma_encode_word(enc, (props->recv_size != def.recv_size) +
				 (props->reverse != def.reverse) +
				 props->remote_inv + props->read_replies +
				 !!props->htypes + !!props->nochange);
	if (props->recv_size != def.recv_size)
		rpcrdma_prop_encode_u32(enc, RPCRDMA2_PROP_RBSIZ,
					props->recv_size);
	if (props->reverse != def.reverse)
		rpcrdma_prop_encode_u32(enc, RPCRDMA2_PROP_BRS, props->reverse);
	if (props->remote_inv)
		rpcrdma_prop_encode_u32(enc, RPCRDMA2_PROP_REMOTE_INV, 1);
	if (props->read_replies)
		rpcrdma_prop_encode_u32(enc, RPCRDMA2_PROP_READ_REPLIES, 1);
	if (props->htypes)
		rpcrdma_prop_encode_array(enc, RPCRDMA2_PROP_HTYPES,
					  sizeof(props->htypes),
					  __builtin_bswap32(props->htypes));
	if (props->nochange)
		rpcrdma_prop_encode_array(enc, RPCRDMA2_PROP_NOCHANGE, 1,
					  props->nochange);
}
EXPORT_SYMBOL_GPL(rpcrdma_props_encode);
