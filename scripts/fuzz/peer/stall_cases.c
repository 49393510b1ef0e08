// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: peers that never receive a reply, or never let a Read complete. The
 * server closes their connections, and other clients do not notice them.
 */

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "peer.h"

/* Number of such peers: many more than the server has threads */
#define STALLED		64u

/* Milliseconds within which an honest client is served, and the server stops */
#define SERVED_IN	1000
#define STOPPED_IN	10000

/* One-byte segments of a Write chunk, and of two calls in Read chunks */
#define WRITES		228u
#define READS_FIRST	169u
#define READS_SECOND	149u

static struct peer stalled[STALLED];

static long stall_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Kernels with sanitizers are slower. */
static long stall_slow(void)
{
	const char *slow = getenv("SLOW");

	return slow ? atol(slow) : 1;
}

static void put_write_call(struct peer *p)
{
	struct rpcrdma_segment seg;
	u32 i;

	put_header(p, RPCRDMA_MSG);
	put32(p, 0);
	put32(p, 1);
	put32(p, WRITES);
	for (i = 0; i < WRITES; i++) {
		seg = segment(p, i, 1);
		put_segment(p, &seg);
	}
	put32(p, 0);
	put32(p, 0);
	put_open_data(p, TAG, 1);
	put_read_op(p, 0, WRITES);
}

static void put_null_call(struct peer *p)
{
	put_header(p, RPCRDMA_MSG);
	put_lists(p);
	put_null(p);
}

static void put_nomsg_call(struct peer *p, u32 segments)
{
	u32 i;

	put_header(p, RPCRDMA_NOMSG);
	for (i = 0; i < segments; i++)
		put_read(p, 0, i, 1);
	put32(p, 0);
	put32(p, 0);
	put32(p, 0);
}

/* Three replies that need more Send Queue entries than exist, and three more */
static int stall_replies(struct peer *p)
{
	u32 i;

	for (i = 0; i < 3; i++) {
		put_write_call(p);
		TRY(peer_post(p));
	}
	for (i = 0; i < 3; i++) {
		put_null_call(p);
		TRY(peer_post(p));
	}
	return 0;
}

/* Reads fill the Send Queue, behind a reply that the peer does not receive. */
static int stall_reads(struct peer *p)
{
	u32 i;

	put_null_call(p);
	TRY(peer_post(p));
	put_nomsg_call(p, READS_FIRST);
	TRY(peer_post(p));
	put_nomsg_call(p, READS_SECOND);
	TRY(peer_post(p));
	for (i = 0; i < 3; i++) {
		put_null_call(p);
		TRY(peer_post(p));
	}
	return 0;
}

static int expect_served(struct peer *p)
{
	long end = stall_now() + SERVED_IN * stall_slow();
	struct peer fresh;
	int ret;

	ret = peer_connect(&fresh, p->host, p->port, 0, NULL) || ping(&fresh);
	peer_disconnect(&fresh);
	CHECK(!ret, "another client is not served");
	CHECK(stall_now() < end, "another client is served too late");
	return 0;
}

static int expect_stopped(struct peer *p)
{
	long end = stall_now() + STOPPED_IN * stall_slow();
	pid_t pid = fork();
	int status = -1;

	CHECK(pid >= 0, "fork");
	if (!pid)
		_exit(server_threads(0) ? 1 : 0);
	while (waitpid(pid, &status, WNOHANG) != pid) {
		CHECK(stall_now() < end, "the server does not stop");
		usleep(10000);
	}
	CHECK(!status, "the server cannot be stopped");
	CHECK(!server_start(), "the server does not start again");
	return 0;
}

static int stall(struct peer *p, int (*how)(struct peer *p))
{
	u32 i;

	for (i = 0; i < STALLED; i++) {
		CHECK(!peer_connect(&stalled[i], p->host, p->port, PEER_STALL,
				    NULL),
		      "a connection is refused");
		/* This reply consumes the only Receive. */
		TRY(ping(&stalled[i]));
		CHECK(!how(&stalled[i]), "a message is not taken");
	}
	TRY(expect_served(p));
	return expect_stopped(p);
}

static int stall_all(struct peer *p, int (*how)(struct peer *p))
{
	int ret = stall(p, how);
	u32 i;

	for (i = 0; i < STALLED && stalled[i].id; i++)
		peer_disconnect(&stalled[i]);
	memset(stalled, 0, sizeof(stalled));
	return ret;
}

static int stalled_replies(struct peer *p)
{
	return stall_all(p, stall_replies);
}

static int stalled_reads(struct peer *p)
{
	return stall_all(p, stall_reads);
}

static const struct peer_case cases[] = {
	CASE(stalled_replies),
	CASE(stalled_reads),
};

const struct peer_group stall_cases = {
	cases, sizeof(cases) / sizeof(cases[0])
};
