// SPDX-License-Identifier: GPL-2.0-only
/*
 * The generic netlink families rpcrdma-client and rpcrdma-server: dumps of the
 * connections of a network namespace, and of what has ended
 * (Documentation/abi/netlink.rst).
 *
 * Operation: what is dumped is in a list, in the order of its numbers. A dump
 * continues behind the number of the last entry that had room, so entries that
 * come and go meanwhile do not disturb it.
 *
 * Ownership: an entry is removed from its list before anything of it is freed,
 * which waits for a dump that is writing. A dump that goes on has a reference to
 * the module that has registered the family.
 */

#include <linux/export.h>
#include <linux/lockdep.h>
#include <net/genetlink.h>

#include "report.h"

/**
 * struct rpcrdma_nl_side - what a side shows
 * @family: its family
 * @ops: of the side's module
 * @conns: its connections
 */
struct rpcrdma_nl_side {
	struct genl_family family;
	const struct rpcrdma_nl_ops *ops;
	struct rpcrdma_nl_list conns;
};

static struct rpcrdma_nl_side rpcrdma_nl_sides[RPCRDMA_SIDES];

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
 *
 * Context: any.
 */
void rpcrdma_nl_insert_locked(struct rpcrdma_nl_list *list,
			      struct rpcrdma_nl_entry *entry)
{
	lockdep_assert_held(&list->mutex);
	entry->number = ++list->last;
	list_add_tail(&entry->list, &list->entries);
	list->count++;
}

/**
 * rpcrdma_nl_delete_locked - remove an entry from a list
 * @list: list, locked by the caller
 * @entry: its entry
 *
 * Context: any.
 */
void rpcrdma_nl_delete_locked(struct rpcrdma_nl_list *list,
			      struct rpcrdma_nl_entry *entry)
{
	lockdep_assert_held(&list->mutex);
	list_del(&entry->list);
	list->count--;
}

/**
 * rpcrdma_nl_side_of - find out which side a dump is about
 * @cb: the dump
 *
 * Context: any.
 * Return: the side whose family the request was sent to.
 */
enum rpcrdma_side rpcrdma_nl_side_of(const struct netlink_callback *cb)
{
	return cb->nlh->nlmsg_type == rpcrdma_nl_sides[RPCRDMA_SERVER].family.id ?
	       RPCRDMA_SERVER : RPCRDMA_CLIENT;
}

/**
 * rpcrdma_nl_put_message - append a message of a dump
 * @skb: messages that are sent together
 * @cb: the dump
 * @put: appends the attributes; returns 0, -EMSGSIZE without room, or -ENODATA if
 *	there is nothing to be shown
 * @data: passed to @put
 *
 * If @put fails, nothing is left in @skb.
 *
 * Context: that of @put.
 * Return: that of @put.
 */
int rpcrdma_nl_put_message(struct sk_buff *skb, struct netlink_callback *cb,
			   int (*put)(struct sk_buff *skb, void *data),
			   void *data)
{
	const struct genlmsghdr *request = nlmsg_data(cb->nlh);
	void *hdr;
	int rc;

	hdr = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
			  &rpcrdma_nl_sides[rpcrdma_nl_side_of(cb)].family,
			  NLM_F_MULTI, request->cmd);
	if (!hdr)
		return -EMSGSIZE;
	rc = put(skb, data);
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
 * @put: appends the attributes of an entry: see rpcrdma_nl_put_message()
 *
 * Context: process.
 * Return: bytes in @skb; 0 at the end; -EMSGSIZE if one entry has no room.
 */
int rpcrdma_nl_dump(struct sk_buff *skb, struct netlink_callback *cb,
		    struct rpcrdma_nl_list *list,
		    int (*put)(struct sk_buff *skb, void *data))
{
	struct rpcrdma_nl_entry *entry;
	int rc = 0;

	mutex_lock(&list->mutex);
	list_for_each_entry(entry, &list->entries, list) {
		if (entry->number <= cb->args[0])
			continue;
		rc = rpcrdma_nl_put_message(skb, cb, put, entry);
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
	struct rpcrdma_nl_side *side = &rpcrdma_nl_sides[rpcrdma_nl_side_of(cb)];

	return rpcrdma_nl_dump(skb, cb, &side->conns, side->ops->put);
}

static const struct genl_small_ops rpcrdma_nl_commands[] = {
	{ .cmd = RPCRDMA_NL_CMD_CONN_GET, .dumpit = rpcrdma_nl_dump_conns },
	{ .cmd = RPCRDMA_NL_CMD_ENDED_GET, .dumpit = rpcrdma_ended_dump },
	{ .cmd = RPCRDMA_NL_CMD_ENDED_TOTAL_GET,
	  .dumpit = rpcrdma_ended_dump_totals },
};

/**
 * rpcrdma_nl_register - register the family of a side, and show its counters
 * @side: side
 * @ops: of its module, which stays until rpcrdma_nl_unregister()
 *
 * Context: process; the side has no connections.
 * Return: 0 or a negative errno.
 */
int rpcrdma_nl_register(enum rpcrdma_side side, const struct rpcrdma_nl_ops *ops)
{
	struct rpcrdma_nl_side *s = &rpcrdma_nl_sides[side];
	int rc;

	rpcrdma_nl_list_init(&s->conns);
	s->ops = ops;
	s->family = (struct genl_family){
		.version	= RPCRDMA_NL_VERSION,
		.netnsok	= true,
		.parallel_ops	= true,
		.module		= ops->owner,
		.small_ops	= rpcrdma_nl_commands,
		.n_small_ops	= ARRAY_SIZE(rpcrdma_nl_commands),
		.resv_start_op	= RPCRDMA_NL_CMD_NR,
	};
	strscpy(s->family.name, ops->name, sizeof(s->family.name));
	rc = genl_register_family(&s->family);
	if (!rc)
		rpcrdma_counters_add(ops->counters);
	return rc;
}
EXPORT_SYMBOL_GPL(rpcrdma_nl_register);

/**
 * rpcrdma_nl_unregister - undo rpcrdma_nl_register()
 * @side: side
 *
 * Context: process; waits for users of the family, and for readers.
 */
void rpcrdma_nl_unregister(enum rpcrdma_side side)
{
	struct rpcrdma_nl_side *s = &rpcrdma_nl_sides[side];

	rpcrdma_counters_remove(s->ops->counters);
	genl_unregister_family(&s->family);
	/* The next family, perhaps of the other side, may get this id. */
	s->family.id = 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_nl_unregister);

static void rpcrdma_nl_counted_locked(const struct rpcrdma_nl_side *side)
{
	if (side->ops->counted)
		side->ops->counted(side->conns.count);
}

/**
 * rpcrdma_nl_add - show a connection
 * @side: side
 * @entry: its entry of the list of connections, all zero
 *
 * Context: process.
 */
void rpcrdma_nl_add(enum rpcrdma_side side, struct rpcrdma_nl_entry *entry)
{
	struct rpcrdma_nl_side *s = &rpcrdma_nl_sides[side];

	mutex_lock(&s->conns.mutex);
	rpcrdma_nl_insert_locked(&s->conns, entry);
	rpcrdma_nl_counted_locked(s);
	mutex_unlock(&s->conns.mutex);
}
EXPORT_SYMBOL_GPL(rpcrdma_nl_add);

/**
 * rpcrdma_nl_remove - stop showing a connection
 * @side: side
 * @entry: its entry, for which rpcrdma_nl_add() was called or not
 *
 * Context: process; waits for dumps to write what they have room for.
 */
void rpcrdma_nl_remove(enum rpcrdma_side side, struct rpcrdma_nl_entry *entry)
{
	struct rpcrdma_nl_side *s = &rpcrdma_nl_sides[side];

	if (!entry->number)
		return;
	mutex_lock(&s->conns.mutex);
	rpcrdma_nl_delete_locked(&s->conns, entry);
	rpcrdma_nl_counted_locked(s);
	mutex_unlock(&s->conns.mutex);
}
EXPORT_SYMBOL_GPL(rpcrdma_nl_remove);
