// SPDX-License-Identifier: GPL-2.0-only
/*
 * A server that sends the right data with the wrong bytes after it: it omits
 * the XDR roundup, or sends extra bytes, in whichever part of the message the
 * data ends. Servers that do so are in use.
 */

#include <rpcrdma/cursor.h>

#include "responder.h"

/* Bytes after the data: none at first, then one more each time, up to this */
#define EXTRA_MAX	9u
/* Recognizes the bytes of the test data. */
#define is_data(byte)	(((byte) & 0xf0) == 0x40)

static bool all_data(const u8 *p, u32 n)
{
	while (n--)
		if (!is_data(*p++))
			return false;
	return true;
}

static int as_inline(struct link *link, const struct call *call,
		     const struct odd_reply *odd, struct message *m)
{
	memcpy(m->payload, odd->rpc, odd->len);
	m->payload_len = odd->len;
	return 0;
}

/* Send the data in the Write chunk, and the rest inline. */
static int as_write(struct link *link, const struct call *call,
		    const struct odd_reply *odd, struct message *m)
{
	u32 extra = odd->len - odd->end;

	if (reply_fill_chunk(link, &call->hdr, &call->hdr.writes,
			     odd->rpc + odd->at, odd->end - odd->at,
			     message_write(m)))
		return -1;
	memcpy(m->payload, odd->rpc, odd->at);
	memset(m->payload + odd->at, 0, extra);
	m->payload_len = odd->at + extra;
	return 0;
}

static int as_reply(struct link *link, const struct call *call,
		    const struct odd_reply *odd, struct message *m)
{
	m->type = RPCRDMA_NOMSG;
	return reply_fill_chunk(link, &call->hdr, &call->hdr.reply, odd->rpc,
				odd->len, &m->reply) ? -1 : 0;
}

/* Send the whole reply in a Read chunk. */
static int as_read(struct link *link, const struct call *call,
		   const struct odd_reply *odd, struct message *m)
{
	u8 *lent = link->lent + link->lends++ % LENDS * LEND_SIZE;
	const struct rpcrdma_segment seg = {
		.handle = link->lent_mr->rkey,
		.length = odd->len,
		.offset = (uintptr_t)lent,
	};

	memcpy(lent, odd->rpc, odd->len);
	m->type = RPCRDMA_NOMSG;
	message_read(m, 0, &seg);
	return 0;
}

static bool has_room(const struct rpcrdma_hdr *hdr, enum refuse how, u32 len)
{
	switch (how) {
	case ODD_INLINE:
		return len + 64 <= EP_RECV_SIZE;
	case ODD_WRITE:
		return hdr->writes.chunks;
	case ODD_REPLY:
		return hdr->reply.chunks && len <= hdr->reply.bytes;
	case ODD_READ:
		return len <= LEND_SIZE;
	default:
		return false;
	}
}

/*
 * Answer @call in the odd way if @rpc has data, and @call a place for it of the
 * wanted kind. Return: 1 if so, with the answer in @m; 0 if not; -1 on failure.
 */
int odd_build(struct responder *r, struct link *link, const struct call *call,
	      const u8 *rpc, u32 len, struct message *m)
{
	static u8 buf[STAGE_SIZE + EXTRA_MAX];
	struct odd_reply odd = { .rpc = buf };
	int rc;

	if (r->refuse < ODD_INLINE || len > STAGE_SIZE)
		return 0;
	odd.at = reply_payload(rpc, len);
	if (!odd.at)
		return 0;
	odd.end = odd.at + get_unaligned_be32(rpc + odd.at - 4);
	odd.len = odd.end + r->refused % (EXTRA_MAX + 1);
	if (!all_data(rpc + odd.at, odd.end - odd.at) ||
	    !has_room(&call->hdr, r->refuse, odd.len))
		return 0;
	memcpy(buf, rpc, odd.end);
	memset(buf + odd.end, 0, odd.len - odd.end);
	message_init(m, call->hdr.version, get_unaligned_be32(call->buf),
		     RPCRDMA_MSG);
	m->flags = RPCRDMA2_F_RESPONSE;
	if (r->refuse == ODD_INLINE)
		rc = as_inline(link, call, &odd, m);
	else if (r->refuse == ODD_WRITE)
		rc = as_write(link, call, &odd, m);
	else if (r->refuse == ODD_REPLY)
		rc = as_reply(link, call, &odd, m);
	else
		rc = as_read(link, call, &odd, m);
	r->refused++;
	return rc ? rc : 1;
}
