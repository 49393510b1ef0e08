// SPDX-License-Identifier: GPL-2.0-only
/* A connection of the client, and the one to the real server behind it. */

#include <stdlib.h>

#include "responder.h"

/* Time limit for an RDMA operation, in milliseconds; the client may be gone */
#define RDMA_TIMEOUT	2000

static int stage_create(struct link *link)
{
	link->stage = aligned_alloc(4096, STAGE_SIZE);
	if (!link->stage)
		return -1;
	memset(link->stage, 0, STAGE_SIZE);
	link->stage_mr = ibv_reg_mr(link->ep.pd, link->stage, STAGE_SIZE,
				    IBV_ACCESS_LOCAL_WRITE);
	return link->stage_mr ? 0 : -1;
}

static int lent_create(struct link *link)
{
	link->lent = aligned_alloc(4096, LENDS * LEND_SIZE);
	if (!link->lent)
		return -1;
	link->lent_mr = ibv_reg_mr(link->ep.pd, link->lent, LENDS * LEND_SIZE,
				   IBV_ACCESS_REMOTE_READ);
	return link->lent_mr ? 0 : -1;
}

/* Return: the link for a connect request, or NULL if there can be none. */
struct link *link_create(struct responder *r, struct rdma_cm_id *id)
{
	struct link *link = NULL;
	u32 i;

	for (i = 0; i < LINKS && !link; i++)
		if (!r->links[i].id)
			link = &r->links[i];
	if (!link)
		return NULL;
	memset(link, 0, sizeof(*link));
	link->id = id;
	link->version = RPCRDMA_VERSION_1;
	link->granted = 1;
	id->context = link;
	link->ready = true;
	if (endpoint_create(&link->ep, id, true) || stage_create(link) ||
	    lent_create(link) ||
	    records_open(&link->records, "127.0.0.1", "2049", STAGE_SIZE)) {
		link->gone = true;
		return NULL;
	}
	return link;
}

void link_destroy(struct link *link)
{
	if (link->id->qp)
		rdma_destroy_qp(link->id);
	if (link->stage_mr)
		ibv_dereg_mr(link->stage_mr);
	if (link->lent_mr)
		ibv_dereg_mr(link->lent_mr);
	endpoint_destroy(&link->ep);
	rdma_destroy_id(link->id);
	records_close(&link->records);
	free(link->stage);
	free(link->lent);
	link->id = NULL;
}

/* Process completions; keep messages for later. */
void link_poll(struct link *link)
{
	enum endpoint_done what;
	struct completion done;

	while ((what = endpoint_poll(&link->ep, &done)) != EP_NOTHING) {
		if (what == EP_RDMA) {
			link->rdma_done = true;
			link->rdma_ok = done.ok;
		}
		if (what == EP_RECEIVED && done.ok && link->queued < EP_RECVS)
			link->queue[link->queued++] = done;
	}
	if (link->ep.dead)
		link->gone = true;
}

/* Move data between @offset in the stage and @seg. Return: 0 on success. */
int link_rdma(struct link *link, enum ibv_wr_opcode opcode, u32 offset,
	      const struct rpcrdma_segment *seg)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)link->stage + offset,
		.length = seg->length,
		.lkey = link->stage_mr->lkey,
	};
	long end = endpoint_now() + RDMA_TIMEOUT;

	if (seg->length > STAGE_SIZE - offset)
		return -1;
	link->rdma_done = false;
	link->rdma_ok = false;
	if (endpoint_rdma(&link->ep, opcode, &sge, seg->handle, seg->offset, 0))
		return -1;
	for (;;) {
		link_poll(link);
		if (link->rdma_done || endpoint_now() > end)
			break;
		endpoint_sleep(&link->ep, 5);
	}
	return link->rdma_ok ? 0 : -1;
}

int link_send(struct link *link, const u8 *buf, u32 len,
	      enum ibv_wr_opcode opcode, u32 extra)
{
	long end = endpoint_now() + RDMA_TIMEOUT;
	u8 *slot;

	while (!(slot = endpoint_slot(&link->ep)) && endpoint_now() < end) {
		endpoint_sleep(&link->ep, 5);
		link_poll(link);
	}
	if (!slot || len > MSG_SIZE)
		return -1;
	if (len >= 12 && get_unaligned_be32(buf + 8) > link->granted)
		link->granted = get_unaligned_be32(buf + 8);
	changes_note(link, buf, len);
	memcpy(slot, buf, len);
	return endpoint_send(&link->ep, slot, len, opcode, extra);
}
