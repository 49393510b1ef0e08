// SPDX-License-Identifier: GPL-2.0-only
/*
 * RPC messages of NFSv4.0, as root; calls as an honest client might send them; other
 * messages of its own.
 */

#include "caller.h"

/* A call with AUTH_SYS */
void rpc_call(struct message *m, u32 prog, u32 vers, u32 proc)
{
	const u32 head[] = { m->xid, 0, 2, prog, vers, proc, 1, 20 };
	u32 i;

	for (i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		message_put(m, head[i]);
	message_puts(m, 7, 0);
}

/* A COMPOUND; if the tag is NULL, the caller adds it, and what follows. */
void rpc_compound(struct message *m, const char *tag, u32 ops)
{
	rpc_call(m, RPC_NFS, 4, 1);
	if (!tag)
		return;
	message_opaque(m, tag, strlen(tag));
	message_put(m, 0);
	message_put(m, ops);
}

/* A COMPOUND that opens a file, for @more operations that the caller adds */
void rpc_lookup(struct message *m, const char *tag, const char *name, u32 more)
{
	rpc_compound(m, tag, 2 + more);
	message_put(m, OP_PUTROOTFH);
	message_put(m, OP_LOOKUP);
	message_opaque(m, name, strlen(name));
}

/* With the anonymous stateid */
void rpc_read(struct message *m, u32 offset, u32 count)
{
	message_put(m, OP_READ);
	message_puts(m, 5, 0);
	message_put(m, offset);
	message_put(m, count);
}

/* The data follows. */
void rpc_write(struct message *m, u32 offset, u32 count)
{
	message_put(m, OP_WRITE);
	message_puts(m, 5, 0);
	message_put(m, offset);
	message_put(m, 0);
	message_put(m, count);
}

/* @len bytes of the sink in a chunk of up to 4 segments */
static void sink_chunk(struct caller *c, struct msg_chunk *chunk, u32 len)
{
	u32 n = 1 + rng_below(&c->rng, 4), part;
	struct rpcrdma_segment seg;

	message_chunk(chunk);
	while (n--) {
		part = n ? rng_below(&c->rng, len + 1) : len;
		seg = memory_sink(&c->s.mem,
				  rng_below(&c->rng, SINK_SIZE - part), part);
		message_segment(chunk, &seg);
		len -= part;
	}
}

/* @len bytes for a Read chunk of up to 4 segments */
static void source_chunk(struct caller *c, struct message *m, u32 position,
			 const u8 *data, u32 len)
{
	u32 n = 1 + rng_below(&c->rng, 4), part;
	struct rpcrdma_segment seg;

	while (n--) {
		part = n ? rng_below(&c->rng, len + 1) : len;
		seg = memory_source(&c->s.mem, data, part);
		message_read(m, position, &seg);
		data += part;
		len -= part;
	}
}

static void null(struct caller *c, struct message *m)
{
	rpc_call(m, RPC_NFS, rng_one_in(&c->rng, 2) ? 3 : 4, 0);
}

static void lookup(struct caller *c, struct message *m)
{
	rpc_lookup(m, RPC_TAG, "data", 0);
}

/* READ of up to @len bytes, at up to @offset */
static void put_read(struct caller *c, struct message *m, u32 offset, u32 len)
{
	rpc_lookup(m, RPC_TAG, "data", 1);
	rpc_read(m, rng_below(&c->rng, offset), rng_below(&c->rng, len));
}

static void read_inline(struct caller *c, struct message *m)
{
	put_read(c, m, BODY, 6000);
}

static void read_write_chunk(struct caller *c, struct message *m)
{
	u32 len = 1 + rng_below(&c->rng, rng_one_in(&c->rng, 3) ? BODY : 5000);

	rpc_lookup(m, RPC_TAG, "data", 1);
	rpc_read(m, rng_below(&c->rng, 5000), len);
	sink_chunk(c, message_write(m), len + rng_below(&c->rng, 100));
	if (rng_one_in(&c->rng, 4))
		sink_chunk(c, &m->reply, 8192);
}

static void read_reply_chunk(struct caller *c, struct message *m)
{
	put_read(c, m, 5000, 20000);
	sink_chunk(c, &m->reply, 24000);
}

static void read_two(struct caller *c, struct message *m)
{
	rpc_lookup(m, RPC_TAG, "data", 2);
	rpc_read(m, 0, 4096);
	rpc_read(m, 100, rng_below(&c->rng, 5000));
	sink_chunk(c, message_write(m), 8192);
	sink_chunk(c, message_write(m), rng_below(&c->rng, 8192));
	if (rng_one_in(&c->rng, 2))
		sink_chunk(c, &m->reply, 8192);
}

static void readdir(struct caller *c, struct message *m)
{
	static const u32 words[] = {
		OP_PUTROOTFH, OP_READDIR, 0, 0, 0, 0, 4096, 32768, 2, 0x18, 0x30,
	};
	u32 i;

	rpc_compound(m, RPC_TAG, 2);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		message_put(m, words[i]);
	sink_chunk(c, &m->reply, 36000);
}

/* With the data in a Read chunk, or inline */
static void write_file(struct caller *c, struct message *m)
{
	static const u8 data[20000] = "data of a WRITE";
	u32 len = rng_below(&c->rng, rng_one_in(&c->rng, 3) ? sizeof(data) : 3000);

	rpc_lookup(m, RPC_TAG, "scratch", 1);
	rpc_write(m, rng_below(&c->rng, BODY), len);
	if (len < 1000 && rng_one_in(&c->rng, 2)) {
		m->payload_len -= 4;
		message_opaque(m, data, len);
	} else {
		source_chunk(c, m, m->payload_len, data, len);
	}
}

/* The tag is in a Read chunk, where no server expects one. */
static void tag_chunk(struct caller *c, struct message *m)
{
	rpc_compound(m, NULL, 1);
	message_put(m, strlen(RPC_TAG));
	source_chunk(c, m, m->payload_len, (const u8 *)RPC_TAG, strlen(RPC_TAG));
	message_put(m, 0);
	message_put(m, 1);
	message_put(m, OP_PUTROOTFH);
}

static void garbage(struct caller *c, struct message *m)
{
	u32 n = rng_below(&c->rng, 100);

	if (rng_one_in(&c->rng, 2))
		rpc_call(m, RPC_NFS, rng_below(&c->rng, 6), rng_below(&c->rng, 30));
	while (n--)
		message_put(m, rng_one_in(&c->rng, 3) ? rng_word(&c->rng) :
							rng_below(&c->rng, 40));
}

/* A message that this peer must not send: a reply, with or without a call */
static void reverse_reply(struct caller *c, struct message *m)
{
	message_put(m, m->xid);
	message_put(m, 1);
	message_puts(m, rng_below(&c->rng, 8), 0);
}

static void done(struct caller *c, struct message *m)
{
	m->lists = false;
	m->type = RPCRDMA_DONE;
}

static void error(struct caller *c, struct message *m)
{
	u32 n = rng_below(&c->rng, 4);

	m->lists = false;
	m->type = RPCRDMA_ERROR;
	message_word(m, rng_below(&c->rng, 12));
	while (n--)
		message_word(m, mutate_word(&c->rng, 1));
}

/* v2 draft section 4.1: number, and per property id, length and value */
static void connprop(struct caller *c, struct message *m)
{
	static const u32 ids[] = {
		RPCRDMA2_PROP_RBSIZ, RPCRDMA2_PROP_BRS,
		RPCRDMA2_PROP_REMOTE_INV, RPCRDMA2_PROP_READ_REPLIES,
		RPCRDMA2_PROP_HTYPES, RPCRDMA2_PROP_NOCHANGE, 0, 77,
	};
	u32 n = rng_below(&c->rng, 6), words, i;

	m->lists = false;
	m->type = RPCRDMA2_CONNPROP;
	m->flags = rng_one_in(&c->rng, 4);
	message_word(m, rng_one_in(&c->rng, 8) ? mutate_word(&c->rng, n) : n);
	while (n--) {
		words = rng_one_in(&c->rng, 2) ? 1 : rng_below(&c->rng, 5);
		message_word(m, rng_pick(&c->rng, ids));
		message_word(m, rng_one_in(&c->rng, 8) ?
			     mutate_word(&c->rng, 4 * words) : 4 * words);
		for (i = 0; i < words; i++)
			message_word(m, mutate_word(&c->rng, i ? 1 : 4096));
	}
}

static void request(struct caller *c, struct message *m)
{
	changes_random(&c->changes, m, RPCRDMA2_REQPROP, &c->rng);
}

static void answer(struct caller *c, struct message *m)
{
	changes_random(&c->changes, m, RPCRDMA2_RESPROP, &c->rng);
}

static void update(struct caller *c, struct message *m)
{
	changes_random(&c->changes, m, RPCRDMA2_UPDPROP, &c->rng);
}

/* Move the RPC message into a position-zero Read chunk. */
static void make_long(struct caller *c, struct message *m)
{
	u32 len = m->payload_len;

	m->type = RPCRDMA_NOMSG;
	m->payload_len = 0;
	source_chunk(c, m, 0, m->payload, len);
}

static const struct {
	const char *name;
	void (*build)(struct caller *c, struct message *m);
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
	{ "request", request, RPCRDMA_VERSION_2 },
	{ "answer", answer, RPCRDMA_VERSION_2 },
	{ "update", update, RPCRDMA_VERSION_2 },
};

/* Fill in @m. Return: its name. */
const char *call_build(struct caller *c, struct message *m)
{
	u32 i = rng_below(&c->rng, sizeof(calls) / sizeof(calls[0]));
	u32 version = c->s.version;

	if (rng_one_in(&c->rng, 20))
		version ^= RPCRDMA_VERSION_1 ^ RPCRDMA_VERSION_2;
	if (calls[i].version)
		version = calls[i].version;
	message_init(m, version, ++c->s.xid, RPCRDMA_MSG);
	calls[i].build(c, m);
	if (version == RPCRDMA_VERSION_2 && m->lists && m->nwrites)
		m->inv_handle = rng_one_in(&c->rng, 2) ?
				c->s.mem.sink_mr->rkey : 0;
	if (m->lists && m->payload_len && rng_one_in(&c->rng, 6))
		make_long(c, m);
	return calls[i].name;
}

/* READ without any chunk for its reply */
void call_long(struct caller *c, struct message *m, u32 len)
{
	message_init(m, c->s.version, ++c->s.xid, RPCRDMA_MSG);
	rpc_lookup(m, RPC_TAG, "data", 1);
	rpc_read(m, 0, len);
}
