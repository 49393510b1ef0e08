// SPDX-License-Identifier: GPL-2.0-only
/*
 * ops: runs NFS operations in the benchmark's guest, and prints the time that each took.
 *
 * Under "-icount", a nanosecond of the guest is one instruction. The program calls mark() before
 * and after the operations of a kind; the QEMU plugin count.c counts from one call to the next.
 * mark() is linked at an address that no other program uses.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_DEPTH	64
#define MARK_PORT	20050
#define FILE_BYTES	(2 << 20)
#define DIR_ENTRIES	1000

struct worker {
	int no;
	int file;
	int dir;
	char *buffer;
};

static struct worker workers[MAX_DEPTH];
static const char *mount_dir, *export_dir;
static pthread_barrier_t barrier;

static void die(const char *what)
{
	fprintf(stderr, "ops: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void need(int ok, const char *what)
{
	if (!ok)
		die(what);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

__attribute__((noinline, noclone, aligned(64))) void mark(void)
{
	asm volatile("nop" : : : "memory");
}

/* The connection to "ops serve" at OPS_SERVER, if any: the server calls mark(), too. */
static int server = -1;

static int mark_socket(const char *address, struct sockaddr_in *sin)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*sin = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(MARK_PORT) };
	need(fd >= 0 && inet_pton(AF_INET, address, &sin->sin_addr) == 1, "socket");
	return fd;
}

static void server_connect(const char *address)
{
	struct sockaddr_in sin;

	server = mark_socket(address, &sin);
	need(!connect(server, (struct sockaddr *)&sin, sizeof(sin)), address);
}

/* Serve one client after the other: for each byte, call mark() and answer. */
static void serve(void)
{
	struct sockaddr_in sin;
	int fd = mark_socket("0.0.0.0", &sin), one = 1, peer;
	char c;

	need(!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	     !bind(fd, (struct sockaddr *)&sin, sizeof(sin)) && !listen(fd, 1), "listen");
	for (;;) {
		peer = accept(fd, NULL, NULL);
		need(peer >= 0, "accept");
		while (read(peer, &c, 1) == 1) {
			mark();
			need(write(peer, &c, 1) == 1, "write");
		}
		close(peer);
	}
}

/* Mark here and on the server. */
static void mark_both(void)
{
	char c = 0;

	mark();
	if (server >= 0)
		need(write(server, &c, 1) == 1 && read(server, &c, 1) == 1, "mark");
}

static void op_getattr(struct worker *w, int i, int arg)
{
	struct statx sx;

	need(!statx(w->file, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &sx),
	     "statx");
}

/* The mount has lookupcache=none, so every path walk asks the server. */
static void op_lookup(struct worker *w, int i, int arg)
{
	char name[512];
	struct statx sx;

	snprintf(name, sizeof(name), "%s/f%d", mount_dir, w->no);
	need(!statx(AT_FDCWD, name, AT_STATX_DONT_SYNC, STATX_TYPE, &sx), "lookup");
}

/* Each call has a different user, who is not in the client's access cache. */
static void op_access(struct worker *w, int i, int arg)
{
	static int uid = 1000;

	setfsuid(__atomic_add_fetch(&uid, 1, __ATOMIC_RELAXED));
	need(!syscall(SYS_faccessat2, w->file, "", R_OK, AT_EACCESS | AT_EMPTY_PATH), "access");
	setfsuid(0);
}

/* Each thread has its own folder: in a common folder, threads would wait for the VFS lock. */
static void op_create(struct worker *w, int i, int arg)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "c%d", i);
	fd = openat(w->dir, name, O_CREAT | O_WRONLY, 0644);
	need(fd >= 0 && !close(fd) && !unlinkat(w->dir, name, 0), "create");
}

static void op_read(struct worker *w, int i, int size)
{
	need(pread(w->file, w->buffer, size, ((off_t)i * size) % FILE_BYTES) == size, "read");
}

static void op_write(struct worker *w, int i, int size)
{
	need(pwrite(w->file, w->buffer, size, ((off_t)i * size) % FILE_BYTES) == size, "write");
}

/* The folder is changed on the server first, to make the client's cache stale. */
static void op_readdir(struct worker *w, int i, int arg)
{
	char name[512];
	struct statx sx;
	int n = 0;
	DIR *dir;

	snprintf(name, sizeof(name), "%s/dir", export_dir);
	need(!utimensat(AT_FDCWD, name, NULL, 0), "utimensat");
	snprintf(name, sizeof(name), "%s/dir", mount_dir);
	dir = opendir(name);
	need(dir && !statx(dirfd(dir), "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC,
			   STATX_BASIC_STATS, &sx), "opendir");
	while (readdir(dir))
		n++;
	need(n == DIR_ENTRIES + 2 && !closedir(dir), "readdir");
}

/* @count: number of measured operations, all threads together */
static const struct op {
	const char *name;
	int count;
	void (*run)(struct worker *w, int i, int arg);
	int arg;
} ops[] = {
	{ "getattr", 208, op_getattr, 0 },
	{ "lookup", 208, op_lookup, 0 },
	{ "access", 208, op_access, 0 },
	{ "create-unlink", 64, op_create, 0 },
	{ "read-4k", 208, op_read, 4096 },
	{ "write-4k", 208, op_write, 4096 },
	{ "read-8k", 208, op_read, 8192 },
	{ "write-8k", 208, op_write, 8192 },
	{ "read-16k", 112, op_read, 16384 },
	{ "write-16k", 112, op_write, 16384 },
	{ "read-64k", 64, op_read, 65536 },
	{ "write-64k", 64, op_write, 65536 },
	{ "read-1m", 16, op_read, 1 << 20 },
	{ "write-1m", 16, op_write, 1 << 20 },
	{ "readdir-1000", 4, op_readdir, 0 },
};

/* The measured operation, and its repetitions per thread */
static const struct op *op;
static int count, depth;

/* The first repetitions are not measured. The first thread calls mark(). */
static void *work(void *arg)
{
	struct worker *w = arg;
	double start = 0;
	int i;

	for (i = 0; i < count / 8 + 2; i++)
		op->run(w, i, op->arg);
	pthread_barrier_wait(&barrier);
	if (!w->no) {
		mark_both();
		start = now();
	}
	pthread_barrier_wait(&barrier);
	for (i = 0; i < count; i++)
		op->run(w, i, op->arg);
	pthread_barrier_wait(&barrier);
	if (!w->no) {
		start = now() - start;
		mark_both();
		printf("OP %s %d %d %.0f\n", op->name, depth, depth * count,
		       start / (depth * count));
		fflush(stdout);
	}
	return NULL;
}

static void measure(void)
{
	pthread_t threads[MAX_DEPTH];
	int i;

	/* Between two guests, packet arrival depends on the host: more operations even this out. */
	count = ((server < 0 ? 1 : 8) * op->count + depth - 1) / depth;
	pthread_barrier_init(&barrier, NULL, depth);
	for (i = 1; i < depth; i++)
		need(!pthread_create(&threads[i], NULL, work, &workers[i]), "pthread_create");
	work(&workers[0]);
	for (i = 1; i < depth; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
}

static int wanted(char **list, const char *name)
{
	while (*list && strcmp(*list, name))
		list++;
	return !!*list;
}

/* Open a file and a folder for each thread, which may exist from an earlier run. */
static void open_files(void)
{
	char name[512];
	struct stat st;
	int i, off;

	for (i = 0; i < depth; i++) {
		struct worker *w = &workers[i];

		w->no = i;
		need(!posix_memalign((void **)&w->buffer, 4096, 1 << 20), "posix_memalign");
		memset(w->buffer, 7, 1 << 20);
		snprintf(name, sizeof(name), "%s/f%d", mount_dir, i);
		w->file = open(name, O_RDWR | O_CREAT | O_DIRECT, 0644);
		need(w->file >= 0 && !fstat(w->file, &st), name);
		snprintf(name, sizeof(name), "%s/d%d", mount_dir, i);
		mkdir(name, 0755);
		w->dir = open(name, O_RDONLY | O_DIRECTORY);
		need(w->dir >= 0, name);
		for (off = st.st_size; off < FILE_BYTES; off += 1 << 20)
			need(pwrite(w->file, w->buffer, 1 << 20, off) == 1 << 20, name);
	}
}

static void make_directory(void)
{
	char name[512];
	int i, fd;

	snprintf(name, sizeof(name), "%s/dir", export_dir);
	if (mkdir(name, 0755))
		return;
	for (i = 0; i < DIR_ENTRIES; i++) {
		snprintf(name, sizeof(name), "%s/dir/entry-%05d", export_dir, i);
		fd = open(name, O_CREAT | O_WRONLY, 0644);
		need(fd >= 0 && !close(fd), name);
	}
}

int main(int argc, char **argv)
{
	const struct op *end = ops + sizeof(ops) / sizeof(ops[0]);

	if (argc == 2 && !strcmp(argv[1], "list")) {
		for (op = ops; op < end; op++)
			puts(op->name);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "serve"))
		serve();
	if (getenv("OPS_SERVER"))
		server_connect(getenv("OPS_SERVER"));
	depth = argc > 4 ? atoi(argv[3]) : 0;
	if (depth < 1 || depth > MAX_DEPTH) {
		fputs("ops MOUNT EXPORT IN-FLIGHT OPERATION... | list | serve\n", stderr);
		return 2;
	}
	mount_dir = argv[1];
	export_dir = argv[2];
	open_files();
	make_directory();
	for (op = ops; op < end; op++)
		if (wanted(argv + 4, op->name) && (depth == 1 || op->run != op_readdir))
			measure();
	return 0;
}
