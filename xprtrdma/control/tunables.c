// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sysctls in /proc/sys/sunrpc, and module parameters. A change applies to
 * transports (slots) or connections (all others) created afterwards.
 */

#include <linux/module.h>

#include <rpcrdma/buffer.h>
#include <rpcrdma/cm.h>
#include <rpcrdma/tunable.h>

#include "../limits.h"
#include "../tunables.h"
#include "control.h"

/* Ranges and defaults are as users of the in-tree transport know them. */
#define MEMREG_FRWR		5

unsigned int xprt_rdma_slot_table_entries = 128;
unsigned int xprt_rdma_max_inline_read = 4096;
unsigned int xprt_rdma_max_inline_write = 4096;

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

/* A module parameter: its value, the range of it, and names of the values, if it has any */
struct xprt_rdma_param {
	unsigned int *value;
	unsigned int min;
	unsigned int max;
	const char * const *names;
};

static int xprt_rdma_param_set(const char *val, const struct kernel_param *kp)
{
	const struct xprt_rdma_param *param = kp->arg;
	unsigned int value;
	int rc;

	if (param->names) {
		rc = __sysfs_match_string(param->names, param->max + 1, val);
		value = rc;
	} else {
		rc = kstrtouint(val, 0, &value);
		if (!rc && (value < param->min || value > param->max))
			rc = -EINVAL;
	}
	if (rc < 0)
		return rc;
	WRITE_ONCE(*param->value, value);
	return 0;
}

static int xprt_rdma_param_get(char *buf, const struct kernel_param *kp)
{
	const struct xprt_rdma_param *param = kp->arg;
	unsigned int value = READ_ONCE(*param->value);

	return param->names ? sysfs_emit(buf, "%s\n", param->names[value]) :
			      sysfs_emit(buf, "%u\n", value);
}

static const struct kernel_param_ops xprt_rdma_param_ops = {
	.set	= xprt_rdma_param_set,
	.get	= xprt_rdma_param_get,
};

#define SETTING(_name, _value, _min, _max, _names)			\
	static struct xprt_rdma_param _name##_param = {			\
		&(_value), _min, _max, _names				\
	};								\
	module_param_cb(_name, &xprt_rdma_param_ops, &_name##_param, 0644)

/* Highest version that is offered to servers */
unsigned int xprt_rdma_max_version = RPCRDMA_VERSION_2;
SETTING(max_version, xprt_rdma_max_version, RPCRDMA_VERSION_1,
	RPCRDMA_VERSION_2, NULL);
MODULE_PARM_DESC(max_version,
		 "Highest RPC-over-RDMA version, 1 or 2 (new connections)");

/* An enum xprt_rdma_negotiation */
unsigned int xprt_rdma_negotiate = XPRT_RDMA_NEGOTIATE_PROBE;

static const char * const negotiate_names[] = {
	[XPRT_RDMA_NEGOTIATE_OFF]	= "off",
	[XPRT_RDMA_NEGOTIATE_HINT]	= "hint",
	[XPRT_RDMA_NEGOTIATE_PROBE]	= "probe",
};

SETTING(negotiate, xprt_rdma_negotiate, 0, XPRT_RDMA_NEGOTIATE_PROBE,
	negotiate_names);
MODULE_PARM_DESC(negotiate, "Servers without a version hint: probe offers version 2, hint uses version 1; off uses version 1 with every server (new connections)");

unsigned int xprt_rdma_receive_buffer_size = RPCRDMA_BUF_SIZE;
SETTING(receive_buffer_size, xprt_rdma_receive_buffer_size,
	RPCRDMA2_INLINE_DEFAULT, XPRT_RDMA_INLINE_MAX, NULL);
MODULE_PARM_DESC(receive_buffer_size,
		 "Bytes of a Receive buffer with version 2, 4096 to 65536 (new connections)");

/* An exponent, as in the InfiniBand specification; 0: the CM chooses one. */
unsigned int xprt_rdma_ack_timeout;
SETTING(ack_timeout, xprt_rdma_ack_timeout, 0, RPCRDMA_ACK_TIMEOUT_MAX, NULL);
MODULE_PARM_DESC(ack_timeout,
		 "Retransmit after 4.096 us * 2^N, up to 31; 0 as the path has it (new connections)");

/* On RoCE, the traffic class */
unsigned int xprt_rdma_service_type;
SETTING(service_type, xprt_rdma_service_type, 0, U8_MAX, NULL);
MODULE_PARM_DESC(service_type,
		 "Type of service of both sides' packets, DSCP times 4; 0 as the port has it (new connections)");

/* An enum xprt_rdma_completion */
unsigned int xprt_rdma_completion_workqueue = XPRT_RDMA_COMPLETION_UNBOUND;

static const char * const completion_names[] = {
	[XPRT_RDMA_COMPLETION_BOUND]	= "bound",
	[XPRT_RDMA_COMPLETION_UNBOUND]	= "unbound",
};

SETTING(completion_workqueue, xprt_rdma_completion_workqueue, 0,
	XPRT_RDMA_COMPLETION_UNBOUND, completion_names);
MODULE_PARM_DESC(completion_workqueue, "Workqueue for completions: unbound, or bound to the processor of the interrupt (new connections)");

/* Fixed: fast registration is the only strategy. */
static unsigned int memreg_strategy = MEMREG_FRWR;

static struct ctl_table tunables[] = {
	RPCRDMA_TUNABLE("rdma_slot_table_entries", xprt_rdma_slot_table_entries,
			4, 16384),
	RPCRDMA_TUNABLE("rdma_max_inline_read", xprt_rdma_max_inline_read,
			RPCRDMA_V1_INLINE_DEFAULT, XPRT_RDMA_INLINE_MAX),
	RPCRDMA_TUNABLE("rdma_max_inline_write", xprt_rdma_max_inline_write,
			RPCRDMA_V1_INLINE_DEFAULT, XPRT_RDMA_INLINE_MAX),
	RPCRDMA_TUNABLE("rdma_memreg_strategy", memreg_strategy,
			MEMREG_FRWR, MEMREG_FRWR),
	RPCRDMA_TUNABLE("rdma_pad_optimize", xprt_rdma_pad_optimize, 0, 1),
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
