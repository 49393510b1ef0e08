/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records the steps of a module's initialization as letters, in order. Undoing
 * a step is recorded as its letter in lower case. A test selects the step that
 * fails. Include this header before the module's file.
 */
#ifndef _RPCRDMA_MODULE_STEPS_H
#define _RPCRDMA_MODULE_STEPS_H

#include "suite.h"

static struct module_steps {
	char taken[32];	/* their letters */
	u32 len;	/* number of letters */
	u32 left;	/* number of steps that will succeed */
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

/* Define functions that take a step, recorded as @up, and undo it, recorded as @down. */
#define MODULE_STEP(up, down)						\
	static int step_##up(void) { return step(#up[0]); }		\
	static void step_##down(void) { step_note(#down[0]); }

/* An initialization and its outcome */
struct module_case {
	u32 left;	/* number of steps that succeed */
	int rc;	/* expected return value */
	const char *taken;	/* letters of the steps taken and undone */
};

/* The suite calls these functions after initialization memory has been freed. */
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
/* The module's file defines its own pr_fmt. */
#undef pr_fmt

#endif /* _RPCRDMA_MODULE_STEPS_H */
