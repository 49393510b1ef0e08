// SPDX-License-Identifier: GPL-2.0-only
/* Mutations of messages: one function per kind of field. */

#include "verbs.h"

/* A count or length near @word, near a limit, or any value */
u32 mutate_word(struct rng *rng, u32 word)
{
	static const u32 limits[] = {
		0, 1, 2, 3, 4, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff,
		0x10000001, 0x40000000, 1023, 1024, 4095, 4096, 4097, 1u << 16,
		1u << 20, (1u << 20) + 4,
	};
	const u32 words[] = {
		rng_word(rng), word + rng_below(rng, 9) - 4,
		word ^ (1u << rng_below(rng, 32)),
		rng_pick(rng, limits), rng_pick(rng, limits),
	};

	return rng_pick(rng, words);
}

static u64 mutate_offset(struct rng *rng, const struct rpcrdma_segment *seg,
			 const struct handles *handles)
{
	const u64 offsets[] = {
		0, ~0ull, 0ull - seg->length, 0ull - seg->length + 1,
		handles->base + handles->size - rng_below(rng, 16),
		handles->base - rng_below(rng, 16), rng_next(rng),
		seg->offset + rng_below(rng, 9) - 4,
	};

	return rng_pick(rng, offsets);
}

static u32 mutate_handle(struct rng *rng, u32 handle,
			 const struct handles *handles)
{
	u32 known = handles->n ? handles->handle[rng_below(rng, handles->n)] :
				 handle + 1;
	const u32 words[] = {
		rng_word(rng), handle ^ (1u << rng_below(rng, 32)),
		rng_one_in(rng, 2) ? 0 : ~0u, known, known,
	};

	return rng_pick(rng, words);
}

static void mutate_segment(struct rpcrdma_segment *seg, struct rng *rng,
			   const struct handles *handles)
{
	switch (rng_below(rng, 4)) {
	case 0:
		seg->handle = mutate_handle(rng, seg->handle, handles);
		break;
	case 1:
		seg->offset = mutate_offset(rng, seg, handles);
		break;
	default:
		seg->length = mutate_word(rng, seg->length);
	}
}

static bool fixed(struct message *m, struct rng *rng,
		  const struct handles *handles)
{
	static const u32 versions[] = { 0, 1, 2, 3, ~0u };

	switch (rng_below(rng, 6)) {
	case 0:
		m->wire_version = rng_pick(rng, versions);
		break;
	case 1:
		m->type = mutate_word(rng, m->type);
		break;
	case 2:
	case 3:
		m->type = rng_below(rng, 11);
		break;
	default:
		m->credits = rng_one_in(rng, 2) ? 0 : ~0u;
	}
	return true;
}

static bool version2(struct message *m, struct rng *rng,
		     const struct handles *handles)
{
	if (m->version != RPCRDMA_VERSION_2)
		return false;
	if (rng_one_in(rng, 2))
		m->flags = mutate_word(rng, m->flags);
	else
		m->inv_handle = mutate_handle(rng, m->inv_handle, handles);
	return true;
}

static bool padded(struct message *m, struct rng *rng,
		   const struct handles *handles)
{
	if (m->version != RPCRDMA_VERSION_1 || !m->lists)
		return false;
	m->padded = true;
	m->type = RPCRDMA_MSGP;
	m->align = mutate_word(rng, 64);
	m->thresh = mutate_word(rng, 512);
	return true;
}

static bool position(struct message *m, struct rng *rng,
		     const struct handles *handles)
{
	struct msg_read *read = &m->reads[rng_below(rng, m->nreads)];

	if (!m->nreads)
		return false;
	read->position = rng_one_in(rng, 3) ?
			 rng_below(rng, 64) * 4 :
			 mutate_word(rng, read->position);
	return true;
}

static bool read_segment(struct message *m, struct rng *rng,
			 const struct handles *handles)
{
	if (!m->nreads)
		return false;
	mutate_segment(&m->reads[rng_below(rng, m->nreads)].seg, rng, handles);
	return true;
}

/* Add, remove or exchange entries of the Read list. */
static bool read_list(struct message *m, struct rng *rng,
		      const struct handles *handles)
{
	struct msg_read *read = &m->reads[rng_below(rng, m->nreads)];
	struct msg_read *other = &m->reads[rng_below(rng, m->nreads)];
	struct msg_read saved;

	if (!m->nreads)
		return false;
	switch (rng_below(rng, 6)) {
	case 0:
		m->nreads--;
		break;
	case 1:
		saved = *read;
		*read = *other;
		*other = saved;
		break;
	case 2:
		read->more = mutate_word(rng, 1);
		break;
	case 3:
		m->reads_end = mutate_word(rng, 0);
		break;
	case 4:
		read->seg.length = 0;
		break;
	default:
		message_read(m, read->position, &read->seg);
	}
	return true;
}

static struct msg_chunk *any_chunk(struct message *m, struct rng *rng)
{
	if (m->reply.more && (!m->nwrites || rng_one_in(rng, 2)))
		return &m->reply;
	return m->nwrites ? &m->writes[rng_below(rng, m->nwrites)] : NULL;
}

static bool chunk_segment(struct message *m, struct rng *rng,
			  const struct handles *handles)
{
	struct msg_chunk *chunk = any_chunk(m, rng);

	if (!chunk || !chunk->nsegs)
		return false;
	mutate_segment(&chunk->segs[rng_below(rng, chunk->nsegs)], rng,
		       handles);
	return true;
}

/* Add or remove segments, or change the segment count. */
static bool chunk_count(struct message *m, struct rng *rng,
			const struct handles *handles)
{
	struct msg_chunk *chunk = any_chunk(m, rng);

	if (!chunk)
		return false;
	switch (rng_below(rng, 6)) {
	case 0:
		chunk->count = mutate_word(rng, chunk->count);
		break;
	case 1:
		chunk->more = mutate_word(rng, 1);
		break;
	case 2:
		chunk->count = 0;
		chunk->nsegs = 0;
		break;
	case 3:
		if (chunk->nsegs)
			chunk->segs[chunk->nsegs - 1].length = 0;
		break;
	default:
		if (chunk->nsegs)
			message_segment(chunk, &chunk->segs[0]);
	}
	return true;
}

static bool write_list(struct message *m, struct rng *rng,
		       const struct handles *handles)
{
	const struct msg_chunk *chunk = any_chunk(m, rng);

	if (!chunk)
		return false;
	switch (rng_below(rng, 4)) {
	case 0:
		m->writes_end = mutate_word(rng, 0);
		break;
	case 1:
		m->nwrites -= !!m->nwrites;
		break;
	case 2:
		m->reply = *chunk;
		break;
	default:
		*message_write(m) = *chunk;
	}
	return true;
}

/* Change words of the RPC message, or of the body in its place. */
static bool body(struct message *m, struct rng *rng,
		 const struct handles *handles)
{
	u8 *p = m->payload + 4 * rng_below(rng, m->payload_len / 4);
	u32 *word = &m->words[rng_below(rng, m->nwords)];

	if (!m->lists) {
		if (m->nwords)
			*word = mutate_word(rng, *word);
		return m->nwords;
	}
	if (m->payload_len < 4)
		return false;
	if (rng_one_in(rng, 3))
		m->payload_len = rng_below(rng, m->payload_len);
	else
		put_unaligned_be32(mutate_word(rng, get_unaligned_be32(p)), p);
	return true;
}

static const struct mutation {
	const char *name;
	bool (*apply)(struct message *m, struct rng *rng,
		      const struct handles *handles);
} mutations[] = {
	{ "fixed", fixed },
	{ "version2", version2 },
	{ "padded", padded },
	{ "position", position },
	{ "read-segment", read_segment },
	{ "read-list", read_list },
	{ "chunk-segment", chunk_segment },
	{ "chunk-count", chunk_count },
	{ "write-list", write_list },
	{ "body", body },
};

/* Apply a mutation that makes sense for @m. Return: its name. */
const char *mutate_message(struct message *m, struct rng *rng,
			   const struct handles *handles)
{
	const struct mutation *mutation;

	do {
		mutation = &rng_pick(rng, mutations);
	} while (!mutation->apply(m, rng, handles));
	return mutation->name;
}

/* Mutate bytes, regardless of fields. Return: the new length. */
u32 mutate_bytes(u8 *buf, u32 len, struct rng *rng)
{
	u32 i, n = 1 + rng_below(rng, 8);

	if (!len)
		return 0;
	switch (rng_below(rng, 3)) {
	case 0:
		return rng_below(rng, len);
	case 1:
		for (i = 0; i < n; i++)
			buf[rng_below(rng, len)] ^= 1 << rng_below(rng, 8);
		return len;
	default:
		/* Mostly the header. */
		n = rng_below(rng, len < 128 ? len : 128);
		buf[n] = rng_word(rng);
		return len;
	}
}
