// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stash: pages that a connection keeps for its next RDMA Reads and replies.
 *
 * Operation: the pages of a call that was read are swapped with pages of the
 * nfsd thread that serves the call. The thread's pages go to the stash, and the
 * next call of the connection is read into them. Without the stash, sunrpc
 * would allocate pages, which the kernel clears: 256 for a WRITE of 1 MiB.
 * Pages of a reply that belong to no file also go to the stash after they have
 * been sent, and a thread gets them for a later reply.
 *
 * Limits: SVC_RDMA_STASH_PAGES per connection, and read_pages_kept for all
 * connections together. A connection is charged for pages that it keeps, and
 * remains charged while they are in use. So the total, which all connections
 * share, changes rarely. Pages that a connection has not needed between two
 * periodic checks are freed, as are pages that the shrinker asks for.
 *
 * Ownership: a page is kept only if there are no other references to it:
 * through another reference, an adapter, a socket or a disk could still read
 * the page. Pages of files, and pages that the kernel treats specially, are not
 * kept.
 *
 * Contents: a page keeps the data of earlier calls, possibly from another
 * client. nfsd sees only bytes that RDMA Reads or svc_rdma_read_copy() have
 * written.
 *
 * Locking: completion handlers take the lock of a stash. The lock of the list
 * is taken first, and only in process context.
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

/* Raise the quota of a stash to @want pages if possible. Return the quota. */
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
 * @pages: array for the pages; its first entries are set
 * @npages: number of pages needed
 *
 * Context: process.
 * Return: number of pages taken; their contents are undefined.
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

/* Move pages without other references to the front. Return their number. */
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
 * @pages: pages; the entries are invalid after the call
 * @npages: number of pages
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

/* Remove up to @npages of the coldest pages, and return all unused charges. */
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
 * svc_rdma_stash_trim - free pages that were not needed since the last trim
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
 * @conn: connection that no longer puts pages into its stash, or trims it
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

/* Report the charged pages, including pages that calls are being read into. */
static unsigned long svc_rdma_stash_shrink_count(struct shrinker *shrinker,
						 struct shrink_control *sc)
{
	return atomic_long_read(&svc_rdma_stash_total);
}

/* A stash that was shrunk moves to the end of the list. */
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
 * Context: module exit, after all connections have been released.
 */
void svc_rdma_stashes_exit(void)
{
	shrinker_free(svc_rdma_stash_shrinker);
	WARN_ON_ONCE(atomic_long_read(&svc_rdma_stash_total));
}
