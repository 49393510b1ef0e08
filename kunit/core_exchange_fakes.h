/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Surroundings for core/exchange/, which the suites contain unchanged:
 * functions of a side that record their calls, received messages, and the time.
 */
#ifndef _RPCRDMA_CORE_EXCHANGE_FAKES_H
#define _RPCRDMA_CORE_EXCHANGE_FAKES_H

#include <kunit/test.h>
#include <linux/jiffies.h>
#include <linux/module.h>

#include <rpcrdma/exchange.h>

#include "fake_common.h"

#define BASE		5120u
#define MIDDLE		9216u
#define LARGE		18432u
#define RECVS		20u
#define XID		0x0a0b0c0du
#define MAX_SENT	48u

static struct world {
	struct rpcrdma_hdr sent[MAX_SENT];	/* headers of the messages sent */
	__be32 words[MAX_SENT][128];	/* the messages */
	u32 nsent;	/* number of them */
	int rc;	/* return value of sending */
	struct rpcrdma_props peer;	/* the peer's properties */
	u32 applied;	/* mask of the properties that were applied */
	u32 plan;	/* bytes; planned size of the peer's messages */
	u32 resizes;	/* number of times that the Receive size was set */
	u32 recv_size;	/* bytes; Receive size */
	int resized;	/* return value of .resized */
	unsigned long now;	/* jiffies */
	unsigned int max;	/* tunable: largest Receive size */
	unsigned int interval;	/* tunable: shortest time between requests */
	struct rpcrdma_budget budget;	/* budget of the side */
	struct rpcrdma_exchange *conns[3];	/* connections of the side */
	u32 nconns;	/* number of them */
} world;

/* How often Receives have grown, in all cases */
static DEFINE_PER_CPU(u64, fake_grown);

#include "fake_exchange.h"

static int fake_send(struct rpcrdma_exchange *x, u8 *msg, u32 len)
{
	u32 n = world.nsent;

	if (world.rc || n == MAX_SENT || len > sizeof(world.words[0]))
		return world.rc ?: -E2BIG;
	memcpy(world.words[n], msg, len);
	if (rpcrdma_decode_v2(&world.sent[n], world.words[n], len))
		return -EBADMSG;
	world.nsent++;
	return 0;
}

static void fake_apply(struct rpcrdma_exchange *x,
		       const struct rpcrdma_props *props, u32 which)
{
	world.applied |= which;
	world.peer = *props;
}

static void fake_plan(struct rpcrdma_exchange *x, u32 size)
{
	world.plan = size;
}

static void fake_resize(struct rpcrdma_exchange *x, u32 size)
{
	world.resizes++;
	world.recv_size = size;
	world.resized = -EAGAIN;
}

static int fake_resized(struct rpcrdma_exchange *x)
{
	return world.resized;
}

static const struct rpcrdma_exchange_ops fake_ops = {
	.send		= fake_send,
	.apply		= fake_apply,
	.plan		= fake_plan,
	.resize		= fake_resize,
	.resized	= fake_resized,
	.grown		= &fake_grown,
};

/* The suite's exit function: end all connections, as if the module were unloaded. */
static void world_end(struct kunit *test)
{
	while (world.nconns)
		rpcrdma_exchange_stop(world.conns[--world.nconns]);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&world.budget.charged), 0);
	memset(&world, 0, sizeof(world));
	memset(&exchange_work, 0, sizeof(exchange_work));
}

static void world_begin(struct kunit *test)
{
	world_end(test);
	world.now = jiffies;
	world.max = LARGE;
	world.interval = 5000;
	world.plan = BASE;
	world.recv_size = BASE;
	world.budget.max = &world.max;
	world.budget.interval = &world.interval;
	world.budget.total = 64 << 20;
	rpcrdma_props_default(&world.peer);
	world.peer.recv_size = BASE;
	world.peer.htypes = RPCRDMA2_CHANGE_HTYPES;
}

/* Create another connection, whose peer supports all messages. */
static struct rpcrdma_exchange *another(struct kunit *test)
{
	struct rpcrdma_exchange *x = kunit_kzalloc(test, sizeof(*x), GFP_KERNEL);
	struct rpcrdma_props *own = kunit_kzalloc(test, sizeof(*own), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, x);
	KUNIT_ASSERT_NOT_NULL(test, own);
	rpcrdma_props_default(own);
	own->recv_size = BASE;
	own->reverse = RPCRDMA2_RVREQSUP_GENL;
	own->remote_inv = true;
	own->nochange = RPCRDMA_PROPS_ALL;
	rpcrdma_exchange_init(x, &fake_ops, NULL, &world.budget, own, &world.peer);
	rpcrdma_exchange_begin(x, RECVS, world.now);
	world.conns[world.nconns++] = x;
	return x;
}

/* The connection with which each case begins */
static struct rpcrdma_exchange *x;

static int connection(struct kunit *test)
{
	world_begin(test);
	x = another(test);
	return 0;
}

/* Take steps. Returns jiffies until the next one. */
static unsigned long runs(struct rpcrdma_exchange *x)
{
	return rpcrdma_exchange_run(x, world.now);
}

/* Receive a message with @count words after the prefix. */
static int arrives(struct rpcrdma_exchange *x, u32 type, u32 xid,
		   const u32 *body, u32 count)
{
	static __be32 msg[128];
	struct rpcrdma_hdr hdr;
	int error;
	u32 i;

	msg[0] = cpu_to_be32(xid);
	msg[1] = cpu_to_be32(2);
	msg[2] = cpu_to_be32(9);
	msg[3] = cpu_to_be32(type);
	msg[4] = cpu_to_be32(type == RPCRDMA2_RESPROP ||
			     type == RPCRDMA2_ERROR ? RPCRDMA2_F_RESPONSE : 0);
	for (i = 0; i < count; i++)
		msg[5 + i] = cpu_to_be32(body[i]);
	error = rpcrdma_decode_v2(&hdr, msg, 4 * (5 + count));
	return rpcrdma_exchange_receive(x, &hdr, error, world.now);
}

#define ARRIVES(x, type, xid, ...) ({					\
	const u32 words_[] = { __VA_ARGS__ };				\
									\
	arrives(x, type, xid, words_, ARRAY_SIZE(words_));		\
})

static __maybe_unused void asks_for(struct rpcrdma_exchange *x, u32 size)
{
	ARRIVES(x, RPCRDMA2_REQPROP, XID, 1, RPCRDMA2_PROP_RBSIZ, 4, size);
}

static __maybe_unused void updates(struct rpcrdma_exchange *x, u32 size,
				   bool pendclr)
{
	ARRIVES(x, RPCRDMA2_UPDPROP, XID, RPCRDMA2_PROP_RBSIZ, 4, size,
		pendclr);
}

/* Count @n messages of @len bytes that use chunks only because of their length. */
static void longs(struct rpcrdma_exchange *x, u32 len, u32 n)
{
	while (n--)
		rpcrdma_exchange_long(x, len);
}

/*
 * Count enough messages to ask the peer for Receives of @size bytes, a multiple
 * of the unit.
 */
static __maybe_unused void wants(struct rpcrdma_exchange *x, u32 size)
{
	longs(x, size, RPCRDMA_TUNING_LONGS);
}

/* Let the last Receive of the previous size be consumed. */
static void exchanged(struct rpcrdma_exchange *x)
{
	world.resized = 0;
	runs(x);
}

/* Let the peer ask for @size, and grant that. */
static __maybe_unused void grown(struct kunit *test, struct rpcrdma_exchange *x,
				 u32 size)
{
	asks_for(x, size);
	runs(x);
	exchanged(x);
	KUNIT_ASSERT_FALSE(test, x->growing);
	KUNIT_ASSERT_EQ(test, x->own->recv_size, size);
	world.nsent = 0;
	world.resizes = 0;
}

#endif /* _RPCRDMA_CORE_EXCHANGE_FAKES_H */
