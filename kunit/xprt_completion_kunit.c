// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the completion queue of a connection is polled by the workqueue that
 * the administrator has chosen, and that workqueue can make progress when there
 * is no memory. Otherwise, memory reclaim could wait for a reply that is never
 * handled.
 */
#include <linux/workqueue.h>

#include "xprt_fakes.h"

/* A workqueue and a completion queue */
static struct queues {
	bool no_memory;		/* allocations fail */
	int wqs;		/* number of workqueues */
	unsigned int flags;	/* of the last one */
	u32 entries;		/* of the completion queue */
	struct ib_cq cq;	/* the completion queue */
} queues;

static char core_wq, own_wq;

#define CORE_WQ	((struct workqueue_struct *)&core_wq)
#define OWN_WQ	((struct workqueue_struct *)&own_wq)

static struct workqueue_struct *fake_alloc_workqueue(unsigned int flags)
{
	queues.flags = flags;
	queues.wqs += !queues.no_memory;
	return queues.no_memory ? NULL : OWN_WQ;
}

static struct ib_cq *fake_alloc_cq(void *private, u32 entries,
				   enum ib_poll_context context)
{
	if (queues.no_memory)
		return ERR_PTR(-ENOMEM);
	queues.entries = entries;
	queues.cq = (struct ib_cq){
		.cq_context	= private,
		.poll_ctx	= context,
		.comp_wq	= CORE_WQ,
	};
	return &queues.cq;
}

static unsigned int fake_completion;

#undef alloc_workqueue
#define alloc_workqueue(name, flags, max)	fake_alloc_workqueue(flags)
#define destroy_workqueue(wq)			((void)(queues.wqs -= (wq) == OWN_WQ))
#undef ib_alloc_cq_any
#define ib_alloc_cq_any(device, private, n, context) \
	((void)(device), fake_alloc_cq(private, n, context))
#define xprt_rdma_completion_workqueue		fake_completion

#include "../xprtrdma/verbs/completion.c"

/*
 * The module's workqueue has a rescuer, and no processor of its own. The switch decides
 * for each connection. It is polled in process context.
 */
static void chosen_by_switch(struct kunit *test)
{
	struct xprt_rdma_conn *conn = fake_r_xprt(test)->conn;
	const unsigned int want = WQ_UNBOUND | WQ_MEM_RECLAIM;
	struct ib_cq *cq;
	u32 i;

	queues.no_memory = true;
	KUNIT_EXPECT_EQ(test, xprt_rdma_completion_init(), -ENOMEM);
	queues.no_memory = false;
	KUNIT_ASSERT_EQ(test, xprt_rdma_completion_init(), 0);
	KUNIT_EXPECT_EQ(test, queues.flags & want, want);
	KUNIT_EXPECT_EQ(test, queues.wqs, 1);
	for (i = 0; i < 3; i++) {
		fake_completion = i & 1 ? XPRT_RDMA_COMPLETION_BOUND :
					  XPRT_RDMA_COMPLETION_UNBOUND;
		cq = xprt_rdma_cq_alloc(conn, 77);
		KUNIT_ASSERT_PTR_EQ(test, cq, &queues.cq);
		KUNIT_EXPECT_PTR_EQ(test, cq->comp_wq, i & 1 ? CORE_WQ : OWN_WQ);
		KUNIT_EXPECT_EQ(test, queues.entries, 77);
		KUNIT_EXPECT_PTR_EQ(test, cq->cq_context, (void *)conn);
		KUNIT_EXPECT_EQ(test, cq->poll_ctx, IB_POLL_WORKQUEUE);
	}
	queues.no_memory = true;
	KUNIT_EXPECT_PTR_EQ(test, xprt_rdma_cq_alloc(conn, 77),
			    (struct ib_cq *)ERR_PTR(-ENOMEM));
	queues.no_memory = false;
	xprt_rdma_completion_exit();
	KUNIT_EXPECT_EQ(test, queues.wqs, 0);
}

static struct kunit_case xprt_completion_cases[] = {
	KUNIT_CASE(chosen_by_switch),
	{}
};

SUITE("xprt_rdma_completion", xprt_completion_cases);
