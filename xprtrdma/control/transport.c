// SPDX-License-Identifier: GPL-2.0-only
/* The transport as sunrpc sees it: its class and its operations. */

#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sunrpc/addr.h>
#include <linux/sunrpc/msg_prot.h>

#include "../limits.h"
#include "../req.h"
#include "../stats.h"
#include "../tunables.h"
#include "../xprt.h"
#include "control.h"
#include "../callback/callback.h"
#include "../message/message.h"
#include "../verbs/verbs.h"

#define BIND_TIMEOUT		(60U * HZ)
#define IDLE_TIMEOUT		(5U * 60 * HZ)
#define RPC_TIMEOUT		(60U * HZ)
/* Lower bound of the RPC timeout that set_connect_timeout sets */
#define RPC_TIMEOUT_MIN		(10U * HZ)

static const struct rpc_xprt_ops xprt_rdma_ops;

/* One minute, without retransmission on the same connection */
static const struct rpc_timeout default_timeout = {
	.to_initval	= RPC_TIMEOUT,
	.to_maxval	= RPC_TIMEOUT,
};

static void xprt_rdma_format_port(struct xprt_rdma *r_xprt)
{
	unsigned short port = rpc_get_port((struct sockaddr *)&r_xprt->xprt.addr);

	snprintf(r_xprt->port, sizeof(r_xprt->port), "%u", port);
	snprintf(r_xprt->hex_port, sizeof(r_xprt->hex_port), "%4hx", port);
}

/* Upper layers do not check these strings, so each of them must exist. */
static int xprt_rdma_addresses_init(struct xprt_rdma *r_xprt,
				    struct sockaddr *sap)
{
	const char **strings = r_xprt->xprt.address_strings;
	char buf[RPCBIND_MAXUADDRLEN];

	switch (sap->sa_family) {
	case AF_INET:
		snprintf(r_xprt->hex_addr, sizeof(r_xprt->hex_addr), "%08x",
			 ntohl(((struct sockaddr_in *)sap)->sin_addr.s_addr));
		strings[RPC_DISPLAY_NETID] = RPCBIND_NETID_RDMA;
		break;
	case AF_INET6:
		snprintf(r_xprt->hex_addr, sizeof(r_xprt->hex_addr), "%pi6",
			 &((struct sockaddr_in6 *)sap)->sin6_addr);
		strings[RPC_DISPLAY_NETID] = RPCBIND_NETID_RDMA6;
		break;
	default:
		return -EAFNOSUPPORT;
	}
	xprt_rdma_format_port(r_xprt);
	strings[RPC_DISPLAY_PROTO] = "rdma";
	strings[RPC_DISPLAY_HEX_ADDR] = r_xprt->hex_addr;
	strings[RPC_DISPLAY_PORT] = r_xprt->port;
	strings[RPC_DISPLAY_HEX_PORT] = r_xprt->hex_port;
	rpc_ntop(sap, buf, sizeof(buf));
	strings[RPC_DISPLAY_ADDR] = kstrdup(buf, GFP_KERNEL);
	return strings[RPC_DISPLAY_ADDR] ? 0 : -ENOMEM;
}

/* Free a transport that has no connection, and may be incomplete. */
static void xprt_rdma_xprt_free(struct rpc_xprt *xprt)
{
	xprt_rdma_reqs_trim(to_r_xprt(xprt), 0);
	kfree(xprt->address_strings[RPC_DISPLAY_ADDR]);
	xprt_free(xprt);
	module_put(THIS_MODULE);
}

static void xprt_rdma_xprt_init(struct xprt_rdma *r_xprt)
{
	struct rpc_xprt *xprt = &r_xprt->xprt;

	xprt->timeout = &default_timeout;
	xprt->connect_timeout = xprt->timeout->to_initval;
	xprt->max_reconnect_timeout = xprt->timeout->to_maxval;
	xprt->bind_timeout = BIND_TIMEOUT;
	xprt->idle_timeout = IDLE_TIMEOUT;
	spin_lock_init(&r_xprt->conn_lock);
	init_waitqueue_head(&r_xprt->inv_wait);
	INIT_DELAYED_WORK(&r_xprt->connect_work, xprt_rdma_connect_work);
	INIT_DELAYED_WORK(&r_xprt->watch.work, xprt_rdma_watch_work);
	INIT_LIST_HEAD(&r_xprt->reqs_free);
	INIT_LIST_HEAD(&r_xprt->reqs_all);
	xprt_rdma_abandoned_init(r_xprt);
}

static struct rpc_xprt *xprt_rdma_op_setup(struct xprt_create *args)
{
	struct rpc_xprt *xprt;
	int rc;

	if (args->addrlen > sizeof(xprt->addr))
		return ERR_PTR(-EBADF);
	if (!try_module_get(THIS_MODULE))
		return ERR_PTR(-EIO);
	xprt = xprt_alloc(args->net, sizeof(struct xprt_rdma), 0,
			  READ_ONCE(xprt_rdma_slot_table_entries));
	if (!xprt) {
		module_put(THIS_MODULE);
		return ERR_PTR(-ENOMEM);
	}

	xprt_rdma_xprt_init(to_r_xprt(xprt));
	xprt->ops = &xprt_rdma_ops;
	/* The side protocols MNT and NLM use this protocol number: TCP. */
	xprt->prot = IPPROTO_TCP;
	xprt->xprt_class = &xprt_rdma_class;
	xprt->max_payload = XPRT_RDMA_MAX_PAYLOAD;
	xprt->addrlen = args->addrlen;
	memcpy(&xprt->addr, args->dstaddr, args->addrlen);
	rc = xprt_rdma_reqs_reserve(to_r_xprt(xprt), XPRT_RDMA_RESERVE_REQS) ?:
	     xprt_rdma_addresses_init(to_r_xprt(xprt), args->dstaddr);
	if (rc) {
		xprt_rdma_xprt_free(xprt);
		return ERR_PTR(rc);
	}
	if (rpc_get_port(args->dstaddr))
		xprt_set_bound(xprt);
	rpcrdma_nl_add(&to_r_xprt(xprt)->shown, xprt_rdma_netlink_put);
	xprt_rdma_count(xprts_now);
	return xprt;
}

/* The last reference is gone; sunrpc holds XPRT_LOCKED. */
static void xprt_rdma_op_destroy(struct rpc_xprt *xprt)
{
	struct xprt_rdma *r_xprt = to_r_xprt(xprt);

	rpcrdma_nl_remove(&r_xprt->shown);
	cancel_delayed_work_sync(&r_xprt->connect_work);
	xprt_rdma_disconnect(r_xprt);
	xprt_rdma_bc_trim(r_xprt, false);
	xprt_rdma_count_add(xprts_now, -1);
	xprt_rdma_xprt_free(xprt);
}

/* Close an idle, lost or unwanted connection; the caller holds XPRT_LOCKED. */
static void xprt_rdma_op_close(struct rpc_xprt *xprt)
{
	struct xprt_rdma *r_xprt = to_r_xprt(xprt);

	xprt_rdma_disconnect(r_xprt);
	xprt_rdma_reqs_trim(r_xprt, XPRT_RDMA_RESERVE_REQS);
	xprt_rdma_bc_trim(r_xprt, true);
	++xprt->connect_cookie;
	xprt_disconnect_done(xprt);
}

static void xprt_rdma_op_set_port(struct rpc_xprt *xprt, unsigned short port)
{
	rpc_set_port((struct sockaddr *)&xprt->addr, port);
	xprt_rdma_format_port(to_r_xprt(xprt));
}

/*
 * There was no reply in time. A server never sends a reply twice on a
 * connection, so the call needs a new connection. If the server is gone,
 * connecting will show that.
 *
 * Was the call sent on the current connection? The lock prevents its
 * replacement meanwhile: a newer connection must not be closed because of this
 * call.
 *
 * The caller may encode the call again, so the peer must lose its access to the
 * call before this function returns.
 */
static void xprt_rdma_op_timer(struct rpc_xprt *xprt, struct rpc_task *task)
{
	struct xprt_rdma *r_xprt = to_r_xprt(xprt);
	u32 cookie = READ_ONCE(task->tk_rqstp->rq_connect_cookie);

	spin_lock(&r_xprt->conn_lock);
	if (r_xprt->conn && cookie == READ_ONCE(xprt->connect_cookie)) {
		xprt_rdma_life_blame(&r_xprt->conn->life,
				     RPCRDMA_CAUSE(TIMEOUT, NONE));
		xprt_force_disconnect(xprt);
	}
	spin_unlock(&r_xprt->conn_lock);
	xprt_rdma_invalidate_overdue(r_xprt, rqst_to_req(task->tk_rqstp));
}

static void xprt_rdma_op_set_connect_timeout(struct rpc_xprt *xprt,
					     unsigned long connect_timeout,
					     unsigned long reconnect_timeout)
{
	struct xprt_rdma *r_xprt = to_r_xprt(xprt);

	spin_lock(&xprt->transport_lock);
	if (reconnect_timeout < xprt->max_reconnect_timeout)
		xprt->max_reconnect_timeout = reconnect_timeout;
	if (connect_timeout < xprt->connect_timeout) {
		r_xprt->timeout = *xprt->timeout;
		r_xprt->timeout.to_initval =
			max_t(unsigned long, connect_timeout, RPC_TIMEOUT_MIN);
		r_xprt->timeout.to_maxval = r_xprt->timeout.to_initval;
		xprt->timeout = &r_xprt->timeout;
		xprt->connect_timeout = connect_timeout;
	}
	spin_unlock(&xprt->transport_lock);
}

/* A swap file begins to use the transport: see xprt_rdma_reclaim_save(). */
static int xprt_rdma_op_enable_swap(struct rpc_xprt *xprt)
{
	atomic_inc(&xprt->swapper);
	return 0;
}

/* The transport may have been created after the swap file was enabled. */
static void xprt_rdma_op_disable_swap(struct rpc_xprt *xprt)
{
	atomic_dec_if_positive(&xprt->swapper);
}

static int xprt_rdma_op_send_request(struct rpc_rqst *rqst)
{
	struct xprt_rdma_req *req = rqst_to_req(rqst);
	int rc;

	if (unlikely(req->cb))
		return xprt_rdma_bc_reply_send(rqst);
	rc = xprt_rdma_call_send(req);
	/* Now the call has a place in the congestion window: see watch.c. */
	xprt_rdma_watch(to_r_xprt(rqst->rq_xprt));
	return rc;
}

static const struct rpc_xprt_ops xprt_rdma_ops = {
	.reserve_xprt		= xprt_reserve_xprt_cong,
	.release_xprt		= xprt_release_xprt_cong,
	.alloc_slot		= xprt_rdma_op_alloc_slot,
	.free_slot		= xprt_rdma_op_free_slot,
	.release_request	= xprt_rdma_op_release_request,
	.wait_for_reply_request	= xprt_wait_for_reply_request_def,
	.timer			= xprt_rdma_op_timer,
	.rpcbind		= rpcb_getport_async,
	.set_port		= xprt_rdma_op_set_port,
	.connect		= xprt_rdma_op_connect,
	.buf_alloc		= xprt_rdma_op_buf_alloc,
	.buf_free		= xprt_rdma_op_buf_free,
	.send_request		= xprt_rdma_op_send_request,
	.close			= xprt_rdma_op_close,
	.destroy		= xprt_rdma_op_destroy,
	.set_connect_timeout	= xprt_rdma_op_set_connect_timeout,
	.print_stats		= xprt_rdma_op_print_stats,
	.enable_swap		= xprt_rdma_op_enable_swap,
	.disable_swap		= xprt_rdma_op_disable_swap,
	/* Not xprt_rdma_disconnect(): not every caller holds XPRT_LOCKED. */
	.inject_disconnect	= xprt_force_disconnect,
#if defined(CONFIG_SUNRPC_BACKCHANNEL)
	.bc_setup		= xprt_rdma_op_bc_setup,
	.bc_maxpayload		= xprt_rdma_op_bc_maxpayload,
	.bc_num_slots		= xprt_rdma_op_bc_num_slots,
	.bc_free_rqst		= xprt_rdma_op_bc_free_rqst,
	.bc_destroy		= xprt_rdma_op_bc_destroy,
#endif
};

struct xprt_class xprt_rdma_class = {
	.list	= LIST_HEAD_INIT(xprt_rdma_class.list),
	.name	= "rdma",
	.owner	= THIS_MODULE,
	.ident	= XPRT_TRANSPORT_RDMA,
	.setup	= xprt_rdma_op_setup,
	.netid	= { RPCBIND_NETID_RDMA, RPCBIND_NETID_RDMA6, "" },
};
