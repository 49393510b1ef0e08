// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: a call has exactly the chunks that it and its reply need, and each
 * byte of both has one place (RFC 8166 section 3.5). Otherwise, the server
 * would get incomplete calls or have no room for its replies, and reads and
 * writes would fail. Only those NFS procedures that need special treatment get
 * it. Otherwise, long symbolic links or extended attributes could not be read,
 * an unmount would hang, or other calls would fail after a single attempt.
 */
#include "xprt_marshal_fakes.h"

#define SHORT	XPRT_RDMA_READ_REPLIES_SHORT
#define ALL	XPRT_RDMA_READ_REPLIES_ALL

static const struct marshal_case marshal_cases[] = {
	/* RFC 8166 section 3.5.1: short messages */
	{ "short call, short reply", CALL(4096) },
	{ "call as long as the threshold", .threshold = 1024, .head = 1024 - 28,
	  .rhead = REPLY_HEAD },
	{ "reply as long as the threshold", .threshold = 1024, .head = HEAD, .rhead = 1024 - 28 },
	{ "READDIR that fits", CALL(8192), .rpages = 4096 },
	{ "small WRITE", CALL(4096), WRITES(512) },
	/* RFC 8166 section 3.5.2: Read chunk */
	{ "WRITE one word longer than the threshold", CALL(1024), WRITES(1024 - 28 - HEAD + 4),
	  .want = READ_CHUNK },
	{ "WRITE of 1 MiB and more arguments", CALL(4096), WRITES(1 << 20), .tail = 40,
	  .want = READ_CHUNK },
	{ "WRITE of an odd length", CALL(4096), WRITES(65535), .tail = 1 + 16, .want = READ_CHUNK },
	/* RFC 8166 section 3.5.3: long calls */
	{ "call one word longer than the threshold", .threshold = 1024, .head = 1024 - 28 + 4,
	  .rhead = REPLY_HEAD, .want = ZERO_CHUNK },
	{ "long call in pages, not a payload", CALL(4096), .pages = 20000, .tail = 12,
	  .want = ZERO_CHUNK },
	{ "payload with long arguments before it", WRITES(8192), .threshold = 1024, .head = 2000,
	  .rhead = REPLY_HEAD, .want = ZERO_CHUNK },
	/* RFC 8166 section 3.5.2: Write chunk */
	{ "READ of 1 MiB", CALL(1024), READS(1 << 20), .want = WRITE_CHUNK },
	{ "READ of an odd length", CALL(4096), READS(65533), .want = WRITE_CHUNK },
	{ "READ whose reply fits", CALL(4096), READS(512) },
	{ "READLINK (NFSv3)", CALL(1024), .rpages = 4096, .readlink = true, .want = WRITE_CHUNK },
	/* RFC 8166 section 3.5.3: long replies */
	{ "READDIR", CALL(4096), .rpages = 32768, .want = REPLY_CHUNK },
	{ "reply one word longer than the threshold", .threshold = 1024, .head = HEAD,
	  .rhead = 1024 - 28 + 4, .want = REPLY_CHUNK },
	{ "payload with long results around it", READS(4096), .threshold = 1024, .head = HEAD,
	  .rhead = 1024, .want = REPLY_CHUNK },
	/* Long call and long reply */
	{ "long call and long reply", .threshold = 1024, .head = 3000, .rpages = 8192,
	  .rhead = REPLY_HEAD, .want = ZERO_CHUNK | REPLY_CHUNK },
	{ "WRITE with a long reply", WRITES(9000), .threshold = 1024, .head = HEAD, .rhead = 2000,
	  .want = READ_CHUNK | REPLY_CHUNK },
	/* RFC 8166 section 8.2.2: no direct placement with GSS services */
	{ "protected WRITE", CALL(4096), WRITES(65536), .protect = true, .want = ZERO_CHUNK },
	{ "protected READ", CALL(4096), READS(65536), .protect = true, .want = REPLY_CHUNK },
	/* v2 draft section 5.3.3: refused chunks are not offered again. */
	{ "refused chunks", CALL(4096), WRITES(65536), READS(65533),
	  .limits = { .no_reads = true, .reply_chunk = true }, .want = ZERO_CHUNK | REPLY_CHUNK },
	{ "Write chunk refused before", CALL(4096), READS(65533), .no_write_chunks = true,
	  .want = REPLY_CHUNK },
	{ "reply that did not fit inline", CALL(4096),
	  .limits = { .reply_chunk = true }, .want = REPLY_CHUNK },
#ifdef RPCRDMA_EXT_PULLED
	/*
	 * Reliable-reply draft sections 5.3.1 and 6: the client offers a Reply chunk
	 * only if the server cannot return a long reply in Read chunks, or the reply
	 * is predicted to be long.
	 */
	{ "Reply chunk avoided", CALL(4096), .replies = SHORT, .rpages = 32768, .want = BY_READ },
	{ "avoided, with a tail", CALL(4096), .replies = SHORT, .rpages = 32768, .rtail = 40,
	  .want = BY_READ },
	{ "avoided, several regions", CALL(4096), .replies = SHORT,
	  .rpages = 3 * DEPTH * PAGE_SIZE, .want = BY_READ },
	{ "avoided, no page list", CALL(4096), .replies = SHORT, .rtail = 8000, .want = BY_READ },
	{ "expected to be long", CALL(4096), .replies = SHORT, .rpages = 32768, .is_long = true,
	  .want = REPLY_CHUNK },
	{ "expected to be long, avoided anyway", CALL(4096), .replies = ALL, .rpages = 32768,
	  .is_long = true, .want = BY_READ },
	{ "protected reply", CALL(4096), .replies = ALL, .rpages = 32768, .protect = true,
	  .want = REPLY_CHUNK },
	{ "protected payload", CALL(4096), READS(32768), .replies = ALL, .protect = true,
	  .want = REPLY_CHUNK },
	{ "payload", CALL(4096), READS(32768), .replies = ALL, .want = WRITE_CHUNK },
	{ "payload, long results around it", CALL(4096), READS(32768), .replies = ALL,
	  .rtail = 8000, .want = REPLY_CHUNK },
	{ "the peer has failed", CALL(4096), .replies = ALL, .rpages = 32768,
	  .limits = { .reply_chunk = true }, .want = REPLY_CHUNK },
	{ "short, and the peer has failed", CALL(4096), .replies = ALL,
	  .limits = { .reply_chunk = true }, .want = REPLY_CHUNK },
	{ "surely short", CALL(4096), .replies = ALL },
#endif
};

KUNIT_ARRAY_PARAM_DESC(marshal_case, marshal_cases, name);

/*
 * Each byte of the call is sent once, except the roundup of a payload in a Read
 * chunk.
 */
static void expect_complete(struct kunit *test, const struct marshal_case *c, u32 threshold)
{
	u32 rest, pad = c->want & READ_CHUNK ? -c->pages & 3 : 0;
	struct rpcrdma_read_segment rseg;
	struct rpcrdma_cursor cur;
	u64 zero = 0, other = 0;

	rpcrdma_reads_begin(&hdr, &cur);
	while (rpcrdma_reads_next(&cur, &rseg)) {
		if (rseg.position) {
			KUNIT_EXPECT_EQ(test, rseg.position, c->head);
			other += rseg.seg.length;
		} else {
			zero += rseg.seg.length;
		}
	}
	rest = c->head + c->pages + c->tail - other - pad;
	KUNIT_EXPECT_EQ(test, other, c->want & READ_CHUNK ? c->pages : 0);
	KUNIT_EXPECT_EQ(test, zero, c->want & ZERO_CHUNK ? rest : 0);
	if (!zero)
		KUNIT_EXPECT_LE(test, fake_hdrlen + rest, threshold);
}

/*
 * The longest possible reply has room, including a header that repeats the
 * Write chunk.
 */
static void expect_room(struct kunit *test, const struct marshal_case *c)
{
	u32 hdrlen = RPCRDMA_V1_MIN_SIZE, len = c->rhead + c->rpages + c->rtail;

	if (c->want & BY_READ)
		return;
	if (c->want & REPLY_CHUNK) {
		KUNIT_EXPECT_EQ(test, hdr.reply.bytes, len);
		return;
	}
	if (c->want & WRITE_CHUNK) {
		KUNIT_EXPECT_EQ(test, hdr.writes.bytes,
				c->rpages + (c->rpages & 3 ? RPCRDMA_XDR_UNIT : 0));
		hdrlen += 8 + hdr.writes.segments * RPCRDMA_SEGMENT_SIZE;
		len = c->rhead + c->rtail;
	}
	KUNIT_EXPECT_LE(test, hdrlen + len, c->threshold);
}

/*
 * v2 draft section 3.3: a call with chunks offers one of its handles for remote
 * invalidation.
 */
static void expect_handle(struct kunit *test, struct xprt_rdma_req *req, bool want)
{
	struct xprt_rdma_mr *mr;
	bool found = false;

	list_for_each_entry(mr, &req->mrs, list)
		found = found || mr->seg.handle == hdr.inv_handle;
	KUNIT_EXPECT_EQ(test, found, want);
	KUNIT_EXPECT_EQ(test, !!hdr.inv_handle, want);
}

/*
 * RFC 8166 section 3.5: in both versions, a call has the expected message type
 * and chunks, and the counters agree.
 */
static void chunks_chosen(struct kunit *test)
{
	const struct marshal_case *c = test->param_value;
	const struct xprt_rdma_stats *stats;
	struct xprt_rdma_conn *conn;
	struct xprt_rdma_req *req;
	u64 avoided;
	u32 version;

	for (version = RPCRDMA_VERSION_1; version <= RPCRDMA_VERSION_2; version++) {
		req = call_create(test, c);
		stats = &req->r_xprt->stats;
		conn = req->r_xprt->conn;
		fake_set_version(conn, version);
		/* A version 2 header has 8 more bytes: flags and handle. */
		conn->sizes.inline_send += conn->ver->hdr_min - RPCRDMA_V1_MIN_SIZE;
		conn->sizes.inline_recv += conn->ver->hdr_min - RPCRDMA_V1_MIN_SIZE;
		avoided = fake_count(reply_chunks_avoided);

		marshal(test, req);

		KUNIT_EXPECT_EQ(test, be32_to_cpu(hdr.xid), 0x12345678);
		KUNIT_EXPECT_EQ(test, hdr.credits, CREDITS);
		KUNIT_EXPECT_EQ(test, hdr.type, c->want & ZERO_CHUNK ? RPCRDMA_NOMSG : RPCRDMA_MSG);
		expect_complete(test, c, conn->sizes.inline_send);
		KUNIT_EXPECT_EQ(test, hdr.writes.chunks, !!(c->want & WRITE_CHUNK));
		KUNIT_EXPECT_EQ(test, hdr.reply.chunks, !!(c->want & REPLY_CHUNK));
		expect_room(test, c);
		expect_handle(test, req, version == RPCRDMA_VERSION_2 && c->want & ~BY_READ);
		KUNIT_EXPECT_EQ(test, list_empty(&req->mrs), !(c->want & ~BY_READ));
		KUNIT_EXPECT_EQ(test, req->wtype == XPRT_RDMA_REPLY_READ, !!(c->want & BY_READ));
		KUNIT_EXPECT_EQ(test, fake_count(reply_chunks_avoided) - avoided,
				!!(c->want & BY_READ));
		KUNIT_EXPECT_EQ(test, req->nr_offered, hdr.writes.segments + hdr.reply.segments);
		KUNIT_EXPECT_EQ(test, stats->total_rdma_request,
				hdr.writes.bytes + hdr.reply.bytes);
		KUNIT_EXPECT_EQ(test, stats->read_chunk_count, hdr.reads.segments);
		KUNIT_EXPECT_EQ(test, stats->read_call_count, !!hdr.reads.segments);
		KUNIT_EXPECT_EQ(test, stats->write_chunk_count, hdr.writes.segments);
		KUNIT_EXPECT_EQ(test, stats->reply_chunk_count, hdr.reply.segments);
		KUNIT_EXPECT_EQ(test, stats->nomsg_call_count, !!(c->want & ZERO_CHUNK));
	}
}

static const struct marshal_case large_read = { CALL(4096), READS(65533) };

/*
 * RFC 8166 section 3.4.6.2: a Write chunk has no segment for roundup if
 * rdma_pad_optimize is set or the server accepts only one segment.
 */
static void roundup_without_segment(struct kunit *test)
{
	struct xprt_rdma_req *req;
	u32 i;

	for (i = 0; i < 2; i++) {
		req = call_create(test, &large_read);
		fake_pad_optimize = !i;
		req->limits.segments = i;
		marshal(test, req);
		KUNIT_EXPECT_EQ(test, hdr.writes.segments, 1);
		KUNIT_EXPECT_EQ(test, hdr.writes.bytes, 65533);
	}
}

/*
 * A GETXATTR reply can be longer than NFS's buffer. The call therefore has a
 * Reply chunk with XPRT_RDMA_EXCESS more bytes, even if a full buffer would fit
 * inline.
 */
static void room_for_longer_getxattr(struct kunit *test)
{
	static const struct marshal_case c = { CALL(8192), .rpages = 4096, .getxattr = true };
	struct xprt_rdma_req *req = call_create(test, &c);

	marshal(test, req);
	KUNIT_EXPECT_EQ(test, hdr.reply.bytes,
			REPLY_HEAD + 4096 + XPRT_RDMA_EXCESS);
	KUNIT_EXPECT_EQ(test, hdr.reply.segments, 3);
	KUNIT_EXPECT_EQ(test, req->offered[2], XPRT_RDMA_EXCESS);
	fake_map_undo(NULL, req);

	/* Act and assert: no extra room if the server has limited the segments. */
	req->limits.segments = 2;
	marshal(test, req);
	KUNIT_EXPECT_EQ(test, hdr.reply.bytes, REPLY_HEAD + 4096);
	fake_map_undo(NULL, req);
	req->limits.segments = 0;

	/* Act and assert: the extra room is limited to one region. */
	req->r_xprt->conn->mrs.depth = 4;
	marshal(test, req);
	KUNIT_EXPECT_EQ(test, hdr.reply.bytes, REPLY_HEAD + 4096 + 4 * PAGE_SIZE);
	fake_map_undo(NULL, req);

#ifdef RPCRDMA_EXT_PULLED
	/* Act and assert: the server can return the reply in Read chunks. */
	req->r_xprt->conn->fetches.replies = XPRT_RDMA_READ_REPLIES_SHORT;
	marshal(test, req);
	KUNIT_EXPECT_EQ(test, hdr.reply.chunks, 0);
	KUNIT_EXPECT_EQ(test, req->wtype, XPRT_RDMA_REPLY_READ);
#endif
}

/*
 * A call fails if it needs more segments than fit, or than the server accepts.
 */
static void segments_limited(struct kunit *test)
{
	static const struct marshal_case cases[] = {
		{ CALL(4096), READS(1 << 20) },
		{ CALL(4096), .rpages = 32768, .limits = { .segments = 1 } },
	};
	struct xprt_rdma_req *req;

	for_each_case(c, cases) {
		req = call_create(test, c);
		req->r_xprt->conn->mrs.depth = 4;
		KUNIT_EXPECT_EQ(test, xprt_rdma_marshal(req->r_xprt->conn, req),
				-EIO);
		KUNIT_EXPECT_TRUE(test, list_empty(&req->mrs));
	}
}

/* A call offers no handle for invalidation if the administrator forbids it. */
static void no_handle_if_forbidden(struct kunit *test)
{
	struct xprt_rdma_req *req = call_create(test, &large_read);

	fake_set_version(req->r_xprt->conn, RPCRDMA_VERSION_2);
	fake_remote_inv = false;
	marshal(test, req);
	fake_remote_inv = true;
	KUNIT_EXPECT_EQ(test, hdr.inv_handle, 0);
}

/*
 * RFC 5666 section 6.2: if the server cannot issue RDMA Reads, calls that need
 * Read chunks fail. Write and Reply chunks still work.
 */
static void no_peer_reads(struct kunit *test)
{
	const struct marshal_case *c = test->param_value;
	struct xprt_rdma_req *req = call_create(test, c);
	bool reads = c->want & (READ_CHUNK | ZERO_CHUNK);

	req->r_xprt->conn->peer.no_reads = true;
	KUNIT_EXPECT_EQ(test, reads ? -EIO : 0,
			xprt_rdma_marshal(req->r_xprt->conn, req));
	KUNIT_EXPECT_EQ(test, list_empty(&req->mrs), reads || !(c->want & ~BY_READ));
}

/* A call that must wait for a resource holds no registered regions. */
static void waiting_call_has_no_memory(struct kunit *test)
{
	const struct marshal_case c = { CALL(4096), WRITES(4 * DEPTH * PAGE_SIZE) };
	const struct marshal_case long_call = { CALL(1024), .pages = PAGE_SIZE };
	struct xprt_rdma_req *req = call_create(test, &long_call);
	struct xprt_rdma_conn *conn;

	/* Act and assert: no regions are available. */
	fake_regions = 0;
	KUNIT_EXPECT_EQ(test, xprt_rdma_marshal(req->r_xprt->conn, req), -ENOBUFS);
	KUNIT_EXPECT_TRUE(test, list_empty(&req->mrs));

	/* Act and assert: the regions run out halfway. */
	req = call_create(test, &c);
	conn = req->r_xprt->conn;
	fake_regions = 2;
	KUNIT_EXPECT_EQ(test, xprt_rdma_marshal(conn, req), -ENOBUFS);
	fake_regions = U32_MAX;
	KUNIT_EXPECT_TRUE(test, list_empty(&req->mrs));

	/* Act and assert: the Send Queue is full. */
	fake_prepared = -EAGAIN;
	KUNIT_EXPECT_EQ(test, xprt_rdma_marshal(conn, req), -EAGAIN);
	fake_prepared = 0;
	KUNIT_EXPECT_TRUE(test, list_empty(&req->mrs));
	KUNIT_EXPECT_EQ(test, req->r_xprt->stats.failed_marshal_count, 2);
	KUNIT_EXPECT_EQ(test, xprt_rdma_marshal(conn, req), 0);
}

#ifdef RPCRDMA_EXT_PULLED
/* A call of procedure @statidx, on @r_xprt or on a new transport */
static struct xprt_rdma_req *procedure(struct kunit *test,
				       struct xprt_rdma *r_xprt, u32 statidx)
{
	static const struct marshal_case c = { CALL(1024), .rpages = 4096 };
	struct xprt_rdma_req *req = call_create(test, &c);
	struct rpc_procinfo *proc = (void *)req->rqst.rq_task->tk_msg.rpc_proc;

	proc->p_statidx = statidx;
	if (r_xprt)
		req->r_xprt = r_xprt;
	req->r_xprt->conn->fetches.replies = SHORT;
	req->recv = fake_zalloc(test, sizeof(*req->recv));
	req->recv->conn = req->r_xprt->conn;
	return req;
}

/* Record @times replies that just fit inline, or are a word longer. */
static void learn(const struct xprt_rdma_req *req, bool is_long, u32 times)
{
	while (times--)
		xprt_rdma_predict_learn(req, 1024 - RPCRDMA_V1_MIN_SIZE +
					     4 * is_long);
}

static bool predicted_long(const struct xprt_rdma_req *req)
{
	return !xprt_rdma_pulled_expects(req->r_xprt->conn, req);
}

/*
 * Reliable-reply draft section 5.3.1: a few replies change the prediction,
 * however many replies were different before.
 */
static void few_replies_change_prediction(struct kunit *test)
{
	struct xprt_rdma_req *req = procedure(test, NULL, 1);

	learn(req, true, 1000);
	KUNIT_EXPECT_TRUE(test, predicted_long(req));
	learn(req, false, PREDICT_MAX - PREDICT_LONG);
	KUNIT_EXPECT_TRUE(test, predicted_long(req));
	learn(req, false, 1);
	KUNIT_EXPECT_FALSE(test, predicted_long(req));
	learn(req, false, 1000);
	learn(req, true, PREDICT_LONG - 1);
	KUNIT_EXPECT_FALSE(test, predicted_long(req));
	learn(req, true, 1);
	KUNIT_EXPECT_TRUE(test, predicted_long(req));
}

/*
 * Predictions are separate for each procedure, program version and transport.
 */
static void each_procedure_predicted(struct kunit *test)
{
	struct xprt_rdma_req *first = procedure(test, NULL, 0), *other;
	struct xprt_rdma *r_xprt = first->r_xprt;
	u32 i, shared = 0;

	learn(first, true, PREDICT_MAX);
	for (i = 1; i < 64; i++)
		shared += predicted_long(procedure(test, r_xprt, i));
	KUNIT_EXPECT_LE(test, shared, 2);
	other = procedure(test, r_xprt, 0);
	KUNIT_EXPECT_TRUE(test, predicted_long(other));
	other->rqst.rq_task->tk_client->cl_vers = 4;
	KUNIT_EXPECT_FALSE(test, predicted_long(other));
	KUNIT_EXPECT_FALSE(test, predicted_long(procedure(test, NULL, 0)));
}
#endif

/*
 * The client records long calls that would be inline with larger server
 * Receives.
 */
static void long_calls_counted(struct kunit *test)
{
	/* Bytes of payload; expected Receive length, or 0 for none */
	static const struct {
		u32 pages, len;
		bool on;
	} cases[] = {
		{ 512, 0, true },
		{ 4096, 28 + HEAD + 4096, true },
		{ 18432 - 28 - HEAD, 18432, true },
		{ 18432 - 28 - HEAD + 4, 0, true },
		{ 4096, 0, false },
	};
	struct marshal_case call = { CALL(4096), .payload = true };
	struct xprt_rdma_req *req;

	for_each_case(c, cases) {
		call.pages = c->pages;
		req = call_create(test, &call);
		fake_long_len = 0;
		req->r_xprt->conn->properties.on = c->on;
		req->r_xprt->conn->sizes.send_most = 18432;
		marshal(test, req);
		KUNIT_EXPECT_EQ(test, fake_long_len, c->len);
	}
}

/* A procedure, and the special treatment that it must get */
struct proc_case {
	const char *name;	/* name of the procedure */
	u32 prog;		/* program */
	u32 vers;		/* version of the program */
	u32 proc;		/* procedure */
	u32 statidx;		/* NFSv4 operation; on the wire, all are COMPOUND */
	u32 is_v3;		/* recognized as this NFSv3 procedure; 0: as none */
	bool exceeds;		/* the reply can be longer than its buffer */
	bool ends;		/* the procedure belongs to an unmount */
};

#define NFS	NFS_PROGRAM
#define ACL	100227u
#define V4(p)	NFS, 4, 1, NFSPROC4_CLNT_##p

static const struct proc_case proc_cases[] = {
	{ "READLINK, NFSv3", NFS, 3, NFS3PROC_READLINK, NFS3PROC_READLINK,
	  .is_v3 = NFS3PROC_READLINK },
	{ "READ, NFSv3", NFS, 3, NFS3PROC_READ, NFS3PROC_READ, .is_v3 = NFS3PROC_READ },
	{ "WRITE, NFSv3", NFS, 3, NFS3PROC_WRITE, NFS3PROC_WRITE, .is_v3 = NFS3PROC_WRITE },
	{ "7 of NFSv2", NFS, 2, NFS3PROC_WRITE, NFS3PROC_WRITE },
	{ "WRITE, NFSv4", V4(WRITE) },
	{ "5 of NFSv2", NFS, 2, NFS3PROC_READLINK, NFS3PROC_READLINK },
	{ "5 of NFSACL", ACL, 3, NFS3PROC_READLINK, NFS3PROC_READLINK },
	{ "READLINK, NFSv4", V4(READLINK) },
	{ "READ, NFSv4", V4(READ) },
	{ "GETACL, NFSv4", V4(GETACL), .exceeds = true },
	{ "GETXATTR, NFSv4", V4(GETXATTR), .exceeds = true },
	{ "LISTXATTRS, NFSv4", V4(LISTXATTRS) },
	{ "GETXATTR's number in NFSv3", NFS, 3, 1, NFSPROC4_CLNT_GETXATTR },
	{ "DESTROY_SESSION", V4(DESTROY_SESSION), .ends = true },
	{ "DESTROY_CLIENTID", V4(DESTROY_CLIENTID), .ends = true },
	{ "CREATE_SESSION", V4(CREATE_SESSION) },
	{ "DESTROY_SESSION's number in NFSv3", NFS, 3, 1, NFSPROC4_CLNT_DESTROY_SESSION },
	{ "the same of another program", ACL, 4, 1, NFSPROC4_CLNT_DESTROY_SESSION },
};

KUNIT_ARRAY_PARAM_DESC(proc_case, proc_cases, name);

/* A procedure is recognized by program, version and number together. */
static void procedures_told_apart(struct kunit *test)
{
	const struct proc_case *c = test->param_value;
	struct rpc_procinfo proc = { .p_proc = c->proc,
				     .p_statidx = c->statidx };
	struct rpc_clnt *clnt = fake_zalloc(test, sizeof(*clnt));
	struct rpc_task task = { .tk_client = clnt };

	clnt->cl_prog = c->prog;
	clnt->cl_vers = c->vers;

	/* A task that only connects can have no procedure. */
	KUNIT_EXPECT_FALSE(test, xprt_rdma_nfs_is_destroy(&task));
	task.tk_msg.rpc_proc = &proc;
	KUNIT_EXPECT_EQ(test, xprt_rdma_nfs_places_link(&task), c->is_v3 == NFS3PROC_READLINK);
	KUNIT_EXPECT_EQ(test, xprt_rdma_nfs_is_v3_proc(&task, NFS3PROC_WRITE),
			c->is_v3 == NFS3PROC_WRITE);
	KUNIT_EXPECT_EQ(test, xprt_rdma_nfs_is_v3_proc(&task, NFS3PROC_READ),
			c->is_v3 == NFS3PROC_READ);
	KUNIT_EXPECT_EQ(test, xprt_rdma_nfs_exceeds(&task), c->exceeds);
	KUNIT_EXPECT_EQ(test, xprt_rdma_nfs_is_destroy(&task), c->ends);
	/* A task can also have no client. */
	task.tk_client = NULL;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_nfs_is_destroy(&task));
}

static struct kunit_case xprt_marshal_cases[] = {
	KUNIT_CASE_PARAM(chunks_chosen, marshal_case_gen_params),
	KUNIT_CASE(roundup_without_segment),
	KUNIT_CASE(room_for_longer_getxattr),
	KUNIT_CASE(segments_limited),
	KUNIT_CASE(no_handle_if_forbidden),
	KUNIT_CASE_PARAM(no_peer_reads, marshal_case_gen_params),
	KUNIT_CASE(waiting_call_has_no_memory),
#ifdef RPCRDMA_EXT_PULLED
	KUNIT_CASE(few_replies_change_prediction),
	KUNIT_CASE(each_procedure_predicted),
#endif
	KUNIT_CASE(long_calls_counted),
	KUNIT_CASE_PARAM(procedures_told_apart, proc_case_gen_params),
	{}
};

SUITE("xprt_rdma_marshal", xprt_marshal_cases);
