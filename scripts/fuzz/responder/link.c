// SPDX-License-Identifier: GPL-2.0-only
/* A connection of the client, and the TCP connection to the real server behind it. */

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "responder.h"

/* Time limit for an RDMA operation, in milliseconds; the client may be gone */
#define RDMA_TIMEOUT	2000
/* RFC 5531 section 11 */
#define LAST_FRAGMENT	0x80000000u

static int open_server(struct link *link)
{
	const struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(2049),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int on = 1;

	link->record = malloc(STAGE_SIZE);
	link->fd = socket(AF_INET, SOCK_STREAM, 0);
	/* The record mark and its message are sent separately. */
	setsockopt(link->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return !link->record ||
	       connect(link->fd, (const struct sockaddr *)&to, sizeof(to));
}

/* Return: the link for a connect request, or NULL if there can be none. */
struct link *link_create(struct responder *r, struct rdma_cm_id *id)
{
	struct link *link = r->links;

	while (link->id)
		if (++link == r->links + LINKS)
			return NULL;
	memset(link, 0, sizeof(*link));
	link->id = id;
	link->version = RPCRDMA_VERSION_1;
	link->granted = 1;
	link->fd = -1;
	id->context = link;
	link->stage = aligned_alloc(4096, STAGE_SIZE);
	if (link->stage && !endpoint_create(&link->ep, id, EP_RECVS))
		link->stage_mr = ibv_reg_mr(link->ep.pd, link->stage, STAGE_SIZE,
					    IBV_ACCESS_LOCAL_WRITE);
	if (link->stage_mr && !open_server(link))
		return link;
	link->gone = true;
	return NULL;
}

void link_destroy(struct link *link)
{
	if (link->id->qp)
		rdma_destroy_qp(link->id);
	if (link->stage_mr)
		ibv_dereg_mr(link->stage_mr);
	endpoint_destroy(&link->ep);
	rdma_destroy_id(link->id);
	if (link->fd >= 0)
		close(link->fd);
	free(link->record);
	free(link->stage);
	link->id = NULL;
}

/* Move data between @offset in the stage and @seg. Return: 0 on success. */
int link_rdma(struct link *link, enum ibv_wr_opcode opcode, u32 offset,
	      const struct rpcrdma_segment *seg)
{
	if (seg->length > STAGE_SIZE - offset)
		return -1;
	return endpoint_rdma_done(&link->ep, opcode, link->stage + offset,
				  link->stage_mr, seg, RDMA_TIMEOUT);
}

/* Record the information that a message gives to the client. */
static void note(struct link *link, const u8 *buf, u32 len)
{
	struct rpcrdma_hdr hdr;

	if (len >= 12 && get_unaligned_be32(buf + 8) > link->granted)
		link->granted = get_unaligned_be32(buf + 8);
	if (!message_decode(&hdr, buf, len))
		changes_sent(&link->changes, &hdr);
}

int link_send(struct link *link, const u8 *buf, u32 len,
	      enum ibv_wr_opcode opcode, u32 extra)
{
	u8 *slot = endpoint_slot(&link->ep, RDMA_TIMEOUT);

	if (!slot || len > MSG_SIZE)
		return -1;
	note(link, buf, len);
	memcpy(slot, buf, len);
	return endpoint_send(&link->ep, slot, len, opcode, extra);
}

int link_post(struct link *link, const struct message *m)
{
	u8 buf[MSG_SIZE];

	return link_send(link, buf, message_encode(m, buf), IBV_WR_SEND, 0);
}

/* Send an RPC message to the real server. */
int record_send(struct link *link, const u8 *rpc, u32 len)
{
	u8 mark[4];

	put_unaligned_be32(len | LAST_FRAGMENT, mark);
	if (send(link->fd, mark, 4, MSG_NOSIGNAL | MSG_MORE) != 4)
		return -1;
	return send(link->fd, rpc, len, MSG_NOSIGNAL) == (ssize_t)len ? 0 : -1;
}

/*
 * Receive an RPC message, which the server sends in one fragment. Return: 1 if a message is
 * in @link->record, 0 if not, -1 after an error.
 */
int record_next(struct link *link, u32 *len)
{
	u8 mark[4];
	ssize_t n = recv(link->fd, mark, 4, MSG_DONTWAIT | MSG_PEEK);

	if (n != 4)
		return n ? 0 : -1;
	recv(link->fd, mark, 4, 0);
	*len = get_unaligned_be32(mark) & ~LAST_FRAGMENT;
	if (*len < 8 || *len > STAGE_SIZE)
		return -1;
	return recv(link->fd, link->record, *len, MSG_WAITALL) == (ssize_t)*len ?
	       1 : -1;
}
