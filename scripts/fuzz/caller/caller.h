/* SPDX-License-Identifier: GPL-2.0-only */
/* A requester whose calls are wrong in random ways. */
#ifndef _FUZZ_CALLER_H
#define _FUZZ_CALLER_H

#include "../verbs/changes.h"
#include "../verbs/endpoint.h"
#include "../verbs/mutate.h"
#include "memory.h"

/* Bytes of the server's file "data", which is never written to. */
#define BODY	65536u

/* Messages of a connection for which answers are expected */
#define SENT_MAX	512u

/**
 * struct sent - a message that was sent
 * @xid: first word, host byte order
 * @answered: its answer has arrived
 * @len: bytes in @buf; longer messages are not valid
 * @buf: the message
 */
struct sent {
	u32 xid;
	bool answered;
	u32 len;
	u8 buf[MSG_SIZE];
};

/* Number of replies in Read chunks that are remembered */
#define ADVERTS_MAX	8u

/**
 * struct advert - a reply that the server has advertised in a Read chunk
 * @xid: XID of the reply
 * @seg: its first segment
 */
struct advert {
	u32 xid;
	struct rpcrdma_segment seg;
};

/**
 * struct session - a connection and its state
 * @channel: CM events
 * @id: CM identifier
 * @ep: Queue Pair
 * @mem: memory that is offered to the server
 * @handles: handles for mutations
 * @xid: XID of the last message
 * @version: version of most of its messages
 * @grant: credits that the server has granted
 * @waiting: number of answers that may still come
 * @nsent: entries of @sent
 * @sent: messages for which answers are expected
 * @wants: the server may have been told that it may send Read chunks
 * @changes: the server may have been told that this peer understands changes of
 *	properties
 * @asked: a request of the server's to change properties is not answered
 * @asked_xid: XID of the last one
 * @asked_count: number of properties in it
 * @nadverts: number of Read chunks that it has sent
 * @adverts: the last of them
 * @why: what the server has done wrong, or NULL
 * @open: the connection is established
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
	bool changes;
	bool asked;
	u32 asked_xid;
	u32 asked_count;
	u32 nadverts;
	struct advert adverts[ADVERTS_MAX];
	const char *why;
	bool open;
};

/**
 * struct run - parameters and results of a batch
 * @host: address of the server
 * @port: its port
 * @verbose: print a description of each message
 * @v1_advertises: the server sends Read chunks in version 1 as well
 * @connects: number of connections made
 * @refused: number of connections that the server refused
 * @messages: number of messages sent
 * @mutated: how many of these were mutated
 * @answers: number of answers received
 * @errors: how many of these were errors
 * @lost: number of connections lost
 * @advertised: number of answers in Read chunks
 * @changes: number of requests of the server's that were answered
 */
struct run {
	const char *host;
	const char *port;
	bool verbose;
	bool v1_advertises;
	u32 connects;
	u32 refused;
	u32 messages;
	u32 mutated;
	u32 answers;
	u32 errors;
	u32 lost;
	u32 advertised;
	u32 changes;
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

/* changes.c */
void change_request(struct session *s, struct message *m, struct rng *rng);
void change_answer(struct session *s, struct message *m, struct rng *rng);
void change_update(struct session *s, struct message *m, struct rng *rng);
void changes_answer(struct session *s, struct run *run, struct rng *rng);
void changes_note(struct session *s, const struct rpcrdma_hdr *hdr);
const char *changes_check(struct session *s, const struct rpcrdma_hdr *hdr);
const char *changes_check_answer(const struct rpcrdma_hdr *hdr,
				 const struct sent *sent);

/* read_replies.c */
void read_replies(struct session *s, struct run *run, struct rng *rng);

/* steps.c */
void step(struct session *s, struct run *run, struct rng *rng);

#endif /* _FUZZ_CALLER_H */
