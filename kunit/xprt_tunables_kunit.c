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
	sysctl_case_run(test, tunables, ARRAY_SIZE(tunables));
}

#define PARAM(_name)	&xprt_rdma_ops_##_name, &xprt_rdma_##_name

/* Module parameters have bounds: a typing error changes nothing. */
static void parameters_checked(struct kunit *test)
{
	static const struct {
		const struct kernel_param_ops *ops;
		unsigned int *value;
		const char *text;
		int ret;
		unsigned int mode;
		const char *shown;
	} cases[] = {
		{ PARAM(ack_timeout), "31", 0, 31, "31\n" },
		{ PARAM(ack_timeout), "32", -EINVAL, 31, "31\n" },
		{ PARAM(ack_timeout), "0", 0, 0, "0\n" },
		{ PARAM(service_type), "255", 0, 255, "255\n" },
		{ PARAM(service_type), "256", -EINVAL, 255, "255\n" },
		{ PARAM(service_type), "0", 0, 0, "0\n" },
		{ PARAM(max_version), "1", 0, RPCRDMA_VERSION_1, "1\n" },
		{ PARAM(max_version), "0", -EINVAL, RPCRDMA_VERSION_1, "1\n" },
		{ PARAM(max_version), "2\n", 0, RPCRDMA_VERSION_2, "2\n" },
		{ PARAM(max_version), "3", -EINVAL, RPCRDMA_VERSION_2, "2\n" },
		{ PARAM(receive_buffer_size), "4096", 0, 4096, "4096\n" },
		{ PARAM(receive_buffer_size), "4095", -EINVAL, 4096, "4096\n" },
		{ PARAM(receive_buffer_size), "65536", 0, 65536, "65536\n" },
		{ PARAM(receive_buffer_size), "65537", -EINVAL, 65536, "65536\n" },
	};
	struct kernel_param kp = {};
	char *page;

	/* The length of a page is assumed. */
	page = (char *)__get_free_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_negotiate);
	for_each_case(c, cases) {
		kp.arg = c->value;
		KUNIT_EXPECT_EQ(test, c->ops->set(c->text, &kp), c->ret);
		KUNIT_EXPECT_EQ(test, *c->value, c->mode);
		KUNIT_EXPECT_EQ(test, c->ops->get(page, &kp), strlen(c->shown));
		KUNIT_EXPECT_STREQ(test, page, c->shown);
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
	fake_no_memory = false;
}

static struct kunit_case xprt_tunables_cases[] = {
	KUNIT_CASE_PARAM(values_bounded, sysctl_case_gen_params),
	KUNIT_CASE(parameters_checked),
	KUNIT_CASE(sysctls_registered),
	{}
};

SUITE("xprt_rdma_tunables", xprt_tunables_cases);
