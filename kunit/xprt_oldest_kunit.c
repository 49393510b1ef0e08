// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the oldest call without a reply is found, whatever the order of XIDs,
 * and what it waits for follows from what the transport knows. Otherwise an
 * operator would look for a fault in the wrong place.
 */
#include "xprt_fakes.h"

#include "../xprtrdma/control/oldest.c"

/* Add a call whose task began @age seconds ago to sunrpc's receive queue. */
static struct xprt_rdma_req *call(struct kunit *test, struct xprt_rdma *r_xprt,
				  u32 xid, u32 age)
{
	struct rb_node **p = &r_xprt->xprt.recv_queue.rb_node, *parent = NULL;
	struct xprt_rdma_req *req = fake_req(test);

	req->r_xprt = r_xprt;
	req->rqst.rq_xid = cpu_to_be32(xid);
	req->rqst.rq_task->tk_start = ktime_sub(ktime_get(), ms_to_ktime(1000 * age));
	while (*p) {
		parent = *p;
		p = xid < be32_to_cpu(rb_entry(parent, struct rpc_rqst, rq_recv)->rq_xid) ?
			    &parent->rb_left : &parent->rb_right;
	}
	rb_link_node(&req->rqst.rq_recv, parent, p);
	rb_insert_color(&req->rqst.rq_recv, &r_xprt->xprt.recv_queue);
	return req;
}

static struct xprt_rdma *transport(struct kunit *test)
{
	struct xprt_rdma *r_xprt = fake_r_xprt(test);

	xprt_set_connected(&r_xprt->xprt);
	return r_xprt;
}

static void oldest_found(struct kunit *test)
{
	struct xprt_rdma *r_xprt = transport(test);
	u32 i, age = 0;

	KUNIT_EXPECT_EQ(test, xprt_rdma_oldest(r_xprt, &age), RPCRDMA_NL_STAGE_NONE);
	for (i = 0; i < 9; i++)
		call(test, r_xprt, i, 10 * (5 * i % 9))->unanswered = i != 7;
	KUNIT_EXPECT_EQ(test, xprt_rdma_oldest(r_xprt, &age), RPCRDMA_NL_STAGE_MEMORY);
	KUNIT_EXPECT_GE(test, age, 80);
	KUNIT_EXPECT_LE(test, age, 85);
}

/* In the order in which a call passes through them */
static void stages(struct kunit *test)
{
	static const struct {
		const char *what;
		bool connected, waits, cong, unanswered, probe, late, replied;
		enum rpcrdma_nl_stage want;
	} cases[] = {
		{ "not connected", .waits = true, .unanswered = true,
		  .want = RPCRDMA_NL_STAGE_CONNECTION },
		{ "no credit", .connected = true, .waits = true,
		  .want = RPCRDMA_NL_STAGE_CREDIT },
		{ "another call has no credit", .connected = true, .waits = true, .cong = true,
		  .want = RPCRDMA_NL_STAGE_MEMORY },
		{ "not posted", .connected = true, .cong = true,
		  .want = RPCRDMA_NL_STAGE_MEMORY },
		{ "posted", .connected = true, .cong = true, .unanswered = true,
		  .want = RPCRDMA_NL_STAGE_SERVER },
		{ "a probe is on its way", .connected = true, .unanswered = true, .probe = true,
		  .want = RPCRDMA_NL_STAGE_SERVER },
		{ "a probe is late", .connected = true, .unanswered = true, .probe = true,
		  .late = true, .want = RPCRDMA_NL_STAGE_NETWORK },
		{ "a probe was late", .connected = true, .unanswered = true, .late = true,
		  .want = RPCRDMA_NL_STAGE_SERVER },
		{ "its memory is accessible", .connected = true, .replied = true,
		  .want = RPCRDMA_NL_STAGE_NETWORK },
	};
	struct xprt_rdma_recv_ctx recv;
	struct xprt_rdma *r_xprt;
	struct xprt_rdma_req *req;
	u32 i, age;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		r_xprt = transport(test);
		req = call(test, r_xprt, 1, 1);
		if (!cases[i].connected)
			xprt_clear_connected(&r_xprt->xprt);
		if (cases[i].waits)
			set_bit(XPRT_CWND_WAIT, &r_xprt->xprt.state);
		req->rqst.rq_cong = cases[i].cong;
		req->unanswered = cases[i].unanswered;
		r_xprt->probe.posted = cases[i].probe;
		r_xprt->probe.since = jiffies;
		if (cases[i].late)
			r_xprt->probe.since -= 5 * HZ;
		if (cases[i].replied)
			req->recv = &recv;
		KUNIT_EXPECT_EQ_MSG(test, xprt_rdma_oldest(r_xprt, &age),
				    cases[i].want, "%s", cases[i].what);
	}
}

static struct kunit_case xprt_oldest_cases[] = {
	KUNIT_CASE(oldest_found),
	KUNIT_CASE(stages),
	{}
};

SUITE("xprt_rdma_oldest", xprt_oldest_cases);
