/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The steps of a module's initialization, as letters in the order in which they
 * were taken; undoing one is the same letter in lower case. One of them fails.
 * Included before the module's file.
 */
#ifndef _RPCRDMA_MODULE_STEPS_H
#define _RPCRDMA_MODULE_STEPS_H

#include <kunit/test.h>

/**
 * struct module_steps - what has been done
 * @taken: letters
 * @len: how many
 * @left: steps until one fails
 */
static struct module_steps {
	char taken[32];
	u32 len;
	u32 left;
} steps;

static void step_note(char letter)
{
	if (steps.len < sizeof(steps.taken) - 1)
		steps.taken[steps.len++] = letter;
}

static int step(char letter)
{
	if (!steps.left--)
		return -ENOMEM;
	step_note(letter);
	return 0;
}

static void steps_begin(u32 left)
{
	memset(&steps, 0, sizeof(steps));
	steps.left = left;
}

/**
 * struct module_case - an initialization that fails, or does not
 * @left: steps before the one that fails
 * @rc: what it returns
 * @taken: steps, and those undone
 */
struct module_case {
	u32 left;
	int rc;
	const char *taken;
};

/* The suite calls the functions after the module's initialization. */
#undef __init
#define __init
#undef __exit
#define __exit
#undef module_init
#define module_init(fn)
#undef module_exit
#define module_exit(fn)
#undef MODULE_ALIAS
#define MODULE_ALIAS(name)
/* The module's file has its own. */
#undef pr_fmt

#endif /* _RPCRDMA_MODULE_STEPS_H */
