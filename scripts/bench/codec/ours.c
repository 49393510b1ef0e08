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

static void put_props(struct rpcrdma_encoder *enc, const struct model *m)
{
	u8 word[RPCRDMA_XDR_UNIT];
	u32 i, k;

	rpcrdma_encode_word(enc, m->nprops);
	for (i = 0; i < m->nprops; i++) {
		rpcrdma_encode_word(enc, m->props[i].id);
		rpcrdma_encode_word(enc, m->props[i].len);
		for (k = 0; k < m->props[i].len; k += sizeof(word)) {
			memcpy(word, &m->props[i].data[k], sizeof(word));
			rpcrdma_encode_word(enc, get_unaligned_be32(word));
		}
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

static int decode(struct rpcrdma_hdr *hdr, const void *buf, size_t len)
{
	int ret = rpcrdma_decode_prefix(hdr, buf, len);

	if (ret)
		return ret;
	return hdr->version == RPCRDMA_VERSION_1 ? rpcrdma_decode(hdr, buf, len) :
						   rpcrdma_v2_decode(hdr);
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
