/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fakes for testing a single file of xprtrdma: a transport, its connection and
 * requests, without a device. README.md in this folder explains how to write
 * such a suite.
 */
#ifndef _XPRT_RDMA_XPRT_FAKES_H
#define _XPRT_RDMA_XPRT_FAKES_H

#include <linux/random.h>

#include "suite.h"
#include "fake_common.h"
#include "fake_read_list.h"
#include "../xprtrdma/conn.h"
#include "../xprtrdma/limits.h"
#include "../xprtrdma/req.h"
#include "../xprtrdma/stats.h"
#include "../xprtrdma/tunables.h"
#include "../xprtrdma/xprt.h"
#include "../xprtrdma/control/control.h"
#include "../xprtrdma/ext/ext.h"
#include "../xprtrdma/callback/callback.h"
#include "../xprtrdma/version/version.h"
#include "../xprtrdma/message/message.h"
#include "../xprtrdma/ext/pulled/pulled.h"
#include "../xprtrdma/verbs/verbs.h"

/* Replace the trace points, which are defined in xprtrdma.ko. */
#define _TRACE_XPRTRDMA_H
#define trace_xprtrdma_reply_complete(x, xid, rc)	((void)(rc))
#define trace_xprtrdma_reply(req, recv)		((void)(recv))
#define trace_xprtrdma_error(req, hdr, again)	((void)(again))
#define trace_xprtrdma_marshal(req)		((void)(req))
#define trace_xprtrdma_marshal_failed(x, xid, rc)	((void)(rc))
#define trace_xprtrdma_wc_error(conn, what, wc)	((void)(conn), (void)(wc))
#define trace_xprtrdma_wc_send(conn, what, wc)	((void)(wc))
#define trace_xprtrdma_send(req)		((void)(req))
#define trace_xprtrdma_read(x, xid, n)	((void)(xid), (void)(n))
#define trace_xprtrdma_read_end(x, xid, rc)	((void)(xid), (void)(rc))
#define trace_xprtrdma_done(x, xid, handle)	((void)(handle))
#define trace_xprtrdma_bc_call(req)		((void)(req))
#define trace_xprtrdma_bc_reply(req)		((void)(req))
#define trace_xprtrdma_error_sent(x, xid, e)	((void)(xid), (void)(e))
#define trace_xprtrdma_state(conn, from, to, error)	((void)(from))

/* Initialize the words and count members of a test case. */
#define WORDS(...)	.words = { __VA_ARGS__ }, \
			.count = sizeof((const u32[]){ __VA_ARGS__ }) / 4

static __maybe_unused void
fake_message(__be32 *msg, const u32 *words, u32 count)
{
	while (count--)
		*msg++ = cpu_to_be32(*words++);
}

/* Byte @i of a test RPC message */
static __maybe_unused u8 pattern(u32 i)
{
	return i % 97 + 1;
}

DEFINE_PER_CPU(u64[XPRT_RDMA_COUNTER_NR], xprt_rdma_counters);

/* Value of the named counter */
#define fake_count(name)	\
	fake_counter(&xprt_rdma_counters[XPRT_RDMA_COUNTER_##name])

/* All created objects were destroyed. */
#define fake_expect_balance(test, name)	\
	KUNIT_EXPECT_EQ(test, fake_count(name##_now), 0)

KUNIT_DEFINE_ACTION_WRAPPER(free_page_action, put_page, struct page *);

/* @n pages that are freed when the test ends */
static __maybe_unused struct page **fake_pages(struct kunit *test, u32 n)
{
	struct page **pages = fake_zalloc(test, n * sizeof(*pages));
	u32 i;

	for (i = 0; i < n; i++) {
		pages[i] = alloc_page(GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pages[i]);
		fake_defer(test, free_page_action, pages[i]);
	}
	return pages;
}

/* Callbacks of verbs/ into upper layers; a suite sets those that it needs. */
static __maybe_unused struct xprt_rdma_conn_ops fake_conn_ops = {};

/*
 * Protocol versions by number, without methods. A suite that needs methods sets
 * them, or replaces the tables with the real ones.
 */
static __maybe_unused struct xprt_rdma_version fake_versions[] = {
	[RPCRDMA_VERSION_1] = {
		.number		= RPCRDMA_VERSION_1,
		.hdr_min	= RPCRDMA_V1_MIN_SIZE,
	},
	[RPCRDMA_VERSION_2] = {
		.number		= RPCRDMA_VERSION_2,
		.hdr_min	= RPCRDMA2_MIN_SIZE,
		.has_flags	= true,
		.has_props	= true,
	},
};

/*
 * Use the real tables. For suites that include version/v1.c and version/v2.c.
 */
#define fake_real_versions()					\
	do {							\
		fake_versions[RPCRDMA_VERSION_1] = xprt_rdma_v1;	\
		fake_versions[RPCRDMA_VERSION_2] = xprt_rdma_v2;	\
	} while (0)

/* Set the protocol version of @conn; 0: not negotiated yet. */
static void fake_set_version(struct xprt_rdma_conn *conn, u32 version)
{
	conn->ver = version ? &fake_versions[version] : NULL;
}

static __maybe_unused u32 fake_version_of(const struct xprt_rdma_conn *conn)
{
	return conn->ver ? conn->ver->number : 0;
}

/* A connection of @r_xprt, without verbs objects */
static struct xprt_rdma_conn *fake_conn(struct kunit *test,
					struct xprt_rdma *r_xprt)
{
	struct xprt_rdma_conn *conn = fake_zalloc(test, sizeof(*conn));

	conn->r_xprt = r_xprt;
	conn->ops = &fake_conn_ops;
	fake_set_version(conn, RPCRDMA_VERSION_1);
	xprt_rdma_life_init(&conn->life, 0);
	xprt_rdma_sizes_init(&conn->sizes, 0, 0, 0);
	xprt_rdma_mrs_init(&conn->mrs);
	xprt_rdma_recvs_init(&conn->recvs, 0);
	xprt_rdma_fetches_init(&conn->fetches);
	rpcrdma_rw_set_init(&conn->rws);
	return conn;
}

/* A transport with a connection */
static __maybe_unused struct xprt_rdma *fake_r_xprt(struct kunit *test)
{
	struct xprt_rdma *r_xprt = fake_zalloc(test, sizeof(*r_xprt));

	spin_lock_init(&r_xprt->xprt.transport_lock);
	spin_lock_init(&r_xprt->xprt.reserve_lock);
	spin_lock_init(&r_xprt->xprt.queue_lock);
	spin_lock_init(&r_xprt->xprt.bc_pa_lock);
	INIT_LIST_HEAD(&r_xprt->xprt.bc_pa_list);
	kref_init(&r_xprt->xprt.kref);
	r_xprt->xprt.address_strings[RPC_DISPLAY_ADDR] = "192.0.2.1";
	spin_lock_init(&r_xprt->conn_lock);
	init_waitqueue_head(&r_xprt->inv_wait);
	INIT_LIST_HEAD(&r_xprt->reqs_free);
	INIT_LIST_HEAD(&r_xprt->reqs_all);
	r_xprt->conn = fake_conn(test, r_xprt);
	return r_xprt;
}

/* A connection with zeroed verbs objects, on a new transport */
static __maybe_unused struct xprt_rdma_conn *fake_verbs_conn(struct kunit *test)
{
	struct xprt_rdma_conn *conn = fake_r_xprt(test)->conn;

	conn->device = fake_zalloc(test, sizeof(*conn->device));
	conn->pd = fake_zalloc(test, sizeof(*conn->pd));
	conn->id = fake_zalloc(test, sizeof(*conn->id));
	conn->id->device = conn->device;
	return conn;
}

/* A request of a new transport */
static __maybe_unused struct xprt_rdma_req *fake_req(struct kunit *test)
{
	struct xprt_rdma_req *req = fake_zalloc(test, sizeof(*req));
	struct xprt_rdma *r_xprt = fake_r_xprt(test);

	INIT_LIST_HEAD(&req->mrs);
	req->r_xprt = r_xprt;
	req->rqst.rq_task = fake_zalloc(test, sizeof(*req->rqst.rq_task));
	return req;
}

#endif /* _XPRT_RDMA_XPRT_FAKES_H */
