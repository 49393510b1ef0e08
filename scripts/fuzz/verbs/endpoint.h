/* SPDX-License-Identifier: GPL-2.0-only */
/* A Queue Pair with its buffers, for either side of a connection. */
#ifndef _FUZZ_ENDPOINT_H
#define _FUZZ_ENDPOINT_H

#include <rdma/rdma_cma.h>

#include "message.h"

#define EP_SENDS	32u
#define EP_RECVS	64u
#define EP_RECV_SIZE	4096u

/* A message that has arrived */
struct received {
	const u8 *buf;	/* its bytes; valid until all other Receives have been used */
	u32 len;	/* bytes in @buf */
	u32 slot;	/* number of the Receive, see endpoint_recv() */
};

/* A Queue Pair */
struct endpoint {
	struct rdma_cm_id *id;	/* its CM identifier, which belongs to the caller */
	struct ibv_pd *pd;	/* protection domain */
	struct ibv_comp_channel *comp;	/* completion channel */
	struct ibv_cq *cq;	/* completion queue */
	struct ibv_mr *mr;	/* registration of @buf */
	u8 *buf;	/* Send slots, then Receive slots */
	u32 busy;	/* Send slots in use, by number */
	u32 rdmas;	/* RDMA Reads and Writes that have not completed */
	/* messages that have arrived, the oldest first */
	struct received queue[EP_RECVS];
	u32 queued;	/* their number */
	bool dead;	/* a completion has failed */
};

int endpoint_create(struct endpoint *ep, struct rdma_cm_id *id, u32 recvs);
void endpoint_destroy(struct endpoint *ep);
u8 *endpoint_slot(struct endpoint *ep, int ms);
int endpoint_send(struct endpoint *ep, u8 *slot, u32 len,
		  enum ibv_wr_opcode opcode, u32 extra);
int endpoint_rdma(struct endpoint *ep, enum ibv_wr_opcode opcode,
		  const struct ibv_sge *sge, u32 handle, u64 offset);
int endpoint_recv(struct endpoint *ep, u32 slot);
void endpoint_poll(struct endpoint *ep);
bool endpoint_take(struct endpoint *ep, struct received *got);
void endpoint_sleep(struct endpoint *ep, int ms);
long endpoint_now(void);

/* Wait for @cond; false if the connection has failed or @ms have passed. */
#define endpoint_until(ep, ms, cond)					\
({									\
	long _end = endpoint_now() + (ms);				\
									\
	endpoint_poll(ep);						\
	while (!(cond) && !(ep)->dead && endpoint_now() < _end) {	\
		endpoint_sleep((ep), 5);				\
		endpoint_poll(ep);					\
	}								\
	!!(cond);							\
})

#endif /* _FUZZ_ENDPOINT_H */
