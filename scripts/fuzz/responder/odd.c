// SPDX-License-Identifier: GPL-2.0-only
/*
 * A server that sends the right data with the wrong bytes after it: it omits
 * the XDR roundup, or sends extra bytes, in whichever part of the message the
 * data ends. Servers that do so are in use.
 */

#include "responder.h"

/* Bytes after the data: none at first, then one more each time, up to this */
#define EXTRA_MAX	9u

/* The bytes of the test data, which no other reply has */
static bool all_data(const u8 *p, u32 n)
{
	while (n--)
		if ((*p++ & 0xf0) != 0x40)
			return false;
	return true;
}

/* Send the whole reply in a Read chunk. */
static void lend(struct link *link, struct message *m, const u8 *rpc, u32 len)
{
	u8 *lent = link->lent + link->lends++ % LENDS * LEND_SIZE;
	const struct rpcrdma_segment seg = {
		.handle = link->lent_mr->rkey,
		.length = len,
		.offset = (uintptr_t)lent,
	};

	memcpy(lent, rpc, len);
	m->type = RPCRDMA_NOMSG;
	message_read(m, 0, &seg);
}

static void put(struct message *m, const u8 *rpc, u32 len)
{
	memcpy(m->payload, rpc, len);
	m->payload_len = len;
}

/*
 * Answer @call in the odd way if @rpc has data, and @call a place for it of the
 * wanted kind. Return: 1 if so, with the answer in @m; 0 if not; -1 on failure.
 */
int odd_build(struct responder *r, struct link *link, const struct call *call,
	      const u8 *reply, u32 reply_len, struct message *m)
{
	static u8 rpc[STAGE_SIZE + EXTRA_MAX];
	const struct rpcrdma_hdr *hdr = &call->hdr;
	u32 at = reply_payload(reply, reply_len), end, len;
	int rc = 0;

	if (r->refuse < ODD_INLINE || !at)
		return 0;
	end = at + get_unaligned_be32(reply + at - 4);
	len = end + r->refused % (EXTRA_MAX + 1);
	if (!all_data(reply + at, end - at))
		return 0;
	memcpy(rpc, reply, end);
	memset(rpc + end, 0, len - end);
	if (r->refuse == ODD_INLINE && len + 64 <= EP_RECV_SIZE) {
		put(m, rpc, len);
	} else if (r->refuse == ODD_WRITE && hdr->writes.chunks) {
		rc = reply_fill_chunk(link, hdr, &hdr->writes, rpc + at, end - at,
				      message_write(m));
		memset(rpc + at, 0, len - end);
		put(m, rpc, at + len - end);
	} else if (r->refuse == ODD_REPLY && hdr->reply.chunks &&
		   len <= hdr->reply.bytes) {
		m->type = RPCRDMA_NOMSG;
		rc = reply_fill_chunk(link, hdr, &hdr->reply, rpc, len, &m->reply);
	} else if (r->refuse == ODD_READ && len <= LEND_SIZE) {
		lend(link, m, rpc, len);
	} else {
		return 0;
	}
	r->refused++;
	return rc ? -1 : 1;
}
