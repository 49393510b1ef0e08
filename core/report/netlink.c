// SPDX-License-Identifier: GPL-2.0-only
/* Attributes of the netlink families of both transports (Documentation/abi/netlink.rst). */

#include <linux/export.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/sunrpc/addr.h>
#include <net/genetlink.h>

#include <rpcrdma/netlink_put.h>

/**
 * rpcrdma_nl_put - append numbers
 * @skb: message
 * @list: attributes
 * @n: number of attributes
 * @pad: type of the attribute for alignment of 64-bit numbers; 0: they have 32
 *	bits
 *
 * Context: any.
 * Return: 0, or -EMSGSIZE if there is no room.
 */
int rpcrdma_nl_put(struct sk_buff *skb, const struct rpcrdma_nl_number *list,
		   u32 n, int pad)
{
	int rc = 0;

	for (; n && !rc; n--, list++) {
		if (!list->attr)
			continue;
		if (list->bits == 8)
			rc = nla_put_u8(skb, list->attr, list->value);
		else if (pad && !list->bits)
			rc = nla_put_u64_64bit(skb, list->attr, list->value, pad);
		else
			rc = nla_put_u32(skb, list->attr, list->value);
	}
	return rc;
}
EXPORT_SYMBOL_GPL(rpcrdma_nl_put);

/**
 * rpcrdma_nl_nest - append a nest of numbers
 * @skb: message
 * @attr: type of the nest
 * @list: attributes
 * @n: number of attributes
 * @pad: as for rpcrdma_nl_put()
 *
 * Context: any.
 * Return: 0, or -EMSGSIZE if there is no room.
 */
int rpcrdma_nl_nest(struct sk_buff *skb, int attr,
		    const struct rpcrdma_nl_number *list, u32 n, int pad)
{
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest || rpcrdma_nl_put(skb, list, n, pad))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_nl_nest);

static int rpcrdma_nl_put_ip(struct sk_buff *skb,
			     const struct sockaddr *sap)
{
	const struct sockaddr_in6 *sin6 = (const struct sockaddr_in6 *)sap;
	const struct sockaddr_in *sin = (const struct sockaddr_in *)sap;

	if (sap->sa_family == AF_INET)
		return nla_put(skb, RPCRDMA_NL_ADDR_IP, sizeof(sin->sin_addr),
			       &sin->sin_addr);
	if (sin6->sin6_scope_id &&
	    nla_put_u32(skb, RPCRDMA_NL_ADDR_SCOPE, sin6->sin6_scope_id))
		return -EMSGSIZE;
	return nla_put(skb, RPCRDMA_NL_ADDR_IP, sizeof(sin6->sin6_addr),
		       &sin6->sin6_addr);
}

/**
 * rpcrdma_nl_put_address - append an address
 * @skb: message
 * @attr: type of the nest
 * @sap: address; a port of 0 is not known, and left out
 *
 * Context: any.
 * Return: 0, or -EMSGSIZE if there is no room.
 */
int rpcrdma_nl_put_address(struct sk_buff *skb, int attr,
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
EXPORT_SYMBOL_GPL(rpcrdma_nl_put_address);

/**
 * rpcrdma_nl_put_path - append how the adapter sends packets
 * @skb: message
 * @path: as by rpcrdma_path_query(); left out if its MTU is not known
 *
 * Context: any.
 * Return: 0, or -EMSGSIZE if there is no room.
 */
int rpcrdma_nl_put_path(struct sk_buff *skb, const struct rpcrdma_path *path)
{
	const struct rpcrdma_nl_number numbers[] = {
		{ RPCRDMA_NL_PATH_MTU, READ_ONCE(path->mtu) },
		{ RPCRDMA_NL_PATH_ACK_TIMEOUT, path->ack_timeout },
		{ RPCRDMA_NL_PATH_RETRIES, path->retries },
		{ RPCRDMA_NL_PATH_RNR_RETRIES, path->rnr_retries },
	};

	if (!numbers[0].value)
		return 0;
	return rpcrdma_nl_nest(skb, RPCRDMA_NL_PATH, numbers,
			       ARRAY_SIZE(numbers), 0);
}
EXPORT_SYMBOL_GPL(rpcrdma_nl_put_path);

/**
 * rpcrdma_nl_put_props - append transport properties
 * @skb: message
 * @attr: type of the nest
 * @props: properties of one side
 *
 * Context: any.
 * Return: 0, or -EMSGSIZE if there is no room.
 */
int rpcrdma_nl_put_props(struct sk_buff *skb, int attr,
			 const struct rpcrdma_props *props)
{
	const struct rpcrdma_nl_number numbers[] = {
		{ RPCRDMA_NL_PROP_RECV_SIZE, props->recv_size },
		{ RPCRDMA_NL_PROP_REVERSE, props->reverse },
		{ RPCRDMA_NL_PROP_REMOTE_INV, props->remote_inv, 8 },
		{ RPCRDMA_NL_PROP_READ_REPLIES, props->read_replies, 8 },
		{ RPCRDMA_NL_PROP_HTYPES, props->htypes },
	};

	return rpcrdma_nl_nest(skb, attr, numbers, ARRAY_SIZE(numbers), 0);
}
EXPORT_SYMBOL_GPL(rpcrdma_nl_put_props);
