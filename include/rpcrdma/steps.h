/* SPDX-License-Identifier: GPL-2.0-only */
/* Initialization steps of a module, which are undone when it is unloaded. */
#ifndef _RPCRDMA_STEPS_H
#define _RPCRDMA_STEPS_H

#include <linux/types.h>

/**
 * struct rpcrdma_step - an initialization step
 * @init: returns 0 or a negative errno
 * @exit: undoes @init
 */
struct rpcrdma_step {
	int (*init)(void);
	void (*exit)(void);
};

int rpcrdma_steps_init(const struct rpcrdma_step *steps, u32 n);
void rpcrdma_steps_exit(const struct rpcrdma_step *steps, u32 n);

#endif /* _RPCRDMA_STEPS_H */
