// SPDX-License-Identifier: GPL-2.0-only
/*
 * What this transport knows of NFS, and of how sunrpc deals with a call.
 *
 * A transport should know neither. Each of these is here because sunrpc has no
 * interface by which it would be told, and says which one would replace it. Other
 * files know no program or procedure: predict.c counts by the number of a
 * procedure, whatever it is, and callback.c looks at the first two words of a
 * message, XID and direction (RFC 8167 section 5.2).
 */

#include <linux/nfs.h>
#include <linux/nfs3.h>
#include <linux/nfs4.h>
#include <linux/sunrpc/clnt.h>

#include "message.h"

static bool xprt_rdma_nfs_is_version(const struct rpc_task *task, u32 vers)
{
	const struct rpc_clnt *clnt = task->tk_client;

	return clnt && clnt->cl_prog == NFS_PROGRAM &&
	       clnt->cl_vers == vers && task->tk_msg.rpc_proc;
}

/* Every call of NFSv4 is a COMPOUND; this is which one. */
static bool xprt_rdma_nfs_is_v4_proc(const struct rpc_task *task, u32 one,
				     u32 other)
{
	u32 proc;

	if (!xprt_rdma_nfs_is_version(task, NFS4_VERSION))
		return false;
	proc = task->tk_msg.rpc_proc->p_statidx;
	return proc == one || proc == other;
}

/**
 * xprt_rdma_nfs_places_link - may the reply's pages be a Write chunk (READLINK)
 * @task: task of the call
 *
 * RFC 8267 lets a responder place the text of a symbolic link directly. NFS marks
 * the data of READ (XDRBUF_READ), but not this. With NFSv3 only: Linux servers
 * place an NFSv4 link four bytes off, with its length in front, and have always
 * been offered a Reply chunk for it.
 *
 * Instead: XDRBUF_READ, set by nfs3_xdr_enc_readlink3args() as well.
 *
 * Context: any.
 * Return: true for READLINK of NFSv3.
 */
bool xprt_rdma_nfs_places_link(const struct rpc_task *task)
{
	return xprt_rdma_nfs_is_version(task, NFS3_VERSION) &&
	       task->tk_msg.rpc_proc->p_proc == NFS3PROC_READLINK;
}

/**
 * xprt_rdma_nfs_exceeds - may the reply be longer than its buffer
 * @task: task of the call
 *
 * GETXATTR and GETACL of NFSv4 have no argument that limits the reply. NFS has
 * a buffer for what its caller has asked for, and takes the length from the
 * beginning of a reply that does not fit: over TCP, the rest is dropped. Here the
 * server would find no room for the reply and return an error instead.
 *
 * Instead: a flag of the receive buffer, beside XDRBUF_SPARSE_PAGES.
 *
 * Context: any.
 * Return: true for these two.
 */
bool xprt_rdma_nfs_exceeds(const struct rpc_task *task)
{
	return xprt_rdma_nfs_is_v4_proc(task, NFSPROC4_CLNT_GETACL,
					NFSPROC4_CLNT_GETXATTR);
}

/**
 * xprt_rdma_nfs_ends - is this a call of a client that is being unmounted
 * @task: task of the call
 *
 * DESTROY_SESSION and DESTROY_CLIENTID of NFSv4.1. With the server gone, they
 * would hold up the unmount for minutes, to no end: they are not worth more than
 * one attempt to connect.
 *
 * Instead: RPC_TASK_SOFTCONN, set by nfs4_proc_destroy_session() and
 * nfs4_proc_destroy_clientid() themselves.
 *
 * Context: any.
 * Return: true for these two.
 */
bool xprt_rdma_nfs_ends(const struct rpc_task *task)
{
	return xprt_rdma_nfs_is_v4_proc(task, NFSPROC4_CLNT_DESTROY_SESSION,
					NFSPROC4_CLNT_DESTROY_CLIENTID);
}

/**
 * xprt_rdma_rpc_fail - fail a call, or have it sent again
 * @rqst: the call, pinned
 * @again: have it sent again, as often as sunrpc allows
 *
 * The one way to do so that works no matter what its task does at the moment is
 * to deliver a reply that is too short to be one: sunrpc takes that for garbage,
 * and sends the call again or ends it with -EIO. See also make_stale() in
 * error.c.
 *
 * Instead: a length of xprt_complete_rqst() below zero, for the task's status.
 *
 * Context: process.
 * Return: length of the reply, to be passed on to xprt_complete_rqst().
 */
int xprt_rdma_rpc_fail(struct rpc_rqst *rqst, bool again)
{
	if (!again)
		rqst->rq_task->tk_garb_retry = 0;
	return RPCRDMA_XDR_UNIT;
}
