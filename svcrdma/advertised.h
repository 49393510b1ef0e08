/* SPDX-License-Identifier: GPL-2.0-only */
/* Advertised memory: regions and pages that the requester can access. */
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
 * @list: entry of @mrs of an advert, or of @adverts.idle of the connection
 * @ibmr: verbs object; its rkey changes with each use
 * @reg: Work Request that registers the region
 * @inv: Work Request that invalidates the region
 * @dir: DMA_TO_DEVICE if the requester may read the region, DMA_FROM_DEVICE if
 *	it may write to the region
 * @invalidated: the requester has invalidated the region
 * @mapped: number of DMA-mapped ranges; 0 if @sg is not mapped
 * @nents: used entries of @sg, each of which holds a reference to its page
 * @depth: allocated entries of @sg
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
 * enum svc_rdma_advert_state - states of an advert: who may release the advert
 * @SVC_RDMA_ADVERT_BUILDING: the sender; the advert has not been posted
 * @SVC_RDMA_ADVERT_POSTED: the context that changes the state to
 *	SVC_RDMA_ADVERT_RELEASING
 * @SVC_RDMA_ADVERT_RELEASING: the context that set this state
 * @SVC_RDMA_ADVERT_ENDED: the connection's work item; the requester no longer
 *	has access
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
 * @callback: the advert belongs to a callback, and is released by the answer to
 *	the callback rather than by RDMA_DONE
 * @reply: region of the callback's Reply chunk, the last one of @mrs; or NULL
 * @reply_len: bytes of the callback's reply that are in its Reply chunk
 * @bc_xprt: callback transport whose task waits for that reply, referenced; or
 *	NULL
 * @deadline: jiffies after which the advert is released even without an answer
 * @bytes: size of the pages held, in bytes
 * @nmrs: entries of @mrs
 * @mrs: struct svc_rdma_mr, in the order of the message
 * @inv: first Work Request of the chain that invalidates @mrs, set at release
 * @wait: waits for the Send Queue entries of @inv
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
 * @all: struct svc_rdma_advert, oldest first, including those being released
 * @awaiting_done: number of replies in @all; svc_rdma_advert_release() stops
 *	counting a reply
 * @late: number of RDMA_DONEs that have not arrived, and whose replies have
 *	expired
 * @bytes: bytes of pages held by adverts in @all; svc_rdma_advert_release()
 *	stops counting an advert
 * @idle: struct svc_rdma_mr not in use
 * @nidle: entries of @idle
 * @work: frees adverts that the requester can no longer access, and releases
 *	adverts that have expired
 */
struct svc_rdma_adverts {
	spinlock_t lock;
	struct list_head all;
	u32 awaiting_done;
	u32 late;
	u64 bytes;
	struct list_head idle;
	u32 nidle;
	struct delayed_work work;
};

#endif /* _SVC_RDMA_ADVERTISED_H */
