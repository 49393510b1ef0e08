// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: transport properties that change (Transport Characteristics draft,
 * section 4), asked for, announced and answered in ways that no good requester
 * would choose. The server's parameters have their defaults unless a case
 * changes them.
 */

#include <unistd.h>

#include "peer.h"

/* Bits of REQPROP, RESPROP and UPDPROP */
#define TYPES	0x380u
#define LARGER	9216u
#define LARGEST	18432u
/* More than the server needs to exchange the Receives of a connection */
#define DRAINS	1000u
#define FLOOD	50u
/* Milliseconds in which a server that has something to say begins to say it */
#define QUIET	500

/* Properties of the server, and XID of its last message to us */
static struct rpcrdma_props theirs;
static u32 their_xid;
/* The last answer to a request */
static struct rpcrdma_resprop answer;

static void begin(struct peer *p, u32 type, u32 flags)
{
	put_prefix(p, type, flags);
	rpcrdma_encode_init(&p->enc, p->msg + p->len, PEER_MSG - p->len);
}

static int end(struct peer *p)
{
	int len = rpcrdma_encode_finish(&p->enc);

	CHECK(len >= 0, "the message is too long for this program");
	p->len += len;
	return peer_post(p);
}

/* Say what we understand, and which properties of ours will not change. */
static int greet(struct peer *p, u32 htypes, u32 nochange)
{
	struct rpcrdma_props ours;

	rpcrdma_props_default(&ours);
	ours.htypes = htypes;
	ours.nochange = nochange;
	begin(p, RPCRDMA2_CONNPROP, 0);
	rpcrdma_props_encode(&p->enc, &ours);
	TRY(end(p));
	TRY(expect2(p, RPCRDMA2_CONNPROP));
	p->why = "the server's properties are malformed";
	TRY(rpcrdma_props_decode(&theirs, &p->hdr));
	CHECK((theirs.htypes & TYPES) == TYPES,
	      "the server does not understand changes");
	return 0;
}

static int hello_changes(struct peer *p)
{
	return greet(p, TYPES, 0);
}

/* The three subsets of an answer are disjoint and cover the request. */
static int take_answer(struct peer *p, u32 count)
{
	TRY(expect2(p, RPCRDMA2_RESPROP));
	rpcrdma_resprop_get(&answer, &p->hdr);
	CHECK(!rpcrdma_resprop_overlaps(&answer), "subsets overlap");
	CHECK(rpcrdma_resprop_covers(&answer, count),
	      "subsets do not cover the request");
	return 0;
}

static int ask(struct peer *p, const struct rpcrdma_props *want, u32 which,
	       u32 count)
{
	begin(p, RPCRDMA2_REQPROP, 0);
	rpcrdma_reqprop_encode(&p->enc, want, which);
	TRY(end(p));
	return take_answer(p, count);
}

static int ask_size(struct peer *p, u32 size)
{
	const struct rpcrdma_props want = { .recv_size = size };

	return ask(p, &want, RPCRDMA_PROPS_RBSIZ, 1);
}

static int update(struct peer *p, u32 id, u32 len, u32 value, u32 pendclr)
{
	put_prefix(p, RPCRDMA2_UPDPROP, 0);
	put32(p, id);
	put32(p, len);
	if (len)
		put32(p, value);
	put32(p, pendclr);
	return peer_post(p);
}

/* A message that answers nothing */
static int check_own(struct peer *p)
{
	CHECK(!(p->hdr.flags & RPCRDMA2_F_RESPONSE), "an answer to nothing");
	CHECK(p->hdr.type == RPCRDMA2_REQPROP ||
	      p->hdr.type == RPCRDMA2_UPDPROP, "neither REQPROP nor UPDPROP");
	their_xid = word(p->reply);
	return 0;
}

static int take_own(struct peer *p)
{
	TRY(peer_wait(p));
	return check_own(p);
}

/* Check that nothing arrives for a while. */
static int check_quiet(struct peer *p)
{
	CHECK(peer_wait_for(p, QUIET), "a message that answers nothing");
	return 0;
}

static void put_xid(struct peer *p, u32 xid)
{
	u32 len = p->len;

	p->len = 0;
	put32(p, xid);
	p->len = len;
}

/* RESPROP with one word in each subset that is not empty */
static int respond(struct peer *p, u32 xid, u32 done, u32 rejected, u32 pending)
{
	const u32 words[] = { done, rejected, pending };
	u32 i;

	put_prefix(p, RPCRDMA2_RESPROP, RPCRDMA2_F_RESPONSE);
	put_xid(p, xid);
	for (i = 0; i < 3; i++) {
		put32(p, !!words[i]);
		if (words[i])
			put32(p, words[i]);
	}
	return peer_post(p);
}

/* Answer the server's requests for nothing until it announces @size. */
static int await_size(struct peer *p, u32 size, bool pendclr)
{
	struct rpcrdma_cursor cur;
	struct rpcrdma_prop prop;
	u32 i;

	for (i = 0; i < DRAINS; i++) {
		TRY(take_own(p));
		if (p->hdr.type == RPCRDMA2_UPDPROP)
			break;
		CHECK(!p->hdr.props_count, "asked for something");
		TRY(respond(p, their_xid, 0, 0, 0));
	}
	CHECK(i < DRAINS, "no RDMA2_UPDPROP");
	rpcrdma_props_begin(&p->hdr, &cur);
	rpcrdma_props_next(&cur, &prop);
	p->why = "not a good Receive Buffer Size";
	TRY(rpcrdma_prop_decode(&theirs, &prop) != RPCRDMA_PROPS_RBSIZ);
	CHECK(theirs.recv_size == size, "another size");
	CHECK(p->hdr.pendclr == pendclr, "pendclr");
	TRY(take_own(p));
	CHECK(p->hdr.type == RPCRDMA2_REQPROP && !p->hdr.props_count,
	      "not a request for nothing");
	return 0;
}

static int grow(struct peer *p, u32 size)
{
	TRY(ask_size(p, size));
	CHECK(rpcrdma_subset_has(&answer.pending, 0), "not pending");
	return await_size(p, size, true);
}

/* Answer what the server asks until it has nothing more to ask. */
static int answer_all(struct peer *p)
{
	u32 i;

	for (i = 0; i < DRAINS && !peer_wait_for(p, QUIET); i++) {
		TRY(check_own(p));
		CHECK(p->hdr.type == RPCRDMA2_REQPROP, "another change");
		TRY(respond(p, their_xid, 0, 0, 0));
	}
	CHECK(i < DRAINS, "the server does not stop asking");
	return 0;
}

/* A call of @len bytes; what follows the arguments of NULL is ignored. */
static int long_ping(struct peer *p, u32 len)
{
	put_msg(p);
	put_lists(p);
	put_null(p);
	memset(p->msg + p->len, 0, len - p->len);
	p->len = len;
	TRY(peer_post(p));
	return expect2(p, RPCRDMA2_MSG);
}

static int req_nothing(struct peer *p)
{
	const struct rpcrdma_props want = { 0 };
	u32 i;

	TRY(hello_changes(p));
	for (i = 0; i < 2 * FLOOD; i++)
		TRY(ask(p, &want, 0, 0));
	return ping2(p);
}

/* Sizes that cannot be had, and sizes that are there already */
static int req_sizes(struct peer *p)
{
	const u32 more[] = { LARGEST + 1, 1u << 20, 0x80000000, 0xffffffff };
	const u32 less[] = { 0, 1, 3, 1023, 1024 };
	u32 i;

	TRY(hello_changes(p));
	for (i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		TRY(ask_size(p, more[i]));
		CHECK(rpcrdma_subset_has(&answer.rejected, 0), "not rejected");
	}
	for (i = 0; i < sizeof(less) / sizeof(less[0]); i++) {
		TRY(ask_size(p, less[i]));
		CHECK(rpcrdma_subset_has(&answer.done, 0), "not done");
	}
	TRY(ask_size(p, theirs.recv_size));
	CHECK(rpcrdma_subset_has(&answer.done, 0), "not done");
	return ping2(p);
}

/* What the server cannot change, and what nobody knows */
static int req_all(struct peer *p)
{
	struct rpcrdma_props want;
	u32 n;

	TRY(hello_changes(p));
	want = theirs;
	want.reverse ^= 1;
	want.remote_inv ^= true;
	want.read_replies ^= true;
	want.htypes ^= 0x80000000;
	TRY(ask(p, &want, RPCRDMA_PROPS_ALL & ~RPCRDMA_PROPS_NOCHANGE, 5));
	CHECK(rpcrdma_subset_has(&answer.done, 0), "the same size: not done");
	for (n = 1; n < 5; n++)
		CHECK(rpcrdma_subset_has(&answer.rejected, n), "not rejected");
	put_prefix(p, RPCRDMA2_REQPROP, 0);
	put32(p, 2);
	put32(p, RPCRDMA2_PROP_NOCHANGE);
	put32(p, 0);
	put32(p, 0x1234);
	put32(p, 0);
	TRY(peer_post(p));
	TRY(take_answer(p, 2));
	CHECK(rpcrdma_subset_word(&answer.rejected, 0) == 3, "not rejected");
	return ping2(p);
}

/* As many properties as there is room for, with one that could be had last */
static int req_many(struct peer *p)
{
	u32 i, count = (PEER_MSG - 64) / 8;

	TRY(hello_changes(p));
	put_prefix(p, RPCRDMA2_REQPROP, 0);
	put32(p, count);
	for (i = 1; i < count; i++) {
		put32(p, 1000 + i);
		put32(p, 0);
	}
	put32(p, RPCRDMA2_PROP_RBSIZ);
	put32(p, 4);
	put32(p, LARGER);
	TRY(peer_post(p));
	TRY(take_answer(p, count));
	return ping2(p);
}

/* The same property, again and again, with other values */
static int req_repeated(struct peer *p)
{
	u32 i;

	TRY(hello_changes(p));
	put_prefix(p, RPCRDMA2_REQPROP, 0);
	put32(p, 40);
	for (i = 0; i < 40; i++) {
		put32(p, RPCRDMA2_PROP_RBSIZ);
		put32(p, 4);
		put32(p, i % 3 ? LARGER * (i % 3) : 0xffffffff);
	}
	TRY(peer_post(p));
	TRY(take_answer(p, 40));
	return ping2(p);
}

static int req_malformed(struct peer *p)
{
	TRY(hello_changes(p));
	put_prefix(p, RPCRDMA2_REQPROP, 0);
	TRY(error2(p, RPCRDMA2_ERR_BAD_XDR, 0));
	put_prefix(p, RPCRDMA2_REQPROP, 0);
	put32(p, 0xffffffff);
	TRY(error2(p, RPCRDMA2_ERR_BAD_XDR, 0));
	/* The first one could be had, but nothing changes. */
	put_prefix(p, RPCRDMA2_REQPROP, 0);
	put32(p, 2);
	put32(p, RPCRDMA2_PROP_RBSIZ);
	put32(p, 4);
	put32(p, LARGER);
	put32(p, RPCRDMA2_PROP_BRS);
	put32(p, 4);
	put32(p, 3);
	TRY(error2(p, RPCRDMA2_ERR_BAD_XDR, 0));
	TRY(check_quiet(p));
	/* With the flag of a response, there is no answer. */
	put_prefix(p, RPCRDMA2_REQPROP, RPCRDMA2_F_RESPONSE);
	put32(p, 0);
	TRY(peer_post(p));
	return ping2(p);
}

/* Section 4: who asks must understand the answer, and updates. */
static int req_of_the_ignorant(struct peer *p)
{
	TRY(greet(p, 0, 0));
	TRY(ask_size(p, LARGER));
	CHECK(rpcrdma_subset_has(&answer.rejected, 0), "not rejected");
	TRY(check_quiet(p));
	return ping2(p);
}

/* Larger Receives, and one message that fills them */
static int req_larger(struct peer *p)
{
	TRY(hello_changes(p));
	TRY(grow(p, LARGER));
	TRY(respond(p, their_xid, 0, 0, 0));
	TRY(answer_all(p));
	TRY(long_ping(p, LARGER));
	TRY(ask_size(p, LARGER));
	CHECK(rpcrdma_subset_has(&answer.done, 0), "not done");
	return ping2(p);
}

/* Requests while one is pending, and no answer to the server's for long */
static int req_while_pending(struct peer *p)
{
	u32 i;

	TRY(hello_changes(p));
	TRY(ask_size(p, LARGER));
	for (i = 0; i < 4; i++) {
		TRY(ask_size(p, LARGER));
		CHECK(rpcrdma_subset_has(&answer.pending, 0), "not pending");
		TRY(ask_size(p, LARGEST));
		CHECK(!rpcrdma_subset_has(&answer.done, 0), "done");
		TRY(ask_size(p, 1));
		CHECK(rpcrdma_subset_has(&answer.done, 0), "not done");
	}
	TRY(await_size(p, LARGER, true));
	/* The RDMA2_UPDPROP is not known to be processed. */
	TRY(ask_size(p, LARGEST));
	CHECK(!rpcrdma_subset_has(&answer.done, 0), "done");
	return long_ping(p, LARGER);
}

/* Longer than what was announced, although it was asked for */
static int req_not_awaited(struct peer *p)
{
	TRY(hello_changes(p));
	TRY(ask_size(p, LARGER));
	return long_ping(p, LARGER);
}

static int req_flood(struct peer *p)
{
	u32 i, round;

	TRY(hello_changes(p));
	for (round = 0; round < 4; round++) {
		put_prefix(p, RPCRDMA2_REQPROP, 0);
		put32(p, 0);
		for (i = 0; i < FLOOD; i++)
			TRY(peer_post(p));
		for (i = 0; i < FLOOD; i++)
			TRY(take_answer(p, 0));
	}
	return ping2(p);
}

static int req_flood_deaf(struct peer *p)
{
	u32 i;

	TRY(hello_changes(p));
	put_prefix(p, RPCRDMA2_REQPROP, 0);
	put32(p, 0);
	for (i = 0; i < 16 * FLOOD; i++)
		if (peer_post(p))
			break;
	CHECK(i < 16 * FLOOD, "the server holds any number of answers");
	CHECK(i >= PEER_RECVS, "the connection was lost");
	return 0;
}

/* Answers to nothing are not answered, whatever is in them. */
static int resp_unasked(struct peer *p)
{
	u32 i;

	TRY(hello_changes(p));
	for (i = 0; i < FLOOD; i++)
		TRY(respond(p, i * 0x01010101, i & 1, i & 3, i & 5));
	put_prefix(p, RPCRDMA2_RESPROP, RPCRDMA2_F_RESPONSE);
	put32(p, 0x40000000);
	TRY(peer_post(p));
	put_prefix(p, RPCRDMA2_RESPROP, RPCRDMA2_F_RESPONSE);
	TRY(peer_post(p));
	put_prefix(p, RPCRDMA2_RESPROP, 0);
	put_lists(p);
	TRY(peer_post(p));
	TRY(check_quiet(p));
	return ping2(p);
}

/* Wrong answers to a request for nothing; then the right one, twice */
static int resp_wrong(struct peer *p)
{
	TRY(hello_changes(p));
	TRY(grow(p, LARGER));
	TRY(respond(p, their_xid + 1, 0, 0, 0));
	TRY(respond(p, their_xid, 1, 1, 1));
	TRY(respond(p, their_xid, 0, 0, 0));
	TRY(respond(p, their_xid, 0, 0, 0));
	TRY(answer_all(p));
	return long_ping(p, LARGER);
}

/* An error for what we said we understand: no more changes */
static int resp_error(struct peer *p)
{
	TRY(hello_changes(p));
	TRY(grow(p, LARGER));
	put_prefix(p, RPCRDMA2_ERROR, RPCRDMA2_F_RESPONSE);
	put_xid(p, their_xid);
	put32(p, RPCRDMA2_ERR_INVAL_HTYPE);
	TRY(peer_post(p));
	TRY(long_ping(p, LARGER));
	TRY(ask_size(p, LARGEST));
	CHECK(rpcrdma_subset_has(&answer.rejected, 0), "not rejected");
	TRY(check_quiet(p));
	return ping2(p);
}

/* READs of this many bytes are answered inline, or cannot be. */
static int inline_limit(struct peer *p, u32 fits, u32 too_long)
{
	if (fits) {
		put_msg(p);
		put_lists(p);
		put_read_call(p, fits);
		TRY(peer_post(p));
		TRY(expect2(p, RPCRDMA2_MSG));
	}
	put_msg(p);
	put_lists(p);
	put_read_call(p, too_long);
	return error2(p, RPCRDMA2_ERR_REPLY_RESOURCE, 0);
}

/* Sizes of ours, up to what this program can receive; there is no minimum. */
static int upd_sizes(struct peer *p)
{
	const u32 sizes[] = { 4096, 2000, 1024, 1023, 512, 1, 0, 3000 };
	u32 i;

	TRY(hello_changes(p));
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		TRY(update(p, RPCRDMA2_PROP_RBSIZ, 4, sizes[i], i & 1));
		if (sizes[i] > 300)
			TRY(inline_limit(p, sizes[i] - 300, sizes[i]));
		else
			TRY(inline_limit(p, 0, 100));
	}
	/* Without a value: the default */
	TRY(update(p, RPCRDMA2_PROP_RBSIZ, 0, 0, 0));
	return inline_limit(p, PEER_MSG - 300, PEER_MSG);
}

/* The connection ends if our Receives are smaller than we say. */
static int upd_lie(struct peer *p)
{
	TRY(hello_changes(p));
	TRY(update(p, RPCRDMA2_PROP_RBSIZ, 4, 0xffffffff, 0));
	put_msg(p);
	put_lists(p);
	put_read_call(p, 8000);
	TRY(peer_post(p));
	return 0;
}

static int upd_ignored(struct peer *p)
{
	TRY(greet(p, TYPES, RPCRDMA_PROPS_RBSIZ));
	TRY(update(p, RPCRDMA2_PROP_RBSIZ, 4, 1024, 0));
	TRY(update(p, RPCRDMA2_PROP_RBSIZ, 4, 1024, 1));
	TRY(update(p, 0x1234, 4, 1, 0));
	TRY(update(p, RPCRDMA2_PROP_NOCHANGE, 0, 0, 0));
	TRY(update(p, RPCRDMA2_PROP_HTYPES, 0, 0, 0));
	put_prefix(p, RPCRDMA2_UPDPROP, RPCRDMA2_F_RESPONSE);
	TRY(peer_post(p));
	return inline_limit(p, PEER_MSG - 300, PEER_MSG);
}

static int upd_malformed(struct peer *p)
{
	TRY(hello_changes(p));
	TRY(update(p, RPCRDMA2_PROP_RBSIZ, 4, 1024, 2));
	TRY(expect2(p, RPCRDMA2_ERROR));
	TRY(update(p, RPCRDMA2_PROP_RBSIZ, 3, 1024, 0));
	TRY(expect2(p, RPCRDMA2_ERROR));
	TRY(update(p, RPCRDMA2_PROP_BRS, 4, 3, 0));
	TRY(expect2(p, RPCRDMA2_ERROR));
	TRY(update(p, 0x1234, 0xffffffff, 3, 0));
	TRY(expect2(p, RPCRDMA2_ERROR));
	put_prefix(p, RPCRDMA2_UPDPROP, 0);
	TRY(error2(p, RPCRDMA2_ERR_BAD_XDR, 0));
	return inline_limit(p, PEER_MSG - 300, PEER_MSG);
}

static int upd_flood(struct peer *p)
{
	u32 i;

	TRY(hello_changes(p));
	for (i = 0; i < 8 * FLOOD; i++)
		TRY(update(p, RPCRDMA2_PROP_RBSIZ, 4, 1024 + i, i & 1));
	return ping2(p);
}

/* Messages are under way while the Receives become smaller. */
static int shrink(struct peer *p)
{
	u32 size;

	TRY(hello_changes(p));
	size = theirs.recv_size;
	TRY(grow(p, LARGER));
	TRY(respond(p, their_xid, 0, 0, 0));
	TRY(answer_all(p));
	TRY(await_size(p, size, false));
	TRY(long_ping(p, LARGER));
	TRY(long_ping(p, LARGER));
	TRY(respond(p, their_xid, 0, 0, 0));
	TRY(answer_all(p));
	return long_ping(p, size);
}

/* Nothing may be longer than what was announced, once that is confirmed. */
static int shrink_too_long(struct peer *p)
{
	TRY(shrink(p));
	return long_ping(p, LARGER);
}

/* Our Receives shrink after a while, not after five seconds as usual. */
static int quickly(struct peer *p, int (*run)(struct peer *p))
{
	int ret;

	server_set("tuning_interval", "1000");
	ret = run(p);
	server_set("tuning_interval", "5000");
	return ret;
}

static int shrink_confirmed(struct peer *p) { return quickly(p, shrink); }
static int shrink_abused(struct peer *p) { return quickly(p, shrink_too_long); }

/* Without that, the types are not understood, well-formed or not. */
static int tuning_off(struct peer *p)
{
	put_prefix(p, RPCRDMA2_REQPROP, 0);
	put32(p, 0);
	TRY(peer_post(p));
	TRY(peer_wait(p));
	CHECK(p->hdr.type == RPCRDMA2_ERROR &&
	      p->hdr.err == RPCRDMA2_ERR_INVAL_HTYPE, "REQPROP");
	put_prefix(p, RPCRDMA2_UPDPROP, 0);
	TRY(error2(p, RPCRDMA2_ERR_INVAL_HTYPE, 0));
	put_prefix(p, RPCRDMA2_RESPROP, 0);
	TRY(error2(p, RPCRDMA2_ERR_INVAL_HTYPE, 0));
	put_prefix(p, RPCRDMA2_RESPROP, RPCRDMA2_F_RESPONSE);
	TRY(peer_post(p));
	return 0;
}

static const struct peer_case cases[] = {
	CASE(req_nothing),
	CASE(req_sizes),
	CASE(req_all),
	CASE(req_many),
	CASE(req_repeated),
	CASE(req_malformed),
	CASE(req_of_the_ignorant),
	CASE(req_larger),
	CASE(req_while_pending),
	CASE(req_not_awaited, .closes = true),
	CASE(req_flood),
	CASE(req_flood_deaf),
	CASE(resp_unasked),
	CASE(resp_wrong),
	CASE(resp_error),
	CASE(upd_sizes),
	CASE(upd_lie, .closes = true),
	CASE(upd_ignored),
	CASE(upd_malformed),
	CASE(upd_flood),
	CASE(shrink_confirmed),
	CASE(shrink_abused, .closes = true),
	CASE(tuning_off, .flags = PEER_NO_TUNING),
};

const struct peer_group change_hostile_cases = {
	cases, sizeof(cases) / sizeof(cases[0])
};
