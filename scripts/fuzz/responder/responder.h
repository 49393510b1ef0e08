/* SPDX-License-Identifier: GPL-2.0-only */
/* A server that passes calls on to a real one and tampers with the replies. */
#ifndef _FUZZ_RESPONDER_H
#define _FUZZ_RESPONDER_H

#include "../verbs/changes.h"
#include "../verbs/endpoint.h"
#include "../verbs/mutate.h"
#include "record.h"

#define LINKS		16
#define CALLS		128
#define POKES		8
/* Replies that the client reads: number at a time, and bytes of each */
#define LENDS		4u
#define LEND_SIZE	(80u << 10)
/* Bytes that the CM can carry behind the CM private message in an answer */
#define HINT_MAX	188u
/* Number of our requests to change properties that are remembered */
#define CHANGES_ASKED	256u
/* Bytes of the longest RPC message. */
#define STAGE_SIZE	(1280u << 10)

/**
 * struct call - a call that was passed on to the real server
 * @used: this entry is in use
 * @hdr: its transport header, which points into @buf
 * @buf: the message as received
 */
struct call {
	bool used;
	struct rpcrdma_hdr hdr;
	u8 buf[EP_RECV_SIZE];
};

/**
 * struct poke - an attempt to use a handle after the reply was sent
 * @rounds: rounds of the main loop to wait, so that the client can run
 * @read: use RDMA Read, not Write
 * @seg: segment to access
 */
struct poke {
	u32 rounds;
	bool read;
	struct rpcrdma_segment seg;
};

/**
 * struct asked - a request to change properties that was sent to the client
 * @xid: XID
 * @count: number of properties
 */
struct asked {
	u32 xid;
	u32 count;
};

/**
 * struct link - a connection of the client
 * @id: CM identifier; NULL if this is none
 * @ep: Queue Pair
 * @ready: @ep exists
 * @up: the connection is established
 * @gone: the link is to be destroyed
 * @version: version of the client's last call
 * @records: connection to the real server
 * @stage: buffer in which RPC messages are assembled
 * @stage_mr: its registration
 * @lent: buffers of replies that the client reads, LENDS of them
 * @lent_mr: their registration
 * @lends: number of such replies so far
 * @queue: Receives that have completed and not been processed
 * @queued: their number
 * @rdma_done: the RDMA operation that was posted has completed
 * @rdma_ok: it has succeeded
 * @calls: calls that have not been answered
 * @pokes: attempts to be made
 * @old: handles that must not be valid any more
 * @nold: number of such handles so far
 * @held: a call that is not passed on, or NULL
 * @spent: number of Receives consumed since then and not posted again
 * @rounds: rounds of the main loop since the last of them was consumed
 * @mute: no call is answered any more
 * @last_xid: XID of the last call
 * @data: the client has offered memory
 * @burst: messages without an RPC have been sent
 * @offer_xid: XID of the client's offer of version 2
 * @granted: most credits that the client has been granted; initially one
 * @changes: the client may have been told that changes of properties are
 *	understood
 * @request_xid: XID of its last request for one
 * @nasked: number of requests that it was sent
 * @asked: the last of them
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
	u32 last_xid;
	bool data;
	bool burst;
	u32 offer_xid;
	u32 granted;
	bool changes;
	u32 request_xid;
	u32 nasked;
	struct asked asked[CHANGES_ASKED];
};

/**
 * enum refuse - what an otherwise honest server refuses, or does wrong
 * @REFUSE_NOTHING: it tampers with its replies instead
 * @REFUSE_READS: Read chunks, except those at position zero
 * @REFUSE_WRITES: Write chunks
 * @REFUSE_SEGMENTS: Write chunks of more than one segment
 * @REFUSE_WRITE_SIZE: Write chunks, for being too small
 * @REFUSE_INLINE: calls without a Reply chunk, now and then
 * @REFUSE_CHUNKS: calls with data in chunks, every time
 * @REFUSE_ALWAYS: calls with chunks for results, always, for being too small
 * @REFUSE_SILENTLY: does not answer an offer of version 2
 * @REFUSE_RUDELY: disconnects on an offer of version 2
 * @REFUSE_SLOWLY: answers the offer on the second connection late
 * @REFUSE_LATE: answers the offer on the first connection late
 * @REFUSE_RECEIVES: posts no Receives after the first request for data, which
 *	it answers when the client's Sends have to wait
 * @REFUSE_REPLIES: answers no call on the connection on which data was first
 *	requested, but continues to receive them
 * @REFUSE_CONNECTION: the same, and disconnects when as many calls are
 *	unanswered as it has granted credits
 * @REFUSE_DEPTH: starts no RDMA Reads, and allows none
 * @REFUSE_ROUNDUP: invalidates the handle of a Write chunk's last segment
 * @EARLY_AHEAD: answers calls that wait for a credit, which another call holds
 * @EARLY_STORM: answers, as fast as it can, calls that are about to be sent
 * @CONTROL_DONE: sends RDMA2_DONEs that wait for nothing
 * @CONTROL_REQUESTS: asks for changes of properties without waiting for answers
 * @CONTROL_UNASKED: announces its properties before it answers the offer
 * @ODD_INLINE: wrong roundup after data that is inline
 * @ODD_WRITE: roundup inline after data that is in a Write chunk
 * @ODD_REPLY: wrong roundup in the Reply chunk
 * @ODD_READ: wrong roundup in its own Read chunk
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
	REFUSE_LATE,
	REFUSE_RECEIVES,
	REFUSE_REPLIES,
	REFUSE_CONNECTION,
	REFUSE_DEPTH,
	REFUSE_ROUNDUP,
	EARLY_AHEAD,
	EARLY_STORM,
	CONTROL_DONE,
	CONTROL_REQUESTS,
	CONTROL_UNASKED,
	ODD_INLINE,
	ODD_WRITE,
	ODD_REPLY,
	ODD_READ,
};

/**
 * struct odd_reply - a reply with wrong bytes after the data
 * @rpc: the RPC message
 * @len: bytes in @rpc
 * @at: offset of the data
 * @end: offset of the end of the data
 */
struct odd_reply {
	const u8 *rpc;
	u32 len;
	u32 at;
	u32 end;
};

/**
 * struct responder - the server
 * @channel: CM events
 * @links: connections
 * @seed: seed of all random numbers
 * @batch: number of the batch
 * @number: replies so far; each has its own random numbers
 * @honest: replies are not tampered with any more
 * @go: SIGUSR2 has arrived: calls that wait are answered
 * @calm: SIGUSR1 has arrived: no call is answered too early any more
 * @refuse: what it refuses
 * @refused: how often it has refused
 * @hint: bytes to send behind the CM private message
 * @hint_len: number of these bytes
 * @offers: number of offers of version 2
 * @hinted: connect requests with a hint that their sender has version 2
 * @verbose: print every action
 * @connections: number of connections accepted
 * @why: what the client has done wrong, or NULL
 * @calls: number of calls received
 * @answers: number of replies sent
 * @tampered: how many of these were tampered with
 * @pokes: number of attempts to access the client's memory
 * @changes: number of messages about changes of properties from the client
 */
struct responder {
	struct rdma_event_channel *channel;
	struct link links[LINKS];
	u64 seed;
	u32 batch;
	u32 number;
	u32 connections;
	volatile bool honest;
	volatile bool go;
	volatile bool calm;
	enum refuse refuse;
	u32 refused;
	u8 hint[HINT_MAX];
	u32 hint_len;
	u32 offers;
	u32 hinted;
	bool verbose;
	const char *why;
	u32 calls;
	u32 answers;
	u32 tampered;
	u32 pokes;
	u32 changes;
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

/* changes.c */
void changes_announce(struct message *m);
void changes_note(struct link *link, const u8 *buf, u32 len);
void changes_disturb(struct link *link, struct rng *rng);
void changes_receive(struct responder *r, struct link *link,
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
u32 refuse_credits(const struct responder *r, u32 credits, bool reply);
bool refuse_receive(struct responder *r, struct link *link);
struct call *refuse_due(struct responder *r, struct link *link);

/* early.c */
u32 early_credits(const struct responder *r, u32 credits);
void early_call(struct link *link, const struct call *call);
struct call *early_due(struct responder *r, struct link *link);

/* control.c */
bool control_offer(struct responder *r, struct link *link,
		   const struct rpcrdma_hdr *hdr);
void control_due(struct responder *r, struct link *link);
void control_receive(struct responder *r, struct link *link,
		     const struct rpcrdma_hdr *hdr);

/* accept.c */
void accept_event(struct responder *r, struct rdma_cm_event *event);

static inline void responder_rng(struct responder *r, struct rng *rng)
{
	rng_seed(rng, r->seed, ((u64)r->batch << 32) + r->number++);
}

#endif /* _FUZZ_RESPONDER_H */
