/* SPDX-License-Identifier: GPL-2.0-only */
/* Fixed limits of the server. */
#ifndef _SVC_RDMA_LIMITS_H
#define _SVC_RDMA_LIMITS_H

#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/mm.h>

/*
 * Fixed limits.
 *
 * @SVC_RDMA_BACKLOG: connect requests that can wait at one listener
 * @SVC_RDMA_BC_REQUESTS: callbacks in flight on one connection
 * @SVC_RDMA_BC_SIZE: bytes of the longest callback, and of the longest reply to
 *	a callback
 * @SVC_RDMA_GRANT_INITIAL: credits that a new connection grants
 * @SVC_RDMA_RECV_FIRST: Receives posted before the first message has arrived
 * @SVC_RDMA_RECV_BATCH: number of Receives that are reposted as one chain
 * @SVC_RDMA_RECV_SPARE: Receives posted in addition to those that the grant
 *	needs, for messages that no credit covers
 * @SVC_RDMA_SEND_SGES: gather entries of a Work Request
 * @SVC_RDMA_PULLUP: bytes of the longest reply that is copied rather than
 *	mapped
 * @SVC_RDMA_PAYLOADS: results of one reply that can use a Write chunk
 * @SVC_RDMA_SEGMENTS: version 2: segments of all Read chunks of a call, and
 *	segments of all its other chunks
 * @SVC_RDMA_SEND_MAX: version 2: bytes of the longest inline reply
 * @SVC_RDMA_SEND_BUF: version 2: bytes of a Send buffer; a longer message is
 *	gathered from its pages
 * @SVC_RDMA_UNSIGNALED: unsignaled Sends that can be posted in a row
 * @SVC_RDMA_UNSIGNALED_PAGES: reply pages that an unsignaled Send can hold:
 *	enough for an unaligned result of SVC_RDMA_SEND_BUF bytes
 * @SVC_RDMA_FEW_PAGES: reply pages that fit into a Send context: enough for the
 *	head and an unaligned result of 64 KiB
 * @SVC_RDMA_REPLY_PAGES: reply pages that one connection can hold before it
 *	stops taking calls
 * @SVC_RDMA_REPLY_PAGES_LEAST: lower bound of that limit when many connections
 *	share the memory
 * @SVC_RDMA_REPLIES_TOTAL: reply pages divided among all connections, each of
 *	which gets at least SVC_RDMA_REPLY_PAGES_LEAST
 * @SVC_RDMA_STASH_PAGES: pages that one connection can keep for RDMA Reads and
 *	replies
 * @SVC_RDMA_RW_SGES: memory ranges that one RDMA Read or Write transfers
 * @SVC_RDMA_RXE_SHORT_S: soft-RoCE: seconds after a failed RDMA Read or Write
 *	during which new connections use short ones
 * @SVC_RDMA_SQ_MOST: Send Queue entries of a connection. Providers round these,
 *	and those of the completion queue, up to a power of two, here 128.
 * @SVC_RDMA_SQ_LEAST: Send Queue entries that a device must support
 * @SVC_RDMA_READ_CALLS_TOTAL: pages of the calls that all connections are
 *	reading: a fraction of memory, like the defaults of module parameters
 * @SVC_RDMA_ADVERTS_TOTAL: bytes of advertised replies of all connections
 * @SVC_RDMA_GROWTH_TOTAL: bytes by which all Receives together can grow
 * @SVC_RDMA_READ_REGIONS: memory regions for the RDMA Reads of a connection,
 *	unless one call needs more
 */
#define SVC_RDMA_BACKLOG	128
#define SVC_RDMA_BC_REQUESTS	2u
#define SVC_RDMA_BC_SIZE	65536u
#define SVC_RDMA_GRANT_INITIAL	8u
#define SVC_RDMA_RECV_FIRST	4u
#define SVC_RDMA_RECV_BATCH	4u
#define SVC_RDMA_RECV_SPARE	4u
#define SVC_RDMA_SEND_SGES	16u
#define SVC_RDMA_PULLUP		1024u
#define SVC_RDMA_PAYLOADS	16u
#define SVC_RDMA_SEGMENTS	64u
#define SVC_RDMA_SEND_MAX	65536u
#define SVC_RDMA_SEND_BUF	8192u
#define SVC_RDMA_UNSIGNALED	7u
#define SVC_RDMA_UNSIGNALED_PAGES	3u
#define SVC_RDMA_FEW_PAGES	18u
#define SVC_RDMA_REPLY_PAGES	2560ul
#define SVC_RDMA_REPLY_PAGES_LEAST	256ul
#define SVC_RDMA_REPLIES_TOTAL	(totalram_pages() / 8)
#define SVC_RDMA_STASH_PAGES	4096u
#define SVC_RDMA_SQ_MOST	125u
#define SVC_RDMA_SQ_LEAST	64u
#define SVC_RDMA_RW_SGES	16u
#define SVC_RDMA_RXE_SHORT_S	600u
#define SVC_RDMA_READ_CALLS_TOTAL	max(totalram_pages() / 8, \
					    (256ul << 20) >> PAGE_SHIFT)
#define SVC_RDMA_ADVERTS_TOTAL	(128 << 20)
#define SVC_RDMA_GROWTH_TOTAL	(64 << 20)
#define SVC_RDMA_READ_REGIONS	512u

/*
 * Add @n to a total that all connections share, unless the total would exceed
 * @max. The addition comes before the comparison because connections call this
 * concurrently.
 */
static inline bool svc_rdma_total_add(atomic_long_t *total, long n, long max)
{
	if (atomic_long_add_return(n, total) <= max)
		return true;
	atomic_long_sub(n, total);
	return false;
}

#endif /* _SVC_RDMA_LIMITS_H */
