/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For suites about svcrdma's Sends: a fake Send Queue that records Work
 * Requests in order. The files under test are compiled into the suite.
 */
#ifndef _SVC_RDMA_SVC_SEND_FAKES_H
#define _SVC_RDMA_SVC_SEND_FAKES_H

#define FAKE_DMA_OFFSET		0x1000u

#include "svc_fakes.h"
#include "fake_memory.h"
#include "fake_balance.h"

#define DEPTH		16u
#define SIZE		1024u
#define MANY		4096u

/* State of the Send Queue, and calls counted by the fakes */
static struct outside {
	/* Sends in the queue; NULL: an earlier Work Request of a chain */
	const struct ib_send_wr *wrs[MANY];
	u32 first;	/* index of the oldest in @wrs */
	u32 end;	/* index of the next to be posted */
	u32 done;	/* index of the first not yet executed */
	u32 signaled;	/* signaled Sends posted */
	u32 overflows;	/* Work Requests posted without room */
	u32 too_early;	/* contexts reused while still in the queue */
	u32 posted;	/* chains posted */
	const struct ib_send_wr *last;	/* end of the last chain */
	int post_status;	/* return value of ib_post_send() */
	u32 released;	/* number of times RDMA Writes were released */
	u32 synced;	/* bytes of a buffer synced for the device */
	u32 writes;	/* RDMA Writes chained */
	u32 writes_failed;	/* calls to svc_rdma_rw_failed() */
	u32 faults;	/* Sends posted without their RDMA Writes */
	u32 freed;	/* allocations freed */
	u32 unthrottled;	/* calls to svc_rdma_conn_unthrottle() */
	u32 advertised;	/* replies advertised */
	u32 cancelled;	/* adverts cancelled */
	u32 stashed;	/* pages put into the stash, which keeps none */
} outside;

static bool in_queue(const struct ib_send_wr *wr)
{
	u32 i;

	for (i = outside.first; i < outside.end; i++)
		if (outside.wrs[i] == wr)
			return true;
	return false;
}

static void queue_add(const struct ib_send_wr *wr)
{
	outside.overflows += outside.end == MANY ||
			     outside.end - outside.first ==
				DEPTH + SVC_RDMA_UNSIGNALED;
	if (outside.end < MANY)
		outside.wrs[outside.end++] = wr;
}

/* RDMA Writes, used in turn */
static struct ib_send_wr fake_writes[MANY];

/* Chain the RDMA Writes in front of a message, as many as it says it has. */
static struct ib_send_wr *fake_rw_chain(struct ib_send_wr *wr)
{
	u32 n = container_of(wr, struct svc_rdma_send_ctx, wr)->wrs;
	struct ib_send_wr *write;

	while (--n) {
		write = &fake_writes[outside.writes++ % MANY];
		*write = (struct ib_send_wr){ .next = wr };
		wr = write;
	}
	return wr;
}

/* Is a Send, whose chain has @n Work Requests, posted behind all its Writes? */
static bool is_whole(const struct ib_send_wr *wr, u32 n)
{
	if (!wr->sg_list)
		return true;
	return n == container_of(wr, struct svc_rdma_send_ctx, wr)->wrs;
}

static int fake_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
			  const struct ib_send_wr **bad)
{
	u32 i, n = 0;

	for (; wr; wr = wr->next, n++)
		outside.last = wr;
	wr = outside.last;
	outside.faults += !is_whole(wr, n);
	fake_dma_posted(wr->sg_list, wr->num_sge, DMA_TO_DEVICE);
	if (outside.post_status)
		return outside.post_status;
	outside.posted++;
	outside.too_early += in_queue(wr);
	for (i = 1; i < n; i++)
		queue_add(NULL);
	queue_add(wr);
	outside.signaled += wr->send_flags == IB_SEND_SIGNALED;
	return 0;
}

static int fake_advert_post(struct svc_rdma_advert *advert,
			    struct ib_send_wr *wr)
{
	int ret = fake_post_send(NULL, wr, NULL);

	outside.advertised += !ret;
	fake_closed += !!ret;
	return ret ? -ENOTCONN : 0;
}

#define svc_rdma_stash_put(conn, pages, n) \
	((void)(conn), (void)(outside.stashed += (n)), release_pages(pages, n))
#define svc_rdma_rw_release(conn, rws) \
	((void)(outside.released += !list_empty(rws)), INIT_LIST_HEAD(rws))
#define svc_rdma_rw_chain(c, rws, wr)	fake_rw_chain(wr)
#define svc_rdma_rw_failed(conn, wc, dir) \
	((void)(outside.writes_failed++), svc_rdma_conn_close(conn, 0))
#undef svc_rdma_conn_close
#define svc_rdma_conn_close(conn, cause) \
	((void)(fake_cause = (cause)), (void)fake_closed++, fake_sq_close(conn))
#define svc_rdma_conn_unthrottle(conn) \
	((void)(conn), (void)outside.unthrottled++)
#define svc_rdma_send_advert(send)	((send)->advert)
#define svc_rdma_advert_post		fake_advert_post
#define svc_rdma_advert_free(advert) \
	((void)(advert), (void)outside.cancelled++)
#define ib_post_send			fake_post_send
#undef ib_dma_sync_single_for_device
#define ib_dma_sync_single_for_device(d, addr, len, dir) \
	(fake_dma_use(addr, len, dir), \
	 (void)(outside.synced = (addr) == FAKE_DMA(send->buf) ? (len) : 0))
#define kfree(p)			((void)(outside.freed += !!(p)), (kfree)(p))

#include "../svcrdma/verbs/sq.c"
#include "../core/verbs/buffer.c"
#include "../svcrdma/message/send_ctx.c"
#include "../svcrdma/message/send_post.c"

/* Version of the connection, which limits the size of Send buffers */
static struct svc_rdma_version fake_version;

static void destroy_action(void *data)
{
	struct svc_rdma_conn *conn = data;

	svc_rdma_sends_destroy(conn);
	rpcrdma_bufs_exit();
	/* Every mapping was unmapped by its address, and no fault was found. */
	WARN_ON(fake_dma.n || outside.faults || outside.overflows ||
		outside.too_early);
}

/* Connection of the current case; each case begins with a new one */
static struct svc_rdma_conn *conn;

static int connection(struct kunit *test)
{
	conn = fake_conn(test);
	memset(&outside, 0, sizeof(outside));
	fake_memory_left = -1;
	conn->peer.longest = SIZE;
	fake_version.send_buf = U32_MAX;
	conn->ver = &fake_version;
	conn->pd->local_dma_lkey = 0x77;
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_bufs_init());
	fake_sq(conn, DEPTH);
	svc_rdma_sends_init(conn);
	fake_defer(test, destroy_action, conn);
	return 0;
}

#endif /* _SVC_RDMA_SVC_SEND_FAKES_H */
