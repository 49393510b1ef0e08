/* SPDX-License-Identifier: GPL-2.0-only */
/* A requester's connection, and the memory that it offers to the server. */
#ifndef _FUZZ_SESSION_H
#define _FUZZ_SESSION_H

#include "../verbs/endpoint.h"

#define SINK_SIZE	(512u << 10)
#define SINK_LARGEST	(4u << 20)	/* for the largest READ of any server */
#define SCRATCH_SIZE	(128u << 10)

/* Bytes of the server's file "data", which is never written to. */
#define BODY		65536u

/* Buffers, registered anew for each connection */
struct memory {
	u32 size;	/* bytes in @sink */
	u8 *sink;	/* what chunks refer to; each byte has its own value at first */
	u8 *offered;	/* per byte of @sink, whether it was offered to the server */
	u8 *scratch;	/* destination of RDMA Reads of the server's memory */
	struct ibv_mr *sink_mr;	/* registration of @sink */
	struct ibv_mr *scratch_mr;	/* registration of @scratch, for this side only */
	u32 stale;	/* a handle of @sink that is no longer valid */
};

/* A connection */
struct session {
	const char *host;	/* address of the server */
	const char *port;	/* its port */
	struct rdma_event_channel *channel;	/* CM events */
	struct rdma_cm_id *id;	/* CM identifier */
	struct endpoint ep;	/* Queue Pair */
	struct memory mem;	/* memory that is offered to the server */
	u32 xid;	/* XID of the last message */
	u32 version;	/* version of most of its messages */
	/* the server's CM private message, and its version hint */
	struct rpcrdma_private accepted;
	bool open;	/* the connection is established */
};

/* session.c */
int session_open(struct session *s, u32 recvs, struct rdma_conn_param *param);
bool session_ended(struct session *s, int ms);
void session_close(struct session *s, bool polite);
int session_send(struct session *s, u8 *slot, u32 len,
		 enum ibv_wr_opcode opcode, u32 extra);

int memory_create(struct memory *mem, u32 size);
void memory_destroy(struct memory *mem);
void memory_unregister(struct memory *mem);
struct rpcrdma_segment memory_sink(struct memory *mem, u32 offset, u32 len);
void memory_set(struct memory *mem, u32 offset, const void *data, u32 len);
bool memory_untouched(const struct memory *mem, u32 offset);
const char *memory_check(const struct memory *mem);

static inline u8 body_byte(u32 i)
{
	return i * 7 % 251;
}

#endif /* _FUZZ_SESSION_H */
