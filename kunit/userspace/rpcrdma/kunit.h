/* SPDX-License-Identifier: GPL-2.0-only */
/* Declares a function that generates parameters for the runner. */
#define RPCRDMA_GEN_PARAMS(_name)	const void *_name(const void *prev, char *desc)
