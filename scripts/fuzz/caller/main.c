// SPDX-License-Identifier: GPL-2.0-only
/* Sends a batch of messages to a server, and checks that it still works. */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "caller.h"

static u8 body_byte(u32 i)
{
	return i * 7 % 251;
}

static void show(const struct session *s)
{
	const struct sent *last = &s->sent[s->nsent ? s->nsent - 1 : 0];
	u32 i;

	printf("# the last message:");
	for (i = 0; s->nsent && i < last->len && i < 200; i++)
		printf("%s%02x", i % 4 ? "" : " ", last->buf[i]);
	printf("\n");
}

/* Send @m, a valid message, and wait for its answer. */
static int exchange(struct session *s, struct run *run, struct message *m)
{
	u32 before = run->answers, errors = run->errors;
	u8 *slot = session_slot(s, run);

	if (!slot ||
	    session_send(s, run, slot, message_encode(m, slot), IBV_WR_SEND, 0))
		return -1;
	session_drain(s, run, 10000);
	return run->answers == before + 1 && run->errors == errors ? 0 : -1;
}

/* A NULL, and a READ whose data is checked. */
static const char *well(struct session *s, struct run *run)
{
	const u32 offset = 1000, len = 30001;
	struct message m;
	u32 i;

	call_null(s, &m);
	if (exchange(s, run, &m))
		return s->why ? s->why : "no answer to a NULL";
	call_read(s, &m, offset, len);
	if (exchange(s, run, &m))
		return s->why ? s->why : "no answer to a READ";
	for (i = 0; i < len; i++)
		if (s->mem->sink[i] != body_byte(offset + i))
			return "wrong data";
	return NULL;
}

/* A server without version 2 must say so. */
static const char *well_in_2(struct session *s, struct run *run)
{
	u32 errors = run->errors;
	struct message m;

	s->version = RPCRDMA_VERSION_2;
	call_properties(s, &m);
	if (exchange(s, run, &m) && run->errors == errors)
		return s->why ? s->why : "no answer to properties";
	return run->errors == errors ? well(s, run) : NULL;
}

static const char *check_well(struct session *s, struct run *run, u32 version)
{
	const char *why = "no connection";

	if (!session_open(s, run, NULL))
		why = version == RPCRDMA_VERSION_2 ? well_in_2(s, run)
						   : well(s, run);
	session_close(s, true);
	return why ? why : s->why;
}

static int run_batch(struct session *s, struct run *run, u64 seed, u32 number,
		     u32 size)
{
	struct rng rng;
	u32 i;

	for (i = 0; i < size && !s->why; i++) {
		/* A step does not depend on those before it. */
		rng_seed(&rng, seed, ((u64)number << 32) + i);
		step(s, run, &rng);
	}
	if (s->open)
		session_close(s, true);
	if (s->why) {
		printf("# step %u of batch %u: %s\n", i, number, s->why);
		show(s);
		return -1;
	}
	s->why = check_well(s, run, RPCRDMA_VERSION_1);
	if (!s->why)
		s->why = check_well(s, run, RPCRDMA_VERSION_2);
	if (s->why)
		printf("# after batch %u: %s\n", number, s->why);
	return s->why ? -1 : 0;
}

static void show_usage(void)
{
	fprintf(stderr,
		"usage: caller [-v] [-r] -s SEED -b BATCH -n STEPS SERVER PORT\n");
	exit(2);
}

int main(int argc, char **argv)
{
	struct session session = { 0 };
	u32 number = 0, size = 100;
	struct run run = { 0 };
	struct memory mem;
	u64 seed = 1;
	int opt, ret;

	while ((opt = getopt(argc, argv, "vrs:b:n:")) != -1) {
		switch (opt) {
		case 'v':
			run.verbose = true;
			break;
		case 'r':
			run.v1_advertises = true;
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'b':
			number = strtoul(optarg, NULL, 0);
			break;
		case 'n':
			size = strtoul(optarg, NULL, 0);
			break;
		default:
			show_usage();
		}
	}
	if (argc - optind != 2 || memory_create(&mem))
		show_usage();
	setvbuf(stdout, NULL, _IOLBF, 0);
	run.host = argv[optind];
	run.port = argv[optind + 1];
	/* Use XIDs that are not in the server's reply cache. */
	session.xid = number << 16;
	session.mem = &mem;
	session.sent = calloc(SENT_MAX, sizeof(*session.sent));
	if (!session.sent)
		return 2;
	ret = run_batch(&session, &run, seed, number, size);
	printf("# batch %u: %u connections (%u refused, %u lost), ", number,
	       run.connects, run.refused, run.lost);
	printf("%u messages (%u changed), %u answers (%u errors, %u advertised), ",
	       run.messages, run.mutated, run.answers, run.errors,
	       run.advertised);
	printf("%u requests of the server answered\n", run.changes);
	return ret ? 1 : 0;
}
