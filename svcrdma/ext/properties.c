// SPDX-License-Identifier: GPL-2.0-only
/*
 * Properties that change while a connection is in use, and Receives that grow
 * with the traffic (Transport Characteristics draft section 4), in version 2.
 * core/exchange/ implements the protocol and the policy; this file connects
 * them to the server.
 *
 * Operation: the requester's messages are handled in order
 * (svc_rdma_call_receive()), and the thread that handles a message answers it
 * immediately. So an answer shows that earlier messages have been handled. A
 * work item takes all other steps. Replies and callbacks are built for the
 * current size of the requester's Receives.
 */

#include "../counters.h"
#include "../message/message.h"
#include "../tunables.h"
#include "../verbs/verbs.h"
#include "../version/version.h"
#include "ext.h"

static bool svc_rdma_tuning = true;
SVC_RDMA_PARAM(tuning, bool,
	       "Adapt the sizes of Receives to the traffic with version 2 (new connections)");

/* Enough for a WRITE of 16 KiB with its headers */
static unsigned int svc_rdma_receive_buffer_max = 18432;
SVC_RDMA_PARAM(receive_buffer_max, uint,
	       "Bytes to which Receive buffers may grow, up to 65536");

static unsigned int svc_rdma_tuning_interval = 5000;
SVC_RDMA_PARAM(tuning_interval, uint,
	       "Milliseconds between requests for larger Receive buffers");

static struct rpcrdma_budget svc_rdma_budget = {
	.max		= &svc_rdma_receive_buffer_max,
	.interval	= &svc_rdma_tuning_interval,
	.total		= SVC_RDMA_GROWTH_TOTAL,
};

static struct svc_rdma_conn *svc_rdma_properties_conn(struct rpcrdma_exchange *x)
{
	return container_of(x, struct svc_rdma_conn, properties.x);
}

static int svc_rdma_properties_send(struct rpcrdma_exchange *x, u8 *msg,
				    u32 len)
{
	struct svc_rdma_conn *conn = svc_rdma_properties_conn(x);
	struct svc_rdma_send_ctx *send;

	send = svc_rdma_send_get(conn);
	if (!send) {
		svc_rdma_conn_close(conn, RPCRDMA_CAUSE(MEMORY, SEND));
		return -ENOTCONN;
	}
	memcpy(send->buf, msg, len);
	return svc_rdma_send_answer(send, len);
}

static void svc_rdma_properties_apply(struct rpcrdma_exchange *x,
				      const struct rpcrdma_props *props,
				      u32 which)
{
	svc_rdma_props_update(svc_rdma_properties_conn(x), props, which);
}

/* The requester has learned that it may send messages of @size bytes. */
static void svc_rdma_properties_plan(struct rpcrdma_exchange *x, u32 size)
{
	struct svc_rdma_conn *conn = svc_rdma_properties_conn(x);

	if (size > conn->recvs.floor)
		svc_rdma_recvs_set_floor(conn, size);
}

static void svc_rdma_properties_resize(struct rpcrdma_exchange *x, u32 size)
{
	svc_rdma_recvs_resize(svc_rdma_properties_conn(x), size);
}

static int svc_rdma_properties_get_resized(struct rpcrdma_exchange *x)
{
	return svc_rdma_recvs_resized(svc_rdma_properties_conn(x), x->size);
}

static const struct rpcrdma_exchange_ops svc_rdma_exchange_ops = {
	.send		= svc_rdma_properties_send,
	.apply		= svc_rdma_properties_apply,
	.plan		= svc_rdma_properties_plan,
	.resize		= svc_rdma_properties_resize,
	.resized	= svc_rdma_properties_get_resized,
	.grown		= &svc_rdma_counters[SVC_RDMA_STAT_recvs_grown],
};

/**
 * svc_rdma_properties_first - start with our initial properties
 * @conn: connection that uses version 2
 *
 * Context: any.
 */
void svc_rdma_properties_first(struct svc_rdma_conn *conn)
{
	rpcrdma_exchange_begin(&conn->properties.x,
			       svc_rdma_recvs_for(conn->credits.max), jiffies);
}

/**
 * svc_rdma_properties_receive - handle a property change or an error
 * @conn: connection
 * @hdr: header of the message
 * @error: 0, or why the message could not be decoded
 *
 * Context: process. Messages must be passed in order of arrival, except for
 * errors. Does not wait for room in the Send Queue.
 * Return: 0; an enum rpcrdma2_errcode to answer the message with; or -ENOENT if
 * the message is an error that answers no message of ours.
 */
int svc_rdma_properties_receive(struct svc_rdma_conn *conn,
				const struct rpcrdma_hdr *hdr, int error)
{
	struct rpcrdma_exchange *x = &conn->properties.x;
	int ret = rpcrdma_exchange_receive(x, hdr, error, jiffies);

	/* No retry is needed: a message is sent, or the connection ends. */
	rpcrdma_exchange_run(x, jiffies);
	return ret;
}

/**
 * svc_rdma_properties_resized - note that no Receive of the old size is left
 * @conn: connection
 *
 * Context: any.
 */
void svc_rdma_properties_resized(struct svc_rdma_conn *conn)
{
	rpcrdma_exchange_kick(&conn->properties.x);
}

/**
 * svc_rdma_properties_begin - initialize the property changes of a connection
 * @conn: new connection
 *
 * Properties change only if the connection uses version 2.
 *
 * Context: process.
 */
void svc_rdma_properties_begin(struct svc_rdma_conn *conn)
{
	struct svc_rdma_properties *p = &conn->properties;

	rpcrdma_exchange_init(&p->x, &svc_rdma_exchange_ops, svc_rdma_wq,
			      &svc_rdma_budget, &p->own, &conn->peer.props);
	p->on = READ_ONCE(svc_rdma_tuning);
}

/**
 * svc_rdma_properties_stop - stop changing properties
 * @conn: connection that no longer handles messages
 *
 * Context: process; waits for a step in progress.
 */
void svc_rdma_properties_stop(struct svc_rdma_conn *conn)
{
	rpcrdma_exchange_stop(&conn->properties.x);
}
