// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random calls and replies of the Connection Configuration Protocol: what our
 * codec encodes, libtirpc and rpcgen's code must decode to the same, and the
 * other way round.
 */

#include <rpc/rpc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <rpcrdma/codec.h>
#include <rpcrdma/conf.h>

#include "rpcrdma_conf.h"

static u32 next_word(u64 *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 32;
}

static const char *call_ours_to_theirs(u32 xid,
				       const struct rpcrdma_conf_req *req)
{
	char cred[MAX_AUTH_BYTES], verf[MAX_AUTH_BYTES];
	struct rpc_msg msg = {
		.rm_call.cb_cred.oa_base = cred,
		.rm_call.cb_verf.oa_base = verf,
	};
	u8 buf[RPCRDMA_CONF_SIZE];
	struct rpcrdma_encoder enc;
	config_rdma_req theirs;
	bool ok;
	XDR xdr;
	int len;

	rpcrdma_encode_init(&enc, buf, sizeof(buf));
	rpcrdma_conf_call_encode(&enc, htonl(xid), RPCRDMA_CONF_RDMA, req);
	len = rpcrdma_encode_finish(&enc);
	xdrmem_create(&xdr, (char *)buf, len, XDR_DECODE);
	ok = xdr_callmsg(&xdr, &msg) && xdr_config_rdma_req(&xdr, &theirs) &&
	     xdr_getpos(&xdr) == (u32)len && msg.rm_xid == xid &&
	     msg.rm_call.cb_prog == CONFIG_RDMA_PROG &&
	     msg.rm_call.cb_vers == VERS1 && msg.rm_call.cb_proc == CONF_RDMA &&
	     theirs.maxcall_sendsize == req->maxcall_sendsize &&
	     theirs.maxreply_sendsize == req->maxreply_sendsize &&
	     theirs.maxrdmaread == req->maxrdmaread;
	return ok ? NULL : "rpcgen's decoder reads our call differently";
}

/* With AUTH_SYS, as a client of libtirpc has it */
static const char *call_theirs_to_ours(u32 xid,
				       const struct rpcrdma_conf_req *req)
{
	config_rdma_req theirs = {
		req->maxcall_sendsize, req->maxreply_sendsize,
		req->maxrdmaread,
	};
	gid_t gids[] = { 1, 2, 3 };
	AUTH *auth = authunix_create("a-client", 1, 2, 3, gids);
	struct rpc_msg msg = {
		.rm_xid = xid,
		.rm_direction = CALL,
		.rm_call.cb_rpcvers = RPC_MSG_VERSION,
		.rm_call.cb_prog = CONFIG_RDMA_PROG,
		.rm_call.cb_vers = VERS1,
		.rm_call.cb_proc = CONF_RDMA,
		.rm_call.cb_cred = auth->ah_cred,
		.rm_call.cb_verf = auth->ah_verf,
	};
	struct rpcrdma_conf_call call;
	char buf[1024];
	bool ok;
	XDR xdr;

	xdrmem_create(&xdr, buf, sizeof(buf), XDR_ENCODE);
	ok = xdr_callmsg(&xdr, &msg) && xdr_config_rdma_req(&xdr, &theirs) &&
	     !rpcrdma_conf_call_decode(&call, buf, xdr_getpos(&xdr)) &&
	     !call.status && call.xid == htonl(xid) &&
	     call.proc == RPCRDMA_CONF_RDMA &&
	     !memcmp(&call.req, req, sizeof(*req));
	auth_destroy(auth);
	return ok ? NULL : "our decoder reads rpcgen's call differently";
}

static void reply_init(struct rpc_msg *msg, char *verf,
		       config_rdma_reply *theirs)
{
	memset(msg, 0, sizeof(*msg));
	msg->rm_direction = REPLY;
	msg->acpted_rply.ar_verf.oa_base = verf;
	msg->acpted_rply.ar_results.where = (char *)theirs;
	msg->acpted_rply.ar_results.proc = (xdrproc_t)xdr_config_rdma_reply;
}

static bool same_status(const struct rpc_msg *msg,
			const struct rpcrdma_conf_call *call)
{
	if (call->status <= RPCRDMA_CONF_SYSTEM_ERR)
		return msg->rm_reply.rp_stat == MSG_ACCEPTED &&
		       (int)msg->acpted_rply.ar_stat == (int)call->status &&
		       (call->status != RPCRDMA_CONF_PROG_MISMATCH ||
			(msg->acpted_rply.ar_vers.low == VERS1 &&
			 msg->acpted_rply.ar_vers.high == VERS1));
	if (msg->rm_reply.rp_stat != MSG_DENIED)
		return false;
	if (call->status == RPCRDMA_CONF_RPC_MISMATCH)
		return msg->rjcted_rply.rj_stat == RPC_MISMATCH &&
		       msg->rjcted_rply.rj_vers.low == RPC_MSG_VERSION &&
		       msg->rjcted_rply.rj_vers.high == RPC_MSG_VERSION;
	return msg->rjcted_rply.rj_stat == AUTH_ERROR &&
	       msg->rjcted_rply.rj_why == call->auth_stat;
}

static const char *reply_ours_to_theirs(const struct rpcrdma_conf_call *call,
					const struct rpcrdma_conf_res *res)
{
	config_rdma_reply theirs = { 0 };
	u8 buf[RPCRDMA_CONF_SIZE];
	struct rpcrdma_encoder enc;
	char verf[MAX_AUTH_BYTES];
	struct rpc_msg msg;
	bool ok;
	XDR xdr;
	int len;

	rpcrdma_encode_init(&enc, buf, sizeof(buf));
	rpcrdma_conf_reply_encode(&enc, call, res);
	len = rpcrdma_encode_finish(&enc);
	reply_init(&msg, verf, &theirs);
	xdrmem_create(&xdr, (char *)buf, len, XDR_DECODE);
	ok = xdr_replymsg(&xdr, &msg) && xdr_getpos(&xdr) == (u32)len &&
	     msg.rm_xid == ntohl(call->xid) && same_status(&msg, call) &&
	     (call->status ||
	      (theirs.maxcall_sendsize == res->maxcall_sendsize &&
	       theirs.align == res->align &&
	       theirs.maxrdmaread == res->maxrdmaread));
	return ok ? NULL : "rpcgen's decoder reads our reply differently";
}

static const char *reply_theirs_to_ours(const struct rpcrdma_conf_call *call,
					const struct rpcrdma_conf_res *res)
{
	config_rdma_reply theirs = {
		res->maxcall_sendsize, res->align, res->maxrdmaread,
	};
	struct rpcrdma_conf_reply reply;
	char verf[MAX_AUTH_BYTES], buf[256];
	struct rpc_msg msg;
	bool ok;
	XDR xdr;

	reply_init(&msg, verf, &theirs);
	msg.rm_xid = ntohl(call->xid);
	if (call->status <= RPCRDMA_CONF_SYSTEM_ERR) {
		msg.rm_reply.rp_stat = MSG_ACCEPTED;
		msg.acpted_rply.ar_stat = (enum accept_stat)call->status;
	} else {
		msg.rm_reply.rp_stat = MSG_DENIED;
		msg.rjcted_rply.rj_stat =
			call->status == RPCRDMA_CONF_RPC_MISMATCH ?
				RPC_MISMATCH : AUTH_ERROR;
		msg.rjcted_rply.rj_why = (enum auth_stat)call->auth_stat;
	}
	xdrmem_create(&xdr, buf, sizeof(buf), XDR_ENCODE);
	ok = xdr_replymsg(&xdr, &msg) &&
	     !rpcrdma_conf_reply_decode(&reply, buf, xdr_getpos(&xdr)) &&
	     reply.xid == call->xid && reply.status == call->status &&
	     (call->status || !memcmp(&reply.res, res, sizeof(*res)));
	return ok ? NULL : "our decoder reads rpcgen's reply differently";
}

static const char *one_round(u64 *state)
{
	struct rpcrdma_conf_call call = { .proc = RPCRDMA_CONF_RDMA };
	const struct rpcrdma_conf_req req = {
		next_word(state), next_word(state), next_word(state),
	};
	const struct rpcrdma_conf_res res = {
		next_word(state), next_word(state), next_word(state),
	};
	u32 xid = next_word(state);
	const char *what;

	call.xid = htonl(xid);
	call.status = next_word(state) % (RPCRDMA_CONF_AUTH_ERROR + 1);
	if (call.status == RPCRDMA_CONF_AUTH_ERROR)
		call.auth_stat = 1 + next_word(state) % RPCRDMA_CONF_BADVERF;
	what = call_ours_to_theirs(xid, &req);
	if (!what)
		what = call_theirs_to_ours(xid, &req);
	if (!what)
		what = reply_ours_to_theirs(&call, &res);
	return what ? what : reply_theirs_to_ours(&call, &res);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 200000;
	u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (u64)time(NULL);
	const char *what = NULL;
	u64 state = seed;
	unsigned long i;

	for (i = 0; i < rounds && !what; i++)
		what = one_round(&state);
	if (what)
		printf("not ok - configuration, round %lu of seed %llu: %s\n",
		       i, (unsigned long long)seed, what);
	else
		printf("ok - configuration, %lu random calls and replies both ways, seed %llu\n",
		       rounds, (unsigned long long)seed);
	return !!what;
}
