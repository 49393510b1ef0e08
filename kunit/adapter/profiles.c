// SPDX-License-Identifier: GPL-2.0-only
/*
 * Adapters as kernel users see them through the drivers of Linux 7.3. The
 * comments name the lines that define the values, below drivers/infiniband/hw.
 * Limits that a driver gets from firmware are left to the software device.
 */

#include <linux/string.h>

#include "adapter.h"

static const struct adapter_profile adapter_profiles[] = {
	/* Not an adapter: regions of the usual size, and completions in hard interrupt. */
	{ .name = "default", .mr_pages = 256, .hard_irq = true },
	/*
	 * ConnectX-3: mlx4/main.c:526 to 542, linux/mlx4/device.h:441 and 452; hard interrupt:
	 * mlx4/cq.c:299, net/ethernet/mellanox/mlx4/eq.c:864
	 */
	{ .name = "mlx4", .send_sge = 32, .recv_sge = 32, .read_sge = 30, .mr_pages = 511,
	  .qp_wr = 16351, .reads = 16, .hard_irq = true },
	/*
	 * ConnectX-4 and later: mlx5/main.c:1103 to 1117; no local_dma_lkey: mlx5/main.c:4505; hard
	 * interrupt: mlx5/cq.c:1095, net/ethernet/mellanox/mlx5/core/pci_irq.c:214. max_sgl_rd
	 * comes from firmware (mlx5/main.c:1129) and is small here, so that Reads are registered.
	 * Flushes executed Work Requests if the device fails: mlx5/cq.c:413
	 */
	{ .name = "mlx5", .send_sge = 30, .recv_sge = 30, .read_sge = 30, .sgl_rd = 3,
	  .mr_pages = 256, .qp_wr = 8192, .reads = 16, .no_lkey = true, .hard_irq = true,
	  .flush_done = true },
	/*
	 * E810: irdma/user.h:181 and 182, irdma/ctrl.c:6520, irdma/icrdma_hw.h:68; flushes executed
	 * Work Requests: irdma/utils.c:2435
	 */
	{ .name = "irdma", .send_sge = 13, .recv_sge = 13, .read_sge = 13, .qp_wr = 4063,
	  .reads = 127, .flush_done = true },
	/* X722, iWARP: irdma/i40iw_hw.h:132, 133, 136 and 156 */
	{ .name = "i40iw", .send_sge = 3, .recv_sge = 3, .read_sge = 1, .qp_wr = 895,
	  .reads = 63, .flush_done = true },
	/*
	 * T5 and T6, iWARP: cxgb4/provider.c:287 to 301, cxgb4/t4.h:69 to 93, cxgb4/device.c:1002;
	 * posting calls completion handlers: cxgb4/qp.c:1008 and 1059; flushes executed Work
	 * Requests: cxgb4/cq.c:251
	 */
	{ .name = "cxgb4", .send_sge = 17, .recv_sge = 4, .read_sge = 1, .mr_pages = 128,
	  .qp_wr = 8189, .reads = 32, .in_post = true, .flush_done = true },
	/*
	 * 57500: bnxt_re/qplib_sp.c:147, bnxt_re/qplib_res.h:120; flushes executed Work Requests:
	 * bnxt_re/qplib_fp.c:2267
	 */
	{ .name = "bnxt_re", .send_sge = 6, .recv_sge = 6, .read_sge = 6, .mr_pages = 512,
	  .reads = 126, .flush_done = true },
	/* linux/qed/rdma_common.h:17, net/ethernet/qlogic/qed/qed_rdma.h:24, qedr/main.c:432 */
	{ .name = "qedr", .send_sge = 4, .recv_sge = 4, .read_sge = 4, .qp_wr = 32767,
	  .reads = 32, .hard_irq = true },
	/* hfi1/verbs.c:60, 1303, 1310 and 1322 */
	{ .name = "hfi1", .qp_wr = 16383, .reads = 16, .no_lkey = true },
	/* No memory regions, so it cannot be used: mana/main.c:627, no alloc_mr in mana/device.c */
	{ .name = "mana", .no_regions = true, .hard_irq = true },
	/*
	 * Limits from firmware: ocrdma/ocrdma_verbs.c:96 to 112; hard interrupt:
	 * ocrdma/ocrdma_hw.c:994
	 */
	{ .name = "ocrdma", .hard_irq = true },
	/* erdma/erdma_verbs.h:20 to 25, erdma/erdma_verbs.c:333 */
	{ .name = "erdma", .send_sge = 6, .recv_sge = 1, .read_sge = 1, .mr_pages = 512,
	  .qp_wr = 8192, .reads = 128 },
	/*
	 * The smallest of each limit, and all behaviors. Regions of 32 pages: cxgb4 without DSGL; 8
	 * Reads: firmware of E810
	 */
	{ .name = "worst", .send_sge = 3, .recv_sge = 1, .read_sge = 1, .sgl_rd = 1,
	  .mr_pages = 32, .qp_wr = 895, .reads = 8, .no_lkey = true, .hard_irq = true,
	  .in_post = true, .flush_done = true },
};

const struct adapter_profile *adapter_find_profile(const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(adapter_profiles); i++)
		if (!strcmp(adapter_profiles[i].name, name))
			return &adapter_profiles[i];
	return NULL;
}
