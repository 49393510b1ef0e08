// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the completion queue of a connection is polled by the workqueue that
 * the administrator has chosen, and that workqueue can make progress when there
 * is no memory. Otherwise, memory reclaim could wait for a reply that is never
 * handled.
 */
#include <linux/workqueue.h>

#include "xprt_fakes.h"

#define WANTED_FLAGS	(WQ_UNBOUND | WQ_MEM_RECLAIM)

/* What the file under test has allocated */
static struct queues {
	bool no_memory;			/* allocations fail */
	unsigned int flags;		/* of the workqueue */
	int wqs;			/* number of workqueues */
	u32 entries;			/* of the completion queue */
	enum ib_poll_context context;	/* how it is polled */
	void *private;			/* its context */
	struct ib_cq cq;		/* the completion queue */
} queues;

static char core_wq, own_wq;

#define CORE_WQ	((struct workqueue_struct *)&core_wq)
#define OWN_WQ	((struct workqueue_struct *)&own_wq)

static struct workqueue_struct *fake_alloc_workqueue(unsigned int flags)
{
	queues.flags = flags;
	if (queues.no_memory)
		return NULL;
	queues.wqs++;
	return OWN_WQ;
}

static void fake_destroy_workqueue(struct workqueue_struct *wq)
{
	if (wq == OWN_WQ)
		queues.wqs--;
}

static struct ib_cq *fake_alloc_cq(void *private, u32 entries,
				   enum ib_poll_context context)
{
	if (queues.no_memory)
		return ERR_PTR(-ENOMEM);
	queues.private = private;
	queues.entries = entries;
	queues.context = context;
	queues.cq.comp_wq = CORE_WQ;
	return &queues.cq;
}

static unsigned int fake_completion;

#undef alloc_workqueue
#define alloc_workqueue(name, flags, max)	fake_alloc_workqueue(flags)
#define destroy_workqueue			fake_destroy_workqueue
#undef ib_alloc_cq_any
#define ib_alloc_cq_any(device, private, n, context) \
	((void)(device), fake_alloc_cq(private, n, context))
#define xprt_rdma_completion_workqueue		fake_completion

#include "../xprtrdma/verbs/completion.c"

static int completion_test_init(struct kunit *test)
{
	memset(&queues, 0, sizeof(queues));
	fake_completion = XPRT_RDMA_COMPLETION_UNBOUND;
	return 0;
}

/* The module's workqueue has a rescuer, and no processor of its own. */
static void workqueue_reclaims(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, xprt_rdma_completion_init(), 0);
	KUNIT_EXPECT_EQ(test, queues.flags & WANTED_FLAGS, WANTED_FLAGS);
	KUNIT_EXPECT_EQ(test, queues.wqs, 1);
	xprt_rdma_completion_exit();
	KUNIT_EXPECT_EQ(test, queues.wqs, 0);
}

/* Without memory for a workqueue, the module is not loaded. */
static void workqueue_without_memory(struct kunit *test)
{
	queues.no_memory = true;
	KUNIT_EXPECT_EQ(test, xprt_rdma_completion_init(), -ENOMEM);
}

/* The switch decides for each connection. It is polled in process context. */
static void chosen_by_switch(struct kunit *test)
{
	static const struct {
		enum xprt_rdma_completion mode;
		struct workqueue_struct *wq;
	} cases[] = {
		{ XPRT_RDMA_COMPLETION_UNBOUND, OWN_WQ },
		{ XPRT_RDMA_COMPLETION_BOUND, CORE_WQ },
		{ XPRT_RDMA_COMPLETION_UNBOUND, OWN_WQ },
	};
	struct xprt_rdma_conn *conn = fake_r_xprt(test)->conn;
	struct ib_cq *cq;
	u32 i;

	KUNIT_ASSERT_EQ(test, xprt_rdma_completion_init(), 0);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		fake_completion = cases[i].mode;
		cq = xprt_rdma_cq_alloc(conn, 77);
		KUNIT_ASSERT_PTR_EQ(test, cq, &queues.cq);
		KUNIT_EXPECT_PTR_EQ(test, cq->comp_wq, cases[i].wq);
		KUNIT_EXPECT_EQ(test, queues.entries, 77);
		KUNIT_EXPECT_PTR_EQ(test, queues.private, (void *)conn);
		KUNIT_EXPECT_EQ(test, queues.context, IB_POLL_WORKQUEUE);
	}
	xprt_rdma_completion_exit();
}

/* Without memory for a completion queue, the caller gets the error. */
static void queue_without_memory(struct kunit *test)
{
	struct xprt_rdma_conn *conn = fake_r_xprt(test)->conn;

	queues.no_memory = true;
	KUNIT_EXPECT_PTR_EQ(test, xprt_rdma_cq_alloc(conn, 77),
			    (struct ib_cq *)ERR_PTR(-ENOMEM));
}

static struct kunit_case completion_cases[] = {
	KUNIT_CASE(workqueue_reclaims),
	KUNIT_CASE(workqueue_without_memory),
	KUNIT_CASE(chosen_by_switch),
	KUNIT_CASE(queue_without_memory),
	{}
};

SUITE("xprt_rdma_completion", completion_cases, .init = completion_test_init);
