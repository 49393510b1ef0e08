// SPDX-License-Identifier: GPL-2.0-only
/* Runs the cases against a server and prints KTAP. */

#include <fnmatch.h>
#include <stdlib.h>

#include "peer.h"

static int run_case(const struct peer_case *c, const char *host,
		    const char *port, const char **why)
{
	struct peer p;
	int ret;

	if (c->flags & PEER_V1_ADVERTISE)
		server_set("read_replies_v1", "Y");
	if (c->flags & PEER_NO_TUNING)
		server_set("tuning", "N");
	ret = peer_connect(&p, host, port, c->flags, c->hint);
	if (c->flags & PEER_V1_ADVERTISE)
		server_set("read_replies_v1", "N");
	if (c->flags & PEER_NO_TUNING)
		server_set("tuning", "Y");
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
	&change_hostile_cases,
	&stall_cases,
};

#define NGROUPS	(sizeof(groups) / sizeof(groups[0]))

static bool wanted(const struct peer_case *c, char **argv)
{
	return !argv[3] || !fnmatch(argv[3], c->name, 0);
}

/* Return: whether the case failed. */
static bool report(unsigned int number, const struct peer_case *c, char **argv)
{
	const char *why;

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
		fprintf(stderr, "usage: peer SERVER PORT [PATTERN]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < NGROUPS; i++)
		for (j = 0; j < groups[i]->count; j++)
			count += wanted(&groups[i]->cases[j], argv);
	printf("KTAP version 1\n1..%u\n", count);
	for (i = 0; i < NGROUPS; i++)
		for (j = 0; j < groups[i]->count; j++)
			if (wanted(&groups[i]->cases[j], argv))
				failed += report(++number,
						 &groups[i]->cases[j], argv);
	return failed != 0;
}
