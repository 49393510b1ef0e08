/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The server's properties, for suites that contain version/v2.c and test
 * something else. Included before that file.
 */
#ifndef _XPRT_RDMA_FAKE_PROPS_H
#define _XPRT_RDMA_FAKE_PROPS_H

#define xprt_rdma_props_set_peer(conn, props)	((void)(conn), (void)(props))

#endif /* _XPRT_RDMA_FAKE_PROPS_H */
