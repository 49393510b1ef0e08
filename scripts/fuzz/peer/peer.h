/* SPDX-License-Identifier: GPL-2.0-only */
/* A userspace RDMA peer that sends hand-made messages to a server. */
#ifndef _PEER_H
#define _PEER_H

#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <rpcrdma/codec.h>

/* Memory the server may read and write, and the largest message. */
#define PEER_MEM	(4u << 20)
#define PEER_MSG	4096u
#define PEER_RECVS	64

struct peer {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	struct ibv_pd *pd;
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;
	struct ibv_mr *mem_mr;
	struct ibv_mr *msg_mr;
	u8 *mem;		/* what chunks point to */
	u8 *msg;		/* message being built, then Receive buffers */

	struct rpcrdma_encoder enc;
	u32 len;		/* bytes of the message */

	/* The last reply. */
	const u8 *reply;
	u32 reply_len;
	struct rpcrdma_hdr hdr;
	const char *why;	/* what is wrong */
};

/* How to connect. */
enum {
	PEER_NO_PRIVATE	= 1,	/* no CM private message: 1024-byte buffers */
};

/* conn.c */
int peer_connect(struct peer *p, const char *host, const char *port, int flags);
void peer_disconnect(struct peer *p);
int peer_post(struct peer *p);
int peer_wait(struct peer *p);
bool peer_closed(struct peer *p);
u32 peer_handle(const struct peer *p);
u64 peer_address(const struct peer *p, u32 offset);

/* rpc.c */
void put32(struct peer *p, u32 value);
void put_opaque(struct peer *p, const void *data, u32 len);
void put_call(struct peer *p, u32 prog, u32 vers, u32 proc);
void put_compound(struct peer *p, const char *tag, u32 ops);
void put_header(struct peer *p, u32 type);
struct rpcrdma_segment segment(const struct peer *p, u32 offset, u32 length);
void put_read(struct peer *p, u32 position, u32 offset, u32 length);
void put_chunk(struct peer *p, u32 offset, u32 length);
u32 next_xid(void);
u32 last_xid(void);
u32 word(const u8 *p);

/* cases.c */
struct peer_case {
	const char *name;
	int (*run)(struct peer *p);
	int flags;
	bool closes;		/* the server is expected to disconnect */
};

extern const struct peer_case peer_cases[];
extern const unsigned int peer_ncases;

#endif /* _PEER_H */
