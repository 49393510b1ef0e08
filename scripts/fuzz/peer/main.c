// SPDX-License-Identifier: GPL-2.0-only
/* Runs the cases against a server and prints KTAP. */

#include <stdlib.h>

#include "peer.h"

static int run_case(const struct peer_case *c, const char *host,
		    const char *port, const char **why)
{
	struct peer p;
	int ret;

	if (c->flags & PEER_V1_ADVERTISE)
		server_set("read_replies_v1", "Y");
	ret = peer_connect(&p, host, port, c->flags, c->hint);
	if (c->flags & PEER_V1_ADVERTISE)
		server_set("read_replies_v1", "N");
	if (ret) {
		peer_disconnect(&p);
		*why = "cannot connect";
		return -1;
	}
	ret = c->run(&p);
	/* If the message makes the server disconnect, the Send may also fail. */
	if (c->closes) {
		p.why = "the server does not disconnect";
		ret = peer_closed(&p) ? 0 : -1;
	}
	*why = p.why ? p.why : "Send failed";
	peer_disconnect(&p);
	return ret;
}

static const struct peer_group * const groups[] = {
	&header_cases,
	&read_cases,
	&write_cases,
	&v2_cases,
	&hint_cases,
	&change_cases,
	&advert_cases,
	&conf_cases,
	&stall_cases,
};

#define NGROUPS	(sizeof(groups) / sizeof(groups[0]))

/* Return: whether the case failed. */
static bool report(unsigned int number, const struct peer_case *c, char **argv)
{
	const char *why, *only = argv[3];

	if (only && strcmp(only, c->name)) {
		printf("ok %u %s # SKIP not asked for\n", number, c->name);
		return false;
	}
	if (!run_case(c, argv[1], argv[2], &why)) {
		printf("ok %u %s\n", number, c->name);
		return false;
	}
	printf("not ok %u %s: %s\n", number, c->name, why);
	return true;
}

int main(int argc, char **argv)
{
	unsigned int i, j, count = 0, number = 0, failed = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: peer SERVER PORT [CASE]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < NGROUPS; i++)
		count += groups[i]->count;
	printf("KTAP version 1\n1..%u\n", count);
	for (i = 0; i < NGROUPS; i++)
		for (j = 0; j < groups[i]->count; j++)
			failed += report(++number, &groups[i]->cases[j], argv);
	return failed != 0;
}
