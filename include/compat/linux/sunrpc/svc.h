/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs of a service, its queue of callbacks, and the pages that nfsd has replaced. */
#ifndef RPCRDMA_COMPAT_SVC_H
#define RPCRDMA_COMPAT_SVC_H

#include_next <linux/sunrpc/svc.h>
#include <rpcrdma_probes.h>

#if RPCRDMA_HAVE_SV_PROGRAMS
#define rpcrdma_for_each_program(_program, _serv)				\
	for ((_program) = (_serv)->sv_programs;					\
	     (_program) < (_serv)->sv_programs + (_serv)->sv_nprogs; (_program)++)
#else
#define rpcrdma_for_each_program(_program, _serv)				\
	for ((_program) = (_serv)->sv_program; (_program); (_program) = (_program)->pg_next)
#endif

/* Queue @_rqst for the callback service and wake one of its threads. */
#if RPCRDMA_HAVE_SV_CB_LIST_LWQ
#define rpcrdma_queue_callback(_serv, _rqst)					\
	do {									\
		lwq_enqueue(&(_rqst)->rq_bc_list, &(_serv)->sv_cb_list);	\
		svc_pool_wake_idle_thread(&(_serv)->sv_pools[0]);		\
	} while (0)
#else
#define rpcrdma_queue_callback(_serv, _rqst)					\
	do {									\
		spin_lock_bh(&(_serv)->sv_cb_lock);				\
		list_add_tail(&(_rqst)->rq_bc_list, &(_serv)->sv_cb_list);	\
		spin_unlock_bh(&(_serv)->sv_cb_lock);				\
		wake_up(&(_serv)->sv_cb_waitq);					\
	} while (0)
#endif

/* How many replaced pages there are; the last of them; forget the last. */
#if RPCRDMA_HAVE_RQ_FBATCH
#define rpcrdma_replaced_count(_rqstp)	folio_batch_count(&(_rqstp)->rq_fbatch)
#define rpcrdma_replaced_last(_rqstp)						\
	folio_page((_rqstp)->rq_fbatch.folios[(_rqstp)->rq_fbatch.nr - 1], 0)
#define rpcrdma_replaced_pop(_rqstp)	((_rqstp)->rq_fbatch.nr--)
#else
#define rpcrdma_replaced_count(_rqstp)	pagevec_count(&(_rqstp)->rq_pvec)
#define rpcrdma_replaced_last(_rqstp)						\
	((_rqstp)->rq_pvec.pages[(_rqstp)->rq_pvec.nr - 1])
#define rpcrdma_replaced_pop(_rqstp)	((_rqstp)->rq_pvec.nr--)
#endif

#endif /* RPCRDMA_COMPAT_SVC_H */
