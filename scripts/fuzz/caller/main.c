// SPDX-License-Identifier: GPL-2.0-only
/* Sends a batch of random messages, or the messages of the table, to a server. */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "../peer/peer.h"
#include "caller.h"

static void show(const struct caller *c)
{
	const struct sent *last = &c->sent[c->nsent ? c->nsent - 1 : 0];
	u32 i;

	printf("# the last message:");
	for (i = 0; c->nsent && i < last->len && i < 200; i++)
		printf("%s%02x", i % 4 ? "" : " ", last->buf[i]);
	printf("\n");
}

static int run_batch(struct caller *c, u64 seed, u32 number, u32 size)
{
	u32 i;

	/* Use XIDs that are not in the server's reply cache. */
	c->p.s.xid = number << 16;
	for (i = 0; i < size && !c->why; i++) {
		/* The random numbers of a step do not depend on earlier steps. */
		rng_seed(&c->rng, seed, ((u64)number << 32) + i);
		step(c);
	}
	if (c->p.s.open)
		caller_close(c, true);
	if (!c->why)
		return 0;
	printf("# step %u of batch %u: %s\n", i, number, c->why);
	show(c);
	return -1;
}

static int show_usage(void)
{
	fprintf(stderr, "caller -t PATTERN | -s SEED -b BATCH -n STEPS SERVER PORT\n");
	return 2;
}

int main(int argc, char **argv)
{
	static struct caller c;
	const char *table = NULL;
	u32 number = 0, size = 0;
	u64 seed = 1;
	int opt, ret;

	while ((opt = getopt(argc, argv, "t:s:b:n:")) != -1) {
		if (opt == 't')
			table = optarg;
		else if (opt == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (opt == 'b')
			number = strtoul(optarg, NULL, 0);
		else if (opt == 'n')
			size = strtoul(optarg, NULL, 0);
		else
			return show_usage();
	}
	if (argc - optind != 2)
		return show_usage();
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (table)
		return run_table(argv[optind], argv[optind + 1], table);
	c.p.s.host = argv[optind];
	c.p.s.port = argv[optind + 1];
	c.sent = calloc(SENT_MAX, sizeof(*c.sent));
	if (!c.sent || memory_create(&c.p.s.mem))
		return 2;
	ret = run_batch(&c, seed, number, size);
	printf("# batch %u: %u connections, %u messages, %u answers (%u errors)\n",
	       number, c.connects, c.messages, c.answers, c.errors);
	return ret ? 1 : 0;
}
