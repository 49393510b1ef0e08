// SPDX-License-Identifier: GPL-2.0-only
/* Reverse direction: the service calls its client over the same connection. */

#include <linux/sunrpc/bc_xprt.h>
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/svc_xprt.h>

#include "echo.h"

/* Concurrent callbacks for which the transport sets up its backchannel */
#define ECHO_SLOTS	2

static struct svc_serv *callback_serv;

/* Time limit for a reply, and for a reply that is not expected */
#define ECHO_PATIENCE	(10 * HZ)
#define ECHO_IMPATIENCE	(HZ / 50)

static struct rpc_clnt *callback_client(struct svc_rqst *rqstp,
					unsigned long patience)
{
	struct svc_xprt *sxprt = rqstp->rq_xprt;
	struct rpc_timeout timeout = {
		.to_initval	= patience,
		.to_maxval	= patience,
	};
	struct rpc_create_args args = {
		.net		= SVC_NET(rqstp),
		.protocol	= sxprt->xpt_class->xcl_ident |
				  XPRT_TRANSPORT_BC,
		.bc_xprt	= sxprt,
		.address	= svc_addr(rqstp),
		.addrsize	= rqstp->rq_addrlen,
		.timeout	= &timeout,
		.program	= &echo_client_program,
		.version	= ECHO_VERSION,
		.authflavor	= RPC_AUTH_NULL,
		.flags		= RPC_CLNT_CREATE_NOPING,
		.cred		= current_cred(),
	};

	return rpc_create(&args);
}

static bool callback_once(struct rpc_clnt *clnt, enum echo_proc proc,
			  u32 length)
{
	struct echo_call *call = echo_call_alloc(proc, length, false);
	bool good;
	int ret;

	if (!call)
		return false;
	ret = echo_call_sync(clnt, call);
	good = proc == ECHO_PROC_DROP ? ret == -ETIMEDOUT :
					!ret && echo_call_good(call);
	echo_call_free(call);
	return good;
}

/*
 * Make @count callbacks to the caller. Returns how many of them succeeded
 * before the first failure. A DROP succeeds if it is not answered.
 */
u32 echo_callback_run(struct svc_rqst *rqstp, enum echo_proc proc, u32 count,
		      u32 length)
{
	struct rpc_clnt *clnt;
	u32 good = 0;

	clnt = callback_client(rqstp, proc == ECHO_PROC_DROP ? ECHO_IMPATIENCE :
							       ECHO_PATIENCE);
	if (IS_ERR(clnt))
		return 0;
	while (good < count && callback_once(clnt, proc, length))
		good++;
	rpc_shutdown_client(clnt);
	return good;
}

/* Returns the only transport of a client. */
struct rpc_xprt *echo_xprt(struct rpc_clnt *clnt)
{
	struct rpc_xprt *xprt;

	rcu_read_lock();
	xprt = rcu_dereference(clnt->cl_xprt);
	rcu_read_unlock();
	return xprt;
}

/* Serve callbacks to @clnt, on its only connection, until echo_callback_stop(). */
int echo_callback_start(struct rpc_clnt *clnt)
{
	struct rpc_xprt *xprt = echo_xprt(clnt);
	int ret;

	callback_serv = svc_create(&echo_service_program, PAGE_SIZE,
				   echo_service_thread);
	if (!callback_serv)
		return -ENOMEM;
	set_bc_enabled(callback_serv);
	ret = svc_set_num_threads(callback_serv, 0, 2);
	if (ret)
		goto out_destroy;
	xprt->bc_serv = callback_serv;
	ret = xprt_setup_backchannel(xprt, ECHO_SLOTS);
	if (ret)
		goto out_stop;
	return 0;

out_stop:
	xprt->bc_serv = NULL;
	svc_set_num_threads(callback_serv, 0, 0);
out_destroy:
	svc_destroy(&callback_serv);
	return ret;
}

void echo_callback_stop(struct rpc_clnt *clnt)
{
	struct rpc_xprt *xprt = echo_xprt(clnt);

	xprt_destroy_backchannel(xprt, ECHO_SLOTS);
	xprt->bc_serv = NULL;
	svc_set_num_threads(callback_serv, 0, 0);
	svc_destroy(&callback_serv);
}
