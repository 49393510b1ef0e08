// SPDX-License-Identifier: GPL-2.0-only
/* The transport as sunrpc sees it: its class and its operations. */

#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sunrpc/addr.h>
#include <linux/sunrpc/msg_prot.h>

#include "xprtrdma.h"

#define BIND_TIMEOUT		(60U * HZ)
#define IDLE_TIMEOUT		(5U * 60 * HZ)
#define RPC_TIMEOUT		(60U * HZ)
/* Shortest RPC timeout that set_connect_timeout may lead to. */
#define RPC_TIMEOUT_MIN		(10U * HZ)

static const struct rpc_xprt_ops xprt_rdma_ops;

/* One minute, no retransmission on the same connection. */
static const struct rpc_timeout default_timeout = {
	.to_initval	= RPC_TIMEOUT,
	.to_maxval	= RPC_TIMEOUT,
};

/* Upper layers use these strings without looking whether there are any. */
static int set_string(struct rpc_xprt *xprt, enum rpc_display_format_t which,
		      const char *string)
{
	char *copy = kstrdup(string, GFP_KERNEL);

	if (!copy)
		return -ENOMEM;
	kfree(xprt->address_strings[which]);
	xprt->address_strings[which] = copy;
	return 0;
}

static int format_port(struct rpc_xprt *xprt, const struct sockaddr *sap)
{
	char buf[8];
	int rc;

	snprintf(buf, sizeof(buf), "%u", rpc_get_port(sap));
	rc = set_string(xprt, RPC_DISPLAY_PORT, buf);
	if (rc)
		return rc;
	snprintf(buf, sizeof(buf), "%4hx", rpc_get_port(sap));
	return set_string(xprt, RPC_DISPLAY_HEX_PORT, buf);
}

static int format_addresses(struct rpc_xprt *xprt, struct sockaddr *sap)
{
	char buf[RPCBIND_MAXUADDRLEN];
	int rc;

	xprt->address_strings[RPC_DISPLAY_PROTO] = "rdma";
	switch (sap->sa_family) {
	case AF_INET:
		snprintf(buf, sizeof(buf), "%08x",
			 ntohl(((struct sockaddr_in *)sap)->sin_addr.s_addr));
		xprt->address_strings[RPC_DISPLAY_NETID] = RPCBIND_NETID_RDMA;
		break;
	case AF_INET6:
		snprintf(buf, sizeof(buf), "%pi6",
			 &((struct sockaddr_in6 *)sap)->sin6_addr);
		xprt->address_strings[RPC_DISPLAY_NETID] = RPCBIND_NETID_RDMA6;
		break;
	default:
		return -EAFNOSUPPORT;
	}
	rc = set_string(xprt, RPC_DISPLAY_HEX_ADDR, buf);
	if (rc)
		return rc;
	rpc_ntop(sap, buf, sizeof(buf));
	rc = set_string(xprt, RPC_DISPLAY_ADDR, buf);
	return rc ?: format_port(xprt, sap);
}

static void free_addresses(struct rpc_xprt *xprt)
{
	kfree(xprt->address_strings[RPC_DISPLAY_HEX_ADDR]);
	kfree(xprt->address_strings[RPC_DISPLAY_ADDR]);
	kfree(xprt->address_strings[RPC_DISPLAY_PORT]);
	kfree(xprt->address_strings[RPC_DISPLAY_HEX_PORT]);
}

static void init_timeouts(struct rpc_xprt *xprt)
{
	xprt->timeout = &default_timeout;
	xprt->connect_timeout = xprt->timeout->to_initval;
	xprt->max_reconnect_timeout = xprt->timeout->to_maxval;
	xprt->bind_timeout = BIND_TIMEOUT;
	xprt->idle_timeout = IDLE_TIMEOUT;
}

static void init_rx(struct xprt_rdma *rx)
{
	spin_lock_init(&rx->conn_lock);
	init_waitqueue_head(&rx->fence_wait);
	INIT_DELAYED_WORK(&rx->connect_work, xprt_rdma_connect_work);
	INIT_DELAYED_WORK(&rx->stall.work, xprt_rdma_stall_work);
	INIT_DELAYED_WORK(&rx->probe.work, xprt_rdma_probe_work);
	spin_lock_init(&rx->refused.lock);
	INIT_LIST_HEAD(&rx->refused.reqs);
	INIT_DELAYED_WORK(&rx->refused.work, xprt_rdma_refused_work);
	INIT_LIST_HEAD(&rx->reqs_free);
	INIT_LIST_HEAD(&rx->reqs_all);
	INIT_LIST_HEAD(&rx->reps_kept);
}

static struct rpc_xprt *setup(struct xprt_create *args)
{
	struct rpc_xprt *xprt;
	int rc;

	if (args->addrlen > sizeof(xprt->addr))
		return ERR_PTR(-EBADF);
	if (!try_module_get(THIS_MODULE))
		return ERR_PTR(-EIO);
	rc = -ENOMEM;
	xprt = xprt_alloc(args->net, sizeof(struct xprt_rdma), 0,
			  READ_ONCE(xprt_rdma_slot_table_entries));
	if (!xprt)
		goto out_module;

	init_rx(xprt_to_rx(xprt));
	init_timeouts(xprt);
	xprt->ops = &xprt_rdma_ops;
	/* Side protocols (MNT, NLM) that look at this use TCP. */
	xprt->prot = IPPROTO_TCP;
	xprt->xprt_class = &xprt_rdma_class;
	xprt->max_payload = XPRT_RDMA_MAX_PAYLOAD;
	xprt->addrlen = args->addrlen;
	memcpy(&xprt->addr, args->dstaddr, args->addrlen);
	rc = xprt_rdma_orphans_init(xprt_to_rx(xprt));
	if (rc)
		goto out_xprt;
	rc = xprt_rdma_reqs_reserve(xprt_to_rx(xprt), XPRT_RDMA_RESERVE_REQS);
	if (rc)
		goto out_reqs;
	rc = format_addresses(xprt, args->dstaddr);
	if (rc)
		goto out_addresses;
	if (rpc_get_port(args->dstaddr))
		xprt_set_bound(xprt);
	xprt_rdma_debugfs_add(xprt_to_rx(xprt));
	xprt_rdma_count(xprts_created);
	return xprt;

out_addresses:
	free_addresses(xprt);
out_reqs:
	xprt_rdma_reqs_trim(xprt_to_rx(xprt), 0);
	xprt_rdma_orphans_exit(xprt_to_rx(xprt));
out_xprt:
	xprt_free(xprt);
out_module:
	module_put(THIS_MODULE);
	return ERR_PTR(rc);
}

/* Nobody uses the transport any more; sunrpc holds XPRT_LOCKED. */
static void destroy(struct rpc_xprt *xprt)
{
	struct xprt_rdma *rx = xprt_to_rx(xprt);

	cancel_delayed_work_sync(&rx->connect_work);
	cancel_delayed_work_sync(&rx->refused.work);
	xprt_rdma_disconnect(rx);
	xprt_rdma_bc_destroy(xprt, UINT_MAX);
	xprt_rdma_reqs_trim(rx, 0);
	xprt_rdma_reps_free(rx);
	xprt_rdma_debugfs_remove(rx);
	xprt_rdma_orphans_exit(rx);
	free_addresses(xprt);
	xprt_free(xprt);
	xprt_rdma_count(xprts_destroyed);
	module_put(THIS_MODULE);
}

/* Idle, lost, or to be reconnected; the caller holds XPRT_LOCKED. */
static void close(struct rpc_xprt *xprt)
{
	struct xprt_rdma *rx = xprt_to_rx(xprt);

	xprt_rdma_disconnect(rx);
	xprt_rdma_reqs_trim(rx, READ_ONCE(rx->reqs_reserve));
	++xprt->connect_cookie;
	xprt_disconnect_done(xprt);
}

/* Without memory, the old port is displayed. */
static void set_port(struct rpc_xprt *xprt, unsigned short port)
{
	struct sockaddr *sap = (struct sockaddr *)&xprt->addr;

	rpc_set_port(sap, port);
	format_port(xprt, sap);
}

/*
 * No reply in time. A reply that is owed is never sent twice on a connection,
 * so a new one is needed; and if the peer is gone, that will show.
 */
static void timer(struct rpc_xprt *xprt, struct rpc_task *task)
{
	/* Unless it was not sent on this one */
	if (task->tk_rqstp->rq_connect_cookie == xprt->connect_cookie)
		xprt_force_disconnect(xprt);
}

static void set_connect_timeout(struct rpc_xprt *xprt,
				unsigned long connect_timeout,
				unsigned long reconnect_timeout)
{
	struct xprt_rdma *rx = xprt_to_rx(xprt);

	spin_lock(&xprt->transport_lock);
	if (reconnect_timeout < xprt->max_reconnect_timeout)
		xprt->max_reconnect_timeout = reconnect_timeout;
	if (connect_timeout < xprt->connect_timeout) {
		rx->timeout = *xprt->timeout;
		rx->timeout.to_initval = max_t(unsigned long, connect_timeout,
					       RPC_TIMEOUT_MIN);
		rx->timeout.to_maxval = rx->timeout.to_initval;
		xprt->timeout = &rx->timeout;
		xprt->connect_timeout = connect_timeout;
	}
	spin_unlock(&xprt->transport_lock);
}

/*
 * Fault injection calls this also for tasks that do not hold XPRT_LOCKED, so
 * that the connection itself is not to be touched here.
 */
static void inject_disconnect(struct rpc_xprt *xprt)
{
	xprt_force_disconnect(xprt);
}

static const struct rpc_xprt_ops xprt_rdma_ops = {
	.reserve_xprt		= xprt_reserve_xprt_cong,
	.release_xprt		= xprt_release_xprt_cong,
	.alloc_slot		= xprt_rdma_alloc_slot,
	.free_slot		= xprt_rdma_free_slot,
	.release_request	= xprt_rdma_orphan_release,
	.wait_for_reply_request	= xprt_wait_for_reply_request_def,
	.timer			= timer,
	.rpcbind		= rpcb_getport_async,
	.set_port		= set_port,
	.connect		= xprt_rdma_connect,
	.buf_alloc		= xprt_rdma_buf_alloc,
	.buf_free		= xprt_rdma_buf_free,
	.send_request		= xprt_rdma_send_request,
	.close			= close,
	.destroy		= destroy,
	.set_connect_timeout	= set_connect_timeout,
	.print_stats		= xprt_rdma_print_stats,
	.enable_swap		= xprt_rdma_enable_swap,
	.disable_swap		= xprt_rdma_disable_swap,
	.inject_disconnect	= inject_disconnect,
#if defined(CONFIG_SUNRPC_BACKCHANNEL)
	.bc_setup		= xprt_rdma_bc_setup,
	.bc_maxpayload		= xprt_rdma_bc_maxpayload,
	.bc_num_slots		= xprt_rdma_bc_num_slots,
	.bc_free_rqst		= xprt_rdma_bc_free_rqst,
	.bc_destroy		= xprt_rdma_bc_destroy,
#endif
};

struct xprt_class xprt_rdma_class = {
	.list	= LIST_HEAD_INIT(xprt_rdma_class.list),
	.name	= "rdma",
	.owner	= THIS_MODULE,
	.ident	= XPRT_TRANSPORT_RDMA,
	.setup	= setup,
	.netid	= { RPCBIND_NETID_RDMA, RPCBIND_NETID_RDMA6, "" },
};
