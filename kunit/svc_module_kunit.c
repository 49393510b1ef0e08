// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: loading svcrdma either succeeds or leaves nothing registered, and
 * unloading undoes every registration. If this failed, a second modprobe would
 * fail or the kernel would call unloaded code.
 */

#include <rpcrdma/counters.h>

#include "suite.h"
#include "svc_headers.h"
#include "module_steps.h"

static struct workqueue_struct *const fake_queue = (void *)1;

/* Return: -EEXIST on failure, as if the in-tree module is loaded */
static int fake_register(char letter)
{
	return step(letter) ? -EEXIST : 0;
}

static int fake_bc_init(void)
{
	return fake_register('C');
}

static void step_c(void)
{
	step_note('c');
}

MODULE_STEP(A, a)
MODULE_STEP(T, t)

/* Fails if the number of workers is limited: work items wait for each other. */
#undef alloc_workqueue
#define alloc_workqueue(name, flags, max) \
	(step('W') || (max) ? NULL : fake_queue)
#undef flush_workqueue
#define flush_workqueue(wq)		step_note((wq) == fake_queue ? 'f' : '?')
#define destroy_workqueue(wq)		step_note((wq) == fake_queue ? 'w' : '?')
#define rpcrdma_deferred_ids_check(owner) \
	((void)(owner), step_note('r'))
#define svc_rdma_tunables_check()	step_note('K')
#define svc_rdma_stashes_init		step_A
#define svc_rdma_stashes_exit		step_a
#define svc_reg_xprt_class(class)	((void)(class), fake_register('X'))
#define svc_unreg_xprt_class(class)	((void)(class), step_note('x'))
#define svc_rdma_bc_init		fake_bc_init
#define svc_rdma_bc_exit		step_c
#define svc_rdma_tunables_init		step_T
#define svc_rdma_tunables_exit		step_t
#define rpcrdma_counters_add(table)	step_note('D')
#define rpcrdma_counters_remove(table)	step_note('d')
/* Messages for the operator */
#undef pr_err
#define pr_err(...)			step_note('!')
#define svc_rdma_listen			NULL
#define svc_rdma_accept_conn		NULL
#define svc_rdma_conn_has_wspace	NULL
#define svc_rdma_call_receive		NULL
#define svc_rdma_reply_send		NULL
#define svc_rdma_payload_add		NULL
#define svc_rdma_recv_release		NULL
#define svc_rdma_conn_detach		NULL
#define svc_rdma_conn_free		NULL
#define svc_rdma_conn_kill		NULL

#include "../svcrdma/control/module.c"

/* The class is registered last, because then a listener can pin the module. */
static void loaded(struct kunit *test)
{
	static const struct module_case cases[] = {
		{ 0, -ENOMEM, "K" },
		{ 2, -EEXIST, "KAWfwra!" },
		{ 4, -EEXIST, "KAWCTtcfwra!" },
		{ 5, 0, "KAWCTXD" },
	};

	for_each_case(c, cases) {
		steps_begin(c->left);
		KUNIT_EXPECT_EQ(test, svc_rdma_module_init(), c->rc);
		KUNIT_EXPECT_STREQ(test, steps.taken, c->taken);
	}
	KUNIT_EXPECT_PTR_EQ(test, svc_rdma_wq, fake_queue);
}

/* Unloading flushes the workqueue before destroying it. */
static void unloaded(struct kunit *test)
{
	svc_rdma_wq = fake_queue;
	steps_begin(0);
	svc_rdma_module_exit();
	KUNIT_EXPECT_STREQ(test, steps.taken, "dxtcfwra");
}

static struct kunit_case svc_module_cases[] = {
	KUNIT_CASE(loaded),
	KUNIT_CASE(unloaded),
	{}
};

SUITE("svc_rdma_module", svc_module_cases);
