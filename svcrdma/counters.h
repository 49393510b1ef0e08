/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of the module; control/stats.c shows them in debugfs. */
#ifndef _SVC_RDMA_COUNTERS_H
#define _SVC_RDMA_COUNTERS_H

#include <linux/percpu.h>

#include <rpcrdma/exchange.h>

#define SVC_RDMA_COUNTERS(X)		\
	X(listeners_created)		\
	X(listeners_destroyed)		\
	X(listeners_moved)		\
	X(rpcbind_set)			\
	X(rpcbind_failed)		\
	X(conns_created)		\
	X(conns_destroyed)		\
	X(recvctxs_created)		\
	X(recvctxs_destroyed)		\
	X(sendctxs_created)		\
	X(sendctxs_destroyed)		\
	X(rwctxs_created)		\
	X(rwctxs_destroyed)		\
	X(readctxs_created)		\
	X(readctxs_destroyed)		\
	X(adverts_created)		\
	X(adverts_destroyed)		\
	X(advert_mrs_created)		\
	X(advert_mrs_destroyed)		\
	X(bc_xprts_created)		\
	X(bc_xprts_destroyed)		\
	X(conns_rejected)		\
	X(conns_vanished)		\
	X(probes_sent)			\
	X(messages_received)		\
	X(nomsg_calls)			\
	X(msgp_calls)			\
	X(dones_unknown)		\
	X(errors_received)		\
	X(errors_sent)			\
	X(err_vers_sent)		\
	X(err_chunk_sent)		\
	X(connprops_received)		\
	X(connprops_sent)		\
	X(conf_calls)			\
	X(conf_refused)			\
	RPCRDMA_EXCHANGE_COUNTERS(X)	\
	X(messages_dropped)		\
	X(reads_deferred)		\
	X(read_chunks)			\
	X(read_segments)		\
	X(read_bytes)			\
	X(reads_posted)			\
	X(read_pages_reused)		\
	X(read_pages_returned)		\
	X(write_chunks)			\
	X(reply_chunks)			\
	X(reply_bytes)			\
	X(writes_posted)		\
	X(inline_replies)		\
	X(mapped_replies)		\
	X(heads_kept)			\
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
	X(completion_errors)		\
	X(reads_failed)			\
	X(writes_failed)		\
	X(no_memory)

#define SVC_RDMA_COUNTER_ENUM(name) SVC_RDMA_STAT_##name,
enum svc_rdma_counter {
	SVC_RDMA_COUNTERS(SVC_RDMA_COUNTER_ENUM)
	SVC_RDMA_STATS,
};

struct svc_rdma_counters {
	u64 value[SVC_RDMA_STATS];
};

DECLARE_PER_CPU(struct svc_rdma_counters, svc_rdma_counters);

#define svc_rdma_add(name, n)						\
	this_cpu_add(svc_rdma_counters.value[SVC_RDMA_STAT_##name], (n))
#define svc_rdma_count(name)	svc_rdma_add(name, 1)

#endif /* _SVC_RDMA_COUNTERS_H */
