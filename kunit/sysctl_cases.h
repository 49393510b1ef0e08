/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers sysctls, which can be made to fail, and writes values to them, with
 * expected results. Include this header before the file under test.
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

struct sysctl_case {
	const char *name;	/* name of the sysctl */
	const char *text;	/* text that is written */
	int ret;	/* expected result: 0 or a negative errno */
	/* Expected value of the variable afterwards, if @ret is 0 */
	unsigned int value;
};

static void sysctl_case_desc(const struct sysctl_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s %s", c->name, c->text);
}

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

	KUNIT_EXPECT_EQ(test, table->proc_handler(table, 0, buf, &len, &pos),
			0);
	KUNIT_EXPECT_STREQ(test, buf, want);
}

/* Write the case's text; an error leaves the variable unchanged. */
static void sysctl_case_run(struct kunit *test, const struct ctl_table *tables,
			    u32 n)
{
	const struct sysctl_case *c = test->param_value;
	const struct ctl_table *table = sysctl_find(test, tables, n, c->name);
	unsigned int before = *(unsigned int *)table->data;
	char want[32];

	KUNIT_EXPECT_EQ(test, sysctl_write(table, c->text), c->ret);
	snprintf(want, sizeof(want), "%u\n", c->ret ? before : c->value);
	sysctl_expect(test, table, want);
	*(unsigned int *)table->data = before;
}

#endif /* _RPCRDMA_SYSCTL_CASES_H */
