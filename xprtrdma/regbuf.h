/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffers that can stay mapped for DMA. */
#ifndef _XPRTRDMA_REGBUF_H
#define _XPRTRDMA_REGBUF_H

#include <linux/dma-direction.h>
#include <linux/types.h>

struct ib_device;

/**
 * struct xprt_rdma_regbuf - a buffer that can be left mapped for DMA
 * @data: its memory, NULL if there is none
 * @size: bytes
 * @addr: DMA address while @device is set
 * @device: the device it is mapped for, or NULL
 * @dir: direction of the mapping
 */
struct xprt_rdma_regbuf {
	void			*data;
	size_t			size;
	u64			addr;
	struct ib_device	*device;
	enum dma_data_direction	dir;
};

#endif /* _XPRTRDMA_REGBUF_H */
