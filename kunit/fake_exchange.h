/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contains core/exchange/, for suites of the files that use it. These suites
 * build even if the core lacks it. Include this file before anything is
 * renamed.
 */
#ifndef _RPCRDMA_FAKE_EXCHANGE_H
#define _RPCRDMA_FAKE_EXCHANGE_H

#include <linux/random.h>

#include <rpcrdma/exchange.h>

static struct exchange_work {
	u32 kicks;	/* requests to run it immediately */
	unsigned long delay;	/* jiffies until it runs again */
} exchange_work;

#undef mod_delayed_work
#undef queue_delayed_work
#undef disable_delayed_work_sync
#define mod_delayed_work(wq, work, after) \
	((void)(work), (void)(after), (void)exchange_work.kicks++)
#define queue_delayed_work(wq, work, after) \
	((void)(work), (void)(exchange_work.delay = (after)))
#define disable_delayed_work_sync(work)	((void)(work))

#include "../core/exchange/exchange.c"
#include "../core/exchange/receive.c"
#include "../core/exchange/tuning.c"

#endif /* _RPCRDMA_FAKE_EXCHANGE_H */
