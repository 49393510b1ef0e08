// SPDX-License-Identifier: GPL-2.0-only
/* Calls as an honest client might send them: RPC messages and their chunks. */

#include "caller.h"

#define NFS		100003u
#define OP_LOOKUP	15u
#define OP_PUTROOTFH	24u
#define OP_READ		25u
#define OP_READDIR	26u
#define OP_WRITE	38u

static const char tag[] = "a-tag-that-may-be-in-a-chunk";

static void put_call(struct message *m, u32 vers, u32 proc)
{
	u32 head[] = {
		m->xid, 0, 2, NFS, vers, proc, 1, 20, 0, 0, 0, 0, 0, 0, 0
	};
	u32 i;

	for (i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		message_put(m, head[i]);
}

static void put_compound(struct message *m, u32 ops)
{
	put_call(m, 4, 1);
	message_opaque(m, tag, strlen(tag));
	message_put(m, 0);
	message_put(m, ops);
	message_put(m, OP_PUTROOTFH);
}

static void put_lookup(struct message *m, const char *name, u32 more)
{
	put_compound(m, 2 + more);
	message_put(m, OP_LOOKUP);
	message_opaque(m, name, strlen(name));
}

/* The anonymous stateid */
static void put_stateid(struct message *m)
{
	u32 i;

	for (i = 0; i < 4; i++)
		message_put(m, 0);
}

static void put_read(struct message *m, u32 offset, u32 count)
{
	message_put(m, OP_READ);
	put_stateid(m);
	message_put(m, 0);
	message_put(m, offset);
	message_put(m, count);
}

/* @len bytes of the sink in a chunk of up to 4 segments */
static void sink_chunk(struct session *s, struct msg_chunk *chunk,
		       struct rng *rng, u32 len)
{
	u32 n = 1 + rng_below(rng, 4), part;
	struct rpcrdma_segment seg;

	chunk->more = 1;
	chunk->count = 0;
	chunk->nsegs = 0;
	while (n--) {
		part = n ? rng_below(rng, len + 1) : len;
		seg = memory_sink(s->mem, rng_below(rng, SINK_SIZE - part),
				  part);
		message_segment(chunk, &seg);
		len -= part;
	}
}

/* @len bytes for a Read chunk of up to 4 segments */
static void source_chunk(struct session *s, struct message *m, struct rng *rng,
			 u32 position, const u8 *data, u32 len)
{
	u32 n = 1 + rng_below(rng, 4), part;
	struct rpcrdma_segment seg;

	while (n--) {
		part = n ? rng_below(rng, len + 1) : len;
		seg = memory_source(s->mem, data, part);
		message_read(m, position, &seg);
		data += part;
		len -= part;
	}
}

static void null(struct session *s, struct message *m, struct rng *rng)
{
	put_call(m, rng_one_in(rng, 2) ? 3 : 4, 0);
}

static void lookup(struct session *s, struct message *m, struct rng *rng)
{
	put_lookup(m, "data", 0);
}

static void read_inline(struct session *s, struct message *m, struct rng *rng)
{
	put_lookup(m, "data", 1);
	put_read(m, rng_below(rng, BODY), rng_below(rng, 6000));
}

static void read_write_chunk(struct session *s, struct message *m,
			     struct rng *rng)
{
	u32 len = 1 + rng_below(rng, rng_one_in(rng, 3) ? BODY : 5000);

	put_lookup(m, "data", 1);
	put_read(m, rng_below(rng, 5000), len);
	sink_chunk(s, message_write(m), rng, len + rng_below(rng, 100));
	if (rng_one_in(rng, 4))
		sink_chunk(s, &m->reply, rng, 8192);
}

static void read_reply_chunk(struct session *s, struct message *m,
			     struct rng *rng)
{
	put_lookup(m, "data", 1);
	put_read(m, rng_below(rng, 5000), rng_below(rng, 20000));
	sink_chunk(s, &m->reply, rng, 24000);
}

static void read_two(struct session *s, struct message *m, struct rng *rng)
{
	put_lookup(m, "data", 2);
	put_read(m, 0, 4096);
	put_read(m, 100, rng_below(rng, 5000));
	sink_chunk(s, message_write(m), rng, 8192);
	sink_chunk(s, message_write(m), rng, rng_below(rng, 8192));
	if (rng_one_in(rng, 2))
		sink_chunk(s, &m->reply, rng, 8192);
}

static void readdir(struct session *s, struct message *m, struct rng *rng)
{
	static const u32 words[] = {
		OP_READDIR, 0, 0, 0, 0, 4096, 32768, 2, 0x18, 0x30,
	};
	u32 i;

	put_compound(m, 2);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		message_put(m, words[i]);
	sink_chunk(s, &m->reply, rng, 36000);
}

/* With the data in a Read chunk, or inline */
static void write_file(struct session *s, struct message *m, struct rng *rng)
{
	static const u8 data[20000] = "data of a WRITE";
	u32 len = rng_below(rng, rng_one_in(rng, 3) ? sizeof(data) : 3000);

	put_lookup(m, "scratch", 1);
	message_put(m, OP_WRITE);
	put_stateid(m);
	message_put(m, 0);
	message_put(m, rng_below(rng, BODY));
	message_put(m, 0);
	if (len < 1000 && rng_one_in(rng, 2)) {
		message_opaque(m, data, len);
		return;
	}
	message_put(m, len);
	source_chunk(s, m, rng, m->payload_len, data, len);
}

/* The tag is in a Read chunk, where no server expects one. */
static void tag_chunk(struct session *s, struct message *m, struct rng *rng)
{
	put_call(m, 4, 1);
	message_put(m, strlen(tag));
	source_chunk(s, m, rng, m->payload_len, (const u8 *)tag, strlen(tag));
	message_put(m, 0);
	message_put(m, 1);
	message_put(m, OP_PUTROOTFH);
}

static void garbage(struct session *s, struct message *m, struct rng *rng)
{
	u32 n = rng_below(rng, 100);

	if (rng_one_in(rng, 2))
		put_call(m, rng_below(rng, 6), rng_below(rng, 30));
	while (n--)
		message_put(m, rng_one_in(rng, 3) ? rng_word(rng)
						  : rng_below(rng, 40));
}

/* A message that this peer must not send: a reply, with or without a call */
static void reverse_reply(struct session *s, struct message *m, struct rng *rng)
{
	u32 n = rng_below(rng, 8);

	message_put(m, m->xid);
	message_put(m, 1);
	while (n--)
		message_put(m, 0);
}

static void done(struct session *s, struct message *m, struct rng *rng)
{
	m->lists = false;
	m->type = RPCRDMA_DONE;
}

static void error(struct session *s, struct message *m, struct rng *rng)
{
	u32 n = rng_below(rng, 4);

	m->lists = false;
	m->type = RPCRDMA_ERROR;
	message_word(m, rng_below(rng, 12));
	while (n--)
		message_word(m, mutate_word(rng, 1));
}

/* v2 draft section 4.1: number, and per property id, length and value */
static void connprop(struct session *s, struct message *m, struct rng *rng)
{
	static const u32 ids[] = {
		RPCRDMA2_PROP_RBSIZ, RPCRDMA2_PROP_BRS,
		RPCRDMA2_PROP_REMOTE_INV, RPCRDMA2_PROP_READ_REPLIES,
		RPCRDMA2_PROP_HTYPES, RPCRDMA2_PROP_NOCHANGE, 0, 77,
	};
	u32 n = rng_below(rng, 6), words, i, j;

	m->lists = false;
	m->type = RPCRDMA2_CONNPROP;
	m->flags = rng_one_in(rng, 4);
	message_word(m, rng_one_in(rng, 8) ? mutate_word(rng, n) : n);
	for (i = 0; i < n; i++) {
		words = rng_one_in(rng, 2) ? 1 : rng_below(rng, 5);
		message_word(m, rng_pick(rng, ids));
		message_word(m, rng_one_in(rng, 8) ?
			     mutate_word(rng, 4 * words) : 4 * words);
		for (j = 0; j < words; j++)
			message_word(m, mutate_word(rng, j ? 1 : 4096));
	}
}

/* Move the RPC message into a position-zero Read chunk. */
static void make_long(struct session *s, struct message *m, struct rng *rng)
{
	u32 len = m->payload_len;

	m->type = RPCRDMA_NOMSG;
	m->payload_len = 0;
	source_chunk(s, m, rng, 0, m->payload, len);
}

static const struct {
	const char *name;
	void (*build)(struct session *s, struct message *m, struct rng *rng);
	u32 version;
} calls[] = {
	{ "null", null },
	{ "lookup", lookup },
	{ "read-inline", read_inline },
	{ "read-write-chunk", read_write_chunk },
	{ "read-write-chunk", read_write_chunk },
	{ "read-reply-chunk", read_reply_chunk },
	{ "read-two", read_two },
	{ "readdir", readdir },
	{ "write", write_file },
	{ "write", write_file },
	{ "tag-chunk", tag_chunk },
	{ "garbage", garbage },
	{ "reverse-reply", reverse_reply },
	{ "done", done },
	{ "error", error },
	{ "connprop", connprop, RPCRDMA_VERSION_2 },
	{ "request", change_request, RPCRDMA_VERSION_2 },
	{ "answer", change_answer, RPCRDMA_VERSION_2 },
	{ "update", change_update, RPCRDMA_VERSION_2 },
};

/* Fill in @m. Return: its name. */
const char *call_build(struct session *s, struct message *m, struct rng *rng)
{
	u32 i = rng_below(rng, sizeof(calls) / sizeof(calls[0]));
	u32 version = s->version;

	if (rng_one_in(rng, 20))
		version ^= RPCRDMA_VERSION_1 ^ RPCRDMA_VERSION_2;
	if (calls[i].version)
		version = calls[i].version;
	message_init(m, version, ++s->xid, RPCRDMA_MSG);
	calls[i].build(s, m, rng);
	if (version == RPCRDMA_VERSION_2 && m->lists && m->nwrites)
		m->inv_handle = rng_one_in(rng, 2) ? s->mem->sink_mr->rkey : 0;
	if (m->lists && m->payload_len && rng_one_in(rng, 6))
		make_long(s, m, rng);
	return calls[i].name;
}

/* A call that the server must be able to serve, whatever came before it */
void call_properties(struct session *s, struct message *m)
{
	message_init(m, RPCRDMA_VERSION_2, ++s->xid, RPCRDMA2_CONNPROP);
	m->lists = false;
	message_word(m, 0);
}

/* READ without any chunk for its reply */
void call_long(struct session *s, struct message *m, u32 len)
{
	message_init(m, s->version, ++s->xid, RPCRDMA_MSG);
	put_lookup(m, "data", 1);
	put_read(m, 0, len);
}

/* Replies may come in Read chunks, and properties may change. */
void call_wish(struct session *s, struct message *m)
{
	message_init(m, RPCRDMA_VERSION_2, ++s->xid, RPCRDMA2_CONNPROP);
	m->lists = false;
	message_word(m, 2);
	message_word(m, RPCRDMA2_PROP_READ_REPLIES);
	message_word(m, 4);
	message_word(m, 1);
	message_word(m, RPCRDMA2_PROP_HTYPES);
	message_word(m, 8);
	message_word(m, 2);
	/* Types 3, 7, 8 and 9 */
	message_word(m, 0x88030000);
}

void call_null(struct session *s, struct message *m)
{
	message_init(m, s->version, ++s->xid, RPCRDMA_MSG);
	put_call(m, 4, 0);
}

/* READ into the beginning of the sink */
void call_read(struct session *s, struct message *m, u32 offset, u32 len)
{
	struct rpcrdma_segment seg = memory_sink(s->mem, 0, len);

	message_init(m, s->version, ++s->xid, RPCRDMA_MSG);
	put_lookup(m, "data", 1);
	put_read(m, offset, len);
	message_segment(message_write(m), &seg);
}
