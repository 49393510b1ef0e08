/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The extensions. Each can be left out of a build (EXT of scripts/build), where
 * a header that Kbuild writes undefines it. Kbuild and scripts/build read this
 * list.
 */
#ifndef _RPCRDMA_EXTENSIONS_H
#define _RPCRDMA_EXTENSIONS_H

#define RPCRDMA_EXT_CONF
#define RPCRDMA_EXT_MSGP
#define RPCRDMA_EXT_PROPERTIES
#define RPCRDMA_EXT_PULLED
#define RPCRDMA_EXT_RPCBIND

/* sparse does not know it. */
#ifdef __has_include
#if __has_include("rpcrdma_left_out.h")
#include "rpcrdma_left_out.h"
#endif
#endif

#endif /* _RPCRDMA_EXTENSIONS_H */
