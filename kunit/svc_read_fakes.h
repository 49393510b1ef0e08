/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fakes for suites about Read chunks: calls with chunks, and an adapter that
 * moves data immediately. The suite includes read_chunks.c, read_memory.c and
 * the stash.
 */
#ifndef _SVC_RDMA_SVC_READ_FAKES_H
#define _SVC_RDMA_SVC_READ_FAKES_H

#include <linux/module.h>
#include <linux/shrinker.h>
#include <linux/sunrpc/xdr.h>

#include "svc_fakes.h"
#include "fake_memory.h"
#include "fake_balance.h"

/* The Send Queue, and other surroundings */
static struct queue {
	bool no_region;	/* no memory region is available for a Read */
	struct svc_rdma_read_ctx *ends;	/* uncharged on that failure, or NULL */
	u32 posted;	/* chains of Reads started */
	u32 enqueued;	/* times that the transport was enqueued */
} queue;

static void fake_reads_start(struct svc_rdma_reads *reads,
			     void (*done)(struct svc_rdma_reads *reads))
{
	reads->done = done;
	queue.posted++;
}

static int fake_no_region(void)
{
	if (queue.ends)
		svc_rdma_read_uncharge(queue.ends);
	queue.ends = NULL;
	return -ENOMEM;
}

#define svc_rdma_rw_add(conn, rws, seg, mem, dir) \
	(queue.no_region ? fake_no_region() : fake_rw_add(conn, rws, seg, mem, dir))
#define svc_rdma_rw_release(conn, rws)	fake_rws_release(rws)
#define svc_rdma_rw_chain(c, r, wr)	NULL
#define svc_rdma_reads_start(c, r, first, done) fake_reads_start(r, done)
#define svc_rdma_conn_enqueue(c)	((void)(c), (void)queue.enqueued++)
#undef SVC_RDMA_READ_CALLS_TOTAL
#define SVC_RDMA_READ_CALLS_TOTAL	(fake_calls_bytes_total >> PAGE_SHIFT)

unsigned int svc_rdma_read_calls_bytes, svc_rdma_read_pages_kept;
static unsigned int fake_calls_bytes_total;

#include "../core/verbs/layout.c"
#include "../svcrdma/message/read_chunks.c"
#include "../svcrdma/message/read_memory.c"
#include "../svcrdma/message/stash.c"

#define MAX_MESG	(96u * 1024u)
#define CALL_PAGES	32u

/* A call with Read chunks */
struct read_call {
	struct svc_rdma_conn *conn;
	struct svc_rdma_recv_ctx *recv;	/* Receive, with the header */
	struct svc_rqst *rqst;	/* nfsd thread */
	struct svc_serv *serv;	/* the thread's service */
	u8 *want;	/* the call as a stream */
	u32 want_len;	/* bytes in @want */
	u8 *buf;	/* Receive buffer */
	struct rpcrdma_encoder enc;	/* encoder of the transport header */
};

static void fill_pages(struct kunit *test, struct svc_rqst *rqst)
{
	u32 i;

	for (i = 0; i < CALL_PAGES; i++)
		if (!rqst->rq_pages[i])
			rqst->rq_pages[i] = alloc_page(GFP_KERNEL);
	for (i = 0; i < CALL_PAGES; i++) {
		KUNIT_ASSERT_NOT_NULL(test, rqst->rq_pages[i]);
		memset(page_address(rqst->rq_pages[i]), FAKE_CANARY, PAGE_SIZE);
	}
}

static void free_call(void *data)
{
	struct read_call *call = data;
	u32 i;

	if (call->recv->read)
		svc_rdma_read_free(call->recv->read);
	call->recv->read = NULL;
	for (i = 0; i < CALL_PAGES; i++) {
		if (call->rqst->rq_pages[i])
			put_page(call->rqst->rq_pages[i]);
		call->rqst->rq_pages[i] = NULL;
	}
}

KUNIT_DEFINE_ACTION_WRAPPER(free_stash, svc_rdma_stash_destroy, struct svc_rdma_conn *);

/* The suite's init function */
static int begin_case(struct kunit *test)
{
	fake_memory_left = -1;
	fake_counters_clear();
	memset(&queue, 0, sizeof(queue));
	svc_rdma_read_calls_bytes = MAX_MESG;
	fake_calls_bytes_total = MAX_MESG;
	svc_rdma_read_pages_kept = 2 * MAX_MESG;
	return 0;
}

static struct read_call *call_create(struct kunit *test, u32 type)
{
	struct read_call *call = fake_zalloc(test, sizeof(*call));

	fake_init(test);
	call->conn = fake_zalloc(test, sizeof(*call->conn));
	svc_rdma_calls_init(call->conn);
	call->recv = fake_zalloc(test, sizeof(*call->recv));
	call->serv = fake_zalloc(test, sizeof(*call->serv));
	call->want = fake_zalloc(test, MAX_MESG);
	call->buf = fake_zalloc(test, MAX_MESG);
	call->rqst = fake_rqst(test);
	svc_rdma_stash_begin(call->conn);
	fake_defer(test, free_stash, call->conn);
	fake_defer(test, free_call, call);
	call->conn->sq.depth = 1000;
	call->conn->qp = fake_zalloc(test, sizeof(*call->conn->qp));
	call->serv->sv_max_mesg = MAX_MESG;
	call->rqst->rq_server = call->serv;
	fill_pages(test, call->rqst);
	call->recv->buf = call->buf;
	rpcrdma_encode_init(&call->enc, call->buf, MAX_MESG);
	rpcrdma_encode_fixed(&call->enc, cpu_to_be32(1), RPCRDMA_VERSION_1, 1,
			     type);
	return call;
}

/* Ends the header, appends the inline part, decodes both, starts the Reads. */
static int call_start(struct kunit *test, struct read_call *call,
		      const u8 *payload, u32 payload_len)
{
	int len;

	rpcrdma_encode_no_chunks(&call->enc);
	len = rpcrdma_encode_finish(&call->enc);
	KUNIT_ASSERT_GT(test, len, 0);
	if (payload_len)
		memcpy(call->buf + len, payload, payload_len);
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_decode(&call->recv->hdr, call->buf,
						len + payload_len));
	return svc_rdma_read_start(call->rqst, call->conn, call->recv);
}

/* Expects that nfsd sees the call byte for byte as the requester sent it. */
static void call_expect(struct kunit *test, struct read_call *call)
{
	struct xdr_buf *arg = &call->rqst->rq_arg;
	u8 *got = fake_zalloc(test, MAX_MESG);
	u32 parts;

	fill_pages(test, call->rqst);
	KUNIT_ASSERT_EQ(test, 0, svc_rdma_read_finish(call->rqst,
						      call->recv->read));
	KUNIT_ASSERT_EQ(test, arg->len, call->want_len);
	parts = arg->head[0].iov_len + arg->page_len + arg->tail[0].iov_len;
	KUNIT_ASSERT_EQ(test, parts, arg->len);
	KUNIT_ASSERT_EQ(test, 0, read_bytes_from_xdr_buf(arg, 0, got,
							 arg->len));
	KUNIT_EXPECT_EQ(test, memcmp(got, call->want, arg->len), 0);
	KUNIT_EXPECT_EQ(test, fake.faults, 0);
	kunit_kfree(test, got);
}

/* Puts @len bytes into the requester's memory, in @segments segments. */
static void add_chunk(struct read_call *call, u32 position, const u8 *data,
		      u32 len, u32 segments)
{
	struct rpcrdma_segment seg;
	u32 part, left = len;

	while (segments--) {
		part = segments ? get_random_u32_below(left + 1) : left;
		seg = fake_segment(part);
		memcpy(fake.memory + seg.offset, data, part);
		rpcrdma_encode_read_segment(&call->enc, position, &seg);
		data += part;
		left -= part;
	}
}

static __maybe_unused void fill_random(u8 *buf, u32 len, u64 *state)
{
	u32 i;

	for (i = 0; i < len; i++) {
		*state = *state * 6364136223846793005ull + 1442695040888963407ull;
		buf[i] = *state >> 56;
	}
}

#endif /* _SVC_RDMA_SVC_READ_FAKES_H */
