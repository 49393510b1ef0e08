/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for suites of the netlink family: a message buffer of a given size,
 * for a socket in a given network namespace, and the attributes of a message.
 */
#ifndef _RPCRDMA_NETLINK_MESSAGE_H
#define _RPCRDMA_NETLINK_MESSAGE_H

#include <kunit/test.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include <rpcrdma/netlink_put.h>

/* Network namespaces; only the pointers are compared */
#define FAKE_NET	((struct net *)0x1000)
#define FAKE_OTHER_NET	((struct net *)0x2000)

static __maybe_unused struct net *fake_net = FAKE_NET;

#define sock_net(sk)	((void)(sk), fake_net)

KUNIT_DEFINE_ACTION_WRAPPER(fake_skb_free, kfree_skb, struct sk_buff *);

/* Allocate a message buffer with room for @size bytes. */
static struct sk_buff *fake_room(struct kunit *test, u32 size)
{
	struct sk_buff *skb = alloc_skb(size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, fake_skb_free, skb));
	/* An skb may be larger than requested. Keep its alignment. */
	skb_reserve(skb, skb_tailroom(skb) - round_down(size, 8));
	return skb;
}

/*
 * Get the attributes that @put appends for @entry, by type. Expect @put to fail
 * if any attribute does not fit.
 */
static __maybe_unused void
fake_put(struct kunit *test, rpcrdma_nl_put_fn put,
	 struct rpcrdma_nl_entry *entry, struct nlattr **attrs)
{
	struct sk_buff *skb = fake_room(test, 8192);
	u32 size;

	KUNIT_ASSERT_EQ(test, put(skb, entry), 0);
	KUNIT_ASSERT_EQ(test, 0,
			nla_parse(attrs, RPCRDMA_NL_ATTRS - 1,
				  (struct nlattr *)skb->data, skb->len, NULL,
				  NULL));
	for (size = 0; size < skb->len; size += 8)
		KUNIT_EXPECT_EQ(test, put(fake_room(test, size), entry), -EMSGSIZE);
}

/* A request for a dump, from an unknown sender */
struct fake_request {
	struct sk_buff sender;
	struct {
		struct nlmsghdr nlh;
		struct genlmsghdr genl;
	} message;
};

static __maybe_unused void fake_dump(struct fake_request *request,
				     struct netlink_callback *cb)
{
	memset(request, 0, sizeof(*request));
	*cb = (struct netlink_callback){
		.skb = &request->sender, .nlh = &request->message.nlh,
	};
}

/* Get the attributes of a nest, by type. */
static __maybe_unused void
fake_nest(struct kunit *test, struct nlattr *nest, struct nlattr **attrs, int n)
{
	KUNIT_ASSERT_NOT_NULL(test, nest);
	KUNIT_ASSERT_EQ(test, 0,
			nla_parse_nested(attrs, n - 1, nest, NULL, NULL));
}

/* Returns the number in an attribute, which must be present. */
static __maybe_unused u64 fake_number(struct kunit *test, struct nlattr *attr)
{
	KUNIT_ASSERT_NOT_NULL(test, attr);
	KUNIT_ASSERT_EQ(test, nla_len(attr), 8);
	return nla_get_u64(attr);
}

static __maybe_unused void expect_number(struct kunit *test, struct nlattr **attrs,
					 int attr, u64 value)
{
	KUNIT_EXPECT_EQ_MSG(test, fake_number(test, attrs[attr]), value,
			    "attribute %d", attr);
}

/* Expect the attributes @first to @last to have consecutive numbers from @value on. */
static __maybe_unused void expect_numbers(struct kunit *test, struct nlattr **attrs,
					  int first, int last, u64 value)
{
	int i;

	for (i = first; i <= last; i++)
		expect_number(test, attrs, i, value + i - first);
}

#endif /* _RPCRDMA_NETLINK_MESSAGE_H */
