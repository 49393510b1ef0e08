// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: properties that change while a connection exists (Transport Characteristics
 * draft section 4), asked for, announced and answered, also in ways that no good
 * requester would choose. The server's Receives grow when the peer asks for that,
 * and shrink again.
 */

#include <rpcrdma/subset.h>

#include "peer.h"

#define BASE		5120u
#define LARGEST		18432u
/* Header types 7, 8 and 9, as a set, and as octets */
#define TYPES		0x380u
#define OCTETS		0x80030000u
/* More than the server needs to exchange the Receives of a connection */
#define DRAINS		1000u
#define FLOOD		50u
/* Milliseconds in which a server that has something to say begins to say it */
#define QUIET		300

enum {
	RBSIZ	= RPCRDMA2_PROP_RBSIZ,
	BRS	= RPCRDMA2_PROP_BRS,
};

enum subset { DONE, REJECTED, PENDING };

/* The server's properties, and its last answer to a request */
static struct rpcrdma_props theirs;
static struct rpcrdma_resprop resp;

/* Say what we understand, and which properties of ours will not change. */
#define GREET(count, types, ...)					\
	DO(v2, RPCRDMA2_CONNPROP), DO(word, count),			\
	DO(property, RBSIZ, EP_RECV_SIZE),				\
	DO(words, 4, RPCRDMA2_PROP_HTYPES, 8, 4, types), ##__VA_ARGS__,	\
	DO(answer, RPCRDMA2_CONNPROP), DO(their_properties)
#define HELLO		GREET(2, OCTETS)
/* A request for @count properties, and which of those are done, or pending */
#define REQUEST(count)	DO(v2, RPCRDMA2_REQPROP), DO(word, count)
#define ASK(size)	REQUEST(1), DO(property, RBSIZ, size), DO(answered, 1)
#define IS(subset)	DO(has, subset, 0)
/* An answer to the server's last request, with this difference to its XID */
#define ANSWER(xid_)	DO(v2, RPCRDMA2_RESPROP, RPCRDMA2_F_RESPONSE), DO(xid, xid_)
#define NOTHING		DO(words, 3)
#define AGREE		ANSWER(0), NOTHING, DO(post)
/* The server's Receives become so large, and it asks whether we know. */
#define GROW(size)	ASK(size), IS(PENDING), DO(announced, size, true)
#define SHRUNK		DO(announced, BASE, false)
#define SHRINK_SOON	WITH(set, "tuning_interval", 300)
/* On a busy machine, calls have pauses of some 100 ms. */
#define SHRINK_UNUSED	WITH(set, "tuning_interval", 1000)
#define SHRINK_LATE	WITH(set, "tuning_interval", 5000)
/* What follows the arguments of NULL is ignored. */
#define LONG(len)							\
	DO(v2, RPCRDMA2_MSG), DO(null), DO(stretch, len), DO(answer, RPCRDMA2_MSG)
#define READ(count)	DO(v2, RPCRDMA2_MSG), DO(open, 1), DO(nfs_read, 100, count)
#define FITS(count)	READ(count), DO(answer, RPCRDMA2_MSG)
#define TOO_LONG(count)	READ(count), DO(error, RPCRDMA2_ERR_REPLY_RESOURCE)
#define LIMIT(size)	FITS((size) - 300), TOO_LONG(size)
/* An update of ours: property, length, value, "no longer pending" */
#define UPDATE(...)	DO(v2, RPCRDMA2_UPDPROP), DO(words, __VA_ARGS__)
#define SIZE(size, pending)	UPDATE(4, RBSIZ, 4, size, pending), DO(post)

static int do_their_properties(struct peer *p, const struct step *st)
{
	CHECK(!rpcrdma_props_decode(&theirs, &p->hdr),
	      "the server's properties are malformed");
	CHECK((theirs.htypes & TYPES) == TYPES,
	      "the server does not understand changes");
	return 0;
}

/* The three subsets are disjoint and cover the request. */
static int take_answer(struct peer *p, u32 count)
{
	rpcrdma_resprop_get(&resp, &p->hdr);
	CHECK(rpcrdma_resprop_covers(&resp, count),
	      "subsets overlap, or do not cover the request");
	return 0;
}

/* answered: send a request for @a[0] properties, and expect an answer */
static int do_answered(struct peer *p, const struct step *st)
{
	const struct step answer = DO(answer, RPCRDMA2_RESPROP);

	TRY(do_answer(p, &answer));
	return take_answer(p, st->a[0]);
}

/* has: subset @a[0] has property @a[1] */
static int do_has(struct peer *p, const struct step *st)
{
	const struct rpcrdma_subset *subsets[] = {
		&resp.done, &resp.rejected, &resp.pending
	};

	CHECK(rpcrdma_subset_has(subsets[st->a[0]], st->a[1]),
	      "another answer to a property");
	return 0;
}

/* A message that answers nothing; if it is a request, it is empty */
static int check_own(struct peer *p)
{
	CHECK(!(p->hdr.flags & RPCRDMA2_F_RESPONSE), "an answer to nothing");
	CHECK(p->hdr.type == RPCRDMA2_UPDPROP ||
	      (p->hdr.type == RPCRDMA2_REQPROP && !p->hdr.props_count),
	      "neither an empty REQPROP nor UPDPROP");
	p->theirs = word(p->reply);
	return 0;
}

static int take_own(struct peer *p)
{
	TRY(peer_wait(p, PEER_TIMEOUT));
	return check_own(p);
}

static int agree(struct peer *p)
{
	const struct step steps[] = { AGREE, { NULL } };

	return run_steps(p, steps);
}

/* asked: the server's next message is a request */
static int do_asked(struct peer *p, const struct step *st)
{
	TRY(take_own(p));
	CHECK(p->hdr.type == RPCRDMA2_REQPROP, "no request");
	return 0;
}

/*
 * announced: answer the server's requests until it announces the size @a[0], with
 * "no longer pending" or not; then it asks once more
 */
static int do_announced(struct peer *p, const struct step *st)
{
	struct rpcrdma_cursor cur;
	struct rpcrdma_prop prop;
	u32 i;

	for (i = 0; i < DRAINS; i++) {
		TRY(take_own(p));
		if (p->hdr.type == RPCRDMA2_UPDPROP)
			break;
		TRY(agree(p));
	}
	CHECK(i < DRAINS, "no RDMA2_UPDPROP");
	rpcrdma_props_begin(&p->hdr, &cur);
	rpcrdma_props_next(&cur, &prop);
	CHECK(rpcrdma_prop_decode(&theirs, &prop) == RPCRDMA_PROPS_RBSIZ,
	      "not a good Receive Buffer Size");
	CHECK(theirs.recv_size == st->a[0], "another size");
	CHECK(p->hdr.pendclr == st->a[1], "pendclr");
	return do_asked(p, st);
}

/* settle: answer what the server asks until it has nothing more to say */
static int do_settle(struct peer *p, const struct step *st)
{
	u32 i;

	for (i = 0; endpoint_until(&p->s.ep, QUIET, p->s.ep.queued); i++) {
		CHECK(i < DRAINS, "the server does not stop asking");
		TRY(take_own(p));
		CHECK(st->a[0] || p->hdr.type == RPCRDMA2_REQPROP,
		      "another change");
		if (p->hdr.type == RPCRDMA2_REQPROP)
			TRY(agree(p));
	}
	CHECK(!p->s.ep.dead, "connection lost");
	return 0;
}

/* flood_ask: @a[0] requests */
static int do_flood_ask(struct peer *p, const struct step *st)
{
	const struct step ask[] = {
		REQUEST(1), DO(property, RBSIZ, LARGEST), DO(post), { NULL }
	};
	u32 i;

	for (i = 0; i < st->a[0]; i++)
		TRY(run_steps(p, ask));
	return 0;
}

/* answers: expect @a[0] answers to requests for one property, and answer requests */
static int do_answers(struct peer *p, const struct step *st)
{
	u32 n = 0;

	while (n < st->a[0]) {
		TRY(peer_wait(p, PEER_TIMEOUT));
		if (p->hdr.type == RPCRDMA2_RESPROP) {
			TRY(take_answer(p, 1));
			n++;
			continue;
		}
		TRY(check_own(p));
		if (p->hdr.type == RPCRDMA2_REQPROP)
			TRY(agree(p));
	}
	return 0;
}

const struct peer_case change_cases[] = {
	/* Section 4: who asks must understand the answer, and updates. */
	CASE(change_not_understood, GREET(2, 0), ASK(LARGEST), IS(REJECTED),
	     DO(quiet, QUIET), DO(ping)),
	CASE(change_requests, HELLO, REQUEST(0), DO(answered, 0),
	     REQUEST(4), DO(property, 0x4711, 1),
	     DO(property, BRS, RPCRDMA2_RVREQSUP_INLINE),
	     DO(property, RBSIZ, 65540), DO(property, RBSIZ, BASE), DO(answered, 4),
	     DO(has, REJECTED, 0), DO(has, DONE, 1), DO(has, REJECTED, 2),
	     DO(has, DONE, 3), DO(ping)),
	/*
	 * Larger Receives are there when they are announced. Smaller ones are not before
	 * we have processed the announcement: calls that are under way may be long.
	 */
	CASE(change_grows, SHRINK_UNUSED, HELLO, GROW(LARGEST), AGREE,
	     DO(times, 100), LONG(18000), DO(again), SHRUNK,
	     DO(times, 100), LONG(18000), DO(again), AGREE, DO(settle, 1),
	     WITH(counted, "recvs_shrunk", 1), SHRINK_LATE, LONG(BASE),
	     DO(ping)),
	/*
	 * A peer that does not answer keeps what it was told for a while. Then it is
	 * disconnected, because what it keeps is not there for others.
	 */
	CASE(change_no_answer, SHRINK_SOON, HELLO, GROW(LARGEST), AGREE, SHRUNK,
	     SHRINK_LATE, DO(times, 300), LONG(18000), DO(again), DO(ping),
	     DO(closes)),
	/*
	 * An answer that cannot be decoded shows that the announcement was processed.
	 * Our larger Receives are used up.
	 */
	CASE(change_answer_cut, SHRINK_SOON, HELLO, GROW(LARGEST), AGREE, SHRUNK,
	     SHRINK_LATE, ANSWER(0), DO(word, 0), DO(post), DO(asked), AGREE,
	     DO(settle, 1), DO(ping)),
	/*
	 * Answers that make no sense do not count as refusals of the connection: to
	 * nothing; too short; everything in all subsets.
	 */
	CASE(change_bad_answers, HELLO,
	     DO(v2, RPCRDMA2_RESPROP, RPCRDMA2_F_RESPONSE), NOTHING, DO(post),
	     ASK(LARGEST), IS(PENDING), DO(asked),
	     ANSWER(0), DO(words, 6, 1, ~0u, 1, ~0u, 1 << 30, ~0u), DO(post),
	     ANSWER(0), DO(words, 6, 1, ~0u, 1, ~0u, 1, ~0u), DO(post),
	     DO(announced, LARGEST, true), AGREE, LONG(18000), DO(ping)),
	/* Every request is answered, however many there are. */
	CASE(change_flood, HELLO, DO(times, 4), DO(flood_ask, FLOOD),
	     DO(answers, FLOOD), DO(again), DO(settle, 1), DO(ping)),
	/*
	 * Section 4.1: who says that a size will not change does not change it; and other
	 * updates that mean nothing.
	 */
	CASE(change_keeps,
	     GREET(3, OCTETS, DO(words, 4, RPCRDMA2_PROP_NOCHANGE, 8, 1, 1)),
	     SIZE(1024, 0), SIZE(1024, 1), UPDATE(4, 0x1234, 4, 1, 0), DO(post),
	     UPDATE(3, RPCRDMA2_PROP_NOCHANGE), DO(post),
	     UPDATE(3, RPCRDMA2_PROP_HTYPES), DO(post),
	     DO(v2, RPCRDMA2_UPDPROP, RPCRDMA2_F_RESPONSE), DO(post),
	     LIMIT(EP_RECV_SIZE)),
	/* Longer than what was announced, although it was asked for */
	CASE(req_not_awaited, HELLO, ASK(LARGEST), LONG(LARGEST), DO(closes)),
	/* The connection ends if our Receives are smaller than we say. */
	CASE(upd_lie, HELLO, SIZE(0xffffffff, 0), READ(8000), DO(post), DO(closes)),
	/* Nothing may be longer than what was announced, once that is confirmed. */
	CASE(shrink_abused, SHRINK_SOON, HELLO, GROW(LARGEST), AGREE, SHRUNK,
	     LONG(LARGEST), AGREE, DO(settle), LONG(BASE), LONG(LARGEST), DO(closes)),
	{ NULL }
};
