/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For suites of the netlink families: a message of a given size, to a socket of a
 * given network namespace, and its attributes.
 */
#ifndef _RPCRDMA_NETLINK_MESSAGE_H
#define _RPCRDMA_NETLINK_MESSAGE_H

#include <kunit/test.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include <rpcrdma/netlink_put.h>

/* Namespaces, which are only compared */
#define FAKE_NET	((struct net *)0x1000)
#define FAKE_OTHER_NET	((struct net *)0x2000)

static __maybe_unused struct net *fake_net = FAKE_NET;

#define sock_net(sk)	((void)(sk), fake_net)

KUNIT_DEFINE_ACTION_WRAPPER(fake_skb_free, kfree_skb, struct sk_buff *);

/* A message that has room for @size bytes */
static struct sk_buff *fake_room(struct kunit *test, u32 size)
{
	struct sk_buff *skb = alloc_skb(size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, fake_skb_free, skb));
	/* An skb may be larger than requested. Its alignment stays. */
	skb_reserve(skb, skb_tailroom(skb) - round_down(size, 8));
	return skb;
}

/*
 * Attributes of @data, as @put appends them, by type. If there is no room for one of
 * them, whichever, @put fails.
 */
static __maybe_unused void
fake_put(struct kunit *test, int (*put)(struct sk_buff *skb, void *data),
	 void *data, struct nlattr **attrs)
{
	struct sk_buff *skb = fake_room(test, 8192);
	u32 size;

	KUNIT_ASSERT_EQ(test, put(skb, data), 0);
	KUNIT_ASSERT_EQ(test, 0,
			nla_parse(attrs, RPCRDMA_NL_ATTRS - 1,
				  (struct nlattr *)skb->data, skb->len, NULL,
				  NULL));
	for (size = 0; size < skb->len; size += 8)
		KUNIT_EXPECT_EQ(test, put(fake_room(test, size), data), -EMSGSIZE);
}

/* A request for a dump, from an unknown sender */
struct fake_request {
	struct sk_buff sender;
	struct {
		struct nlmsghdr nlh;
		struct genlmsghdr genl;
	} message;
};

/* A dump that the family with number @id has been asked for */
static __maybe_unused void fake_dump(struct fake_request *request,
				     struct netlink_callback *cb, u16 id)
{
	memset(request, 0, sizeof(*request));
	request->message.nlh.nlmsg_type = id;
	*cb = (struct netlink_callback){
		.skb = &request->sender, .nlh = &request->message.nlh,
	};
}

/* Attributes of a nest, by type */
static __maybe_unused void
fake_nest(struct kunit *test, struct nlattr *nest, struct nlattr **attrs, int n)
{
	KUNIT_ASSERT_NOT_NULL(test, nest);
	KUNIT_ASSERT_EQ(test, 0,
			nla_parse_nested(attrs, n - 1, nest, NULL, NULL));
}

/* The number of a present attribute */
static __maybe_unused u32 fake_u32(struct kunit *test, struct nlattr *attr)
{
	KUNIT_ASSERT_NOT_NULL(test, attr);
	KUNIT_ASSERT_EQ(test, nla_len(attr), 4);
	return nla_get_u32(attr);
}

static __maybe_unused u64 fake_u64(struct kunit *test, struct nlattr *attr)
{
	KUNIT_ASSERT_NOT_NULL(test, attr);
	KUNIT_ASSERT_EQ(test, nla_len(attr), 8);
	return nla_get_u64(attr);
}

/* Each counter from the first to @last is in @nest, as @first + its type. */
static __maybe_unused void
fake_counters(struct kunit *test, struct nlattr *nest, u64 first,
	      const u32 *absent, u32 n)
{
	struct nlattr *attrs[RPCRDMA_NL_COUNTS];
	u32 i, j;

	fake_nest(test, nest, attrs, RPCRDMA_NL_COUNTS);
	for (i = RPCRDMA_NL_COUNT_CALLS; i < RPCRDMA_NL_COUNT_PAD; i++) {
		for (j = 0; j < n && absent[j] != i; j++)
			;
		if (j < n)
			KUNIT_EXPECT_NULL(test, attrs[i]);
		else
			KUNIT_EXPECT_EQ(test, fake_u64(test, attrs[i]),
					first + i);
	}
}

#endif /* _RPCRDMA_NETLINK_MESSAGE_H */
