/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Completion ids. Tracepoints show them to tie the completion of a Work Request
 * to its posting.
 */
#ifndef _RPCRDMA_CID_H
#define _RPCRDMA_CID_H

#include <linux/types.h>

struct ib_cqe;

/**
 * rpcrdma_cid - completion id of a Work Request
 * @cqe: wr_cqe of the Work Request
 *
 * The id is derived from the address of @cqe, so nothing has to be stored or
 * counted. Work Requests that are outstanding at the same time have different
 * ids, unless they share a struct ib_cqe, or the addresses of their struct
 * ib_cqe differ by a multiple of 32 GiB.
 *
 * Context: any.
 * Return: the id, which may be reused once the Work Request has completed.
 */
static inline u32 rpcrdma_cid(const struct ib_cqe *cqe)
{
	return (uintptr_t)cqe >> 3;
}

#endif /* _RPCRDMA_CID_H */
