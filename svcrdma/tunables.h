/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings, defined by control/tunables.c and the extensions. */
#ifndef _SVC_RDMA_TUNABLES_H
#define _SVC_RDMA_TUNABLES_H

#include <linux/moduleparam.h>
#include <linux/types.h>

/* Define a module parameter that can be changed while the module is loaded. */
#define SVC_RDMA_PARAM(_name, _type, _text)				\
	module_param_named(_name, svc_rdma_##_name, _type, 0644);	\
	MODULE_PARM_DESC(_name, _text)

extern unsigned int svc_rdma_max_requests;
extern unsigned int svc_rdma_max_req_size;
extern unsigned int svc_rdma_ord;
extern unsigned int svc_rdma_keepalive;
extern bool svc_rdma_remote_invalidation;
extern unsigned int svc_rdma_max_version;
extern unsigned int svc_rdma_receive_buffer_size;
extern unsigned int svc_rdma_ack_timeout;
extern unsigned int svc_rdma_read_calls_bytes;
extern unsigned int svc_rdma_read_pages_kept;

#endif /* _SVC_RDMA_TUNABLES_H */
