/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spin locks of a file that is tested by itself: it gives back those that it
 * takes, and takes none twice. Included before that file; balance_exit() is the
 * suite's exit function.
 */
#ifndef _RPCRDMA_FAKE_BALANCE_H
#define _RPCRDMA_FAKE_BALANCE_H

#include <kunit/test.h>
#include <linux/spinlock.h>
#include <linux/string.h>

/**
 * struct fake_balance - what is held
 * @lock: protects the others
 * @held: how many
 * @wrong: locks taken while they were held, or released while they were not
 * @locks: locks that are held, in any order: where they are, and as what, since
 *	on one processor a lock is of no size, and its neighbour is where it is
 */
static struct fake_balance {
	raw_spinlock_t lock;
	u32 held;
	u32 wrong;
	struct {
		const void *at;
		const char *name;
	} locks[8];
} balance = { .lock = __RAW_SPIN_LOCK_UNLOCKED(balance.lock) };

/* The member's name, of an expression */
static const char *balance_name(const char *expr)
{
	const char *p, *name = expr;

	for (p = expr; *p; p++)
		if (*p == '>' || *p == '.' || *p == '&')
			name = p + 1;
	return name;
}

/* Where a lock is in the table; balance.held if it is not */
static u32 balance_find(const void *lock, const char *name)
{
	u32 i = 0;

	while (i < balance.held && (balance.locks[i].at != lock ||
				    strcmp(balance.locks[i].name, name)))
		i++;
	return i;
}

/* The lock is held now. */
static __maybe_unused void balance_taken(const void *lock, const char *expr)
{
	const char *name = balance_name(expr);
	unsigned long flags;

	raw_spin_lock_irqsave(&balance.lock, flags);
	if (balance_find(lock, name) < balance.held ||
	    balance.held == ARRAY_SIZE(balance.locks)) {
		balance.wrong++;
	} else {
		balance.locks[balance.held].at = lock;
		balance.locks[balance.held++].name = name;
	}
	raw_spin_unlock_irqrestore(&balance.lock, flags);
}

/* True if the lock was held; it is not any more. */
static __maybe_unused bool balance_given(const void *lock, const char *expr)
{
	unsigned long flags;
	bool found;
	u32 i;

	raw_spin_lock_irqsave(&balance.lock, flags);
	i = balance_find(lock, balance_name(expr));
	found = i < balance.held;
	if (found)
		balance.locks[i] = balance.locks[--balance.held];
	else
		balance.wrong++;
	raw_spin_unlock_irqrestore(&balance.lock, flags);
	return found;
}

static __maybe_unused void balance_exit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, balance.held, 0);
	KUNIT_EXPECT_EQ(test, balance.wrong, 0);
	balance.held = 0;
	balance.wrong = 0;
}

#define spin_lock(l)	({ (spin_lock)(l); balance_taken(l, #l); })
#define spin_lock_bh(l)	({ (spin_lock_bh)(l); balance_taken(l, #l); })
#define spin_unlock(l)							\
	({ if (balance_given(l, #l)) (spin_unlock)(l); else __release(l); })
#define spin_unlock_bh(l)						\
	({ if (balance_given(l, #l)) (spin_unlock_bh)(l); else __release(l); })

#endif /* _RPCRDMA_FAKE_BALANCE_H */
