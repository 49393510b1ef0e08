/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits and features that a connection's peer announced. */
#ifndef _XPRTRDMA_PEER_H
#define _XPRTRDMA_PEER_H

#include <linux/types.h>

#include <rpcrdma/cm.h>
#include <rpcrdma/codec.h>

/**
 * struct xprt_rdma_peer - limits and features that the peer announced
 * @hint: version hint
 * @private: the peer sent a CM private message
 * @props: transport properties; version 2 only
 * @remote_inv: Remote Invalidation may be used: version 1 peers announce it,
 *	version 2 peers may withdraw it
 * @align: bytes; alignment that the peer recommends for opaque data, or 0
 * @no_write_chunks: the peer cannot use Write chunks
 * @traffic_class: our traffic class, for packets in both directions
 * @path: path of our packets; valid once the connection is established
 * @ird: limit of the peer's outstanding RDMA Reads; before the connection is
 *	established, our offer
 * @ord: limit of our outstanding RDMA Reads; before the connection is
 *	established, our request. A limit of 0 sets @no_own_reads instead.
 * @no_reads: the peer cannot issue RDMA Reads
 * @no_own_reads: the peer does not accept RDMA Reads
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
