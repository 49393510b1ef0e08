/* SPDX-License-Identifier: GPL-2.0-only */
/* Module parameters and their values. */
#ifndef _XPRTRDMA_TUNABLES_H
#define _XPRTRDMA_TUNABLES_H

#include <linux/module.h>
#include <linux/types.h>

/**
 * XPRT_RDMA_PARAM - module parameter with a range
 * @_name: name of the parameter; its variable is the unsigned int xprt_rdma_NAME
 * @_min: smallest value that can be written; a constant
 * @_max: largest value; a constant
 */
#define XPRT_RDMA_PARAM(_name, _min, _max)					\
	static int xprt_rdma_set_##_name(const char *val,			\
					 const struct kernel_param *kp)		\
	{									\
		return param_set_uint_minmax(val, kp, _min, _max);		\
	}									\
	static const struct kernel_param_ops xprt_rdma_ops_##_name = {		\
		.set	= xprt_rdma_set_##_name,				\
		.get	= param_get_uint,					\
	};									\
	module_param_cb(_name, &xprt_rdma_ops_##_name, &xprt_rdma_##_name, 0644)

extern unsigned int xprt_rdma_slot_table_entries;
extern unsigned int xprt_rdma_max_inline_read;
extern unsigned int xprt_rdma_max_inline_write;
extern unsigned int xprt_rdma_pad_optimize;
extern bool xprt_rdma_remote_invalidation;
extern unsigned int xprt_rdma_max_version;
extern bool xprt_rdma_negotiate;
extern unsigned int xprt_rdma_receive_buffer_size;
extern unsigned int xprt_rdma_ack_timeout;
extern unsigned int xprt_rdma_service_type;

#endif /* _XPRTRDMA_TUNABLES_H */
