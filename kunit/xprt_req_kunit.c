// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a request is used by one RPC at a time, and again only after its last
 * Send has completed. There are enough requests for all slots; a task that finds
 * none waits. Buffers are mapped for DMA once, as a whole, and unmapped once. If
 * this failed, data of one RPC would be sent in another, or tasks would hang.
 */
#include "xprt_fakes.h"
#define FAKE_MEMORY_WATCHED
#include "fake_memory.h"
#include "fake_balance.h"

/* Calls to other files */
static struct outside {
	bool task_waits;	/* a task waits for a slot */
	struct rpc_rqst *woken;	/* request given to the waiting task */
	u32 backlogged;		/* number of tasks put to sleep */
	u32 bc_released;	/* number of requests returned to the backchannel */
	u32 invalidated;	/* number of requests whose regions were invalidated */
	u32 unmapped;		/* number of buffers unmapped */
	u32 unlocked;		/* number of buffers unmapped without the lock */
} outside;

static bool fake_wake_up_backlog(struct rpc_xprt *xprt, struct rpc_rqst *rqst)
{
	if (outside.task_waits)
		outside.woken = rqst;
	return outside.task_waits;
}

#undef ib_dma_unmap_single
#define ib_dma_unmap_single(device, addr, size, dir) \
	((void)(device), fake_dma_unmap(addr, size, dir), (void)outside.unmapped++, \
	 (void)(outside.unlocked += !balance.held)) /* req.c takes only one lock. */
#define xprt_wake_up_backlog		fake_wake_up_backlog
#define xprt_add_backlog(xprt, task)	((void)outside.backlogged++)
#define rpc_task_gfp_mask()		GFP_KERNEL
#define xprt_rdma_invalidate_sync(r_xprt, req, overdue) \
	((void)(outside.invalidated += !(overdue)), INIT_LIST_HEAD(&(req)->mrs))

#include "../core/verbs/buffer.c"
#include "../xprtrdma/verbs/regbuf.c"
#include "../xprtrdma/message/req.c"

#define SLOTS		3u
#define REQS_MAX	(SLOTS + XPRT_RDMA_SEND_BATCH)

static struct ib_device device;

static void trim_action(void *r_xprt)
{
	xprt_rdma_reqs_trim(r_xprt, 0);
}

/* Created anew for each case */
static struct xprt_rdma *r_xprt;
/* A task that wants a slot */
static struct rpc_task task;

static int pool(struct kunit *test)
{
	r_xprt = fake_r_xprt(test);
	memset(&outside, 0, sizeof(outside));
	fake_dma.n = 0;
	fake_memory_watch(test);
	fake_memory_left = -1;
	r_xprt->xprt.max_reqs = SLOTS;
	fake_defer(test, trim_action, r_xprt);
	return 0;
}

/* Ask for a slot. Return the task's request, or NULL with tk_status set. */
static struct xprt_rdma_req *slot(void)
{
	memset(&task, 0, sizeof(task));
	task.tk_status = -EIO;
	xprt_rdma_op_alloc_slot(&r_xprt->xprt, &task);
	return task.tk_rqstp ? rqst_to_req(task.tk_rqstp) : NULL;
}

static struct xprt_rdma_req *get(struct kunit *test)
{
	struct xprt_rdma_req *req = slot();

	KUNIT_ASSERT_NOT_NULL(test, req);
	return req;
}

static int buffers(size_t call, size_t reply)
{
	task.tk_rqstp->rq_callsize = call;
	task.tk_rqstp->rq_rcvsize = reply;
	return xprt_rdma_op_buf_alloc(&task);
}

/* Map the buffers that a Send gathers. */
static void map(struct kunit *test, struct xprt_rdma_req *req)
{
	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_regbuf_map(&req->hdr, &device,
						      DMA_TO_DEVICE));
	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_regbuf_map(&req->snd, &device,
						      DMA_TO_DEVICE));
}

/* Requests are limited to slots plus unsignaled Sends; the next task waits. */
static void grows_to_its_limit(struct kunit *test)
{
	struct xprt_rdma_req *reqs[REQS_MAX];
	u32 i;

	/* Act and assert: as many as allowed */
	for (i = 0; i < REQS_MAX; i++) {
		reqs[i] = get(test);
		KUNIT_EXPECT_EQ(test, task.tk_status, 0);
		KUNIT_EXPECT_EQ(test, r_xprt->xprt.num_reqs, i + 1);
	}
	KUNIT_EXPECT_EQ(test, r_xprt->xprt.num_reqs, REQS_MAX);
	KUNIT_EXPECT_EQ(test, r_xprt->xprt.stat.max_slots, REQS_MAX);

	/* Act and assert: one too many */
	KUNIT_EXPECT_NULL(test, slot());
	KUNIT_EXPECT_EQ(test, task.tk_status, -EAGAIN);
	KUNIT_EXPECT_EQ(test, outside.backlogged, 1);
	KUNIT_EXPECT_EQ(test, r_xprt->xprt.num_reqs, REQS_MAX);

	/* Act and assert: a released request goes to the waiting task */
	outside.task_waits = true;
	xprt_rdma_op_free_slot(&r_xprt->xprt, &reqs[1]->rqst);
	KUNIT_EXPECT_PTR_EQ(test, outside.woken, &reqs[1]->rqst);
	KUNIT_EXPECT_TRUE(test, list_empty(&r_xprt->reqs_free));
	outside.task_waits = false;

	for (i = 0; i < REQS_MAX; i++)
		xprt_rdma_op_free_slot(&r_xprt->xprt, &reqs[i]->rqst);
	xprt_rdma_reqs_trim(r_xprt, 0);
	fake_expect_balance(test, reqs);
	fake_expect_balance(test, regbufs);
}

/*
 * A lock protects buffers against the end of the connection, which unmaps all.
 */
static void unmapped_under_the_lock(struct kunit *test)
{
	struct xprt_rdma_req *req = get(test);

	/* Arrange: buffers that are mapped and too small for the next call */
	KUNIT_ASSERT_EQ(test, 0, buffers(100, 100));
	map(test, req);
	fake_dma_use(req->snd.addr, req->snd.size, DMA_TO_DEVICE);
	fake_dma_use(req->hdr.addr, req->hdr.size, DMA_TO_DEVICE);

	/* Act and assert: replaced */
	KUNIT_ASSERT_EQ(test, 0, buffers(10000, 100));
	KUNIT_EXPECT_EQ(test, outside.unmapped, 1);
	KUNIT_EXPECT_EQ(test, outside.unlocked, 0);
	KUNIT_EXPECT_NULL(test, req->snd.device);

	/* Act and assert: without memory, the old buffer stays mapped */
	map(test, req);
	fake_memory_left = 0;
	KUNIT_EXPECT_EQ(test, -ENOMEM, buffers(20000, 100));
	KUNIT_EXPECT_EQ(test, -ENOMEM, buffers(100, 20000));
	fake_memory_left = -1;
	KUNIT_EXPECT_EQ(test, outside.unmapped, 1);
	KUNIT_EXPECT_PTR_EQ(test, req->snd.device, &device);

	/* Act and assert: freed */
	xprt_rdma_op_free_slot(&r_xprt->xprt, &req->rqst);
	xprt_rdma_reqs_trim(r_xprt, 0);
	KUNIT_EXPECT_EQ(test, outside.unmapped, 3);
	KUNIT_EXPECT_EQ(test, outside.unlocked, 0);
	KUNIT_EXPECT_EQ(test, fake_dma.n, 0);
}

/*
 * A free request is used again before another one is created. Memory that its
 * last RPC left registered is invalidated first.
 */
static void used_again(struct kunit *test)
{
	struct xprt_rdma_req *req = get(test);
	struct xprt_rdma_mr mr;

	req->rqst.rq_xid = cpu_to_be32(1);
	xprt_rdma_op_free_slot(&r_xprt->xprt, &req->rqst);
	KUNIT_EXPECT_PTR_EQ(test, slot(), req);
	KUNIT_EXPECT_TRUE(test, req->rqst.rq_xid == 0);
	KUNIT_EXPECT_EQ(test, r_xprt->xprt.num_reqs, 1);
	xprt_rdma_op_buf_free(&task);
	KUNIT_EXPECT_EQ(test, outside.invalidated, 0);
	list_add(&mr.list, &req->mrs);
	xprt_rdma_op_buf_free(&task);
	KUNIT_EXPECT_EQ(test, outside.invalidated, 1);
	xprt_rdma_op_free_slot(&r_xprt->xprt, &req->rqst);
}

/* A Send in flight keeps the request after its RPC has ended. */
static void send_keeps_it(struct kunit *test)
{
	struct xprt_rdma_req *req = get(test);

	kref_get(&req->ref);

	xprt_rdma_op_free_slot(&r_xprt->xprt, &req->rqst);
	xprt_rdma_reqs_trim(r_xprt, 0);
	KUNIT_EXPECT_EQ(test, r_xprt->xprt.num_reqs, 1);
	KUNIT_EXPECT_TRUE(test, list_empty(&r_xprt->reqs_free));
	xprt_rdma_req_put(req);
	KUNIT_EXPECT_EQ(test, kref_read(&req->ref), 1);
	xprt_rdma_reqs_trim(r_xprt, 0);
	KUNIT_EXPECT_EQ(test, r_xprt->xprt.num_reqs, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&r_xprt->reqs_all));
}

static void fake_bc_release(struct xprt_rdma_req *req)
{
	outside.bc_released++;
}

static void callback_request_returned(struct kunit *test)
{
	struct xprt_rdma_req *req = xprt_rdma_req_create(r_xprt, BUF_MIN, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, req);
	req->release = fake_bc_release;
	xprt_rdma_req_put(req);
	KUNIT_EXPECT_EQ(test, outside.bc_released, 1);
	KUNIT_EXPECT_TRUE(test, list_empty(&r_xprt->reqs_free));
	KUNIT_EXPECT_EQ(test, kref_read(&req->ref), 1);
	xprt_rdma_req_destroy(req);
	KUNIT_EXPECT_TRUE(test, list_empty(&r_xprt->reqs_all));
}

/* Reserved requests need no memory, even after a connection ends. */
static void reserve_lasts(struct kunit *test)
{
	struct xprt_rdma_req *reqs[2];
	u32 i;

	/* Arrange: two requests are free, the last one is in use */
	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_reqs_reserve(r_xprt, 2));
	KUNIT_EXPECT_EQ(test, r_xprt->xprt.num_reqs, 2);
	for (i = 0; i < 2; i++)
		reqs[i] = get(test);
	get(test);
	KUNIT_EXPECT_EQ(test, r_xprt->xprt.num_reqs, 3);
	xprt_rdma_op_free_slot(&r_xprt->xprt, &reqs[0]->rqst);
	xprt_rdma_op_free_slot(&r_xprt->xprt, &reqs[1]->rqst);
	fake_memory_left = 0;

	/* Act: free requests beyond the reserve are destroyed */
	xprt_rdma_reqs_trim(r_xprt, 2);

	/* Assert: one free request is kept, with its buffers */
	KUNIT_EXPECT_EQ(test, r_xprt->xprt.num_reqs, 2);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&r_xprt->reqs_free));
	xprt_rdma_op_free_slot(&r_xprt->xprt, task.tk_rqstp);
	xprt_rdma_reqs_trim(r_xprt, 2);
	KUNIT_EXPECT_EQ(test, r_xprt->xprt.num_reqs, 2);
	reqs[0] = get(test);
	reqs[1] = slot();
	KUNIT_ASSERT_NOT_NULL(test, reqs[1]);
	KUNIT_EXPECT_EQ(test, 0, buffers(BUF_MIN, BUF_MIN));
	KUNIT_EXPECT_NULL(test, slot());
	KUNIT_EXPECT_EQ(test, task.tk_status, -ENOMEM);

	fake_memory_left = -1;
	for (i = 0; i < 2; i++)
		xprt_rdma_op_free_slot(&r_xprt->xprt, &reqs[i]->rqst);
}

/* Failed allocations are reported, and no request or slot is lost. */
static void no_memory_reported(struct kunit *test)
{
	int n;

	/* Two requests with four allocations each */
	for (n = 0; n < 2 * 4; n++) {
		fake_memory_left = n;
		KUNIT_EXPECT_EQ(test, -ENOMEM, xprt_rdma_reqs_reserve(r_xprt, 2));
		KUNIT_EXPECT_EQ(test, r_xprt->xprt.num_reqs, n / 4);
		KUNIT_EXPECT_EQ(test, list_count_nodes(&r_xprt->reqs_free), n / 4);
		xprt_rdma_reqs_trim(r_xprt, 0);
		fake_memory_left = n % 4;
		KUNIT_EXPECT_NULL(test, slot());
		KUNIT_EXPECT_EQ(test, task.tk_status, -ENOMEM);
		KUNIT_EXPECT_EQ(test, r_xprt->xprt.num_reqs, 0);
	}
	fake_memory_left = -1;
}

/* Buffers grow when needed and never shrink. Replacements are counted. */
static void buffers_grow_when_needed(struct kunit *test)
{
	static const struct { size_t call, reply, snd, rcv; unsigned long hardway; } cases[] = {
		{ 0, 0, 1024, 1024, 0 }, { 1024, 1024, 1024, 1024, 0 },
		{ 5000, 200, 5000, 1024, 5000 }, { 100, 9000, 1024, 9000, 9000 },
		{ 1025, 1026, 1025, 1026, 2051 },
	};
	struct xprt_rdma_req *req;

	for_each_case(c, cases) {
		/* Arrange: the request has served a small call */
		pool(test);
		req = get(test);
		KUNIT_ASSERT_EQ(test, buffers(1, 1), 0);
		KUNIT_EXPECT_EQ(test, r_xprt->stats.hardway_register_count, 0);

		KUNIT_EXPECT_EQ(test, buffers(c->call, c->reply), 0);

		KUNIT_EXPECT_EQ(test, req->snd.size, c->snd);
		KUNIT_EXPECT_EQ(test, req->rcv.size, c->rcv);
		KUNIT_EXPECT_PTR_EQ(test, req->rqst.rq_buffer, req->snd.data);
		KUNIT_EXPECT_PTR_EQ(test, req->rqst.rq_rbuffer, req->rcv.data);
		KUNIT_EXPECT_EQ(test, r_xprt->stats.hardway_register_count, c->hardway);

		/* Act and assert: a small call does not shrink them */
		KUNIT_EXPECT_EQ(test, buffers(1, 1), 0);
		KUNIT_EXPECT_EQ(test, req->snd.size, c->snd);
		xprt_rdma_op_free_slot(&r_xprt->xprt, &req->rqst);
	}
}

/* A second allocation unmaps and frees the buffer's former memory. */
static void memory_replaced(struct kunit *test)
{
	struct xprt_rdma_regbuf rb = {};

	KUNIT_EXPECT_EQ(test, xprt_rdma_regbuf_alloc(&rb, 100, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, xprt_rdma_regbuf_map(&rb, &device, DMA_TO_DEVICE), 0);
	KUNIT_EXPECT_EQ(test, xprt_rdma_regbuf_alloc(&rb, 200, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, outside.unmapped, 1);
	xprt_rdma_regbuf_free(&rb);
	fake_expect_balance(test, regbufs);
}

/* The end of a connection unmaps all buffers, including those in use. */
static void end_unmaps_all(struct kunit *test)
{
	struct xprt_rdma_req *reqs[2];
	u32 i;

	/* Arrange: one request is in use, one is free */
	for (i = 0; i < ARRAY_SIZE(reqs); i++) {
		reqs[i] = get(test);
		KUNIT_ASSERT_EQ(test, buffers(1, 1), 0);
		map(test, reqs[i]);
	}
	xprt_rdma_op_free_slot(&r_xprt->xprt, &reqs[1]->rqst);

	xprt_rdma_reqs_unmap(r_xprt);

	for (i = 0; i < ARRAY_SIZE(reqs); i++) {
		KUNIT_EXPECT_NULL(test, reqs[i]->hdr.device);
		KUNIT_EXPECT_NULL(test, reqs[i]->snd.device);
	}

	/* Act and assert: only the free one is destroyed */
	xprt_rdma_reqs_trim(r_xprt, 0);
	KUNIT_EXPECT_EQ(test, r_xprt->xprt.num_reqs, 1);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&r_xprt->reqs_all));
	xprt_rdma_op_free_slot(&r_xprt->xprt, &reqs[0]->rqst);
}

static struct kunit_case xprt_req_cases[] = {
	KUNIT_CASE(grows_to_its_limit),
	KUNIT_CASE(unmapped_under_the_lock),
	KUNIT_CASE(used_again),
	KUNIT_CASE(send_keeps_it),
	KUNIT_CASE(callback_request_returned),
	KUNIT_CASE(no_memory_reported),
	KUNIT_CASE(reserve_lasts),
	KUNIT_CASE(buffers_grow_when_needed),
	KUNIT_CASE(memory_replaced),
	KUNIT_CASE(end_unmaps_all),
	{}
};

SUITE("xprt_rdma_req", xprt_req_cases, .init = pool, .exit = balance_exit);
