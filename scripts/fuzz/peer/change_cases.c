// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: properties that change while a connection exists (Transport Characteristics
 * draft section 4), asked for, announced and answered, also in ways that no good
 * requester would choose. The server's Receives grow when the peer asks for that.
 */

#include <rpcrdma/subset.h>

#include "peer.h"

#define BASE		5120u
#define LARGER		9216u
#define LARGEST		18432u
/* Header types 7, 8 and 9, as a set, and as octets */
#define TYPES		0x380u
#define OCTETS		0x80030000u
/* More calls than the server needs to exchange the Receives of a connection */
#define CALLS		1000u
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
#define IS(subset)	DO(has, subset, 0, true)
#define IS_NOT(subset)	DO(has, subset, 0, false)
#define BAD_REQUEST	DO(error, RPCRDMA2_ERR_BAD_XDR)
/* An answer to a request of the server's, with this difference to its XID */
#define ANSWER(xid_)	DO(v2, RPCRDMA2_RESPROP, RPCRDMA2_F_RESPONSE), DO(xid, xid_)
#define NOTHING		DO(words, 3)
/* The server's Receives become so large. */
#define GROW(size)	ASK(size), IS(PENDING), DO(announced, size)
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

/* has: subset @a[0] has property @a[1], or not */
static int do_has(struct peer *p, const struct step *st)
{
	const struct rpcrdma_subset *subsets[] = {
		&resp.done, &resp.rejected, &resp.pending
	};

	CHECK(rpcrdma_subset_has(subsets[st->a[0]], st->a[1]) == st->a[2],
	      "another answer to a property");
	return 0;
}

/* The server announces the size @size, which is no longer pending. */
static int check_update(struct peer *p, u32 size)
{
	struct rpcrdma_cursor cur;
	struct rpcrdma_prop prop;

	CHECK(p->hdr.type == RPCRDMA2_UPDPROP, "no RDMA2_UPDPROP");
	CHECK(!(p->hdr.flags & RPCRDMA2_F_RESPONSE), "an answer to nothing");
	p->theirs = word(p->reply);
	rpcrdma_props_begin(&p->hdr, &cur);
	rpcrdma_props_next(&cur, &prop);
	CHECK(rpcrdma_prop_decode(&theirs, &prop) == RPCRDMA_PROPS_RBSIZ,
	      "not a good Receive Buffer Size");
	CHECK(theirs.recv_size == size, "another size");
	CHECK(p->hdr.pendclr, "pendclr");
	return 0;
}

/* announced: use up Receives until the server announces the size @a[0] */
static int do_announced(struct peer *p, const struct step *st)
{
	const struct step call[] = {
		DO(v2, RPCRDMA2_MSG), DO(null), DO(post), { NULL }
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

/* settle: the server may announce the size @a[0]; otherwise it says nothing more */
static int do_settle(struct peer *p, const struct step *st)
{
	while (endpoint_until(&p->s.ep, QUIET, p->s.ep.queued)) {
		TRY(peer_wait(p, PEER_TIMEOUT));
		TRY(check_update(p, st->a[0]));
	}
	CHECK(!p->s.ep.dead, "connection lost");
	return 0;
}

/* all_others: ask for each property, with another value than it has, but for the size */
static int do_all_others(struct peer *p, const struct step *st)
{
	message_property(&p->m, RBSIZ, theirs.recv_size);
	message_property(&p->m, BRS, theirs.reverse ^ 1);
	message_property(&p->m, RPCRDMA2_PROP_REMOTE_INV, !theirs.remote_inv);
	message_property(&p->m, RPCRDMA2_PROP_READ_REPLIES, !theirs.read_replies);
	message_property(&p->m, RPCRDMA2_PROP_HTYPES, 4);
	p->m.words[p->m.nwords - 2] = 8;
	message_word(&p->m, __builtin_bswap32(theirs.htypes ^ 0x80000000));
	return 0;
}

/* unknown: @a[0] properties that nobody knows */
static int do_unknown(struct peer *p, const struct step *st)
{
	u32 i;

	for (i = 0; i < st->a[0]; i++) {
		message_word(&p->m, 1001 + i);
		message_word(&p->m, 0);
	}
	return 0;
}

/* respond: an answer with some subsets to an XID, both depending on the turn */
static int do_respond(struct peer *p, const struct step *st)
{
	const u32 words[] = { p->turn & 1, p->turn & 3, p->turn & 5 };
	u32 i;

	p->m.xid = p->turn * 0x01010101;
	for (i = 0; i < 3; i++) {
		message_word(&p->m, !!words[i]);
		if (words[i])
			message_word(&p->m, words[i]);
	}
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

/*
 * answers: expect @a[0] answers to requests for one property; the server may
 * announce the size that they asked for
 */
static int do_answers(struct peer *p, const struct step *st)
{
	u32 n = 0;

	while (n < st->a[0]) {
		TRY(peer_wait(p, PEER_TIMEOUT));
		if (p->hdr.type == RPCRDMA2_RESPROP) {
			TRY(take_answer(p, 1));
			n++;
		} else {
			TRY(check_update(p, LARGEST));
		}
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
	     DO(has, REJECTED, 0, true), DO(has, DONE, 1, true),
	     DO(has, REJECTED, 2, true), DO(has, DONE, 3, true), DO(ping)),
	/* Larger Receives are there when they are announced. */
	CASE(change_grows, HELLO, GROW(LARGEST), DO(times, 100), LONG(18000),
	     DO(again), WITH(counted, "recvs_grown", 1), LONG(BASE), DO(ping)),
	/* Every request is answered, however many there are. */
	CASE(change_flood, HELLO, DO(times, 4), DO(flood_ask, FLOOD),
	     DO(answers, FLOOD), DO(again), DO(settle, LARGEST), DO(ping)),
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
	/* Sizes that cannot be had, and sizes that are there already */
	CASE(req_sizes, HELLO,
	     ASK(LARGEST + 1), IS(REJECTED), ASK(1u << 20), IS(REJECTED),
	     ASK(0x80000000), IS(REJECTED), ASK(0xffffffff), IS(REJECTED),
	     ASK(0), IS(DONE), ASK(1), IS(DONE), ASK(3), IS(DONE),
	     ASK(1023), IS(DONE), ASK(1024), IS(DONE), ASK(BASE), IS(DONE),
	     DO(ping)),
	/* What the server cannot change, and what nobody knows */
	CASE(req_all, HELLO, REQUEST(5), DO(all_others), DO(answered, 5),
	     IS(DONE), DO(has, REJECTED, 1, true), DO(has, REJECTED, 2, true),
	     DO(has, REJECTED, 3, true), DO(has, REJECTED, 4, true),
	     REQUEST(2), DO(words, 4, RPCRDMA2_PROP_NOCHANGE, 0, 0x1234, 0),
	     DO(answered, 2), IS(REJECTED), DO(has, REJECTED, 1, true), DO(ping)),
	/* As many properties as there is room for, with one that could be had last */
	CASE(req_many, HELLO, REQUEST(504), DO(unknown, 503),
	     DO(property, RBSIZ, LARGER), DO(answered, 504), DO(ping)),
	/* The same property, again and again, with other values */
	CASE(req_repeated, HELLO, REQUEST(40), DO(times, 13), DO(property, RBSIZ, ~0u),
	     DO(property, RBSIZ, LARGER), DO(property, RBSIZ, 2 * LARGER), DO(again),
	     DO(property, RBSIZ, ~0u), DO(answered, 40), DO(ping)),
	/*
	 * The first one of the last request could be had, but nothing changes. With the
	 * flag of a response, there is no answer.
	 */
	CASE(req_malformed, HELLO, DO(v2, RPCRDMA2_REQPROP), BAD_REQUEST,
	     DO(v2, RPCRDMA2_REQPROP), DO(word, ~0u), BAD_REQUEST,
	     REQUEST(1), DO(words, 3, RBSIZ, 3, LARGER), BAD_REQUEST,
	     REQUEST(2), DO(property, RBSIZ, LARGER), DO(property, BRS, 3),
	     BAD_REQUEST, DO(quiet, QUIET),
	     DO(v2, RPCRDMA2_REQPROP, RPCRDMA2_F_RESPONSE), DO(word, 0), DO(post),
	     DO(ping)),
	/* Larger Receives, and one message that fills them */
	CASE(req_larger, HELLO, GROW(LARGER), LONG(LARGER),
	     ASK(LARGER), IS(DONE), DO(ping)),
	/* Requests while one is pending */
	CASE(req_while_pending, HELLO, ASK(LARGER), DO(times, 4),
	     ASK(LARGER), IS(PENDING), ASK(LARGEST), IS_NOT(DONE), ASK(1), IS(DONE),
	     DO(again), DO(announced, LARGER), ASK(LARGEST), IS_NOT(DONE),
	     LONG(LARGER)),
	/* Longer than what was announced, although it was asked for */
	CASE(req_not_awaited, HELLO, ASK(LARGER), LONG(LARGER), DO(closes)),
	CASE(req_flood, HELLO, DO(times, 4), REQUEST(0),
	     DO(flood, FLOOD, RPCRDMA2_RESPROP), DO(again), DO(ping)),
	CASE(req_flood_deaf, HELLO, REQUEST(0), DO(deaf_flood, 16 * FLOOD)),
	/* Answers to nothing are not answered, whatever is in them. */
	CASE(resp_unasked, HELLO, DO(times, FLOOD), ANSWER(0), DO(respond), DO(post),
	     DO(again), ANSWER(0), DO(word, 0x40000000), DO(post),
	     ANSWER(0), DO(post), DO(v2, RPCRDMA2_RESPROP), NOTHING, DO(post),
	     DO(quiet, QUIET), DO(ping)),
	/* An error for what we said we understand: no more changes */
	CASE(resp_error, HELLO, GROW(LARGER),
	     DO(v2, RPCRDMA2_ERROR, RPCRDMA2_F_RESPONSE), DO(xid),
	     DO(word, RPCRDMA2_ERR_INVAL_HTYPE), DO(post), LONG(LARGER),
	     ASK(LARGEST), IS(REJECTED), DO(quiet, QUIET), DO(ping)),
	/*
	 * Sizes of ours, up to what this program can receive; there is no minimum.
	 * Without a value: the default.
	 */
	CASE(upd_sizes, HELLO, SIZE(4096, 0), LIMIT(4096), SIZE(2000, 1), LIMIT(2000),
	     SIZE(1024, 0), LIMIT(1024), SIZE(1023, 1), LIMIT(1023), SIZE(512, 0),
	     LIMIT(512), SIZE(1, 1), TOO_LONG(100), SIZE(0, 0), TOO_LONG(100),
	     SIZE(3000, 1), LIMIT(3000), UPDATE(3, RBSIZ), DO(post),
	     LIMIT(EP_RECV_SIZE)),
	/* The connection ends if our Receives are smaller than we say. */
	CASE(upd_lie, HELLO, SIZE(0xffffffff, 0), READ(8000), DO(post), DO(closes)),
	CASE(upd_malformed, HELLO,
	     UPDATE(4, RBSIZ, 4, 1024, 2), BAD_REQUEST,
	     UPDATE(4, RBSIZ, 3, 1024, 0), BAD_REQUEST,
	     UPDATE(4, BRS, 4, 3, 0), BAD_REQUEST,
	     UPDATE(4, 0x1234, 0xffffffff, 3, 0), BAD_REQUEST,
	     DO(v2, RPCRDMA2_UPDPROP), BAD_REQUEST, LIMIT(EP_RECV_SIZE)),
	CASE(upd_flood, HELLO, DO(times, 4 * FLOOD), SIZE(1024, 0), SIZE(1025, 1),
	     DO(again), DO(ping)),
	/* Without tuning, the types are not understood, well-formed or not. */
	CASE(tuning_off, WITH(set, "tuning", 0), DO(connect),
	     REQUEST(0), DO(error, RPCRDMA2_ERR_INVAL_HTYPE),
	     DO(v2, RPCRDMA2_UPDPROP), DO(error, RPCRDMA2_ERR_INVAL_HTYPE),
	     DO(v2, RPCRDMA2_RESPROP), DO(error, RPCRDMA2_ERR_INVAL_HTYPE),
	     DO(v2, RPCRDMA2_RESPROP, RPCRDMA2_F_RESPONSE), DO(post)),
	{ NULL }
};
