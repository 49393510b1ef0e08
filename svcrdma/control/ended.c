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
 * Bounds: a namespace keeps SVC_RDMA_ENDS ends. Repeated ends of one peer with
 * the same cause share an entry, so a client that returns every second does not
 * displace all others.
 *
 * Ownership: a connection is released when sunrpc has given up its reference to
 * the namespace. The CM identifier, which is destroyed later, has another one.
 */

#include <linux/slab.h>
#include <linux/sunrpc/addr.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "../version/version.h"
#include "control.h"

static unsigned int svc_rdma_net_id;

static struct svc_rdma_ended *svc_rdma_ended_of(const struct net *net)
{
	return net_generic(net, svc_rdma_net_id);
}

static bool svc_rdma_end_is_same(const struct svc_rdma_end *a,
				 const struct svc_rdma_end *b)
{
	return a->cause == b->cause && a->version == b->version &&
	       rpc_cmp_addr(&a->peer.sa, &b->peer.sa);
}

/* The entry that makes room for @end: of the same peer and cause, or the oldest */
static struct svc_rdma_end *
svc_rdma_ended_former_locked(struct svc_rdma_ended *ended,
			     struct svc_rdma_end *end)
{
	struct svc_rdma_end *former;

	list_for_each_entry(former, &ended->ends, list) {
		if (svc_rdma_end_is_same(former, end)) {
			end->times += former->times;
			return former;
		}
	}
	return ended->count < SVC_RDMA_ENDS ? NULL :
	       list_first_entry(&ended->ends, struct svc_rdma_end, list);
}

static void svc_rdma_ended_add(struct svc_rdma_ended *ended,
			       struct svc_rdma_end *end)
{
	struct svc_rdma_end *former;

	spin_lock(&ended->lock);
	former = svc_rdma_ended_former_locked(ended, end);
	if (former)
		list_del(&former->list);
	else
		ended->count++;
	end->number = ++ended->last;
	list_add_tail(&end->list, &ended->ends);
	ended->totals[svc_rdma_cause_reason(end->cause)]++;
	spin_unlock(&ended->lock);
	kfree(former);
}

/* Without memory, the end is lost. */
static void svc_rdma_ended_note(const struct rdma_cm_id *cm_id,
				const struct svc_rdma_end *what)
{
	const struct rdma_addr *addr = &cm_id->route.addr;
	struct svc_rdma_end *end;

	end = kmemdup(what, sizeof(*what), GFP_KERNEL);
	if (!end)
		return;
	memcpy(&end->peer, &addr->dst_addr, sizeof(end->peer));
	rpc_set_port(&end->peer.sa, 0);
	strscpy(end->device, cm_id->device->name, sizeof(end->device));
	end->at = ktime_get_seconds();
	end->times = 1;
	svc_rdma_ended_add(svc_rdma_ended_of(addr->dev_addr.net), end);
}

/**
 * svc_rdma_ended_conn - note the end of a connection, if its cause is known
 * @conn: connection; noted once
 *
 * Context: process; the caller is the only one to end @conn.
 */
void svc_rdma_ended_conn(struct svc_rdma_conn *conn)
{
	struct svc_rdma_end end = {
		.cause		= READ_ONCE(conn->life.cause),
		.version	= READ_ONCE(conn->ver)->number,
		.id		= conn->life.id,
		.calls		= READ_ONCE(conn->traffic.messages),
	};

	if (!end.cause || conn->life.noted)
		return;
	conn->life.noted = true;
	if (end.id)
		end.lasted = ktime_get_seconds() - conn->life.since;
	svc_rdma_ended_note(conn->cm_id, &end);
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
	const struct svc_rdma_end end = { .cause = cause };

	svc_rdma_ended_note(cm_id, &end);
}

/**
 * svc_rdma_ended_next - get the next end that is kept
 * @net: namespace
 * @after: number of the end before it, or 0
 * @next: filled in
 *
 * Context: process.
 * Return: false if there is none.
 */
bool svc_rdma_ended_next(struct net *net, u64 after, struct svc_rdma_end *next)
{
	struct svc_rdma_ended *ended = svc_rdma_ended_of(net);
	struct svc_rdma_end *end;
	bool found = false;

	spin_lock(&ended->lock);
	list_for_each_entry(end, &ended->ends, list) {
		found = end->number > after;
		if (found) {
			*next = *end;
			break;
		}
	}
	spin_unlock(&ended->lock);
	return found;
}

/**
 * svc_rdma_ended_total - get the number of ends for a reason
 * @net: namespace
 * @reason: reason
 *
 * Context: process.
 * Return: their number since @net exists.
 */
u64 svc_rdma_ended_total(struct net *net, enum rpcrdma_nl_lost reason)
{
	struct svc_rdma_ended *ended = svc_rdma_ended_of(net);
	u64 total;

	spin_lock(&ended->lock);
	total = ended->totals[reason];
	spin_unlock(&ended->lock);
	return total;
}

static int __net_init svc_rdma_net_init(struct net *net)
{
	struct svc_rdma_ended *ended = svc_rdma_ended_of(net);

	spin_lock_init(&ended->lock);
	INIT_LIST_HEAD(&ended->ends);
	return 0;
}

static void __net_exit svc_rdma_net_exit(struct net *net)
{
	struct svc_rdma_end *end, *next;

	list_for_each_entry_safe(end, next, &svc_rdma_ended_of(net)->ends, list)
		kfree(end);
}

static struct pernet_operations svc_rdma_net_ops = {
	.init	= svc_rdma_net_init,
	.exit	= svc_rdma_net_exit,
	.id	= &svc_rdma_net_id,
	.size	= sizeof(struct svc_rdma_ended),
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
