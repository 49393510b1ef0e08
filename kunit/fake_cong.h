/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sunrpc's congestion window, for suites of files that return credits. Included
 * before the module's headers, one of which returns some.
 */
#ifndef _XPRT_RDMA_FAKE_CONG_H
#define _XPRT_RDMA_FAKE_CONG_H

#include <linux/sunrpc/xprt.h>

/* Number of times that tasks that wait for a credit were woken */
static u32 fake_cong_wakes;

/* Like sunrpc's: returns a call's entry, once, and wakes if there is room. */
static void fake_release_cong(struct rpc_task *task)
{
	struct rpc_rqst *rqst = task->tk_rqstp;

	if (!rqst->rq_cong)
		return;
	rqst->rq_cong = 0;
	rqst->rq_xprt->cong -= RPC_CWNDSCALE;
	fake_cong_wakes += rqst->rq_xprt->cong < rqst->rq_xprt->cwnd;
}

#define xprt_release_rqst_cong		fake_release_cong

#endif /* _XPRT_RDMA_FAKE_CONG_H */
