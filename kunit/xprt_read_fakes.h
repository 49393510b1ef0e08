/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Surroundings of fetch.c: an adapter that reads, and the owner of the message.
 * Includes fetch.c and the files that it needs.
 */
#ifndef _XPRT_RDMA_XPRT_READ_FAKES_H
#define _XPRT_RDMA_XPRT_READ_FAKES_H

#include "fake_rw.h"
#include "xprt_fakes.h"

static bool fake_remote_inv = true;

/* The owner of the messages being read, and the connection */
static struct owner {
	u32 completed;	/* number of messages completed */
	int status;	/* status of the last completion */
	u32 order[8];	/* XIDs, in the order of completion */
	u32 recv_puts;	/* number of Receives released */
	u32 refilled;	/* @recv_puts when Receives were posted last */
	u32 lost;	/* number of times that the connection was reported as lost */
	u32 credits;	/* number of times that the window was computed again */
	u32 watches;	/* number of times that the connection was to be watched */
	u32 most_dones;	/* highest number of RDMA_DONEs in flight then */
} owner;

static void fake_credit_apply(struct xprt_rdma_conn *conn)
{
	owner.credits++;
	owner.most_dones = max(owner.most_dones, conn->fetches.dones);
}

/* Number of allocations that the files under test have not freed */
static int fake_blocks;

static void *fake_alloc(size_t size, gfp_t gfp)
{
	void *p = kzalloc(size, gfp);

	fake_blocks += !!p;
	return p;
}

static void fake_free(const void *p)
{
	fake_blocks -= !!p;
	kfree(p);
}

static void read_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, fake_blocks, 0);
	fake_blocks = 0;
}

#undef kmalloc
#define kmalloc(size, gfp)		fake_alloc(size, gfp)
#undef kzalloc
#define kzalloc(size, gfp)		fake_alloc(size, gfp)
#define kfree(p)			fake_free(p)
#define xprt_rdma_remote_invalidation	fake_remote_inv
#define xprt_rdma_credit_apply		fake_credit_apply
#define xprt_rdma_watch(r_xprt)		((void)(r_xprt), (void)owner.watches++)
#define xprt_rdma_conn_lost(conn)	((void)(conn), (void)owner.lost++)
#define xprt_rdma_recv_put(recv)		((void)(recv), (void)owner.recv_puts++)
#define xprt_rdma_recvs_post(conn)	((void)(owner.refilled = owner.recv_puts))

#include "../xprtrdma/verbs/regbuf.c"
#include "../xprtrdma/ext/pulled/layout.c"
#include "../xprtrdma/ext/pulled/fetch.c"

#define XID		0x8166u
#define CREDITS		77u
#define HEAD		120u
#define PAGES		40u
#define PAGE_BYTES	(39u * PAGE_SIZE)
#define TAIL		64u
#define CANARY		0xa7
#define MAX_MESSAGE	4096u
#define MAX_CHUNKS	4u
#define CHUNK_STEP	0x10000000000ull
#define OPS		XPRT_RDMA_READ_OPS

#endif /* _XPRT_RDMA_XPRT_READ_FAKES_H */
