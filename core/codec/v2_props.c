// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transport properties of RPC-over-RDMA version 2 (v2 draft section 4). Decodes
 * property sets and single properties into struct rpcrdma_props, and encodes
 * them. Decodes and encodes answers to requests that change properties.
 *
 * Unknown properties are skipped. A property without a value takes its default.
 * A value that is too short, too long or out of range for its type is an error,
 * and changes nothing.
 */

#include <rpcrdma/codec.h>

/*
 * Known properties, indexed by their bit in enum rpcrdma_prop_mask. @def and
 * @max apply to properties whose value is a single number.
 */
static const struct {
	u32 id;
	u32 def;
	u32 max;
} rpcrdma_prop_types[] = {
	{ RPCRDMA2_PROP_RBSIZ, RPCRDMA2_INLINE_DEFAULT, ~0u },
	{ RPCRDMA2_PROP_BRS, RPCRDMA2_RVREQSUP_INLINE, RPCRDMA2_RVREQSUP_GENL },
	{ RPCRDMA2_PROP_REMOTE_INV, 0, 1 },
	{ RPCRDMA2_PROP_READ_REPLIES, 0, 1 },
	{ RPCRDMA2_PROP_HTYPES, 0, 0 },
	{ RPCRDMA2_PROP_NOCHANGE, 0, 0 },
};

#define PROP_TYPES	ARRAY_SIZE(rpcrdma_prop_types)
/* All but RPCRDMA2_PROP_NOCHANGE have an element in @values. */
#define PROP_VALUES	(PROP_TYPES - 1)

static bool rpcrdma_prop_get_number(const struct rpcrdma_prop *prop, u32 max,
				    u32 *val)
{
	u32 word;

	if (prop->len != RPCRDMA_XDR_UNIT)
		return false;
	word = get_unaligned_be32(prop->data);
	if (word > max)
		return false;
	*val = word;
	return true;
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

/* An rpcrdma2_propsubset, which selects properties of the same message */
static bool rpcrdma_prop_get_subset(const struct rpcrdma_prop *prop,
				    struct rpcrdma_subset *subset)
{
	if (prop->len < RPCRDMA_XDR_UNIT || prop->len % RPCRDMA_XDR_UNIT)
		return false;
	subset->count = get_unaligned_be32(prop->data);
	subset->words = prop->data + RPCRDMA_XDR_UNIT;
	return subset->count == prop->len / RPCRDMA_XDR_UNIT - 1;
}

/**
 * rpcrdma_props_default - get the properties of a peer that has sent none
 * @props: properties to fill in
 *
 * v2 draft section 4.2.
 *
 * Context: any.
 */
void rpcrdma_props_default(struct rpcrdma_props *props)
{
	u32 i;

	for (i = 0; i < PROP_VALUES; i++)
		props->values[i] = rpcrdma_prop_types[i].def;
	props->nochange = 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_props_default);

static bool rpcrdma_prop_get(struct rpcrdma_props *props,
			     const struct rpcrdma_prop *prop, u32 i)
{
	struct rpcrdma_subset subset;

	switch (prop->id) {
	case RPCRDMA2_PROP_HTYPES:
		return rpcrdma_prop_get_htypes(prop, &props->htypes);
	case RPCRDMA2_PROP_NOCHANGE:
		return rpcrdma_prop_get_subset(prop, &subset);
	default:
		return rpcrdma_prop_get_number(prop, rpcrdma_prop_types[i].max,
					       &props->values[i]);
	}
}

/**
 * rpcrdma_prop_decode - decode one property
 * @props: properties to update; unchanged if @prop is unknown or malformed
 * @prop: property from rpcrdma_props_next()
 *
 * RPCRDMA2_PROP_NOCHANGE is validated but not stored: it has a meaning only in
 * an RDMA2_CONNPROP, together with the properties it refers to. v2 draft
 * section 4.1.
 *
 * Context: any.
 * Return: the property, as an enum rpcrdma_prop_mask; 0 if it is unknown;
 * RPCRDMA_EPROP if its value is malformed.
 */
int rpcrdma_prop_decode(struct rpcrdma_props *props,
			const struct rpcrdma_prop *prop)
{
	u32 i = 0;

	while (rpcrdma_prop_types[i].id != prop->id)
		if (++i == PROP_TYPES)
			return 0;
	/* v2 draft section 4.1: without a value, the default applies. */
	if (!prop->len && i < PROP_VALUES)
		props->values[i] = rpcrdma_prop_types[i].def;
	else if (prop->len && !rpcrdma_prop_get(props, prop, i))
		return RPCRDMA_EPROP;
	return 1u << i;
}
EXPORT_SYMBOL_GPL(rpcrdma_prop_decode);

/* Returns the last RPCRDMA2_PROP_NOCHANGE of a message, or an empty subset. */
static struct rpcrdma_subset
rpcrdma_props_get_nochange(const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_subset subset = {};
	struct rpcrdma_prop prop;
	struct rpcrdma_cursor cur;

	rpcrdma_props_begin(hdr, &cur);
	while (rpcrdma_props_next(&cur, &prop))
		if (prop.id == RPCRDMA2_PROP_NOCHANGE &&
		    !rpcrdma_prop_get_subset(&prop, &subset))
			subset.count = 0;
	return subset;
}

/**
 * rpcrdma_props_decode - decode the properties of an RDMA2_CONNPROP
 * @props: properties to fill in; those missing from the message get their
 *	defaults
 * @hdr: decoded header
 *
 * If a property occurs twice, the last value wins (v2 draft section 4.1).
 * Properties that are missing from the message must not change later (section
 * 5.3.4).
 *
 * Context: any.
 * Return: 0, or RPCRDMA_EPROP if the value of a known property is malformed.
 */
int rpcrdma_props_decode(struct rpcrdma_props *props,
			 const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_subset nochange = rpcrdma_props_get_nochange(hdr);
	struct rpcrdma_prop prop;
	struct rpcrdma_cursor cur;
	int which;
	u32 i;

	rpcrdma_props_default(props);
	props->nochange = RPCRDMA_PROPS_ALL;
	rpcrdma_props_begin(hdr, &cur);
	for (i = 0; rpcrdma_props_next(&cur, &prop); i++) {
		which = rpcrdma_prop_decode(props, &prop);
		if (which < 0)
			return RPCRDMA_EPROP;
		if (rpcrdma_subset_has(&nochange, i))
			props->nochange |= which;
		else
			props->nochange &= ~which;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_props_decode);

/**
 * rpcrdma_prop_encode - append a property whose value is a single number
 * @enc: encoder
 * @id: an enum rpcrdma2_propid
 * @val: its value
 *
 * v2 draft section 4.1.
 *
 * Context: any.
 */
void rpcrdma_prop_encode(struct rpcrdma_encoder *enc, u32 id, u32 val)
{
	rpcrdma_encode_word(enc, id);
	rpcrdma_encode_word(enc, RPCRDMA_XDR_UNIT);
	rpcrdma_encode_word(enc, val);
}
EXPORT_SYMBOL_GPL(rpcrdma_prop_encode);

/*
 * Append a property whose value is a counted array of one word: four opaque
 * octets, or one word of a subset.
 */
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
 * @enc: encoder that has written the prefix of the message
 * @props: properties to send
 *
 * All known properties are sent, because a property that is not sent must not
 * change later. They are in the order of enum rpcrdma_prop_mask, so
 * @props->nochange is also the subset to send.
 *
 * v2 draft section 5.3.4; Transport Characteristics draft section 4.1.
 *
 * Context: any.
 */
void rpcrdma_props_encode(struct rpcrdma_encoder *enc,
			  const struct rpcrdma_props *props)
{
	u32 i;

	rpcrdma_encode_word(enc, PROP_TYPES);
	for (i = 0; rpcrdma_prop_types[i].id != RPCRDMA2_PROP_HTYPES; i++)
		rpcrdma_prop_encode(enc, rpcrdma_prop_types[i].id,
				    props->values[i]);
	rpcrdma_prop_encode_array(enc, RPCRDMA2_PROP_HTYPES,
				  sizeof(props->htypes),
				  __builtin_bswap32(props->htypes));
	rpcrdma_prop_encode_array(enc, RPCRDMA2_PROP_NOCHANGE, 1,
				  props->nochange);
}
EXPORT_SYMBOL_GPL(rpcrdma_props_encode);

/* The decoder has checked that the array is within the message. */
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

/**
 * rpcrdma_subset_is - compare a subset with a set of properties
 * @subset: subset of a decoded message
 * @bits: bit mask of properties, from the first 32
 *
 * Context: any.
 * Return: true if the subset contains exactly the properties in @bits.
 */
bool rpcrdma_subset_is(const struct rpcrdma_subset *subset, u32 bits)
{
	u32 i;

	for (i = 1; i < subset->count; i++)
		if (rpcrdma_subset_word(subset, i))
			return false;
	return rpcrdma_subset_word(subset, 0) == bits;
}
EXPORT_SYMBOL_GPL(rpcrdma_subset_is);

/* Append a subset of the first 32 properties. A word of zeros is omitted. */
static void rpcrdma_subset_encode(struct rpcrdma_encoder *enc, u32 bits)
{
	rpcrdma_encode_word(enc, !!bits);
	if (bits)
		rpcrdma_encode_word(enc, bits);
}

/**
 * rpcrdma_resprop_encode - append the body of an RDMA2_RESPROP
 * @enc: encoder that has written the prefix of the message
 * @count: number of properties in the request, RPCRDMA2_REQPROP_MAX or less
 * @done: bit N is set if property N has the requested value now
 * @pending: bit N is set if an RDMA2_UPDPROP will follow for property N
 *
 * All other properties of the request are rejected, so the three subsets
 * together cover the request.
 *
 * Transport Characteristics draft section 4.3.
 *
 * Context: any.
 */
void rpcrdma_resprop_encode(struct rpcrdma_encoder *enc, u32 count, u32 done,
			    u32 pending)
{
	u32 all = (1ull << count) - 1;

	rpcrdma_subset_encode(enc, done);
	rpcrdma_subset_encode(enc, all & ~(done | pending));
	rpcrdma_subset_encode(enc, pending);
}
EXPORT_SYMBOL_GPL(rpcrdma_resprop_encode);
