// SPDX-License-Identifier: GPL-2.0-only
/*
 * count: QEMU plugin that counts executed guest instructions per translation block.
 *
 * A block is a sequence of instructions that is always executed from its start; each call of a
 * function executes the block at the function's address. At every second execution of the
 * instruction at mark=, the plugin writes a file OUT.N with a line "ADDRESS INSTRUCTIONS
 * EXECUTIONS" for each block executed since the previous mark. All instructions of user space are
 * one line, with address 0.
 *
 * With lines=1, a file OUT.N.lines has a line "ADDRESS MOVES WRITER..." for each cache line of the
 * kernel that a processor wrote after another processor: the number of such writes, and the
 * addresses of some instructions that wrote the line.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_plugin.h"

int qemu_plugin_version = 1;

#define BLOCKS		0x200000
#define USER_END	0x800000000000ull

#define LINES		0x100000
#define LINE_SHIFT	6
#define WRITERS		8

struct line {
	uint64_t address;	/* 0: the entry is free */
	uint64_t writers[WRITERS];
	uint32_t moves;
	uint32_t last;		/* the processor */
};

struct block {
	uint64_t address;
	uint64_t insns;		/* 0: the entry is free */
	uint64_t executed;
	uint64_t before;	/* @executed at the last mark */
};

static struct block *blocks;
static struct line *lines;
static char out[4096] = "count.out";
static uint64_t mark_address;
static unsigned int marks;
static unsigned long lines_lost;

/* Find or add the entry of a block. A block that is translated again keeps its entry. */
static struct block *block_find(uint64_t address, uint64_t insns)
{
	uint32_t hash = ((address ^ insns << 56) * 0x9E3779B97F4A7C15ull) >> 43, i;

	for (i = 0; i < BLOCKS; i++) {
		struct block *b = &blocks[(hash + i) & (BLOCKS - 1)];

		if (!b->insns) {
			b->address = address;
			b->insns = insns;
		}
		if (b->address == address && b->insns == insns)
			return b;
	}
	fprintf(stderr, "count: more than %d blocks\n", BLOCKS);
	abort();
}

/* Write the executions since the last mark, if @path is not NULL. */
static void blocks_write(const char *path)
{
	uint64_t user = 0;
	FILE *f = path ? fopen(path, "w") : NULL;
	struct block *b;

	for (b = blocks; b < blocks + BLOCKS; b++) {
		uint64_t n = b->executed - b->before;

		b->before = b->executed;
		if (!n || !f)
			continue;
		if (b->address < USER_END)
			user += n * b->insns;
		else
			fprintf(f, "%llx %llu %llu\n", (unsigned long long)b->address,
				(unsigned long long)(n * b->insns), (unsigned long long)n);
	}
	if (f) {
		fprintf(f, "0 %llu 1\n", (unsigned long long)user);
		fclose(f);
	}
}

/* Find or add the entry of a cache line; NULL if there is no room. */
static struct line *line_find(uint64_t address)
{
	uint32_t hash = (address * 0x9E3779B97F4A7C15ull) >> 44, i;

	for (i = 0; i < 64; i++) {
		struct line *l = &lines[(hash + i) & (LINES - 1)];

		if (!l->address)
			l->address = address;
		if (l->address == address)
			return l;
	}
	return NULL;
}

static void on_store(unsigned int vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *insn)
{
	struct line *l;
	int i;

	(void)info;
	if (address < USER_END)
		return;
	l = line_find(address >> LINE_SHIFT << LINE_SHIFT);
	if (!l) {
		lines_lost++;
		return;
	}
	if (l->last != vcpu + 1 && l->last)
		l->moves++;
	l->last = vcpu + 1;
	for (i = 0; i < WRITERS && l->writers[i] != (uintptr_t)insn; i++) {
		if (!l->writers[i]) {
			l->writers[i] = (uintptr_t)insn;
			break;
		}
	}
}

/* Write the lines that moved since the last mark, if @path is not NULL, and reset the counts. */
static void lines_write(const char *path)
{
	FILE *f = path ? fopen(path, "w") : NULL;
	struct line *l;
	int i;

	for (l = lines; f && l < lines + LINES; l++) {
		if (!l->moves)
			continue;
		fprintf(f, "%llx %u", (unsigned long long)l->address, l->moves);
		for (i = 0; i < WRITERS && l->writers[i]; i++)
			fprintf(f, " %llx", (unsigned long long)l->writers[i]);
		fputc('\n', f);
	}
	if (f) {
		fclose(f);
		if (lines_lost)
			fprintf(stderr, "count: no room for %lu stores\n", lines_lost);
	}
	memset(lines, 0, LINES * sizeof(*lines));
	lines_lost = 0;
}

static void on_mark(unsigned int vcpu, void *data)
{
	bool end = marks & 1;
	char path[sizeof(out) + 32];

	(void)vcpu;
	(void)data;
	snprintf(path, sizeof(path), "%s.%u", out, marks++ / 2);
	blocks_write(end ? path : NULL);
	if (lines) {
		strcat(path, ".lines");
		lines_write(end ? path : NULL);
	}
}

static void on_translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);
	uint64_t address = qemu_plugin_tb_vaddr(tb);

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64,
						 &block_find(address, n)->executed, 1);
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uintptr_t at = qemu_plugin_insn_vaddr(insn);

		if (lines && address >= USER_END)
			qemu_plugin_register_vcpu_mem_cb(insn, on_store, QEMU_PLUGIN_CB_NO_REGS,
							 QEMU_PLUGIN_MEM_W, (void *)at);
		if (at == mark_address)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_mark,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
	}
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_info_t *info, int argc, char **argv)
{
	int i;

	(void)info;
	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "out=", 4))
			snprintf(out, sizeof(out), "%s", argv[i] + 4);
		else if (!strncmp(argv[i], "mark=", 5))
			mark_address = strtoull(argv[i] + 5, NULL, 16);
		else if (!strcmp(argv[i], "lines=1"))
			lines = calloc(LINES, sizeof(*lines));
	}
	blocks = calloc(BLOCKS, sizeof(*blocks));
	if (!blocks || !mark_address) {
		fprintf(stderr, "count: mark= is missing, or memory is\n");
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	return 0;
}
