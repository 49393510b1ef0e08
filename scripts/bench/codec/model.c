// SPDX-License-Identifier: GPL-2.0-only
/* Random headers in neutral form, and their comparison. */

#include <string.h>

#include <rpcrdma/wire.h>

#include "model.h"

/* splitmix64: any seed gives a full-period sequence */
static u64 next(u64 *state)
{
	u64 z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static void random_segment(struct model_segment *seg, u64 *state)
{
	seg->handle = next(state);
	seg->length = next(state);
	seg->offset = next(state);
}

static void random_chunk(struct model_chunk *chunk, u64 *state)
{
	u32 i;

	chunk->segcount = next(state) % (MODEL_MAX_SEGMENTS + 1);
	for (i = 0; i < chunk->segcount; i++)
		random_segment(&chunk->segs[i], state);
}

static void random_lists(struct model *m, u64 *state)
{
	u32 i;

	m->nreads = next(state) % (MODEL_MAX_SEGMENTS + 1);
	for (i = 0; i < m->nreads; i++) {
		random_segment(&m->reads[i], state);
		m->reads[i].position = next(state) & 0xfffffffcu;
	}
	m->nwrites = next(state) % (MODEL_MAX_CHUNKS + 1);
	for (i = 0; i < m->nwrites; i++)
		random_chunk(&m->writes[i], state);
	m->nreply = next(state) & 1;
	if (m->nreply)
		random_chunk(&m->reply, state);
}

static void random_v1(struct model *m, u64 *state)
{
	m->type = next(state) % (RPCRDMA_ERROR + 1);
	switch (m->type) {
	case RPCRDMA_MSGP:
		m->align = next(state);
		m->thresh = next(state);
		random_lists(m, state);
		break;
	case RPCRDMA_MSG:
	case RPCRDMA_NOMSG:
		random_lists(m, state);
		break;
	case RPCRDMA_ERROR:
		m->err = RPCRDMA_ERR_VERS + (next(state) & 1);
		if (m->err == RPCRDMA_ERR_VERS) {
			m->low = next(state);
			m->high = next(state);
		}
		break;
	}
}

static void random_error2(struct model *m, u64 *state)
{
	/* one more than there are: an error code that is not known */
	m->err = 1 + next(state) % (RPCRDMA2_ERR_SYSTEM + 1);
	switch (m->err) {
	case RPCRDMA2_ERR_VERS:
		m->low = next(state);
		m->high = next(state);
		break;
	case RPCRDMA2_ERR_WRITE_RESOURCE:
		m->err_index = next(state);
		m->err_value = next(state);
		break;
	case RPCRDMA2_ERR_READ_CHUNKS:
	case RPCRDMA2_ERR_WRITE_CHUNKS:
	case RPCRDMA2_ERR_SEGMENTS:
	case RPCRDMA2_ERR_REPLY_RESOURCE:
		m->err_value = next(state);
		break;
	}
}

static void random_prop(struct model_prop *prop, u64 *state)
{
	u32 k;

	prop->id = next(state) % 10;
	prop->len = next(state) % (MODEL_MAX_PROP_LEN + 1);
	for (k = 0; k < prop->len; k++)
		prop->data[k] = next(state);
}

static void random_props(struct model *m, u64 *state)
{
	u32 i;

	m->nprops = next(state) % (MODEL_MAX_PROPS + 1);
	for (i = 0; i < m->nprops; i++)
		random_prop(&m->props[i], state);
}

/* One that is known, with a value of its type */
static void known_prop(struct model_prop *prop, u32 id, u64 *state)
{
	u32 k;

	prop->id = id;
	prop->len = id == RPCRDMA2_PROP_HTYPES ? 8 : 4;
	for (k = prop->len - 4; k < prop->len; k++)
		prop->data[k] = next(state);
	if (id == RPCRDMA2_PROP_HTYPES)
		prop->data[3] = 4;
	else if (id != RPCRDMA2_PROP_RBSIZ)
		put_unaligned_be32(next(state) & 1, prop->data);
}

/* Known ones, in the order in which our encoder writes them, at most @max */
static void known_props(struct model *m, u32 max, u64 *state)
{
	static const u32 ids[] = {
		RPCRDMA2_PROP_RBSIZ, RPCRDMA2_PROP_BRS,
		RPCRDMA2_PROP_REMOTE_INV, RPCRDMA2_PROP_READ_REPLIES,
		RPCRDMA2_PROP_HTYPES,
	};
	u32 i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]) && m->nprops < max; i++)
		if (next(state) & 1)
			known_prop(&m->props[m->nprops++], ids[i], state);
}

static void random_update(struct model *m, u64 *state)
{
	if (next(state) & 1)
		known_props(m, 1, state);
	if (!m->nprops)
		random_prop(&m->props[m->nprops++], state);
	m->pendclr = next(state) & 1;
}

/* Any subsets at all */
static void random_subsets(struct model *m, u64 *state)
{
	struct model_subset *subset;
	u32 i;

	for (subset = m->subsets; subset < m->subsets + MODEL_SUBSETS; subset++) {
		subset->count = next(state) % (MODEL_MAX_WORDS + 1);
		for (i = 0; i < subset->count; i++)
			subset->words[i] = next(state);
	}
}

/* Subsets that are disjoint, cover a request, and are as short as can be */
static void proper_subsets(struct model *m, u64 *state)
{
	u32 count = next(state) % (MODEL_MAX_WORDS * 32), i, which;
	struct model_subset *subset;

	for (i = 0; i < count; i++) {
		which = i < 32 ? next(state) % MODEL_SUBSETS : 1;
		subset = &m->subsets[which];
		subset->count = i / 32 + 1;
		subset->words[i / 32] |= 1u << i % 32;
	}
}

static void random_change(struct model *m, u64 *state)
{
	switch (m->type) {
	case RPCRDMA2_REQPROP:
		if (next(state) & 1)
			random_props(m, state);
		else
			known_props(m, MODEL_MAX_PROPS, state);
		break;
	case RPCRDMA2_RESPROP:
		if (next(state) & 1)
			random_subsets(m, state);
		else
			proper_subsets(m, state);
		break;
	case RPCRDMA2_UPDPROP:
		random_update(m, state);
		break;
	}
}

static void random_v2(struct model *m, u64 *state)
{
	static const u32 types[] = {
		RPCRDMA2_MSG, RPCRDMA2_NOMSG, RPCRDMA2_DONE, RPCRDMA2_ERROR,
		RPCRDMA2_CONNPROP, RPCRDMA2_REQPROP, RPCRDMA2_RESPROP,
		RPCRDMA2_UPDPROP,
	};

	m->type = types[next(state) % (sizeof(types) / sizeof(types[0]))];
	m->flags = next(state);
	switch (m->type) {
	case RPCRDMA2_MSG:
	case RPCRDMA2_NOMSG:
		m->inv_handle = next(state);
		random_lists(m, state);
		break;
	case RPCRDMA2_ERROR:
		m->flags |= RPCRDMA2_F_RESPONSE;
		random_error2(m, state);
		break;
	case RPCRDMA2_CONNPROP:
		random_props(m, state);
		break;
	default:
		random_change(m, state);
	}
}

/**
 * model_random - make up a header
 * @m: where it goes
 * @version: of RPC-over-RDMA
 * @state: of the random sequence
 */
void model_random(struct model *m, u32 version, u64 *state)
{
	memset(m, 0, sizeof(*m));
	m->xid = next(state);
	m->version = version;
	m->credits = next(state);
	if (version == RPCRDMA_VERSION_1)
		random_v1(m, state);
	else
		random_v2(m, state);
}

/**
 * model_equal - compare two headers
 * @a: one, filled in from zeros
 * @b: the other, filled in from zeros
 *
 * Return: true if they say the same.
 */
bool model_equal(const struct model *a, const struct model *b)
{
	return !memcmp(a, b, sizeof(*a));
}
