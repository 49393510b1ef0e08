/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists that the netlink family dumps. */
#ifndef _RPCRDMA_REPORT_H
#define _RPCRDMA_REPORT_H

#include <linux/list.h>
#include <linux/mutex.h>

#include <rpcrdma/ended.h>

struct netlink_callback;

/**
 * struct rpcrdma_nl_list - entries that a dump shows
 * @mutex: protects the list and its entries. A dump holds it while it fills one
 *	buffer, and neither allocates memory nor waits for I/O.
 * @entries: struct rpcrdma_nl_entry, in the order of their numbers
 * @last: number of the entry that was added last
 */
struct rpcrdma_nl_list {
	struct mutex mutex;
	struct list_head entries;
	u64 last;
};

/* family.c */
void rpcrdma_nl_list_init(struct rpcrdma_nl_list *list);
void rpcrdma_nl_insert_locked(struct rpcrdma_nl_list *list,
			      struct rpcrdma_nl_entry *entry,
			      rpcrdma_nl_put_fn put);
int rpcrdma_nl_dump(struct sk_buff *skb, struct netlink_callback *cb,
		    struct rpcrdma_nl_list *list);

/* ended.c */
int rpcrdma_ended_dump(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* _RPCRDMA_REPORT_H */
