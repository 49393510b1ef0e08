/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls and their expected chunks */
#ifndef _XPRT_MARSHAL_CASES_H
#define _XPRT_MARSHAL_CASES_H

/* Chunks of a call */
#define INLINE		0
#define READ_CHUNK	1
#define ZERO_CHUNK	2
#define WRITE_CHUNK	4
#define REPLY_CHUNK	8

#define CREDITS		77u
#define DEPTH		16u
#define HEAD		160u
#define REPLY_HEAD	120u

/**
 * struct marshal_case - a call and the chunks it should have
 * @name: what is special about it
 * @threshold: inline threshold in both directions
 * @head: bytes of the call before its page list
 * @pages: bytes in its page list
 * @tail: bytes after it
 * @payload: the page list may be placed directly
 * @rpages: bytes in the reply's page list
 * @rhead: bytes of the reply outside of @rpages
 * @rpayload: the reply's page list may be placed directly
 * @readlink: NFSv3 READLINK, whose reply NFS does not mark as a payload
 * @protect: RPCSEC_GSS integrity or privacy
 * @want: expected chunks
 */
struct marshal_case {
	const char *name;
	u32 threshold;
	u32 head, pages, tail;
	bool payload;
	u32 rpages, rhead;
	bool rpayload;
	bool readlink;
	bool protect;
	u32 want;
};

/* For xprt_marshal_kunit.c; the other suite has cases of its own. */
static const struct marshal_case marshal_cases[] __maybe_unused = {
	/* RFC 8166 section 3.5.1: short messages */
	{ .name = "short call, short reply", .threshold = 4096,
	  .head = HEAD, .rhead = REPLY_HEAD, .want = INLINE },
	{ .name = "call as long as the threshold", .threshold = 1024,
	  .head = 1024 - 28, .rhead = REPLY_HEAD, .want = INLINE },
	{ .name = "reply as long as the threshold", .threshold = 1024,
	  .head = HEAD, .rhead = 1024 - 28, .want = INLINE },
	{ .name = "small WRITE", .threshold = 4096, .head = HEAD,
	  .pages = 512, .payload = true, .rhead = REPLY_HEAD,
	  .want = INLINE },
	/* RFC 8166 section 3.5.2: Read chunk */
	{ .name = "WRITE of a page", .threshold = 4096, .head = HEAD,
	  .pages = 4096, .payload = true, .rhead = REPLY_HEAD,
	  .want = READ_CHUNK },
	{ .name = "WRITE one word longer than the threshold",
	  .threshold = 1024, .head = HEAD, .pages = 1024 - 28 - HEAD + 4,
	  .payload = true, .rhead = REPLY_HEAD, .want = READ_CHUNK },
	{ .name = "WRITE of 1 MiB and more arguments", .threshold = 4096,
	  .head = HEAD, .pages = 1 << 20, .tail = 40, .payload = true,
	  .rhead = REPLY_HEAD, .want = READ_CHUNK },
	{ .name = "WRITE of an odd length", .threshold = 4096, .head = HEAD,
	  .pages = 65535, .tail = 1 + 16, .payload = true,
	  .rhead = REPLY_HEAD, .want = READ_CHUNK },
	/* RFC 8166 section 3.5.3: long calls */
	{ .name = "call one word longer than the threshold",
	  .threshold = 1024, .head = 1024 - 28 + 4, .rhead = REPLY_HEAD,
	  .want = ZERO_CHUNK },
	{ .name = "long call in pages, not a payload", .threshold = 4096,
	  .head = HEAD, .pages = 20000, .tail = 12, .rhead = REPLY_HEAD,
	  .want = ZERO_CHUNK },
	{ .name = "payload with long arguments before it", .threshold = 1024,
	  .head = 2000, .pages = 8192, .payload = true, .rhead = REPLY_HEAD,
	  .want = ZERO_CHUNK | READ_CHUNK },
	/* RFC 8166 section 3.5.2: Write chunk */
	{ .name = "READ of a page", .threshold = 4096, .head = HEAD,
	  .rpages = 4096, .rhead = REPLY_HEAD, .rpayload = true,
	  .want = WRITE_CHUNK },
	{ .name = "READ of 1 MiB", .threshold = 1024, .head = HEAD,
	  .rpages = 1 << 20, .rhead = REPLY_HEAD, .rpayload = true,
	  .want = WRITE_CHUNK },
	{ .name = "READ of an odd length", .threshold = 4096, .head = HEAD,
	  .rpages = 65533, .rhead = REPLY_HEAD, .rpayload = true,
	  .want = WRITE_CHUNK },
	{ .name = "READ whose reply fits", .threshold = 4096, .head = HEAD,
	  .rpages = 512, .rhead = REPLY_HEAD, .rpayload = true,
	  .want = INLINE },
	{ .name = "READLINK (NFSv3)", .threshold = 1024, .head = HEAD,
	  .rpages = 4096, .rhead = REPLY_HEAD, .readlink = true,
	  .want = WRITE_CHUNK },
	/* RFC 8166 section 3.5.3: long replies */
	{ .name = "READDIR", .threshold = 4096, .head = HEAD,
	  .rpages = 32768, .rhead = REPLY_HEAD, .want = REPLY_CHUNK },
	{ .name = "reply one word longer than the threshold",
	  .threshold = 1024, .head = HEAD, .rhead = 1024 - 28 + 4,
	  .want = REPLY_CHUNK },
	{ .name = "payload with long results around it", .threshold = 1024,
	  .head = HEAD, .rpages = 4096, .rhead = 1024, .rpayload = true,
	  .want = REPLY_CHUNK },
	/* Both directions at once */
	{ .name = "long call and long reply", .threshold = 1024,
	  .head = 3000, .rpages = 8192, .rhead = REPLY_HEAD,
	  .want = ZERO_CHUNK | REPLY_CHUNK },
	{ .name = "WRITE with a long reply", .threshold = 1024, .head = HEAD,
	  .pages = 9000, .payload = true, .rhead = 2000,
	  .want = READ_CHUNK | REPLY_CHUNK },
	/* RFC 8166 section 8.2.2: no direct placement with GSS services */
	{ .name = "protected WRITE", .threshold = 4096, .head = HEAD,
	  .pages = 65536, .payload = true, .protect = true,
	  .rhead = REPLY_HEAD, .want = ZERO_CHUNK },
	{ .name = "protected READ", .threshold = 4096, .head = HEAD,
	  .rpages = 65536, .rhead = REPLY_HEAD, .rpayload = true,
	  .protect = true, .want = REPLY_CHUNK },
};

#endif /* _XPRT_MARSHAL_CASES_H */
