# SPDX-License-Identifier: GPL-2.0-only
"""Reads what the benchmark's guests leave: the lines that ops printed, and what the plugin
count.c counted between its marks, with the guest's symbols."""
import bisect
import os
import re
from statistics import mean

KERNEL_TEXT = 0xffffffff80000000

# What is counted: calls of these functions. Of soft-RoCE do_complete() is called once for
# each Work Request of a Send Queue, post_one_recv() for one of a Receive Queue.
COUNTERS = {
    "rpcs": ["sunrpc:call_start"],
    "switches": ["vmlinux:__switch_to"],
    "work items": ["vmlinux:process_one_work"],
    "send WRs": ["rdma_rxe:do_complete"],
    "recv WRs": ["rdma_rxe:post_one_recv"],
    "doorbells": ["rdma_rxe:rxe_post_send", "rdma_rxe:rxe_post_recv",
                  "rdma_rxe:rxe_post_srq_recv"],
    "completions": ["rdma_rxe:rxe_cq_post"],
    "packets": ["rdma_rxe:rxe_xmit_packet", "vmlinux:loopback_xmit"],
    "regions": ["rdma_rxe:rxe_map_mr_sg"],
    "cleared": ["vmlinux:clear_page_erms", "vmlinux:clear_page_rep",
                "vmlinux:clear_page_orig"],
}


def read_symbols(path):
    """{address: (module, function)}, in order, from a copy of /proc/kallsyms."""
    names = {}
    with open(path, encoding="ascii", errors="replace") as file:
        for address, kind, name, *module in map(str.split, file):
            address = int(address, 16)
            old = names.get(address, ("", "__pfx_"))
            if kind in "tTwW" and address >= KERNEL_TEXT and old[1].startswith(("__pfx_", "__cfi")):
                names[address] = (module[0][1:-1] if module else "vmlinux", name)
    return dict(sorted(names.items()))


def read_counts(path, symbols, operations):
    """{(module, function): [instructions, calls]} for one operation."""
    functions, starts = {}, list(symbols)
    with open(path, encoding="ascii") as file:
        for line in file:
            address, insns, executed = line.split()
            address = int(address, 16)
            start = starts[max(bisect.bisect_right(starts, address) - 1, 0)]
            key = symbols[start] if address >= start else ("other" if address else "user",) * 2
            entry = functions.setdefault(key, [0, 0])
            entry[0] += int(insns) / operations
            if address == start:
                entry[1] += int(executed) / operations
    return functions


class Measurement:
    """One operation of one guest. functions is None without the plugin."""

    def __init__(self, fields, nconnect, functions):
        self.op, self.depth, self.operations = fields[0], int(fields[1]), int(fields[2])
        self.nconnect = nconnect
        self.functions = functions
        self.insns = int(fields[3])
        if functions:
            self.insns = round(sum(v[0] for v in functions.values()))

    def modules(self):
        """Instructions by module."""
        total = {}
        for (module, _), (insns, _) in self.functions.items():
            total[module] = total.get(module, 0) + insns
        return total

    def calls(self, name):
        """Calls of MODULE:FUNCTION, also of what the compiler made of it."""
        module, function = name.split(":")
        return sum(v[1] for (m, f), v in self.functions.items()
                   if m == module and (f == function or f.startswith(function + ".")))

    def counters(self):
        """What is in COUNTERS."""
        return {k: sum(self.calls(f) for f in names) for k, names in COUNTERS.items()}


def read_boot(folder):
    """A guest's measurements."""
    path = os.path.join(folder, "kallsyms")
    symbols = read_symbols(path) if os.path.exists(path) else None
    found, nconnect, marked = [], 0, 0
    with open(os.path.join(folder, "output"), encoding="utf-8", errors="replace") as file:
        for line in file:
            if m := re.match(r"MOUNT (\d+)|PREPARE", line):
                nconnect = int(m[1] or 0)
            elif m := re.match(r"OP (\S+) (\d+) (\d+) (\d+)", line):
                if nconnect:
                    functions = symbols and read_counts(os.path.join(folder, f"count.{marked}"),
                                                        symbols, int(m[3]))
                    found.append(Measurement(m.groups(), nconnect, functions))
                marked += 1
    return found


def means(measurements):
    """{operation: instructions}, the mean of all rounds."""
    values = {}
    for m in measurements:
        values.setdefault(m.op, []).append(m.insns)
    return {op: round(mean(v)) for op, v in values.items()}
