// SPDX-License-Identifier: GPL-2.0-only
/*
 * Listeners, and connect requests that wait to be accepted: connections in
 * state SVC_RDMA_NEW.
 *
 * Operation: a listener that is bound to one address loses its device when the
 * device is removed, or when another interface of a bond becomes active. The
 * listener listens again as soon as a device has its address. The CM itself
 * moves listeners that are not bound to an address.
 *
 * Ownership: the listener's CM identifier is destroyed by relisten_work, with
 * @start held, or by xpo_detach after relisten_work has been disabled. The
 * event handler does not destroy it. A sunrpc trace point reads the network
 * namespace of a transport after sunrpc has put its reference to the namespace.
 * So a listener holds another reference, and so does the CM identifier of a
 * connection.
 */
#define pr_fmt(fmt) "svcrdma: " fmt

#include <linux/sunrpc/addr.h>
#include <net/net_namespace.h>

#include "../ext/ext.h"
#include "../limits.h"
#include "../message/message.h"
#include "control.h"

/* Interval between a listener's attempts to find a device */
#define SVC_RDMA_RELISTEN	HZ

/*
 * Protects @cm_id of all listeners, the connect requests that wait at them, and
 * @life.listener of their connections. A listener exists while a request waits
 * at it.
 */
static DEFINE_SPINLOCK(svc_rdma_listeners_lock);

static void svc_rdma_listener_remove_locked(struct svc_rdma_conn *conn)
{
	list_del(&conn->life.entry);
	conn->life.listener->nwaiting--;
	conn->life.listener = NULL;
}

/**
 * svc_rdma_listener_remove - take a connect request that waits to be accepted
 * @conn: connection of the request
 *
 * Context: process.
 * Return: true if the caller now owns the request; false if the request does
 * not wait, because a thread has taken it.
 */
bool svc_rdma_listener_remove(struct svc_rdma_conn *conn)
{
	bool waiting;

	spin_lock(&svc_rdma_listeners_lock);
	waiting = conn->life.listener;
	if (waiting)
		svc_rdma_listener_remove_locked(conn);
	spin_unlock(&svc_rdma_listeners_lock);
	return waiting;
}

/*
 * Handle RDMA_CM_EVENT_CONNECT_REQUEST. @cm_id belongs to the new connection;
 * its context is the listener until this function replaces it. If this function
 * returns non-zero, the CM rejects the request and destroys @cm_id.
 */
static int svc_rdma_listener_request(struct svc_rdma_listener *listener,
				     struct rdma_cm_id *cm_id,
				     const struct rdma_conn_param *param)
{
	u32 cause = RPCRDMA_CAUSE(REFUSED, BACKLOG);
	struct svc_rdma_conn *conn = NULL;

	if (READ_ONCE(listener->nwaiting) < SVC_RDMA_BACKLOG) {
		cause = rpcrdma_cause(RPCRDMA_NL_LOST_REFUSED,
				      RPCRDMA_NL_DETAIL_RESOURCES, -ENOMEM);
		conn = svc_rdma_conn_alloc(listener->xprt.xpt_server,
					   listener->xprt.xpt_net, cm_id);
	}
	if (!conn) {
		svc_rdma_ended_refused(cm_id, cause);
		return -EBUSY;
	}
	svc_rdma_conn_set_limits(conn, param);
	cm_id->context = conn;
	cm_id->event_handler = svc_rdma_conn_handler;
	spin_lock(&svc_rdma_listeners_lock);
	conn->life.listener = listener;
	list_add_tail(&conn->life.entry, &listener->waiting);
	listener->nwaiting++;
	set_bit(XPT_CONN, &listener->xprt.xpt_flags);
	spin_unlock(&svc_rdma_listeners_lock);
	svc_xprt_enqueue(&listener->xprt);
	return 0;
}

/*
 * Listen again if the event is for the listener's own CM identifier. Connect
 * requests have separate CM identifiers, and so do the devices of a listener
 * without an address.
 */
static int svc_rdma_listener_handler(struct rdma_cm_id *cm_id,
				     struct rdma_cm_event *event)
{
	struct svc_rdma_listener *listener = cm_id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return svc_rdma_listener_request(listener, cm_id,
						 &event->param.conn);
	case RDMA_CM_EVENT_DEVICE_REMOVAL:
	case RDMA_CM_EVENT_ADDR_CHANGE:
		spin_lock(&svc_rdma_listeners_lock);
		if (listener->cm_id == cm_id)
			mod_delayed_work(svc_rdma_wq, &listener->relisten_work,
					 0);
		spin_unlock(&svc_rdma_listeners_lock);
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
 * Return: the connection of a request, which the caller now owns, or NULL.
 */
struct svc_rdma_conn *svc_rdma_listener_next(struct svc_rdma_listener *listener)
{
	struct svc_rdma_conn *conn;

	spin_lock(&svc_rdma_listeners_lock);
	conn = list_first_entry_or_null(&listener->waiting,
					struct svc_rdma_conn, life.entry);
	if (conn)
		svc_rdma_listener_remove_locked(conn);
	if (list_empty(&listener->waiting))
		clear_bit(XPT_CONN, &listener->xprt.xpt_flags);
	spin_unlock(&svc_rdma_listeners_lock);
	return conn;
}

/* Destroy @cm_id. After this, the event handler no longer runs. */
static void svc_rdma_listener_stop(struct svc_rdma_listener *listener)
{
	struct rdma_cm_id *cm_id;

	spin_lock(&svc_rdma_listeners_lock);
	cm_id = listener->cm_id;
	listener->cm_id = NULL;
	spin_unlock(&svc_rdma_listeners_lock);
	if (cm_id)
		rpcrdma_destroy_id(cm_id);
}

/* xpo_detach. No connect request is added after svc_rdma_listener_stop(). */
static void svc_rdma_listener_detach(struct svc_xprt *xprt)
{
	struct svc_rdma_listener *listener = svc_rdma_listener_of(xprt);
	struct svc_rdma_conn *conn;

	disable_delayed_work_sync(&listener->relisten_work);
	svc_rdma_rpcbind_unregister(listener->rpcbind);
	listener->rpcbind = NULL;
	svc_rdma_listener_stop(listener);

	while ((conn = svc_rdma_listener_next(listener)))
		svc_rdma_conn_refuse(conn, RPCRDMA_CAUSE(SHUTDOWN, CONNECT));
}

static void svc_rdma_listener_free(struct svc_xprt *xprt)
{
	svc_rdma_add(listeners_now, -1);
	put_net(xprt->xpt_net);
	kfree(svc_rdma_listener_of(xprt));
}

/* sunrpc calls the missing methods only for connections. */
static const struct svc_xprt_ops svc_rdma_listener_ops = {
	.xpo_accept		= svc_rdma_accept_conn,
	.xpo_release_ctxt	= svc_rdma_recv_release,
	.xpo_detach		= svc_rdma_listener_detach,
	.xpo_free		= svc_rdma_listener_free,
};

/* Start listening, on IPv4 or IPv6 only, depending on @sap. */
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
	spin_lock(&svc_rdma_listeners_lock);
	listener->cm_id = cm_id;
	spin_unlock(&svc_rdma_listeners_lock);
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

/* Retry svc_rdma_listener_start() until it succeeds. */
static void svc_rdma_listener_relisten(struct work_struct *work)
{
	struct svc_rdma_listener *listener =
		container_of(work, struct svc_rdma_listener, relisten_work.work);
	struct sockaddr_storage addr = listener->xprt.xpt_local;
	struct sockaddr *sap = (struct sockaddr *)&addr;
	int ret;

	mutex_lock(&listener->start);
	if (listener->cm_id)
		pr_warn_ratelimited("listener %pISpc has lost its RDMA device: it listens again when there is one with its address; see rdma link\n",
				    sap);
	svc_rdma_listener_stop(listener);
	ret = svc_rdma_listener_start(listener, sap);
	if (ret) {
		svc_rdma_listener_stop(listener);
		queue_delayed_work(svc_rdma_wq, &listener->relisten_work,
				   SVC_RDMA_RELISTEN);
		goto out;
	}
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
	get_net(net);
	svc_xprt_init(net, &svc_rdma_xprt_class, &listener->xprt, serv);
	listener->xprt.xpt_ops = &svc_rdma_listener_ops;
	set_bit(XPT_LISTENER, &listener->xprt.xpt_flags);
	strscpy(listener->xprt.xpt_remotebuf, "listener",
		sizeof(listener->xprt.xpt_remotebuf));
	mutex_init(&listener->start);
	INIT_DELAYED_WORK(&listener->relisten_work, svc_rdma_listener_relisten);
	INIT_LIST_HEAD(&listener->waiting);
	svc_rdma_count(listeners_now);
	return listener;
}

/**
 * svc_rdma_listen - create a listener (xpo_create)
 * @serv: service
 * @net: network namespace
 * @sap: IPv4 or IPv6 address and port to listen on
 * @salen: bytes in @sap
 * @flags: unused. nfsd always passes SVC_SOCK_ANONYMOUS, which keeps sunrpc
 *	from registering UDP and TCP.
 *
 * Context: process.
 * Return: the new transport or an ERR_PTR.
 */
struct svc_xprt *svc_rdma_listen(struct svc_serv *serv, struct net *net,
				 struct sockaddr *sap, int salen, int flags)
{
	struct svc_rdma_listener *listener;
	int ret;

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
	/* The caller and the last put both drop a module reference. */
	__module_get(THIS_MODULE);
	svc_xprt_put(&listener->xprt);
	return ERR_PTR(ret);
}
