// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: each callback gets a request, even while the Sends of earlier replies
 * are outstanding, and requests are reused (RFC 8167 section 5). Otherwise, the
 * client would stop answering after a few callbacks.
 */
#include "xprt_fakes.h"
#include "fake_memory.h"
#include "fake_balance.h"

/* Calls to other files */
static struct outside {
	u32 created;		/* number of requests created */
	u32 destroyed;		/* number of requests destroyed */
	u32 puts;		/* number of references to requests dropped */
	u32 credits;		/* number of entries of the congestion window returned */
	u32 disconnects;	/* number of calls to xprt_force_disconnect() */
	u32 endless;	/* number of connections with a call whose Reads never end */
	u32 ticks;		/* jiffies of waiting */
	u32 busy;		/* ticks after which the callback service has served all calls */
} outside;

/* The transport under test; init creates a new one for each case. */
static struct xprt_rdma *r_xprt;

/* Disconnecting ends the Reads of a call. */
static void fake_disconnect(struct rpc_xprt *xprt)
{
	balance.wrong += balance.held;
	if (++outside.disconnects == outside.endless)
		atomic_set(&xprt->bc_slot_count, 0);
}

static void fake_wait(u32 ticks)
{
	balance.wrong += balance.held;
	outside.ticks += ticks;
	if (outside.ticks == outside.busy)
		atomic_set(&r_xprt->xprt.bc_slot_count, 0);
}

static struct xprt_rdma_req *fake_create(struct xprt_rdma *r_xprt, size_t size)
{
	struct xprt_rdma_req *req = kzalloc(sizeof(*req), GFP_KERNEL);

	if (req) {
		req->r_xprt = r_xprt;
		req->snd.size = size;
		req->rcv.size = size;
		outside.created++;
	}
	return req;
}

/* Destroying a request can sleep, so the caller must not hold a lock. */
static void fake_destroy(struct xprt_rdma_req *req)
{
	balance.wrong += balance.held;
	outside.destroyed++;
	kfree(req->cb);
	kfree(req);
}

/* Count the credit only if the request's reference was not dropped before. */
#define xprt_rdma_credit_return(r_xprt, rqst) \
	((void)(r_xprt), (void)(rqst), (void)(outside.credits += !outside.puts))
#define xprt_rdma_req_create(r_xprt, size, gfp) \
	((void)(gfp), fake_create(r_xprt, size))
#define xprt_rdma_req_destroy		fake_destroy
#define xprt_rdma_req_put(req)		((void)(req), (void)outside.puts++)

#define xprt_force_disconnect	fake_disconnect
#define schedule_timeout_uninterruptible	fake_wait

#include "../xprtrdma/callback/backchannel.c"

static int transport(struct kunit *test)
{
	r_xprt = fake_r_xprt(test);
	memset(&outside, 0, sizeof(outside));
	fake_memory_left = -1;
	outside.busy = 10 * HZ;
	return 0;
}

/*
 * A request stays in use until the Send of its reply completes. A callback that
 * arrives before that gets another request. Trimming frees only idle requests.
 */
static void requests_held_by_late_sends(struct kunit *test)
{
	struct xprt_rdma_req *reqs[4 * XPRT_RDMA_BC_SLOTS];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(reqs); i++) {
		reqs[i] = xprt_rdma_bc_get(r_xprt);
		KUNIT_ASSERT_NOT_NULL(test, reqs[i]);
		KUNIT_EXPECT_TRUE(test, reqs[i]->release == xprt_rdma_bc_release);
		KUNIT_EXPECT_EQ(test, reqs[i]->snd.size, PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, reqs[i]->rcv.size, PAGE_SIZE);
	}

	/* Free requests are reused first in, first out. */
	xprt_rdma_bc_release(reqs[1]);
	xprt_rdma_bc_release(reqs[0]);
	KUNIT_EXPECT_PTR_EQ(test, xprt_rdma_bc_get(r_xprt), reqs[1]);
	KUNIT_EXPECT_PTR_EQ(test, xprt_rdma_bc_get(r_xprt), reqs[0]);
	KUNIT_EXPECT_EQ(test, outside.created, ARRAY_SIZE(reqs));

	/* Trimming keeps the requests in use, and one free request in reserve. */
	for (i = 0; i < ARRAY_SIZE(reqs) - 3; i++)
		xprt_rdma_bc_release(reqs[i]);
	KUNIT_EXPECT_EQ(test, outside.destroyed, 0);
	xprt_rdma_bc_trim(r_xprt, true);
	KUNIT_EXPECT_EQ(test, outside.destroyed, ARRAY_SIZE(reqs) - 4);
	xprt_rdma_bc_trim(r_xprt, true);
	KUNIT_EXPECT_EQ(test, outside.destroyed, ARRAY_SIZE(reqs) - 4);
	for (; i < ARRAY_SIZE(reqs); i++)
		xprt_rdma_bc_release(reqs[i]);
	xprt_rdma_bc_trim(r_xprt, false);
	KUNIT_EXPECT_EQ(test, outside.destroyed, ARRAY_SIZE(reqs));
}

/*
 * Setup allocates one request in advance; the first callback needs no memory.
 */
static void one_request_in_reserve(struct kunit *test)
{
	struct xprt_rdma_req *req;
	int left;

	/* Setup allocates the request and its callback part; each can fail. */
	for (left = 0; left < 2; left++) {
		fake_memory_left = left;
		KUNIT_EXPECT_EQ(test, xprt_rdma_op_bc_setup(&r_xprt->xprt, 1), -ENOMEM);
		KUNIT_EXPECT_EQ(test, r_xprt->bc_slots, 0);
		KUNIT_EXPECT_EQ(test, outside.destroyed, outside.created);
	}
	fake_memory_left = 2;
	KUNIT_EXPECT_EQ(test, xprt_rdma_op_bc_setup(&r_xprt->xprt, 1), 0);
	/* A second session needs no second request. */
	KUNIT_EXPECT_EQ(test, xprt_rdma_op_bc_setup(&r_xprt->xprt, 1), 0);
	xprt_rdma_bc_trim(r_xprt, true);
	req = xprt_rdma_bc_get(r_xprt);
	KUNIT_ASSERT_NOT_NULL(test, req);
	KUNIT_EXPECT_NULL(test, xprt_rdma_bc_get(r_xprt));
	fake_destroy(req);
}

/*
 * NFS frees the callback service after bc_destroy, which therefore waits until
 * all calls are served and lets no more calls reach the service.
 */
static void destroy_awaits_calls(struct kunit *test)
{
	struct rpc_xprt *xprt = &r_xprt->xprt;

	KUNIT_ASSERT_EQ(test, xprt_rdma_op_bc_setup(xprt, 1), 0);
	atomic_set(&xprt->bc_slot_count, 1);
	outside.busy = HZ / 20;
	xprt_rdma_op_bc_destroy(xprt, 1);
	KUNIT_EXPECT_EQ(test, outside.ticks, HZ / 20);
	KUNIT_EXPECT_EQ(test, r_xprt->bc_slots, 0);
	KUNIT_EXPECT_EQ(test, outside.disconnects, 0);
	xprt_rdma_bc_trim(r_xprt, false);
}

/*
 * A server never answers the Reads of its calls, on three connections in turn.
 * bc_destroy ends each connection, and returns in bounded time.
 */
static void destroy_ends_endless_reads(struct kunit *test)
{
	atomic_set(&r_xprt->xprt.bc_slot_count, 1);
	outside.endless = 3;
	xprt_rdma_op_bc_destroy(&r_xprt->xprt, 1);
	KUNIT_EXPECT_EQ(test, outside.disconnects, 3);
	KUNIT_EXPECT_LE(test, outside.ticks, 3 * HZ);
}

static void pages_of_long_call_freed(struct kunit *test)
{
	struct xprt_rdma_req *req = xprt_rdma_bc_get(r_xprt);
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, req);
	KUNIT_ASSERT_NOT_NULL(test, page);
	get_page(page);
	get_page(page);
	while (req->cb->npages < 2)
		req->cb->pages[req->cb->npages++] = page;
	xprt_rdma_bc_release(req);
	KUNIT_EXPECT_EQ(test, req->cb->npages, 0);
	KUNIT_EXPECT_EQ(test, page_count(page), 1);
	put_page(page);
	xprt_rdma_bc_trim(r_xprt, false);
}

/* Freeing a served call returns its credit and both of its references. */
static void served_call_returns_references(struct kunit *test)
{
	struct xprt_rdma_req *req = fake_zalloc(test, sizeof(*req));

	kref_get(&r_xprt->xprt.kref);
	req->rqst.rq_xprt = &r_xprt->xprt;
	xprt_rdma_op_bc_free_rqst(&req->rqst);
	KUNIT_EXPECT_EQ(test, outside.puts, 1);
	KUNIT_EXPECT_EQ(test, outside.credits, 1);
	KUNIT_EXPECT_EQ(test, kref_read(&r_xprt->xprt.kref), 1);
}

/*
 * RFC 8167 section 5.1: the largest callback payload is bounded by the smaller
 * of the two inline thresholds and by the size of a callback buffer.
 */
static void limit_fits_both_buffers(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, xprt_rdma_op_bc_setup(&r_xprt->xprt, 1), 0);
	KUNIT_EXPECT_EQ(test, r_xprt->bc_slots, XPRT_RDMA_BC_SLOTS);
	KUNIT_EXPECT_EQ(test, xprt_rdma_op_bc_num_slots(&r_xprt->xprt),
			XPRT_RDMA_BC_SLOTS);
	r_xprt->conn->sizes.inline_send = 3000;
	r_xprt->conn->sizes.inline_recv = 2000;
	KUNIT_EXPECT_EQ(test, xprt_rdma_op_bc_maxpayload(&r_xprt->xprt),
			2000 - RPCRDMA2_MIN_SIZE);
	r_xprt->conn->sizes.inline_send = 65536;
	r_xprt->conn->sizes.inline_recv = 65536;
	KUNIT_EXPECT_EQ(test, xprt_rdma_op_bc_maxpayload(&r_xprt->xprt),
			PAGE_SIZE - RPCRDMA2_MIN_SIZE);
	r_xprt->conn = NULL;
	KUNIT_EXPECT_EQ(test, xprt_rdma_op_bc_maxpayload(&r_xprt->xprt),
			RPCRDMA_V1_INLINE_DEFAULT - RPCRDMA2_MIN_SIZE);
	xprt_rdma_bc_trim(r_xprt, false);
}

static void all_destroyed(struct kunit *test)
{
	balance_exit(test);
	KUNIT_EXPECT_EQ(test, outside.destroyed, outside.created);
}

static struct kunit_case xprt_backchannel_cases[] = {
	KUNIT_CASE(requests_held_by_late_sends),
	KUNIT_CASE(one_request_in_reserve),
	KUNIT_CASE(destroy_awaits_calls),
	KUNIT_CASE(destroy_ends_endless_reads),
	KUNIT_CASE(pages_of_long_call_freed),
	KUNIT_CASE(served_call_returns_references),
	KUNIT_CASE(limit_fits_both_buffers),
	{}
};

SUITE("xprt_rdma_backchannel", xprt_backchannel_cases, .init = transport, .exit = all_destroyed);
