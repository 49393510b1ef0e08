// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: sysctls and module parameters accept exactly the values that the
 * client can use. Otherwise, a typing error could break all mounts.
 */
#include <linux/sysctl.h>

#include "xprt_fakes.h"

/* Do not register parameters; they belong to xprtrdma.ko. */
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
	{ "rdma_slot_table_entries", 4, 16384 },
	{ "rdma_max_inline_read", 1024, 65536 },
	{ "rdma_max_inline_write", 1024, 65536 },
	{ "rdma_memreg_strategy", 5, 5 },
	{ "rdma_pad_optimize", 0, 1 },
#ifdef RPCRDMA_EXT_MSGP
	{ "rdma_inline_write_padding", 0, 1024 },
#endif
};

KUNIT_ARRAY_PARAM_DESC(sysctl_case, sysctl_cases, name);

/* Sysctl values out of bounds are refused and change nothing. */
static void values_bounded(struct kunit *test)
{
	sysctl_case_run(test, tunables, ARRAY_SIZE(tunables));
}

#define PARAM(_name)	&xprt_rdma_ops_##_name, &xprt_rdma_##_name

/* Module parameters refuse values out of bounds. */
static void parameters_checked(struct kunit *test)
{
	static const struct {
		const struct kernel_param_ops *ops;
		unsigned int *value, least, most;
	} cases[] = {
		{ PARAM(ack_timeout), 0, 31 },
		{ PARAM(service_type), 0, 255 },
		{ PARAM(max_version), RPCRDMA_VERSION_1, RPCRDMA_VERSION_2 },
		{ PARAM(receive_buffer_size), 4096, 65536 },
	};
	struct kernel_param kp = {};
	char text[16], *page;
	u32 i;

	/* get() expects a buffer of one page. */
	page = (char *)__get_free_page(GFP_KERNEL | __GFP_NOFAIL);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_negotiate);
	for_each_case(c, cases) {
		const unsigned int values[] = { c->most, c->most + 1, c->least, c->least - 1 };

		kp.arg = c->value;
		for (i = 0; i < ARRAY_SIZE(values); i++) {
			snprintf(text, sizeof(text), "%d\n", (int)values[i]);
			KUNIT_EXPECT_EQ(test, c->ops->set(text, &kp), i & 1 ? -EINVAL : 0);
			KUNIT_EXPECT_EQ(test, *c->value, values[i & 2]);
			snprintf(text, sizeof(text), "%u\n", values[i & 2]);
			KUNIT_EXPECT_EQ(test, c->ops->get(page, &kp), strlen(text));
			KUNIT_EXPECT_STREQ(test, page, text);
		}
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
