/* SPDX-License-Identifier: GPL-2.0-only */
/* A Queue Pair with its buffers, for either side of a connection. */
#ifndef _FUZZ_ENDPOINT_H
#define _FUZZ_ENDPOINT_H

#include <rdma/rdma_cma.h>

#include "message.h"

#define EP_SENDS	32u
#define EP_RECVS	64u
#define EP_RECV_SIZE	4096u

/**
 * struct endpoint - a Queue Pair
 * @id: its CM identifier, which belongs to the caller
 * @pd: protection domain
 * @comp: completion channel
 * @cq: completion queue of Sends and Receives
 * @mr: registration of @buf
 * @buf: Send slots, then Receive slots
 * @busy: Send slots in use, by number
 * @dead: a completion has failed
 */
struct endpoint {
	struct rdma_cm_id *id;
	struct ibv_pd *pd;
	struct ibv_comp_channel *comp;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	u8 *buf;
	u32 busy;
	bool dead;
};

/* What has completed */
enum endpoint_done {
	EP_NOTHING,
	EP_SENT,
	EP_RECEIVED,
	EP_RDMA,
};

/**
 * struct completion - a completion
 * @ok: it succeeded
 * @cookie: EP_RDMA only, the caller's cookie
 * @buf: EP_RECEIVED only, the message; see endpoint_recv()
 * @len: bytes in @buf
 * @slot: number of the Receive
 */
struct completion {
	bool ok;
	u32 cookie;
	const u8 *buf;
	u32 len;
	u32 slot;
};

int endpoint_create(struct endpoint *ep, struct rdma_cm_id *id, bool recvs);
void endpoint_destroy(struct endpoint *ep);
u8 *endpoint_slot(struct endpoint *ep);
int endpoint_send(struct endpoint *ep, u8 *slot, u32 len,
		  enum ibv_wr_opcode opcode, u32 extra);
int endpoint_rdma(struct endpoint *ep, enum ibv_wr_opcode opcode,
		  const struct ibv_sge *sge, u32 handle, u64 offset,
		  u32 cookie);
int endpoint_recv(struct endpoint *ep, u32 slot);
enum endpoint_done endpoint_poll(struct endpoint *ep, struct completion *done);
void endpoint_sleep(struct endpoint *ep, int ms);
long endpoint_now(void);

#endif /* _FUZZ_ENDPOINT_H */
