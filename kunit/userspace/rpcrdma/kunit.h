/* SPDX-License-Identifier: GPL-2.0-only */
/* The head of a function that returns parameters, as the runner calls it */
#define RPCRDMA_GEN_PARAMS(_name)	const void *_name(const void *prev, char *desc)
