/* SPDX-License-Identifier: GPL-2.0-only */
/* A connection: the objects of which it consists; and a Receive. */
#ifndef _XPRTRDMA_CONN_H
#define _XPRTRDMA_CONN_H

#include <linux/list.h>

#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include <rpcrdma/codec.h>
#include <rpcrdma/cm.h>
#include <rpcrdma/rw.h>

#include "conf.h"
#include "controls.h"
#include "credits.h"
#include "fetches.h"
#include "life.h"
#include "mrs.h"
#include "offer.h"
#include "peer.h"
#include "properties.h"
#include "recvs.h"
#include "regbuf.h"
#include "sends.h"
#include "sizes.h"
#include "sq.h"
#include "version_ops.h"

struct xprt_rdma;
struct xprt_rdma_recv_ctx;
struct xprt_rdma_req;

/**
 * struct xprt_rdma_conn_ops - upward calls of lower layers
 * @receive: a message of @len bytes has arrived in @recv, which the callee now
 *	owns. If @invalidated, it has invalidated our handle @rkey.
 * @early: the message in @recv has arrived while the connection is not in state
 *	XPRT_RDMA_CONNECTED. Return false if it is like any other, and the callee
 *	does not own @recv.
 * @call: the message in @recv, which the callee now owns, is of the reverse
 *	direction
 * @invalidated: the peer can no longer access the memory of a request. If that
 *	still has regions, only the end of the connection can ensure that.
 *
 * Context: completion handler. @invalidated is also called by the task that ends
 * the connection.
 */
struct xprt_rdma_conn_ops {
	void (*receive)(struct xprt_rdma_recv_ctx *recv, u32 len,
			bool invalidated, u32 rkey);
	bool (*early)(struct xprt_rdma_recv_ctx *recv, u32 len);
	void (*call)(struct xprt_rdma_recv_ctx *recv);
	void (*invalidated)(struct xprt_rdma_req *req);
};

/**
 * struct xprt_rdma_conn - one connection, from address resolution to its end
 * @r_xprt: transport that owns it
 * @ops: functions of the layers above
 * @id: CM identifier
 * @deferred_id: destroys @id, and frees this struct, once the port can send
 * @device: device that @id is bound to
 * @pd: protection domain, used by this connection alone
 * @cq: completion queue of Sends and Receives
 * @qp: Queue Pair
 * @ver: version of RPC-over-RDMA; NULL until it is known
 * @life: its state, and why it has ended
 * @offer: the offer of version 2
 * @conf: the Connection Configuration Protocol, in version 1
 * @properties: changes of properties, in version 2
 * @peer: the peer's announcements
 * @sizes: how long messages may be
 * @controls: messages without an RPC
 * @credits: calls that may be in flight
 * @sends: Sends in flight
 * @recvs: Receives
 * @fetches: messages fetched from Read chunks of the peer
 * @rws: memory of RDMA Reads for these, and of RDMA Writes of replies to callbacks
 * @mrs: memory regions
 * @sq: entries of the Send Queue
 *
 * Each object is defined in its own header, with the lock that protects it. The
 * files that change its members are listed in scripts/check/style/layers; all
 * others only read them.
 */
struct xprt_rdma_conn {
	struct xprt_rdma	*r_xprt;
	const struct xprt_rdma_conn_ops *ops;
	struct rdma_cm_id	*id;
	struct rpcrdma_deferred_id deferred_id;
	struct ib_device	*device;
	struct ib_pd		*pd;
	struct ib_cq		*cq;
	struct ib_qp		*qp;
	const struct xprt_rdma_version *ver;

	struct xprt_rdma_life	life;
	struct xprt_rdma_offer	offer;
	struct xprt_rdma_conf	conf;
	struct xprt_rdma_properties properties;
	struct xprt_rdma_peer	peer;
	struct xprt_rdma_sizes	sizes;
	struct xprt_rdma_controls controls;
	struct xprt_rdma_credits credits;
	struct xprt_rdma_mrs	mrs;
	struct xprt_rdma_sq	sq;
	struct xprt_rdma_sends	sends;
	struct xprt_rdma_recvs	recvs;
	struct xprt_rdma_fetches fetches;
	struct rpcrdma_rw_set	rws;
};

/**
 * struct xprt_rdma_recv_ctx - a Receive and the message that arrived in it
 * @list: entry of the connection's list of free Receives
 * @all: entry of the connection's list of all Receives
 * @conn: connection
 * @cqe: completion of the Receive
 * @wr: Work Request
 * @sge: the one scatter entry of @wr
 * @buf: buffer, mapped for DMA
 * @hdr: decoded transport header; refers to @buf
 * @error: 0, or why the header could not be decoded
 */
struct xprt_rdma_recv_ctx {
	struct list_head	list;
	struct list_head	all;
	struct xprt_rdma_conn	*conn;
	struct ib_cqe		cqe;
	struct ib_recv_wr	wr;
	struct ib_sge		sge;
	struct xprt_rdma_regbuf	buf;
	struct rpcrdma_hdr	hdr;
	int			error;
};

#endif /* _XPRTRDMA_CONN_H */
