// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a Read over soft-RoCE whose data has not arrived in full is recognized,
 * and one whose data has arrived is not suspected. If this failed, data that was
 * never received would be written to files, or connections would end for no
 * reason.
 */
#include <kunit/test.h>
#include <linux/module.h>

#include <rpcrdma/rw_confirm.h>

#define MTU		4096u
#define RANGES		2u
#define LONGEST		(2u * MTU + 300u)
#define REMOTE		0xabcdef0012345678ull
#define HANDLE		0xc0f1u

/**
 * struct read - a Read, and its chain
 * @set: Reads and Writes of the connection
 * @confirm: under test
 * @wr: the Read
 * @sges: its memory
 * @data: bytes of that memory
 * @source: what they are to be
 */
struct read {
	struct rpcrdma_rw_set set;
	struct rpcrdma_rw_confirm confirm;
	struct ib_rdma_wr wr;
	struct ib_sge sges[RANGES];
	u8 data[LONGEST];
	u8 source[LONGEST];
};

/* A Read of @length bytes, @tail of which are in a range of their own */
static struct read *create(struct kunit *test, bool confirm, u32 length,
			   u32 tail)
{
	struct read *read = kunit_kzalloc(test, sizeof(*read), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, read);
	rpcrdma_rw_set_init(&read->set, NULL);
	read->set.confirm = confirm;
	get_random_bytes(read->source, length);
	read->wr.wr.opcode = IB_WR_RDMA_READ;
	read->wr.wr.sg_list = read->sges;
	read->wr.wr.num_sge = tail ? 2 : 1;
	read->wr.remote_addr = REMOTE;
	read->wr.rkey = HANDLE;
	read->sges[0].addr = (uintptr_t)read->data;
	read->sges[0].length = length - tail;
	read->sges[1].addr = (uintptr_t)read->data + length - tail;
	read->sges[1].length = tail;
	return read;
}

static struct ib_send_wr *begin(struct read *read)
{
	return rpcrdma_rw_confirm_begin(&read->set, &read->confirm,
					&read->wr.wr);
}

/* Lengths of a Read, of its last range, and whether a mark has room */
static const struct length_case {
	const char *name;
	u32 length, tail;
	bool marked;
} length_cases[] = {
	{ "one byte", 1, 0, false },
	{ "a byte less than a mark", 7, 0, false },
	{ "a mark", 8, 0, true },
	{ "a response", 256, 0, true },
	{ "a byte in the next response", 257, 0, false },
	{ "seven bytes in it", 263, 0, false },
	{ "eight bytes in it", 264, 0, true },
	{ "two responses", 512, 0, true },
	{ "a page", 4096, 0, true },
	{ "an odd length", 4096 + 3, 0, false },
	{ "an odd length, long enough", 4096 + 11, 0, true },
	{ "two pages", 8192, 4096, true },
	{ "a few bytes in the last range", 4096, 7, false },
	{ "enough in the last range", 4096, 8, true },
	{ "enough in the range, not in the response", 4096 + 5, 1029, false },
	{ "the longest", LONGEST, 300, true },
};

KUNIT_ARRAY_PARAM_DESC(length_case, length_cases, name);

/* The data arrives, in full. Nothing outside the Read is changed. */
static void arrives(struct kunit *test)
{
	const struct length_case *c = test->param_value;
	struct read *read = create(test, true, c->length, c->tail);
	struct ib_send_wr *end = begin(read);

	KUNIT_EXPECT_EQ(test, end == &read->wr.wr, c->marked);
	KUNIT_EXPECT_EQ(test, rpcrdma_rw_confirmed(&read->confirm), !c->marked);
	memcpy(read->data, read->source, c->length);
	KUNIT_EXPECT_TRUE(test, rpcrdma_rw_confirmed(&read->confirm));
	KUNIT_EXPECT_EQ(test, 0, memcmp(read->data, read->source,
					sizeof(read->data)));
}

/*
 * Every response but the last arrives, whatever the path MTU. The mark is still
 * there, or a Write would have been flushed.
 */
static void last_is_missing(struct kunit *test)
{
	const struct length_case *c = test->param_value;
	struct read *read;
	u32 mtu, last;

	for (mtu = 256; mtu <= MTU; mtu *= 2) {
		read = create(test, true, c->length, c->tail);
		if (begin(read) != &read->wr.wr) {
			KUNIT_EXPECT_FALSE(test, c->marked);
			return;
		}
		last = (c->length - 1) % mtu + 1;
		memcpy(read->data, read->source, c->length - last);
		KUNIT_EXPECT_FALSE(test, rpcrdma_rw_confirmed(&read->confirm));
	}
}

/* The Write moves nothing, and its owner has to signal it. */
static void write_of_nothing(struct kunit *test)
{
	struct read *read = create(test, true, 257, 0);
	struct ib_send_wr *end;

	memset(&read->confirm, 0xa7, sizeof(read->confirm));
	read->wr.wr.send_flags = IB_SEND_SIGNALED;
	end = begin(read);
	KUNIT_ASSERT_PTR_EQ(test, end, &read->confirm.write.wr);
	KUNIT_EXPECT_EQ(test, end->opcode, IB_WR_RDMA_WRITE);
	KUNIT_EXPECT_EQ(test, end->num_sge, 0);
	KUNIT_EXPECT_NULL(test, end->next);
	KUNIT_EXPECT_NULL(test, end->wr_cqe);
	KUNIT_EXPECT_EQ(test, end->send_flags, 0);
	KUNIT_EXPECT_PTR_EQ(test, read->wr.wr.next, end);
	KUNIT_EXPECT_EQ(test, read->wr.wr.send_flags, 0);
	KUNIT_EXPECT_EQ(test, read->confirm.write.remote_addr, REMOTE);
	KUNIT_EXPECT_EQ(test, read->confirm.write.rkey, HANDLE);
	KUNIT_EXPECT_TRUE(test, rpcrdma_rw_confirmed(&read->confirm));
}

/* Data that equals one mark is not taken for the next. */
static void marks_differ(struct kunit *test)
{
	struct read *read = create(test, true, 64, 0);

	KUNIT_ASSERT_PTR_EQ(test, begin(read), &read->wr.wr);
	memcpy(read->source, read->data, 64);
	KUNIT_ASSERT_PTR_EQ(test, begin(read), &read->wr.wr);
	KUNIT_EXPECT_FALSE(test, rpcrdma_rw_confirmed(&read->confirm));
	memcpy(read->data, read->source, 64);
	KUNIT_EXPECT_TRUE(test, rpcrdma_rw_confirmed(&read->confirm));
	/* Those of two connections are not in step either. */
	KUNIT_EXPECT_NE(test, create(test, true, 64, 0)->set.mark,
			create(test, true, 64, 0)->set.mark);
}

/* On other devices, memory is not touched: its addresses mean nothing to us. */
static void others(struct kunit *test)
{
	struct read *read = create(test, false, 4096, 0);

	memset(&read->confirm, 0xa7, sizeof(read->confirm));
	read->sges[0].addr = 1;
	KUNIT_EXPECT_PTR_EQ(test, begin(read), &read->wr.wr);
	KUNIT_EXPECT_TRUE(test, rpcrdma_rw_confirmed(&read->confirm));
}

static struct kunit_case rw_confirm_cases[] = {
	KUNIT_CASE_PARAM(arrives, length_case_gen_params),
	KUNIT_CASE_PARAM(last_is_missing, length_case_gen_params),
	KUNIT_CASE(write_of_nothing),
	KUNIT_CASE(marks_differ),
	KUNIT_CASE(others),
	{}
};

static struct kunit_suite rw_confirm_suite = {
	.name = "rpcrdma_rw_confirm",
	.test_cases = rw_confirm_cases,
};

kunit_test_suite(rw_confirm_suite);

MODULE_DESCRIPTION("KUnit suite of the confirmation of RDMA Reads");
MODULE_LICENSE("GPL");
