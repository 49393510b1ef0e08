// SPDX-License-Identifier: GPL-2.0-only
/* Administrator and device limits for replies that the requester reads. */

#include "../../conn.h"
#include "../../limits.h"
#include "../../tunables.h"
#include "pulled.h"

static bool svc_rdma_read_replies = true;
SVC_RDMA_PARAM(read_replies, bool,
	       "Send long replies in Read chunks with version 2, to clients that support it (new connections)");

static bool svc_rdma_read_replies_v1;
SVC_RDMA_PARAM(read_replies_v1, bool,
	       "Send long replies in Read chunks with version 1, to all clients that can start RDMA Reads (new connections)");

unsigned int svc_rdma_read_replies_max = 64;
SVC_RDMA_PARAM(read_replies_max, uint,
	       "Maximum number of replies in Read chunks per connection");

unsigned int svc_rdma_read_replies_bytes = 16 << 20;
SVC_RDMA_PARAM(read_replies_bytes, uint,
	       "Maximum bytes of replies in Read chunks per connection");

unsigned int svc_rdma_read_reply_timeout = 30;
SVC_RDMA_PARAM(read_reply_timeout, uint,
	       "Seconds after which a reply in a Read chunk is released without RDMA_DONE");

/**
 * svc_rdma_adverts_offer - decide whether memory may be advertised
 * @conn: connection that is being accepted; the limit of the requester's RDMA
 *	Reads is known
 *
 * The requester can read replies only if it can have RDMA Reads outstanding.
 *
 * Context: any.
 */
void svc_rdma_adverts_offer(struct svc_rdma_conn *conn)
{
	const struct ib_device_attr *attrs = &conn->dev->attrs;

	/* The Reply chunk of a callback must fit into one region. */
	conn->caps.mrs = conn->caps.ird &&
		attrs->max_fast_reg_page_list_len >= SVC_RDMA_BC_SIZE / PAGE_SIZE &&
		(attrs->device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS);
	conn->caps.advertise = conn->caps.mrs &&
		READ_ONCE(svc_rdma_read_replies);
	conn->caps.advertise_v1 = conn->caps.mrs &&
		READ_ONCE(svc_rdma_read_replies_v1);
}
