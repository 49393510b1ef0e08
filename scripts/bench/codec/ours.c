// SPDX-License-Identifier: GPL-2.0-only
/* The project's codec, driven from and into the neutral form. */

#include <arpa/inet.h>

#include <rpcrdma/codec.h>

#include "model.h"

static void put_chunk(struct rpcrdma_encoder *enc, const struct model_chunk *c)
{
	struct rpcrdma_segment seg;
	uint32_t i;

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
	uint32_t i;

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

int ours_encode(const struct model *m, void *buf, size_t size)
{
	struct rpcrdma_encoder enc;

	rpcrdma_encode_init(&enc, buf, size);
	rpcrdma_encode_fixed(&enc, htonl(m->xid), m->version, m->credits,
			     m->type);
	switch (m->type) {
	case RPCRDMA_MSGP:
		rpcrdma_encode_msgp(&enc, m->align, m->thresh);
		put_lists(&enc, m);
		break;
	case RPCRDMA_MSG:
	case RPCRDMA_NOMSG:
		put_lists(&enc, m);
		break;
	case RPCRDMA_ERROR:
		if (m->err == RPCRDMA_ERR_VERS)
			rpcrdma_encode_err_vers(&enc, m->low, m->high);
		else
			rpcrdma_encode_err_chunk(&enc);
		break;
	}
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
		      struct model_chunk *chunks, uint32_t max, uint32_t *count)
{
	struct rpcrdma_segment seg;
	struct rpcrdma_cursor cur;
	uint32_t i, segcount;

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

int ours_decode(struct model *m, const void *buf, size_t len)
{
	struct rpcrdma_hdr hdr;

	memset(m, 0, sizeof(*m));
	if (rpcrdma_decode(&hdr, buf, len))
		return -1;
	m->xid = ntohl(hdr.xid);
	m->version = hdr.version;
	m->credits = hdr.credits;
	m->type = hdr.type;
	m->align = hdr.align;
	m->thresh = hdr.thresh;
	m->err = hdr.err;
	m->low = hdr.vers_low;
	m->high = hdr.vers_high;
	if (m->type == RPCRDMA_ERROR || m->type == RPCRDMA_DONE)
		return len;
	if (get_lists(m, &hdr))
		return -1;
	return hdr.payload;
}
