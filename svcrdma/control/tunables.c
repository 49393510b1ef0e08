// SPDX-License-Identifier: GPL-2.0-only
/* Tunables: sysctls in /proc/sys/sunrpc/svc_rdma, and module parameters. */

#include <linux/module.h>
#include <linux/sizes.h>

#include <rpcrdma/buffer.h>
#include <rpcrdma/tunable.h>

#include "../limits.h"
#include "../tunables.h"
#include "control.h"

/* Bytes of the largest Receive buffer */
#define MAX_SIZE	65536u

unsigned int svc_rdma_max_requests = 64;
unsigned int svc_rdma_max_req_size = 4096;
unsigned int svc_rdma_ord = 16;
unsigned int svc_rdma_keepalive = 10;

bool svc_rdma_remote_invalidation = true;
SVC_RDMA_PARAM(remote_invalidation, bool,
	       "Invalidate a handle if the client allows it (new connections)");

unsigned int svc_rdma_max_version = RPCRDMA_VERSION_2;
SVC_RDMA_PARAM(max_version, uint,
	       "Highest RPC-over-RDMA version, 1 or 2 (new connections)");

/* Enough for a WRITE of 4 KiB with its headers */
unsigned int svc_rdma_receive_buffer_size = RPCRDMA_BUF_SIZE;
module_param_named(receive_buffer_size, svc_rdma_receive_buffer_size, uint,
		   0444);
MODULE_PARM_DESC(receive_buffer_size,
		 "Bytes of a Receive buffer with version 2, 4096 to 65536");

unsigned int svc_rdma_ack_timeout;
SVC_RDMA_PARAM(ack_timeout, uint,
	       "Retransmit after 4.096 us * 2^N, N up to 31; 0: the default of the path (new connections)");

/* Default if the administrator sets no value: depends on the memory size */
#define AUTO		UINT_MAX
#define AUTO_MAX	((unsigned long)SZ_1G)

unsigned int svc_rdma_read_calls_bytes = AUTO;
SVC_RDMA_PARAM(read_calls_bytes, uint,
	       "Maximum bytes of calls being read from one client's memory");

unsigned int svc_rdma_read_pages_kept = AUTO;
SVC_RDMA_PARAM(read_pages_kept, uint,
	       "Maximum bytes of pages that connections keep for calls and replies (0: none)");

/* Value of each counter when its sysctl was last written: a write resets it */
static u64 svc_rdma_stat_base[SVC_RDMA_STATS];

static int svc_rdma_stat_handler(RPCRDMA_CTL_TABLE *table, int write,
				 void *buffer, size_t *lenp, loff_t *ppos)
{
	enum svc_rdma_counter counter = (uintptr_t)table->extra1;
	u64 sum = rpcrdma_counters_sum(&svc_rdma_counter_table, counter);
	unsigned long value = sum - READ_ONCE(svc_rdma_stat_base[counter]);
	struct ctl_table fake = {
		.procname	= table->procname,
		.data		= &value,
		.maxlen		= sizeof(value),
		.mode		= table->mode,
	};

	if (write) {
		WRITE_ONCE(svc_rdma_stat_base[counter], sum);
		*ppos += *lenp;
		return 0;
	}
	return proc_doulongvec_minmax(&fake, write, buffer, lenp, ppos);
}

#define STAT(_name, _counter)						\
	{								\
		.procname	= _name,				\
		.mode		= 0644,					\
		.proc_handler	= svc_rdma_stat_handler,			\
		.extra1		= (void *)(uintptr_t)			\
				  SVC_RDMA_STAT_##_counter,		\
	}

/* Reads as 0 and accepts 0, for scripts that read or reset all statistics. */
static unsigned int svc_rdma_unused;

#define UNUSED(_name)							\
	RPCRDMA_TUNABLE(_name, svc_rdma_unused, 0, 0)

/*
 * The names are those of the kernel's own transport. rq_starve counts how many
 * times no call was taken because the connection had too many replies
 * outstanding.
 */
static struct ctl_table svc_rdma_table[] = {
	RPCRDMA_TUNABLE("max_requests", svc_rdma_max_requests,
			4, 16384),
	RPCRDMA_TUNABLE("max_req_size", svc_rdma_max_req_size,
			RPCRDMA_V1_INLINE_DEFAULT, MAX_SIZE),
	RPCRDMA_TUNABLE("max_outbound_read_requests", svc_rdma_ord,
			1, 255),
	RPCRDMA_TUNABLE("keepalive", svc_rdma_keepalive, 0, 86400),
	STAT("rdma_stat_read", reads_posted),
	STAT("rdma_stat_recv", messages_received),
	STAT("rdma_stat_write", writes_posted),
	STAT("rdma_stat_sq_starve", sq_starve),
	STAT("rdma_stat_rq_starve", throttled),
	UNUSED("rdma_stat_rq_poll"),
	UNUSED("rdma_stat_rq_prod"),
	UNUSED("rdma_stat_sq_poll"),
	UNUSED("rdma_stat_sq_prod"),
	RPCRDMA_CTL_TABLE_END
};

static struct ctl_table_header *svc_rdma_header;

static unsigned int svc_rdma_auto(unsigned int value, unsigned long pages,
				  unsigned long min)
{
	if (value != AUTO)
		return value;
	return clamp(pages << PAGE_SHIFT, min, AUTO_MAX);
}

/**
 * svc_rdma_tunables_check - limit module parameters to their ranges
 *
 * v2 draft section 7.1: requesters may rely on Receive buffers of the default
 * size. Memory limits that the administrator has not set depend on the memory
 * size, so that they do not slow down a server with memory for many threads.
 *
 * Context: module initialization.
 */
void svc_rdma_tunables_check(void)
{
	svc_rdma_receive_buffer_size =
		round_up(clamp(svc_rdma_receive_buffer_size,
			       RPCRDMA2_INLINE_DEFAULT, MAX_SIZE),
			 RPCRDMA_XDR_UNIT);
	svc_rdma_read_calls_bytes =
		svc_rdma_auto(svc_rdma_read_calls_bytes,
			      SVC_RDMA_READ_CALLS_TOTAL / 16, 16ul << 20);
	svc_rdma_read_pages_kept =
		svc_rdma_auto(svc_rdma_read_pages_kept,
			      totalram_pages() / 64, 64ul << 20);
}

/**
 * svc_rdma_tunables_init - create the sysctls
 *
 * Context: module initialization.
 * Return: 0 or -ENOMEM.
 */
int svc_rdma_tunables_init(void)
{
	svc_rdma_header = register_sysctl("sunrpc/svc_rdma", svc_rdma_table);
	return svc_rdma_header ? 0 : -ENOMEM;
}

/**
 * svc_rdma_tunables_exit - remove the sysctls
 *
 * Context: module exit.
 */
void svc_rdma_tunables_exit(void)
{
	unregister_sysctl_table(svc_rdma_header);
}
