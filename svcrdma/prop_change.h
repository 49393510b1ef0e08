/* SPDX-License-Identifier: GPL-2.0-only */
/* Properties that change while a connection exists (version/prop_change.c). */
#ifndef _SVC_RDMA_PROP_CHANGE_H
#define _SVC_RDMA_PROP_CHANGE_H

#include <linux/mutex.h>
#include <linux/workqueue.h>

/**
 * enum svc_rdma_size_state - how far a change of our Receive Buffer Size is
 * @SVC_RDMA_SIZE_STEADY: it does not change
 * @SVC_RDMA_SIZE_GROWING: larger Receives are posted, but some smaller ones are
 *	still in use; the requester has not been told
 * @SVC_RDMA_SIZE_ANNOUNCED: the requester has been told, and is not known to
 *	have processed that
 * @SVC_RDMA_SIZE_SHRINKING: it has, and smaller Receives are posted, but some
 *	larger ones are still in use
 */
enum svc_rdma_size_state {
	SVC_RDMA_SIZE_STEADY,
	SVC_RDMA_SIZE_GROWING,
	SVC_RDMA_SIZE_ANNOUNCED,
	SVC_RDMA_SIZE_SHRINKING,
};

/**
 * struct svc_rdma_prop_change - changes of properties, ours and the requester's
 * @mutex: protects everything below, and the limit of a callback until it is
 *	posted
 * @work: continues a change of our size, when all Receives have been exchanged
 *	or some time has passed
 * @enabled: we have said that we understand the header types
 * @failed: the requester does not act as the specification says; nothing is
 *	changed any more
 * @state: enum svc_rdma_size_state
 * @told: bytes; the Receive Buffer Size that the requester was told last
 * @target: bytes; valid while the state is SVC_RDMA_SIZE_GROWING
 * @promised: the requester was told that its request is pending
 * @using_up: Receives are used up by requests without properties
 * @uses_left: such requests that may still be sent
 * @asking: a request of ours is not answered
 * @asked_at: when it was sent, in jiffies
 * @xid: its XID, in host byte order
 * @asked: bytes; the size that it asks for, or 0 if it has no properties
 * @barrier: it was sent after the last RDMA2_UPDPROP
 * @update_xid: XID of our last RDMA2_UPDPROP, in host byte order
 * @next_xid: the last XID that we used
 * @pending: the requester has said that its size will change
 * @refused: it has rejected our last request for a larger size
 */
struct svc_rdma_prop_change {
	struct mutex mutex;
	struct delayed_work work;
	bool enabled;
	bool failed;
	enum svc_rdma_size_state state;
	u32 told;
	u32 target;
	bool promised;
	bool using_up;
	u32 uses_left;
	bool asking;
	unsigned long asked_at;
	u32 xid;
	u32 asked;
	bool barrier;
	u32 update_xid;
	u32 next_xid;
	bool pending;
	bool refused;
};

#endif /* _SVC_RDMA_PROP_CHANGE_H */
