// SPDX-License-Identifier: GPL-2.0-only
/* Steps that build a message. */

#include "peer.h"

static void begin(struct peer *p)
{
	message_init(&p->m, p->m.version, ++p->s.xid, p->m.type);
	p->cut = ~0u;
}

/* v1: begin a message of type @a[0] */
STEP(v1)
{
	p->m.version = RPCRDMA_VERSION_1;
	p->m.type = st->a[0];
	begin(p);
	return 0;
}

/* v2: the same in version 2, with the flags @a[1]; answers are in that version */
STEP(v2)
{
	p->s.version = RPCRDMA_VERSION_2;
	p->m.version = RPCRDMA_VERSION_2;
	p->m.type = st->a[0];
	begin(p);
	p->m.flags = st->a[1];
	p->m.lists = st->a[0] == RPCRDMA2_MSG || st->a[0] == RPCRDMA2_NOMSG;
	return 0;
}

/* version: of the answers from now on */
STEP(version)
{
	p->s.version = st->a[0];
	return 0;
}

/* field: see FIELD() */
STEP(field)
{
	memcpy((u8 *)&p->m + st->a[0], &st->a[1], sizeof(st->a[1]));
	return 0;
}

/* cut: send @a[0] bytes only */
STEP(cut)
{
	p->cut = st->a[0];
	return 0;
}

static struct rpcrdma_segment segment(struct peer *p, u32 at, u32 len)
{
	return memory_sink(&p->s.mem, at, len);
}

static struct msg_chunk *last_chunk(struct peer *p)
{
	return p->m.replies ? &p->m.reply : &p->m.writes[p->m.nwrites - 1];
}

/* read: position, place in memory, length */
STEP(read)
{
	struct rpcrdma_segment seg = segment(p, st->a[1], st->a[2]);

	message_read(&p->m, st->a[0], &seg);
	return 0;
}

/* reads: @a[0] of them, of @a[3] bytes each; positions @a[1], @a[1] + @a[2], ... */
STEP(reads)
{
	struct rpcrdma_segment seg;
	u32 i;

	for (i = 0; i < st->a[0]; i++) {
		seg = segment(p, 64 * i, st->a[3]);
		message_read(&p->m, st->a[1] + i * st->a[2], &seg);
	}
	return 0;
}

/* segments: @a[0] of @a[1] bytes each, one beside the other, in the last chunk */
STEP(segments)
{
	struct rpcrdma_segment seg;
	u32 i;

	for (i = 0; i < st->a[0]; i++) {
		seg = segment(p, i * st->a[1], st->a[1]);
		message_segment(last_chunk(p), &seg);
	}
	return 0;
}

static int put_chunk(struct peer *p, struct msg_chunk *chunk,
		     const struct step *st)
{
	struct rpcrdma_segment seg = segment(p, st->a[0], st->a[1]);

	if (st->a[1])
		message_segment(chunk, &seg);
	return 0;
}

/* write, reply: a chunk with a segment at @a[0] of @a[1] bytes, or without any */
STEP(write)
{
	return put_chunk(p, message_write(&p->m), st);
}

STEP(reply)
{
	p->m.replies = true;
	return put_chunk(p, message_chunk(&p->m.reply), st);
}

/* spoil: the first segment has no valid handle */
STEP(spoil)
{
	struct rpcrdma_segment *seg = p->m.nreads ? &p->m.reads[0].seg :
						    &last_chunk(p)->segs[0];

	seg->handle ^= 0x5a5a5a;
	return 0;
}

/* word: one word of the body */
STEP(word)
{
	message_word(&p->m, st->a[0]);
	return 0;
}

/* words: @a[0] of them */
STEP(words)
{
	u32 i;

	for (i = 0; i < st->a[0]; i++)
		message_word(&p->m, st->a[1 + i]);
	return 0;
}

/* property: @a[0] with the value @a[1] */
STEP(property)
{
	message_property(&p->m, st->a[0], st->a[1]);
	return 0;
}

/* put: @a[0] words of the RPC message, all of them @a[1] */
STEP(put)
{
	message_puts(&p->m, st->a[0], st->a[1]);
	return 0;
}

/* A call with AUTH_SYS */
void rpc_call(struct message *m, u32 prog, u32 vers, u32 proc)
{
	const u32 head[] = { m->xid, 0, 2, prog, vers, proc, 1, 20 };
	u32 i;

	for (i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		message_put(m, head[i]);
	message_puts(m, 7, 0);
}

/* call: header of a call: program, version, procedure */
STEP(call)
{
	rpc_call(&p->m, st->a[0], st->a[1], st->a[2]);
	return 0;
}

STEP(null)
{
	rpc_call(&p->m, RPC_NFS, 4, 0);
	return 0;
}

static void put_opaque(struct message *m, const char *text, bool length_only)
{
	if (length_only)
		message_put(m, strlen(text));
	else
		message_opaque(m, text, strlen(text));
}

/* open: LOOKUP of "data", and @a[0] more operations; without the parts in @a[1] */
STEP(open)
{
	rpc_call(&p->m, RPC_NFS, 4, 1);
	put_opaque(&p->m, RPC_TAG, st->a[1] & TAG_MOVED);
	message_put(&p->m, 0);
	message_put(&p->m, 2 + st->a[0]);
	message_put(&p->m, OP_PUTROOTFH);
	message_put(&p->m, OP_LOOKUP);
	put_opaque(&p->m, "data", st->a[1] & NAME_MOVED);
	return 0;
}

/*
 * nfs_read: READ of @a[1] bytes at @a[0], with the anonymous stateid; @a[2] more in each
 * turn of the loop
 */
STEP(nfs_read)
{
	message_put(&p->m, OP_READ);
	message_puts(&p->m, 5, 0);
	message_put(&p->m, st->a[0]);
	message_put(&p->m, st->a[1] + st->a[2] * p->turn);
	return 0;
}

/* stretch: zeros at the end, until the message has @a[0] bytes */
STEP(stretch)
{
	u8 buf[MSG_SIZE];

	message_puts(&p->m, (st->a[0] - message_encode(&p->m, buf)) / 4, 0);
	return 0;
}

/*
 * move: the RPC message into memory at @a[0], in two segments at position zero; between
 * them comes another one, like that of "read", unless it is empty
 */
STEP(move)
{
	const struct step other = DO(read, st->a[1], st->a[2], st->a[3]);
	const struct step first = DO(read, 0, st->a[0], 10);
	const struct step second = DO(read, 0, st->a[0] + 10,
				      p->m.payload_len - 10);

	memory_set(&p->s.mem, st->a[0], p->m.payload, p->m.payload_len);
	p->m.payload_len = 0;
	do_read(p, &first);
	if (st->a[3])
		do_read(p, &other);
	return do_read(p, &second);
}

/* Return: whether a step only builds a message. */
bool is_build(const struct step *st)
{
	static int (* const steps[])(struct peer *p, const struct step *st) = {
		do_v1, do_v2, do_field, do_cut, do_read, do_reads,
		do_segments, do_write, do_reply, do_spoil, do_word, do_words,
		do_property, do_put, do_null, do_call, do_open,
		do_nfs_read, do_stretch, do_move,
	};
	u32 i;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] == st->run)
			return true;
	return false;
}
