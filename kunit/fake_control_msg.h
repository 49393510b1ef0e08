/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the last message without an RPC that the file under test sends. Include
 * this header before that file.
 */
#ifndef _XPRT_RDMA_FAKE_CONTROL_MSG_H
#define _XPRT_RDMA_FAKE_CONTROL_MSG_H

#include <rpcrdma/codec.h>

static u8 fake_sent[RPCRDMA2_FIRST_MAX];

/* Bytes in the last message; 0: none since a test cleared it */
static u32 fake_sent_len;

#define xprt_rdma_control_msg_send(conn, msg, len) \
	((void)(conn), fake_sent_len = (len), \
	 memcpy(fake_sent, msg, min_t(u32, len, sizeof(fake_sent))), 0)

#endif /* _XPRT_RDMA_FAKE_CONTROL_MSG_H */
