/* SPDX-License-Identifier: GPL-2.0-only */
/* Advertised memory: regions and pages that the requester may access. */
#ifndef _SVC_RDMA_ADVERTISED_H
#define _SVC_RDMA_ADVERTISED_H

#include <linux/llist.h>
#include <linux/scatterlist.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
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
 * @access: remote access rights (IB_ACCESS_*)
 * @dir: direction of the DMA mapping
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
	int access;
	enum dma_data_direction dir;
	bool invalidated;
	int mapped;
	u32 nents;
	u32 depth;
	struct scatterlist *sg;
};

/**
 * enum svc_rdma_advert_state - which context may release an advert
 * @SVC_RDMA_ADVERT_BUILDING: its sender; it has not been posted yet
 * @SVC_RDMA_ADVERT_POSTED: the context that changes the state to
 *	SVC_RDMA_ADVERT_RELEASING
 * @SVC_RDMA_ADVERT_RELEASING: the context that has done so; its sender if it
 *	was not posted at that time
 *
 * The lock of the connection's advert table protects the state.
 */
enum svc_rdma_advert_state {
	SVC_RDMA_ADVERT_BUILDING,
	SVC_RDMA_ADVERT_POSTED,
	SVC_RDMA_ADVERT_RELEASING,
};

/**
 * enum svc_rdma_advert_end - why an advert is released
 * @SVC_RDMA_END_DONE: RDMA_DONE has arrived
 * @SVC_RDMA_END_INVALIDATED: RDMA_DONE has arrived and invalidated a handle
 * @SVC_RDMA_END_EXPIRED: RDMA_DONE has not arrived in time
 * @SVC_RDMA_END_UNSENT: the reply or callback could not be sent
 * @SVC_RDMA_END_CLOSED: the connection has ended
 * @SVC_RDMA_END_ANSWERED: the reply to the callback, or an error, has arrived
 * @SVC_RDMA_END_GIVEN_UP: sunrpc has given up the callback or sends it again
 */
enum svc_rdma_advert_end {
	SVC_RDMA_END_DONE,
	SVC_RDMA_END_INVALIDATED,
	SVC_RDMA_END_EXPIRED,
	SVC_RDMA_END_UNSENT,
	SVC_RDMA_END_CLOSED,
	SVC_RDMA_END_ANSWERED,
	SVC_RDMA_END_GIVEN_UP,
};

/**
 * struct svc_rdma_advert - a reply that the requester reads, or the chunks of a
 *	callback
 * @list: entry of @all of struct svc_rdma_adverts
 * @node: entry of @reap of struct svc_rdma_adverts
 * @conn: connection
 * @state: enum svc_rdma_advert_state
 * @xid: XID in host byte order
 * @callback: this is the advert of a callback, which is not in the table
 * @ended: called before the advert is freed, when the requester can no longer
 *	access it; may be NULL. @again is false if the connection has ended.
 * @reply_len: bytes of the callback's reply that are in its Reply chunk
 * @bc_xprt: callback transport whose task waits for that reply, referenced; or
 *	NULL
 * @deadline: jiffies; a reply without RDMA_DONE is released after this
 * @bytes: size of the pages held, in bytes
 * @nmrs: entries of @mrs
 * @mrs: struct svc_rdma_mr, in the order of the message; regions that the
 *	requester may read precede those that it may write
 * @wait: waits for Send Queue entries for the invalidations
 * @cqe: completion of the last invalidation
 */
struct svc_rdma_advert {
	struct list_head list;
	struct llist_node node;
	struct svc_rdma_conn *conn;
	u32 state;
	u32 xid;
	bool callback;
	void (*ended)(struct svc_rdma_advert *advert, bool again);
	u32 reply_len;
	struct rpc_xprt *bc_xprt;
	unsigned long deadline;
	u64 bytes;
	u32 nmrs;
	struct list_head mrs;
	struct svc_rdma_sq_wait wait;
	struct ib_cqe cqe;
};

/**
 * struct svc_rdma_adverts - adverts of one connection
 * @table: struct svc_rdma_advert of replies that await RDMA_DONE, by XID. Its
 *	lock, which is also taken in softirq, protects the members up to @nidle.
 * @all: struct svc_rdma_advert, including those that are being released
 * @count: entries of @all
 * @awaiting_done: entries of @table
 * @bytes: size of the pages that @all hold, in bytes
 * @releasing: entries of @all in state SVC_RDMA_ADVERT_RELEASING
 * @releasing_bytes: size of the pages that these hold, in bytes
 * @idle: struct svc_rdma_mr not in use
 * @nidle: entries of @idle
 * @cqe: completion of unsignaled Work Requests, reported only on failure
 * @tick: releases adverts whose RDMA_DONE is overdue
 * @reap: struct svc_rdma_advert that the requester can no longer access
 * @reap_work: frees the entries of @reap
 */
struct svc_rdma_adverts {
	struct xarray table;
	struct list_head all;
	u32 count;
	u32 awaiting_done;
	u64 bytes;
	u32 releasing;
	u64 releasing_bytes;
	struct list_head idle;
	u32 nidle;
	struct ib_cqe cqe;
	struct delayed_work tick;
	struct llist_head reap;
	struct work_struct reap_work;
};

#endif /* _SVC_RDMA_ADVERTISED_H */
