/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffers that stay mapped for DMA between uses. */
#ifndef _XPRTRDMA_REGBUF_H
#define _XPRTRDMA_REGBUF_H

#include <linux/dma-direction.h>
#include <linux/types.h>

struct ib_device;

/**
 * struct xprt_rdma_regbuf - a buffer that stays mapped for DMA between uses
 * @data: memory, or NULL
 * @size: bytes
 * @addr: DMA address; valid while @device is set
 * @device: device that the buffer is mapped for, or NULL
 * @dir: DMA direction; valid while @device is set
 */
struct xprt_rdma_regbuf {
	void			*data;
	size_t			size;
	u64			addr;
	struct ib_device	*device;
	enum dma_data_direction	dir;
};

#endif /* _XPRTRDMA_REGBUF_H */
