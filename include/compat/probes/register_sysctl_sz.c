// SPDX-License-Identifier: GPL-2.0-only
/* Since 6.6: the length of a sysctl table is known, without an empty entry at its end. */
#include <linux/sysctl.h>

struct ctl_table_header *probe(struct ctl_table *table);
struct ctl_table_header *probe(struct ctl_table *table)
{
	return register_sysctl_sz("probe", table, 1);
}
