/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes that both transports put into their netlink messages. */
#ifndef _RPCRDMA_NETLINK_PUT_H
#define _RPCRDMA_NETLINK_PUT_H

#include <linux/in.h>
#include <linux/in6.h>
#include <net/genetlink.h>
#include <linux/sunrpc/addr.h>

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

static inline int rpcrdma_nl_put_u32s(struct sk_buff *skb,
				      const struct rpcrdma_nl_u32 *list,
				      u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (nla_put_u32(skb, list[i].attr, list[i].value))
			return -EMSGSIZE;
	return 0;
}

/* @pad: type of the attribute for alignment */
static inline int rpcrdma_nl_put_u64s(struct sk_buff *skb,
				      const struct rpcrdma_nl_u64 *list,
				      u32 n, int pad)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (nla_put_u64_64bit(skb, list[i].attr, list[i].value, pad))
			return -EMSGSIZE;
	return 0;
}

/* A nest of 64-bit numbers */
static inline int rpcrdma_nl_nest_u64s(struct sk_buff *skb, int attr,
				       const struct rpcrdma_nl_u64 *list,
				       u32 n, int pad)
{
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest || rpcrdma_nl_put_u64s(skb, list, n, pad))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* A nest of 32-bit numbers */
static inline int rpcrdma_nl_nest_u32s(struct sk_buff *skb, int attr,
				       const struct rpcrdma_nl_u32 *list,
				       u32 n)
{
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest || rpcrdma_nl_put_u32s(skb, list, n))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static inline int rpcrdma_nl_put_ip(struct sk_buff *skb,
				    const struct sockaddr *sap)
{
	const struct sockaddr_in6 *sin6 = (const struct sockaddr_in6 *)sap;
	const struct sockaddr_in *sin = (const struct sockaddr_in *)sap;

	if (sap->sa_family == AF_INET)
		return nla_put(skb, RPCRDMA_NL_ADDR_IP, sizeof(sin->sin_addr),
			       &sin->sin_addr);
	if (nla_put(skb, RPCRDMA_NL_ADDR_IP, sizeof(sin6->sin6_addr),
		    &sin6->sin6_addr))
		return -EMSGSIZE;
	if (!sin6->sin6_scope_id)
		return 0;
	return nla_put_u32(skb, RPCRDMA_NL_ADDR_SCOPE, sin6->sin6_scope_id);
}

/* A port of 0 is not known, and left out. */
static inline int rpcrdma_nl_put_address(struct sk_buff *skb, int attr,
					 const struct sockaddr *sap)
{
	struct nlattr *nest = nla_nest_start(skb, attr);
	u16 port = rpc_get_port(sap);

	if (!nest || rpcrdma_nl_put_ip(skb, sap) ||
	    (port && nla_put_u16(skb, RPCRDMA_NL_ADDR_PORT, port)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static inline int rpcrdma_nl_put_props(struct sk_buff *skb, int attr,
				       const struct rpcrdma_props *props)
{
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest ||
	    nla_put_u32(skb, RPCRDMA_NL_PROP_RECV_SIZE, props->recv_size) ||
	    nla_put_u32(skb, RPCRDMA_NL_PROP_REVERSE, props->reverse) ||
	    nla_put_u8(skb, RPCRDMA_NL_PROP_REMOTE_INV, props->remote_inv) ||
	    nla_put_u8(skb, RPCRDMA_NL_PROP_READ_REPLIES,
		       props->read_replies) ||
	    nla_put_u32(skb, RPCRDMA_NL_PROP_HTYPES, props->htypes))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

#endif /* _RPCRDMA_NETLINK_PUT_H */
