/* SPDX-License-Identifier: GPL-2.0-only */
/* The netlink family of both transports (core/report/). */
#ifndef _RPCRDMA_NETLINK_PUT_H
#define _RPCRDMA_NETLINK_PUT_H

#include <linux/list.h>

#include <rpcrdma/cm.h>
#include <rpcrdma/netlink.h>
#include <rpcrdma/props.h>

struct sk_buff;
struct sockaddr;

/**
 * struct rpcrdma_nl_number - an attribute with a number
 * @attr: its type; 0: it is left out
 * @value: number; one below 0 is sign-extended
 */
struct rpcrdma_nl_number {
	int attr;
	u64 value;
};

struct rpcrdma_nl_entry;

/*
 * Appends the attributes of @entry to @skb. Returns 0, -EMSGSIZE without room,
 * or -ENODATA if it is not to be shown in the network namespace of @skb.
 */
typedef int (*rpcrdma_nl_put_fn)(struct sk_buff *skb,
				 struct rpcrdma_nl_entry *entry);

/**
 * struct rpcrdma_nl_entry - entry of a list that is dumped
 * @list: entry of it
 * @put: appends its attributes
 * @number: grows with each entry of the list; 0: not added
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
