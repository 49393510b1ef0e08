// SPDX-License-Identifier: GPL-2.0-only
/* The project's codec, driven from and into the neutral form. */

#include <arpa/inet.h>

#include <rpcrdma/codec.h>

#include "model.h"

static void put_chunk(struct rpcrdma_encoder *enc, const struct model_chunk *c)
{
	struct rpcrdma_segment seg;
	u32 i;

	rpcrdma_encode_chunk_begin(enc);
	for (i = 0; i < c->segcount; i++) {
		seg.handle = c->segs[i].handle;
		seg.length = c->segs[i].length;
		seg.offset = c->segs[i].offset;
		rpcrdma_encode_segment(enc, &seg);
	}
	rpcrdma_encode_chunk_end(enc);
}

static void put_lists(struct rpcrdma_encoder *enc, const struct model *m)
{
	struct rpcrdma_segment seg;
	u32 i;

	for (i = 0; i < m->nreads; i++) {
		seg.handle = m->reads[i].handle;
		seg.length = m->reads[i].length;
		seg.offset = m->reads[i].offset;
		rpcrdma_encode_read_segment(enc, m->reads[i].position, &seg);
	}
	rpcrdma_encode_list_end(enc);
	for (i = 0; i < m->nwrites; i++)
		put_chunk(enc, &m->writes[i]);
	rpcrdma_encode_list_end(enc);
	if (m->nreply)
		put_chunk(enc, &m->reply);
	else
		rpcrdma_encode_list_end(enc);
}

static void put_v1(struct rpcrdma_encoder *enc, const struct model *m)
{
	switch (m->type) {
	case RPCRDMA_MSGP:
		rpcrdma_encode_msgp(enc, m->align, m->thresh);
		put_lists(enc, m);
		break;
	case RPCRDMA_MSG:
	case RPCRDMA_NOMSG:
		put_lists(enc, m);
		break;
	case RPCRDMA_ERROR:
		if (m->err == RPCRDMA_ERR_VERS)
			rpcrdma_encode_err_vers(enc, m->low, m->high);
		else
			rpcrdma_encode_err_chunk(enc);
		break;
	}
}

static void put_error2(struct rpcrdma_encoder *enc, const struct model *m)
{
	switch (m->err) {
	case RPCRDMA2_ERR_VERS:
		rpcrdma_encode_err_vers(enc, m->low, m->high);
		break;
	case RPCRDMA2_ERR_WRITE_RESOURCE:
		rpcrdma_encode_word(enc, m->err);
		rpcrdma_encode_word(enc, m->err_index);
		rpcrdma_encode_word(enc, m->err_value);
		break;
	case RPCRDMA2_ERR_READ_CHUNKS:
	case RPCRDMA2_ERR_WRITE_CHUNKS:
	case RPCRDMA2_ERR_SEGMENTS:
	case RPCRDMA2_ERR_REPLY_RESOURCE:
		rpcrdma_encode_word(enc, m->err);
		rpcrdma_encode_word(enc, m->err_value);
		break;
	default:
		rpcrdma_encode_word(enc, m->err);
	}
}

static void put_prop(struct rpcrdma_encoder *enc, const struct model_prop *prop)
{
	u8 word[RPCRDMA_XDR_UNIT];
	u32 k;

	rpcrdma_encode_word(enc, prop->id);
	rpcrdma_encode_word(enc, prop->len);
	for (k = 0; k < prop->len; k += sizeof(word)) {
		memcpy(word, &prop->data[k], sizeof(word));
		rpcrdma_encode_word(enc, get_unaligned_be32(word));
	}
}

static void put_props(struct rpcrdma_encoder *enc, const struct model *m)
{
	u32 i;

	rpcrdma_encode_word(enc, m->nprops);
	for (i = 0; i < m->nprops; i++)
		put_prop(enc, &m->props[i]);
}

/*
 * True if our encoders can write these properties: each is known, has a value,
 * and header types in four octets; and they are in our encoders' order.
 */
static bool own_props(const struct model *m, struct rpcrdma_props *props,
		      u32 *which)
{
	u32 i;

	rpcrdma_props_default(props);
	for (*which = i = 0; i < m->nprops; i++) {
		const struct rpcrdma_prop prop = {
			m->props[i].id, m->props[i].data, m->props[i].len,
		};
		int bit = rpcrdma_prop_decode(props, &prop);

		if (bit <= (int)*which || !prop.len ||
		    (bit == RPCRDMA_PROPS_HTYPES && prop.len != 8))
			return false;
		*which |= bit;
	}
	return true;
}

static void put_request(struct rpcrdma_encoder *enc, const struct model *m)
{
	struct rpcrdma_props props;
	u32 which;

	if (own_props(m, &props, &which))
		rpcrdma_reqprop_encode(enc, &props, which);
	else
		put_props(enc, m);
}

static void put_update(struct rpcrdma_encoder *enc, const struct model *m)
{
	struct rpcrdma_props props;
	u32 which;

	if (own_props(m, &props, &which)) {
		rpcrdma_updprop_encode(enc, &props, which, m->pendclr);
		return;
	}
	put_prop(enc, &m->props[0]);
	rpcrdma_encode_word(enc, m->pendclr);
}

/* The number of properties if our encoder can write this answer, or -1 */
static int own_answer(const struct model *m)
{
	const struct model_subset *s = m->subsets;
	u32 i, k, words[MODEL_MAX_WORDS] = { 0 }, count = 0;

	for (k = 0; k < MODEL_SUBSETS; k++) {
		if (k != 1 && s[k].count > 1)
			return -1;
		if (s[k].count && !s[k].words[s[k].count - 1])
			return -1;
		for (i = 0; i < s[k].count; i++) {
			if (words[i] & s[k].words[i])
				return -1;
			words[i] |= s[k].words[i];
		}
	}
	while (count < 32 * MODEL_MAX_WORDS &&
	       words[count / 32] >> count % 32 & 1)
		count++;
	for (i = count; i < 32 * MODEL_MAX_WORDS; i++)
		if (words[i / 32] >> i % 32 & 1)
			return -1;
	return count;
}

static void put_answer(struct rpcrdma_encoder *enc, const struct model *m)
{
	int count = own_answer(m);
	u32 i, k;

	if (count >= 0) {
		rpcrdma_resprop_encode(enc, count, m->subsets[0].words[0],
				       m->subsets[2].words[0]);
		return;
	}
	for (k = 0; k < MODEL_SUBSETS; k++) {
		rpcrdma_encode_word(enc, m->subsets[k].count);
		for (i = 0; i < m->subsets[k].count; i++)
			rpcrdma_encode_word(enc, m->subsets[k].words[i]);
	}
}

static void put_v2(struct rpcrdma_encoder *enc, const struct model *m)
{
	rpcrdma_encode_word(enc, m->flags);
	switch (m->type) {
	case RPCRDMA2_MSG:
	case RPCRDMA2_NOMSG:
		rpcrdma_encode_word(enc, m->inv_handle);
		put_lists(enc, m);
		break;
	case RPCRDMA2_ERROR:
		put_error2(enc, m);
		break;
	case RPCRDMA2_CONNPROP:
		put_props(enc, m);
		break;
	case RPCRDMA2_REQPROP:
		put_request(enc, m);
		break;
	case RPCRDMA2_RESPROP:
		put_answer(enc, m);
		break;
	case RPCRDMA2_UPDPROP:
		put_update(enc, m);
		break;
	}
}

int ours_encode(const struct model *m, void *buf, size_t size)
{
	struct rpcrdma_encoder enc;

	rpcrdma_encode_init(&enc, buf, size);
	rpcrdma_encode_fixed(&enc, htonl(m->xid), m->version, m->credits,
			     m->type);
	if (m->version == RPCRDMA_VERSION_1)
		put_v1(&enc, m);
	else
		put_v2(&enc, m);
	return rpcrdma_encode_finish(&enc);
}

static void get_segment(struct model_segment *to,
			const struct rpcrdma_segment *from)
{
	to->handle = from->handle;
	to->length = from->length;
	to->offset = from->offset;
}

static int get_chunks(const struct rpcrdma_hdr *hdr,
		      const struct rpcrdma_list *list,
		      struct model_chunk *chunks, u32 max, u32 *count)
{
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	u32 i, segcount;

	rpcrdma_chunks_begin(hdr, list, &cur);
	for (*count = 0; rpcrdma_chunks_next(&cur, &segcount); (*count)++) {
		if (*count == max || segcount > MODEL_MAX_SEGMENTS)
			return -1;
		chunks[*count].segcount = segcount;
		for (i = 0; rpcrdma_segments_next(&cur, &seg); i++)
			get_segment(&chunks[*count].segs[i], &seg);
		if (i != segcount)
			return -1;
	}
	return 0;
}

static int get_lists(struct model *m, const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;

	rpcrdma_reads_begin(hdr, &cur);
	for (; rpcrdma_reads_next(&cur, &rseg); m->nreads++) {
		if (m->nreads == MODEL_MAX_SEGMENTS)
			return -1;
		m->reads[m->nreads].position = rseg.position;
		get_segment(&m->reads[m->nreads], &rseg.seg);
	}
	if (get_chunks(hdr, &hdr->writes, m->writes, MODEL_MAX_CHUNKS,
		       &m->nwrites))
		return -1;
	return get_chunks(hdr, &hdr->reply, &m->reply, 1, &m->nreply);
}

static int get_props(struct model *m, const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_prop prop;
	struct rpcrdma_cursor cur;

	rpcrdma_props_begin(hdr, &cur);
	for (; rpcrdma_props_next(&cur, &prop); m->nprops++) {
		if (m->nprops == MODEL_MAX_PROPS ||
		    prop.len > MODEL_MAX_PROP_LEN)
			return -1;
		m->props[m->nprops].id = prop.id;
		m->props[m->nprops].len = prop.len;
		memcpy(m->props[m->nprops].data, prop.data, prop.len);
	}
	return 0;
}

static int get_subset(struct model_subset *to, const struct rpcrdma_subset *from)
{
	u32 i;

	if (from->count > MODEL_MAX_WORDS)
		return -1;
	to->count = from->count;
	for (i = 0; i < to->count; i++)
		to->words[i] = rpcrdma_subset_word(from, i);
	return 0;
}

static int get_answer(struct model *m, const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_resprop resp;

	rpcrdma_resprop_get(&resp, hdr);
	if (get_subset(&m->subsets[0], &resp.done) ||
	    get_subset(&m->subsets[1], &resp.rejected) ||
	    get_subset(&m->subsets[2], &resp.pending))
		return -1;
	if (own_answer(m) >= 0 &&
	    (rpcrdma_resprop_overlaps(&resp) ||
	     !rpcrdma_resprop_covers(&resp, own_answer(m))))
		return -1;
	return 0;
}

static int decode(struct rpcrdma_hdr *hdr, const void *buf, size_t len)
{
	int ret = rpcrdma_decode_prefix(hdr, buf, len);

	if (ret)
		return ret;
	return hdr->version == RPCRDMA_VERSION_1 ?
	       rpcrdma_decode(hdr, buf, len) : rpcrdma_decode_v2(hdr, buf, len);
}

/* What only some types have, and what excludes one another */
static int get_body(struct model *m, const struct rpcrdma_hdr *hdr)
{
	bool v1 = m->version == RPCRDMA_VERSION_1;

	switch (m->type) {
	case RPCRDMA_ERROR:
		m->err = hdr->err;
		m->low = hdr->vers_low;
		m->high = hdr->vers_high;
		m->err_index = v1 ? 0 : hdr->err_index;
		m->err_value = v1 ? 0 : hdr->err_value;
		return hdr->payload;
	case RPCRDMA_DONE:
		return hdr->payload;
	case RPCRDMA2_CONNPROP:
	case RPCRDMA2_REQPROP:
		return get_props(m, hdr) ? -1 : (int)hdr->payload;
	case RPCRDMA2_RESPROP:
		return get_answer(m, hdr) ? -1 : (int)hdr->payload;
	case RPCRDMA2_UPDPROP:
		m->pendclr = hdr->pendclr;
		return get_props(m, hdr) ? -1 : (int)hdr->payload;
	case RPCRDMA_MSGP:
		m->align = hdr->align;
		m->thresh = hdr->thresh;
		break;
	}
	return get_lists(m, hdr) ? -1 : (int)hdr->payload;
}

int ours_decode(struct model *m, const void *buf, size_t len)
{
	struct rpcrdma_hdr hdr;

	memset(m, 0, sizeof(*m));
	if (decode(&hdr, buf, len))
		return -1;
	m->xid = ntohl(hdr.xid);
	m->version = hdr.version;
	m->credits = hdr.credits;
	m->type = hdr.type;
	m->flags = hdr.flags;
	m->inv_handle = hdr.inv_handle;
	return get_body(m, &hdr);
}
