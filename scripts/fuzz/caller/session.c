// SPDX-License-Identifier: GPL-2.0-only
/* A connection to the server: setup, sending, receiving answers. */

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>

#include "caller.h"

/* Time limit for a step of connection setup, in milliseconds */
#define CM_TIMEOUT	10000
/* Time limit for a Send to complete, in milliseconds */
#define SEND_TIMEOUT	300

static int next_event(struct session *s, int ms, enum rdma_cm_event_type *got)
{
	struct pollfd fd = { .fd = s->channel->fd, .events = POLLIN };
	struct rdma_cm_event *event;

	if (poll(&fd, 1, ms) <= 0 || rdma_get_cm_event(s->channel, &event))
		return -1;
	*got = event->event;
	rdma_ack_cm_event(event);
	return 0;
}

static int expect(struct session *s, enum rdma_cm_event_type want)
{
	enum rdma_cm_event_type got;

	return next_event(s, CM_TIMEOUT, &got) || got != want ? -1 : 0;
}

static int resolve(struct session *s, const struct run *run)
{
	struct addrinfo *info;
	int ret;

	if (getaddrinfo(run->host, run->port, NULL, &info))
		return -1;
	ret = rdma_resolve_addr(s->id, NULL, info->ai_addr, 2000);
	freeaddrinfo(info);
	if (ret || expect(s, RDMA_CM_EVENT_ADDR_RESOLVED))
		return -1;
	if (rdma_resolve_route(s->id, 2000))
		return -1;
	return expect(s, RDMA_CM_EVENT_ROUTE_RESOLVED);
}

static const struct rpcrdma_private ordinary = {
	.send_size = EP_RECV_SIZE, .recv_size = EP_RECV_SIZE,
};

/* A CM private message: a valid one, none, one with any sizes, or any bytes */
static void choose_private(struct rng *rng, struct rdma_conn_param *param,
			   u8 *buf)
{
	struct rpcrdma_private priv = ordinary;
	u32 i, kind = rng_below(rng, 13);

	priv.remote_inv = rng_one_in(rng, 3);
	if (kind == 0) {
		param->private_data = NULL;
		param->private_data_len = 0;
	}
	if (kind == 1) {
		priv.send_size = 1024 << rng_below(rng, 9);
		priv.recv_size = 1024 << rng_below(rng, 9);
	}
	if (kind == 12)
		priv.hint = RPCRDMA_HINT_V1 + rng_below(rng, 3);
	i = rpcrdma_private_encode(&priv, buf);
	if (kind)
		param->private_data_len = i;
	if (kind != 2 && kind != 3)
		return;
	for (i = kind == 2 ? 4 : RPCRDMA_PRIVATE_SIZE; i < 56; i++)
		buf[i] = rng_word(rng);
	param->private_data_len = kind == 2 ? rng_below(rng, 57) : 56;
}

static void choose_parameters(struct rng *rng, struct rdma_conn_param *param)
{
	if (!rng_one_in(rng, 10))
		return;
	param->initiator_depth = rng_below(rng, 3);
	param->responder_resources = rng_below(rng, 3);
	param->retry_count = rng_below(rng, 8);
	param->rnr_retry_count = rng_below(rng, 8);
}

static int connect_to(struct session *s, struct rng *rng)
{
	u8 buf[56];
	struct rdma_conn_param param = {
		.private_data = buf, .private_data_len = RPCRDMA_PRIVATE_SIZE,
		.initiator_depth = 4, .responder_resources = 4,
		.retry_count = 7, .rnr_retry_count = 7,
	};

	rpcrdma_private_encode(&ordinary, buf);
	if (rng) {
		choose_private(rng, &param, buf);
		choose_parameters(rng, &param);
	}
	if (rdma_connect(s->id, &param))
		return -1;
	return expect(s, RDMA_CM_EVENT_ESTABLISHED);
}

static void fill_handles(struct session *s)
{
	struct handles *h = &s->handles;

	h->handle[0] = s->mem->sink_mr->rkey;
	h->handle[1] = s->mem->source_mr->rkey;
	h->handle[2] = s->mem->stale;
	h->handle[3] = s->ep.mr->rkey;
	h->n = 4;
	h->base = (uintptr_t)s->mem->sink;
	h->size = SINK_SIZE;
}

/*
 * Connect; normally if @rng is NULL. Return: 0 when connected; the caller must
 * close the session in any case.
 */
int session_open(struct session *s, struct run *run, struct rng *rng)
{
	run->connects++;
	s->nsent = 0;
	s->nadverts = 0;
	s->wants = false;
	s->changes = false;
	s->asked = false;
	s->waiting = 0;
	s->grant = 8;
	s->version = rng && rng_one_in(rng, 4) ? RPCRDMA_VERSION_2 :
						 RPCRDMA_VERSION_1;
	memory_reset(s->mem);
	s->channel = rdma_create_event_channel();
	if (!s->channel ||
	    rdma_create_id(s->channel, &s->id, NULL, RDMA_PS_TCP) ||
	    resolve(s, run) ||
	    endpoint_create(&s->ep, s->id, !rng || !rng_one_in(rng, 15)) ||
	    memory_register(s->mem, s->ep.pd))
		return -1;
	fill_handles(s);
	if (connect_to(s, rng)) {
		run->refused++;
		return -1;
	}
	s->open = true;
	return 0;
}

/* After this has returned, nothing can write to the memory any more. */
void session_close(struct session *s, bool polite)
{
	if (s->open && polite)
		rdma_disconnect(s->id);
	/* Deregistering the memory first would be an error on this side. */
	if (s->id && s->id->qp)
		rdma_destroy_qp(s->id);
	memory_unregister(s->mem);
	endpoint_destroy(&s->ep);
	if (s->id)
		rdma_destroy_id(s->id);
	if (s->channel)
		rdma_destroy_event_channel(s->channel);
	s->id = NULL;
	s->channel = NULL;
	s->open = false;
	if (!s->why)
		s->why = memory_check(s->mem);
}

static bool disconnected(struct session *s)
{
	enum rdma_cm_event_type got;

	return !next_event(s, 0, &got);
}

/* Process what has arrived; set @s->ep.dead if the connection was lost. */
void session_poll(struct session *s, struct run *run)
{
	struct completion done;
	enum endpoint_done what;

	while ((what = endpoint_poll(&s->ep, &done)) != EP_NOTHING) {
		if (what != EP_RECEIVED || !done.ok)
			continue;
		answer_check(s, run, done.buf, done.len);
		if (s->why || endpoint_recv(&s->ep, done.slot))
			s->ep.dead = true;
	}
	if (disconnected(s))
		s->ep.dead = true;
}

/* Wait for the outstanding answers, at most @ms milliseconds. */
void session_drain(struct session *s, struct run *run, int ms)
{
	long end = endpoint_now() + ms;

	session_poll(s, run);
	while (s->waiting && !s->ep.dead && endpoint_now() < end) {
		endpoint_sleep(&s->ep, 5);
		session_poll(s, run);
	}
	s->waiting = 0;
}

/* Return a Send slot; NULL if the server does not receive what was sent. */
u8 *session_slot(struct session *s, struct run *run)
{
	long end = endpoint_now() + SEND_TIMEOUT;
	u8 *slot;

	while (!(slot = endpoint_slot(&s->ep)) && !s->ep.dead &&
	       endpoint_now() < end) {
		endpoint_sleep(&s->ep, 5);
		session_poll(s, run);
	}
	return s->ep.dead ? NULL : slot;
}

/* The server uses the first valid properties. */
static void note_wish(struct session *s, const struct rpcrdma_hdr *hdr)
{
	struct rpcrdma_props props;

	if (hdr->version == RPCRDMA_VERSION_2 &&
	    hdr->type == RPCRDMA2_CONNPROP &&
	    !rpcrdma_props_decode(&props, hdr))
		s->wants |= props.read_replies;
}

/* Send a message, and remember it and the memory that it offers. */
int session_send(struct session *s, struct run *run, u8 *slot, u32 len,
		 enum ibv_wr_opcode opcode, u32 extra)
{
	struct sent *sent = &s->sent[s->nsent];
	struct rpcrdma_hdr hdr;

	sent->answered = len < 4;
	sent->len = len < MSG_SIZE ? len : MSG_SIZE;
	memcpy(sent->buf, slot, sent->len);
	if (len >= 4)
		sent->xid = get_unaligned_be32(slot);
	if (!message_decode(&hdr, slot, len)) {
		memory_offer(s->mem, &hdr);
		note_wish(s, &hdr);
		changes_note(s, &hdr);
	}
	if (endpoint_send(&s->ep, slot, len, opcode, extra)) {
		s->ep.dead = true;
		return -1;
	}
	s->nsent++;
	s->waiting++;
	run->messages++;
	return 0;
}
