/* SPDX-License-Identifier: GPL-2.0-only */
/* A requester whose calls are wrong in every way a generator finds. */
#ifndef _FUZZ_CALLER_H
#define _FUZZ_CALLER_H

#include "../verbs/endpoint.h"
#include "../verbs/mutate.h"
#include "memory.h"

/* Bytes of the server's file "data", which is never written to. */
#define BODY	65536u

/* Messages of a connection whose answers are looked for. */
#define SENT_MAX	512u

/**
 * struct sent - a message that was sent
 * @xid: first word, host byte order
 * @answered: its answer has arrived
 * @len: bytes in @buf; what does not fit was not a valid message
 * @buf: the message
 */
struct sent {
	u32 xid;
	bool answered;
	u32 len;
	u8 buf[EP_RECV_SIZE];
};

/* Replies in Read chunks that are remembered. */
#define EXPOSED_MAX	8u

/**
 * struct exposed - a reply that the server has said can be read
 * @xid: of the reply
 * @seg: its first segment
 */
struct exposed {
	u32 xid;
	struct rpcrdma_segment seg;
};

/**
 * struct session - a connection and what is known of it
 * @channel: CM events
 * @id: CM identifier
 * @ep: Queue Pair
 * @mem: memory that is offered
 * @handles: for mutations
 * @xid: of the message before the next one
 * @version: of most of its messages
 * @grant: credits that the server has granted
 * @waiting: answers that may still come
 * @nsent: entries of @sent
 * @sent: messages whose answers are looked for
 * @wants: the server may have been told that it may send Read chunks
 * @nexposed: Read chunks that it has sent
 * @exposed: the last ones of them
 * @why: what the server has done wrong, or NULL
 * @open: the connection is there
 */
struct session {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
	struct endpoint ep;
	struct memory *mem;
	struct handles handles;
	u32 xid;
	u32 version;
	u32 grant;
	u32 waiting;
	u32 nsent;
	struct sent *sent;
	bool wants;
	u32 nexposed;
	struct exposed exposed[EXPOSED_MAX];
	const char *why;
	bool open;
};

/**
 * struct run - what a batch is and has done
 * @host: address of the server
 * @port: its port
 * @verbose: print what each message is
 * @v1_exposes: the server sends Read chunks in version 1 as well
 * @connects: connections made
 * @refused: connections that the server has refused
 * @messages: messages sent
 * @mutated: those of them that were changed
 * @answers: answers received
 * @errors: those of them that were errors
 * @lost: connections that were lost
 * @exposed: answers that were in Read chunks
 */
struct run {
	const char *host;
	const char *port;
	bool verbose;
	bool v1_exposes;
	u32 connects;
	u32 refused;
	u32 messages;
	u32 mutated;
	u32 answers;
	u32 errors;
	u32 lost;
	u32 exposed;
};

/* calls.c */
const char *call_build(struct session *s, struct message *m, struct rng *rng);
void call_null(struct session *s, struct message *m);
void call_read(struct session *s, struct message *m, u32 offset, u32 len);
void call_properties(struct session *s, struct message *m);
void call_wish(struct session *s, struct message *m);
void call_long(struct session *s, struct message *m, u32 len);

/* session.c */
int session_open(struct session *s, struct run *run, struct rng *rng);
void session_close(struct session *s, bool polite);
void session_poll(struct session *s, struct run *run);
void session_drain(struct session *s, struct run *run, int ms);
int session_send(struct session *s, struct run *run, u8 *slot, u32 len,
		 enum ibv_wr_opcode opcode, u32 extra);
u8 *session_slot(struct session *s, struct run *run);

/* answers.c */
void answer_check(struct session *s, struct run *run, const u8 *buf, u32 len);

/* read.c */
void pull(struct session *s, struct run *run, struct rng *rng);

/* steps.c */
void step(struct session *s, struct run *run, struct rng *rng);

#endif /* _FUZZ_CALLER_H */
