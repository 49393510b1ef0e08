/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fakes for svcrdma suites: a requester whose memory is an array, and an
 * adapter that moves data immediately. README.md explains how a suite renames
 * the calls of the file that it tests.
 */
#ifndef _SVC_RDMA_SVC_FAKES_H
#define _SVC_RDMA_SVC_FAKES_H

#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/vmalloc.h>

#include "svc_headers.h"

/* The trace points are defined in svcrdma.ko. */
#define _TRACE_SVCRDMA_H
#define trace_svc_rdma_wc_error(xprt, cq, wc)	((void)(wc), (void)fake_wc_errors++)
#define trace_svc_rdma_wc_read(xprt, cq, wc)	((void)(wc))
#define trace_svc_rdma_wc_send(xprt, cq, wc)	((void)(wc))

#define FAKE_MEMORY	(256u * 1024u)
#define FAKE_CANARY	0x5a

/* The peer of the connection */
static struct fake_requester {
	u8 *memory;	/* memory that segments refer to, by index */
	u32 used;	/* bytes of @memory handed out to segments */
	u32 faults;	/* accesses outside of @memory */
	u32 wrs;	/* Work Requests executed */
} fake;

static bool fake_valid(const struct rpcrdma_segment *seg)
{
	if (seg->offset <= FAKE_MEMORY &&
	    seg->length <= FAKE_MEMORY - seg->offset)
		return true;
	fake.faults++;
	return false;
}

static void fake_move(u8 *theirs, u8 *ours, u32 len,
		      enum dma_data_direction dir)
{
	if (dir == DMA_FROM_DEVICE)
		memcpy(ours, theirs, len);
	else
		memcpy(theirs, ours, len);
}

/* Prepared Reads and Writes that are not released yet */
static u32 fake_rws __maybe_unused;

static int __maybe_unused
fake_rw_add(struct svc_rdma_conn *conn, struct list_head *rws,
	    const struct rpcrdma_segment *seg,
	    const struct rpcrdma_rw_memory *mem, enum dma_data_direction dir)
{
	u32 done, bytes, offset = mem->offset;
	struct list_head *node;

	if (!fake_valid(seg))
		return -EIO;
	node = kmalloc_noprof(sizeof(*node), GFP_KERNEL);
	if (!node)
		return -ENOMEM;
	list_add_tail(node, rws);
	fake_rws++;
	fake.wrs++;
	if (mem->base) {
		fake_move(fake.memory + seg->offset, mem->base, seg->length,
			  dir);
		return 1;
	}
	for (done = 0; done < seg->length; done += bytes, offset += bytes) {
		bytes = min_t(u32, seg->length - done,
			      PAGE_SIZE - offset_in_page(offset));
		fake_move(fake.memory + seg->offset + done,
			  page_address(mem->pages[offset >> PAGE_SHIFT]) +
			  offset_in_page(offset), bytes, dir);
	}
	return 1;
}

static void __maybe_unused fake_rws_release(struct list_head *rws)
{
	struct list_head *node, *next;

	list_for_each_safe(node, next, rws) {
		list_del(node);
		(kfree)(node);
		fake_rws--;
	}
}

/* A segment of @length bytes that overlaps no other */
static __maybe_unused struct rpcrdma_segment fake_segment(u32 length)
{
	struct rpcrdma_segment seg = {
		.handle = 0x4000 + fake.used,
		.length = length,
		.offset = fake.used,
	};

	/* The gap shows writes beyond the segment's end. */
	fake.used += length + 16;
	return seg;
}

static __maybe_unused int fake_init(struct kunit *test)
{
	memset(&fake, 0, sizeof(fake));
	fake.memory = kunit_kmalloc(test, FAKE_MEMORY, GFP_KERNEL);
	if (!fake.memory)
		return -ENOMEM;
	memset(fake.memory, FAKE_CANARY, FAKE_MEMORY);
	return 0;
}

/* A bare connection with a device that needs no DMA mapping */
static __maybe_unused struct svc_rdma_conn *fake_conn(struct kunit *test)
{
	struct svc_rdma_conn *conn;

	fake_counters_clear();
	conn = fake_zalloc(test, sizeof(*conn));
	conn->dev = fake_zalloc(test, sizeof(*conn->dev));
	conn->pd = fake_zalloc(test, sizeof(*conn->pd));
	set_dev_node(&conn->dev->dev, NUMA_NO_NODE);
#ifdef RPCRDMA_EXT_PROPERTIES
	mutex_init(&conn->properties.x.mutex);
#endif
	spin_lock_init(&conn->recvs.lock);
	spin_lock_init(&conn->reads.lock);
	spin_lock_init(&conn->credits.lock);
	spin_lock_init(&conn->sends.lock);
	spin_lock_init(&conn->sq.lock);
	spin_lock_init(&conn->read_queue.lock);
	INIT_LIST_HEAD(&conn->recvs.done);
	INIT_LIST_HEAD(&conn->reads.done);
	INIT_LIST_HEAD(&conn->reads.waiting);
	INIT_LIST_HEAD(&conn->recvs.idle);
	INIT_LIST_HEAD(&conn->recvs.all);
	INIT_LIST_HEAD(&conn->sends.all);
	rpcrdma_rw_set_init(&conn->rws);
	INIT_LIST_HEAD(&conn->sq.waiters);
	INIT_LIST_HEAD(&conn->read_queue.waiting);
	conn->read_queue.ord = U32_MAX;
	init_llist_head(&conn->sends.unsignaled);
	return conn;
}

/* A Send Queue of @depth entries, all of them free */
static __maybe_unused void fake_sq(struct svc_rdma_conn *conn, u32 depth)
{
	conn->sq.depth = depth;
	conn->sq.avail = depth;
}

KUNIT_DEFINE_ACTION_WRAPPER(vfree_action, vfree, void *);

/* Like fake_zalloc(), for large sizes */
static __maybe_unused void *fake_vzalloc(struct kunit *test, size_t size)
{
	void *p = vzalloc(size);

	KUNIT_ASSERT_NOT_NULL(test, p);
	fake_defer(test, vfree_action, p);
	return p;
}

/* Pages of a call or reply of 1 MiB */
#define FAKE_PAGES	259u

/* The context of an nfsd thread */
static __maybe_unused struct svc_rqst *fake_rqst(struct kunit *test)
{
	struct svc_rqst *rqstp = fake_vzalloc(test, sizeof(*rqstp));
	struct page **pages = fake_vzalloc(test, 2 * (FAKE_PAGES + 1) * sizeof(*pages));

	rpcrdma_rqst_set_pages(rqstp, pages, pages + FAKE_PAGES + 1);
	rqstp->rq_page_end = &rqstp->rq_respages[FAKE_PAGES];
	return rqstp;
}

KUNIT_DEFINE_ACTION_WRAPPER(free_page_action, put_page, struct page *);

/* A page that is freed when the test ends */
static __maybe_unused struct page *fake_page(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	fake_defer(test, free_page_action, page);
	return page;
}

#endif /* _SVC_RDMA_SVC_FAKES_H */
