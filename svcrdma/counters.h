/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counters of the module, which control/stats.c shows in debugfs. A name that
 * ends in _now counts existing objects.
 */
#ifndef _SVC_RDMA_COUNTERS_H
#define _SVC_RDMA_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>

#define SVC_RDMA_COUNTERS(X)		\
	X(listeners_now)		\
	X(rpcbind_set)			\
	X(conns_now)			\
	X(recvctxs_now)			\
	X(sendctxs_now)			\
	X(rwctxs_now)			\
	X(readctxs_now)			\
	X(adverts_now)			\
	X(advert_mrs_now)		\
	X(bc_xprts_now)			\
	X(probes_sent)			\
	X(messages_received)		\
	X(msgp_calls)			\
	X(dones_unknown)		\
	X(errors_received)		\
	X(errors_sent)			\
	X(err_vers_sent)		\
	X(connprops_received)		\
	X(connprops_sent)		\
	X(conf_calls)			\
	X(recvs_grown)			\
	X(messages_dropped)		\
	X(reads_deferred)		\
	X(reads_posted)			\
	X(read_pages_reused)		\
	X(read_pages_returned)		\
	X(reply_bytes)			\
	X(writes_posted)		\
	X(mapped_replies)		\
	X(reply_pages_kept)		\
	X(remote_invalidations)		\
	X(adverts_invalidated)		\
	X(adverts_expired)		\
	X(reply_too_long)		\
	X(callbacks_sent)		\
	X(callback_replies)		\
	X(callback_bad_replies)		\
	X(sq_starve)			\
	X(throttled)			\
	X(reads_failed)			\
	X(writes_failed)

#define SVC_RDMA_COUNTER_ENUM(name) SVC_RDMA_STAT_##name,
enum svc_rdma_counter {
	SVC_RDMA_COUNTERS(SVC_RDMA_COUNTER_ENUM)
	SVC_RDMA_STATS,
};

DECLARE_PER_CPU(u64[SVC_RDMA_STATS], svc_rdma_counters);

#define svc_rdma_add(name, n)						\
	this_cpu_add(svc_rdma_counters[SVC_RDMA_STAT_##name], (n))
#define svc_rdma_count(name)	svc_rdma_add(name, 1)

#endif /* _SVC_RDMA_COUNTERS_H */
