// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a reply too long for the message and its chunks is advertised to the
 * requester, which reads every byte of it (reliable-reply draft section 4.1;
 * RFC 5666 sections 3.4, 3.8 and 11). The advertised memory is bounded, and
 * accessible only until RDMA_DONE, a timeout or the end of the connection. If
 * this failed, a client would read the wrong data, or a hostile client could
 * read or pin the server's memory.
 */
#include "svc_reply_fakes.h"

/* A reply that does not fit into the message */
static const struct shape {
	const char *name;
	const struct svc_rdma_version *version;
	u32 pages;	/* bytes in the page list */
	u32 segments;	/* segments that advertise it */
	/* Bytes of a Write chunk, and bytes written to it */
	u32 write, length;
	u32 reply;	/* bytes of a Reply chunk */
} shapes[] = {
	{ "version 1", &svc_rdma_v1, 4096, 3 },
	{ "version 2", &svc_rdma_v2, 4096, 3 },
	{ "end of a page", &svc_rdma_v2, 8192, 3 },
	{ "as many pages as a region takes", &svc_rdma_v2, 16384, 3 },
	{ "one page more", &svc_rdma_v2, 16385, 4 },
	{ "as long as can be", &svc_rdma_v2, MAX_PAGES * 4096, 8 },
	{ "Reply chunk too small", &svc_rdma_v2, 5000, 3, .reply = 5000 },
	{ "Reply chunk too small, version 1", &svc_rdma_v1, 5000, 3, .reply = 5000 },
	{ "Write chunk as well", &svc_rdma_v2, 8192, 3, 4096, 4096 },
	{ "Write chunk as well, version 1", &svc_rdma_v1, 8192, 3, 4096, 4096 },
};

KUNIT_ARRAY_PARAM_DESC(shape, shapes, name);

/* The requester reads the whole reply except the part in a Write chunk. */
static void expect_stream(struct kunit *test, const struct shape *shape)
{
	u32 rest = HEAD + shape->pages + TAIL - shape->length;

	KUNIT_ASSERT_EQ(test, rdma_read(), rest);
	KUNIT_EXPECT_EQ(test, memcmp(s->got, s->want, HEAD), 0);
	KUNIT_EXPECT_EQ(test, memcmp(s->got + HEAD,
				     s->want + HEAD + shape->length,
				     rest - HEAD), 0);
	KUNIT_EXPECT_EQ(test, memcmp(fake.memory, s->want + HEAD, shape->length), 0);
}

static void expect_header(struct kunit *test, const struct shape *shape)
{
	bool v2 = shape->version == &svc_rdma_v2;

	KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.xid), XID);
	KUNIT_EXPECT_EQ(test, hdr.type, RPCRDMA_NOMSG);
	KUNIT_EXPECT_EQ(test, hdr.flags, v2 ? RPCRDMA2_F_RESPONSE : 0);
	KUNIT_EXPECT_EQ(test, hdr.inv_handle, v2 ? handle_of(0) : 0);
	KUNIT_EXPECT_EQ(test, hdr.reads.segments, shape->segments);
	KUNIT_EXPECT_EQ(test, hdr.writes.chunks, !!shape->write);
	KUNIT_EXPECT_EQ(test, hdr.writes.bytes, shape->length);
	KUNIT_EXPECT_EQ(test, hdr.reply.chunks, 0);
	/* Section 5.2.3: the expected RDMA_DONE takes one credit. */
	KUNIT_EXPECT_EQ(test, hdr.credits, GRANT - 1);
}

/* A call that offers chunks of one segment each */
static void offers(struct kunit *test, u32 write, u32 reply)
{
	const u32 writes[MAX_RESULTS][MAX_SEGMENTS] = { { write } };
	const u32 segments[MAX_SEGMENTS] = { reply };

	make_call(test, XID, writes, segments);
}

/* The requester reads the whole reply; RDMA_DONE releases everything. */
static void reads_reply(struct kunit *test)
{
	const struct shape *shape = test->param_value;

	fake_version = shape->version;
	offers(test, shape->write, shape->reply);
	if (shape->length)
		put_unaligned_be32(shape->length, s->want + HEAD - 4);
	make_reply(s->head, s->pages, 0, shape->pages);
	if (shape->length)
		svc_rdma_payload_add(s->rqst, HEAD, shape->length);

	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);

	decode(test);
	expect_header(test, shape);
	expect_stream(test, shape);
	expect_accessible(test, shape->segments);
	KUNIT_EXPECT_EQ(test, page_count(s->head), 3);

	/* Act and assert: RDMA_DONE, and the invalidation's completion */
	complete_sends();
	KUNIT_EXPECT_FALSE(test, done(XID, 0));
	expect_accessible(test, 0);
	KUNIT_EXPECT_EQ(test, page_count(s->head), 3);
	KUNIT_EXPECT_EQ(test, conn->traffic.read_replies, 1);
	KUNIT_EXPECT_EQ(test, conn->traffic.reply_bytes, s->rqst->rq_res.len);
	expect_released(test);
}

/* A reply that fits inline or into the Reply chunk is not advertised. */
static void not_needed(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, serve(test, XID, 400), 0);
	decode(test);
	KUNIT_EXPECT_EQ(test, hdr.type, RPCRDMA2_MSG);
	KUNIT_EXPECT_EQ(test, hdr.credits, GRANT);
	offers(test, 0, HEAD + 5000 + TAIL);
	make_reply(s->head, s->pages, 0, 5000);
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	decode(test);
	KUNIT_EXPECT_EQ(test, hdr.type, RPCRDMA2_NOMSG);
	KUNIT_EXPECT_EQ(test, hdr.reply.chunks, 1);
	KUNIT_EXPECT_EQ(test, hdr.reads.segments, 0);
	KUNIT_EXPECT_EQ(test, outside.allocated, 0);
	expect_released(test);
}

/*
 * Section 4.1.3: a requester that sends no RDMA_DONE gets no more adverts than
 * the administrator's limit, nor more than the connection's credits.
 */
static void bounded_number(struct kunit *test)
{
	u32 i, by_grant;

	for (by_grant = 0; by_grant < 2; by_grant++) {
		fake_max = by_grant ? 64 : 3;
		conn->credits.max = by_grant ? 3 : 64;
		for (i = 0; i < 3; i++) {
			advertised(test, XID + i, 5000);
			KUNIT_EXPECT_EQ(test, hdr.credits, GRANT - 1 - i);
		}
		refused(test, XID + 3, 5000);
		/* RDMA_DONE makes room before the invalidation completes. */
		done(XID + 1, 0);
		advertised(test, XID + 3, 5000);
		refused(test, XID + 4, 5000);
		KUNIT_EXPECT_EQ(test, list_count_nodes(&conn->adverts.all), 4);
		complete_invs(IB_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, list_count_nodes(&conn->adverts.all), 3);
		for (i = 0; i < 4; i++)
			done(XID + i, 0);
		expect_released(test);
	}
}

/* RDMA_DONE makes room for an advert only after its Receive is put back. */
static void done_makes_room(struct kunit *test)
{
	struct svc_rdma_recv_ctx recv = { .hdr.xid = cpu_to_be32(XID) };
	struct svc_rdma_advert *advert;

	fake_max = 1;
	advertised(test, XID, 5000);
	advert = svc_rdma_advert_take(conn, &recv, false);
	KUNIT_ASSERT_NOT_NULL(test, advert);
	refused(test, XID + 1, 5000);
	KUNIT_EXPECT_EQ(test, svc_rdma_credits(conn), GRANT - 1);
	svc_rdma_advert_answered(conn, advert, false);
	advertised(test, XID + 1, 5000);
	done(XID + 1, 0);
	expect_released(test);
}

static void bounded_bytes(struct kunit *test)
{
	/* An advert pins its data pages, and pages for head and tail. */
	fake_bytes = 7 * PAGE_SIZE;
	advertised(test, XID, 8192);
	KUNIT_EXPECT_EQ(test, conn->adverts.bytes, 4 * PAGE_SIZE);
	refused(test, XID + 1, 8192);
	advertised(test, XID + 2, 4096);
	refused(test, XID + 3, 1000);
	/* RDMA_DONE makes room before the invalidation completes. */
	done(XID, 0);
	advertised(test, XID + 4, 8192);
	done(XID + 2, 0);
	done(XID + 4, 0);
	expect_released(test);
}

/* RFC 5666 section 11: all connections share one bound on advertised bytes. */
static void bounded_total(struct kunit *test)
{
	u64 others = (128 << 20) - 4 * PAGE_SIZE;

	/* Arrange: other connections hold all but four pages */
	atomic_long_set(&svc_rdma_adverts_total_bytes, others);

	/* Act and assert: a reply of exactly four pages is advertised */
	refused(test, XID, 12288);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&svc_rdma_adverts_total_bytes), others);
	advertised(test, XID + 1, 8192);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&svc_rdma_adverts_total_bytes), 128 << 20);
	refused(test, XID + 2, 1000);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&conn->adverts.all), 1);

	/* Act and assert: RDMA_DONE makes room again */
	done(XID + 1, 0);
	complete_sends();
	complete_invs(IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&svc_rdma_adverts_total_bytes), others);
	advertised(test, XID + 3, 8192);
	done(XID + 3, 0);
	atomic_long_sub(others, &svc_rdma_adverts_total_bytes);
	expect_released(test);
}

/* An idle connection keeps at most SVC_RDMA_MRS_KEPT regions. */
static void few_regions_kept(struct kunit *test)
{
	u32 i;

	for (i = 0; i < SVC_RDMA_MRS_KEPT; i++)
		advertised(test, XID + i, 1000);
	complete_sends();
	for (i = 0; i < SVC_RDMA_MRS_KEPT; i++)
		done(XID + i, 0);
	complete_invs(IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, conn->adverts.nidle, SVC_RDMA_MRS_KEPT);
	KUNIT_EXPECT_EQ(test, list_count_nodes(&outside.regions), SVC_RDMA_MRS_KEPT);
	expect_released(test);
}

static void handles_change(struct kunit *test)
{
	u32 i, last = 0, handle;

	for (i = 0; i < 300; i++) {
		advertised(test, XID + i, 1000);
		handle = handle_of(0);
		KUNIT_ASSERT_NE(test, handle, last);
		last = handle;
		done(XID + i, 0);
		complete_sends();
		complete_invs(IB_WC_SUCCESS);
	}
	KUNIT_EXPECT_LE(test, outside.allocated, 4);
	expect_released(test);
}

/* Makes a reply wait for the Send Queue. Return: entries taken from it. */
static u32 served_later(struct kunit *test)
{
	u32 taken = conn->sq.avail;

	conn->sq.avail -= taken;
	KUNIT_ASSERT_EQ(test, serve(test, XID, 5000), 0);
	KUNIT_ASSERT_EQ(test, outside.error.code, 0);
	KUNIT_ASSERT_EQ(test, outside.len, 0);
	expect_accessible(test, 0);
	return taken;
}

/*
 * Neither RDMA_DONE nor the timeout releases a reply before its Send is posted.
 * A requester that invalidates a handle before svcrdma has sent it is hostile.
 */
static void done_before_posted(struct kunit *test)
{
	struct svc_rdma_advert *advert;
	u32 taken;

	taken = served_later(test);
	advert = list_first_entry(&conn->adverts.all, struct svc_rdma_advert, list);
	KUNIT_EXPECT_TRUE(test, done(XID, svc_rdma_advert_handle(advert)));
	KUNIT_EXPECT_FALSE(test, done(XID, 0));
	svc_rdma_adverts_work(&conn->adverts.work.work);
	KUNIT_EXPECT_EQ(test, outside.invalidations, 0);
	local_bh_disable();
	svc_rdma_sq_give(conn, taken);
	local_bh_enable();
	decode(test);
	KUNIT_EXPECT_EQ(test, rdma_read(), HEAD + 5000 + TAIL);
	KUNIT_EXPECT_FALSE(test, done(XID, svc_rdma_advert_handle(advert)));
	KUNIT_EXPECT_EQ(test, outside.invalidations, 2);
	expect_released(test);
}

/* Section 4.1.3: an RDMA_DONE for an unknown XID is dropped. */
static void done_for_nothing(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, done(XID, 0));
	advertised(test, XID, 5000);
	KUNIT_EXPECT_FALSE(test, done(XID + 1, 0));
	KUNIT_EXPECT_EQ(test, rdma_read(), HEAD + 5000 + TAIL);
	done(XID, 0);
	KUNIT_EXPECT_FALSE(test, done(XID, 0));
	complete_invs(IB_WC_SUCCESS);
	KUNIT_EXPECT_FALSE(test, done(XID, 0));
	KUNIT_EXPECT_EQ(test, fake_count(dones_unknown), 4);
	KUNIT_EXPECT_EQ(test, outside.invalidations, 3);
	KUNIT_EXPECT_EQ(test, fake_closed, 0);
	expect_released(test);
}

/* Section 4.1.4: the requester invalidates one handle, svcrdma the others. */
static void invalidated(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 3; i++) {
		advertised(test, XID + i, 5000);
		outside.invalidations = 0;
		KUNIT_EXPECT_FALSE(test, done(XID + i, handle_of(i)));
		KUNIT_EXPECT_EQ(test, outside.invalidations, 2);
		expect_released(test);
	}

	/* If invalidation is not allowed, no handle is offered for it. */
	conn->caps.invalidate = false;
	advertised(test, XID, 5000);
	KUNIT_EXPECT_EQ(test, hdr.inv_handle, 0);
	done(XID, 0);
	expect_released(test);

	/* With a single region, svcrdma posts no invalidation. */
	conn->caps.invalidate = true;
	outside.invalidations = 0;
	offers(test, 0, 0);
	make_reply(s->head, s->pages, 0, 0);
	s->rqst->rq_res.head[0].iov_len = 3000;
	s->rqst->rq_res.tail[0].iov_len = 0;
	s->rqst->rq_res.len = 3000;
	KUNIT_ASSERT_EQ(test, svc_rdma_reply_send(s->rqst), 0);
	decode(test);
	KUNIT_EXPECT_FALSE(test, done(XID, hdr.inv_handle));
	KUNIT_EXPECT_EQ(test, outside.invalidations, 0);
	expect_released(test);
}

/* An RDMA_DONE must not invalidate a handle of another reply. */
static void invalidated_wrong(struct kunit *test)
{
	u32 first;

	advertised(test, XID, 5000);
	first = handle_of(0);
	advertised(test, XID + 1, 5000);
	KUNIT_EXPECT_TRUE(test, done(XID, handle_of(0)));
	KUNIT_EXPECT_TRUE(test, done(XID, 0x4711));
	KUNIT_EXPECT_TRUE(test, done(XID + 2, first));
	/* No advert was removed from the table; the connection is closed. */
	KUNIT_EXPECT_EQ(test, conn->adverts.awaiting_done, 2);
	KUNIT_EXPECT_EQ(test, outside.invalidations, 0);
}

/* An advert expires; the RDMA_DONE that arrives afterwards uses a credit. */
static void expired(struct kunit *test)
{
	advertised(test, XID, 5000);
	KUNIT_EXPECT_EQ(test, outside.ticks, 1);
	svc_rdma_adverts_work(&conn->adverts.work.work);
	KUNIT_EXPECT_EQ(test, outside.ticks, 2);
	KUNIT_EXPECT_EQ(test, rdma_read(), HEAD + 5000 + TAIL);
	fake_timeout = 0;
	advertised(test, XID + 1, 6000);
	svc_rdma_adverts_work(&conn->adverts.work.work);
	KUNIT_EXPECT_EQ(test, fake_count(adverts_expired), 1);
	KUNIT_EXPECT_EQ(test, rdma_read(), 0);
	KUNIT_EXPECT_EQ(test, conn->adverts.awaiting_done, 1);
	KUNIT_EXPECT_EQ(test, svc_rdma_credits(conn), GRANT - 2);
	complete_invs(IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, svc_rdma_credits(conn), GRANT - 2);
	KUNIT_EXPECT_FALSE(test, done(XID + 1, 0));
	KUNIT_EXPECT_EQ(test, svc_rdma_credits(conn), GRANT - 1);
	KUNIT_EXPECT_TRUE(test, done(XID + 1, handle_of(0)));
	done(XID, 0);
	complete_sends();
	complete_invs(IB_WC_SUCCESS);
	/* No RDMA_DONE is expected, so the timer is not started again. */
	outside.ticks = 0;
	svc_rdma_adverts_work(&conn->adverts.work.work);
	KUNIT_EXPECT_EQ(test, outside.ticks, 0);
	expect_released(test);
}

/* Closing the connection releases all adverts, whatever their state. */
static void closed(struct kunit *test)
{
	u32 i, taken;

	for (i = 0; i < 4; i++)
		advertised(test, XID + i, 5000);
	/* The first advert's invalidation is flushed. */
	done(XID, 0);
	complete_invs(IB_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, fake_closed, 1);
	KUNIT_EXPECT_GT(test, page_count(s->head), 1);
	/* The second advert's release waits for Send Queue entries. */
	taken = conn->sq.avail;
	conn->sq.avail -= taken;
	done(XID + 1, 0);
	fake_sq_close(conn);
	/* The third advert's RDMA_DONE arrives after the Send Queue closed. */
	done(XID + 2, 0);
	KUNIT_EXPECT_EQ(test, outside.invalidations, 3);
	svc_rdma_sq_give(conn, taken);

	complete_sends();
	svc_rdma_adverts_destroy(conn);

	KUNIT_EXPECT_TRUE(test, list_empty(&outside.regions));
	/* Destroying the adverts returns no Send Queue entries. */
	conn->sq.avail = SQ_DEPTH;
	expect_released(test);
	KUNIT_EXPECT_EQ(test, fake_count(advert_mrs_now), 0);
	svc_rdma_adverts_init(conn);
}

/* Posting a queued reply does not restart a timer that was stopped. */
static void timer_stopped(struct kunit *test)
{
	u32 taken;

	taken = served_later(test);
	svc_rdma_adverts_stop(conn);
	svc_rdma_sq_give(conn, taken);
	KUNIT_EXPECT_EQ(test, outside.ticks, 1);
	KUNIT_EXPECT_FALSE(test, outside.ticking);
	complete_sends();
}

/* Pages are held until teardown if posting a reply or invalidation fails. */
static void not_posted(struct kunit *test)
{
	advertised(test, XID, 5000);
	complete_sends();
	outside.post_status = -EINVAL;
	KUNIT_EXPECT_EQ(test, serve(test, XID + 1, 5000), -ENOTCONN);
	KUNIT_EXPECT_EQ(test, fake_closed, 1);
	done(XID, 0);
	KUNIT_EXPECT_EQ(test, fake_closed, 2);
	/* The requester can still access these pages. */
	KUNIT_EXPECT_EQ(test, page_count(s->head), 5);
	svc_rdma_sends_destroy(conn);
	svc_rdma_adverts_destroy(conn);
	conn->sq.avail = SQ_DEPTH;
	expect_released(test);
	svc_rdma_adverts_init(conn);
}

/* A queued reply is not sent after the connection closes. */
static void closed_while_queued(struct kunit *test)
{
	u32 taken;

	taken = served_later(test);
	local_bh_disable();
	fake_sq_close(conn);
	local_bh_enable();
	svc_rdma_sq_give(conn, taken);
	KUNIT_EXPECT_EQ(test, outside.len, 0);
	svc_rdma_sends_destroy(conn);
	expect_released(test);
}

/* Without memory or regions, svcrdma asks the requester for a Reply chunk. */
static void no_memory(struct kunit *test)
{
	int n, ret;

	for (n = 0; n < 40; n++) {
		fake_memory_left = n;
		ret = serve(test, XID + n, 5000);
		fake_memory_left = -1;
		if (!ret && outside.len)
			break;
		KUNIT_EXPECT_EQ(test, outside.error.code,
				ret ? 0 : RPCRDMA2_ERR_REPLY_RESOURCE);
		expect_released(test);
	}
	/* Each attempt gets further, because objects are kept for reuse. */
	KUNIT_EXPECT_GE(test, n, 5);
	KUNIT_EXPECT_LT(test, n, 40);
	done(XID + n, 0);
	expect_released(test);
	outside.map_short = 1;
	refused(test, XID, 5000);
	expect_released(test);
}

/* A reply with too many regions, or segments for its header, is refused. */
static void too_many_regions(struct kunit *test)
{
	conn->dev->attrs.max_fast_reg_page_list_len = 1;
	advertised(test, XID, 14 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, hdr.reads.segments, 16);
	refused(test, XID + 1, 14 * PAGE_SIZE + 1);
	conn->peer.longest = 400;
	refused(test, XID + 1, 14 * PAGE_SIZE);
	done(XID, 0);
	expect_released(test);
}

/*
 * A failed or flushed registration closes the connection; only a failure counts
 * as an error. An adapter can report a flush even for an executed registration,
 * whose advert was freed already.
 */
static void registration_fails(struct kunit *test)
{
	struct svc_rdma_advert *advert;
	struct svc_rdma_mr *mr;

	advertised(test, XID, 5000);
	advert = list_first_entry(&conn->adverts.all, struct svc_rdma_advert, list);
	list_for_each_entry(mr, &advert->mrs, list)
		KUNIT_EXPECT_PTR_EQ(test, mr->reg.wr.wr_cqe, &svc_rdma_mr_cqe);
	done(XID, 0);
	expect_released(test);
	completes(&svc_rdma_mr_cqe, IB_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, fake_closed, 0);
	completes(&svc_rdma_mr_cqe, IB_WC_WR_FLUSH_ERR);
	completes(&svc_rdma_mr_cqe, IB_WC_MW_BIND_ERR);
	KUNIT_EXPECT_EQ(test, fake_closed, 2);
	KUNIT_EXPECT_EQ(test, fake_wc_errors, 1);
}

static struct kunit_case svc_advert_cases[] = {
	KUNIT_CASE_PARAM(reads_reply, shape_gen_params),
	KUNIT_CASE(not_needed),
	KUNIT_CASE(bounded_number),
	KUNIT_CASE(done_makes_room),
	KUNIT_CASE(bounded_bytes),
	KUNIT_CASE(bounded_total),
	KUNIT_CASE(few_regions_kept),
	KUNIT_CASE(handles_change),
	KUNIT_CASE(done_before_posted),
	KUNIT_CASE(done_for_nothing),
	KUNIT_CASE(invalidated),
	KUNIT_CASE(invalidated_wrong),
	KUNIT_CASE(expired),
	KUNIT_CASE(closed),
	KUNIT_CASE(timer_stopped),
	KUNIT_CASE(not_posted),
	KUNIT_CASE(closed_while_queued),
	KUNIT_CASE(no_memory),
	KUNIT_CASE(too_many_regions),
	KUNIT_CASE(registration_fails),
	{}
};

SUITE("svc_rdma_advert", svc_advert_cases, .exit = balance_exit, .init = serving_adverts);
