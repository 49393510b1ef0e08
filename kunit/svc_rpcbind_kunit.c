// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: svcrdma registers the programs and the address of a listener with
 * rpcbind, unregisters them when the listener is closed, and makes nfsd wait at
 * most once for a silent rpcbind. If this failed, clients would have to name
 * the port, or would connect to a port that has no listener.
 */
#include <linux/sunrpc/addr.h>
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/xprt.h>
#include <linux/un.h>

#include "suite.h"
#include "svc_fakes.h"

#define MAX_CALLS	16u

/* State of the fake rpcbind */
static struct fake_rpcbind {
	bool path;	/* rpcbind listens on its filesystem path only */
	bool absent;	/* there is no rpcbind */
	bool refuses;	/* rpcbind refuses every request */
	int error;	/* error returned by every call, or 0 */
	u32 calls[MAX_CALLS][3];	/* procedure, program, version */
	u32 ncalls;	/* number of calls made */
	u8 args[128];	/* arguments of the last call, as encoded */
	u32 len;	/* bytes in @args */
	u32 clients;	/* RPC clients that exist */
} rpcb;

static struct rpc_clnt *fake_create(struct rpc_create_args *args);
static int fake_call_sync(struct rpc_clnt *clnt, const struct rpc_message *msg,
			  int flags);

static u32 fake_noticed;

#define rpc_create			fake_create
#define rpc_call_sync			fake_call_sync
#define rpc_shutdown_client(clnt)	((void)(clnt), (void)rpcb.clients--)
#undef pr_notice_ratelimited
#define pr_notice_ratelimited(fmt, ...)	((void)fake_noticed++)

#undef pr_fmt
#include "../svcrdma/ext/rpcbind.c"

static struct rpc_clnt *fake_create(struct rpc_create_args *args)
{
	const struct sockaddr_un *addr = (const void *)args->address;

	if (rpcb.absent || (rpcb.path && !addr->sun_path[0]))
		return ERR_PTR(-ECONNREFUSED);
	rpcb.clients++;
	return (struct rpc_clnt *)&rpcb;
}

static int fake_call_sync(struct rpc_clnt *clnt, const struct rpc_message *msg,
			  int flags)
{
	const struct svc_rdma_rpcbind *args = msg->rpc_argp;
	u32 *call = rpcb.calls[rpcb.ncalls++ % MAX_CALLS];
	struct xdr_buf buf = {
		.head[0].iov_base = rpcb.args,
		.buflen = sizeof(rpcb.args),
	};
	struct xdr_stream xdr;
	__be32 reply = cpu_to_be32(!rpcb.refuses);

	call[0] = msg->rpc_proc->p_proc;
	call[1] = args->program;
	call[2] = args->version;
	xdr_init_encode(&xdr, &buf, NULL, NULL);
	msg->rpc_proc->p_encode(NULL, &xdr, args);
	rpcb.len = buf.len;
	if (rpcb.error)
		return rpcb.error;
	buf = (struct xdr_buf) {
		.head[0] = { .iov_base = &reply, .iov_len = sizeof(reply) },
		.len = sizeof(reply),
	};
	xdr_init_decode(&xdr, &buf, NULL, NULL);
	return msg->rpc_proc->p_decode(NULL, &xdr, msg->rpc_resp);
}

static const struct svc_version shown, hidden = { .vs_hidden = true },
				optional = { .vs_rpcb_optnl = true };

static const struct svc_version *versions[] = {
	[1] = &hidden, [2] = &shown, [3] = &shown, [4] = &optional,
};

/* Version 2 is disabled: its registration succeeds and has no effect. */
static int fake_set(struct net *net, const struct svc_program *program,
		    u32 version, int family, unsigned short proto,
		    unsigned short port)
{
	return version == 2 || proto == IPPROTO_UDP || proto == IPPROTO_TCP ?
		       0 : -ENOPROTOOPT;
}

static struct svc_program programs[] = {
	{ .pg_prog = 100003, .pg_nvers = ARRAY_SIZE(versions),
	  .pg_vers = versions, .pg_rpcbind_set = fake_set },
	{ .pg_prog = 100227, .pg_nvers = ARRAY_SIZE(versions) - 1,
	  .pg_vers = versions, .pg_rpcbind_set = fake_set },
	{ .pg_prog = 4711, .pg_nvers = ARRAY_SIZE(versions), .pg_vers = versions },
};

static struct svc_serv serv = {
	.sv_programs = programs, .sv_nprogs = ARRAY_SIZE(programs),
};

static const struct sockaddr_in address = {
	.sin_family = AF_INET, .sin_port = htons(20049),
};

static int arrange(struct kunit *test)
{
	memset(&rpcb, 0, sizeof(rpcb));
	svc_rdma_use_rpcbind = true;
	fake_noticed = 0;
	return 0;
}

static struct svc_rdma_rpcbind *start(void)
{
	return svc_rdma_rpcbind_register(&serv, NULL,
					 (const struct sockaddr *)&address);
}

static void expect_calls(struct kunit *test, u32 from, u32 proc)
{
	static const u32 want[][2] = { { 100003, 3 }, { 100003, 4 },
				       { 100227, 3 } };
	u32 i;

	KUNIT_ASSERT_EQ(test, rpcb.ncalls, from + ARRAY_SIZE(want));
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		KUNIT_EXPECT_EQ(test, rpcb.calls[from + i][0], proc);
		KUNIT_EXPECT_EQ(test, rpcb.calls[from + i][1], want[i][0]);
		KUNIT_EXPECT_EQ(test, rpcb.calls[from + i][2], want[i][1]);
	}
}

/* RFC 1833 section 2: only visible, enabled versions are registered. */
static void set_and_unset(struct kunit *test)
{
	static const u8 args[] = {
		0, 1, 0x87, 0x83, 0, 0, 0, 3, 0, 0, 0, 4, 'r', 'd', 'm', 'a',
		0, 0, 0, 13, '0', '.', '0', '.', '0', '.', '0', '.', '7', '8',
		'.', '8', '1', 0, 0, 0, 0, 0, 0, 1, '0', 0, 0, 0,
	};
	struct svc_rdma_rpcbind *rpcbind = start();

	KUNIT_ASSERT_NOT_NULL(test, rpcbind);
	expect_calls(test, 0, 1);
	KUNIT_ASSERT_EQ(test, rpcb.len, sizeof(args));
	KUNIT_EXPECT_EQ(test, rpcb.args[2], 100227 >> 8 & 0xff);
	KUNIT_EXPECT_EQ(test, 0, memcmp(rpcb.args + 8, args + 8,
					sizeof(args) - 8));
	svc_rdma_rpcbind_unregister(rpcbind);
	expect_calls(test, 3, 2);
	KUNIT_EXPECT_EQ(test, rpcb.clients, 0);
	KUNIT_EXPECT_EQ(test, fake_noticed, 0);
}

/* RFC 5665 section 5.2: netids and universal addresses, without scopes */
static void netid_of_family(struct kunit *test)
{
	static const struct {
		union {
			struct sockaddr any;
			struct sockaddr_in in;
			struct sockaddr_in6 in6;
		};
		const char *netid, *uaddr;
	} cases[] = {
		{ .in = { .sin_family = AF_INET, .sin_port = htons(2049),
			  .sin_addr.s_addr = htonl(0xc0000207) }, "rdma", "192.0.2.7.8.1" },
		{ .in6 = { .sin6_family = AF_INET6, .sin6_port = htons(20049) },
		  "rdma6", "::.78.81" },
		{ .in6 = { .sin6_family = AF_INET6, .sin6_port = htons(20049), .sin6_scope_id = 2,
			   .sin6_addr.s6_addr = { 0xfe, 0x80, [15] = 1 } },
		  "rdma6", "fe80::1.78.81" },
	};
	struct svc_rdma_rpcbind *rpcbind;

	rpcb.path = true;
	for_each_case(c, cases) {
		rpcb.ncalls = 0;
		rpcbind = svc_rdma_rpcbind_register(&serv, NULL, &c->any);
		KUNIT_ASSERT_NOT_NULL(test, rpcbind);
		KUNIT_EXPECT_STREQ(test, rpcbind->netid, c->netid);
		KUNIT_EXPECT_STREQ(test, rpcbind->uaddr, c->uaddr);
		svc_rdma_rpcbind_unregister(rpcbind);
		KUNIT_EXPECT_EQ(test, rpcb.ncalls, 6);
		KUNIT_EXPECT_EQ(test, rpcb.clients, 0);
	}
}

/* Without rpcbind or with rpcbind=N, nothing is registered or logged. */
static void nothing_registered(struct kunit *test)
{
	const struct sockaddr *sap = (const struct sockaddr *)&address;
	static struct svc_serv nothing;

	rpcb.absent = true;
	KUNIT_EXPECT_NULL(test, start());
	rpcb.absent = false;
	svc_rdma_use_rpcbind = false;
	KUNIT_EXPECT_NULL(test, start());
	svc_rdma_use_rpcbind = true;
	KUNIT_EXPECT_NULL(test, svc_rdma_rpcbind_register(&nothing, NULL, sap));
	svc_rdma_rpcbind_unregister(NULL);
	KUNIT_EXPECT_EQ(test, rpcb.ncalls, 0);
	KUNIT_EXPECT_EQ(test, rpcb.clients, 0);
	KUNIT_EXPECT_EQ(test, fake_noticed, 0);
}

/* A refused registration is logged, and not unset: another server owns it. */
static void refused(struct kunit *test)
{
	struct svc_rdma_rpcbind *rpcbind;

	rpcb.refuses = true;
	rpcbind = start();
	KUNIT_EXPECT_EQ(test, rpcb.ncalls, 3);
	KUNIT_EXPECT_EQ(test, fake_noticed, 3);
	svc_rdma_rpcbind_unregister(rpcbind);
	KUNIT_EXPECT_EQ(test, rpcb.ncalls, 3);
	KUNIT_EXPECT_EQ(test, rpcb.clients, 0);

	/* Every version is unset; a refusal to unset is not logged. */
	arrange(test);
	rpcbind = start();
	rpcb.refuses = true;
	svc_rdma_rpcbind_unregister(rpcbind);
	expect_calls(test, 3, 2);
	KUNIT_EXPECT_EQ(test, fake_noticed, 0);
}

/* A silent rpcbind is called once, not once for each version. */
static void silent(struct kunit *test)
{
	struct svc_rdma_rpcbind *rpcbind;

	rpcb.error = -ETIMEDOUT;
	rpcbind = start();
	KUNIT_EXPECT_EQ(test, rpcb.ncalls, 1);
	KUNIT_EXPECT_EQ(test, fake_noticed, 1);
	svc_rdma_rpcbind_unregister(rpcbind);

	/* An rpcbind that becomes silent later gets only one UNSET. */
	rpcb.error = 0;
	rpcbind = start();
	KUNIT_EXPECT_EQ(test, rpcb.ncalls, 1 + 3);
	rpcb.error = -ETIMEDOUT;
	svc_rdma_rpcbind_unregister(rpcbind);
	KUNIT_EXPECT_EQ(test, rpcb.ncalls, 1 + 3 + 1);
	KUNIT_EXPECT_EQ(test, rpcb.clients, 0);
}

static struct kunit_case svc_rpcbind_cases[] = {
	KUNIT_CASE(set_and_unset),
	KUNIT_CASE(netid_of_family),
	KUNIT_CASE(nothing_registered),
	KUNIT_CASE(refused),
	KUNIT_CASE(silent),
	{}
};

SUITE("svc_rdma_rpcbind", svc_rpcbind_cases, .init = arrange);
