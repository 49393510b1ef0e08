/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists and attributes of the netlink family, for both transports (core/report/). */
#ifndef _RPCRDMA_NETLINK_PUT_H
#define _RPCRDMA_NETLINK_PUT_H

#include <linux/list.h>

#include <rpcrdma/cm.h>
#include <rpcrdma/netlink.h>
#include <rpcrdma/props.h>

struct sk_buff;
struct sockaddr;

/**
 * struct rpcrdma_nl_number - a numeric attribute
 * @attr: type of the attribute; 0: it is omitted
 * @value: its value; negative numbers are sign-extended
 */
struct rpcrdma_nl_number {
	int attr;
	u64 value;
};

struct rpcrdma_nl_entry;

/*
 * Appends the attributes of @entry to @skb. Returns 0, -EMSGSIZE if there is no
 * room, or -ENODATA if @entry is not shown in the network namespace of @skb.
 */
typedef int (*rpcrdma_nl_put_fn)(struct sk_buff *skb,
				 struct rpcrdma_nl_entry *entry);

/**
 * struct rpcrdma_nl_entry - entry of a list that is dumped
 * @list: links the entries of the list
 * @put: appends the attributes of the entry
 * @number: ascending number of the entry; 0: not added to the list
 */
struct rpcrdma_nl_entry {
	struct list_head list;
	rpcrdma_nl_put_fn put;
	u64 number;
};

/* core/report/family.c */
void rpcrdma_nl_add(struct rpcrdma_nl_entry *entry, rpcrdma_nl_put_fn put);
void rpcrdma_nl_remove(struct rpcrdma_nl_entry *entry);

/* core/report/netlink.c */
int rpcrdma_nl_put(struct sk_buff *skb, const struct rpcrdma_nl_number *list,
		   u32 n);
int rpcrdma_nl_put_address(struct sk_buff *skb, int attr,
			   const struct sockaddr *sap);
int rpcrdma_nl_put_path(struct sk_buff *skb, const struct rpcrdma_path *path);
int rpcrdma_nl_put_props(struct sk_buff *skb, int attr,
			 const struct rpcrdma_props *props);

#endif /* _RPCRDMA_NETLINK_PUT_H */
