// SPDX-License-Identifier: GPL-2.0-only
/* Appends netlink attributes for both transports (Documentation/abi/netlink.rst). */

#include <linux/export.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <net/genetlink.h>

#include <rpcrdma/netlink_put.h>

/**
 * rpcrdma_nl_put - append numeric attributes
 * @skb: message
 * @list: attributes
 * @n: number of attributes
 *
 * Context: any.
 * Return: 0, or -EMSGSIZE if there is no room.
 */
int rpcrdma_nl_put(struct sk_buff *skb, const struct rpcrdma_nl_number *list,
		   u32 n)
{
	for (; n; n--, list++)
		if (list->attr && nla_put_u64_64bit(skb, list->attr, list->value,
						    RPCRDMA_NL_PAD))
			return -EMSGSIZE;
	return 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_nl_put);

/**
 * rpcrdma_nl_put_address - append an address
 * @skb: message
 * @attr: type of the attribute
 * @sap: IPv4 or IPv6 address; port 0 means unknown
 *
 * Context: any.
 * Return: 0, or -EMSGSIZE if there is no room.
 */
int rpcrdma_nl_put_address(struct sk_buff *skb, int attr,
			   const struct sockaddr *sap)
{
	return nla_put(skb, attr, sap->sa_family == AF_INET ?
				  sizeof(struct sockaddr_in) :
				  sizeof(struct sockaddr_in6), sap);
}
EXPORT_SYMBOL_GPL(rpcrdma_nl_put_address);

/**
 * rpcrdma_nl_put_path - append the attributes of a path
 * @skb: message
 * @path: result of rpcrdma_path_query(); nothing is appended if the MTU is
 *	unknown
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

	return numbers[0].value ?
	       rpcrdma_nl_put(skb, numbers, ARRAY_SIZE(numbers)) : 0;
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
		{ RPCRDMA_NL_PROP_REMOTE_INV, props->remote_inv },
		{ RPCRDMA_NL_PROP_READ_REPLIES, props->read_replies },
		{ RPCRDMA_NL_PROP_HTYPES, props->htypes },
	};
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest || rpcrdma_nl_put(skb, numbers, ARRAY_SIZE(numbers)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}
EXPORT_SYMBOL_GPL(rpcrdma_nl_put_props);
