// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds and removes the padding in an RDMA_MSGP (RFC 5666 section 3.9).
 *
 * Operation: in each opaque item of at least rdma_thresh bytes, padding follows
 * the length and aligns the first byte of data to a multiple of rdma_align. The
 * alignment is relative to the start of the transport header, with which the
 * message begins in the receiver's buffer. Only the RPC program knows where the
 * items are. This file knows two messages, both of which end with their data:
 * the NFSv3 WRITE call and the NFSv3 READ reply. All items before the data must
 * be too short to be padded. The bytes before the padding are moved up to the
 * data, because they are fewer than the data.
 *
 * RFC 5666 contradicts itself on whether an item of exactly rdma_thresh bytes
 * is padded. Nothing follows the item, so the message length tells whether it
 * is padded.
 *
 * Errors: a message is refused if the position of its padding is unknown, or if
 * it does not end with the data.
 */

#include <rpcrdma/padding.h>

#include "rpc.h"

#define PADDING_RPCSEC_GSS	6u

/* RFC 2203 section 5: data without integrity or privacy */
#define PADDING_GSS_VERSION	1u
#define PADDING_GSS_DATA	0u
#define PADDING_GSS_SVC_NONE	1u

/* RFC 1813 sections 2.4, 2.5 and 3.3.7 */
#define PADDING_NFS		100003u
#define PADDING_NFS_V3		3u
#define PADDING_NFS3_OK		0u
#define PADDING_NFS3_WRITE	7u
#define PADDING_NFS3_FHSIZE	64u
#define PADDING_NFS3_FATTR	84u

static void rpcrdma_padding_expect(struct rpcrdma_words *cur, u32 value)
{
	if (rpcrdma_words_get(cur) != value)
		cur->bad = true;
}

/* Skip an opaque item of at most @max bytes that is too short to be padded. */
static void rpcrdma_padding_short_item(struct rpcrdma_words *cur,
				       const struct rpcrdma_hdr *hdr, u32 max)
{
	u32 length = rpcrdma_words_get(cur);

	if (length > max || length >= hdr->thresh)
		cur->bad = true;
	else
		rpcrdma_words_skip_opaque(cur, length);
}

/*
 * Skip a credential. With RPCSEC_GSS integrity or privacy, the arguments are
 * inside another opaque item. Unknown flavors are refused because they might
 * wrap the arguments as well.
 */
static void rpcrdma_padding_credential(struct rpcrdma_words *cur,
				       const struct rpcrdma_hdr *hdr)
{
	u32 flavor = rpcrdma_words_get(cur);
	struct rpcrdma_words body = *cur;

	rpcrdma_padding_short_item(cur, hdr, RPC_AUTH_MAX);
	if (flavor == RPC_AUTH_NONE || flavor == RPC_AUTH_SYS)
		return;
	body.end = cur->at;
	rpcrdma_words_skip(&body, RPCRDMA_XDR_UNIT);
	rpcrdma_padding_expect(&body, PADDING_GSS_VERSION);
	rpcrdma_padding_expect(&body, PADDING_GSS_DATA);
	rpcrdma_words_skip(&body, RPCRDMA_XDR_UNIT);
	rpcrdma_padding_expect(&body, PADDING_GSS_SVC_NONE);
	if (flavor != PADDING_RPCSEC_GSS || body.bad)
		cur->bad = true;
}

static void rpcrdma_padding_verifier(struct rpcrdma_words *cur,
				     const struct rpcrdma_hdr *hdr)
{
	rpcrdma_words_skip(cur, RPCRDMA_XDR_UNIT);
	rpcrdma_padding_short_item(cur, hdr, RPC_AUTH_MAX);
}

/* Returns the bytes of padding in the last item, or RPCRDMA_EPADDING. */
static int rpcrdma_padding_last_item(struct rpcrdma_words *cur,
				     const struct rpcrdma_hdr *hdr)
{
	u32 length = rpcrdma_words_get(cur);
	u32 rest = hdr->len - cur->at;
	u32 bytes = -cur->at & (hdr->align - 1);

	if (cur->bad)
		return RPCRDMA_EPADDING;
	if (length < hdr->thresh)
		return 0;
	if (length > rest || rpcrdma_xdr_align(length) > rest)
		return RPCRDMA_EPADDING;
	rest -= rpcrdma_xdr_align(length);
	if (rest == bytes)
		return bytes;
	return rest || length != hdr->thresh ? RPCRDMA_EPADDING : 0;
}

/* Remove the padding of the last item, which begins at @cur. */
static int rpcrdma_padding_remove(struct rpcrdma_words *cur,
				  struct rpcrdma_hdr *hdr, void *buf)
{
	int bytes = rpcrdma_padding_last_item(cur, hdr);
	void *message = buf + hdr->payload;

	if (bytes < 0)
		return bytes;
	memmove(message + bytes, message, cur->at - hdr->payload);
	hdr->payload += bytes;
	hdr->type = RPCRDMA_MSG;
	return 0;
}

/**
 * rpcrdma_padding_decode - decode the header fields that only RDMA_MSGP has
 * @hdr: view of an RDMA_MSGP, with the fixed part filled in
 *
 * RFC 5666 section 4.3, struct rpc_rdma_header_padded. The chunk lists follow
 * these fields.
 *
 * Context: any.
 * Return: 0 or RPCRDMA_ESHORT.
 */
int rpcrdma_padding_decode(struct rpcrdma_hdr *hdr)
{
	const u8 *p = hdr->base + RPCRDMA_V1_FIXED_SIZE;

	if (hdr->len < RPCRDMA_V1_FIXED_SIZE + RPCRDMA_V1_MSGP_EXTRA)
		return RPCRDMA_ESHORT;
	hdr->align = get_unaligned_be32(p);
	hdr->thresh = get_unaligned_be32(p + RPCRDMA_XDR_UNIT);
	return 0;
}

/*
 * True if the message cannot have padding: XDR aligns all items to four bytes
 * anyway, and no item is longer than the message.
 */
static bool rpcrdma_padding_none(const struct rpcrdma_hdr *hdr)
{
	if (!hdr->align)
		return true;
	if (hdr->align <= RPCRDMA_XDR_UNIT && is_power_of_2(hdr->align))
		return true;
	return hdr->len - hdr->payload < hdr->thresh;
}

/**
 * rpcrdma_decode_msgp - like rpcrdma_decode(), but simplify RDMA_MSGP
 * @hdr: view to fill in; it points into @buf
 * @buf: received message
 * @len: bytes in @buf
 *
 * RFC 5666 section 3.9. If an RDMA_MSGP cannot have padding, its type becomes
 * RDMA_MSG.
 *
 * Context: any.
 * Return: see rpcrdma_decode().
 */
int rpcrdma_decode_msgp(struct rpcrdma_hdr *hdr, const void *buf, u32 len)
{
	int ret = rpcrdma_decode(hdr, buf, len);

	if (unlikely(hdr->type == RPCRDMA_MSGP) && !ret &&
	    rpcrdma_padding_none(hdr))
		hdr->type = RPCRDMA_MSG;
	return ret;
}
EXPORT_SYMBOL_GPL(rpcrdma_decode_msgp);

/*
 * Start to read an RPC message after its XID. Sets @bad if its padding cannot
 * be located.
 */
static struct rpcrdma_words
rpcrdma_padding_begin(const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_words cur = { .base = hdr->base, .end = hdr->len };

	/* The positions of Read chunks might or might not count the padding. */
	cur.bad = hdr->reads.segments || !is_power_of_2(hdr->align);
	rpcrdma_words_skip(&cur, (u64)hdr->payload + RPCRDMA_XDR_UNIT);
	return cur;
}

/**
 * rpcrdma_unpad_call - turn an RDMA_MSGP with a call into an RDMA_MSG
 * @hdr: header of type RDMA_MSGP, from rpcrdma_decode_msgp()
 * @buf: the message
 *
 * RFC 5666 section 3.9; supports NFSv3 WRITE only.
 *
 * Context: any.
 * Return: 0; RPCRDMA_EPADDING if the padding cannot be located, in which case
 * nothing is changed.
 */
int rpcrdma_unpad_call(struct rpcrdma_hdr *hdr, void *buf)
{
	struct rpcrdma_words cur = rpcrdma_padding_begin(hdr);

	rpcrdma_padding_expect(&cur, RPC_CALL);
	rpcrdma_padding_expect(&cur, RPC_VERSION);
	rpcrdma_padding_expect(&cur, PADDING_NFS);
	rpcrdma_padding_expect(&cur, PADDING_NFS_V3);
	rpcrdma_padding_expect(&cur, PADDING_NFS3_WRITE);
	rpcrdma_padding_credential(&cur, hdr);
	rpcrdma_padding_verifier(&cur, hdr);
	/* Arguments: file handle; offset, count, stable */
	rpcrdma_padding_short_item(&cur, hdr, PADDING_NFS3_FHSIZE);
	rpcrdma_words_skip(&cur, 4 * RPCRDMA_XDR_UNIT);
	return rpcrdma_padding_remove(&cur, hdr, buf);
}
EXPORT_SYMBOL_GPL(rpcrdma_unpad_call);

/**
 * rpcrdma_unpad_reply - turn an RDMA_MSGP with a reply into an RDMA_MSG
 * @hdr: header of type RDMA_MSGP, from rpcrdma_decode_msgp(), of the reply to
 *	an NFSv3 READ without integrity or privacy
 * @buf: the message
 *
 * RFC 5666 section 3.9.
 *
 * Context: any.
 * Return: see rpcrdma_unpad_call().
 */
int rpcrdma_unpad_reply(struct rpcrdma_hdr *hdr, void *buf)
{
	struct rpcrdma_words cur = rpcrdma_padding_begin(hdr);

	rpcrdma_padding_expect(&cur, RPC_REPLY);
	rpcrdma_padding_expect(&cur, RPC_ACCEPTED);
	rpcrdma_padding_verifier(&cur, hdr);
	rpcrdma_padding_expect(&cur, RPC_SUCCESS);
	/* Results: NFS3_OK; attributes, if there are any; count, eof */
	rpcrdma_padding_expect(&cur, PADDING_NFS3_OK);
	switch (rpcrdma_words_get(&cur)) {
	case 0:
		break;
	case 1:
		rpcrdma_words_skip(&cur, PADDING_NFS3_FATTR);
		break;
	default:
		return RPCRDMA_EPADDING;
	}
	rpcrdma_words_skip(&cur, 2 * RPCRDMA_XDR_UNIT);
	return rpcrdma_padding_remove(&cur, hdr, buf);
}
EXPORT_SYMBOL_GPL(rpcrdma_unpad_reply);
