// SPDX-License-Identifier: GPL-2.0-only
/* Messages: built field by field, and encoded without any checks. */

#include "verbs.h"

struct writer {
	u8 *p;
	u8 *end;
};

void message_init(struct message *m, u32 version, u32 xid, u32 type)
{
	/* The rest need not be cleared: counts say which entries are valid. */
	memset(m, 0, offsetof(struct message, reads));
	m->nwrites = 0;
	m->replies = false;
	m->nwords = 0;
	m->payload_len = 0;
	m->xid = xid;
	m->version = version;
	m->wire_version = version;
	m->credits = 32;
	m->size = MSG_SIZE;
	m->type = type;
	m->lists = true;
}

/* Begin a message without chunks and RPC message, as only version 2 has. */
void message_control(struct message *m, u32 xid, u32 type, u32 flags)
{
	message_init(m, RPCRDMA_VERSION_2, xid, type);
	m->lists = false;
	m->flags = flags;
}

void message_read(struct message *m, u32 position,
		  const struct rpcrdma_segment *seg)
{
	if (m->nreads == MSG_READS)
		return;
	m->reads[m->nreads].position = position;
	m->reads[m->nreads++].seg = *seg;
}

/* Add an empty Write chunk; return the last one if there are too many. */
struct msg_chunk *message_write(struct message *m)
{
	if (m->nwrites < MSG_CHUNKS)
		m->nwrites++;
	return message_chunk(&m->writes[m->nwrites - 1]);
}

/* Begin a chunk. */
struct msg_chunk *message_chunk(struct msg_chunk *chunk)
{
	chunk->count = 0;
	chunk->nsegs = 0;
	return chunk;
}

void message_segment(struct msg_chunk *chunk, const struct rpcrdma_segment *seg)
{
	if (chunk->nsegs == MSG_SEGMENTS)
		return;
	chunk->segs[chunk->nsegs++] = *seg;
	chunk->count++;
}

/* Append a word to a body that is not an RPC message. */
void message_word(struct message *m, u32 word)
{
	if (m->nwords < MSG_WORDS)
		m->words[m->nwords++] = word;
}

/* Append a property whose value is a word. */
void message_property(struct message *m, u32 id, u32 value)
{
	message_word(m, id);
	message_word(m, 4);
	message_word(m, value);
}

/* Append to the RPC message. */
void message_put(struct message *m, u32 word)
{
	if (m->payload_len + sizeof(word) > MSG_PAYLOAD)
		return;
	put_unaligned_be32(word, m->payload + m->payload_len);
	m->payload_len += sizeof(word);
}

void message_puts(struct message *m, u32 count, u32 word)
{
	while (count--)
		message_put(m, word);
}

static void put(struct writer *w, u32 word)
{
	if (w->end - w->p < 4)
		return;
	put_unaligned_be32(word, w->p);
	w->p += 4;
}

static void put_segment(struct writer *w, const struct rpcrdma_segment *seg)
{
	put(w, seg->handle);
	put(w, seg->length);
	put(w, seg->offset >> 32);
	put(w, seg->offset);
}

static void put_chunk(struct writer *w, const struct msg_chunk *chunk)
{
	u32 i;

	put(w, 1);
	put(w, chunk->count);
	for (i = 0; i < chunk->nsegs; i++)
		put_segment(w, &chunk->segs[i]);
}

static void put_lists(struct writer *w, const struct message *m)
{
	u32 i;

	if (m->version == RPCRDMA_VERSION_2)
		put(w, m->inv_handle);
	for (i = 0; i < m->nreads; i++) {
		put(w, 1);
		put(w, m->reads[i].position);
		put_segment(w, &m->reads[i].seg);
	}
	put(w, 0);
	for (i = 0; i < m->nwrites; i++)
		put_chunk(w, &m->writes[i]);
	put(w, 0);
	if (m->replies)
		put_chunk(w, &m->reply);
	else
		put(w, 0);
}

/* Encode into @buf, MSG_SIZE bytes. Return: bytes used. */
u32 message_encode(const struct message *m, u8 *buf)
{
	struct writer w = { .p = buf, .end = buf + m->size };
	u32 i;

	put(&w, m->xid);
	put(&w, m->wire_version);
	put(&w, m->credits);
	put(&w, m->type);
	if (m->version == RPCRDMA_VERSION_2)
		put(&w, m->flags);
	if (m->padded) {
		put(&w, m->align);
		put(&w, m->thresh);
	}
	if (!m->lists) {
		for (i = 0; i < m->nwords; i++)
			put(&w, m->words[i]);
		return w.p - buf;
	}
	put_lists(&w, m);
	if (w.end - w.p >= m->payload_len) {
		memcpy(w.p, m->payload, m->payload_len);
		w.p += m->payload_len;
	}
	return w.p - buf;
}

/* Like rpcrdma_decode(), for both versions */
int message_decode(struct rpcrdma_hdr *hdr, const u8 *buf, u32 len)
{
	int ret = rpcrdma_decode(hdr, buf, len);

	return hdr->version == RPCRDMA_VERSION_2 ?
		       rpcrdma_decode_v2(hdr, buf, len) : ret;
}

/*
 * The segments of a decoded message's Read list, Write list and Reply chunk, at most
 * @max. Return: their number.
 */
u32 message_segments(const struct rpcrdma_hdr *hdr, struct rpcrdma_segment *segs,
		     u32 max)
{
	const struct rpcrdma_list *lists[] = { &hdr->writes, &hdr->reply };
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;
	u32 i, count, n = 0;

	rpcrdma_reads_begin(hdr, &cur);
	while (n < max && rpcrdma_reads_next(&cur, &rseg))
		segs[n++] = rseg.seg;
	for (i = 0; i < 2; i++) {
		rpcrdma_chunks_begin(hdr, lists[i], &cur);
		while (rpcrdma_chunks_next(&cur, &count))
			while (n < max && rpcrdma_segments_next(&cur, &segs[n]))
				n++;
	}
	return n;
}
