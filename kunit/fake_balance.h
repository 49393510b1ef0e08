/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that the file under test releases every spin lock that it takes, and
 * takes no lock twice. Include this header before that file. balance_exit() is
 * the suite's exit function.
 */
#ifndef _RPCRDMA_FAKE_BALANCE_H
#define _RPCRDMA_FAKE_BALANCE_H

#include <kunit/test.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static struct fake_balance {
	raw_spinlock_t lock;	/* protects the other fields */
	u32 held;	/* number of locks held */
	/* Locks taken while held, or released while not held */
	u32 wrong;
	struct {
		const void *at;
		const char *name;
	/*
	 * Locks held, in any order, by address and name; on uniprocessor
	 * kernels a lock has size 0, so adjacent locks have the same address
	 */
	} locks[8];
} balance = { .lock = __RAW_SPIN_LOCK_UNLOCKED(balance.lock) };

/* Returns the name of the member in an expression. */
static const char *balance_name(const char *expr)
{
	const char *p, *name = expr;

	for (p = expr; *p; p++)
		if (*p == '>' || *p == '.' || *p == '&')
			name = p + 1;
	return name;
}

/* Returns the index of a lock in the table, or balance.held if it is missing. */
static u32 balance_find(const void *lock, const char *name)
{
	u32 i = 0;

	while (i < balance.held && (balance.locks[i].at != lock ||
				    strcmp(balance.locks[i].name, name)))
		i++;
	return i;
}

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

/* Record that a lock is released. Returns false if it was not held. */
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
