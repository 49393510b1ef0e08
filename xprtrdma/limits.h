/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits of the client transport, and its allocation flags. */
#ifndef _XPRTRDMA_LIMITS_H
#define _XPRTRDMA_LIMITS_H

#include <linux/gfp.h>

/*
 * Limits
 *
 * @XPRT_RDMA_MAX_SEGS: segments in all chunk lists of one call
 * @XPRT_RDMA_CHAIN_WRS: Send Queue entries of the longest chain: a Send, and a
 *	registration, a Write and an invalidation for each segment
 * @XPRT_RDMA_MAX_PAYLOAD: bytes; data payload of one RPC
 * @XPRT_RDMA_HDR_SIZE: bytes; room for the transport header of a call
 * @XPRT_RDMA_PULLUP: bytes; calls up to this length are copied after their
 *	transport header, longer calls are gathered
 * @XPRT_RDMA_MAX_SGES: gather entries per Send: transport header, head, the
 *	pages of the longest inline message, tail
 * @XPRT_RDMA_BC_SLOTS: backchannel calls that a peer may have outstanding
 * @XPRT_RDMA_BC_CALLS: backchannel calls that a transport holds before they are
 *	served: those of the current and of the previous connection
 * @XPRT_RDMA_BC_CALL_MAX: bytes; longer backchannel calls are refused
 * @XPRT_RDMA_BC_CHUNKS: Write chunks in a backchannel call
 * @XPRT_RDMA_BC_LISTS: bytes; Write list and Reply chunk of a backchannel call,
 *	with XPRT_RDMA_MAX_SEGS segments in total
 * @XPRT_RDMA_SPARE_RECVS: Receives posted beyond those that credits require
 * @XPRT_RDMA_SEND_BATCH: unsignaled Sends between two signaled Sends
 * @XPRT_RDMA_CONTROLS: messages in flight that carry no RPC
 * @XPRT_RDMA_INLINE_MAX: bytes; longest inline message, in either direction
 * @XPRT_RDMA_ALIGN_MAX: bytes; largest alignment that a peer can recommend
 * @XPRT_RDMA_READ_OPS: RDMA Reads and RDMA_DONEs in flight
 * @XPRT_RDMA_DECLINES: RDMA_DONEs, in flight or waiting, for declined replies
 * @XPRT_RDMA_REACH_REQS: unanswered test requests of all transports
 *	(control/reach.c)
 * @XPRT_RDMA_GAPS: Read chunks of one message, not counting a position-zero
 *	chunk
 * @XPRT_RDMA_EXCESS: bytes by which a reply may exceed its buffer
 * @XPRT_RDMA_PREDICT_BITS: binary logarithm of the number of counters that
 *	predict the length of replies
 * @XPRT_RDMA_RESERVE_REQS: requests that a transport always has. A batch of
 *	unsignaled Sends holds its requests until a signaled Send completes, and
 *	that Send needs a request as well.
 * @XPRT_RDMA_RESERVE_SMALL: small regions that a connection always has, for
 *	head, tail and XDR roundup
 */
#define XPRT_RDMA_MAX_SEGS	20u
#define XPRT_RDMA_CHAIN_WRS	(1u + 3u * XPRT_RDMA_MAX_SEGS)
#define XPRT_RDMA_MAX_PAYLOAD	(1024u * 1024u)
#define XPRT_RDMA_HDR_SIZE	544u
#define XPRT_RDMA_PULLUP	1024u
#define XPRT_RDMA_MAX_SGES	20u
#define XPRT_RDMA_BC_SLOTS	16u
#define XPRT_RDMA_BC_CALLS	(2 * (int)XPRT_RDMA_BC_SLOTS)
#define XPRT_RDMA_BC_CALL_MAX	65536u
#define XPRT_RDMA_BC_CHUNKS	8u
#define XPRT_RDMA_BC_LISTS	((2 * XPRT_RDMA_BC_CHUNKS + 3) * RPCRDMA_XDR_UNIT + \
				 XPRT_RDMA_MAX_SEGS * RPCRDMA_SEGMENT_SIZE)
#define XPRT_RDMA_SPARE_RECVS	8u
#define XPRT_RDMA_SEND_BATCH	7u
#define XPRT_RDMA_CONTROLS	4
#define XPRT_RDMA_INLINE_MAX	65536u
#define XPRT_RDMA_ALIGN_MAX	4096u
#define XPRT_RDMA_READ_OPS	8u
#define XPRT_RDMA_DECLINES	128u
#define XPRT_RDMA_REACH_REQS	64
#define XPRT_RDMA_GAPS		8u
#define XPRT_RDMA_EXCESS	65536u
#define XPRT_RDMA_PREDICT_BITS	7u
#define XPRT_RDMA_RESERVE_REQS	(XPRT_RDMA_SEND_BATCH + 2u)
#define XPRT_RDMA_RESERVE_SMALL	3u

/*
 * Flags for allocations that I/O may wait for: they start no I/O, do not warn,
 * and fail rather than wait for memory that only this transport can free.
 */
#define XPRT_RDMA_GFP	(GFP_NOIO | __GFP_NORETRY | __GFP_NOWARN)

#endif /* _XPRTRDMA_LIMITS_H */
