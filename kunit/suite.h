/* SPDX-License-Identifier: GPL-2.0-only */
/* A suite that is a module by itself. */
#ifndef KUNIT_SUITE_H
#define KUNIT_SUITE_H

#include <kunit/test.h>
#include <linux/module.h>

/**
 * SUITE - the end of a suite's file
 * @_name: the suite's name
 * @_cases: array of its cases
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

/* Each row @c of a table of cases, an array */
#define for_each_case(c, cases)						\
	for (typeof(&(cases)[0]) (c) = (cases);				\
	     (c) < (cases) + ARRAY_SIZE(cases); (c)++)

#endif
