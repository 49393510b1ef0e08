// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the sysctl of padding accepts exactly the alignments that the client
 * can use. Otherwise, an administrator's typing error could break writes.
 */
#include <linux/module.h>
#include <linux/sysctl.h>

#include "xprt_fakes.h"

#define xprt_rdma_nfs_is_v3_proc(task, proc)	((void)(task), false)
#define xprt_rdma_send_add_sge(conn, req, addr, len) ((void)(req), (void)(len))
#define xprt_rdma_send_gather_pages(conn, req)	((void)(req), 0)

#include "fake_sysctl.h"

#include "../xprtrdma/ext/msgp.c"
#include "sysctl_cases.h"

static const struct sysctl_case sysctl_cases[] = {
	{"rdma_inline_write_padding", "0", 0, 0},
	{"rdma_inline_write_padding", "512", 0, 512},
	{"rdma_inline_write_padding", "1024", 0, 1024},
	{"rdma_inline_write_padding", "1025", -EINVAL},
	{"rdma_inline_write_padding", "-1", -EINVAL},
};

KUNIT_ARRAY_PARAM(sysctl_case, sysctl_cases, sysctl_case_desc);

/* Values out of bounds are refused, and change nothing. */
static void alignment_bounded(struct kunit *test)
{
	sysctl_case_run(test, msgp_tunables, ARRAY_SIZE(msgp_tunables));
}

/* The sysctl exists from loading to unloading. */
static void registered(struct kunit *test)
{
	fake_no_memory = true;
	KUNIT_EXPECT_EQ(test, xprt_rdma_msgp_init(), -ENOMEM);
	fake_no_memory = false;
	KUNIT_ASSERT_EQ(test, xprt_rdma_msgp_init(), 0);
	xprt_rdma_msgp_exit();
}

static struct kunit_case xprt_msgp_cases[] = {
	KUNIT_CASE_PARAM(alignment_bounded, sysctl_case_gen_params),
	KUNIT_CASE(registered),
	{}
};

static struct kunit_suite xprt_msgp_suite = {
	.name = "xprt_rdma_msgp",
	.test_cases = xprt_msgp_cases,
};

kunit_test_suite(xprt_msgp_suite);

MODULE_DESCRIPTION("KUnit suite of xprtrdma's padded messages");
MODULE_LICENSE("GPL");
