// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: the Connection Configuration Protocol, program 100417 (RFC 5666 section
 * 6). The server answers it itself, on this connection only.
 */

#include <rpcrdma/conf.h>

#include "peer.h"

/* RFC 5531 section 9 */
#define PROG_UNAVAIL	1u

#define ARGS(maxreply, maxread)						\
	DO(put, 1, EP_RECV_SIZE), DO(put, 1, maxreply), DO(put, 1, maxread)
#define CONFIGURE(maxreply, maxread)					\
	DO(v1, RPCRDMA_MSG),						\
	DO(call, RPCRDMA_CONF_PROG, RPCRDMA_CONF_VERS, RPCRDMA_CONF_RDMA),	\
	ARGS(maxreply, maxread), DO(ok), DO(results)
#define DENIED(why, what)						\
	DO(answer, RPCRDMA_MSG), DO(rpc, 1, 1), DO(rpc, 2, 1),		\
	DO(rpc, 3, why), DO(rpc, 4, what)
/* NFS's NULL with a credential that is in a Read chunk */
#define READ_NULL	DO(v1, RPCRDMA_MSG), DO(null), DO(shorten), DO(read, 40, 0, 4)
/* A credential of this flavor and length, of which so many words are there */
#define CREDENTIAL(flavor, len, words)					\
	DO(v1, RPCRDMA_MSG), DO(head), DO(put, 1, RPCRDMA_CONF_VERS),	\
	DO(put, 1, RPCRDMA_CONF_RDMA), DO(put, 1, flavor),		\
	DO(put, 1, len), DO(put, words)

/* max_req_size, the only alignment that XDR has, and initiator_depth */
static int do_results(struct peer *p, const struct step *st)
{
	static const u32 want[] = { 4096, 4, 4 };
	u32 i;

	CHECK(rpc_len(p) == 36, "the length of the answer");
	for (i = 0; i < 3; i++)
		CHECK(word(rpc_reply(p) + 24 + 4 * i) == want[i], "another result");
	return 0;
}

/* head: XID, call, RPC version, program */
static int do_head(struct peer *p, const struct step *st)
{
	message_put(&p->m, p->s.xid);
	message_put(&p->m, 0);
	message_put(&p->m, 2);
	message_put(&p->m, RPCRDMA_CONF_PROG);
	return 0;
}

/* shorten: leave out the last word of the call */
static int do_shorten(struct peer *p, const struct step *st)
{
	p->m.payload_len -= 4;
	return 0;
}

const struct peer_case conf_cases[] = {
	CASE(conf_rdma, CONFIGURE(EP_RECV_SIZE, 16), DO(ping)),
	/* Documentation/protocol.rst, Connection configuration */
	CASE(conf_credentials,
	     CREDENTIAL(6, 24, 6), DO(put, 2), ARGS(EP_RECV_SIZE, 16),
	     DENIED(1, RPCRDMA_CONF_REJECTEDCRED),
	     CREDENTIAL(1, 8, 2), DENIED(1, RPCRDMA_CONF_BADCRED),
	     CREDENTIAL(0, ~0u, 100), DENIED(1, RPCRDMA_CONF_BADCRED),
	     CREDENTIAL(0, 0, 0), DENIED(1, RPCRDMA_CONF_BADVERF),
	     CREDENTIAL(0, 0, 0), DO(put, 2), ARGS(EP_RECV_SIZE, 16), DO(ok),
	     DO(results), DO(ping)),
	/* RFC 5666 section 6.2: "the peer MUST NOT issue requests that require" Reads */
	CASE(conf_no_reads, DO(zero, 64), READ_NULL, DO(ok), CONFIGURE(EP_RECV_SIZE, 0),
	     READ_NULL, DO(error, RPCRDMA_ERR_CHUNK), DO(ping)),
	/* Calls in version 2 are nfsd's, which does not have the program. */
	CASE(conf_version_2, DO(v2, RPCRDMA2_MSG),
	     DO(call, RPCRDMA_CONF_PROG, RPCRDMA_CONF_VERS, RPCRDMA_CONF_RDMA),
	     ARGS(EP_RECV_SIZE, 16), DO(answer, RPCRDMA_MSG), DO(rpc, 5, PROG_UNAVAIL)),
	{ NULL }
};
