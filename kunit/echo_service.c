// SPDX-License-Identifier: GPL-2.0-only
/* Server of the echo program: an RPC service on the server transport. */

#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/svc_xprt.h>
#include <linux/sunrpc/svcsock.h>

#include "echo.h"

#define ECHO_THREADS	4

struct echo_args {
	u32 seed;
	u32 length;
	struct xdr_buf data;
};

struct echo_res {
	u32 seed;
	u32 length;
	struct page **pages;
};

static struct svc_serv *echo_serv;
static struct page **bulk;
unsigned int echo_service_ms;
static atomic_t dropped;

static bool decode_void(struct svc_rqst *rqstp, struct xdr_stream *xdr)
{
	return true;
}

static bool decode_bulk(struct svc_rqst *rqstp, struct xdr_stream *xdr)
{
	struct echo_args *args = rqstp->rq_argp;

	return !xdr_stream_decode_u32(xdr, &args->seed) &&
	       !xdr_stream_decode_u32(xdr, &args->length) &&
	       args->length <= ECHO_BULK_MAX;
}

static bool decode_source(struct svc_rqst *rqstp, struct xdr_stream *xdr)
{
	const struct echo_args *args = rqstp->rq_argp;

	return decode_bulk(rqstp, xdr) && args->length <= ECHO_MAX;
}

static bool decode_sink(struct svc_rqst *rqstp, struct xdr_stream *xdr)
{
	struct echo_args *args = rqstp->rq_argp;

	return decode_source(rqstp, xdr) &&
	       xdr_stream_subsegment(xdr, &args->data, args->length);
}

static bool encode_void(struct svc_rqst *rqstp, struct xdr_stream *xdr)
{
	return true;
}

static bool encode_sink(struct svc_rqst *rqstp, struct xdr_stream *xdr)
{
	const struct echo_res *res = rqstp->rq_resp;

	return xdr_stream_encode_u32(xdr, res->length) >= 0;
}

static bool encode_source(struct svc_rqst *rqstp, struct xdr_stream *xdr)
{
	const struct echo_res *res = rqstp->rq_resp;
	const struct kvec *head = rqstp->rq_res.head;

	if (xdr_stream_encode_u32(xdr, res->length) < 0)
		return false;
	svcxdr_encode_opaque_pages(rqstp, xdr, res->pages, 0, res->length);
	return svc_encode_result_payload(rqstp, head->iov_len,
					 res->length) >= 0;
}

static bool encode_text(struct svc_rqst *rqstp, struct xdr_stream *xdr)
{
	const struct echo_res *res = rqstp->rq_resp;
	void *p;

	if (xdr_stream_encode_u32(xdr, res->length) < 0)
		return false;
	p = xdr_reserve_space(xdr, xdr_align_size(res->length));
	if (p)
		echo_fill(p, res->length, res->seed, 0);
	return p;
}

static __be32 proc_text(struct svc_rqst *rqstp)
{
	const struct echo_args *args = rqstp->rq_argp;
	struct echo_res *res = rqstp->rq_resp;

	res->seed = args->seed;
	res->length = args->length;
	return rpc_success;
}

static __be32 proc_null(struct svc_rqst *rqstp)
{
	return rpc_success;
}

static __be32 proc_sink(struct svc_rqst *rqstp)
{
	struct echo_args *args = rqstp->rq_argp;
	struct echo_res *res = rqstp->rq_resp;
	unsigned int done, len;
	u8 buf[256];

	for (done = 0; done < args->length; done += len) {
		len = min_t(unsigned int, sizeof(buf), args->length - done);
		if (read_bytes_from_xdr_buf(&args->data, done, buf, len) ||
		    echo_match(buf, len, args->seed, done) != len)
			break;
	}
	res->length = done;
	return rpc_success;
}

static __be32 proc_source(struct svc_rqst *rqstp)
{
	const struct echo_args *args = rqstp->rq_argp;
	struct echo_res *res = rqstp->rq_resp;
	unsigned int done, len;

	res->length = args->length;
	res->pages = rqstp->rq_next_page;
	for (done = 0; done < args->length; done += len) {
		if (rqstp->rq_next_page >= rqstp->rq_page_end)
			return rpc_system_err;
		len = min_t(unsigned int, PAGE_SIZE, args->length - done);
		echo_fill(page_address(*rqstp->rq_next_page++), len,
			  args->seed, done);
	}
	return rpc_success;
}

/* All replies share these pages: transports must hold references to them. */
static __be32 proc_bulk(struct svc_rqst *rqstp)
{
	const struct echo_args *args = rqstp->rq_argp;
	struct echo_res *res = rqstp->rq_resp;

	res->length = args->length;
	res->pages = bulk;
	return rpc_success;
}

static __be32 proc_reverse(struct svc_rqst *rqstp)
{
	static const enum echo_proc procs[] = {
		[ECHO_PROC_CALLBACK]	= ECHO_PROC_SINK,
		[ECHO_PROC_RECALL]	= ECHO_PROC_TEXT,
		[ECHO_PROC_DROPS]	= ECHO_PROC_DROP,
	};
	const struct echo_args *args = rqstp->rq_argp;
	struct echo_res *res = rqstp->rq_resp;

	res->length = echo_callback_run(rqstp, procs[rqstp->rq_proc],
					args->seed, args->length);
	return rpc_success;
}

static __be32 proc_drop(struct svc_rqst *rqstp)
{
	atomic_inc(&dropped);
	return rpc_drop_reply;
}

/* A procedure, whose result has at most @words XDR units */
#define PROC(name, func, decode, encode, words)			\
	[ECHO_PROC_##name] = {					\
		.pc_func	= proc_##func,			\
		.pc_decode	= decode_##decode,		\
		.pc_encode	= encode_##encode,		\
		.pc_argsize	= sizeof(struct echo_args),	\
		.pc_argzero	= sizeof(struct echo_args),	\
		.pc_ressize	= sizeof(struct echo_res),	\
		.pc_xdrressize	= (words),			\
		.pc_name	= #name,			\
	}

static const struct svc_procedure echo_procs[ECHO_PROCS] = {
	PROC(NULL, null, void, void, 1),
	PROC(SINK, sink, sink, sink, 1),
	PROC(SOURCE, source, source, source, 1 + ECHO_MAX / 4),
	PROC(CALLBACK, reverse, source, sink, 1),
	PROC(TEXT, text, source, text, 1 + ECHO_TEXT_MAX / 4),
	PROC(RECALL, reverse, source, sink, 1),
	PROC(BULK, bulk, bulk, source, 1 + ECHO_BULK_MAX / 4),
	PROC(DROP, drop, void, void, 1),
	PROC(DROPS, reverse, source, sink, 1),
};

static int echo_dispatch(struct svc_rqst *rqstp)
{
	const struct svc_procedure *procp = rqstp->rq_procinfo;
	__be32 *statp = rqstp->rq_accept_statp;

	if (!procp->pc_decode(rqstp, &rqstp->rq_arg_stream)) {
		*statp = rpc_garbage_args;
		return 1;
	}
	/*
	 * sunrpc keeps at most 64 connections that are not marked valid. A
	 * callback has no svc_xprt.
	 */
	if (rqstp->rq_xprt)
		svc_xprt_set_valid(rqstp->rq_xprt);
	if (READ_ONCE(echo_service_ms))
		msleep(READ_ONCE(echo_service_ms));
	*statp = procp->pc_func(rqstp);
	if (*statp == rpc_drop_reply)
		return 0;
	if (*statp == rpc_success &&
	    !procp->pc_encode(rqstp, &rqstp->rq_res_stream))
		*statp = rpc_system_err;
	return 1;
}

RPCRDMA_PROC_COUNTS(echo_count, ECHO_PROCS);

static const struct svc_version echo_version = {
	.vs_vers	= ECHO_VERSION,
	.vs_nproc	= ECHO_PROCS,
	.vs_proc	= echo_procs,
	RPCRDMA_SET_PROC_COUNTS(echo_count)
	.vs_xdrsize	= sizeof(struct echo_args) + sizeof(struct echo_res),
	.vs_hidden	= true,
	.vs_dispatch	= echo_dispatch,
};

static const struct svc_version *echo_versions[] = {
	[ECHO_VERSION]	= &echo_version,
};

static enum svc_auth_status echo_authenticate(struct svc_rqst *rqstp)
{
	return SVC_OK;
}

/* The program of the service, and of the client's callback service */
struct svc_program echo_service_program = {
	.pg_prog		= ECHO_PROGRAM,
	.pg_lovers		= ECHO_VERSION,
	.pg_hivers		= ECHO_VERSION,
	.pg_nvers		= ARRAY_SIZE(echo_versions),
	.pg_vers		= echo_versions,
	.pg_name		= "echo",
	.pg_class		= "echo",
	.pg_authenticate	= echo_authenticate,
	.pg_init_request	= svc_generic_init_request,
	.pg_rpcbind_set		= svc_generic_rpcbind_set,
};

int echo_service_thread(void *data)
{
	struct svc_rqst *rqstp = data;

	svc_thread_init_status(rqstp, 0);
	while (!svc_thread_should_stop(rqstp))
		svc_recv(rqstp, 0);
	svc_exit_thread(rqstp);
	return 0;
}

static void bulk_free(void)
{
	u32 i;

	for (i = 0; bulk && i < ECHO_BULK_MAX / PAGE_SIZE && bulk[i]; i++)
		__free_page(bulk[i]);
	kvfree(bulk);
	bulk = NULL;
}

static int bulk_alloc(void)
{
	u32 i;

	bulk = kvcalloc(ECHO_BULK_MAX / PAGE_SIZE, sizeof(*bulk), GFP_KERNEL);
	if (!bulk)
		return -ENOMEM;
	for (i = 0; i < ECHO_BULK_MAX / PAGE_SIZE; i++) {
		bulk[i] = alloc_page(GFP_KERNEL);
		if (!bulk[i])
			return -ENOMEM;
		echo_fill(page_address(bulk[i]), PAGE_SIZE, ECHO_BULK_SEED,
			  i * PAGE_SIZE);
	}
	return 0;
}

int echo_service_start(void)
{
	int ret;

	ret = bulk_alloc();
	if (ret)
		goto out_stop;
	ret = -ENOMEM;
	echo_serv = svc_create(&echo_service_program, ECHO_MAX,
			       echo_service_thread);
	if (!echo_serv)
		goto out_stop;
	ret = svc_xprt_create(echo_serv, "rdma", &init_net, PF_INET, ECHO_PORT,
			      0, current_cred());
	if (ret < 0)
		goto out_stop;
	ret = svc_set_num_threads(echo_serv, 0, ECHO_THREADS);
	if (ret < 0)
		goto out_stop;
	return 0;

out_stop:
	echo_service_stop();
	return ret;
}

void echo_service_disconnect(void)
{
	struct svc_xprt *xprt;

	spin_lock_bh(&echo_serv->sv_lock);
	list_for_each_entry(xprt, &echo_serv->sv_tempsocks, xpt_list)
		svc_xprt_deferred_close(xprt);
	spin_unlock_bh(&echo_serv->sv_lock);
}

/* Returns the calls and callbacks dropped without a reply since the module was loaded. */
u32 echo_service_dropped(void)
{
	return atomic_read(&dropped);
}

void echo_service_stop(void)
{
	if (echo_serv) {
		svc_xprt_destroy_all(echo_serv, &init_net, false);
		svc_set_num_threads(echo_serv, 0, 0);
		svc_destroy(&echo_serv);
	}
	bulk_free();
}
