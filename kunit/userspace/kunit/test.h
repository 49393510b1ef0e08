/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of KUnit that the codec's suites use, for a userspace program: the
 * suites then run under the compiler's sanitizers, without a kernel.
 */
#ifndef _USERSPACE_KUNIT_TEST_H
#define _USERSPACE_KUNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <rpcrdma/platform.h>

#define cpu_to_be32(v)		((__be32)__builtin_bswap32(v))
#define be32_to_cpu(v)		((u32)__builtin_bswap32(v))

#define KUNIT_PARAM_DESC_SIZE	128
#define GFP_KERNEL		0

/* Memory that is freed when the test ends */
struct kunit_memory {
	struct kunit_memory *next;
	void *ptr;
};

struct kunit {
	const void *param_value;
	struct kunit_memory *memory;
	jmp_buf abort;
	bool failed;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char *name;
	struct kunit_case *test_cases;
};

void kunit_register_suite(struct kunit_suite *suite);
void *kunit_kmalloc(struct kunit *test, size_t len, int gfp);
void kunit_kfree(struct kunit *test, const void *ptr);
void kunit_fail(struct kunit *test, bool fatal, const char *file, int line,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void strscpy(char *dst, const char *src, size_t size);

#define KUNIT_CASE(fn)		{ .run_case = fn, .name = #fn }
#define KUNIT_CASE_PARAM(fn, gen) \
	{ .run_case = fn, .name = #fn, .generate_params = gen }

#define KUNIT_ARRAY_PARAM_DESC(name, array, desc_member)		\
static const void *name##_gen_params(const void *prev, char *desc)	\
{									\
	__typeof__(&(array)[0]) next = prev;				\
									\
	next = next ? next + 1 : (array);				\
	if (next >= (array) + ARRAY_SIZE(array))			\
		return NULL;						\
	strscpy(desc, next->desc_member, KUNIT_PARAM_DESC_SIZE);	\
	return next;							\
}

#define kunit_test_suite(suite)						\
static void __attribute__((constructor)) register_##suite(void)	\
{									\
	kunit_register_suite(&(suite));					\
}

#define kunit_info(test, fmt, ...) \
	printf("    # " fmt "\n", ##__VA_ARGS__)

#define KUNIT_BINARY(test, fatal, l, op, r)				\
	do {								\
		__typeof__(l) left_ = (l);				\
		__typeof__(r) right_ = (r);				\
									\
		if (!(left_ op right_))					\
			kunit_fail(test, fatal, __FILE__, __LINE__,	\
				   "%s " #op " %s: %lld, %lld", #l, #r,	\
				   (long long)left_,			\
				   (long long)right_);			\
	} while (0)

#define KUNIT_CHECK(test, fatal, cond, what)				\
	do {								\
		if (!(cond))						\
			kunit_fail(test, fatal, __FILE__, __LINE__,	\
				   "%s", what);				\
	} while (0)

#define KUNIT_EXPECT_EQ(t, l, r)	KUNIT_BINARY(t, false, l, ==, r)
#define KUNIT_EXPECT_LE(t, l, r)	KUNIT_BINARY(t, false, l, <=, r)
#define KUNIT_EXPECT_LT(t, l, r)	KUNIT_BINARY(t, false, l, <, r)
#define KUNIT_EXPECT_GT(t, l, r)	KUNIT_BINARY(t, false, l, >, r)
#define KUNIT_ASSERT_EQ(t, l, r)	KUNIT_BINARY(t, true, l, ==, r)
#define KUNIT_ASSERT_LE(t, l, r)	KUNIT_BINARY(t, true, l, <=, r)
#define KUNIT_ASSERT_GE(t, l, r)	KUNIT_BINARY(t, true, l, >=, r)
#define KUNIT_ASSERT_GT(t, l, r)	KUNIT_BINARY(t, true, l, >, r)

#define KUNIT_EXPECT_TRUE(t, c)		KUNIT_CHECK(t, false, c, #c)
#define KUNIT_EXPECT_FALSE(t, c)	KUNIT_CHECK(t, false, !(c), "!" #c)
#define KUNIT_ASSERT_TRUE(t, c)		KUNIT_CHECK(t, true, c, #c)
#define KUNIT_ASSERT_NOT_NULL(t, p)	KUNIT_CHECK(t, true, p, #p)
#define KUNIT_EXPECT_MEMEQ(t, a, b, n) \
	KUNIT_CHECK(t, false, !memcmp(a, b, n), #a " == " #b)

#endif /* _USERSPACE_KUNIT_TEST_H */
