/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The extensions, each of which can be left out of a build (EXT of
 * scripts/build). A header that Kbuild generates undefines those that are left
 * out. Kbuild and scripts/build parse this list.
 */
#ifndef _RPCRDMA_EXTENSIONS_H
#define _RPCRDMA_EXTENSIONS_H

#define RPCRDMA_EXT_CONF 1
#define RPCRDMA_EXT_MSGP 1
#define RPCRDMA_EXT_PROPERTIES 1
#define RPCRDMA_EXT_PULLED 1
#define RPCRDMA_EXT_RPCBIND 1

/* sparse does not know __has_include. */
#ifdef __has_include
#if __has_include("rpcrdma_left_out.h")
#include "rpcrdma_left_out.h"
#endif
#endif

/*
 * Declares a function of an extension. Without the extension, the function only
 * returns @value.
 */
#define RPCRDMA_EXTENSION(name, function, value)			\
	__PASTE(RPCRDMA_EXTENSION_, __is_defined(RPCRDMA_EXT_##name))	\
	(function, value)
#define RPCRDMA_EXTENSION_VOID(name, function)				\
	RPCRDMA_EXTENSION(name, function, /* nothing */)
#define RPCRDMA_EXTENSION_1(function, ...)	function
#define RPCRDMA_EXTENSION_0(function, value)				\
	static inline function { return value; }

#endif /* _RPCRDMA_EXTENSIONS_H */
