// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: loading svcrdma either succeeds or leaves nothing registered, and
 * unloading undoes all of it. If this failed, a second modprobe would fail or
 * the kernel would call code that is no longer there.
 */
#include <linux/module.h>

#include "svc_headers.h"
#include "module_steps.h"

static struct workqueue_struct *const fake_queue = (void *)1;

/* What registering returns if the in-tree module is loaded */
static int fake_taken;

static int fake_register(void)
{
	return step('X') ? fake_taken : 0;
}

/* Work that waits for other work needs more than one worker. */
#define alloc_workqueue(name, flags, max) \
	(step('W') || (max) ? NULL : fake_queue)
#define destroy_workqueue(wq)		step_note((wq) == fake_queue ? 'w' : '?')
#define rpcrdma_deferred_ids_check(owner) \
	((void)(owner), step_note('r'))
#define svc_rdma_conns_init()		step('N')
#define svc_rdma_conns_exit()		step_note('n')
#define svc_rdma_tunables_check()	step_note('K')
#define svc_rdma_ended_init()		step('E')
#define svc_rdma_ended_exit()		step_note('e')
#define svc_rdma_bufs_init()		step('F')
#define svc_rdma_bufs_exit()		step_note('f')
#define svc_rdma_caches_init()		step('M')
#define svc_rdma_caches_exit()		step_note('m')
#define svc_rdma_tuning_init()		step('U')
#define svc_rdma_tuning_exit()		step_note('u')
#define svc_rdma_stashes_init()		step('A')
#define svc_rdma_stashes_exit()		step_note('a')
#define svc_rdma_rpcbind_init()		step('P')
#define svc_rdma_rpcbind_exit()		step_note('p')
#define svc_reg_xprt_class(class)	((void)(class), fake_register())
#define svc_unreg_xprt_class(class)	((void)(class), step_note('x'))
#define svc_rdma_bc_init()		step('C')
#define svc_rdma_bc_exit()		step_note('c')
#define svc_rdma_tunables_init()	step('T')
#define svc_rdma_tunables_exit()	step_note('t')
#define svc_rdma_netlink_init()		step('L')
#define svc_rdma_netlink_exit()		step_note('l')
#define svc_rdma_stats_init()		step_note('S')
#define svc_rdma_stats_exit()		step_note('s')
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

static void loaded(struct kunit *test)
{
	static const struct module_case cases[] = {
		{ 0, -ENOMEM, "" },
		{ 1, -ENOMEM, "Wrw" },
		{ 2, -ENOMEM, "WNKnrw" },
		{ 3, -ENOMEM, "WNKEenrw" },
		{ 4, -ENOMEM, "WNKEFfenrw" },
		{ 5, -ENOMEM, "WNKEFMmfenrw" },
		{ 6, -ENOMEM, "WNKEFMAamfenrw" },
		{ 7, -ENOMEM, "WNKEFMAUuamfenrw" },
		{ 8, -EEXIST, "WNKEFMAUP!puamfenrw" },
		{ 9, -ENOMEM, "WNKEFMAUPXxpuamfenrw" },
		{ 10, -ENOMEM, "WNKEFMAUPXCcxpuamfenrw" },
		{ 11, -ENOMEM, "WNKEFMAUPXCTtcxpuamfenrw" },
		{ 12, 0, "WNKEFMAUPXCTLS" },
	};
	u32 i;

	fake_taken = -EEXIST;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		steps_begin(cases[i].left);
		KUNIT_EXPECT_EQ(test, svc_rdma_module_init(), cases[i].rc);
		KUNIT_EXPECT_STREQ(test, steps.taken, cases[i].taken);
	}
	KUNIT_EXPECT_PTR_EQ(test, svc_rdma_wq, fake_queue);
}

/*
 * Work queued by the last connections is finished before the queues are
 * destroyed.
 */
static void unloaded(struct kunit *test)
{
	svc_rdma_wq = fake_queue;
	steps_begin(0);
	svc_rdma_module_exit();
	KUNIT_EXPECT_STREQ(test, steps.taken, "cxpnwrsltuamfe");
}

static struct kunit_case svc_module_cases[] = {
	KUNIT_CASE(loaded),
	KUNIT_CASE(unloaded),
	{}
};

static struct kunit_suite svc_module_suite = {
	.name = "svc_rdma_module",
	.test_cases = svc_module_cases,
};

kunit_test_suite(svc_module_suite);
