// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the client logs an outage when it begins, once a minute while it
 * lasts, and when it ends. It also notes each end of a connection and each
 * failed try. Otherwise, an operator would not learn that a mount hangs, or the
 * log would be flooded.
 */
#include "xprt_fakes.h"

#include <rpcrdma/ended.h>

/* Seconds since boot */
static time64_t fake_now;
/* The last end noted, and the number of notes of the client side */
static struct rpcrdma_end noted_end;
static u32 notes;
/* The last log message, and the number of messages */
static char said[256];
static u32 messages;

#define ktime_get_seconds()	fake_now
#define rpcrdma_ended_note(net, end) \
	((void)(net), (void)(notes += (end)->side == RPCRDMA_NL_SIDE_CLIENT), \
	 (void)(noted_end = *(end)))
#define say(...)		(messages++, snprintf(said, sizeof(said), __VA_ARGS__))
#undef pr_warn_ratelimited
#define pr_warn_ratelimited	say
#undef pr_info_ratelimited
#define pr_info_ratelimited	say

#undef pr_fmt
#include "../xprtrdma/control/history.c"

/* The transport under test; init creates a new one for each case. */
static struct xprt_rdma *r_xprt;

/* A transport whose connection has existed for a minute */
static int transport(struct kunit *test)
{
	struct sockaddr_in *sin;

	r_xprt = fake_verbs_conn(test)->r_xprt;
	sin = (struct sockaddr_in *)&r_xprt->xprt.addr;
	fake_now = 1000;
	notes = 0;
	messages = 0;
	sin->sin_family = AF_INET;
	sin->sin_addr.s_addr = htonl(0xc0000201);
	r_xprt->shown.number = 3;
	r_xprt->conn->life.since = fake_now - 60;
	r_xprt->conn->recvs.received = 77;
	strscpy(r_xprt->conn->device->name, "rxe0");
	return 0;
}

/*
 * The note of an end has the peer, the cause, the duration and the call count.
 */
static void end_noted(struct kunit *test)
{
	u32 cause = rpcrdma_cause(RPCRDMA_NL_LOST_WORK, RPCRDMA_NL_DETAIL_NONE,
				  IB_WC_REM_ACCESS_ERR);

	xprt_rdma_history_ended(r_xprt, r_xprt->conn, cause);
	KUNIT_EXPECT_EQ(test, notes, 1);
	KUNIT_EXPECT_EQ(test, noted_end.cause, cause);
	KUNIT_EXPECT_EQ(test, noted_end.id, 3);
	KUNIT_EXPECT_EQ(test, noted_end.version, 1);
	KUNIT_EXPECT_EQ(test, noted_end.lasted, 60);
	KUNIT_EXPECT_EQ(test, noted_end.calls, 77);
	KUNIT_EXPECT_STREQ(test, noted_end.device, "rxe0");
	KUNIT_EXPECT_EQ(test, noted_end.peer.sin.sin_addr.s_addr, htonl(0xc0000201));
	KUNIT_EXPECT_EQ(test, r_xprt->history.reason, RPCRDMA_NL_LOST_WORK);
	KUNIT_EXPECT_EQ(test, r_xprt->stats.lost_count, 1);
	KUNIT_EXPECT_STREQ(test, said,
			   "connection to 192.0.2.1 is lost, a Work Request failed: the next call connects again\n");
}

/*
 * A connection that the client closed because it was idle does not count as
 * lost.
 */
static void idle_is_not_lost(struct kunit *test)
{
	xprt_rdma_history_ended(r_xprt, r_xprt->conn, RPCRDMA_CAUSE(CLOSED, NONE));
	xprt_rdma_history_wanted(r_xprt);
	fake_now += 5;
	xprt_rdma_history_connected(r_xprt);
	KUNIT_EXPECT_EQ(test, notes, 1);
	KUNIT_EXPECT_EQ(test, r_xprt->stats.lost_count, 0);
	KUNIT_EXPECT_EQ(test, messages, 0);
	KUNIT_EXPECT_EQ(test, r_xprt->history.down, 0);
}

/* The message for a lost connection has text for each reason. */
static void each_cause_named(struct kunit *test)
{
	u32 reason;

	for (reason = RPCRDMA_NL_LOST_PEER; reason <= RPCRDMA_NL_LOST_OTHER; reason++) {
		xprt_rdma_history_ended(r_xprt, r_xprt->conn, rpcrdma_cause(reason, 0, 0));
		KUNIT_EXPECT_NULL(test, strstr(said, "null"));
	}
	xprt_rdma_history_ended(r_xprt, r_xprt->conn,
				rpcrdma_cause(RPCRDMA_NL_LOST_OTHER, 0, -ENETDOWN));
	KUNIT_EXPECT_NOT_NULL(test, strstr(said, "its port is down"));
}

/* An outage of three minutes with a try each second gives four messages. */
static void outage_told(struct kunit *test)
{
	u32 i;

	xprt_rdma_history_ended(r_xprt, r_xprt->conn, RPCRDMA_CAUSE(PEER, NONE));
	fake_now += 5;
	for (i = 0; i < 180; i++) {
		/* sunrpc asks again after each attempt. */
		xprt_rdma_history_wanted(r_xprt);
		xprt_rdma_history_failed(r_xprt, -ECONNREFUSED);
		fake_now++;
	}
	KUNIT_EXPECT_EQ(test, messages, 1 + 2);
	KUNIT_EXPECT_NOT_NULL(test, strstr(said, "192.0.2.1 for 120 s: 121 attempts"));
	KUNIT_EXPECT_EQ(test, r_xprt->history.tries, 180);
	KUNIT_EXPECT_EQ(test, r_xprt->history.error, -ECONNREFUSED);
	KUNIT_EXPECT_EQ(test, notes, 1 + 180);
	KUNIT_EXPECT_EQ(test, rpcrdma_cause_reason(noted_end.cause), RPCRDMA_NL_LOST_REFUSED);
	KUNIT_EXPECT_EQ(test, noted_end.id, 0);

	xprt_rdma_history_connected(r_xprt);
	KUNIT_EXPECT_EQ(test, messages, 4);
	KUNIT_EXPECT_NOT_NULL(test, strstr(said, "192.0.2.1 again; it took 180 s and 180 failed"));
	KUNIT_EXPECT_EQ(test, r_xprt->history.tries, 0);
	KUNIT_EXPECT_EQ(test, r_xprt->history.down, 0);

	/* The end is logged only if the beginning was logged. */
	xprt_rdma_history_wanted(r_xprt);
	xprt_rdma_history_failed(r_xprt, -EHOSTUNREACH);
	KUNIT_EXPECT_EQ(test, rpcrdma_cause_status(noted_end.cause), -EHOSTUNREACH);
	xprt_rdma_history_connected(r_xprt);
	KUNIT_EXPECT_EQ(test, messages, 4);
}

/*
 * A task that waits a minute after the last try continues the outage. After an
 * hour without a waiting task, a new outage begins.
 */
static void outage_given_up(struct kunit *test)
{
	xprt_rdma_history_ended(r_xprt, r_xprt->conn, RPCRDMA_CAUSE(PEER, NONE));
	xprt_rdma_history_wanted(r_xprt);
	xprt_rdma_history_failed(r_xprt, -ECONNREFUSED);
	fake_now += 60;
	xprt_rdma_history_wanted(r_xprt);
	KUNIT_EXPECT_EQ(test, r_xprt->history.down, fake_now - 60);
	xprt_rdma_history_failed(r_xprt, -ECONNREFUSED);
	KUNIT_EXPECT_EQ(test, r_xprt->history.tries, 2);

	fake_now += 3600;
	xprt_rdma_history_wanted(r_xprt);
	KUNIT_EXPECT_EQ(test, r_xprt->history.down, fake_now);
	KUNIT_EXPECT_EQ(test, r_xprt->history.tries, 0);
	fake_now += 2;
	xprt_rdma_history_connected(r_xprt);
	KUNIT_EXPECT_NOT_NULL(test, strstr(said, "it took 2 s and 0 failed"));
}

static struct kunit_case xprt_history_cases[] = {
	KUNIT_CASE(end_noted),
	KUNIT_CASE(idle_is_not_lost),
	KUNIT_CASE(each_cause_named),
	KUNIT_CASE(outage_told),
	KUNIT_CASE(outage_given_up),
	{}
};

SUITE("xprt_rdma_history", xprt_history_cases, .init = transport);
