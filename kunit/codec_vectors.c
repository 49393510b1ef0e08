// SPDX-License-Identifier: GPL-2.0-only
/* Well-formed messages of both versions, each with its meaning. */
#include "codec_vectors.h"

#define XID	0x5eed0001

/* A version 1 message with its length: the fixed part, and the words after it */
#define VECTOR(_name, _credits, _type, ...)				\
	.name = (_name),						\
	.words = { XID, 1, (_credits), (_type), ##__VA_ARGS__ },	\
	.nwords = sizeof((const u32 []){ 0, 0, 0, 0, ##__VA_ARGS__ }) /	\
		  sizeof(u32)

/* A version 2 message: the fixed part with the flags, and the words after it */
#define V2(_name, _type, _flags, ...)					\
	.name = (_name),						\
	.words = { XID, 2, 64, (_type), (_flags), ##__VA_ARGS__ },	\
	.nwords = sizeof((const u32 []){ 0, 0, 0, 0, 0, ##__VA_ARGS__ }) / \
		  sizeof(u32)

/* Words on the wire: a segment, a Read list entry */
#define W_SEG(h, l, hi, lo)	(h), (l), (hi), (lo)
#define W_READ(pos, h, l, hi, lo) 1, (pos), (h), (l), (hi), (lo)

/* The start of an RPC call: its XID again, CALL, RPC version 2 */
#define W_CALL			XID, 0, 2

const struct codec_vector codec_vectors[] = {
	{ VECTOR("MSG without chunks (RFC 5666 3.1, 4.3)",
		 32, RPCRDMA_MSG, 0, 0, 0, W_CALL), .payload = 3 },
	{ VECTOR("MSG asking for all credits (RFC 5666 3.3)",
		 0xffffffff, RPCRDMA_MSG, 0, 0, 0, W_CALL), .payload = 3 },
	{ VECTOR("MSG, Read chunk of three segments (RFC 8166 3.4.4)",
		 8, RPCRDMA_MSG,
		 W_READ(140, 0x11, 4096, 0, 0x1000),
		 W_READ(140, 0x12, 4096, 0, 0x2000),
		 W_READ(140, 0x13, 17, 0, 0x3000), 0, 0, 0, W_CALL),
		 .payload = 3 },
	{ VECTOR("MSG with three Read chunks (RFC 5666 3.4)",
		 8, RPCRDMA_MSG, W_READ(100, 0x11, 4096, 0, 0x1000),
		 W_READ(200, 0x12, 8, 0, 0x2000),
		 W_READ(200, 0x13, 8, 0, 0x3000),
		 W_READ(300, 0x14, 1, 0, 0x4000), 0, 0, 0, W_CALL),
		 .payload = 3 },
	{ VECTOR("MSG, a Read position that recurs (RFC 8166 3.4.4)",
		 8, RPCRDMA_MSG,
		 W_READ(64, 0x11, 8, 0, 0x1000), W_READ(0, 0x12, 8, 0, 0x2000),
		 W_READ(64, 0x13, 8, 0, 0x3000), 0, 0, 0) },
	{ VECTOR("MSG, Read segments at their limits (RFC 5666 4.3)",
		 8, RPCRDMA_MSG,
		 W_READ(0xfffffffc, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff),
		 W_READ(0xfffffffc, 0, 0xffffffff, 0, 0), 0, 0, 0) },
	{ VECTOR("MSG with three Write chunks (RFC 5666 3.4, 3.6)",
		 8, RPCRDMA_MSG, 0, 1, 1, W_SEG(0x21, 4096, 0, 0x1000), 1, 2,
		 W_SEG(0x22, 8, 0, 0x2000), W_SEG(0x23, 9, 0, 0x3000), 1, 1,
		 W_SEG(0x24, 10, 0, 0x4000), 0, 0, W_CALL), .payload = 3 },
	{ VECTOR("MSG, empty Write chunks around one (RFC 8166 3.4.6)",
		 8, RPCRDMA_MSG, 0, 1, 0, 1, 1, W_SEG(0x22, 8, 0, 0x2000),
		 1, 0, 0, 0) },
	{ VECTOR("MSG, Reply chunk of two segments (RFC 5666 5.2)",
		 8, RPCRDMA_MSG, 0, 0, 1, 2,
		 W_SEG(0x31, 8192, 0, 0x9000),
		 W_SEG(0x32, 100, 0, 0xa000), W_CALL), .payload = 3 },
	{ VECTOR("MSG with an empty Reply chunk (RFC 5666 4.3)",
		 8, RPCRDMA_MSG, 0, 0, 1, 0, W_CALL), .payload = 3 },
	{ VECTOR("MSG with all three lists (RFC 5666 3.8, 4.3)",
		 8, RPCRDMA_MSG, W_READ(140, 0x11, 4096, 0, 0x1000), 0, 1, 1,
		 W_SEG(0x21, 65536, 0, 0x5000), 0, 1, 1,
		 W_SEG(0x31, 8192, 0, 0x9000), W_CALL), .payload = 3 },
	{ VECTOR("MSG, Write and Reply chunk at their limits (RFC 5666 4.3)",
		 8, RPCRDMA_MSG, 0, 1, 2,
		 W_SEG(0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff),
		 W_SEG(0, 0xffffffff, 0, 0), 0, 1, 2,
		 W_SEG(0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff),
		 W_SEG(0, 0xffffffff, 0, 0)) },
	{ VECTOR("NOMSG with a position-zero chunk (RFC 5666 5.1)",
		 8, RPCRDMA_NOMSG, W_READ(0, 0x11, 10000, 0, 0x1000), 0, 0,
		 0) },
	{ VECTOR("NOMSG, position zero with others (RFC 5666 5.1)",
		 8, RPCRDMA_NOMSG,
		 W_READ(0, 0x11, 4096, 0, 0x1000),
		 W_READ(0, 0x12, 904, 0, 0x2000),
		 W_READ(200, 0x13, 65536, 0, 0x3000),
		 W_READ(200, 0x14, 1, 0, 0x4000),
		 W_READ(400, 0x15, 512, 0, 0x5000), 0, 0, 1, 1,
		 W_SEG(0x31, 8192, 0, 0x9000)) },
#ifdef RPCRDMA_EXT_MSGP
	{ VECTOR("MSGP without chunks (RFC 5666 3.9, 4.3)",
		 8, RPCRDMA_MSGP, 4096, 1024, 0, 0, 0, W_CALL), .payload = 3,
		 .align = 4096, .thresh = 1024 },
	{ VECTOR("MSGP with all three lists (RFC 5666 3.9, 4.3)",
		 8, RPCRDMA_MSGP, 0xffffffff, 0,
		 W_READ(140, 0x11, 4096, 0, 0x1000), 0, 1, 1,
		 W_SEG(0x21, 65536, 0, 0x5000), 0, 1, 1,
		 W_SEG(0x31, 8192, 0, 0x9000), W_CALL), .payload = 3,
		 .align = 0xffffffff },
#endif
	{ VECTOR("DONE (RFC 5666 3.8, 4.3)", 8, RPCRDMA_DONE) },
	{ VECTOR("ERROR, ERR_VERS (RFC 5666 4.2)",
		 8, RPCRDMA_ERROR, 1, 1, 2),
		 .err = RPCRDMA_ERR_VERS, .index = 1, .value = 2 },
	{ VECTOR("ERROR, ERR_CHUNK alone (RFC 8166 4.5.3)",
		 8, RPCRDMA_ERROR, 2),
		 .err = RPCRDMA_ERR_CHUNK },
	{ VECTOR("ERROR, ERR_CHUNK with rdma_extra (RFC 5666 4.3)",
		 8, RPCRDMA_ERROR, 2,
		 1, 2, 3, 4, 5, 6, 7, 0xffffffff), .err = RPCRDMA_ERR_CHUNK },

	/* Version 2: draft-cel-nfsv4-rpcrdma-version-two-09, "v2 draft" */
	{ V2("RDMA2_MSG without chunks (v2 draft 5.3.1)", 0, 0, 0, 0, 0, 0, W_CALL), .payload = 3 },
	{ V2("RDMA2_MSG, a response (v2 draft 3.2)", 0, 1, 0, 0, 0, 0, XID, 1, 0), .payload = 3 },
	{ V2("RDMA2_MSG with unknown flags (v2 draft 3.2)",
	     0, 0xfffffffe, 0, 0, 0, 0, XID), .payload = 1 },
	{ V2("RDMA2_MSG with all lists and a handle to invalidate (v2 draft 3.3)",
	     0, 0, 0x77, W_READ(100, 0x77, 4096, 1, 0x2000), 0,
	     1, 1, W_SEG(0x78, 4096, 1, 0x3000), 0,
	     1, 1, W_SEG(0x79, 4096, 1, 0x4000), XID, 0), .payload = 2 },
	{ V2("RDMA2_NOMSG without chunks (v2 draft 5.3.2)", 1, 0, 0, 0, 0, 0) },
	{ V2("RDMA2_NOMSG with a position-zero chunk (v2 draft 5.3.2)",
	     1, 0, 0x77, W_READ(0, 0x77, 4096, 1, 0x2000), 0, 0, 0) },
	{ V2("RDMA2_NOMSG with a Reply chunk (v2 draft 5.3.2)",
	     1, 1, 0, 0, 0, 1, 1, W_SEG(0x77, 4096, 1, 0x2000)) },
	{ V2("RDMA2_DONE, an OPTIONAL type", 3, 0) },
	{ V2("RDMA2_ERR_VERS (v2 draft 5.3.3)", 4, 1, 1, 1, 2), .err = 1, .index = 1, .value = 2 },
	{ V2("RDMA2_ERR_BAD_XDR (v2 draft 5.3.3)", 4, 1, 2), .err = 2 },
	{ V2("RDMA2_ERR_INVAL_HTYPE (v2 draft 5.3.3)", 4, 1, 3), .err = 3 },
	{ V2("RDMA2_ERR_READ_CHUNKS (v2 draft 5.3.3)", 4, 1, 4, 16), .err = 4, .value = 16 },
	{ V2("RDMA2_ERR_WRITE_CHUNKS (v2 draft 5.3.3)", 4, 1, 5, 1), .err = 5, .value = 1 },
	{ V2("RDMA2_ERR_SEGMENTS (v2 draft 5.3.3)", 4, 1, 6, 0xffffffff),
	  .err = 6, .value = 0xffffffff },
	{ V2("RDMA2_ERR_WRITE_RESOURCE (v2 draft 5.3.3)", 4, 1, 7, 2, 8192),
	  .err = 7, .index = 2, .value = 8192 },
	{ V2("RDMA2_ERR_REPLY_RESOURCE (v2 draft 5.3.3)", 4, 1, 8, 100000),
	  .err = 8, .value = 100000 },
	{ V2("RDMA2_ERR_SYSTEM (v2 draft 5.3.3)", 4, 1, 9), .err = 9 },
	{ V2("RDMA2_ERROR: an unknown one has no body (v2 draft 5.3.3)", 4, 1, 77), .err = 77 },
	{ V2("ERR_VERS in version 1's form, with version 2's number",
	     4, 1, 1, 1), .err = 1, .index = 1, .value = 1 },
	{ V2("CONNPROP that says nothing (v2 draft 5.3.4)", 5, 0, 0) },
	{ V2("CONNPROP with three properties (v2 draft 5.3.4)", 5, 1, 3,
	     1, 4, 65536, 2, 4, 1, 0xffffff01, 4, 1), .props = 3 },
	{ V2("CONNPROP with odd and empty values (v2 draft 4.1)", 5, 0, 3,
	     0x1234, 5, 0x41424344, 0x45000000, 1, 0, 0x5678, 1, 0x46000000), .props = 3 },

	/* The Transport Characteristics draft, "TC" */
	{ V2("REQPROP that asks for nothing (TC 4.2)", 7, 0, 0) },
	{ V2("REQPROP that asks for a size (TC 4.2)", 7, 0, 1, 1, 4, 8192), .props = 1 },
	{ V2("REQPROP for what nobody knows, and for a default (TC 4.2)",
	     7, 0, 3, 77, 5, 0x41424344, 0x45000000, 1, 0, 78, 1, 0), .props = 3 },
	{ V2("RESPROP about nothing (TC 4.3)", 8, 1, 0, 0, 0) },
	{ V2("RESPROP, done (TC 4.3)", 8, 1, 1, 1, 0, 0) },
	{ V2("RESPROP, rejected (TC 4.3)", 8, 1, 0, 1, 2, 0) },
	{ V2("RESPROP, pending (TC 4.3)", 8, 1, 0, 0, 1, 4) },
	{ V2("RESPROP with all subsets, of different lengths (TC 4.3)",
	     8, 1, 1, 1, 3, 2, 0, 0xf, 2, 4, 0x80000000) },
	{ V2("UPDPROP (TC 4.4)", 9, 0, 1, 4, 8192, 0), .props = 1 },
	{ V2("UPDPROP of what was pending (TC 4.4)", 9, 0, 1, 4, 8192, 1), .props = 1 },
	{ V2("UPDPROP of what nobody knows (TC 4.4)",
	     9, 0, 77, 5, 0x41424344, 0x45000000, 1),
	  .props = 1 },
	{ V2("UPDPROP to the default (TC 4.4)", 9, 0, 1, 0, 0), .props = 1 },
};

const unsigned int codec_vector_count = ARRAY_SIZE(codec_vectors);
