/* SPDX-License-Identifier: GPL-2.0-only */
/* A requester that sends the malformed calls in a table of cases. */
#ifndef _PEER_H
#define _PEER_H

#include <stdio.h>

#include "../verbs/verbs.h"

#define SINK_SIZE	(512u << 10)
#define SINK_LARGEST	(4u << 20)	/* for the largest READ of any server */

/* Bytes of the server's file "data"; cases write only the same data to it. */
#define BODY		65536u

/* Memory, registered anew for each connection */
struct memory {
	u32 size;	/* bytes of @sink that are used, SINK_LARGEST at most */
	u8 *sink;	/* memory for chunks; initially, each byte has a different value */
	u8 *offered;	/* per byte of @sink, whether it was offered to the server */
	struct ibv_mr *sink_mr;	/* registration of @sink */
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

int memory_create(struct memory *mem);
void memory_destroy(struct memory *mem);
void memory_unregister(struct memory *mem);
struct rpcrdma_segment memory_sink(struct memory *mem, u32 offset, u32 len);
void memory_set(struct memory *mem, u32 offset, const void *data, u32 len);
const char *memory_check(const struct memory *mem);

/* Time limit for an answer of the server, in milliseconds */
#define PEER_TIMEOUT	5000

/* State of a case */
struct peer {
	/* the connection; @s.version is the version of the expected answers */
	struct session s;
	bool deaf;	/* repost no Receives */
	struct message m;	/* the message that is being built */
	u32 turn;	/* number of turns of the loop so far */
	const u8 *reply;	/* the last message of the server */
	u32 reply_len;	/* bytes in @reply */
	struct rpcrdma_hdr hdr;	/* its header */
	const char *why;	/* reason that the case fails, or NULL */
	char counters[8192];	/* the server's counters at the beginning */
};

/* A step of a case; it has @build or @run. */
struct step {
	/* build a part of the message */
	void (*build)(struct peer *p, const u32 *a);
	/* any other step; returns 0 on success */
	int (*run)(struct peer *p, const struct step *st);
	u32 a[7];	/* arguments */
	const char *text;	/* another argument */
};

static inline bool is_end(const struct step *st)
{
	return !st->build && !st->run;
}

/* A case */
struct peer_case {
	const char *name;	/* its name */
	/* its steps; the case connects first, unless one of the steps does */
	const struct step *steps;
};

#define RPC_NFS		100003u
#define RPC_TAG		"the-tag-in-a-chunk"

enum {
	OP_LOOKUP	= 15,
	OP_PUTROOTFH	= 24,
	OP_READ		= 25,
	OP_WRITE	= 38,
};

#define CASE(_name, ...)	\
	{ #_name, (const struct step[]){ __VA_ARGS__, { NULL } } }
#define MSG(step, ...)		{ build_##step, NULL, { __VA_ARGS__ } }
#define DO(step, ...)		{ NULL, do_##step, { __VA_ARGS__ } }
#define WITH(step, text, ...)	{ NULL, do_##step, { __VA_ARGS__ }, text }
/* Set a field of the message. */
#define FIELD(name, value)	MSG(field, offsetof(struct message, name), value)
/* Compare a word of the answer's header. */
#define HDR(field, value)	\
	WITH(header, "another " #field, offsetof(struct rpcrdma_hdr, field), value)

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

#define STEP(name)	int do_##name(struct peer *p, const struct step *st)
#define BUILD(name)	void build_##name(struct peer *p, const u32 *a)

/* table.c: the connection, the server's module, loops */
#define NO_PRIVATE	1u	/* argument of connect: 1024-byte buffers */
#define DEAF		2u	/* one Receive, once */
#define LARGE		4u	/* enough memory for the largest READ or WRITE */
STEP(connect);
STEP(closes);
STEP(times);
STEP(again);
STEP(set);
STEP(counted);

/* build.c: the message */
#define TAG_MOVED	1u	/* arguments of open */
#define NAME_MOVED	2u
BUILD(v1);
BUILD(v2);
BUILD(version);
BUILD(field);
BUILD(read);
BUILD(reads);
BUILD(write);
BUILD(reply);
BUILD(segments);
BUILD(spoil);
BUILD(words);
BUILD(property);
BUILD(put);
BUILD(null);
BUILD(call);
BUILD(open);
BUILD(nfs_read);
BUILD(nfs_write);
BUILD(stretch);
BUILD(move);

void rpc_call(struct message *m, u32 prog, u32 vers, u32 proc);

/* exchange.c: send the message, check the answer */
STEP(send);
STEP(post);
STEP(expect);
STEP(answer);
STEP(error);
STEP(refused);
STEP(ok);
STEP(ping);
STEP(flood);
STEP(header);
STEP(wrote);
STEP(rpc);
STEP(compound);
STEP(data);

/* The file's byte at @offset */
static inline u8 file_byte(u32 offset)
{
	return offset * 7 % 251;
}

int peer_post(struct peer *p, enum ibv_wr_opcode opcode, u32 extra);
int peer_wait(struct peer *p, int ms);
int check_data(struct peer *p, const u8 *data, u32 offset, u32 len);
int check_rpc(struct peer *p, const u8 *rpc, u32 len);
int check_compound(struct peer *p, const u8 *rpc, u32 ops);
int run_steps(struct peer *p, const struct step *st);
int run_table(const char *host, const char *port, const char *pattern);

#define PEER_GROUPS	5u
extern const struct peer_case * const peer_cases[PEER_GROUPS];
extern const struct peer_case v1_cases[], v2_cases[], change_cases[],
	advert_cases[], stall_cases[];

#endif /* _PEER_H */
