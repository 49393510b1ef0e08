// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: version 2 (draft-cel-nfsv4-rpcrdma-version-two-09), and version hints in the
 * connect request (Documentation/protocol.rst, Version hint).
 */

#include "peer.h"

#define CONNPROPS	50u
#define SMALL		2000u

/* The first message of a version 2 requester */
#define PROPERTIES(id, len, value)				\
	MSG(v2, RPCRDMA2_CONNPROP), MSG(words, 4, 1, id, len, value)
#define OFFER(size)	PROPERTIES(RPCRDMA2_PROP_RBSIZ, 4, size)
#define HELLO_OF(size)	OFFER(size), DO(answer, RPCRDMA2_CONNPROP)
#define HELLO		HELLO_OF(EP_RECV_SIZE)
#define GREETED		HELLO, HDR(props_count, 6), DO(ping)
/* An offer of version 2 is answered like an offer of an unknown version. */
#define OFFER_REFUSED							\
	OFFER(EP_RECV_SIZE), MSG(version, RPCRDMA_VERSION_1),		\
	DO(error, RPCRDMA_ERR_VERS), HDR(err_index, 1), HDR(err_value, 1), \
	DO(ping)

#define CALL		MSG(v2, RPCRDMA2_MSG)
#define NULL_CALL	CALL, MSG(null)
#define READ(count)	CALL, MSG(open, 1), MSG(nfs_read, 100, count)
#define READ_FITS(count)	READ(count), DO(answer, RPCRDMA2_MSG)
#define READ_FAILS(count)	READ(count), DO(answer, RPCRDMA2_ERROR)

/* The server sends its hint, which does not disturb the CM private message before it. */
static STEP(server_says)
{
	CHECK(p->s.accepted.hint == RPCRDMA_HINT_V2, "the server's hint");
	CHECK(p->s.accepted.send_size == 4096 && p->s.accepted.recv_size == 4096,
	      "the server's CM private message");
	return 0;
}

#define MAGIC		"7b9e50d4"
#define CEL_09		"63656c2d30390000"
#define IETF_07		"696574662d303700"
#define HINT(hex)	WITH(connect, hex), DO(server_says)

const struct peer_case v2_cases[] = {
	/*
	 * Section 7: a client that begins with a call can have a single Receive, so the
	 * server sends only the reply. The client can request the properties later.
	 */
	CASE(v2_call_first, MSG(version, 2), DO(ping), DO(ping), GREETED),
	/* Section 4.1: properties may be sent again. */
	CASE(v2_bad_property_late, GREETED, PROPERTIES(RPCRDMA2_PROP_RBSIZ, 3, 4096),
	     DO(refused, RPCRDMA2_ERR_BAD_XDR)),
	/* TC 6.3: experimental properties of others are skipped, like any unknown property. */
	CASE(v2_unknown_property,
	     PROPERTIES(0xffffff05, 4, ~0u), DO(answer, RPCRDMA2_CONNPROP),
	     PROPERTIES(0xffffffff, 3, 0), DO(answer, RPCRDMA2_CONNPROP),
	     DO(ping)),
	/*
	 * RDMA_DONE without a reply is ignored, as is data after it: reliable-reply draft
	 * section 4.1.3.
	 */
	CASE(v2_done, HELLO, MSG(v2, RPCRDMA2_DONE), DO(post),
	     MSG(v2, RPCRDMA2_DONE), MSG(words, 3), DO(post), DO(ping)),
	CASE(v2_read_chunks, HELLO, NULL_CALL, MSG(put, 1, 1024), MSG(put, 256),
	     MSG(reads, 33, 8, 8, 4), DO(refused, RPCRDMA2_ERR_READ_CHUNKS, 32)),
	/* Inline replies can be as long as the requester allows, but no longer. */
	CASE(v2_small_buffer, HELLO_OF(SMALL), READ_FITS(SMALL - 300), READ_FAILS(SMALL)),
	CASE(v2_default_buffer, MSG(version, 2), DO(ping), READ_FITS(3800),
	     READ_FAILS(4096)),
	/* Messages without a credit, as many as there are Receives for their answers */
	CASE(v2_flood, DO(times, 4), OFFER(EP_RECV_SIZE),
	     DO(flood, CONNPROPS, RPCRDMA2_CONNPROP), DO(again), DO(ping)),
	/* A peer that does not receive the answers to its messages is disconnected. */
	CASE(v2_flood_deaf, OFFER(EP_RECV_SIZE), DO(times, 16 * CONNPROPS), DO(post),
	     DO(again), DO(closes)),
	/* Version 2 does not need the CM private message. */
	CASE(hint_no_private, DO(connect, NO_PRIVATE), DO(server_says), GREETED),
	CASE(hint_version_2, HINT(MAGIC "01020000" CEL_09), GREETED),
	CASE(hint_another, HINT(MAGIC "01020000" IETF_07), OFFER_REFUSED),
	/* Garbage and unknown hints have no effect. */
	CASE(hint_garbage, HINT("9d1cf3770101d53af6ab0e18010100007b9e50d401010000"),
	     GREETED),
	{ NULL }
};
