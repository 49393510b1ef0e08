// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: sysctls and module parameters accept exactly the values that the
 * client can use. Otherwise, an administrator's typing error could break all
 * mounts.
 */
#include <linux/sysctl.h>

#include "xprt_fakes.h"

/* The parameters belong to xprtrdma.ko. */
#undef module_param_named
#define module_param_named(name, value, type, perm) \
	static const void *const name##_parameter __maybe_unused = &(value)
#undef module_param_cb
#define module_param_cb(name, ops, value, perm) \
	static const void *const name##_parameter[] __maybe_unused = { ops, value }

#include "sysctl_cases.h"

#include "../xprtrdma/control/tunables.c"
#ifdef RPCRDMA_EXT_MSGP
#define xprt_rdma_nfs_is_v3_proc(task, proc)	((void)(task), false)
#define xprt_rdma_send_add_sge(conn, req, addr, len) ((void)(req), (void)(len))
#define xprt_rdma_send_gather_pages(conn, req)	((void)(req), 0)
#define xprt_rdma_send_pages_ok(conn, xdr)	((void)(conn), (void)(xdr), true)
#include "../xprtrdma/ext/msgp.c"
#endif

static const struct sysctl_case sysctl_cases[] = {
	{"rdma_slot_table_entries", "4", 0, 4},
	{"rdma_slot_table_entries", "3", -EINVAL},
	{"rdma_slot_table_entries", "16384", 0, 16384},
	{"rdma_slot_table_entries", "16385", -EINVAL},
	{"rdma_max_inline_read", "1024", 0, 1024},
	{"rdma_max_inline_read", "1023", -EINVAL},
	{"rdma_max_inline_read", "65536", 0, 65536},
	{"rdma_max_inline_read", "65537", -EINVAL},
	{"rdma_max_inline_write", "1024", 0, 1024},
	{"rdma_max_inline_write", "1023", -EINVAL},
	{"rdma_max_inline_write", "65536", 0, 65536},
	{"rdma_max_inline_write", "65537", -EINVAL},
	{"rdma_memreg_strategy", "5", 0, 5},
	{"rdma_memreg_strategy", "6", -EINVAL},
	{"rdma_pad_optimize", "1", 0, 1},
	{"rdma_pad_optimize", "2", -EINVAL},
#ifdef RPCRDMA_EXT_MSGP
	{"rdma_inline_write_padding", "0", 0, 0},
	{"rdma_inline_write_padding", "1024", 0, 1024},
	{"rdma_inline_write_padding", "1025", -EINVAL},
#endif
};

KUNIT_ARRAY_PARAM(sysctl_case, sysctl_cases, sysctl_case_desc);

/* Values out of bounds are refused, and change nothing. */
static void values_bounded(struct kunit *test)
{
	const struct ctl_table *table = tunables;
	u32 n = ARRAY_SIZE(tunables);

#ifdef RPCRDMA_EXT_MSGP
	const struct sysctl_case *c = test->param_value;

	if (!strcmp(c->name, msgp_tunables[0].procname)) {
		table = msgp_tunables;
		n = ARRAY_SIZE(msgp_tunables);
	}
#endif
	sysctl_case_run(test, table, n);
}

/*
 * Module parameters have bounds, and modes have names: a typing error changes nothing,
 * and reading gives the value back.
 */
static void parameters_checked(struct kunit *test)
{
	static const struct {
		struct xprt_rdma_param *param;
		const char *text;
		int ret;
		unsigned int mode;
		const char *shown;
	} cases[] = {
		{ &negotiate_param, "off", 0, XPRT_RDMA_NEGOTIATE_OFF, "off\n" },
		{ &negotiate_param, "hint\n", 0, XPRT_RDMA_NEGOTIATE_HINT,
		  "hint\n" },
		{ &negotiate_param, "probe", 0, XPRT_RDMA_NEGOTIATE_PROBE,
		  "probe\n" },
		{ &negotiate_param, "1", -EINVAL, XPRT_RDMA_NEGOTIATE_PROBE,
		  "probe\n" },
		{ &completion_workqueue_param, "bound\n", 0,
		  XPRT_RDMA_COMPLETION_BOUND, "bound\n" },
		{ &completion_workqueue_param, "unbound", 0,
		  XPRT_RDMA_COMPLETION_UNBOUND, "unbound\n" },
		{ &completion_workqueue_param, "probe", -EINVAL,
		  XPRT_RDMA_COMPLETION_UNBOUND, "unbound\n" },
		{ &ack_timeout_param, "31", 0, 31, "31\n" },
		{ &ack_timeout_param, "32", -EINVAL, 31, "31\n" },
		{ &ack_timeout_param, "0", 0, 0, "0\n" },
		{ &service_type_param, "255", 0, 255, "255\n" },
		{ &service_type_param, "256", -EINVAL, 255, "255\n" },
		{ &service_type_param, "0", 0, 0, "0\n" },
		{ &max_version_param, "1", 0, RPCRDMA_VERSION_1, "1\n" },
		{ &max_version_param, "0", -EINVAL, RPCRDMA_VERSION_1, "1\n" },
		{ &max_version_param, "2\n", 0, RPCRDMA_VERSION_2, "2\n" },
		{ &max_version_param, "3", -EINVAL, RPCRDMA_VERSION_2, "2\n" },
		{ &receive_buffer_size_param, "4096", 0, 4096, "4096\n" },
		{ &receive_buffer_size_param, "4095", -EINVAL, 4096, "4096\n" },
		{ &receive_buffer_size_param, "65536", 0, 65536, "65536\n" },
		{ &receive_buffer_size_param, "65537", -EINVAL, 65536, "65536\n" },
	};
	struct kernel_param kp = {};
	char *page;
	u32 i;

	/* sysfs_emit() wants a whole page. */
	page = (char *)__get_free_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, xprt_rdma_negotiate, XPRT_RDMA_NEGOTIATE_PROBE);
	KUNIT_EXPECT_EQ(test, xprt_rdma_completion_workqueue,
			XPRT_RDMA_COMPLETION_UNBOUND);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		kp.arg = cases[i].param;
		KUNIT_EXPECT_EQ(test, xprt_rdma_param_set(cases[i].text, &kp),
				cases[i].ret);
		KUNIT_EXPECT_EQ(test, *cases[i].param->value, cases[i].mode);
		KUNIT_EXPECT_EQ(test, xprt_rdma_param_get(page, &kp),
				strlen(cases[i].shown));
		KUNIT_EXPECT_STREQ(test, page, cases[i].shown);
	}
	free_page((unsigned long)page);
}

static void sysctls_registered(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, xprt_rdma_tunables_register(), 0);
	KUNIT_EXPECT_NOT_NULL(test, header);
	xprt_rdma_tunables_unregister();
	fake_no_memory = true;
	KUNIT_EXPECT_EQ(test, xprt_rdma_tunables_register(), -ENOMEM);
#ifdef RPCRDMA_EXT_MSGP
	KUNIT_EXPECT_EQ(test, xprt_rdma_msgp_init(), -ENOMEM);
#endif
	fake_no_memory = false;
#ifdef RPCRDMA_EXT_MSGP
	KUNIT_ASSERT_EQ(test, xprt_rdma_msgp_init(), 0);
	xprt_rdma_msgp_exit();
#endif
}

static struct kunit_case xprt_tunables_cases[] = {
	KUNIT_CASE_PARAM(values_bounded, sysctl_case_gen_params),
	KUNIT_CASE(parameters_checked),
	KUNIT_CASE(sysctls_registered),
	{}
};

SUITE("xprt_rdma_tunables", xprt_tunables_cases);
