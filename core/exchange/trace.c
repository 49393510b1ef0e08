// SPDX-License-Identifier: GPL-2.0-only
/* The trace points of properties that change. */

#define CREATE_TRACE_POINTS
#include <trace/events/rpcrdma_core.h>
