/* SPDX-License-Identifier: GPL-2.0-only */
/* A connection. */
#ifndef _SVC_RDMA_CONN_H
#define _SVC_RDMA_CONN_H

#include <linux/sunrpc/svc_xprt.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include <rpcrdma/rw.h>

#include "advertised.h"
#include "credits.h"
#include "life.h"
#include "peer.h"
#include "properties.h"
#include "reads.h"
#include "recv_ctx.h"
#include "send_ctx.h"
#include "sq.h"
#include "stash.h"
#include "traffic.h"
#include "watch.h"

struct svc_rdma_version;

/* control/module.c */
extern struct svc_xprt_class svc_rdma_xprt_class;
extern struct workqueue_struct *svc_rdma_wq;

/**
 * struct svc_rdma_conn - a connection
 * @xprt: transport, as sunrpc sees it
 * @cm_id: CM identifier; destroyed last
 * @dev: device
 * @pd: protection domain, used by this connection alone
 * @qp: Queue Pair; NULL until created
 * @life: state of the connection, and why it ended
 * @watch: closes the connection if it is not established in time, its Send
 *	Queue stalls, or the requester has vanished
 * @ver: version of RPC-over-RDMA; svc_rdma_undecided before the first message
 * @callback_answered: called in process context for any RDMA_ERROR, and for any
 *	message that is, or claims to be, the reply to a callback, with the chunks
 *	of that callback, or NULL; puts back the Receive of the message
 * @caps: limits that device, administrator and CM set
 * @peer: properties of the requester
 * @properties: changes of properties during the connection
 * @traffic: traffic counts
 * @queuing: number of contexts in svc_xprt_enqueue() for this connection
 * @recv_cq: completion queue of the Receives
 * @recvs: Receives, and messages that have arrived
 * @credits: credit grant
 * @reads: calls with Read chunks
 * @sends: messages being sent
 * @sq: Send Queue
 * @read_queue: RDMA Reads outstanding
 * @rws: all RDMA Reads and Writes that are mapped
 * @adverts: memory advertised to the requester
 * @stash: pages for the next RDMA Reads and replies
 */
struct svc_rdma_conn {
	struct svc_xprt xprt;
	struct rdma_cm_id *cm_id;
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_qp *qp;
	struct svc_rdma_life life;
	struct svc_rdma_watch watch;

	const struct svc_rdma_version *ver;
	void (*callback_answered)(struct svc_rdma_conn *conn,
				  struct svc_rdma_recv_ctx *recv,
				  struct svc_rdma_advert *advert);
	struct svc_rdma_caps caps;
	struct svc_rdma_peer peer;
	struct svc_rdma_properties properties;
	struct svc_rdma_traffic traffic;
	atomic_t queuing;

	struct svc_rdma_recv_cq recv_cq;
	struct svc_rdma_recvs recvs;
	struct svc_rdma_credits credits;
	struct svc_rdma_read_calls reads;
	struct svc_rdma_sends sends;
	struct svc_rdma_sq sq;
	struct svc_rdma_read_queue read_queue;
	struct rpcrdma_rw_set rws;
	struct svc_rdma_adverts adverts;
	struct svc_rdma_stash stash;
};

static inline struct svc_rdma_conn *svc_rdma_conn_of(struct svc_xprt *xprt)
{
	return container_of(xprt, struct svc_rdma_conn, xprt);
}

static inline bool svc_rdma_conn_closing(const struct svc_rdma_conn *conn)
{
	return atomic_read(&conn->life.state) == SVC_RDMA_CLOSING;
}

/*
 * Record why a connection ends. Only the first cause counts: later ones are its
 * consequences.
 */
static inline void svc_rdma_conn_blame(struct svc_rdma_conn *conn, u32 cause)
{
	if (cause && !READ_ONCE(conn->life.cause))
		cmpxchg(&conn->life.cause, RPCRDMA_CAUSE_UNKNOWN, cause);
}

/*
 * Return the version in which messages are sent. Until it is decided, only
 * errors are sent, in version 1: every requester can decode an ERR_VERS of
 * version 1.
 */
static inline const struct svc_rdma_version *
svc_rdma_version_of(const struct svc_rdma_conn *conn)
{
	return READ_ONCE(conn->ver);
}

#endif /* _SVC_RDMA_CONN_H */
