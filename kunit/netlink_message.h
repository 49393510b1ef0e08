/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For suites of the netlink families: a dump into one message of a given size,
 * by a socket of a given network namespace, and its attributes.
 */
#ifndef _RPCRDMA_NETLINK_MESSAGE_H
#define _RPCRDMA_NETLINK_MESSAGE_H

#include <kunit/test.h>
#include <linux/mutex.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include <rpcrdma/netlink_put.h>

/* Namespaces, which are only compared */
#define FAKE_NET	((struct net *)0x1000)
#define FAKE_OTHER_NET	((struct net *)0x2000)

static struct net *fake_net = FAKE_NET;

/* Families that are registered */
static int fake_families;

static __maybe_unused int fake_family(struct genl_family *family, int change)
{
	fake_families += change;
	return family->netnsok && !family->maxattr ? 0 : -EINVAL;
}

#define sock_net(sk)			((void)(sk), fake_net)
#define genl_register_family(family)	fake_family(family, 1)
#define genl_unregister_family(family)	fake_family(family, -1)

/* A dump */
struct fake_dump {
	struct sk_buff *skb;	/* the message that it is written to */
	struct netlink_callback cb;	/* its state */
	struct sk_buff request;	/* the request, whose sender is unknown */
	struct nlmsghdr nlh;	/* header of the request */
};

static void fake_dump_free(void *data)
{
	kfree_skb(data);
}

/* Write to a new message, which has room for @size bytes. */
static void fake_dump_room(struct kunit *test, struct fake_dump *dump, u32 size)
{
	dump->skb = alloc_skb(size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, dump->skb);
	/* An skb may be larger than requested. */
	skb_reserve(dump->skb, skb_tailroom(dump->skb) - round_down(size, 8));
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, fake_dump_free,
						  dump->skb));
}

static struct fake_dump *fake_dump(struct kunit *test, u32 size)
{
	struct fake_dump *dump = kunit_kzalloc(test, sizeof(*dump), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, dump);
	dump->cb.skb = &dump->request;
	dump->cb.nlh = &dump->nlh;
	fake_dump_room(test, dump, size);
	return dump;
}

/* Number of messages in it */
static u32 fake_messages(const struct fake_dump *dump)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)dump->skb->data;
	int left = dump->skb->len;
	u32 n = 0;

	for (; nlmsg_ok(nlh, left); nlh = nlmsg_next(nlh, &left))
		n++;
	return n;
}

/* Attributes of its first message, by type */
static void fake_attrs(struct kunit *test, const struct fake_dump *dump,
		       struct nlattr **attrs)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)dump->skb->data;

	KUNIT_ASSERT_GT(test, dump->skb->len, 0u);
	KUNIT_ASSERT_EQ(test, 0,
			nlmsg_parse(nlh, GENL_HDRLEN, attrs,
				    RPCRDMA_NL_ATTRS - 1, NULL, NULL));
}

/* Attributes of the only message of a dump by @fill, by type */
static void fake_dumped(struct kunit *test,
			int (*fill)(struct sk_buff *skb,
				    struct netlink_callback *cb),
			u32 size, struct nlattr **attrs)
{
	struct fake_dump *dump = fake_dump(test, size);

	KUNIT_ASSERT_GT(test, fill(dump->skb, &dump->cb), 0);
	KUNIT_ASSERT_EQ(test, fake_messages(dump), 1);
	fake_attrs(test, dump, attrs);
}

/* Attributes of a nest, by type */
static void fake_nest(struct kunit *test, struct nlattr *nest,
		      struct nlattr **attrs, int n)
{
	KUNIT_ASSERT_NOT_NULL(test, nest);
	KUNIT_ASSERT_EQ(test, 0,
			nla_parse_nested(attrs, n - 1, nest, NULL, NULL));
}

/* The number of a present attribute */
static u32 fake_u32(struct kunit *test, struct nlattr *attr)
{
	KUNIT_ASSERT_NOT_NULL(test, attr);
	KUNIT_ASSERT_EQ(test, nla_len(attr), 4);
	return nla_get_u32(attr);
}

static u64 fake_u64(struct kunit *test, struct nlattr *attr)
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
