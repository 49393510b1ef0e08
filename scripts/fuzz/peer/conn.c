// SPDX-License-Identifier: GPL-2.0-only
/* The peer's connection: everything that uses the verbs. */

#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include "peer.h"

/* Time limit for an answer of the server, in milliseconds */
#define PEER_TIMEOUT 5000
/* Milliseconds after which a server on iWARP may have overlooked a message */
#define PEER_WAKE 200

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int next_event(struct peer *p, enum rdma_cm_event_type *got)
{
	struct pollfd fd = { .fd = p->channel->fd, .events = POLLIN };
	struct rdma_cm_event *event;

	if (poll(&fd, 1, 4 * PEER_TIMEOUT) <= 0)
		return -1;
	if (rdma_get_cm_event(p->channel, &event))
		return -1;
	*got = event->event;
	if (event->event == RDMA_CM_EVENT_ESTABLISHED)
		rpcrdma_private_decode(&p->accepted,
				       event->param.conn.private_data,
				       event->param.conn.private_data_len);
	rdma_ack_cm_event(event);
	return 0;
}

static int expect_event(struct peer *p, enum rdma_cm_event_type want)
{
	enum rdma_cm_event_type got;

	if (next_event(p, &got))
		return -1;
	if (got != want)
		fprintf(stderr, "CM event %s\n", rdma_event_str(got));
	return got == want ? 0 : -1;
}

static u8 *recv_slot(struct peer *p, uint64_t number)
{
	return p->msg + PEER_MSG * (1 + number);
}

static int post_recv(struct peer *p, uint64_t number)
{
	struct ibv_sge sge = {
		.addr	= (uintptr_t)recv_slot(p, number),
		.length	= PEER_MSG,
		.lkey	= p->msg_mr->lkey,
	};
	struct ibv_recv_wr wr = {
		.wr_id = number, .sg_list = &sge, .num_sge = 1,
	}, *bad;

	return ibv_post_recv(p->id->qp, &wr, &bad);
}

static int create_resources(struct peer *p)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
		.cap = {
			.max_send_wr = PEER_RECVS,
			.max_recv_wr = PEER_RECVS,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};
	u32 i, msgs = PEER_MSG * (PEER_RECVS + 1);

	p->mem = aligned_alloc(4096, p->mem_size);
	p->msg = aligned_alloc(4096, msgs);
	p->pd = ibv_alloc_pd(p->id->verbs);
	if (!p->mem || !p->msg || !p->pd)
		return -1;
	memset(p->mem, 0xee, p->mem_size);
	p->mem_mr = ibv_reg_mr(p->pd, p->mem, p->mem_size,
			       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
			       IBV_ACCESS_REMOTE_WRITE);
	p->msg_mr = ibv_reg_mr(p->pd, p->msg, msgs, IBV_ACCESS_LOCAL_WRITE);
	p->send_cq = ibv_create_cq(p->id->verbs, PEER_RECVS, NULL, NULL, 0);
	p->recv_cq = ibv_create_cq(p->id->verbs, PEER_RECVS, NULL, NULL, 0);
	if (!p->mem_mr || !p->msg_mr || !p->send_cq || !p->recv_cq)
		return -1;
	attr.send_cq = p->send_cq;
	attr.recv_cq = p->recv_cq;
	if (rdma_create_qp(p->id, p->pd, &attr))
		return -1;
	for (i = 0; i < p->recvs; i++)
		if (post_recv(p, i))
			return -1;
	return 0;
}

static int resolve(struct peer *p, const char *host, const char *port)
{
	struct addrinfo *info;
	int ret;

	if (getaddrinfo(host, port, NULL, &info))
		return -1;
	ret = rdma_resolve_addr(p->id, NULL, info->ai_addr, 2000);
	freeaddrinfo(info);
	if (ret || expect_event(p, RDMA_CM_EVENT_ADDR_RESOLVED))
		return -1;
	if (rdma_resolve_route(p->id, 2000))
		return -1;
	return expect_event(p, RDMA_CM_EVENT_ROUTE_RESOLVED);
}

int peer_connect(struct peer *p, const char *host, const char *port, int flags,
		 const struct peer_hint *hint)
{
	const struct rpcrdma_private priv = {
		.send_size = PEER_MSG, .recv_size = PEER_MSG,
	};
	u8 buf[RPCRDMA_PRIVATE_SIZE + PEER_HINT_MAX];
	struct rdma_conn_param param = {
		.initiator_depth = 4,
		.responder_resources = 4,
		.retry_count = 7,
		.rnr_retry_count = 7,
	};

	memset(p, 0, sizeof(*p));
	p->host = host;
	p->port = port;
	p->repost = !(flags & PEER_STALL);
	p->recvs = p->repost ? PEER_RECVS : 1;
	p->mem_size = p->repost ? PEER_MEM : PEER_STALL_MEM;
	p->channel = rdma_create_event_channel();
	if (!p->channel ||
	    rdma_create_id(p->channel, &p->id, NULL, RDMA_PS_TCP) ||
	    resolve(p, host, port) || create_resources(p))
		return -1;
	if (!(flags & PEER_NO_PRIVATE)) {
		param.private_data = buf;
		param.private_data_len = rpcrdma_private_encode(&priv, buf);
	}
	if (hint) {
		memcpy(buf + RPCRDMA_PRIVATE_SIZE, hint->bytes, hint->len);
		param.private_data_len += hint->len;
	}
	if (rdma_connect(p->id, &param))
		return -1;
	return expect_event(p, RDMA_CM_EVENT_ESTABLISHED);
}

void peer_disconnect(struct peer *p)
{
	if (p->id && p->id->qp) {
		rdma_disconnect(p->id);
		rdma_destroy_qp(p->id);
	}
	if (p->mem_mr)
		ibv_dereg_mr(p->mem_mr);
	if (p->msg_mr)
		ibv_dereg_mr(p->msg_mr);
	if (p->send_cq)
		ibv_destroy_cq(p->send_cq);
	if (p->recv_cq)
		ibv_destroy_cq(p->recv_cq);
	if (p->pd)
		ibv_dealloc_pd(p->pd);
	if (p->id)
		rdma_destroy_id(p->id);
	if (p->channel)
		rdma_destroy_event_channel(p->channel);
	free(p->mem);
	free(p->msg);
}

/* Post the message that was built, without waiting for anything. */
int peer_send(struct peer *p)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)p->msg, .length = p->len,
		.lkey = p->msg_mr->lkey,
	};
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND, .sg_list = &sge, .num_sge = p->len ? 1 : 0,
	}, *bad;

	return ibv_post_send(p->id->qp, &wr, &bad);
}

static int wait_sent(struct peer *p)
{
	long end = now_ms() + PEER_TIMEOUT;
	struct ibv_wc wc;
	int n;

	do {
		n = ibv_poll_cq(p->send_cq, 1, &wc);
		if (n > 0)
			return wc.status == IBV_WC_SUCCESS ? 0 : -1;
	} while (!n && now_ms() < end);
	p->why = "the Send does not complete";
	return -1;
}

/* Send the message that was built. */
int peer_post(struct peer *p)
{
	return peer_send(p) ? -1 : wait_sent(p);
}

/* Send it With Invalidate of one of the server's handles. */
int peer_post_inv(struct peer *p, u32 handle)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)p->msg, .length = p->len,
		.lkey = p->msg_mr->lkey,
	};
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND_WITH_INV, .sg_list = &sge, .num_sge = 1,
		.invalidate_rkey = handle,
	}, *bad;

	return ibv_post_send(p->id->qp, &wr, &bad) ? -1 : wait_sent(p);
}

/* RDMA Read or Write the server's memory, to or from ours at @at. */
int peer_rdma(struct peer *p, enum ibv_wr_opcode opcode,
	      const struct rpcrdma_segment *seg, u32 at)
{
	struct ibv_sge sge = {
		.addr = peer_address(p, at), .length = seg->length,
		.lkey = p->mem_mr->lkey,
	};
	struct ibv_send_wr wr = {
		.opcode = opcode, .sg_list = &sge, .num_sge = 1,
		.wr.rdma = { .remote_addr = seg->offset, .rkey = seg->handle },
	}, *bad;

	return ibv_post_send(p->id->qp, &wr, &bad) ? -1 : wait_sent(p);
}

/*
 * A message that arrives just after siw has accepted is not processed until more
 * data arrives: an RDMA Write of no bytes is enough.
 */
static void wake_server(struct peer *p)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE }, *bad;

	if (p->id->verbs->device->transport_type == IBV_TRANSPORT_IWARP &&
	    !ibv_post_send(p->id->qp, &wr, &bad))
		wait_sent(p);
}

/* Wait for a message and decode its header. */
int peer_wait(struct peer *p)
{
	long now = now_ms(), end = now + PEER_TIMEOUT, wake = now + PEER_WAKE;
	struct ibv_wc wc;
	int n, ret;

	do {
		n = ibv_poll_cq(p->recv_cq, 1, &wc);
		now = now_ms();
		if (!n && now >= wake) {
			wake_server(p);
			wake += PEER_WAKE;
		}
	} while (!n && now < end);
	if (n <= 0 || wc.status != IBV_WC_SUCCESS) {
		p->why = n ? "connection lost" : "no answer";
		return -1;
	}
	p->reply = recv_slot(p, wc.wr_id);
	p->reply_len = wc.byte_len;
	ret = rpcrdma_decode(&p->hdr, p->reply, p->reply_len);
	if (ret == RPCRDMA_EVERSION && p->hdr.version == RPCRDMA_VERSION_2)
		ret = rpcrdma_v2_decode(&p->hdr);
	if (ret) {
		p->why = "the answer's header cannot be decoded";
		return -1;
	}
	/* The slot is posted again only when all others have been used. */
	return p->repost ? post_recv(p, wc.wr_id) : 0;
}

/*
 * Return whether the server has disconnected, or does so within a while. If it
 * disconnects before the last message of connection establishment has arrived,
 * the peer receives a rejection instead.
 */
bool peer_closed(struct peer *p)
{
	enum rdma_cm_event_type got;

	return !next_event(p, &got) && (got == RDMA_CM_EVENT_DISCONNECTED ||
					got == RDMA_CM_EVENT_REJECTED);
}

u32 peer_handle(const struct peer *p)
{
	return p->mem_mr->rkey;
}

u64 peer_address(const struct peer *p, u32 offset)
{
	return (uintptr_t)p->mem + offset;
}
