/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages in wire format and their meaning, shared by the codec's suites. */
#ifndef _RPCRDMA_CODEC_VECTORS_H
#define _RPCRDMA_CODEC_VECTORS_H

#include <kunit/test.h>
#include <rpcrdma/codec.h>
#include <rpcrdma/kunit.h>
#include <rpcrdma/padding.h>

#define CODEC_MAX_WORDS		64
#define CODEC_MAX_BYTES		(CODEC_MAX_WORDS * RPCRDMA_XDR_UNIT)

/* A well-formed message and its meaning. Its lists are checked by encoding them. */
struct codec_vector {
	const char *name;	/* ends with the section that defines the message */
	u32 words[CODEC_MAX_WORDS];	/* in wire order */
	u32 nwords;	/* number of entries of @words in use */
	u32 payload;	/* number of words at the end that are the RPC message */

	/* Expected values */
	u32 align, thresh, err, index, value;
	u32 props;	/* number of properties */
};

struct codec_bad_vector {
	const char *name;	/* fault of the message */
	u32 words[CODEC_MAX_WORDS];	/* in wire order */
	u32 nwords;	/* number of entries of @words in use */
	int error;	/* error that the decoder must return */
};

/* A random number generator for kernel and userspace */
struct codec_rng {
	u64 state;	/* never zero */
};

extern const struct codec_vector codec_vectors[];
extern const unsigned int codec_vector_count;

RPCRDMA_GEN_PARAMS(codec_vector_gen_params);

u8 *codec_buffer(struct kunit *test, u32 len);
u8 *codec_message(struct kunit *test, const u32 *words, u32 nwords);
u32 codec_header_size(const struct codec_vector *v);
bool codec_looks_like_v1(const struct codec_vector *v, u32 len);
int codec_decode(u32 version, struct rpcrdma_hdr *hdr, const u8 *buf, u32 len);
int codec_reencode(const struct rpcrdma_hdr *hdr, u8 *buf, u32 size);
void codec_check(struct kunit *test, const struct rpcrdma_hdr *hdr);

void codec_encode_decode(struct kunit *test, struct rpcrdma_hdr *hdr, u32 type,
			 void (*body)(struct rpcrdma_encoder *enc, const void *arg),
			 const void *arg);
void codec_expect_props(struct kunit *test, const struct rpcrdma_props *props,
			const struct rpcrdma_props *want,
			const struct rpcrdma_props *others, u32 which);

void codec_seed(struct kunit *test, struct codec_rng *rng);
u32 codec_random(struct codec_rng *rng, u32 below);

#endif /* _RPCRDMA_CODEC_VECTORS_H */
