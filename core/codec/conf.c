// SPDX-License-Identifier: GPL-2.0-only
/*
 * Encodes and decodes calls and replies of the Connection Configuration
 * Protocol (RFC 5666 section 6), including their RPC headers (RFC 5531 section
 * 9).
 *
 * Errors: the fields of a call are checked in the order that RPC servers use:
 * RPC version, credential, verifier, program version, procedure, arguments.
 * Bytes after the arguments or results are ignored.
 */

#include <rpcrdma/conf.h>

#include "rpc.h"

#define REPLY_DENIED		1u
#define REJECT_RPC_MISMATCH	0u
#define REJECT_AUTH_ERROR	1u

/* Skip the body of a credential or verifier. Returns its length in bytes. */
static u32 rpcrdma_conf_skip_body(struct rpcrdma_words *in)
{
	u32 length = rpcrdma_words_get(in);

	if (length > RPC_AUTH_MAX)
		in->bad = true;
	rpcrdma_words_skip_opaque(in, length);
	return length;
}

/*
 * RFC 5666 section 11 does not say which flavors to accept.
 * Documentation/protocol.rst explains why AUTH_NONE and AUTH_SYS are accepted.
 * The contents of a credential are not used, so they are not checked.
 */
static u32 rpcrdma_conf_check_cred(struct rpcrdma_words *in)
{
	u32 flavor = rpcrdma_words_get(in);

	rpcrdma_conf_skip_body(in);
	if (in->bad)
		return RPCRDMA_CONF_BADCRED;
	return flavor > RPC_AUTH_SYS ? RPCRDMA_CONF_REJECTEDCRED : 0;
}

/* Both accepted flavors use an AUTH_NONE verifier, which is empty. */
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
 * @call: filled in with the call and the status to answer it with
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

#define ENCODE(_enc, ...)						\
	rpcrdma_conf_encode(_enc, ((const u32[]){ __VA_ARGS__ }),	\
			    ARRAY_SIZE(((const u32[]){ __VA_ARGS__ })))

/* An AUTH_NONE credential or verifier */
#define NO_AUTH		RPC_AUTH_NONE, 0

/**
 * rpcrdma_conf_call_encode - append an RPCRDMA_CONF_RDMA call to a header
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
 * rpcrdma_conf_reply_encode - append a reply to a header
 * @enc: encoder
 * @call: the decoded call that is answered
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
 * @res: filled in with the results; missing ones are 0
 * @xid: XID of the call, as on the wire
 * @buf: RPC message
 * @len: bytes in @buf
 *
 * RFC 5666 section 6.2, RFC 5531 section 9.
 *
 * Context: any.
 * Return: 0 if the call succeeded; RPCRDMA_ESHORT if the reply is truncated;
 * RPCRDMA_ETYPE if it does not answer this call or reports a failure.
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
