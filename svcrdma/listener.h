/* SPDX-License-Identifier: GPL-2.0-only */
/* Listeners, and connect requests that wait to be accepted. */
#ifndef _SVC_RDMA_LISTENER_H
#define _SVC_RDMA_LISTENER_H

#include <linux/sunrpc/svc_xprt.h>
#include <linux/workqueue.h>
#include <rdma/rdma_cm.h>

#include <rpcrdma/codec.h>
#include <rpcrdma/deferred_id.h>

struct svc_rdma_rpcbind;

/**
 * struct svc_rdma_listener - an RDMA CM listener
 * @xprt: transport, as sunrpc sees it
 * @cm_id: CM identifier; NULL while not listening
 * @lock: protects @cm_id, @connreqs, @nconnreqs and @closed
 * @start: held while @cm_id is created and begins to listen
 * @relisten_work: listens again after its device was removed or changed
 * @connreqs: connect requests not yet accepted
 * @nconnreqs: entries of @connreqs
 * @closed: no connect request may be added any more
 * @rpcbind: its registration with rpcbind, or NULL
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
	struct svc_rdma_rpcbind *rpcbind;
};

/**
 * struct svc_rdma_connreq - a connect request that waits to be accepted
 * @list: entry of the listener's @connreqs, or empty
 * @listener: listener that received it
 * @cm_id: CM identifier of the new connection
 * @priv: the requester's CM private message; zeroes if there was none
 * @ord: RDMA Reads that the requester can serve concurrently
 * @ird: RDMA Reads that the requester may have outstanding
 * @dead: the requester gave up, or the device is being removed, while the
 *	request was being accepted
 * @gone: the device is being removed
 * @deferred_id: keeps @cm_id after the request was rejected
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
