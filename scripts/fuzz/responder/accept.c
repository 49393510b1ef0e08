// SPDX-License-Identifier: GPL-2.0-only
/* CM events: connections of the client are accepted or refused, and end. */

#include <stdio.h>
#include <string.h>

#include "responder.h"

/* A valid CM private message, or any bytes, and sometimes a version hint */
static void choose_private(struct responder *r, struct rng *rng,
			   struct rdma_conn_param *param, u8 *buf)
{
	struct rpcrdma_private priv = {
		.send_size = EP_RECV_SIZE, .recv_size = EP_RECV_SIZE,
		.remote_inv = true,
	};
	u32 i, kind = r->honest ? 9 : rng_below(rng, 12);

	if (kind == 0)
		return;
	if (kind == 1)
		priv.send_size = 1024 << rng_below(rng, 9);
	if (kind > 9)
		priv.hint = RPCRDMA_HINT_V1 + rng_below(rng, 3);
	param->private_data = buf;
	param->private_data_len = rpcrdma_private_encode(&priv, buf);
	if (r->hint_len) {
		memcpy(buf + RPCRDMA_PRIVATE_SIZE, r->hint, r->hint_len);
		param->private_data_len = RPCRDMA_PRIVATE_SIZE + r->hint_len;
	}
	if (kind > 3)
		return;
	for (i = kind == 2 ? 4 : RPCRDMA_PRIVATE_SIZE; i < 56; i++)
		buf[i] = rng_word(rng);
	param->private_data_len = rng_below(rng, 57);
}

/* The client's version hint */
static void note_hint(struct responder *r, const struct rdma_conn_param *param)
{
	struct rpcrdma_private priv;

	rpcrdma_private_decode(&priv, param->private_data,
			       param->private_data_len);
	r->hinted += priv.hint == RPCRDMA_HINT_V2;
}

static void request(struct responder *r, struct rdma_cm_event *event)
{
	u8 buf[196] = { 0 };
	struct rdma_conn_param param = {
		.initiator_depth = event->param.conn.initiator_depth,
		.responder_resources = event->param.conn.responder_resources,
		.rnr_retry_count = 7,
	};
	struct link *link;
	struct rng rng;
	u32 what;

	responder_rng(r, &rng);
	r->connections++;
	note_hint(r, &event->param.conn);
	what = r->honest ? 99 : rng_below(&rng, 60);
	if (what < 4) {
		rdma_reject(event->id, buf, rng_below(&rng, 149));
		rdma_destroy_id(event->id);
		return;
	}
	link = link_create(r, event->id);
	if (!link || what < 5)
		return;
	choose_private(r, &rng, &param, buf);
	if (r->refuse == REFUSE_DEPTH) {
		param.initiator_depth = 0;
		param.responder_resources = 0;
		r->refused++;
	}
	if (rdma_accept(event->id, &param))
		link->gone = true;
	if (what < 7)
		link->gone = true;
}

/* The caller acknowledges the event afterwards. */
void accept_event(struct responder *r, struct rdma_cm_event *event)
{
	struct link *link = event->id->context;

	if (r->verbose)
		printf("# %s\n", rdma_event_str(event->event));
	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		request(r, event);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		link->up = true;
		break;
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		break;
	default:
		if (link)
			link->gone = true;
	}
}
