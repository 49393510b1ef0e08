// SPDX-License-Identifier: GPL-2.0-only
/*
 * Knowledge of NFS procedures in this transport.
 *
 * A transport should need no such knowledge. Each function is here because
 * sunrpc has no interface for it; the kernel-doc names an interface that could
 * replace the function. No other file depends on a program or procedure, except
 * for extensions: limits.c only distinguishes procedures by their number, and
 * rpc.c only reads XID and direction.
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

/* All NFSv4 calls are COMPOUND; p_statidx distinguishes them. */
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
 * xprt_rdma_nfs_is_v3_proc - check for a procedure of NFSv3
 * @task: task of the call
 * @proc: number of the procedure
 *
 * The receiver of a padded message must find the data. That is possible in
 * NFSv3 WRITE and READ, because the data is the last item, and all other items
 * are short.
 *
 * Replacement: new flags of the buffers. XDRBUF_WRITE and XDRBUF_READ do not
 * suffice, because NFSv4 sets them, too.
 *
 * Context: any.
 * Return: true if the call is for this procedure.
 */
bool xprt_rdma_nfs_is_v3_proc(const struct rpc_task *task, u32 proc)
{
	return xprt_rdma_nfs_is_version(task, NFS3_VERSION) &&
	       task->tk_msg.rpc_proc->p_proc == proc;
}

/**
 * xprt_rdma_nfs_places_link - check for READLINK with a DDP-eligible result
 * @task: task of the call
 *
 * RFC 8267 makes the text of a symbolic link DDP-eligible. The NFS client marks
 * the data of READ (XDRBUF_READ), but not this text. NFSv3 only: Linux servers
 * write the text of an NFSv4 link four bytes too far into a Write chunk,
 * preceded by its length. Clients have always provided a Reply chunk for it.
 *
 * Replacement: XDRBUF_READ, set by nfs3_xdr_enc_readlink3args() as well.
 *
 * Context: any.
 * Return: true for READLINK of NFSv3: the reply's pages may be a Write chunk.
 */
bool xprt_rdma_nfs_places_link(const struct rpc_task *task)
{
	return xprt_rdma_nfs_is_v3_proc(task, NFS3PROC_READLINK);
}

/**
 * xprt_rdma_nfs_exceeds - check whether a reply may be longer than its buffer
 * @task: task of the call
 *
 * GETXATTR and GETACL of NFSv4 have no argument that limits the reply. The NFS
 * client's buffer has the size that its caller asked for. If the reply is
 * longer, the client needs only the beginning, which contains the length, and
 * TCP drops the rest. A Reply chunk of the buffer's size would make the server
 * return an error instead of the reply.
 *
 * Replacement: a flag of the receive buffer, like XDRBUF_SPARSE_PAGES.
 *
 * Context: any.
 * Return: true for GETXATTR and GETACL of NFSv4.
 */
bool xprt_rdma_nfs_exceeds(const struct rpc_task *task)
{
	return xprt_rdma_nfs_is_v4_proc(task, NFSPROC4_CLNT_GETACL,
					NFSPROC4_CLNT_GETXATTR);
}

/**
 * xprt_rdma_nfs_is_destroy - check for a call that is sent while unmounting
 * @task: task of the call
 *
 * When the server is gone, DESTROY_SESSION and DESTROY_CLIENTID of NFSv4.1
 * would delay the unmount for minutes without any benefit. These calls justify
 * only one attempt to connect, and do not wait for the attempts of other calls.
 *
 * Replacement: RPC_TASK_SOFTCONN, set by nfs4_proc_destroy_session() and
 * nfs4_proc_destroy_clientid().
 *
 * Context: any.
 * Return: true for DESTROY_SESSION and DESTROY_CLIENTID.
 */
bool xprt_rdma_nfs_is_destroy(const struct rpc_task *task)
{
	return xprt_rdma_nfs_is_v4_proc(task, NFSPROC4_CLNT_DESTROY_SESSION,
					NFSPROC4_CLNT_DESTROY_CLIENTID);
}
