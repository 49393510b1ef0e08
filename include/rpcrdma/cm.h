/* SPDX-License-Identifier: GPL-2.0-only */
/* The end of a CM identifier, for both sides. */
#ifndef _RPCRDMA_CM_H
#define _RPCRDMA_CM_H

#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

/**
 * rpcrdma_destroy_id - destroy a CM identifier while its device may be removed
 * @id: CM identifier; not destroyed from within its own handler
 *
 * rdma_destroy_id() lets the removal of the device go on before it puts its
 * reference to an entry of the device's GID table. If the removal is faster,
 * the table is gone when the entry is freed. So the device stays registered
 * until the identifier is gone altogether: its removal waits for that before
 * it frees the table.
 *
 * The device's pointer is stable: this is the only task that lets go of @id.
 * An identifier that has a device now has one until it is destroyed.
 *
 * Context: process; waits for the handler of @id.
 */
static inline void rpcrdma_destroy_id(struct rdma_cm_id *id)
{
	struct ib_device *device = READ_ONCE(id->device);

	if (device && !ib_device_try_get(device))
		device = NULL;
	rdma_destroy_id(id);
	if (device)
		ib_device_put(device);
}

#endif /* _RPCRDMA_CM_H */
