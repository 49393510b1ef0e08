/* SPDX-License-Identifier: GPL-2.0-only */
/* The credit grant of a connection (message/credit.c). */
#ifndef _SVC_RDMA_CREDITS_H
#define _SVC_RDMA_CREDITS_H

#include <linux/spinlock.h>

/**
 * struct svc_rdma_credits - the credit grant
 * @grant: credits granted
 * @max: limit of @grant
 * @lock: protects the members below
 * @calls: calls received in the current period
 * @start: jiffies when the period began
 * @growing: bit 0 is set while a thread adds Receive contexts; only this thread
 *	changes their number and @grant
 */
struct svc_rdma_credits {
	u32 grant;
	u32 max;
	spinlock_t lock;
	u32 calls;
	unsigned long start;
	unsigned long growing;
};

#endif /* _SVC_RDMA_CREDITS_H */
