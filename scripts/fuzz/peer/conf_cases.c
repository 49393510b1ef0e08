// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: the Connection Configuration Protocol, program 100417 (RFC 5666 section
 * 6). The server answers it itself, on this connection only.
 */

#include <rpcrdma/conf.h>

#include "peer.h"

/* The server's max_req_size, and the only alignment that XDR has */
#define MAXCALL		4096u
#define ALIGN		4u

/* RFC 5531 section 9 */
enum {
	PROG_UNAVAIL	= 1,
	PROG_MISMATCH	= 2,
	PROC_UNAVAIL	= 3,
	GARBAGE_ARGS	= 4,
};

static void put_args(struct peer *p, u32 maxcall, u32 maxreply, u32 maxread)
{
	put32(p, maxcall);
	put32(p, maxreply);
	put32(p, maxread);
}

/* A call with AUTH_SYS and without arguments */
static void put_conf(struct peer *p, u32 vers, u32 proc)
{
	put_header(p, RPCRDMA_MSG);
	put_lists(p);
	put_call(p, RPCRDMA_CONF_PROG, vers, proc);
}

/* Decoded by the server's own codec, and word by word */
static int check_results(struct peer *p)
{
	const u8 *rpc = rpc_reply(p);
	u32 len = p->reply_len - p->hdr.payload;
	struct rpcrdma_conf_reply reply;

	CHECK(!rpcrdma_conf_reply_decode(&reply, rpc, len),
	      "the codec does not understand the answer");
	CHECK(!reply.status, "no success");
	CHECK(len == 36, "the length of the answer");
	CHECK(word(rpc + 24) == reply.res.maxcall_sendsize &&
	      word(rpc + 28) == reply.res.align &&
	      word(rpc + 32) == reply.res.maxrdmaread,
	      "the codec reads another answer");
	CHECK(reply.res.maxcall_sendsize == MAXCALL, "maxcall_sendsize");
	CHECK(reply.res.align == ALIGN, "align");
	/* What was declared to the CM; see conn.c. */
	CHECK(reply.res.maxrdmaread == 4, "maxrdmaread");
	return 0;
}

/* Tell the server our limits. */
static int configure(struct peer *p, u32 maxreply, u32 maxread)
{
	put_conf(p, RPCRDMA_CONF_VERS, RPCRDMA_CONF_RDMA);
	put_args(p, PEER_MSG, maxreply, maxread);
	TRY(expect_msg(p));
	return check_results(p);
}

static int conf_rdma(struct peer *p)
{
	TRY(configure(p, PEER_MSG, 16));
	return ping(p);
}

static int conf_null(struct peer *p)
{
	put_conf(p, RPCRDMA_CONF_VERS, RPCRDMA_CONF_NULL);
	TRY(expect_msg(p));
	CHECK(p->reply_len - p->hdr.payload == 24, "NULL has results");
	return ping(p);
}

/* The call that was built is accepted, and answered with @stat. */
static int expect_status(struct peer *p, u32 stat, u32 words)
{
	const u8 *rpc;

	TRY(exchange(p));
	rpc = rpc_reply(p);
	CHECK(p->hdr.type == RPCRDMA_MSG, "not an RDMA_MSG");
	CHECK(p->reply_len - p->hdr.payload == 24 + 4 * words,
	      "the length of the answer");
	CHECK(word(rpc + 4) == 1 && word(rpc + 8) == 0, "not accepted");
	CHECK(word(rpc + 20) == stat, "another status");
	return 0;
}

static int expect_mismatch(struct peer *p)
{
	TRY(expect_status(p, PROG_MISMATCH, 2));
	CHECK(word(rpc_reply(p) + 24) == 1 && word(rpc_reply(p) + 28) == 1,
	      "not versions 1 to 1");
	return 0;
}

static int conf_wrong_version(struct peer *p)
{
	static const u32 versions[] = { 0, 2, ~0u };
	u32 i;

	for (i = 0; i < 3; i++) {
		put_conf(p, versions[i], RPCRDMA_CONF_RDMA);
		put_args(p, PEER_MSG, PEER_MSG, 16);
		TRY(expect_mismatch(p));
	}
	return ping(p);
}

static int conf_wrong_procedure(struct peer *p)
{
	put_conf(p, RPCRDMA_CONF_VERS, 2);
	TRY(expect_status(p, PROC_UNAVAIL, 0));
	put_conf(p, RPCRDMA_CONF_VERS, ~0u);
	TRY(expect_status(p, PROC_UNAVAIL, 0));
	return ping(p);
}

/* Every length that is too short for the arguments */
static int conf_garbage(struct peer *p)
{
	u32 len;

	for (len = 0; len < 12; len++) {
		put_conf(p, RPCRDMA_CONF_VERS, RPCRDMA_CONF_RDMA);
		p->len += len;
		TRY(expect_status(p, GARBAGE_ARGS, 0));
	}
	return ping(p);
}

/* The call that was built is denied: word 3 and word 4 of the reply. */
static int expect_denied(struct peer *p, u32 reject, u32 why)
{
	const u8 *rpc;

	TRY(exchange(p));
	rpc = rpc_reply(p);
	CHECK(p->hdr.type == RPCRDMA_MSG, "not an RDMA_MSG");
	CHECK(p->reply_len - p->hdr.payload >= 20, "the length of the answer");
	CHECK(word(rpc + 4) == 1 && word(rpc + 8) == 1, "not denied");
	CHECK(word(rpc + 12) == reject && word(rpc + 16) == why,
	      "another reason");
	return 0;
}

static int conf_rpc_version(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_lists(p);
	put32(p, last_xid());
	put32(p, 0);
	put32(p, 3);
	put32(p, RPCRDMA_CONF_PROG);
	TRY(expect_denied(p, 0, 2));
	return ping(p);
}

/* A call with a credential of @flavor, of @len bytes */
static void put_cred(struct peer *p, u32 flavor, u32 len)
{
	u32 i;

	put_header(p, RPCRDMA_MSG);
	put_lists(p);
	put32(p, last_xid());
	put32(p, 0);
	put32(p, 2);
	put32(p, RPCRDMA_CONF_PROG);
	put32(p, RPCRDMA_CONF_VERS);
	put32(p, RPCRDMA_CONF_RDMA);
	put32(p, flavor);
	put32(p, len);
	for (i = 0; i < len && i < 400; i += 4)
		put32(p, 0);
}

/* Documentation/protocol.rst, Connection configuration */
static int conf_credentials(struct peer *p)
{
	put_cred(p, 6, 24);
	put32(p, 0);
	put32(p, 0);
	put_args(p, PEER_MSG, PEER_MSG, 16);
	TRY(expect_denied(p, 1, RPCRDMA_CONF_REJECTEDCRED));
	put_cred(p, 1, 8);
	TRY(expect_denied(p, 1, RPCRDMA_CONF_BADCRED));
	put_cred(p, 0, ~0u);
	TRY(expect_denied(p, 1, RPCRDMA_CONF_BADCRED));
	put_cred(p, 0, 0);
	TRY(expect_denied(p, 1, RPCRDMA_CONF_BADVERF));
	put_cred(p, 0, 0);
	put32(p, 0);
	put32(p, 0);
	put_args(p, PEER_MSG, PEER_MSG, 16);
	TRY(expect_msg(p));
	TRY(check_results(p));
	return ping(p);
}

/* A READ of @count bytes, which is answered inline or with ERR_CHUNK. */
static int read_inline(struct peer *p, u32 count, bool fits)
{
	put_header(p, RPCRDMA_MSG);
	put_lists(p);
	put_read_call(p, count);
	if (!fits)
		return expect_error(p, RPCRDMA_ERR_CHUNK);
	TRY(expect_msg(p));
	CHECK(p->reply_len > count, "the reply is too short");
	return check_compound(p, rpc_reply(p), TAG, 0, 3);
}

/*
 * RFC 8166 section 3.3.2: without a CM private message, 1024 bytes, unless the
 * requester says something else; it may say so again.
 */
static int conf_reply_size(struct peer *p)
{
	TRY(read_inline(p, 800, true));
	TRY(read_inline(p, 1000, false));
	TRY(configure(p, PEER_MSG, 16));
	TRY(read_inline(p, 3500, true));
	TRY(read_inline(p, 4090, false));
	TRY(configure(p, 2048, 16));
	TRY(read_inline(p, 1500, true));
	TRY(read_inline(p, 2040, false));
	TRY(configure(p, 0, 16));
	TRY(read_inline(p, 800, true));
	TRY(read_inline(p, 1000, false));
	TRY(configure(p, ~0u, 16));
	return read_inline(p, 3500, true);
}

/* NFS's NULL with a credential that is in a Read chunk */
static void put_read_null(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_read(p, 40, 0, 4);
	put_lists(p);
	put_null(p);
	p->len -= 4;
}

/* RFC 5666 section 6.2: "the peer MUST NOT issue requests that require" Reads */
static int conf_no_reads(struct peer *p)
{
	memset(p->mem, 0, 64);
	put_read_null(p);
	TRY(expect_msg(p));
	TRY(configure(p, PEER_MSG, 0));
	put_read_null(p);
	TRY(expect_error(p, RPCRDMA_ERR_CHUNK));
	return ping(p);
}

/* A connection changes nothing for others. */
static int conf_other_connection(struct peer *p)
{
	struct peer other;
	int i, ret;

	ret = peer_connect(&other, p->host, p->port, PEER_NO_PRIVATE,
			   NULL);
	for (i = 0; !ret && i < 50; i++) {
		ret = configure(&other, i % 2 ? PEER_MSG : 1024, i % 3);
		if (!ret)
			ret = read_inline(p, 3500, true);
		if (!ret)
			ret = read_inline(&other, 3500, i % 2);
	}
	if (!p->why)
		p->why = other.why;
	peer_disconnect(&other);
	TRY(ret);
	memset(p->mem, 0, 64);
	put_read_null(p);
	return expect_msg(p);
}

/* Calls with chunks are nfsd's, which does not have the program. */
static int conf_chunks(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put32(p, 0);
	put32(p, 0);
	put_chunk(p, 0, 4096);
	put_call(p, RPCRDMA_CONF_PROG, RPCRDMA_CONF_VERS, RPCRDMA_CONF_NULL);
	TRY(expect_status(p, PROG_UNAVAIL, 0));
	put_header(p, RPCRDMA_MSG);
	put_read(p, 60, 0, 12);
	put_lists(p);
	put_call(p, RPCRDMA_CONF_PROG, RPCRDMA_CONF_VERS, RPCRDMA_CONF_RDMA);
	TRY(expect_status(p, PROG_UNAVAIL, 0));
	return ping(p);
}

/* So are all calls in version 2, */
static int conf_version_2(struct peer *p)
{
	put_msg(p);
	put_lists(p);
	put_call(p, RPCRDMA_CONF_PROG, RPCRDMA_CONF_VERS, RPCRDMA_CONF_RDMA);
	put_args(p, PEER_MSG, PEER_MSG, 16);
	TRY(peer_post(p));
	TRY(expect2(p, RPCRDMA2_MSG));
	CHECK(word(rpc_reply(p) + 20) == PROG_UNAVAIL, "another status");
	return 0;
}

/* and if the administrator says so. */
static int conf_off(struct peer *p)
{
	int ret;

	server_set("connection_configuration", "N");
	put_conf(p, RPCRDMA_CONF_VERS, RPCRDMA_CONF_RDMA);
	put_args(p, PEER_MSG, PEER_MSG, 16);
	ret = expect_status(p, PROG_UNAVAIL, 0);
	server_set("connection_configuration", "Y");
	TRY(ret);
	return configure(p, PEER_MSG, 16);
}

/* As many as there are credits, again and again */
static int conf_many(struct peer *p)
{
	u32 i, j, n;

	TRY(configure(p, PEER_MSG, 16));
	for (i = 0; i < 100; i++) {
		n = p->hdr.credits < 8 ? p->hdr.credits : 8;
		for (j = 0; j < n; j++) {
			put_conf(p, RPCRDMA_CONF_VERS, RPCRDMA_CONF_RDMA);
			put_args(p, i, j * 1024, i % 5);
			TRY(peer_post(p));
		}
		for (j = 0; j < n; j++)
			TRY(peer_wait(p));
	}
	TRY(configure(p, PEER_MSG, 16));
	return ping(p);
}

static const struct peer_case cases[] = {
	CASE(conf_rdma),
	CASE(conf_null),
	CASE(conf_wrong_version),
	CASE(conf_wrong_procedure),
	CASE(conf_garbage),
	CASE(conf_rpc_version),
	CASE(conf_credentials),
	CASE(conf_reply_size, .flags = PEER_NO_PRIVATE),
	CASE(conf_no_reads),
	CASE(conf_other_connection),
	CASE(conf_chunks),
	CASE(conf_version_2),
	CASE(conf_off),
	CASE(conf_many),
};

const struct peer_group conf_cases = { cases, sizeof(cases) / sizeof(cases[0]) };
