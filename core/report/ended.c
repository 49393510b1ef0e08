// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last connections that have ended, and attempts to connect that have
 * failed, of both sides and of each network namespace, for the administrator.
 *
 * Bounds: a side keeps RPCRDMA_ENDS ends for a namespace. Repeated ends of one
 * peer with the same cause share an entry, so a client that returns every
 * second does not displace all others, nor does a server that refuses every
 * attempt.
 *
 * Ownership: whoever notes an end has a reference to the namespace.
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
 * struct rpcrdma_ended - what has ended on a side, in a network namespace
 * @list: struct rpcrdma_end
 * @totals: number of ends, by enum rpcrdma_nl_lost; under the mutex of @list
 */
struct rpcrdma_ended {
	struct rpcrdma_nl_list list;
	u64 totals[RPCRDMA_NL_LOST_NR];
};

/* What each namespace has: a struct rpcrdma_ended of each side */
static unsigned int rpcrdma_net_id;

static struct rpcrdma_ended *rpcrdma_ended_of(const struct net *net,
					      enum rpcrdma_side side)
{
	struct rpcrdma_ended *sides = net_generic(net, rpcrdma_net_id);

	return &sides[side];
}

/* The entry that makes room for @end: of the same peer and cause, or the oldest */
static struct rpcrdma_end *
rpcrdma_ended_former_locked(struct rpcrdma_ended *ended,
			    struct rpcrdma_end *end)
{
	struct rpcrdma_end *former;

	list_for_each_entry(former, &ended->list.entries, entry.list) {
		if (former->cause != end->cause ||
		    former->version != end->version ||
		    !rpc_cmp_addr(&former->peer.sa, &end->peer.sa))
			continue;
		end->times += former->times;
		return former;
	}
	return ended->list.count < RPCRDMA_ENDS ? NULL :
	       list_first_entry(&ended->list.entries, struct rpcrdma_end,
				entry.list);
}

/**
 * rpcrdma_ended_note - note that a connection, or an attempt, has ended
 * @net: namespace
 * @side: whose
 * @what: who, why, and what it has done; the port of the address is ignored
 *
 * Without memory, this end is lost.
 *
 * Context: process.
 */
void rpcrdma_ended_note(struct net *net, enum rpcrdma_side side,
			const struct rpcrdma_end *what)
{
	struct rpcrdma_end *end = kmemdup(what, sizeof(*what), GFP_KERNEL);
	struct rpcrdma_ended *ended = rpcrdma_ended_of(net, side);
	struct rpcrdma_end *former;

	if (!end)
		return;
	rpc_set_port(&end->peer.sa, 0);
	end->at = ktime_get_seconds();
	end->times = 1;
	mutex_lock(&ended->list.mutex);
	former = rpcrdma_ended_former_locked(ended, end);
	if (former)
		rpcrdma_nl_delete_locked(&ended->list, &former->entry);
	rpcrdma_nl_insert_locked(&ended->list, &end->entry);
	ended->totals[rpcrdma_cause_reason(end->cause)]++;
	mutex_unlock(&ended->list.mutex);
	kfree(former);
}
EXPORT_SYMBOL_GPL(rpcrdma_ended_note);

/* Without a connection there is no number, version and so on. */
static int rpcrdma_ended_put(struct sk_buff *skb, void *data)
{
	const struct rpcrdma_end *end =
		container_of(data, struct rpcrdma_end, entry);
	const struct rpcrdma_nl_number who[] = {
		{ end->id ? RPCRDMA_NL_ID : 0, end->id },
		{ end->id ? RPCRDMA_NL_RPCRDMA_VERSION : 0, end->version },
	};
	const struct rpcrdma_nl_number numbers[] = {
		{ RPCRDMA_NL_ENDED_NUMBER, end->entry.number },
		{ end->id ? RPCRDMA_NL_ENDED_CALLS : 0, end->calls },
		{ RPCRDMA_NL_ENDED_REASON, rpcrdma_cause_reason(end->cause), 32 },
		{ RPCRDMA_NL_ENDED_DETAIL, rpcrdma_cause_detail(end->cause), 32 },
		{ RPCRDMA_NL_ENDED_STATUS, rpcrdma_cause_status(end->cause), 32 },
		{ RPCRDMA_NL_ENDED_TIMES, end->times, 32 },
		{ RPCRDMA_NL_ENDED_SINCE, ktime_get_seconds() - end->at, 32 },
		{ end->id ? RPCRDMA_NL_ENDED_LASTED : 0, end->lasted, 32 },
	};

	if (rpcrdma_nl_put_address(skb, RPCRDMA_NL_PEER, &end->peer.sa) ||
	    (end->device[0] &&
	     nla_put_string(skb, RPCRDMA_NL_DEVICE, end->device)) ||
	    rpcrdma_nl_put(skb, who, ARRAY_SIZE(who), 0))
		return -EMSGSIZE;
	return rpcrdma_nl_nest(skb, RPCRDMA_NL_ENDED, numbers,
			       ARRAY_SIZE(numbers), RPCRDMA_NL_ENDED_PAD);
}

/* @data: struct rpcrdma_nl_number: a reason, and how many have ended for it */
static int rpcrdma_ended_put_total(struct sk_buff *skb, void *data)
{
	const struct rpcrdma_nl_number *total = data;
	const struct rpcrdma_nl_number numbers[] = {
		{ RPCRDMA_NL_ENDED_COUNT, total->value },
		{ RPCRDMA_NL_ENDED_REASON, total->attr, 32 },
	};

	return rpcrdma_nl_nest(skb, RPCRDMA_NL_ENDED, numbers,
			       ARRAY_SIZE(numbers), RPCRDMA_NL_ENDED_PAD);
}

/**
 * rpcrdma_ended_dump - dump the ends that are kept (RPCRDMA_NL_CMD_ENDED_GET)
 * @skb: messages that are sent together
 * @cb: the dump
 *
 * Context: process.
 * Return: see rpcrdma_nl_dump().
 */
int rpcrdma_ended_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct rpcrdma_ended *ended =
		rpcrdma_ended_of(sock_net(skb->sk), rpcrdma_nl_side_of(cb));

	return rpcrdma_nl_dump(skb, cb, &ended->list, rpcrdma_ended_put);
}

/**
 * rpcrdma_ended_dump_totals - dump how many have ended for each reason
 * (RPCRDMA_NL_CMD_ENDED_TOTAL_GET)
 * @skb: messages that are sent together
 * @cb: the dump; args[0] is the last reason dumped
 *
 * Context: process.
 * Return: see rpcrdma_nl_dump().
 */
int rpcrdma_ended_dump_totals(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct rpcrdma_ended *ended =
		rpcrdma_ended_of(sock_net(skb->sk), rpcrdma_nl_side_of(cb));
	struct rpcrdma_nl_number total;
	int rc = 0;

	mutex_lock(&ended->list.mutex);
	for (total.attr = cb->args[0] + 1; total.attr < RPCRDMA_NL_LOST_NR;
	     total.attr++) {
		total.value = ended->totals[total.attr];
		if (!total.value)
			continue;
		rc = rpcrdma_nl_put_message(skb, cb, rpcrdma_ended_put_total,
					    &total);
		if (rc)
			break;
		cb->args[0] = total.attr;
	}
	mutex_unlock(&ended->list.mutex);
	return skb->len ?: rc;
}

static int __net_init rpcrdma_net_init(struct net *net)
{
	u32 side;

	for (side = 0; side < RPCRDMA_SIDES; side++)
		rpcrdma_nl_list_init(&rpcrdma_ended_of(net, side)->list);
	return 0;
}

static void __net_exit rpcrdma_net_exit(struct net *net)
{
	struct rpcrdma_end *end, *next;
	u32 side;

	for (side = 0; side < RPCRDMA_SIDES; side++)
		list_for_each_entry_safe(end, next,
					 &rpcrdma_ended_of(net, side)->list.entries,
					 entry.list)
			kfree(end);
}

static struct pernet_operations rpcrdma_net_ops = {
	.init	= rpcrdma_net_init,
	.exit	= rpcrdma_net_exit,
	.id	= &rpcrdma_net_id,
	.size	= RPCRDMA_SIDES * sizeof(struct rpcrdma_ended),
};

/**
 * rpcrdma_ended_init - add the state of each network namespace
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
 * Context: module exit, when neither side is left.
 */
void rpcrdma_ended_exit(void)
{
	unregister_pernet_subsys(&rpcrdma_net_ops);
}
