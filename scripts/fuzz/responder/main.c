// SPDX-License-Identifier: GPL-2.0-only
/* Listens, accepts or refuses connections, and serves the client until a signal arrives. */

#include <getopt.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "responder.h"

static struct responder responder;
static volatile bool ending;

static void on_signal(int number)
{
	if (number == SIGUSR1)
		responder.calm = true;
	else
		ending = true;
}

static struct rdma_cm_id *listen_on(struct responder *r, const char *host,
				    const char *port)
{
	struct rdma_cm_id *id;
	struct addrinfo *info;

	r->channel = rdma_create_event_channel();
	if (!r->channel || rdma_create_id(r->channel, &id, NULL, RDMA_PS_TCP) ||
	    getaddrinfo(host, port, NULL, &info) ||
	    rdma_bind_addr(id, info->ai_addr) || rdma_listen(id, LINKS))
		return NULL;
	freeaddrinfo(info);
	return id;
}

static void request(struct responder *r, struct rdma_cm_event *event)
{
	u8 buf[196] = { 0 };
	struct rdma_conn_param param = {
		.initiator_depth = event->param.conn.initiator_depth,
		.responder_resources = event->param.conn.responder_resources,
		.rnr_retry_count = 7,
	};
	struct link *link;
	struct rng rng;
	u32 what;

	responder_rng(r, &rng);
	r->connections++;
	what = r->honest ? 99 : rng_below(&rng, 60);
	if (what < 4) {
		rdma_reject(event->id, buf, rng_below(&rng, 149));
		rdma_destroy_id(event->id);
		return;
	}
	link = link_create(r, event->id);
	if (!link || what < 5)
		return;
	private_choose(&param, buf, true, refuse_hint(r), r->honest ? NULL : &rng);
	if (rdma_accept(event->id, &param))
		link->gone = true;
	if (what < 7)
		link->gone = true;
}

static void accept_event(struct responder *r, struct rdma_cm_event *event)
{
	struct link *link = event->id->context;

	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		request(r, event);
	else if (link && event->event != RDMA_CM_EVENT_ESTABLISHED &&
		 event->event != RDMA_CM_EVENT_TIMEWAIT_EXIT)
		link->gone = true;
}

static void take_events(struct responder *r)
{
	struct pollfd fd = { .fd = r->channel->fd, .events = POLLIN };
	struct rdma_cm_event *event, copy;

	while (poll(&fd, 1, 0) > 0 && !rdma_get_cm_event(r->channel, &event)) {
		/* Events must be acknowledged before their identifier is destroyed. */
		copy = *event;
		rdma_ack_cm_event(event);
		accept_event(r, &copy);
	}
}

static void take_records(struct responder *r, struct link *link)
{
	struct call *call;
	u32 len;
	int ret;

	while (!link->gone && (ret = record_next(link, &len))) {
		if (ret < 0) {
			link->gone = true;
			return;
		}
		call = call_find(link, get_unaligned_be32(link->record));
		if (!get_unaligned_be32(link->record + 4))
			call_reverse(link, link->record, len);
		else if (call)
			tamper_reply(r, link, call, link->record, len);
	}
}

static void serve(struct responder *r, struct link *link)
{
	struct received got;

	endpoint_poll(&link->ep);
	link->gone |= link->ep.dead;
	while (!link->gone && endpoint_take(&link->ep, &got)) {
		call_receive(r, link, &got);
		if (!refuse_receive(r, link) && endpoint_recv(&link->ep, got.slot))
			link->gone = true;
	}
	if (!link->gone)
		refuse_due(r, link);
	take_records(r, link);
	if (!link->gone)
		poke_due(r, link);
}

/* Wait briefly for any event. */
static void nap(struct responder *r)
{
	struct pollfd fds[1 + 2 * LINKS] = {
		{ .fd = r->channel->fd, .events = POLLIN },
	};
	u32 i, n = 1;

	for (i = 0; i < LINKS; i++) {
		struct link *link = &r->links[i];

		if (!link->id || !link->ep.comp)
			continue;
		fds[n].events = POLLIN;
		fds[n++].fd = link->ep.comp->fd;
		fds[n].events = POLLIN;
		fds[n++].fd = link->fd;
	}
	poll(fds, n, early_storms(r) ? 0 : 5);
}

static void work(struct responder *r)
{
	u32 i;

	while (!ending && !r->why) {
		nap(r);
		take_events(r);
		for (i = 0; i < LINKS; i++) {
			struct link *link = &r->links[i];

			if (!link->id)
				continue;
			if (!link->gone) {
				endpoint_sleep(&link->ep, 0);
				serve(r, link);
			}
			if (link->gone)
				link_destroy(link);
		}
	}
	for (i = 0; i < LINKS; i++)
		if (r->links[i].id)
			link_destroy(&r->links[i]);
}

static int usage(void)
{
	fprintf(stderr, "responder -s SEED -b BATCH ADDRESS PORT | -r WHAT ADDRESS PORT\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct responder *r = &responder;
	struct rdma_cm_id *id;
	int opt;

	while ((opt = getopt(argc, argv, "s:b:r:")) != -1) {
		if (opt == 's')
			r->seed = strtoull(optarg, NULL, 0);
		else if (opt == 'b')
			r->batch = strtoul(optarg, NULL, 0);
		else if (opt == 'r')
			r->refuse = refuse_parse(optarg);
		else
			return usage();
	}
	if (argc - optind != 2)
		return usage();
	r->honest = r->refuse;
	setvbuf(stdout, NULL, _IOLBF, 0);
	signal(SIGUSR1, on_signal);
	signal(SIGTERM, on_signal);
	id = listen_on(r, argv[optind], argv[optind + 1]);
	if (!id) {
		perror("responder: cannot listen");
		return 2;
	}
	printf("# listening\n");
	work(r);
	rdma_destroy_id(id);
	printf("# batch %u: %u connections, %u replies tampered with, %u handles tried\n",
	       r->batch, r->connections, r->tampered, r->pokes);
	if (r->refuse)
		printf("# refused %u times\n", r->refused);
	if (r->why)
		printf("# batch %u: %s\n", r->batch, r->why);
	return r->why ? 1 : 0;
}
