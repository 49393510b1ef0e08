/* SPDX-License-Identifier: GPL-2.0-only */
/* Listeners. */
#ifndef _SVC_RDMA_LISTENER_H
#define _SVC_RDMA_LISTENER_H

#include <linux/sunrpc/svc_xprt.h>
#include <linux/workqueue.h>
#include <rdma/rdma_cm.h>

struct svc_rdma_rpcbind;

/**
 * struct svc_rdma_listener - an RDMA CM listener
 * @xprt: transport, as sunrpc sees it
 * @cm_id: CM identifier; NULL while not listening
 * @start: held while @cm_id is created and starts to listen
 * @relisten_work: listens again after the device of @cm_id was removed or
 *	changed
 * @waiting: connect requests that are not accepted yet, as struct svc_rdma_conn
 * @nwaiting: entries of @waiting
 * @rpcbind: registration of the listener with rpcbind, or NULL
 */
struct svc_rdma_listener {
	struct svc_xprt xprt;
	struct rdma_cm_id *cm_id;
	struct mutex start;
	struct delayed_work relisten_work;
	struct list_head waiting;
	unsigned int nwaiting;
	struct svc_rdma_rpcbind *rpcbind;
};

static inline struct svc_rdma_listener *
svc_rdma_listener_of(struct svc_xprt *xprt)
{
	return container_of(xprt, struct svc_rdma_listener, xprt);
}

#endif /* _SVC_RDMA_LISTENER_H */
