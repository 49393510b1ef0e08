/* SPDX-License-Identifier: GPL-2.0-only */
/* Traffic counts of a connection, shown by control/netlink.c. */
#ifndef _SVC_RDMA_TRAFFIC_H
#define _SVC_RDMA_TRAFFIC_H

#include <linux/compiler.h>
#include <linux/types.h>

/**
 * struct svc_rdma_traffic - traffic counts of a connection
 * @messages: messages received; changed only by the thread that holds XPT_BUSY
 * @read_calls: calls with Read chunks
 * @long_calls: calls with RDMA_NOMSG
 * @write_calls: calls with Write chunks
 * @reply_calls: calls with a Reply chunk
 * @read_replies: replies that the requester reads
 * @call_bytes: bytes of calls in Read chunks
 * @reply_bytes: bytes of replies in chunks of any kind
 * @errors: RDMA_ERRORs sent
 *
 * All members but @messages are written by several nfsd threads without a lock,
 * and only for errors and for messages with chunks. If two threads count at the
 * same time, one of the two counts can be lost.
 */
struct svc_rdma_traffic {
	u64 messages;
	u64 read_calls;
	u64 long_calls;
	u64 write_calls;
	u64 reply_calls;
	u64 read_replies;
	u64 call_bytes;
	u64 reply_bytes;
	u64 errors;
};

static inline void svc_rdma_traffic_add(u64 *count, u64 n)
{
	WRITE_ONCE(*count, READ_ONCE(*count) + n);
}

#endif /* _SVC_RDMA_TRAFFIC_H */
