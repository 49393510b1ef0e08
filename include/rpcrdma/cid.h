/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Completion ids tie the completion of a Work Request to its posting, in trace
 * points.
 */
#ifndef _RPCRDMA_CID_H
#define _RPCRDMA_CID_H

#include <linux/types.h>

struct ib_cqe;

/**
 * rpcrdma_cid - completion id of a Work Request
 * @cqe: wr_cqe of the Work Request
 *
 * It is derived from the address, so nothing has to be stored or counted. Work
 * Requests that are posted at the same time have different ids, except for
 * those that share a completion handler's entry, and for entries whose
 * addresses differ by a multiple of 32 GiB.
 *
 * Context: any.
 * Return: the id, which may be used again once the Work Request has completed.
 */
static inline u32 rpcrdma_cid(const struct ib_cqe *cqe)
{
	return (uintptr_t)cqe >> 3;
}

#endif /* _RPCRDMA_CID_H */
