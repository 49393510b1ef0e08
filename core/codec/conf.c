// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls and replies of the Connection Configuration Protocol (RFC 5666 section
 * 6), with their RPC headers (RFC 5531 section 9).
 *
 * Errors: the decoder of calls checks in the order in which every RPC server
 * does: version of RPC, credential, verifier, version of the program, procedure,
 * arguments. Bytes behind the arguments or results are ignored.
 */

#include <rpcrdma/conf.h>

#include "rpc.h"

#define REPLY_DENIED		1u
#define REJECT_RPC_MISMATCH	0u
#define REJECT_AUTH_ERROR	1u

/* Skip the body of a credential or verifier. Returns the bytes in it. */
static u32 rpcrdma_conf_skip_body(struct rpcrdma_words *in)
{
	u32 length = rpcrdma_words_get(in);

	if (length > RPC_AUTH_MAX)
		in->bad = true;
	rpcrdma_words_skip_opaque(in, length);
	return length;
}

/*
 * RFC 5666 section 11 leaves open which flavors are appropriate.
 * Documentation/protocol.rst says why these are accepted. Their contents are not
 * used, and therefore not checked.
 */
static u32 rpcrdma_conf_check_cred(struct rpcrdma_words *in)
{
	u32 flavor = rpcrdma_words_get(in);

	rpcrdma_conf_skip_body(in);
	if (in->bad)
		return RPCRDMA_CONF_BADCRED;
	return flavor > RPC_AUTH_SYS ? RPCRDMA_CONF_REJECTEDCRED : 0;
}

/* The verifier of both flavors is AUTH_NONE, which is empty. */
static u32 rpcrdma_conf_check_verf(struct rpcrdma_words *in)
{
	u32 flavor = rpcrdma_words_get(in);
	u32 length = rpcrdma_conf_skip_body(in);

	return in->bad || flavor != RPC_AUTH_NONE || length ?
		       RPCRDMA_CONF_BADVERF : 0;
}

static enum rpcrdma_conf_status
rpcrdma_conf_decode_body(struct rpcrdma_conf_call *call,
			 struct rpcrdma_words *in)
{
	u32 vers;

	if (rpcrdma_words_get(in) != RPC_VERSION)
		return RPCRDMA_CONF_RPC_MISMATCH;
	rpcrdma_words_skip(in, RPCRDMA_XDR_UNIT);
	vers = rpcrdma_words_get(in);
	call->proc = rpcrdma_words_get(in);
	call->auth_stat = rpcrdma_conf_check_cred(in);
	if (!call->auth_stat)
		call->auth_stat = rpcrdma_conf_check_verf(in);
	if (call->auth_stat)
		return RPCRDMA_CONF_AUTH_ERROR;
	if (vers != RPCRDMA_CONF_VERS)
		return RPCRDMA_CONF_PROG_MISMATCH;
	if (call->proc == RPCRDMA_CONF_NULL)
		return RPCRDMA_CONF_SUCCESS;
	if (call->proc != RPCRDMA_CONF_RDMA)
		return RPCRDMA_CONF_PROC_UNAVAIL;
	call->req.maxcall_sendsize = rpcrdma_words_get(in);
	call->req.maxreply_sendsize = rpcrdma_words_get(in);
	call->req.maxrdmaread = rpcrdma_words_get(in);
	return in->bad ? RPCRDMA_CONF_GARBAGE_ARGS : RPCRDMA_CONF_SUCCESS;
}

/**
 * rpcrdma_conf_call_decode - decode a call
 * @call: the call, and how it must be answered
 * @buf: RPC message for which rpcrdma_conf_is_call() is true
 * @len: bytes in @buf
 *
 * RFC 5666 section 6.2, RFC 5531 section 9.
 *
 * Context: any.
 */
void rpcrdma_conf_call_decode(struct rpcrdma_conf_call *call, const void *buf,
			      u32 len)
{
	struct rpcrdma_words in = { .base = buf, .end = len };

	memset(call, 0, sizeof(*call));
	call->xid = rpcrdma_words_get(&in);
	rpcrdma_words_skip(&in, RPCRDMA_XDR_UNIT);
	call->status = rpcrdma_conf_decode_body(call, &in);
}
EXPORT_SYMBOL_GPL(rpcrdma_conf_call_decode);

static void rpcrdma_conf_encode(struct rpcrdma_encoder *enc, const u32 *words,
				u32 n)
{
	while (n--)
		rpcrdma_encode_word(enc, *words++);
}

/* Append words to @_enc. */
#define ENCODE(_enc, ...)						\
	rpcrdma_conf_encode(_enc, ((const u32[]){ __VA_ARGS__ }),	\
			    ARRAY_SIZE(((const u32[]){ __VA_ARGS__ })))

/* A credential or verifier of AUTH_NONE */
#define NO_AUTH		RPC_AUTH_NONE, 0

/**
 * rpcrdma_conf_call_encode - append a call of RPCRDMA_CONF_RDMA to a header
 * @enc: encoder
 * @xid: XID, as on the wire
 * @req: arguments
 *
 * RFC 5666 section 6.2. The credential is AUTH_NONE.
 *
 * Context: any.
 */
void rpcrdma_conf_call_encode(struct rpcrdma_encoder *enc, __be32 xid,
			      const struct rpcrdma_conf_req *req)
{
	ENCODE(enc, get_unaligned_be32(&xid), RPC_CALL, RPC_VERSION,
	       RPCRDMA_CONF_PROG, RPCRDMA_CONF_VERS, RPCRDMA_CONF_RDMA,
	       NO_AUTH, NO_AUTH, req->maxcall_sendsize,
	       req->maxreply_sendsize, req->maxrdmaread);
}
EXPORT_SYMBOL_GPL(rpcrdma_conf_call_encode);

/**
 * rpcrdma_conf_reply_encode - append the reply to a call to a header
 * @enc: encoder
 * @call: decoded call
 * @res: results of RPCRDMA_CONF_RDMA
 *
 * RFC 5666 section 6.2, RFC 5531 section 9.
 *
 * Context: any.
 */
void rpcrdma_conf_reply_encode(struct rpcrdma_encoder *enc,
			       const struct rpcrdma_conf_call *call,
			       const struct rpcrdma_conf_res *res)
{
	ENCODE(enc, call->xid, RPC_REPLY);
	switch (call->status) {
	case RPCRDMA_CONF_RPC_MISMATCH:
		ENCODE(enc, REPLY_DENIED, REJECT_RPC_MISMATCH, RPC_VERSION,
		       RPC_VERSION);
		break;
	case RPCRDMA_CONF_AUTH_ERROR:
		ENCODE(enc, REPLY_DENIED, REJECT_AUTH_ERROR, call->auth_stat);
		break;
	case RPCRDMA_CONF_PROG_MISMATCH:
		ENCODE(enc, RPC_ACCEPTED, NO_AUTH, call->status,
		       RPCRDMA_CONF_VERS, RPCRDMA_CONF_VERS);
		break;
	default:
		ENCODE(enc, RPC_ACCEPTED, NO_AUTH, call->status);
		if (call->status == RPCRDMA_CONF_SUCCESS &&
		    call->proc == RPCRDMA_CONF_RDMA)
			ENCODE(enc, res->maxcall_sendsize, res->align,
			       res->maxrdmaread);
	}
}
EXPORT_SYMBOL_GPL(rpcrdma_conf_reply_encode);

/**
 * rpcrdma_conf_reply_decode - decode the reply to RPCRDMA_CONF_RDMA
 * @res: results; all 0 if there are none
 * @xid: XID of the call, as on the wire
 * @buf: RPC message
 * @len: bytes in @buf
 *
 * RFC 5666 section 6.2, RFC 5531 section 9.
 *
 * Context: any.
 * Return: 0 if the call has succeeded; RPCRDMA_ESHORT if the reply is
 * incomplete; RPCRDMA_ETYPE if it does not answer this call, or has another
 * status.
 */
int rpcrdma_conf_reply_decode(struct rpcrdma_conf_res *res, __be32 xid,
			      const void *buf, u32 len)
{
	struct rpcrdma_words in = { .base = buf, .end = len };
	bool same = rpcrdma_words_get(&in) == get_unaligned_be32(&xid);
	u32 type = rpcrdma_words_get(&in), stat = rpcrdma_words_get(&in), status;

	memset(res, 0, sizeof(*res));
	if (!in.bad && (!same || type != RPC_REPLY || stat != RPC_ACCEPTED))
		return RPCRDMA_ETYPE;
	rpcrdma_words_get(&in);
	rpcrdma_conf_skip_body(&in);
	status = rpcrdma_words_get(&in);
	if (!in.bad && status != RPC_SUCCESS)
		return RPCRDMA_ETYPE;
	res->maxcall_sendsize = rpcrdma_words_get(&in);
	res->align = rpcrdma_words_get(&in);
	res->maxrdmaread = rpcrdma_words_get(&in);
	return in.bad ? RPCRDMA_ESHORT : 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_conf_reply_decode);
