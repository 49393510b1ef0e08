// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: how svcrdma puts a call together from its Read chunks (RFC 5666
 * sections 3.4, 3.5 and 3.7; RFC 8166 section 3.4.5), without an adapter.
 */
#include <linux/module.h>
#include <linux/sunrpc/xdr.h>

#include "svc_fakes.h"
#include "fake_memory.h"
#include "fake_balance.h"

/**
 * struct queue - the Send Queue, and what becomes of a connection
 * @full: whoever wants entries has to wait
 * @refuses: posting fails
 * @no_region: the device needs one for each Read, and others have them all
 * @posted: chains of Reads
 * @given: entries given back
 * @puts: Receive contexts put back
 * @closed: times that the connection was closed
 * @failed: Reads that were reported as failed
 * @enqueued: times that the transport was enqueued
 * @qp_state: of the Queue Pair
 */
static struct queue {
	bool full;
	bool refuses;
	bool no_region;
	u32 posted;
	u32 given;
	u32 puts;
	u32 closed;
	u32 failed;
	u32 enqueued;
	enum ib_qp_state qp_state;
} queue;

static int fake_region_pages(struct svc_rdma_conn *conn, struct list_head *rws,
			     const struct rpcrdma_segment *seg,
			     struct page **pages, u32 offset,
			     enum dma_data_direction dir)
{
	if (queue.no_region)
		return -EAGAIN;
	return fake_rw_pages(conn, rws, seg, pages, offset, dir);
}

#define svc_rdma_rw_pages		fake_region_pages
#define svc_rdma_rw_failed(conn, wc, dir) \
	((void)(wc), (void)queue.closed++, \
	 (void)(queue.failed += (dir) == DMA_FROM_DEVICE))
#define svc_rdma_rw_release(conn, rws)	INIT_LIST_HEAD(rws)
#define svc_rdma_rw_chain(c, r, cqe, wr) NULL
#define svc_rdma_sq_queue(conn, wait)	(!queue.full)
#define svc_rdma_sq_give(conn, n)	((void)(queue.given += (n)))
#define svc_rdma_conn_close(c)		((void)(c), (void)queue.closed++)
#define svc_rdma_recv_put(c, r)		((void)(r), (void)queue.puts++)
#define svc_xprt_enqueue(x)		((void)(x), (void)queue.enqueued++)
#define svc_rdma_read_calls_bytes	fake_calls_bytes
#define svc_rdma_read_calls_bytes_total	fake_calls_bytes_total

static unsigned int fake_calls_bytes;
static unsigned int fake_calls_bytes_total;

#include "../svcrdma/read.c"
#include "../svcrdma/readmem.c"

#define MAX_MESG	(96u * 1024u)
#define MAX_CHUNKS	5u
#define MAX_PIECES	4u
#define CALL_PAGES	32u

static ulong seed;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "start of the random sequence; 0 chooses one");

/**
 * struct read_call - a call, and what it is moved with
 * @conn: connection
 * @recv: where its transport header is
 * @rqst: nfsd thread
 * @serv: its service
 * @want: the call as a stream
 * @want_len: bytes in @want
 * @buf: Receive buffer
 * @enc: its transport header being written
 */
struct read_call {
	struct svc_rdma_conn *conn;
	struct svc_rdma_recv *recv;
	struct svc_rqst *rqst;
	struct svc_serv *serv;
	u8 *want;
	u32 want_len;
	u8 *buf;
	struct rpcrdma_encoder enc;
};

static int fake_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
			  const struct ib_send_wr **bad)
{
	if (queue.refuses)
		return -ENOMEM;
	queue.posted++;
	return 0;
}

static int fake_query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			 struct ib_qp_init_attr *init)
{
	attr->cur_qp_state = queue.qp_state;
	return 0;
}

static void fill_pages(struct kunit *test, struct svc_rqst *rqst)
{
	u32 i;

	for (i = 0; i < CALL_PAGES; i++)
		if (!rqst->rq_pages[i])
			rqst->rq_pages[i] = alloc_page(GFP_KERNEL);
	for (i = 0; i < CALL_PAGES; i++)
		KUNIT_ASSERT_NOT_NULL(test, rqst->rq_pages[i]);
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

static struct read_call *call_create(struct kunit *test, u32 type)
{
	struct read_call *call = fake_zalloc(test, sizeof(*call));
	struct ib_device *dev = fake_zalloc(test, sizeof(*dev));

	fake_init(test);
	fake_memory_left = -1;
	memset(&queue, 0, sizeof(queue));
	call->conn = fake_zalloc(test, sizeof(*call->conn));
	INIT_LIST_HEAD(&call->conn->read_done);
	INIT_LIST_HEAD(&call->conn->read_waiting);
	fake_calls_bytes = MAX_MESG;
	fake_calls_bytes_total = MAX_MESG;
	call->recv = fake_zalloc(test, sizeof(*call->recv));
	call->serv = fake_zalloc(test, sizeof(*call->serv));
	call->want = fake_zalloc(test, MAX_MESG);
	call->buf = fake_zalloc(test, MAX_MESG);
	call->rqst = fake_rqst(test);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_call,
							   call));
	spin_lock_init(&call->conn->recv_lock);
	call->conn->sq_depth = 1000;
	call->conn->qp = fake_zalloc(test, sizeof(*call->conn->qp));
	call->conn->qp->device = dev;
	call->conn->qp->real_qp = call->conn->qp;
	dev->ops.post_send = fake_post_send;
	dev->ops.query_qp = fake_query_qp;
	call->serv->sv_max_mesg = MAX_MESG;
	call->rqst->rq_server = call->serv;
	call->rqst->rq_page_end = &call->rqst->rq_pages[CALL_PAGES];
	fill_pages(test, call->rqst);
	call->recv->buf = call->buf;
	rpcrdma_encode_init(&call->enc, call->buf, MAX_MESG);
	rpcrdma_encode_fixed(&call->enc, cpu_to_be32(1), RPCRDMA_VERSION_1, 1,
			     type);
	return call;
}

/* End the header, append the inline part, decode it all, start the Reads. */
static int call_start(struct kunit *test, struct read_call *call,
		      const u8 *payload, u32 payload_len)
{
	int len;

	rpcrdma_encode_list_end(&call->enc);
	rpcrdma_encode_list_end(&call->enc);
	rpcrdma_encode_list_end(&call->enc);
	len = rpcrdma_encode_finish(&call->enc);
	KUNIT_ASSERT_GT(test, len, 0);
	if (payload_len)
		memcpy(call->buf + len, payload, payload_len);
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_decode(&call->recv->hdr, call->buf,
						len + payload_len));
	return svc_rdma_read_start(call->rqst, call->conn, call->recv);
}

/* The call that nfsd would see is byte for byte what was sent. */
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

/* Put @len bytes into the requester's memory, as one to @pieces segments. */
static void add_chunk(struct read_call *call, u32 position, const u8 *data,
		      u32 len, u32 pieces)
{
	struct rpcrdma_segment seg;
	u32 part, left = len;

	while (pieces--) {
		part = pieces ? get_random_u32_below(left + 1) : left;
		seg = fake_segment(part);
		memcpy(fake.memory + seg.offset, data, part);
		rpcrdma_encode_read_segment(&call->enc, position, &seg);
		data += part;
		left -= part;
	}
}

static void fill_random(u8 *buf, u32 len, u64 *state)
{
	u32 i;

	for (i = 0; i < len; i++) {
		*state = *state * 6364136223846793005ull + 1442695040888963407ull;
		buf[i] = *state >> 56;
	}
}

#include "svc_read_cases.h"

/* The stream: the base with each chunk, rounded up, at its position. */
static void compose(struct read_call *call, const struct read_case *c,
		    const u8 *base, u8 **data)
{
	u32 i, gap, from = 0, at = 0;

	for (i = 0; i < c->nchunks; i++) {
		gap = c->chunks[i].position - at;
		memcpy(call->want + at, base + from, gap);
		from += gap;
		at += gap;
		memcpy(call->want + at, data[i], c->chunks[i].length);
		at += xdr_align_size(c->chunks[i].length);
	}
	memcpy(call->want + at, base + from, c->base - from);
	call->want_len = at + c->base - from;
}

static void run_case(struct kunit *test, const struct read_case *c, u64 state)
{
	struct read_call *call = call_create(test, c->type);
	bool nomsg = c->type == RPCRDMA_NOMSG;
	u8 *base, *data[MAX_CHUNKS];
	u32 i, n;

	/* Arrange */
	base = fake_zalloc(test, MAX_MESG);
	fill_random(base, c->base, &state);
	if (nomsg && !c->reverse)
		add_chunk(call, 0, base, c->base, c->pieces);
	for (i = 0; i < c->nchunks; i++) {
		data[i] = fake_zalloc(test, c->chunks[i].length);
		fill_random(data[i], c->chunks[i].length, &state);
	}
	for (i = 0; i < c->nchunks; i++) {
		n = c->reverse ? c->nchunks - 1 - i : i;
		add_chunk(call, c->chunks[n].position, data[n],
			  c->chunks[n].length, c->pieces);
	}
	if (nomsg && c->reverse)
		add_chunk(call, 0, base, c->base, c->pieces);
	compose(call, c, base, data);

	/* Act */
	KUNIT_ASSERT_EQ(test, 0, call_start(test, call, base,
					    nomsg ? 0 : c->base));

	/* Assert */
	call_expect(test, call);
}

static void reassembled(struct kunit *test)
{
	run_case(test, test->param_value, 5666);
}

/* Chunks wherever they may be, as long as they may be */
static void reassembled_random(struct kunit *test)
{
	u64 state = seed ? seed : get_random_u32();
	u32 round, i, at, base;
	struct read_case c;

	kunit_info(test, "seed=%llu", state);
	for (round = 0; round < 100; round++) {
		u8 r[4 * MAX_CHUNKS + 4];

		fill_random(r, sizeof(r), &state);
		memset(&c, 0, sizeof(c));
		c.type = r[0] & 1 ? RPCRDMA_NOMSG : RPCRDMA_MSG;
		c.nchunks = 1 + r[1] % MAX_CHUNKS;
		c.pieces = 1 + r[2] % MAX_PIECES;
		c.reverse = r[3] & 1;
		for (i = 0, at = 0, base = 0; i < c.nchunks; i++) {
			u32 gap = 4 * (r[4 + 4 * i] + (i == 0));

			base += gap;
			c.chunks[i].position = at + gap;
			c.chunks[i].length = 1 + r[5 + 4 * i] * r[6 + 4 * i] / 8;
			at += gap + xdr_align_size(c.chunks[i].length);
		}
		c.base = base + 4 * (r[2] >> 4);
		run_case(test, &c, state);
	}
}

static void refused(struct kunit *test)
{
	const struct bad_read *c = test->param_value;
	struct read_call *call = call_create(test, c->type);
	u8 *base = fake_zalloc(test, MAX_MESG);
	struct rpcrdma_segment seg = { .handle = 1 };
	u32 i;

	/* Arrange */
	for (i = 0; i < c->n; i++) {
		seg.length = c->segs[i].length;
		rpcrdma_encode_read_segment(&call->enc, c->segs[i].position,
					    &seg);
	}

	/* Act and assert */
	KUNIT_EXPECT_EQ(test, call_start(test, call, base, c->base), c->error);
	KUNIT_EXPECT_EQ(test, fake.wrs, 0);
}

/* RFC 5666 section 3.4 sets no limit; the responder has one. */
static void too_many_chunks(struct kunit *test)
{
	struct read_call *call = call_create(test, RPCRDMA_MSG);
	u8 *base = fake_zalloc(test, MAX_MESG);
	u32 i;

	for (i = 0; i <= SVC_RDMA_CHUNKS; i++)
		add_chunk(call, 8 * (i + 1), base, 4, 1);
	KUNIT_EXPECT_EQ(test, call_start(test, call, base, 1024), -E2BIG);
	KUNIT_EXPECT_EQ(test, fake.wrs, 0);
	/* v2 draft section 5.3.3: how many there may be, which is true */
	KUNIT_EXPECT_EQ(test, call->recv->fault.code,
			RPCRDMA2_ERR_READ_CHUNKS);
	KUNIT_EXPECT_EQ(test, call->recv->fault.value, SVC_RDMA_CHUNKS);

	call = call_create(test, RPCRDMA_MSG);
	for (i = 0; i < SVC_RDMA_CHUNKS; i++)
		add_chunk(call, 8 * (i + 1), base, 4, 1);
	KUNIT_EXPECT_EQ(test, call_start(test, call, base, 1024), 0);
	KUNIT_EXPECT_EQ(test, call->recv->fault.code, 0);
}

/* Segments of no bytes between others change nothing. */
static void empty_segments(struct kunit *test)
{
	struct read_call *call = call_create(test, RPCRDMA_MSG);
	u64 state = 8166;

	/* Arrange */
	fill_random(call->want, 204, &state);
	add_chunk(call, 100, NULL, 0, 1);
	add_chunk(call, 100, call->want + 100, 60, 1);
	add_chunk(call, 100, NULL, 0, 2);
	add_chunk(call, 100, call->want + 160, 44, 1);
	add_chunk(call, 4, NULL, 0, 1);
	call->want_len = 204;

	/* Act */
	KUNIT_ASSERT_EQ(test, 0, call_start(test, call, call->want, 100));

	/* Assert */
	call_expect(test, call);
}

/* A call with one Read chunk */
static int start_one(struct kunit *test, struct read_call *call)
{
	u64 state = 5666;

	fill_random(call->want, 204, &state);
	add_chunk(call, 100, call->want + 100, 104, 1);
	call->want_len = 204;
	return call_start(test, call, call->want, 100);
}

/* No thread waits for the Send Queue: who makes room posts the Reads. */
static void waits_for_queue(struct kunit *test)
{
	struct read_call *call = call_create(test, RPCRDMA_MSG);
	struct svc_rdma_sq_wait *wait;

	/* Act: the queue is full */
	queue.full = true;
	KUNIT_ASSERT_EQ(test, 0, start_one(test, call));
	KUNIT_EXPECT_EQ(test, queue.posted, 0);
	wait = &call->recv->read->wait;
	KUNIT_EXPECT_EQ(test, wait->entries, call->recv->read->wrs);

	/* Act and assert: there is room */
	wait->ready(wait, 0);
	KUNIT_EXPECT_EQ(test, queue.posted, 1);
	KUNIT_EXPECT_EQ(test, queue.puts, 0);
	call_expect(test, call);
}

/* The connection closes meanwhile: the call goes, once, and nothing is posted. */
static void waits_in_vain(struct kunit *test)
{
	struct read_call *call = call_create(test, RPCRDMA_MSG);

	queue.full = true;
	KUNIT_ASSERT_EQ(test, 0, start_one(test, call));
	call->recv->read->wait.ready(&call->recv->read->wait, -ENOTCONN);
	KUNIT_EXPECT_EQ(test, queue.posted, 0);
	KUNIT_EXPECT_EQ(test, queue.puts, 1);
	KUNIT_EXPECT_EQ(test, queue.given, 0);
}

/*
 * Reads before the one that could not be posted may be executing: the call's
 * pages stay until the Queue Pair is gone, and nobody is handed the call.
 */
static void not_posted(struct kunit *test)
{
	struct read_call *call = call_create(test, RPCRDMA_MSG);

	queue.refuses = true;
	KUNIT_EXPECT_EQ(test, 0, start_one(test, call));
	KUNIT_EXPECT_EQ(test, queue.closed, 1);
	KUNIT_EXPECT_EQ(test, queue.puts, 0);
	KUNIT_EXPECT_EQ(test, queue.enqueued, 0);
	KUNIT_EXPECT_NOT_NULL(test, call->recv->read);
	KUNIT_EXPECT_TRUE(test, list_empty(&call->conn->read_done));
}

static void completed(struct read_call *call, enum ib_wc_status status)
{
	struct svc_rdma_read *read = call->recv->read;
	struct ib_wc wc = { .status = status, .wr_cqe = &read->cqe };
	struct ib_cq cq = { .cq_context = call->conn };

	read->cqe.done(&cq, &wc);
}

/* Data has arrived: an nfsd thread takes the call. Or it has not. */
static void completion(struct kunit *test)
{
	struct read_call *call = call_create(test, RPCRDMA_MSG);

	KUNIT_ASSERT_EQ(test, 0, start_one(test, call));
	completed(call, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, queue.given, call->recv->read->wrs);
	KUNIT_EXPECT_EQ(test, queue.enqueued, 1);
	KUNIT_EXPECT_TRUE(test, test_bit(XPT_DATA, &call->conn->xprt.xpt_flags));
	KUNIT_EXPECT_PTR_EQ(test, call->conn->read_done.next,
			    &call->recv->read->list);

	call = call_create(test, RPCRDMA_MSG);
	KUNIT_ASSERT_EQ(test, 0, start_one(test, call));
	completed(call, IB_WC_REM_ACCESS_ERR);
	KUNIT_EXPECT_EQ(test, queue.failed, 1);
	KUNIT_EXPECT_EQ(test, queue.given, call->recv->read->wrs);
	KUNIT_EXPECT_EQ(test, queue.closed, 1);
	/* siw reports it twice. */
	completed(call, IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, queue.given, call->recv->read->wrs);
	KUNIT_EXPECT_EQ(test, queue.closed, 1);
	/* It stays with the call, until there are no completions. */
	KUNIT_EXPECT_NOT_NULL(test, call->recv->read);
	KUNIT_EXPECT_EQ(test, queue.puts, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&call->conn->read_done));
}

static void no_memory(struct kunit *test)
{
	struct read_call *call = call_create(test, RPCRDMA_MSG);

	fake_memory_left = 0;
	KUNIT_EXPECT_EQ(test, -ENOMEM, start_one(test, call));
	fake_memory_left = -1;
	KUNIT_EXPECT_NULL(test, call->recv->read);
}

/*
 * RFC 5531 section 8.2: the flavor of the credential is the seventh word. With
 * RPCSEC_GSS, data behind the first page cannot be moved into the head.
 */
static void protected(struct kunit *test)
{
	static const struct {
		u32 flavor, position;
		int status;
	} cases[] = {
		{ RPC_AUTH_GSS, 4100, -E2BIG },
		{ RPC_AUTH_GSS, 4096, -E2BIG },
		{ RPC_AUTH_GSS, 4092, 0 },
		{ RPC_AUTH_UNIX, 4100, 0 },
	};
	struct read_call *call;
	u64 state = 2203;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		call = call_create(test, RPCRDMA_NOMSG);
		fill_random(call->want, 8200, &state);
		put_unaligned_be32(cases[i].flavor, call->want + 24);
		add_chunk(call, 0, call->want, cases[i].position, 1);
		add_chunk(call, cases[i].position,
			  call->want + cases[i].position,
			  8200 - cases[i].position, 1);
		call->want_len = 8200;
		KUNIT_ASSERT_EQ(test, 0, call_start(test, call, NULL, 0));
		if (!cases[i].status) {
			call_expect(test, call);
			KUNIT_EXPECT_EQ(test, !!call->recv->read->mapped,
					cases[i].position >= PAGE_SIZE);
			continue;
		}
		fill_pages(test, call->rqst);
		KUNIT_EXPECT_EQ(test, cases[i].status,
				svc_rdma_read_finish(call->rqst,
						     call->recv->read));
		KUNIT_EXPECT_EQ(test, call->recv->fault.code,
				RPCRDMA2_ERR_READ_CHUNKS);
		KUNIT_EXPECT_EQ(test, call->recv->fault.value, 1);
		KUNIT_EXPECT_EQ(test, queue.closed, 0);
	}
}

/*
 * soft-RoCE says that a Read has succeeded, and the Queue Pair has failed. No
 * byte of it reaches nfsd. Other devices are not asked.
 */
static void unconfirmed(struct kunit *test)
{
	static const struct {
		enum rdma_driver_id driver;
		enum ib_qp_state state;
		int ret;
	} cases[] = {
		{ RDMA_DRIVER_RXE, IB_QPS_RTS, 0 },
		{ RDMA_DRIVER_RXE, IB_QPS_ERR, -EIO },
		{ RDMA_DRIVER_SIW, IB_QPS_ERR, 0 },
	};
	u64 before = fake_count(reads_unconfirmed);
	struct read_call *call;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		call = call_create(test, RPCRDMA_MSG);
		KUNIT_ASSERT_EQ(test, 0, start_one(test, call));
		completed(call, IB_WC_SUCCESS);
		fill_pages(test, call->rqst);
		call->conn->qp->device->ops.driver_id = cases[i].driver;
		queue.qp_state = cases[i].state;
		KUNIT_EXPECT_EQ_MSG(test, cases[i].ret,
				    svc_rdma_read_finish(call->rqst,
							 call->recv->read),
				    "case %u", i);
	}
	KUNIT_EXPECT_EQ(test, fake_count(reads_unconfirmed) - before, 1);
}

/* A call whose Reads of @pages pages are started */
static struct read_call *start_pages(struct kunit *test,
				     struct svc_rdma_conn *conn, u32 pages)
{
	struct read_call *call = call_create(test, RPCRDMA_NOMSG);

	if (conn)
		call->conn = conn;
	add_chunk(call, 0, call->want, pages * PAGE_SIZE, 1);
	call->want_len = pages * PAGE_SIZE;
	KUNIT_EXPECT_EQ(test, 0, call_start(test, call, NULL, 0));
	return call;
}

/* What nfsd does with XPT_DATA set: it takes the call that waits, if any. */
static struct svc_rdma_read *next_charged(struct svc_rdma_conn *conn)
{
	struct svc_rdma_read *read;

	spin_lock_bh(&conn->recv_lock);
	read = svc_rdma_read_next_charged(conn);
	spin_unlock_bh(&conn->recv_lock);
	return read;
}

static bool waits(const struct read_call *call)
{
	return !call->recv->read->charge && !call->recv->read->npages;
}

/* Calls beyond the bound of their connection wait without pages, in order. */
static void bounded(struct kunit *test)
{
	struct read_call *first, *second, *third;
	struct svc_rdma_conn *conn;

	/* Arrange: the second one is too much, so the third is behind it */
	first = start_pages(test, NULL, 10);
	conn = first->conn;
	KUNIT_EXPECT_FALSE(test, waits(first));
	KUNIT_EXPECT_EQ(test, conn->read_pages, 10);
	second = start_pages(test, conn, 15);
	third = start_pages(test, conn, 2);
	KUNIT_EXPECT_TRUE(test, waits(second));
	KUNIT_EXPECT_TRUE(test, waits(third));
	KUNIT_EXPECT_EQ(test, queue.posted, 0);
	KUNIT_EXPECT_EQ(test, conn->read_pages, 10);
	KUNIT_EXPECT_PTR_EQ(test, next_charged(conn), NULL);

	/* Act: nfsd takes the first one, whose pages become its own */
	call_expect(test, first);

	/* Assert: the thread that is woken finds both, the oldest first */
	KUNIT_EXPECT_EQ(test, conn->read_pages, 0);
	KUNIT_EXPECT_EQ(test, queue.enqueued, 1);
	KUNIT_EXPECT_TRUE(test, test_bit(XPT_DATA, &conn->xprt.xpt_flags));
	KUNIT_EXPECT_PTR_EQ(test, next_charged(conn), second->recv->read);
	KUNIT_EXPECT_EQ(test, 0, svc_rdma_read_resume(second->rqst,
						      second->recv->read));
	KUNIT_EXPECT_EQ(test, queue.posted, 1);
	KUNIT_EXPECT_EQ(test, second->recv->read->npages, 15);
	KUNIT_EXPECT_PTR_EQ(test, next_charged(conn), third->recv->read);
	KUNIT_EXPECT_PTR_EQ(test, next_charged(conn), NULL);
	KUNIT_EXPECT_EQ(test, conn->read_pages, 17);

	/* What is dropped gives its pages back, whether they were taken or not. */
	free_call(second);
	KUNIT_EXPECT_EQ(test, conn->read_pages, 2);
	free_call(third);
	KUNIT_EXPECT_EQ(test, conn->read_pages, 0);
	KUNIT_EXPECT_EQ(test, queue.enqueued, 1);
}

/*
 * A call for whose Reads no region is left waits for another one's to be
 * returned; the thread keeps its pages, and the connection lives on.
 */
static void regions_short(struct kunit *test)
{
	struct read_call *first, *second;
	struct svc_rdma_conn *conn;

	/* Arrange */
	first = start_pages(test, NULL, 2);
	conn = first->conn;
	second = call_create(test, RPCRDMA_NOMSG);
	second->conn = conn;
	second->want_len = 3 * PAGE_SIZE;
	queue.no_region = true;

	/* Act and assert: at first, and when it is looked at again too early */
	add_chunk(second, 0, second->want, second->want_len, 1);
	KUNIT_EXPECT_EQ(test, 0, call_start(test, second, NULL, 0));
	KUNIT_ASSERT_TRUE(test, waits(second));
	KUNIT_EXPECT_PTR_EQ(test, next_charged(conn), second->recv->read);
	KUNIT_EXPECT_EQ(test, 0, svc_rdma_read_resume(second->rqst,
						      second->recv->read));
	KUNIT_EXPECT_TRUE(test, waits(second));
	KUNIT_EXPECT_NOT_NULL(test, second->rqst->rq_pages[0]);
	KUNIT_EXPECT_NOT_NULL(test, second->rqst->rq_pages[2]);
	KUNIT_EXPECT_EQ(test, conn->read_pages, 2);
	KUNIT_EXPECT_EQ(test, queue.enqueued, 0);
	KUNIT_EXPECT_EQ(test, queue.closed, 0);

	/* Act and assert: the first one is served */
	queue.no_region = false;
	call_expect(test, first);
	KUNIT_EXPECT_EQ(test, queue.enqueued, 1);
	KUNIT_EXPECT_PTR_EQ(test, next_charged(conn), second->recv->read);
	KUNIT_EXPECT_EQ(test, 0, svc_rdma_read_resume(second->rqst,
						      second->recv->read));
	KUNIT_EXPECT_EQ(test, second->recv->read->npages, 3);
	free_call(second);
}

/* Regions that were returned meanwhile are looked for at once, others never. */
static void regions_returned(struct kunit *test)
{
	struct read_call *call = start_pages(test, NULL, 2);

	svc_rdma_read_defer(call->recv->read);
	KUNIT_EXPECT_EQ(test, queue.enqueued, 1);
	KUNIT_EXPECT_EQ(test, call->conn->read_pages, 0);
	KUNIT_EXPECT_PTR_EQ(test, next_charged(call->conn), call->recv->read);
	free_call(call);

	call = call_create(test, RPCRDMA_NOMSG);
	add_chunk(call, 0, call->want, PAGE_SIZE, 1);
	queue.no_region = true;
	KUNIT_EXPECT_EQ(test, -E2BIG, call_start(test, call, NULL, 0));
	queue.no_region = false;
}

/* However much is in use elsewhere, each connection may read one call. */
static void bounded_total(struct kunit *test)
{
	struct read_call *first, *second, *other, *more;

	first = start_pages(test, NULL, 20);
	fake_calls_bytes_total = 22 * PAGE_SIZE;
	second = start_pages(test, NULL, 3);
	fake_calls_bytes_total = 22 * PAGE_SIZE;
	KUNIT_EXPECT_FALSE(test, waits(second));
	other = call_create(test, RPCRDMA_NOMSG);
	other->conn = second->conn;
	fake_calls_bytes_total = 22 * PAGE_SIZE;
	add_chunk(other, 0, other->want, 4, 1);
	KUNIT_EXPECT_EQ(test, 0, call_start(test, other, NULL, 0));
	KUNIT_EXPECT_TRUE(test, waits(other));

	/* The sum is what it was when nobody has any. */
	free_call(first);
	KUNIT_EXPECT_PTR_EQ(test, next_charged(second->conn),
			    other->recv->read);
	free_call(other);
	free_call(second);
	fake_calls_bytes_total = 24 * PAGE_SIZE;
	first = start_pages(test, NULL, 1);
	fake_calls_bytes_total = 2 * PAGE_SIZE;
	more = call_create(test, RPCRDMA_NOMSG);
	more->conn = first->conn;
	fake_calls_bytes_total = 2 * PAGE_SIZE;
	add_chunk(more, 0, more->want, PAGE_SIZE, 1);
	KUNIT_EXPECT_EQ(test, 0, call_start(test, more, NULL, 0));
	KUNIT_EXPECT_FALSE(test, waits(more));
}

/* A connection that is closing wakes nobody. */
static void bounded_closing(struct kunit *test)
{
	struct read_call *first = start_pages(test, NULL, 20);
	struct read_call *second = start_pages(test, first->conn, 20);

	KUNIT_EXPECT_TRUE(test, waits(second));
	atomic_set(&first->conn->state, SVC_RDMA_CLOSING);
	free_call(first);
	KUNIT_EXPECT_EQ(test, queue.enqueued, 0);
	KUNIT_EXPECT_EQ(test, first->conn->read_pages, 0);
}

static struct kunit_case svc_read_cases[] = {
	KUNIT_CASE_PARAM(reassembled, read_case_gen_params),
	KUNIT_CASE(reassembled_random),
	KUNIT_CASE_PARAM(refused, bad_read_gen_params),
	KUNIT_CASE(too_many_chunks),
	KUNIT_CASE(empty_segments),
	KUNIT_CASE(waits_for_queue),
	KUNIT_CASE(waits_in_vain),
	KUNIT_CASE(not_posted),
	KUNIT_CASE(completion),
	KUNIT_CASE(unconfirmed),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(protected),
	KUNIT_CASE(bounded),
	KUNIT_CASE(bounded_total),
	KUNIT_CASE(regions_short),
	KUNIT_CASE(regions_returned),
	KUNIT_CASE(bounded_closing),
	{}
};

static struct kunit_suite svc_read_suite = {
	.name = "svc_rdma_read",
	.exit = balance_exit,
	.test_cases = svc_read_cases,
};

kunit_test_suite(svc_read_suite);

MODULE_DESCRIPTION("KUnit suite of svcrdma's Read chunks");
MODULE_LICENSE("GPL");
