// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: properties that change during a connection (Transport Characteristics draft
 * section 4). Requests, updates and answers are partly malformed. The server's Receives
 * grow when the peer requests that.
 */

#include "peer.h"

#define BASE		5120u
#define LARGEST		18432u
/* Header types 7, 8 and 9, as octets */
#define OCTETS		0x80030000u
/* More calls than the server needs to replace the Receives of a connection */
#define CALLS		1000u

enum {
	RBSIZ	= RPCRDMA2_PROP_RBSIZ,
	BRS	= RPCRDMA2_PROP_BRS,
};

/* The server's last answer to a request */
static struct rpcrdma_resprop resp;

/* Announce the header types that we support, and properties of ours that will not change. */
#define GREET(count, types, ...)					\
	MSG(v2, RPCRDMA2_CONNPROP), MSG(words, 1, count),			\
	MSG(property, RBSIZ, EP_RECV_SIZE),				\
	MSG(words, 4, RPCRDMA2_PROP_HTYPES, 8, 4, types), ##__VA_ARGS__,	\
	DO(answer, RPCRDMA2_CONNPROP)
#define HELLO		GREET(2, OCTETS)
/* A request for @count properties, and the subsets that are done or pending */
#define REQUEST(count)	MSG(v2, RPCRDMA2_REQPROP), MSG(words, 1, count)
#define ASK(size)	REQUEST(1), MSG(property, RBSIZ, size), DO(answered, 1)
/* The server's Receives grow to @size, and the server announces this. */
#define GROW(size)	ASK(size), DO(has, CHANGES_PENDING, 0), DO(announced, size)
/* A NULL call with ignored bytes after its arguments */
#define LONG(len)							\
	MSG(v2, RPCRDMA2_MSG), MSG(null), MSG(stretch, len), DO(answer, RPCRDMA2_MSG)
#define READ(count)	MSG(v2, RPCRDMA2_MSG), MSG(open, 1), MSG(nfs_read, 100, count)
/* An update of ours: property, length, value, "no longer pending" */
#define UPDATE(...)	MSG(v2, RPCRDMA2_UPDPROP), MSG(words, __VA_ARGS__)
#define SIZE(size, pending)	UPDATE(4, RBSIZ, 4, size, pending), DO(post)

/* answered: send a request for @a[0] properties, and expect an answer */
static STEP(answered)
{
	const struct step answer = DO(answer, RPCRDMA2_RESPROP);

	TRY(do_answer(p, &answer));
	rpcrdma_resprop_get(&resp, &p->hdr);
	p->why = changes_judge(&p->hdr, st->a[0]);
	return p->why ? -1 : 0;
}

/* has: subset @a[0] has property @a[1] */
static STEP(has)
{
	const struct rpcrdma_subset *subsets[] = {
		&resp.done, &resp.rejected, &resp.pending
	};

	CHECK(rpcrdma_subset_has(subsets[st->a[0]], st->a[1]),
	      "another answer to a property");
	return 0;
}

/* Check that the server announces @size, which is no longer pending. */
static int check_update(struct peer *p, u32 size)
{
	u32 got;

	CHECK(p->hdr.type == RPCRDMA2_UPDPROP, "no RDMA2_UPDPROP");
	CHECK(!(p->hdr.flags & RPCRDMA2_F_RESPONSE), "an answer to nothing");
	CHECK(get_unaligned_be32(p->hdr.base + p->hdr.len - RPCRDMA_XDR_UNIT) == 1,
	      "pendclr");
	p->why = changes_update(&p->hdr, &got);
	CHECK(!p->why && got == size, p->why ?: "another size");
	return 0;
}

/* announced: use up Receives until the server announces the size @a[0] */
static STEP(announced)
{
	const struct step call[] = {
		MSG(v2, RPCRDMA2_MSG), MSG(null), DO(post), { NULL }
	};
	bool announced = false;
	u32 i;

	for (i = 0; i < CALLS && !announced; i++) {
		TRY(run_steps(p, call));
		TRY(peer_wait(p, PEER_TIMEOUT));
		while (p->hdr.type != RPCRDMA2_MSG) {
			TRY(check_update(p, st->a[0]));
			announced = true;
			TRY(peer_wait(p, PEER_TIMEOUT));
		}
	}
	CHECK(announced, "no RDMA2_UPDPROP");
	return 0;
}

const struct peer_case change_cases[] = {
	/* Section 4: a side that sends requests must support answers and updates. */
	CASE(change_not_understood, GREET(2, 0), ASK(LARGEST),
	     DO(has, CHANGES_REJECTED, 0), DO(ping)),
	CASE(change_requests, HELLO, REQUEST(0), DO(answered, 0),
	     REQUEST(4), MSG(property, 0x4711, 1),
	     MSG(property, BRS, RPCRDMA2_RVREQSUP_INLINE),
	     MSG(property, RBSIZ, 65540), MSG(property, RBSIZ, BASE), DO(answered, 4),
	     DO(has, CHANGES_REJECTED, 0), DO(has, CHANGES_DONE, 1),
	     DO(has, CHANGES_REJECTED, 2), DO(has, CHANGES_DONE, 3), DO(ping)),
	/* Larger Receives are posted before they are announced. */
	CASE(change_grows, HELLO, GROW(LARGEST), DO(times, 100), LONG(18000),
	     DO(again), WITH(counted, "recvs_grown", 1), LONG(BASE), DO(ping)),
	/*
	 * Section 4.1: a side that has announced that a size will not change must not change
	 * it. The other updates have no effect.
	 */
	CASE(change_keeps,
	     GREET(3, OCTETS, MSG(words, 4, RPCRDMA2_PROP_NOCHANGE, 8, 1, 1)),
	     SIZE(1024, 0), SIZE(1024, 1), UPDATE(4, 0x1234, 4, 1, 0), DO(post),
	     UPDATE(3, RPCRDMA2_PROP_NOCHANGE), DO(post),
	     UPDATE(3, RPCRDMA2_PROP_HTYPES), DO(post),
	     MSG(v2, RPCRDMA2_UPDPROP, RPCRDMA2_F_RESPONSE), DO(post),
	     MSG(v2, RPCRDMA2_RESPROP, RPCRDMA2_F_RESPONSE), MSG(words, 3), DO(post),
	     READ(EP_RECV_SIZE - 300), DO(answer, RPCRDMA2_MSG),
	     READ(EP_RECV_SIZE), DO(error, RPCRDMA2_ERR_REPLY_RESOURCE)),
	{ NULL }
};
