/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs of a service, its callback queue, and the pages of its threads. */
#ifndef RPCRDMA_COMPAT_SVC_H
#define RPCRDMA_COMPAT_SVC_H

#include_next <linux/sunrpc/svc.h>
#include <rpcrdma_probes.h>

/*
 * rpcrdma_for_each_program(): iterate over the programs of a service
 * rpcrdma_queue_callback(): queue @_rqst for the callback service and wake one of its threads
 * rpcrdma_replaced_*(): number of pages that nfsd has replaced, its limit, the last of these pages,
 *	and removal of the last one
 */
#if RPCRDMA_HAVE_SV_PROGRAMS
#define rpcrdma_for_each_program(_program, _serv)				\
	for ((_program) = (_serv)->sv_programs;					\
	     (_program) < (_serv)->sv_programs + (_serv)->sv_nprogs; (_program)++)
#define rpcrdma_queue_callback(_serv, _rqst)					\
	do {									\
		lwq_enqueue(&(_rqst)->rq_bc_list, &(_serv)->sv_cb_list);	\
		svc_pool_wake_idle_thread(&(_serv)->sv_pools[0]);		\
	} while (0)
#define rpcrdma_replaced_count(_rqstp)	folio_batch_count(&(_rqstp)->rq_fbatch)
#define rpcrdma_replaced_max(_rqstp)	ARRAY_SIZE((_rqstp)->rq_fbatch.folios)
#define rpcrdma_replaced_last(_rqstp)						\
	folio_page((_rqstp)->rq_fbatch.folios[(_rqstp)->rq_fbatch.nr - 1], 0)
#define rpcrdma_replaced_pop(_rqstp)	((_rqstp)->rq_fbatch.nr--)
#else
#define rpcrdma_for_each_program(_program, _serv)				\
	for ((_program) = (_serv)->sv_program; (_program); (_program) = (_program)->pg_next)
#define rpcrdma_queue_callback(_serv, _rqst)					\
	do {									\
		spin_lock_bh(&(_serv)->sv_cb_lock);				\
		list_add_tail(&(_rqst)->rq_bc_list, &(_serv)->sv_cb_list);	\
		spin_unlock_bh(&(_serv)->sv_cb_lock);				\
		wake_up(&(_serv)->sv_cb_waitq);					\
	} while (0)
#define rpcrdma_replaced_count(_rqstp)	pagevec_count(&(_rqstp)->rq_pvec)
#define rpcrdma_replaced_max(_rqstp)	ARRAY_SIZE((_rqstp)->rq_pvec.pages)
#define rpcrdma_replaced_last(_rqstp)						\
	((_rqstp)->rq_pvec.pages[(_rqstp)->rq_pvec.nr - 1])
#define rpcrdma_replaced_pop(_rqstp)	((_rqstp)->rq_pvec.nr--)
#endif

/*
 * True if the data of a WRITE must start in the head of the call, or at the start of a page. Since
 * 6.16, nfsd builds bio_vecs from the data, which may then start anywhere in a page, but must not
 * be in vmalloc memory.
 */
#define rpcrdma_writes_need_head()	RPCRDMA_HAVE_SVC_FILL_WRITE_VECTOR

/*
 * Pages of a call and its reply. Since 7.1, rq_respages is an array with the pages of the reply,
 * and rq_pages_nfree is the number of entries at the start of rq_pages that may be empty. Before
 * 7.1, rq_pages holds the pages of the call, followed by the pages of the reply.
 */

/* Returns where the pages of the reply begin if the call has @npages. */
static inline struct page **rpcrdma_rqst_reply_pages(struct svc_rqst *rqstp, u32 npages)
{
	return RPCRDMA_HAVE_RQ_PAGES_NFREE ? rqstp->rq_respages : rqstp->rq_pages + npages;
}

/* Let the first @npages pages of the thread belong to the call. */
static inline void rpcrdma_rqst_call_pages(struct svc_rqst *rqstp, u32 npages)
{
	rqstp->rq_respages = rpcrdma_rqst_reply_pages(rqstp, npages);
	rqstp->rq_next_page = rqstp->rq_respages;
}

/* Tell sunrpc that some of the first @npages entries of rq_pages are empty. */
static inline void rpcrdma_rqst_took_pages(struct svc_rqst *rqstp, u32 npages)
{
#if RPCRDMA_HAVE_RQ_PAGES_NFREE
	rqstp->rq_pages_nfree = npages;
#endif
}

/*
 * Number of reply entries below rq_next_page with which sunrpc refills the first @npages, which are
 * empty. Before 7.1, sunrpc refills all empty entries, and would try to free an empty one below
 * rq_next_page.
 */
static inline u32 rpcrdma_rqst_empty(u32 npages)
{
	return RPCRDMA_HAVE_RQ_PAGES_NFREE ? npages : 0;
}

/* Set both page arrays of a thread that sunrpc has not created. */
static inline void rpcrdma_rqst_set_pages(struct svc_rqst *rqstp, struct page **pages,
					  struct page **respages)
{
#if RPCRDMA_HAVE_RQ_PAGES_NFREE
	rqstp->rq_pages = pages;
#endif
	rqstp->rq_respages = RPCRDMA_HAVE_RQ_PAGES_NFREE ? respages : rqstp->rq_pages;
}

#endif /* RPCRDMA_COMPAT_SVC_H */
