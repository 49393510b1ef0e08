// SPDX-License-Identifier: GPL-2.0-only
/*
 * One header, encoded or decoded many times by one codec.
 *
 * bench CODEC OPERATION SHAPE ROUNDS prints nanoseconds per header. Counted by
 * an instruction counter at two numbers of rounds, the difference is
 * instructions per header. The codec "none" does nothing: what it costs is the
 * loop's.
 */

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rpcrdma/codec.h>

#include "rpcrdma_v1.h"

enum shape { PLAIN, READ, WRITE };

static const struct rpcrdma_segment seg = {
	.handle	= 0x01020304,
	.length	= 65536,
	.offset	= 0x1122334455667788ull,
};

static unsigned char buf[256];
static volatile u64 sink;

/* Keep the compiler from computing at compile time what differs at run time. */
#define unknown(x)	__asm__ volatile("" : "+r" (x))

static __attribute__((noinline)) int ours_encode(enum shape shape)
{
	const struct rpcrdma_segment *target = &seg;
	struct rpcrdma_encoder enc;
	u32 xid = 1, credits = 32;

	unknown(xid);
	unknown(credits);
	unknown(target);
	if (shape == PLAIN)
		return rpcrdma_encode_plain(buf, sizeof(buf), htonl(xid),
					    RPCRDMA_VERSION_1, credits,
					    RPCRDMA_MSG);
	rpcrdma_encode_init(&enc, buf, sizeof(buf));
	rpcrdma_encode_fixed(&enc, htonl(xid), RPCRDMA_VERSION_1, credits,
			     RPCRDMA_MSG);
	if (shape == READ)
		rpcrdma_encode_read_segment(&enc, 128, target);
	rpcrdma_encode_list_end(&enc);
	if (shape == WRITE) {
		rpcrdma_encode_chunk_begin(&enc);
		rpcrdma_encode_segment(&enc, target);
		rpcrdma_encode_chunk_end(&enc);
	}
	rpcrdma_encode_list_end(&enc);
	rpcrdma_encode_list_end(&enc);
	return rpcrdma_encode_finish(&enc);
}

/* As a transport does it: decode, then fetch every segment that there is. */
static __attribute__((noinline)) int ours_decode(int len)
{
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_segment wseg;
	struct rpcrdma_cursor cur;
	struct rpcrdma_hdr hdr;
	u32 segcount;
	u64 sum = 0;

	if (rpcrdma_decode(&hdr, buf, len))
		return -1;
	if (hdr.reads.segments) {
		rpcrdma_reads_begin(&hdr, &cur);
		while (rpcrdma_reads_next(&cur, &rseg))
			sum += rseg.seg.offset;
	}
	if (hdr.writes.chunks) {
		rpcrdma_chunks_begin(&hdr, &hdr.writes, &cur);
		while (rpcrdma_chunks_next(&cur, &segcount))
			while (rpcrdma_segments_next(&cur, &wseg))
				sum += wseg.offset;
	}
	sink = sum;
	return hdr.payload;
}

static void rpcgen_fill(x1_header *h, enum shape shape)
{
	static struct x1_read_list reads;
	static struct x1_write_list writes;
	static struct x1_segment target;

	memset(h, 0, sizeof(*h));
	h->xid = 1;
	h->vers = RPCRDMA_VERSION_1;
	h->credit = 32;
	h->body.proc = X1_MSG;
	target.handle = seg.handle;
	target.length = seg.length;
	target.offset = seg.offset;
	reads.entry.position = 128;
	reads.entry.target = target;
	writes.entry.target.target_len = 1;
	writes.entry.target.target_val = &target;
	if (shape == READ)
		h->body.x1_body_u.msg.reads = &reads;
	if (shape == WRITE)
		h->body.x1_body_u.msg.writes = &writes;
}

static __attribute__((noinline)) int rpcgen_encode(x1_header *h)
{
	XDR xdrs;

	xdrmem_create(&xdrs, (char *)buf, sizeof(buf), XDR_ENCODE);
	if (!xdr_x1_header(&xdrs, h))
		return -1;
	return xdr_getpos(&xdrs);
}

static __attribute__((noinline)) int rpcgen_decode(int len)
{
	x1_header h;
	XDR xdrs;
	int ret;

	memset(&h, 0, sizeof(h));
	xdrmem_create(&xdrs, (char *)buf, len, XDR_DECODE);
	if (!xdr_x1_header(&xdrs, &h))
		return -1;
	ret = xdr_getpos(&xdrs);
	xdr_free((xdrproc_t)xdr_x1_header, (char *)&h);
	return ret;
}

static __attribute__((noinline)) int nothing(int len)
{
	unknown(len);
	return len;
}

static double run(char codec, bool encode, enum shape shape, unsigned long n)
{
	bool ours = codec == 'o';

	struct timespec from, to;
	int len, ret = 0;
	unsigned long i;
	x1_header h;

	rpcgen_fill(&h, shape);
	len = rpcgen_encode(&h);
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 0; i < n; i++) {
		if (codec == 'n')
			ret = nothing(len);
		else if (encode)
			ret = ours ? ours_encode(shape) : rpcgen_encode(&h);
		else
			ret = ours ? ours_decode(len) : rpcgen_decode(len);
		if (ret != len)
			return -1;
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	return ((to.tv_sec - from.tv_sec) * 1e9 +
		(to.tv_nsec - from.tv_nsec)) / n;
}

static enum shape shape_of(const char *name)
{
	if (!strcmp(name, "read"))
		return READ;
	return strcmp(name, "write") ? PLAIN : WRITE;
}

int main(int argc, char **argv)
{
	double ns;

	if (argc != 5) {
		fputs("usage: bench CODEC OPERATION SHAPE ROUNDS\n", stderr);
		return 2;
	}
	ns = run(*argv[1], !strcmp(argv[2], "encode"),
		 shape_of(argv[3]), strtoul(argv[4], NULL, 0));
	if (ns < 0) {
		fprintf(stderr, "bench: a header of the wrong length\n");
		return 1;
	}
	printf("%.1f\n", ns);
	return 0;
}
