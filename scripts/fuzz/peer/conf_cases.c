// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: the Connection Configuration Protocol, program 100417 (RFC 5666 section
 * 6). The server answers it itself, on this connection only.
 */

#include <rpcrdma/conf.h>

#include "peer.h"

/* RFC 5531 section 9 */
enum {
	PROG_UNAVAIL	= 1,
	PROG_MISMATCH	= 2,
	PROC_UNAVAIL	= 3,
	GARBAGE_ARGS	= 4,
};

/* The results: max_req_size, the only alignment that XDR has, and initiator_depth */
#define MAXCALL		4096u
#define ALIGN		4u
#define MAXREAD		4u
#define MANY		100u

#define NULL_CALL		DO(v1, RPCRDMA_MSG), DO(null)
#define EMPTY(vers, proc)						\
	DO(v1, RPCRDMA_MSG), DO(call, RPCRDMA_CONF_PROG, vers, proc)
#define ARGS(maxreply, maxread)						\
	DO(put, 1, EP_RECV_SIZE), DO(put, 1, maxreply), DO(put, 1, maxread)
#define CONF(maxreply, maxread)						\
	EMPTY(RPCRDMA_CONF_VERS, RPCRDMA_CONF_RDMA), ARGS(maxreply, maxread)
#define CONFIGURE(maxreply, maxread)	CONF(maxreply, maxread), DO(ok), DO(results)
/* Length in words and accept status of a reply */
#define STATUS(stat, words)	DO(answer, RPCRDMA_MSG), DO(accepted, stat, words)
#define MISMATCH(vers)							\
	EMPTY(vers, RPCRDMA_CONF_RDMA), ARGS(EP_RECV_SIZE, 16),		\
	STATUS(PROG_MISMATCH, 2), DO(rpc, 6, 1), DO(rpc, 7, 1)
#define DENIED(why, what)						\
	DO(answer, RPCRDMA_MSG), DO(rpc, 1, 1), DO(rpc, 2, 1),		\
	DO(rpc, 3, why), DO(rpc, 4, what)
/* NFS's NULL with a credential that is in a Read chunk */
#define READ_NULL	NULL_CALL, DO(shorten), DO(read, 40, 0, 4)
#define READ(count)	DO(v1, RPCRDMA_MSG), DO(open, 1), DO(nfs_read, 100, count)
#define FITS(count)	READ(count), DO(ok), DO(compound, 3)
#define FITS_NOT(count)	READ(count), DO(error, RPCRDMA_ERR_CHUNK)
/* A credential of this flavor and length, of which so many words are there */
#define CREDENTIAL(flavor, len, words)					\
	DO(v1, RPCRDMA_MSG), DO(head, 2), DO(put, 1, RPCRDMA_CONF_VERS),	\
	DO(put, 1, RPCRDMA_CONF_RDMA), DO(put, 1, flavor),		\
	DO(put, 1, len), DO(put, words)

/* Decoded by the server's own codec, and word by word */
static int do_results(struct peer *p, const struct step *st)
{
	static const u32 want[] = { MAXCALL, ALIGN, MAXREAD };
	struct rpcrdma_conf_reply reply;
	const u8 *rpc = rpc_reply(p);
	u32 i;

	CHECK(!rpcrdma_conf_reply_decode(&reply, rpc, rpc_len(p)),
	      "the codec does not understand the answer");
	CHECK(rpc_len(p) == 36, "the length of the answer");
	for (i = 0; i < 3; i++)
		CHECK(word(rpc + 24 + 4 * i) == want[i], "another result");
	CHECK(reply.res.maxcall_sendsize == MAXCALL &&
	      reply.res.align == ALIGN && reply.res.maxrdmaread == MAXREAD,
	      "the codec reads another answer");
	return 0;
}

/* accepted: with status @a[0], and @a[1] words of results */
static int do_accepted(struct peer *p, const struct step *st)
{
	CHECK(rpc_len(p) == 24 + 4 * st->a[1], "the length of the answer");
	CHECK(word(rpc_reply(p) + 4) == 1 && word(rpc_reply(p) + 8) == 0,
	      "not accepted");
	CHECK(word(rpc_reply(p) + 20) == st->a[0], "another status");
	return 0;
}

/* head: XID, call, RPC version @a[0], program */
static int do_head(struct peer *p, const struct step *st)
{
	message_put(&p->m, p->s.xid);
	message_put(&p->m, 0);
	message_put(&p->m, st->a[0]);
	message_put(&p->m, RPCRDMA_CONF_PROG);
	return 0;
}

/* shorten: leave out the last word of the call */
static int do_shorten(struct peer *p, const struct step *st)
{
	p->m.payload_len -= 4;
	return 0;
}

/* garbage: one byte of the arguments more in each turn */
static int do_garbage(struct peer *p, const struct step *st)
{
	p->m.payload_len += p->turn;
	return 0;
}

/* A connection changes nothing for others. */
static int do_other(struct peer *p, const struct step *st)
{
	static struct peer other;
	int ret = -1;
	u32 i;

	other = (struct peer){ .s.host = p->s.host, .s.port = p->s.port,
			       .s.version = RPCRDMA_VERSION_1,
			       .s.xid = 0x40000000 };
	if (!memory_create(&other.s.mem, SINK_SIZE))
		ret = peer_connect(&other, NO_PRIVATE);
	for (i = 0; !ret && i < 50; i++) {
		const struct step configure[] = {
			CONFIGURE(i % 2 ? EP_RECV_SIZE : 1024, i % 3), { NULL }
		};
		const struct step ours[] = { FITS(3500), { NULL } };
		const struct step fails[] = { FITS_NOT(3500), { NULL } };

		ret = run_steps(&other, configure) || run_steps(p, ours) ||
		      run_steps(&other, i % 2 ? ours : fails);
	}
	if (!p->why)
		p->why = other.why;
	session_close(&other.s, true);
	memory_destroy(&other.s.mem);
	return ret;
}

/* As many as there are credits, again and again */
static int do_many(struct peer *p, const struct step *st)
{
	u32 i, j, n;

	for (i = 0; i < MANY; i++) {
		n = p->hdr.credits < 8 ? p->hdr.credits : 8;
		for (j = 0; j < n; j++) {
			const struct step conf[] = {
				CONF(j * 1024, i % 5), DO(post), { NULL }
			};

			TRY(run_steps(p, conf));
		}
		for (j = 0; j < n; j++)
			TRY(peer_wait(p, PEER_TIMEOUT));
	}
	return 0;
}

const struct peer_case conf_cases[] = {
	CASE(conf_rdma, CONFIGURE(EP_RECV_SIZE, 16), DO(ping)),
	CASE(conf_null, EMPTY(RPCRDMA_CONF_VERS, RPCRDMA_CONF_NULL), STATUS(0, 0),
	     DO(ping)),
	CASE(conf_wrong_version, MISMATCH(0), MISMATCH(2), MISMATCH(~0u), DO(ping)),
	CASE(conf_wrong_procedure,
	     EMPTY(RPCRDMA_CONF_VERS, 2), STATUS(PROC_UNAVAIL, 0),
	     EMPTY(RPCRDMA_CONF_VERS, ~0u), STATUS(PROC_UNAVAIL, 0), DO(ping)),
	/* Every length that is too short for the arguments */
	CASE(conf_garbage, DO(times, 12),
	     EMPTY(RPCRDMA_CONF_VERS, RPCRDMA_CONF_RDMA), DO(garbage),
	     STATUS(GARBAGE_ARGS, 0), DO(again), DO(ping)),
	CASE(conf_rpc_version, DO(v1, RPCRDMA_MSG), DO(head, 3), DENIED(0, 2),
	     DO(ping)),
	/* Documentation/protocol.rst, Connection configuration */
	CASE(conf_credentials,
	     CREDENTIAL(6, 24, 6), DO(put, 2), ARGS(EP_RECV_SIZE, 16),
	     DENIED(1, RPCRDMA_CONF_REJECTEDCRED),
	     CREDENTIAL(1, 8, 2), DENIED(1, RPCRDMA_CONF_BADCRED),
	     CREDENTIAL(0, ~0u, 100), DENIED(1, RPCRDMA_CONF_BADCRED),
	     CREDENTIAL(0, 0, 0), DENIED(1, RPCRDMA_CONF_BADVERF),
	     CREDENTIAL(0, 0, 0), DO(put, 2), ARGS(EP_RECV_SIZE, 16), DO(ok),
	     DO(results), DO(ping)),
	/*
	 * RFC 8166 section 3.3.2: without a CM private message, 1024 bytes, unless the
	 * requester says something else; it may say so again.
	 */
	CASE(conf_reply_size, DO(connect, NO_PRIVATE), FITS(800), FITS_NOT(1000),
	     CONFIGURE(EP_RECV_SIZE, 16), FITS(3500), FITS_NOT(4090),
	     CONFIGURE(2048, 16), FITS(1500), FITS_NOT(2040),
	     CONFIGURE(0, 16), FITS(800), FITS_NOT(1000),
	     CONFIGURE(~0u, 16), FITS(3500)),
	/* RFC 5666 section 6.2: "the peer MUST NOT issue requests that require" Reads */
	CASE(conf_no_reads, DO(zero, 64), READ_NULL, DO(ok), CONFIGURE(EP_RECV_SIZE, 0),
	     READ_NULL, DO(error, RPCRDMA_ERR_CHUNK), DO(ping)),
	CASE(conf_other_connection, DO(other), DO(zero, 64), READ_NULL, DO(ok)),
	/* Calls with chunks are nfsd's, which does not have the program. */
	CASE(conf_chunks,
	     EMPTY(RPCRDMA_CONF_VERS, RPCRDMA_CONF_NULL), DO(reply, 0, 4096),
	     STATUS(PROG_UNAVAIL, 0),
	     EMPTY(RPCRDMA_CONF_VERS, RPCRDMA_CONF_RDMA), DO(read, 60, 0, 12),
	     STATUS(PROG_UNAVAIL, 0), DO(ping)),
	/* So are all calls in version 2, */
	CASE(conf_version_2, DO(v2, RPCRDMA2_MSG),
	     DO(call, RPCRDMA_CONF_PROG, RPCRDMA_CONF_VERS, RPCRDMA_CONF_RDMA),
	     ARGS(EP_RECV_SIZE, 16), STATUS(PROG_UNAVAIL, 0)),
	/* and if the administrator says so. */
	CASE(conf_off, WITH(set, "connection_configuration", 0),
	     CONF(EP_RECV_SIZE, 16), STATUS(PROG_UNAVAIL, 0),
	     WITH(set, "connection_configuration", 1), CONFIGURE(EP_RECV_SIZE, 16)),
	CASE(conf_many, CONFIGURE(EP_RECV_SIZE, 16), DO(many),
	     CONFIGURE(EP_RECV_SIZE, 16), DO(ping)),
	{ NULL }
};
