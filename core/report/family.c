// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family rpcrdma: dumps of the connections of a network
 * namespace, and of what has ended (Documentation/abi/netlink.rst).
 *
 * Operation: what is dumped is in a list, in the order of its numbers. A dump
 * continues behind the number of the last entry that had room, so entries that
 * come and go meanwhile do not disturb it.
 *
 * Ownership: an entry is removed from its list before anything of it is freed,
 * and before the module that shows it is unloaded; that waits for a dump that
 * is writing.
 */

#include <linux/export.h>
#include <linux/lockdep.h>
#include <net/genetlink.h>

#include "../core.h"
#include "report.h"

static struct genl_family rpcrdma_nl_family;

/* The connections of both sides */
static struct rpcrdma_nl_list rpcrdma_nl_conns;

/**
 * rpcrdma_nl_list_init - initialize a list
 * @list: list
 *
 * Context: any.
 */
void rpcrdma_nl_list_init(struct rpcrdma_nl_list *list)
{
	mutex_init(&list->mutex);
	INIT_LIST_HEAD(&list->entries);
}

/**
 * rpcrdma_nl_insert_locked - append an entry to a list
 * @list: list, locked by the caller
 * @entry: its new entry
 * @put: appends its attributes
 *
 * Context: any.
 */
void rpcrdma_nl_insert_locked(struct rpcrdma_nl_list *list,
			      struct rpcrdma_nl_entry *entry,
			      rpcrdma_nl_put_fn put)
{
	lockdep_assert_held(&list->mutex);
	entry->put = put;
	entry->number = ++list->last;
	list_add_tail(&entry->list, &list->entries);
}

/* If this fails, nothing is left in @skb. */
static int rpcrdma_nl_put_message(struct sk_buff *skb,
				  struct netlink_callback *cb,
				  struct rpcrdma_nl_entry *entry)
{
	const struct genlmsghdr *request = nlmsg_data(cb->nlh);
	void *hdr;
	int rc;

	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			  &rpcrdma_nl_family, NLM_F_MULTI, request->cmd);
	if (!hdr)
		return -EMSGSIZE;
	rc = entry->put(skb, entry);
	if (rc)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return rc;
}

/**
 * rpcrdma_nl_dump - dump a list
 * @skb: messages that are sent together
 * @cb: the dump; args[0] is the number of the last entry dumped
 * @list: list
 *
 * Context: process.
 * Return: bytes in @skb; 0 at the end; -EMSGSIZE if one entry has no room.
 */
int rpcrdma_nl_dump(struct sk_buff *skb, struct netlink_callback *cb,
		    struct rpcrdma_nl_list *list)
{
	struct rpcrdma_nl_entry *entry;
	int rc = 0;

	mutex_lock(&list->mutex);
	list_for_each_entry(entry, &list->entries, list) {
		if (entry->number <= cb->args[0])
			continue;
		rc = rpcrdma_nl_put_message(skb, cb, entry);
		if (rc == -EMSGSIZE)
			break;
		cb->args[0] = entry->number;
		rc = 0;
	}
	mutex_unlock(&list->mutex);
	/* With messages in it, @skb is sent, and the dump goes on. */
	return skb->len ?: rc;
}

static int rpcrdma_nl_dump_conns(struct sk_buff *skb,
				 struct netlink_callback *cb)
{
	return rpcrdma_nl_dump(skb, cb, &rpcrdma_nl_conns);
}

static const struct genl_small_ops rpcrdma_nl_commands[] = {
	{ .cmd = RPCRDMA_NL_CMD_CONN_GET, .dumpit = rpcrdma_nl_dump_conns },
	{ .cmd = RPCRDMA_NL_CMD_ENDED_GET, .dumpit = rpcrdma_ended_dump },
};

static struct genl_family rpcrdma_nl_family = {
	.name		= RPCRDMA_NL_FAMILY,
	.version	= RPCRDMA_NL_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.small_ops	= rpcrdma_nl_commands,
	.n_small_ops	= ARRAY_SIZE(rpcrdma_nl_commands),
	.resv_start_op	= RPCRDMA_NL_CMD_NR,
};

/**
 * rpcrdma_nl_init - register the family
 *
 * Context: module initialization.
 * Return: 0 or a negative errno.
 */
int rpcrdma_nl_init(void)
{
	rpcrdma_nl_list_init(&rpcrdma_nl_conns);
	return genl_register_family(&rpcrdma_nl_family);
}

/**
 * rpcrdma_nl_exit - unregister the family
 *
 * Context: module exit; waits for its users.
 */
void rpcrdma_nl_exit(void)
{
	genl_unregister_family(&rpcrdma_nl_family);
}

/**
 * rpcrdma_nl_add - show a connection
 * @entry: its entry of the list of connections
 * @put: appends its attributes
 *
 * Context: process.
 */
void rpcrdma_nl_add(struct rpcrdma_nl_entry *entry, rpcrdma_nl_put_fn put)
{
	mutex_lock(&rpcrdma_nl_conns.mutex);
	rpcrdma_nl_insert_locked(&rpcrdma_nl_conns, entry, put);
	mutex_unlock(&rpcrdma_nl_conns.mutex);
}
EXPORT_SYMBOL_GPL(rpcrdma_nl_add);

/**
 * rpcrdma_nl_remove - stop showing a connection
 * @entry: its entry, for which rpcrdma_nl_add() was called
 *
 * Context: process; waits for dumps to write what they have room for.
 */
void rpcrdma_nl_remove(struct rpcrdma_nl_entry *entry)
{
	mutex_lock(&rpcrdma_nl_conns.mutex);
	list_del(&entry->list);
	mutex_unlock(&rpcrdma_nl_conns.mutex);
}
EXPORT_SYMBOL_GPL(rpcrdma_nl_remove);
