/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For suites whose connections use version 1 or 2 from the start: v1.c and
 * v2.c, without negotiation and properties.
 */
#ifndef _SVC_RDMA_SVC_VERSION_FAKES_H
#define _SVC_RDMA_SVC_VERSION_FAKES_H

static enum svc_rdma_kind fake_version_fault(const struct svc_rdma_conn *conn,
					     struct svc_rdma_recv_ctx *recv,
					     int status)
{
	return SVC_RDMA_REFUSED;
}

static int fake_properties_receive(struct svc_rdma_conn *conn,
				   const struct rpcrdma_hdr *hdr, int error)
{
	return -ENOENT;
}

#define svc_rdma_receive_buffer_size	5120u
#define svc_rdma_msgp_remove(recv)	((void)(recv), false)
#define svc_rdma_version_choose		NULL
#define svc_rdma_conf_wants(recv)	((void)(recv), false)
#define svc_rdma_version_fault		fake_version_fault
#define svc_rdma_props_receive(conn, recv) ((void)(recv), 0)
#define svc_rdma_properties_receive	fake_properties_receive
#define svc_rdma_props_begin(conn)	((void)(conn))

#define svc_rdma_recvs_set_size(conn, size) ((void)(conn), (void)(size))
#include "../svcrdma/version/v1.c"
#include "../svcrdma/version/v2.c"

#endif /* _SVC_RDMA_SVC_VERSION_FAKES_H */
