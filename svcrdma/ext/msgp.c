// SPDX-License-Identifier: GPL-2.0-only
/*
 * Padded calls (RDMA_MSGP, RFC 5666 section 3.9), and the alignment that
 * CONF_RDMA recommends to clients that pad (section 6.2).
 *
 * Errors: a call whose padding cannot be located is refused.
 */

#include <linux/log2.h>

#include <rpcrdma/padding.h>

#include "../counters.h"
#include "../tunables.h"
#include "ext.h"

static unsigned int svc_rdma_receive_alignment;

SVC_RDMA_PARAM(receive_alignment, uint,
	       "Alignment recommended to clients by CONF_RDMA, a power of two less than max_req_size (0: none)");

/**
 * svc_rdma_msgp_align - choose the alignment to recommend
 * @conn: connection of version 1
 *
 * RFC 5666 section 6.2. XDR aligns to four bytes, so 4 asks for no padding.
 *
 * Context: any.
 * Return: bytes, a power of two.
 */
u32 svc_rdma_msgp_align(const struct svc_rdma_conn *conn)
{
	u32 align = READ_ONCE(svc_rdma_receive_alignment);

	return is_power_of_2(align) && align < conn->caps.v1_recv ?
	       align : RPCRDMA_XDR_UNIT;
}

/**
 * svc_rdma_msgp_remove - turn a call in an RDMA_MSGP into an RDMA_MSG
 * @recv: call in an RDMA_MSGP, which may have padding
 *
 * Context: process.
 * Return: false if the padding cannot be located.
 */
bool svc_rdma_msgp_remove(struct svc_rdma_recv_ctx *recv)
{
	svc_rdma_count(msgp_calls);
	return !rpcrdma_unpad_call(&recv->hdr, recv->buf);
}
