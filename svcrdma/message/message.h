/* SPDX-License-Identifier: GPL-2.0-only */
/* The message layer: functions that receive calls and send replies. */
#ifndef _SVC_RDMA_MESSAGE_H
#define _SVC_RDMA_MESSAGE_H

#include <linux/mm.h>
#include <linux/sunrpc/svc.h>
#include <linux/unaligned.h>

#include <rpcrdma/rw.h>

#include "../conn.h"
#include "../ext/ext.h"
#include "../reads.h"
#include "../recv_ctx.h"
#include "../send_ctx.h"

/* recv_ctx.c */
void svc_rdma_recvs_init(struct svc_rdma_conn *conn);
void svc_rdma_recvs_set_size(struct svc_rdma_conn *conn, u32 size);
int svc_rdma_recvs_add(struct svc_rdma_conn *conn, u32 total);
void svc_rdma_recv_put(struct svc_rdma_conn *conn,
		       struct svc_rdma_recv_ctx *recv);
void svc_rdma_recvs_resize(struct svc_rdma_conn *conn, u32 size);
int svc_rdma_recvs_resized(struct svc_rdma_conn *conn, u32 size);
void svc_rdma_recvs_set_floor(struct svc_rdma_conn *conn, u32 size);
void svc_rdma_recv_release(struct svc_xprt *xprt, void *ctxt);
void svc_rdma_recvs_destroy(struct svc_rdma_conn *conn);

/* Is there a message that no thread has taken? The caller holds XPT_BUSY. */
static inline bool svc_rdma_recvs_arrived(const struct svc_rdma_conn *conn)
{
	return !list_empty(&conn->recvs.done);
}

/* Take the oldest message, or NULL. The caller holds XPT_BUSY. */
static inline struct svc_rdma_recv_ctx *
svc_rdma_recvs_next(struct svc_rdma_conn *conn)
{
	struct svc_rdma_recv_ctx *recv;

	recv = list_first_entry_or_null(&conn->recvs.done,
					struct svc_rdma_recv_ctx, list);
	if (recv) {
		list_del(&recv->list);
		svc_rdma_traffic_add(&conn->traffic.messages, 1);
	}
	return recv;
}

/* credit.c */
u32 svc_rdma_recvs_for(u32 grant);
void svc_rdma_credits_init(struct svc_rdma_conn *conn, u32 max);
void svc_rdma_recvs_adapt(struct svc_rdma_conn *conn);

/*
 * Number of credits to announce: the grant minus the number of RDMA_DONEs that
 * are due, which will use Receives of the grant. Never 0: a requester without
 * credits could not send the call that raises the grant
 * (svc_rdma_recvs_adapt(), RFC 5666 section 11).
 */
static inline u32 svc_rdma_credits(const struct svc_rdma_conn *conn)
{
	u32 due = READ_ONCE(conn->adverts.awaiting_done) +
		  READ_ONCE(conn->adverts.late);
	u32 grant = READ_ONCE(conn->credits.grant);

	return due < grant ? grant - due : 1;
}

/* call.c */
int svc_rdma_call_receive(struct svc_rqst *rqstp);

/*
 * Describe a call in rq_arg. @page_len bytes are in the first pages of the
 * thread. The rest is contiguous in memory: @head_len bytes belong in front of
 * the pages, and the next @tail_len bytes behind them.
 */
static inline void svc_rdma_call_build(struct svc_rqst *rqstp, void *head,
				       u32 head_len, u32 page_len,
				       u32 tail_len)
{
	struct xdr_buf *arg = &rqstp->rq_arg;

	arg->head[0].iov_base = head;
	arg->head[0].iov_len = head_len;
	arg->pages = rqstp->rq_pages;
	arg->page_base = 0;
	arg->page_len = page_len;
	arg->tail[0].iov_base = head + head_len;
	arg->tail[0].iov_len = tail_len;
	arg->len = head_len + page_len + tail_len;
	arg->buflen = arg->len;
}

/*
 * RFC 8167 section 3: both directions share the connection, and only the
 * direction field of the RPC message tells calls from replies. RPCRDMA_MSG has
 * the same number in both versions.
 */
static inline bool
svc_rdma_message_is_reply(const struct svc_rdma_recv_ctx *recv)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;

	if (hdr->type != RPCRDMA_MSG || hdr->len - hdr->payload < 8)
		return false;
	return get_unaligned_be32(hdr->base + hdr->payload + 4) == RPC_REPLY;
}

/* read_chunks.c */
int svc_rdma_read_start(struct svc_rqst *rqstp, struct svc_rdma_conn *conn,
			struct svc_rdma_recv_ctx *recv);
int svc_rdma_read_resume(struct svc_rqst *rqstp,
			 struct svc_rdma_read_ctx *read);
int svc_rdma_read_finish(struct svc_rqst *rqstp,
			 struct svc_rdma_read_ctx *read);
void svc_rdma_read_free(struct svc_rdma_read_ctx *read);

/* read_memory.c */
bool svc_rdma_read_charge(struct svc_rdma_read_ctx *read);
bool svc_rdma_read_wait(struct svc_rdma_read_ctx *read);
struct svc_rdma_read_ctx *svc_rdma_read_next_locked(struct svc_rdma_conn *conn);
void svc_rdma_read_completed(struct svc_rdma_reads *reads);
void svc_rdma_read_uncharge(struct svc_rdma_read_ctx *read);
void svc_rdma_calls_init(struct svc_rdma_conn *conn);

/*
 * Can a page to which the caller has a reference be reused? Not if there are
 * other references: a socket, disk or adapter may still read the page. Nor if
 * the page belongs to a file, is part of a larger page, or comes from a
 * reserve.
 */
static inline bool svc_rdma_page_unused(struct page *page)
{
	return page_ref_count(page) == 1 && !page->mapping &&
	       !PageCompound(page) && !PageLRU(page) && !PageReserved(page) &&
	       !PageHWPoison(page) && !page_is_pfmemalloc(page);
}

/* stash.c */
u32 svc_rdma_stash_take(struct svc_rdma_conn *conn, struct page **pages,
			u32 npages);
void svc_rdma_stash_put(struct svc_rdma_conn *conn, struct page **pages,
			u32 npages);
void svc_rdma_stash_trim(struct svc_rdma_conn *conn);
void svc_rdma_stash_begin(struct svc_rdma_conn *conn);
void svc_rdma_stash_destroy(struct svc_rdma_conn *conn);
int svc_rdma_stashes_init(void);
void svc_rdma_stashes_exit(void);

/* payloads.c */

/**
 * struct svc_rdma_reply_iter - iterator over the ranges of a reduced reply
 * @recv: call, with its payloads checked
 * @xdr: reply
 * @number: index of the payload at which the next range ends
 * @next: start of the next range, in bytes from the start of the reply
 * @offset: start of the remaining part of the current range
 * @length: bytes in the remaining part of the current range
 * @base: address of the part that svc_rdma_reply_next_page() has returned, if
 *	this part is in the head or the tail; otherwise NULL
 */
struct svc_rdma_reply_iter {
	const struct svc_rdma_recv_ctx *recv;
	const struct xdr_buf *xdr;
	u32 number;
	u32 next;
	u32 offset;
	u32 length;
	const void *base;
};

int svc_rdma_payload_add(struct svc_rqst *rqstp, unsigned int offset,
			 unsigned int length);
u32 svc_rdma_payloads_check(struct svc_rdma_recv_ctx *recv,
			    struct svc_rqst *rqstp);
bool svc_rdma_reply_next_range(struct svc_rdma_reply_iter *it);
u32 svc_rdma_reply_next_page(struct svc_rdma_reply_iter *it,
			     struct page **page, u32 *at);

/* write_chunks.c */
int svc_rdma_write_chunks(struct svc_rdma_send_ctx *send,
			  struct svc_rdma_recv_ctx *recv,
			  const struct xdr_buf *xdr);
int svc_rdma_write_reply(struct svc_rdma_send_ctx *send,
			 const struct svc_rdma_recv_ctx *recv,
			 const struct xdr_buf *xdr);

/* send_ctx.c */
struct svc_rdma_send_ctx *svc_rdma_send_get(struct svc_rdma_conn *conn);
void svc_rdma_send_put(struct svc_rdma_send_ctx *send);
void svc_rdma_send_reset(struct svc_rdma_send_ctx *send);
int svc_rdma_send_grow(struct svc_rdma_send_ctx *send, u32 used, u32 size);
void svc_rdma_send_unmap_pages(struct svc_rdma_send_ctx *send);
int svc_rdma_send_hold_pages(struct svc_rdma_send_ctx *send,
			     struct page **pages, u32 npages);
void svc_rdma_sends_init(struct svc_rdma_conn *conn);
void svc_rdma_sends_trim(struct svc_rdma_conn *conn);
void svc_rdma_sends_destroy(struct svc_rdma_conn *conn);

/* send_post.c */
int svc_rdma_send_post(struct svc_rdma_send_ctx *send, u32 len);
int svc_rdma_send_answer(struct svc_rdma_send_ctx *send, u32 len);
void svc_rdma_unsignaled_take(struct svc_rdma_conn *conn,
			      struct svc_rdma_unsignaled *list);
void svc_rdma_unsignaled_covered(struct svc_rdma_conn *conn,
				 const struct svc_rdma_unsignaled *list);
void svc_rdma_unsignaled_done(struct svc_rdma_unsignaled *list);

/* reply_pages.c */
void svc_rdma_reply_lend_pages(struct svc_rqst *rqstp,
			       struct svc_rdma_recv_ctx *recv);
void svc_rdma_reply_end_lending(struct svc_rdma_recv_ctx *recv);
int svc_rdma_reply_take_pages(struct svc_rdma_send_ctx *send,
			      struct svc_rdma_recv_ctx *recv,
			      struct svc_rqst *rqstp);

/* reply.c */
int svc_rdma_reply_send(struct svc_rqst *rqstp);

/* error.c */
int svc_rdma_error_send(struct svc_rdma_send_ctx *send,
			struct svc_rdma_recv_ctx *recv);

#endif /* _SVC_RDMA_MESSAGE_H */
