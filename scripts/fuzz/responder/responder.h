/* SPDX-License-Identifier: GPL-2.0-only */
/* A server that passes calls on to a real server and tampers with the replies. */
#ifndef _FUZZ_RESPONDER_H
#define _FUZZ_RESPONDER_H

#include "../verbs/verbs.h"

#define LINKS		16
#define CALLS		128
/* Bytes of the longest RPC message. */
#define STAGE_SIZE	(1280u << 10)

/* A call that was passed on to the real server */
struct call {
	bool used;	/* this entry is in use */
	struct rpcrdma_hdr hdr;	/* its transport header, which points into @buf */
	u8 buf[EP_RECV_SIZE];	/* the message as received */
};

/* An attempt to use a handle after the reply was sent */
struct poke {
	u32 rounds;	/* rounds of the main loop to wait, so that the client can run */
	bool read;	/* use RDMA Read, not Write */
	struct rpcrdma_segment seg;	/* segment to access */
};

/* A connection of the client */
struct link {
	struct rdma_cm_id *id;	/* CM identifier; NULL if the entry is free */
	struct endpoint ep;	/* Queue Pair */
	bool gone;	/* the link is to be destroyed */
	u32 version;	/* version of the client's last call */
	int fd;	/* TCP connection to the real server */
	u8 *record;	/* the RPC message that has arrived from the server */
	u8 *stage;	/* buffer in which RPC messages are assembled */
	struct ibv_mr *stage_mr;	/* registration of @stage */
	struct call calls[CALLS];	/* calls that have not been answered */
	struct poke poke;	/* the attempt to be made */
	struct handles old;	/* handles that must no longer be valid */
	u32 nold;	/* number of such handles so far */
	struct call *held;	/* a call that is not passed on, or NULL */
	u32 spent;	/* number of Receives consumed since @held and not reposted */
	u32 rounds;	/* rounds of the main loop since the last of @spent was consumed */
	bool mute;	/* no more calls are answered */
	u32 last_xid;	/* XID of the last call */
	bool data;	/* the client has offered memory */
	u32 granted;	/* most credits that the client has been granted; initially one */
	struct changes changes;	/* changes of properties */
};

/* The fault of an otherwise correct server */
enum refuse {
	REFUSE_NOTHING,		/* tampers with its replies instead */
	REFUSE_SILENTLY,	/* does not answer an offer of version 2 */
	REFUSE_RUDELY,		/* disconnects on an offer of version 2 */
	REFUSE_SLOWLY,		/* answers the second connection's offer late */
	/*
	 * posts no Receives after the first request for data, and answers this request when
	 * the client's Sends have to wait
	 */
	REFUSE_RECEIVES,
	/*
	 * on the connection of the first request for data, answers no more calls, but receives
	 * them; or disconnects when no credits are left
	 */
	REFUSE_REPLIES,
	REFUSE_CONNECTION,
	REFUSE_EARLY,		/* answers calls that are about to be sent */
};

/* The server */
struct responder {
	struct rdma_event_channel *channel;	/* CM events */
	struct link links[LINKS];	/* connections */
	u64 seed;	/* seed of all random numbers */
	u32 batch;	/* number of the batch */
	u32 number;	/* replies so far; each has its own random numbers */
	u32 connections;	/* number of connections accepted */
	bool honest;	/* replies are not tampered with */
	volatile bool calm;	/* SIGUSR1 has arrived: no more early answers */
	enum refuse refuse;	/* its fault */
	u32 refused;	/* number of refusals */
	const char *why;	/* the client's mistake, or NULL */
	u32 tampered;	/* number of replies that were tampered with */
	u32 pokes;	/* number of attempts to access the client's memory */
};

/* link.c */
struct link *link_create(struct responder *r, struct rdma_cm_id *id);
void link_destroy(struct link *link);
int link_rdma(struct link *link, enum ibv_wr_opcode opcode, u32 offset,
	      const struct rpcrdma_segment *seg);
int link_send(struct link *link, const u8 *buf, u32 len,
	      enum ibv_wr_opcode opcode, u32 extra);
int link_post(struct link *link, const struct message *m);
int record_send(struct link *link, const u8 *rpc, u32 len);
int record_next(struct link *link, u32 *len);

/* call.c */
void call_receive(struct responder *r, struct link *link,
		  const struct received *got);
struct call *call_find(struct link *link, u32 xid);
u32 call_unanswered(const struct link *link);
void call_done(struct link *link, struct call *call);
void call_pass(struct link *link, struct call *call);
void call_reverse(struct link *link, const u8 *rpc, u32 len);
bool call_segment(const struct rpcrdma_hdr *hdr, struct rpcrdma_segment *seg,
		  bool *read);
int reply_build(struct responder *r, struct link *link, const struct call *call,
		const u8 *rpc, u32 len, struct message *m);

/* tamper.c */
void tamper_reply(struct responder *r, struct link *link, struct call *call,
		  const u8 *rpc, u32 len);
void tamper_connprop(struct responder *r, struct link *link,
		     const struct rpcrdma_hdr *hdr);
void tamper_change(struct responder *r, struct link *link,
		   const struct rpcrdma_hdr *hdr);
void poke_due(struct responder *r, struct link *link);

/* refuse.c */
enum refuse refuse_parse(const char *name);
enum rpcrdma_hint refuse_hint(const struct responder *r);
bool refuse_offer(struct responder *r, struct link *link);
bool refuse_pass(struct responder *r, struct link *link, struct call *call);
u32 refuse_credits(const struct responder *r, u32 credits, bool reply);
bool refuse_receive(struct responder *r, struct link *link);
void refuse_due(struct responder *r, struct link *link);
bool early_storms(const struct responder *r);

static inline void responder_rng(struct responder *r, struct rng *rng)
{
	rng_seed(rng, r->seed, ((u64)r->batch << 32) + r->number++);
}

#endif /* _FUZZ_RESPONDER_H */
