/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that the files of this folder share. */
#ifndef _RPCRDMA_CORE_EXCHANGE_H
#define _RPCRDMA_CORE_EXCHANGE_H

#include <rpcrdma/exchange.h>

/* tuning.c */
bool rpcrdma_tuning_charge_locked(struct rpcrdma_exchange *x, u32 size);
void rpcrdma_tuning_wait_locked(struct rpcrdma_exchange *x, u32 intervals,
				unsigned long now);
u32 rpcrdma_tuning_ask_locked(struct rpcrdma_exchange *x, unsigned long now);

static inline struct rpcrdma_answer *
rpcrdma_exchange_answer(struct rpcrdma_exchange *x, u32 nr)
{
	return &x->answers[nr % RPCRDMA_EXCHANGE_ANSWERS];
}

#endif /* _RPCRDMA_CORE_EXCHANGE_H */
