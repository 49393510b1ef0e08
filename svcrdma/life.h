/* SPDX-License-Identifier: GPL-2.0-only */
/* The life of a connection: state, times, and why it has ended. */
#ifndef _SVC_RDMA_LIFE_H
#define _SVC_RDMA_LIFE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/workqueue.h>

#include <rpcrdma/cause.h>
#include <rpcrdma/cm.h>
#include <rpcrdma/netlink_put.h>

struct svc_rdma_listener;

/**
 * enum svc_rdma_state - states of a connection
 * @SVC_RDMA_NEW: the connect request has not been accepted
 * @SVC_RDMA_ACCEPTED: the CM reply has been sent, or is about to be
 * @SVC_RDMA_OPEN: established
 * @SVC_RDMA_CLOSING: being closed; no more Work Requests may be posted
 * @SVC_RDMA_STATES: number of states
 */
enum svc_rdma_state {
	SVC_RDMA_NEW,
	SVC_RDMA_ACCEPTED,
	SVC_RDMA_OPEN,
	SVC_RDMA_CLOSING,
	SVC_RDMA_STATES,
};

/**
 * struct svc_rdma_life - the life of a connection
 * @state: enum svc_rdma_state; changed only by svc_rdma_conn_change()
 * @cause: why the connection ended, encoded by rpcrdma_cause(); 0 until the
 *	cause is known; set once, by svc_rdma_conn_blame()
 * @gone: the device is being removed
 * @noted: the end of the connection has been noted (control/ended.c)
 * @since: time when the connection was accepted, in seconds since boot
 * @shown: entry of the list of connections that netlink shows. The entry has no
 *	number until rdma_accept() has succeeded; until then, only Receives have
 *	been posted.
 * @listener: listener at which the connection waits to be accepted, or NULL
 * @entry: entry of @waiting of @listener
 * @free_work: releases the connection; no other work item may do that
 * @deferred_id: keeps the CM identifier after everything else has been released
 */
struct svc_rdma_life {
	atomic_t state;
	u32 cause;
	bool gone;
	bool noted;
	time64_t since;
	struct rpcrdma_nl_entry shown;
	struct svc_rdma_listener *listener;
	struct list_head entry;
	struct work_struct free_work;
	struct rpcrdma_deferred_id deferred_id;
};

#endif /* _SVC_RDMA_LIFE_H */
