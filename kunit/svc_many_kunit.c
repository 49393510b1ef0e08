// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: 10,000 connections keep their shared memory within its bounds, each
 * connection gets its minimum, and busy or silent requesters do not keep others
 * from being served. The suite tests the real read_memory.c. It models the
 * adapter, which executes Reads in order, and sunrpc's threads, which take one
 * call of each transport in turn. If this failed, a server would run out of
 * memory, or a few hosts could deny it to the others.
 */
#include "svc_fakes.h"
#include "fake_balance.h"

#define CONNS		10000u
#define GREEDY		64u	/* the first connections send most calls */
#define CALLS		64u	/* calls in flight of each greedy connection */
#define SENT		(GREEDY * CALLS + (CONNS - GREEDY) * 2)	/* calls in flight */
#define CALL_PAGES	1025u	/* a WRITE of 4 MiB */
#define TOTAL		65536u	/* bound in pages, as on a server with 2 GiB */

/* Each call has one segment. */
static struct svc_rdma_recv_ctx fake_recv = { .hdr.reads.segments = 1 };
unsigned int svc_rdma_read_calls_bytes = 16 << 20;

static struct many {
	struct svc_rdma_conn *conns;
	u32 served[CONNS];
	u16 ready[CONNS];	/* sunrpc's queue of transports, a ring */
	u32 head, tail;
	struct list_head adapter;	/* calls that are being read */
	u32 silent;	/* the first @silent requesters answer no Reads */
} *many;

static void fake_enqueue(struct svc_rdma_conn *conn)
{
	if (!test_and_set_bit(XPT_BUSY, &conn->xprt.xpt_flags))
		many->ready[many->tail++ % CONNS] = conn - many->conns;
}

#undef SVC_RDMA_READ_CALLS_TOTAL
#define SVC_RDMA_READ_CALLS_TOTAL	TOTAL
#define svc_rdma_conn_enqueue		fake_enqueue

#include "../svcrdma/message/read_memory.c"

static int begin_case(struct kunit *test)
{
	u32 i;

	many = fake_vzalloc(test, sizeof(*many));
	many->conns = fake_vzalloc(test, CONNS * sizeof(*many->conns));
	INIT_LIST_HEAD(&many->adapter);
	for (i = 0; i < CONNS; i++)
		svc_rdma_calls_init(&many->conns[i]);
	return 0;
}

/* A thread posts the Reads of a charged call. */
static void posts(struct svc_rdma_read_ctx *read)
{
	read->npages = read->charge;
	if (read->conn - many->conns >= many->silent)
		list_add_tail(&read->list, &many->adapter);
}

static void arrives(struct svc_rdma_read_ctx *read)
{
	read->npages = 0;
	if (svc_rdma_read_charge(read))
		posts(read);
}

/* nfsd gets a call's pages, and the requester sends the next call. */
static void serves(struct svc_rdma_read_ctx *read)
{
	many->served[read->conn - many->conns]++;
	svc_rdma_read_uncharge(read);
	arrives(read);
}

/* Takes one call as svc_rdma_message_next() does. */
static void takes_one(void)
{
	struct svc_rdma_read_ctx *read;
	struct svc_rdma_conn *conn;
	bool more;

	if (many->head == many->tail)
		return;
	conn = &many->conns[many->ready[many->head++ % CONNS]];
	clear_bit(XPT_BUSY, &conn->xprt.xpt_flags);
	spin_lock_bh(&conn->reads.lock);
	read = svc_rdma_read_next_locked(conn);
	more = !list_empty(&conn->reads.done) ||
	       (read && !list_empty(&conn->reads.waiting));
	spin_unlock_bh(&conn->reads.lock);
	if (more)
		fake_enqueue(conn);
	if (read && read->npages)
		serves(read);
	else if (read)
		posts(read);
}

static void reads_one(void)
{
	struct svc_rdma_read_ctx *read =
		list_first_entry_or_null(&many->adapter, struct svc_rdma_read_ctx, list);

	if (!read)
		return;
	list_del(&read->list);
	svc_rdma_read_completed(&read->reads);
}

/* Return: the fewest or @most calls served of a requester in [@first, @end) */
static u32 served(u32 first, u32 end, bool most)
{
	u32 n = many->served[first];

	while (++first < end)
		n = most ? max(n, many->served[first]) : min(n, many->served[first]);
	return n;
}

/* Runs until each requester from @first on has had @calls served. */
static void runs(struct kunit *test, u32 first, u32 calls)
{
	u32 i, left = 4 * calls;

	memset(many->served, 0, sizeof(many->served));
	while (served(first, CONNS, false) < calls && left--)
		for (i = 0; i < CONNS; i++) {
			reads_one();
			takes_one();
		}
	KUNIT_EXPECT_GE(test, served(first, CONNS, false), calls);
}

/* Sends calls of 4 MiB: CALLS from each greedy requester, 2 from each other. */
static struct svc_rdma_read_ctx *sends(struct kunit *test)
{
	struct svc_rdma_read_ctx *reads = fake_vzalloc(test, SENT * sizeof(*reads)), *read = reads;
	u32 i, n;

	for (i = 0; i < CONNS; i++)
		for (n = i < GREEDY ? CALLS : 2; n; n--, read++) {
			read->conn = &many->conns[i];
			read->recv = &fake_recv;
			read->length = CALL_PAGES * PAGE_SIZE;
			arrives(read);
		}
	return reads;
}

/*
 * All charges together stay within the bounds. Each connection has a charged
 * call or is queued for a thread that will charge one.
 */
static void expect_bounds(struct kunit *test)
{
	u32 i, pages, idle = 0, over = 0;
	long sum = 0;

	for (i = 0; i < CONNS; i++) {
		pages = many->conns[i].reads.pages;
		sum += pages;
		idle += !pages && !test_bit(XPT_BUSY, &many->conns[i].xprt.xpt_flags);
		over += pages > svc_rdma_read_calls_bytes >> PAGE_SHIFT;
	}
	KUNIT_EXPECT_EQ(test, atomic_long_read(&svc_rdma_read_pages_total), sum);
	KUNIT_EXPECT_LE(test, sum, TOTAL + (long)CONNS * CALL_PAGES);
	KUNIT_EXPECT_EQ(test, over + idle, 0);
}

/* Uncharging all calls returns the total to zero. */
static void give_back(struct kunit *test, struct svc_rdma_read_ctx *reads)
{
	u32 count = SENT;

	while (count--)
		svc_rdma_read_uncharge(&reads[count]);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&svc_rdma_read_pages_total), 0);
}

/*
 * Once the first calls are served, a requester with 64 calls in flight gets at
 * most twice as many calls served as any requester with two.
 */
static void calls_shared(struct kunit *test)
{
	struct svc_rdma_read_ctx *reads = sends(test);

	runs(test, 0, 2);
	expect_bounds(test);
	runs(test, 0, 8);
	expect_bounds(test);
	KUNIT_EXPECT_LE(test, served(0, GREEDY, true), 2 * served(GREEDY, CONNS, false));
	give_back(test, reads);
}

/* Requesters that answer no RDMA Read do not delay other requesters' calls. */
static void calls_of_silent(struct kunit *test)
{
	struct svc_rdma_read_ctx *reads;

	many->silent = GREEDY;
	reads = sends(test);
	runs(test, GREEDY, 3);
	expect_bounds(test);
	KUNIT_EXPECT_EQ(test, served(0, GREEDY, true), 0);
	give_back(test, reads);
}

static struct kunit_case svc_many_cases[] = {
	KUNIT_CASE(calls_shared),
	KUNIT_CASE(calls_of_silent),
	{}
};

SUITE("svc_rdma_many", svc_many_cases, .init = begin_case, .exit = balance_exit);
