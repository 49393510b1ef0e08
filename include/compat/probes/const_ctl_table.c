// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.11: sysctl handlers get a constant table. */
#include <linux/sysctl.h>

proc_handler probe;
int probe(const struct ctl_table *table, int write, void *buffer, size_t *lenp, loff_t *ppos)
{
	return 0;
}
