/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fakes for suites about svcrdma's Receives: a Receive Queue whose Receives a
 * test completes, and the real files about Receives.
 */
#ifndef _SVC_RDMA_SVC_RECV_FAKES_H
#define _SVC_RDMA_SVC_RECV_FAKES_H

#define FAKE_DMA_OFFSET		0x1000u

#include "svc_fakes.h"
#include "fake_memory.h"
#include "fake_balance.h"

/* The Receive Queue and other surroundings */
static struct queue {
	struct list_head recvs;	/* contexts in the queue */
	u32 posted;	/* Receives posted */
	u32 chains;	/* calls that posted them */
	u32 room;	/* Receives that fit; posting more fails */
	u32 grant;	/* the grant when Receives were last posted */
	u32 reads_freed;	/* Read contexts freed */
	u32 lendings_ended;	/* calls whose lent pages were returned */
	u32 faults;	/* Receives with an invalid Work Request */
	u32 synced;	/* Receives synced for the device, not posted yet */
	u32 size;	/* bytes of a buffer; 0: @floor or more */
	u32 freed;	/* freed contexts, and freed uncached buffers */
	u32 resized;	/* calls of svc_rdma_properties_resized() */
} queue;

/* The connection in the running case; connection() creates it. */
static struct svc_rdma_conn *conn;

#define LKEY		0x77u
/* Return: true if the Receive covers exactly its buffer */
static bool usable(const struct ib_recv_wr *wr)
{
	const struct svc_rdma_recv_ctx *recv =
		container_of(wr->wr_cqe, struct svc_rdma_recv_ctx, cqe);
	u32 size = wr->sg_list->length;

	return wr->num_sge == 1 && wr->sg_list->lkey == LKEY &&
	       wr->sg_list->addr == FAKE_DMA(recv->buf) &&
	       (queue.size ? size == queue.size : size >= conn->recvs.floor);
}

static int fake_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
			  const struct ib_recv_wr **bad)
{
	struct svc_rdma_recv_ctx *recv;

	queue.chains++;
	queue.grant = conn->credits.grant;
	for (; wr; wr = wr->next) {
		if (queue.posted == queue.room) {
			*bad = wr;
			return -ENOMEM;
		}
		queue.posted++;
		fake_dma_posted(wr->sg_list, wr->num_sge, DMA_FROM_DEVICE);
		queue.faults += !usable(wr) || !queue.synced--;
		recv = container_of(wr->wr_cqe, struct svc_rdma_recv_ctx, cqe);
		list_add_tail(&recv->list, &queue.recvs);
	}
	return 0;
}

#define ib_post_recv			fake_post_recv
#undef ib_dma_sync_single_for_device
#define ib_dma_sync_single_for_device(d, addr, len, dir) \
	((void)(d), fake_dma_use(addr, len, dir), (void)queue.synced++)
#define kfree(p)			((void)(queue.freed += !!(p)), (kfree)(p))
#define svc_rdma_reply_end_lending(recv) \
	((void)(queue.lendings_ended += !!(recv)->lent), \
	 (void)((recv)->lent = NULL))
#define svc_rdma_read_free(read)	((void)(read), queue.reads_freed++)
#define svc_rdma_properties_resized(conn) ((void)(conn), (void)queue.resized++)

#include "../core/verbs/buffer.c"
#include "../svcrdma/message/recv_ctx.c"
#include "../svcrdma/message/credit.c"

#define GRANT_MAX	64u
#define HANDLE		0x4711u
#define EXTRA		(SVC_RDMA_BC_REQUESTS + SVC_RDMA_RECV_SPARE + \
			 SVC_RDMA_RECV_BATCH)

static void completes_with(struct svc_rdma_recv_ctx *recv, struct ib_wc *wc)
{
	struct ib_cq cq = { .cq_context = conn };

	wc->wr_cqe = &recv->cqe;
	recv->cqe.done(&cq, wc);
}

static void completes(struct svc_rdma_recv_ctx *recv, enum ib_wc_status status)
{
	struct ib_wc wc = { .status = status, .byte_len = 100 };

	completes_with(recv, &wc);
}

/* Drains the Queue Pair, and frees all its Receives. */
static void destroy_action(void *data)
{
	struct svc_rdma_recv_ctx *recv, *next;
	struct svc_rdma_conn *conn = data;

	list_for_each_entry_safe(recv, next, &queue.recvs, list) {
		list_del_init(&recv->list);
		completes(recv, IB_WC_WR_FLUSH_ERR);
	}
	svc_rdma_recvs_destroy(conn);
	rpcrdma_bufs_exit();
	WARN_ON(fake_dma.n || conn->recvs.total || fake_count(recvctxs_now));
}

static int connection(struct kunit *test)
{
	conn = fake_conn(test);
	memset(&queue, 0, sizeof(queue));
	INIT_LIST_HEAD(&queue.recvs);
	queue.room = ~0u;
	fake_memory_left = -1;
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_bufs_init());
	conn->pd->local_dma_lkey = LKEY;
	svc_rdma_recvs_set_size(conn, RPCRDMA_BUF_SIZE);
	queue.size = conn->recvs.size;
	svc_rdma_credits_init(conn, GRANT_MAX);
	fake_defer(test, destroy_action, conn);
	return 0;
}

/* Posts the first grant's Receives, as when the version is known. */
static int recvs_begin(void)
{
	return svc_rdma_recvs_add(conn, svc_rdma_recvs_for(conn->credits.grant));
}

/* Sets up version 1's Receives for the first grant. */
static __maybe_unused void begin(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, svc_rdma_recvs_add(conn, SVC_RDMA_RECV_FIRST), 0);
	svc_rdma_recvs_set_size(conn, 1024);
	queue.size = 1024;
	KUNIT_ASSERT_EQ(test, recvs_begin(), 0);
}

/* A Receive context, as it is after its completion */
static __maybe_unused struct svc_rdma_recv_ctx *
received(struct kunit *test)
{
	struct svc_rdma_recv_ctx *recv =
		svc_rdma_recv_alloc(conn, conn->recvs.size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, recv);
	list_add_tail(&recv->all, &conn->recvs.all);
	conn->recvs.total++;
	return recv;
}

#endif /* _SVC_RDMA_SVC_RECV_FAKES_H */
