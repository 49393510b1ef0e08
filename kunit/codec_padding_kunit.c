// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: only the padding of an RDMA_MSGP (RFC 5666 section 3.9) is removed,
 * and a message is refused if its padding cannot be located. If this failed,
 * files would contain padding.
 */
#include "suite.h"
#include "codec_vectors.h"
#include "padded_messages.h"

/* Words of a call and of a reply, as offsets from the start of the header */
#define W_DIRECTION	10
#define W_RPCVERS	11
#define W_PROGRAM	12
#define W_VERS		13
#define W_PROC		14
#define W_FLAVOR	15
#define W_CRED_LEN	16
#define W_CRED		17
#define W_REPLY_STAT	11
#define W_REPLY_VERF	13

/* The message, a copy from which padding is removed, and its header */
static struct padded_message m;
static u8 *copy;
static struct rpcrdma_hdr hdr;

/* Messages whose padding can be located */
enum kind { CALL, REPLY, REPLY_WITHOUT_ATTRIBUTES };

static void build(struct kunit *test, enum kind kind, const struct padded_shape *s)
{
	m.buf = codec_buffer(test, PADDED_MAX);
	if (kind == CALL)
		padded_build_call(&m, s);
	else
		padded_build_reply(&m, s, kind == REPLY);
}

static int unpad(enum kind kind)
{
	return kind == CALL ? rpcrdma_unpad_call(&hdr, copy) : rpcrdma_unpad_reply(&hdr, copy);
}

/* Decode a copy of exactly @len bytes, so that the sanitizer detects overruns. */
static void decode(struct kunit *test, u32 len)
{
	copy = memcpy(codec_buffer(test, len), m.buf, len);
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_decode(&hdr, copy, len));
}

/* Expect an RDMA_MSG that has lost the padding, and no other bytes. */
static void expect_unpadded(struct kunit *test, enum kind kind,
			    const struct padded_shape *s)
{
	u32 padding = s->padding, data;

	build(test, kind, s);
	decode(test, m.len);
	data = (m.item + 1) * RPCRDMA_XDR_UNIT + padding;
	KUNIT_EXPECT_EQ(test, 0, unpad(kind));
	KUNIT_EXPECT_EQ(test, hdr.type, (u32)RPCRDMA_MSG);
	KUNIT_ASSERT_EQ(test, hdr.payload, PADDED_HEADER + padding);
	KUNIT_EXPECT_EQ(test, hdr.len, m.len);
	KUNIT_EXPECT_EQ(test, 0, memcmp(copy + hdr.payload, m.buf + PADDED_HEADER,
					data - hdr.payload));
	KUNIT_EXPECT_EQ(test, 0, memcmp(copy + data, m.buf + data, m.len - data));
}

/* Expect the message to be refused, and unchanged. */
static void expect_refused(struct kunit *test, enum kind kind)
{
	KUNIT_EXPECT_EQ(test, RPCRDMA_EPADDING, unpad(kind));
	KUNIT_EXPECT_EQ(test, hdr.type, (u32)RPCRDMA_MSGP);
	KUNIT_EXPECT_EQ(test, hdr.payload, PADDED_HEADER);
	KUNIT_EXPECT_EQ(test, 0, memcmp(copy, m.buf, hdr.len));
}

/* With these lengths of the other items, unpadded data begins at byte 156. */
#define SMALL	24, 0, 32

static const struct padded_shape shapes[] = {
	{ "the data begins at the alignment", 512, 512, SMALL, 2048, 356 },
	{ "length not a multiple of four", 512, 512, SMALL, 2045, 356 },
	{ "one byte above the threshold", 512, 512, SMALL, 513, 356 },
	{ "as long as the threshold", 512, 512, SMALL, 512, 356 },
	{ "as long as the threshold, not padded", 512, 512, SMALL, 512, 0 },
	{ "below the threshold", 512, 512, SMALL, 511, 0 },
	{ "nothing", 512, 512, SMALL, 0, 0 },
	{ "aligned already", 32, 512, 24, 0, 36, 2048, 0 },
	{ "aligned to 8", 8, 512, SMALL, 2048, 4 },
	{ "aligned to 4", 4, 512, SMALL, 2048, 0 },
	{ "aligned to 4096", 4096, 512, SMALL, 2048, 3940 },
	{ "longest credential", 512, 512, 400, 0, 32, 2048, 492 },
	{ "all of them longest", 512, 512, 400, 400, 64, 2048, 60 },
	{ "odd lengths", 512, 512, 23, 1, 29, 2048, 352 },
	{ "no credential, verifier or file handle", 512, 512, 0, 0, 0, 2048,
	  412 },
	{ "threshold just above the credential", 512, 33, 32, 0, 32, 2048,
	  348 },
};

KUNIT_ARRAY_PARAM_DESC(shape, shapes, name);

static const struct padded_shape replies[] = {
	{ "the data begins at the alignment", 512, 512, 0, 0, 0, 2048, 348 },
	{ "as long as the threshold, not padded", 512, 512, 0, 0, 0, 512, 0 },
	{ "below the threshold", 512, 512, 0, 0, 0, 511, 0 },
	{ "longest verifier", 512, 512, 0, 400, 0, 2048, 460 },
};

KUNIT_ARRAY_PARAM_DESC(reply, replies, name);

/* RFC 5666 section 3.9: padding is removed from NFSv3 WRITE calls. */
static void call_unpadded(struct kunit *test)
{
	expect_unpadded(test, CALL, test->param_value);
}

/* A change that turns a well-formed message into a refused one */
struct change {
	const char *name;
	enum kind kind;
	u32 word;	/* offset of the word, or W_VERF to W_ITEM */
	u32 value;	/* its new value */
};

#define W_ALIGN		4
#define W_THRESH	5
#define W_VERF		1000
#define W_HANDLE	1001
#define W_ATTRS		1002
#define W_ITEM		1003

static void change(const struct change *c)
{
	const u32 words[] = { m.verf, m.handle, m.attrs, m.item };
	u32 word = c->word < W_VERF ? c->word : words[c->word - W_VERF];

	put_unaligned_be32(c->value, m.buf + word * RPCRDMA_XDR_UNIT);
}

static const struct change changes[] = {
	{ "alignment 768", CALL, W_ALIGN, 768 },
	{ "alignment 0", CALL, W_ALIGN, 0 },
	{ "another alignment", CALL, W_ALIGN, 256 },
	{ "threshold 0", CALL, W_THRESH, 0 },
	{ "threshold as long as the credential", CALL, W_THRESH, 24 },
	{ "neither call nor reply", CALL, W_DIRECTION, 2 },
	{ "RPC version 1", CALL, W_RPCVERS, 1 },
	{ "another program", CALL, W_PROGRAM, PADDED_NFS + 1 },
	{ "NFSv4", CALL, W_VERS, 4 },
	{ "SYMLINK", CALL, W_PROC, 10 },
	{ "RPCSEC_GSS without its fields", CALL, W_FLAVOR, PADDED_GSS },
	{ "unknown flavor", CALL, W_FLAVOR, 7 },
	{ "credential longer than it may be", CALL, W_CRED_LEN, 404 },
	{ "credential a word shorter", CALL, W_CRED_LEN, 20 },
	{ "verifier longer than it may be", CALL, W_VERF, 404 },
	{ "verifier of 4 bytes", CALL, W_VERF, 4 },
	{ "file handle longer than it may be", CALL, W_HANDLE, 68 },
	{ "file handle a word longer", CALL, W_HANDLE, 36 },
	{ "data a word shorter", CALL, W_ITEM, 2044 },
	{ "data a byte longer", CALL, W_ITEM, 2049 },
	{ "data as long as the threshold, and more behind it", CALL, W_ITEM, 512 },
	{ "data as long as the padding, too", CALL, W_ITEM, 2048 + 356 },
	{ "data of 2^32 - 1 bytes", CALL, W_ITEM, ~0u },
	{ "reply: alignment 3", REPLY, W_ALIGN, 3 },
	{ "reply: alignment 2^31", REPLY, W_ALIGN, 1u << 31 },
	{ "reply: threshold 0", REPLY, W_THRESH, 0 },
	{ "reply: a call", REPLY, W_DIRECTION, PADDED_CALL },
	{ "reply: rejected", REPLY, W_REPLY_STAT, 1 },
	{ "reply: verifier longer than it may be", REPLY, W_REPLY_VERF, 404 },
	{ "reply: verifier of 4 bytes", REPLY, W_REPLY_VERF, 4 },
	{ "reply: not executed", REPLY, W_REPLY_VERF + 1, 2 },
	{ "reply: failed", REPLY, W_REPLY_VERF + 2, 5 },
	{ "reply: attributes neither there nor not", REPLY, W_ATTRS, 2 },
	{ "reply: data a word shorter", REPLY, W_ITEM, 2044 },
	{ "reply: data longer than the message", REPLY, W_ITEM, 2048 + 352 },
	{ "reply: data of 2^32 - 1 bytes", REPLY, W_ITEM, ~0u },
};

KUNIT_ARRAY_PARAM_DESC(change, changes, name);

/* RFC 5666 section 3.9: the place of the padding is never guessed. */
static void refused(struct kunit *test)
{
	const struct change *c = test->param_value;

	build(test, c->kind, c->kind == CALL ? shapes : replies);
	change(c);
	decode(test, m.len);

	expect_refused(test, c->kind);
}

/* RFC 5666 section 3.7: a position in a padded stream is ambiguous. */
static void call_with_read_chunk_refused(struct kunit *test)
{
	build(test, CALL, shapes);
	decode(test, m.len);
	hdr.reads.segments = 1;

	expect_refused(test, CALL);
}

/* A length of 2^32 - 1 is rounded up to 0, and then only the padding would be left. */
static void call_of_4_gib_refused(struct kunit *test)
{
	build(test, CALL, shapes);
	change(&(struct change){ NULL, CALL, W_ITEM, ~0u });
	decode(test, m.len - shapes[0].length);

	expect_refused(test, CALL);
}

/* An RPCSEC_GSS credential (RFC 2203 section 5), or an AUTH_NONE credential */
static const struct gss {
	const char *name;
	u32 bytes;	/* length of the credential */
	u32 words[4];	/* version, procedure, sequence number, service */
	bool ok;	/* the arguments are not in another item */
	bool none;	/* AUTH_NONE */
} gss_cases[] = {
	{ "authentication only", 24, { 1, 0, 5, 1 }, true },
	{ "no context", 16, { 1, 0, 5, 1 }, true },
	{ "integrity", 24, { 1, 0, 5, 2 }, false },
	{ "privacy", 24, { 1, 0, 5, 3 }, false },
	{ "version 2", 24, { 2, 0, 5, 1 }, false },
	{ "context creation", 24, { 1, 1, 5, 1 }, false },
	{ "without service", 12, { 1, 0, 5, 1 }, false },
	{ "empty", 0, { 1, 0, 5, 1 }, false },
	{ "AUTH_NONE", 0, { }, true, true },
};

KUNIT_ARRAY_PARAM_DESC(gss, gss_cases, name);

static void gss_services(struct kunit *test)
{
	const struct gss *g = test->param_value;
	struct padded_shape s = { NULL, 512, 512, g->bytes, 0, 32, 2048, 0 };
	u32 i;

	s.padding = 356 + 24 - g->bytes;
	build(test, CALL, &s);
	change(&(struct change){ NULL, CALL, W_FLAVOR, g->none ? 0 : PADDED_GSS });
	for (i = 0; i < g->bytes / RPCRDMA_XDR_UNIT && i < 4; i++)
		change(&(struct change){ NULL, CALL, W_CRED + i, g->words[i] });
	decode(test, m.len);

	KUNIT_EXPECT_EQ(test, g->ok ? 0 : RPCRDMA_EPADDING, unpad(CALL));
}

/* RFC 5666 section 3.9: padding is removed from NFSv3 READ replies. */
static void reply_unpadded(struct kunit *test)
{
	const struct padded_shape *s = test->param_value;
	struct padded_shape without = *s;

	expect_unpadded(test, REPLY, s);
	if (s->padding)
		without.padding = (s->padding + 84) % 512;
	expect_unpadded(test, REPLY_WITHOUT_ATTRIBUTES, &without);
}

/* The padding can be located only in a complete message. */
static void cut_anywhere(struct kunit *test)
{
	enum kind kind;
	u32 len;

	for (kind = CALL; kind <= REPLY; kind++) {
		build(test, kind, kind == CALL ? shapes : replies);
		for (len = PADDED_HEADER; len < m.len; len++) {
			decode(test, len);
			expect_refused(test, kind);
		}
	}
}

/* An RDMA_MSGP with or without padding */
struct none_case {
	const char *name;
	u32 align;	/* rdma_align */
	u32 thresh;	/* rdma_thresh */
	bool none;	/* it has no padding */
};

/* The RPC message has 100 bytes. */
static const struct none_case none_cases[] = {
	{ "no alignment", 0, 0, true },
	{ "aligned to 1", 1, 0, true },
	{ "aligned to 3", 3, 0, false },
	{ "aligned to 4", 4, 0, true },
	{ "aligned to 8", 8, 0, false },
	{ "threshold longer than the message", 512, 101, true },
	{ "threshold as long as the message", 512, 100, false },
	{ "largest alignment and threshold", ~0u, ~0u, true },
};

KUNIT_ARRAY_PARAM_DESC(none, none_cases, name);

static void like_msg(struct kunit *test)
{
	const struct none_case *c = test->param_value;
	struct padded_shape s = { .align = c->align, .thresh = c->thresh };

	m.buf = codec_buffer(test, PADDED_MAX);
	padded_begin(&m, &s);
	padded_put_bytes(&m, 100 - RPCRDMA_XDR_UNIT, 0);

	KUNIT_EXPECT_EQ(test, rpcrdma_decode_msgp(&hdr, m.buf, m.len), 0);
	KUNIT_EXPECT_EQ(test, hdr.type, c->none ? RPCRDMA_MSG : RPCRDMA_MSGP);
	/* The fixed part alone is too short for an RDMA_MSGP. */
	KUNIT_EXPECT_LT(test, rpcrdma_decode_msgp(&hdr, m.buf,
						  RPCRDMA_V1_FIXED_SIZE), 0);
	KUNIT_EXPECT_EQ(test, hdr.type, RPCRDMA_MSGP);
}

static struct kunit_case padding_cases[] = {
	KUNIT_CASE_PARAM(call_unpadded, shape_gen_params),
	KUNIT_CASE_PARAM(refused, change_gen_params),
	KUNIT_CASE(call_with_read_chunk_refused),
	KUNIT_CASE(call_of_4_gib_refused),
	KUNIT_CASE_PARAM(gss_services, gss_gen_params),
	KUNIT_CASE_PARAM(reply_unpadded, reply_gen_params),
	KUNIT_CASE(cut_anywhere),
	KUNIT_CASE_PARAM(like_msg, none_gen_params),
	{}
};

SUITE("rpcrdma_codec_padding", padding_cases);
