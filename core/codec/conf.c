// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls and replies of the Connection Configuration Protocol (RFC 5666 section
 * 6), with their RPC headers (RFC 5531 section 9).
 *
 * Errors: the decoder of calls checks in the order in which every RPC server
 * does: version of RPC, credential, verifier, version of the program, procedure,
 * arguments. Bytes behind the arguments or results are ignored.
 */

#include <rpcrdma/codec.h>
#include <rpcrdma/conf.h>

/* RFC 5531 section 9 */
#define RPC_VERSION		2u
#define MTYPE_CALL		0u
#define MTYPE_REPLY		1u
#define MSG_ACCEPTED		0u
#define MSG_DENIED		1u
#define REJECT_RPC_MISMATCH	0u
#define REJECT_AUTH_ERROR	1u
/* RFC 5531 sections 8.2 and 10.1, appendix A */
#define FLAVOR_NONE		0u
#define FLAVOR_SYS		1u
#define AUTH_BODY_MAX		400u
#define MACHINE_NAME_MAX	255u
#define GIDS_MAX		16u

/**
 * struct rpcrdma_conf_input - XDR data being decoded
 * @p: next byte
 * @left: bytes left
 * @bad: something has gone beyond the end, or was too long
 */
struct rpcrdma_conf_input {
	const u8 *p;
	u32 left;
	bool bad;
};

/* Take @len bytes; NULL, now and from now on, if there are fewer. */
static const u8 *rpcrdma_conf_take(struct rpcrdma_conf_input *in, u32 len)
{
	const u8 *p = in->p;

	if (in->bad || len > in->left) {
		in->bad = true;
		return NULL;
	}
	in->p += len;
	in->left -= len;
	return p;
}

static u32 rpcrdma_conf_word(struct rpcrdma_conf_input *in)
{
	const u8 *p = rpcrdma_conf_take(in, RPCRDMA_XDR_UNIT);

	return p ? get_unaligned_be32(p) : 0;
}

static __be32 rpcrdma_conf_xid(struct rpcrdma_conf_input *in)
{
	const u8 *p = rpcrdma_conf_take(in, RPCRDMA_XDR_UNIT);
	__be32 xid = 0;

	if (p)
		memcpy(&xid, p, sizeof(xid));
	return xid;
}

/* Variable-length opaque data of at most @max bytes, as an input of its own */
static struct rpcrdma_conf_input
rpcrdma_conf_opaque(struct rpcrdma_conf_input *in, u32 max)
{
	struct rpcrdma_conf_input body = { .left = rpcrdma_conf_word(in) };

	if (body.left > max)
		in->bad = true;
	body.p = rpcrdma_conf_take(in, rpcrdma_xdr_align(body.left));
	body.bad = in->bad;
	return body;
}

/* RFC 5531 appendix A, struct authsys_parms */
static bool rpcrdma_conf_sys_ok(struct rpcrdma_conf_input *body)
{
	u32 gids;

	rpcrdma_conf_word(body);
	rpcrdma_conf_opaque(body, MACHINE_NAME_MAX);
	rpcrdma_conf_take(body, 2 * RPCRDMA_XDR_UNIT);
	gids = rpcrdma_conf_word(body);
	if (gids > GIDS_MAX)
		return false;
	rpcrdma_conf_take(body, gids * RPCRDMA_XDR_UNIT);
	return !body->bad && !body->left;
}

/*
 * RFC 5666 section 11 leaves open which flavors are appropriate.
 * Documentation/protocol.rst says why it is these.
 */
static u32 rpcrdma_conf_check_cred(struct rpcrdma_conf_input *in)
{
	u32 flavor = rpcrdma_conf_word(in);
	struct rpcrdma_conf_input body = rpcrdma_conf_opaque(in, AUTH_BODY_MAX);

	if (body.bad)
		return RPCRDMA_CONF_BADCRED;
	if (flavor > FLAVOR_SYS)
		return RPCRDMA_CONF_REJECTEDCRED;
	if (flavor == FLAVOR_SYS && !rpcrdma_conf_sys_ok(&body))
		return RPCRDMA_CONF_BADCRED;
	return 0;
}

/* The verifier of both flavors is AUTH_NONE, which is empty. */
static u32 rpcrdma_conf_check_verf(struct rpcrdma_conf_input *in)
{
	u32 flavor = rpcrdma_conf_word(in);
	struct rpcrdma_conf_input body = rpcrdma_conf_opaque(in, AUTH_BODY_MAX);

	return body.bad || flavor != FLAVOR_NONE || body.left ?
		       RPCRDMA_CONF_BADVERF : 0;
}

static enum rpcrdma_conf_status
rpcrdma_conf_decode_args(struct rpcrdma_conf_call *call,
			 struct rpcrdma_conf_input *in)
{
	if (call->proc == RPCRDMA_CONF_NULL)
		return RPCRDMA_CONF_SUCCESS;
	if (call->proc != RPCRDMA_CONF_RDMA)
		return RPCRDMA_CONF_PROC_UNAVAIL;
	call->req.maxcall_sendsize = rpcrdma_conf_word(in);
	call->req.maxreply_sendsize = rpcrdma_conf_word(in);
	call->req.maxrdmaread = rpcrdma_conf_word(in);
	return in->bad ? RPCRDMA_CONF_GARBAGE_ARGS : RPCRDMA_CONF_SUCCESS;
}

static enum rpcrdma_conf_status
rpcrdma_conf_decode_body(struct rpcrdma_conf_call *call,
			 struct rpcrdma_conf_input *in, u32 version)
{
	u32 vers;

	if (version != RPC_VERSION)
		return RPCRDMA_CONF_RPC_MISMATCH;
	vers = rpcrdma_conf_word(in);
	call->proc = rpcrdma_conf_word(in);
	call->auth_stat = rpcrdma_conf_check_cred(in);
	if (!call->auth_stat)
		call->auth_stat = rpcrdma_conf_check_verf(in);
	if (call->auth_stat)
		return RPCRDMA_CONF_AUTH_ERROR;
	if (vers != RPCRDMA_CONF_VERS)
		return RPCRDMA_CONF_PROG_MISMATCH;
	return rpcrdma_conf_decode_args(call, in);
}

/**
 * rpcrdma_conf_call_decode - decode a call
 * @call: the call, and how it must be answered
 * @buf: RPC message
 * @len: bytes in @buf
 *
 * RFC 5666 section 6.2, RFC 5531 section 9.
 *
 * Context: any.
 * Return: 0; RPCRDMA_ESHORT if there is no program number; RPCRDMA_ETYPE if it
 * is no call, or one of another program.
 */
int rpcrdma_conf_call_decode(struct rpcrdma_conf_call *call, const void *buf,
			     u32 len)
{
	struct rpcrdma_conf_input in = { .p = buf, .left = len };
	u32 type, version, prog;

	memset(call, 0, sizeof(*call));
	call->xid = rpcrdma_conf_xid(&in);
	type = rpcrdma_conf_word(&in);
	version = rpcrdma_conf_word(&in);
	prog = rpcrdma_conf_word(&in);
	if (in.bad)
		return RPCRDMA_ESHORT;
	if (type != MTYPE_CALL || prog != RPCRDMA_CONF_PROG)
		return RPCRDMA_ETYPE;
	call->status = rpcrdma_conf_decode_body(call, &in, version);
	return 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_conf_call_decode);

static void rpcrdma_conf_encode_xid(struct rpcrdma_encoder *enc, __be32 xid)
{
	u8 *p = rpcrdma_encode_reserve(enc, RPCRDMA_XDR_UNIT);

	if (likely(p))
		memcpy(p, &xid, sizeof(xid));
}

static void rpcrdma_conf_encode_auth_none(struct rpcrdma_encoder *enc)
{
	rpcrdma_encode_word(enc, FLAVOR_NONE);
	rpcrdma_encode_word(enc, 0);
}

/**
 * rpcrdma_conf_call_encode - append a call to a header
 * @enc: encoder
 * @xid: XID, as on the wire
 * @proc: an enum rpcrdma_conf_proc
 * @req: arguments of RPCRDMA_CONF_RDMA
 *
 * RFC 5666 section 6.2. The credential is AUTH_NONE.
 *
 * Context: any.
 */
void rpcrdma_conf_call_encode(struct rpcrdma_encoder *enc, __be32 xid, u32 proc,
			      const struct rpcrdma_conf_req *req)
{
	rpcrdma_conf_encode_xid(enc, xid);
	rpcrdma_encode_word(enc, MTYPE_CALL);
	rpcrdma_encode_word(enc, RPC_VERSION);
	rpcrdma_encode_word(enc, RPCRDMA_CONF_PROG);
	rpcrdma_encode_word(enc, RPCRDMA_CONF_VERS);
	rpcrdma_encode_word(enc, proc);
	rpcrdma_conf_encode_auth_none(enc);
	rpcrdma_conf_encode_auth_none(enc);
	if (proc != RPCRDMA_CONF_RDMA)
		return;
	rpcrdma_encode_word(enc, req->maxcall_sendsize);
	rpcrdma_encode_word(enc, req->maxreply_sendsize);
	rpcrdma_encode_word(enc, req->maxrdmaread);
}
EXPORT_SYMBOL_GPL(rpcrdma_conf_call_encode);

static void rpcrdma_conf_encode_denied(struct rpcrdma_encoder *enc,
				       const struct rpcrdma_conf_call *call)
{
	rpcrdma_encode_word(enc, MSG_DENIED);
	if (call->status == RPCRDMA_CONF_RPC_MISMATCH) {
		rpcrdma_encode_word(enc, REJECT_RPC_MISMATCH);
		rpcrdma_encode_word(enc, RPC_VERSION);
		rpcrdma_encode_word(enc, RPC_VERSION);
	} else {
		rpcrdma_encode_word(enc, REJECT_AUTH_ERROR);
		rpcrdma_encode_word(enc, call->auth_stat);
	}
}

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
	rpcrdma_conf_encode_xid(enc, call->xid);
	rpcrdma_encode_word(enc, MTYPE_REPLY);
	if (call->status > RPCRDMA_CONF_SYSTEM_ERR) {
		rpcrdma_conf_encode_denied(enc, call);
		return;
	}
	rpcrdma_encode_word(enc, MSG_ACCEPTED);
	rpcrdma_conf_encode_auth_none(enc);
	rpcrdma_encode_word(enc, call->status);
	if (call->status == RPCRDMA_CONF_PROG_MISMATCH) {
		rpcrdma_encode_word(enc, RPCRDMA_CONF_VERS);
		rpcrdma_encode_word(enc, RPCRDMA_CONF_VERS);
	} else if (call->status == RPCRDMA_CONF_SUCCESS &&
		   call->proc == RPCRDMA_CONF_RDMA) {
		rpcrdma_encode_word(enc, res->maxcall_sendsize);
		rpcrdma_encode_word(enc, res->align);
		rpcrdma_encode_word(enc, res->maxrdmaread);
	}
}
EXPORT_SYMBOL_GPL(rpcrdma_conf_reply_encode);

static int rpcrdma_conf_decode_denied(struct rpcrdma_conf_reply *reply,
				      struct rpcrdma_conf_input *in)
{
	switch (rpcrdma_conf_word(in)) {
	case REJECT_RPC_MISMATCH:
		reply->status = RPCRDMA_CONF_RPC_MISMATCH;
		rpcrdma_conf_take(in, 2 * RPCRDMA_XDR_UNIT);
		return 0;
	case REJECT_AUTH_ERROR:
		reply->status = RPCRDMA_CONF_AUTH_ERROR;
		rpcrdma_conf_word(in);
		return 0;
	default:
		return RPCRDMA_ETYPE;
	}
}

static int rpcrdma_conf_decode_accepted(struct rpcrdma_conf_reply *reply,
					struct rpcrdma_conf_input *in)
{
	u32 status;

	rpcrdma_conf_word(in);
	rpcrdma_conf_opaque(in, AUTH_BODY_MAX);
	status = rpcrdma_conf_word(in);
	if (status > RPCRDMA_CONF_SYSTEM_ERR)
		return RPCRDMA_ETYPE;
	reply->status = status;
	if (status == RPCRDMA_CONF_PROG_MISMATCH)
		rpcrdma_conf_take(in, 2 * RPCRDMA_XDR_UNIT);
	if (status != RPCRDMA_CONF_SUCCESS)
		return 0;
	reply->res.maxcall_sendsize = rpcrdma_conf_word(in);
	reply->res.align = rpcrdma_conf_word(in);
	reply->res.maxrdmaread = rpcrdma_conf_word(in);
	return 0;
}

/**
 * rpcrdma_conf_reply_decode - decode the reply to RPCRDMA_CONF_RDMA
 * @reply: the reply
 * @buf: RPC message
 * @len: bytes in @buf
 *
 * RFC 5666 section 6.2, RFC 5531 section 9.
 *
 * Context: any.
 * Return: 0; RPCRDMA_ESHORT if the reply is incomplete; RPCRDMA_ETYPE if it is
 * no reply, or has a status that RFC 5531 does not define.
 */
int rpcrdma_conf_reply_decode(struct rpcrdma_conf_reply *reply, const void *buf,
			      u32 len)
{
	struct rpcrdma_conf_input in = { .p = buf, .left = len };
	u32 type, stat;
	int ret;

	memset(reply, 0, sizeof(*reply));
	reply->xid = rpcrdma_conf_xid(&in);
	type = rpcrdma_conf_word(&in);
	stat = rpcrdma_conf_word(&in);
	if (in.bad)
		return RPCRDMA_ESHORT;
	if (type != MTYPE_REPLY || stat > MSG_DENIED)
		return RPCRDMA_ETYPE;
	if (stat == MSG_DENIED)
		ret = rpcrdma_conf_decode_denied(reply, &in);
	else
		ret = rpcrdma_conf_decode_accepted(reply, &in);
	return in.bad ? RPCRDMA_ESHORT : ret;
}
EXPORT_SYMBOL_GPL(rpcrdma_conf_reply_decode);
