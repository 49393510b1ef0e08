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

static void random_props(struct model *m, u64 *state)
{
	u32 i, k;

	m->nprops = next(state) % (MODEL_MAX_PROPS + 1);
	for (i = 0; i < m->nprops; i++) {
		m->props[i].id = next(state) % 10;
		m->props[i].len = next(state) % (MODEL_MAX_PROP_LEN + 1);
		for (k = 0; k < m->props[i].len; k++)
			m->props[i].data[k] = next(state);
	}
}

static void random_v2(struct model *m, u64 *state)
{
	static const u32 types[] = {
		RPCRDMA2_MSG, RPCRDMA2_NOMSG, RPCRDMA2_DONE, RPCRDMA2_ERROR,
		RPCRDMA2_CONNPROP,
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
