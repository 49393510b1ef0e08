// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink family "rpcrdma", which dumps the connections of a
 * network namespace and those that have ended (Documentation/abi/netlink.rst).
 *
 * Operation: a dump walks a list whose entries have ascending numbers. Each
 * buffer continues after the number of the last entry that fit into the
 * previous one, so entries can be added and removed during a dump.
 *
 * Ownership: an entry is removed from its list before anything that it shows is
 * freed, and before the module that added it is unloaded. Removal waits until a
 * dump has filled its current buffer.
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
 * @entry: entry to append
 * @put: appends the attributes of @entry to a message
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

/* Append the message for an entry. On failure, @skb is unchanged. */
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
 * @skb: buffer for messages
 * @cb: state of the dump; args[0] is the number of the last entry dumped
 * @list: list
 *
 * Context: process.
 * Return: bytes in @skb; 0 at the end; -EMSGSIZE if an entry does not fit into
 * an empty buffer.
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
	/* netlink sends @skb unless it is empty, and continues the dump. */
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
 * Context: module exit; waits for users of the family.
 */
void rpcrdma_nl_exit(void)
{
	genl_unregister_family(&rpcrdma_nl_family);
}

/**
 * rpcrdma_nl_add - show a connection in dumps
 * @entry: entry of the connection
 * @put: appends the attributes of @entry to a message
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
 * @entry: entry that was passed to rpcrdma_nl_add()
 *
 * Context: process; waits until a dump has filled its current buffer.
 */
void rpcrdma_nl_remove(struct rpcrdma_nl_entry *entry)
{
	mutex_lock(&rpcrdma_nl_conns.mutex);
	list_del(&entry->list);
	mutex_unlock(&rpcrdma_nl_conns.mutex);
}
EXPORT_SYMBOL_GPL(rpcrdma_nl_remove);
