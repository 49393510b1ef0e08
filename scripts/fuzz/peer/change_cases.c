// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: properties that change while a connection exists (Transport
 * Characteristics draft section 4). The server's Receives grow when the peer asks
 * for that, and shrink again.
 */

#include <stdlib.h>

#include "peer.h"

#define BASE		5120u
#define LARGE		18432u
/* A call that needs large Receives */
#define LONG_CALL	18000u
/* Header types 7, 8 and 9, as octets */
#define CHANGES		0x80030000u
#define FLOOD		50u

/* The server's Receives shrink after such a time without use, in milliseconds. */
#define INTERVAL	"300"
#define QUIET		600

static void put_prop(struct peer *p, u32 id, u32 value)
{
	put32(p, id);
	put32(p, 4);
	put32(p, value);
}

/* Say that we understand changes, and, maybe, that our size will not change. */
static int change_hello(struct peer *p, bool keep)
{
	put_prefix(p, RPCRDMA2_CONNPROP, 0);
	put32(p, keep ? 3 : 2);
	put_prop(p, RPCRDMA2_PROP_RBSIZ, PEER_MSG);
	put32(p, RPCRDMA2_PROP_HTYPES);
	put32(p, 8);
	put32(p, 4);
	put32(p, CHANGES);
	if (keep) {
		put32(p, RPCRDMA2_PROP_NOCHANGE);
		put32(p, 8);
		put32(p, 1);
		put32(p, 1);
	}
	TRY(peer_post(p));
	return expect2(p, RPCRDMA2_CONNPROP);
}

static void put_request(struct peer *p, u32 size)
{
	put_prefix(p, RPCRDMA2_REQPROP, 0);
	put32(p, 1);
	put_prop(p, RPCRDMA2_PROP_RBSIZ, size);
}

/* The answer to our last request: which of its properties are what */
static int expect_subsets(struct peer *p, u32 count, u32 done, u32 pending)
{
	struct rpcrdma_resprop resp;

	TRY(expect2(p, RPCRDMA2_RESPROP));
	rpcrdma_resprop_get(&resp, &p->hdr);
	CHECK(!rpcrdma_resprop_overlaps(&resp), "the subsets overlap");
	CHECK(rpcrdma_resprop_covers(&resp, count), "they do not cover all");
	CHECK(rpcrdma_subset_word(&resp.done, 0) == done, "what is done");
	CHECK(rpcrdma_subset_word(&resp.pending, 0) == pending,
	      "what is pending");
	return 0;
}

/* Begin the answer to the server's last request. */
static void put_answer(struct peer *p)
{
	put_prefix(p, RPCRDMA2_RESPROP, RPCRDMA2_F_RESPONSE);
	memcpy(p->msg, &p->asked, sizeof(p->asked));
}

/* Answer it, with three empty subsets. */
static int answer(struct peer *p)
{
	put_answer(p);
	put32(p, 0);
	put32(p, 0);
	put32(p, 0);
	return peer_post(p);
}

static int check_request(struct peer *p)
{
	CHECK(p->hdr.type == RPCRDMA2_REQPROP && !p->hdr.flags &&
	      !p->hdr.props_count, "no empty request");
	memcpy(&p->asked, p->reply, sizeof(p->asked));
	return 0;
}

/* Wait for an announcement, and answer requests that come before it. */
static int expect_update(struct peer *p, u32 size, bool pendclr)
{
	u32 i;

	for (i = 0; i < 200; i++) {
		TRY(peer_wait(p));
		if (p->hdr.type != RPCRDMA2_REQPROP)
			break;
		TRY(check_request(p));
		TRY(answer(p));
	}
	CHECK(p->hdr.type == RPCRDMA2_UPDPROP && !p->hdr.flags, "no UPDPROP");
	CHECK(word(p->reply + 20) == RPCRDMA2_PROP_RBSIZ, "another property");
	CHECK(word(p->reply + 28) == size, "another size");
	CHECK(p->hdr.pendclr == pendclr, "pendclr");
	return 0;
}

static int expect_request(struct peer *p)
{
	TRY(peer_wait(p));
	return check_request(p);
}

/* Answer requests until there are no more; announcements may come, too. */
static int answer_all(struct peer *p)
{
	u32 i;

	for (i = 0; i < 200 && !peer_wait_for(p, QUIET); i++) {
		if (p->hdr.type == RPCRDMA2_UPDPROP)
			continue;
		TRY(check_request(p));
		TRY(answer(p));
	}
	CHECK(i < 200, "the server asks without end");
	p->why = NULL;
	return 0;
}

/* The server's Receives become large, and it knows that we know. */
static int grow(struct peer *p)
{
	put_request(p, LARGE);
	TRY(peer_post(p));
	TRY(expect_subsets(p, 1, 0, 1));
	TRY(expect_update(p, LARGE, true));
	TRY(expect_request(p));
	return answer(p);
}

/* NULL, with arguments that nobody looks at */
static int long_call(struct peer *p)
{
	put_msg(p);
	put_lists(p);
	put_null(p);
	memset(p->msg + p->len, 0, LONG_CALL - p->len);
	p->len = LONG_CALL;
	TRY(peer_post(p));
	return expect2(p, RPCRDMA2_MSG);
}

/* Section 4: a peer that does not understand changes gets none. */
static int change_not_understood(struct peer *p)
{
	TRY(hello(p, PEER_MSG));
	put_request(p, LARGE);
	TRY(peer_post(p));
	TRY(expect_subsets(p, 1, 0, 0));
	return ping2(p);
}

static int change_requests(struct peer *p)
{
	TRY(change_hello(p, false));
	put_prefix(p, RPCRDMA2_REQPROP, 0);
	put32(p, 0);
	TRY(peer_post(p));
	TRY(expect_subsets(p, 0, 0, 0));
	put_prefix(p, RPCRDMA2_REQPROP, 0);
	put32(p, 4);
	put_prop(p, 0x4711, 1);
	put_prop(p, RPCRDMA2_PROP_BRS, RPCRDMA2_RVREQSUP_INLINE);
	put_prop(p, RPCRDMA2_PROP_RBSIZ, 65540);
	put_prop(p, RPCRDMA2_PROP_RBSIZ, BASE);
	TRY(peer_post(p));
	TRY(expect_subsets(p, 4, 0xa, 0));
	return ping2(p);
}

static int change_malformed(struct peer *p)
{
	TRY(change_hello(p, false));
	put_request(p, LARGE);
	p->msg[31] = 3;
	TRY(error2(p, RPCRDMA2_ERR_BAD_XDR, 0));
	put_prefix(p, RPCRDMA2_UPDPROP, 0);
	put_prop(p, RPCRDMA2_PROP_RBSIZ, 1024);
	put32(p, 2);
	TRY(error2(p, RPCRDMA2_ERR_BAD_XDR, 0));
	return ping2(p);
}

/*
 * Larger Receives are there when they are announced; smaller ones are not
 * before we have processed the announcement.
 */
static int change_grows(struct peer *p)
{
	long shrunk = server_counter("recv_size_shrunk");
	u32 i;

	TRY(server_set("tuning_interval", INTERVAL));
	TRY(change_hello(p, false));
	TRY(grow(p));
	for (i = 0; i < 100; i++)
		TRY(long_call(p));
	TRY(expect_update(p, BASE, false));
	TRY(expect_request(p));
	/* Calls that are under way may still be long. */
	for (i = 0; i < 100; i++)
		TRY(long_call(p));
	TRY(answer(p));
	TRY(answer_all(p));
	CHECK(server_counter("recv_size_shrunk") == shrunk + 1, "not counted");
	TRY(server_set("tuning_interval", "5000"));
	return ping2(p);
}

/*
 * A peer that does not answer keeps what it was told for a while. Then it is
 * disconnected, because what it keeps is not there for others.
 */
static int change_no_answer(struct peer *p)
{
	u32 i;

	TRY(server_set("tuning_interval", INTERVAL));
	TRY(change_hello(p, false));
	TRY(grow(p));
	TRY(expect_update(p, BASE, false));
	TRY(expect_request(p));
	TRY(server_set("tuning_interval", "5000"));
	for (i = 0; i < 300; i++)
		TRY(long_call(p));
	return ping2(p);
}

/* An answer that cannot be decoded shows that the announcement was processed. */
static int change_answer_cut(struct peer *p)
{
	TRY(server_set("tuning_interval", INTERVAL));
	TRY(change_hello(p, false));
	TRY(grow(p));
	TRY(expect_update(p, BASE, false));
	TRY(expect_request(p));
	TRY(server_set("tuning_interval", "5000"));
	put_answer(p);
	put32(p, 0);
	TRY(peer_post(p));
	/* Our larger Receives are used up. */
	TRY(expect_request(p));
	TRY(answer(p));
	TRY(answer_all(p));
	return ping2(p);
}

/* Answers that make no sense do not count as refusals of the connection. */
static int change_bad_answers(struct peer *p)
{
	u32 i;

	TRY(change_hello(p, false));
	/* to nothing */
	put_prefix(p, RPCRDMA2_RESPROP, RPCRDMA2_F_RESPONSE);
	put32(p, 0);
	put32(p, 0);
	put32(p, 0);
	TRY(peer_post(p));
	put_request(p, LARGE);
	TRY(peer_post(p));
	TRY(expect_subsets(p, 1, 0, 1));
	TRY(expect_request(p));
	/* first too short, then everything in all subsets */
	for (i = 0; i < 2; i++) {
		put_answer(p);
		put32(p, 1);
		put32(p, ~0u);
		put32(p, 1);
		put32(p, ~0u);
		if (i)
			put32(p, 1);
		else
			put32(p, 1 << 30);
		put32(p, ~0u);
		TRY(peer_post(p));
	}
	TRY(expect_update(p, LARGE, true));
	TRY(expect_request(p));
	TRY(answer(p));
	TRY(long_call(p));
	return ping2(p);
}

/* What was not announced does not fit: that ends the connection. */
static int change_too_early(struct peer *p)
{
	TRY(change_hello(p, false));
	put_request(p, LARGE);
	TRY(peer_post(p));
	return long_call(p);
}

/* Every request is answered, however many there are. */
static int change_flood(struct peer *p)
{
	u32 i, round, answers;

	TRY(change_hello(p, false));
	for (round = 0; round < 4; round++) {
		for (i = 0; i < FLOOD; i++) {
			put_request(p, LARGE);
			TRY(peer_post(p));
		}
		for (answers = 0; answers < FLOOD;) {
			TRY(peer_wait(p));
			answers += p->hdr.type == RPCRDMA2_RESPROP;
			if (p->hdr.type != RPCRDMA2_REQPROP)
				continue;
			TRY(check_request(p));
			TRY(answer(p));
		}
	}
	TRY(answer_all(p));
	return ping2(p);
}

static void put_update(struct peer *p, u32 size)
{
	put_prefix(p, RPCRDMA2_UPDPROP, 0);
	put_prop(p, RPCRDMA2_PROP_RBSIZ, size);
	put32(p, 0);
}

/* Section 4.4: replies are as long as the peer says now. */
static int change_updates(struct peer *p)
{
	u32 i;

	TRY(change_hello(p, false));
	for (i = 0; i < 10; i++) {
		TRY(v2_read_inline(p, 3000, RPCRDMA2_MSG));
		put_update(p, 2000);
		TRY(peer_post(p));
		TRY(v2_read_inline(p, 1700, RPCRDMA2_MSG));
		CHECK(p->reply_len <= 2000, "too long");
		TRY(v2_read_inline(p, 3000, RPCRDMA2_ERROR));
		put_update(p, PEER_MSG);
		TRY(peer_post(p));
	}
	/* A property that nobody knows */
	put_prefix(p, RPCRDMA2_UPDPROP, 0);
	put_prop(p, 0x4711, 1);
	put32(p, 1);
	TRY(peer_post(p));
	return ping2(p);
}

/* Section 4.1: who says that a size will not change does not change it. */
static int change_keeps(struct peer *p)
{
	TRY(change_hello(p, true));
	put_update(p, 2000);
	TRY(peer_post(p));
	return v2_read_inline(p, 3000, RPCRDMA2_MSG);
}

static const struct peer_case cases[] = {
	CASE(change_not_understood),
	CASE(change_requests),
	CASE(change_malformed),
	CASE(change_grows),
	CASE(change_no_answer, .closes = true),
	CASE(change_answer_cut),
	CASE(change_bad_answers),
	CASE(change_too_early, .closes = true),
	CASE(change_flood),
	CASE(change_updates),
	CASE(change_keeps),
};

const struct peer_group change_cases = {
	cases, sizeof(cases) / sizeof(cases[0])
};
