// SPDX-License-Identifier: GPL-2.0-only
/* Accesses to the client's memory that must fail. */

#include <rpcrdma/cursor.h>
#include <stdio.h>

#include "responder.h"

/* Rounds of the main loop, 5 ms at least, before an attempt */
#define ROUNDS	40

/* A handle of a call: the first of its Read list, or else of another list */
static bool any_segment(const struct rpcrdma_hdr *hdr,
			struct rpcrdma_segment *seg, bool *read)
{
	const struct rpcrdma_list *list = hdr->writes.segments ?
					  &hdr->writes : &hdr->reply;
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;
	u32 count;

	rpcrdma_reads_begin(hdr, &cur);
	if (rpcrdma_reads_next(&cur, &rseg)) {
		*seg = rseg.seg;
		*read = true;
		return true;
	}
	*read = false;
	rpcrdma_chunks_begin(hdr, list, &cur);
	return rpcrdma_chunks_next(&cur, &count) &&
	       rpcrdma_segments_next(&cur, seg);
}

static void attempt(struct responder *r, struct link *link, bool read,
		    const struct rpcrdma_segment *seg, const char *why)
{
	enum ibv_wr_opcode opcode = read ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
	struct rpcrdma_segment part = *seg;

	if (part.length > STAGE_SIZE)
		part.length = STAGE_SIZE;
	if (r->verbose)
		printf("# %s of %u bytes with handle %08x\n",
		       read ? "read" : "write", part.length, part.handle);
	r->pokes++;
	memset(link->stage, 0xbd, part.length);
	if (!link_rdma(link, opcode, 0, &part))
		r->why = why;
	link->gone = true;
}

/* The call is about to be answered: its handles must soon be invalid. */
void poke_plan(struct link *link, const struct rpcrdma_hdr *hdr)
{
	struct poke *poke = NULL;
	u32 i;

	for (i = 0; i < POKES && !poke; i++)
		if (!link->pokes[i].rounds)
			poke = &link->pokes[i];
	if (poke && any_segment(hdr, &poke->seg, &poke->read) &&
	    poke->seg.length)
		poke->rounds = ROUNDS;
}

/* While the call is being served: in the wrong direction, or beyond the end. */
void poke_now(struct responder *r, struct link *link,
	      const struct rpcrdma_hdr *hdr, struct rng *rng)
{
	struct rpcrdma_segment seg;
	bool read;

	if (!any_segment(hdr, &seg, &read))
		return;
	if (rng_one_in(rng, 2)) {
		attempt(r, link, !read, &seg,
			"memory could be accessed in the wrong direction");
		return;
	}
	seg.length++;
	if (rng_one_in(rng, 2))
		seg.offset += seg.length - 1;
	attempt(r, link, read, &seg, "memory beyond a segment was accessible");
}

void poke_due(struct responder *r, struct link *link)
{
	u32 i;

	for (i = 0; i < POKES && !link->gone; i++) {
		struct poke *poke = &link->pokes[i];

		if (!poke->rounds || --poke->rounds)
			continue;
		attempt(r, link, poke->read, &poke->seg,
			"memory was accessible after the reply");
	}
}
