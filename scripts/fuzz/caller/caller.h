/* SPDX-License-Identifier: GPL-2.0-only */
/* A requester that sends randomly malformed calls. */
#ifndef _FUZZ_CALLER_H
#define _FUZZ_CALLER_H

#include "../peer/peer.h"

/* Messages of a connection for which answers are expected */
#define SENT_MAX	512u

#define SENT_INVALID	0xffffffffu	/* type of a message that cannot be decoded */

/* A message that was sent */
struct sent {
	u32 xid;	/* first word, host byte order */
	u32 type;	/* its type */
	bool answered;	/* its answer has arrived */
	u32 len;	/* bytes in @buf */
	u8 buf[MSG_SIZE];	/* the message */
};

/* Number of replies in Read chunks that are remembered */
#define ADVERTS_MAX	8u

/* A reply that the server has advertised in a Read chunk */
struct advert {
	u32 xid;	/* XID of the reply */
	struct rpcrdma_segment seg;	/* its first segment */
};

/* Parameters, results and state of a batch */
struct caller {
	struct peer p;	/* the connection, and the message that is being built */
	struct rng rng;	/* random numbers of this step */
	const char *why;	/* what the server has done wrong, or NULL */
	struct handles handles;	/* handles for mutations */
	u32 grant;	/* credits that the server has granted */
	u32 waiting;	/* number of answers that may still come */
	u32 nsent;	/* entries of @sent */
	struct sent *sent;	/* messages for which answers are expected */
	struct changes changes;	/* changes of properties */
	u32 nadverts;	/* number of Read chunks that the server has sent */
	struct advert adverts[ADVERTS_MAX];	/* the latest of these */
	u32 connects;	/* number of connections made */
	u32 messages;	/* number of messages sent */
	u32 answers;	/* number of answers received */
	u32 errors;	/* number of errors among @answers */
};

/* connection.c */
int caller_open(struct caller *c);
void caller_close(struct caller *c, bool polite);
u8 *caller_slot(struct caller *c);
int caller_send(struct caller *c, u8 *slot, u32 len, enum ibv_wr_opcode opcode,
		u32 extra);
int caller_post(struct caller *c, enum ibv_wr_opcode opcode, u32 extra);
void caller_poll(struct caller *c);
void caller_drain(struct caller *c, int ms);

/* steps.c */
void step(struct caller *c);

#endif /* _FUZZ_CALLER_H */
