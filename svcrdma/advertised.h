/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of ours that the requester may access: Read chunks in replies. */
#ifndef _SVC_RDMA_ADVERTISED_H
#define _SVC_RDMA_ADVERTISED_H

#include <linux/llist.h>
#include <linux/scatterlist.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#include "sq_wait.h"

struct rpc_xprt;
struct svc_rdma_conn;

/**
 * struct svc_rdma_mr - a memory region that can be made accessible
 * @list: entry of the list of who uses it, or of those that are idle
 * @ibmr: the region; its rkey changes with each use
 * @reg: Work Request that makes it accessible
 * @inv: Work Request that ends that
 * @access: what the requester may do with it
 * @dir: of the DMA mapping
 * @invalidated: the requester has invalidated it
 * @mapped: entries of @sg that are mapped; 0 if none is
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
 * enum svc_rdma_advert_state - who may release what is advertised
 * @SVC_RDMA_ADVERT_BUILDING: who sends it; it was not posted yet
 * @SVC_RDMA_ADVERT_POSTED: whoever takes it first
 * @SVC_RDMA_ADVERT_RELEASING: who has taken it, and nobody else
 */
enum svc_rdma_advert_state {
	SVC_RDMA_ADVERT_BUILDING,
	SVC_RDMA_ADVERT_POSTED,
	SVC_RDMA_ADVERT_RELEASING,
};

/**
 * enum svc_rdma_advert_end - why it is released
 * @SVC_RDMA_END_DONE: the requester says that it has read it
 * @SVC_RDMA_END_INVALIDATED: so it does, and has invalidated a handle
 * @SVC_RDMA_END_EXPIRED: it has not said so in time
 * @SVC_RDMA_END_UNSENT: the reply could not be sent
 * @SVC_RDMA_END_CLOSED: the connection has ended
 * @SVC_RDMA_END_ANSWERED: a callback has got its reply, or an error
 * @SVC_RDMA_END_GIVEN_UP: nobody waits for that reply any more
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
 * struct svc_rdma_advert - a reply that the requester may read, or the chunks of
 *	a callback
 * @list: entry of the connection's @all
 * @node: entry of the connection's @reap
 * @conn: connection
 * @state: an enum svc_rdma_advert_state
 * @xid: as a number
 * @callback: it is that of a callback, and not in the table
 * @ended: called when the requester cannot access it any more, before it is
 *	freed, unless it is NULL; @again is false if the connection has ended
 * @reply_len: bytes of the callback's reply that are in its Reply chunk
 * @bc_xprt: the transport whose callback waits for them, pinned
 * @deadline: jiffies; a reply is released then at the latest
 * @bytes: of the pages that it holds
 * @nmrs: entries of @mrs
 * @mrs: struct svc_rdma_mr, in the order of the stream; those that the
 *	requester may read before those that it may write to
 * @wait: for Send Queue entries, for the invalidation
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
 * struct svc_rdma_adverts - what is advertised to one requester
 * @table: struct svc_rdma_advert by XID, of which an RDMA_DONE is awaited; its
 *	lock, which softirqs take as well, protects all that follows, up to
 *	@nidle
 * @all: struct svc_rdma_advert, those that are being released included
 * @count: entries of @all
 * @awaiting_done: entries of @table
 * @bytes: of the pages that all of them hold
 * @releasing: entries of @all that somebody has taken
 * @releasing_bytes: of the pages that these hold
 * @idle: struct svc_rdma_mr not in use
 * @nidle: entries of @idle
 * @cqe: completion of Work Requests of which only the failure is reported
 * @tick: releases what is awaited for too long
 * @reap: struct svc_rdma_advert that the requester cannot access any more
 * @reap_work: frees them
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
