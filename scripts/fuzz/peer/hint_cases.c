// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: what the peer says of its versions as it connects
 * (Documentation/protocol.rst, Version hint).
 */

#include "peer.h"

#define MAGIC	0x7b, 0x9e, 0x50, 0xd4
#define CEL_09	'c', 'e', 'l', '-', '0', '9', 0, 0
#define BYTES(...)						\
	{ sizeof((const u8 []){ __VA_ARGS__ }), { __VA_ARGS__ } }

static const struct peer_hint version_2 = BYTES(MAGIC, 1, 2, 0, 0, CEL_09);
static const struct peer_hint version_1 =
	BYTES(MAGIC, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
static const struct peer_hint another =
	BYTES(MAGIC, 1, 2, 0, 0, 'i', 'e', 't', 'f', '-', '0', '7', 0);
static const struct peer_hint format_255 =
	BYTES(MAGIC, 255, 1, 0, 0, 'i', 'e', 't', 'f', '-', '0', '7', 0);
static const struct peer_hint shortest = BYTES(MAGIC);
static const struct peer_hint longest =
	BYTES(MAGIC, 1, 255, 255, 255, CEL_09, -1, -1, -1, -1, -1, -1, -1, -1,
	      -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	      -1, -1, -1, -1);
static const struct peer_hint garbage =
	BYTES(0x9d, 0x1c, 0xf3, 0x77, 1, 1, 0xd5, 0x3a, 0xf6, 0xab, 0x0e, 0x18,
	      1, 1, 0, 0, 0x7b, 0x9e, 0x50, 0xd4, 1, 1, 0, 0);

/* The server says what it has, and that does not disturb what precedes it. */
static int server_says(struct peer *p)
{
	CHECK(p->accepted.hint == RPCRDMA_HINT_V2, "the server's hint");
	CHECK(p->accepted.send_size == 4096 && p->accepted.recv_size == 4096,
	      "the server's CM private message");
	return 0;
}

static int served_in_2(struct peer *p)
{
	TRY(server_says(p));
	return v2_hello(p);
}

static int served_in_1(struct peer *p)
{
	TRY(server_says(p));
	return v2_refused(p);
}

static int hint_absent(struct peer *p) { return served_in_2(p); }
static int hint_no_private(struct peer *p) { return served_in_2(p); }
static int hint_version_2(struct peer *p) { return served_in_2(p); }
static int hint_longest(struct peer *p) { return served_in_2(p); }
static int hint_version_1(struct peer *p) { return served_in_1(p); }
static int hint_another(struct peer *p) { return served_in_1(p); }

/* What is no hint, or none that is known, says nothing. */
static int hint_format_255(struct peer *p) { return served_in_2(p); }
static int hint_shortest(struct peer *p) { return served_in_2(p); }
static int hint_garbage(struct peer *p) { return served_in_2(p); }

/* A hint obliges its sender to nothing. */
static int hint_not_used(struct peer *p)
{
	TRY(server_says(p));
	return ping(p);
}

static const struct peer_case cases[] = {
	CASE(hint_absent),
	CASE(hint_no_private, .flags = PEER_NO_PRIVATE),
	CASE(hint_version_2, .hint = &version_2),
	CASE(hint_longest, .hint = &longest),
	CASE(hint_version_1, .hint = &version_1),
	CASE(hint_another, .hint = &another),
	CASE(hint_format_255, .hint = &format_255),
	CASE(hint_shortest, .hint = &shortest),
	CASE(hint_garbage, .hint = &garbage),
	CASE(hint_not_used, .hint = &version_2),
};

const struct peer_group hint_cases = { cases, sizeof(cases) / sizeof(cases[0]) };
