// SPDX-License-Identifier: GPL-2.0-only
/* rpcgen's codec, driven from and into the neutral form. */

#include <stdlib.h>
#include <string.h>

#include <rpcrdma/wire.h>

#include "model.h"
#include "rpcrdma_v1.h"

/* Room for the parts that an x1_header points to while it is encoded. */
struct parts {
	x1_segment segs[MODEL_MAX_CHUNKS + 1][MODEL_MAX_SEGMENTS];
	x1_read_list reads[MODEL_MAX_SEGMENTS];
	x1_write_list writes[MODEL_MAX_CHUNKS];
	x1_write_chunk reply;
};

static void to_chunk(x1_write_chunk *to, x1_segment *segs,
		     const struct model_chunk *from)
{
	u32 i;

	for (i = 0; i < from->segcount; i++) {
		segs[i].handle = from->segs[i].handle;
		segs[i].length = from->segs[i].length;
		segs[i].offset = from->segs[i].offset;
	}
	to->target.target_len = from->segcount;
	to->target.target_val = segs;
}

static void to_lists(x1_chunks *to, struct parts *pc, const struct model *m)
{
	u32 i;

	memset(to, 0, sizeof(*to));
	for (i = m->nreads; i-- > 0; to->reads = &pc->reads[i]) {
		pc->reads[i].entry.position = m->reads[i].position;
		pc->reads[i].entry.target.handle = m->reads[i].handle;
		pc->reads[i].entry.target.length = m->reads[i].length;
		pc->reads[i].entry.target.offset = m->reads[i].offset;
		pc->reads[i].next = to->reads;
	}
	for (i = m->nwrites; i-- > 0; to->writes = &pc->writes[i]) {
		to_chunk(&pc->writes[i].entry, pc->segs[i], &m->writes[i]);
		pc->writes[i].next = to->writes;
	}
	if (m->nreply) {
		to_chunk(&pc->reply, pc->segs[MODEL_MAX_CHUNKS], &m->reply);
		to->reply = &pc->reply;
	}
}

static void to_header(x1_header *h, struct parts *pc, const struct model *m)
{
	h->xid = m->xid;
	h->vers = m->version;
	h->credit = m->credits;
	h->body.proc = (x1_proc)m->type;
	switch (m->type) {
	case RPCRDMA_MSG:
		to_lists(&h->body.x1_body_u.msg, pc, m);
		break;
	case RPCRDMA_NOMSG:
		to_lists(&h->body.x1_body_u.nomsg, pc, m);
		break;
	case RPCRDMA_MSGP:
		h->body.x1_body_u.msgp.align = m->align;
		h->body.x1_body_u.msgp.thresh = m->thresh;
		to_lists(&h->body.x1_body_u.msgp.chunks, pc, m);
		break;
	case RPCRDMA_ERROR:
		h->body.x1_body_u.error.err = (x1_errcode)m->err;
		h->body.x1_body_u.error.x1_error_u.range.low = m->low;
		h->body.x1_body_u.error.x1_error_u.range.high = m->high;
		break;
	}
}

int rpcgen_encode(const struct model *m, void *buf, size_t size)
{
	struct parts pc;
	x1_header h;
	int len = -1;
	XDR xdrs;

	to_header(&h, &pc, m);
	xdrmem_create(&xdrs, buf, size, XDR_ENCODE);
	if (xdr_x1_header(&xdrs, &h))
		len = xdr_getpos(&xdrs);
	xdr_destroy(&xdrs);
	return len;
}

static int from_chunk(struct model_chunk *to, const x1_write_chunk *from)
{
	u32 i;

	if (from->target.target_len > MODEL_MAX_SEGMENTS)
		return -1;
	to->segcount = from->target.target_len;
	for (i = 0; i < to->segcount; i++) {
		to->segs[i].handle = from->target.target_val[i].handle;
		to->segs[i].length = from->target.target_val[i].length;
		to->segs[i].offset = from->target.target_val[i].offset;
	}
	return 0;
}

static int from_lists(struct model *m, const x1_chunks *from)
{
	const x1_write_list *w;
	const x1_read_list *r;

	for (r = from->reads; r; r = r->next) {
		if (m->nreads == MODEL_MAX_SEGMENTS)
			return -1;
		m->reads[m->nreads].position = r->entry.position;
		m->reads[m->nreads].handle = r->entry.target.handle;
		m->reads[m->nreads].length = r->entry.target.length;
		m->reads[m->nreads++].offset = r->entry.target.offset;
	}
	for (w = from->writes; w; w = w->next) {
		if (m->nwrites == MODEL_MAX_CHUNKS)
			return -1;
		if (from_chunk(&m->writes[m->nwrites++], &w->entry))
			return -1;
	}
	if (!from->reply)
		return 0;
	m->nreply = 1;
	return from_chunk(&m->reply, from->reply);
}

static int from_body(struct model *m, const x1_body *body)
{
	switch (body->proc) {
	case X1_MSG:
		return from_lists(m, &body->x1_body_u.msg);
	case X1_NOMSG:
		return from_lists(m, &body->x1_body_u.nomsg);
	case X1_MSGP:
		m->align = body->x1_body_u.msgp.align;
		m->thresh = body->x1_body_u.msgp.thresh;
		return from_lists(m, &body->x1_body_u.msgp.chunks);
	case X1_DONE:
		return 0;
	case X1_ERROR:
		m->err = body->x1_body_u.error.err;
		if (m->err == RPCRDMA_ERR_VERS) {
			m->low = body->x1_body_u.error.x1_error_u.range.low;
			m->high = body->x1_body_u.error.x1_error_u.range.high;
		}
		return 0;
	}
	return -1;
}

int rpcgen_decode(struct model *m, const void *buf, size_t len)
{
	x1_header h;
	int ret = -1;
	XDR xdrs;

	memset(m, 0, sizeof(*m));
	memset(&h, 0, sizeof(h));
	xdrmem_create(&xdrs, (char *)buf, len, XDR_DECODE);
	if (xdr_x1_header(&xdrs, &h)) {
		m->xid = h.xid;
		m->version = h.vers;
		m->credits = h.credit;
		m->type = h.body.proc;
		if (!from_body(m, &h.body))
			ret = xdr_getpos(&xdrs);
	}
	xdr_destroy(&xdrs);
	xdr_free((xdrproc_t)xdr_x1_header, (char *)&h);
	return ret;
}
