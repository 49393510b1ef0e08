// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suite: the files in debugfs show every counter and every connection, as
 * scripts and operators expect them. If this failed, a leak could not be seen,
 * or reading a file while a connection ends would crash.
 */
#include <linux/debugfs.h>
#include <linux/module.h>

#include "svc_fakes.h"
#include "fake_mutex.h"

/* The file under test defines the counters. */
#undef DEFINE_PER_CPU
#define DEFINE_PER_CPU(type, name)	extern type dummy_##name

/**
 * struct files - what was created in debugfs
 * @dirs: directories
 * @names: names of the read-only files
 * @fops: their operations
 * @n: entries of both
 */
static struct files {
	u32 dirs;
	const char *names[4];
	const struct file_operations *fops[4];
	u32 n;
} files;

static struct dentry *fake_create_dir(const char *name)
{
	files.dirs += !strcmp(name, "svcrdma");
	return (struct dentry *)&files;
}

static void fake_create_file(const char *name, umode_t mode,
			     struct dentry *dir,
			     const struct file_operations *fops)
{
	if (mode != 0444 || dir != (struct dentry *)&files || files.n == 4)
		return;
	files.names[files.n] = name;
	files.fops[files.n++] = fops;
}

static void fake_remove(struct dentry *dir)
{
	files.dirs -= dir == (struct dentry *)&files;
}

#undef debugfs_remove_recursive
#define debugfs_create_dir(name, parent) fake_create_dir(name)
#define debugfs_create_file(name, mode, dir, data, fops) \
	fake_create_file(name, mode, dir, fops)
#define debugfs_remove_recursive	fake_remove

#include "../svcrdma/control/stats.c"

const struct svc_rdma_version svc_rdma_v1 = { .number = RPCRDMA_VERSION_1 };
const struct svc_rdma_version svc_rdma_v2 = { .number = RPCRDMA_VERSION_2 };
const struct svc_rdma_version svc_rdma_undecided;

#define TEXT_SIZE	8192u

static struct seq_file *output(struct kunit *test)
{
	struct seq_file *seq = kunit_kzalloc(test, sizeof(*seq), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, seq);
	seq->buf = kunit_kzalloc(test, TEXT_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, seq->buf);
	seq->size = TEXT_SIZE;
	return seq;
}

/* Each counter has a line with its name and value. */
static void counters(struct kunit *test)
{
	struct seq_file *seq = output(test);
	char line[64];
	int i;

	for (i = 0; i < SVC_RDMA_STATS; i++)
		this_cpu_write(svc_rdma_counters.value[i], 1000 + i);
	KUNIT_EXPECT_EQ(test, svc_rdma_stats_show(seq, NULL), 0);
	for (i = 0; i < SVC_RDMA_STATS; i++) {
		snprintf(line, sizeof(line), "%s %u\n",
			 svc_rdma_counter_names[i], 1000 + i);
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(seq->buf, line), "%s",
					  line);
		this_cpu_write(svc_rdma_counters.value[i], 0);
	}
	KUNIT_EXPECT_FALSE(test, seq_has_overflowed(seq));
}

/* A connection is listed from when it is added until it is removed. */
static void connections(struct kunit *test)
{
	static const char * const want[] = {
		" version 1 open ", " credits 16/64 ", " recv_size 4096 ",
		" send_size 1024 ", " peer_hint none ", " remote_inv 1 ", " sq 300/319 ",
		" read_replies 1 advertised 3 awaiting_done 2 advertised_bytes 12288 ",
		" recv_told 18432 recv_changing 5 recv_charge 70000 ",
		" callbacks 0\n",
	};
	struct svc_rdma_conn *conn = fake_conn(test);
	struct seq_file *seq = output(test);
	u32 i;

	/* Arrange */
	strscpy(conn->xprt.xpt_remotebuf, "192.0.2.1:700");
	strscpy(conn->dev->name, "rxe0");
	conn->ver = &svc_rdma_v1;
	conn->credits.grant = 16;
	conn->credits.max = 64;
	conn->recvs.size = 4096;
	conn->sizes.send = 1024;
	conn->change.told = 18432;
	conn->recvs.unfit = 5;
	conn->tuning.charge = 70000;
	conn->peer.remote_inv = true;
	conn->peer.read_replies = true;
	conn->adverts.count = 3;
	conn->adverts.awaiting_done = 2;
	conn->adverts.bytes = 12288;
	conn->sq.avail = 300;
	conn->sq.depth = 319;
	atomic_set(&conn->life.state, SVC_RDMA_OPEN);

	/* Act and assert */
	svc_rdma_stats_add_conn(conn);
	KUNIT_EXPECT_EQ(test, svc_rdma_connections_show(seq, NULL), 0);
	KUNIT_EXPECT_EQ(test, 0, strncmp(seq->buf, "192.0.2.1:700 rxe0 ", 19));
	for (i = 0; i < ARRAY_SIZE(want); i++)
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(seq->buf, want[i]),
					  "%s", want[i]);

	/* Act and assert */
	svc_rdma_stats_del_conn(conn);
	svc_rdma_stats_del_conn(conn);
	seq->count = 0;
	KUNIT_EXPECT_EQ(test, svc_rdma_connections_show(seq, NULL), 0);
	KUNIT_EXPECT_EQ(test, seq->count, 0);
}

/* There is no version before the first message; version 2 has properties. */
static void versions(struct kunit *test)
{
	struct svc_rdma_conn *conn = fake_conn(test);
	struct seq_file *seq = output(test);

	conn->ver = &svc_rdma_undecided;
	svc_rdma_stats_add_conn(conn);
	KUNIT_EXPECT_EQ(test, svc_rdma_connections_show(seq, NULL), 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(seq->buf, " version 0 "));
	KUNIT_EXPECT_NULL(test, strstr(seq->buf, " props "));

	seq->count = 0;
	conn->ver = &svc_rdma_v2;
	conn->peer.hint = RPCRDMA_HINT_V2;
	conn->peer.props.recv_size = 8192;
	conn->peer.props.reverse = RPCRDMA2_RVREQSUP_GENL;
	conn->peer.props.read_replies = true;
	conn->peer.known = true;
	KUNIT_EXPECT_EQ(test, svc_rdma_connections_show(seq, NULL), 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(seq->buf, " version 2 "));
	KUNIT_EXPECT_NOT_NULL(test, strstr(seq->buf, " props received "));
	KUNIT_EXPECT_NOT_NULL(test, strstr(seq->buf, " peer_recv_size 8192 "));
	KUNIT_EXPECT_NOT_NULL(test, strstr(seq->buf, " peer_reverse general "));
	KUNIT_EXPECT_NOT_NULL(test, strstr(seq->buf, " peer_read_replies 1 "));
	KUNIT_EXPECT_NOT_NULL(test, strstr(seq->buf, " peer_hint version-2 "));
	svc_rdma_stats_del_conn(conn);
}

/* The files are created and removed. */
static void created(struct kunit *test)
{
	memset(&files, 0, sizeof(files));
	svc_rdma_stats_init();
	KUNIT_EXPECT_EQ(test, files.dirs, 1);
	KUNIT_ASSERT_EQ(test, files.n, 2);
	KUNIT_EXPECT_STREQ(test, files.names[0], "stats");
	KUNIT_EXPECT_PTR_EQ(test, files.fops[0], &svc_rdma_stats_fops);
	KUNIT_EXPECT_STREQ(test, files.names[1], "connections");
	KUNIT_EXPECT_PTR_EQ(test, files.fops[1], &svc_rdma_connections_fops);
	svc_rdma_stats_exit();
	KUNIT_EXPECT_EQ(test, files.dirs, 0);
}

static struct kunit_case svc_stats_cases[] = {
	KUNIT_CASE(counters),
	KUNIT_CASE(connections),
	KUNIT_CASE(versions),
	KUNIT_CASE(created),
	{}
};

static struct kunit_suite svc_stats_suite = {
	.name = "svc_rdma_stats",
	.exit = balance_exit,
	.test_cases = svc_stats_cases,
};

kunit_test_suite(svc_stats_suite);

MODULE_DESCRIPTION("KUnit suite of what svcrdma tells of itself");
MODULE_LICENSE("GPL");
