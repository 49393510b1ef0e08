/* SPDX-License-Identifier: GPL-2.0-only */
/* Mutexes of a file that is tested by itself, as fake_balance.h has spin locks. */
#ifndef _RPCRDMA_FAKE_MUTEX_H
#define _RPCRDMA_FAKE_MUTEX_H

#include <linux/mutex.h>

#include "fake_balance.h"

/* On a kernel without lockdep, the one is the other. */
#undef mutex_lock
#define mutex_lock(l)	({ mutex_lock_nested(l, 0); balance_taken(l, #l); })
#define mutex_unlock(l)	({ if (balance_given(l, #l)) (mutex_unlock)(l); })

#endif /* _RPCRDMA_FAKE_MUTEX_H */
