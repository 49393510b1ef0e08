/* SPDX-License-Identifier: GPL-2.0-only */
/* Tunables: sysctls of the client and the server. */
#ifndef _RPCRDMA_TUNABLE_H
#define _RPCRDMA_TUNABLE_H

#include <linux/sysctl.h>

/**
 * RPCRDMA_TUNABLE - entry of a table for register_sysctl()
 * @_name: name of the sysctl
 * @_value: variable, an unsigned int
 * @_min: smallest value that can be written; a constant
 * @_max: largest value; a constant
 */
#define RPCRDMA_TUNABLE(_name, _value, _min, _max) {		\
		.procname	= _name,			\
		.data		= &(_value),			\
		.maxlen		= sizeof(unsigned int),		\
		.mode		= 0644,				\
		.proc_handler	= proc_douintvec_minmax,	\
		.extra1		= &(unsigned int){ _min },	\
		.extra2		= &(unsigned int){ _max },	\
	}

#endif /* _RPCRDMA_TUNABLE_H */
