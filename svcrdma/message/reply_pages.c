// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of nfsd threads: which a Send context takes, and which the thread
 * keeps.
 *
 * Operation: sunrpc frees the pages from rq_respages to rq_next_page after each
 * reply, and fills these entries with new pages, which the kernel clears. These
 * pages are reused instead:
 *
 * - The page of the head, if no Work Request or requester still reads it.
 * - The thread's own pages, if the whole reply was copied.
 * - The thread's own pages that nfsd has replaced with page cache pages. sunrpc
 *   collects them in a batch, and frees a full batch. They are put back into
 *   the entries that this reply leaves empty. If a result may be longer than
 *   the batch, the Receive context holds references to the pages that may be
 *   replaced.
 * - Pages held by the Send that belong to no file. When the Send has completed,
 *   they go to the stash. Pages of earlier replies fill the empty entries.
 *
 * Ownership: a page is put back only if there are no other references to it.
 * The references of the Receive context are dropped with the reply or the call.
 *
 * Contents: see Documentation/architecture.rst, Reused pages.
 */

#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sunrpc/svc.h>

#include "../counters.h"
#include "../ext/ext.h"
#include "message.h"

/**
 * struct svc_rdma_lent - pages of the thread that nfsd may replace
 * @npages: entries of @pages
 * @pages: pages, with a reference to each
 */
struct svc_rdma_lent {
	u32 npages;
	struct page *pages[] __counted_by(npages);
};

/**
 * svc_rdma_reply_lend_pages - hold references to pages that nfsd may replace
 * @rqstp: call that is about to be served
 * @recv: Receive context of the call
 *
 * If there is no memory for the references, sunrpc frees the replaced pages.
 *
 * Context: process.
 */
void svc_rdma_reply_lend_pages(struct svc_rqst *rqstp,
			       struct svc_rdma_recv_ctx *recv)
{
	struct page **pages = rqstp->rq_respages + 1;
	u64 bytes = recv->hdr.writes.bytes;
	struct svc_rdma_lent *lent;
	u32 i, npages;

	if (likely(bytes < (rpcrdma_replaced_max(rqstp) - 1) * PAGE_SIZE))
		return;
	npages = min_t(u64, DIV_ROUND_UP_ULL(bytes, PAGE_SIZE) + 1,
		       rqstp->rq_page_end - pages);
	lent = kmalloc(struct_size(lent, pages, npages),
		       GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (!lent)
		return;
	lent->npages = npages;
	for (i = 0; i < npages; i++) {
		lent->pages[i] = pages[i];
		get_page(pages[i]);
	}
	recv->lent = lent;
}

/* Return a lent page without other references, or NULL. */
static struct page *svc_rdma_lent_next(struct svc_rdma_lent *lent)
{
	struct page *page;

	while (lent->npages) {
		page = lent->pages[lent->npages - 1];
		lent->npages--;
		if (svc_rdma_page_unused(page))
			return page;
		put_page(page);
	}
	return NULL;
}

/**
 * svc_rdma_reply_end_lending - drop the references to pages that nfsd may
 * replace
 * @recv: Receive context that holds such references
 *
 * Context: any.
 */
void svc_rdma_reply_end_lending(struct svc_rdma_recv_ctx *recv)
{
	struct svc_rdma_lent *lent = recv->lent;
	u32 i;

	for (i = 0; i < lent->npages; i++)
		put_page(lent->pages[i]);
	kfree(lent);
	recv->lent = NULL;
}

/* Return the last page that nfsd has replaced, or NULL if it is still used. */
static struct page *svc_rdma_reply_next_replaced(struct svc_rqst *rqstp)
{
	struct page *page;

	if (!rpcrdma_replaced_count(rqstp))
		return NULL;
	page = rpcrdma_replaced_last(rqstp);
	if (!svc_rdma_page_unused(page))
		return NULL;
	rpcrdma_replaced_pop(rqstp);
	return page;
}

/*
 * Put replaced pages back into empty entries, from the last entry backwards.
 * Lent pages come first: after this, pages in the batch have one reference.
 * Return how many of the first entries may still be empty.
 */
static u32 svc_rdma_reply_put_back(struct svc_rqst *rqstp,
				   struct svc_rdma_recv_ctx *recv,
				   struct page **pages, u32 npages)
{
	struct page *page;
	u32 n = 0;

	for (; npages; npages--) {
		if (pages[npages - 1])
			continue;
		page = recv->lent ? svc_rdma_lent_next(recv->lent) : NULL;
		if (!page)
			page = svc_rdma_reply_next_replaced(rqstp);
		if (!page)
			break;
		pages[npages - 1] = page;
		n++;
	}
	svc_rdma_add(reply_pages_kept, n);
	return npages;
}

/*
 * Refill the entries whose pages the Send now holds, with pages from the stash.
 * Return how many of the first entries are still empty.
 */
static noinline u32 svc_rdma_reply_restock(struct svc_rdma_send_ctx *send,
					   struct page **pages, u32 npages)
{
	u32 n = svc_rdma_stash_take(send->conn, pages, npages);

	send->own_pages = true;
	svc_rdma_add(reply_pages_kept, n);
	npages -= n;
	memmove(pages + npages, pages, n * sizeof(*pages));
	memset(pages, 0, npages * sizeof(*pages));
	return npages;
}

/*
 * May the nfsd thread keep the page of the head for the next reply? This is the
 * thread's own page, never a page cache page. Its contents have been copied,
 * unless a Work Request or the requester still reads them.
 */
static bool svc_rdma_reply_keeps_head(const struct svc_rdma_send_ctx *send,
				      const struct svc_rqst *rqstp)
{
	return !send->head_read && !svc_rdma_send_advert(send) &&
	       rqstp->rq_next_page != rqstp->rq_respages &&
	       page_address(rqstp->rq_respages[0]) ==
	       rqstp->rq_res.head[0].iov_base;
}

/* Free all pages except reusable ones in the first @room entries. */
static void svc_rdma_reply_free_pages(struct page **pages, u32 npages, u32 room)
{
	u32 i;

	for (i = 0; i < npages; i++) {
		if (i < room && svc_rdma_page_unused(pages[i]))
			continue;
		put_page(pages[i]);
		pages[i] = NULL;
	}
}

/**
 * svc_rdma_reply_take_pages - take a reply's pages from the nfsd thread
 * @send: Send context of the reply, ready to be posted
 * @recv: Receive context of the call
 * @rqstp: call, with the reply
 *
 * After this, sunrpc has no page of the reply to free. The empty entries come
 * first, where sunrpc looks for them.
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int svc_rdma_reply_take_pages(struct svc_rdma_send_ctx *send,
			      struct svc_rdma_recv_ctx *recv,
			      struct svc_rqst *rqstp)
{
	struct page **pages;
	u32 npages, room, n;
	bool head, held;
	int ret;

	head = svc_rdma_reply_keeps_head(send, rqstp);
	pages = rqstp->rq_respages + head;
	npages = rqstp->rq_next_page - pages;
	if (!npages) {
		rqstp->rq_next_page = rqstp->rq_respages;
		return 0;
	}
	/* nfsd may have used the entry at rq_page_end; it must stay empty. */
	room = rqstp->rq_page_end - pages;
	held = send->wr.num_sge > 1 || !list_empty(&send->rws);
	if (held) {
		ret = svc_rdma_send_hold_pages(send, pages, npages);
		if (ret)
			return ret;
	} else {
		svc_rdma_reply_free_pages(pages, npages, room);
	}
	n = svc_rdma_reply_put_back(rqstp, recv, pages, min(npages, room));
	if (unlikely(held && n))
		n = svc_rdma_reply_restock(send, pages, n);
	if (unlikely(head && n))
		swap(rqstp->rq_respages[0], pages[n - 1]);
	rqstp->rq_next_page = rqstp->rq_respages + rpcrdma_rqst_empty(n);
	return 0;
}
