// SPDX-License-Identifier: GPL-2.0-only
/*
 * A connection to the server: setup, sending, and its end; and guarded memory.
 *
 * All memory is in one registration, so the adapter would let the server write between
 * the offered segments. A check afterwards detects such writes.
 */

#include <netdb.h>
#include <poll.h>
#include <stdlib.h>

#include "peer.h"

/* Time limit for a step of connection setup, in milliseconds */
#define CM_TIMEOUT	10000

static u8 pattern(u32 i)
{
	return (i * 2654435761u) >> 24;
}

int memory_create(struct memory *mem)
{
	memset(mem, 0, sizeof(*mem));
	mem->size = SINK_SIZE;
	mem->sink = aligned_alloc(4096, SINK_LARGEST);
	mem->offered = malloc(SINK_LARGEST);
	return mem->sink && mem->offered ? 0 : -1;
}

void memory_destroy(struct memory *mem)
{
	free(mem->sink);
	free(mem->offered);
}

/* Reset the memory: nothing is offered. */
static void memory_reset(struct memory *mem)
{
	u32 i;

	for (i = 0; i < mem->size; i++)
		mem->sink[i] = pattern(i);
	memset(mem->offered, 0, mem->size);
}

static int memory_register(struct memory *mem, struct ibv_pd *pd)
{
	const int both = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
			 IBV_ACCESS_REMOTE_WRITE;
	struct ibv_mr *mr = ibv_reg_mr(pd, mem->sink, 4096, both);

	if (!mr)
		return -1;
	mem->stale = mr->rkey;
	mem->sink_mr = ibv_reg_mr(pd, mem->sink, mem->size, both);
	ibv_dereg_mr(mr);
	return mem->sink_mr ? 0 : -1;
}

void memory_unregister(struct memory *mem)
{
	if (mem->sink_mr)
		ibv_dereg_mr(mem->sink_mr);
	mem->sink_mr = NULL;
}

struct rpcrdma_segment memory_sink(struct memory *mem, u32 offset, u32 len)
{
	return (struct rpcrdma_segment) {
		.handle = mem->sink_mr->rkey,
		.length = len,
		.offset = (uintptr_t)mem->sink + offset,
	};
}

/* Store data that the server may read or overwrite. */
void memory_set(struct memory *mem, u32 offset, const void *data, u32 len)
{
	memcpy(mem->sink + offset, data, len);
	memset(mem->offered + offset, 1, len);
}

static void offer(struct memory *mem, const struct rpcrdma_segment *seg)
{
	u64 base = (uintptr_t)mem->sink, limit = base + mem->size;
	u64 start = seg->offset > base ? seg->offset : base;
	u64 end = seg->offset + seg->length;

	if (seg->handle != mem->sink_mr->rkey)
		return;
	/* A segment can be anywhere. */
	if (end < seg->offset || end > limit)
		end = limit;
	if (start < end)
		memset(mem->offered + (start - base), 1, end - start);
}

/* Return: the name of memory that was written without an offer, or NULL. */
const char *memory_check(const struct memory *mem)
{
	u32 i;

	for (i = 0; i < mem->size; i++)
		if (!mem->offered[i] && mem->sink[i] != pattern(i))
			return "memory was written to that was not offered";
	return NULL;
}

static int next_event(struct session *s, int ms, enum rdma_cm_event_type *got)
{
	struct pollfd fd = { .fd = s->channel->fd, .events = POLLIN };
	struct rdma_cm_event *event;

	if (poll(&fd, 1, ms) <= 0 || rdma_get_cm_event(s->channel, &event))
		return -1;
	*got = event->event;
	if (*got == RDMA_CM_EVENT_ESTABLISHED)
		rpcrdma_private_decode(&s->accepted,
				       event->param.conn.private_data,
				       event->param.conn.private_data_len);
	rdma_ack_cm_event(event);
	return 0;
}

static int expect(struct session *s, enum rdma_cm_event_type want)
{
	enum rdma_cm_event_type got;

	return next_event(s, CM_TIMEOUT, &got) || got != want ? -1 : 0;
}

static int resolve(struct session *s)
{
	struct addrinfo *info;
	int ret;

	if (getaddrinfo(s->host, s->port, NULL, &info))
		return -1;
	ret = rdma_resolve_addr(s->id, NULL, info->ai_addr, 2000);
	freeaddrinfo(info);
	if (ret || expect(s, RDMA_CM_EVENT_ADDR_RESOLVED) ||
	    rdma_resolve_route(s->id, 2000))
		return -1;
	return expect(s, RDMA_CM_EVENT_ROUTE_RESOLVED);
}

/*
 * Connect, with this many Receives. Return: 0 when connected; the caller must close
 * the session in any case.
 */
int session_open(struct session *s, u32 recvs, struct rdma_conn_param *param)
{
	memory_reset(&s->mem);
	s->channel = rdma_create_event_channel();
	if (!s->channel ||
	    rdma_create_id(s->channel, &s->id, NULL, RDMA_PS_TCP) ||
	    resolve(s) || endpoint_create(&s->ep, s->id, recvs) ||
	    memory_register(&s->mem, s->ep.pd) || rdma_connect(s->id, param))
		return -1;
	s->open = !expect(s, RDMA_CM_EVENT_ESTABLISHED);
	return s->open ? 0 : -1;
}

/*
 * Return whether the server disconnects within @ms milliseconds. If it does so before the
 * last message of connection establishment has arrived, this side sees a rejection.
 */
bool session_ended(struct session *s, int ms)
{
	enum rdma_cm_event_type got;

	return !next_event(s, ms, &got) && (got == RDMA_CM_EVENT_DISCONNECTED ||
					    got == RDMA_CM_EVENT_REJECTED);
}

/* Close the session. Afterwards, the server can no longer write to the memory. */
void session_close(struct session *s, bool polite)
{
	if (s->open && polite)
		rdma_disconnect(s->id);
	/* Deregistering the memory first would cause an error on this side. */
	if (s->id && s->id->qp)
		rdma_destroy_qp(s->id);
	memory_unregister(&s->mem);
	endpoint_destroy(&s->ep);
	if (s->id)
		rdma_destroy_id(s->id);
	if (s->channel)
		rdma_destroy_event_channel(s->channel);
	s->id = NULL;
	s->channel = NULL;
	s->open = false;
}

/* Send a message, and record the memory that it offers. */
int session_send(struct session *s, u8 *slot, u32 len,
		 enum ibv_wr_opcode opcode, u32 extra)
{
	struct rpcrdma_segment segs[MSG_ALL_SEGMENTS];
	struct rpcrdma_hdr hdr;
	u32 i, n;

	if (!message_decode(&hdr, slot, len)) {
		n = message_segments(&hdr, segs, MSG_ALL_SEGMENTS);
		/* The server may write to Write and Reply chunks, but not to Read chunks. */
		for (i = hdr.reads.segments; i < n; i++)
			offer(&s->mem, &segs[i]);
	}
	return endpoint_send(&s->ep, slot, len, opcode, extra);
}
