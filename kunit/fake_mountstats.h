/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For suites about the line of a transport in /proc/self/mountstats: programs
 * read its fields by position, so each field is given the value of its position.
 */
#ifndef _RPCRDMA_FAKE_MOUNTSTATS_H
#define _RPCRDMA_FAKE_MOUNTSTATS_H

#include <linux/sunrpc/xprt.h>

/* Fields 2 to 10, all that a transport without statistics of its own has */
static void fake_mountstats(struct rpc_xprt *xprt, unsigned long now)
{
	xprt->stat.bind_count = 2;
	xprt->stat.connect_count = 3;
	xprt->stat.connect_time = 4 * HZ;
	xprt->last_used = now - 5 * HZ;
	xprt->stat.sends = 6;
	xprt->stat.recvs = 7;
	xprt->stat.bad_xids = 8;
	xprt->stat.req_u = 9;
	xprt->stat.bklog_u = 10;
	xprt_set_connected(xprt);
}

#endif /* _RPCRDMA_FAKE_MOUNTSTATS_H */
