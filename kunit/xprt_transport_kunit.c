// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: sunrpc gets a complete transport or an error. Destroying a transport
 * leaves no memory, module reference or pending work. Fields of mountstats have
 * the order that programs expect. Code that memory reclaim waits for allocates
 * without I/O. If this failed, mounts would leak memory or keep the module
 * loaded, unmounting could crash the kernel, or reclaim would deadlock.
 */
#include <linux/sunrpc/addr.h>

#include "xprt_fakes.h"
#include "fake_memory.h"
#include "fake_balance.h"

/* Existing objects, and calls by the file under test */
static struct asked {
	u32 disconnects;	/* number of times that sunrpc was asked to close */
	u32 overdue;		/* number of overdue calls that the server's access ends to */
	struct rpc_task *holder;	/* holder of XPRT_LOCKED at that time */
	u32 ended;		/* number of connections ended at once */
	u32 closed;		/* times that sunrpc was told that the connection is closed */
	int transports;		/* number of transports */
	int shown;		/* number of transports that netlink shows */
	u32 reqs;		/* number of requests reserved by the transport */
	u32 slots;		/* number of requests that sunrpc was asked to allocate */
	u32 bc_keep;		/* number of backchannel requests to be kept */
	int strings;		/* number of copies of strings */
	int modules;		/* number of references to the module */
	bool unloading;		/* the module is being unloaded */
	u32 pending;		/* number of work items pending after a free */
} asked;

static unsigned int fake_slots = 128;

static struct rpc_xprt *fake_xprt_alloc(size_t size, unsigned int prealloc,
					unsigned int slots)
{
	struct rpc_xprt *xprt = kzalloc(size, GFP_KERNEL);

	if (!xprt)
		return NULL;
	spin_lock_init(&xprt->transport_lock);
	xprt->max_reqs = slots;
	asked.slots = prealloc;
	asked.transports++;
	return xprt;
}

/* Count pending work, which would use the freed transport. */
static void fake_xprt_free(struct rpc_xprt *xprt)
{
	struct xprt_rdma *r_xprt = to_r_xprt(xprt);

	if (r_xprt->connect_work.work.func)
		asked.pending += cancel_delayed_work_sync(&r_xprt->connect_work);
	kfree(xprt);
	asked.transports--;
}

static void fake_work(struct work_struct *work)
{
}

static void fake_bc_destroy(struct rpc_xprt *xprt, unsigned int reqs)
{
}

static bool fake_string_out(void)
{
	if (fake_memory_out())
		return true;
	asked.strings++;
	return false;
}

static bool fake_module_get(void)
{
	if (asked.unloading)
		return false;
	asked.modules++;
	return true;
}

static int fake_reqs_reserve(u32 count)
{
	if (fake_memory_out())
		return -ENOMEM;
	asked.reqs = count;
	return 0;
}

static void fake_force_disconnect(struct rpc_xprt *xprt)
{
	asked.disconnects++;
}

static void fake_release_xprt(struct rpc_xprt *xprt, struct rpc_task *task)
{
	if (balance.held && xprt->snd_task == task)
		xprt->snd_task = NULL;
}

static void fake_invalidate(struct rpc_xprt *xprt, bool overdue)
{
	asked.overdue += overdue && !balance.held;
	asked.holder = xprt->snd_task;
}

#define kstrdup(s, gfp)	(fake_string_out() ? NULL : (kstrdup)(s, gfp))
#define kfree(p)			((void)(asked.strings -= !!(p)), (kfree)(p))
#define try_module_get(module)		fake_module_get()
#define module_put(module)		((void)asked.modules--)
#define xprt_alloc(net, size, slots, max) \
	((void)(net), fake_xprt_alloc(size, slots, max))
#define xprt_free			fake_xprt_free
#define xprt_force_disconnect		fake_force_disconnect
#define xprt_release_xprt_cong		fake_release_xprt
#define xprt_disconnect_done(xprt)	((void)(xprt), (void)asked.closed++)
#define xprt_rdma_slot_table_entries	fake_slots
#define xprt_rdma_abandoned_init(r_xprt)	((void)(r_xprt))
#define rpcrdma_nl_add(entry, put)	((void)(entry), (void)asked.shown++)
#define rpcrdma_nl_remove(entry)	((void)(entry), (void)asked.shown--)
#define xprt_rdma_invalidate_sync(r_xprt, req, overdue) \
	((void)(req), fake_invalidate(&(r_xprt)->xprt, overdue))
#define xprt_rdma_disconnect(r_xprt)	((void)(r_xprt), (void)asked.ended++)
#define xprt_rdma_reqs_reserve(r_xprt, n)	((void)(r_xprt), fake_reqs_reserve(n))
#define xprt_rdma_reqs_trim(r_xprt, n)	((void)(r_xprt), (void)(asked.reqs = (n)))
#define xprt_rdma_connect_work		fake_work
#define xprt_rdma_watch_work		fake_work
#define xprt_rdma_watch(r_xprt)			((void)(r_xprt))
#define xprt_rdma_op_bc_destroy		fake_bc_destroy
#define xprt_rdma_bc_trim(r_xprt, keep)	((void)(r_xprt), (void)(asked.bc_keep = (keep)))
#define xprt_rdma_op_connect		NULL
#define xprt_rdma_op_alloc_slot		NULL
#define xprt_rdma_op_free_slot		NULL
#define xprt_rdma_op_release_request	NULL
#define xprt_rdma_op_buf_alloc		NULL
#define xprt_rdma_op_buf_free		NULL
#define xprt_rdma_call_send(req)		((void)(req), 0)
#define xprt_rdma_bc_reply_send(rqst)		((void)(rqst), 0)
#define xprt_rdma_op_bc_setup		NULL
#define xprt_rdma_op_bc_maxpayload		NULL
#define xprt_rdma_op_bc_num_slots		NULL
#define xprt_rdma_op_bc_free_rqst		NULL

/* stats.c defines the counters, which already exist here. */
#undef DEFINE_PER_CPU
#define DEFINE_PER_CPU(type, name)	extern __typeof__(type) dummy_##name

#include "../xprtrdma/control/stats.c"
#include "../xprtrdma/control/transport.c"

static struct sockaddr_in ipv4 = {
	.sin_family = AF_INET,
	.sin_addr.s_addr = cpu_to_be32(0xc0000201),
	.sin_port = cpu_to_be16(20049),
};

static struct sockaddr_in6 ipv6 = {
	.sin6_family = AF_INET6,
	.sin6_addr.s6_addr = { 0x20, 0x01, 0x0d, 0xb8, [15] = 1 },
};

static struct xprt_create args_for(void *sap, size_t len)
{
	memset(&asked, 0, sizeof(asked));
	fake_memory_left = -1;
	return (struct xprt_create){ .dstaddr = sap, .addrlen = len };
}

static void expect_nothing_left(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, asked.transports, 0);
	KUNIT_EXPECT_EQ(test, asked.shown, 0);
	KUNIT_EXPECT_EQ(test, asked.reqs, 0);
	KUNIT_EXPECT_EQ(test, asked.strings, 0);
	KUNIT_EXPECT_EQ(test, asked.modules, 0);
	KUNIT_EXPECT_EQ(test, asked.pending, 0);
	fake_expect_balance(test, xprts);
	balance_exit(test);
}

static struct rpc_xprt *transport(struct kunit *test)
{
	struct xprt_create args = args_for(&ipv4, sizeof(ipv4));
	struct rpc_xprt *xprt = xprt_rdma_op_setup(&args);

	KUNIT_ASSERT_FALSE(test, IS_ERR(xprt));
	return xprt;
}

/* A server's address, and how it is displayed */
static const struct address_case {
	const char *name;
	void *sap;
	size_t len;
	bool bound;
	const char *netid, *addr, *hex_addr, *port, *hex_port;
} address_cases[] = {
	{ "IPv4", &ipv4, sizeof(ipv4), true, "rdma", "192.0.2.1", "c0000201", "20049", "4e51" },
	{ "IPv6, rpcbind to be asked", &ipv6, sizeof(ipv6), false, "rdma6",
	  "2001:db8::1", "20010db8000000000000000000000001", "0", "   0" },
};

KUNIT_ARRAY_PARAM_DESC(address_case, address_cases, name);

/* A transport has its server's address and port, in all displayed forms. */
static void addresses_displayed(struct kunit *test)
{
	const struct address_case *c = test->param_value;
	struct xprt_create args = args_for(c->sap, c->len);
	struct rpc_xprt *xprt = xprt_rdma_op_setup(&args);
	const char **strings;

	KUNIT_ASSERT_FALSE(test, IS_ERR(xprt));
	strings = xprt->address_strings;
	KUNIT_EXPECT_STREQ(test, strings[RPC_DISPLAY_PROTO], "rdma");
	KUNIT_EXPECT_STREQ(test, strings[RPC_DISPLAY_NETID], c->netid);
	KUNIT_EXPECT_STREQ(test, strings[RPC_DISPLAY_ADDR], c->addr);
	KUNIT_EXPECT_STREQ(test, strings[RPC_DISPLAY_HEX_ADDR], c->hex_addr);
	KUNIT_EXPECT_STREQ(test, strings[RPC_DISPLAY_PORT], c->port);
	KUNIT_EXPECT_STREQ(test, strings[RPC_DISPLAY_HEX_PORT], c->hex_port);
	KUNIT_EXPECT_EQ(test, xprt_bound(xprt), c->bound);
	KUNIT_EXPECT_EQ(test, xprt->addrlen, c->len);
	KUNIT_EXPECT_MEMEQ(test, &xprt->addr, c->sap, c->len);
	KUNIT_EXPECT_EQ(test, xprt->max_reqs, fake_slots);
	KUNIT_EXPECT_EQ(test, asked.shown, 1);
	/* The port from rpcbind */
	xprt_rdma_op_set_port(xprt, 2050);
	KUNIT_EXPECT_EQ(test, rpc_get_port((struct sockaddr *)&xprt->addr), 2050);
	KUNIT_EXPECT_STREQ(test, strings[RPC_DISPLAY_PORT], "2050");
	KUNIT_EXPECT_STREQ(test, strings[RPC_DISPLAY_HEX_PORT], " 802");
	xprt_rdma_op_destroy(xprt);
	KUNIT_EXPECT_EQ(test, asked.ended, 1);
}

/* A new transport has the values that sunrpc and NFS rely on. */
static void set_up_for_sunrpc(struct kunit *test)
{
	struct rpc_xprt *xprt = transport(test);
	struct xprt_rdma *r_xprt = to_r_xprt(xprt);

	KUNIT_EXPECT_PTR_EQ(test, xprt->xprt_class,
			    (const struct xprt_class *)&xprt_rdma_class);
	KUNIT_EXPECT_PTR_EQ(test, xprt->ops, &xprt_rdma_ops);
	/* MNT and NLM use the same protocol. */
	KUNIT_EXPECT_EQ(test, xprt->prot, IPPROTO_TCP);
	KUNIT_EXPECT_EQ(test, xprt->max_payload, 1024 * 1024);
	KUNIT_EXPECT_EQ(test, asked.reqs, XPRT_RDMA_RESERVE_REQS);
	/* RPCs time out after a minute, idle connections after five. */
	KUNIT_EXPECT_EQ(test, xprt->timeout->to_initval, 60 * HZ);
	KUNIT_EXPECT_EQ(test, xprt->timeout->to_retries, 0);
	KUNIT_EXPECT_EQ(test, xprt->connect_timeout, 60 * HZ);
	KUNIT_EXPECT_EQ(test, xprt->max_reconnect_timeout, 60 * HZ);
	KUNIT_EXPECT_EQ(test, xprt->bind_timeout, 60 * HZ);
	KUNIT_EXPECT_EQ(test, xprt->idle_timeout, 5 * 60 * HZ);
	KUNIT_EXPECT_TRUE(test, list_empty(&r_xprt->inv_wait.head));
	/* The transport, not sunrpc, allocates requests. */
	KUNIT_EXPECT_EQ(test, asked.slots, 0);
	KUNIT_EXPECT_EQ(test, asked.modules, 1);
	asked.bc_keep = 7;
	/* Pending work is cancelled. */
	schedule_delayed_work(&r_xprt->connect_work, 60 * HZ);
	xprt_rdma_op_destroy(xprt);
	KUNIT_EXPECT_EQ(test, asked.bc_keep, 0);
}

/*
 * Unknown address families, too long addresses and unloading modules are
 * refused.
 */
static void refused(struct kunit *test)
{
	struct sockaddr_storage *sap = fake_zalloc(test, sizeof(*sap));
	struct sockaddr local = { .sa_family = AF_LOCAL };
	const struct { void *sap; size_t len; bool unloading; int rc; } cases[] = {
		{ &local, sizeof(local), false, -EAFNOSUPPORT },
		{ sap, sizeof(*sap) + 1, false, -EBADF },
		{ sap, sizeof(*sap), true, -EIO },
		{ sap, sizeof(*sap), false, 0 },
	};
	struct rpc_xprt *xprt;

	memcpy(sap, &ipv6, sizeof(ipv6));
	for_each_case(c, cases) {
		struct xprt_create args = args_for(c->sap, c->len);

		asked.unloading = c->unloading;
		xprt = xprt_rdma_op_setup(&args);
		KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(xprt), c->rc);
		if (!IS_ERR(xprt)) {
			KUNIT_EXPECT_EQ(test, xprt->addrlen, sizeof(*sap));
			xprt_rdma_op_destroy(xprt);
		}
		expect_nothing_left(test);
	}
}

/* If any allocation fails, no transport is created, and nothing leaks. */
static void no_memory_leaks_nothing(struct kunit *test)
{
	int n;

	/* The transport, the requests and the address */
	for (n = 0; n < 3; n++) {
		struct xprt_create args = args_for(&ipv4, sizeof(ipv4));

		fake_memory_left = n;
		KUNIT_EXPECT_EQ(test, PTR_ERR(xprt_rdma_op_setup(&args)), -ENOMEM);
		fake_memory_left = -1;
		expect_nothing_left(test);
	}
}

/*
 * Before an overdue call is encoded again, the server's access ends. That may take
 * the end of the connection, which needs XPRT_LOCKED: the task of the call does not
 * keep it.
 */
static void overdue_call_releases_the_lock(struct kunit *test)
{
	struct rpc_xprt *xprt = transport(test);
	struct xprt_rdma_req req = {};
	struct rpc_task task = { .tk_rqstp = &req.rqst }, other;

	xprt->snd_task = &task;
	xprt_rdma_op_timer(xprt, &task);
	KUNIT_EXPECT_EQ(test, asked.overdue, 1);
	KUNIT_EXPECT_NULL(test, asked.holder);

	xprt->snd_task = &other;
	xprt_rdma_op_timer(xprt, &task);
	KUNIT_EXPECT_EQ(test, asked.overdue, 2);
	KUNIT_EXPECT_PTR_EQ(test, asked.holder, &other);
	xprt_rdma_op_destroy(xprt);
}

/* Closing changes the cookie, by which waiting tasks notice. */
static void close_changes_cookie(struct kunit *test)
{
	struct rpc_xprt *xprt = transport(test);

	xprt->connect_cookie = 5;
	xprt_rdma_op_close(xprt);
	KUNIT_EXPECT_EQ(test, asked.ended, 1);
	KUNIT_EXPECT_EQ(test, asked.closed, 1);
	KUNIT_EXPECT_EQ(test, xprt->connect_cookie, 6);
	KUNIT_EXPECT_EQ(test, asked.reqs, XPRT_RDMA_RESERVE_REQS);
	xprt->ops->inject_disconnect(xprt);
	KUNIT_EXPECT_EQ(test, asked.disconnects, 1);
	KUNIT_EXPECT_EQ(test, asked.ended, 1);
	xprt_rdma_op_destroy(xprt);
}

/* Timeouts can be shortened within limits, but not lengthened. */
static void timeouts_only_shortened(struct kunit *test)
{
	/* Requested and resulting timeouts in seconds */
	static const struct { u32 connect, reconnect, rpc, max_reconnect; } cases[] = {
		{ 30, 20, 30, 20 }, { 2, 2, 10, 2 }, { 60, 60, 60, 60 }, { 600, 600, 60, 60 },
	};
	struct rpc_xprt *xprt;

	for_each_case(c, cases) {
		xprt = transport(test);
		xprt_rdma_op_set_connect_timeout(xprt, c->connect * HZ, c->reconnect * HZ);
		KUNIT_EXPECT_EQ(test, xprt->timeout->to_initval, c->rpc * HZ);
		KUNIT_EXPECT_EQ(test, xprt->timeout->to_maxval, c->rpc * HZ);
		KUNIT_EXPECT_EQ(test, xprt->max_reconnect_timeout, c->max_reconnect * HZ);
		KUNIT_EXPECT_EQ(test, xprt->connect_timeout, min(c->connect, 60u) * HZ);
		xprt_rdma_op_destroy(xprt);
	}
}

/*
 * The task's flags for reclaim are set and restored, even if nested. sunrpc can
 * disable swap on a transport that was created after swap was enabled.
 */
static void flags_saved_and_restored(struct kunit *test)
{
	const unsigned int both = PF_MEMALLOC_NOIO | PF_MEMALLOC;
	struct rpc_xprt *xprt = transport(test);
	struct xprt_rdma *r_xprt = to_r_xprt(xprt);
	unsigned int outer, inner;

	xprt_rdma_op_disable_swap(xprt);
	KUNIT_ASSERT_EQ(test, current->flags & both, 0);
	outer = xprt_rdma_reclaim_save(r_xprt);
	KUNIT_EXPECT_EQ(test, current->flags & both, PF_MEMALLOC_NOIO);
	KUNIT_EXPECT_TRUE(test, xprt_rdma_reclaim_safe());
	KUNIT_EXPECT_TRUE(test, current_gfp_context(GFP_KERNEL) == GFP_NOIO);
	KUNIT_EXPECT_EQ(test, xprt_rdma_op_enable_swap(xprt), 0);
	inner = xprt_rdma_reclaim_save(r_xprt);
	KUNIT_EXPECT_EQ(test, current->flags & both, both);
	xprt_rdma_reclaim_restore(inner);
	KUNIT_EXPECT_EQ(test, current->flags & both, PF_MEMALLOC_NOIO);
	xprt_rdma_op_disable_swap(xprt);
	KUNIT_EXPECT_EQ(test, atomic_read(&xprt->swapper), 0);
	xprt_rdma_reclaim_restore(outer);
	KUNIT_EXPECT_EQ(test, current->flags & both, 0);
	KUNIT_EXPECT_FALSE(test, xprt_rdma_reclaim_safe());
	xprt_rdma_op_destroy(xprt);
}

#define TEXT_SIZE	8192u

static struct seq_file *output(struct kunit *test)
{
	struct seq_file *seq = fake_zalloc(test, sizeof(*seq));

	seq->buf = fake_zalloc(test, TEXT_SIZE);
	seq->size = TEXT_SIZE;
	return seq;
}

/*
 * The 27 fields of mountstats are in order; each value here is its position. The
 * idle time of an unconnected transport is 0.
 */
static void mountstats_in_order(struct kunit *test)
{
	struct seq_file *seq = output(test);
	struct xprt_rdma *r_xprt = fake_r_xprt(test);
	struct rpc_xprt *xprt = &r_xprt->xprt;
	char want[128];
	int i, at;

	xprt->stat.bind_count = 2;
	xprt->stat.connect_count = 3;
	xprt->stat.connect_time = 4 * HZ;
	xprt->last_used = jiffies - 5 * HZ;
	xprt->stat.sends = 6;
	xprt->stat.recvs = 7;
	xprt->stat.bad_xids = 8;
	xprt->stat.req_u = 9;
	xprt->stat.bklog_u = 10;
	xprt_set_connected(xprt);
	r_xprt->stats = (struct xprt_rdma_stats) {
		.read_chunk_count	= 11,
		.write_chunk_count	= 12,
		.reply_chunk_count	= 13,
		.total_rdma_request	= 14,
		.total_rdma_reply	= 15,
		.pullup_copy_count	= 16,
		.fixup_copy_count	= 17,
		.hardway_register_count	= 18,
		.failed_marshal_count	= 19,
		.bad_reply_count	= 20,
		.nomsg_call_count	= 21,
		.mrs_recycled		= 22,
		.mrs_orphaned		= 23,
		.mrs_allocated		= 24,
		.local_inv_needed	= 25,
		.empty_sendctx_q	= 26,
	};
	xprt_rdma_op_print_stats(xprt, seq);
	at = snprintf(want, sizeof(want), "\txprt:\trdma 0");
	for (i = 2; i <= 26; i++)
		at += snprintf(want + at, sizeof(want) - at, " %d", i);
	snprintf(want + at, sizeof(want) - at, " 0\n");
	KUNIT_EXPECT_STREQ(test, seq->buf, want);

	xprt_clear_connected(xprt);
	seq = output(test);
	xprt_rdma_op_print_stats(xprt, seq);
	KUNIT_EXPECT_NOT_NULL(test, strstr(seq->buf, "rdma 0 2 3 4 0 6 "));
}

static struct kunit_case xprt_transport_cases[] = {
	KUNIT_CASE_PARAM(addresses_displayed, address_case_gen_params),
	KUNIT_CASE(set_up_for_sunrpc),
	KUNIT_CASE(refused),
	KUNIT_CASE(no_memory_leaks_nothing),
	KUNIT_CASE(overdue_call_releases_the_lock),
	KUNIT_CASE(close_changes_cookie),
	KUNIT_CASE(timeouts_only_shortened),
	KUNIT_CASE(flags_saved_and_restored),
	KUNIT_CASE(mountstats_in_order),
	{}
};

SUITE("xprt_rdma_transport", xprt_transport_cases, .exit = expect_nothing_left);
