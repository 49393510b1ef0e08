/* SPDX-License-Identifier: GPL-2.0-only */
/* Both transports' netlink families (core/report/). */
#ifndef _RPCRDMA_NETLINK_PUT_H
#define _RPCRDMA_NETLINK_PUT_H

#include <linux/list.h>

#include <rpcrdma/cm.h>
#include <rpcrdma/netlink.h>
#include <rpcrdma/props.h>

struct module;
struct rpcrdma_counters;
struct sk_buff;
struct sockaddr;

/**
 * enum rpcrdma_side - a side of connections
 * @RPCRDMA_CLIENT: transports of the client
 * @RPCRDMA_SERVER: connections of the server
 * @RPCRDMA_SIDES: number of sides
 */
enum rpcrdma_side {
	RPCRDMA_CLIENT,
	RPCRDMA_SERVER,
	RPCRDMA_SIDES,
};

/**
 * struct rpcrdma_nl_number - an attribute with a number
 * @attr: its type; 0: it is left out
 * @value: number
 * @bits: 8 or 32, whatever others of the list have; 0: as these
 */
struct rpcrdma_nl_number {
	int attr;
	u64 value;
	u32 bits;
};

/**
 * struct rpcrdma_nl_entry - entry of a list that is dumped
 * @list: entry of it
 * @number: grows with each entry of the list; 0: not added
 */
struct rpcrdma_nl_entry {
	struct list_head list;
	u64 number;
};

/**
 * struct rpcrdma_nl_ops - what a module shows
 * @name: of its family
 * @owner: the module
 * @counters: its counters
 * @put: appends the attributes of a connection, the struct rpcrdma_nl_entry
 *	@data, in the network namespace of @skb; returns 0, -EMSGSIZE without
 *	room, or -ENODATA if it is not to be shown there
 * @counted: called with the number of connections when it has changed, by one
 *	context at a time; or NULL
 */
struct rpcrdma_nl_ops {
	const char *name;
	struct module *owner;
	struct rpcrdma_counters *counters;
	int (*put)(struct sk_buff *skb, void *data);
	void (*counted)(u32 conns);
};

/* core/report/family.c */
int rpcrdma_nl_register(enum rpcrdma_side side, const struct rpcrdma_nl_ops *ops);
void rpcrdma_nl_unregister(enum rpcrdma_side side);
void rpcrdma_nl_add(enum rpcrdma_side side, struct rpcrdma_nl_entry *entry);
void rpcrdma_nl_remove(enum rpcrdma_side side, struct rpcrdma_nl_entry *entry);

/* core/report/netlink.c */
int rpcrdma_nl_put(struct sk_buff *skb, const struct rpcrdma_nl_number *list,
		   u32 n, int pad);
int rpcrdma_nl_nest(struct sk_buff *skb, int attr,
		    const struct rpcrdma_nl_number *list, u32 n, int pad);
int rpcrdma_nl_put_address(struct sk_buff *skb, int attr,
			   const struct sockaddr *sap);
int rpcrdma_nl_put_path(struct sk_buff *skb, const struct rpcrdma_path *path);
int rpcrdma_nl_put_props(struct sk_buff *skb, int attr,
			 const struct rpcrdma_props *props);

#endif /* _RPCRDMA_NETLINK_PUT_H */
