// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: if a step of loading the module fails, the earlier steps are undone.
 * Unloading undoes all steps. Otherwise, the kernel would call functions of a
 * module that is gone.
 */

#include <rpcrdma/counters.h>

#include "../xprtrdma/conn.h"
#include "../xprtrdma/req.h"
#include "../xprtrdma/xprt.h"
#include "../xprtrdma/control/control.h"
#include "../xprtrdma/ext/ext.h"
#include "../xprtrdma/verbs/verbs.h"
#include "module_steps.h"

static struct xprt_class fake_class;

MODULE_STEP(W, w)
MODULE_STEP(C, c)
MODULE_STEP(T, t)

#define xprt_rdma_class			fake_class
#define xprt_rdma_completion_init	step_W
#define xprt_rdma_completion_exit	step_w
#define xprt_rdma_connect_init		step_C
#define xprt_rdma_connect_exit		step_c
#define xprt_register_transport(class)	((void)(class), step('X'))
#define xprt_unregister_transport(class) ((void)(class), step_note('x'))
#define xprt_rdma_tunables_register	step_T
#define xprt_rdma_tunables_unregister	step_t
#define rpcrdma_counters_add(table)	step_note('D')
#define rpcrdma_counters_remove(table)	step_note('d')

#include "../xprtrdma/control/module.c"

/*
 * If a step of loading fails, the earlier steps are undone in reverse order.
 * Unloading undoes all of them.
 */
static void steps_undone(struct kunit *test)
{
	static const struct module_case cases[] = {
		{ 0, -ENOMEM, "" },
		{ 2, -EBUSY, "WCcw" },
		{ 3, -ENOMEM, "WCXxcw" },
		{ 4, 0, "WCXTD" },
	};

	for_each_case(c, cases) {
		steps_begin(c->left);
		KUNIT_EXPECT_EQ(test, xprt_rdma_module_init(), c->rc);
		KUNIT_EXPECT_STREQ(test, steps.taken, c->taken);
	}
	xprt_rdma_module_exit();
	KUNIT_EXPECT_STREQ(test, steps.taken, "WCXTDdtxcw");
}

static struct kunit_case xprt_module_cases[] = {
	KUNIT_CASE(steps_undone),
	{}
};

SUITE("xprt_rdma_module", xprt_module_cases);
