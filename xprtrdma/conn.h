/* SPDX-License-Identifier: GPL-2.0-only */
/* A connection (a list of objects), and a Receive. */
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
 * struct xprt_rdma_conn_ops - functions that lower layers call in higher ones
 * @receive: take over @recv, which contains a message of @len bytes. If
 *	@invalidated, the message has invalidated our handle @rkey.
 * @early: handle the message in @recv, which arrived while the connection was
 *	not in state XPRT_RDMA_CONNECTED. Return false, without taking over
 *	@recv, if the message is to be handled like any other.
 * @call: take over @recv, which contains a message of the reverse direction
 * @invalidated: the peer has lost access to the memory of @req; or @req still
 *	has regions, and only the end of the connection can end the access
 *
 * Context: completion handler. The task that ends the connection also calls
 * @invalidated.
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
 * @deferred_id: destroys @id, and frees this struct, when the port is active
 * @device: device that @id is bound to
 * @pd: protection domain, used by this connection alone
 * @cq: completion queue of Sends and Receives
 * @qp: Queue Pair
 * @ver: RPC-over-RDMA version; NULL until it is known
 * @life: connection state, and why the connection ended
 * @offer: the offer of version 2
 * @conf: the Connection Configuration Protocol, in version 1
 * @properties: property changes, in version 2
 * @peer: limits and features that the peer announced
 * @sizes: size limits of messages
 * @controls: messages without an RPC
 * @credits: number of calls that may be in flight
 * @sends: Sends in flight
 * @recvs: Receives
 * @fetches: messages fetched from Read chunks of the peer
 * @rws: memory of RDMA Reads (@fetches) and of RDMA Writes (replies to
 *	callbacks)
 * @mrs: memory regions
 * @sq: Send Queue entries
 *
 * Each object is defined in its own header, with the lock that protects it. The
 * files that change its members are listed in scripts/check/style/layers; all
 * other files only read them.
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
