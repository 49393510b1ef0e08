/* SPDX-License-Identifier: GPL-2.0-only */
/* Why a connection ended: reason, detail and status, in one word. */
#ifndef _RPCRDMA_CAUSE_H
#define _RPCRDMA_CAUSE_H

#include <linux/errno.h>
#include <linux/types.h>

#include <rpcrdma/netlink.h>

/* A Work Request was flushed: the cause is reported elsewhere. */
#define RPCRDMA_CAUSE_UNKNOWN	0u

/* A cause without a status, such as RPCRDMA_CAUSE(MEMORY, SEND) */
#define RPCRDMA_CAUSE(reason, detail) \
	rpcrdma_cause(RPCRDMA_NL_LOST_##reason, RPCRDMA_NL_DETAIL_##detail, 0)

/* @status: see RPCRDMA_NL_ENDED_STATUS; it fits into 16 bits */
static inline u32 rpcrdma_cause(enum rpcrdma_nl_lost reason,
				enum rpcrdma_nl_detail detail, int status)
{
	return (u32)reason << 24 | (u32)detail << 16 | (u16)status;
}

/* @error: negative errno from preparing the operation @detail */
static inline u32 rpcrdma_cause_errno(enum rpcrdma_nl_detail detail, int error)
{
	return rpcrdma_cause(error == -ENOMEM ? RPCRDMA_NL_LOST_MEMORY :
						RPCRDMA_NL_LOST_OTHER,
			     detail, error);
}

/* @error: negative errno from posting Work Requests */
static inline u32 rpcrdma_cause_post(enum rpcrdma_nl_detail detail, int error)
{
	return rpcrdma_cause(RPCRDMA_NL_LOST_WORK, detail, error);
}

static inline enum rpcrdma_nl_lost rpcrdma_cause_reason(u32 cause)
{
	return cause >> 24;
}

static inline enum rpcrdma_nl_detail rpcrdma_cause_detail(u32 cause)
{
	return cause >> 16 & 0xff;
}

static inline int rpcrdma_cause_status(u32 cause)
{
	return (s16)cause;
}

#endif /* _RPCRDMA_CAUSE_H */
