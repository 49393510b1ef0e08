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
#include <linux/spinlock.h>
#include <linux/sunrpc/addr.h>
#include <net/genetlink.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/sock.h>

#include <rpcrdma/ended.h>
#include <rpcrdma/netlink_put.h>

#include "../core.h"

/**
 * struct rpcrdma_ended - what has ended on a side, in a network namespace
 * @lock: protects everything below
 * @ends: struct rpcrdma_end, in the order of their numbers
 * @count: entries of @ends
 * @last: number of the last end
 * @totals: number of ends, by enum rpcrdma_nl_lost
 */
struct rpcrdma_ended {
	spinlock_t lock;
	struct list_head ends;
	u32 count;
	u64 last;
	u64 totals[RPCRDMA_NL_LOST_NR];
};

/* Both sides */
struct rpcrdma_net {
	struct rpcrdma_ended ended[RPCRDMA_SIDES];
};

static unsigned int rpcrdma_net_id;

static struct rpcrdma_ended *rpcrdma_ended_of(const struct net *net,
					      enum rpcrdma_side side)
{
	struct rpcrdma_net *rn = net_generic(net, rpcrdma_net_id);

	return &rn->ended[side];
}

static bool rpcrdma_end_is_same(const struct rpcrdma_end *a,
				const struct rpcrdma_end *b)
{
	return a->cause == b->cause && a->version == b->version &&
	       rpc_cmp_addr(&a->peer.sa, &b->peer.sa);
}

/* The entry that makes room for @end: of the same peer and cause, or the oldest */
static struct rpcrdma_end *
rpcrdma_ended_former_locked(struct rpcrdma_ended *ended,
			    struct rpcrdma_end *end)
{
	struct rpcrdma_end *former;

	list_for_each_entry(former, &ended->ends, list) {
		if (rpcrdma_end_is_same(former, end)) {
			end->times += former->times;
			return former;
		}
	}
	return ended->count < RPCRDMA_ENDS ? NULL :
	       list_first_entry(&ended->ends, struct rpcrdma_end, list);
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
	spin_lock(&ended->lock);
	former = rpcrdma_ended_former_locked(ended, end);
	if (former)
		list_del(&former->list);
	else
		ended->count++;
	end->number = ++ended->last;
	list_add_tail(&end->list, &ended->ends);
	ended->totals[rpcrdma_cause_reason(end->cause)]++;
	spin_unlock(&ended->lock);
	kfree(former);
}
EXPORT_SYMBOL_GPL(rpcrdma_ended_note);

/* Copy the next end after number @after. Returns false if there is none. */
static bool rpcrdma_ended_next(struct rpcrdma_ended *ended, u64 after,
			       struct rpcrdma_end *next)
{
	struct rpcrdma_end *end;
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

/* Without a connection there is no number, version and so on. */
static int rpcrdma_ended_put(struct sk_buff *skb, const void *data)
{
	const struct rpcrdma_end *end = data;
	const struct rpcrdma_nl_u32 who[] = {
		{ RPCRDMA_NL_ID, end->id },
		{ RPCRDMA_NL_RPCRDMA_VERSION, end->version },
	};
	const struct rpcrdma_nl_u32 why[] = {
		{ RPCRDMA_NL_ENDED_REASON, rpcrdma_cause_reason(end->cause) },
		{ RPCRDMA_NL_ENDED_DETAIL, rpcrdma_cause_detail(end->cause) },
		{ RPCRDMA_NL_ENDED_STATUS, rpcrdma_cause_status(end->cause) },
		{ RPCRDMA_NL_ENDED_TIMES, end->times },
		{ RPCRDMA_NL_ENDED_SINCE, ktime_get_seconds() - end->at },
		{ RPCRDMA_NL_ENDED_LASTED, end->lasted },
	};
	const struct rpcrdma_nl_u64 counts[] = {
		{ RPCRDMA_NL_ENDED_NUMBER, end->number },
		{ RPCRDMA_NL_ENDED_CALLS, end->calls },
	};
	u32 absent = !end->id;
	struct nlattr *nest;

	if (rpcrdma_nl_put_address(skb, RPCRDMA_NL_PEER, &end->peer.sa) ||
	    (end->device[0] &&
	     nla_put_string(skb, RPCRDMA_NL_DEVICE, end->device)) ||
	    rpcrdma_nl_put_u32s(skb, who, absent ? 0 : ARRAY_SIZE(who)))
		return -EMSGSIZE;
	nest = nla_nest_start(skb, RPCRDMA_NL_ENDED);
	if (!nest ||
	    rpcrdma_nl_put_u64s(skb, counts, ARRAY_SIZE(counts) - absent,
				RPCRDMA_NL_ENDED_PAD) ||
	    rpcrdma_nl_put_u32s(skb, why, ARRAY_SIZE(why) - absent))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* @data: struct rpcrdma_nl_u64: a reason, and how many have ended for it */
static int rpcrdma_ended_put_total(struct sk_buff *skb, const void *data)
{
	const struct rpcrdma_nl_u64 *total = data;
	const struct rpcrdma_nl_u64 count = {
		RPCRDMA_NL_ENDED_COUNT, total->value
	};
	struct nlattr *nest = nla_nest_start(skb, RPCRDMA_NL_ENDED);

	if (!nest || rpcrdma_nl_put_u64s(skb, &count, 1, RPCRDMA_NL_ENDED_PAD) ||
	    nla_put_u32(skb, RPCRDMA_NL_ENDED_REASON, total->attr))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * rpcrdma_ended_dump - dump the ends that are kept (RPCRDMA_NL_CMD_ENDED_GET)
 * @skb: messages that are sent together
 * @cb: the dump; args[0] is the number of the last end dumped
 * @family: family of the side
 * @side: side
 *
 * Context: process.
 * Return: bytes in @skb; 0 at the end; -EMSGSIZE if one end has no room.
 */
int rpcrdma_ended_dump(struct sk_buff *skb, struct netlink_callback *cb,
		       const struct genl_family *family, enum rpcrdma_side side)
{
	struct rpcrdma_ended *ended = rpcrdma_ended_of(sock_net(skb->sk), side);
	struct rpcrdma_end end;
	int ret = 0;

	while (rpcrdma_ended_next(ended, cb->args[0], &end)) {
		ret = rpcrdma_nl_put_message(skb, cb, family,
					     RPCRDMA_NL_CMD_ENDED_GET,
					     rpcrdma_ended_put, &end);
		if (ret)
			break;
		cb->args[0] = end.number;
	}
	/* With messages in it, @skb is sent, and the dump goes on. */
	return ret && !skb->len ? ret : skb->len;
}
EXPORT_SYMBOL_GPL(rpcrdma_ended_dump);

/**
 * rpcrdma_ended_dump_totals - dump how many have ended for each reason
 * (RPCRDMA_NL_CMD_ENDED_TOTAL_GET)
 * @skb: messages that are sent together
 * @cb: the dump; args[0] is the last reason dumped
 * @family: family of the side
 * @side: side
 *
 * Context: process.
 * Return: bytes in @skb; 0 at the end; -EMSGSIZE if one total has no room.
 */
int rpcrdma_ended_dump_totals(struct sk_buff *skb, struct netlink_callback *cb,
			      const struct genl_family *family,
			      enum rpcrdma_side side)
{
	struct rpcrdma_ended *ended = rpcrdma_ended_of(sock_net(skb->sk), side);
	struct rpcrdma_nl_u64 total;
	int ret = 0;

	for (total.attr = cb->args[0] + 1; total.attr < RPCRDMA_NL_LOST_NR;
	     total.attr++) {
		spin_lock(&ended->lock);
		total.value = ended->totals[total.attr];
		spin_unlock(&ended->lock);
		if (!total.value)
			continue;
		ret = rpcrdma_nl_put_message(skb, cb, family,
					     RPCRDMA_NL_CMD_ENDED_TOTAL_GET,
					     rpcrdma_ended_put_total, &total);
		if (ret)
			break;
		cb->args[0] = total.attr;
	}
	return ret && !skb->len ? ret : skb->len;
}
EXPORT_SYMBOL_GPL(rpcrdma_ended_dump_totals);

static int __net_init rpcrdma_net_init(struct net *net)
{
	struct rpcrdma_ended *ended;
	u32 side;

	for (side = 0; side < RPCRDMA_SIDES; side++) {
		ended = rpcrdma_ended_of(net, side);
		spin_lock_init(&ended->lock);
		INIT_LIST_HEAD(&ended->ends);
	}
	return 0;
}

static void __net_exit rpcrdma_net_exit(struct net *net)
{
	struct rpcrdma_end *end, *next;
	u32 side;

	for (side = 0; side < RPCRDMA_SIDES; side++)
		list_for_each_entry_safe(end, next,
					 &rpcrdma_ended_of(net, side)->ends,
					 list)
			kfree(end);
}

static struct pernet_operations rpcrdma_net_ops = {
	.init	= rpcrdma_net_init,
	.exit	= rpcrdma_net_exit,
	.id	= &rpcrdma_net_id,
	.size	= sizeof(struct rpcrdma_net),
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
