// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last connections that have ended, and connect requests that were refused,
 * of each network namespace, for the administrator (netlink.c).
 *
 * Operation: the context that ends a connection records the cause
 * (svc_rdma_conn_blame()). The end is recorded when nfsd closes the connection,
 * or when the connection is released if the cause is still unknown, because
 * flushed Work Requests were seen first.
 *
 * Bounds: a namespace with a listener has room for SVC_RDMA_ENDS ends. Repeated
 * ends of one peer with the same cause share an entry, so a client that returns
 * every second does not displace all others.
 *
 * Ownership: a connection may be released when its namespace is gone. It has a
 * reference to the namespace's struct svc_rdma_ended.
 */

#include <linux/slab.h>
#include <linux/sunrpc/addr.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "../version/version.h"
#include "control.h"

/**
 * struct svc_rdma_net - state of a network namespace
 * @ended: ends; NULL while there was no listener
 */
struct svc_rdma_net {
	struct svc_rdma_ended *ended;
};

static unsigned int svc_rdma_net_id;

static struct svc_rdma_ended *svc_rdma_ended_of(struct net *net)
{
	struct svc_rdma_net *own = net_generic(net, svc_rdma_net_id);

	return READ_ONCE(own->ended);
}

static struct svc_rdma_ended *svc_rdma_ended_alloc(void)
{
	struct svc_rdma_ended *ended = kvzalloc(sizeof(*ended), GFP_KERNEL);
	u32 i;

	if (!ended)
		return NULL;
	refcount_set(&ended->users, 1);
	spin_lock_init(&ended->lock);
	INIT_LIST_HEAD(&ended->ends);
	for (i = 0; i < SVC_RDMA_ENDS; i++)
		list_add(&ended->pool[i].list, &ended->ends);
	return ended;
}

static void svc_rdma_ended_put(struct svc_rdma_ended *ended)
{
	if (ended && refcount_dec_and_test(&ended->users))
		kvfree(ended);
}

/**
 * svc_rdma_ended_prepare - make room for the ends of a network namespace
 * @net: namespace in which a listener is created
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int svc_rdma_ended_prepare(struct net *net)
{
	struct svc_rdma_net *own = net_generic(net, svc_rdma_net_id);
	struct svc_rdma_ended *ended;

	if (READ_ONCE(own->ended))
		return 0;
	ended = svc_rdma_ended_alloc();
	if (!ended)
		return -ENOMEM;
	/* Another listener may be faster. */
	if (cmpxchg(&own->ended, NULL, ended))
		svc_rdma_ended_put(ended);
	return 0;
}

static bool svc_rdma_end_is_same(const struct svc_rdma_end *a,
				 const struct svc_rdma_end *b)
{
	return a->number && a->cause == b->cause && a->version == b->version &&
	       rpc_cmp_addr(&a->peer.sa, &b->peer.sa);
}

/* The entry for @end: of the same peer and cause, or the oldest one */
static struct svc_rdma_end *
svc_rdma_ended_take_locked(struct svc_rdma_ended *ended,
			   const struct svc_rdma_end *end)
{
	struct svc_rdma_end *entry;

	list_for_each_entry(entry, &ended->ends, list)
		if (svc_rdma_end_is_same(entry, end))
			return entry;
	entry = list_first_entry(&ended->ends, struct svc_rdma_end, list);
	entry->times = 0;
	return entry;
}

static void svc_rdma_ended_note(struct svc_rdma_ended *ended,
				struct svc_rdma_end *end)
{
	struct svc_rdma_end *entry;

	end->at = ktime_get_seconds();
	spin_lock(&ended->lock);
	entry = svc_rdma_ended_take_locked(ended, end);
	list_del(&entry->list);
	end->times = entry->times + 1;
	end->number = ++ended->last;
	*entry = *end;
	list_add_tail(&entry->list, &ended->ends);
	ended->totals[svc_rdma_cause_reason(end->cause)]++;
	spin_unlock(&ended->lock);
}

static void svc_rdma_end_set_peer(struct svc_rdma_end *end,
				  const struct sockaddr_storage *addr)
{
	memcpy(&end->peer, addr, sizeof(end->peer));
	rpc_set_port(&end->peer.sa, 0);
}

/**
 * svc_rdma_ended_join - let the end of a connection be noted
 * @conn: new connection, whose namespace has a listener
 *
 * Context: process.
 */
void svc_rdma_ended_join(struct svc_rdma_conn *conn)
{
	conn->life.ended = svc_rdma_ended_of(conn->xprt.xpt_net);
	refcount_inc(&conn->life.ended->users);
}

/**
 * svc_rdma_ended_conn - note the end of a connection, if its cause is known
 * @conn: connection; noted once
 *
 * Context: process; the caller is the only one to end @conn.
 */
void svc_rdma_ended_conn(struct svc_rdma_conn *conn)
{
	struct svc_rdma_ended *ended = conn->life.ended;
	struct svc_rdma_end end = {
		.cause		= READ_ONCE(conn->life.cause),
		.version	= READ_ONCE(conn->ver)->number,
		.id		= conn->life.id,
		.calls		= READ_ONCE(conn->traffic.messages),
	};

	if (!end.cause || !ended)
		return;
	conn->life.ended = NULL;
	svc_rdma_end_set_peer(&end, &conn->xprt.xpt_remote);
	strscpy(end.device, conn->dev->name, sizeof(end.device));
	if (end.id)
		end.lasted = ktime_get_seconds() - conn->life.since;
	svc_rdma_ended_note(ended, &end);
	svc_rdma_ended_put(ended);
}

/**
 * svc_rdma_ended_refused - note that a connect request was refused
 * @cm_id: CM identifier of the new connection
 * @cause: why, as by svc_rdma_cause()
 *
 * Context: process.
 */
void svc_rdma_ended_refused(const struct rdma_cm_id *cm_id, u32 cause)
{
	const struct rdma_addr *addr = &cm_id->route.addr;
	struct svc_rdma_ended *ended = svc_rdma_ended_of(addr->dev_addr.net);
	struct svc_rdma_end end = { .cause = cause };

	if (!ended)
		return;
	svc_rdma_end_set_peer(&end, &addr->dst_addr);
	strscpy(end.device, cm_id->device->name, sizeof(end.device));
	svc_rdma_ended_note(ended, &end);
}

/**
 * svc_rdma_ended_each - call a function for each end that is kept
 * @net: namespace
 * @each: function; it must not sleep; a return value other than 0 ends the loop
 * @data: passed to @each
 *
 * Ends come in the order of their numbers.
 *
 * Context: process.
 * Return: return value of the last call of @each, or 0.
 */
int svc_rdma_ended_each(struct net *net,
			int (*each)(const struct svc_rdma_end *end, void *data),
			void *data)
{
	struct svc_rdma_ended *ended = svc_rdma_ended_of(net);
	struct svc_rdma_end *end;
	int ret = 0;

	if (!ended)
		return 0;
	spin_lock(&ended->lock);
	list_for_each_entry(end, &ended->ends, list) {
		ret = end->number ? each(end, data) : 0;
		if (ret)
			break;
	}
	spin_unlock(&ended->lock);
	return ret;
}

/**
 * svc_rdma_ended_total - get the number of ends for a reason
 * @net: namespace
 * @reason: reason
 *
 * Context: process.
 * Return: their number since the first listener was created in @net.
 */
u64 svc_rdma_ended_total(struct net *net, enum rpcrdma_nl_lost reason)
{
	struct svc_rdma_ended *ended = svc_rdma_ended_of(net);
	u64 total;

	if (!ended)
		return 0;
	spin_lock(&ended->lock);
	total = ended->totals[reason];
	spin_unlock(&ended->lock);
	return total;
}

static void __net_exit svc_rdma_net_exit(struct net *net)
{
	svc_rdma_ended_put(svc_rdma_ended_of(net));
}

static struct pernet_operations svc_rdma_net_ops = {
	.exit	= svc_rdma_net_exit,
	.id	= &svc_rdma_net_id,
	.size	= sizeof(struct svc_rdma_net),
};

/**
 * svc_rdma_ended_init - add the state of each network namespace
 *
 * Context: module initialization.
 * Return: 0 or -ENOMEM.
 */
int svc_rdma_ended_init(void)
{
	return register_pernet_subsys(&svc_rdma_net_ops);
}

/**
 * svc_rdma_ended_exit - undo svc_rdma_ended_init()
 *
 * Context: module exit, when all connections have been released.
 */
void svc_rdma_ended_exit(void)
{
	unregister_pernet_subsys(&svc_rdma_net_ops);
}
