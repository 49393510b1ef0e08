/* SPDX-License-Identifier: GPL-2.0-only */
/* CM identifiers whose destruction is deferred until their port can send */
#ifndef _RPCRDMA_DEFERRED_ID_H
#define _RPCRDMA_DEFERRED_ID_H

#include <linux/list.h>

#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include <rpcrdma/cm.h>

struct module;

/**
 * struct rpcrdma_deferred_id - an identifier that waits for its port
 * @entry: entry in the list of all of them
 * @owner: module that @done belongs to
 * @id: CM identifier
 * @gone: the device is being removed
 * @done: called when @id has been destroyed; may free this struct
 */
struct rpcrdma_deferred_id {
	struct list_head	entry;
	const struct module	*owner;
	struct rdma_cm_id	*id;
	bool			gone;
	void (*done)(struct rpcrdma_deferred_id *deferred);
};

void rpcrdma_id_destroy_deferred(struct rpcrdma_deferred_id *deferred,
				 struct rdma_cm_id *id, const bool *gone,
				 void (*done)(struct rpcrdma_deferred_id *id),
				 const struct module *owner);
void rpcrdma_deferred_ids_check(const struct module *owner);

#endif /* _RPCRDMA_DEFERRED_ID_H */
