// SPDX-License-Identifier: GPL-2.0-only
/*
 * The size of a connection's Receives, which can change while messages arrive.
 *
 * Operation: a Receive that is posted keeps its size until a message has used
 * it. So contexts of the new size are created first, as many as there are
 * Receive contexts. From then on, each context of another size that is returned
 * is exchanged for one of them, and freed. No call finds fewer Receives
 * meanwhile, and nothing is allocated where messages are handled. The Receive
 * Queue is served in order, so when the last one has been exchanged, no Receive
 * of another size is posted.
 *
 * Ownership: the new contexts are in recvs.fresh until they are exchanged; the
 * rest is freed with the connection.
 *
 * Errors: if there is no memory for all of them, nothing changes.
 */

#include "../counters.h"
#include "message.h"
#include <trace/events/svcrdma.h>

/* A buffer of several pages may not be had at once: do not insist. */
#define SVC_RDMA_RESIZE_GFP	(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN)

static void svc_rdma_recvs_free(struct svc_rdma_conn *conn,
				struct list_head *recvs)
{
	struct svc_rdma_recv_ctx *recv, *next;

	list_for_each_entry_safe(recv, next, recvs, list) {
		list_del(&recv->list);
		svc_rdma_recv_destroy(conn, recv);
	}
}

/**
 * svc_rdma_recvs_free_fresh - free the contexts that were not exchanged
 * @conn: connection for which nothing is posted any more
 *
 * Context: process.
 */
void svc_rdma_recvs_free_fresh(struct svc_rdma_conn *conn)
{
	svc_rdma_recvs_free(conn, &conn->recvs.fresh);
	conn->recvs.unfit = 0;
}

/**
 * svc_rdma_recv_exchange_locked - exchange a context that has another size
 * @conn: connection whose Receives change their size
 * @recv: context that is not posted
 * @unfit: the list to which @recv is added if it was exchanged
 *
 * Context: any; the caller holds recvs.lock.
 * Return: the context to be posted.
 */
struct svc_rdma_recv_ctx *
svc_rdma_recv_exchange_locked(struct svc_rdma_conn *conn,
			      struct svc_rdma_recv_ctx *recv,
			      struct list_head *unfit)
{
	struct svc_rdma_recv_ctx *fresh;

	if (recv->sge.length == conn->recvs.size)
		return recv;
	fresh = list_first_entry_or_null(&conn->recvs.fresh,
					 struct svc_rdma_recv_ctx, list);
	if (WARN_ON_ONCE(!fresh))
		return recv;
	list_del_init(&fresh->list);
	list_replace_init(&recv->all, &fresh->all);
	list_add(&recv->list, unfit);
	conn->recvs.unfit--;
	return fresh;
}

/**
 * svc_rdma_recvs_exchanged - free the contexts that were exchanged
 * @conn: connection
 * @unfit: the contexts
 *
 * After the last one, report it to the exchange of properties.
 *
 * Context: any.
 */
void svc_rdma_recvs_exchanged(struct svc_rdma_conn *conn,
			      struct list_head *unfit)
{
	svc_rdma_recvs_free(conn, unfit);
	if (!READ_ONCE(conn->recvs.unfit) && !svc_rdma_conn_closing(conn))
		conn->properties.ops->resized(conn);
}

/*
 * The new contexts are complete. Those that nothing is to be exchanged for, and
 * those that were exchanged at once because they were idle, are added to @free.
 */
static void svc_rdma_recvs_switch_locked(struct svc_rdma_conn *conn, u32 size,
					 struct list_head *free)
{
	struct svc_rdma_recv_ctx *recv, *next;
	LIST_HEAD(idle);

	WRITE_ONCE(conn->recvs.size, size);
	list_for_each_entry(recv, &conn->recvs.all, all) {
		if (recv->sge.length == size)
			list_move(conn->recvs.fresh.next, free);
		else
			conn->recvs.unfit++;
	}
	list_splice_init(&conn->recvs.idle, &idle);
	list_for_each_entry_safe(recv, next, &idle, list) {
		list_del_init(&recv->list);
		recv = svc_rdma_recv_exchange_locked(conn, recv, free);
		list_add(&recv->list, &conn->recvs.idle);
	}
}

/* Return: false if there are not enough new contexts. */
static bool svc_rdma_recvs_switch(struct svc_rdma_conn *conn, u32 size,
				  u32 fresh)
{
	LIST_HEAD(free);
	bool enough;

	spin_lock_bh(&conn->recvs.lock);
	enough = fresh >= conn->recvs.total;
	if (enough)
		svc_rdma_recvs_switch_locked(conn, size, &free);
	spin_unlock_bh(&conn->recvs.lock);
	svc_rdma_recvs_free(conn, &free);
	return enough;
}

/**
 * svc_rdma_recvs_resize - change the size of the Receives
 * @conn: connection whose Receives are not changing their size
 * @size: bytes
 *
 * Another thread may add Receives meanwhile (svc_rdma_recvs_add()). The caller
 * sees to it that the requester sends nothing that is longer than the smallest
 * Receive; see svc_rdma_recvs_set_floor().
 *
 * Context: process; one caller at a time.
 * Return: 0, or -ENOMEM and nothing has changed. The change is complete when
 * svc_rdma_recvs_resizing() is false.
 */
int svc_rdma_recvs_resize(struct svc_rdma_conn *conn, u32 size)
{
	struct svc_rdma_recv_ctx *recv;
	u32 fresh = 0;

	WARN_ON_ONCE(svc_rdma_recvs_resizing(conn));
	while (!svc_rdma_recvs_switch(conn, size, fresh)) {
		recv = svc_rdma_recv_alloc(conn, size, SVC_RDMA_RESIZE_GFP);
		if (!recv) {
			svc_rdma_count(no_memory);
			svc_rdma_recvs_free(conn, &conn->recvs.fresh);
			return -ENOMEM;
		}
		list_add(&recv->list, &conn->recvs.fresh);
		fresh++;
	}
	return 0;
}

/**
 * svc_rdma_recvs_set_floor - no Receive smaller than this may be posted
 * @conn: connection
 * @size: bytes that a message of the requester may have
 *
 * Context: process.
 */
void svc_rdma_recvs_set_floor(struct svc_rdma_conn *conn, u32 size)
{
	spin_lock_bh(&conn->recvs.lock);
	WARN_ON_ONCE(size > conn->recvs.floor && conn->recvs.unfit);
	conn->recvs.floor = size;
	spin_unlock_bh(&conn->recvs.lock);
}
