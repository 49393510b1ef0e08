/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits of the client transport, and how it allocates. */
#ifndef _XPRTRDMA_LIMITS_H
#define _XPRTRDMA_LIMITS_H

#include <linux/gfp.h>

/*
 * Limits.
 *
 * @XPRT_RDMA_MAX_SEGS: segments in all chunk lists of one call
 * @XPRT_RDMA_MAX_PAYLOAD: bytes; largest data payload of one RPC
 * @XPRT_RDMA_HDR_SIZE: bytes set aside for a call's transport header
 * @XPRT_RDMA_PULLUP: bytes; a call up to this size is copied behind its
 *	transport header instead of being gathered
 * @XPRT_RDMA_MAX_SGES: gather entries per Send: transport header, head, the
 *	pages of the largest inline message, tail
 * @XPRT_RDMA_BC_SLOTS: backchannel calls that a peer may have outstanding
 * @XPRT_RDMA_BC_REQS: backchannel requests ever allocated for a transport
 * @XPRT_RDMA_BC_CALL_MAX: bytes; a longer backchannel call is not taken
 * @XPRT_RDMA_BC_CHUNKS: Write chunks in a backchannel call
 * @XPRT_RDMA_SPARE_RECVS: Receives posted beyond what credits require
 * @XPRT_RDMA_SEND_BATCH: unsignaled Sends between two signaled ones
 * @XPRT_RDMA_CONTROLS: messages without an RPC in flight
 * @XPRT_RDMA_INLINE_MAX: bytes; no inline message is longer, either way
 * @XPRT_RDMA_READ_OPS: Reads and RDMA_DONEs in flight
 * @XPRT_RDMA_DECLINES: RDMA_DONEs in flight, or waiting, for replies that
 *	nobody waits for
 * @XPRT_RDMA_GAPS: Read chunks of one message that are not at position zero
 * @XPRT_RDMA_EXCESS: bytes that a reply may be longer than its buffer
 * @XPRT_RDMA_PREDICT_BITS: binary logarithm of the number of counters that
 *	predict the length of replies
 * @XPRT_RDMA_RESERVE_REQS: requests that a transport always has: a Send that is
 *	not signaled keeps its request, and one more is needed to signal
 * @XPRT_RDMA_RESERVE_SWAP: the same with a swap file behind it
 * @XPRT_RDMA_RESERVE_RECVS: Receives kept for the next connection
 * @XPRT_RDMA_RESERVE_SMALL: small regions that a connection always has: head,
 *	tail and roundup
 */
#define XPRT_RDMA_MAX_SEGS	20u
#define XPRT_RDMA_MAX_PAYLOAD	(1024u * 1024u)
#define XPRT_RDMA_HDR_SIZE	544u
#define XPRT_RDMA_PULLUP	1024u
#define XPRT_RDMA_MAX_SGES	20u
#define XPRT_RDMA_BC_SLOTS	16u
#define XPRT_RDMA_BC_REQS	(2u * XPRT_RDMA_BC_SLOTS)
#define XPRT_RDMA_BC_CALL_MAX	65536u
#define XPRT_RDMA_BC_CHUNKS	8u
#define XPRT_RDMA_SPARE_RECVS	8u
#define XPRT_RDMA_SEND_BATCH	7u
#define XPRT_RDMA_CONTROLS	4
#define XPRT_RDMA_INLINE_MAX	65536u
#define XPRT_RDMA_READ_OPS	32u
#define XPRT_RDMA_DECLINES	128u
#define XPRT_RDMA_GAPS		8u
#define XPRT_RDMA_EXCESS	65536u
#define XPRT_RDMA_PREDICT_BITS	7u
#define XPRT_RDMA_RESERVE_REQS	(XPRT_RDMA_SEND_BATCH + 2u)
#define XPRT_RDMA_RESERVE_SWAP	(4u * XPRT_RDMA_RESERVE_REQS)
#define XPRT_RDMA_RESERVE_RECVS	XPRT_RDMA_SPARE_RECVS
#define XPRT_RDMA_RESERVE_SMALL	3u

/*
 * Allocations on which I/O waits: never recurse into I/O, never warn, and fail
 * rather than wait for memory that only this transport can make free.
 */
#define XPRT_RDMA_GFP	(GFP_NOIO | __GFP_NORETRY | __GFP_NOWARN)

#endif /* _XPRTRDMA_LIMITS_H */
