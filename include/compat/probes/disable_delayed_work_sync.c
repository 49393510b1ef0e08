// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.10: work items can be disabled. */
#include <linux/workqueue.h>

void *probe = disable_delayed_work_sync;
