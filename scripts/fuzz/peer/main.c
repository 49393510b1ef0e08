// SPDX-License-Identifier: GPL-2.0-only
/* Runs the cases against a server and prints KTAP. */

#include <stdlib.h>

#include "peer.h"

static int run_case(const struct peer_case *c, const char *host,
		    const char *port, const char **why)
{
	struct peer p;
	int ret;

	if (peer_connect(&p, host, port, c->flags)) {
		peer_disconnect(&p);
		*why = "cannot connect";
		return -1;
	}
	ret = c->run(&p);
	/* The Send may fail or not when it makes the server disconnect. */
	if (c->closes) {
		p.why = "the server does not disconnect";
		ret = peer_closed(&p) ? 0 : -1;
	}
	*why = p.why ? p.why : "Send failed";
	peer_disconnect(&p);
	return ret;
}

int main(int argc, char **argv)
{
	const char *why, *only = argc > 3 ? argv[3] : NULL;
	unsigned int i, failed = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: peer SERVER PORT [CASE]\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n1..%u\n", peer_ncases);
	for (i = 0; i < peer_ncases; i++) {
		const struct peer_case *c = &peer_cases[i];

		if (only && strcmp(only, c->name)) {
			printf("ok %u %s # SKIP not asked for\n", i + 1, c->name);
			continue;
		}
		if (!run_case(c, argv[1], argv[2], &why)) {
			printf("ok %u %s\n", i + 1, c->name);
			continue;
		}
		printf("not ok %u %s: %s\n", i + 1, c->name, why);
		failed++;
	}
	return failed != 0;
}
