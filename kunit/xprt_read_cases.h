/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages with Read chunks, and the RDMA Reads for them */
#ifndef _XPRT_READ_CASES_H
#define _XPRT_READ_CASES_H

/**
 * struct round_case - a message with Read chunks
 * @name: what is special about it
 * @base: bytes inline; 0: RDMA_NOMSG
 * @chunks: position and bytes of each Read chunk
 * @split: bytes of a segment; 0: one segment
 * @page_base: offset of the buffer in its page list
 * @pages: number of pages that a Read can have
 * @silent: no RDMA_DONE is sent
 * @room: bytes of the message that are read; 0: all
 * @rounds: number of chains of Reads; 1 for the DONE if there are no Reads
 * @reads: number of Reads
 */
struct round_case {
	const char *name;
	u32 base;
	struct { u32 position, length; } chunks[MAX_CHUNKS];
	u32 split;
	u32 page_base;
	u32 pages;
	bool silent;
	u32 room;
	u32 rounds;
	u32 reads;
};

static const struct round_case round_cases[] = {
	{ .name = "in the head", .chunks = { { 0, 100 } }, .pages = 4,
	  .rounds = 1, .reads = 1 },
	{ .name = "all of the head", .chunks = { { 0, HEAD } }, .pages = 4,
	  .rounds = 1, .reads = 1 },
	{ .name = "head and one byte", .chunks = { { 0, HEAD + 1 } },
	  .pages = 4, .rounds = 1, .reads = 2 },
	{ .name = "head and pages", .chunks = { { 0, HEAD + 9000 } },
	  .pages = 4, .rounds = 1, .reads = 2 },
	{ .name = "pages in two Reads", .page_base = 100,
	  .chunks = { { 0, HEAD + 4 * PAGE_SIZE } }, .pages = 4, .rounds = 1,
	  .reads = 3 },
	{ .name = "the base is in the second page", .page_base = PAGE_SIZE + 40,
	  .chunks = { { 0, HEAD + 9000 } }, .pages = 4, .rounds = 1,
	  .reads = 2 },
	{ .name = "all of the buffer",
	  .chunks = { { 0, HEAD + PAGE_BYTES + TAIL } }, .pages = PAGES,
	  .rounds = 1, .reads = 3 },
	{ .name = "scatter list of several parts", .page_base = 1,
	  .chunks = { { 0, HEAD + PAGE_BYTES + 1 } }, .pages = PAGES,
	  .rounds = 1, .reads = 3 },
	{ .name = "odd segments", .chunks = { { 0, 9001 } }, .split = 1001,
	  .pages = 4, .rounds = 1, .reads = 10 },
	{ .name = "one byte per segment", .chunks = { { 0, 20 } }, .split = 1,
	  .pages = 4, .rounds = 1, .reads = 20 },
	/* As many as the Send Queue has entries for */
	{ .name = "one entry is left for the DONE",
	  .chunks = { { 0, HEAD + (OPS - 2) * PAGE_SIZE } }, .pages = 1,
	  .rounds = 1, .reads = OPS - 1 },
	{ .name = "no entry is left for the DONE",
	  .chunks = { { 0, HEAD + (OPS - 1) * PAGE_SIZE } }, .pages = 1,
	  .rounds = 1, .reads = OPS },
	{ .name = "one Read too many",
	  .chunks = { { 0, HEAD + OPS * PAGE_SIZE } }, .pages = 1,
	  .rounds = 2, .reads = OPS + 1 },
	{ .name = "three rounds", .chunks = { { 0, 80 * 100 } }, .split = 100,
	  .pages = 1, .rounds = 3, .reads = 82 },
	/* RFC 8166 section 3.4.5: each chunk at its position */
	{ .name = "payload of an inline call", .base = 200,
	  .chunks = { { 100, 5000 } }, .pages = 4, .rounds = 1, .reads = 2 },
	{ .name = "payload with roundup", .base = 200,
	  .chunks = { { HEAD, 5001 } }, .pages = 4, .rounds = 1, .reads = 1 },
	{ .name = "payload at the end", .base = 160,
	  .chunks = { { 160, 4999 } }, .pages = 4, .rounds = 1, .reads = 1 },
	{ .name = "two payloads", .base = 100,
	  .chunks = { { 40, 301 }, { 400, 99 } }, .pages = 4, .rounds = 1,
	  .reads = 3 },
	{ .name = "nothing in the chunk", .base = 100,
	  .chunks = { { 40, 0 } }, .pages = 4, .rounds = 1 },
	{ .name = "long call and payload",
	  .chunks = { { 0, 300 }, { HEAD, 8191 } }, .pages = 4, .rounds = 1,
	  .reads = 3 },
	{ .name = "long call and two payloads",
	  .chunks = { { 0, 300 }, { 40, 1001 }, { 1044 + 8, 997 } },
	  .split = 400, .pages = 4, .rounds = 1, .reads = 10 },
	/* Longer than the buffer: the rest of it is not read */
	{ .name = "ends in a segment", .chunks = { { 0, HEAD + 9000 } },
	  .room = HEAD + 8000, .pages = 4, .rounds = 1, .reads = 2 },
	{ .name = "ends between segments", .chunks = { { 0, 9000 } },
	  .split = 100, .room = 200, .pages = 4, .rounds = 1, .reads = 3 },
	{ .name = "ends with a round",
	  .chunks = { { 0, HEAD + (OPS + 1) * PAGE_SIZE } },
	  .room = HEAD + (OPS - 1) * PAGE_SIZE, .pages = 1, .rounds = 1,
	  .reads = OPS },
	{ .name = "ends with the buffer",
	  .chunks = { { 0, HEAD + PAGE_BYTES + TAIL + 5000 } },
	  .room = HEAD + PAGE_BYTES + TAIL, .pages = PAGES, .rounds = 1,
	  .reads = 3 },
	{ .name = "ends in a payload", .base = 100,
	  .chunks = { { 40, 301 }, { 400, 99 } }, .room = 404, .pages = 4,
	  .rounds = 1, .reads = 3 },
	{ .name = "ends before a payload", .base = 100,
	  .chunks = { { 40, 301 }, { 400, 99 } }, .room = 396, .pages = 4,
	  .rounds = 1, .reads = 2 },
	{ .name = "ends behind a payload",
	  .chunks = { { 0, 300 }, { HEAD, 1001 } }, .room = HEAD + 1004 + 20,
	  .pages = 4, .rounds = 1, .reads = 3 },
	{ .name = "nothing of the chunk", .base = 100,
	  .chunks = { { 40, 301 } }, .room = 40, .pages = 4, .rounds = 1 },
	{ .name = "odd length", .chunks = { { 0, 4097 } }, .pages = 4,
	  .rounds = 1, .reads = 2 },
	/* The reverse direction: no DONE */
	{ .name = "no DONE", .chunks = { { 0, 5000 } }, .pages = 4,
	  .silent = true, .rounds = 1, .reads = 2 },
	{ .name = "no DONE, all entries", .silent = true,
	  .chunks = { { 0, HEAD + (OPS - 1) * PAGE_SIZE } }, .pages = 1,
	  .rounds = 1, .reads = OPS },
	{ .name = "no DONE, nothing to be read", .base = 100, .silent = true,
	  .chunks = { { 40, 0 } }, .pages = 4 },
};

KUNIT_ARRAY_PARAM_DESC(round_case, round_cases, name);

/* A message that has arrived, and its buffer */
struct message {
	struct xprt_rdma_recv_ctx recv;	/* its Receive */
	u8 msg[MAX_MESSAGE];		/* the message as received */
	u8 *want;			/* expected contents of the buffer */
	u32 len;			/* bytes in @want */
	struct xprt_rdma_req req;	/* its owner's request, with the buffer */
	struct xprt_rdma_layout layout;	/* where its parts belong in the buffer */
	bool silent;			/* no RDMA_DONE is sent */
};

static void fill_buffer(struct kunit *test, struct message *m, u32 page_base)
{
	struct xdr_buf *xdr = &m->req.rqst.rq_rcv_buf;
	u32 i;

	xdr->pages = fake_pages(test, PAGES + 1);
	for (i = 0; i <= PAGES; i++)
		memset(page_address(xdr->pages[i]), CANARY, PAGE_SIZE);
	xdr->head[0].iov_base = fake_zalloc(test, HEAD + TAIL);
	xdr->head[0].iov_len = HEAD;
	xdr->tail[0].iov_base = xdr->head[0].iov_base + HEAD;
	xdr->tail[0].iov_len = TAIL;
	memset(xdr->head[0].iov_base, CANARY, HEAD + TAIL);
	xdr->page_base = page_base;
	xdr->page_len = PAGE_BYTES;
	xdr->buflen = HEAD + PAGE_BYTES + TAIL;
	xdr->len = xdr->buflen;
}

/* Encode the Read list; each chunk has its own handle and address. */
static void encode_chunks(struct message *m, const struct round_case *c,
			  struct rpcrdma_encoder *enc)
{
	struct rpcrdma_segment seg;
	u32 i, left;

	for (i = 0; i < MAX_CHUNKS; i++) {
		if (!c->chunks[i].position && (i || c->base))
			break;
		seg = (struct rpcrdma_segment){ .handle = 1 + i,
						.offset = CHUNK_STEP * i };
		left = c->chunks[i].length;
		do {
			seg.length = c->split ? min(left, c->split) : left;
			rpcrdma_encode_read_segment(enc, c->chunks[i].position,
						    &seg);
			seg.offset += seg.length;
			left -= seg.length;
		} while (left);
	}
	rpcrdma_encode_list_end(enc);
	rpcrdma_encode_list_end(enc);
	rpcrdma_encode_list_end(enc);
}

/* The complete message: its base, with each chunk at its position */
static void expect_message(struct kunit *test, struct message *m,
			   const struct round_case *c, const u8 *inlined)
{
	u32 i = !c->base, j, base_len = c->base ?: c->chunks[0].length;
	u32 base = 0, at = 0;
	u8 *want;

	want = fake_zalloc(test, HEAD + PAGE_BYTES + TAIL + 2 * PAGE_SIZE);
	for (;;) {
		if (i < MAX_CHUNKS && c->chunks[i].position == at && at) {
			for (j = 0; j < c->chunks[i].length; j++)
				want[at++] = fake_remote_byte(1 + i,
							      CHUNK_STEP * i +
							      j);
			at = ALIGN(at, 4);
			i++;
			continue;
		}
		if (base == base_len)
			break;
		want[at++] = c->base ? inlined[base] :
				       fake_remote_byte(1, base);
		base++;
	}
	m->want = want;
	m->len = ALIGN(at, 4);
}

#endif /* _XPRT_READ_CASES_H */
