// SPDX-License-Identifier: GPL-2.0-only
/*
 * Listeners, and connect requests that wait to be accepted.
 *
 * Operation: a listener that is bound to one address loses its device when that
 * is removed, or when another interface of a bond becomes active. It listens
 * again as soon as a device has its address. The CM itself moves listeners that
 * are not bound to an address.
 *
 * Ownership: the listener's CM identifier is destroyed by relisten_work, with
 * @start held, or by xpo_detach, after that work item has been cancelled. The
 * event handler does not destroy it.
 */
#define pr_fmt(fmt) "svcrdma: " fmt

#include <linux/sunrpc/addr.h>

#include "../ext/ext.h"
#include "../limits.h"
#include "../verbs/verbs.h"
#include "control.h"
#include <trace/events/svcrdma.h>

/* Interval between a listener's attempts to find a device */
#define SVC_RDMA_RELISTEN	HZ

/**
 * svc_rdma_connreq_free - free a connect request, but not its CM identifier
 * @connreq: request, in no list
 *
 * Context: any.
 */
void svc_rdma_connreq_free(struct svc_rdma_connreq *connreq)
{
	svc_rdma_count(connreqs_destroyed);
	kfree(connreq);
}

static void svc_rdma_connreq_id_destroyed(struct rpcrdma_deferred_id *deferred)
{
	struct svc_rdma_connreq *connreq =
		container_of(deferred, struct svc_rdma_connreq, deferred_id);

	svc_rdma_connreq_free(connreq);
}

/**
 * svc_rdma_connreq_reject - reject a connect request
 * @connreq: request, in no list; freed with its CM identifier
 * @cause: why, as by svc_rdma_cause()
 *
 * While the port is down, no message is sent to the requester.
 *
 * Context: process.
 */
void svc_rdma_connreq_reject(struct svc_rdma_connreq *connreq, u32 cause)
{
	struct rdma_cm_id *cm_id = connreq->cm_id;

	svc_rdma_ended_refused(cm_id, cause);
	if (rpcrdma_port_active(cm_id->device, cm_id->port_num))
		rdma_reject(cm_id, NULL, 0, IB_CM_REJ_CONSUMER_DEFINED);
	svc_rdma_count(conns_rejected);
	rpcrdma_id_destroy_deferred(&connreq->deferred_id, cm_id,
				    &connreq->gone,
				    svc_rdma_connreq_id_destroyed, THIS_MODULE);
}

/*
 * Removes a request from its listener. Return: true if the caller now owns it,
 * false if another context has removed it.
 */
static bool svc_rdma_connreq_claim(struct svc_rdma_connreq *connreq)
{
	struct svc_rdma_listener *listener = connreq->listener;
	bool mine;

	spin_lock(&listener->lock);
	mine = !list_empty(&connreq->list);
	if (mine) {
		list_del_init(&connreq->list);
		listener->nconnreqs--;
	}
	spin_unlock(&listener->lock);
	return mine;
}

/*
 * Events of a request that has not been accepted yet: the requester has given
 * up, or the device is being removed. If a thread is accepting the request,
 * that thread checks @dead and @gone with the event handler locked.
 */
static int svc_rdma_connreq_handler(struct rdma_cm_id *cm_id,
				    struct rdma_cm_event *event)
{
	struct svc_rdma_connreq *connreq = cm_id->context;

	if (!svc_rdma_connreq_claim(connreq)) {
		connreq->dead = true;
		if (event->event == RDMA_CM_EVENT_DEVICE_REMOVAL)
			connreq->gone = true;
		return 0;
	}
	svc_rdma_count(conns_rejected);
	svc_rdma_ended_refused(cm_id,
			       event->event == RDMA_CM_EVENT_DEVICE_REMOVAL ?
				       SVC_RDMA_CAUSE(DEVICE, CONNECT) :
				       SVC_RDMA_CAUSE(PEER, CONNECT));
	svc_rdma_connreq_free(connreq);
	return 1;
}

static int svc_rdma_connreq_add(struct svc_rdma_listener *listener,
				struct svc_rdma_connreq *connreq)
{
	int ret = 0;

	spin_lock(&listener->lock);
	if (listener->closed || listener->nconnreqs >= SVC_RDMA_BACKLOG) {
		ret = -EBUSY;
	} else {
		list_add_tail(&connreq->list, &listener->connreqs);
		listener->nconnreqs++;
	}
	spin_unlock(&listener->lock);
	return ret;
}

/*
 * RDMA_CM_EVENT_CONNECT_REQUEST. @cm_id belongs to the new connection; its
 * context is the listener until it is replaced here. If this returns non-zero,
 * the CM rejects the request and destroys @cm_id.
 */
static int svc_rdma_connreq_arrived(struct svc_rdma_listener *listener,
				    struct rdma_cm_id *cm_id,
				    const struct rdma_conn_param *param)
{
	struct svc_rdma_connreq *connreq;

	connreq = kzalloc(sizeof(*connreq), GFP_KERNEL);
	if (!connreq) {
		svc_rdma_count(no_memory);
		svc_rdma_ended_refused(cm_id,
				       svc_rdma_cause(RPCRDMA_NL_LOST_REFUSED,
						      RPCRDMA_NL_DETAIL_RESOURCES,
						      -ENOMEM));
		return -ENOMEM;
	}
	svc_rdma_count(connreqs_created);
	connreq->listener = listener;
	connreq->cm_id = cm_id;
	connreq->ord = param->initiator_depth;
	connreq->ird = param->responder_resources;
	rpcrdma_private_decode(&connreq->priv, param->private_data,
			       param->private_data_len);

	cm_id->context = connreq;
	cm_id->event_handler = svc_rdma_connreq_handler;
	if (svc_rdma_connreq_add(listener, connreq)) {
		svc_rdma_count(conns_rejected);
		svc_rdma_ended_refused(cm_id,
				       READ_ONCE(listener->closed) ?
					       SVC_RDMA_CAUSE(SHUTDOWN, CONNECT) :
					       SVC_RDMA_CAUSE(REFUSED, BACKLOG));
		svc_rdma_connreq_free(connreq);
		return -EBUSY;
	}
	set_bit(XPT_CONN, &listener->xprt.xpt_flags);
	svc_xprt_enqueue(&listener->xprt);
	return 0;
}

/*
 * Listen again if @cm_id is the listener's own. Connect requests, and the
 * devices of a listener without an address, have CM identifiers of their own.
 */
static void svc_rdma_listener_lost(struct svc_rdma_listener *listener,
				   const struct rdma_cm_id *cm_id)
{
	spin_lock(&listener->lock);
	if (listener->cm_id == cm_id && !listener->closed)
		mod_delayed_work(svc_rdma_wq, &listener->relisten_work, 0);
	spin_unlock(&listener->lock);
}

static int svc_rdma_listener_handler(struct rdma_cm_id *cm_id,
				     struct rdma_cm_event *event)
{
	struct svc_rdma_listener *listener = cm_id->context;

	trace_svc_rdma_cm_event(&listener->xprt, event->event, event->status);
	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return svc_rdma_connreq_arrived(listener, cm_id,
						&event->param.conn);
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
	case RDMA_CM_EVENT_ADDR_CHANGE:
		svc_rdma_listener_lost(listener, cm_id);
		return 0;
	default:
		return 0;
	}
}

/**
 * svc_rdma_listener_next - take the oldest connect request
 * @listener: listener
 *
 * Clears XPT_CONN when no request is left.
 *
 * Context: process, an nfsd thread that holds XPT_BUSY.
 * Return: a request, which the caller now owns with its CM identifier, or NULL.
 */
struct svc_rdma_connreq *
svc_rdma_listener_next(struct svc_rdma_listener *listener)
{
	struct svc_rdma_connreq *connreq;

	spin_lock(&listener->lock);
	connreq = list_first_entry_or_null(&listener->connreqs,
					   struct svc_rdma_connreq, list);
	if (connreq) {
		list_del_init(&connreq->list);
		listener->nconnreqs--;
	}
	if (list_empty(&listener->connreqs))
		clear_bit(XPT_CONN, &listener->xprt.xpt_flags);
	spin_unlock(&listener->lock);
	return connreq;
}

/* When this returns, the event handler is not running, and will not run. */
static void svc_rdma_listener_stop(struct svc_rdma_listener *listener)
{
	struct rdma_cm_id *cm_id;

	spin_lock(&listener->lock);
	cm_id = listener->cm_id;
	listener->cm_id = NULL;
	spin_unlock(&listener->lock);
	if (cm_id)
		rpcrdma_destroy_id(cm_id);
}

/*
 * xpo_detach. Once @closed is set, the event handler queues no work; after
 * svc_rdma_listener_stop(), no connect request is added.
 */
static void svc_rdma_listener_detach(struct svc_xprt *xprt)
{
	struct svc_rdma_listener *listener = svc_rdma_listener_of(xprt);
	struct svc_rdma_connreq *connreq;

	spin_lock(&listener->lock);
	listener->closed = true;
	spin_unlock(&listener->lock);
	cancel_delayed_work_sync(&listener->relisten_work);
	svc_rdma_rpcbind_unregister(listener->rpcbind);
	listener->rpcbind = NULL;
	svc_rdma_listener_stop(listener);

	while ((connreq = svc_rdma_listener_next(listener)))
		svc_rdma_connreq_reject(connreq,
					SVC_RDMA_CAUSE(SHUTDOWN, CONNECT));
}

static void svc_rdma_listener_free(struct svc_xprt *xprt)
{
	svc_rdma_count(listeners_destroyed);
	kfree(svc_rdma_listener_of(xprt));
}

static int svc_rdma_listener_has_wspace(struct svc_xprt *xprt)
{
	return 1;
}

static void svc_rdma_listener_release_ctxt(struct svc_xprt *xprt, void *ctxt)
{
}

static void svc_rdma_listener_kill(struct svc_xprt *xprt)
{
}

static const struct svc_xprt_ops svc_rdma_listener_ops = {
	.xpo_accept		= svc_rdma_accept_conn,
	.xpo_has_wspace		= svc_rdma_listener_has_wspace,
	.xpo_release_ctxt	= svc_rdma_listener_release_ctxt,
	.xpo_detach		= svc_rdma_listener_detach,
	.xpo_free		= svc_rdma_listener_free,
	.xpo_kill_temp_xprt	= svc_rdma_listener_kill,
};

/* Starts listening, on IPv4 or IPv6 only, depending on @sap. */
static int svc_rdma_listener_start(struct svc_rdma_listener *listener,
				   struct sockaddr *sap)
{
	struct rdma_cm_id *cm_id;
	int ret;

	cm_id = rdma_create_id(listener->xprt.xpt_net,
			       svc_rdma_listener_handler, listener, RDMA_PS_TCP,
			       IB_QPT_RC);
	if (IS_ERR(cm_id))
		return PTR_ERR(cm_id);
	spin_lock(&listener->lock);
	listener->cm_id = cm_id;
	spin_unlock(&listener->lock);
	if (IS_ENABLED(CONFIG_IPV6)) {
		ret = rdma_set_afonly(cm_id, 1);
		if (ret)
			return ret;
	}
	ret = rdma_bind_addr(cm_id, sap);
	if (ret)
		return ret;
	sap = (struct sockaddr *)&cm_id->route.addr.src_addr;
	svc_xprt_set_local(&listener->xprt, sap, svc_addr_len(sap));
	return rdma_listen(cm_id, SVC_RDMA_BACKLOG);
}

/* Retries svc_rdma_listener_start() until it succeeds. */
static void svc_rdma_listener_relisten(struct work_struct *work)
{
	struct svc_rdma_listener *listener =
		container_of(work, struct svc_rdma_listener, relisten_work.work);
	struct sockaddr_storage addr = listener->xprt.xpt_local;
	struct sockaddr *sap = (struct sockaddr *)&addr;
	int ret;

	mutex_lock(&listener->start);
	if (READ_ONCE(listener->closed))
		goto out;
	if (listener->cm_id)
		pr_warn_ratelimited("listener %pISpc has lost its RDMA device: it listens again when there is one with its address; see rdma link\n",
				    sap);
	svc_rdma_listener_stop(listener);
	ret = svc_rdma_listener_start(listener, sap);
	trace_svc_rdma_relisten(&listener->xprt, ret);
	if (ret) {
		svc_rdma_listener_stop(listener);
		queue_delayed_work(svc_rdma_wq, &listener->relisten_work,
				   SVC_RDMA_RELISTEN);
		goto out;
	}
	svc_rdma_count(listeners_moved);
	pr_info_ratelimited("listener %pISpc listens again: clients connect by themselves\n",
			    sap);
out:
	mutex_unlock(&listener->start);
}

static struct svc_rdma_listener *svc_rdma_listener_alloc(struct svc_serv *serv,
							 struct net *net)
{
	struct svc_rdma_listener *listener;

	listener = kzalloc(sizeof(*listener), GFP_KERNEL);
	if (!listener)
		return NULL;
	svc_xprt_init(net, &svc_rdma_xprt_class, &listener->xprt, serv);
	listener->xprt.xpt_ops = &svc_rdma_listener_ops;
	set_bit(XPT_LISTENER, &listener->xprt.xpt_flags);
	strscpy(listener->xprt.xpt_remotebuf, "listener",
		sizeof(listener->xprt.xpt_remotebuf));
	spin_lock_init(&listener->lock);
	mutex_init(&listener->start);
	INIT_DELAYED_WORK(&listener->relisten_work, svc_rdma_listener_relisten);
	INIT_LIST_HEAD(&listener->connreqs);
	svc_rdma_count(listeners_created);
	return listener;
}

/**
 * svc_rdma_listen - create a listener (xpo_create)
 * @serv: service
 * @net: network namespace
 * @sap: address and port to listen on
 * @salen: bytes in @sap
 * @flags: unused. nfsd always gives SVC_SOCK_ANONYMOUS, which has sunrpc not
 *	register UDP and TCP.
 *
 * Context: process.
 * Return: the new transport or an ERR_PTR.
 */
struct svc_xprt *svc_rdma_listen(struct svc_serv *serv, struct net *net,
				 struct sockaddr *sap, int salen, int flags)
{
	struct svc_rdma_listener *listener;
	int ret;

	if (sap->sa_family != AF_INET && sap->sa_family != AF_INET6)
		return ERR_PTR(-EAFNOSUPPORT);
	ret = svc_rdma_ended_prepare(net);
	if (ret)
		return ERR_PTR(ret);
	listener = svc_rdma_listener_alloc(serv, net);
	if (!listener)
		return ERR_PTR(-ENOMEM);
	mutex_lock(&listener->start);
	ret = svc_rdma_listener_start(listener, sap);
	mutex_unlock(&listener->start);
	if (ret)
		goto err_free;
	sap = (struct sockaddr *)&listener->xprt.xpt_local;
	listener->rpcbind = svc_rdma_rpcbind_register(serv, net, sap);
	return &listener->xprt;

err_free:
	svc_rdma_listener_detach(&listener->xprt);
	/* Both the caller and the last put drop a module reference. */
	__module_get(THIS_MODULE);
	svc_xprt_put(&listener->xprt);
	return ERR_PTR(ret);
}
