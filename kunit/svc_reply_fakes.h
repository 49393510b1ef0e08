/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For suites about replies: a call with chunks, nfsd's reply, and an adapter
 * that executes Work Requests and tracks which memory regions are accessible.
 * The files under test are compiled into the suite.
 */
#ifndef _SVC_RDMA_SVC_REPLY_FAKES_H
#define _SVC_RDMA_SVC_REPLY_FAKES_H

#include <linux/module.h>
#include <linux/sunrpc/xdr.h>

#include "svc_fakes.h"
#include "fake_memory.h"
#include "fake_balance.h"

#define trace_svc_rdma_sent(conn, cqe, xid, len, wrs, ret) \
	((void)(xid), (void)(wrs), (void)(ret))

/* A memory region of the adapter */
struct region {
	struct ib_mr ibmr;	/* region as the code under test sees it */
	struct list_head list;	/* entry in outside.regions */
	const struct scatterlist *sg;	/* pages that the region maps */
	int nents;	/* entries of @sg */
	u32 handle;	/* handle of the registration */
	int access;	/* access flags */
	enum dma_data_direction dir;	/* DMA direction of the mapping */
	bool valid;	/* the region is accessible */
};

#define MAX_INVS	16u
#define MAX_SENDS	16u
#define LKEY		0x77u

/* State of the adapter and of the other fakes */
static struct outside {
	struct list_head regions;	/* memory regions */
	u32 allocated;	/* regions created */
	enum dma_data_direction dir;	/* DMA direction of the last mapping */
	u32 mapped;	/* scatterlist entries mapped now */
	/* Errors found by execute_send() and the other fakes */
	u32 faults;
	u32 invalidations;	/* invalidations posted */
	struct ib_cqe *invs[MAX_INVS];	/* invalidations to complete */
	u32 ninvs;	/* entries of @invs */
	struct ib_cqe *sends[MAX_SENDS];	/* Sends to complete */
	u32 nsends;	/* entries of @sends */
	u8 msg[16384];	/* the last message, gathered from its entries */
	u32 len;	/* bytes in @msg */
	struct send {
		u32 size;	/* bytes of the Send buffer */
		u32 copied;	/* bytes of the first gather entry */
		u32 sges;	/* gather entries */
		u32 head_reads;	/* gather entries in the head's page */
		u32 wrs;	/* Work Requests in the chain */
		u32 inv;	/* handle that the Send invalidates */
		u32 held;	/* pages that the Send holds */
		struct page *first;	/* first held page */
	} send;	/* the last message */
	u32 synced;	/* bytes synced for the device since the last Send */
	int post_status;	/* return value of ib_post_send() */
	int map_short;	/* entries that ib_map_mr_sg() leaves unmapped */
	u32 ticks;	/* number of times the timer was started */
	bool ticking;	/* the timer is running */
	bool stopped;	/* the timer is disabled */
	u32 puts;	/* Receive contexts put back */
	u32 long_len;	/* bytes of the last reply reported as long */
	struct svc_rdma_fault error;	/* answer to the last refused call */
} outside;

static const struct svc_rdma_version *fake_version;
struct workqueue_struct *svc_rdma_wq;
static unsigned int fake_max, fake_bytes, fake_total, fake_timeout;

/* The page of nfsd's head, or NULL if that page is not the thread's */
static struct page *fake_head_page;

#ifdef RPCRDMA_EXT_PULLED
static struct ib_mr *fake_alloc_mr(struct ib_pd *pd, enum ib_mr_type type,
				   u32 depth)
{
	struct region *region = kzalloc(sizeof(*region), GFP_KERNEL);

	if (!region)
		return ERR_PTR(-ENOMEM);
	region->ibmr.rkey = 0x100 * ++outside.allocated + 0xff;
	list_add_tail(&region->list, &outside.regions);
	return &region->ibmr;
}

static int fake_dereg_mr(struct ib_mr *ibmr)
{
	struct region *region = container_of(ibmr, struct region, ibmr);

	list_del(&region->list);
	kfree(region);
	return 0;
}

static int fake_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int n,
			  unsigned int *offset, unsigned int page_size)
{
	struct region *region = container_of(ibmr, struct region, ibmr);
	int i;

	region->sg = sg;
	region->nents = n;
	region->dir = outside.dir;
	ibmr->iova = sg_dma_address(sg);
	ibmr->length = 0;
	for (i = 0; i < n; i++)
		ibmr->length += sg[i].length;
	return n - outside.map_short;
}

static struct region *find_region(u32 handle)
{
	struct region *region;

	list_for_each_entry(region, &outside.regions, list)
		if (region->valid && region->handle == handle)
			return region;
	return NULL;
}

static void invalidate(u32 handle)
{
	struct region *region = find_region(handle);

	if (region)
		region->valid = false;
	else
		outside.faults++;
}

static void execute_region(const struct ib_send_wr *wr)
{
	const struct ib_reg_wr *reg = reg_wr(wr);
	struct region *region;

	if (wr->opcode == IB_WR_LOCAL_INV) {
		invalidate(wr->ex.invalidate_rkey);
		outside.invalidations++;
		if (wr->send_flags & IB_SEND_SIGNALED)
			outside.invs[outside.ninvs++ % MAX_INVS] = wr->wr_cqe;
		return;
	}
	region = container_of(reg->mr, struct region, ibmr);
	/* The message that carries the handle follows in the chain. */
	outside.faults += region->valid + !wr->next;
	/* The DMA direction must allow the requester's access. */
	if (reg->access & IB_ACCESS_REMOTE_WRITE)
		outside.faults += region->dir != DMA_FROM_DEVICE;
	else
		outside.faults += region->dir != DMA_TO_DEVICE;
	region->access = reg->access;
	region->handle = reg->key;
	region->valid = true;
}
#else
#define execute_region(wr)	((void)(wr), (void)outside.faults++)
#endif

/* Gather the message. Every byte sent from the buffer must have been synced. */
static void execute_send(const struct ib_send_wr *wr)
{
	const struct svc_rdma_send_ctx *send =
		container_of(wr, struct svc_rdma_send_ctx, wr);
	struct send *last = &outside.send;
	const struct ib_sge *sge;
	u32 in_buf = 0;

	fake_dma_posted(wr->sg_list, wr->num_sge, DMA_TO_DEVICE);
	*last = (struct send) {
		.size = send->size, .copied = wr->sg_list[0].length,
		.sges = wr->num_sge, .wrs = send->wrs, .held = send->npages,
		.first = send->npages ? send->pages[0] : NULL,
	};
	if (wr->opcode == IB_WR_SEND_WITH_INV)
		last->inv = wr->ex.invalidate_rkey;
	outside.len = 0;
	for (sge = wr->sg_list; sge < wr->sg_list + wr->num_sge; sge++) {
		void *from = (void *)(uintptr_t)sge->addr;

		if (sge->addr - wr->sg_list[0].addr < send->size)
			in_buf += sge->length;
		last->head_reads += fake_head_page &&
				    virt_to_page(from) == fake_head_page;
		outside.faults += sge->lkey != LKEY;
		if (sge->length > sizeof(outside.msg) - outside.len)
			break;
		memcpy(outside.msg + outside.len, from, sge->length);
		outside.len += sge->length;
	}
	outside.faults += outside.synced < in_buf ||
			  sge < wr->sg_list + wr->num_sge;
	outside.synced = 0;
	outside.sends[outside.nsends++ % MAX_SENDS] = wr->wr_cqe;
}

static int fake_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
			  const struct ib_send_wr **bad)
{
	if (bad)
		*bad = wr;
	if (outside.post_status)
		return outside.post_status;
	for (; wr; wr = wr->next) {
		if (wr->opcode == IB_WR_SEND || wr->opcode == IB_WR_SEND_WITH_INV)
			execute_send(wr);
		else
			execute_region(wr);
	}
	return 0;
}

static int fake_error_send(struct svc_rdma_send_ctx *send,
			   const struct svc_rdma_recv_ctx *recv);

#define queue_delayed_work(wq, work, delay) \
	((void)(wq), (void)(work), (void)(outside.ticking = !outside.stopped), \
	 (void)outside.ticks++)
#define mod_delayed_work(wq, dwork, delay) \
	((void)queue_work(wq, &(dwork)->work))
#undef disable_delayed_work_sync
#define disable_delayed_work_sync(work) \
	((void)(work), (void)(outside.ticking = false), \
	 (void)(outside.stopped = true))
#undef ib_dma_map_sg
#undef ib_dma_unmap_sg
#undef ib_dma_sync_single_for_device
#define ib_dma_map_sg(dev, sg, n, dma) \
	(outside.dir = (dma), outside.mapped += (n), fake_dma_map_sg(sg, n, dma))
#define ib_dma_unmap_sg(dev, sg, n, dir) \
	(fake_dma_unmap_sg(sg, n, dir), (void)(outside.mapped -= (n)))
#define ib_dma_sync_single_for_device(d, addr, len, dir) \
	((void)(d), fake_dma_use(addr, len, dir), \
	 (void)(outside.synced += (len)))
#define ib_alloc_mr			fake_alloc_mr
#define ib_dereg_mr			fake_dereg_mr
#define ib_map_mr_sg			fake_map_mr_sg
#define ib_post_send			fake_post_send
#define svc_rdma_read_replies_max	fake_max
#define svc_rdma_read_replies_bytes	fake_bytes
#undef SVC_RDMA_ADVERTS_TOTAL
#define SVC_RDMA_ADVERTS_TOTAL		fake_total
#define svc_rdma_read_reply_timeout	fake_timeout
#define svc_rdma_rw_add			fake_rw_add
#define svc_rdma_rw_release(conn, rws)	fake_rws_release(rws)
/* The stash is empty and keeps no pages. */
#define svc_rdma_stash_put(conn, p, n)	((void)(conn), release_pages(p, n))
#define svc_rdma_stash_take(conn, p, n) \
	((void)(conn), (void)(p), (void)(n), 0u)
#define svc_rdma_rw_chain(c, rws, wr)	(wr)
#define svc_rdma_rw_failed(conn, wc, dir) \
	((void)(conn), (void)outside.faults++)
#define svc_rdma_error_send		fake_error_send
#define svc_rdma_recv_put(conn, recv) \
	((void)(conn), (void)(recv), (void)outside.puts++)
#define svc_rdma_conn_unthrottle(conn)	((void)(conn))
#define svc_rdma_version_of(conn)	fake_version
#define svc_rdma_properties_long_reply(properties, len) \
	((void)(properties), (void)(outside.long_len = (len)))

#ifndef WITH_CALLBACKS
#define svc_rdma_callback_chunks_ended(advert)	((void)(advert))
#endif

#include "svc_version_fakes.h"
#include "../svcrdma/verbs/sq.c"
#include "../core/verbs/buffer.c"
#ifdef RPCRDMA_EXT_PULLED
#include "../svcrdma/ext/pulled/mr.c"
#include "../svcrdma/ext/pulled/advert.c"
#endif
#include "../svcrdma/message/payloads.c"
#include "../svcrdma/message/write_chunks.c"
#include "../svcrdma/message/send_ctx.c"
#include "../svcrdma/message/send_post.c"
#include "../svcrdma/message/reply_pages.c"
#include "../svcrdma/message/reply.c"
#ifdef RPCRDMA_EXT_PULLED
#include "../svcrdma/ext/pulled/reply.c"
#endif

/* The Send context must hold no part of the refused reply. */
static int fake_error_send(struct svc_rdma_send_ctx *send,
			   const struct svc_rdma_recv_ctx *recv)
{
	outside.error = recv->fault;
	outside.faults += send->wrs != 1 || send->wr.num_sge != 1 ||
			  !list_empty(&send->rws);
	svc_rdma_send_put(send);
	return 0;
}

#define GRANT		8u
#define SEND_SIZE	1024u
#define SQ_DEPTH	64u
#define XID		0xabcd0000u
#define HEAD		200u
#define TAIL		120u
#define MAX_PAGES	24u
#define MR_PAGES	4u
#define MAX_REPLY	(HEAD + MAX_PAGES * PAGE_SIZE + TAIL)
#define MAX_RESULTS	3u
#define MAX_SEGMENTS	4u

/* Connection of the current case; header of the last message sent */
static struct svc_rdma_conn *conn;
static struct rpcrdma_hdr hdr;

/* A call that nfsd is serving */
static struct setup {
	struct svc_rdma_recv_ctx recv;	/* the call */
	struct svc_rqst *rqst;	/* thread that serves the call */
	u8 hdr[256];	/* the call's transport header */
	u8 want[MAX_REPLY];	/* bytes that the requester must receive */
	u8 got[MAX_REPLY];	/* bytes that the requester has read */
	struct page *head;	/* page with head and tail */
	struct page *pages[MAX_PAGES];	/* pages of the page list */
} *s;

static void completes(struct ib_cqe *cqe, enum ib_wc_status status)
{
	fake_completes(conn, cqe, status);
}

static void complete_sends(void)
{
	u32 i;

	for (i = 0; i < outside.nsends; i++)
		completes(outside.sends[i], IB_WC_SUCCESS);
	outside.nsends = 0;
}

static __maybe_unused void complete_invs(enum ib_wc_status status)
{
	u32 i;

	for (i = 0; i < outside.ninvs; i++)
		completes(outside.invs[i], status);
	outside.ninvs = 0;
	flush_workqueue(svc_rdma_wq);
}

/* Complete all Sends and release the resources of the connection. */
static void destroy_action(void *unused)
{
	complete_sends();
	flush_workqueue(svc_rdma_wq);
	svc_rdma_sends_destroy(conn);
	svc_rdma_adverts_destroy(conn);
	destroy_workqueue(svc_rdma_wq);
	rpcrdma_bufs_exit();
	conn = NULL;
}

/* Replace the connection of the case with a new one. */
static void connection(struct kunit *test)
{
	if (conn)
		kunit_release_action(test, destroy_action, NULL);
	conn = fake_conn(test);
	memset(&outside, 0, sizeof(outside));
	INIT_LIST_HEAD(&outside.regions);
	fake_memory_left = -1;
	fake_max = 64;
	fake_bytes = 16 << 20;
	fake_total = 128 << 20;
	fake_timeout = 30;
	fake_head_page = NULL;
	conn->pd->local_dma_lkey = LKEY;
	conn->dev->attrs.max_fast_reg_page_list_len = MR_PAGES;
	conn->credits.grant = GRANT;
	conn->credits.max = GRANT;
	conn->peer.longest = SEND_SIZE;
	conn->caps.send_sges = SVC_RDMA_SEND_SGES;
	conn->caps.invalidate = true;
	atomic_set(&conn->life.state, SVC_RDMA_OPEN);
	fake_sq(conn, SQ_DEPTH);
	svc_rdma_adverts_init(conn);
	svc_rdma_sends_init(conn);
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_bufs_init());
	svc_rdma_wq = alloc_workqueue("svc_reply_kunit", WQ_UNBOUND, 0);
	KUNIT_ASSERT_NOT_NULL(test, svc_rdma_wq);
	fake_defer(test, destroy_action, NULL);
}

/* Create a connection and an nfsd thread that serves a call on it. */
static __maybe_unused void serving(struct kunit *test)
{
	u32 i;

	s = fake_vzalloc(test, sizeof(*s));
	KUNIT_ASSERT_EQ(test, 0, fake_init(test));
	connection(test);
	s->rqst = fake_rqst(test);
	s->head = fake_page(test);
	for (i = 0; i < MAX_REPLY; i++)
		s->want[i] = i % 251;
}

/* Special first lengths: a chunk without segments; an empty first segment */
#define NO_SEGMENTS	U32_MAX
#define NO_BYTES	(U32_MAX - 1)

/* Count the segments of a chunk. Lengths of 0 at the end are unused. */
static u32 segments(const u32 *lengths)
{
	u32 n = MAX_SEGMENTS;

	while (n && !lengths[n - 1])
		n--;
	return n;
}

static void add_chunk(struct rpcrdma_encoder *enc, const u32 *lengths)
{
	struct rpcrdma_segment seg;
	u32 i, n = lengths[0] == NO_SEGMENTS ? 0 : segments(lengths);

	rpcrdma_encode_chunk_begin(enc, n);
	for (i = 0; i < n; i++) {
		seg = fake_segment(lengths[i] == NO_BYTES ? 0 : lengths[i]);
		rpcrdma_encode_segment(enc, &seg);
	}
}

/* Make a call that offers chunks with these segment lengths, if any. */
static __maybe_unused void make_call(struct kunit *test, u32 xid,
				     const u32 (*write)[MAX_SEGMENTS],
				     const u32 *reply)
{
	struct rpcrdma_encoder enc;
	u32 i;

	memset(&s->recv, 0, sizeof(s->recv));
	rpcrdma_encode_init(&enc, s->hdr, sizeof(s->hdr));
	rpcrdma_encode_head(&enc, cpu_to_be32(xid), fake_version->number, 1,
			    RPCRDMA_MSG, false, 0);
	rpcrdma_encode_list_end(&enc);
	for (i = 0; i < MAX_RESULTS && segments(write[i]); i++)
		add_chunk(&enc, write[i]);
	rpcrdma_encode_list_end(&enc);
	if (segments(reply))
		add_chunk(&enc, reply);
	else
		rpcrdma_encode_list_end(&enc);
	/* The contents of the RPC message do not matter here. */
	rpcrdma_encode_word(&enc, xid);
	KUNIT_ASSERT_EQ(test, 0,
			fake_version->decode(&s->recv.hdr, s->hdr,
					     rpcrdma_encode_finish(&enc)));
}

/*
 * Store the reply where nfsd would store it: @len bytes in @pages, starting at
 * offset @base; head and tail in @head_page.
 */
static __maybe_unused void make_reply(struct page *head_page,
				      struct page **pages, u32 base, u32 len)
{
	struct xdr_buf *res = &s->rqst->rq_res;
	u8 *head = page_address(head_page);
	u32 i, at;

	memcpy(head, s->want, HEAD);
	memcpy(head + HEAD, s->want + HEAD + len, TAIL);
	for (i = 0, at = base; i < len; i++, at++)
		((u8 *)page_address(pages[at >> PAGE_SHIFT]))
			[offset_in_page(at)] = s->want[HEAD + i];
	res->head[0].iov_base = head;
	res->head[0].iov_len = HEAD;
	res->pages = pages;
	res->page_base = base;
	res->page_len = len;
	res->tail[0].iov_base = head + HEAD;
	res->tail[0].iov_len = TAIL;
	res->len = HEAD + len + TAIL;
	s->rqst->rq_respages = s->rqst->rq_pages;
	s->rqst->rq_next_page = s->rqst->rq_pages;
	s->rqst->rq_xprt = &conn->xprt;
	s->rqst->rq_xprt_ctxt = &s->recv;
}

/* Decode the message that was sent last. */
static __maybe_unused void decode(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, fake_version->decode(&hdr, outside.msg,
						      outside.len));
}

#ifdef RPCRDMA_EXT_PULLED
/* The init function of suites about adverts in version 2 */
static __maybe_unused int serving_adverts(struct kunit *test)
{
	u32 i;

	fake_version = &svc_rdma_v2;
	serving(test);
	conn->peer.read_replies = true;
	for (i = 0; i < MAX_PAGES; i++)
		s->pages[i] = fake_page(test);
	return 0;
}

/* Serve a call. Its reply has a head, @len bytes in pages, and a tail. */
static __maybe_unused int serve(struct kunit *test, u32 xid, u32 len)
{
	static const u32 write[MAX_RESULTS][MAX_SEGMENTS];

	memset(&outside.error, 0, sizeof(outside.error));
	outside.len = 0;
	make_call(test, xid, write, write[0]);
	make_reply(s->head, s->pages, 0, len);
	return svc_rdma_reply_send(s->rqst);
}

static __maybe_unused void advertised(struct kunit *test, u32 xid, u32 len)
{
	KUNIT_ASSERT_EQ(test, serve(test, xid, len), 0);
	KUNIT_ASSERT_EQ(test, outside.error.code, 0);
	decode(test);
	KUNIT_ASSERT_GT(test, hdr.reads.segments, 0);
}

static __maybe_unused void refused(struct kunit *test, u32 xid, u32 len)
{
	KUNIT_ASSERT_EQ(test, serve(test, xid, len), 0);
	KUNIT_EXPECT_EQ(test, outside.len, 0);
	KUNIT_EXPECT_EQ(test, outside.error.code, RPCRDMA2_ERR_REPLY_RESOURCE);
	KUNIT_EXPECT_EQ(test, outside.error.value, HEAD + len + TAIL);
}

/* Read every segment. Return: bytes read, or 0 if access is denied. */
static __maybe_unused u32 rdma_read(void)
{
	struct rpcrdma_read_segment rseg;
	struct region *region;
	struct rpcrdma_cursor cur;
	u32 len = 0;

	rpcrdma_reads_begin(&hdr, &cur);
	while (rpcrdma_reads_next(&cur, &rseg)) {
		region = find_region(rseg.seg.handle);
		if (!region || region->access != IB_ACCESS_REMOTE_READ ||
		    region->ibmr.length != rseg.seg.length ||
		    region->ibmr.iova != rseg.seg.offset || rseg.position)
			return 0;
		/* The offset must not reveal an address of the server. */
		if (rseg.seg.offset >= PAGE_SIZE)
			return 0;
		if (len + rseg.seg.length > MAX_REPLY)
			return 0;
		len += sg_copy_to_buffer((void *)region->sg, region->nents,
					 s->got + len, rseg.seg.length);
	}
	return len;
}

static __maybe_unused u32 handle_of(u32 number)
{
	struct rpcrdma_read_segment rseg = { 0 };
	struct rpcrdma_cursor cur;

	rpcrdma_reads_begin(&hdr, &cur);
	do {
		rpcrdma_reads_next(&cur, &rseg);
	} while (number--);
	return rseg.seg.handle;
}

/* Receive an RDMA_DONE. Return: true if it invalidated a wrong handle. */
static __maybe_unused bool done(u32 xid, u32 handle)
{
	struct svc_rdma_recv_ctx recv = {
		.hdr.xid = cpu_to_be32(xid),
		.invalidated = handle,
		.inv_handle = handle,
	};
	struct svc_rdma_advert *advert;

	/* The adapter invalidates the handle before RDMA_DONE completes. */
	if (handle && find_region(handle))
		invalidate(handle);
	advert = svc_rdma_advert_take(conn, &recv, false);
	svc_rdma_advert_answered(conn, advert, false);
	return recv.invalidated;
}

static __maybe_unused void expect_accessible(struct kunit *test, u32 count)
{
	struct region *region;

	list_for_each_entry(region, &outside.regions, list)
		count -= region->valid;
	KUNIT_EXPECT_EQ(test, count, 0);
}

/* After all completions no advert is left and no region is accessible. */
static __maybe_unused void expect_no_adverts(struct kunit *test)
{
	const struct svc_rdma_adverts *adverts = &conn->adverts;

	complete_invs(IB_WC_SUCCESS);
	expect_accessible(test, 0);
	KUNIT_EXPECT_EQ(test, outside.mapped, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&adverts->all));
	KUNIT_EXPECT_EQ(test, adverts->awaiting_done, 0);
	KUNIT_EXPECT_EQ(test, adverts->late, 0);
	KUNIT_EXPECT_EQ(test, adverts->bytes, 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&svc_rdma_adverts_total_bytes), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&adverts->all));
	KUNIT_EXPECT_EQ(test, conn->sq.avail, SQ_DEPTH);
	KUNIT_EXPECT_EQ(test, outside.faults, 0);
	KUNIT_EXPECT_EQ(test, fake_count(adverts_now), 0);
}

/* No advert is left, and the server holds no page of the reply. */
static __maybe_unused void expect_released(struct kunit *test)
{
	u32 i;

	complete_sends();
	expect_no_adverts(test);
	KUNIT_EXPECT_EQ(test, page_count(s->head), 1);
	for (i = 0; i < MAX_PAGES; i++)
		KUNIT_EXPECT_EQ(test, page_count(s->pages[i]), 1);
}
#endif /* RPCRDMA_EXT_PULLED */

#endif /* _SVC_RDMA_SVC_REPLY_FAKES_H */
