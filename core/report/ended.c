// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps the most recently ended connections and failed attempts to connect, for
 * each side and network namespace, and shows them to the administrator.
 *
 * Bounds: each side keeps RPCRDMA_ENDS entries per namespace. Repeated ends
 * with the same peer and cause share an entry. Otherwise a client that
 * reconnects every second, or a server that refuses every attempt, would
 * displace all other entries.
 *
 * Ownership: the caller of rpcrdma_ended_note() holds a reference to the
 * namespace.
 */

#include <linux/export.h>
#include <linux/slab.h>
#include <linux/sunrpc/addr.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/sock.h>

#include "../core.h"
#include "report.h"

/**
 * struct rpcrdma_ended - recorded ends of a network namespace
 * @list: struct rpcrdma_end of both sides
 * @totals: number of ends by side and enum rpcrdma_nl_lost, protected by the
 *	mutex of @list
 */
struct rpcrdma_ended {
	struct rpcrdma_nl_list list;
	u64 totals[RPCRDMA_NL_SIDES][RPCRDMA_NL_LOST_NR];
};

/* Identifies the struct rpcrdma_ended of a namespace */
static unsigned int rpcrdma_net_id;

static u64 *rpcrdma_ended_total(struct rpcrdma_ended *ended,
				const struct rpcrdma_end *end)
{
	return &ended->totals[end->side][rpcrdma_cause_reason(end->cause)];
}

/*
 * Returns the entry that @end replaces: one with the same peer, version and
 * cause or, if the list is full, the oldest; otherwise NULL.
 */
static struct rpcrdma_end *
rpcrdma_ended_former_locked(struct rpcrdma_ended *ended,
			    struct rpcrdma_end *end)
{
	struct rpcrdma_end *former, *oldest = NULL;
	u32 n = 0;

	list_for_each_entry(former, &ended->list.entries, entry.list) {
		if (former->side != end->side)
			continue;
		if (former->cause == end->cause &&
		    former->version == end->version &&
		    rpc_cmp_addr(&former->peer.sa, &end->peer.sa)) {
			end->times += former->times;
			return former;
		}
		oldest = oldest ?: former;
		n++;
	}
	return n < RPCRDMA_ENDS ? NULL : oldest;
}

/*
 * A failed attempt to connect has no number, version, lifetime or message
 * count. The caller holds the mutex of the list.
 */
static int rpcrdma_ended_put(struct sk_buff *skb,
			     struct rpcrdma_nl_entry *entry)
{
	const struct rpcrdma_end *end =
		container_of(entry, struct rpcrdma_end, entry);
	struct rpcrdma_ended *ended =
		net_generic(sock_net(skb->sk), rpcrdma_net_id);
	const struct rpcrdma_nl_number numbers[] = {
		{ RPCRDMA_NL_SIDE, end->side },
		{ end->id ? RPCRDMA_NL_ID : 0, end->id },
		{ end->id ? RPCRDMA_NL_RPCRDMA_VERSION : 0, end->version },
		{ RPCRDMA_NL_ENDED_REASON, rpcrdma_cause_reason(end->cause) },
		{ RPCRDMA_NL_ENDED_DETAIL, rpcrdma_cause_detail(end->cause) },
		{ RPCRDMA_NL_ENDED_STATUS, rpcrdma_cause_status(end->cause) },
		{ RPCRDMA_NL_ENDED_TIMES, end->times },
		{ RPCRDMA_NL_ENDED_SINCE, ktime_get_seconds() - end->at },
		{ end->id ? RPCRDMA_NL_ENDED_LASTED : 0, end->lasted },
		{ end->id ? RPCRDMA_NL_ENDED_CALLS : 0, end->calls },
		{ RPCRDMA_NL_ENDED_COUNT, *rpcrdma_ended_total(ended, end) },
	};

	if (rpcrdma_nl_put_address(skb, RPCRDMA_NL_PEER, &end->peer.sa) ||
	    (end->device[0] &&
	     nla_put_string(skb, RPCRDMA_NL_DEVICE, end->device)))
		return -EMSGSIZE;
	return rpcrdma_nl_put(skb, numbers, ARRAY_SIZE(numbers));
}

/**
 * rpcrdma_ended_note - record the end of a connection or attempt to connect
 * @net: namespace
 * @what: description of the end; the port of its address is ignored
 *
 * If there is no memory, the end is not recorded.
 *
 * Context: process.
 */
void rpcrdma_ended_note(struct net *net, const struct rpcrdma_end *what)
{
	struct rpcrdma_end *end = kmemdup(what, sizeof(*what), GFP_KERNEL);
	struct rpcrdma_ended *ended = net_generic(net, rpcrdma_net_id);
	struct rpcrdma_end *former;

	if (!end)
		return;
	rpc_set_port(&end->peer.sa, 0);
	end->at = ktime_get_seconds();
	end->times = 1;
	mutex_lock(&ended->list.mutex);
	former = rpcrdma_ended_former_locked(ended, end);
	if (former)
		list_del(&former->entry.list);
	rpcrdma_nl_insert_locked(&ended->list, &end->entry, rpcrdma_ended_put);
	(*rpcrdma_ended_total(ended, end))++;
	mutex_unlock(&ended->list.mutex);
	kfree(former);
}
EXPORT_SYMBOL_GPL(rpcrdma_ended_note);

/**
 * rpcrdma_ended_dump - dump the recorded ends (RPCRDMA_NL_CMD_ENDED_GET)
 * @skb: buffer for messages
 * @cb: state of the dump
 *
 * Context: process.
 * Return: see rpcrdma_nl_dump().
 */
int rpcrdma_ended_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct rpcrdma_ended *ended =
		net_generic(sock_net(skb->sk), rpcrdma_net_id);

	return rpcrdma_nl_dump(skb, cb, &ended->list);
}

static int __net_init rpcrdma_net_init(struct net *net)
{
	struct rpcrdma_ended *ended = net_generic(net, rpcrdma_net_id);

	rpcrdma_nl_list_init(&ended->list);
	return 0;
}

static void __net_exit rpcrdma_net_exit(struct net *net)
{
	struct rpcrdma_ended *ended = net_generic(net, rpcrdma_net_id);
	struct rpcrdma_end *end, *next;

	list_for_each_entry_safe(end, next, &ended->list.entries, entry.list)
		kfree(end);
}

static struct pernet_operations rpcrdma_net_ops = {
	.init	= rpcrdma_net_init,
	.exit	= rpcrdma_net_exit,
	.id	= &rpcrdma_net_id,
	.size	= sizeof(struct rpcrdma_ended),
};

/**
 * rpcrdma_ended_init - register the state of each network namespace
 *
 * Context: module initialization.
 * Return: 0 or -ENOMEM.
 */
int rpcrdma_ended_init(void)
{
	return register_pernet_subsys(&rpcrdma_net_ops);
}

/**
 * rpcrdma_ended_exit - undo rpcrdma_ended_init()
 *
 * Context: module exit, after both transports have been unloaded.
 */
void rpcrdma_ended_exit(void)
{
	unregister_pernet_subsys(&rpcrdma_net_ops);
}
