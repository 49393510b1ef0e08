/* SPDX-License-Identifier: GPL-2.0-only */
/* The fetch layer: messages with Read chunks of the peer. */
#ifndef _XPRTRDMA_FETCH_H
#define _XPRTRDMA_FETCH_H

#include <rpcrdma/quirks.h>

#include "../conn.h"
#include "../req.h"

/**
 * struct xprt_rdma_gap - bytes of a message that are missing from its base
 * @at: bytes from the start of the message
 * @length: bytes, without XDR roundup
 */
struct xprt_rdma_gap {
	u32	at;
	u32	length;
};

/**
 * struct xprt_rdma_layout - where the parts of a message belong
 * @room: bytes of the message that its buffer can hold, a multiple of four; the
 *	rest of the message is dropped
 * @base_len: bytes of the base, which is inline or in the chunk at position
 *	zero; includes @base_pad
 * @base_pad: bytes of XDR roundup that the chunk at position zero lacks
 * @ngaps: number of @gaps
 * @gaps: gaps in the base, in ascending order
 */
struct xprt_rdma_layout {
	u32			room;
	u32			base_len;
	u32			base_pad;
	u32			ngaps;
	struct xprt_rdma_gap	gaps[XPRT_RDMA_GAPS];
};

/**
 * struct xprt_rdma_done - an RDMA_DONE
 * @cqe: completion of the Send
 * @wr: Send
 * @sge: the one gather entry of @wr
 * @buf: message
 * @posted: the Send is in flight, and counts as a call in flight
 */
struct xprt_rdma_done {
	struct ib_cqe		cqe;
	struct ib_send_wr	wr;
	struct ib_sge		sge;
	struct xprt_rdma_regbuf	buf;
	bool			posted;
};

/**
 * struct xprt_rdma_read_ctx - RDMA Reads that fetch one message's Read chunks
 * @list: entry of the connection's list of waiting read contexts
 * @all: entry of the connection's list of all read contexts
 * @conn: connection
 * @recv: Receive of the message; NULL once the Reads have ended, or if there
 *	are none and only an RDMA_DONE is sent
 * @xid: XID of the message
 * @req: the owner's request, for @complete; NULL if only an RDMA_DONE is sent
 * @xdr: buffer that the message is fetched into
 * @layout: where the parts of the message belong in @xdr
 * @cur: cursor in the Read list, behind @rseg
 * @rseg: current Read segment, less the bytes already posted
 * @progress: bytes of the current chunk already posted
 * @rws: list of struct rpcrdma_rw: RDMA Reads of the current round
 * @ops: how many of the connection's read_ops these Reads hold
 * @cqe: completion of a round
 * @confirm: ends a round, if the device needs it (rpcrdma/quirks.h)
 * @over: failed; only the struct is left, until no completion can be reported
 * @notify: an RDMA_DONE is sent at the end
 * @done: that RDMA_DONE
 * @complete: called once the Reads have ended: with 0; with -EIO if the message
 *	cannot be fetched; or with another negative errno if the connection is
 *	lost
 */
struct xprt_rdma_read_ctx {
	struct list_head		list;
	struct list_head		all;
	struct xprt_rdma_conn		*conn;
	struct xprt_rdma_recv_ctx	*recv;
	__be32				xid;
	struct xprt_rdma_req		*req;
	const struct xdr_buf		*xdr;
	struct xprt_rdma_layout		layout;
	struct rpcrdma_cursor		cur;
	struct rpcrdma_read_segment	rseg;
	u32				progress;
	struct list_head		rws;
	u32				ops;
	struct ib_cqe			cqe;
	struct rpcrdma_confirm		confirm;
	bool				over;
	bool				notify;
	struct xprt_rdma_done		done;
	void (*complete)(struct xprt_rdma_read_ctx *read, int status);
};

/**
 * struct xprt_rdma_read_args - arguments of fetching a message
 * @req: the owner's request, for @complete
 * @xdr: buffer that the message is fetched into
 * @layout: where the parts of the message belong in @xdr
 * @notify: send an RDMA_DONE at the end
 * @complete: as in struct xprt_rdma_read_ctx
 */
struct xprt_rdma_read_args {
	struct xprt_rdma_req	*req;
	const struct xdr_buf	*xdr;
	struct xprt_rdma_layout	layout;
	bool			notify;
	void (*complete)(struct xprt_rdma_read_ctx *read, int status);
};

/* layout.c */
int xprt_rdma_layout_reads(struct xprt_rdma_layout *layout,
			   const struct rpcrdma_hdr *hdr);
int xprt_rdma_layout_gap(struct xprt_rdma_layout *layout, u32 at, u32 length);
int xprt_rdma_layout_check(const struct xprt_rdma_layout *layout, u32 room);
int xprt_rdma_layout_cut(struct xprt_rdma_layout *layout, u32 room);
u32 xprt_rdma_layout_base(const struct xprt_rdma_layout *layout, u32 offset,
			  u32 *room);
int xprt_rdma_layout_place(const struct xprt_rdma_layout *layout,
			   const struct xdr_buf *xdr, const void *base);

/* done.c */
int xprt_rdma_done_prepare(struct xprt_rdma_conn *conn,
			   struct xprt_rdma_done *done,
			   const struct rpcrdma_hdr *hdr);
void xprt_rdma_done_begin(struct xprt_rdma_conn *conn,
			  struct xprt_rdma_done *done);
void xprt_rdma_done_release(struct xprt_rdma_conn *conn,
			    struct xprt_rdma_done *done);

/* read.c */
void xprt_rdma_reads_query(struct xprt_rdma_conn *conn);
int xprt_rdma_read_start(struct xprt_rdma_recv_ctx *recv,
			 const struct xprt_rdma_read_args *args);
void xprt_rdma_read_decline(struct xprt_rdma_recv_ctx *recv);
void xprt_rdma_reads_resume(struct xprt_rdma_conn *conn);
void xprt_rdma_reads_flush(struct xprt_rdma_conn *conn);

#endif /* _XPRTRDMA_FETCH_H */
