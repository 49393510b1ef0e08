/* SPDX-License-Identifier: GPL-2.0-only */
/* Advertised memory: regions and pages that the requester may access. */
#ifndef _SVC_RDMA_ADVERTISED_H
#define _SVC_RDMA_ADVERTISED_H

#include <linux/dma-direction.h>
#include <linux/list.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "sq.h"

struct rpc_xprt;
struct svc_rdma_conn;

/**
 * struct svc_rdma_mr - a memory region
 * @list: entry of @mrs of an advert, or of the connection's @idle
 * @ibmr: verbs object; its rkey changes with each use
 * @reg: Work Request that registers the region
 * @inv: Work Request that invalidates it
 * @dir: DMA_TO_DEVICE if the requester may read it, DMA_FROM_DEVICE if it may
 *	write to it
 * @invalidated: the requester has invalidated the region
 * @mapped: number of entries of @sg after DMA mapping; 0 if not mapped
 * @nents: entries of @sg, each of which holds a reference to its page
 * @depth: entries that @sg has room for
 * @sg: pages
 */
struct svc_rdma_mr {
	struct list_head list;
	struct ib_mr *ibmr;
	struct ib_reg_wr reg;
	struct ib_send_wr inv;
	enum dma_data_direction dir;
	bool invalidated;
	int mapped;
	u32 nents;
	u32 depth;
	struct scatterlist sg[] __counted_by(depth);
};

/**
 * enum svc_rdma_advert_state - which context may release an advert
 * @SVC_RDMA_ADVERT_BUILDING: its sender; it has not been posted yet
 * @SVC_RDMA_ADVERT_POSTED: the context that changes the state to
 *	SVC_RDMA_ADVERT_RELEASING
 * @SVC_RDMA_ADVERT_RELEASING: the context that has done so
 * @SVC_RDMA_ADVERT_ENDED: the work item of the connection; the requester has
 *	no access any more
 *
 * The lock of the connection's adverts protects the state.
 */
enum svc_rdma_advert_state {
	SVC_RDMA_ADVERT_BUILDING,
	SVC_RDMA_ADVERT_POSTED,
	SVC_RDMA_ADVERT_RELEASING,
	SVC_RDMA_ADVERT_ENDED,
};

/**
 * struct svc_rdma_advert - a reply that the requester reads, or the chunks of a
 *	callback
 * @list: entry of @all of struct svc_rdma_adverts
 * @conn: connection
 * @state: enum svc_rdma_advert_state
 * @xid: XID in host byte order
 * @callback: this is the advert of a callback, which awaits an answer instead of
 *	RDMA_DONE
 * @reply: one of @mrs, the last: the Reply chunk of the callback, or NULL
 * @reply_len: bytes of the callback's reply that are in its Reply chunk
 * @bc_xprt: callback transport whose task waits for that reply, referenced; or
 *	NULL
 * @deadline: jiffies; it is released after this in any case
 * @bytes: size of the pages held, in bytes
 * @nmrs: entries of @mrs
 * @mrs: struct svc_rdma_mr, in the order of the message
 * @inv: Work Requests that invalidate @mrs, once it is being released
 * @wait: waits for Send Queue entries for @inv
 * @cqe: completion of the last invalidation
 */
struct svc_rdma_advert {
	struct list_head list;
	struct svc_rdma_conn *conn;
	enum svc_rdma_advert_state state;
	u32 xid;
	bool callback;
	struct svc_rdma_mr *reply;
	u32 reply_len;
	struct rpc_xprt *bc_xprt;
	unsigned long deadline;
	u64 bytes;
	u32 nmrs;
	struct list_head mrs;
	struct ib_send_wr *inv;
	struct svc_rdma_sq_wait wait;
	struct ib_cqe cqe;
};

/**
 * struct svc_rdma_adverts - adverts of one connection
 * @lock: protects the members up to @nidle; also taken in softirq
 * @all: struct svc_rdma_advert, the oldest first, including those that are
 *	being released
 * @awaiting_done: replies among them until svc_rdma_advert_release()
 * @bytes: size of the pages held by all until svc_rdma_advert_release()
 * @idle: struct svc_rdma_mr not in use
 * @nidle: entries of @idle
 * @work: frees adverts that the requester can no longer access, and releases
 *	those whose RDMA_DONE is overdue
 */
struct svc_rdma_adverts {
	spinlock_t lock;
	struct list_head all;
	u32 awaiting_done;
	u64 bytes;
	struct list_head idle;
	u32 nidle;
	struct delayed_work work;
};

#endif /* _SVC_RDMA_ADVERTISED_H */
