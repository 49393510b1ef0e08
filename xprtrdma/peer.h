/* SPDX-License-Identifier: GPL-2.0-only */
/* Announcements of a connection's peer. */
#ifndef _XPRTRDMA_PEER_H
#define _XPRTRDMA_PEER_H

#include <linux/types.h>

#include <rpcrdma/cm.h>
#include <rpcrdma/codec.h>

/**
 * struct xprt_rdma_peer - announcements of the peer
 * @hint: its version hint
 * @private: it has sent a CM private message
 * @props: its transport properties; version 2 only
 * @remote_inv: it announced Remote Invalidation, or in version 2 has not
 *	withdrawn it
 * @align: bytes; alignment of opaque data that it recommends; 0: none
 * @no_write_chunks: it cannot use Write chunks
 * @traffic_class: of packets in both directions; ours
 * @path: how our adapter sends packets, when the connection has been established
 * @ird: limit of its RDMA Reads outstanding; what we offer, until the
 *	connection is established
 * @ord: limit of our RDMA Reads outstanding; what we ask for, until then. Not 0,
 *	even if @no_own_reads.
 * @no_reads: it cannot issue RDMA Reads
 * @no_own_reads: it does not accept RDMA Reads
 */
struct xprt_rdma_peer {
	enum rpcrdma_hint	hint;
	bool			private;
	struct rpcrdma_props	props;
	bool			remote_inv;
	u32			align;
	bool			no_write_chunks;
	u8			traffic_class;
	struct rpcrdma_path	path;
	u32			ird;
	u32			ord;
	bool			no_reads;
	bool			no_own_reads;
};

#endif /* _XPRTRDMA_PEER_H */
