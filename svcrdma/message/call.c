// SPDX-License-Identifier: GPL-2.0-only
/* Received messages: finding the calls, and passing them to nfsd. */

#include <linux/unaligned.h>

#include "../counters.h"
#include "../ext/ext.h"
#include "../verbs/verbs.h"
#include "../version_ops.h"
#include "message.h"
#include <trace/events/svcrdma.h>

/* Count calls with Write and Reply chunks. */
static void svc_rdma_call_count_chunks(struct svc_rdma_conn *conn,
				       const struct rpcrdma_hdr *hdr)
{
	struct svc_rdma_traffic *traffic = &conn->traffic;

	svc_rdma_traffic_add(&traffic->write_calls, !!hdr->writes.chunks);
	svc_rdma_traffic_add(&traffic->reply_calls, !!hdr->reply.chunks);
}

static int svc_rdma_call_deliver(struct svc_rqst *rqstp,
				 struct svc_rdma_recv_ctx *recv)
{
	if (recv->hdr.writes.bytes)
		svc_rdma_reply_lend_pages(rqstp, recv);
	rqstp->rq_xprt_ctxt = recv;
	rqstp->rq_prot = IPPROTO_MAX;
	svc_xprt_copy_addrs(rqstp, rqstp->rq_xprt);
	set_bit(RQ_SECURE, &rqstp->rq_flags);
	return rqstp->rq_arg.len;
}

/* Close the connection because of a message that cannot be answered. */
static int svc_rdma_message_drop(struct svc_rdma_conn *conn,
				 struct svc_rdma_recv_ctx *recv, u32 cause)
{
	svc_rdma_conn_close(conn, cause);
	svc_rdma_recv_put(conn, recv);
	return 0;
}

/* Send an RDMA_ERROR for a message, unless it is too short to have an XID. */
static int svc_rdma_message_refuse(struct svc_rdma_conn *conn,
				   struct svc_rdma_recv_ctx *recv)
{
	struct svc_rdma_send_ctx *send;

	if (recv->len < sizeof(__be32))
		return svc_rdma_message_drop(conn, recv,
					     RPCRDMA_CAUSE(PROTOCOL, SHORT));
	send = svc_rdma_send_get(conn);
	if (!send)
		return svc_rdma_message_drop(conn, recv,
					     RPCRDMA_CAUSE(MEMORY, SEND));
	svc_rdma_error_send(send, recv);
	return 0;
}

/* -E2BIG without a fault means a limit for which there is no error code. */
static int svc_rdma_call_refuse_reads(struct svc_rdma_conn *conn,
				      struct svc_rdma_recv_ctx *recv,
				      int status)
{
	if (status != -EBADMSG && status != -E2BIG)
		return svc_rdma_message_drop(conn, recv,
					     rpcrdma_cause_errno(RPCRDMA_NL_DETAIL_CALL,
								 status));
	svc_rdma_fault_set(recv, status == -EBADMSG ? RPCRDMA2_ERR_BAD_XDR :
						      RPCRDMA2_ERR_SYSTEM,
			   0, 0);
	return svc_rdma_message_refuse(conn, recv);
}

/*
 * Choose the handle that the reply invalidates. In version 1, the requester
 * does not name one: use the first, and the requester invalidates the others.
 * In version 2 (v2 draft section 3.3), the requester names one of its handles.
 * Invalidating any other handle would end the connection, so if none of the
 * call's chunks has the named handle, the reply is a plain Send.
 */
static void svc_rdma_call_choose_handle(const struct svc_rdma_conn *conn,
					struct svc_rdma_recv_ctx *recv)
{
	u32 wanted = recv->hdr.inv_handle;

	if (conn->peer.remote_inv &&
	    (wanted || !svc_rdma_version_of(conn)->names_handle))
		recv->handle = rpcrdma_find_handle(&recv->hdr, wanted);
}

static int svc_rdma_call_begin(struct svc_rqst *rqstp,
			       struct svc_rdma_conn *conn,
			       struct svc_rdma_recv_ctx *recv)
{
	const struct rpcrdma_hdr *hdr = &recv->hdr;
	int ret;

	if (unlikely(hdr->type == RPCRDMA_NOMSG))
		svc_rdma_traffic_add(&conn->traffic.long_calls, 1);
	svc_rdma_recvs_adapt(conn);
		/* Only a call with chunks has handles to invalidate. */
	if (hdr->reads.segments | hdr->writes.chunks | hdr->reply.chunks) {
		svc_rdma_call_count_chunks(conn, hdr);
		svc_rdma_call_choose_handle(conn, recv);
	}
	if (!hdr->reads.bytes) {
		svc_rdma_call_build(rqstp, recv->buf + hdr->payload,
				    hdr->len - hdr->payload, 0, 0);
		return svc_rdma_call_deliver(rqstp, recv);
	}
	ret = svc_rdma_read_start(rqstp, conn, recv);
	return ret ? svc_rdma_call_refuse_reads(conn, recv, ret) : 0;
}

static int svc_rdma_message_receive(struct svc_rqst *rqstp,
				    struct svc_rdma_conn *conn,
				    struct svc_rdma_recv_ctx *recv)
{
	const struct svc_rdma_version *ver = svc_rdma_version_of(conn);
	struct svc_rdma_advert *advert = NULL;
	enum svc_rdma_kind kind;
	bool answer;
	int ret;

	svc_rdma_count(messages_received);
	/* The first message decides the version of the connection. */
	if (unlikely(!ver->number))
		ver = ver->choose(conn, recv);
	ret = ver->decode(&recv->hdr, recv->buf, recv->len);
	trace_svc_rdma_received(conn, recv, ret);
	kind = likely(!ret) ? ver->classify(conn, recv) :
			      ver->malformed(conn, recv, ret);
	answer = kind == SVC_RDMA_ANSWER;
	if (unlikely(answer || kind == SVC_RDMA_DONE))
		advert = svc_rdma_advert_take(conn, recv, answer);
	/*
	 * A requester that invalidates a handle that was not offered to it is
	 * hostile. Closing the connection ends all its access.
	 */
	if (unlikely(recv->invalidated))
		return svc_rdma_message_drop(conn, recv,
					     RPCRDMA_CAUSE(PROTOCOL, INVALIDATION));
	if (likely(kind == SVC_RDMA_CALL))
		return svc_rdma_call_begin(rqstp, conn, recv);
	if (kind == SVC_RDMA_REFUSED)
		return svc_rdma_message_refuse(conn, recv);
	if (kind == SVC_RDMA_CONF)
		svc_rdma_conf_answer(conn, recv);
	else if (answer)
		conn->callback_answered(conn, recv, advert);
	else
		svc_rdma_recv_put(conn, recv);
	/* This permits another reply, whose RDMA_DONE will find a Receive. */
	if (answer || kind == SVC_RDMA_DONE)
		svc_rdma_advert_answered(conn, advert, answer);
	return 0;
}

/*
 * Take the next message. Calls whose Reads have completed come first, because
 * they are older. Contexts that complete the Reads of a call, or return pages
 * that a call waits for, set XPT_DATA with the lock held. This function clears
 * it when nothing is left, so no thread is woken needlessly.
 */
static struct svc_rdma_recv_ctx *
svc_rdma_message_next(struct svc_rdma_conn *conn)
{
	struct svc_rdma_recv_ctx *recv = NULL;
	struct svc_rdma_read_ctx *read;
	bool more = false;

	if (!svc_rdma_recvs_arrived(conn))
		svc_rdma_recv_cq_poll(conn);
	spin_lock_bh(&conn->reads.lock);
	if (unlikely(svc_rdma_conn_closing(conn)))
		goto out;
	read = svc_rdma_read_next_locked(conn);
	recv = read ? read->recv : svc_rdma_recvs_next(conn);
	more = svc_rdma_recvs_arrived(conn) || !list_empty(&conn->reads.done) ||
	       (read && !list_empty(&conn->reads.waiting));
out:
	if (!more)
		svc_rdma_recv_cq_idle_locked(conn);
	spin_unlock_bh(&conn->reads.lock);
	return recv;
}

/* Continue a call whose Reads have completed, or that can have pages now. */
static int svc_rdma_call_resume(struct svc_rqst *rqstp,
				struct svc_rdma_conn *conn,
				struct svc_rdma_recv_ctx *recv)
{
	struct svc_rdma_read_ctx *read = recv->read;
	int ret;

	if (!read->npages) {
		ret = svc_rdma_read_resume(rqstp, read);
		return ret ? svc_rdma_call_refuse_reads(conn, recv, ret) : 0;
	}
	ret = svc_rdma_read_finish(rqstp, read);
	return ret ? svc_rdma_call_refuse_reads(conn, recv, ret) :
		     svc_rdma_call_deliver(rqstp, recv);
}

/*
 * Must a message be handled before the next one is taken? Messages that carry
 * no RPC must be: an answer to one of them tells the requester that all earlier
 * ones have been handled. Both versions use the same type numbers for them. The
 * message that decides the version must also be handled first.
 */
static bool svc_rdma_message_is_ordered(const struct svc_rdma_conn *conn,
					const struct svc_rdma_recv_ctx *recv)
{
	if (unlikely(!svc_rdma_version_of(conn)->number))
		return true;
	return recv->len >= RPCRDMA_V1_FIXED_SIZE &&
	       get_unaligned_be32(recv->buf + 3 * RPCRDMA_XDR_UNIT) >
	       RPCRDMA_ERROR;
}

/**
 * svc_rdma_call_receive - get a call (xpo_recvfrom)
 * @rqstp: nfsd thread's context, to be filled in
 *
 * A call with Read chunks is taken twice: once to post the Reads, and again
 * when the Reads have completed. If there were no pages for the Reads at first,
 * the call is taken three times. No thread waits in between. Another thread can
 * take the next message before this one has been handled, unless
 * svc_rdma_message_is_ordered() forbids that.
 *
 * Context: process, an nfsd thread that holds XPT_BUSY, which is released here.
 * Return: bytes in the call, or 0 if there is no call to serve.
 */
int svc_rdma_call_receive(struct svc_rqst *rqstp)
{
	struct svc_xprt *xprt = rqstp->rq_xprt;
	struct svc_rdma_conn *conn = svc_rdma_conn_of(xprt);
	struct svc_rdma_recv_ctx *recv;
	int ret;

	/* If there is no call, svc_recv() must not release pages of @rqstp. */
	rpcrdma_rqst_call_pages(rqstp, 0);
	rqstp->rq_xprt_ctxt = NULL;

	recv = svc_rdma_message_next(conn);
	if (!recv || recv->read) {
		svc_xprt_received(xprt);
		return recv ? svc_rdma_call_resume(rqstp, conn, recv) : 0;
	}
	ib_dma_sync_single_for_cpu(conn->dev, recv->sge.addr, recv->len,
				   DMA_FROM_DEVICE);
	if (unlikely(svc_rdma_message_is_ordered(conn, recv))) {
		ret = svc_rdma_message_receive(rqstp, conn, recv);
		svc_xprt_received(xprt);
		return ret;
	}
	svc_xprt_received(xprt);
	return svc_rdma_message_receive(rqstp, conn, recv);
}
