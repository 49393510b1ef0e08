/* SPDX-License-Identifier: GPL-2.0-only */
/* The fetch layer: messages of which a part is in Read chunks of the peer. */
#ifndef _XPRTRDMA_FETCH_H
#define _XPRTRDMA_FETCH_H

#include "../conn.h"
#include "../req.h"

/**
 * struct xprt_rdma_gap - bytes of a message that are not in its base
 * @at: from the start of the message
 * @length: without XDR roundup
 */
struct xprt_rdma_gap {
	u32	at;
	u32	length;
};

/**
 * struct xprt_rdma_layout - where the parts of a message belong
 * @room: bytes of the message that its buffer takes, a multiple of four; the
 *	rest of it is left out
 * @base_len: bytes of what is inline, or in the chunk at position zero
 * @base_pad: of these, XDR roundup that the chunk does not have
 * @ngaps: entries of @gaps
 * @gaps: what is elsewhere, in ascending order
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
 * @wr: the Send
 * @sge: its one gather entry
 * @buf: the message
 * @posted: it counts as a call in flight
 */
struct xprt_rdma_done {
	struct ib_cqe		cqe;
	struct ib_send_wr	wr;
	struct ib_sge		sge;
	struct xprt_rdma_regbuf	buf;
	bool			posted;
};

/**
 * struct xprt_rdma_read_ctx - Read chunks that are being fetched
 * @list: place among those that wait
 * @all: place in the connection's list of all pulls
 * @conn: connection
 * @recv: the message that has the chunks; NULL if only a DONE is (still) sent
 * @xid: of that message
 * @req: for the owner; NULL if only a DONE is sent
 * @xdr: where the message goes
 * @layout: where its parts go
 * @cur: Read list, behind @rseg
 * @rseg: current entry; its segment is what was not posted yet
 * @progress: bytes of the current chunk that were posted
 * @rws: Reads in flight
 * @ops: entries of the connection's @read_ops that the Reads have
 * @cqe: completion of the last Read of a round
 * @over: nothing is left of it but itself, until no completion can be reported
 * @notify: an RDMA_DONE follows
 * @done: that message
 * @complete: called at the end with 0; -EIO if the message cannot be had; or
 *	another negative errno if the connection is lost
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
	bool				over;
	bool				notify;
	struct xprt_rdma_done		done;
	void (*complete)(struct xprt_rdma_read_ctx *read, int status);
};

/**
 * struct xprt_rdma_read_args - what to pull
 * @req: for @complete
 * @xdr: where the message goes
 * @layout: where its parts go
 * @notify: send an RDMA_DONE
 * @complete: see struct xprt_rdma_read_ctx
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
void xprt_rdma_done_posted(struct xprt_rdma_conn *conn,
			   struct xprt_rdma_done *done);
void xprt_rdma_done_release(struct xprt_rdma_conn *conn,
			    struct xprt_rdma_done *done);

/* read.c */
void xprt_rdma_reads_init(struct xprt_rdma_conn *conn);
int xprt_rdma_read_start(struct xprt_rdma_recv_ctx *recv,
			 const struct xprt_rdma_read_args *args);
void xprt_rdma_read_decline(struct xprt_rdma_recv_ctx *recv);
void xprt_rdma_reads_resume(struct xprt_rdma_conn *conn);
void xprt_rdma_reads_flush(struct xprt_rdma_conn *conn);

#endif /* _XPRTRDMA_FETCH_H */
