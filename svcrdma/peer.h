/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits of both sides of a connection, and the requester's announcements. */
#ifndef _SVC_RDMA_PEER_H
#define _SVC_RDMA_PEER_H

#include <rpcrdma/cm.h>
#include <rpcrdma/codec.h>

/**
 * struct svc_rdma_caps - limits of device, administrator and CM; set before a
 *	connection is shown, and constant (control/accept.c)
 * @port: port of the device
 * @invalidate: the device and the administrator allow Send With Invalidate
 * @mrs: the device can register memory, and the requester may have RDMA Reads
 *	outstanding
 * @advertise: @mrs, and the administrator allows replies in Read chunks in
 *	version 2
 * @advertise_v1: @mrs, and the administrator allows replies in Read chunks in
 *	version 1
 * @v1_recv: bytes of a Receive buffer of version 1
 * @ord: limit of our RDMA Reads outstanding
 * @ird: limit of the requester's RDMA Reads outstanding
 * @traffic_class: of packets in both directions; the requester's
 * @path: how our adapter sends packets
 * @send_sges: gather entries that a Send may use
 */
struct svc_rdma_caps {
	u32 port;
	bool invalidate;
	bool mrs;
	bool advertise;
	bool advertise_v1;
	u32 v1_recv;
	u32 ord;
	u32 ird;
	u8 traffic_class;
	struct rpcrdma_path path;
	u32 send_sges;
};

/**
 * struct svc_rdma_peer - announcements of the requester
 * @hint: its version hint
 * @highest: the connection may speak versions from 1 to this one
 * @reason: an enum rpcrdma_nl_reason: why the version was chosen
 * @known: it has sent its properties
 * @props: its transport properties; version 2 only
 * @longest: bytes of the longest message that it can receive
 * @remote_inv: replies may invalidate a handle: the device allows it and, in
 *	version 1, the requester's private message; in version 2, each call
 *	names the handle
 * @read_replies: replies may be sent in Read chunks
 */
struct svc_rdma_peer {
	enum rpcrdma_hint hint;
	u32 highest;
	u32 reason;
	bool known;
	struct rpcrdma_props props;
	u32 longest;
	bool remote_inv;
	bool read_replies;
};

#endif /* _SVC_RDMA_PEER_H */
