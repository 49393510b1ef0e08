// SPDX-License-Identifier: GPL-2.0-only
/*
 * count: QEMU plugin that counts executed guest instructions per translation block.
 *
 * A block is a sequence of instructions that is always executed from its start; each call of a
 * function begins one at the function's address. At every second execution of the instruction at
 * mark=, a file OUT.N receives a line "ADDRESS INSTRUCTIONS EXECUTIONS" for each block executed
 * since the one before. Instructions of user space are one line, with address 0.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu_plugin.h"

int qemu_plugin_version = 1;

#define BLOCKS		0x200000
#define USER_END	0x800000000000ull

struct block {
	uint64_t address;
	uint64_t insns;		/* 0: the entry is free */
	uint64_t executed;
	uint64_t before;	/* @executed at the last mark */
};

static struct block *blocks;
static char out[4096] = "count.out";
static uint64_t mark_address;
static unsigned int marks;

/* The entry of that block. A block that is translated again has the same one. */
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

/* Write what was executed since the last mark, if @path is not NULL. */
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

static void on_mark(unsigned int vcpu, void *data)
{
	char path[sizeof(out) + 16];

	(void)vcpu;
	(void)data;
	snprintf(path, sizeof(path), "%s.%u", out, marks / 2);
	blocks_write(marks++ & 1 ? path : NULL);
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

		if (qemu_plugin_insn_vaddr(insn) == mark_address)
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
	}
	blocks = calloc(BLOCKS, sizeof(*blocks));
	if (!blocks || !mark_address) {
		fprintf(stderr, "count: mark= is missing, or memory is\n");
		return 1;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	return 0;
}
