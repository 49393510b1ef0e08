/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Properties, and messages that change them, for suites that contain
 * version/v2.c and are about something else. Included before that file.
 */
#ifndef _XPRT_RDMA_FAKE_PROPS_H
#define _XPRT_RDMA_FAKE_PROPS_H

/* Messages passed on because they change properties */
static __maybe_unused u32 fake_changes;

#define xprt_rdma_props_set_peer(conn, props)	((void)(conn), (void)(props))
#define xprt_rdma_props_can_change(conn)	((void)(conn), false)
#define xprt_rdma_prop_change_receive(recv)	((void)(recv), (void)fake_changes++)
#define xprt_rdma_prop_change_error(conn, hdr)	((void)(conn), (void)(hdr), false)

#endif /* _XPRT_RDMA_FAKE_PROPS_H */
