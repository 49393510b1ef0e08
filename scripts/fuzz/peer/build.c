// SPDX-License-Identifier: GPL-2.0-only
/* Steps that build a message. */

#include "peer.h"

static void begin(struct peer *p)
{
	message_init(&p->m, p->m.version, ++p->s.xid, p->m.type);
}

/* v1: begin a message of type @a[0] */
BUILD(v1)
{
	p->m.version = RPCRDMA_VERSION_1;
	p->m.type = a[0];
	begin(p);
}

/* v2: begin a message of version 2, with the flags @a[1]; expect answers in version 2 */
BUILD(v2)
{
	p->s.version = RPCRDMA_VERSION_2;
	p->m.version = RPCRDMA_VERSION_2;
	p->m.type = a[0];
	begin(p);
	p->m.flags = a[1];
	p->m.lists = a[0] == RPCRDMA2_MSG || a[0] == RPCRDMA2_NOMSG;
}

/* version: expect answers in version @a[0] from now on */
BUILD(version)
{
	p->s.version = a[0];
}

/* field: see FIELD() */
BUILD(field)
{
	memcpy((u8 *)&p->m + a[0], &a[1], sizeof(a[1]));
}

static struct msg_chunk *last_chunk(struct peer *p)
{
	return p->m.replies ? &p->m.reply : &p->m.writes[p->m.nwrites - 1];
}

/* read: add an entry of the Read list: position, place in memory, length */
BUILD(read)
{
	struct rpcrdma_segment seg = memory_sink(&p->s.mem, a[1], a[2]);

	message_read(&p->m, a[0], &seg);
}

/* reads: @a[0] entries of @a[3] bytes each, at positions @a[1], @a[1] + @a[2], ... */
BUILD(reads)
{
	struct rpcrdma_segment seg;
	u32 i;

	for (i = 0; i < a[0]; i++) {
		seg = memory_sink(&p->s.mem, 64 * i, a[3]);
		message_read(&p->m, a[1] + i * a[2], &seg);
	}
}

/* segments: @a[0] adjacent segments of @a[1] bytes each, in the last chunk */
BUILD(segments)
{
	struct rpcrdma_segment seg;
	u32 i;

	for (i = 0; i < a[0]; i++) {
		seg = memory_sink(&p->s.mem, i * a[1], a[1]);
		message_segment(last_chunk(p), &seg);
	}
}

static void put_chunk(struct peer *p, struct msg_chunk *chunk, const u32 *a)
{
	struct rpcrdma_segment seg = memory_sink(&p->s.mem, a[0], a[1]);

	if (a[1])
		message_segment(chunk, &seg);
}

/* write, reply: a chunk with a segment of @a[1] bytes at @a[0]; without segments if empty */
BUILD(write)
{
	put_chunk(p, message_write(&p->m), a);
}

BUILD(reply)
{
	p->m.replies = true;
	put_chunk(p, message_chunk(&p->m.reply), a);
}

/* spoil: make the handle of the first segment invalid */
BUILD(spoil)
{
	struct rpcrdma_segment *seg = p->m.nreads ? &p->m.reads[0].seg :
						    &last_chunk(p)->segs[0];

	seg->handle ^= 0x5a5a5a;
}

/* words: @a[0] words of the body */
BUILD(words)
{
	u32 i;

	for (i = 0; i < a[0]; i++)
		message_word(&p->m, a[1 + i]);
}

/* property: @a[0] with the value @a[1] */
BUILD(property)
{
	message_property(&p->m, a[0], a[1]);
}

/* put: @a[0] words of the RPC message, all of them @a[1] */
BUILD(put)
{
	message_puts(&p->m, a[0], a[1]);
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

/* call: the header of a call: program, version, procedure */
BUILD(call)
{
	rpc_call(&p->m, a[0], a[1], a[2]);
}

BUILD(null)
{
	rpc_call(&p->m, RPC_NFS, 4, 0);
}

static void put_text(struct message *m, const char *text, bool length_only)
{
	u32 len = strlen(text), size = rpcrdma_xdr_align(len);

	message_put(m, len);
	if (length_only)
		return;
	memset(m->payload + m->payload_len, 0, size);
	memcpy(m->payload + m->payload_len, text, len);
	m->payload_len += size;
}

/* open: LOOKUP of "data", and @a[0] more operations, without the parts in @a[1] */
BUILD(open)
{
	rpc_call(&p->m, RPC_NFS, 4, 1);
	put_text(&p->m, RPC_TAG, a[1] & TAG_MOVED);
	message_put(&p->m, 0);
	message_put(&p->m, 2 + a[0]);
	message_put(&p->m, OP_PUTROOTFH);
	message_put(&p->m, OP_LOOKUP);
	put_text(&p->m, "data", a[1] & NAME_MOVED);
}

/*
 * nfs_read: READ of @a[1] bytes at @a[0], with the anonymous stateid, plus @a[2] bytes for
 * each turn of the loop
 */
BUILD(nfs_read)
{
	message_put(&p->m, OP_READ);
	message_puts(&p->m, 5, 0);
	message_put(&p->m, a[0]);
	message_put(&p->m, a[1] + a[2] * p->turn);
}

/* nfs_write: WRITE of the file's first @a[0] bytes, unchanged, in a Read chunk */
BUILD(nfs_write)
{
	const u32 words[] = { OP_WRITE, 0, 0, 0, 0, 0, 0, 0, a[0] };
	u32 i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		message_put(&p->m, words[i]);
	for (i = 0; i < a[0]; i++)
		p->s.mem.sink[i] = file_byte(i);
	memset(p->s.mem.offered, 1, a[0]);
	build_read(p, (const u32[]){ p->m.payload_len, 0, a[0] });
}

/* stretch: append zeros until the message has @a[0] bytes */
BUILD(stretch)
{
	u8 buf[MSG_SIZE];

	message_puts(&p->m, (a[0] - message_encode(&p->m, buf)) / 4, 0);
}

/*
 * move: move the RPC message into memory at @a[0], in two segments at position zero, with
 * another entry between them, like that of "read", unless it is empty
 */
BUILD(move)
{
	const u32 first[] = { 0, a[0], 10 };
	const u32 second[] = { 0, a[0] + 10, p->m.payload_len - 10 };

	memory_set(&p->s.mem, a[0], p->m.payload, p->m.payload_len);
	p->m.payload_len = 0;
	build_read(p, first);
	if (a[3])
		build_read(p, a + 1);
	build_read(p, second);
}
