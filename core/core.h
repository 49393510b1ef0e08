/* SPDX-License-Identifier: GPL-2.0-only */
/* Steps of the module's initialization */
#ifndef _RPCRDMA_CORE_H
#define _RPCRDMA_CORE_H

int rpcrdma_bufs_init(void);
void rpcrdma_bufs_exit(void);
int rpcrdma_rw_init(void);
void rpcrdma_rw_exit(void);
void rpcrdma_deferred_ids_exit(void);
int rpcrdma_ended_init(void);
void rpcrdma_ended_exit(void);
int rpcrdma_nl_init(void);
void rpcrdma_nl_exit(void);

#endif /* _RPCRDMA_CORE_H */
