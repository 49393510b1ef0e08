/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registration of sysctls, which may fail, and the bounds of values written to
 * them. Included before the file under test.
 */
#ifndef _RPCRDMA_SYSCTL_CASES_H
#define _RPCRDMA_SYSCTL_CASES_H

#include <kunit/test.h>
#include <linux/sysctl.h>

static bool fake_no_memory;

/* Use a separate folder: the transport may be part of this kernel. */
#undef register_sysctl
#define register_sysctl(path, table) \
	(fake_no_memory ? NULL : \
	 register_sysctl_sz("kunit/" path, table, ARRAY_SIZE(table)))

/* A sysctl, and the least and the greatest value that it accepts */
struct sysctl_case {
	const char *name;
	unsigned int least, most;
};

static const struct ctl_table *sysctl_find(struct kunit *test,
					   const struct ctl_table *table, u32 n,
					   const char *name)
{
	for (; n; n--, table++)
		if (!strcmp(table->procname, name))
			return table;
	KUNIT_FAIL_AND_ABORT(test, "no sysctl %s", name);
	return NULL;
}

static int sysctl_write(const struct ctl_table *table, const char *text)
{
	size_t len = strlen(text);
	char buf[32];
	loff_t pos = 0;

	strscpy(buf, text);
	return table->proc_handler(table, 1, buf, &len, &pos);
}

static void sysctl_expect(struct kunit *test, const struct ctl_table *table,
			  const char *want)
{
	char buf[32] = "";
	size_t len = sizeof(buf) - 1;
	loff_t pos = 0;

	KUNIT_EXPECT_EQ(test, table->proc_handler(table, 0, buf, &len, &pos), 0);
	KUNIT_EXPECT_STREQ(test, buf, want);
}

/* Both bounds are accepted; a value beyond them leaves the variable unchanged. */
static void sysctl_case_run(struct kunit *test, const struct ctl_table *tables, u32 n)
{
	const struct sysctl_case *c = test->param_value;
	const unsigned int values[] = { c->most, c->most + 1, c->least, c->least - 1 };
	const struct ctl_table *table = sysctl_find(test, tables, n, c->name);
	unsigned int before = *(unsigned int *)table->data;
	char text[16];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		snprintf(text, sizeof(text), "%d\n", (int)values[i]);
		KUNIT_EXPECT_EQ(test, sysctl_write(table, text), i & 1 ? -EINVAL : 0);
		snprintf(text, sizeof(text), "%u\n", values[i & 2]);
		sysctl_expect(test, table, text);
	}
	*(unsigned int *)table->data = before;
}

#endif /* _RPCRDMA_SYSCTL_CASES_H */
