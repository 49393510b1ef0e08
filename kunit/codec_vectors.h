/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages in wire format with their meaning, shared by the codec's suites. */
#ifndef _RPCRDMA_CODEC_VECTORS_H
#define _RPCRDMA_CODEC_VECTORS_H

#include <kunit/test.h>
#include <rpcrdma/codec.h>
#include <rpcrdma/padding.h>

#define CODEC_MAX_WORDS		64
#define CODEC_MAX_CHUNKS	3
#define CODEC_MAX_SEGMENTS	3
#define CODEC_MAX_READS		5
#define CODEC_MAX_BYTES		(CODEC_MAX_WORDS * RPCRDMA_XDR_UNIT)

/**
 * struct codec_chunk - contents of a Write chunk or Reply chunk
 * @nsegs: number of entries of @segs in use
 * @segs: its segments, in order
 */
struct codec_chunk {
	u32 nsegs;
	struct rpcrdma_segment segs[CODEC_MAX_SEGMENTS];
};

/**
 * struct codec_vector - a well-formed message and its meaning
 * @name: what the message is, and the section that defines it
 * @words: the message in 32-bit words, in wire order
 * @nwords: number of entries of @words in use
 * @payload: number of these words, at the end, that are the RPC message
 * @noncanonical: our encoder encodes the same meaning differently
 * @credits: expected value
 * @type: expected value
 * @align: expected value
 * @thresh: expected value
 * @err: expected value
 * @vers_low: expected value
 * @vers_high: expected value
 * @read_chunks: chunks in the Read list
 * @nreads: segments in the Read list
 * @reads: the Read list, entry by entry
 * @nwrites: chunks in the Write list
 * @writes: the Write list, chunk by chunk
 * @nreply: 1 if there is a Reply chunk, otherwise 0
 * @reply: the Reply chunk
 */
struct codec_vector {
	const char *name;
	u32 words[CODEC_MAX_WORDS];
	u32 nwords;
	u32 payload;
	bool noncanonical;

	u32 credits;
	u32 type;
	u32 align;
	u32 thresh;
	u32 err;
	u32 vers_low;
	u32 vers_high;

	u32 read_chunks;
	u32 nreads;
	struct rpcrdma_read_segment reads[CODEC_MAX_READS];
	u32 nwrites;
	struct codec_chunk writes[CODEC_MAX_CHUNKS];
	u32 nreply;
	struct codec_chunk reply;
};

/**
 * struct codec_bad_vector - a message to be refused
 * @name: its fault, and the section that defines it
 * @words: the message in 32-bit words, in wire order
 * @nwords: number of entries of @words in use
 * @error: error that the decoder must return
 */
struct codec_bad_vector {
	const char *name;
	u32 words[CODEC_MAX_WORDS];
	u32 nwords;
	int error;
};

/**
 * struct codec_rng - a random number generator for kernel and userspace
 * @state: never zero
 */
struct codec_rng {
	u64 state;
};

extern const struct codec_vector codec_vectors[];
extern const unsigned int codec_vector_count;

const void *codec_all_gen_params(const void *prev, char *desc);
const void *codec_sent_gen_params(const void *prev, char *desc);
const void *codec_lists_gen_params(const void *prev, char *desc);

u8 *codec_buffer(struct kunit *test, u32 len);
u8 *codec_message(struct kunit *test, const u32 *words, u32 nwords);
u32 codec_header_size(const struct codec_vector *v);
void codec_encode_vector(const struct codec_vector *v,
			 struct rpcrdma_encoder *enc, u8 *buf, u32 size);
int codec_reencode(const struct rpcrdma_hdr *hdr, u8 *buf, u32 size);
void codec_walk(struct kunit *test, const struct rpcrdma_hdr *hdr);

void codec_seed(struct kunit *test, struct codec_rng *rng);
u32 codec_random(struct codec_rng *rng, u32 below);

#endif /* _RPCRDMA_CODEC_VECTORS_H */
