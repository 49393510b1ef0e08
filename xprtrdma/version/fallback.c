// SPDX-License-Identifier: GPL-2.0-only
/*
 * Servers that were seen not to get along with version 2: for a while, new
 * connections to them begin with version 1.
 *
 * v2 draft section 7.2. A server that answers with RDMA2_ERR_VERS is not put
 * here: asking it costs one message on each connection, and it may be another
 * one next time. One that drops the connection is: asking it costs a connection.
 * One that says nothing is not: it may be busy, and silence settles version 1
 * for one connection only (connect.c).
 *
 * The table is small; the oldest entry makes room for a new one.
 */

#include <linux/sunrpc/addr.h>

#include "../stats.h"
#include "version.h"

#define ENTRIES		32
/* For how long a server is not asked again. */
#define EXPIRY		(60UL * HZ)

/**
 * struct entry - a server
 * @addr: its address
 * @net: network namespace of the client, for comparison only
 * @since: jiffies
 * @used: the entry is in use
 */
struct entry {
	struct sockaddr_storage	addr;
	const struct net	*net;
	unsigned long		since;
	bool			used;
};

static DEFINE_SPINLOCK(lock);
static struct entry entries[ENTRIES];

static struct entry *xprt_rdma_fallback_find(const struct rpc_xprt *xprt)
{
	const struct sockaddr *addr = (const struct sockaddr *)&xprt->addr;
	struct entry *entry;

	for (entry = entries; entry < entries + ENTRIES; entry++)
		if (entry->used && entry->net == xprt->xprt_net &&
		    rpc_cmp_addr_port((struct sockaddr *)&entry->addr, addr))
			return entry;
	return NULL;
}

static struct entry *xprt_rdma_fallback_oldest(void)
{
	struct entry *entry, *old = entries;

	for (entry = entries; entry < entries + ENTRIES; entry++) {
		if (!entry->used)
			return entry;
		if (time_before(entry->since, old->since))
			old = entry;
	}
	return old;
}

/**
 * xprt_rdma_fallback_remember - begin with version 1 next time
 * @xprt: transport to the server
 *
 * Context: process.
 */
void xprt_rdma_fallback_remember(const struct rpc_xprt *xprt)
{
	struct entry *entry;

	spin_lock(&lock);
	entry = xprt_rdma_fallback_find(xprt);
	if (!entry)
		entry = xprt_rdma_fallback_oldest();
	entry->addr = xprt->addr;
	entry->net = xprt->xprt_net;
	entry->since = jiffies;
	entry->used = true;
	spin_unlock(&lock);
	xprt_rdma_count(fallbacks_remembered);
}

/**
 * xprt_rdma_fallback_known - is a server to be asked for version 2
 * @xprt: transport to the server
 *
 * Context: process.
 * Return: true if a connection should begin with version 1.
 */
bool xprt_rdma_fallback_known(const struct rpc_xprt *xprt)
{
	struct entry *entry;

	spin_lock(&lock);
	entry = xprt_rdma_fallback_find(xprt);
	if (entry && time_after_eq(jiffies, entry->since + EXPIRY)) {
		entry->used = false;
		entry = NULL;
	}
	spin_unlock(&lock);
	return entry;
}
