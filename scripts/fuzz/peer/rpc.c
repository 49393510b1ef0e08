// SPDX-License-Identifier: GPL-2.0-only
/* Builds RPC calls and transport headers. */

#include <arpa/inet.h>

#include "peer.h"

static u32 xid = 0x10000;

u32 next_xid(void)
{
	return ++xid;
}

u32 last_xid(void)
{
	return xid;
}

u32 word(const u8 *p)
{
	u32 value;

	memcpy(&value, p, sizeof(value));
	return ntohl(value);
}

void put32(struct peer *p, u32 value)
{
	u32 be = htonl(value);

	memcpy(p->msg + p->len, &be, sizeof(be));
	p->len += sizeof(be);
}

void put_opaque(struct peer *p, const void *data, u32 len)
{
	put32(p, len);
	memset(p->msg + p->len, 0, (len + 3) & ~3u);
	memcpy(p->msg + p->len, data, len);
	p->len += (len + 3) & ~3u;
}

/* An RPC call as root, with AUTH_SYS. */
void put_call(struct peer *p, u32 prog, u32 vers, u32 proc)
{
	u32 head[] = { xid, 0, 2, prog, vers, proc, 1, 20, 0, 0, 0, 0, 0, 0, 0 };
	unsigned int i;

	for (i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		put32(p, head[i]);
}

/* NFSv4.0 COMPOUND; if the tag is NULL, the caller adds it. */
void put_compound(struct peer *p, const char *tag, u32 ops)
{
	put_call(p, 100003, 4, 1);
	if (!tag)
		return;
	put_opaque(p, tag, strlen(tag));
	put32(p, 0);
	put32(p, ops);
}

/* Begin a message with a new XID: fixed part only. */
void put_header(struct peer *p, u32 type)
{
	p->len = 0;
	put32(p, next_xid());
	put32(p, RPCRDMA_VERSION_1);
	put32(p, 32);
	put32(p, type);
}

struct rpcrdma_segment segment(const struct peer *p, u32 offset, u32 length)
{
	struct rpcrdma_segment seg = {
		.handle = peer_handle(p),
		.length = length,
		.offset = peer_address(p, offset),
	};

	return seg;
}

void put_segment(struct peer *p, const struct rpcrdma_segment *seg)
{
	put32(p, seg->handle);
	put32(p, seg->length);
	put32(p, seg->offset >> 32);
	put32(p, seg->offset);
}

/* An entry of the Read list */
void put_read(struct peer *p, u32 position, u32 offset, u32 length)
{
	struct rpcrdma_segment seg = segment(p, offset, length);

	put32(p, 1);
	put32(p, position);
	put_segment(p, &seg);
}

/* A Write or Reply chunk with one segment */
void put_chunk(struct peer *p, u32 offset, u32 length)
{
	struct rpcrdma_segment seg = segment(p, offset, length);

	put32(p, 1);
	put32(p, 1);
	put_segment(p, &seg);
}
