// SPDX-License-Identifier: GPL-2.0-only
/* Random headers in neutral form, and their comparison. */

#include <string.h>

#include <rpcrdma/wire.h>

#include "model.h"

/* splitmix64: any seed gives a full-period sequence */
static uint64_t next(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static void random_segment(struct model_segment *seg, uint64_t *state)
{
	seg->handle = next(state);
	seg->length = next(state);
	seg->offset = next(state);
}

static void random_chunk(struct model_chunk *chunk, uint64_t *state)
{
	uint32_t i;

	chunk->segcount = next(state) % (MODEL_MAX_SEGMENTS + 1);
	for (i = 0; i < chunk->segcount; i++)
		random_segment(&chunk->segs[i], state);
}

static void random_lists(struct model *m, uint64_t *state)
{
	uint32_t i;

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

/**
 * model_random - make up a header
 * @m: where it goes
 * @state: of the random sequence
 */
void model_random(struct model *m, uint64_t *state)
{
	memset(m, 0, sizeof(*m));
	m->xid = next(state);
	m->version = RPCRDMA_VERSION_1;
	m->credits = next(state);
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
