// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sysctls in /proc/sys/sunrpc, and module parameters. A change applies to
 * transports (slots) or connections (all others) created afterwards.
 */

#include <linux/module.h>
#include <linux/sysctl.h>

#include "../limits.h"
#include "../tunables.h"
#include "control.h"

/* Ranges and defaults, as users of the in-tree transport know them */
#define SLOTS_MIN		4
#define SLOTS_DEFAULT		128
#define SLOTS_MAX		16384
#define INLINE_DEFAULT		4096
#define INLINE_MAX		XPRT_RDMA_INLINE_MAX
#define RECEIVE_DEFAULT		5120
#define MEMREG_FRWR		5

unsigned int xprt_rdma_slot_table_entries = SLOTS_DEFAULT;
unsigned int xprt_rdma_max_inline_read = INLINE_DEFAULT;
unsigned int xprt_rdma_max_inline_write = INLINE_DEFAULT;

/*
 * 0: the Write chunk of an item whose length is not a multiple of four ends
 * with a segment for XDR roundup, in case the peer writes it. 1: it has no such
 * segment (RFC 8166 section 3.4.6.2).
 */
unsigned int xprt_rdma_pad_optimize;

bool xprt_rdma_remote_invalidation = true;
module_param_named(remote_invalidation, xprt_rdma_remote_invalidation, bool,
		   0644);
MODULE_PARM_DESC(remote_invalidation, "Permit servers to invalidate handles (new connections)");

/* Highest version that is offered to servers */
unsigned int xprt_rdma_max_version = RPCRDMA_VERSION_2;

static int xprt_rdma_tunables_set_max_version(const char *val,
					      const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, RPCRDMA_VERSION_1,
				     RPCRDMA_VERSION_2);
}

static const struct kernel_param_ops max_version_ops = {
	.set	= xprt_rdma_tunables_set_max_version,
	.get	= param_get_uint,
};
module_param_cb(max_version, &max_version_ops, &xprt_rdma_max_version, 0644);
MODULE_PARM_DESC(max_version,
		 "Highest RPC-over-RDMA version, 1 or 2 (new connections)");

/* An enum xprt_rdma_negotiation, by the names of its values */
unsigned int xprt_rdma_negotiate = XPRT_RDMA_NEGOTIATE_PROBE;

static const char * const negotiate_names[] = {
	[XPRT_RDMA_NEGOTIATE_OFF]	= "off",
	[XPRT_RDMA_NEGOTIATE_HINT]	= "hint",
	[XPRT_RDMA_NEGOTIATE_PROBE]	= "probe",
};

/* A value of an enum, by its name */
static int xprt_rdma_tunables_set_named(const char *val,
					const struct kernel_param *kp,
					const char * const *names, size_t n)
{
	int value = __sysfs_match_string(names, n, val);

	if (value < 0)
		return value;
	WRITE_ONCE(*(unsigned int *)kp->arg, value);
	return 0;
}

static int xprt_rdma_tunables_get_named(char *buf,
					const struct kernel_param *kp,
					const char * const *names)
{
	unsigned int value = READ_ONCE(*(unsigned int *)kp->arg);

	return sysfs_emit(buf, "%s\n", names[value]);
}

static int xprt_rdma_tunables_set_negotiate(const char *val,
					    const struct kernel_param *kp)
{
	return xprt_rdma_tunables_set_named(val, kp, negotiate_names,
					    ARRAY_SIZE(negotiate_names));
}

static int xprt_rdma_tunables_get_negotiate(char *buf,
					    const struct kernel_param *kp)
{
	return xprt_rdma_tunables_get_named(buf, kp, negotiate_names);
}

static const struct kernel_param_ops negotiate_ops = {
	.set	= xprt_rdma_tunables_set_negotiate,
	.get	= xprt_rdma_tunables_get_negotiate,
};
module_param_cb(negotiate, &negotiate_ops, &xprt_rdma_negotiate, 0644);
MODULE_PARM_DESC(negotiate, "Servers without a version hint: probe offers version 2, hint uses version 1; off uses version 1 with every server (new connections)");

/* The default has room for 4 KiB of data in a call or reply of NFS. */
unsigned int xprt_rdma_receive_buffer_size = RECEIVE_DEFAULT;

static int xprt_rdma_tunables_set_receive_size(const char *val,
					       const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, RPCRDMA2_INLINE_DEFAULT,
				     INLINE_MAX);
}

static const struct kernel_param_ops receive_size_ops = {
	.set	= xprt_rdma_tunables_set_receive_size,
	.get	= param_get_uint,
};
module_param_cb(receive_buffer_size, &receive_size_ops,
		&xprt_rdma_receive_buffer_size, 0644);
MODULE_PARM_DESC(receive_buffer_size,
		 "Bytes of a Receive buffer with version 2, 4096 to 65536 (new connections)");

/* An enum xprt_rdma_completion, by the names of its values */
unsigned int xprt_rdma_completion_workqueue = XPRT_RDMA_COMPLETION_UNBOUND;

static const char * const completion_names[] = {
	[XPRT_RDMA_COMPLETION_BOUND]	= "bound",
	[XPRT_RDMA_COMPLETION_UNBOUND]	= "unbound",
};

static int xprt_rdma_tunables_set_completion(const char *val,
					     const struct kernel_param *kp)
{
	return xprt_rdma_tunables_set_named(val, kp, completion_names,
					    ARRAY_SIZE(completion_names));
}

static int xprt_rdma_tunables_get_completion(char *buf,
					     const struct kernel_param *kp)
{
	return xprt_rdma_tunables_get_named(buf, kp, completion_names);
}

static const struct kernel_param_ops completion_ops = {
	.set	= xprt_rdma_tunables_set_completion,
	.get	= xprt_rdma_tunables_get_completion,
};
module_param_cb(completion_workqueue, &completion_ops,
		&xprt_rdma_completion_workqueue, 0644);
MODULE_PARM_DESC(completion_workqueue, "Workqueue for completions: unbound, or bound to the processor of the interrupt (new connections)");

/* Fixed: fast registration is the only strategy. */
static unsigned int memreg_strategy = MEMREG_FRWR;

static unsigned int slots_min = SLOTS_MIN;
static unsigned int slots_max = SLOTS_MAX;
static unsigned int inline_min = RPCRDMA_V1_INLINE_DEFAULT;
static unsigned int inline_max = INLINE_MAX;
static unsigned int memreg_only = MEMREG_FRWR;

#define TUNABLE(name, var, min, max) {			\
		.procname	= name,			\
		.data		= var,			\
		.maxlen		= sizeof(unsigned int),	\
		.mode		= 0644,			\
		.proc_handler	= proc_douintvec_minmax,\
		.extra1		= min,			\
		.extra2		= max,			\
	}

static struct ctl_table tunables[] = {
	TUNABLE("rdma_slot_table_entries", &xprt_rdma_slot_table_entries,
		&slots_min, &slots_max),
	TUNABLE("rdma_max_inline_read", &xprt_rdma_max_inline_read,
		&inline_min, &inline_max),
	TUNABLE("rdma_max_inline_write", &xprt_rdma_max_inline_write,
		&inline_min, &inline_max),
	TUNABLE("rdma_memreg_strategy", &memreg_strategy,
		&memreg_only, &memreg_only),
	TUNABLE("rdma_pad_optimize", &xprt_rdma_pad_optimize,
		SYSCTL_ZERO, SYSCTL_ONE),
	RPCRDMA_CTL_TABLE_END
};

static struct ctl_table_header *header;

/**
 * xprt_rdma_tunables_register - register the sysctls
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int xprt_rdma_tunables_register(void)
{
	header = register_sysctl("sunrpc", tunables);
	return header ? 0 : -ENOMEM;
}

/**
 * xprt_rdma_tunables_unregister - unregister the sysctls
 *
 * Context: process; waits for their users.
 */
void xprt_rdma_tunables_unregister(void)
{
	unregister_sysctl_table(header);
}
