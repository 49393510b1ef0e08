/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For the suites of ext/pulled/fetch.c: a connection, messages in Read chunks that
 * arrive on it, and the checks when all of them have ended.
 */
#ifndef _XPRT_RDMA_XPRT_READ_MESSAGES_H
#define _XPRT_RDMA_XPRT_READ_MESSAGES_H

/* More than there are entries for */
#define ORD	255u

static struct xprt_rdma_conn *connection(struct kunit *test, u32 pages)
{
	struct xprt_rdma_conn *conn = fake_verbs_conn(test);

	memset(&hw, 0, sizeof(hw));
	memset(&owner, 0, sizeof(owner));
	hw.factor = 1;
	fake_memory_left = -1;
	fake_remote_inv = true;
	conn->qp = fake_zalloc(test, sizeof(*conn->qp));
	conn->qp->device = conn->device;
	conn->life.state = XPRT_RDMA_CONNECTED;
	conn->credits.max = CREDITS;
	conn->device->attrs.max_sge_rd = 256;
	conn->sq.max_sges = pages;
	xprt_rdma_pulled_query(conn);
	conn->peer.ord = ORD;
	return conn;
}

static __maybe_unused void completed(struct xprt_rdma_fetch *fetch, int status)
{
	u32 i = owner.completed++ % ARRAY_SIZE(owner.order);

	owner.status = status;
	owner.order[i] = be32_to_cpu(fetch->recv->hdr.xid);
}

static struct message *receive(struct kunit *test, struct xprt_rdma_conn *conn,
			       const struct round_case *c)
{
	struct message *m = fake_zalloc(test, sizeof(*m));
	struct rpcrdma_encoder enc;
	int i, len;

	fill_buffer(test, m, c->page_base);
	rpcrdma_encode_init(&enc, m->msg, MAX_MESSAGE);
	rpcrdma_encode_fixed(&enc, cpu_to_be32(XID), RPCRDMA_VERSION_1, 1,
			     c->base ? RPCRDMA_MSG : RPCRDMA_NOMSG);
	encode_chunks(m, c, &enc);
	len = rpcrdma_encode_finish(&enc);
	KUNIT_ASSERT_GT(test, len, 0);
	KUNIT_ASSERT_LE(test, len + c->base, MAX_MESSAGE);
	for (i = 0; i < c->base; i++)
		m->msg[len + i] = i % 97 + 1;
	KUNIT_ASSERT_EQ(test, 0, rpcrdma_decode(&m->recv.hdr, m->msg,
						len + c->base));
	m->recv.conn = conn;
	m->silent = c->silent;
	expect_message(test, m, c, m->msg + len);
	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_layout_reads(&m->layout,
							&m->recv.hdr));
	KUNIT_ASSERT_EQ(test, m->len, xprt_rdma_layout_length(&m->layout));
	if (c->room) {
		KUNIT_ASSERT_GT(test, m->len, c->room);
		m->len = c->room;
	}
	m->layout.room = m->len;
	KUNIT_ASSERT_EQ(test, 0,
			xprt_rdma_layout_place(&m->layout,
					       &m->req.rqst.rq_rcv_buf,
					       &m->recv.hdr));
	return m;
}

/* Fetch a message as its owner does. Returns false if there is no memory. */
static __maybe_unused bool fetch(struct message *m)
{
	struct xprt_rdma_fetch *fetch;

	fetch = xprt_rdma_fetch_create(&m->recv, !m->silent);
	if (!fetch)
		return false;
	fetch->req = &m->req;
	fetch->layout = m->layout;
	fetch->complete = completed;
	xprt_rdma_fetch_start(fetch, &m->recv);
	return true;
}

static __maybe_unused void decline(struct message *m)
{
	xprt_rdma_fetch_decline(xprt_rdma_fetch_create(&m->recv, true),
				m->recv.conn);
}

/* Each byte is in its place, and nothing else was written. */
static __maybe_unused void expect_placed(struct kunit *test, const struct message *m)
{
	const struct xdr_buf *xdr = &m->req.rqst.rq_rcv_buf;
	u32 i, end = xdr->page_base + PAGE_BYTES;
	u8 byte;

	for (i = 0; i < xdr->len; i++) {
		KUNIT_ASSERT_EQ(test, 0,
				read_bytes_from_xdr_buf(xdr, i, &byte, 1));
		if (byte != (i < m->len ? m->want[i] : CANARY))
			KUNIT_ASSERT_EQ_MSG(test, byte,
					    i < m->len ? m->want[i] : CANARY,
					    "byte %u of %u", i, m->len);
	}
	for (i = 0; i < (PAGES + 1) * PAGE_SIZE; i++) {
		if (i >= xdr->page_base && i < end)
			continue;
		byte = *((u8 *)page_address(xdr->pages[i >> PAGE_SHIFT]) +
			 offset_in_page(i));
		if (byte != CANARY)
			KUNIT_ASSERT_EQ_MSG(test, byte, CANARY, "at %u", i);
	}
}

/*
 * Nothing of any Reads is left, once the end of the connection has freed all.
 */
static __maybe_unused void expect_over(struct kunit *test, struct xprt_rdma_conn *conn)
{
	u32 completed = owner.completed;

	xprt_rdma_pulled_flush(conn);
	KUNIT_EXPECT_EQ(test, owner.completed, completed);
	KUNIT_EXPECT_EQ(test, conn->fetches.reads, 0);
	KUNIT_EXPECT_EQ(test, conn->fetches.dones, 0);
	KUNIT_EXPECT_EQ(test, conn->fetches.declines, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->fetches.waiting));
	KUNIT_EXPECT_TRUE(test, list_empty(&conn->fetches.all));
	KUNIT_EXPECT_EQ(test, hw.mapped, hw.unmapped);
	KUNIT_EXPECT_EQ(test, hw.nchains, 0);
	KUNIT_EXPECT_EQ(test, fake_count(read_ctxs_created),
			fake_count(read_ctxs_destroyed));
	KUNIT_EXPECT_EQ(test, fake_count(regbufs_created),
			fake_count(regbufs_destroyed));
}

/* A message that needs more than one chain of Reads, and one that needs less */
static const struct round_case many = {
	.chunks = { { 0, HEAD + (OPS + 3) * PAGE_SIZE } }, .pages = 1,
}, few = {
	.chunks = { { 0, HEAD + 3 * PAGE_SIZE } }, .pages = 1,
};

#endif /* _XPRT_RDMA_XPRT_READ_MESSAGES_H */
