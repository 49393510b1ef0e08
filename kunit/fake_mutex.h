/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks mutexes of the file under test, as fake_balance.h checks spin locks. */
#ifndef _RPCRDMA_FAKE_MUTEX_H
#define _RPCRDMA_FAKE_MUTEX_H

#include <linux/mutex.h>

#include "fake_balance.h"

/* Without lockdep, mutex_lock_nested() is a macro for mutex_lock(). */
#undef mutex_lock
#define mutex_lock(l)	({ mutex_lock_nested(l, 0); balance_taken(l, #l); })
#define mutex_unlock(l)	({ if (balance_given(l, #l)) (mutex_unlock)(l); })

#endif /* _RPCRDMA_FAKE_MUTEX_H */
