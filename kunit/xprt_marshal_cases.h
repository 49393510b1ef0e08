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

/* A call and the chunks it should have */
struct marshal_case {
	const char *name;	/* what is special about it */
	u32 threshold;		/* inline threshold in both directions */
	u32 head;		/* bytes of the call before its page list */
	u32 pages;		/* bytes in its page list */
	u32 tail;		/* bytes after it */
	bool payload;		/* the page list may be placed directly */
	u32 rpages;		/* bytes in the reply's page list */
	u32 rhead;		/* bytes of the reply outside of @rpages */
	bool rpayload;		/* the reply's page list may be placed directly */
	bool readlink;		/* NFSv3 READLINK, whose reply NFS does not mark as a payload */
	bool getxattr;		/* NFSv4 GETXATTR, whose reply may be longer than its buffer */
	bool protect;		/* RPCSEC_GSS integrity or privacy */
	bool no_write_chunks;	/* the peer has refused Write chunks of another call */
	struct xprt_rdma_limits limits;	/* what the peer has refused of this one */
	u32 want;		/* expected chunks */
};

#define CALL(limit)	.threshold = (limit), .head = HEAD, .rhead = REPLY_HEAD
#define WRITES(len)	.pages = (len), .payload = true
#define READS(len)	.rpages = (len), .rpayload = true

/* For xprt_marshal_kunit.c; the other suite has cases of its own. */
static const struct marshal_case marshal_cases[] __maybe_unused = {
	/* RFC 8166 section 3.5.1: short messages */
	{ "short call, short reply", CALL(4096) },
	{ "call as long as the threshold", .threshold = 1024, .head = 1024 - 28,
	  .rhead = REPLY_HEAD },
	{ "reply as long as the threshold", .threshold = 1024, .head = HEAD, .rhead = 1024 - 28 },
	{ "READDIR that fits", CALL(8192), .rpages = 4096 },
	{ "small WRITE", CALL(4096), WRITES(512) },
	/* RFC 8166 section 3.5.2: Read chunk */
	{ "WRITE of a page", CALL(4096), WRITES(4096), .want = READ_CHUNK },
	{ "WRITE one word longer than the threshold", CALL(1024), WRITES(1024 - 28 - HEAD + 4),
	  .want = READ_CHUNK },
	{ "WRITE of 1 MiB and more arguments", CALL(4096), WRITES(1 << 20), .tail = 40,
	  .want = READ_CHUNK },
	{ "WRITE of an odd length", CALL(4096), WRITES(65535), .tail = 1 + 16, .want = READ_CHUNK },
	/* RFC 8166 section 3.5.3: long calls */
	{ "call one word longer than the threshold", .threshold = 1024, .head = 1024 - 28 + 4,
	  .rhead = REPLY_HEAD, .want = ZERO_CHUNK },
	{ "long call in pages, not a payload", CALL(4096), .pages = 20000, .tail = 12,
	  .want = ZERO_CHUNK },
	{ "payload with long arguments before it", WRITES(8192), .threshold = 1024, .head = 2000,
	  .rhead = REPLY_HEAD, .want = ZERO_CHUNK | READ_CHUNK },
	/* RFC 8166 section 3.5.2: Write chunk */
	{ "READ of a page", CALL(4096), READS(4096), .want = WRITE_CHUNK },
	{ "READ of 1 MiB", CALL(1024), READS(1 << 20), .want = WRITE_CHUNK },
	{ "READ of an odd length", CALL(4096), READS(65533), .want = WRITE_CHUNK },
	{ "READ whose reply fits", CALL(4096), READS(512) },
	{ "READLINK (NFSv3)", CALL(1024), .rpages = 4096, .readlink = true, .want = WRITE_CHUNK },
	/* RFC 8166 section 3.5.3: long replies */
	{ "READDIR", CALL(4096), .rpages = 32768, .want = REPLY_CHUNK },
	{ "reply one word longer than the threshold", .threshold = 1024, .head = HEAD,
	  .rhead = 1024 - 28 + 4, .want = REPLY_CHUNK },
	{ "payload with long results around it", READS(4096), .threshold = 1024, .head = HEAD,
	  .rhead = 1024, .want = REPLY_CHUNK },
	/* Both directions at once */
	{ "long call and long reply", .threshold = 1024, .head = 3000, .rpages = 8192,
	  .rhead = REPLY_HEAD, .want = ZERO_CHUNK | REPLY_CHUNK },
	{ "WRITE with a long reply", WRITES(9000), .threshold = 1024, .head = HEAD, .rhead = 2000,
	  .want = READ_CHUNK | REPLY_CHUNK },
	/* RFC 8166 section 8.2.2: no direct placement with GSS services */
	{ "protected WRITE", CALL(4096), WRITES(65536), .protect = true, .want = ZERO_CHUNK },
	{ "protected READ", CALL(4096), READS(65536), .protect = true, .want = REPLY_CHUNK },
	/* v2 draft section 5.3.3: chunks that the peer refused are not offered again. */
	{ "refused chunks", CALL(4096), WRITES(65536), READS(65533),
	  .limits = { .no_reads = true, .no_writes = true }, .want = ZERO_CHUNK | REPLY_CHUNK },
	{ "Write chunk refused before", CALL(4096), READS(65533), .no_write_chunks = true,
	  .want = REPLY_CHUNK },
	{ "reply that did not fit inline", CALL(4096),
	  .limits = { .no_writes = true, .no_inline_reply = true }, .want = REPLY_CHUNK },
};

#endif /* _XPRT_MARSHAL_CASES_H */
