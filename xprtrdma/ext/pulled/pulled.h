/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages in the peer's Read chunks: declarations shared in this folder. */
#ifndef _XPRTRDMA_PULLED_H
#define _XPRTRDMA_PULLED_H

#include <rpcrdma/layout.h>
#include <rpcrdma/quirks.h>

#include "../../conn.h"
#include "../../req.h"
#include "../ext.h"

/**
 * enum xprt_rdma_read_replies - the replies that the peer may provide in Read
 * chunks
 * @XPRT_RDMA_READ_REPLIES_OFF: none; calls provide a Reply chunk
 * @XPRT_RDMA_READ_REPLIES_SHORT: replies that are probably short enough to be
 *	sent inline
 * @XPRT_RDMA_READ_REPLIES_ALL: all replies
 */
enum xprt_rdma_read_replies {
	XPRT_RDMA_READ_REPLIES_OFF,
	XPRT_RDMA_READ_REPLIES_SHORT,
	XPRT_RDMA_READ_REPLIES_ALL,
};

/**
 * struct xprt_rdma_fetch - a message that is fetched from its Read chunks, or
 * declined
 * @list: entry of the connection's list of waiting fetches
 * @all: entry of the connection's list of all fetches
 * @conn: connection
 * @xid: XID of the message
 * @req: request whose rq_rcv_buf receives the message; NULL if the message is
 *	declined
 * @recv: Receive of the message, until the Reads have ended
 * @complete: called when the Reads have ended, with 0, or a negative errno if
 *	the connection is lost
 * @layout: positions of the message's parts in the buffer
 * @rws: list of struct rpcrdma_rw: RDMA Reads of the current round
 * @confirm: ends a round on devices that need it (rpcrdma/quirks.h)
 * @over: the fetch has failed; only the struct is left, until no completion can
 *	be reported any more
 * @notify: an RDMA_DONE ends the fetch
 * @notified: the RDMA_DONE was sent, and counts as a call in flight
 * @handle: handle that the RDMA_DONE invalidates, or 0
 * @done: the RDMA_DONE; each round of Reads also uses its cqe
 */
struct xprt_rdma_fetch {
	struct list_head		list;
	struct list_head		all;
	struct xprt_rdma_conn		*conn;
	__be32				xid;
	struct xprt_rdma_req		*req;
	struct xprt_rdma_recv_ctx	*recv;
	void (*complete)(struct xprt_rdma_fetch *fetch, int status);
	struct rpcrdma_layout		layout;
	struct list_head		rws;
	struct rpcrdma_confirm		confirm;
	bool				over;
	bool				notify;
	bool				notified;
	u32				handle;
	struct xprt_rdma_control_msg	done;
};

/* limits.c */
extern unsigned int xprt_rdma_read_replies;

/* fetch.c */
struct xprt_rdma_fetch *xprt_rdma_fetch_create(struct xprt_rdma_recv_ctx *recv,
					       bool notify);
void xprt_rdma_fetch_free(struct xprt_rdma_fetch *fetch);
void xprt_rdma_fetch_start(struct xprt_rdma_fetch *fetch,
			   struct xprt_rdma_recv_ctx *recv);
void xprt_rdma_fetch_decline(struct xprt_rdma_fetch *fetch,
			     struct xprt_rdma_conn *conn);

#endif /* _XPRTRDMA_PULLED_H */
