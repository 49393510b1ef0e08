/* SPDX-License-Identifier: GPL-2.0-only */
/* A header in neutral form, which two independent codecs are asked to convey. */
#ifndef _CODEC_MODEL_H
#define _CODEC_MODEL_H

#include <rpcrdma/platform.h>

#define MODEL_MAX_SEGMENTS	8
#define MODEL_MAX_CHUNKS	4
#define MODEL_MAX_PROPS		5
#define MODEL_MAX_PROP_LEN	16
#define MODEL_SUBSETS		3
#define MODEL_MAX_WORDS		3
#define MODEL_MAX_SIZE		1024

struct model_segment {
	u32 position;
	u32 handle;
	u32 length;
	u64 offset;
};

struct model_chunk {
	u32 segcount;
	struct model_segment segs[MODEL_MAX_SEGMENTS];
};

struct model_prop {
	u32 id;
	u32 len;
	u8 data[MODEL_MAX_PROP_LEN];
};

struct model_subset {
	u32 count;
	u32 words[MODEL_MAX_WORDS];
};

struct model {
	u32 xid;
	u32 version;
	u32 credits;
	u32 type;
	u32 align;
	u32 thresh;
	u32 err;
	u32 low;
	u32 high;
	u32 nreads;
	struct model_segment reads[MODEL_MAX_SEGMENTS];
	u32 nwrites;
	struct model_chunk writes[MODEL_MAX_CHUNKS];
	u32 nreply;
	struct model_chunk reply;
	u32 flags;
	u32 inv_handle;
	u32 err_index;
	u32 err_value;
	u32 nprops;
	struct model_prop props[MODEL_MAX_PROPS];
	u32 pendclr;
	struct model_subset subsets[MODEL_SUBSETS];
};

void model_random(struct model *m, u32 version, u64 *state);
bool model_equal(const struct model *a, const struct model *b);

/* Each codec under comparison: bytes written or consumed, or -1. */
int ours_encode(const struct model *m, void *buf, size_t size);
int ours_decode(struct model *m, const void *buf, size_t len);
int rpcgen_encode(const struct model *m, void *buf, size_t size);
int rpcgen_decode(struct model *m, const void *buf, size_t len);
int rpcgen2_encode(const struct model *m, void *buf, size_t size);
int rpcgen2_decode(struct model *m, const void *buf, size_t len);

#endif /* _CODEC_MODEL_H */
