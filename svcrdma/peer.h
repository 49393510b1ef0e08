/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits of both sides of a connection, and properties of the requester. */
#ifndef _SVC_RDMA_PEER_H
#define _SVC_RDMA_PEER_H

#include <rpcrdma/cm.h>
#include <rpcrdma/codec.h>

/**
 * struct svc_rdma_caps - limits that device, administrator and CM set; constant
 * after netlink shows the connection (control/accept.c)
 * @port: port of the device
 * @invalidate: the device and the administrator allow Send With Invalidate
 * @mrs: the device can register memory, and the requester can have RDMA Reads
 *	outstanding
 * @advertise: @mrs, and the administrator allows replies in Read chunks in
 *	version 2
 * @advertise_v1: @mrs, and the administrator allows replies in Read chunks in
 *	version 1
 * @v1_recv: bytes of a Receive buffer in version 1
 * @ord: maximum number of our RDMA Reads outstanding
 * @ird: maximum number of the requester's RDMA Reads outstanding
 * @traffic_class: traffic class of packets, chosen by the requester
 * @path: how our adapter sends packets
 * @send_sges: gather entries that a Send can use
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
 * struct svc_rdma_peer - properties of the requester
 * @hint: version hint of the requester
 * @highest: highest version that the connection can speak
 * @reason: enum rpcrdma_nl_reason: why the version was chosen
 * @known: the requester has sent its transport properties
 * @props: transport properties of the requester; version 2 only
 * @longest: bytes of the longest message that the requester can receive
 * @remote_inv: replies can invalidate a handle. The device must allow this, and
 *	in version 1 also the requester's private message. In version 2, each
 *	call names the handle.
 * @read_replies: replies can be sent in Read chunks
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
