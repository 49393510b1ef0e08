// SPDX-License-Identifier: GPL-2.0-only
/*
 * NULL calls to an NFS server, and connections that do nothing, for the benchmark.
 *
 * A write to debugfs' rpc_null/call is one NULL call, which the writer waits for. A number written
 * to rpc_null/connections is how many more connections are opened. All end with the module.
 */
#include <linux/debugfs.h>
#include <linux/in.h>
#include <linux/inet.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sunrpc/clnt.h>
#include <linux/sunrpc/xprt.h>
#include <net/net_namespace.h>

#define NFS_PROGRAM	100003
#define NFS_VERSION	4
#define MAX_CLIENTS	1024

static char *address = "10.0.0.1";
module_param(address, charp, 0444);
MODULE_PARM_DESC(address, "IPv4 address of the server");

static ushort port = 20049;
module_param(port, ushort, 0444);
MODULE_PARM_DESC(port, "Port of the server");

static bool tcp;
module_param(tcp, bool, 0444);
MODULE_PARM_DESC(tcp, "Use TCP, not RDMA");

/* rpc_call_null() has its own; statistics are kept for this one. */
static const struct rpc_procinfo null_procedures[] = {
	{ .p_name = "NULL" },
};

static unsigned int null_counts[ARRAY_SIZE(null_procedures)];

static const struct rpc_version null_version = {
	.number		= NFS_VERSION,
	.nrprocs	= ARRAY_SIZE(null_procedures),
	.procs		= null_procedures,
	.counts		= null_counts,
};

static const struct rpc_version *null_versions[NFS_VERSION + 1] = {
	[NFS_VERSION]	= &null_version,
};

static struct rpc_stat null_stats;

static const struct rpc_program null_program = {
	.name		= "nfs",
	.number		= NFS_PROGRAM,
	.nrvers		= ARRAY_SIZE(null_versions),
	.version	= null_versions,
	.stats		= &null_stats,
};

static struct dentry *null_dir;
static DEFINE_MUTEX(null_lock);
static struct rpc_clnt *null_clients[MAX_CLIENTS];
static unsigned int null_nr_clients;

/* Connect once more; the first client is the one that calls. */
static int null_add_client(void)
{
	struct sockaddr_in sin = {
		.sin_family	= AF_INET,
		.sin_port	= htons(port),
	};
	struct rpc_create_args args = {
		.net		= &init_net,
		.protocol	= tcp ? XPRT_TRANSPORT_TCP : XPRT_TRANSPORT_RDMA,
		.address	= (struct sockaddr *)&sin,
		.addrsize	= sizeof(sin),
		.servername	= "server",
		.program	= &null_program,
		.version	= NFS_VERSION,
		.authflavor	= RPC_AUTH_NULL,
		.cred		= current_cred(),
		.flags		= RPC_CLNT_CREATE_NO_IDLE_TIMEOUT,
	};
	struct rpc_clnt *client;

	if (null_nr_clients == MAX_CLIENTS)
		return -ENOSPC;
	if (!in4_pton(address, -1, (u8 *)&sin.sin_addr, -1, NULL))
		return -EINVAL;
	client = rpc_create(&args);
	if (IS_ERR(client))
		return PTR_ERR(client);
	null_clients[null_nr_clients++] = client;
	return 0;
}

static ssize_t call_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	struct rpc_task *task;
	int err;

	task = rpc_call_null(null_clients[0], NULL, 0);
	if (IS_ERR(task))
		return PTR_ERR(task);
	err = task->tk_status;
	rpc_put_task(task);
	return err ?: count;
}

static const struct file_operations call_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= call_write,
};

static ssize_t connections_write(struct file *file, const char __user *buf, size_t count,
				 loff_t *pos)
{
	unsigned int n;
	int err;

	err = kstrtouint_from_user(buf, count, 10, &n);
	if (err)
		return err;
	mutex_lock(&null_lock);
	while (n-- && !err)
		err = null_add_client();
	mutex_unlock(&null_lock);
	return err ?: count;
}

static const struct file_operations connections_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= connections_write,
};

static int __init null_init(void)
{
	int err = null_add_client();

	if (err)
		return err;
	null_dir = debugfs_create_dir("rpc_null", NULL);
	debugfs_create_file("call", 0200, null_dir, NULL, &call_fops);
	debugfs_create_file("connections", 0200, null_dir, NULL, &connections_fops);
	return 0;
}

static void __exit null_exit(void)
{
	debugfs_remove(null_dir);
	while (null_nr_clients)
		rpc_shutdown_client(null_clients[--null_nr_clients]);
}

module_init(null_init);
module_exit(null_exit);
MODULE_DESCRIPTION("NULL calls for the benchmark");
MODULE_LICENSE("GPL");
