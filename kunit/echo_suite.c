// SPDX-License-Identifier: GPL-2.0-only
/* The service and the client that all suites of the echo program share. */

#include <linux/sunrpc/xprt.h>

#include "echo.h"

static char *addr = "10.0.0.1";
module_param(addr, charp, 0444);
MODULE_PARM_DESC(addr, "IPv4 address on which an RDMA device can be reached");

struct rpc_clnt *echo_clnt;

int echo_init(struct kunit_suite *suite)
{
	int ret;

	ret = echo_service_start();
	if (ret)
		return ret;
	echo_clnt = echo_connect();
	if (!IS_ERR(echo_clnt))
		return 0;
	echo_service_stop();
	return PTR_ERR(echo_clnt);
}

void echo_exit(struct kunit_suite *suite)
{
	if (!IS_ERR_OR_NULL(echo_clnt))
		rpc_shutdown_client(echo_clnt);
	echo_service_stop();
}

/* Create another client of the service; rpc_shutdown_client() destroys it. */
struct rpc_clnt *echo_connect(void)
{
	return echo_client_create(addr);
}

static void free_call(void *call)
{
	echo_call_free(call);
}

/* Allocate a call that is freed when the test ends. */
struct echo_call *echo_new_call(struct kunit *test, enum echo_proc proc,
				u32 length, bool ddp)
{
	struct echo_call *call = echo_call_alloc(proc, length, ddp);

	KUNIT_ASSERT_NOT_NULL(test, call);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, free_call, call));
	return call;
}

static void echo_stop_callbacks(void *clnt)
{
	echo_callback_stop(clnt);
}

/* Serve callbacks until the test ends. */
void echo_serve_callbacks(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, echo_callback_start(echo_clnt));
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, echo_stop_callbacks,
						  echo_clnt));
}

/* Let the service make @count callbacks, and expect all of them to succeed. */
void echo_callbacks_run(struct kunit *test, enum echo_proc proc, u32 count,
			u32 length)
{
	struct echo_call *call = echo_new_call(test, proc, 0, false);

	call->seed = count;
	call->length = length;
	KUNIT_EXPECT_EQ(test, 0, echo_call_sync(echo_clnt, call));
	KUNIT_EXPECT_EQ_MSG(test, count, call->returned, "length %u", length);
}

unsigned long echo_connections(void)
{
	return echo_xprt(echo_clnt)->stat.connect_count;
}
