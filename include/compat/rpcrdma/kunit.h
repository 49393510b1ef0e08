/* SPDX-License-Identifier: GPL-2.0-only */
/* Lets suites and test modules use the interfaces of 7.3 on older kernels. 6.1 has no suites. */
#ifndef RPCRDMA_COMPAT_KUNIT_H
#define RPCRDMA_COMPAT_KUNIT_H

#include <linux/hrtimer.h>
#include <linux/sunrpc/svc.h>
#include <linux/sunrpc/svc_xprt.h>
#include <linux/version.h>

/* Call counters for the @_nproc procedures of a struct svc_version */
#if KERNEL_VERSION(7, 3, 0) <= LINUX_VERSION_CODE
#define RPCRDMA_PROC_COUNTS(_name, _nproc)
#define RPCRDMA_SET_PROC_COUNTS(_name)
#else
#define RPCRDMA_PROC_COUNTS(_name, _nproc)					\
	static DEFINE_PER_CPU_ALIGNED(unsigned long, _name[_nproc])
#define RPCRDMA_SET_PROC_COUNTS(_name)	.vs_count = (_name),
#endif

#if KERNEL_VERSION(6, 13, 0) <= LINUX_VERSION_CODE

/* Declares a function that generates parameters for KUNIT_CASE_PARAM(). */
#define RPCRDMA_GEN_PARAMS(_name)						\
	const void *(_name)(struct kunit *test, const void *prev, char *desc)

#else

#define RPCRDMA_GEN_PARAMS(_name)	const void *(_name)(const void *prev, char *desc)

#define svc_recv(_rqstp, _timeo)			svc_recv(_rqstp)
#define svc_set_num_threads(_serv, _min, _max)		svc_set_num_threads(_serv, NULL, _max)
#define svc_xprt_destroy_all(_serv, _net, _unregister)	svc_xprt_destroy_all(_serv, _net)

static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}

#endif

#endif /* RPCRDMA_COMPAT_KUNIT_H */
