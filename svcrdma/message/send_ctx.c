// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send contexts: a message, and the resources held until it has been sent.
 *
 * Ownership: from svc_rdma_send_post() until the Send has completed, the
 * context owns the pages of the reply and all mappings. The number of contexts
 * is bounded by the number of Receive contexts plus the credit limit plus
 * SVC_RDMA_UNSIGNALED: a call keeps its Receive context until its reply is
 * posted or queued, and calls are taken only while few Send contexts are in use
 * and none is queued.
 *
 * Errors: all contexts are in a list of the connection. Contexts that could not
 * be posted, or whose completion is never reported, are released with the
 * connection.
 */

#include <rpcrdma/buffer.h>

#include "../counters.h"
#include "../ext/ext.h"
#include "../verbs/verbs.h"
#include "../version_ops.h"
#include "message.h"

/* Bytes of idle Send contexts that a connection keeps */
#define SVC_RDMA_SENDS_IDLE	65536u
/* Minimum bytes charged for an idle context, which is more than its buffer */
#define SVC_RDMA_SENDS_LEAST	4096u

/* Allocate and map a buffer of a Send context. Return NULL if that fails. */
static void *svc_rdma_send_buf_create(struct svc_rdma_conn *conn, u32 size,
				      u64 *addr)
{
	void *buf = rpcrdma_buf_alloc(size, GFP_KERNEL,
				      ibdev_to_node(conn->dev));

	if (!buf)
		return NULL;
	*addr = ib_dma_map_single(conn->dev, buf, size, DMA_TO_DEVICE);
	if (!ib_dma_mapping_error(conn->dev, *addr))
		return buf;
	rpcrdma_buf_free(buf, size);
	return NULL;
}

static void svc_rdma_send_buf_destroy(struct svc_rdma_send_ctx *send)
{
	ib_dma_unmap_single(send->conn->dev, send->sges[0].addr, send->size,
			    DMA_TO_DEVICE);
	rpcrdma_buf_free(send->buf, send->size);
}

static noinline struct svc_rdma_send_ctx *
svc_rdma_send_alloc(struct svc_rdma_conn *conn, u32 size)
{
	struct svc_rdma_send_ctx *send;
	u64 addr;

	send = kzalloc_node(sizeof(*send), GFP_KERNEL,
			    ibdev_to_node(conn->dev));
	if (!send)
		return NULL;
	send->buf = svc_rdma_send_buf_create(conn, size, &addr);
	if (!send->buf) {
		kfree(send);
		return NULL;
	}
	send->conn = conn;
	send->size = size;
	send->wr.wr_cqe = &send->cqe;
	send->wr.sg_list = send->sges;
	send->sges[0].addr = addr;
	send->sges[0].lkey = conn->pd->local_dma_lkey;
	INIT_LIST_HEAD(&send->rws);
	svc_rdma_send_reset(send);
	spin_lock_bh(&conn->sends.lock);
	list_add(&send->all, &conn->sends.all);
	spin_unlock_bh(&conn->sends.lock);
	svc_rdma_count(sendctxs_now);
	return send;
}

static void svc_rdma_send_destroy(struct svc_rdma_send_ctx *send)
{
	struct svc_rdma_conn *conn = send->conn;

	spin_lock_bh(&conn->sends.lock);
	list_del(&send->all);
	spin_unlock_bh(&conn->sends.lock);
	svc_rdma_send_buf_destroy(send);
	kfree(send);
	svc_rdma_add(sendctxs_now, -1);
}

/* Take an idle context, unless the idle contexts have at most @kept bytes. */
static struct svc_rdma_send_ctx *svc_rdma_send_take(struct svc_rdma_conn *conn,
						    u32 kept)
{
	struct svc_rdma_send_ctx *send;

	spin_lock_bh(&conn->sends.lock);
	send = conn->sends.idle;
	if (send && conn->sends.nidle * max(send->size, SVC_RDMA_SENDS_LEAST) > kept) {
		conn->sends.idle = send->next;
		conn->sends.nidle--;
	} else {
		send = NULL;
	}
	spin_unlock_bh(&conn->sends.lock);
	return send;
}

/**
 * svc_rdma_send_get - get a Send context
 * @conn: connection
 *
 * Context: process.
 * Return: a context, or NULL if there is no memory.
 */
struct svc_rdma_send_ctx *svc_rdma_send_get(struct svc_rdma_conn *conn)
{
	u32 limit = READ_ONCE(conn->peer.longest);
	u32 size = min(limit, svc_rdma_version_of(conn)->send_buf);
	struct svc_rdma_send_ctx *send = svc_rdma_send_take(conn, 0);

	/* The buffer may be too small if the requester's limit has grown. */
	if (unlikely(send && send->size < size)) {
		svc_rdma_send_destroy(send);
		send = NULL;
	}
	if (!send)
		send = svc_rdma_send_alloc(conn, size);
	if (!send)
		return NULL;
	send->limit = limit;
	atomic_inc(&conn->sends.busy);
	return send;
}

/**
 * svc_rdma_send_grow - replace the buffer of a Send context with a larger one
 * @send: Send context
 * @used: bytes of the message that are already in the buffer
 * @size: new size of the buffer in bytes
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int svc_rdma_send_grow(struct svc_rdma_send_ctx *send, u32 used, u32 size)
{
	void *buf;
	u64 addr;

	buf = svc_rdma_send_buf_create(send->conn, size, &addr);
	if (!buf)
		return -ENOMEM;
	memcpy(buf, send->buf, used);
	svc_rdma_send_buf_destroy(send);
	send->buf = buf;
	send->size = size;
	send->sges[0].addr = addr;
	return 0;
}

/**
 * svc_rdma_send_unmap_pages - reduce the gather list to its first entry
 * @send: Send context with no Work Request outstanding
 *
 * Entries that lie in the buffer are not mapped separately.
 *
 * Context: any.
 */
void svc_rdma_send_unmap_pages(struct svc_rdma_send_ctx *send)
{
	while (send->wr.num_sge > 1) {
		struct ib_sge *sge = &send->sges[--send->wr.num_sge];

		if (sge->addr - send->sges[0].addr < send->size)
			continue;
		ib_dma_unmap_page(send->conn->dev, sge->addr, sge->length,
				  DMA_TO_DEVICE);
	}
}

static void svc_rdma_send_release_pages(struct svc_rdma_send_ctx *send)
{
	if (unlikely(send->own_pages)) {
		svc_rdma_stash_put(send->conn, send->pages, send->npages);
		send->own_pages = false;
	} else {
		release_pages(send->pages, send->npages);
	}
	atomic_sub(send->npages, &send->conn->sends.pages);
	send->npages = 0;
	if (send->pages != send->few)
		kfree(send->pages);
}

/**
 * svc_rdma_send_reset - prepare a Send context for another message
 * @send: Send context; all resources that it holds are released
 *
 * Context: any; process if @send has an advert.
 */
void svc_rdma_send_reset(struct svc_rdma_send_ctx *send)
{
	svc_rdma_send_unmap_pages(send);
	if (!list_empty(&send->rws))
		svc_rdma_rw_release(send->conn, &send->rws);
	if (unlikely(svc_rdma_send_advert(send))) {
		svc_rdma_advert_free(send->advert);
		send->advert = NULL;
	}
	if (send->npages)
		svc_rdma_send_release_pages(send);
	send->head_read = false;
	send->wr.num_sge = 1;
	send->wr.opcode = IB_WR_SEND;
	send->wr.next = NULL;
	send->wrs = 1;
	send->before = (struct svc_rdma_unsignaled){};
}

/**
 * svc_rdma_send_put - return a Send context, and release all that it holds
 * @send: Send context with no Work Request outstanding
 *
 * Context: any.
 */
void svc_rdma_send_put(struct svc_rdma_send_ctx *send)
{
	struct svc_rdma_conn *conn = send->conn;

	svc_rdma_send_reset(send);
	spin_lock_bh(&conn->sends.lock);
	send->next = conn->sends.idle;
	conn->sends.idle = send;
	conn->sends.nidle++;
	spin_unlock_bh(&conn->sends.lock);
	atomic_dec(&conn->sends.busy);
	svc_rdma_conn_unthrottle(conn);
}

/**
 * svc_rdma_sends_trim - free idle contexts that exceed SVC_RDMA_SENDS_IDLE
 * @conn: connection
 *
 * Context: process.
 */
void svc_rdma_sends_trim(struct svc_rdma_conn *conn)
{
	struct svc_rdma_send_ctx *send;

	while ((send = svc_rdma_send_take(conn, SVC_RDMA_SENDS_IDLE)))
		svc_rdma_send_destroy(send);
}

/**
 * svc_rdma_send_hold_pages - hold a reply's pages until it has been sent
 * @send: Send context
 * @pages: pages; on success, the entries of this array are cleared
 * @npages: number of pages
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int svc_rdma_send_hold_pages(struct svc_rdma_send_ctx *send,
			     struct page **pages, u32 npages)
{
	u32 i;

	send->pages = send->few;
	if (npages > ARRAY_SIZE(send->few)) {
		send->pages = kmalloc_array(npages, sizeof(*pages), GFP_KERNEL);
		if (!send->pages)
			return -ENOMEM;
	}
	for (i = 0; i < npages; i++) {
		send->pages[i] = pages[i];
		pages[i] = NULL;
	}
	send->npages = npages;
	atomic_add(npages, &send->conn->sends.pages);
	return 0;
}

/**
 * svc_rdma_sends_init - initialize the Sends of a new connection
 * @conn: connection
 *
 * Context: any.
 */
void svc_rdma_sends_init(struct svc_rdma_conn *conn)
{
	spin_lock_init(&conn->sends.lock);
	INIT_LIST_HEAD(&conn->sends.all);
	init_llist_head(&conn->sends.unsignaled);
}

/**
 * svc_rdma_sends_destroy - free all Send contexts
 * @conn: connection whose Queue Pair and completion queues are gone
 *
 * Context: process.
 */
void svc_rdma_sends_destroy(struct svc_rdma_conn *conn)
{
	struct svc_rdma_send_ctx *send, *next;

	while ((send = svc_rdma_send_take(conn, 0)))
		svc_rdma_send_destroy(send);
	list_for_each_entry_safe(send, next, &conn->sends.all, all) {
		svc_rdma_send_reset(send);
		svc_rdma_send_destroy(send);
		atomic_dec(&conn->sends.busy);
	}
	WARN_ON_ONCE(atomic_read(&conn->sends.busy) ||
		     atomic_read(&conn->sends.pages));
}
