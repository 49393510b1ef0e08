// SPDX-License-Identifier: GPL-2.0-only
/* The module's counters, shown in debugfs. */

#include "control.h"

RPCRDMA_COUNTERS(svc_rdma, "svcrdma", SVC_RDMA_COUNTERS);
