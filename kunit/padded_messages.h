/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages for suites about RDMA_MSGP (RFC 5666 section 3.9): NFSv3 WRITE calls
 * and NFSv3 READ replies, with or without padding.
 */
#ifndef _RPCRDMA_PADDED_MESSAGES_H
#define _RPCRDMA_PADDED_MESSAGES_H

#include <kunit/test.h>
#include <rpcrdma/codec.h>
#include <rpcrdma/padding.h>

#define PADDED_XID		7u
#define PADDED_CALL		0u
#define PADDED_REPLY		1u
#define PADDED_AUTH_SYS		1u
#define PADDED_GSS		6u
#define PADDED_NFS		100003u
#define PADDED_WRITE		7u

/* Bytes in the transport header, and in the longest message */
#define PADDED_HEADER		36u
#define PADDED_MAX		8192u

/* Values of padding bytes and data bytes */
#define PADDED_PAD		0xee
#define PADDED_DATA		0xdd

/* Lengths of the parts of a message, in bytes */
struct padded_shape {
	const char *name;	/* special property of this message */
	u32 align, thresh;	/* rdma_align, rdma_thresh */
	u32 cred, verf, handle;	/* credential, verifier, file handle */
	u32 length, padding;	/* bytes of data, and of the expected padding */
};

struct padded_message {
	u8 *buf;	/* PADDED_MAX bytes, provided by the caller */
	u32 len;	/* bytes in the message so far */
	/* Offsets in words of the lengths of verifier, file handle and data */
	u32 verf, handle, item;
	u32 attrs;	/* offset in words of the attributes' presence flag */
};

static inline void padded_put(struct padded_message *m, u32 value)
{
	put_unaligned_be32(value, m->buf + m->len);
	m->len += RPCRDMA_XDR_UNIT;
}

static inline void padded_put_bytes(struct padded_message *m, u32 bytes,
				    u8 value)
{
	memset(m->buf + m->len, value, bytes);
	m->len += bytes;
}

static inline void padded_put_opaque(struct padded_message *m, u32 length)
{
	padded_put(m, length);
	padded_put_bytes(m, rpcrdma_xdr_align(length), 0x11);
}

static inline void padded_begin(struct padded_message *m,
				const struct padded_shape *s)
{
	struct rpcrdma_encoder enc;

	memset(m->buf, 0, PADDED_MAX);
	rpcrdma_encode_init(&enc, m->buf, PADDED_HEADER);
	rpcrdma_encode_fixed(&enc, cpu_to_be32(PADDED_XID), RPCRDMA_VERSION_1, 1,
			     RPCRDMA_MSGP);
	rpcrdma_encode_word(&enc, s->align);
	rpcrdma_encode_word(&enc, s->thresh);
	rpcrdma_encode_no_chunks(&enc);
	m->len = rpcrdma_encode_finish(&enc);
	padded_put(m, PADDED_XID);
}

static inline void padded_put_data(struct padded_message *m,
				   const struct padded_shape *s)
{
	m->item = m->len / RPCRDMA_XDR_UNIT;
	padded_put(m, s->length);
	padded_put_bytes(m, s->padding, PADDED_PAD);
	padded_put_bytes(m, rpcrdma_xdr_align(s->length), PADDED_DATA);
}

static inline void padded_build_call(struct padded_message *m,
				     const struct padded_shape *s)
{
	padded_begin(m, s);
	padded_put(m, PADDED_CALL);
	padded_put(m, 2);
	padded_put(m, PADDED_NFS);
	padded_put(m, 3);
	padded_put(m, PADDED_WRITE);
	padded_put(m, PADDED_AUTH_SYS);
	padded_put_opaque(m, s->cred);
	padded_put(m, 0);
	m->verf = m->len / RPCRDMA_XDR_UNIT;
	padded_put_opaque(m, s->verf);
	m->handle = m->len / RPCRDMA_XDR_UNIT;
	padded_put_opaque(m, s->handle);
	padded_put(m, 0);
	padded_put(m, 4096);
	padded_put(m, s->length);
	padded_put(m, 2);
	padded_put_data(m, s);
}

static inline void padded_build_reply(struct padded_message *m,
				      const struct padded_shape *s,
				      bool attributes)
{
	padded_begin(m, s);
	padded_put(m, PADDED_REPLY);
	padded_put(m, 0);
	padded_put(m, 0);
	padded_put_opaque(m, s->verf);
	padded_put(m, 0);
	padded_put(m, 0);
	m->attrs = m->len / RPCRDMA_XDR_UNIT;
	padded_put(m, attributes);
	if (attributes)
		padded_put_bytes(m, 84, 0);
	padded_put(m, s->length);
	padded_put(m, 0);
	padded_put_data(m, s);
}

#endif /* _RPCRDMA_PADDED_MESSAGES_H */
