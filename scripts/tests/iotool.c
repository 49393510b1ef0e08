// SPDX-License-Identifier: GPL-2.0-only
/* iotool: file I/O with a known pattern for guest tests. Prints its usage without arguments. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
	"iotool write FILE OFFSET LENGTH SEED [direct] [mem=N]   one pwrite and fsync; mem: buffer's offset in its page\n"
	"iotool check FILE OFFSET LENGTH SEED [direct] [mem=N]   one pread, compared; FILE must not end before\n"
	"iotool blocks-write FILE LENGTH COUNT SEED [direct]   COUNT times LENGTH bytes, one after the other, and fsync\n"
	"iotool blocks-check FILE LENGTH COUNT SEED [direct]\n"
	"iotool sweep-write DIR SEED [direct]   files of all interesting sizes, offsets and buffer alignments\n"
	"iotool sweep-check DIR SEED [direct]   the same files, compared\n"
	"iotool range-write DIR SEED FROM TO    one file per size FROM..TO, O_DIRECT\n"
	"iotool range-check DIR SEED FROM TO\n"
	"iotool memory LENGTH SEED   memory of its own written and compared\n";

static void die(const char *what)
{
	fprintf(stderr, "iotool: %s: %s\n", what, strerror(errno));
	exit(1);
}

static unsigned char pattern(uint64_t seed, uint64_t off)
{
	uint64_t x = (off >> 3) * 0x9E3779B97F4A7C15ull + seed * 0xD1B54A32D192ED03ull;

	x ^= x >> 29;
	x *= 0xBF58476D1CE4E5B9ull;
	return x >> ((off & 7) * 8);
}

/* The buffer is at offset @mem in a page. Compares data read; memory after it must not change. */
static void io(int fd, const char *file, uint64_t off, size_t len, uint64_t seed, size_t mem,
	       int writing)
{
	unsigned char *page, *b, want;
	ssize_t n;
	size_t i;

	if (posix_memalign((void **)&page, 4096, len + mem + 4096))
		die("posix_memalign");
	b = page + mem;
	memset(b, 0xA5, len + 8);
	for (i = 0; writing && i < len; i++)
		b[i] = pattern(seed, off + i);
	n = writing ? pwrite(fd, b, len, off) : pread(fd, b, len, off);
	if (n != (ssize_t)len) {
		fprintf(stderr, "iotool: %s: %s %zd of %zu at %llu: %s\n", file,
			writing ? "wrote" : "read", n, len, (unsigned long long)off,
			n < 0 ? strerror(errno) : "short");
		exit(1);
	}
	for (i = 0; !writing && i < len + 8; i++) {
		want = i < len ? pattern(seed, off + i) : 0xA5;
		if (b[i] != want) {
			fprintf(stderr,
				"iotool: %s: byte %llu is %02x, not %02x (length %zu, mem %zu)\n",
				file, (unsigned long long)(off + i), b[i], want, len, mem);
			exit(1);
		}
	}
	free(page);
}

/* Write or read @len bytes @count times, one after the other, so each is a separate operation. */
static void blocks(const char *file, uint64_t off, size_t len, uint64_t count, uint64_t seed,
		   int flags, size_t mem, int writing)
{
	int fd = open(file, (writing ? O_WRONLY | O_CREAT : O_RDONLY) | flags, 0644);
	uint64_t n;

	if (fd < 0)
		die(file);
	for (n = 0; n < count; n++)
		io(fd, file, off + n * len, len, seed, mem, writing);
	if ((writing && fsync(fd)) || close(fd))
		die(file);
}

static const size_t sizes[] = {
	0,    1,    3,	  4,	5,    511,   512,   1000,  1023,   1024,    1025,    4000,
	4095, 4096, 4097, 8191, 8193, 65535, 65536, 65537, 262143, 1048575, 1048576, 1048577,
};

static const uint64_t offsets[] = {0, 1, 4094};
static const size_t mems[] = {0, 1, 514, 4093};

static void sweep(const char *dir, uint64_t seed, int flags, int writing)
{
	char file[4096];
	size_t s, o, count = 0;

	for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (o = 0; o < sizeof(offsets) / sizeof(offsets[0]); o++) {
			size_t mem = flags ? mems[(s + o) % 4] : 0;

			snprintf(file, sizeof(file), "%s/s%zu.o%llu", dir, sizes[s],
				 (unsigned long long)offsets[o]);
			blocks(file, offsets[o], sizes[s], 1, seed + s, flags, mem, writing);
			count++;
		}
	printf("%zu\n", count);
}

static void range(const char *dir, uint64_t seed, size_t from, size_t to, int writing)
{
	char file[4096];
	size_t n;

	for (n = from; n <= to; n++) {
		snprintf(file, sizeof(file), "%s/r%zu", dir, n);
		blocks(file, 0, n, 1, seed, O_DIRECT, n % (writing ? 7 : 5), writing);
	}
}

static uint64_t word(uint64_t seed, uint64_t n)
{
	return (n + 1) * 0x9E3779B97F4A7C15ull ^ seed * 0xD1B54A32D192ED03ull;
}

/* Print the progress, which reclaim.sh uses to distinguish a slow run from a stuck one. */
static void own_memory(size_t len, uint64_t seed)
{
	size_t words = len / sizeof(uint64_t), i;
	uint64_t *m = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int round;

	if (m == MAP_FAILED)
		die("mmap");
	for (round = 0; round <= 1; round++) {
		for (i = 0; i < words; i++) {
			if (round && m[i] != word(seed + round - 1, i)) {
				fprintf(stderr, "iotool: memory: word %zu differs\n", i);
				exit(1);
			}
			m[i] = word(seed + round, i);
			if (i % (1 << 20) == 0)
				printf("%d %zu\n", round, i >> 17);
		}
	}
}

int main(int argc, char **argv)
{
	int flags = 0, i;
	size_t mem = 0;

	for (i = 3; i < argc; i++) {
		if (!strcmp(argv[i], "direct"))
			flags = O_DIRECT;
		else if (!strncmp(argv[i], "mem=", 4))
			mem = strtoul(argv[i] + 4, NULL, 0);
	}
#define N(k) strtoull(argv[k], NULL, 0)
	if (argc >= 6 && (!strcmp(argv[1], "write") || !strcmp(argv[1], "check")))
		blocks(argv[2], N(3), N(4), 1, N(5), flags, mem, argv[1][0] == 'w');
	else if (argc >= 6 && !strncmp(argv[1], "blocks-", 7))
		blocks(argv[2], 0, N(3), N(4), N(5), flags, 0, argv[1][7] == 'w');
	else if (argc >= 4 && !strncmp(argv[1], "sweep-", 6))
		sweep(argv[2], N(3), flags, argv[1][6] == 'w');
	else if (argc == 6 && !strncmp(argv[1], "range-", 6))
		range(argv[2], N(3), N(4), N(5), argv[1][6] == 'w');
	else if (argc == 4 && !strcmp(argv[1], "memory"))
		setlinebuf(stdout), own_memory(N(2), N(3));
	else
		return fputs(usage, stderr), 2;
	return 0;
}
