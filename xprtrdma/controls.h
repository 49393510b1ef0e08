/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages of a connection that carry no RPC. */
#ifndef _XPRTRDMA_CONTROLS_H
#define _XPRTRDMA_CONTROLS_H

#include <rdma/ib_verbs.h>

#include "limits.h"
#include "regbuf.h"

/**
 * struct xprt_rdma_control_msg - a message without an RPC
 * @cqe: completion of the Send
 * @buf: the message
 */
struct xprt_rdma_control_msg {
	struct ib_cqe		cqe;
	struct xprt_rdma_regbuf	buf;
};

/**
 * struct xprt_rdma_controls - messages without an RPC
 * @used: bit mask of the entries of @msgs that are in flight
 * @msgs: one entry for each message that may be in flight
 */
struct xprt_rdma_controls {
	unsigned long			used;
	struct xprt_rdma_control_msg	msgs[XPRT_RDMA_CONTROLS];
};

#endif /* _XPRTRDMA_CONTROLS_H */
