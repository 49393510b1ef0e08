// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stash: pages that a connection keeps for its next RDMA Reads and replies.
 *
 * Operation: the pages that a call has been read into are swapped with pages of
 * the nfsd thread that serves it. sunrpc would have allocated others for the
 * next call, and the kernel would have cleared them. Here the pages of the
 * thread go to the stash instead, and the next call of the connection is read
 * into them. So a WRITE of 1 MiB neither frees nor allocates 256 pages. Pages
 * of a reply that belong to no file also go to the stash when they have been
 * sent, and the thread of a later reply gets them.
 *
 * Bounds: SVC_RDMA_STASH_PAGES per connection, and read_pages_kept for all of
 * them. A connection is charged for pages when they are kept, and stays charged
 * for them while they are used, so that the sum, which all connections
 * share, changes rarely. Pages that a connection has not needed for a whole
 * period of its watch are freed, and so are any that the shrinker asks for.
 *
 * Ownership: a page is kept only if nobody else has a reference to it.
 * Otherwise an adapter, a socket or a disk may still read it. Pages of files,
 * and pages that the kernel treats specially, are not kept.
 *
 * Contents: a page keeps the data of earlier calls, maybe of another client.
 * nfsd sees only bytes that RDMA Reads or svc_rdma_read_copy() have written.
 *
 * Locking: the lock of a stash excludes completion handlers. That of the list is
 * for process context only, and taken first.
 */

#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/shrinker.h>

#include "../counters.h"
#include "../limits.h"
#include "../tunables.h"
#include "message.h"

static atomic_long_t svc_rdma_stash_total;
static struct shrinker *svc_rdma_stash_shrinker;

static DEFINE_SPINLOCK(svc_rdma_stashes_lock);
static LIST_HEAD(svc_rdma_stashes);

/* Pages that the stash may have, if it would like to have @want */
static u32 svc_rdma_stash_limit_locked(struct svc_rdma_stash *stash, u32 want)
{
	long max = READ_ONCE(svc_rdma_read_pages_kept) >> PAGE_SHIFT;
	u32 more;

	if (!max)
		return 0;
	want = min(want, SVC_RDMA_STASH_PAGES);
	if (likely(want <= stash->quota))
		return stash->quota;
	more = want - stash->quota;
	if (svc_rdma_total_add(&svc_rdma_stash_total, more, max))
		stash->quota += more;
	return stash->quota;
}

/**
 * svc_rdma_stash_take - take pages out of the stash
 * @conn: connection
 * @pages: pages; the first entries are set
 * @npages: how many are needed
 *
 * Context: process.
 * Return: how many were taken. They contain anything.
 */
u32 svc_rdma_stash_take(struct svc_rdma_conn *conn, struct page **pages,
			u32 npages)
{
	struct svc_rdma_stash *stash = &conn->stash;
	u32 i, n;

	if (!READ_ONCE(stash->count))
		return 0;
	spin_lock_bh(&stash->lock);
	n = min(npages, stash->count);
	for (i = 0; i < n; i++) {
		pages[i] = list_first_entry(&stash->pages, struct page, lru);
		list_del(&pages[i]->lru);
	}
	stash->count -= n;
	stash->low = min(stash->low, stash->count);
	spin_unlock_bh(&stash->lock);
	return n;
}

/* Move the pages that nobody else has to the front. Returns how many. */
static u32 svc_rdma_stash_sort(struct page **pages, u32 npages)
{
	u32 i, unused = 0;

	for (i = 0; i < npages; i++) {
		if (!svc_rdma_page_unused(pages[i]))
			continue;
		swap(pages[i], pages[unused]);
		unused++;
	}
	return unused;
}

/**
 * svc_rdma_stash_put - put pages into the stash, or free them
 * @conn: connection
 * @pages: pages; the entries are not valid afterwards
 * @npages: how many
 *
 * Context: any.
 */
void svc_rdma_stash_put(struct svc_rdma_conn *conn, struct page **pages,
			u32 npages)
{
	struct svc_rdma_stash *stash = &conn->stash;
	u32 limit, unused, kept = 0;

	unused = svc_rdma_stash_sort(pages, npages);
	if (unused) {
		spin_lock_bh(&stash->lock);
		limit = svc_rdma_stash_limit_locked(stash,
						    stash->count + unused);
		while (kept < unused && stash->count < limit) {
			list_add(&pages[kept++]->lru, &stash->pages);
			stash->count++;
		}
		WARN_ON_ONCE(stash->count > stash->quota);
		spin_unlock_bh(&stash->lock);
	}
	if (kept < npages)
		release_pages(pages + kept, npages - kept);
}

/* Remove up to @npages pages, the coldest ones, and all charges beyond. */
static u32 svc_rdma_stash_cut_locked(struct svc_rdma_stash *stash, u32 npages,
				     struct list_head *cut)
{
	u32 i;

	npages = min(npages, stash->count);
	for (i = 0; i < npages; i++)
		list_move(stash->pages.prev, cut);
	stash->count -= npages;
	stash->low = min(stash->low, stash->count);
	atomic_long_sub(stash->quota - stash->count, &svc_rdma_stash_total);
	stash->quota = stash->count;
	return npages;
}

static void svc_rdma_stash_free(struct list_head *cut)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, cut, lru) {
		list_del(&page->lru);
		put_page(page);
		svc_rdma_count(read_pages_returned);
	}
}

/**
 * svc_rdma_stash_trim - free the pages that were not needed since the last call
 * @conn: connection
 *
 * Context: process.
 */
void svc_rdma_stash_trim(struct svc_rdma_conn *conn)
{
	struct svc_rdma_stash *stash = &conn->stash;
	LIST_HEAD(cut);

	spin_lock_bh(&stash->lock);
	svc_rdma_stash_cut_locked(stash, stash->low, &cut);
	stash->low = stash->count;
	spin_unlock_bh(&stash->lock);
	svc_rdma_stash_free(&cut);
}

/**
 * svc_rdma_stash_begin - prepare the stash of a connection
 * @conn: new connection
 *
 * Context: process.
 */
void svc_rdma_stash_begin(struct svc_rdma_conn *conn)
{
	struct svc_rdma_stash *stash = &conn->stash;

	spin_lock_init(&stash->lock);
	INIT_LIST_HEAD(&stash->pages);
	spin_lock(&svc_rdma_stashes_lock);
	list_add_tail(&stash->entry, &svc_rdma_stashes);
	spin_unlock(&svc_rdma_stashes_lock);
}

/**
 * svc_rdma_stash_destroy - free all pages that a connection keeps
 * @conn: connection, which will not put or trim any more
 *
 * Context: process.
 */
void svc_rdma_stash_destroy(struct svc_rdma_conn *conn)
{
	struct svc_rdma_stash *stash = &conn->stash;
	LIST_HEAD(cut);

	spin_lock(&svc_rdma_stashes_lock);
	list_del(&stash->entry);
	spin_lock_bh(&stash->lock);
	svc_rdma_stash_cut_locked(stash, stash->count, &cut);
	spin_unlock_bh(&stash->lock);
	spin_unlock(&svc_rdma_stashes_lock);
	svc_rdma_stash_free(&cut);
}

/* More than there are, if some are being read into */
static unsigned long svc_rdma_stash_shrink_count(struct shrinker *shrinker,
						 struct shrink_control *sc)
{
	return atomic_long_read(&svc_rdma_stash_total);
}

/* Those that come first are asked last the next time. */
static unsigned long svc_rdma_stash_shrink_scan(struct shrinker *shrinker,
						struct shrink_control *sc)
{
	struct svc_rdma_stash *stash, *next;
	unsigned long freed = 0;
	LIST_HEAD(asked);
	LIST_HEAD(cut);

	spin_lock(&svc_rdma_stashes_lock);
	list_for_each_entry_safe(stash, next, &svc_rdma_stashes, entry) {
		if (freed >= sc->nr_to_scan)
			break;
		spin_lock_bh(&stash->lock);
		freed += svc_rdma_stash_cut_locked(stash,
						   sc->nr_to_scan - freed,
						   &cut);
		spin_unlock_bh(&stash->lock);
		list_move_tail(&stash->entry, &asked);
	}
	list_splice_tail(&asked, &svc_rdma_stashes);
	spin_unlock(&svc_rdma_stashes_lock);
	svc_rdma_stash_free(&cut);
	return freed ?: SHRINK_STOP;
}

/**
 * svc_rdma_stashes_init - register the shrinker of kept pages
 *
 * Context: module initialization.
 * Return: 0 or -ENOMEM.
 */
int svc_rdma_stashes_init(void)
{
	svc_rdma_stash_shrinker = shrinker_alloc(0, "svc_rdma_stash");
	if (!svc_rdma_stash_shrinker)
		return -ENOMEM;
	svc_rdma_stash_shrinker->count_objects = svc_rdma_stash_shrink_count;
	svc_rdma_stash_shrinker->scan_objects = svc_rdma_stash_shrink_scan;
	shrinker_register(svc_rdma_stash_shrinker);
	return 0;
}

/**
 * svc_rdma_stashes_exit - undo svc_rdma_stashes_init()
 *
 * Context: module exit, when there are no connections any more.
 */
void svc_rdma_stashes_exit(void)
{
	shrinker_free(svc_rdma_stash_shrinker);
	WARN_ON_ONCE(atomic_long_read(&svc_rdma_stash_total));
}
