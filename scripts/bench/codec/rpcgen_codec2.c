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

static void to_prop(x2_propval *to, const struct model_prop *from)
{
	to->which = from->id;
	to->data.data_len = from->len;
	to->data.data_val = (char *)from->data;
}

static bool put_props(XDR *xdrs, struct parts *pc, const struct model *m)
{
	x2_propset set = {
		.x2_propset_len = m->nprops,
		.x2_propset_val = pc->props,
	};
	u32 i;

	for (i = 0; i < m->nprops; i++)
		to_prop(&pc->props[i], &m->props[i]);
	return xdr_x2_propset(xdrs, &set);
}

static bool put_request(XDR *xdrs, struct parts *pc, const struct model *m)
{
	x2_reqprop request = {
		.want.x2_propset_len = m->nprops,
		.want.x2_propset_val = pc->props,
	};
	u32 i;

	for (i = 0; i < m->nprops; i++)
		to_prop(&pc->props[i], &m->props[i]);
	return xdr_x2_reqprop(xdrs, &request);
}

static void to_subset(x2_propsubset *to, const struct model_subset *from)
{
	to->x2_propsubset_len = from->count;
	to->x2_propsubset_val = (u_int *)from->words;
}

static bool put_answer(XDR *xdrs, const struct model *m)
{
	x2_resprop answer;

	to_subset(&answer.done, &m->subsets[0]);
	to_subset(&answer.rejected, &m->subsets[1]);
	to_subset(&answer.pending, &m->subsets[2]);
	return xdr_x2_resprop(xdrs, &answer);
}

static bool put_update(XDR *xdrs, const struct model *m)
{
	x2_updprop update = { .pendclr = m->pendclr };

	to_prop(&update.now, &m->props[0]);
	return xdr_x2_updprop(xdrs, &update);
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
	case RPCRDMA2_REQPROP:
		return put_request(xdrs, pc, m);
	case RPCRDMA2_RESPROP:
		return put_answer(xdrs, m);
	case RPCRDMA2_UPDPROP:
		return put_update(xdrs, m);
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

static bool from_prop(struct model *m, const x2_propval *val)
{
	struct model_prop *prop = &m->props[m->nprops];

	if (m->nprops == MODEL_MAX_PROPS ||
	    val->data.data_len > MODEL_MAX_PROP_LEN)
		return false;
	m->nprops++;
	prop->id = val->which;
	prop->len = val->data.data_len;
	memcpy(prop->data, val->data.data_val, prop->len);
	return true;
}

static bool from_props(struct model *m, const x2_propset *set)
{
	u32 i;

	for (i = 0; i < set->x2_propset_len; i++)
		if (!from_prop(m, &set->x2_propset_val[i]))
			return false;
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

static bool get_request(XDR *xdrs, struct model *m)
{
	x2_reqprop request = { 0 };
	bool good;

	good = xdr_x2_reqprop(xdrs, &request) && from_props(m, &request.want);
	xdr_free((xdrproc_t)xdr_x2_reqprop, (char *)&request);
	return good;
}

static bool from_subset(struct model_subset *to, const x2_propsubset *from)
{
	if (from->x2_propsubset_len > MODEL_MAX_WORDS)
		return false;
	to->count = from->x2_propsubset_len;
	memcpy(to->words, from->x2_propsubset_val,
	       to->count * sizeof(to->words[0]));
	return true;
}

static bool get_answer(XDR *xdrs, struct model *m)
{
	x2_resprop answer = { 0 };
	bool good;

	good = xdr_x2_resprop(xdrs, &answer) &&
	       from_subset(&m->subsets[0], &answer.done) &&
	       from_subset(&m->subsets[1], &answer.rejected) &&
	       from_subset(&m->subsets[2], &answer.pending);
	xdr_free((xdrproc_t)xdr_x2_resprop, (char *)&answer);
	return good;
}

static bool get_update(XDR *xdrs, struct model *m)
{
	x2_updprop update = { 0 };
	bool good;

	good = xdr_x2_updprop(xdrs, &update) && from_prop(m, &update.now);
	m->pendclr = update.pendclr;
	xdr_free((xdrproc_t)xdr_x2_updprop, (char *)&update);
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
	case RPCRDMA2_REQPROP:
		return get_request(xdrs, m);
	case RPCRDMA2_RESPROP:
		return get_answer(xdrs, m);
	case RPCRDMA2_UPDPROP:
		return get_update(xdrs, m);
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
