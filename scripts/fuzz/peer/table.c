// SPDX-License-Identifier: GPL-2.0-only
/* Runs the cases and prints KTAP: connections, the server's module, loops. */

#include <fnmatch.h>
#include <stdlib.h>
#include <unistd.h>

#include "peer.h"

/* Milliseconds within which a server disconnects */
#define CLOSE_TIMEOUT	20000

const struct peer_case * const peer_cases[PEER_GROUPS] = {
	v1_cases, v2_cases, change_cases, advert_cases, stall_cases,
};

/* Read a file of the server's module. Return: bytes read, or -1. */
static int read_file(const char *path, char *buf, size_t size)
{
	FILE *file = fopen(path, "r");
	size_t n;

	if (!file)
		return -1;
	n = fread(buf, 1, size - 1, file);
	fclose(file);
	buf[n] = 0;
	return n;
}

static void read_counters(char *buf, size_t size)
{
	read_file("/sys/kernel/debug/svcrdma/stats", buf, size);
}

static long find_counter(const char *stats, const char *name)
{
	size_t len = strlen(name);

	for (; stats && *stats; stats = strchr(stats, '\n')) {
		stats += *stats == '\n';
		if (!strncmp(stats, name, len) && stats[len] == ' ')
			return atol(stats + len);
	}
	return -1;
}

/* Return a counter of the server's module, or -1 if it does not exist. */
long peer_counter(const char *name)
{
	char stats[sizeof(((struct peer *)NULL)->counters)];

	read_counters(stats, sizeof(stats));
	return find_counter(stats, name);
}

static void parameter_path(char *path, size_t size, const char *name)
{
	snprintf(path, size, "/sys/module/svcrdma/parameters/%s", name);
}

static int write_parameter(const char *name, const char *value)
{
	char path[128];
	FILE *file;
	int ret;

	parameter_path(path, sizeof(path), name);
	file = fopen(path, "w");
	if (!file)
		return -1;
	ret = fputs(value, file);
	return fclose(file) || ret < 0 ? -1 : 0;
}

/* Set a parameter of the server's module until the case has ended. */
int peer_set(struct peer *p, const char *name, const char *value)
{
	struct peer_parameter *old = p->changed;
	char path[128];

	while (old->name && strcmp(old->name, name))
		if (++old == p->changed + PEER_PARAMETERS)
			return -1;
	if (!old->name) {
		parameter_path(path, sizeof(path), name);
		if (read_file(path, old->value, sizeof(old->value)) < 0)
			return -1;
		old->name = name;
	}
	return write_parameter(name, value);
}

/* set: parameter @text to @a[0] */
STEP(set)
{
	char value[16];

	snprintf(value, sizeof(value), "%u", st->a[0]);
	CHECK(!peer_set(p, st->text, value), "a parameter cannot be set");
	return 0;
}

/* counted: counter @text has grown by @a[0] since the case began, or does so */
STEP(counted)
{
	long want = find_counter(p->counters, st->text) + st->a[0];
	u32 i;

	for (i = 0; i < 1000 && peer_counter(st->text) != want; i++)
		usleep(5000);
	CHECK(peer_counter(st->text) == want, "not counted");
	return 0;
}

/* Bytes in hexadecimal digits. Return: how many there were. */
static u32 from_hex(u8 *to, u32 size, const char *hex)
{
	unsigned int byte;
	u32 n = 0;

	for (; hex && n < size && sscanf(hex, "%2x", &byte) == 1; hex += 2)
		to[n++] = byte;
	return n;
}

int peer_connect(struct peer *p, u32 flags)
{
	u8 buf[56];
	struct rdma_conn_param param = {
		.initiator_depth = 4, .responder_resources = 4,
		.retry_count = 7, .rnr_retry_count = 7,
	};
	u32 len;

	private_choose(&param, buf, false, NULL);
	len = flags & NO_PRIVATE ? 0 : param.private_data_len;
	param.private_data_len = len + from_hex(buf + len, sizeof(buf) - len, p->hint);
	return session_open(&p->s, flags & DEAF ? 1 : EP_RECVS, &param);
}

/* connect: @a[0]: flags; @text: hint */
STEP(connect)
{
	p->hint = st->text;
	p->deaf = st->a[0] & DEAF;
	CHECK(!peer_connect(p, st->a[0]), "cannot connect");
	return 0;
}

/* closes: the server disconnects; if it does, earlier steps may have failed */
STEP(closes)
{
	CHECK(session_ended(&p->s, CLOSE_TIMEOUT),
	      "the server does not disconnect");
	return 0;
}

/* times: do what follows, up to "again", @a[0] times */
STEP(times) { return 0; }
STEP(again) { return 0; }

static const struct step *find(const struct step *st, int (*run)())
{
	while (!is_end(st) && st->run != run)
		st++;
	return is_end(st) ? NULL : st;
}

int run_steps(struct peer *p, const struct step *st)
{
	const struct step *loop = NULL;

	for (; !is_end(st); st++) {
		if (st->build) {
			st->build(p, st->a);
		} else if (st->run == do_times) {
			loop = st;
			p->turn = 0;
		} else if (st->run == do_again) {
			if (++p->turn < loop->a[0])
				st = loop;
		} else if (st->run(p, st)) {
			st = find(st + 1, do_closes);
			if (!st)
				return -1;
			return do_closes(p, st);
		}
	}
	return 0;
}

static int run_case(struct peer *p, const struct peer_case *c)
{
	const struct step connect = DO(connect);
	struct peer_parameter *old;
	int ret;

	p->why = NULL;
	p->s.version = RPCRDMA_VERSION_1;
	read_counters(p->counters, sizeof(p->counters));
	ret = !find(c->steps, do_connect) && do_connect(p, &connect);
	ret = ret || run_steps(p, c->steps);
	if (!p->why)
		p->why = "Send failed";
	session_close(&p->s, true);
	if (!ret)
		p->why = memory_check(&p->s.mem);
	for (old = p->changed; old < p->changed + PEER_PARAMETERS; old++) {
		if (old->name)
			write_parameter(old->name, old->value);
		old->name = NULL;
	}
	return ret || p->why ? -1 : 0;
}

static bool wanted(const struct peer_case *c, const char *pattern)
{
	return !pattern || !fnmatch(pattern, c->name, 0);
}

int run_table(const char *host, const char *port, const char *pattern)
{
	static struct peer peer = { .s.xid = 0x10000 };
	u32 i, number = 0, failed = 0;
	const struct peer_case *c;

	peer.s.host = host;
	peer.s.port = port;
	if (memory_create(&peer.s.mem, SINK_SIZE))
		return 2;
	printf("KTAP version 1\n");
	for (i = 0; i < PEER_GROUPS; i++) {
		for (c = peer_cases[i]; c->name; c++) {
			if (!wanted(c, pattern))
				continue;
			if (!run_case(&peer, c)) {
				printf("ok %u %s\n", ++number, c->name);
				continue;
			}
			printf("not ok %u %s: %s\n", ++number, c->name, peer.why);
			failed++;
		}
	}
	printf("1..%u\n", number);
	return failed || !number;
}
