// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: peers that never receive a reply, or never let a Read complete. The
 * server closes their connections, and other clients are not affected.
 */

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peer.h"

/* Number of such peers: many more than the server has threads */
#define STALLED		64u

/* Limits in milliseconds: to serve a correct client; to stop the server */
#define SERVED_IN	1000
#define STOPPED_IN	10000

/* One-byte segments of a Write chunk: two such replies exceed the Send Queue, one does not */
#define WRITES		80u

/* A call without arguments in a position-zero Read chunk of one-byte segments */
#define NOMSG(segments)	MSG(v1, RPCRDMA_NOMSG), MSG(reads, segments, 0, 0, 1), DO(post)
#define NULL_CALLS						\
	DO(times, 3), MSG(v1, RPCRDMA_MSG), MSG(null), DO(post), DO(again)

/* Three replies need more entries than the Send Queue has; three more follow. */
static const struct step replies[] = {
	DO(times, 3), MSG(v1, RPCRDMA_MSG), MSG(open, 1), MSG(nfs_read, 0, WRITES),
	MSG(write), MSG(segments, WRITES, 1), DO(post), DO(again), NULL_CALLS, { NULL }
};

/* Reads fill the Send Queue after a reply that the peer does not receive. */
static const struct step reads[] = {
	MSG(v1, RPCRDMA_MSG), MSG(null), DO(post), NOMSG(169), NOMSG(149), NULL_CALLS,
	{ NULL }
};

static const struct step * const calls[] = { replies, reads };
static struct peer stalled[STALLED];

/* Kernels with sanitizers are slower. */
static long slowly(long ms)
{
	const char *slow = getenv("SLOW");

	return ms * (slow ? atol(slow) : 1);
}

/* release: disconnect all peers */
static STEP(release)
{
	u32 i;

	for (i = 0; i < STALLED && stalled[i].s.host; i++) {
		session_close(&stalled[i].s, true);
		memory_destroy(&stalled[i].s.mem);
		stalled[i].s.host = NULL;
	}
	return 0;
}

/* stall: each peer uses up its only Receive, then sends calls of kind @a[0] */
static STEP(stall)
{
	const struct step ping[] = { DO(connect, DEAF), DO(ping), { NULL } };
	struct peer *other;

	do_release(p, st);
	for (other = stalled; other < stalled + STALLED; other++) {
		memset(other, 0, sizeof(*other));
		other->s.host = p->s.host;
		other->s.port = p->s.port;
		other->s.version = RPCRDMA_VERSION_1;
		CHECK(!memory_create(&other->s.mem), "no memory");
		CHECK(!run_steps(other, ping), "a connection is refused");
		CHECK(!run_steps(other, calls[st->a[0]]), "a message is not taken");
	}
	return 0;
}

/* clock: note the time; if @a[0] is set, check that at most @a[0] milliseconds have passed */
static STEP(clock)
{
	static long begun;

	if (!st->a[0]) {
		begun = endpoint_now();
		return 0;
	}
	CHECK(endpoint_now() - begun <= slowly(st->a[0]), st->text);
	return 0;
}

/* stop: the server stops within the limit, and can be started again with SERVER_START */
static STEP(stop)
{
	const char *start = getenv("SERVER_START");
	long end = endpoint_now() + slowly(STOPPED_IN);
	pid_t pid = fork();
	int status = -1;

	CHECK(pid >= 0, "fork");
	if (!pid)
		_exit(system("echo 0 >/proc/fs/nfsd/threads") ? 1 : 0);
	while (waitpid(pid, &status, WNOHANG) != pid) {
		CHECK(endpoint_now() < end, "the server does not stop");
		usleep(5000);
	}
	CHECK(!status, "the server cannot be stopped");
	CHECK(start && !system(start), "the server does not start again");
	return 0;
}

/* Another client is served in the meantime. */
#define SERVED								\
	DO(clock), DO(connect), DO(ping),				\
	WITH(clock, "another client is served too late", SERVED_IN)

const struct peer_case stall_cases[] = {
	CASE(stalled_replies, DO(stall, 0), SERVED, WITH(counted, "reply_too_long", 0),
	     DO(stop), DO(release)),
	CASE(stalled_reads, DO(stall, 1), SERVED, DO(stop), DO(release)),
	{ NULL }
};
