/* SPDX-License-Identifier: GPL-2.0-only */
/* A header in neutral form, which two independent codecs are asked to convey. */
#ifndef _CODEC_MODEL_H
#define _CODEC_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_MAX_SEGMENTS	8
#define MODEL_MAX_CHUNKS	4
#define MODEL_MAX_SIZE		1024

struct model_segment {
	uint32_t position;
	uint32_t handle;
	uint32_t length;
	uint64_t offset;
};

struct model_chunk {
	uint32_t segcount;
	struct model_segment segs[MODEL_MAX_SEGMENTS];
};

struct model {
	uint32_t xid;
	uint32_t version;
	uint32_t credits;
	uint32_t type;
	uint32_t align;
	uint32_t thresh;
	uint32_t err;
	uint32_t low;
	uint32_t high;
	uint32_t nreads;
	struct model_segment reads[MODEL_MAX_SEGMENTS];
	uint32_t nwrites;
	struct model_chunk writes[MODEL_MAX_CHUNKS];
	uint32_t nreply;
	struct model_chunk reply;
};

void model_random(struct model *m, uint64_t *state);
bool model_equal(const struct model *a, const struct model *b);

/* Each codec under comparison: bytes written or consumed, or -1. */
int ours_encode(const struct model *m, void *buf, size_t size);
int ours_decode(struct model *m, const void *buf, size_t len);
int rpcgen_encode(const struct model *m, void *buf, size_t size);
int rpcgen_decode(struct model *m, const void *buf, size_t len);

#endif /* _CODEC_MODEL_H */
