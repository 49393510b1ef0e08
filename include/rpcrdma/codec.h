/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The header codec: one decoder and one encoder per protocol version, used by
 * requester and responder, in the kernel and in userspace.
 *
 * Decoding is a single bounded pass over a received header. It allocates
 * nothing and copies no chunk list: it fills in a view (struct rpcrdma_hdr)
 * that points into the received buffer, and cursors walk the lists of that
 * view. The pass checks every length and count, so a cursor on a successfully
 * decoded view never reads outside the buffer.
 *
 * Encoding, in encode.h, appends to a buffer of known size.
 */
#ifndef _RPCRDMA_CODEC_H
#define _RPCRDMA_CODEC_H

#include <rpcrdma/platform.h>
#include <rpcrdma/wire.h>
#include <rpcrdma/header.h>
#include <rpcrdma/cursor.h>
#include <rpcrdma/encode.h>
#include <rpcrdma/props.h>

/*
 * Errors of the decoder, one for each kind of malformed header.
 *
 * @RPCRDMA_ESHORT: the message ends before its header does
 * @RPCRDMA_EVERSION: a version that the decoder does not implement
 * @RPCRDMA_ETYPE: a message type that the version does not define
 * @RPCRDMA_ECHUNK: a malformed chunk list, or one that extends beyond the end
 *	of the message
 * @RPCRDMA_EERRCODE: an RDMA_ERROR with an error code that the version does
 *	not define
 * @RPCRDMA_EPROP: malformed transport properties, or a message that ends within
 *	its properties
 * @RPCRDMA_EPADDING: an RDMA_MSGP whose padding cannot be found
 */
#define RPCRDMA_ESHORT		(-EMSGSIZE)
#define RPCRDMA_EVERSION	(-EPROTONOSUPPORT)
#define RPCRDMA_ETYPE		(-EOPNOTSUPP)
#define RPCRDMA_ECHUNK		(-EBADMSG)
#define RPCRDMA_EERRCODE	(-EPROTO)
#define RPCRDMA_EPROP		(-EILSEQ)
#define RPCRDMA_EPADDING	(-EDOM)

int rpcrdma_decode(struct rpcrdma_hdr *hdr, const void *buf, u32 len);
int rpcrdma_decode_v2(struct rpcrdma_hdr *hdr, const void *buf, u32 len);
u32 rpcrdma_reads_find_handle(const struct rpcrdma_hdr *hdr, u32 wanted);
u32 rpcrdma_find_handle(const struct rpcrdma_hdr *hdr, u32 wanted);

/**
 * enum rpcrdma_hint - a peer's announcement of its versions
 * @RPCRDMA_HINT_NONE: no hint
 * @RPCRDMA_HINT_V1: version 1 only
 * @RPCRDMA_HINT_V2: version 2 as implemented here
 * @RPCRDMA_HINT_V2_OTHER: version 2 of another document
 */
enum rpcrdma_hint {
	RPCRDMA_HINT_NONE,
	RPCRDMA_HINT_V1,
	RPCRDMA_HINT_V2,
	RPCRDMA_HINT_V2_OTHER,
};

/**
 * struct rpcrdma_private - the CM private message (RFC 8797)
 * @send_size: bytes; the largest message that its sender will Send
 * @recv_size: bytes; the size of its sender's Receive buffers
 * @remote_inv: its sender supports remote invalidation of its handles
 * @hint: the version hint that follows it
 */
struct rpcrdma_private {
	u32 send_size;
	u32 recv_size;
	bool remote_inv;
	enum rpcrdma_hint hint;
};

u32 rpcrdma_private_encode(const struct rpcrdma_private *priv,
			   u8 buf[RPCRDMA_PRIVATE_MAX]);
bool rpcrdma_private_decode(struct rpcrdma_private *priv, const void *buf,
			    size_t len);

#endif /* _RPCRDMA_CODEC_H */
