/* SPDX-License-Identifier: GPL-2.0-only */
/* A server that passes calls on to a good one and tampers with the answers. */
#ifndef _FUZZ_RESPONDER_H
#define _FUZZ_RESPONDER_H

#include "../verbs/endpoint.h"
#include "../verbs/mutate.h"
#include "record.h"

#define LINKS		16
#define CALLS		128
#define POKES		8
/* Replies that the client reads: how many at a time, and bytes of each. */
#define LENDS		4u
#define LEND_SIZE	(80u << 10)
/* Bytes of the longest RPC message. */
#define STAGE_SIZE	(1280u << 10)

/**
 * struct call - a call that the real server has been asked to serve
 * @used: it is one
 * @hdr: its transport header, which refers to @buf
 * @buf: the message as it was received
 */
struct call {
	bool used;
	struct rpcrdma_hdr hdr;
	u8 buf[EP_RECV_SIZE];
};

/**
 * struct poke - an attempt to use a handle after the answer was sent
 * @rounds: rounds of the main loop to go, so that the client gets to run
 * @read: by RDMA Read, else Write
 * @seg: where
 */
struct poke {
	u32 rounds;
	bool read;
	struct rpcrdma_segment seg;
};

/**
 * struct link - a connection of the client
 * @id: CM identifier; NULL if this is none
 * @ep: Queue Pair
 * @ready: @ep is there
 * @up: the client has completed the connection
 * @gone: it is to be destroyed
 * @version: of the client's last call
 * @records: connection to the real server
 * @stage: where RPC messages are put together
 * @stage_mr: its registration
 * @lent: replies that the client reads, LENDS of them
 * @lent_mr: its registration
 * @lends: how many there have been
 * @queue: Receives that are to be looked at
 * @queued: their number
 * @rdma_done: the RDMA operation that was posted has completed
 * @rdma_ok: and succeeded
 * @calls: calls without an answer
 * @pokes: attempts that are to be made
 * @old: handles of the past
 * @nold: how many there have been
 * @held: a call that is not passed on, or NULL
 * @spent: Receives used since then, and not posted again
 * @rounds: rounds of the main loop since the last of them was
 * @mute: no call is answered any more
 * @granted: the most credits that the client was granted; one until then
 */
struct link {
	struct rdma_cm_id *id;
	struct endpoint ep;
	bool ready;
	bool up;
	bool gone;
	u32 version;
	struct records records;
	u8 *stage;
	struct ibv_mr *stage_mr;
	u8 *lent;
	struct ibv_mr *lent_mr;
	u32 lends;
	struct completion queue[EP_RECVS];
	u32 queued;
	bool rdma_done;
	bool rdma_ok;
	struct call calls[CALLS];
	struct poke pokes[POKES];
	struct handles old;
	u32 nold;
	struct call *held;
	u32 spent;
	u32 rounds;
	bool mute;
	u32 granted;
};

/**
 * enum refuse - what a server that is honest otherwise will not do
 * @REFUSE_NOTHING: it tampers with its answers instead
 * @REFUSE_READS: Read chunks, but for position zero
 * @REFUSE_WRITES: Write chunks
 * @REFUSE_SEGMENTS: Write chunks of more than one segment
 * @REFUSE_WRITE_SIZE: Write chunks, for being too small
 * @REFUSE_INLINE: calls without a Reply chunk, now and then
 * @REFUSE_CHUNKS: calls with data in chunks, for good
 * @REFUSE_ALWAYS: calls with a place for results, for being too small
 * @REFUSE_SILENTLY: to answer an offer of version 2
 * @REFUSE_RUDELY: the same, and to stay connected
 * @REFUSE_SLOWLY: to answer that of the second connection soon
 * @REFUSE_RECEIVES: to post Receives, once it has been asked for data, which
 *	it gives when the client's Sends have to wait
 * @REFUSE_REPLIES: to answer any call of the connection on which it was asked
 *	for data first; it goes on to take them
 * @REFUSE_CONNECTION: the same, and to stay connected once it owes as many
 *	replies as it has granted credits
 * @REFUSE_DEPTH: to start an RDMA Read, or to have one started
 * @REFUSE_ROUNDUP: to leave the client the handle of a Write chunk's last segment
 * @ODD_INLINE: right roundup behind data that is inline
 * @ODD_WRITE: nothing inline behind data that is in a Write chunk
 * @ODD_REPLY: right roundup in the Reply chunk
 * @ODD_READ: right roundup in a Read chunk of its own
 */
enum refuse {
	REFUSE_NOTHING,
	REFUSE_READS,
	REFUSE_WRITES,
	REFUSE_SEGMENTS,
	REFUSE_WRITE_SIZE,
	REFUSE_INLINE,
	REFUSE_CHUNKS,
	REFUSE_ALWAYS,
	REFUSE_SILENTLY,
	REFUSE_RUDELY,
	REFUSE_SLOWLY,
	REFUSE_RECEIVES,
	REFUSE_REPLIES,
	REFUSE_CONNECTION,
	REFUSE_DEPTH,
	REFUSE_ROUNDUP,
	ODD_INLINE,
	ODD_WRITE,
	ODD_REPLY,
	ODD_READ,
};

/**
 * struct odd_reply - a reply with data that ends oddly
 * @rpc: the RPC message
 * @len: bytes in it
 * @at: bytes in front of the data
 * @end: bytes up to the end of the data
 */
struct odd_reply {
	const u8 *rpc;
	u32 len;
	u32 at;
	u32 end;
};

/**
 * struct responder - the whole of it
 * @channel: CM events
 * @links: connections
 * @seed: of all random numbers
 * @batch: which of the seed's batches
 * @number: answers so far; each has random numbers of its own
 * @honest: nothing is tampered with any more
 * @refuse: what it will not do
 * @refused: how often that has happened
 * @verbose: print what is done
 * @connections: connections accepted
 * @why: what the client has done wrong, or NULL
 * @calls: calls received
 * @answers: answers sent
 * @tampered: those of them that were tampered with
 * @pokes: attempts made at the client's memory
 */
struct responder {
	struct rdma_event_channel *channel;
	struct link links[LINKS];
	u64 seed;
	u32 batch;
	u32 number;
	u32 connections;
	volatile bool honest;
	enum refuse refuse;
	u32 refused;
	bool verbose;
	const char *why;
	u32 calls;
	u32 answers;
	u32 tampered;
	u32 pokes;
};

/* link.c */
struct link *link_create(struct responder *r, struct rdma_cm_id *id);
void link_destroy(struct link *link);
void link_poll(struct link *link);
int link_rdma(struct link *link, enum ibv_wr_opcode opcode, u32 offset,
	      const struct rpcrdma_segment *seg);
int link_send(struct link *link, const u8 *buf, u32 len,
	      enum ibv_wr_opcode opcode, u32 extra);

/* call.c */
void call_receive(struct responder *r, struct link *link,
		  const struct completion *done);
struct call *call_find(struct link *link, u32 xid);
u32 call_unanswered(const struct link *link);
void call_done(struct link *link, struct call *call);
void call_pass(struct link *link, struct call *call);
void call_reverse(struct link *link, const u8 *rpc, u32 len);

/* reply.c */
u32 reply_payload(const u8 *rpc, u32 len);
int reply_fill_chunk(struct link *link, const struct rpcrdma_hdr *hdr,
		     const struct rpcrdma_list *list, const u8 *data, u32 len,
		     struct msg_chunk *chunk);
int reply_build(struct link *link, const struct call *call, const u8 *rpc,
		u32 len, struct message *m);

/* odd.c */
int odd_build(struct responder *r, struct link *link, const struct call *call,
	      const u8 *rpc, u32 len, struct message *m);

/* tamper.c */
void tamper_reply(struct responder *r, struct link *link, struct call *call,
		  const u8 *rpc, u32 len);
void tamper_connprop(struct responder *r, struct link *link,
		     const struct rpcrdma_hdr *hdr);

/* poke.c */
void poke_plan(struct link *link, const struct rpcrdma_hdr *hdr);
void poke_now(struct responder *r, struct link *link,
	      const struct rpcrdma_hdr *hdr, struct rng *rng);
void poke_due(struct responder *r, struct link *link);

/* refuse.c */
enum refuse refuse_parse(const char *name);
bool refuse_call(struct responder *r, struct link *link,
		 const struct rpcrdma_hdr *hdr);
bool refuse_offer(struct responder *r, struct link *link);
bool refuse_handle(struct responder *r, const struct rpcrdma_hdr *hdr,
		   u32 *handle);
bool refuse_pass(struct responder *r, struct link *link, struct call *call);
u32 refuse_credits(const struct responder *r, u32 credits);
bool refuse_receive(struct responder *r, struct link *link);
struct call *refuse_due(struct link *link);

/* accept.c */
void accept_event(struct responder *r, struct rdma_cm_event *event);

static inline void responder_rng(struct responder *r, struct rng *rng)
{
	rng_seed(rng, r->seed, ((u64)r->batch << 32) + r->number++);
}

#endif /* _FUZZ_RESPONDER_H */
