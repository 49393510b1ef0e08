/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by both hostile sides: messages whose fields can have any value, their
 * mutations, changes of properties, and a Queue Pair with its buffers.
 */
#ifndef _FUZZ_VERBS_H
#define _FUZZ_VERBS_H

#include <rdma/rdma_cma.h>
#include <rpcrdma/codec.h>
#include <rpcrdma/cursor.h>

#define MSG_READS	176
#define MSG_CHUNKS	20
#define MSG_SEGMENTS	232
#define MSG_WORDS	1024
#define MSG_PAYLOAD	18432u
/* Bytes of the longest encoded message */
#define MSG_SIZE	20480u
/* More segments than the longest message has */
#define MSG_ALL_SEGMENTS	(MSG_SIZE / 16)

/* An entry of the Read list */
struct msg_read {
	u32 position;
	struct rpcrdma_segment seg;
};

/* A Write or Reply chunk; @count: encoded segment count, @nsegs: real one */
struct msg_chunk {
	u32 count;
	u32 nsegs;
	struct rpcrdma_segment segs[MSG_SEGMENTS];
};

/* A message of version 1 or 2 */
struct message {
	u32 xid;	/* XID; in host byte order, like all other fields */
	u32 version;	/* version whose format is used */
	u32 wire_version;	/* rdma_vers */
	u32 credits;	/* rdma_credit */
	u32 type;	/* rdma_proc or rdma_htype; does not change what is encoded */
	u32 flags;	/* version 2 only, not encoded otherwise */
	u32 inv_handle;	/* version 2 only */
	u32 padded;	/* encode the two words of RDMA_MSGP */
	u32 align;	/* the first of these words */
	u32 thresh;	/* the second of these words */
	u32 size;	/* encode at most this number of bytes */
	u32 lists;	/* encode the chunk lists and the payload, not @words */
	u32 nreads;	/* entries of @reads */
	struct msg_read reads[MSG_READS];	/* Read list */
	u32 nwrites;	/* entries of @writes */
	struct msg_chunk writes[MSG_CHUNKS];	/* Write list */
	bool replies;	/* there is a Reply chunk */
	struct msg_chunk reply;	/* Reply chunk */
	u32 nwords;	/* entries of @words */
	u32 words[MSG_WORDS];	/* body of an error or of properties */
	u32 payload_len;	/* bytes in @payload */
	u8 payload[MSG_PAYLOAD];	/* RPC message */
};

void message_init(struct message *m, u32 version, u32 xid, u32 type);
void message_control(struct message *m, u32 xid, u32 type, u32 flags);
void message_read(struct message *m, u32 position,
		  const struct rpcrdma_segment *seg);
struct msg_chunk *message_write(struct message *m);
struct msg_chunk *message_chunk(struct msg_chunk *chunk);
void message_segment(struct msg_chunk *chunk,
		     const struct rpcrdma_segment *seg);
void message_word(struct message *m, u32 word);
void message_property(struct message *m, u32 id, u32 value);
void message_put(struct message *m, u32 word);
void message_puts(struct message *m, u32 count, u32 word);
u32 message_encode(const struct message *m, u8 *buf);
int message_decode(struct rpcrdma_hdr *hdr, const u8 *buf, u32 len);
u32 message_segments(const struct rpcrdma_hdr *hdr, struct rpcrdma_segment *segs,
		     u32 max);

#define MUTATE_HANDLES	16

/* A random number generator, reproducible by its seed */
struct rng {
	u64 state;
};

static inline u64 rng_next(struct rng *rng)
{
	u64 z = (rng->state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* Each batch of a seed has a separate sequence, which does not depend on other batches. */
static inline void rng_seed(struct rng *rng, u64 seed, u64 batch)
{
	rng->state = seed;
	rng->state = rng_next(rng) + batch * 0xd1342543de82ef95ull;
}

static inline u32 rng_word(struct rng *rng)
{
	return rng_next(rng) >> 32;
}

/* A number from 0 to @n - 1 */
static inline u32 rng_below(struct rng *rng, u32 n)
{
	return n ? rng_word(rng) % n : 0;
}

/* True once in @n times */
static inline bool rng_one_in(struct rng *rng, u32 n)
{
	return !rng_below(rng, n);
}

#define rng_pick(rng, array)	\
	((array)[rng_below((rng), sizeof(array) / sizeof((array)[0]))])

/* Memory that a segment can refer to */
struct handles {
	u32 n;	/* valid entries of @handle */
	/* handles of other calls, with other access rights, or old ones */
	u32 handle[MUTATE_HANDLES];
	u64 base;	/* a valid address */
	u32 size;	/* bytes at @base */
};

u32 mutate_message(const struct message *m, u8 *buf, u32 n, bool rpc,
		   struct rng *rng, const struct handles *handles);
u32 mutate_word(struct rng *rng, u32 word);

/* The result for all properties of a request */
enum changes_verdict {
	CHANGES_DONE,
	CHANGES_REJECTED,
	CHANGES_PENDING,
};

/* The state that both sides of a connection know */
struct changes {
	/* the other side may have been told that changes are understood */
	bool understood;
	bool reads;	/* the same for replies in Read chunks */
	bool asked;	/* a request from the other side has not been answered */
	u32 xid;	/* XID of the last request */
	u32 count;	/* number of properties in the last request */
};

void changes_understand(struct message *m, u32 octets);
void changes_random(const struct changes *ch, struct message *m, u32 type,
		    struct rng *rng);
void changes_answer(struct changes *ch, struct message *m,
		    enum changes_verdict verdict);
bool changes_wrong_answer(struct changes *ch, struct message *m, struct rng *rng);
void changes_sent(struct changes *ch, const struct rpcrdma_hdr *hdr);
const char *changes_received(struct changes *ch, const struct rpcrdma_hdr *hdr);
const char *changes_update(const struct rpcrdma_hdr *hdr, u32 *size);
const char *changes_judge(const struct rpcrdma_hdr *answer, u32 count);

#define EP_SENDS	32u
#define EP_RECVS	64u
#define EP_RECV_SIZE	4096u

/* A message that has arrived */
struct received {
	const u8 *buf;	/* its bytes; valid until all other Receives have been used */
	u32 len;	/* bytes in @buf */
	u32 slot;	/* number of the Receive, see endpoint_recv() */
};

/* A Queue Pair */
struct endpoint {
	struct rdma_cm_id *id;	/* its CM identifier, which belongs to the caller */
	struct ibv_pd *pd;	/* protection domain */
	struct ibv_comp_channel *comp;	/* completion channel */
	struct ibv_cq *cq;	/* completion queue */
	struct ibv_mr *mr;	/* registration of @buf */
	u8 *buf;	/* Send slots, then Receive slots */
	u32 busy;	/* Send slots in use, by number */
	u32 rdmas;	/* RDMA Reads and Writes that have not completed */
	/* messages that have arrived, the oldest first */
	struct received queue[EP_RECVS];
	u32 queued;	/* entries in @queue */
	bool dead;	/* a completion has failed */
};

int endpoint_create(struct endpoint *ep, struct rdma_cm_id *id, u32 recvs);
void endpoint_destroy(struct endpoint *ep);
u8 *endpoint_slot(struct endpoint *ep, int ms);
int endpoint_send(struct endpoint *ep, u8 *slot, u32 len,
		  enum ibv_wr_opcode opcode, u32 extra);
int endpoint_rdma(struct endpoint *ep, enum ibv_wr_opcode opcode, void *at,
		  const struct ibv_mr *mr, const struct rpcrdma_segment *seg);
int endpoint_rdma_done(struct endpoint *ep, enum ibv_wr_opcode opcode, void *at,
		       const struct ibv_mr *mr,
		       const struct rpcrdma_segment *seg, int ms);
int endpoint_recv(struct endpoint *ep, u32 slot);
void endpoint_poll(struct endpoint *ep);
bool endpoint_take(struct endpoint *ep, struct received *got);
void endpoint_sleep(struct endpoint *ep, int ms);
long endpoint_now(void);
void private_choose(struct rdma_conn_param *param, u8 *buf, bool remote_inv,
		    enum rpcrdma_hint hint, struct rng *rng);

/* Wait for @cond; false if the connection fails or @ms milliseconds pass. */
#define endpoint_until(ep, ms, cond)					\
({									\
	long _end = endpoint_now() + (ms);				\
									\
	endpoint_poll(ep);						\
	while (!(cond) && !(ep)->dead && endpoint_now() < _end) {	\
		endpoint_sleep((ep), 5);				\
		endpoint_poll(ep);					\
	}								\
	!!(cond);							\
})

#endif /* _FUZZ_VERBS_H */
