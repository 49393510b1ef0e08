// SPDX-License-Identifier: GPL-2.0-only
/* Runs the suites that are linked to it, and prints KTAP. */
#include <kunit/test.h>

#define MAX_SUITES	16

static struct kunit_suite *suites[MAX_SUITES];
static unsigned int suite_count;

void kunit_register_suite(struct kunit_suite *suite)
{
	if (suite_count == MAX_SUITES)
		abort();
	suites[suite_count++] = suite;
}

void *kunit_kmalloc(struct kunit *test, size_t len, int gfp)
{
	struct kunit_memory *mem = malloc(sizeof(*mem));

	if (!mem)
		return NULL;
	mem->ptr = malloc(len);
	mem->next = test->memory;
	test->memory = mem;
	return mem->ptr;
}

void kunit_kfree(struct kunit *test, const void *ptr)
{
	struct kunit_memory **pos, *mem;

	for (pos = &test->memory; *pos; pos = &(*pos)->next) {
		mem = *pos;
		if (mem->ptr != ptr)
			continue;
		*pos = mem->next;
		free(mem->ptr);
		free(mem);
		return;
	}
	abort();
}

void kunit_fail(struct kunit *test, bool fatal, const char *file, int line,
		const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	printf("    # %s:%d: ", file, line);
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
	test->failed = true;
	if (fatal)
		longjmp(test->abort, 1);
}

void strscpy(char *dst, const char *src, size_t size)
{
	snprintf(dst, size, "%s", src);
}

/* Run a case with one parameter; false if it failed. */
static bool run_one(const struct kunit_case *tc, const void *param,
		    struct kunit *test)
{
	memset(test, 0, sizeof(*test));
	test->param_value = param;
	if (!setjmp(test->abort))
		tc->run_case(test);
	while (test->memory)
		kunit_kfree(test, test->memory->ptr);
	return !test->failed;
}

static void print_result(const char *indent, bool ok, unsigned int n,
			 const char *name)
{
	printf("%s%sok %u %s\n", indent, ok ? "" : "not ", n, name);
}

static bool run_case(const struct kunit_case *tc, unsigned int n)
{
	char desc[KUNIT_PARAM_DESC_SIZE] = "";
	const void *param = NULL;
	unsigned int i = 0;
	struct kunit test;
	bool ok = true;

	if (!tc->generate_params) {
		ok = run_one(tc, NULL, &test);
		print_result("    ", ok, n, tc->name);
		return ok;
	}
	printf("        KTAP version 1\n        # Subtest: %s\n", tc->name);
	while ((param = tc->generate_params(param, desc))) {
		ok &= run_one(tc, param, &test);
		print_result("        ", !test.failed, ++i, desc);
	}
	print_result("    ", ok, n, tc->name);
	return ok;
}

int main(void)
{
	unsigned int i, n;
	bool ok, all = true;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n1..%u\n", suite_count);
	for (i = 0; i < suite_count; i++) {
		const struct kunit_case *tc = suites[i]->test_cases;

		ok = true;
		printf("    KTAP version 1\n    # Subtest: %s\n",
		       suites[i]->name);
		for (n = 0; tc[n].run_case; n++)
			;
		printf("    1..%u\n", n);
		for (n = 0; tc[n].run_case; n++)
			ok &= run_case(&tc[n], n + 1);
		print_result("", ok, i + 1, suites[i]->name);
		all &= ok;
	}
	return !all;
}
