/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of calls with Read chunks, valid ones and malformed ones */
#ifndef _SVC_READ_CASES_H
#define _SVC_READ_CASES_H

/* A call with Read chunks */
static const struct read_case {
	const char *name;
	u32 type, base, nchunks;
	struct {
		u32 position, length;
	} chunks[MAX_CHUNKS];
	u32 segments;	/* of each chunk; 0: one */
	bool reverse;
} read_cases[] = {
	/* RFC 8166 section 3.4.5: one chunk, the usual NFS WRITE */
	{ "one chunk at the end", RPCRDMA_MSG, 140, 1, { { 140, 4096 } } },
	{ "one chunk, odd length", RPCRDMA_MSG, 140, 1, { { 140, 4093 } } },
	{ "one chunk in the middle", RPCRDMA_MSG, 240, 1, { { 140, 513 } } },
	{ "one chunk, one byte", RPCRDMA_MSG, 144, 1, { { 140, 1 } } },
	{ "one chunk at the start", RPCRDMA_MSG, 40, 1, { { 4, 100 } } },
	{ "one chunk, four segments", RPCRDMA_MSG, 140, 1, { { 140, 65537 } },
	  4 },
	/* RFC 5666 section 3.4: several */
	{ "two chunks", RPCRDMA_MSG, 240, 2, { { 140, 8192 }, { 8432, 77 } } },
	{ "two chunks, adjacent", RPCRDMA_MSG, 140, 2,
	  { { 140, 8 }, { 148, 5000 } }, 2 },
	{ "three chunks, odd lengths", RPCRDMA_MSG, 300, 3,
	  { { 100, 1 }, { 204, 4097 }, { 4404, 3 } }, 2 },
	{ "three chunks, last one first", RPCRDMA_MSG, 300, 3,
	  { { 100, 1 }, { 204, 4097 }, { 4404, 3 } }, 2, true },
	/* RFC 5666 section 5.1: position zero */
	{ "position zero alone", RPCRDMA_NOMSG, 9000, 0, { } },
	{ "position zero, four segments", RPCRDMA_NOMSG, 9000, 0, { }, 4 },
	{ "position zero, as long as can be", RPCRDMA_NOMSG, MAX_MESG, 0, { } },
	{ "position zero and one chunk", RPCRDMA_NOMSG, 4100, 1,
	  { { 140, 6001 } }, 2 },
	{ "position zero and three chunks", RPCRDMA_NOMSG, 4100, 3,
	  { { 140, 6001 }, { 6144, 3 }, { 6148, 1 } }, 3 },
	{ "position zero comes last", RPCRDMA_NOMSG, 4100, 2,
	  { { 140, 600 }, { 900, 30000 } }, 2, true },
};

KUNIT_ARRAY_PARAM_DESC(read_case, read_cases, name);

/* Read chunks that do not fit together: refused, and nothing is read */
static const struct bad_read {
	const char *name;
	u32 type, base, n;
	struct {
		u32 position, length;
	} segs[3];
	int error;	/* 0: -EBADMSG */
} bad_reads[] = {
	{ "beyond the end of the inline part", RPCRDMA_MSG, 140, 1,
	  { { 144, 8 } } },
	{ "far beyond the end", RPCRDMA_MSG, 140, 1, { { 0xfffffffc, 8 } } },
	{ "second one beyond the end", RPCRDMA_MSG, 140, 2,
	  { { 100, 8 }, { 152, 8 } } },
	{ "inside of another one", RPCRDMA_MSG, 140, 2,
	  { { 100, 64 }, { 120, 8 } } },
	{ "position zero and an inline part", RPCRDMA_MSG, 140, 1,
	  { { 0, 100 } } },
	{ "NOMSG without position zero", RPCRDMA_NOMSG, 0, 1, { { 4, 100 } } },
	{ "NOMSG, beyond position zero's end", RPCRDMA_NOMSG, 0, 2,
	  { { 0, 100 }, { 104, 8 } } },
	{ "longer than any call", RPCRDMA_NOMSG, 0, 1,
	  { { 0, MAX_MESG + 1 } }, -E2BIG },
	{ "sum longer than any call", RPCRDMA_NOMSG, 0, 3,
	  { { 0, 0x7fffffff }, { 0, 0x7fffffff }, { 0, 0x7fffffff } }, -E2BIG },
	{ "sum wraps around 32 bits", RPCRDMA_NOMSG, 0, 2,
	  { { 0, 0xffffffff }, { 0, 101 } }, -E2BIG },
};

KUNIT_ARRAY_PARAM_DESC(bad_read, bad_reads, name);

#endif /* _SVC_READ_CASES_H */
