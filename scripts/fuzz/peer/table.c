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

/* Parameters of the server's module that cases change, and their defaults */
static const struct {
	const char *name;
	u32 value;
} parameters[] = {
	{ "read_replies_v1", 0 },
	{ "read_replies_bytes", 16u << 20 },
	{ "read_calls_bytes", 16u << 20 },
	{ "read_reply_timeout", 30 },
};

static void read_counters(char *buf, size_t size)
{
	FILE *file = fopen("/sys/kernel/debug/svcrdma/stats", "r");

	buf[file ? fread(buf, 1, size - 1, file) : 0] = 0;
	if (file)
		fclose(file);
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

static int set_parameter(const char *name, u32 value)
{
	char path[128];
	FILE *file;
	int ret;

	snprintf(path, sizeof(path), "/sys/module/svcrdma/parameters/%s", name);
	file = fopen(path, "w");
	if (!file)
		return -1;
	ret = fprintf(file, "%u", value);
	return fclose(file) || ret < 0 ? -1 : 0;
}

/* set: set parameter @text to @a[0] until the end of the case */
STEP(set)
{
	CHECK(!set_parameter(st->text, st->a[0]), "a parameter cannot be set");
	return 0;
}

/* counted: wait until counter @text has grown by @a[0] since the case began */
STEP(counted)
{
	long want = find_counter(p->counters, st->text) + st->a[0];
	char now[sizeof(p->counters)];
	u32 i;

	for (i = 0; i < 1000; i++) {
		read_counters(now, sizeof(now));
		if (find_counter(now, st->text) == want)
			return 0;
		usleep(5000);
	}
	p->why = "not counted";
	return -1;
}

/* Decode hexadecimal digits. Return: number of bytes. */
static u32 from_hex(u8 *to, u32 size, const char *hex)
{
	unsigned int byte;
	u32 n = 0;

	for (; hex && n < size && sscanf(hex, "%2x", &byte) == 1; hex += 2)
		to[n++] = byte;
	return n;
}

/* connect: with flags @a[0], and hexadecimal bytes @text after the CM private message */
STEP(connect)
{
	u8 buf[56];
	struct rdma_conn_param param = {
		.initiator_depth = 4, .responder_resources = 4,
		.retry_count = 7, .rnr_retry_count = 7,
	};
	u32 len;

	private_choose(&param, buf, false, RPCRDMA_HINT_NONE, NULL);
	len = st->a[0] & NO_PRIVATE ? 0 : param.private_data_len;
	param.private_data_len = len + from_hex(buf + len, sizeof(buf) - len, st->text);
	p->deaf = st->a[0] & DEAF;
	p->s.mem.size = st->a[0] & LARGE ? SINK_LARGEST : SINK_SIZE;
	CHECK(!session_open(&p->s, p->deaf ? 1 : EP_RECVS, &param), "cannot connect");
	return 0;
}

/* closes: the server disconnects; if so, failures of earlier steps are ignored */
STEP(closes)
{
	CHECK(session_ended(&p->s, CLOSE_TIMEOUT),
	      "the server does not disconnect");
	return 0;
}

/* times: repeat the steps up to "again" @a[0] times */
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
	u32 i;
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
	for (i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++)
		set_parameter(parameters[i].name, parameters[i].value);
	return ret || p->why ? -1 : 0;
}

int run_table(const char *host, const char *port, const char *pattern)
{
	static struct peer peer = { .s.xid = 0x10000 };
	u32 i, number = 0, failed = 0;
	const struct peer_case *c;

	peer.s.host = host;
	peer.s.port = port;
	if (memory_create(&peer.s.mem))
		return 2;
	printf("KTAP version 1\n");
	for (i = 0; i < PEER_GROUPS; i++) {
		for (c = peer_cases[i]; c->name; c++) {
			if (fnmatch(pattern, c->name, 0))
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
