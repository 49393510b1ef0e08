/* SPDX-License-Identifier: GPL-2.0-only */
/* A message before it is encoded: every field can be given any value. */
#ifndef _FUZZ_MESSAGE_H
#define _FUZZ_MESSAGE_H

#include <rpcrdma/codec.h>

#define MSG_READS	40
#define MSG_CHUNKS	20
#define MSG_SEGMENTS	20
#define MSG_WORDS	64
#define MSG_PAYLOAD	8192u
/* Bytes of the longest encoded message */
#define MSG_SIZE	16384u

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

/**
 * struct message - a message of version 1 or 2
 * @xid: XID; in host byte order, like all other fields
 * @version: version whose format is used
 * @wire_version: rdma_vers
 * @credits: rdma_credit
 * @type: rdma_proc or rdma_htype; does not change what is encoded
 * @flags: version 2 only, not encoded otherwise
 * @inv_handle: version 2 only
 * @padded: encode the two words of RDMA_MSGP
 * @align: the first of them
 * @thresh: the second
 * @lists: encode the chunk lists and the payload, not @words
 * @nreads: entries of @reads
 * @reads: Read list
 * @reads_end: discriminator at the end of the Read list, 0 if valid
 * @nwrites: entries of @writes
 * @writes: Write list
 * @writes_end: discriminator at the end of the Write list, 0 if valid
 * @reply: Reply chunk, if its @more is not 0
 * @nwords: entries of @words
 * @words: body of an error or of properties
 * @payload_len: bytes in @payload
 * @payload: RPC message
 */
struct message {
	u32 xid;
	u32 version;
	u32 wire_version;
	u32 credits;
	u32 type;
	u32 flags;
	u32 inv_handle;
	bool padded;
	u32 align;
	u32 thresh;
	bool lists;
	u32 nreads;
	struct msg_read reads[MSG_READS];
	u32 reads_end;
	u32 nwrites;
	struct msg_chunk writes[MSG_CHUNKS];
	u32 writes_end;
	struct msg_chunk reply;
	u32 nwords;
	u32 words[MSG_WORDS];
	u32 payload_len;
	u8 payload[MSG_PAYLOAD];
};

void message_init(struct message *m, u32 version, u32 xid, u32 type);
void message_read(struct message *m, u32 position,
		  const struct rpcrdma_segment *seg);
struct msg_chunk *message_write(struct message *m);
void message_segment(struct msg_chunk *chunk,
		     const struct rpcrdma_segment *seg);
void message_word(struct message *m, u32 word);
void message_put(struct message *m, u32 word);
void message_opaque(struct message *m, const void *data, u32 len);
u32 message_encode(const struct message *m, u8 *buf);
int message_decode(struct rpcrdma_hdr *hdr, const u8 *buf, u32 len);

#endif /* _FUZZ_MESSAGE_H */
