/* SPDX-License-Identifier: GPL-2.0-only */
/* Listeners, and connect requests that wait to be accepted. */
#ifndef _SVC_RDMA_LISTENER_H
#define _SVC_RDMA_LISTENER_H

#include <linux/sunrpc/svc_xprt.h>
#include <linux/workqueue.h>
#include <rdma/rdma_cm.h>

#include <rpcrdma/codec.h>
#include <rpcrdma/deferred_id.h>

/**
 * struct svc_rdma_listener - an RDMA CM listener
 * @xprt: what sunrpc sees
 * @cm_id: NULL while it does not listen
 * @lock: protects @cm_id, @connreqs, @nconnreqs and @closed
 * @start: held while it starts to listen
 * @relisten_work: listens again when its device has gone or changed
 * @connreqs: connect requests not yet accepted
 * @nconnreqs: entries of @connreqs
 * @closed: no request may be added
 */
struct svc_rdma_listener {
	struct svc_xprt xprt;
	struct rdma_cm_id *cm_id;
	spinlock_t lock;
	struct mutex start;
	struct delayed_work relisten_work;
	struct list_head connreqs;
	unsigned int nconnreqs;
	bool closed;
};

/**
 * struct svc_rdma_connreq - a connect request that waits to be accepted
 * @list: entry of the listener's @connreqs, or empty
 * @listener: where it arrived
 * @cm_id: of the new connection
 * @priv: the requester's private message; zeroes if there was none
 * @ord: Reads the requester can answer at a time
 * @ird: Reads it may have outstanding
 * @dead: the requester went away while the request was being accepted
 * @gone: the device is being removed
 * @deferred_id: stands for @cm_id once the request was rejected
 */
struct svc_rdma_connreq {
	struct list_head list;
	struct svc_rdma_listener *listener;
	struct rdma_cm_id *cm_id;
	struct rpcrdma_private priv;
	u8 ord;
	u8 ird;
	bool dead;
	bool gone;
	struct rpcrdma_deferred_id deferred_id;
};

static inline struct svc_rdma_listener *
svc_rdma_listener_of(struct svc_xprt *xprt)
{
	return container_of(xprt, struct svc_rdma_listener, xprt);
}

#endif /* _SVC_RDMA_LISTENER_H */
