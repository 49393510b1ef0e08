// SPDX-License-Identifier: GPL-2.0-only
/* rpcgen's codec for version 2, driven from and into the neutral form. */

#include <string.h>

#include <rpcrdma/wire.h>

#include "model.h"
#include "rpcrdma_v2.h"

/* Room for the parts that chunk lists point to while they are encoded. */
struct parts {
	x2_segment segs[MODEL_MAX_CHUNKS + 1][MODEL_MAX_SEGMENTS];
	x2_read_list reads[MODEL_MAX_SEGMENTS];
	x2_write_list writes[MODEL_MAX_CHUNKS];
	x2_write_chunk reply;
	x2_propval props[MODEL_MAX_PROPS];
};

static void to_segment(x2_segment *to, const struct model_segment *from)
{
	to->handle = from->handle;
	to->length = from->length;
	to->offset = from->offset;
}

static void to_chunk(x2_write_chunk *to, x2_segment *segs,
		     const struct model_chunk *from)
{
	u32 i;

	for (i = 0; i < from->segcount; i++)
		to_segment(&segs[i], &from->segs[i]);
	to->target.target_len = from->segcount;
	to->target.target_val = segs;
}

static bool put_lists(XDR *xdrs, struct parts *pc, const struct model *m)
{
	x2_chunk_lists lists = { .inv_handle = m->inv_handle };
	u32 i;

	for (i = m->nreads; i-- > 0; lists.reads = &pc->reads[i]) {
		pc->reads[i].entry.position = m->reads[i].position;
		to_segment(&pc->reads[i].entry.target, &m->reads[i]);
		pc->reads[i].next = lists.reads;
	}
	for (i = m->nwrites; i-- > 0; lists.writes = &pc->writes[i]) {
		to_chunk(&pc->writes[i].entry, pc->segs[i], &m->writes[i]);
		pc->writes[i].next = lists.writes;
	}
	if (m->nreply) {
		to_chunk(&pc->reply, pc->segs[MODEL_MAX_CHUNKS], &m->reply);
		lists.reply = &pc->reply;
	}
	return xdr_x2_chunk_lists(xdrs, &lists);
}

static bool put_props(XDR *xdrs, struct parts *pc, const struct model *m)
{
	x2_propset set = {
		.x2_propset_len = m->nprops,
		.x2_propset_val = pc->props,
	};
	u32 i;

	for (i = 0; i < m->nprops; i++) {
		pc->props[i].which = m->props[i].id;
		pc->props[i].data.data_len = m->props[i].len;
		pc->props[i].data.data_val = (char *)m->props[i].data;
	}
	return xdr_x2_propset(xdrs, &set);
}

static bool put_error(XDR *xdrs, const struct model *m)
{
	x2_error error = { .err = m->err };

	switch (m->err) {
	case RPCRDMA2_ERR_VERS:
		error.x2_error_u.range.low = m->low;
		error.x2_error_u.range.high = m->high;
		break;
	case RPCRDMA2_ERR_READ_CHUNKS:
		error.x2_error_u.max_read_chunks = m->err_value;
		break;
	case RPCRDMA2_ERR_WRITE_CHUNKS:
		error.x2_error_u.max_write_chunks = m->err_value;
		break;
	case RPCRDMA2_ERR_SEGMENTS:
		error.x2_error_u.max_segments = m->err_value;
		break;
	case RPCRDMA2_ERR_WRITE_RESOURCE:
		error.x2_error_u.writeres.chunk_index = m->err_index;
		error.x2_error_u.writeres.length_needed = m->err_value;
		break;
	case RPCRDMA2_ERR_REPLY_RESOURCE:
		error.x2_error_u.length_needed = m->err_value;
		break;
	}
	return xdr_x2_error(xdrs, &error);
}

static bool put_body(XDR *xdrs, struct parts *pc, const struct model *m)
{
	switch (m->type) {
	case RPCRDMA2_MSG:
	case RPCRDMA2_NOMSG:
		return put_lists(xdrs, pc, m);
	case RPCRDMA2_ERROR:
		return put_error(xdrs, m);
	case RPCRDMA2_CONNPROP:
		return put_props(xdrs, pc, m);
	default:
		return true;
	}
}

int rpcgen2_encode(const struct model *m, void *buf, size_t size)
{
	x2_prefix prefix = {
		.xid = m->xid,
		.vers = m->version,
		.credit = m->credits,
		.htype = m->type,
		.flags = m->flags,
	};
	struct parts pc;
	int len = -1;
	XDR xdrs;

	memset(buf, 0, size);
	xdrmem_create(&xdrs, buf, size, XDR_ENCODE);
	if (xdr_x2_prefix(&xdrs, &prefix) && put_body(&xdrs, &pc, m))
		len = xdr_getpos(&xdrs);
	xdr_destroy(&xdrs);
	return len;
}

static void from_segment(struct model_segment *to, const x2_segment *from)
{
	to->handle = from->handle;
	to->length = from->length;
	to->offset = from->offset;
}

static bool from_chunk(struct model_chunk *to, const x2_write_chunk *from)
{
	u32 i;

	to->segcount = from->target.target_len;
	if (to->segcount > MODEL_MAX_SEGMENTS)
		return false;
	for (i = 0; i < to->segcount; i++)
		from_segment(&to->segs[i], &from->target.target_val[i]);
	return true;
}

static bool from_lists(struct model *m, const x2_chunk_lists *lists)
{
	const x2_write_list *w;
	const x2_read_list *r;

	m->inv_handle = lists->inv_handle;
	for (r = lists->reads; r; r = r->next) {
		if (m->nreads == MODEL_MAX_SEGMENTS)
			return false;
		m->reads[m->nreads].position = r->entry.position;
		from_segment(&m->reads[m->nreads++], &r->entry.target);
	}
	for (w = lists->writes; w; w = w->next) {
		if (m->nwrites == MODEL_MAX_CHUNKS ||
		    !from_chunk(&m->writes[m->nwrites++], &w->entry))
			return false;
	}
	m->nreply = !!lists->reply;
	return !lists->reply || from_chunk(&m->reply, lists->reply);
}

static bool get_lists(XDR *xdrs, struct model *m)
{
	x2_chunk_lists lists = { 0 };
	bool good;

	good = xdr_x2_chunk_lists(xdrs, &lists) && from_lists(m, &lists);
	xdr_free((xdrproc_t)xdr_x2_chunk_lists, (char *)&lists);
	return good;
}

static bool from_props(struct model *m, const x2_propset *set)
{
	const x2_propval *val = set->x2_propset_val;

	for (; m->nprops < set->x2_propset_len; m->nprops++, val++) {
		if (m->nprops == MODEL_MAX_PROPS ||
		    val->data.data_len > MODEL_MAX_PROP_LEN)
			return false;
		m->props[m->nprops].id = val->which;
		m->props[m->nprops].len = val->data.data_len;
		memcpy(m->props[m->nprops].data, val->data.data_val,
		       val->data.data_len);
	}
	return true;
}

static bool get_props(XDR *xdrs, struct model *m)
{
	x2_propset set = { 0 };
	bool good;

	good = xdr_x2_propset(xdrs, &set) && from_props(m, &set);
	xdr_free((xdrproc_t)xdr_x2_propset, (char *)&set);
	return good;
}

static bool get_error(XDR *xdrs, struct model *m)
{
	x2_error error = { 0 };

	if (!xdr_x2_error(xdrs, &error))
		return false;
	m->err = error.err;
	switch (m->err) {
	case RPCRDMA2_ERR_VERS:
		m->low = error.x2_error_u.range.low;
		m->high = error.x2_error_u.range.high;
		break;
	case RPCRDMA2_ERR_READ_CHUNKS:
		m->err_value = error.x2_error_u.max_read_chunks;
		break;
	case RPCRDMA2_ERR_WRITE_CHUNKS:
		m->err_value = error.x2_error_u.max_write_chunks;
		break;
	case RPCRDMA2_ERR_SEGMENTS:
		m->err_value = error.x2_error_u.max_segments;
		break;
	case RPCRDMA2_ERR_WRITE_RESOURCE:
		m->err_index = error.x2_error_u.writeres.chunk_index;
		m->err_value = error.x2_error_u.writeres.length_needed;
		break;
	case RPCRDMA2_ERR_REPLY_RESOURCE:
		m->err_value = error.x2_error_u.length_needed;
		break;
	}
	return true;
}

static bool get_body(XDR *xdrs, struct model *m)
{
	switch (m->type) {
	case RPCRDMA2_MSG:
	case RPCRDMA2_NOMSG:
		return get_lists(xdrs, m);
	case RPCRDMA2_ERROR:
		return get_error(xdrs, m);
	case RPCRDMA2_CONNPROP:
		return get_props(xdrs, m);
	default:
		return true;
	}
}

int rpcgen2_decode(struct model *m, const void *buf, size_t len)
{
	x2_prefix prefix = { 0 };
	int ret = -1;
	XDR xdrs;

	memset(m, 0, sizeof(*m));
	xdrmem_create(&xdrs, (char *)buf, len, XDR_DECODE);
	if (xdr_x2_prefix(&xdrs, &prefix)) {
		m->xid = prefix.xid;
		m->version = prefix.vers;
		m->credits = prefix.credit;
		m->type = prefix.htype;
		m->flags = prefix.flags;
		if (get_body(&xdrs, m))
			ret = xdr_getpos(&xdrs);
	}
	xdr_destroy(&xdrs);
	return ret;
}
