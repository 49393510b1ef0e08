// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: exactly the NFS procedures that need it are treated specially.
 * Otherwise, long symbolic links or extended attributes could not be read, an
 * unmount would hang, or other calls would fail after a single attempt.
 */
#include "xprt_fakes.h"

#include "../xprtrdma/message/nfs.c"

/* A procedure, and its special treatment */
struct proc_case {
	const char *name;	/* what is called */
	u32 prog;		/* program */
	u32 vers;		/* version of the program */
	u32 proc;		/* procedure */
	u32 statidx;		/* NFSv4 operation; all of them are one procedure on the wire */
	bool link;		/* its reply's pages may be a Write chunk */
	bool v3_write;		/* it is WRITE of NFSv3 */
	bool v3_read;		/* it is READ of NFSv3 */
	bool exceeds;		/* its reply may be longer than its buffer */
	bool ends;		/* it belongs to an unmount */
};

#define NFS	NFS_PROGRAM
#define ACL	100227u
#define V4(p)	NFS, 4, 1, NFSPROC4_CLNT_##p

static const struct proc_case proc_cases[] = {
	{ "READLINK, NFSv3", NFS, 3, NFS3PROC_READLINK, NFS3PROC_READLINK, .link = true },
	{ "READ, NFSv3", NFS, 3, NFS3PROC_READ, NFS3PROC_READ, .v3_read = true },
	{ "WRITE, NFSv3", NFS, 3, NFS3PROC_WRITE, NFS3PROC_WRITE, .v3_write = true },
	{ "7 of NFSv2", NFS, 2, NFS3PROC_WRITE, NFS3PROC_WRITE },
	{ "6 of NFSv2", NFS, 2, NFS3PROC_READ, NFS3PROC_READ },
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

/* Procedures are told apart by program, version and number. */
static void told_apart(struct kunit *test)
{
	const struct proc_case *c = test->param_value;
	struct rpc_procinfo proc = { .p_proc = c->proc,
				     .p_statidx = c->statidx };
	struct rpc_clnt *clnt = fake_zalloc(test, sizeof(*clnt));
	struct rpc_task task = { .tk_client = clnt };

	clnt->cl_prog = c->prog;
	clnt->cl_vers = c->vers;

	/* A task that connects may have no procedure. */
	KUNIT_EXPECT_FALSE(test, xprt_rdma_nfs_is_destroy(&task));
	task.tk_msg.rpc_proc = &proc;
	KUNIT_EXPECT_EQ(test, xprt_rdma_nfs_places_link(&task), c->link);
	KUNIT_EXPECT_EQ(test, xprt_rdma_nfs_is_v3_proc(&task, NFS3PROC_WRITE),
			c->v3_write);
	KUNIT_EXPECT_EQ(test, xprt_rdma_nfs_is_v3_proc(&task, NFS3PROC_READ),
			c->v3_read);
	KUNIT_EXPECT_EQ(test, xprt_rdma_nfs_exceeds(&task), c->exceeds);
	KUNIT_EXPECT_EQ(test, xprt_rdma_nfs_is_destroy(&task), c->ends);
	/* Nor a client */
	task.tk_client = NULL;
	KUNIT_EXPECT_FALSE(test, xprt_rdma_nfs_is_destroy(&task));
}

static struct kunit_case xprt_nfs_cases[] = {
	KUNIT_CASE_PARAM(told_apart, proc_case_gen_params),
	{}
};

SUITE("xprt_rdma_nfs", xprt_nfs_cases);
