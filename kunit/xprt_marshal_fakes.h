/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fakes for marshaling: a call, and fake memory regions. Includes marshal.c,
 * and the files that it calls, such as nfs.c.
 */
#ifndef _XPRT_RDMA_XPRT_MARSHAL_FAKES_H
#define _XPRT_RDMA_XPRT_MARSHAL_FAKES_H

#include "xprt_fakes.h"

static unsigned int fake_pad_optimize;
#ifdef RPCRDMA_EXT_MSGP
#define fake_padding			xprt_rdma_inline_write_padding
#else
static unsigned int fake_padding;
#endif
static bool fake_remote_inv = true;
/* Whether gathering the call fails: [0] with its page list, [1] without */
static bool fake_misfits[2];
/* Number of page allocations that will succeed; negative: all */
static int fake_pages_left = -1;

static struct page *fake_alloc_page(gfp_t gfp)
{
	if (!fake_pages_left)
		return NULL;
	fake_pages_left--;
	return alloc_page(gfp);
}

/* Number of regions that a call can get */
static u32 fake_regions = U32_MAX;

static int fake_map(struct xprt_rdma_req *req, enum dma_data_direction dir, u32 len)
{
	struct xprt_rdma_mr *mr;

	if (req->nr_mrs >= XPRT_RDMA_MAX_SEGS)
		return -EIO;
	if (req->nr_mrs >= fake_regions)
		return -ENOBUFS;
	mr = kzalloc(sizeof(*mr), GFP_KERNEL);
	if (!mr)
		return -ENOBUFS;
	mr->dir = dir;
	mr->seg.handle = 0x100 + req->nr_mrs++;
	mr->seg.length = len;
	mr->seg.offset = 0x1000;
	list_add_tail(&mr->list, &req->mrs);
	return 0;
}

static int fake_map_pages(struct xprt_rdma_conn *conn,
			  struct xprt_rdma_req *req, const struct xdr_buf *xdr,
			  enum dma_data_direction dir)
{
	u32 part, base = offset_in_page(xdr->page_base), left = xdr->page_len;
	int rc = 0;

	while (left && !rc) {
		part = min_t(u32, left, conn->mrs.depth * PAGE_SIZE - base);
		rc = fake_map(req, dir, part);
		left -= part;
		base = 0;
	}
	return rc;
}

static int fake_map_kvec(struct xprt_rdma_conn *conn, struct xprt_rdma_req *req,
			 void *base, size_t len, enum dma_data_direction dir)
{
	return len ? fake_map(req, dir, len) : 0;
}

static void fake_map_undo(struct xprt_rdma_conn *conn,
			  struct xprt_rdma_req *req)
{
	struct xprt_rdma_mr *mr, *next;

	list_for_each_entry_safe(mr, next, &req->mrs, list) {
		list_del(&mr->list);
		kfree(mr);
	}
	req->nr_mrs = 0;
}

static u32 fake_hdrlen;
static int fake_prepared;
static __maybe_unused u32 fake_long_len;

#undef alloc_page
#define alloc_page		fake_alloc_page
#define xprt_rdma_send_fits(conn, req, payload) \
	((void)(conn), (void)(req), !fake_misfits[!(payload)])
#define xprt_rdma_map_pages	fake_map_pages
#define xprt_rdma_map_kvec	fake_map_kvec
#define xprt_rdma_map_discard(conn, req, len) \
	((void)(conn), fake_map(req, DMA_FROM_DEVICE, len))
#define xprt_rdma_map_undo	fake_map_undo
#define xprt_rdma_send_prepare(conn, req, hdrlen) \
	((void)(conn), (void)(req), fake_hdrlen = (hdrlen), fake_prepared)
#define xprt_rdma_pad_optimize	fake_pad_optimize
#define xprt_rdma_remote_invalidation	fake_remote_inv
#define xprt_rdma_properties_long_call(conn, len) \
	((void)(conn), (void)(fake_long_len = (len)))

#ifdef RPCRDMA_EXT_PULLED
#include "../xprtrdma/ext/pulled/limits.c"
#endif
#include "../xprtrdma/message/nfs.c"
#include "../xprtrdma/message/chunk_plan.c"
#include "../xprtrdma/message/marshal.c"
#ifdef RPCRDMA_EXT_MSGP
#define xprt_rdma_send_add_sge(conn, req, addr, len) ((void)(req), (void)(len))
#define xprt_rdma_send_gather_pages(conn, req)	((void)(req), 0)
#define xprt_rdma_send_pages_ok(conn, xdr)	((void)(conn), (void)(xdr), true)
#include "../xprtrdma/ext/msgp.c"
#endif

/* Chunks of a call, as bits */
#define READ_CHUNK	1
#define ZERO_CHUNK	2
#define WRITE_CHUNK	4
#define REPLY_CHUNK	8
/* The server may return the reply in Read chunks. */
#define BY_READ		16

#define CREDITS		77u
#define DEPTH		16u
#define HEAD		160u
#define REPLY_HEAD	120u

/* A call, and the chunks that it must have */
struct marshal_case {
	const char *name;	/* what is special about the call */
	u32 threshold;		/* inline threshold in both directions */
	u32 head;		/* bytes of the call before its page list */
	u32 pages;		/* bytes in its page list */
	u32 tail;		/* bytes after its page list */
	bool payload;		/* the page list may be placed directly */
	u32 rpages;		/* bytes in the reply's page list */
	u32 rhead;		/* bytes of the reply before @rpages */
	u32 rtail;		/* bytes of the reply after @rpages */
	bool rpayload;		/* the reply's page list may be placed directly */
	bool readlink;		/* NFSv3 READLINK, whose reply NFS does not mark as a payload */
	bool getxattr;		/* NFSv4 GETXATTR, whose reply may be longer than its buffer */
	bool protect;		/* RPCSEC_GSS integrity or privacy */
	bool no_write_chunks;	/* the peer refused the Write chunk of another call */
	struct xprt_rdma_limits limits;	/* limits that the peer has set for this call */
	u32 replies;		/* enum xprt_rdma_read_replies, negotiated with the peer */
	bool is_long;		/* the reply is predicted to be long */
	u32 want;		/* expected chunks */
};

#define CALL(limit)	.threshold = (limit), .head = HEAD, .rhead = REPLY_HEAD
#define WRITES(len)	.pages = (len), .payload = true
#define READS(len)	.rpages = (len), .rpayload = true

static void undo_action(void *req)
{
	fake_map_undo(NULL, req);
}

/* Set the fields of a task that sunrpc and NFS set. */
static void fill_task(struct kunit *test, struct rpc_rqst *rqst,
		      const struct marshal_case *c)
{
	struct rpc_procinfo *proc = fake_zalloc(test, sizeof(*proc));
	struct rpc_clnt *clnt = fake_zalloc(test, sizeof(*clnt));
	struct rpc_cred *cred = fake_zalloc(test, sizeof(*cred));
	struct rpc_auth *auth = fake_zalloc(test, sizeof(*auth));

	proc->p_proc = c->readlink ? NFS3PROC_READLINK : NFS3PROC_GETATTR;
	if (c->getxattr)
		proc->p_statidx = NFSPROC4_CLNT_GETXATTR;
	clnt->cl_prog = NFS_PROGRAM;
	clnt->cl_vers = c->getxattr ? 4 : 3;
	rqst->rq_task->tk_client = clnt;
	rqst->rq_task->tk_msg.rpc_proc = proc;
	if (c->protect)
		__set_bit(RPCAUTH_AUTH_DATATOUCH, &auth->au_flags);
	cred->cr_auth = auth;
	rqst->rq_cred = cred;
}

static struct xprt_rdma_req *call_create(struct kunit *test,
					 const struct marshal_case *c)
{
	struct xprt_rdma_req *req = fake_req(test);
	struct xprt_rdma_conn *conn = req->r_xprt->conn;
	struct xdr_buf *snd = &req->rqst.rq_snd_buf;
	struct xdr_buf *rcv = &req->rqst.rq_rcv_buf;

	conn->sizes.inline_send = c->threshold;
	conn->sizes.inline_recv = c->threshold;
	conn->credits.max = CREDITS;
	conn->peer.no_write_chunks = c->no_write_chunks;
	conn->mrs.depth = DEPTH;
	conn->fetches.replies = c->replies;
	memset(req->r_xprt->predict, c->is_long ? 0xff : 0, sizeof(req->r_xprt->predict));
	req->limits = c->limits;
	req->hdr.data = fake_zalloc(test, XPRT_RDMA_HDR_SIZE);
	req->rqst.rq_xid = cpu_to_be32(0x12345678);
	fill_task(test, &req->rqst, c);

	snd->head[0].iov_len = c->head;
	snd->page_len = c->pages;
	snd->tail[0].iov_len = c->tail;
	snd->len = c->head + c->pages + c->tail;
	snd->flags = c->payload ? XDRBUF_WRITE : 0;
	rcv->head[0].iov_len = c->rhead;
	rcv->page_len = c->rpages;
	rcv->tail[0].iov_len = c->rtail;
	rcv->buflen = c->rhead + c->rpages + c->rtail;
	rcv->flags = c->rpayload ? XDRBUF_READ : 0;
	fake_pad_optimize = 0;
	fake_padding = 0;
	fake_defer(test, undo_action, req);
	return req;
}

/* Decoded header of the last call marshaled */
static struct rpcrdma_hdr hdr;

static void marshal(struct kunit *test, struct xprt_rdma_req *req)
{
	struct xprt_rdma_conn *conn = req->r_xprt->conn;

	KUNIT_ASSERT_EQ(test, 0, xprt_rdma_marshal(conn, req));
	KUNIT_ASSERT_EQ(test, 0, conn->ver->has_flags ?
			rpcrdma_decode_v2(&hdr, req->hdr.data, fake_hdrlen + 4) :
			rpcrdma_decode(&hdr, req->hdr.data, fake_hdrlen));
	KUNIT_EXPECT_EQ(test, hdr.payload, fake_hdrlen);
	KUNIT_EXPECT_EQ(test, hdr.flags, 0);
}

#endif /* _XPRT_RDMA_XPRT_MARSHAL_FAKES_H */
