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

/* Size of the memory that the server may access, and of the largest message */
#define PEER_MEM	(4u << 20)
#define PEER_STALL_MEM	4096u
#define PEER_MSG	4096u
#define PEER_RECVS	64
/* Size of the largest message that the peer sends */
#define PEER_SEND	32768u

struct peer {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	struct ibv_pd *pd;
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;
	struct ibv_mr *mem_mr;
	struct ibv_mr *msg_mr;
	const char *host;
	const char *port;
	u32 recvs;		/* number of Receives to post */
	bool repost;		/* post each again when it has completed */
	u32 mem_size;
	u8 *mem;		/* what chunks point to */
	u8 *msg;		/* message being built, then Receive buffers */

	struct rpcrdma_encoder enc;
	u32 len;		/* bytes of the message */
	u32 asked;		/* XID of the server's last REQPROP, as it came */

	/* The last reply. */
	const u8 *reply;
	u32 reply_len;
	struct rpcrdma_hdr hdr;
	const char *why;	/* what is wrong */

	/* The server's CM private message, and its version hint. */
	struct rpcrdma_private accepted;
};

/* How to connect. */
enum {
	PEER_NO_PRIVATE		= 1,	/* no CM private message: 1024-byte buffers */
	PEER_V1_ADVERTISE	= 2,	/* replies in Read chunks in version 1 */
	PEER_STALL		= 4,	/* one Receive, once, and little memory */
	PEER_NO_TUNING		= 8,	/* the server's properties do not change */
};

/* Bytes that the CM can carry behind the CM private message in a request */
#define PEER_HINT_MAX	48u

/**
 * struct peer_hint - bytes behind the CM private message
 * @len: number of @bytes
 * @bytes: a version hint, or something like it
 */
struct peer_hint {
	u32 len;
	u8 bytes[PEER_HINT_MAX];
};

/* conn.c */
int peer_connect(struct peer *p, const char *host, const char *port, int flags,
		 const struct peer_hint *hint);
void peer_disconnect(struct peer *p);
int peer_send(struct peer *p);
int peer_post(struct peer *p);
int peer_post_inv(struct peer *p, u32 handle);
int peer_rdma(struct peer *p, enum ibv_wr_opcode opcode,
	      const struct rpcrdma_segment *seg, u32 at);
int peer_wait(struct peer *p);
int peer_wait_for(struct peer *p, long ms);
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
void put_segment(struct peer *p, const struct rpcrdma_segment *seg);
void put_read(struct peer *p, u32 position, u32 offset, u32 length);
void put_chunk(struct peer *p, u32 offset, u32 length);
u32 next_xid(void);
u32 last_xid(void);
u32 word(const u8 *p);

/* checks.c */
enum {
	OP_LOOKUP	= 15,
	OP_PUTROOTFH	= 24,
	OP_READ		= 25,
	OP_WRITE	= 38,
};

/* Bytes of the server's file "data". */
#define BODY	65536u

#define CHECK(cond, text)				\
	do {						\
		if (!(cond)) {				\
			p->why = (text);		\
			return -1;			\
		}					\
	} while (0)

#define TRY(call)					\
	do {						\
		if (call)				\
			return -1;			\
	} while (0)

u8 body_byte(u32 i);
void put_lists(struct peer *p);
void put_null(struct peer *p);
int exchange(struct peer *p);
int expect_error(struct peer *p, u32 code);
int check_rpc(struct peer *p, const u8 *rpc, u32 len);
const u8 *rpc_reply(const struct peer *p);
int expect_msg(struct peer *p);
int check_compound(struct peer *p, const u8 *rpc, const char *tag, u32 status,
		   u32 ops);
int ping(struct peer *p);
int ping_after_error(struct peer *p, u32 code);

/* v2_cases.c */
int v2_hello(struct peer *p);
int v2_refused(struct peer *p);
void put_prefix(struct peer *p, u32 type, u32 flags);
void put_msg(struct peer *p);
void put_read_call(struct peer *p, u32 count);
int expect2(struct peer *p, u32 type);
int error2(struct peer *p, u32 code, u32 value);
int ping2(struct peer *p);
int hello(struct peer *p, u32 recv_size);
int v2_read_inline(struct peer *p, u32 count, u32 type);

/* server.c: the server is in the same guest. */
int server_set(const char *parameter, const char *value);
long server_counter(const char *name);
int server_threads(unsigned int count);
int server_start(void);

/*
 * header_cases.c, read_cases.c, advert_cases.c, change_cases.c, stall_cases.c,
 * conf_cases.c, change_hostile_cases.c
 */

/* write_cases.c */
void put_read_op(struct peer *p, u32 offset, u32 count);
void put_open_data(struct peer *p, const char *tag, u32 more);

/* Tag of the call on which most cases are based */
#define TAG		"the-tag-in-a-chunk"
#define TAG_ROUND	20u

struct peer_case {
	const char *name;
	int (*run)(struct peer *p);
	int flags;
	const struct peer_hint *hint;
	bool closes;		/* the server is expected to disconnect */
};

struct peer_group {
	const struct peer_case *cases;
	unsigned int count;
};

#define CASE(_run, ...)	{ .name = #_run, .run = _run, ##__VA_ARGS__ }

extern const struct peer_group header_cases;
extern const struct peer_group read_cases;
extern const struct peer_group write_cases;
extern const struct peer_group v2_cases;
extern const struct peer_group hint_cases;
extern const struct peer_group change_cases;
extern const struct peer_group change_hostile_cases;
extern const struct peer_group advert_cases;
extern const struct peer_group stall_cases;
extern const struct peer_group conf_cases;

#endif /* _PEER_H */
