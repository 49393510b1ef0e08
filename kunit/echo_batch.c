// SPDX-License-Identifier: GPL-2.0-only
/* Batches: calls of the echo program that are made at the same time. */

#include "echo.h"

static void echo_member_done(struct rpc_task *task, void *data)
{
	struct echo_member *member = data;

	if (task->tk_status < 0)
		atomic_inc(&member->batch->failed);
	else if (!echo_call_good(member->call))
		atomic_inc(&member->batch->wrong);
}

static void echo_member_release(void *data)
{
	struct echo_batch *batch = ((struct echo_member *)data)->batch;

	if (atomic_dec_and_test(&batch->left))
		complete(&batch->done);
}

static const struct rpc_call_ops echo_member_ops = {
	.rpc_call_done	= echo_member_done,
	.rpc_release	= echo_member_release,
};

/* Create a batch of @count calls from @new_call, freed when the test ends. */
struct echo_batch *
echo_batch_create(struct kunit *test, u32 count,
		  struct echo_call *(*new_call)(struct kunit *test, u32 i))
{
	struct echo_batch *batch;
	u32 i;

	batch = kunit_kzalloc(test, struct_size(batch, members, count),
			      GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, batch);
	batch->count = count;
	for (i = 0; i < count; i++) {
		batch->members[i].batch = batch;
		batch->members[i].clnt = echo_clnt;
		batch->members[i].call = new_call(test, i);
	}
	return batch;
}

/* Start all calls. The batch accumulates the numbers of failed and wrong calls. */
void echo_batch_start(struct echo_batch *batch)
{
	u32 i;

	init_completion(&batch->done);
	atomic_set(&batch->left, batch->count);
	for (i = 0; i < batch->count; i++)
		echo_call_async(batch->members[i].clnt, batch->members[i].call,
				&echo_member_ops, &batch->members[i]);
}

/* Waits without a time limit, because the test frees the memory of the calls. */
void echo_batch_wait(struct echo_batch *batch)
{
	wait_for_completion(&batch->done);
}

/* Expect all calls to succeed. */
void echo_batch_finish(struct kunit *test, struct echo_batch *batch)
{
	echo_batch_wait(batch);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&batch->failed));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&batch->wrong));
}

/* Fill the memory of all calls, which must have completed. */
void echo_batch_set_canary(struct echo_batch *batch)
{
	const struct echo_call *call;
	u32 i, page;

	for (i = 0; i < batch->count; i++) {
		call = batch->members[i].call;
		for (page = 0; page < call->npages; page++)
			memset(page_address(call->pages[page]), ECHO_CANARY, PAGE_SIZE);
	}
}

/* True if nothing was written since echo_batch_set_canary(). */
bool echo_batch_untouched(const struct echo_batch *batch)
{
	const struct echo_call *call;
	u32 i, page;

	for (i = 0; i < batch->count; i++) {
		call = batch->members[i].call;
		for (page = 0; page < call->npages; page++)
			if (memchr_inv(page_address(call->pages[page]), ECHO_CANARY,
				       PAGE_SIZE))
				return false;
	}
	return true;
}
