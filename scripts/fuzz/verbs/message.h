/* SPDX-License-Identifier: GPL-2.0-only */
/* A message before it is encoded: every field can be given any value. */
#ifndef _FUZZ_MESSAGE_H
#define _FUZZ_MESSAGE_H

#include <rpcrdma/codec.h>
#include <rpcrdma/cursor.h>

#define MSG_READS	176
#define MSG_CHUNKS	20
#define MSG_SEGMENTS	232
#define MSG_WORDS	1024
#define MSG_PAYLOAD	18432u
/* Bytes of the longest encoded message */
#define MSG_SIZE	20480u

/* An entry of the Read list; @more: its discriminator, 1 if valid */
struct msg_read {
	u32 more;
	u32 position;
	struct rpcrdma_segment seg;
};

/* A Write or Reply chunk; @count: encoded segment count, @nsegs: real one */
struct msg_chunk {
	u32 more;
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
	u32 align;	/* the first of them */
	u32 thresh;	/* the second */
	u32 lists;	/* encode the chunk lists and the payload, not @words */
	u32 nreads;	/* entries of @reads */
	struct msg_read reads[MSG_READS];	/* Read list */
	u32 reads_end;	/* discriminator at the end of the Read list, 0 if valid */
	u32 nwrites;	/* entries of @writes */
	struct msg_chunk writes[MSG_CHUNKS];	/* Write list */
	u32 writes_end;	/* discriminator at the end of the Write list, 0 if valid */
	struct msg_chunk reply;	/* Reply chunk, if its @more is not 0 */
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
void message_opaque(struct message *m, const void *data, u32 len);
u32 message_encode(const struct message *m, u8 *buf);
u32 message_hex(u8 *to, u32 size, const char *hex);
int message_decode(struct rpcrdma_hdr *hdr, const u8 *buf, u32 len);

#endif /* _FUZZ_MESSAGE_H */
