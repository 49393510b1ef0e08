// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: sysctls and module parameters accept exactly the values that the
 * client can use. Otherwise, an administrator's typing error could break all
 * mounts.
 */
#include <linux/module.h>
#include <linux/sysctl.h>

#include "xprt_fakes.h"

/* The parameters belong to xprtrdma.ko. */
#undef module_param_named
#define module_param_named(name, value, type, perm) \
	static const void *const name##_parameter __maybe_unused = &(value)
#undef module_param_cb
#define module_param_cb(name, ops, value, perm) \
	static const void *const name##_parameter[] __maybe_unused = { ops, value }

#include "fake_sysctl.h"

#include "../xprtrdma/control/tunables.c"
#include "sysctl_cases.h"

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
	{"rdma_max_inline_write", "4294967296", -EINVAL},
	{"rdma_memreg_strategy", "5", 0, 5},
	{"rdma_memreg_strategy", "6", -EINVAL},
	{"rdma_pad_optimize", "1", 0, 1},
	{"rdma_pad_optimize", "2", -EINVAL},
	{"rdma_pad_optimize", "-1", -EINVAL},
	{"rdma_pad_optimize", "yes", -EINVAL},
};

KUNIT_ARRAY_PARAM(sysctl_case, sysctl_cases, sysctl_case_desc);

/* Values out of bounds are refused, and change nothing. */
static void values_bounded(struct kunit *test)
{
	sysctl_case_run(test, tunables, ARRAY_SIZE(tunables));
}

/* Parameters of version 2 have bounds, too. */
static void parameters_bounded(struct kunit *test)
{
	static const struct {
		const struct kernel_param_ops *ops;
		const char *text;
		int ret;
	} sets[] = {
		{ &max_version_ops, "0", -EINVAL },
		{ &max_version_ops, "1", 0 },
		{ &max_version_ops, "2", 0 },
		{ &max_version_ops, "3", -EINVAL },
		{ &receive_size_ops, "4095", -EINVAL },
		{ &receive_size_ops, "4096", 0 },
		{ &receive_size_ops, "65536", 0 },
		{ &receive_size_ops, "65537", -EINVAL },
	};
	unsigned int value;
	struct kernel_param kp = { .arg = &value };
	unsigned int want;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sets); i++) {
		value = 7;
		want = 7;
		KUNIT_EXPECT_EQ(test, sets[i].ops->set(sets[i].text, &kp),
				sets[i].ret);
		if (!sets[i].ret)
			KUNIT_ASSERT_EQ(test, 0, kstrtouint(sets[i].text, 10,
							    &want));
		KUNIT_EXPECT_EQ(test, value, want);
	}
}

/* Modes have names: a typing error changes nothing, and reading gives it back. */
static void modes_named(struct kunit *test)
{
	static const struct {
		const char *text;
		int ret;
		unsigned int mode;
		const char *shown;
	} cases[] = {
		{ "off", 0, XPRT_RDMA_NEGOTIATE_OFF, "off\n" },
		{ "hint\n", 0, XPRT_RDMA_NEGOTIATE_HINT, "hint\n" },
		{ "probe", 0, XPRT_RDMA_NEGOTIATE_PROBE, "probe\n" },
		{ "", -EINVAL, XPRT_RDMA_NEGOTIATE_PROBE, "probe\n" },
		{ "hints", -EINVAL, XPRT_RDMA_NEGOTIATE_PROBE, "probe\n" },
		{ "hin", -EINVAL, XPRT_RDMA_NEGOTIATE_PROBE, "probe\n" },
		{ "1", -EINVAL, XPRT_RDMA_NEGOTIATE_PROBE, "probe\n" },
	};
	unsigned int value = XPRT_RDMA_NEGOTIATE_PROBE;
	struct kernel_param kp = { .arg = &value };
	char *page;
	u32 i;

	/* sysfs_emit() wants a whole page. */
	page = (char *)__get_free_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, xprt_rdma_negotiate, XPRT_RDMA_NEGOTIATE_PROBE);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ(test, negotiate_ops.set(cases[i].text, &kp),
				cases[i].ret);
		KUNIT_EXPECT_EQ(test, value, cases[i].mode);
		KUNIT_EXPECT_EQ(test, negotiate_ops.get(page, &kp),
				strlen(cases[i].shown));
		KUNIT_EXPECT_STREQ(test, page, cases[i].shown);
	}
	KUNIT_EXPECT_EQ(test, xprt_rdma_completion_workqueue,
			XPRT_RDMA_COMPLETION_UNBOUND);
	KUNIT_EXPECT_EQ(test, completion_ops.set("bound\n", &kp), 0);
	KUNIT_EXPECT_EQ(test, completion_ops.get(page, &kp), 6);
	KUNIT_EXPECT_STREQ(test, page, "bound\n");
	KUNIT_EXPECT_EQ(test, completion_ops.set("unbound", &kp), 0);
	KUNIT_EXPECT_EQ(test, value, XPRT_RDMA_COMPLETION_UNBOUND);
	KUNIT_EXPECT_EQ(test, completion_ops.set("probe", &kp), -EINVAL);
	KUNIT_EXPECT_EQ(test, completion_ops.get(page, &kp), 8);
	KUNIT_EXPECT_STREQ(test, page, "unbound\n");
	free_page((unsigned long)page);
}

/* The sysctls are registered and unregistered. */
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
	KUNIT_CASE(parameters_bounded),
	KUNIT_CASE(modes_named),
	KUNIT_CASE(sysctls_registered),
	{}
};

static struct kunit_suite xprt_tunables_suite = {
	.name = "xprt_rdma_tunables",
	.test_cases = xprt_tunables_cases,
};

kunit_test_suite(xprt_tunables_suite);

MODULE_DESCRIPTION("KUnit suite of xprtrdma's sysctls");
MODULE_LICENSE("GPL");
