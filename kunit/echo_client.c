// SPDX-License-Identifier: GPL-2.0-only
/* Client of the echo program, which makes calls through the client transport. */

#include <linux/inet.h>
#include <linux/slab.h>
#include <linux/sunrpc/xprt.h>

#include "echo.h"

/* XDR sizes in words: arguments are seed and length, results a length */
#define ARGS_WORDS	2
#define RES_WORDS	1

static void encode_null(struct rpc_rqst *rqst, struct xdr_stream *xdr,
			const void *data)
{
}

static int decode_null(struct rpc_rqst *rqst, struct xdr_stream *xdr,
		       void *data)
{
	return 0;
}

static void encode_numbers(struct rpc_rqst *rqst, struct xdr_stream *xdr,
			   const void *data)
{
	__be32 *p = xdr_reserve_space(xdr, ARGS_WORDS * XDR_UNIT);
	const struct echo_call *call = data;

	p[0] = cpu_to_be32(call->seed);
	p[1] = cpu_to_be32(call->length);
}

static void encode_sink(struct rpc_rqst *rqst, struct xdr_stream *xdr,
			const void *data)
{
	const struct echo_call *call = data;

	encode_numbers(rqst, xdr, call);
	xdr_write_pages(xdr, call->pages, 0, call->length);
	if (call->ddp)
		xdr->buf->flags |= XDRBUF_WRITE;
}

static int decode_sink(struct rpc_rqst *rqst, struct xdr_stream *xdr,
		       void *data)
{
	struct echo_call *call = data;

	return xdr_stream_decode_u32(xdr, &call->returned) ? -EIO : 0;
}

static void encode_source(struct rpc_rqst *rqst, struct xdr_stream *xdr,
			  const void *data)
{
	const struct echo_call *call = data;

	encode_numbers(rqst, xdr, call);
	rpc_prepare_reply_pages(rqst, call->pages, 0, call->room, RES_WORDS);
	if (call->ddp)
		rqst->rq_rcv_buf.flags |= XDRBUF_READ;
}

static int decode_source(struct rpc_rqst *rqst, struct xdr_stream *xdr,
			 void *data)
{
	struct echo_call *call = data;
	u32 count;

	if (xdr_stream_decode_u32(xdr, &count))
		return -EIO;
	call->returned = xdr_read_pages(xdr, count);
	return call->returned == count ? 0 : -EREMOTEIO;
}

/* A procedure, with the size of its arguments and results in XDR units, without data */
#define PROC(name, encode, decode, args, res)			\
	[ECHO_PROC_##name] = {					\
		.p_proc		= ECHO_PROC_##name,		\
		.p_encode	= encode_##encode,		\
		.p_decode	= decode_##decode,		\
		.p_arglen	= (args),			\
		.p_replen	= (res),			\
		.p_statidx	= ECHO_PROC_##name,		\
		.p_name		= #name,			\
	}

static const struct rpc_procinfo echo_procs[ECHO_PROCS] = {
	PROC(NULL, null, null, 0, 0),
	PROC(SINK, sink, sink, ARGS_WORDS + 1, RES_WORDS),
	PROC(SOURCE, source, source, ARGS_WORDS, RES_WORDS + 1),
	PROC(CALLBACK, numbers, sink, ARGS_WORDS, RES_WORDS),
	PROC(TEXT, source, source, ARGS_WORDS, RES_WORDS + 1),
	PROC(RECALL, numbers, sink, ARGS_WORDS, RES_WORDS),
	PROC(BULK, source, source, ARGS_WORDS, RES_WORDS + 1),
	PROC(DROP, null, null, 0, 0),
	PROC(DROPS, numbers, sink, ARGS_WORDS, RES_WORDS),
};

static unsigned int echo_counts[ECHO_PROCS];

static const struct rpc_version echo_version = {
	.number		= ECHO_VERSION,
	.nrprocs	= ECHO_PROCS,
	.procs		= echo_procs,
	.counts		= echo_counts,
};

static const struct rpc_version *echo_versions[] = {
	[ECHO_VERSION]	= &echo_version,
};

static struct rpc_stat echo_stats;

const struct rpc_program echo_client_program = {
	.name		= "echo",
	.number		= ECHO_PROGRAM,
	.nrvers		= ARRAY_SIZE(echo_versions),
	.version	= echo_versions,
	.stats		= &echo_stats,
};

/* Connect to the service at this IPv4 address; rpc_shutdown_client() destroys the client. */
struct rpc_clnt *echo_client_create(const char *addr)
{
	static const struct rpc_timeout timeout = {
		.to_initval	= 20 * HZ,
		.to_maxval	= 20 * HZ,
		.to_retries	= 5,
	};
	struct sockaddr_in sin = {
		.sin_family	= AF_INET,
		.sin_port	= htons(ECHO_PORT),
	};
	struct rpc_create_args args = {
		.net		= &init_net,
		.protocol	= XPRT_TRANSPORT_RDMA,
		.address	= (struct sockaddr *)&sin,
		.addrsize	= sizeof(sin),
		.timeout	= &timeout,
		.servername	= addr,
		.program	= &echo_client_program,
		.version	= ECHO_VERSION,
		.authflavor	= RPC_AUTH_NULL,
		.cred		= current_cred(),
	};

	if (!in4_pton(addr, -1, (u8 *)&sin.sin_addr, -1, NULL))
		return ERR_PTR(-EINVAL);
	return rpc_create(&args);
}

static int alloc_pages_of(struct echo_call *call, u32 bytes)
{
	unsigned int want = DIV_ROUND_UP(bytes, PAGE_SIZE);

	call->pages = kcalloc(want + 1, sizeof(*call->pages), GFP_KERNEL);
	if (!call->pages)
		return -ENOMEM;
	for (; call->npages < want; call->npages++) {
		call->pages[call->npages] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		if (!call->pages[call->npages])
			return -ENOMEM;
	}
	return 0;
}

/*
 * Allocate a call that sends or requests @length bytes of data. By default, the
 * caller of SOURCE has room for as many bytes as it requests.
 */
struct echo_call *echo_call_alloc(enum echo_proc proc, u32 length, bool ddp)
{
	static atomic_t seeds = ATOMIC_INIT(1);
	struct echo_call *call;
	unsigned int i;

	call = kzalloc(sizeof(*call), GFP_KERNEL);
	if (!call)
		return NULL;
	call->proc = proc;
	call->seed = proc == ECHO_PROC_BULK ? ECHO_BULK_SEED :
					      atomic_add_return(7919, &seeds);
	call->length = length;
	call->room = length;
	call->ddp = ddp;
	if (alloc_pages_of(call, length)) {
		echo_call_free(call);
		return NULL;
	}
	for (i = 0; proc == ECHO_PROC_SINK && i < call->npages; i++)
		echo_fill(page_address(call->pages[i]), PAGE_SIZE, call->seed,
			  i * PAGE_SIZE);
	return call;
}

/* Free a call that has completed. */
void echo_call_free(struct echo_call *call)
{
	unsigned int i;

	if (!call)
		return;
	for (i = 0; i < call->npages; i++)
		__free_page(call->pages[i]);
	kfree(call->pages);
	kfree(call);
}

/*
 * True if a successful call returned the right number of bytes, with the right
 * contents.
 */
bool echo_call_good(const struct echo_call *call)
{
	unsigned int i, done, len;

	if (call->returned != call->length)
		return false;
	if (call->proc == ECHO_PROC_SINK)
		return true;
	for (i = 0, done = 0; done < call->length; i++, done += len) {
		len = min_t(unsigned int, PAGE_SIZE, call->length - done);
		if (echo_match(page_address(call->pages[i]), len, call->seed,
			       done) != len)
			return false;
	}
	return true;
}

static struct rpc_message message(struct echo_call *call)
{
	struct rpc_message msg = {
		.rpc_proc	= &echo_procs[call->proc],
		.rpc_argp	= call,
		.rpc_resp	= call,
	};

	return msg;
}

int echo_call_sync(struct rpc_clnt *clnt, struct echo_call *call)
{
	struct rpc_message msg = message(call);

	return rpc_call_sync(clnt, &msg, RPC_TASK_SOFT | RPC_TASK_TIMEOUT);
}

/* @ops are called on success and on failure. */
int echo_call_async(struct rpc_clnt *clnt, struct echo_call *call,
		    const struct rpc_call_ops *ops, void *data)
{
	struct rpc_message msg = message(call);

	return rpc_call_async(clnt, &msg, RPC_TASK_SOFT, ops, data);
}
