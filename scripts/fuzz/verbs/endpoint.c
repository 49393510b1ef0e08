// SPDX-License-Identifier: GPL-2.0-only
/* Queue Pairs in userspace: posting, and polling for completions. */

#include <poll.h>
#include <rdma/rdma_verbs.h>
#include <stdlib.h>
#include <time.h>

#include "verbs.h"

/* Work Request numbers: a Send's slot, a Receive's slot, or an RDMA operation's */
#define RECV_BIT	0x100000000ull
#define RDMA_BIT	0x200000000ull
#define ALL_BUSY	0xffffffffu

#define RDMA_WRS	64u
#define BUF_SIZE	(EP_SENDS * MSG_SIZE + EP_RECVS * EP_RECV_SIZE)

long endpoint_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static u8 *recv_slot(struct endpoint *ep, u32 slot)
{
	return ep->buf + EP_SENDS * MSG_SIZE + slot * EP_RECV_SIZE;
}

int endpoint_recv(struct endpoint *ep, u32 slot)
{
	return rdma_post_recv(ep->id, (void *)(RECV_BIT | slot), recv_slot(ep, slot),
			      EP_RECV_SIZE, ep->mr);
}

static int create_qp(struct endpoint *ep)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
		.send_cq = ep->cq,
		.recv_cq = ep->cq,
		.cap = {
			.max_send_wr = EP_SENDS + RDMA_WRS,
			.max_recv_wr = EP_RECVS,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};

	return rdma_create_qp(ep->id, ep->pd, &attr);
}

/* Create a Queue Pair with this number of Receives; without Receives, the peer's Sends wait. */
int endpoint_create(struct endpoint *ep, struct rdma_cm_id *id, u32 recvs)
{
	u32 i;

	memset(ep, 0, sizeof(*ep));
	ep->id = id;
	ep->buf = aligned_alloc(4096, BUF_SIZE);
	ep->pd = ibv_alloc_pd(id->verbs);
	ep->comp = ibv_create_comp_channel(id->verbs);
	if (!ep->buf || !ep->pd || !ep->comp)
		return -1;
	ep->mr = ibv_reg_mr(ep->pd, ep->buf, BUF_SIZE, IBV_ACCESS_LOCAL_WRITE);
	ep->cq = ibv_create_cq(id->verbs, EP_SENDS + RDMA_WRS + EP_RECVS, NULL,
			       ep->comp, 0);
	if (!ep->mr || !ep->cq || create_qp(ep))
		return -1;
	for (i = 0; i < recvs; i++)
		if (endpoint_recv(ep, i))
			return -1;
	return ibv_req_notify_cq(ep->cq, 0);
}

/* Destroy the Queue Pair, but not the CM identifier. */
void endpoint_destroy(struct endpoint *ep)
{
	if (ep->id && ep->id->qp)
		rdma_destroy_qp(ep->id);
	if (ep->cq)
		ibv_destroy_cq(ep->cq);
	if (ep->comp)
		ibv_destroy_comp_channel(ep->comp);
	if (ep->mr)
		ibv_dereg_mr(ep->mr);
	if (ep->pd)
		ibv_dealloc_pd(ep->pd);
	free(ep->buf);
	memset(ep, 0, sizeof(*ep));
}

/* Return MSG_SIZE bytes for a message to send; NULL if none is free within @ms. */
u8 *endpoint_slot(struct endpoint *ep, int ms)
{
	if (!endpoint_until(ep, ms, ep->busy != ALL_BUSY) || ep->dead)
		return NULL;
	return ep->buf + __builtin_ctz(~ep->busy) * MSG_SIZE;
}

/* Send a message. @extra: handle or immediate data, if the opcode needs it */
int endpoint_send(struct endpoint *ep, u8 *slot, u32 len,
		  enum ibv_wr_opcode opcode, u32 extra)
{
	u32 number = (slot - ep->buf) / MSG_SIZE;
	struct ibv_sge sge = {
		.addr = (uintptr_t)slot, .length = len, .lkey = ep->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = number, .opcode = opcode,
		.sg_list = &sge, .num_sge = !!len,
		.invalidate_rkey = extra,
	}, *bad;

	if (ibv_post_send(ep->id->qp, &wr, &bad))
		return -1;
	ep->busy |= 1u << number;
	return 0;
}

/* Post RDMA between memory at @at, in @mr, and the other side's @seg. */
int endpoint_rdma(struct endpoint *ep, enum ibv_wr_opcode opcode, void *at,
		  const struct ibv_mr *mr, const struct rpcrdma_segment *seg)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)at, .length = seg->length, .lkey = mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = RDMA_BIT, .opcode = opcode,
		.sg_list = &sge, .num_sge = !!seg->length,
		.wr.rdma = { .remote_addr = seg->offset, .rkey = seg->handle },
	}, *bad;

	if (ibv_post_send(ep->id->qp, &wr, &bad))
		return -1;
	ep->rdmas++;
	return 0;
}

/* Post RDMA, and wait up to @ms milliseconds for its completion. Return: 0 on success. */
int endpoint_rdma_done(struct endpoint *ep, enum ibv_wr_opcode opcode, void *at,
		       const struct ibv_mr *mr,
		       const struct rpcrdma_segment *seg, int ms)
{
	if (ep->dead || endpoint_rdma(ep, opcode, at, mr, seg))
		return -1;
	return endpoint_until(ep, ms, !ep->rdmas) && !ep->dead ? 0 : -1;
}

static void received(struct endpoint *ep, const struct ibv_wc *wc)
{
	struct received *got = &ep->queue[ep->queued++];

	got->slot = wc->wr_id;
	got->buf = recv_slot(ep, got->slot);
	got->len = wc->byte_len;
}

/* Process completions; messages are queued. */
void endpoint_poll(struct endpoint *ep)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(ep->cq, 1, &wc) > 0) {
		if (wc.status != IBV_WC_SUCCESS)
			ep->dead = true;
		if (wc.wr_id & RDMA_BIT)
			ep->rdmas--;
		else if (!(wc.wr_id & RECV_BIT))
			ep->busy &= ~(1u << wc.wr_id);
		else if (wc.status == IBV_WC_SUCCESS)
			received(ep, &wc);
	}
}

/* Take the oldest message that has arrived. Return: false if there is none. */
bool endpoint_take(struct endpoint *ep, struct received *got)
{
	if (!ep->queued)
		return false;
	*got = ep->queue[0];
	memmove(ep->queue, ep->queue + 1, --ep->queued * sizeof(*got));
	return true;
}

/* Wait up to @ms milliseconds for a completion event. */
void endpoint_sleep(struct endpoint *ep, int ms)
{
	struct pollfd fd = { .fd = ep->comp->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	if (poll(&fd, 1, ms) <= 0)
		return;
	if (!ibv_get_cq_event(ep->comp, &cq, &context))
		ibv_ack_cq_events(cq, 1);
	ibv_req_notify_cq(ep->cq, 0);
}

/* Build a CM private message in @buf, 56 bytes; with @rng, sometimes a malformed one or none. */
void private_choose(struct rdma_conn_param *param, u8 *buf, bool remote_inv,
		    enum rpcrdma_hint hint, struct rng *rng)
{
	struct rpcrdma_private priv = {
		.send_size = EP_RECV_SIZE, .recv_size = EP_RECV_SIZE,
		.remote_inv = remote_inv, .hint = hint,
	};
	u32 i, kind = rng ? rng_below(rng, 12) : 12;

	if (kind == 0) {
		priv.send_size = 1024 << rng_below(rng, 9);
		priv.recv_size = 1024 << rng_below(rng, 9);
	} else if (kind == 1) {
		priv.hint = RPCRDMA_HINT_V1 + rng_below(rng, 3);
	}
	param->private_data = buf;
	param->private_data_len = rpcrdma_private_encode(&priv, buf);
	if (kind != 2 && kind != 3)
		return;
	for (i = rng_below(rng, RPCRDMA_PRIVATE_SIZE + 1); i < 56; i++)
		buf[i] = rng_word(rng);
	param->private_data_len = kind == 2 ? 0 : rng_below(rng, 57);
}
