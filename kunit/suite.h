/* SPDX-License-Identifier: GPL-2.0-only */
/* Macros for suites, each of which is a module. */
#ifndef KUNIT_SUITE_H
#define KUNIT_SUITE_H

#include <kunit/test.h>
#include <linux/module.h>

/**
 * SUITE - register a suite, at the end of its file
 * @_name: the suite's name
 * @_cases: array of the suite's cases
 * @...: further members of struct kunit_suite, such as .exit
 */
#define SUITE(_name, _cases, ...)					\
static struct kunit_suite this_suite = {				\
	.name = _name,							\
	.test_cases = _cases,						\
	__VA_ARGS__							\
};									\
kunit_test_suite(this_suite);						\
MODULE_DESCRIPTION("KUnit suite " _name);				\
MODULE_LICENSE("GPL")

/* Iterate over the rows of an array of cases. */
#define for_each_case(c, cases)						\
	for (typeof(&(cases)[0]) (c) = (cases);				\
	     (c) < (cases) + ARRAY_SIZE(cases); (c)++)

#endif
