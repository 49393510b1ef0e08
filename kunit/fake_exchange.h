/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * core/exchange/, for suites that contain a side's part of it: they then build
 * even if the core lacks it. Included before anything is renamed.
 */
#ifndef _RPCRDMA_FAKE_EXCHANGE_H
#define _RPCRDMA_FAKE_EXCHANGE_H

#include <linux/random.h>

#include <rpcrdma/exchange.h>

#include "../core/exchange/exchange.c"
#include "../core/exchange/receive.c"
#include "../core/exchange/tuning.c"

#endif /* _RPCRDMA_FAKE_EXCHANGE_H */
