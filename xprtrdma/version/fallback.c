// SPDX-License-Identifier: GPL-2.0-only
/*
 * Servers that drop connections on which version 2 is offered: for a while, new
 * connections to them begin with version 1.
 *
 * v2 draft section 7.2. Each offer to such a server costs a connection. A
 * server that answers with ERR_VERS is remembered only if it then drops the
 * connection before the first reply (control/disconnect.c): an offer to it
 * costs only one message, and another server may answer next time. A server
 * that does not answer is not remembered: it may be busy, so only the next
 * connection begins with version 1 (control/connect.c).
 *
 * The table has a fixed size. Servers may share an entry; the last one has it.
 */

#include <linux/jhash.h>
#include <linux/sunrpc/addr.h>

#include "../stats.h"
#include "version.h"

#define ENTRIES		32
/* Jiffies for which no version 2 is offered */
#define EXPIRY		(60UL * HZ)

/**
 * struct xprt_rdma_fallback - a server
 * @addr: its address
 * @net: network namespace of the client, for comparison only; NULL: the entry
 *	is not in use
 * @since: jiffies; when it last dropped a connection
 */
struct xprt_rdma_fallback {
	struct sockaddr_storage	addr;
	const struct net	*net;
	unsigned long		since;
};

static DEFINE_SPINLOCK(xprt_rdma_fallback_lock);
static struct xprt_rdma_fallback xprt_rdma_fallbacks[ENTRIES];

static struct xprt_rdma_fallback *
xprt_rdma_fallback_of(const struct rpc_xprt *xprt)
{
	u32 hash = jhash(&xprt->addr, xprt->addrlen, 0);

	return &xprt_rdma_fallbacks[hash % ENTRIES];
}

/**
 * xprt_rdma_fallback_remember - begin later connections with version 1
 * @xprt: transport to the server
 *
 * Context: process.
 */
void xprt_rdma_fallback_remember(const struct rpc_xprt *xprt)
{
	struct xprt_rdma_fallback *entry = xprt_rdma_fallback_of(xprt);

	spin_lock(&xprt_rdma_fallback_lock);
	entry->addr = xprt->addr;
	entry->net = xprt->xprt_net;
	entry->since = jiffies;
	spin_unlock(&xprt_rdma_fallback_lock);
	xprt_rdma_count(fallbacks_remembered);
}

/**
 * xprt_rdma_fallback_known - check whether a server drops offers of version 2
 * @xprt: transport to the server
 *
 * Context: process.
 * Return: true if a connection should begin with version 1.
 */
bool xprt_rdma_fallback_known(const struct rpc_xprt *xprt)
{
	const struct sockaddr *addr = (const struct sockaddr *)&xprt->addr;
	struct xprt_rdma_fallback *entry = xprt_rdma_fallback_of(xprt);
	bool known;

	spin_lock(&xprt_rdma_fallback_lock);
	known = entry->net == xprt->xprt_net &&
		rpc_cmp_addr_port((struct sockaddr *)&entry->addr, addr) &&
		time_before(jiffies, entry->since + EXPIRY);
	spin_unlock(&xprt_rdma_fallback_lock);
	return known;
}
