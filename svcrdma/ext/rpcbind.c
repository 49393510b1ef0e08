// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registration of listeners with rpcbind, under the netids rdma and rdma6 (RFC
 * 5666 sections 10 and 12). sunrpc registers only UDP and TCP listeners.
 *
 * Operation: each program and version of the service is registered with the
 * universal address of the listener. As in sunrpc, the task that creates or
 * closes the listener calls rpcbind over its AF_LOCAL socket, and waits. The
 * socket is connected in the mount namespace of the task, and stays connected,
 * because rpcbind uses the connection to identify the owner of the
 * registrations.
 *
 * Errors: a service works without rpcbind. If rpcbind refuses to register, or
 * does not answer in time, this is logged, and the call is not repeated. After
 * the first unanswered call, no further calls are made.
 */
#define pr_fmt(fmt) "svcrdma: " fmt

#include <linux/cred.h>
#include <linux/in.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sunrpc/addr.h>
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/msg_prot.h>
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/xprt.h>
#include <linux/un.h>

#include "../counters.h"
#include "ext.h"

static bool svc_rdma_use_rpcbind = true;
module_param_named(rpcbind, svc_rdma_use_rpcbind, bool, 0644);
MODULE_PARM_DESC(rpcbind,
		 "Register listeners with rpcbind, as netids rdma and rdma6 (new listeners)");

#define RPCBIND_PROGRAM		100000u
#define RPCBIND_VERSION		4u
/* Since version 1.2.7, rpcbind also has a socket with an abstract name. */
#define RPCBIND_ABSTRACT	"\0/run/rpcbind.sock"
#define RPCBIND_PATH		"/var/run/rpcbind.sock"
/* rpcbind replaces the owner with the user name of a local caller. */
#define RPCBIND_OWNER		"0"
/* Time limit of a call */
#define RPCBIND_TIMEOUT		(2 * HZ)

enum svc_rdma_rpcbind_proc {
	RPCBIND_SET = 1,
	RPCBIND_UNSET,
};

/**
 * struct svc_rdma_rpcbind - registrations of one listener
 * @clnt: client of rpcbind
 * @serv: service whose programs are registered
 * @net: network namespace of the listener
 * @program: program number in the current call
 * @version: version number in the current call
 * @netid: rdma or rdma6
 * @uaddr: universal address of the listener
 */
struct svc_rdma_rpcbind {
	struct rpc_clnt *clnt;
	struct svc_serv *serv;
	struct net *net;
	u32 program;
	u32 version;
	const char *netid;
	char uaddr[RPCBIND_MAXUADDRLEN];
};

/* RFC 1833 section 2.1: struct rpcb */
static void svc_rdma_rpcbind_encode(struct rpc_rqst *req,
				    struct xdr_stream *xdr, const void *data)
{
	const struct svc_rdma_rpcbind *rpcbind = data;

	xdr_stream_encode_u32(xdr, rpcbind->program);
	xdr_stream_encode_u32(xdr, rpcbind->version);
	xdr_stream_encode_opaque(xdr, rpcbind->netid, strlen(rpcbind->netid));
	xdr_stream_encode_opaque(xdr, rpcbind->uaddr, strlen(rpcbind->uaddr));
	xdr_stream_encode_opaque(xdr, RPCBIND_OWNER, strlen(RPCBIND_OWNER));
}

static int svc_rdma_rpcbind_decode(struct rpc_rqst *req, struct xdr_stream *xdr,
				   void *result)
{
	return xdr_stream_decode_u32(xdr, result) ? -EIO : 0;
}

#define RPCBIND_ARGS	(2 + 3 + XDR_QUADLEN(RPCBIND_MAXNETIDLEN) + \
			 XDR_QUADLEN(RPCBIND_MAXUADDRLEN) + \
			 XDR_QUADLEN(sizeof(RPCBIND_OWNER)))

#define RPCBIND_PROC(_proc, _name)				\
	[_proc] = {						\
		.p_proc		= _proc,			\
		.p_encode	= svc_rdma_rpcbind_encode,	\
		.p_decode	= svc_rdma_rpcbind_decode,	\
		.p_arglen	= RPCBIND_ARGS,			\
		.p_replen	= 1,				\
		.p_statidx	= _proc,			\
		.p_name		= _name,			\
	}

static const struct rpc_procinfo svc_rdma_rpcbind_procs[] = {
	RPCBIND_PROC(RPCBIND_SET, "SET"),
	RPCBIND_PROC(RPCBIND_UNSET, "UNSET"),
};

static unsigned int svc_rdma_rpcbind_counts[ARRAY_SIZE(svc_rdma_rpcbind_procs)];

static const struct rpc_version svc_rdma_rpcbind_version = {
	.number		= RPCBIND_VERSION,
	.nrprocs	= ARRAY_SIZE(svc_rdma_rpcbind_procs),
	.procs		= svc_rdma_rpcbind_procs,
	.counts		= svc_rdma_rpcbind_counts,
};

static const struct rpc_version *svc_rdma_rpcbind_versions[] = {
	[RPCBIND_VERSION] = &svc_rdma_rpcbind_version,
};

static struct rpc_stat svc_rdma_rpcbind_stat;

static const struct rpc_program svc_rdma_rpcbind_program = {
	.name		= "rpcbind",
	.number		= RPCBIND_PROGRAM,
	.nrvers		= ARRAY_SIZE(svc_rdma_rpcbind_versions),
	.version	= svc_rdma_rpcbind_versions,
	.stats		= &svc_rdma_rpcbind_stat,
};

/*
 * Create a client of rpcbind. The ping that rpc_create() sends connects the
 * socket. There is no idle timeout, so the socket stays connected (see
 * Operation).
 */
static struct rpc_clnt *svc_rdma_rpcbind_connect(struct net *net,
						 const char *name, size_t len)
{
	static const struct rpc_timeout timeout = {
		.to_initval	= RPCBIND_TIMEOUT,
		.to_maxval	= RPCBIND_TIMEOUT,
	};
	struct sockaddr_un addr = { .sun_family = AF_LOCAL };
	struct rpc_create_args args = {
		.net		= net,
		.protocol	= XPRT_TRANSPORT_LOCAL,
		.address	= (struct sockaddr *)&addr,
		.addrsize	= offsetof(struct sockaddr_un, sun_path) + len,
		.timeout	= &timeout,
		.servername	= "localhost",
		.program	= &svc_rdma_rpcbind_program,
		.version	= RPCBIND_VERSION,
		.authflavor	= RPC_AUTH_NULL,
		.cred		= current_cred(),
		.flags		= RPC_CLNT_CREATE_NO_IDLE_TIMEOUT,
	};

	memcpy(addr.sun_path, name, len);
	return rpc_create(&args);
}

/*
 * Call rpcbind. rpcbind refuses SET for an address that another listener has
 * registered. It can also refuse UNSET, because sunrpc may already have removed
 * all registrations of the service. Return: 0, -EACCES if rpcbind refuses, or
 * another negative errno.
 */
static int svc_rdma_rpcbind_call(struct svc_rdma_rpcbind *rpcbind,
				 enum svc_rdma_rpcbind_proc proc)
{
	u32 done = 0;
	struct rpc_message msg = {
		.rpc_proc	= &svc_rdma_rpcbind_procs[proc],
		.rpc_argp	= rpcbind,
		.rpc_resp	= &done,
	};
	int ret;

	ret = rpc_call_sync(rpcbind->clnt, &msg,
			    RPC_TASK_SOFT | RPC_TASK_SOFTCONN);
	if (!ret && !done)
		ret = -EACCES;
	if (ret && proc == RPCBIND_SET)
		pr_notice_ratelimited("rpcbind has not registered %s %s for program %u version %u (%d): look at rpcbind, or let clients name the port\n",
				      rpcbind->netid, rpcbind->uaddr,
				      rpcbind->program, rpcbind->version, ret);
	return ret;
}

static void svc_rdma_rpcbind_free(struct svc_rdma_rpcbind *rpcbind)
{
	if (!IS_ERR(rpcbind->clnt))
		rpc_shutdown_client(rpcbind->clnt);
	kfree(rpcbind);
}

/*
 * Is a version offered, and not switched off? Only the program knows. Ask it to
 * register with a protocol that sunrpc cannot register: if the version is
 * offered, this fails. A version whose registration errors are ignored (NFS
 * version 4) counts as offered.
 */
static bool svc_rdma_rpcbind_offered(struct net *net,
				     const struct svc_program *program,
				     u32 version)
{
	const struct svc_version *vers = program->pg_vers[version];

	if (!vers || vers->vs_hidden || !program->pg_rpcbind_set)
		return false;
	return vers->vs_rpcb_optnl ||
	       program->pg_rpcbind_set(net, program, version, PF_INET,
				       IPPROTO_IP, 0);
}

/*
 * Call rpcbind for each version that is offered. The versions do not change
 * while there are listeners. Return the number of calls that succeeded.
 */
static u32 svc_rdma_rpcbind_each(struct svc_rdma_rpcbind *rpcbind,
				 enum svc_rdma_rpcbind_proc proc)
{
	const struct svc_program *program;
	u32 version, n = 0;
	int ret;

	rpcrdma_for_each_program(program, rpcbind->serv) {
		for (version = 0; version < program->pg_nvers; version++) {
			if (!svc_rdma_rpcbind_offered(rpcbind->net, program,
						      version))
				continue;
			rpcbind->program = program->pg_prog;
			rpcbind->version = version;
			ret = svc_rdma_rpcbind_call(rpcbind, proc);
			if (ret && ret != -EACCES)
				return n;
			n += !ret;
		}
	}
	return n;
}

/* Connect to rpcbind. Return an ERR_PTR if it is not running. */
static struct rpc_clnt *svc_rdma_rpcbind_open(struct net *net)
{
	struct rpc_clnt *clnt;

	clnt = svc_rdma_rpcbind_connect(net, RPCBIND_ABSTRACT,
					sizeof(RPCBIND_ABSTRACT) - 1);
	if (!IS_ERR(clnt))
		return clnt;
	return svc_rdma_rpcbind_connect(net, RPCBIND_PATH,
					sizeof(RPCBIND_PATH));
}

/* RFC 5665 section 5.2.3: address and port, as text, separated by dots */
static void svc_rdma_rpcbind_set_address(struct svc_rdma_rpcbind *rpcbind,
					 const struct sockaddr *sap)
{
	u16 port = rpc_get_port(sap);

	rpcbind->netid = sap->sa_family == AF_INET6 ? RPCBIND_NETID_RDMA6 :
						      RPCBIND_NETID_RDMA;
	snprintf(rpcbind->uaddr, sizeof(rpcbind->uaddr), "%pISc.%u.%u", sap,
		 port >> 8, port & 0xff);
}

/**
 * svc_rdma_rpcbind_register - register a listener with rpcbind
 * @serv: service whose programs are registered
 * @net: network namespace
 * @sap: address and port of the listener
 *
 * Context: process.
 * Return: the registration, or NULL if nothing was registered.
 */
struct svc_rdma_rpcbind *svc_rdma_rpcbind_register(struct svc_serv *serv,
						   struct net *net,
						   const struct sockaddr *sap)
{
	struct svc_rdma_rpcbind *rpcbind;
	u32 n = 0;

	if (!READ_ONCE(svc_rdma_use_rpcbind))
		return NULL;
	rpcbind = kzalloc(sizeof(*rpcbind), GFP_KERNEL);
	if (!rpcbind)
		return NULL;
	rpcbind->serv = serv;
	rpcbind->net = net;
	svc_rdma_rpcbind_set_address(rpcbind, sap);
	rpcbind->clnt = svc_rdma_rpcbind_open(net);
	if (!IS_ERR(rpcbind->clnt))
		n = svc_rdma_rpcbind_each(rpcbind, RPCBIND_SET);
	svc_rdma_add(rpcbind_set, n);
	if (n)
		return rpcbind;
	svc_rdma_rpcbind_free(rpcbind);
	return NULL;
}

/**
 * svc_rdma_rpcbind_unregister - undo svc_rdma_rpcbind_register()
 * @rpcbind: registration, which is freed; or NULL
 *
 * Context: process.
 */
void svc_rdma_rpcbind_unregister(struct svc_rdma_rpcbind *rpcbind)
{
	if (!rpcbind)
		return;
	svc_rdma_rpcbind_each(rpcbind, RPCBIND_UNSET);
	svc_rdma_rpcbind_free(rpcbind);
}
