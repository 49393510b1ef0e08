/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of both transports' netlink messages (core/report/netlink.c). */
#ifndef _RPCRDMA_NETLINK_PUT_H
#define _RPCRDMA_NETLINK_PUT_H

#include <net/genetlink.h>

#include <rpcrdma/cm.h>
#include <rpcrdma/netlink.h>
#include <rpcrdma/props.h>

/**
 * struct rpcrdma_nl_u32 - an attribute with a number
 * @attr: its type
 * @value: number
 */
struct rpcrdma_nl_u32 {
	int attr;
	u32 value;
};

/**
 * struct rpcrdma_nl_u64 - the same with 64 bits
 * @attr: its type
 * @value: number
 */
struct rpcrdma_nl_u64 {
	int attr;
	u64 value;
};

int rpcrdma_nl_put_u32s(struct sk_buff *skb, const struct rpcrdma_nl_u32 *list,
			u32 n);
int rpcrdma_nl_put_u64s(struct sk_buff *skb, const struct rpcrdma_nl_u64 *list,
			u32 n, int pad);
int rpcrdma_nl_nest_u64s(struct sk_buff *skb, int attr,
			 const struct rpcrdma_nl_u64 *list, u32 n, int pad);
int rpcrdma_nl_nest_u32s(struct sk_buff *skb, int attr,
			 const struct rpcrdma_nl_u32 *list, u32 n);
int rpcrdma_nl_put_address(struct sk_buff *skb, int attr,
			   const struct sockaddr *sap);
int rpcrdma_nl_put_path(struct sk_buff *skb, const struct rpcrdma_path *path);
int rpcrdma_nl_put_props(struct sk_buff *skb, int attr,
			 const struct rpcrdma_props *props);
int rpcrdma_nl_put_message(struct sk_buff *skb, struct netlink_callback *cb,
			   const struct genl_family *family, u8 cmd,
			   int (*put)(struct sk_buff *skb, const void *data),
			   const void *data);

#endif /* _RPCRDMA_NETLINK_PUT_H */
